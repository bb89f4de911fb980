//! What runs a model: the library, or libtorch.
//!
//! - `torch`: libtorch (cargo feature).

#[cfg(feature = "torch")]
mod torch;

#[cfg(feature = "torch")]
pub(crate) use torch::said;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

#[cfg(feature = "torch")]
use holdadvise::model::Archive;
use holdadvise::model::{MAX_ARCHIVE_BYTES, Model, ModelError};

/// What runs a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineKind {
    /// The shipped architecture in pure Rust.
    #[default]
    Builtin,
    /// libtorch: any module that keeps the contract. A module is code: use only files you trust.
    Torch,
}

impl EngineKind {
    /// Opens a model file.
    ///
    /// # Errors
    /// When the file cannot be read, is not a model, or the engine does not take it.
    pub fn open(self, path: &Path) -> Result<Model, ModelError> {
        let mut bytes = Vec::new();
        // One byte more tells that it is larger.
        File::open(path)
            .and_then(|file| file.take(MAX_ARCHIVE_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|source| ModelError::Read { path: path.into(), source })?;
        self.read(&bytes)
            .map_err(|source| ModelError::InFile { path: path.into(), source: Box::new(source) })
    }

    /// Opens an archive held in memory.
    ///
    /// # Errors
    /// When it is not a model, or the engine does not take it.
    pub fn read(self, bytes: &[u8]) -> Result<Model, ModelError> {
        match self {
            Self::Builtin => Model::from_bytes(bytes),
            #[cfg(feature = "torch")]
            Self::Torch => {
                let metadata = Archive::new(bytes)?.metadata()?;
                let engine = Box::new(torch::TorchEngine::new(bytes, &metadata)?);
                Ok(Model { metadata, engine })
            }
            #[cfg(not(feature = "torch"))]
            Self::Torch => Err(ModelError::Engine(
                "this program was built without libtorch (cargo feature `torch`)".to_owned(),
            )),
        }
    }
}
