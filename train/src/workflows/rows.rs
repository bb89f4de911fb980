//! Workflows at instants: what the event log says until then, and what would be right.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use holdadvise::history::History;
use holdadvise::workflow::{By, End, JobRun, Recovery, Shown, runs, suspects};
use holdadvise_simulate::Cause;
use serde::{Deserialize, Serialize};

use super::label::label;
use crate::Error;
use crate::data::input::{InputOptions, open, plain_or_packed, reader, unread};
use crate::output::Output;
use crate::say::{json_line, say};

/// Failed runs of a cluster at which a row is made.
const INSTANTS: [usize; 4] = [10, 30, 100, 300];

/// Make rows of the workflows of simulations: JSON lines, one for each cluster at its 10th, 30th,
/// 100th and 300th failed run
#[derive(Clone, Debug, clap::Args)]
pub struct RowsOptions {
    /// Folders that `simulate` wrote, each an access point.
    #[arg(required = true)]
    simulations: Vec<PathBuf>,
    /// File to write.
    #[arg(short, long)]
    output: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
}

/// A workflow at an instant. A workflow is the jobs of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The seed of the simulation.
    pub access_point: u64,
    /// ClusterId.
    pub cluster: i32,
    /// Unix seconds; nothing later is seen.
    pub instant: i64,
    /// What the runs until then show.
    #[serde(flatten)]
    pub shown: Shown,
    /// Holds until then whose hidden cause is known.
    pub holds: usize,
    /// What would be right: never an input.
    pub action: Recovery,
    /// Memory must change: never an input.
    pub memory: bool,
}

/// Runs `workflows rows`.
pub(super) fn run(options: &RowsOptions) -> Result<(), Error> {
    let output = Output::new(&options.output, options.replace);
    output.check()?;
    let mut file = Vec::new();
    for folder in &options.simulations {
        let (rows, without) = of_simulation(folder)?;
        rows.iter().try_for_each(|row| json_line(&mut file, row))?;
        let (shown, n) = (folder.display(), rows.len());
        say(format_args!("{shown}: {n} rows, {without} more without a hold by the system\n"));
    }
    output.write(&file)?;
    Ok(())
}

/// Rows of files that `workflows rows` wrote.
///
/// # Errors
/// When a file cannot be read, or a line of it is no row.
pub(super) fn read_rows(paths: &[PathBuf]) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for path in paths {
        for (at, line) in reader(path)?.lines().enumerate() {
            let line = line.map_err(unread(path))?;
            let row = serde_json::from_str(&line).map_err(|error| {
                let (path, at) = (path.display(), at + 1);
                format!("{path}, line {at}: {error}; expected a row of `workflows rows`")
            })?;
            rows.push(row);
        }
    }
    Ok(rows)
}

#[derive(Deserialize)]
struct Hold {
    cluster: i32,
    time: i64,
    cause: Cause,
}

#[derive(Deserialize)]
struct Description {
    seed: u64,
}

/// The rows of an access point, and how many have no hold by the system and are left out.
fn of_simulation(folder: &Path) -> Result<(Vec<Row>, usize), Error> {
    let path = folder.join("simulation.json");
    let Description { seed } = serde_json::from_reader(open(&path)?).map_err(unread(&path))?;
    let path = plain_or_packed(folder, "truth.jsonl");
    let mut holds: BTreeMap<i32, Vec<Hold>> = BTreeMap::new();
    for line in reader(&path)?.lines() {
        let hold: Hold =
            serde_json::from_str(&line.map_err(unread(&path))?).map_err(unread(&path))?;
        holds.entry(hold.cluster).or_default().push(hold);
    }
    // The event log alone: an epoch ad is of the end of a run, and may be later than the instant.
    let input = InputOptions { epochs: Vec::new(), ..InputOptions::of_folder(folder)? };
    let history = input.read()?.history;
    let mut without = 0;
    let mut rows = Vec::new();
    for (cluster, instant) in instants(&history) {
        let of_cluster = holds.get(&cluster).map_or(&[][..], Vec::as_slice);
        let until: Vec<&Hold> = of_cluster.iter().filter(|hold| hold.time <= instant).collect();
        let Some((action, memory)) = label(until.iter().map(|hold| hold.cause)) else {
            without += 1;
            continue;
        };
        let runs = runs_until(&history, cluster, instant);
        let places = suspects(&runs, By::Either);
        let shown = Shown::of(&history, &runs, &places, By::Either, instant);
        let (access_point, holds) = (seed, until.len());
        rows.push(Row { access_point, cluster, instant, shown, holds, action, memory });
    }
    rows.sort_by_key(|row| (row.instant, row.cluster));
    Ok((rows, without))
}

/// When the clusters have had so many failed runs, each with its cluster.
fn instants(history: &History) -> Vec<(i32, i64)> {
    let clusters: BTreeSet<i32> = history.jobs().iter().map(|job| job.job.cluster).collect();
    let mut instants = Vec::new();
    for cluster in clusters {
        let all = runs_until(history, cluster, i64::MAX);
        let failed = all.iter().filter(|run| matches!(run.end, End::Failed(_)));
        let mut ends: Vec<i64> = failed.map(|run| run.began.saturating_add(run.seconds)).collect();
        ends.sort_unstable();
        instants.extend(INSTANTS.iter().filter_map(|nth| Some((cluster, *ends.get(nth - 1)?))));
    }
    instants
}

fn runs_until(history: &History, cluster: i32, instant: i64) -> Vec<JobRun> {
    history.jobs_of(cluster).flat_map(|job| runs(history, job, instant)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use holdadvise_simulate::{Preset, Settings, simulate};

    #[test]
    fn a_row_has_what_the_log_said_until_its_instant() {
        let folder = tempfile::tempdir().unwrap();
        let preset = Preset::load("small").unwrap();
        simulate(&Settings::new(preset, 3, 7, folder.path())).unwrap();
        let (rows, _) = of_simulation(folder.path()).unwrap();
        assert!(rows.len() > 2, "{}", rows.len());
        for row in &rows {
            assert!(
                row.shown.counts.failures() >= 10 && row.holds > 0 && row.access_point == 3,
                "{row:?}"
            );
        }
        // The log cut after the first instant gives the same row.
        let row = &rows[0];
        let log = std::fs::read_to_string(folder.path().join("EventLog")).unwrap();
        let later = jiff::Timestamp::from_second(row.instant + 1).unwrap();
        let later = later.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
        let is_later = |event: &&str| event.get(22..42).is_some_and(|time| time >= later.as_str());
        let events: Vec<&str> = log.split_inclusive("...\n").collect();
        let first = events.iter().position(is_later);
        let kept = events[..first.unwrap()].concat();
        std::fs::write(folder.path().join("EventLog"), kept).unwrap();
        let (cut, _) = of_simulation(folder.path()).unwrap();
        assert_eq!(cut[0], *row);
    }

    #[test]
    fn what_is_no_row_is_said_with_its_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "{}\n").unwrap();
        let error = read_rows(&[file.path().to_owned()]).unwrap_err().to_string();
        assert!(error.contains("line 1") && error.contains("workflows rows"), "{error}");
    }
}
