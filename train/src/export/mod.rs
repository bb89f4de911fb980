//! Completes a TorchScript archive: adds `extra/holdadvise.json`, which lets the advisor read the
//! weights without libtorch, and checks that it does.
//!
//! - [`calibrate`]: fits a finished model to outcomes of an access point.
//! - [`pickle`]: names, storages and shapes of the tensors.
//! - [`sheet`]: the info sheet.
//! - `train`: the whole way of one model: fitted, measured, completed.

pub mod calibrate;
pub mod pickle;
pub mod sheet;
#[cfg(feature = "torch")]
pub mod train;

use std::io::{self, Cursor, Read, Write};
use std::path::PathBuf;

use holdadvise::model::{
    Archive, Contract, MAX_ARCHIVE_BYTES, METADATA_ENTRY, Model, ModelMetadata, TensorEntry,
};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::Error;
use crate::output::{Output, read};
use crate::say::say;

/// PyTorch places tensors at multiples of this, so that they can be mapped.
const ALIGNMENT: u16 = 64;

/// Attach metadata to a TorchScript module that keeps the contract.
#[derive(Clone, Debug, clap::Args)]
pub struct ExportOptions {
    /// The module, as `torch.jit.save` or `holdadvise-train train` wrote it.
    module: PathBuf,
    /// JSON to attach: that of a model, with `tensors` left out or empty.
    #[arg(long)]
    metadata: PathBuf,
    /// File to write.
    #[arg(short, long)]
    output: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
}

/// Runs `export`.
///
/// # Errors
/// When a file cannot be read or written, or the module does not match its metadata.
pub fn run(options: &ExportOptions) -> Result<(), Error> {
    let output = Output::new(&options.output, options.replace);
    output.check()?;
    let metadata = ModelMetadata::from_json(&read(&options.metadata)?)?;
    let completed = complete(&read(&options.module)?, metadata)?;
    output.write(&completed)?;
    say(format_args!("{}: {} bytes\n", options.output.display(), completed.len()));
    Ok(())
}

/// The archive with figures of the test part and the sheet that tells of them.
///
/// # Errors
/// As [`complete`].
pub fn measured(
    archive: &[u8],
    mut metadata: ModelMetadata,
    training: &sheet::Training<'_>,
) -> Result<Vec<u8>, Error> {
    metadata.metrics = serde_json::json!(training.report);
    metadata.sheet = Some(sheet::sheet(training));
    complete(archive, metadata)
}

/// The archive with `metadata` in it. For a module with the contract of the shipped architecture
/// the table of tensors is read off its pickle; where it has the shipped parameters, engine
/// `builtin` is opened on the result.
///
/// # Errors
/// When the archive is damaged, or the parameters do not fit the metadata.
pub fn complete(archive: &[u8], mut metadata: ModelMetadata) -> Result<Vec<u8>, Error> {
    metadata.tensors = match metadata.contract {
        Contract::StatesStatics => table(archive)?,
        Contract::OneHot => Vec::new(),
    };
    metadata.check()?;
    let shipped = metadata.tensors.iter().any(|tensor| tensor.name == "lstm_recurrent_weight");
    let completed = rewrite(archive, &metadata)?;
    if shipped {
        Model::from_bytes(&completed)?;
    }
    Ok(completed)
}

/// Names, files and shapes of the float tensors of a module.
fn table(archive: &[u8]) -> Result<Vec<TensorEntry>, Error> {
    let mut archive = Archive::new(archive)?;
    let pickle = archive.entry("data.pkl", 1 << 20)?;
    let tensors = pickle::tensors(&pickle).map_err(unwritten)?;
    let plain = |tensor: &pickle::PickledTensor| {
        tensor.storage == "FloatStorage" && tensor.offset == 0 && tensor.is_contiguous()
    };
    let mut entries = Vec::new();
    for tensor in tensors.into_iter().filter(plain) {
        let file = format!("data/{}", tensor.key);
        let entry = TensorEntry { name: tensor.name, file, shape: tensor.shape };
        archive.tensor(&entry)?;
        entries.push(entry);
    }
    Ok(entries)
}

