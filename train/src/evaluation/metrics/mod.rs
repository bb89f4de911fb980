//! Figures for predicted probabilities, each with an interval from a bootstrap over clusters.
//!
//! Jobs of one cluster tend to fail together, so whole clusters are drawn (Field and Welsh 2007),
//! not rows. docs/evaluation.md defines every figure.

mod bootstrap;
mod scored;

pub use bootstrap::{Draws, Estimate, draw, draw_sums};
pub use scored::{BINS, COVERAGE, Outcomes, Scored};

use serde::{Deserialize, Serialize};

/// Names of the figures, in the order of [`Figures::values`].
pub const NAMES: [&str; 9] = [
    "auroc",
    "auprc",
    "brier",
    "log_loss",
    "ece",
    "error_at_70",
    "burnt_hours",
    "waiting_hours",
    "wasted_hours",
];

/// The figures. NaN where one does not exist on these rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Area under the receiver operating characteristic: the probability that a success is ranked
    /// above a failure, ties half (Hanley and McNeil 1982). NaN unless both are there.
    pub auroc: f64,
    /// Area under the precision-recall curve as average precision, success being positive. NaN
    /// without a success.
    pub auprc: f64,
    /// Mean squared difference of probability and outcome (Brier 1950).
    pub brier: f64,
    /// Mean negative log-likelihood, natural logarithm.
    pub log_loss: f64,
    /// Expected calibration error (Naeini et al. 2015) over [`BINS`] bins of equal weight.
    pub ece: f64,
    /// Share of wrong decisions among the 70 % of the rows that are decided most surely.
    pub error_at_70: f64,
    /// Hours burnt by failures that would be released, for 100 holds.
    pub burnt_hours: f64,
    /// Hours of good work of successes that would not be released, for 100 holds.
    pub waiting_hours: f64,
    /// Both together.
    pub wasted_hours: f64,
}

impl Figures {
    /// The values in the order of [`NAMES`].
    pub fn values(&self) -> [f64; NAMES.len()] {
        [
            self.auroc,
            self.auprc,
            self.brier,
            self.log_loss,
            self.ece,
            self.error_at_70,
            self.burnt_hours,
            self.waiting_hours,
            self.wasted_hours,
        ]
    }
}
