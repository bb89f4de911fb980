//! Advice is carried out: which holds are acted on, how many at a time, and what came of it.
//!
//! Nothing is decided here that the advice does not say. What is added: a job is acted on only in
//! the very hold that was judged, jobs that share a cause go one, five, 25 at a time, and the
//! journal has it before the schedd does.
//!
//! - `candidate`: a hold that may be acted on, and what an advice says to do.
//! - `carry_out`: journal first, then the schedd, then the journal again.
//! - `lone`: failures of one owner alone hold up that owner only.
//! - `outcomes`: what the releases of a journal led to, beside what was expected.
//! - `plan`: which holds are acted on now.
//! - `ramp`: how many jobs of one cause may be released at a time.
//! - `result`: what became of holds that were acted on.
//! - `samples`: what the tests of this room share.

mod candidate;
mod carry_out;
mod lone;
mod outcomes;
mod plan;
mod ramp;
mod result;
#[cfg(test)]
mod samples;

pub use candidate::{Candidate, Deed, is_left_to_people};
pub use carry_out::{Done, Order, carry_out, intents};
pub use outcomes::{Group, ReleaseFigures, outcomes};
pub use plan::{Bounds, Chosen, Deferred, Plan, plan};
pub use ramp::{Attempt, Room, room};
pub use result::{OPEN_ATTRIBUTES, OpenAct, attempts, intended_acts, open_acts, result_of};
