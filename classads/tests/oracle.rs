//! The same expressions given to this crate and to HTCondor's Python module `classad2`: same type, same value.
//!
//! `HOLDADVISE_PYTHON` names the interpreter, else `python3`; without the module the test says so and passes.
//! `HOLDADVISE_ORACLE_ALL=1` tries every pair of values with every function instead of a part.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use classads::{ClassAd, EvalContext, Expr, Style, Value};

const ZONE: &str = "CST6CDT,M3.2.0,M11.1.0";

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn real_data() -> Option<PathBuf> {
    let given = std::env::var_os("HOLDADVISE_REAL_DATA").map(PathBuf::from);
    let path =
        given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"));
    path.is_dir().then_some(path)
}

fn python() -> Option<String> {
    let python = std::env::var("HOLDADVISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let check = Command::new(&python)
        .args(["-c", "import classad2, htcondor2"])
        .stderr(Stdio::null())
        .status();
    check.is_ok_and(|status| status.success()).then_some(python)
}

/// HTCondor's answers, one a line.
fn ask(python: &str, expressions: &[String]) -> Vec<serde_json::Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
    let ad = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/job.ad");
    let mut child = Command::new(python)
        .arg(script)
        .arg(ad)
        .env("TZ", ZONE)
        .env("CONDOR_CONFIG", "/dev/null")
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    let text = expressions.join("\n") + "\n";
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("python ends");
    let _ = writer.join();
    let text = String::from_utf8(output.stdout).expect("the oracle writes UTF-8");
    text.lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).expect("the oracle writes JSON"))
        .collect()
}

/// The text of a list or an ad with attributes sorted, so that HTCondor's own order does not count.
fn canonical(text: &str) -> String {
    fn print(out: &mut String, expr: &Expr) {
        use classads::NodeKind;
        match expr.root().kind() {
            NodeKind::ClassAd(ad) => attributes(out, ad),
            NodeKind::Literal(Value::ClassAd(ad)) => attributes(out, ad),
            NodeKind::List(elements) => {
                out.push('{');
                for element in elements {
                    print(out, &element.to_expr());
                    out.push(',');
                }
                out.push('}');
            }
            _ => out.push_str(&expr.print(Style::New)),
        }
    }
    fn attributes(out: &mut String, ad: &ClassAd) {
        let mut names: Vec<&str> = ad.names().collect();
        names.sort_unstable();
        out.push('[');
        for name in names {
            let _ = write!(out, "{name}=");
            print(out, ad.get(name).expect("the attribute parses"));
            out.push(';');
        }
        out.push(']');
    }
    match Expr::parse(text) {
        Ok(expr) => {
            let mut out = String::new();
            print(&mut out, &expr);
            out
        }
        Err(_) => text.to_owned(),
    }
}

/// This crate's answer in the oracle's words.
fn judge(ad: &ClassAd, expression: &str, now: i64) -> (String, String) {
    let Ok(expr) = Expr::parse(expression) else {
        return ("parse error".to_owned(), String::new());
    };
    let zone = jiff::tz::TimeZone::posix(ZONE).expect("the time zone parses");
    let context = EvalContext { time_zone: Some(zone), ..EvalContext::at(now) };
    let value = ad.evaluate_expr(&expr, &context);
    let text = match &value {
        Value::Undefined | Value::Error => String::new(),
        Value::Real(real) | Value::RelativeTime(real) => real_text(*real),
        Value::String(text) => text.to_string(),
        Value::AbsoluteTime { .. } => {
            value.to_string().trim_start_matches("absTime(\"").trim_end_matches("\")").to_owned()
        }
        other => canonical(&Expr::literal(other.clone()).print(Style::New)),
    };
    (value.value_type().to_string(), text)
}

fn real_text(real: f64) -> String {
    if real.is_nan() { "nan".to_owned() } else { format!("{real:e}") }
}

/// Python's `float.hex`.
fn from_hex(text: &str) -> f64 {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1.0, text),
        None => (1.0, text),
    };
    let size = match text {
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => {
            let text = text.trim_start_matches("0x");
            let (mantissa, exponent) = text.split_once('p').expect("an exponent");
            let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
            let places = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
            let whole = u64::from_str_radix(&digits, 16).expect("hexadecimal digits");
            let exponent: i32 = exponent.parse().expect("a number");
            let shift = exponent - 4 * i32::try_from(places).expect("few digits");
            // In two steps: the power itself may lie below the smallest real.
            let half = shift / 2;
            #[allow(clippy::cast_precision_loss)]
            let value = whole as f64 * 2_f64.powi(half) * 2_f64.powi(shift - half);
            value
        }
    };
    sign * size
}

fn differences(python: &str, expressions: &[String]) -> Vec<String> {
    let ad = ClassAd::parse(&data("job.ad")).expect("the job ad parses");
    let answers = ask(python, expressions);
    // Differences kept on purpose; `docs/quirks.md` says why.
    let quirks = lines("quirks.txt");
    assert_eq!(answers.len(), expressions.len(), "the oracle answers every expression");
    let mut found = Vec::new();
    for (expression, answer) in expressions.iter().zip(&answers) {
        let now = answer
            .as_array()
            .and_then(|a| a.last())
            .and_then(serde_json::Value::as_i64)
            .expect("a time");
        let kind = answer[0].as_str().unwrap_or_default().to_owned();
        let text = match kind.as_str() {
            "undefined" | "error" | "parse error" | "failure" => String::new(),
            "real" | "relative time" => real_text(from_hex(answer[1].as_str().unwrap_or_default())),
            "string" | "absolute time" => answer[1].as_str().unwrap_or_default().to_owned(),
            _ => canonical(answer[1].as_str().unwrap_or_default()),
        };
        // What HTCondor gives up on is an error here.
        let expected = if kind == "failure" { ("error".to_owned(), text) } else { (kind, text) };
        let same = (0..=1).any(|before| judge(&ad, expression, now - before) == expected);
        if !same && !quirks.contains(expression) {
            let ours = judge(&ad, expression, now);
            found.push(format!(
                "{expression}\n    here     {} {}\n    HTCondor {} {}",
                ours.0, ours.1, expected.0, expected.1
            ));
        }
    }
    found
}

fn check(name: &str, expressions: &[String]) {
    let Some(python) = python() else {
        println!(
            "skipped: no Python with modules classad2 and htcondor2 (pip install htcondor; HOLDADVISE_PYTHON)"
        );
        return;
    };
    let found = differences(&python, expressions);
    println!("{name}: {} expressions compared, {} differ", expressions.len(), found.len());
    let shown = found.iter().take(60).cloned().collect::<Vec<_>>().join("\n");
    assert!(found.is_empty(), "{} of {} differ:\n{shown}", found.len(), expressions.len());
}

fn lines(name: &str) -> Vec<String> {
    data(name).lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn own_expressions_mean_what_htcondor_means() {
    check("own expressions", &lines("expressions.txt"));
}

#[test]
fn recorded_expressions_mean_what_htcondor_means() {
    let Some(directory) = real_data() else {
        println!("skipped: no recorded data (HOLDADVISE_REAL_DATA)");
        return;
    };
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
