//! All jobs that the logs and ads at hand show.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Episode, JobHistory, Symbol, Symbols, Transfers, What};
use crate::hold_code::USER_REQUEST;
use eventlog::JobId;

/// What a log covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every job of the access point (`EVENT_LOG`).
    AccessPoint,
    /// The jobs whose submit description names it.
    Jobs,
}

/// What the event log of the access point shows of one hold.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    schemars::JsonSchema,
    serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum EventLogView {
    /// It had begun by the hold and has events of the job.
    Whole,
    /// It begins after the hold.
    BeginsLater,
    /// It had begun and does not show the hold: it may be of another access point.
    WithoutHold,
    /// None was read.
    None,
}

/// Seconds by which the event of a hold and EnteredCurrentStatus may differ on a busy access point.
pub(crate) const SAME_HOLD: i64 = 120;

/// Seconds of a quarter of an hour: zones differ by multiples of it.
pub(crate) const QUARTER: i64 = 900;

/// Seconds by which two zones differ at most.
const ZONES: i64 = 26 * 3_600;

/// Whole quarters of an hour between two tellings of one hold; `None` for what is none.
pub(crate) fn quarters(apart: i64) -> Option<i64> {
    let nearest = apart.saturating_add(QUARTER / 2).div_euclid(QUARTER);
    (apart.abs_diff(nearest * QUARTER) <= SAME_HOLD.unsigned_abs()).then_some(nearest)
}

/// A log that was added, and the time it spans.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) coverage: Coverage,
    /// Owners of the jobs whose ads name it; `None` for a log that no ad names.
    pub(super) named_by: Option<Vec<Symbol>>,
    pub(super) first: i64,
    pub(super) last: i64,
}

/// One job as it looks to different owners.
#[derive(Clone, Debug, Default)]
pub(super) struct Views {
    /// To everyone else.
    pub(super) public: JobHistory,
    /// To these owners; `None` where that is all there is.
    pub(super) of: Vec<(Symbol, Option<JobHistory>)>,
}

/// The number of a log of a [`History`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(pub(super) u16);

/// The histories of all jobs that the logs and ads at hand tell of. [`super::HistoryBuilder`] makes
/// it.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Names of owners, machines, sites, servers and reasons.
    pub symbols: Symbols,
    pub(super) jobs: Vec<JobHistory>,
    pub(super) numbers: HashMap<JobId, u32, RandomState>,
    /// The first and the last job of each cluster.
    pub(super) clusters: HashMap<i32, (u32, u32), RandomState>,
    /// For each job the next one of its cluster; the last has itself.
    pub(super) next_of_cluster: Vec<u32>,
    pub(super) sources: Vec<Source>,
    /// Jobs that look different to different owners.
    pub(super) views: HashMap<u32, Views, RandomState>,
    /// Ads of earlier runs were read, even if there are none.
    pub(super) read_epochs: bool,
    /// Owner by ClusterId, as HTCondor wrote it: all jobs of a cluster have one owner, which nobody
    /// can edit.
    pub(super) owners: HashMap<i32, Symbol, RandomState>,
    /// What file-transfer plug-ins reported.
    pub(super) transfers: Transfers,
}

impl History {
    /// Whose job it is, as far as that is known.
    pub fn owner_of(&self, job: JobId) -> Option<Symbol> {
        let attested = self.owners.get(&job.cluster).copied();
        attested.or_else(|| self.job(job)?.owner.map(|owner| owner.value))
    }

    /// The job with this number as jobs of `owner` may see it; `None`: as all may.
    pub fn as_seen_by(&self, number: u32, owner: Option<Symbol>) -> Option<&JobHistory> {
        let all = self.jobs.get(number as usize)?;
        let Some(views) = self.views.get(&number) else { return Some(all) };
        let own = views.of.iter().find(|(of, _)| Some(*of) == owner);
        Some(own.map_or(&views.public, |(_, view)| view.as_ref().unwrap_or(all)))
    }

    /// The owners to whom the job with this number looks otherwise than to all.
    pub fn seen_apart_by(&self, number: u32) -> impl Iterator<Item = Symbol> {
        self.views
            .get(&number)
            .into_iter()
            .flat_map(|views| views.of.iter().map(|(owner, _)| *owner))
    }

    /// The history of a job.
    pub fn job(&self, job: JobId) -> Option<&JobHistory> {
        self.numbers.get(&job).map(|&number| &self.jobs[number as usize])
    }

    /// What file-transfer plug-ins reported, as epoch ads of transfers have it.
    pub fn transfers(&self) -> &Transfers {
        &self.transfers
    }

    /// Where a job stands in [`History::jobs`].
    pub fn number_of(&self, job: JobId) -> Option<u32> {
        self.numbers.get(&job).copied()
    }

    /// The histories of all jobs, in the order they were first told of.
    pub fn jobs(&self) -> &[JobHistory] {
        &self.jobs
    }

    /// The jobs of a cluster that logs or ads tell of.
    pub fn jobs_of(&self, cluster: i32) -> impl Iterator<Item = &JobHistory> {
        let first = self.clusters.get(&cluster).map(|&(first, _)| first);
        let numbers = std::iter::successors(first, |&number| {
            Some(self.next_of_cluster[number as usize]).filter(|&next| next != number)
        });
        numbers.map(|number| &self.jobs[number as usize])
    }

    /// A log of the whole access point had begun by `instant`.
    pub fn sees_access_point(&self, instant: i64) -> bool {
        self.sources
            .iter()
            .any(|source| source.coverage == Coverage::AccessPoint && source.first <= instant)
    }

    /// Whether ads of earlier runs were read, even if there are none.
    pub fn has_read_epochs(&self) -> bool {
        self.read_epochs
    }

    /// What the event log shows of the hold that `job` is in since `held_at`, Unix seconds.
    pub fn event_log_view(&self, job: JobId, held_at: i64) -> EventLogView {
        let read = |source: &&Source| {
            source.coverage == Coverage::AccessPoint && source.first <= source.last
        };
        let Some(first) = self.sources.iter().filter(read).map(|source| source.first).min() else {
            return EventLogView::None;
        };
        if first > held_at {
            EventLogView::BeginsLater
        } else if self.hold_events(job).any(|at| (at - held_at).abs() <= SAME_HOLD) {
            EventLogView::Whole
        } else {
            EventLogView::WithoutHold
        }
    }

    /// Whether the event log has a hold of the job that may be the one since `held_at`, in whatever
    /// zone the log was written: zones differ by quarters of an hour.
    pub fn may_show(&self, job: JobId, held_at: i64) -> bool {
        self.hold_events(job).any(|at| {
            let apart = at.saturating_sub(held_at);
            apart.abs() <= ZONES && quarters(apart).is_some()
        })
    }

    /// Whether logs say that a person put the job on this hold: whoever owns a job can edit the
    /// code in its ad.
    pub fn is_held_by_person(&self, hold: &Episode) -> bool {
        let steps = self.job(hold.identity.job).map_or(&[][..], |job| &job.steps);
        let near = steps.iter().rev().filter(|step| (step.time - hold.held_at).abs() <= SAME_HOLD);
        let mut codes = near.filter_map(|step| match step.what {
            What::Held(hold) => Some(hold.code),
            _ => None,
        });
        codes.next() == Some(USER_REQUEST)
    }

    fn hold_events(&self, job: JobId) -> impl Iterator<Item = i64> {
        self.job(job).into_iter().flat_map(|job| job.held_in_event_log.iter().copied())
    }
}
