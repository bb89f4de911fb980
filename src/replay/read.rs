//! Reads the holds of logs.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use classads::ClassAd;

use super::past::PastHold;
use crate::history::{
    ATTRIBUTES, EPOCH_ATTRIBUTES, Episode, EpisodeStream, HistoryBuilder, LogHolds, NotedActions,
    Run, RunsOf, epoch_written,
};
use eventlog::input::{self, Room};
use eventlog::{Beginning, ChunkedLog, EventLogError, JobId, ReadOptions};

/// H: what comes later than this after a release says nothing about it, s.
const HORIZON: i64 = 48 * 3_600;

/// Seconds by which the ad of a run may be written after the event of the hold that ended it.
const AD_DELAY: i64 = 60;

/// Problems that are told of.
const PROBLEMS: usize = 20;

/// What is read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Event logs of access points; their rotated siblings are read too.
    pub event_logs: Vec<PathBuf>,
    /// Job event logs of users and DAGs.
    pub user_logs: Vec<PathBuf>,
    /// Ads of runs: the epoch history file, or the output of `condor_history -epochs`.
    pub epochs: Vec<PathBuf>,
    /// Attributes of these ads that are wanted.
    pub attributes: Vec<String>,
    /// The texts of hold reasons are wanted.
    pub reasons: bool,
    /// Whose runs are wanted.
    pub runs: RunsOf,
    /// Bytes that compressed logs may have unpacked, all together.
    pub room: Room,
}

/// The holds of some logs.
#[derive(Debug, Default)]
pub struct PastHolds {
    /// By the time of the hold.
    pub holds: Vec<PastHold>,
    /// The runs that were wanted, in the order of their ends.
    pub runs: Vec<Run>,
    /// Time of the last event that mattered, Unix seconds.
    pub end: i64,
    /// Events read.
    pub events: u64,
    /// What was damaged or could not be read, a line each.
    pub problems: Vec<String>,
}

/// Why logs cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A log that was named cannot be read, or is none.
    #[error(transparent)]
    Log(#[from] EventLogError),
    /// A file of ads cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Ads {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl PastHolds {
    /// Reads logs, on all cores, and ads.
    ///
    /// # Errors
    /// [`ReadError`] when a file that was named cannot be opened. What is damaged inside is skipped
    /// and told of.
    pub fn read(sources: &Sources) -> Result<Self, ReadError> {
        let mut this = Self::default();
        let mut ads = RunAds::default();
        for path in &sources.epochs {
            ads.read(path, &sources.attributes, &mut this.problems)?;
        }
        let facts = std::mem::take(&mut ads.facts).build();
        let options = ReadOptions { room: sources.room.clone(), ..ReadOptions::default() };
        let logs = this.in_order(sources, &options)?;
        let journal = NotedActions::default();
        let mut stream =
            EpisodeStream::new(&facts, &journal, HORIZON).with_runs(sources.runs.clone());
        let mut owners = HashSet::new();
        let Self { holds, runs, events, problems, end } = &mut this;
        let mut take = |episode: Episode| {
            let mut hold = PastHold::of(&episode, sources.reasons);
            hold.owner = hold.owner.map(|owner| match owners.get(&owner) {
                Some(known) => Arc::clone(known),
                None => {
                    owners.insert(Arc::clone(&owner));
                    owner
                }
            });
            hold.ad = ads.of(hold.job, hold.held_at);
            let last = episode.outcome_at.or(episode.left_at).or(episode.released_at);
            *end = last.unwrap_or(episode.held_at).max(*end);
            holds.push(hold);
        };
        for (at, (path, log, _)) in logs.iter().enumerate() {
            let next = logs.get(at + 1).map(|(_, _, first)| *first);
            stream.begin_log();
            let mut damaged = 0;
            let done: ControlFlow<()> = log.read(LogHolds::read, |part| {
                *events += part.events;
                damaged += part.damaged;
                if let Some(first) = part.damage.first().filter(|_| damaged == part.damaged) {
                    problems.push(format!("{}: {first}", path.display()));
                }
                stream.add(part, next, &mut take);
                ControlFlow::Continue(())
            });
            debug_assert!(done.is_continue());
            if damaged > 1 {
                problems.push(format!("{}: {} more damaged events", path.display(), damaged - 1));
            }
        }
        *runs = stream.end(&mut take);
        this.holds.sort_by_key(|hold| (hold.held_at, hold.job));
        Ok(this)
    }

    /// All files of all logs, by the time of their first events.
    fn in_order(
        &mut self,
        sources: &Sources,
        options: &ReadOptions,
    ) -> Result<Vec<(PathBuf, ChunkedLog, i64)>, ReadError> {
        let mut logs = Vec::new();
        for path in &sources.event_logs {
            eventlog::check(path)?;
            let mut series = eventlog::open_chunked_series(path, options)?;
            logs.extend(series.by_ref());
            self.problems.extend(series.unread.iter().map(ToString::to_string));
        }
        for path in &sources.user_logs {
            logs.push((path.clone(), ChunkedLog::open(path, options)?));
        }
        let first = |(path, log): (PathBuf, ChunkedLog)| {
            let first = Beginning::at(&path, options).ok().and_then(|beginning| beginning.time());
            (path, log, first.unwrap_or(i64::MAX))
        };
        let mut logs: Vec<_> = logs.into_iter().map(first).collect();
        logs.sort_by_key(|(_, _, first)| *first);
        Ok(logs)
    }
}

