//! What trials came to, as far as it can be used.

use std::path::Path;

use super::StepError;
use crate::sweep::folder::read_result;
use crate::sweep::halving::Standing;
use crate::sweep::plan::{Plan, RungResult};

/// How a trial stands with its result on a rung.
///
/// # Errors
/// Why it has no figure, in words.
pub fn standing(
    folder: &Path,
    plan: &Plan,
    trial: usize,
    rung: usize,
) -> Result<(Standing, RungResult), String> {
    let result = read_result(folder, trial, rung).map_err(|error| error.to_string())?;
    if result.diverged {
        return Err("its loss became no number".to_owned());
    }
    let name = &plan.metric.name;
    match result.metrics.get(name) {
        Some(figure) if figure.is_finite() => {
            let standing =
                Standing { trial, rung, figure: Some(*figure), stopped: result.stopped_early };
            Ok((standing, result))
        }
        _ => Err(format!("its result has no {name}")),
    }
}

/// How each of some trials stands on a rung. Those without a figure are named on standard error and stand last.
///
/// # Errors
/// When none has a figure, unless there are no trials.
pub fn standings(
    folder: &Path,
    plan: &Plan,
    trials: impl Iterator<Item = usize>,
    rung: usize,
) -> Result<Vec<Standing>, StepError> {
    let mut standings = Vec::new();
    let mut lost = Vec::new();
    for trial in trials {
        match standing(folder, plan, trial, rung) {
            Ok((standing, _)) => standings.push(standing),
            Err(reason) => {
                standings.push(Standing { trial, rung, figure: None, stopped: false });
                lost.push((trial, reason));
            }
        }
    }
    if lost.len() == standings.len()
        && let Some((trial, reason)) = lost.first()
    {
        return Err(StepError::Nothing { rung, trial: *trial, reason: reason.clone() });
    }
    for (trial, reason) in lost {
        eprintln!("trial {trial} is lost on rung {rung}: {reason}");
    }
    Ok(standings)
}
