//! Hold episodes of logs of any length: each leaves as soon as what came of it is known.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use super::episode::{action_between_ads, holds_with_ads};
use super::fact::{OWNER, is_of_job, unquoted};
use super::holds::{Facts, Holds};
use super::run::{Run, RunEnd, Runs, RunsOf};
use super::waiting::Waiting;
use super::{Action, Episode, History, Hold, NotedActions, Symbols, What};
use eventlog::{DISORDER, DamagedEvent, Event, EventKind, JobId, LogReader};

/// Damaged events that are kept to be told of.
const DAMAGE: usize = 20;

/// What a log, or a chunk of one, tells of holds.
#[derive(Debug, Default)]
pub struct LogHolds {
    steps: Vec<Told>,
    /// Events read.
    pub events: u64,
    /// Of these, events of a number that HTCondor 25 does not have.
    pub unknown: u64,
    /// Events that were damaged and skipped.
    pub damaged: u64,
    /// The first of them, twenty at most.
    pub damage: Vec<DamagedEvent>,
}

/// A step of a job that matters to holds.
#[derive(Debug)]
struct Told {
    job: JobId,
    time: i64,
    step: Step,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// What happened, without names, and the reason of a hold.
    What(What, Option<Arc<str>>),
    /// Its owner, as an event 028 tells it.
    Owner(Arc<str>),
}

impl LogHolds {
    /// Reads to the end of a log, or of a chunk. What is damaged is counted and skipped.
    pub fn read<R: Read>(log: &mut LogReader<R>) -> Self {
        let mut holds = Self::default();
        let mut symbols = Symbols::default();
        while let Some(event) = log.next_event() {
            match event {
                Ok(event) => {
                    holds.events += 1;
                    holds.unknown += u64::from(matches!(event.kind(), EventKind::Unknown(_)));
                    if let Some(step) = Step::of(&event, &mut symbols) {
                        holds.steps.push(Told { job: event.job, time: event.time.seconds, step });
                    }
                }
                Err(damaged) => {
                    holds.damaged += 1;
                    let gone = damaged.is_io();
                    if holds.damage.len() < DAMAGE {
                        holds.damage.push(damaged);
                    }
                    if gone {
                        break;
                    }
                }
            }
        }
        holds
    }
}

impl Step {
    fn of(event: &Event<'_>, symbols: &mut Symbols) -> Option<Self> {
        if !is_of_job(event.job) {
            return None;
        }
        let what = match event.kind() {
            EventKind::JobAdInformation => {
                let owner = symbols.intern(unquoted(&event.information(OWNER)?));
                return Some(Self::Owner(symbols.shared(owner)));
            }
            // Where it runs does not matter here: no body is parsed.
            EventKind::Execute => What::Executing(None),
            EventKind::ShadowException => What::Evicted(None),
            EventKind::JobEvicted
            | EventKind::JobReconnectFailed
            | EventKind::Submit
            | EventKind::JobHeld
            | EventKind::JobReleased
            | EventKind::JobTerminated
            | EventKind::JobAborted => What::of(event, symbols)?,
            _ => return None,
        };
        Some(match what {
            What::Held(hold) => {
                let reason = hold.reason.map(|reason| symbols.shared(reason));
                Self::What(What::Held(Hold { reason: None, ..hold }), reason)
            }
            what => Self::What(what, None),
        })
    }
}

/// A job that is in the queue.
#[derive(Debug, Default)]
struct Live {
    holds: Holds,
    from_submission: bool,
    owner: Option<Arc<str>>,
}

/// Makes hold episodes out of logs, one after the other, in the order of their first events.
///
/// Kept in memory are the jobs that are in the queue, the steps of the last ten minutes, and those
/// later than the first event of the next log: a rotated log of any length takes what its queue
/// takes, and logs of the same time are joined, a step that several of them tell in the same second
/// once. The episodes are those of [`History::episodes`], but that an owner whom only later events
/// name is not known.
#[derive(Debug)]
pub struct EpisodeStream<'a> {
    /// For the ads of jobs.
    ads: &'a History,
    journal: &'a NotedActions,
    horizon: i64,
    live: HashMap<JobId, Live>,
    waiting: Waiting<(JobId, Step)>,
    /// The latest time of the log that is read.
    reached: i64,
    log: u32,
    /// What other logs may tell again: the steps of the second that was taken last.
    second: (i64, HashMap<JobId, Vec<(u32, Step)>>),
    runs: Runs,
}

impl<'a> EpisodeStream<'a> {
    /// `ads`: what ads say of the jobs, for actions and NumHolds. An outcome counts if it comes
    /// within `horizon` seconds of the release.
    pub fn new(ads: &'a History, journal: &'a NotedActions, horizon: i64) -> Self {
        Self {
            ads,
            journal,
            horizon,
            live: HashMap::new(),
            waiting: Waiting::default(),
            reached: i64::MIN,
            log: 0,
            second: (i64::MIN, HashMap::new()),
            runs: Runs::default(),
        }
    }

