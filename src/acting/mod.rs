//! Advice is carried out: which holds are acted on, how many at a time, and what came of it.
//!
//! Nothing is decided here that the advice does not say. What is added: a job is acted on only in
//! the very hold that was judged, jobs that share a cause go one, five, 25 at a time
//! (`ramp.rs`), and the journal has it before the schedd does.

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
pub use outcomes::{Figures, Group, outcomes};
pub use plan::{Bounds, Chosen, Kept, Plan, plan};
pub use ramp::{Attempt, Room, owner_of, room};
pub use result::{OPEN_ATTRIBUTES, OpenAct, attempts, intended_acts, open_acts, result_of};
