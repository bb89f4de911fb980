//! Which holds a table is about.

use std::collections::{HashMap, HashSet};

use holdadvise::history::Action;

use crate::data::dataset::{Dataset, Reach, SUCCESS};
use holdadvise::metrics::Outcomes;

/// Hours after which no more are counted.
const MOST_HOURS: f64 = 24.0;

/// Rows of a mixed cell at the least.
const CELL_ROWS: usize = 20;

/// Shares of success, in percent, between which a cell is mixed.
const MIXED: std::ops::RangeInclusive<usize> = 30..=70;

/// Holds with one thing in common.
#[derive(Clone, Debug)]
pub(super) struct Population {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    /// Positions among the rows asked about.
    pub(super) at: Vec<usize>,
    pub(super) outcomes: Outcomes,
}

/// The rows of the test part that some population has: releases that happened, and what a simulator
/// says of a release as is.
pub(super) fn asked(dataset: &Dataset, test: &[usize]) -> Vec<usize> {
    let belongs = |&row: &usize| dataset.observed[row] != 0 || oracle_as_is(dataset, row);
    test.iter().copied().filter(belongs).collect()
}

fn oracle_as_is(dataset: &Dataset, row: usize) -> bool {
    let as_is = Action::ALL[usize::from(dataset.action[row])] == Action::AsIs;
    as_is && dataset.is_from_oracle(row)
}

/// The populations among the rows asked about; those without rows are left out.
pub(super) fn populations(dataset: &Dataset, rows: &[usize]) -> Vec<Population> {
    let happened = |row: usize| dataset.observed[row] != 0;
    let as_is = |row: usize| Action::ALL[usize::from(dataset.action[row])] == Action::AsIs;
    let wide = |row: usize| {
        [Reach::Site, Reach::Service].iter().any(|&reach| dataset.reach[row] == reach as u8)
    };
    let hold = |row: usize| {
        (dataset.cluster[row], dataset.hold_time[row], dataset.code[row], dataset.subcode[row])
    };
    let released: HashSet<_> = (0..dataset.len()).filter(|&row| happened(row)).map(hold).collect();
    let mixed = mixed_cells(dataset, rows);
    let mut all = Vec::new();
    let mut add = |id, title, about, belongs: &dyn Fn(usize) -> bool| {
        let at: Vec<usize> = (0..rows.len()).filter(|&at| belongs(rows[at])).collect();
        if !at.is_empty() {
            let outcomes = outcomes(dataset, rows, &at);
            all.push(Population { id, title, about, at, outcomes });
        }
    };
    add(
        "releases",
        "Releases that happened",
        "Every release in the test part that came to an outcome, each once, with the action that was taken where it is \
         known. People decided what to release, so holds that nobody gives a chance are rare here.",
        &happened,
    );
    add(
        "releases-as-is",
        "Releases as is that happened",
        "Of those the ones before which nothing was edited: here knowing the edit gives nothing away.",
        &|row| happened(row) && as_is(row),
    );
    add(
        "releases-wide",
        "Releases that happened, causes that reach a site or a service",
        "Of the releases those from holds whose hidden cause lies in a whole site or a shared service: other jobs tell of it.",
        &|row| happened(row) && wide(row),
    );
    add(
        "mixed",
        "Releases that happened, mixed cells",
        "Of the releases those from cells (code, subcode, normalised reason) of at least 20 releases of which 30 to 70 % \
         succeed in this test part: here the message says little.",
        &|row| happened(row) && mixed.contains(&dataset.cell[row]),
    );
    add(
        "truth",
        "Every hold, released as is, by the simulator's truth",
        "Every hold of the test part at every instant the simulator was asked, released or not; a row counts as p of a \
         success and 1 - p of a failure, p its true probability. What is lost against the releases is the price of \
         labels that people chose.",
        &|row| oracle_as_is(dataset, row),
    );
    add(
        "truth-unreleased",
        "Holds without a release, by the simulator's truth",
        "Of those the holds from which no release came to an outcome: no label ever tells of them.",
        &|row| oracle_as_is(dataset, row) && !released.contains(&hold(row)),
    );
    add(
        "truth-wide",
        "Every hold whose cause reaches a site or a service, by the simulator's truth",
        "Of every hold those whose hidden cause lies in a whole site or a shared service.",
        &|row| oracle_as_is(dataset, row) && wide(row),
    );
    all
}

