//! Lists of expressions: our own, real ones, operators and functions on pairs of values.
//!
//! `HOLDADVISE_ORACLE_ALL=1` tries every pair of values with every function instead of a part.

use crate::judge::{data, differences};
use crate::{htcondor, quirks, real_data};

fn check(name: &str, expressions: &[String]) {
    let Some(python) = htcondor() else { return };
    let mut found = differences(&python, expressions);
    found.retain(|difference| quirks::row(difference).is_none());
    println!("{name}: {} expressions compared, {} differ", expressions.len(), found.len());
    let shown = found.iter().take(60).map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(found.is_empty(), "{} of {} differ:\n{shown}", found.len(), expressions.len());
}

fn lines(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(data(name)).expect("the file is there");
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn own_expressions_mean_what_htcondor_means() {
    check("own expressions", &lines("expressions.txt"));
}

#[test]
fn recorded_expressions_mean_what_htcondor_means() {
    let Some(directory) = real_data() else { return };
    let table = std::fs::read_to_string(directory.join("periodic_expressions.tsv"))
        .expect("the table is readable");
    let expressions: Vec<String> = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next())
        .map(str::to_owned)
        .collect();
    check("recorded expressions", &expressions);
}

#[test]
fn operators_mean_what_htcondor_means_on_every_pair_of_values() {
    let values = lines("values.txt");
    let operators = [
        "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "=?=", "=!=", "&&", "||", "&",
        "|", "^", "<<", ">>", ">>>", "?:",
    ];
    let mut expressions = Vec::new();
    for left in &values {
        for unary in ["-", "+", "!", "~"] {
            expressions.push(format!("{unary}({left})"));
        }
        for right in &values {
            expressions
                .extend(operators.iter().map(|operator| format!("({left}) {operator} ({right})")));
            expressions.push(format!("({left})[{right}]"));
            expressions.push(format!("({left}) ? ({right}) : 3"));
        }
    }
    check("operators", &expressions);
}

#[test]
fn functions_mean_what_htcondor_means() {
    let values = lines("values.txt");
    let every = std::env::var_os("HOLDADVISE_ORACLE_ALL").is_some();
    // These give something else each time, or what only a daemon knows.
    let left_out = ["random", "usermap"];
    let mut expressions = Vec::new();
    let mut turn = 0_usize;
    for function in classads::function_names().filter(|name| !left_out.contains(name)) {
        expressions.push(format!("{function}()"));
        for first in &values {
            expressions.push(format!("{function}({first})"));
            for second in &values {
                turn += 1;
                if every || turn.is_multiple_of(7) {
                    expressions.push(format!("{function}({first}, {second})"));
                    let third = &values[turn.wrapping_mul(31) / 7 % values.len()];
                    expressions.push(format!("{function}({first}, {second}, {third})"));
                }
            }
        }
    }
    check("functions", &expressions);
}
