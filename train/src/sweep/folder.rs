//! The files of a sweep's folder that pass between its steps.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::draw::Values;
use super::plan::{BestTrial, Decision, Fate, PLAN_FORMAT, Plan};
use crate::Error;
use crate::output::{self, FileError, Output};
use crate::training::trial::{Parameters, RungResult};

/// The plan.
pub const PLAN: &str = "sweep.json";

/// What makes words of what is wrong with a file.
fn wrong<E: Display>(path: &Path) -> impl Fn(E) -> Error {
    move |detail| format!("{}: {detail}", path.display()).into()
}

/// Reads `sweep.json`.
///
/// # Errors
/// When there is none, or it is of another version.
pub fn read_plan(folder: &Path) -> Result<Plan, Error> {
    let path = folder.join(PLAN);
    let bytes = output::read(&path)
        .map_err(|error| format!("{error}; name the folder that `holdadvise-train dag` made"))?;
    let plan: Plan = serde_json::from_slice(&bytes).map_err(wrong(&path))?;
    if plan.format != PLAN_FORMAT {
        return Err(wrong(&path)(format!(
            "a plan of format {}, expected {PLAN_FORMAT}: use the version of holdadvise-train that made the folder",
            plan.format
        )));
    }
    plan.check().map_err(wrong(&path))?;
    Ok(plan)
}

/// Where a trial's parameters are.
pub fn parameters_path(folder: &Path, trial: usize) -> PathBuf {
    folder.join(Plan::trial_folder(trial)).join("parameters.json")
}

/// Reads a trial's parameters.
///
/// # Errors
/// When there are none, or they are another trial's.
pub fn read_parameters(folder: &Path, trial: usize) -> Result<Values, Error> {
    let path = parameters_path(folder, trial);
    let read: Parameters = read_json(&path)?;
    if read.trial != trial {
        let detail = format!("of trial {}, expected {trial}", read.trial);
        return Err(wrong(&path)(detail));
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
pub fn read_result(folder: &Path, trial: usize, rung: usize) -> Result<RungResult, Error> {
    let path = result_path(folder, trial, rung);
    let mut json: Value = read_json(&path)?;
    // JSON has no word for them but `null`.
    if let Some(metrics) = json.get_mut("metrics").and_then(Value::as_object_mut) {
        metrics.retain(|_, figure| !figure.is_null());
    }
    let read: RungResult = serde_json::from_value(json).map_err(wrong(&path))?;
    if (read.trial, read.rung) != (trial, rung) {
        let RungResult { trial: other, rung: at, .. } = read;
        let detail =
            format!("of trial {other} on rung {at}, expected trial {trial} on rung {rung}");
        return Err(wrong(&path)(detail));
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
pub fn read_decision(folder: &Path, rung: usize) -> Result<Decision, Error> {
    let path = decision_path(folder, rung, "json");
    let read: Decision = read_json(&path)?;
    if read.rung != rung {
        let detail = format!("of rung {}, expected {rung}", read.rung);
        return Err(wrong(&path)(detail));
    }
    Ok(read)
}

/// Writes what was decided after a rung: `rungN.json`, and `rungN.txt` with a line such as
/// `007 goes-on` for each trial.
///
/// # Errors
/// When that fails.
pub fn write_decision(folder: &Path, decision: &Decision) -> Result<(), Error> {
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

/// Writes `best/`: the model of the best trial, and what it is. The description comes last: where
/// it is, all is.
///
/// # Errors
/// When the model cannot be read, or anything written.
pub fn write_best(folder: &Path, best: &BestTrial) -> Result<(), Error> {
    let RungResult { trial, rung, .. } = best.result;
    let model = output::read(&folder.join(Plan::rung_folder(trial, rung)).join("model.pt"))?;
    write(&folder.join("best/model.pt"), &model)?;
    write_json(&folder.join("best/trial.json"), best)
}

/// Reads a file of JSON.
///
/// # Errors
/// When it cannot be read, or is not what is expected.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    serde_json::from_slice(&output::read(path)?).map_err(wrong(path))
}

/// Writes a file of JSON whole, with the folders it lies in.
///
/// # Errors
/// When that fails.
pub fn write_json<T: Serialize>(path: &Path, content: &T) -> Result<(), Error> {
    let mut json = serde_json::to_vec_pretty(content)?;
    json.push(b'\n');
    write(path, &json)
}

/// Writes a file whole, with the folders it lies in.
///
/// # Errors
/// When that fails.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(FileError::of(path))?;
    }
    Ok(Output::from(path).write(content)?)
}
