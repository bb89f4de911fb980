//! `sweep select`: which trials train on after a rung, and after the last the best of all.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::say::say;
use crate::sweep::folder::{self, read_result};
use crate::sweep::halving::{Standing, add_lost, decide, ranked};
use crate::sweep::leaderboard::Behind;
use crate::sweep::plan::{BestTrial, Decision, Fate, Plan};
use crate::training::trial::RungResult;

/// Decide which trials train on after a rung; after the last, keep the model of the best.
///
/// A second call with the same results writes the same files.
#[derive(Clone, Debug, clap::Args)]
pub struct SelectOptions {
    /// The sweep's folder.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Number of the rung that was trained last, from 1.
    #[arg(long)]
    pub rung: usize,
}

/// Runs the step.
///
/// # Errors
/// When there is no such rung, no trial has a result, or a file cannot be read or written.
pub fn run(options: &SelectOptions) -> Result<(), Error> {
    let SelectOptions { folder, rung } = options;
    let plan = folder::read_plan(folder)?;
    let count = plan.rungs.len();
    if !(1..=count).contains(rung) {
        return Err(format!("there is no rung {rung} in this sweep, which has {count}").into());
    }
    let before = match rung {
        1 => Decision::default(),
        _ => folder::read_decision(folder, rung - 1)?,
    };
    let training: Vec<usize> = match rung {
        1 => plan.trials.iter().map(|trial| trial.number).collect(),
        _ => with_fate(&before, Fate::GoesOn).collect(),
    };
    // Empty where all that are left have stopped before.
    let mut standings = standings(folder, &plan, training.into_iter(), *rung)?;
    if let Some(next) = plan.rungs.get(*rung) {
        for trial in with_fate(&before, Fate::Stopped) {
            let latest = latest(folder, &plan, trial, *rung);
            standings.extend(latest.map(|(standing, _)| Standing { stopped: true, ..standing }));
        }
        let mut decision = decide(&standings, *rung, next.trials, plan.metric.goal);
        // Those that were lost before, in the order they were.
        add_lost(&mut decision.fates, before.fates.iter().map(|&(trial, _)| trial));
        folder::write_decision(folder, &decision)?;
        let [on, stopped, lost] =
            [Fate::GoesOn, Fate::Stopped, Fate::Lost].map(|fate| decision.count(fate));
        say(format_args!("rung {rung}: {on} go on, {stopped} have stopped, {lost} are lost\n"));
        return Ok(());
    }
    finish(folder, &plan, *rung)
}

/// After the last rung: the best of all trials by what each came to last.
fn finish(folder: &Path, plan: &Plan, rung: usize) -> Result<(), Error> {
    let trials = || plan.trials.iter().map(|trial| trial.number);
    let latest = trials().filter_map(|trial| latest(folder, plan, trial, rung));
    let (standings, results): (Vec<Standing>, Vec<RungResult>) = latest.unzip();
    let mut ranked = ranked(&standings, plan.metric.goal);
    // Of the same figure the model that trained longer.
    if let Some(&(_, figure)) = ranked.first() {
        let same = ranked.iter().take_while(|(_, other)| *other == figure).count();
        ranked[..same]
            .sort_by_key(|(standing, _)| (std::cmp::Reverse(standing.rung), standing.trial));
    }
    let best = ranked.first().and_then(|(best, figure)| {
        let result = results.iter().find(|result| result.trial == best.trial)?.clone();
        let setting = plan.trials.iter().find(|trial| trial.number == best.trial)?.setting;
        Some((setting, result, *figure))
    });
    let Some((setting, result, figure)) = best else {
        return Err(nothing(rung, 1, "it has none of any rung").into());
    };
    let trial = result.trial;
    let parameters = folder::read_parameters(folder, trial)?;
    let others = results.iter().filter(|other| other.trial != trial);
    let behind = others.filter_map(|other| Behind::of(other, &result, &plan.metric.name));
    let behind: Vec<Behind> = behind.filter(|behind| behind.half_width.is_some()).collect();
    let ties = behind.iter().filter(|behind| behind.is_tie()).count();
    let compared = behind.len();
    folder::write_best(folder, &BestTrial { setting, parameters, ties, compared, result })?;
    let mut fates = vec![(trial, Fate::Stopped)];
    add_lost(&mut fates, ranked.iter().map(|(standing, _)| standing.trial));
    add_lost(&mut fates, trials());
    folder::write_decision(folder, &Decision { rung, fates })?;
    say(format_args!("trial {trial} is the best, {} {figure}\n", plan.metric.name));
    Ok(())
}

fn with_fate(decision: &Decision, fate: Fate) -> impl Iterator<Item = usize> {
    decision.fates.iter().filter(move |(_, one)| *one == fate).map(|(trial, _)| *trial)
}

/// How a trial stands with its result on the last rung that it has one of.
fn latest(folder: &Path, plan: &Plan, trial: usize, rung: usize) -> Option<(Standing, RungResult)> {
    (1..=rung).rev().find_map(|rung| standing(folder, plan, trial, rung).ok())
}

/// No trial has a result; why the first has none.
fn nothing(rung: usize, trial: usize, reason: &str) -> String {
    format!(
        "no trial has a result of rung {rung} that can be used; the first, trial {trial}: {reason}"
    )
}

/// How a trial stands with its result on a rung.
///
/// # Errors
/// Why it has no figure, in words.
fn standing(
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

/// How each of some trials stands on a rung. Those without a figure are named on standard error and
/// stand last.
///
/// # Errors
/// When none has a figure, unless there are no trials.
fn standings(
    folder: &Path,
    plan: &Plan,
    trials: impl Iterator<Item = usize>,
    rung: usize,
) -> Result<Vec<Standing>, String> {
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
        return Err(nothing(rung, *trial, reason));
    }
    for (trial, reason) in lost {
        eprintln!("trial {trial} is lost on rung {rung}: {reason}");
    }
    Ok(standings)
}
