//! What binds jobs: cpu, memory, disk or network.
//!
//! - `binding`: the resources, and shares of a slot.
//! - `check`: what was said of a script beside what its jobs used.
//! - `columns`: a script's syntax tree as numbers.
//! - `judged`: what is said of the text of a script.
//! - `linear`: logistic regression.
//! - `measured`: what jobs used, by their ads.
//! - `pairs`: which jobs may share a host.
//! - `ran`: the script that a job runs, by its ad.
//! - `script`: what binds a script, by its syntax tree.
//! - `times`: how long like jobs wait and run.
//! - `words`: what functions and commands of scripts do, by their names.

mod binding;
mod check;
mod columns;
mod judged;
mod linear;
mod measured;
mod pairs;
mod ran;
mod script;
mod times;
mod words;

pub use binding::{Binding, SLOT, SlotShares};
pub use check::ScriptCheck;
pub use columns::{columns, names as column_names};
pub use judged::ScriptVerdict;
pub use linear::Linear;
pub(crate) use measured::failed;
pub use measured::{ATTRIBUTES, Duration, LastUsage, Measured};
pub use pairs::Pair;
pub use ran::Ran;
pub use script::{Likelihood, ResourceCall, ScriptModel, ScriptProfile};
pub use times::{Range, Survival};
pub use words::Use;
