//! Figures for predicted probabilities, each with an interval from a bootstrap over clusters.
//!
//! Jobs of one cluster tend to fail together, so whole clusters are drawn (Field and Welsh 2007),
//! not rows. docs/training/evaluation.md defines every figure.
//!
//! - `band`: words for a probability.
//! - `bootstrap`: draws of clusters, and intervals.
//! - `isotonic`: isotonic regression.
//! - `jackknife`: half an interval of a figure or a difference.
//! - `scored`: predictions beside outcomes.

mod band;
mod bootstrap;
mod isotonic;
mod jackknife;
mod scored;

pub use band::Band;
pub use bootstrap::{Draws, Estimate, draw, draw_sums};
pub use isotonic::isotonic;
pub use jackknife::{half_width, half_width_of_difference, rows_without_groups, without_groups};
pub use scored::{BINS, COVERAGE, Outcomes, Scored};

macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident $title:literal,)*) => {
        /// Names of the figures, in the order of [`Figures::values`].
        pub const NAMES: [&str; 9] = [$(stringify!($name)),*];

        /// What the figures are called in tables for people.
        pub const TITLES: [&str; 9] = [$($title),*];

        /// The figures. NaN where one does not exist on these rows.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Figures {
            $($(#[$doc])* pub $name: f64,)*
        }

        impl Figures {
            /// The values in the order of [`NAMES`].
            pub fn values(&self) -> [f64; NAMES.len()] {
                [$(self.$name),*]
            }
        }
    };
}

figures! {
    /// Area under the receiver operating characteristic: the probability that a success is ranked
    /// above a failure, ties half (Hanley and McNeil 1982). NaN unless both are there.
    auroc "AUROC",
    /// Area under the precision-recall curve as average precision, success being positive. NaN
    /// without a success.
    auprc "AUPRC",
    /// Mean squared difference of probability and outcome (Brier 1950).
    brier "Brier",
    /// Mean negative log-likelihood, natural logarithm.
    log_loss "log loss",
    /// Expected calibration error (Naeini et al. 2015) over [`BINS`] bins of equal weight.
    ece "calibration error",
    /// Share of wrong decisions among the 70 % of the rows that are decided most surely.
    error_at_70 "error at 70 %",
    /// Hours burnt by failures that would be released, for 100 holds.
    burnt_hours "hours burnt",
    /// Hours of good work of successes that would not be released, for 100 holds.
    waiting_hours "hours waiting",
    /// Both together.
    wasted_hours "wasted hours",
}
