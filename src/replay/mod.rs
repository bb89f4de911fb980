//! What release expressions would have done with the holds of the past.

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

pub use advised::{ASKED, Answered, Said, between};
pub use attribute::HeldJob;
pub(crate) use course::hours;
pub use course::{Course, Judged, Outlook, Sums, follow};
pub use expression::{Answer, ReplayExpression, Ticks};
pub use past::{HoldEnd, PastHold};
pub use read::{PastHolds, ReadError, Sources};
pub use releaser::Releaser;
pub use run::{Rules, replay};
pub use success::{Releases, Successes, TIMES};
pub use tally::{Replayed, Tally};