/// What came of the rows at some positions. Hours are there where all of them happened.
fn outcomes(dataset: &Dataset, rows: &[usize], at: &[usize]) -> Outcomes {
    let here: Vec<usize> = at.iter().map(|&at| rows[at]).collect();
    let hours = |&row: &usize| {
        let seconds = dataset.outcome_time[row].saturating_sub(dataset.decision_instant[row]);
        (seconds.max(0) as f64 / 3_600.0).min(MOST_HOURS)
    };
    let happened = here.iter().all(|&row| dataset.observed[row] != 0);
    let mut outcomes = dataset.outcomes(&here);
    outcomes.hours = happened.then(|| here.iter().map(hours).collect());
    outcomes
}

/// Cells of enough releases, of which neither nearly all nor hardly any succeed.
fn mixed_cells(dataset: &Dataset, rows: &[usize]) -> HashSet<i64> {
    let mut cells: HashMap<i64, (usize, usize)> = HashMap::new();
    for &row in rows.iter().filter(|&&row| dataset.observed[row] != 0) {
        let (releases, successes) = cells.entry(dataset.cell[row]).or_default();
        *releases += 1;
        *successes += usize::from(dataset.label[row] == SUCCESS);
    }
    let mixed = |&(_, (releases, successes)): &(i64, (usize, usize))| {
        releases >= CELL_ROWS
            && successes * 100 >= MIXED.start() * releases
            && successes * 100 <= MIXED.end() * releases
    };
    cells.into_iter().filter(mixed).map(|(cell, _)| cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::tests::rows;
    use holdadvise::history::Outcome::{Failure, Success};

    #[test]
    fn holds_are_found_by_what_they_have_in_common() {
        let one = |at: i64, outcome| (at, at + 10, at, outcome);
        let mut all = vec![one(0, Success), one(1, Failure), one(2, Failure), one(3, Success)];
        all.extend((4..24).map(|at| one(at, if at < 10 { Success } else { Failure })));
        let mut dataset = rows(&all, 0);
        dataset.cell[4..].fill(7); // 6 of 20
        dataset.observed[2..4].fill(0);
        dataset.truth[2..4].fill(0.25);
        dataset.action[1..4].fill(0);
        dataset.hold_time[2] = 1;
        dataset.cluster[2] = 1; // row 1 is the release of this hold
        dataset.reach[1] = Reach::Site as u8;
        dataset.reach[2] = Reach::Service as u8;
        dataset.outcome_time[1] = 11 + 7_200;
        dataset.outcome_time[5] = i64::MAX;
        let test: Vec<usize> = (0..24).collect();
        let rows = asked(&dataset, &test);
        assert_eq!(rows, test);
        let found = populations(&dataset, &rows);
        let of = |id: &str| found.iter().find(|population| population.id == id).unwrap();
        assert_eq!(of("releases").at.len(), 22);
        assert_eq!(of("releases-as-is").at, [1]);
        assert_eq!(of("releases-wide").at, [1]);
        assert_eq!(of("mixed").at, (4..24).collect::<Vec<_>>());
        assert_eq!(of("truth").at, [2, 3]);
        assert_eq!(of("truth-unreleased").at, [3]);
        assert_eq!(of("truth-wide").at, [2]);
        assert_eq!(of("releases-wide").outcomes.hours.as_deref(), Some(&[2.0][..]));
        assert_eq!(of("releases").outcomes.hours.as_ref().unwrap()[3], 24.0, "at most a day");
        assert_eq!(of("truth").outcomes.target, [0.25, 0.25]);
        assert!(of("truth").outcomes.hours.is_none());
        dataset.label[9] = 0; // 5 of 20
        assert!(!populations(&dataset, &rows).iter().any(|population| population.id == "mixed"));
    }
}
