//! Holds that a model abstains from, since its training hardly saw their code.

use std::collections::BTreeMap;

use holdadvise::hold_code;
use serde_json::json;

use super::method::Predicted;
use crate::data::dataset::Dataset;
use crate::evaluation::report::ExtraTable;

/// A row for each method and code that it does not know; nothing where every model knows every
/// code. `rows` are those that the methods were asked about.
pub(super) fn table(
    methods: &[Predicted],
    dataset: &Dataset,
    rows: &[usize],
) -> Option<ExtraTable> {
    let mut releases: BTreeMap<i32, usize> = BTreeMap::new();
    for &row in rows.iter().filter(|&&row| dataset.observed[row] != 0) {
        *releases.entry(dataset.code[row]).or_default() += 1;
    }
    let mut lines = Vec::new();
    for method in methods {
        let (mut all, mut withheld) = (0, 0);
        let mut line = |code: &str, why: &str, rows: usize, undecided: usize| {
            lines.push(vec![
                json!(method.name),
                json!(code),
                json!(why),
                json!(rows),
                json!(undecided),
            ]);
        };
        for (&code, &rows) in releases.iter().filter(|(code, _)| method.unknown.contains(code)) {
            let by_training = method.withheld.contains(&code);
            all += rows;
            withheld += if by_training { rows } else { 0 };
            let why = if by_training { "withheld" } else { "hardly seen" };
            line(&hold_code::label(code), why, rows, rows);
        }
        let asked: usize = method.withheld.iter().filter_map(|code| releases.get(code)).sum();
        if asked > 0 {
            line("withheld ones", "", asked, withheld);
        }
        if all > 0 && method.withheld.is_empty() {
            line("all unknown ones", "", all, all);
        }
    }
    (!lines.is_empty()).then(|| ExtraTable {
        title: "Codes a model does not know".to_owned(),
        text: "A model abstains from a hold (undecided) whose code has fewer releases in its training than it takes to know \
               one. Releases that happened in the test part."
            .to_owned(),
        columns: ["method", "code", "why", "releases", "undecided"].map(str::to_owned).to_vec(),
        rows: lines,
    })
}
