//! `holdadvise-train train`: fits a model, measures it on the parts that it was not fitted to, and
//! completes its archive.

use std::path::PathBuf;
use std::process::ExitCode;

use holdadvise::model::Model;

use super::sheet;
use crate::data::dataset::Dataset;
use crate::engine::EngineKind;
use crate::evaluation::evaluate::{self, Report, predict};
use crate::output::Output;
use crate::say::say;
use crate::split::parts::Parts;
use crate::split::{Cuts, Split};
use crate::training::beginning::Beginning;
use crate::training::fitting::{
    Clock, Ended, FitOptions, Fitted, Judged, RungOptions, Task, TrainError, calibrate, describe,
    fit, interrupt,
};
use crate::training::trial::RungResult;

/// Exit status of a training that was interrupted, as shells have it for SIGINT.
const INTERRUPTED: u8 = 130;

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
    /// The parts file, as `holdadvise-train split` writes it; without one the dataset is cut in
    /// time.
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
    output.check().map_err(TrainError::Write)?;
    rung.check_files()?;
    interrupt::expect(rung.checkpoint.clone());
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
    let Some(Trained { result, model }) = train_piece(&dataset, split, &fit, rung, clock)? else {
        let status = if interrupt::came() { INTERRUPTED } else { rung.checkpoint_exit_code };
        return Ok(ExitCode::from(status));
    };
    match model {
        Some((archive, report)) => {
            output.write(&archive).map_err(TrainError::Write)?;
            if !rung.no_test {
                say(format_args!("{report}"));
            }
            say(format_args!("{}: {} bytes\n", output.path().display(), archive.len()));
        }
        None if rung.result.is_some() => eprintln!("the loss is not a number: the trial loses"),
        None => return Err(diverged(&fit)),
    }
    rung.tell(&result)?;
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
    let trained = train_piece(dataset, cut(dataset, options)?, options, &rung, rung.clock())?;
    trained.and_then(|trained| trained.model).ok_or_else(|| diverged(options))
}

/// How a training ended that is not to be gone on with.
struct Trained {
    result: RungResult,
    /// The finished archive and its figures on the test part; `None` where the loss was no number.
    model: Option<(Vec<u8>, Report)>,
}

/// `None` where it was cut off by its clock.
fn train_piece(
    dataset: &Dataset,
    mut split: Split,
    options: &FitOptions,
    rung: &RungOptions,
    clock: Clock,
) -> Result<Option<Trained>, TrainError> {
    let selection = &options.selection;
    let blank = selection.blank(&dataset.info.schema).map_err(TrainError::Refused)?;
    selection.select(dataset, &mut split);
    if options.companion_weight == 0.0 {
        split.train.retain(|&row| !dataset.is_companion(row));
    }
    options.check(dataset, &split)?;
    let beginning = options.from.as_deref().map(Beginning::read).transpose()?;
    if let Some(beginning) = &beginning {
        beginning.check_schema(&dataset.info.schema).map_err(TrainError::Refused)?;
        let FitOptions { embedding, hidden, layers, units, joint, .. } = *options;
        let sizes = [embedding, hidden, layers, units, joint];
        beginning.check_sizes(sizes).map_err(TrainError::Refused)?;
    }
    let beginning = beginning.as_ref();
    let targets = selection.targets(dataset, &split, options.seed);
    // Rows are shared out where the network allows it, single operations elsewhere.
    let of_operations = if options.architecture.is_some() { options.processors() } else { 1 };
    tch::set_num_threads(of_operations as i32);
    let (split, blank, targets) = (&split, &blank, targets.as_slice());
    let task = Task { dataset, split, options, rung, blank, targets, beginning };
    let fitted = match fit(&task, clock)? {
        Ended::Paused => return Ok(None),
        Ended::Diverged(progress) => {
            let result = rung.result_of(&progress, true, None, "cpu");
            return Ok(Some(Trained { result, model: None }));
        }
        Ended::Done(fitted) => fitted,
    };
    let (archive, report, model) = complete(&task, &fitted)?;
    let judged = judge(&task, &fitted, &model)?;
    let device = if fitted.device.is_cuda() { "cuda" } else { "cpu" };
    let stopped_early = fitted.progress.has_stopped(options.patience);
    let result = rung.result_of(&fitted.progress, stopped_early, Some((judged, &fitted)), device);
    Ok(Some(Trained { result, model: Some((archive, report)) }))
}

/// What the validation part says of a fitted model.
fn judge(task: &Task<'_>, fitted: &Fitted, model: &Model) -> Result<Judged, TrainError> {
    let Task { dataset, split, rung, .. } = *task;
    let rows = &split.validation;
    let probability = predict(model, dataset, rows)?;
    let outcomes = dataset.outcomes(rows);
    // Only a sweep compares.
    let groups = rung.result.is_some();
    Ok(Judged::of(&outcomes, &probability, fitted.validation_loss, groups))
}

/// The archive with all that is said of it.
fn complete(task: &Task<'_>, fitted: &Fitted) -> Result<(Vec<u8>, Report, Model), TrainError> {
    let Task { dataset, split, options, blank, targets, .. } = *task;
    let engine =
        if options.architecture.is_some() { EngineKind::Torch } else { EngineKind::Builtin };
    let mut metadata = describe(dataset, split, options, fitted);
    let raw = &fitted.archive;
    let open = |metadata| -> Result<Model, TrainError> {
        Ok(engine.read(&super::complete(raw, metadata)?)?)
    };
    let model = open(metadata.clone())?;
    let weight = &fitted.validation_weights;
    metadata.calibration = calibrate(dataset, &split.validation, &model, blank, targets, weight)?;
    let model = open(metadata.clone())?;
    let report = evaluate::report(dataset, split, &model, options.draws, options.seed)?;
    let training = sheet::Training {
        dataset,
        split,
        selection: &options.selection,
        codes: &model.metadata.codes,
        report: &report,
        seed: options.seed,
    };
    Ok((super::measured(raw, metadata, &training)?, report, model))
}
