//! What can be wrong with a model file or a batch.

use std::path::PathBuf;

use crate::features::SchemaError;
use crate::text::shown;

/// An error of this module. The message says what was expected and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file could not be read.
    #[error("cannot read model file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something is wrong with what the file holds.
    #[error("model file {}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<ModelError>,
    },
    /// Not a zip archive, or a damaged one.
    #[error(
        "not a readable TorchScript archive ({0}); it may be cut short or damaged: copy it again"
    )]
    Archive(String),
    /// An entry of the archive is not there.
    #[error(
        "the archive has no entry {name}; a model is written by `holdadvise-train train` or `holdadvise-train export`"
    )]
    MissingEntry {
        /// Name of the entry, without the archive's top folder.
        name: String,
    },
    /// Larger than this reader accepts.
    #[error("{what} has {size} bytes, the limit is {limit}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// Its size in bytes, where more than the limit was seen: the size seen so far.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// `extra/holdadvise.json` cannot be used.
    #[error("extra/holdadvise.json: {0}")]
    Metadata(String),
    /// The model was trained on other features than this program computes.
    #[error(
        "the model was trained on feature schema {found}, this program computes {expected}; retrain it or use the version of holdadvise it was made for"
    )]
    Schema {
        /// Hash in the archive.
        found: String,
        /// Hash the caller expects.
        expected: String,
    },
    /// This program cannot make the samples that the model was trained on.
    #[error("the model's {0}; retrain it or use the version of holdadvise it was made for")]
    Samples(#[from] SchemaError),
    /// A tensor of the archive cannot be used.
    #[error("tensor {name}: {detail}")]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// What is wrong.
        detail: String,
    },
    /// A batch does not fit the model.
    #[error("batch: {0}")]
    Batch(String),
    /// The module is not of the shipped architecture.
    #[error(
        "not the shipped architecture ({0}); `holdadvise-train evaluate --engine torch` runs others"
    )]
    Architecture(String),
    /// Another engine than the built-in one failed; what it is and said.
    #[error("{0}")]
    Engine(String),
}

/// What is wrong with a tensor.
pub(super) fn tensor_error(name: &str, detail: impl Into<String>) -> ModelError {
    ModelError::Tensor { name: name.to_owned(), detail: detail.into() }
}

/// Text out of a model file made fit for a message: no control characters, bounded length.
pub(super) fn printable(text: &str) -> String {
    shown(text, 300)
}
