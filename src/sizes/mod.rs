//! How much memory and disk jobs should ask for, from what like jobs used.
//!
//! - `allocation`: the first request and the one after it, by first allocation.
//! - `finished`: what a job that exited with 0 asked for and used.
//! - `resource`: memory and disk.

mod allocation;
mod finished;
mod resource;

pub use allocation::{Again, Allocation, Demand, LEAST, Limited, Used};
pub use finished::{Finished, Size, finished};
pub use resource::Resource;
pub(crate) use resource::{NEAR_LIMIT, named_memory};
