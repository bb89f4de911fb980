//! A training in pieces: until an epoch, from checkpoint to checkpoint, with metrics and a result for those who compare.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use holdadvise::model::Model;
use serde::Serialize;

use super::checkpoint::Progress;
use super::error::{TrainError, unwritten};
use super::fit::{Fitted, Task};
use super::journal::{Journal, Label};
use super::options::FitOptions;
use crate::evaluation::evaluate::predict;
use crate::evaluation::metrics::{Outcomes, Scored};
use crate::output::{self, Output};
use crate::training::trial::{Parameters, RungResult};

/// A training as a part of a sweep, or one that can be interrupted.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "In pieces")]
pub struct RungOptions {
    /// Options of this training as JSON, as a sweep keeps them: they win over those given.
    #[arg(long, value_name = "FILE")]
    pub parameters: Option<PathBuf>,
    /// The trial, named in metrics and result.
    #[arg(long, value_name = "N")]
    pub trial: Option<usize>,
    /// The rung, named in metrics and result.
    #[arg(long, value_name = "N")]
    pub rung: Option<usize>,
    /// Stop after this epoch, of the `--epochs` over which the step size falls.
    #[arg(long, value_name = "EPOCH")]
    pub until_epoch: Option<usize>,
    /// Keep all that a training goes on from in this file; go on from it if it is there.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// After so many seconds write the checkpoint and end with the exit status of `--checkpoint-exit-code`.
    #[arg(long, value_name = "SECONDS", requires = "checkpoint")]
    pub checkpoint_seconds: Option<u64>,
    /// Exit status of a training that ended to be gone on with: `checkpoint_exit_code` of its submit description.
    #[arg(long, value_name = "STATUS", default_value_t = 85)]
    pub checkpoint_exit_code: u8,
    /// Write a JSON line an epoch to this file, and one at the end.
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// Write the figures on the validation part as JSON to this file.
    #[arg(long, value_name = "FILE")]
    pub result: Option<PathBuf>,
    /// Leave the test part alone: for trainings of which one is chosen.
    #[arg(long)]
    pub no_test: bool,
}

impl RungOptions {
    /// Reads `--parameters` into the options of the training.
    pub(super) fn set_parameters(&self, options: &mut FitOptions) -> Result<(), TrainError> {
        let Some(path) = &self.parameters else { return Ok(()) };
        let text = output::read(path)?;
        let read: Parameters = serde_json::from_slice(&text).map_err(|error| {
            TrainError::Refused(format!(
                "{}: {error}; expected {{\"trial\": N, \"parameters\": {{...}}}}",
                path.display()
            ))
        })?;
        options.set_all(&read.parameters)
    }

    /// Looks before the work whether the files of a training in pieces can be written. They are of this training: it goes on
    /// from them, and replaces them.
    pub(super) fn check_files(&self) -> Result<(), TrainError> {
        for path in [&self.checkpoint, &self.metrics].into_iter().flatten() {
            Output::from(path).check_kept().map_err(unwritten)?;
        }
        match &self.result {
            Some(path) => Output::from(path).check().map_err(unwritten),
            None => Ok(()),
        }
    }

    /// Writes the last line of the metrics and the result, where they are asked for.
    pub(super) fn tell(&self, summary: &Summary) -> Result<(), TrainError> {
        let Summary { progress, stopped_early, metrics, device } = summary;
        let peak_memory_mb = peak_memory_mb();
        if let Some(path) = &self.metrics {
            Journal::open(path, self.label(), progress.epoch)?.add(&LastLine {
                epoch: progress.epoch,
                metrics: metrics
                    .iter()
                    .map(|(name, &value)| (format!("model_{name}"), value))
                    .collect(),
                rung_seconds: progress.seconds,
                peak_memory_mb,
            })?;
        }
        let Some(path) = &self.result else { return Ok(()) };
        let result = RungResult {
            trial: self.trial.unwrap_or_default(),
            rung: self.rung.unwrap_or_default(),
            epoch: progress.epoch,
            best_epoch: progress.best.map_or(0, |best| best.epoch),
            stopped_early: *stopped_early,
            diverged: metrics.is_empty(),
            metrics: metrics.clone(),
            seconds: progress.seconds,
            sequences_per_second: progress.sequences as f64 / progress.seconds.max(1e-9),
            peak_memory_mb,
            device: (*device).to_owned(),
        };
        let json = serde_json::to_vec_pretty(&result)
            .map_err(|error| TrainError::Refused(format!("the result is not JSON: {error}")))?;
        Output::from(path).write(&json).map_err(unwritten)
    }

