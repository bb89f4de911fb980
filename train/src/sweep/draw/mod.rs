//! Drawing the parameters of trials.

pub mod grid;
mod parzen;
pub mod random;
pub mod tpe;

use std::collections::BTreeMap;

use holdadvise::features::fnv1a;
use serde_json::Value;

use crate::random::Random;

/// The value of each parameter of a trial.
pub type Values = BTreeMap<String, Value>;

/// Random numbers for a parameter of a trial. They depend on these three alone: neither another trial nor another
/// parameter of the space changes what is drawn.
fn stream(seed: u64, trial: usize, parameter: &str) -> Random {
    let mut text = parameter.as_bytes().to_vec();
    text.extend(seed.to_le_bytes());
    text.extend((trial as u64).to_le_bytes());
    // One step mixes the hash, whose last bytes move few of its bits.
    Random::new(Random::new(fnv1a(&text)).bits())
}
