//! Probabilities and costs become a recommendation with its reasons.

pub mod changes;
mod errno;
pub mod job_facts;
pub mod meaning;
mod report;

pub use report::{Advice, Band, HeldJob, Recommendation, Trust, Wait};
