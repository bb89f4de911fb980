//! `holdadvise-train closed-loop`: what it costs when a policy decides about the held jobs of
//! simulated access points. See `docs/records/closed-loop.md`.
//!
//! - `advised`: the advice of this project, carried out.
//! - `arms`: what else decides about held jobs.
//! - `loss`: hours that the courses of jobs cost.
//! - `report`: the figures, as a table and as JSON.

mod advised;
mod arms;
mod loss;
mod report;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use holdadvise::advice::Costs;
use holdadvise::model::{ClosedLoop, Model};
use holdadvise_simulate::{Course, Loop, Policy, Preset, Settings, simulate_closed};
use rayon::prelude::*;

use crate::Error;
use crate::export;
use crate::output::{self, Output};
use crate::say::say;
use advised::Advised;
use arms::Arm;
use loss::Loss;

/// Let policies, the advice of a model among them, decide about the held jobs of simulated access
/// points, and compare what that costs in hours.
#[derive(Clone, Debug, Args)]
pub struct ClosedLoopOptions {
    /// Name of a preset, or a preset file (.toml).
    #[arg(long, default_value = "small")]
    preset: String,
    /// Lay a layer over the preset: faults-3, or a file (.toml); may be given more than once.
    #[arg(long, value_name = "LAYER")]
    with: Vec<String>,
    /// Seeds, each an access point: one, or the first and the last, as in 1-40.
    #[arg(long, value_name = "SEEDS", default_value = "1-10", value_parser = seeds)]
    seeds: RangeInclusive<u64>,
    /// Days in which jobs are submitted; a week more is played.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=365))]
    days: u32,
    /// The model; default: the one that is shipped.
    #[arg(short, long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Median hours until a person looks at a held job; log-normal with a spread of 0.8.
    #[arg(long, value_name = "HOURS", default_value_t = 2.0, value_parser = hours)]
    person_hours: f64,
    /// Bootstrap draws of access points.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    draws: u32,
    /// Write the share of the avoidable loss into the info sheet of the model's file.
    #[arg(long, requires = "model")]
    record: bool,
}

/// Days played after the last job that counts was submitted: as long as its loss is counted.
const TAIL: u32 = 7;

/// Seconds in a day.
const DAY: i64 = 86_400;

/// The losses of the arms at one access point, in their order.
type Losses = Vec<Loss>;

/// Runs the subcommand.
///
/// # Errors
/// When the preset or the model cannot be read, or a file cannot be written.
pub fn run(options: &ClosedLoopOptions) -> Result<(), Error> {
    let model = match &options.model {
        Some(path) => Model::open(path)?,
        None => Model::builtin_default()?,
    };
    let archive = options.to_record()?;
    let costs = Costs::of(model.metadata.thresholds);
    let model = Arc::new(model);
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let span = options.span()?;
    let of_seed = |&seed: &u64| -> Result<Losses, Error> {
        let play = |&arm: &Arm| options.play(arm, seed, &model);
        let courses = Arm::value_variants().iter().map(play).collect::<Result<Vec<_>, Error>>()?;
        let lost = loss::lost(&courses[Arm::Clairvoyant as usize], span.0);
        let of = |courses: &Vec<Course>| loss::of_access_point(courses, &lost, costs, span);
        Ok(courses.iter().map(of).collect())
    };
    let losses = seeds.par_iter().map(of_seed).collect::<Result<Vec<_>, Error>>()?;
    let fingerprint = options.settings(0, PathBuf::new())?.preset.fingerprint();
    let report = report::Report::of(options, fingerprint, &losses);
    say(format_args!("{report}"));
    match archive {
        Some((path, archive)) => record(path, &archive, report.closed_loop()?),
        None => Ok(()),
    }
}

/// Writes what was found into the info sheet of a model's file.
fn record(path: &Path, played: &[u8], closed_loop: ClosedLoop) -> Result<(), Error> {
    let archive = output::read(path)?;
    if archive != played {
        let path = path.display();
        return Err(format!("{path} changed while it was played: record the new one anew").into());
    }
    let mut metadata = Model::from_bytes(&archive)?.metadata;
    metadata.sheet.get_or_insert_default().closed_loop = Some(closed_loop);
    let completed = export::complete(&archive, metadata)?;
    Ok(Output::new(path, true).write(&completed)?)
}

impl ClosedLoopOptions {
    /// The file to record in, and what it holds.
    fn to_record(&self) -> Result<Option<(&Path, Vec<u8>)>, Error> {
        let Some(path) = self.model.as_ref().filter(|_| self.record) else { return Ok(None) };
        Output::new(path, true).check_kept()?;
        Ok(Some((path, output::read(path)?)))
    }

    fn settings(&self, seed: u64, folder: PathBuf) -> Result<Settings, Error> {
        let preset = Preset::load_with(&self.preset, &self.with)?;
        Ok(Settings::new(preset, seed, self.days + TAIL, folder))
    }

    /// Unix seconds: jobs submitted before the first count, until the second.
    fn span(&self) -> Result<(i64, i64), Error> {
        let (start, end) = self.settings(0, PathBuf::new())?.span();
        Ok((start + i64::from(self.days) * DAY, end))
    }

    fn play(&self, arm: Arm, seed: u64, model: &Arc<Model>) -> Result<Vec<Course>, Error> {
        let folder = tempfile::tempdir()?;
        let settings = self.settings(seed, folder.path().to_owned())?;
        let looks = arm == Arm::AdviceLooks;
        let mut how = Loop { looks, submits: Some(self.days), ..Loop::default() };
        how.person.median = self.person_hours;
        let advised = || -> Box<dyn Policy> { Box::new(Advised::new(Arc::clone(model))) };
        Ok(simulate_closed(&settings, arm.rule().unwrap_or_else(advised), how)?)
    }
}

fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last && last - first < 10_000 => Ok(first..=last),
        _ => Err("expected a seed, or the first and the last of at most 10,000, as in 1-40".into()),
    }
}

fn hours(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|hours: &f64| (0.0..=1_000.0).contains(hours));
    number.ok_or_else(|| "expected a number of hours from 0 to 1000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_one_or_a_range() {
        assert_eq!(seeds("7"), Ok(7..=7));
        assert_eq!(seeds("2001-2040"), Ok(2001..=2040));
        for wrong in ["", "-", "9-3", "a", "1-2-3", "0-999999999999"] {
            assert!(seeds(wrong).unwrap_err().contains("1-40"), "{wrong}");
        }
    }
}
