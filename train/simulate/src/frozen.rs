//! Which simulator this is: figures of models are compared only where the same one made their data.

use std::io;
use std::path::Path;

use holdadvise::features::fnv1a;
use serde::Serialize;

use crate::Settings;

/// Counts up when the same preset, layers and seed give other files.
pub const VERSION: u32 = 3;

/// What seed 1 gives in one day: for each preset a hash of its event log, epoch ads and truth.
/// `tests/frozen.rs` plays them again.
pub const FROZEN: [(&str, &str); 5] = [
    ("small", "e560356fdc122962"),
    ("quick", "3f2479a090ad63b7"),
    ("rapid", "bb8266a21be6f41b"),
    ("ospool", "5823d8cdf4a55d76"),
    ("cms", "8ffce49285750f62"),
];

/// The same of `small` with each built-in layer.
pub const FROZEN_LAYERS: [(&str, &str); 1] = [("faults-3", "386712fe6506cb3a")];

/// Hash over what every preset gives, and over the layers that lie on them: 16 hexadecimal digits.
/// Of each layer it is the frozen hash, or that of the file's text.
pub(crate) fn fingerprint(layers: &[String]) -> String {
    let mut all: String = FROZEN.iter().map(|(name, hash)| format!("{name} {hash}\n")).collect();
    all.extend(layers.iter().map(|hash| format!("with {hash}\n")));
    format!("{:016x}", fnv1a(all.as_bytes()))
}

/// What a layer is known by in the fingerprint.
pub(crate) fn layer_hash(name: &str, text: &str) -> String {
    match FROZEN_LAYERS.iter().find(|(known, _)| *known == name) {
        Some((_, hash)) => (*hash).to_owned(),
        None => format!("{:016x}", fnv1a(text.as_bytes())),
    }
}

/// Hash of the files of a simulation, as they are frozen.
///
/// # Errors
/// A file cannot be read.
pub fn hash_of(folder: &Path) -> io::Result<String> {
    let mut all = String::new();
    for file in ["EventLog", "epoch_history", "truth.jsonl"] {
        let bytes = std::fs::read(folder.join(file))?;
        all.push_str(&format!("{file} {:016x}\n", fnv1a(&bytes)));
    }
    Ok(format!("{:016x}", fnv1a(all.as_bytes())))
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
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bare: bool,
    seed: u64,
    start: String,
    days: u32,
}

impl<'a> Description<'a> {
    pub(crate) fn of(settings: &'a Settings) -> Self {
        Self {
            simulator: VERSION,
            fingerprint: settings.preset.fingerprint(),
            preset: &settings.preset.name,
            layers: &settings.preset.layers,
            vary: settings.preset.varied,
            unit: Some(settings.preset.unit).filter(|unit| *unit != 1.0),
            bare: settings.is_bare(),
            seed: settings.seed,
            start: settings.preset.access_point.start.to_string(),
            days: settings.days,
        }
    }
}
