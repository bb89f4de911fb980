//! Fits the network (AdamW on weighted binary cross-entropy, early stop on validation loss) and the trees beside it, weighs the
//! two against each other, Platt calibration on the validation part, figures on the test part.
//!
//! `options` says how, `fit` does it on the `rows` of a dataset with a `network`, its `replicas`, their `gradient` and its `optimizer`, `stacking` weighs the trees,
//! `describe` writes down what came of it. A training can be done in pieces (`rung`): it goes on from a `checkpoint` as if it
//! had never stopped, and tells of itself in a `journal`.
//!
//! On the CPU the same dataset, options and seed give the same file, byte for byte, with the same
//! version of libtorch, the same `--threads` and the same kind of processor, in one piece or in many. On a GPU sums are
//! taken in varying order and the last digits differ.

mod checkpoint;
mod describe;
mod device;
mod embedding;
mod error;
mod fit;
mod gradient;
mod journal;
mod loss_weights;
pub mod network;
mod optimizer;
mod options;
mod replicas;
mod rows;
mod rung;
mod stacking;

pub use error::TrainError;
pub use options::{FitOptions, Place};
pub use rung::RungOptions;

use std::path::PathBuf;
use std::process::ExitCode;

use holdadvise::model::{Batch, Calibration, EngineKind, Model};

use crate::data::dataset::Dataset;
use crate::evaluation::evaluate::{self, Report};
use crate::export;
use crate::export::sheet;
use crate::output::Output;
use crate::say::say;
use crate::split::parts::Parts;
use crate::split::selection::Blank;
use crate::split::{Cuts, Split};
use crate::training::baselines::Baselines;
use crate::training::calibration::platt;
use describe::describe;
use error::unwritten;
use fit::{Ended, Fitted, Task, fit};
use rung::Summary;

/// Train a model on a dataset.
#[derive(Clone, Debug, clap::Args)]
pub struct TrainOptions {
    /// The dataset, as `holdadvise-train tensors` writes it.
    pub dataset: PathBuf,
    /// Model file to write.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    pub replace: bool,
    /// The parts file, as `holdadvise-train split` writes it; without one the dataset is cut in time.
    #[arg(long, value_name = "PARTS", conflicts_with_all = ["validation_fraction", "test_fraction", "horizon"])]
    pub parts: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub fit: FitOptions,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub rung: RungOptions,
}

