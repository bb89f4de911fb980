//! One hold of one job, what was done about it and what came of that.

use classads::ClassAd;
use serde::{Deserialize, Serialize};

use super::ad_facts::bounded;
use super::holds::{Facts, Holds};
use super::{
    Action, AdFacts, History, Hold, JobHistory, NotedActions, Outcome, Step, What, reason,
};
use eventlog::JobId;

/// Says "this very hold": `condor_hold` on a held job rewrites code and time and counts up without
/// a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HoldIdentity {
    /// The job.
    pub job: JobId,
    /// EnteredCurrentStatus where the queue tells it, else the time of event 012; Unix seconds.
    pub entered_current_status: i64,
    /// NumHolds, this hold included.
    pub num_holds: i64,
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
}

/// One hold of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// Which hold.
    pub identity: HoldIdentity,
    /// Where its 012 event stands among the steps of the job; `None` where no log tells of it.
    #[serde(skip)]
    pub step: Option<usize>,
    /// Owner, where known.
    pub owner: Option<String>,
    /// The canonical hold reason.
    pub reason: Option<String>,
    /// When the job went on hold: the time of event 012, else EnteredCurrentStatus; Unix seconds.
    pub held_at: i64,
    /// When it was released: the decision instant of training.
    pub released_at: Option<i64>,
    /// A person released it, not a policy.
    pub released_by_person: bool,
    /// What was done before the release.
    pub action: Action,
    /// What came of the release; `None` for a hold that was never released.
    pub outcome: Option<Outcome>,
    /// When that was.
    pub outcome_at: Option<i64>,
    /// What events tell of the job until the hold.
    #[serde(skip)]
    pub until: Until,
    /// Seconds that its program ran between the release and what came of it.
    #[serde(skip)]
    pub ran: i64,
    /// When a hold without release ended all the same: the job was removed, or held anew.
    #[serde(skip)]
    pub left_at: Option<i64>,
    /// That was a removal.
    #[serde(skip)]
    pub removed: bool,
}

/// What the events of a log tell of a job until it was held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Until {
    /// When it was submitted, Unix seconds. `None` where the log begins later: its counts are not
    /// those of the job.
    pub submitted_at: Option<i64>,
    /// How often its program was started (001).
    pub starts: i64,
    /// How often it was held before.
    pub holds: i64,
    /// Code and subcode of the hold before this one.
    pub before: Option<(i32, i32)>,
}

/// The hold of a job as its ad in the queue tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct HoldInQueue {
    /// EnteredCurrentStatus.
    pub entered_current_status: i64,
    /// NumHolds.
    pub num_holds: Option<i64>,
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
    /// HoldReason.
    pub reason: Option<String>,
}

impl HoldInQueue {
    /// The hold an ad of the queue tells of; `None` if the ad is of no held job.
    pub fn of(ad: &ClassAd) -> Option<Self> {
        let status = ad.integer("JobStatus");
        if status.is_some_and(|status| status != HELD) {
            return None;
        }
        let code = ad.integer("HoldReasonCode");
        let text = ad.string("HoldReason");
        if status.is_none() && code.is_none() && text.is_none() {
            return None;
        }
        // A file that is missing stays so where only the reason says it.
        let subcode = ad.integer("HoldReasonSubCode");
        let subcode = subcode.or_else(|| reason::errno(text.as_deref()?));
        let number = |value: Option<i64>| i32::try_from(value.unwrap_or(0)).unwrap_or(0);
        Some(Self {
            entered_current_status: bounded(ad, "EnteredCurrentStatus").unwrap_or(0),
            num_holds: bounded(ad, "NumHolds"),
            code: number(code),
            subcode: number(subcode),
            reason: text,
        })
    }

    /// Whether it is the hold that a log tells of so.
    pub fn is(&self, episode: &Episode) -> bool {
        (self.code, self.subcode) == (episode.identity.code, episode.identity.subcode)
            && (episode.held_at - self.entered_current_status).abs() <= EVENT_DELAY
    }
}

/// JobStatus of a held job.
const HELD: i64 = 5;

/// Seconds by which the event of a hold and EnteredCurrentStatus may differ and still tell of the
/// same hold: the schedd writes the event after it has set the attribute, the shadow before.
const EVENT_DELAY: i64 = 60;

impl History {
    /// The holds of all jobs, with what came of them within `horizon` seconds of the release.
    pub fn episodes(&self, horizon: i64, journal: &NotedActions) -> Vec<Episode> {
        self.jobs().iter().flat_map(|job| self.episodes_of(job, horizon, journal)).collect()
    }

