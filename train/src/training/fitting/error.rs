//! Why training failed.

use std::io::ErrorKind;

use holdadvise::model::ModelError;
use tch::TchError;

use crate::Error;
use crate::engine::said;
use crate::output::FileError;

/// Why training failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// What was asked for does not do.
    #[error("{0}")]
    Refused(String),
    /// libtorch.
    #[error("{}", said(.0))]
    Torch(#[from] TchError),
    /// The finished model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// A file could not be written.
    #[error("{}", unwritten(.0))]
    Write(FileError),
    /// Any other room.
    #[error(transparent)]
    Other(#[from] Error),
}

fn unwritten(error: &FileError) -> String {
    let advice = match error.source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            ": free some space there; in a node of a sweep ask for more with `resources: disk:`"
        }
        _ => "",
    };
    format!("{error}{advice}")
}
