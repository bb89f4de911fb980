//! What a simulation came to, per code and subcode.

use std::collections::BTreeMap;
use std::fmt;

use holdadvise::hold_code;

use crate::truth::{Action, HoldRecord, Outcome};

/// Counts over the holds of one code and subcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Holds.
    pub holds: usize,
    /// Holds that were released.
    pub released: usize,
    /// Releases that ended in success.
    pub successes: usize,
    /// Releases that ended in failure.
    pub failures: usize,
    /// Releases as it is that ended in success.
    pub as_is_successes: usize,
    /// Releases as it is that ended in failure.
    pub as_is_failures: usize,
    /// Holds whose cause is transient.
    pub transient: usize,
}

impl Cell {
    /// Successes over releases whose outcome is known; `None` without one.
    pub fn success_rate(&self) -> Option<f64> {
        rate(self.successes, self.failures)
    }

    /// The same over releases as it is.
    pub fn as_is_success_rate(&self) -> Option<f64> {
        rate(self.as_is_successes, self.as_is_failures)
    }

    fn add(&mut self, record: &HoldRecord) {
        self.holds += 1;
        self.released += usize::from(record.released.is_some());
        self.successes += usize::from(record.outcome == Some(Outcome::Success));
        self.failures += usize::from(record.outcome == Some(Outcome::Failure));
        if record.action == Some(Action::AsIs) {
            self.as_is_successes += usize::from(record.outcome == Some(Outcome::Success));
            self.as_is_failures += usize::from(record.outcome == Some(Outcome::Failure));
        }
        self.transient += usize::from(record.transient);
    }
}

fn rate(successes: usize, failures: usize) -> Option<f64> {
    let known = successes + failures;
    (known > 0).then(|| successes as f64 / known as f64)
}

/// What a simulation came to. Prints as a table.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Jobs submitted.
    pub jobs: usize,
    /// By (HoldReasonCode, HoldReasonSubCode).
    pub cells: BTreeMap<(i32, i32), Cell>,
    /// All holds but those of people (1, 15) and of spooling (16).
    pub total: Cell,
}

impl Summary {
    pub(crate) fn of(jobs: usize, records: &[HoldRecord]) -> Self {
        let mut summary = Self { jobs, ..Self::default() };
        for record in records {
            summary.cells.entry((record.code, record.subcode)).or_default().add(record);
            if hold_code::is_by_system(record.code) {
                summary.total.add(record);
            }
        }
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} jobs", self.jobs)?;
        writeln!(f, "code/subcode      holds  released  success    as is  success  transient")?;
        let percent = |rate: Option<f64>| {
            rate.map_or("-".to_owned(), |rate| format!("{:.0} %", rate * 100.0))
        };
        let mut row = |name: &str, cell: &Cell| {
            let transient = rate(cell.transient, cell.holds - cell.transient);
            writeln!(
                f,
                "{name:15} {:7} {:9} {:>8} {:8} {:>8} {:>10}",
                cell.holds,
                cell.released,
                percent(cell.success_rate()),
                cell.as_is_successes + cell.as_is_failures,
                percent(cell.as_is_success_rate()),
                percent(transient),
            )
        };
        for ((code, subcode), cell) in &self.cells {
            row(&format!("{code}/{subcode}"), cell)?;
        }
        row("all but 1,15,16", &self.total)
    }
}
