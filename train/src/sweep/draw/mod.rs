//! Drawing the parameters of trials.
//!
//! - [`grid`]: every combination.
//! - [`random`]: each parameter by itself.

pub mod grid;
pub mod random;

use std::collections::BTreeMap;

use serde_json::Value;

/// The value of each parameter of a trial.
pub type Values = BTreeMap<String, Value>;
