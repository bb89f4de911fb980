//! The files of a sweep's folder that pass between its steps.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::draw::Values;
use super::plan::{BestTrial, Decision, Fate, PLAN_FORMAT, Plan};
use crate::output::{FileError, Output};
use crate::training::trial::{Parameters, RungResult};

/// The plan.
pub const PLAN: &str = "sweep.json";

/// Why a file of a sweep's folder does not do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is no plan that could be read.
    #[error("{0}; name the folder that `holdadvise-train dag` made")]
    NoPlan(FileError),
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not what it should be.
    #[error("{}: {detail}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
}

impl FolderError {
    /// Whether there is no such file.
    pub fn is_not_found(&self) -> bool {
        let (Self::NoPlan(error) | Self::File(error)) = self else { return false };
        error.source.kind() == io::ErrorKind::NotFound
    }
}

/// Reads `sweep.json`.
///
/// # Errors
/// When there is none, or it is of another version.
pub fn read_plan(folder: &Path) -> Result<Plan, FolderError> {
    let path = folder.join(PLAN);
    let plan: Plan = read_json(&path).map_err(|error| match error {
        FolderError::File(error) => FolderError::NoPlan(error),
        other => other,
    })?;
    let rungs = plan.rungs.iter().map(|rung| rung.number).eq(1..=plan.rungs.len());
    let trials = plan.trials.iter().map(|trial| trial.number).eq(1..=plan.trials.len());
    let detail = if plan.format != PLAN_FORMAT {
        format!(
            "a plan of format {}, expected {PLAN_FORMAT}: use the version of holdadvise-train that made the folder",
            plan.format
        )
    } else if plan.rungs.is_empty() || plan.trials.is_empty() || !rungs || !trials {
        "expected rungs and trials, each numbered from 1".to_owned()
    } else {
        return Ok(plan);
    };
    Err(FolderError::Content { path, detail })
}

/// Where a trial's parameters are.
pub fn parameters_path(folder: &Path, trial: usize) -> PathBuf {
    folder.join(Plan::trial_folder(trial)).join("parameters.json")
}

/// Reads a trial's parameters.
///
/// # Errors
/// When there are none, or they are another trial's.
pub fn read_parameters(folder: &Path, trial: usize) -> Result<Values, FolderError> {
    let path = parameters_path(folder, trial);
    let read: Parameters = read_json(&path)?;
    if read.trial != trial {
        let detail = format!("of trial {}, expected {trial}", read.trial);
        return Err(FolderError::Content { path, detail });
    }
    Ok(read.parameters)
}

/// Where the result of a trial on a rung is.
pub fn result_path(folder: &Path, trial: usize, rung: usize) -> PathBuf {
    folder.join(Plan::rung_folder(trial, rung)).join("result.json")
}

/// Reads the result of a trial on a rung. Figures that are no number are left out.
///
/// # Errors
/// When there is none, or it is another trial's or rung's.
pub fn read_result(folder: &Path, trial: usize, rung: usize) -> Result<RungResult, FolderError> {
    let path = result_path(folder, trial, rung);
    let wrong = |detail| FolderError::Content { path: path.clone(), detail };
    let mut json: Value = read_json(&path)?;
    // JSON has no word for them but `null`.
    if let Some(metrics) = json.get_mut("metrics").and_then(Value::as_object_mut) {
        metrics.retain(|_, figure| !figure.is_null());
    }
    let read: RungResult =
        serde_json::from_value(json).map_err(|error| wrong(error.to_string()))?;
    if (read.trial, read.rung) != (trial, rung) {
        let RungResult { trial: other, rung: at, .. } = read;
        return Err(wrong(format!(
            "of trial {other} on rung {at}, expected trial {trial} on rung {rung}"
        )));
    }
    Ok(read)
}

fn decision_path(folder: &Path, rung: usize, extension: &str) -> PathBuf {
    folder.join(format!("rungs/rung{rung}.{extension}"))
}

/// Reads what was decided after a rung.
///
/// # Errors
/// When nothing was, or the file is another rung's.
pub fn read_decision(folder: &Path, rung: usize) -> Result<Decision, FolderError> {
    let path = decision_path(folder, rung, "json");
    let read: Decision = read_json(&path)?;
    if read.rung != rung {
        let detail = format!("of rung {}, expected {rung}", read.rung);
        return Err(FolderError::Content { path, detail });
    }
    Ok(read)
}

/// Writes what was decided after a rung: `rungN.json`, and `rungN.txt` with a line such as `007 goes-on` for each trial.
///
/// # Errors
/// When that fails.
pub fn write_decision(folder: &Path, decision: &Decision) -> Result<(), FolderError> {
    write_json(&decision_path(folder, decision.rung, "json"), decision)?;
    let line = |(trial, fate): &(usize, Fate)| {
        let word = match fate {
            Fate::GoesOn => "goes-on",
            Fate::Lost => "lost",
            Fate::Stopped => "stopped",
        };
        format!("{trial:03} {word}\n")
    };
    let lines: String = decision.fates.iter().map(line).collect();
    write(&decision_path(folder, decision.rung, "txt"), lines.as_bytes())
}

/// Writes `best/`: the model of the best trial, and what it is. The description comes last: where it is, all is.
///
/// # Errors
/// When the model cannot be read, or anything written.
pub fn write_best(folder: &Path, best: &BestTrial) -> Result<(), FolderError> {
    let RungResult { trial, rung, .. } = best.result;
    let model = read(&folder.join(Plan::rung_folder(trial, rung)).join("model.pt"))?;
    write(&folder.join("best/model.pt"), &model)?;
    write_json(&folder.join("best/trial.json"), best)
}

/// Reads a file of JSON.
///
/// # Errors
/// When it cannot be read, or is not what is expected.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, FolderError> {
    serde_json::from_slice(&read(path)?)
        .map_err(|error| FolderError::Content { path: path.to_owned(), detail: error.to_string() })
}

/// Reads a file.
///
/// # Errors
/// When that fails.
pub fn read(path: &Path) -> Result<Vec<u8>, FolderError> {
    Ok(std::fs::read(path).map_err(FileError::of(path))?)
}

/// Writes a file of JSON whole, with the folders it lies in.
///
/// # Errors
/// When that fails.
pub fn write_json<T: Serialize>(path: &Path, content: &T) -> Result<(), FolderError> {
    let mut json = serde_json::to_vec_pretty(content).map_err(|error| FolderError::Content {
        path: path.to_owned(),
        detail: error.to_string(),
    })?;
    json.push(b'\n');
    write(path, &json)
}

/// Writes a file whole, with the folders it lies in.
///
/// # Errors
/// When that fails.
pub fn write(path: &Path, content: &[u8]) -> Result<(), FolderError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(FileError::of(path))?;
    }
    Ok(Output::from(path).write(content).map_err(FileError::of(path))?)
}
