//! Command lines in the style of HTCondor's tools: one table of options feeds the reading of
//! arguments, `-help`, the manual page and the completions of shells.
//!
//! - `completions`: completions of bash, zsh and fish (`cargo run --example completions`).
//! - `help`: the text of `-help`.
//! - `normalise`: HTCondor's single-dash options become what clap reads.
//! - `option`: the table of options.
//! - `page`: manual pages from the tables (`cargo run --example manual`).
//! - `parse`: clap reads, and complains in the words of HTCondor's tools.

mod completions;
mod help;
mod normalise;
mod option;
mod page;
mod parse;

pub(crate) use self::completions::Completed;
pub(crate) use self::help::text as usage;
pub use normalise::ArgumentError;
pub(crate) use option::{
    OptionSpec, Section, Takes, Tool, cost, epochs, event_log, flag, help, job_ads, model, pool,
    schedd_name, user_log, wide,
};
pub(crate) use page::Page;
pub(crate) use parse::{OPERANDS, ValueError, read, style};
