//! The steps of a sweep that its nodes run.
//!
//! - [`finish`]: `sweep finish`: results in place, failures named.
//! - [`select`]: `sweep select`: who trains on.
//! - `test`: `sweep test`: the best model, once.

pub mod finish;
pub mod select;
pub mod test;
#[cfg(test)]
mod tests;
