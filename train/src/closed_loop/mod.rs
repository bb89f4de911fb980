//! `holdadvise-train closed-loop`: what it costs when a policy decides about the held jobs of
//! simulated access points. See `docs/records/closed-loop.md`.
//!
//! - `advised`: the advice of this project, carried out.
//! - `arms`: what else decides about held jobs.
//! - `loss`: hours that the courses of jobs cost.
//! - `report`: the figures, as a table and as JSON.
//! - `tries`: what came of tries.

mod advised;
mod arms;
mod loss;
mod report;
mod tries;

use std::collections::BTreeMap;
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
pub use arms::Arm;
use arms::SuccessTable;
use loss::{Loss, Need};

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
    /// Draw a mixture around the preset for each seed, as simulate does.
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    vary: Option<f64>,
    /// Seeds, each an access point: one, or the first and the last, as in 1-40.
    #[arg(long, value_name = "SEEDS", default_value = "1-10", value_parser = seeds)]
    seeds: RangeInclusive<u64>,
    /// Days in which jobs are submitted; a week more is played.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=365))]
    days: u32,
    /// Policies to compare. Baselines, doubling and clairvoyant are played too where others are named: shares
    /// are measured between them. Repeatable. Default: all.
    #[arg(long = "arm", value_enum, value_name = "ARM")]
    arms: Vec<Arm>,
    /// The model; default: the one that is shipped.
    #[arg(short, long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Median hours until a person looks at a held job; log-normal with a spread of 0.8.
    #[arg(long, value_name = "HOURS", default_value_t = 2.0, value_parser = hours)]
    person_hours: f64,
    /// Bootstrap draws of access points.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    draws: u32,
    /// Write all figures to this file, as JSON.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the file although it is there.
    #[arg(long)]
    replace: bool,
    /// Write the share of the avoidable loss into the info sheet of the model's file.
    #[arg(long, requires = "model")]
    record: bool,
}

/// Days played after the last job that counts was submitted: as long as its loss is counted.
const TAIL: u32 = 7;

/// Seconds in a day.
const DAY: i64 = 86_400;

/// The losses of each arm at one access point.
type Losses = BTreeMap<Arm, BTreeMap<Need, Loss>>;

/// An arm at one access point.
struct Played {
    courses: Vec<Course>,
    tries: tries::Sums,
}

