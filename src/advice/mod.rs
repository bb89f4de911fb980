//! Probabilities and costs become a recommendation with its reasons.

mod advisor;
mod by_hand;
mod cause;
mod change_kind;
pub mod changes;
mod choices;
mod command;
mod costs;
mod decide;
mod edits;
pub(crate) mod errno;
mod evidence;
mod exit_status;
mod files;
mod held;
mod inputs;
pub mod job_facts;
mod limit;
mod look;
pub mod meaning;
mod removal;
mod report;
mod seen;
mod server;
mod shared;
mod siblings;
mod spent;
mod transfer_error;
mod try_one;
mod undecided;
mod undesired;

pub use advisor::Advisor;
pub use by_hand::ByHand;
pub use cause::Trouble;
pub use changes::{Change, ChangeKind, Correction, Figure, LimitRaise};
pub use choices::{Against as AgainstChoice, Choice, Choices, Rule};
pub use command::{Command, Edit, Since, Target, constraint_of};
pub use costs::Costs;
pub use edits::{EditFacts, Resubmits, SlotsFor, SubmitLine};
pub use evidence::{Evidence, Near, Results};
pub use exit_status::{ExitKind, ExitStatus};
pub use files::{ProgramWords, WordsOf, ask_urls};
pub use held::{Held, Policies, advise};
pub use look::LookAt;
pub use meaning::SharedCause;
pub use removal::{Against, ByItself};
pub(crate) use removal::{LEAST_FAILED, LEAST_HELD};
pub use report::{
    Advice, Band, HeldJob, InputEffect, Missing, Recommendation, Trust, Wait, WaitFor,
};
pub use server::Refusal;
pub use siblings::{Like, LimitFinding, LimitSeen};
pub use spent::Spent;
pub use transfer_error::FailedTransfer;
pub use try_one::{TryOne, TrySuccess};
pub use undecided::Undecided;