/// Ads of runs, by job.
#[derive(Debug, Default)]
struct RunAds {
    facts: HistoryBuilder,
    /// With the time they were written.
    ads: HashMap<JobId, Vec<(i64, Arc<ClassAd>)>>,
}

impl RunAds {
    fn read(
        &mut self,
        path: &Path,
        attributes: &[String],
        problems: &mut Vec<String>,
    ) -> Result<(), ReadError> {
        let error = |error| ReadError::Ads { path: path.to_owned(), error };
        let file = input::reader(path).map_err(error)?;
        let own = ATTRIBUTES.iter().chain(EPOCH_ATTRIBUTES).copied();
        let names = own.chain(attributes.iter().map(String::as_str));
        let (mut reported, mut any) = (0, false);
        for ad in classads::read_ads(file).with_projection(names).with_references_of(attributes) {
            match ad {
                Ok(mut ad) => {
                    any = true;
                    let Some(job) = self.facts.add_epoch(&ad) else { continue };
                    let Some(written) = epoch_written(&ad).filter(|_| !attributes.is_empty())
                    else {
                        continue;
                    };
                    // What makes the facts alone is not kept twice.
                    let wanted: HashSet<String> = wanted(&ad, attributes);
                    ad.retain(|name| wanted.contains(&name.to_ascii_lowercase()));
                    self.ads.entry(job).or_default().push((written, Arc::new(ad)));
                }
                Err(problem) if problem.is_io() => {
                    problems.push(format!("{}: {problem}", path.display()));
                    break;
                }
                Err(problem) if reported < PROBLEMS => {
                    reported += 1;
                    problems.push(format!("{}: {problem}", path.display()));
                }
                Err(_) => {}
            }
        }
        if reported > 0 && !any {
            let first = problems.drain(problems.len() - reported..).next().unwrap_or_default();
            let expected = "expected what condor_history -epochs -long or -json writes";
            return Err(error(std::io::Error::other(format!("{first}; {expected}"))));
        }
        self.ads.values_mut().for_each(|ads| ads.sort_by_key(|(written, _)| *written));
        Ok(())
    }

    /// The ad of the last run before a hold.
    fn of(&self, job: JobId, held_at: i64) -> Option<Arc<ClassAd>> {
        let ads = self.ads.get(&job)?;
        let until = ads.partition_point(|(written, _)| *written <= held_at + AD_DELAY);
        ads[..until].last().map(|(_, ad)| Arc::clone(ad))
    }
}

/// The attributes, and those that they refer to, in lower case.
fn wanted(ad: &ClassAd, attributes: &[String]) -> HashSet<String> {
    let mut wanted: HashSet<String> = HashSet::new();
    let mut pending: Vec<String> =
        attributes.iter().map(|name| name.to_ascii_lowercase()).collect();
    while let Some(name) = pending.pop() {
        if let Some(expr) = ad.get(&name).filter(|_| !wanted.contains(&name)) {
            let references = expr.attribute_references();
            pending.extend(references.iter().map(|reference| reference.name.to_ascii_lowercase()));
        }
        wanted.insert(name);
    }
    wanted
}
