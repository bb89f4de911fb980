//! Figures for predicted probabilities, each with an interval from a bootstrap over clusters.
//!
//! Jobs of one cluster tend to fail together, so whole clusters are drawn (Field and Welsh 2007),
//! not rows. docs/evaluation.md defines every figure.

mod bootstrap;
mod scored;

pub use bootstrap::{Draws, Estimate, draw, draw_sums};
pub use scored::{BINS, COVERAGE, Outcomes, Scored};

macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Names of the figures, in the order of [`Figures::values`].
        pub const NAMES: [&str; 9] = [$(stringify!($name)),*];

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
    auroc,
    /// Area under the precision-recall curve as average precision, success being positive. NaN
    /// without a success.
    auprc,
    /// Mean squared difference of probability and outcome (Brier 1950).
    brier,
    /// Mean negative log-likelihood, natural logarithm.
    log_loss,
    /// Expected calibration error (Naeini et al. 2015) over [`BINS`] bins of equal weight.
    ece,
    /// Share of wrong decisions among the 70 % of the rows that are decided most surely.
    error_at_70,
    /// Hours burnt by failures that would be released, for 100 holds.
    burnt_hours,
    /// Hours of good work of successes that would not be released, for 100 holds.
    waiting_hours,
    /// Both together.
    wasted_hours,
}
