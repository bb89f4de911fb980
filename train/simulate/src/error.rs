//! What can go wrong.

use std::io;
use std::path::PathBuf;

/// Why a simulation could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// No preset of this name.
    #[error("no preset {name:?}: expected one of {known}, or the path of a preset file (.toml)")]
    UnknownPreset {
        /// What was asked for.
        name: String,
        /// The built-in ones.
        known: String,
    },
    /// A preset file that could not be read.
    #[error("preset file {}: {source}", path.display())]
    ReadPreset {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A preset that is not one.
    #[error("preset {name}: {message}")]
    BadPreset {
        /// Name or path.
        name: String,
        /// What was expected.
        message: String,
    },
    /// An output that could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
