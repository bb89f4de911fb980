//! Generated expressions, one of five evaluated in a match.
//!
//! `HOLDADVISE_EXPRESSIONS` says how many (default 20,000), `HOLDADVISE_SEED` which (default 1).
//! What differs is counted by class: what it is here, what it is to HTCondor, and the outermost
//! operator or function.

mod grammar;
mod random;

use std::collections::BTreeMap;

use classads::{Expr, NodeKind};
pub(crate) use grammar::Grammar;

use crate::judge::{Difference, differences, differences_in_match};
use crate::{htcondor, quirks};

/// Expressions that HTCondor is asked at once.
const BATCH: usize = 50_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Which expressions are generated.
pub(crate) fn seed() -> u64 {
    number("HOLDADVISE_SEED", 1)
}

/// The outermost operator or function.
fn outermost(expression: &str) -> String {
    let Ok(expr) = Expr::parse(expression) else { return "text".to_owned() };
    match expr.root().kind() {
        NodeKind::Unary(operator, _) => format!("{operator:?}"),
        NodeKind::Binary(operator, ..) => format!("{operator:?}"),
        NodeKind::Call { name, .. } => name.to_ascii_lowercase(),
        NodeKind::Literal(_) => "literal".to_owned(),
        NodeKind::List(_) => "list".to_owned(),
        NodeKind::ClassAd(_) => "ad".to_owned(),
        _ => "other".to_owned(),
    }
}

#[test]
fn generated_expressions_mean_what_htcondor_means() {
    let Some(python) = htcondor() else { return };
    let (count, seed) = (number("HOLDADVISE_EXPRESSIONS", 20_000), seed());
    let mut grammar = Grammar::new(seed);
    let mut classes: BTreeMap<String, (usize, Difference)> = BTreeMap::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut left = usize::try_from(count).expect("a number of expressions");
    while left > 0 {
        let batch: Vec<String> = (0..left.min(BATCH)).map(|_| grammar.expression()).collect();
        left -= batch.len();
        let (matched, alone) = batch.split_at(batch.len() / 5);
        let found = differences_in_match(&python, matched);
        for difference in found.into_iter().chain(differences(&python, alone)) {
            if let Some(row) = quirks::row(&difference) {
                *known.entry(row).or_default() += 1;
                continue;
            }
            let class = format!(
                "{}: {} here, {} to HTCondor",
                outermost(&difference.expression),
                difference.here.0,
                difference.htcondor.0
            );
            let shortest =
                |known: &Difference| known.expression.len() <= difference.expression.len();
            match classes.get_mut(&class) {
                Some((times, known)) => {
                    *times += 1;
                    if !shortest(known) {
                        *known = difference;
                    }
                }
                None => {
                    classes.insert(class, (1, difference));
                }
            }
        }
    }
    for (class, (times, difference)) in &classes {
        println!("{times} times {class}\n  {difference}");
    }
    for (row, times) in known {
        println!("{times} times {row} (docs/quirks.md)");
    }
    println!(
        "{count} generated expressions (seed {seed}) compared, {} classes differ",
        classes.len()
    );
    assert!(classes.is_empty());
}