/// Runs the subcommand.
///
/// # Errors
/// When the preset or the model cannot be read, or a file cannot be written.
pub fn run(options: &ClosedLoopOptions) -> Result<(), Error> {
    let output = options.output.as_ref().map(|path| Output::new(path, options.replace));
    output.as_ref().map_or(Ok(()), Output::check)?;
    let model = match &options.model {
        Some(path) => Model::open(path)?,
        None => Model::builtin_default()?,
    };
    let archive = options.to_record()?;
    let costs = Costs::of(model.metadata.thresholds);
    let (arms, model) = (options.all_arms(), Arc::new(model));
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let none = Arc::new(SuccessTable::default());
    let of_seed = |&seed: &u64| -> Result<BTreeMap<Arm, Played>, Error> {
        let arms = arms.iter().filter(|arm| **arm != Arm::Table);
        arms.map(|&arm| Ok((arm, options.play(arm, seed, &none, &model)?))).collect()
    };
    let mut played = seeds.par_iter().map(of_seed).collect::<Result<Vec<_>, Error>>()?;
    if arms.contains(&Arm::Table) {
        let tables: Vec<Arc<SuccessTable>> =
            (0..seeds.len()).map(|left_out| Arc::new(learned(&played, left_out))).collect();
        let both = seeds.par_iter().zip(&tables);
        let of_table = both
            .map(|(&seed, table)| options.play(Arm::Table, seed, table, &model))
            .collect::<Result<Vec<_>, Error>>()?;
        for (arms, of) in played.iter_mut().zip(of_table) {
            arms.insert(Arm::Table, of);
        }
    }
    let span = options.span()?;
    let losses: Vec<Losses> = played.iter().map(|arms| losses(arms, costs, span)).collect();
    let fingerprint = options.settings(0, PathBuf::new())?.preset.fingerprint();
    let tries = |arm: Arm| played.iter().map(|arms| arms[&arm].tries).collect::<Vec<_>>();
    let tries = arms.iter().map(|&arm| (arm, tries(arm))).collect();
    let report = report::Report::of(options, fingerprint, costs, &seeds, (&losses, &tries));
    if let Some(output) = output {
        output.write(&serde_json::to_vec_pretty(&report)?)?;
    }
    say(format_args!("{report}"));
    match archive {
        Some((path, archive)) => record(path, &archive, report.closed_loop(options)?),
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

/// What releases came to at all access points but one.
fn learned(played: &[BTreeMap<Arm, Played>], left_out: usize) -> SuccessTable {
    let mut table = SuccessTable::default();
    for (at, arms) in played.iter().enumerate() {
        if at != left_out {
            let of = [Arm::ReleaseAll, Arm::ChangeByCode];
            of.iter().filter_map(|arm| arms.get(arm)).for_each(|of| table.add(&of.courses));
        }
    }
    table
}

fn losses(arms: &BTreeMap<Arm, Played>, costs: Costs, span: (i64, i64)) -> Losses {
    let needs = loss::needs(&arms[&Arm::Clairvoyant].courses, span.0);
    arms.iter()
        .map(|(arm, of)| (*arm, loss::of_access_point(&of.courses, &needs, costs, span)))
        .collect()
}

impl ClosedLoopOptions {
    /// The file to record in, and what it holds.
    fn to_record(&self) -> Result<Option<(&Path, Vec<u8>)>, Error> {
        let Some(path) = self.model.as_ref().filter(|_| self.record) else { return Ok(None) };
        Output::new(path, true).check_kept()?;
        let arms = self.all_arms();
        if !arms.contains(&Arm::Advice) && !arms.contains(&Arm::AdviceLooks) {
            return Err(
                "--record: name an arm that the model decides, advice or advice-looks".into()
            );
        }
        Ok(Some((path, output::read(path)?)))
    }

    fn all_arms(&self) -> Vec<Arm> {
        let wanted = |arm: &Arm| {
            self.arms.is_empty()
                || arm.is_baseline()
                || matches!(arm, Arm::Clairvoyant | Arm::Doubling)
                || self.arms.contains(arm)
        };
        // What other access points show takes others.
        let is_alone = self.seeds.start() == self.seeds.end();
        let can_be = |arm: &Arm| *arm != Arm::Table || !is_alone;
        Arm::value_variants().iter().copied().filter(wanted).filter(can_be).collect()
    }

    fn settings(&self, seed: u64, folder: PathBuf) -> Result<Settings, Error> {
        let preset = Preset::load_with(&self.preset, &self.with)?;
        let preset = match self.vary {
            Some(factor) => preset.vary(factor, seed),
            None => preset,
        };
        Ok(Settings::new(preset, seed, self.days + TAIL, folder))
    }

    /// Unix seconds: jobs submitted before the first count, until the second.
    fn span(&self) -> Result<(i64, i64), Error> {
        let (start, end) = self.settings(0, PathBuf::new())?.span();
        Ok((start + i64::from(self.days) * DAY, end))
    }

    fn play(
        &self,
        arm: Arm,
        seed: u64,
        table: &Arc<SuccessTable>,
        model: &Arc<Model>,
    ) -> Result<Played, Error> {
        let folder = tempfile::tempdir()?;
        let settings = self.settings(seed, folder.path().to_owned())?;
        let looks = arm == Arm::AdviceLooks;
        let mut how = Loop { looks, submits: Some(self.days), ..Loop::default() };
        how.person.median = self.person_hours;
        let tries = tries::Shared::default();
        let advised =
            || -> Box<dyn Policy> { Box::new(Advised::new(Arc::clone(model), Arc::clone(&tries))) };
        let policy = arm.rule(table).unwrap_or_else(advised);
        let courses = simulate_closed(&settings, policy, how)?;
        Ok(Played { tries: tries::sums(&tries, &courses), courses })
    }
}

fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last && last - first < 10_000 => Ok(first..=last),
        _ => Err("expected a seed, or the first and the last of at most 10,000, as in 1-40".into()),
    }
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|factor: &f64| (1.0..=20.0).contains(factor));
    number.ok_or_else(|| "expected a number from 1 to 20".to_owned())
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
