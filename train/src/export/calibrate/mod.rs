//! `holdadvise-train calibrate`: a model's calibration fitted anew to outcomes of one's own access
//! point. docs/training/model.md says how.
//!
//! Nothing here needs libtorch: the network stays as it is, only slope and intercept of its
//! calibration change.
//!
//! - `outcomes`: a calibration by outcomes, after it has shown that it is no worse.

mod outcomes;

pub use outcomes::{CheckOptions, recalibrate};

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use holdadvise::home::Recalibrated;
use holdadvise::model::{Model, ModelError};

use crate::Error;
use crate::data::dataset::Dataset;
use crate::data::input::InputOptions;
use crate::data::tensors;
use crate::export;
use crate::output::{self, FileError, Output};
use crate::say::say;

/// Fit the calibration of a model to outcomes of one's own access point
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("logs", |logs| logs.required(true)))]
pub struct CalibrateOptions {
    /// The model.
    pub model: PathBuf,
    /// In the place of logs one dataset may stand, as
    /// `holdadvise-train tensors --releases-only --real` writes it.
    #[command(flatten)]
    pub input: InputOptions,
    /// Model file to write.
    #[arg(short, long)]
    pub output: PathBuf,
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
}

/// Why there is no new calibration.
const WORSE: &str = "on the newer outcomes the new calibration is worse than the one before, which is kept. Nothing was written; --force \
                     writes it";

/// Runs `calibrate`.
///
/// # Errors
/// When a file cannot be read or written, outcomes are too few, or the new calibration is worse.
pub fn run(options: &CalibrateOptions) -> Result<(), Error> {
    let output = Output::new(&options.output, options.replace);
    output.check()?;
    let archive = output::read(&options.model)?;
    let model = Model::from_bytes(&archive).map_err(|source| ModelError::InFile {
        path: options.model.clone(),
        source: Box::new(source),
    })?;
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
    output.write(&completed)?;
    say(format_args!("{}: {} bytes\n", options.output.display(), completed.len()));
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
