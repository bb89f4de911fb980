//! How well actions are named, with intervals from a bootstrap over access points.

use std::collections::HashMap;

use holdadvise::workflow::Recovery;

use super::Row;
use crate::evaluation::classes::{Confusion, Named};
use holdadvise::metrics::{Estimate, Outcomes, Scored, draw};

const SEED: u64 = 1;

/// Actions.
pub(super) const ACTIONS: usize = Recovery::ALL.len();

/// What a method says of a row: a score of each action, and of whether memory must change; 0 to 1.
pub(super) type Scores = [f64; ACTIONS + 1];

/// The figures of a method.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    /// Mean over the actions of the AUROC of one against the rest.
    pub(super) action: Estimate,
    /// AUROC of whether memory must change.
    pub(super) memory: Estimate,
    /// Share of rows whose action scores most.
    pub(super) accuracy: Estimate,
    /// Mean over the actions of F1.
    pub(super) f1: Estimate,
}

impl Figures {
    /// `draws` of access points. NaN where an action has no row or all.
    pub(super) fn of(rows: &[&Row], said: &[Scores], draws: usize) -> Self {
        let points: Vec<i64> = rows.iter().map(|row| row.access_point.cast_signed()).collect();
        let scored = |column: usize| {
            let is = |row: &&Row| match Recovery::ALL.get(column) {
                Some(action) => row.action == *action,
                None => row.memory,
            };
            let target = rows.iter().map(|row| f64::from(u8::from(is(row)))).collect();
            let outcomes = Outcomes::new(target, vec![1.0; rows.len()], None, &points);
            let said: Vec<f64> = said.iter().map(|said| said[column]).collect();
            (Scored::new(&outcomes, &said, 0.5), outcomes.clusters())
        };
        let (each, clusters): (Vec<Scored>, Vec<usize>) = (0..=ACTIONS).map(scored).unzip();
        let mut methods: Vec<Vec<Scored>> = each.iter().map(|one| vec![one.clone()]).collect();
        // The mean over these in each draw.
        methods.push(each[..ACTIONS].to_vec());
        let drawn = draw(&methods, clusters[0], draws, SEED);
        let Named { accuracy, f1 } = confusion(rows, said).named(draws, SEED);
        Self {
            action: drawn.estimate(ACTIONS + 1, 0),
            memory: drawn.estimate(ACTIONS, 0),
            accuracy,
            f1,
        }
    }

    /// Cells of a table.
    pub(super) fn cells(&self) -> String {
        let [action, memory, accuracy, f1] =
            [self.action, self.memory, self.accuracy, self.f1].map(|figure| figure.text(3));
        format!("{action} | {memory} | {accuracy} | {f1}")
    }
}

/// Actions that are right and said, by access point in the order of the rows.
fn confusion(rows: &[&Row], said: &[Scores]) -> Confusion<ACTIONS> {
    let mut numbers = HashMap::new();
    let of = |(row, said): (&&Row, &Scores)| {
        let next = numbers.len();
        let at = *numbers.entry(row.access_point).or_insert(next);
        let most = (0..ACTIONS).rev().max_by(|&a, &b| said[a].total_cmp(&said[b])).unwrap_or(0);
        let right = Recovery::ALL.iter().position(|action| *action == row.action).unwrap_or(0);
        (at, right, most)
    };
    Confusion::of(rows.iter().zip(said).map(of))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use holdadvise::workflow::{Cell, Counts, Place, Shown};

    /// A row with failed runs of causes at sites.
    pub(in crate::workflows) fn row(failed: &[(&str, &str, u32)], action: Recovery) -> Row {
        let cell = |&(cause, site, runs): &(&str, &str, u32)| Cell {
            kind: cause.split('/').next().unwrap_or_default().to_owned(),
            cause: cause.to_owned(),
            site: site.to_owned(),
            runs,
        };
        let others = vec![Place { site: "T2_B".to_owned(), succeeded: 2, running: 1 }];
        let counts = Counts { failed: failed.iter().map(cell).collect(), others };
        Row {
            access_point: 1,
            cluster: 1,
            instant: 0,
            shown: Shown { counts, clusters: 1, ..Shown::default() },
            holds: 1,
            action,
            memory: action == Recovery::Memory,
        }
    }

    #[test]
    fn who_is_always_right_has_all_and_the_majority_half() {
        let mut rows: Vec<Row> = Vec::new();
        for access_point in 0..6 {
            for action in [Recovery::Retry, Recovery::Retry].into_iter().chain(Recovery::ALL) {
                rows.push(Row { access_point, ..row(&[("held 6/2", "A", 1)], action) });
            }
        }
        let rows: Vec<&Row> = rows.iter().collect();
        let right = |row: &&Row| -> Scores {
            let mut said = [0.0; ACTIONS + 1];
            said[Recovery::ALL.iter().position(|of| *of == row.action).unwrap()] = 1.0;
            said[ACTIONS] = f64::from(u8::from(row.memory));
            said
        };
        let said: Vec<Scores> = rows.iter().map(right).collect();
        let figures = Figures::of(&rows, &said, 50);
        for figure in [figures.action, figures.memory, figures.accuracy, figures.f1] {
            assert_eq!((figure.value, figure.low, figure.high), (1.0, 1.0, 1.0));
        }
        let same: Scores = [0.4, 0.1, 0.1, 0.1, 0.1, 0.1];
        let figures = Figures::of(&rows, &vec![same; rows.len()], 50);
        assert_eq!((figures.action.value, figures.memory.value), (0.5, 0.5));
        assert!((figures.accuracy.value - 3.0 / 7.0).abs() < 1e-12);
        assert!((figures.f1.value - 0.6 / 5.0).abs() < 1e-12);
    }
}
