//! Why training failed.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use holdadvise::model::ModelError;
use tch::TchError;

use super::network::NetworkError;
use crate::data::dataset::DatasetError;
use crate::evaluation::evaluate::EvaluateError;
use crate::export::ExportError;
use crate::output::FileError;
use crate::split::parts::PartsError;

/// Why training failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The dataset.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// An option or the split does not do.
    #[error("{0}")]
    Options(String),
    /// The network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// libtorch.
    #[error("libtorch: {0}")]
    Torch(#[from] TchError),
    /// The archive.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The finished model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The parts file.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// The figures.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// The checkpoint cannot be gone on from.
    #[error("checkpoint {}: {detail}; remove the file to begin anew", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What was found and what was expected.
        detail: String,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// A file could not be written.
    #[error("{}: {source}{}", path.display(), advice(source))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            ": free some space there; in a node of a sweep ask for more with `resources: disk:`"
        }
        _ => "",
    }
}
