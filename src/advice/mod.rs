//! Probabilities and costs become a recommendation with its reasons.

mod report;

pub use report::{Advice, Band, HeldJob, Recommendation, Trust, Wait};