/// Runs `train`. The exit status is that of a checkpoint where the training is to be gone on with.
///
/// # Errors
/// When the dataset cannot be read, does not suffice, or the model cannot be written.
pub fn run(options: &TrainOptions) -> Result<ExitCode, TrainError> {
    let TrainOptions { dataset, output, replace, parts, fit, rung } = options;
    let output = Output::new(output, *replace);
    output.check().map_err(unwritten)?;
    rung.check_files()?;
    let mut fit = fit.clone();
    rung.set_parameters(&mut fit)?;
    let clock = rung.clock();
    let dataset = Dataset::read(dataset)?;
    let mut split = match parts {
        None => cut(&dataset, &fit)?,
        Some(path) => Parts::read_split(path, &dataset)?.1,
    };
    if rung.no_test {
        split.test.clear();
    }
    let trained = train_piece(&dataset, split, &fit, rung, clock)?;
    match trained {
        Trained::Paused => return Ok(ExitCode::from(rung.checkpoint_exit_code)),
        Trained::Diverged(summary) if rung.result.is_some() => {
            eprintln!("the loss is not a number: the trial loses");
            rung.tell(&summary)?;
        }
        Trained::Diverged(_) => return Err(diverged(&fit)),
        Trained::Done { archive, report, summary } => {
            output.write(&archive).map_err(unwritten)?;
            if !rung.no_test {
                say(format_args!("{report}"));
            }
            say(format_args!("{}: {} bytes\n", output.path().display(), archive.len()));
            rung.tell(&summary)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn cut(dataset: &Dataset, options: &FitOptions) -> Result<Split, TrainError> {
    let cuts = Cuts::new(dataset, &options.split).map_err(TrainError::Refused)?;
    Ok(Split::new(dataset, cuts))
}

fn diverged(options: &FitOptions) -> TrainError {
    TrainError::Refused(format!(
        "the loss is not a number: lower --learning-rate {}",
        options.learning_rate
    ))
}

/// Cuts a dataset in time and trains on it: the finished archive, and its figures on the test part.
///
/// # Errors
/// When the options or the dataset do not do, or libtorch fails.
pub fn train(dataset: &Dataset, options: &FitOptions) -> Result<(Vec<u8>, Report), TrainError> {
    let rung = RungOptions::default();
    match train_piece(dataset, cut(dataset, options)?, options, &rung, rung.clock())? {
        Trained::Done { archive, report, .. } => Ok((archive, report)),
        Trained::Paused | Trained::Diverged(_) => Err(diverged(options)),
    }
}

/// How a training, or a piece of it, ended.
enum Trained {
    Paused,
    Diverged(Summary),
    Done { archive: Vec<u8>, report: Report, summary: Summary },
}

fn train_piece(
    dataset: &Dataset,
    mut split: Split,
    options: &FitOptions,
    rung: &RungOptions,
    clock: rung::Clock,
) -> Result<Trained, TrainError> {
    let selection = &options.selection;
    let blank = selection.blank(&dataset.info.schema).map_err(TrainError::Refused)?;
    selection.select(dataset, &mut split);
    options::check(dataset, &split, options)?;
    let targets = selection.targets(dataset, &split, options.seed);
    // Rows are shared out where the network allows it, single operations elsewhere.
    let of_operations = if options.architecture.is_some() { options.processors() } else { 1 };
    tch::set_num_threads(of_operations as i32);
    let task = Task { dataset, split: &split, options, rung, blank: &blank, targets: &targets };
    let fitted = match fit(&task, clock)? {
        Ended::Paused => return Ok(Trained::Paused),
        Ended::Diverged(progress) => return Ok(Trained::Diverged(Summary::diverged(progress))),
        Ended::Done(fitted) => fitted,
    };
    let (archive, report, model) = complete(&task, &fitted)?;
    let summary = Summary::new(&task, &fitted, &model)?;
    Ok(Trained::Done { archive, report, summary })
}

/// The archive with all that is said of it.
fn complete(task: &Task<'_>, fitted: &Fitted) -> Result<(Vec<u8>, Report, Model), TrainError> {
    let Task { dataset, split, options, blank, targets, .. } = *task;
    let engine =
        if options.architecture.is_some() { EngineKind::Torch } else { EngineKind::Builtin };
    let baselines = Baselines::fit(dataset, &split.train);
    let mut metadata = describe(dataset, split, options, fitted, &baselines);
    let raw = &fitted.archive;
    let open = |metadata| -> Result<Model, TrainError> {
        Ok(Model::from_bytes_with(&export::complete(raw, metadata)?, engine)?)
    };
    let model = open(metadata.clone())?;
    metadata.calibration = calibrate(dataset, &split.validation, &model, blank, targets)?;
    let model = open(metadata.clone())?;
    let report = evaluate::report(dataset, split, &model, options.draws, options.seed)?;
    metadata.metrics = serde_json::to_value(&report)
        .map_err(|error| TrainError::Refused(format!("figures are not JSON: {error}")))?;
    metadata.sheet = Some(sheet::sheet(&sheet::Training {
        dataset,
        split,
        selection: &options.selection,
        codes: &metadata.codes,
        report: &report,
        seed: options.seed,
    }));
    Ok((export::complete(raw, metadata)?, report, model))
}

fn calibrate(
    dataset: &Dataset,
    validation: &[usize],
    model: &Model,
    blank: &Blank,
    targets: &[f32],
) -> Result<Calibration, TrainError> {
    let (mut states, mut statics) = dataset.gather(validation);
    blank.apply(&mut states, &mut statics);
    let batch = Batch { states: &states, statics: &statics, n: validation.len() };
    let logits = model.engine.logits(&batch)?;
    let outcome: Vec<f32> = validation.iter().map(|&row| targets[row]).collect();
    let weight: Vec<f32> = validation.iter().map(|&row| dataset.weight[row]).collect();
    Ok(platt(&logits, &outcome, &weight))
}