    /// The holds of one job.
    pub fn episodes_of(
        &self,
        job: &JobHistory,
        horizon: i64,
        journal: &NotedActions,
    ) -> Vec<Episode> {
        let mut holds = Holds::default();
        let mut episodes = Vec::new();
        for (index, step) in job.steps.iter().enumerate() {
            let facts = JobFacts { history: self, job, index, journal };
            episodes.extend(holds.step(step.time, step.what, horizon, &facts));
        }
        episodes.extend(holds.end());
        episodes
    }

    /// The hold that `job` is in at `now`, from the log and, where given, from its ad in the queue.
    /// `None` if neither tells of a hold.
    pub fn held_at(&self, job: JobId, in_queue: Option<&HoldInQueue>, now: i64) -> Option<Episode> {
        let history = self.job(job);
        let logged = history.and_then(|history| self.last_hold(history, now));
        let Some(queue) = in_queue else { return logged };
        let same = logged.filter(|episode| {
            episode.identity.code == queue.code
                && episode.identity.subcode == queue.subcode
                && episode.held_at >= queue.entered_current_status - EVENT_DELAY
        });
        let seen = same.as_ref();
        let held_at = seen.map_or(queue.entered_current_status, |episode| episode.held_at);
        let holds = queue.num_holds.or(seen.map(|episode| episode.identity.num_holds)).unwrap_or(1);
        let hold = Hold { code: queue.code, subcode: queue.subcode, reason: None };
        let mut episode = Episode::begun(job, held_at, hold, holds);
        episode.identity.entered_current_status = queue.entered_current_status;
        episode.step = seen.and_then(|episode| episode.step);
        episode.owner = self.owner_name(history, now);
        let reason =
            queue.reason.as_deref().map(|text| super::reason::canonical(text).into_owned());
        episode.reason = reason.or_else(|| seen.and_then(|episode| episode.reason.clone()));
        Some(episode)
    }

    /// What ended the hold of this ad, where a log shows that until `now` (Unix seconds) and no like
    /// hold after it. `since`: EnteredCurrentStatus. Without it only the end of the job counts:
    /// releases may be of earlier holds.
    pub(crate) fn end_of(
        &self,
        job: JobId,
        in_queue: &HoldInQueue,
        since: Option<i64>,
        now: i64,
    ) -> Option<Step> {
        let steps = self.job(job)?.steps_until(now);
        let ends = |step: &Step| match step.what {
            What::Released { .. } => since.is_some_and(|since| step.time > since),
            What::Removed | What::Terminated(_) => since.is_none_or(|since| step.time > since),
            _ => false,
        };
        let end = steps.iter().rposition(ends)?;
        let is_held = |step: &Step| matches!(step.what, What::Held(hold) if (hold.code, hold.subcode) == (in_queue.code, in_queue.subcode));
        (!steps[end..].iter().any(is_held)).then_some(steps[end])
    }

    /// The hold that the job's ad of the queue shows. `None` where that does not say since when.
    pub(crate) fn hold_in_queue(&self, job: &JobHistory) -> Option<HoldInQueue> {
        let ad = job.ads.last()?;
        let Hold { code, subcode, reason } = ad.hold?;
        Some(HoldInQueue {
            entered_current_status: ad.entered_current_status?,
            num_holds: ad.num_holds,
            code,
            subcode,
            reason: reason.map(|reason| self.symbols.name(reason).to_owned()),
        })
    }

    /// The jobs that the logs show held at `now` (Unix seconds) and that are wanted, by id and
    /// owner; in the order of their ids.
    pub fn held(
        &self,
        now: i64,
        mut wanted: impl FnMut(JobId, Option<&str>) -> bool,
    ) -> Vec<JobId> {
        let jobs = self.jobs().iter().map(|job| job.job);
        let mut held: Vec<JobId> = jobs
            .filter(|&job| {
                let hold = self.held_at(job, None, now);
                hold.is_some_and(|hold| wanted(job, hold.owner.as_deref()))
            })
            .collect();
        held.sort_unstable();
        held
    }

    fn last_hold(&self, job: &JobHistory, now: i64) -> Option<Episode> {
        let steps = job.steps_until(now);
        let (index, last) = steps.iter().enumerate().next_back()?;
        let What::Held(hold) = last.what else { return None };
        let holds = steps.iter().filter(|step| matches!(step.what, What::Held(_))).count();
        let mut episode = self.episode(job, index, hold, i64::try_from(holds).unwrap_or(i64::MAX));
        episode.owner = self.owner_name(Some(job), now);
        Some(episode)
    }

    fn episode(&self, job: &JobHistory, index: usize, hold: Hold, holds: i64) -> Episode {
        let held_at = job.steps[index].time;
        let mut episode = Episode::begun(job.job, held_at, hold, holds);
        episode.step = Some(index);
        // A log that begins later than the job lacks holds that its ad has counted.
        if !job.from_submission() {
            episode.identity.num_holds = holds_with_ads(&job.ads, held_at, holds);
        }
        episode.owner = self.owner_name(Some(job), i64::MAX);
        episode.reason = hold.reason.map(|reason| self.symbols.name(reason).to_owned());
        episode
    }

