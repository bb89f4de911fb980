//! Probabilities and costs become a recommendation with its reasons.

mod advisor;
pub mod changes;
mod decide;
mod errno;
mod evidence;
pub mod job_facts;
mod limit;
pub mod meaning;
mod report;

pub use advisor::{Advisor, Held};
pub use report::{Advice, Band, HeldJob, Recommendation, Trust, Wait};
