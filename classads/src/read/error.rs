//! What goes wrong while ads are read.

use std::io;

/// A place in the input that is no ad or no attribute, or input that could not be read.
///
/// After every error but [`AdError::is_io`] the reader goes on: the rest of the ad and the ads
/// behind it are read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct AdError(#[from] Kind);

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error("cannot read ads: {0}")]
    Io(#[from] io::Error),
    #[error("line {line}: {message}")]
    At { line: u64, message: String },
}

impl AdError {
    pub(crate) fn io(error: io::Error) -> AdError {
        AdError(Kind::Io(error))
    }

    pub(crate) fn at(line: u64, message: impl Into<String>) -> AdError {
        AdError(Kind::At { line, message: message.into() })
    }

    pub(crate) fn too_large(line: u64) -> AdError {
        AdError::at(line, "the ad that starts here is larger than 64 MiB")
    }

    /// The line of the input, counted from 1; `None` where reading failed.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match &self.0 {
            Kind::Io(_) => None,
            Kind::At { line, .. } => Some(*line),
        }
    }

    /// Whether the input could not be read; the reader then ends.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self.0, Kind::Io(_))
    }
}