    fn owner_name(&self, job: Option<&JobHistory>, instant: i64) -> Option<String> {
        let owner = job?.owner_at(instant)?;
        Some(self.symbols.name(owner).to_owned())
    }
}

impl Episode {
    /// A hold as event 012 tells it, but for its reason.
    pub(super) fn begun(job: JobId, held_at: i64, hold: Hold, num_holds: i64) -> Self {
        Self {
            identity: HoldIdentity {
                job,
                // An epoch ad has the beginning of the run there, not that of the hold.
                entered_current_status: held_at,
                num_holds,
                code: hold.code,
                subcode: hold.subcode,
            },
            step: None,
            owner: None,
            reason: None,
            held_at,
            released_at: None,
            released_by_person: false,
            action: Action::Unknown,
            outcome: None,
            outcome_at: None,
            until: Until::default(),
            ran: 0,
            left_at: None,
            removed: false,
        }
    }

    /// What was done before the release, as the ads known at `instant` show it.
    pub fn action_as_known(&self, job: &JobHistory, instant: i64) -> Action {
        let Some(released_at) = self.released_at else { return Action::Unknown };
        let known = job.ads.partition_point(|ad| ad.known <= instant);
        action_between_ads(&job.ads[..known], self.held_at, released_at)
    }
}

/// NumHolds of the hold made at `held_at`, of which the log tells so many before and with it.
pub(super) fn holds_with_ads(ads: &[AdFacts], held_at: i64, told: i64) -> i64 {
    ad_of_hold(ads, held_at).and_then(|ad| ad.num_holds).map_or(told, |counted| counted.max(told))
}

/// The ad that tells of the hold made at `held_at`, of those in the order they became known: none
/// was known before the job entered its status, and none enters an earlier one later.
fn ad_of_hold(ads: &[AdFacts], held_at: i64) -> Option<&AdFacts> {
    let (from, until) = (held_at - EVENT_DELAY, held_at + EVENT_DELAY);
    let known = &ads[ads.partition_point(|ad| ad.known < from)..];
    let entered = |ad: &AdFacts| ad.entered_current_status;
    let mut near = known.iter().take_while(|ad| entered(ad).is_none_or(|at| at <= until));
    near.find(|ad| entered(ad).is_some_and(|at| at >= from))
}

/// What was edited, from the last ad of the runs before the release and the first of those after
/// it. Ads that miss on either side leave it unknown: `condor_qedit` writes no event.
pub(super) fn action_between_ads(ads: &[AdFacts], held_at: i64, released_at: i64) -> Action {
    // The shadow writes the epoch ad of the held run as it exits, around the hold and before the
    // release.
    let split = ads.partition_point(|ad| ad.known <= released_at);
    let (Some(before), Some(after)) = (ads[..split].last(), ads.get(split)) else {
        return Action::Unknown;
    };
    if before.known < held_at - EVENT_DELAY {
        return Action::Unknown;
    }
    let raised = |before: Option<f64>, after: Option<f64>| matches!((before, after), (Some(b), Some(a)) if a > b);
    let edited = |before: Option<u64>, after: Option<u64>| {
        before.is_some() && after.is_some() && before != after
    };
    if raised(before.request_memory, after.request_memory) {
        Action::Memory
    } else if raised(before.request_disk, after.request_disk) {
        Action::Disk
    } else if edited(before.requirements, after.requirements) {
        Action::Site
    } else if edited(before.description, after.description) {
        Action::Other
    } else {
        Action::AsIs
    }
}

/// What the history knows of a job beside its steps.
struct JobFacts<'a> {
    history: &'a History,
    job: &'a JobHistory,
    /// The step that is taken.
    index: usize,
    journal: &'a NotedActions,
}