fn unwritten(detail: impl std::fmt::Display) -> String {
    format!("the archive could not be rewritten: {detail}")
}

/// Copies all entries but debug information and adds the metadata. Times are left at zero: the
/// same weights give the same bytes.
fn rewrite(archive: &[u8], metadata: &ModelMetadata) -> Result<Vec<u8>, Error> {
    let root = Archive::new(archive)?.root().to_owned();
    let extra = format!("{root}/{METADATA_ENTRY}");
    let json = serde_json::to_vec(metadata).map_err(unwritten)?;
    let stored = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .with_alignment(ALIGNMENT);

    let mut source = ZipArchive::new(Cursor::new(archive)).map_err(unwritten)?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut left = MAX_ARCHIVE_BYTES;
    for at in 0..source.len() {
        let entry = source.by_index(at).map_err(unwritten)?;
        let name = entry.name().map_err(unwritten)?.into_owned();
        if name == extra || name.ends_with(".debug_pkl") {
            continue;
        }
        writer.start_file(name.as_str(), stored).map_err(unwritten)?;
        let copied = io::copy(&mut entry.take(left + 1), &mut writer).map_err(unwritten)?;
        left = left.checked_sub(copied).ok_or_else(|| {
            unwritten(format!("its entries have more than {MAX_ARCHIVE_BYTES} bytes together"))
        })?;
    }
    writer.start_file(extra.as_str(), stored).map_err(unwritten)?;
    writer.write_all(&json).map_err(unwritten)?;
    Ok(writer.finish().map_err(unwritten)?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::TEMPLATE;
    use holdadvise::model::{Dimensions, FeatureSchema, METADATA_FORMAT, TrainingSummary};

    /// Metadata that fits the template as it is: one state, frame, slot and static.
    fn metadata() -> ModelMetadata {
        let schema = FeatureSchema {
            hash: "x".to_owned(),
            states: vec!["a".to_owned()],
            statics: vec!["b".to_owned()],
            frame_edges: vec![0, 1],
            slots: 1,
            sources: Vec::new(),
        };
        ModelMetadata {
            format: METADATA_FORMAT,
            contract: Contract::default(),
            output: holdadvise::model::Output::default(),
            dimensions: Dimensions::of(&schema),
            schema,
            tensors: Vec::new(),
            calibration: holdadvise::model::Calibration::default(),
            thresholds: holdadvise::model::Thresholds::default(),
            training: TrainingSummary::default(),
            metrics: serde_json::Value::Null,
            codes: Vec::new(),
            actions: Vec::new(),
            recalibration: None,
            sheet: None,
        }
    }

    #[test]
    fn a_completed_archive_opens_and_completing_it_again_changes_nothing() {
        let completed = complete(TEMPLATE, metadata()).unwrap();
        let model = Model::from_bytes(&completed).unwrap();
        assert_eq!(model.metadata.tensors.len(), 25);
        assert_eq!(model.metadata.tensors[3].file, "data/3");
        assert_eq!(complete(&completed, metadata()).unwrap(), completed);
        let names: Vec<String> = ZipArchive::new(Cursor::new(&completed))
            .unwrap()
            .file_names()
            .map(|name| name.unwrap().into_owned())
            .collect();
        assert!(names.iter().any(|name| name == "hold_lstm/extra/holdadvise.json"), "{names:?}");
        assert!(!names.iter().any(|name| name.ends_with("debug_pkl")), "{names:?}");
    }

    #[test]
    fn metadata_of_other_sizes_is_refused() {
        let mut other = metadata();
        other.schema.slots = 2;
        other.dimensions.j = 2;
        let error = complete(TEMPLATE, other).unwrap_err().to_string();
        assert!(error.contains("tensor embedding: 1 rows, j * e is 2"), "{error}");
    }
}
