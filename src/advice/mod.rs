//! Probabilities and costs become a recommendation with its reasons.

mod advisor;
mod cause;
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
mod removal;
mod report;
mod seen;
mod spent;
mod undecided;

pub use advisor::{Advisor, Held};
pub use command::{Command, Since, Target, constraint_of};
pub use costs::{Costs, ExpectedCosts};
pub use removal::ByItself;
pub use report::{Advice, Band, HeldJob, InputEffect, Recommendation, Trust, Wait};
pub use spent::Spent;
