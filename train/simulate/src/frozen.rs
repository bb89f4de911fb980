//! Which simulator this is: figures of models are compared only where the same one made their data.

use holdadvise::features::fnv1a;
use serde::Serialize;

use crate::Settings;

/// Counts up when the same preset and seed give other files.
pub const VERSION: u32 = 2;

/// What seed 1 gives in one day: for each preset a hash of its event log, epoch ads and truth.
/// `tests/frozen.rs` plays them again.
pub const FROZEN: [(&str, &str); 5] = [
    ("small", "e560356fdc122962"),
    ("quick", "3f2479a090ad63b7"),
    ("rapid", "bb8266a21be6f41b"),
    ("ospool", "5823d8cdf4a55d76"),
    ("cms", "8ffce49285750f62"),
];

/// Hash over what every preset gives: 16 hexadecimal digits.
pub fn fingerprint() -> String {
    let all: String = FROZEN.iter().map(|(name, hash)| format!("{name} {hash}\n")).collect();
    format!("{:016x}", fnv1a(all.as_bytes()))
}

/// `simulation.json`: what made the files beside it.
#[derive(Debug, Serialize)]
pub(crate) struct Description<'a> {
    simulator: u32,
    fingerprint: String,
    preset: &'a str,
    #[serde(rename = "with", skip_serializing_if = "<[String]>::is_empty")]
    layers: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    vary: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<f64>,
    seed: u64,
    start: String,
    days: u32,
}

impl<'a> Description<'a> {
    pub(crate) fn of(settings: &'a Settings) -> Self {
        Self {
            simulator: VERSION,
            fingerprint: fingerprint(),
            preset: &settings.preset.name,
            layers: &settings.preset.layers,
            vary: settings.preset.varied,
            unit: Some(settings.preset.unit).filter(|unit| *unit != 1.0),
            seed: settings.seed,
            start: settings.preset.access_point.start.to_string(),
            days: settings.days,
        }
    }
}
