//! Replays ways to size jobs on what jobs of logs and tables used, for `lab/trials/sizes`.
//!
//! ```text
//! cargo run --release --example sizes -- memory|disk first|again LOST FILE...
//! ```
//!
//! `first` compares what jobs ask for first, `again` what a job asks for after a run that needed
//! more: there each job asks first for the median of what the jobs of its kind used.
//!
//! `LOST` is the part of a run after which it needs more than it has, 1 in the paper. A file is a
//! job event log with the table of resources at the end of runs, or, where its name ends with
//! `.tsv`, a table without heading: kind of job, MiB or KiB asked for, used at its peak, seconds,
//! and when the run began and ended (Unix seconds, or `-` where that is not known). Of a log the
//! jobs of a cluster are of a kind. Kinds with fewer than ten jobs, and jobs of which something is
//! not known, are left out. Intervals are of 2,000 draws of kinds.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use eventlog::ReadOptions;
use holdadvise::history::{Coverage, HistoryBuilder};
use holdadvise::metrics::{Estimate, draw_sums};
use holdadvise::sizes::replay::{Cost, Job, Sizing, replay};
use holdadvise::sizes::{Resource, Used, finished};
use jiff::tz::TimeZone;
use rayon::prelude::*;

const LEAST: usize = 10;
const DRAWS: usize = 2_000;

const USAGE: &str = "usage: sizes memory|disk first|again LOST FILE...";

const FIRST: &[(&str, Sizing)] = &[
    ("first allocation", Sizing::First),
    ("the most so far", Sizing::Largest),
    ("asked, then 1.3 times", Sizing::Asked(1.3)),
    ("asked, then 2 times", Sizing::Asked(2.0)),
    ("asked, then 3 times", Sizing::Asked(3.0)),
    ("median, then 1.3 times", Sizing::Median(1.3)),
    ("median, then 2 times", Sizing::Median(2.0)),
    ("median, then 3 times", Sizing::Median(3.0)),
    ("1.3 times the mean", Sizing::Mean(1.3)),
    ("2 times the mean", Sizing::Mean(2.0)),
    ("3 times the mean", Sizing::Mean(3.0)),
];

const AGAIN: &[(&str, Sizing)] = &[
    ("first allocation of those that needed more", Sizing::Above),
    ("1.3 times as much", Sizing::Asked(1.3)),
    ("1.5 times as much", Sizing::Asked(1.5)),
    ("2 times as much", Sizing::Asked(2.0)),
    ("3 times as much", Sizing::Asked(3.0)),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let resource = match arguments.next().as_deref() {
        Some("memory") => Resource::Memory,
        Some("disk") => Resource::Disk,
        _ => return Err(USAGE.into()),
    };
    let ways = match arguments.next().as_deref() {
        Some("first") => FIRST,
        Some("again") => AGAIN,
        _ => return Err(USAGE.into()),
    };
    let lost: f64 = arguments.next().ok_or(USAGE)?.parse()?;
    let mut kinds: Vec<Vec<Job>> = Vec::new();
    for file in arguments {
        let of_file = match file.ends_with(".tsv") {
            true => table(&file)?,
            false => log(Path::new(&file), resource)?,
        };
        kinds.extend(of_file.into_values().filter(|jobs| jobs.len() >= LEAST));
    }
    if ways == AGAIN {
        kinds.iter_mut().for_each(|jobs| ask_for_median(jobs));
    }
    let hours = match resource {
        Resource::Memory => 1024.0 * 3600.0,
        Resource::Disk => 1024.0 * 1024.0 * 3600.0,
    };
    let costs: Vec<Vec<Cost>> = kinds
        .par_iter()
        .map(|jobs| ways.iter().map(|&(_, way)| replay(resource, jobs, way, lost)).collect())
        .collect();
    // Of each way what it wasted, its runs, and the jobs.
    let sums: Vec<Vec<f64>> = costs
        .iter()
        .map(|ways| {
            let figures = ways.iter().flat_map(|cost| [cost.wasted, cost.runs as f64]);
            figures.chain([ways[0].jobs as f64, ways[0].used]).collect()
        })
        .collect();
    let draws = draw_sums(&sums, DRAWS, 1);
    let jobs: usize = kinds.iter().map(Vec::len).sum();
    let all = |way: usize| costs.iter().fold(Cost::default(), |sum, ways| sum.and(ways[way]));
    println!("{} kinds, {jobs} jobs, used {:.0} GiB h", kinds.len(), all(0).used / hours);
    println!();
    println!("| | wasted, GiB h | of it by first allocation | lost runs, h | runs for a job |");
    println!("|---|---|---|---|---|");
    for (way, (name, _)) in ways.iter().enumerate() {
        let cost = all(way);
        let share = |sums: &[f64]| sums[0] / sums[2 * way];
        let totals: Vec<f64> =
            (0..sums[0].len()).map(|at| sums.iter().map(|of_kind| of_kind[at]).sum()).collect();
        let estimate = Estimate::new(share(&totals), draws.iter().map(|sums| share(sums)));
        let runs = |sums: &[f64]| sums[2 * way + 1] / sums[2 * ways.len()];
        let runs = Estimate::new(runs(&totals), draws.iter().map(|sums| runs(sums)));
        println!(
            "| {name} | {:.1} | {} | {:.0} | {} |",
            cost.wasted / hours,
            estimate.text(2),
            cost.lost / 3600.0,
            runs.text(3)
        );
    }
    Ok(())
}

fn ask_for_median(jobs: &mut [Job]) {
    let mut peaks: Vec<f64> = jobs.iter().map(|job| job.used.peak).collect();
    peaks.sort_by(f64::total_cmp);
    let median = peaks[peaks.len() / 2].ceil() as i64;
    jobs.iter_mut().for_each(|job| job.asked = median);
}

type Kinds = BTreeMap<String, Vec<Job>>;

fn log(path: &Path, resource: Resource) -> Result<Kinds, Box<dyn Error>> {
    let mut history = HistoryBuilder::new();
    history.read_log(path, Coverage::Jobs, &ReadOptions::in_zone(TimeZone::UTC))?;
    let history = history.build();
    let mut kinds = Kinds::new();
    for job in history.jobs() {
        let Some(ended) = finished(job, i64::MAX) else { continue };
        let size = ended.of(resource);
        let (Some(peak), Some(asked), Some(seconds), Some(end)) =
            (size.used, size.asked, ended.took, ended.ended)
        else {
            continue;
        };
        let ran = Some((end - seconds as i64, end));
        let job = (job.job.cluster, Job { used: Used { peak, seconds }, asked: asked as i64, ran });
        kinds.entry(job.0.to_string()).or_default().push(job.1);
    }
    Ok(kinds)
}

fn table(path: &str) -> Result<Kinds, Box<dyn Error>> {
    let mut kinds = Kinds::new();
    for (number, line) in std::fs::read_to_string(path)?.lines().enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [kind, asked, peak, seconds, began, ended] = cells[..] else {
            return Err(format!("{path}: line {} does not have six cells", number + 1).into());
        };
        let instant = |text: &str| text.parse::<f64>().ok().map(|seconds| seconds as i64);
        let job = Job {
            used: Used { peak: peak.parse()?, seconds: seconds.parse()? },
            asked: asked.parse::<f64>()? as i64,
            ran: instant(began).zip(instant(ended)),
        };
        kinds.entry(kind.to_owned()).or_default().push(job);
    }
    Ok(kinds)
}
