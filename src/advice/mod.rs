//! Probabilities and costs become a recommendation with its reasons.
//!
//! - `advisor`: asks the model once for many jobs, about each action that makes sense.
//! - `batch`: judges many jobs on all cores.
//! - `by_hand`: where what is corrected by hand stands: submit line and attribute.
//! - `change_kind`: what is changed before a release, as data.
//! - [`changes`]: what an action stands for on one job, and its commands.
//! - `choices`: what can be done, what each choice costs and what stands against it.
//! - `command`: commands to paste, and the constraint that binds them to the judged holds.
//! - `costs`: costs of being wrong become thresholds.
//! - `decide`: weighs the choices.
//! - `editable`: which attributes of a job an edit may set.
//! - `edits`: what goes with an edit: slots, submit line, the way back.
//! - `evidence`: what was seen, as data.
//! - `exit_status`: what an exit status says of the cause.
//! - `figure`: figures of one job, and of several.
//! - `files`: which files a job needs, and what looks at them show.
//! - `held`: a held job to judge, from its ad or a log; `advise` is the whole way in one call.
//! - `inputs`: asks the model again without each group of its inputs.
//! - [`job_facts`]: what is known of the job when changes are worked out.
//! - `joined`: what the evidence of several jobs has in common.
//! - `limit`: the change to a limit of the job's own.
//! - `look`: what a person should look at.
//! - [`meaning`]: what codes, subcodes and reasons say.
//! - `never`: what no probability can buy, and when a removal is advised.
//! - `news`: what is new in an advice since the last look, and how a hold ended.
//! - `own_runs`: what earlier runs of the job used that were held for the same resource.
//! - `report`: `Advice`, the result.
//! - `seen`: what other jobs and the hold reason show about a release.
//! - `server`: what all jobs met at the file server of a hold.
//! - `shared`: holds that share a cause are one question to the model.
//! - `siblings`: what like jobs needed, beside the limit that held this one.
//! - `spent`: slot hours that the job has used.
//! - `transfer_error`: the typed error that a file-transfer plug-in reported.
//! - `try_one`: which of many jobs is tried, and when.
//! - `undecided`: why nothing is recommended.
//! - `undesired`: a pool's list of sites to avoid.
//! - `when`: the probability of later releases.

mod advisor;
mod batch;
mod by_hand;
mod change_kind;
pub mod changes;
mod choices;
mod command;
mod costs;
mod decide;
mod editable;
mod edits;
mod evidence;
mod exit_status;
mod figure;
mod files;
mod held;
mod inputs;
pub mod job_facts;
mod joined;
mod limit;
mod look;
pub mod meaning;
mod never;
pub(crate) mod news;
mod own_runs;
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
mod when;

pub use crate::catalogue::Trouble;
pub use advisor::Advisor;
pub use by_hand::ByHand;
pub(crate) use changes::is_name;
pub use changes::{Change, ChangeKind, Correction, LimitRaise};
pub use choices::{Against as AgainstChoice, Choice, Choices, Rule};
pub use command::{Command, Since, Target, constraint_of};
pub(crate) use command::{LONGEST as LONGEST_CONSTRAINT, jobs as constraint_of_jobs};
pub use costs::Costs;
pub use editable::{Edit, Editable, KeptAttribute};
pub use edits::{EditFacts, Resubmits, SlotsFor, SubmitLine};
pub use evidence::{Ending, Evidence, Near, Results};
pub use exit_status::{ExitKind, ExitStatus};
pub use figure::{Count, Figure};
pub(crate) use files::error_line;
pub use files::{FILE_ATTRIBUTES, ProgramWords, WordsOf, ask_urls, look_at_files};
pub use held::{Held, Policies, advise};
pub use look::LookAt;
pub use meaning::SharedCause;
pub use never::{AgainstRemoval as Against, ByItself};
pub(crate) use never::{LEAST_FAILED, LEAST_HELD};
pub use report::{
    Advice, HeldJob, InputEffect, LikelyFrom, Missing, Recommendation, Trust, Wait, WaitFor,
};
pub use server::Refusal;
pub use siblings::{Like, LimitFinding, LimitSeen};
pub use spent::Spent;
pub use transfer_error::FailedTransfer;
pub use try_one::{TryOne, TrySuccess};
pub use undecided::Undecided;
pub use when::{Curve, DELAYS, Likely};
