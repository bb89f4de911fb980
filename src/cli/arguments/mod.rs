//! Command lines in the style of HTCondor's tools: one table of options feeds the reading of
//! arguments, `-help`, the manual page and the completions of shells.
//!
//! - `completions`: completions of bash, zsh and fish (`cargo run --example completions`).
//! - `help`: the text of `-help`.
//! - `option`: the table of options.
//! - `page`: manual pages from the tables (`cargo run --example manual`).
//! - `read`: reads the words of a command line by the table.
//! - `value`: the values of options.

mod completions;
mod help;
mod option;
mod page;
mod read;
mod value;

pub(crate) use completions::completions_of;
pub(crate) use option::{EPOCHS, Fit, OPERANDS, OptionSpec, Tool};
pub(crate) use page::Page;
pub use read::ArgumentError;
pub(crate) use value::{Choice, Value, Word, is_not, parsed};
