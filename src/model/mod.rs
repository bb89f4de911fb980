//! Tensor and statics become the probability of success for each action.
//!
//! A model is one TorchScript archive. Its module keeps the contract
//! `forward(states: int64 [B, m, j], statics: float32 [B, k]) -> float32 [B]` (logits), and
//! `extra/holdadvise.json` in it holds the [`ModelMetadata`]. [`BuiltinEngine`] reads the weights of
//! the shipped architecture. `holdadvise-train` can run any module that keeps the contract by
//! libtorch; on the shipped architecture they agree to 1e-5.
//!
//! - `archive`: opens the zip within limits.
//! - `batch`: samples for an engine, and what an engine is.
//! - `builtin`: the engine that needs no libtorch.
//! - `error`: what can be wrong with a model or a batch.
//! - `lanes`: arithmetic on several samples side by side.
//! - `lstm`: forward pass of the LSTM.
//! - `metadata`: `extra/holdadvise.json`.
//! - `platt`: slope and intercept that make a logit a probability.
//! - `recalibration`: a calibration from outcomes of one access point.
//! - `sheet`: the info sheet.
//! - `statics`: the layer over the statics.
//! - `testing`: archives made in memory, for tests.
//! - `trees`: the boosted trees.

mod archive;
mod batch;
mod builtin;
mod error;
mod lanes;
mod lstm;
mod metadata;
mod platt;
mod recalibration;
mod sheet;
mod statics;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trees;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

pub use crate::features::{FeatureSchema, StaticSource};
pub(crate) use archive::Tensors;
pub use archive::{
    Archive, MAX_ARCHIVE_BYTES, MAX_METADATA_BYTES, MAX_TENSOR_BYTES, MAX_TENSORS_BYTES,
    METADATA_ENTRY,
};
pub use batch::{Batch, Engine};
pub use builtin::BuiltinEngine;
pub use error::ModelError;
pub use metadata::{
    ActionStatistics, Calibration, CodeStatistics, Contract, Dimensions, LEAST_RELEASES,
    LEAST_ROWS, METADATA_FORMAT, ModelMetadata, Output, TensorEntry, Thresholds, TrainingSummary,
    limits, rows_of_action,
};
pub use platt::{Apart, cross_entropy, fit, fit_near, platt};
pub use recalibration::{
    FigureChange, Interval, LEAST_OUTCOMES, Recalibration, RecalibrationCheck,
};
pub use sheet::{ClosedLoop, Leakage, LeakageFound, Sheet, SheetFigure};
pub use trees::{Forest, Node, TREE_TENSORS};

/// The archive shipped with this program.
pub static DEFAULT_ARCHIVE: &[u8] = include_bytes!("../../models/default.pt");

/// A model ready to judge samples.
#[derive(Debug)]
pub struct Model {
    /// What the archive says of itself.
    pub metadata: ModelMetadata,
    /// What runs the network.
    pub engine: Box<dyn Engine>,
}

impl Model {
    /// Opens a model file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a model of the shipped architecture.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        Self::of_file(path, File::open(path))
    }

    /// Reads a model file that somebody has opened, or failed to.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn of_file(path: &Path, file: io::Result<File>) -> Result<Self, ModelError> {
        let mut bytes = Vec::new();
        file.and_then(|file| file.take(MAX_ARCHIVE_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|source| ModelError::Read { path: path.into(), source })?;
        Self::from_bytes(&bytes)
            .map_err(|source| ModelError::InFile { path: path.into(), source: Box::new(source) })
    }

    /// Opens an archive held in memory.
    ///
    /// # Errors
    /// When it is not a model of the shipped architecture.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut archive = Archive::new(bytes)?;
        let metadata = archive.metadata()?;
        let engine = Box::new(BuiltinEngine::new(&mut archive, &metadata)?);
        Ok(Self { metadata, engine })
    }

    /// The model shipped with this program.
    ///
    /// # Errors
    /// When the embedded archive is not a model: a defect of the build.
    pub fn builtin_default() -> Result<Self, ModelError> {
        let metadata = Archive::new(DEFAULT_ARCHIVE)?.metadata()?;
        let engine = ShippedEngine { metadata: metadata.clone(), read: OnceLock::new() };
        Ok(Self { metadata, engine: Box::new(engine) })
    }

    /// Checks that the model was trained on the features the caller computes.
    ///
    /// # Errors
    /// [`ModelError::Schema`] when the hashes differ.
    pub fn check_schema(&self, expected_hash: &str) -> Result<(), ModelError> {
        if self.metadata.schema.hash == expected_hash {
            return Ok(());
        }
        Err(ModelError::Schema {
            found: error::printable(&self.metadata.schema.hash),
            expected: expected_hash.to_owned(),
        })
    }

    /// The calibrated probability of success of each sample, 0 to 1.
    ///
    /// [`BuiltinEngine`] runs the LSTM once for all samples of equal states: those of one job that
    /// differ only in their statics (one for each action), and those of like jobs. Asking about
    /// many at once is cheaper than one by one.
    ///
    /// # Errors
    /// When the batch does not fit the model, or the engine fails.
    pub fn probabilities(&self, batch: &Batch<'_>) -> Result<Vec<f64>, ModelError> {
        let logits = self.engine.logits(batch)?;
        Ok(logits.into_iter().map(|l| self.metadata.calibration.probability(l)).collect())
    }
}

/// The engine of the archive shipped with this program, read when it is first asked.
#[derive(Debug)]
struct ShippedEngine {
    metadata: ModelMetadata,
    read: OnceLock<BuiltinEngine>,
}

impl Engine for ShippedEngine {
    fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
        let engine = || BuiltinEngine::new(&mut Archive::new(DEFAULT_ARCHIVE)?, &self.metadata);
        let read = || engine().unwrap_or_else(|error| unreachable!("the model shipped: {error}"));
        self.read.get_or_init(read).logits(batch)
    }
}
