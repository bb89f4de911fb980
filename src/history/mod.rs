//! Events become job histories, and job histories hold episodes with outcomes.

mod action;
pub mod reason;

pub use action::{Action, Outcome};
