//! `sweep ask`: the parameters of a wave of trials, from the results of the trials before it.

use std::path::PathBuf;

use super::StepError;
use super::results::standings;
use crate::say::say;
use crate::sweep::draw::tpe::{self, Tried};
use crate::sweep::folder;
use crate::sweep::plan::Parameters;

/// Draw the parameters of a wave of trials from the results of the first rung so far.
///
/// A trial that has parameters keeps them, so that a second call changes nothing.
#[derive(Clone, Debug, clap::Args)]
pub struct AskOptions {
    /// The sweep's folder.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Number of the wave, from 1.
    #[arg(long)]
    pub wave: usize,
}

/// Runs the step.
///
/// # Errors
/// When there is no such wave, no result to draw from, or a file cannot be read or written.
pub fn run(options: &AskOptions) -> Result<(), StepError> {
    let AskOptions { folder, wave } = options;
    let plan = folder::read_plan(folder)?;
    let waves = plan.trials.iter().map(|trial| trial.wave).max().unwrap_or_default();
    if !(1..=waves).contains(wave) {
        return Err(StepError::Number { what: "wave", number: *wave, count: waves });
    }
    let mut missing = Vec::new();
    for trial in plan.trials.iter().filter(|trial| trial.wave == *wave) {
        match folder::read_parameters(folder, trial.number) {
            Ok(_) => {}
            Err(error) if error.is_not_found() => missing.push(trial.number),
            Err(error) => return Err(error.into()),
        }
    }
    if missing.is_empty() {
        say(format_args!("wave {wave}: all trials have parameters\n"));
        return Ok(());
    }
    let before = plan.trials.iter().filter(|trial| trial.wave < *wave).map(|trial| trial.number);
    let standings = standings(folder, &plan, before, 1)?;
    let mut values = Vec::new();
    for standing in &standings {
        values.push(folder::read_parameters(folder, standing.trial)?);
    }
    let tried: Vec<Tried<'_>> = values
        .iter()
        .zip(&standings)
        .map(|(values, standing)| Tried { values, figure: standing.figure })
        .collect();
    for &trial in &missing {
        let parameters = tpe::propose(&plan.space, &tried, plan.metric.goal, plan.seed, trial);
        folder::write_parameters(folder, &Parameters { trial, parameters })?;
    }
    let with_figure = standings.iter().filter(|standing| standing.figure.is_some()).count();
    say(format_args!("wave {wave}: {} trials drawn from {with_figure} results\n", missing.len()));
    Ok(())
}
