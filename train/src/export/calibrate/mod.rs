//! `holdadvise-train calibrate`: a model's calibration fitted anew to outcomes of one's own access
//! point, and the curve that says how many of them it takes. docs/training/model.md says how.
//!
//! Nothing here needs libtorch: the network stays as it is, only slope and intercept of its
//! calibration change.
//!
//! - `curve`: the error that is left, over the number of outcomes.
//! - `later`: a calibration by first outcomes, measured on later ones.
//! - `outcomes`: a calibration by outcomes, after it has shown that it is no worse.

mod curve;
mod later;
mod outcomes;

pub use curve::{SIZES, curve};
pub use outcomes::{CheckOptions, recalibrate};

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use holdadvise::home::Recalibrated;
use holdadvise::model::{Apart, Model, ModelError};

use crate::Error;
use crate::data::dataset::Dataset;
use crate::data::input::InputOptions;
use crate::data::tensors;
use crate::export;
use crate::output::{self, FileError, Output};
use crate::say::say;
use crate::split::parts::Parts;

/// Fit the calibration of a model to outcomes of one's own access point; with `--curve`, how good
/// that is by their number.
#[derive(Clone, Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("from").required(true).args(["logs", "curve", "later"]))]
pub struct CalibrateOptions {
    /// The model.
    pub model: PathBuf,
    /// In the place of logs one dataset may stand, as
    /// `holdadvise-train tensors --releases-only --real` writes it.
    #[command(flatten)]
    pub input: InputOptions,
    /// Model file to write.
    #[arg(short, long, required_unless_present_any = ["curve", "later"], conflicts_with_all = ["curve", "later"])]
    pub output: Option<PathBuf>,
    /// Replace a file that is there already.
    #[arg(long)]
    pub replace: bool,
    /// Name of the access point that the logs are from; of a dataset by default the one it was made
    /// with.
    #[arg(long, value_name = "NAME")]
    pub access_point: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub check: CheckOptions,
    /// Write the new calibration although it is worse on the newer outcomes than the one before.
    #[arg(long)]
    pub force: bool,
    /// Fit to random draws of the outcomes in this dataset, few and many, and print the calibration
    /// error on the others.
    #[arg(long, value_name = "DATASET")]
    pub curve: Option<PathBuf>,
    /// Fit to the first outcomes in each of these datasets, few and many, and print the log loss on
    /// all later ones. One access point a dataset; repeatable.
    #[arg(long, value_name = "DATASET", conflicts_with = "curve")]
    pub later: Vec<PathBuf>,
    /// With --later: standard deviations of the priors of slope and intercept.
    #[arg(long, value_names = ["SLOPE", "INTERCEPT"], num_args = 2, requires = "later")]
    pub apart: Vec<f64>,
    /// For the curve: only outcomes in the test part of this parts file.
    #[arg(long, value_name = "PARTS", requires = "curve")]
    pub parts: Option<PathBuf>,
    /// For the curve: write the table to this file too, as `evaluate --table` takes it.
    #[arg(long, value_name = "FILE", requires = "curve")]
    pub json: Option<PathBuf>,
    /// For the curve: draws for each number of outcomes.
    #[arg(long, value_name = "DRAWS", default_value_t = 20)]
    pub repetitions: usize,
}

/// Why there is no new calibration.
const WORSE: &str = "on the newer outcomes the new calibration is worse than the one before, which is kept. Nothing was written; --force \
                     writes it";

/// Runs `calibrate`.
///
/// # Errors
/// When a file cannot be read or written, outcomes are too few, or the new calibration is worse.
pub fn run(options: &CalibrateOptions) -> Result<(), Error> {
    for path in options.output.iter().chain(&options.json) {
        Output::new(path, options.replace).check()?;
    }
    let archive = output::read(&options.model)?;
    let model = Model::from_bytes(&archive).map_err(|source| ModelError::InFile {
        path: options.model.clone(),
        source: Box::new(source),
    })?;
    if let Some(path) = &options.curve {
        return run_curve(options, &model, path);
    }
    if !options.later.is_empty() {
        let apart = match *options.apart.as_slice() {
            [slope, intercept] if slope > 0.0 && intercept > 0.0 => Apart { slope, intercept },
            [] => Apart::default(),
            _ => return Err("--apart: expected two numbers above 0".into()),
        };
        say(format_args!("{}", later::later(&model, &options.later, apart, &options.check)?));
        return Ok(());
    }
    let dataset = read(options, &model)?;
    let name = options.access_point.as_deref().unwrap_or(&dataset.info.origin);
    let Recalibrated { calibration, mut recalibration } =
        recalibrate(&dataset, &model, name, &options.check)?;
    say(format_args!("{}", outcomes::text(&recalibration, calibration)));
    if recalibration.check.is_worse() {
        if !options.force {
            return Err(WORSE.into());
        }
        recalibration.forced = true;
    }
    let mut metadata = model.metadata.clone();
    metadata.calibration = calibration;
    metadata.recalibration = Some(recalibration);
    let completed = export::complete(&archive, metadata)?;
    if let Some(path) = &options.output {
        Output::new(path, options.replace).write(&completed)?;
        say(format_args!("{}: {} bytes\n", path.display(), completed.len()));
    }
    Ok(())
}

fn run_curve(options: &CalibrateOptions, model: &Model, path: &Path) -> Result<(), Error> {
    let dataset = Dataset::read(path)?;
    model.check_schema(&dataset.info.schema.hash)?;
    let rows = match &options.parts {
        Some(parts) => Parts::read_split(parts, &dataset)?.1.test,
        None => (0..dataset.len()).collect(),
    };
    let table = curve(&dataset, model, &rows, options.repetitions, options.check.seed)?;
    say(format_args!("{}", curve::text(&table)));
    if let Some(path) = &options.json {
        Output::new(path, options.replace).write(&serde_json::to_vec_pretty(&table)?)?;
    }
    Ok(())
}

/// The outcomes, out of a dataset or out of logs.
fn read(options: &CalibrateOptions, model: &Model) -> Result<Dataset, Error> {
    let input = &options.input;
    if let [path] = input.logs.as_slice()
        && !path.is_dir()
        && is_safetensors(path).map_err(FileError::of(path))?
    {
        let dataset = Dataset::read(path)?;
        model.check_schema(&dataset.info.schema.hash)?;
        if !dataset.info.real {
            return Err(format!(
                "{}: its rows are not marked as real outcomes of an access point; make it again with \
                 `holdadvise-train tensors --real --origin NAME`",
                path.display()
            )
            .into());
        }
        return Ok(dataset);
    }
    let Some(name) = &options.access_point else {
        let text =
            "--access-point NAME is needed: the name of the access point that the logs are from";
        return Err(text.into());
    };
    tensors::of_logs(input, &model.metadata.schema, name)
}

/// A safetensors file begins with the length of its header, which is JSON; no event log has a `{`
/// there.
fn is_safetensors(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(9).read_to_end(&mut start)?;
    Ok(start.len() == 9 && start[8] == b'{' && start[4..8] == [0; 4])
}
