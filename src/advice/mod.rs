//! Probabilities and costs become a recommendation with its reasons.

mod advisor;
pub mod changes;
mod command;
mod costs;
mod decide;
mod errno;
mod evidence;
mod inputs;
pub mod job_facts;
mod limit;
pub mod meaning;
mod report;
mod spent;
mod undecided;

pub use advisor::{Advisor, Held};
pub use command::{Command, Since, Target, constraint_of};
pub use costs::{Costs, ExpectedCosts};
pub use report::{Advice, Band, HeldJob, InputEffect, Recommendation, Trust, Wait};
pub use spent::Spent;
