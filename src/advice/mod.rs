//! Probabilities and costs become a recommendation with its reasons.

mod advisor;
mod cause;
pub mod changes;
mod command;
mod costs;
mod decide;
pub(crate) mod errno;
mod evidence;
mod files;
mod held;
mod inputs;
pub mod job_facts;
mod limit;
pub mod meaning;
mod removal;
mod report;
mod seen;
mod shared;
mod spent;
mod undecided;

pub use advisor::Advisor;
pub use cause::Trouble;
pub use changes::{Change, ChangeKind, Correction, Figure, LimitRaise};
pub use command::{Command, Edit, Since, Target, constraint_of};
pub use costs::{Costs, ExpectedCosts};
pub use evidence::{Evidence, Near, Results};
pub use files::{ProgramWords, WordsOf, ask_urls};
pub use held::{Held, Policies, advise};
pub use meaning::SharedCause;
pub use removal::{Against, ByItself};
pub(crate) use removal::{LEAST_FAILED, LEAST_HELD};
pub use report::{
    Advice, Band, HeldJob, InputEffect, Missing, Recommendation, Trust, Wait, WaitFor,
};
pub use spent::Spent;
pub use undecided::Undecided;
