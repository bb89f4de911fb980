//! Probabilities and costs become a recommendation with its reasons.

mod errno;
pub mod meaning;
mod report;

pub use report::{Advice, Band, HeldJob, Recommendation, Trust, Wait};
