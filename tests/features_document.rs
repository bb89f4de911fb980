//! `docs/features.md` has a row for each static, and no row for what is not one.

use holdadvise::features::{FeatureSchema, State};

/// What the parts in angle brackets may stand for.
fn expand(pattern: &str) -> Vec<String> {
    let Some((head, rest)) = pattern.split_once('<') else { return vec![pattern.to_owned()] };
    let (part, tail) = rest.split_once('>').expect("a closing bracket");
    let numbers: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    let words = |list: &str| list.split(' ').map(str::to_owned).collect();
    let choices: Vec<String> = match part {
        "n" => numbers,
        "scope" => words("cluster owner site server file reason access-point"),
        "window" => words("10min 1h 6h"),
        "action" => words("as-is memory disk site other unknown"),
        "cue" => FeatureSchema::current()
            .statics
            .iter()
            .filter_map(|column| column.strip_prefix("says-").map(str::to_owned))
            .collect(),
        other => panic!("<{other}> is not explained"),
    };
    choices.into_iter().flat_map(|choice| expand(&format!("{head}{choice}{tail}"))).collect()
}

#[test]
fn each_static_has_a_row_and_each_row_a_static() {
    let document = include_str!("../docs/features.md");
    let rows: Vec<&str> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|row| row.split_once('`').map(|(name, _)| name))
        .filter(|name| name.contains('-') && *name != "access-point")
        .chain(["holds", "starts", "evictions", "age", "ran"])
        .collect();
    let described: Vec<(&str, Vec<String>)> = rows.iter().map(|row| (*row, expand(row))).collect();
    let statics = FeatureSchema::current().statics;
    for column in &statics {
        assert!(described.iter().any(|(_, names)| names.contains(column)), "{column} has no row");
    }
    for (row, names) in &described {
        assert!(names.iter().any(|name| statics.contains(name)), "{row} is no static");
    }
    assert!(document.contains(&format!("e = {}", State::COUNT)));
}
