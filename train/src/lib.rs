//! Trains, evaluates and exports the model of `holdadvise`.
//!
//! The folders stand in the order in which holds pass through them: [`data`] makes a dataset of job
//! event logs, [`split`] cuts it into parts, [`training`] fits a model to one of them,
//! [`evaluation`] says what it is worth on another, and [`export`] writes it with all that is said
//! of it. [`sweep`] does so many times and keeps the best.

pub mod data;
pub mod evaluation;
pub mod export;
pub mod output;
mod page;
mod progress;
pub use holdadvise::random;
pub mod say;
pub mod split;
pub mod sweep;
pub mod training;

/// Why something failed, in words for whoever asked for it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
