//! What release expressions would have done with the holds of the past.
//!
//! - `advised`: what a model says of past holds.
//! - `attribute`: what a log tells of the job's ad.
//! - `comparison`: comparisons that change with time alone.
//! - `course`: one hold under one policy, with failed releases and their cost.
//! - `expression`: the first tick at which an expression is true.
//! - `past`: past holds, and what became of them.
//! - `read`: reads logs and epoch ads.
//! - `releaser`: what is compared.
//! - `run`: all holds against all policies.
//! - `success`: how releases went, by reason and time on hold.
//! - `sum`: sums of time, constants and attributes.
//! - `tally`: adds up what policies would have done.

mod advised;
mod attribute;
mod comparison;
mod course;
mod expression;
mod past;
mod read;
mod releaser;
mod run;
mod success;
mod sum;
mod tally;

pub use advised::{ASKED, Answered, PastAdvice, between};
pub use attribute::ReplayedJob;
pub(crate) use course::hours;
pub use course::{Course, Outlook, ReleaseCourse, Sums, follow};
pub use expression::{ExpressionAnswer, ReplayExpression, Ticks};
pub use past::{HoldEnd, PastHold};
pub use read::{PastHolds, ReadError, Sources};
pub use releaser::Releaser;
pub use run::{Rules, replay};
pub use success::{Releases, Successes, TIMES};
pub use tally::{Replayed, Tally};