impl Facts for JobFacts<'_> {
    fn begin(&self, _: i64, hold: Hold, count: i64) -> Episode {
        self.history.episode(self.job, self.index, hold, count)
    }

    fn action(&self, episode: &Episode, released_at: i64) -> Action {
        let noted = self.journal.action(self.job.job, released_at);
        noted.unwrap_or_else(|| action_between_ads(&self.job.ads, episode.held_at, released_at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Exit;
    use super::*;

    const DAY: i64 = 86_400;

    fn held(code: i32) -> What {
        What::Held(Hold { code, subcode: 0, reason: None })
    }

    fn released() -> What {
        What::Released { by_person: true }
    }

    fn outcomes(steps: &[(i64, What)]) -> Vec<Option<Outcome>> {
        let mut job = JobHistory { job: JobId::new(1, 0), ..JobHistory::default() };
        job.steps = steps.iter().map(|&(time, what)| Step { time, what }).collect();
        let history = History::default();
        let episodes = history.episodes_of(&job, DAY, &NotedActions::default());
        episodes.into_iter().map(|episode| episode.outcome).collect()
    }

    #[test]
    fn success_is_an_exit_with_code_zero() {
        let ok = What::Terminated(Exit::Success);
        assert_eq!(outcomes(&[(1, held(13)), (2, released()), (9, ok)]), [Some(Outcome::Success)]);
        let bad = What::Terminated(Exit::Code(1));
        assert_eq!(outcomes(&[(1, held(13)), (2, released()), (9, bad)]), [Some(Outcome::Failure)]);
        let killed = What::Terminated(Exit::Signal(9));
        assert_eq!(
            outcomes(&[(1, held(13)), (2, released()), (9, killed)]),
            [Some(Outcome::Failure)]
        );
    }

    #[test]
    fn an_end_of_which_the_log_does_not_say_how_is_neither() {
        let log = "005 (001.000.000) 2026-01-02 03:04:05 Job terminated.\n\t1  -  Run Bytes Sent By Job\n...\n";
        let options = eventlog::ReadOptions::in_zone(jiff::tz::TimeZone::UTC);
        let event = eventlog::Events::with_options(log.as_bytes(), &options).next();
        let event = event.unwrap().unwrap();
        let ended = What::of(&event, &mut crate::history::Symbols::default()).unwrap();
        assert_eq!(ended, What::Terminated(Exit::Unknown));
        assert_eq!(
            outcomes(&[(1, held(13)), (2, released()), (9, ended)]),
            [Some(Outcome::Censored)]
        );
        // Nor is it in HTCondor's attributes, in the other forms and in what is written.
        let ad = event.to_ad(&jiff::tz::TimeZone::UTC);
        for name in ["TerminatedNormally", "ReturnValue", "TerminatedBySignal"] {
            assert!(ad.get(name).is_none(), "{name}");
        }
        let mut written = Vec::new();
        let date = eventlog::DateForm::iso(jiff::tz::TimeZone::UTC);
        let header =
            eventlog::EventHeader { job: event.job, subproc: 0, time: event.time, date: &date };
        eventlog::write_event(&mut written, &header, &event.body()).unwrap();
        assert!(!String::from_utf8(written).unwrap().contains("termination"));
        for (before, behind) in [
            ("{\"EventTypeNumber\":5,\"EventTime\":\"2026-01-02T03:04:05\",\"Cluster\":1", "}\n"),
            (
                "<c><a n=\"EventTypeNumber\"><i>5</i></a><a n=\"EventTime\"><s>2026-01-02T03:04:05</s></a>",
                "</c>\n",
            ),
        ] {
            let log = format!("{before}{behind}");
            let mut reader = eventlog::LogReader::new(log.as_bytes(), &options);
            let event = reader.next_event().unwrap().unwrap();
            let ended = What::of(&event, &mut crate::history::Symbols::default());
            assert_eq!(ended, Some(What::Terminated(Exit::Unknown)), "{log}");
        }
    }

    #[test]
    fn held_again_by_the_system_is_failure_by_a_person_is_censored() {
        assert_eq!(
            outcomes(&[(1, held(13)), (2, released()), (9, held(13))]),
            [Some(Outcome::Failure), None]
        );
        assert_eq!(
            outcomes(&[(1, held(13)), (2, released()), (9, held(1))]),
            [Some(Outcome::Censored), None]
        );
    }

    #[test]
    fn an_eviction_decides_nothing() {
        let ok = What::Terminated(Exit::Success);
        assert_eq!(
            outcomes(&[
                (1, held(13)),
                (2, released()),
                (5, What::Evicted(None)),
                (6, What::Executing(None)),
                (9, ok)
            ]),
            [Some(Outcome::Success)]
        );
    }

    #[test]
    fn beyond_the_horizon_or_removed_is_censored_and_never_released_has_no_label() {
        let ok = What::Terminated(Exit::Success);
        assert_eq!(
            outcomes(&[(1, held(13)), (2, released()), (3 + DAY, ok)]),
            [Some(Outcome::Censored)]
        );
        assert_eq!(
            outcomes(&[(1, held(13)), (2, released()), (9, What::Removed)]),
            [Some(Outcome::Censored)]
        );
        assert_eq!(outcomes(&[(1, held(13)), (9, What::Removed)]), [None]);
    }

    #[test]
    fn a_hold_of_a_held_job_is_another_episode_and_the_release_belongs_to_it() {
        let ok = What::Terminated(Exit::Success);
        assert_eq!(
            outcomes(&[(1, held(13)), (2, held(1)), (3, released()), (9, ok)]),
            [None, Some(Outcome::Success)]
        );
    }
}