    pub(super) fn label(&self) -> Label {
        Label { trial: self.trial, rung: self.rung }
    }

    /// The epoch after which to stop.
    pub(super) fn until(&self, options: &FitOptions) -> usize {
        self.until_epoch.unwrap_or(options.epochs).min(options.epochs)
    }

    /// When the process is to end with a checkpoint.
    pub(super) fn clock(&self) -> Clock {
        let seconds = self.checkpoint_seconds.map(Duration::from_secs);
        Clock { start: Instant::now(), length: seconds }
    }
}

/// How long this process may train.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    start: Instant,
    length: Option<Duration>,
}

impl Clock {
    pub(super) fn is_up(&self) -> bool {
        self.length.is_some_and(|length| self.start.elapsed() >= length)
    }
}

/// What a piece of a training says of itself when it is done.
#[derive(Clone, Debug)]
pub(super) struct Summary {
    progress: Progress,
    stopped_early: bool,
    metrics: BTreeMap<String, f64>,
    device: &'static str,
}

/// The last line of the metrics. Its figures are those of the finished model, not of the epoch, and have names of their own.
#[derive(Serialize)]
struct LastLine {
    epoch: usize,
    #[serde(flatten)]
    metrics: BTreeMap<String, f64>,
    rung_seconds: f64,
    peak_memory_mb: u64,
}

impl Summary {
    /// The figures of a fitted model on the validation part.
    pub(super) fn new(task: &Task<'_>, fitted: &Fitted, model: &Model) -> Result<Self, TrainError> {
        let Task { dataset, split, options, .. } = *task;
        let rows = &split.validation;
        let probability = predict(model, dataset, rows)?;
        let outcomes = Outcomes::of(dataset, rows);
        let f_measure = f_measure(&outcomes.target, &outcomes.weight, &probability);
        let figures = Scored::new(&outcomes, &probability, 0.5).figures();
        let named = [
            ("validation_loss", fitted.validation_loss),
            ("validation_auroc", figures.auroc),
            ("validation_brier", figures.brier),
            ("validation_f_measure", f_measure),
        ];
        // JSON has no NaN.
        let metrics = named.into_iter().filter(|(_, value)| value.is_finite());
        Ok(Self {
            stopped_early: fitted.progress.has_stopped(options.patience),
            progress: fitted.progress.clone(),
            metrics: metrics.map(|(name, value)| (name.to_owned(), value)).collect(),
            device: if fitted.device.is_cuda() { "cuda" } else { "cpu" },
        })
    }

    /// Nothing came of it.
    pub(super) fn diverged(progress: Progress) -> Self {
        Self { progress, stopped_early: true, metrics: BTreeMap::new(), device: "cpu" }
    }
}

/// Harmonic mean of precision and recall of "released with success" at probability 0.5 (van Rijsbergen 1979); NaN where
/// nothing succeeded and nothing was expected to.
fn f_measure(target: &[f64], weight: &[f64], probability: &[f64]) -> f64 {
    let [mut both, mut wrong] = [0.0; 2];
    for ((target, weight), probability) in target.iter().zip(weight).zip(probability) {
        let expected = if *probability >= 0.5 { 1.0 } else { 0.0 };
        both += weight * target * expected;
        wrong += weight * (target * (1.0 - expected) + (1.0 - target) * expected);
    }
    2.0 * both / (2.0 * both + wrong)
}

/// Most memory this process had, MB; 0 where the system does not tell.
pub(super) fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes / 1024)
}
