//! What goes wrong while ads are read.

use std::io;

use crate::syntax::error::ParseError;

/// A place in the input that is no ad or no attribute, or input that could not be read.
///
/// After every error but [`AdError::is_io`] the reader goes on: the rest of the ad and the ads behind it are read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct AdError(#[from] Kind);

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error("cannot read ads: {0}")]
    Io(#[from] io::Error),
    #[error("line {line}: {message}")]
    Malformed { line: u64, message: String },
    #[error("line {line}: attribute {name}: {error}")]
    Attribute { line: u64, name: String, error: ParseError },
    #[error("line {line}: {message}")]
    TooLarge { line: u64, message: String },
}

impl AdError {
    pub(crate) fn io(error: io::Error) -> AdError {
        AdError(Kind::Io(error))
    }

    pub(crate) fn malformed(line: u64, message: impl Into<String>) -> AdError {
        AdError(Kind::Malformed { line, message: message.into() })
    }

    pub(crate) fn too_large(line: u64, message: impl Into<String>) -> AdError {
        AdError(Kind::TooLarge { line, message: message.into() })
    }

    pub(crate) fn attribute(line: u64, name: &str, error: ParseError) -> AdError {
        AdError(Kind::Attribute { line, name: name.to_owned(), error })
    }

    /// The line of the input, counted from 1; `None` where reading failed.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match &self.0 {
            Kind::Io(_) => None,
            Kind::Malformed { line, .. }
            | Kind::Attribute { line, .. }
            | Kind::TooLarge { line, .. } => Some(*line),
        }
    }

    /// Whether the input could not be read; the reader then ends.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self.0, Kind::Io(_))
    }

    /// Whether an attribute's text is no expression.
    #[must_use]
    pub fn is_attribute(&self) -> bool {
        matches!(self.0, Kind::Attribute { .. })
    }

    /// Whether a line or an ad was skipped because of its size.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(self.0, Kind::TooLarge { .. })
    }
}