    /// The runs of programs are wanted too; memory is taken for each.
    #[must_use]
    pub fn with_runs(mut self, of: RunsOf) -> Self {
        self.runs = Runs::new(of);
        self
    }

    /// The next log begins.
    pub fn begin_log(&mut self) {
        self.log += 1;
        self.reached = i64::MIN;
    }

    /// Adds the next part of the log. `next`: the time of the first event of the logs that are
    /// still to come, Unix seconds; without it there is none. What was decided goes to `episode`.
    pub fn add(&mut self, part: LogHolds, next: Option<i64>, mut episode: impl FnMut(Episode)) {
        for Told { job, time, step } in part.steps {
            self.reached = self.reached.max(time);
            self.waiting.push((time, self.log), (job, step));
        }
        let until = self.reached.min(next.unwrap_or(i64::MAX)).saturating_sub(DISORDER);
        while let Some(next) = self.waiting.pop_until(until) {
            self.take(next).into_iter().for_each(&mut episode);
        }
    }

    /// No more logs come: what is left, and the runs that were wanted.
    pub fn end(mut self, mut episode: impl FnMut(Episode)) -> Vec<Run> {
        while let Some(next) = self.waiting.pop_until(i64::MAX) {
            self.take(next).into_iter().for_each(&mut episode);
        }
        let mut left: Vec<Episode> =
            self.live.values_mut().filter_map(|live| live.holds.end()).collect();
        left.sort_by_key(|episode| (episode.held_at, episode.identity.job));
        left.into_iter().for_each(episode);
        self.runs.into_runs()
    }

    fn take(&mut self, ((time, log), (job, step)): ((i64, u32), (JobId, Step))) -> Option<Episode> {
        if self.log > 1 && self.was_told(time, log, job, &step) {
            return None;
        }
        let (what, reason) = match step {
            Step::What(what, reason) => (what, reason),
            Step::Owner(owner) => {
                // A job that ended, or was never held, needs none.
                if let Some(live) = self.live.get_mut(&job) {
                    live.owner.get_or_insert(owner);
                }
                return None;
            }
        };
        self.run(time, job, what);
        let ends = matches!(what, What::Terminated(_) | What::Removed);
        let live = match what {
            What::Submitted => self
                .live
                .entry(job)
                .or_insert_with(|| Live { from_submission: true, ..Live::default() }),
            What::Held(_) => self.live.entry(job).or_default(),
            _ => self.live.get_mut(&job)?,
        };
        let ads = self.ads.job(job);
        let facts = StreamFacts {
            job,
            ads: ads.map_or(&[], |job| job.ads.as_slice()),
            from_submission: live.from_submission,
            reason,
            journal: self.journal,
        };
        let mut decided = live.holds.step(time, what, self.horizon, &facts);
        if let Some(episode) = &mut decided {
            let known = ads.and_then(|job| job.owner_at(i64::MAX));
            let known = known.map(|owner| self.ads.symbols.name(owner));
            episode.owner = live.owner.as_deref().or(known).map(str::to_owned);
        }
        if ends {
            self.live.remove(&job);
        }
        decided
    }

    fn run(&mut self, time: i64, job: JobId, what: What) {
        let end = match what {
            What::Executing(_) => return self.runs.begin(job, time),
            What::Terminated(_) => RunEnd::Exited,
            What::Held(_) => RunEnd::Held,
            What::Removed => RunEnd::Removed,
            What::Evicted(_) => RunEnd::Stopped,
            _ => return,
        };
        self.runs.end(job, time, end);
    }

    /// Another log told this very step of the second.
    fn was_told(&mut self, time: i64, log: u32, job: JobId, step: &Step) -> bool {
        if self.second.0 != time {
            self.second.0 = time;
            self.second.1.clear();
        }
        let told = self.second.1.entry(job).or_default();
        let again = told.iter().any(|(other, known)| *other != log && known == step);
        if !again {
            told.push((log, step.clone()));
        }
        again
    }
}

/// What is known of a job beside its steps.
struct StreamFacts<'a> {
    job: JobId,
    ads: &'a [super::AdFacts],
    from_submission: bool,
    reason: Option<Arc<str>>,
    journal: &'a NotedActions,
}

impl Facts for StreamFacts<'_> {
    fn begin(&self, time: i64, hold: Hold, count: i64) -> Episode {
        let mut episode = Episode::begun(self.job, time, hold, count);
        if !self.from_submission {
            episode.identity.num_holds = holds_with_ads(self.ads, time, count);
        }
        episode.reason = self.reason.as_deref().map(str::to_owned);
        episode
    }

    fn action(&self, episode: &Episode, released_at: i64) -> Action {
        let noted = self.journal.action(self.job, released_at);
        noted.unwrap_or_else(|| action_between_ads(self.ads, episode.held_at, released_at))
    }
}
