//! What can go wrong.

use std::io;
use std::path::PathBuf;

/// Why a simulation could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A preset that there is not, that cannot be read, or that is none.
    #[error("{0}")]
    Preset(String),
    /// An output that could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What comes of a step of a simulation.
pub(crate) type Result<T, E = SimulateError> = std::result::Result<T, E>;
