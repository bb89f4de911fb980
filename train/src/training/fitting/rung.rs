//! A training in pieces: until an epoch, from checkpoint to checkpoint, with metrics and a result
//! for those who compare.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::checkpoint::Progress;
use super::error::TrainError;
use super::fit::Fitted;
use super::journal::{Journal, Label};
use super::options::FitOptions;
use super::validation::Judged;
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
    /// After so many seconds write the checkpoint and end with the exit status of
    /// `--checkpoint-exit-code`.
    #[arg(long, value_name = "SECONDS", requires = "checkpoint")]
    pub checkpoint_seconds: Option<u64>,
    /// Exit status of a training that ended to be gone on with: `checkpoint_exit_code` of its
    /// submit description.
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
    pub(crate) fn set_parameters(&self, options: &mut FitOptions) -> Result<(), TrainError> {
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

    /// Looks before the work whether the files of a training in pieces can be written. They are of
    /// this training: it goes on from them, and replaces them.
    pub(crate) fn check_files(&self) -> Result<(), TrainError> {
        for path in [&self.checkpoint, &self.metrics].into_iter().flatten() {
            Output::from(path).check_kept().map_err(TrainError::Write)?;
        }
        match &self.result {
            Some(path) => Output::from(path).check().map_err(TrainError::Write),
            None => Ok(()),
        }
    }

    /// What a piece of a training says of itself when it is done; without figures where nothing
    /// came of it.
    pub(crate) fn result_of(
        &self,
        progress: &Progress,
        stopped_early: bool,
        done: Option<(Judged, &Fitted)>,
        device: &str,
    ) -> RungResult {
        let fitted = done.as_ref().map(|(_, fitted)| *fitted);
        let judged = done.map(|(judged, _)| judged).unwrap_or_default();
        let begun = fitted.and_then(|fitted| fitted.begun.as_ref());
        RungResult {
            trial: self.trial.unwrap_or_default(),
            rung: self.rung.unwrap_or_default(),
            epoch: progress.epoch,
            best_epoch: progress.best.map_or(0, |best| best.epoch),
            stopped_early,
            diverged: judged.metrics.is_empty(),
            metrics: judged.metrics,
            validation_rows: judged.rows,
            validation_clusters: judged.clusters,
            without_groups: judged.without_groups,
            share_of_trees: fitted.map_or(0.0, |fitted| fitted.share_of_trees),
            kept_beginning: begun.is_some_and(|begun| begun.kept),
            seconds: progress.seconds,
            sequences_per_second: progress.sequences as f64 / progress.seconds.max(1e-9),
            peak_memory_mb: peak_memory_mb(),
            device: device.to_owned(),
        }
    }

    /// Writes the last line of the metrics and the result, where they are asked for.
    pub(crate) fn tell(&self, result: &RungResult) -> Result<(), TrainError> {
        let RungResult { epoch, seconds, peak_memory_mb, .. } = result;
        if let Some(path) = &self.metrics {
            let judged = Judged {
                metrics: result.metrics.clone(),
                rows: result.validation_rows,
                clusters: result.validation_clusters,
                without_groups: result.without_groups.clone(),
            };
            Journal::open(path, self.label(), *epoch)?.add(&LastLine {
                epoch: *epoch,
                metrics: judged.line("model_"),
                rung_seconds: *seconds,
                peak_memory_mb: *peak_memory_mb,
            })?;
        }
        let Some(path) = &self.result else { return Ok(()) };
        let json = serde_json::to_vec_pretty(result).map_err(crate::Error::from)?;
        Output::from(path).write(&json).map_err(TrainError::Write)
    }

    pub(super) fn label(&self) -> Label {
        Label { trial: self.trial, rung: self.rung }
    }

    /// The epoch after which to stop.
    pub(super) fn until(&self, options: &FitOptions) -> usize {
        self.until_epoch.unwrap_or(options.epochs).min(options.epochs)
    }

    /// When the process is to end with a checkpoint.
    pub(crate) fn clock(&self) -> Clock {
        let seconds = self.checkpoint_seconds.map(Duration::from_secs);
        Clock { start: Instant::now(), length: seconds }
    }
}

/// How long this process may train.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
    length: Option<Duration>,
}

impl Clock {
    pub(super) fn is_up(&self) -> bool {
        self.length.is_some_and(|length| self.start.elapsed() >= length)
    }
}

/// The last line of the metrics. Its figures are those of the finished model, not of the epoch, and
/// have names of their own.
#[derive(Serialize)]
struct LastLine {
    epoch: usize,
    #[serde(flatten)]
    metrics: BTreeMap<String, f64>,
    rung_seconds: f64,
    peak_memory_mb: u64,
}

/// Most memory this process had, MB; 0 where the system does not tell.
fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes / 1024)
}
