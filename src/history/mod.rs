//! Events become job histories, and job histories hold episodes with outcomes.

mod action;

pub use action::{Action, Outcome};
