//! Why a tool cannot do what it was asked for.

use std::io;

use super::ArgumentError;
use crate::collect::FolderError;
use crate::inquiry::InquiryError;
use crate::journal::JournalError;
use crate::replay::ReadError;

/// Why a tool cannot do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The arguments cannot be read.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// Jobs, a log, a setting or the model cannot be used, or standard output not be written.
    #[error(transparent)]
    Inquiry(InquiryError),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A log or the ads of runs cannot be read.
    #[error(transparent)]
    Past(#[from] ReadError),
    /// Logs cannot be kept.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// What was named is of no use, or nothing is left to do; the text says what and why.
    #[error("{0}")]
    Failed(String),
}

impl<E> From<E> for RunError
where
    InquiryError: From<E>,
{
    fn from(error: E) -> Self {
        Self::Inquiry(error.into())
    }
}

impl RunError {
    /// With this message.
    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }

    /// Whether standard output could not be written, and why.
    pub(super) const fn of_output(&self) -> Option<&io::Error> {
        if let Self::Inquiry(InquiryError::Write(error)) = self { Some(error) } else { None }
    }
}
