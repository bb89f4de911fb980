//! What a model says of the rows of a dataset, as the file of predictions that `evaluate` and the
//! baselines read.

use std::path::{Path, PathBuf};

use holdadvise::model::Model;
use safetensors::Dtype;
use serde_json::json;

use crate::Error;
use crate::data::dataset::Dataset;
use crate::data::metadata;
use crate::evaluation::evaluate::predict;
use crate::output::{self, Output, digest};
use crate::say::say;
use crate::split::parts::Parts;

/// Write what a model says of the rows of a dataset
#[derive(Clone, Debug, clap::Args)]
pub struct PredictOptions {
    /// The dataset, as `holdadvise-train tensors` writes it.
    dataset: PathBuf,
    /// The model.
    model: PathBuf,
    /// The parts file: only rows of its validation and test parts are asked about.
    #[arg(long, value_name = "PARTS")]
    parts: Option<PathBuf>,
    /// File to write: tensors `row` i64 and `probability` f32.
    #[arg(short, long)]
    output: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
}

/// Runs `predict`.
///
/// # Errors
/// When a file cannot be read or written, or they do not belong together.
pub fn run(options: &PredictOptions) -> Result<(), Error> {
    let output = Output::new(&options.output, options.replace);
    output.check()?;
    let dataset = Dataset::read(&options.dataset)?;
    let rows: Vec<usize> = match &options.parts {
        None => (0..dataset.len()).collect(),
        Some(path) => {
            let split = Parts::read_split(path, &dataset)?.1;
            let mut rows = [split.validation, split.test].concat();
            rows.sort_unstable();
            rows
        }
    };
    let bytes = output::read(&options.model)?;
    let model = Model::from_bytes(&bytes)?;
    model.check_schema(&dataset.info.schema.hash)?;
    let probability = predict(&model, &dataset, &rows)?;
    let about = json!({ "model": name(&options.model), "sha256": digest(&bytes) });
    let file = serialize(&rows, &probability, about.to_string())
        .map_err(|error| format!("predictions: {error}"))?;
    output.write(&file)?;
    say(format_args!("{}: {} rows\n", options.output.display(), rows.len()));
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn serialize(rows: &[usize], probability: &[f64], about: String) -> Result<Vec<u8>, String> {
    let numbers: Vec<u8> = rows.iter().flat_map(|&row| (row as i64).to_le_bytes()).collect();
    let said: Vec<u8> = probability.iter().flat_map(|&p| (p as f32).to_le_bytes()).collect();
    let tensors = [("row", Dtype::I64, &*numbers), ("probability", Dtype::F32, &*said)];
    metadata::file(&tensors, about)
}
