//! One of many jobs that are held for one cause is released, to see what becomes of it.
//!
//! A release tells of the cause whether it is over, for all jobs that share it: one that fails costs
//! a run of one job, the others stay as they are. At most one such release is open for a cause. The
//! job is drawn by a hash of its id and hold, which no property of the job moves, so that what is
//! learned from it holds for the others; the same hold gives the same draw in every call.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choices::{Against, Group};
use super::command::{Since, Target};
use super::decide::MOST_FAILED;
use super::meaning::SharedCause;
use super::own_runs;
use super::seen::reads;
use crate::catalogue::Trouble;
use crate::diagnosis::Said;
use crate::history::reason::code_of_transfer;
use crate::history::{Exit, History, Hold, JobHistory, What};
use crate::hold_code::{self, About};
use crate::sizes::Resource;
use eventlog::JobId;
use eventlog::fnv1a;

/// A try is thought of where so many jobs are held for one cause: with two of them it saves next to
/// nothing. Assumed.
const LEAST_HELD: usize = 3;

/// Seconds from the first hold until the first try, unless others got through: many causes pass
/// within minutes. Assumed.
const FIRST_TRY: i64 = 600;

/// A cause that has lasted for so long at a failed try is tried again after this many times that.
/// Assumed: tries get rare as a cause lasts.
const BACK_OFF: i64 = 3;

/// Where time may end a cause, one of its jobs is tried so many seconds after the last of them failed,
/// however few they are: advice that has brought nothing until then is worth another try. Assumed.
const LAPSES: i64 = 12 * 3_600;

/// Seconds after which a try that has not begun to execute counts as neither success nor failure.
/// Assumed.
const MOST_IDLE: i64 = 3_600;

/// So many tries that ended in a trouble that stays show that it is the others' too.
const LASTING_TRIES: usize = 2;

/// Which job to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct TryOne {
    /// The job that was drawn.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub job: JobId,
    /// The hold that its release acts on.
    #[serde(skip)]
    pub target: Target,
    /// Held jobs of the cluster that share the cause, this one among them.
    pub held: usize,
    /// Jobs that it was drawn from, each with the same chance.
    pub drawn_from: usize,
    /// What will show that it got through.
    pub success: TrySuccess,
    /// Seconds idle after which it shows nothing.
    pub unknown_after: i64,
}

/// A job as `cluster.proc`.
pub(super) fn as_text<S: serde::Serializer>(job: &JobId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(job)
}

/// What shows that a job which was released got through.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
pub enum TrySuccess {
    /// It begins to execute: its input has arrived.
    Begins,
    /// It runs for longer than the run that was held.
    RunsLonger,
    /// It exits with 0.
    Finishes,
}

impl TrySuccess {
    /// What counts for a hold with these codes and this reason.
    pub fn of(code: i32, text: &str) -> Self {
        let code = code_of_transfer(code, text);
        match hold_code::about(code) {
            _ if reads(code) => Self::Begins,
            Some(About::Duration { .. }) => Self::RunsLonger,
            _ => Self::Finishes,
        }
    }
}

/// What time does to a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// It ends no such cause.
    Nothing,
    /// It may end it.
    Helps,
    /// It may end it, and the event log would show others that got through.
    Tells,
}

/// How a release ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Through,
    Failed,
    /// In a hold for another cause that stays until somebody acts.
    Lasting,
    /// In nothing that tells.
    Censored,
}

/// A release of a job from a hold for the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attempt {
    job: JobId,
    at: i64,
    /// When and how it ended. `None`: it goes on.
    ended: Option<(i64, Ended)>,
}

/// A job that is held now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    job: JobId,
    held_at: i64,
    /// Releases in a row that ended in a hold like this one.
    failed: usize,
}

/// The jobs of a cluster with holds for one cause, as they are at an instant.
#[derive(Debug, Default)]
pub(super) struct Tries {
    members: Vec<Member>,
    attempts: Vec<Attempt>,
    /// The first hold of those that are held now.
    since: i64,
    success: Option<TrySuccess>,
    /// HoldReasonCode.
    code: Option<i32>,
    summary: Summary,
}

/// What attempts and members show, added up once.
#[derive(Debug, Default)]
struct Summary {
    /// An attempt that goes on.
    open: Option<JobId>,
    /// The first that got through.
    worked: Option<JobId>,
    /// The last that ended in a trouble that stays, and how many did.
    lasting: Option<JobId>,
    lastings: usize,
    /// When others failed, in the order of their times.
    failed: Vec<i64>,
    /// Successes, and failures after the first of them.
    results: (usize, usize),
    /// The jobs to draw from, and the one drawn.
    candidates: usize,
    drawn: Option<Member>,
}

impl Tries {
    /// Adds a hold of `job` for this cause, its step `at`, if that is before `now`.
    pub(super) fn add(
        &mut self,
        history: &History,
        job: &JobHistory,
        at: usize,
        (hold, cause): (Hold, &SharedCause),
        now: i64,
    ) {
        let held_at = job.steps[at].time;
        if held_at > now {
            return;
        }
        let text = hold.reason.map_or("", |reason| history.symbols.name(reason));
        let success = self.about(hold, text);
        let rest = &job.steps[at + 1..];
        let known = rest.partition_point(|step| step.time <= now);
        let rest = &rest[..known];
        match rest.first().map(|step| step.what) {
            None => {
                self.members.push(Member { job: job.job, held_at, failed: job.failed_alike(at) });
            }
            Some(What::Released { .. }) => {
                let ran = run_before(&job.steps[..at], held_at);
                let at = rest[0].time;
                let ended = ended(history, &rest[1..], cause, success, ran, now);
                // What got through with more shows nothing of those that have as little.
                let resource = Resource::of_hold(hold.code, Some(hold.subcode), text);
                let with_more = |ended_at: i64| {
                    let had = |at| own_runs::had(job, at, resource?);
                    had(held_at).zip(had(ended_at)).is_none_or(|(held, ended)| ended > held)
                };
                let ended = ended.map(|(at, end)| match end {
                    Ended::Through if resource.is_some() && with_more(at) => (at, Ended::Censored),
                    _ => (at, end),
                });
                let ended = ended.or_else(|| {
                    let began =
                        rest[1..].iter().any(|step| matches!(step.what, What::Executing(_)));
                    let until = at.saturating_add(MOST_IDLE);
                    (!began && until <= now).then_some((until, Ended::Censored))
                });
                self.attempts.push(Attempt { job: job.job, at, ended });
            }
            Some(_) => {}
        }
    }

    /// Adds a job that only its ad in the queue shows held.
    pub(super) fn add_unlogged(&mut self, job: JobId, held_at: i64, hold: Hold, text: &str) {
        self.about(hold, text);
        self.members.push(Member { job, held_at, failed: 0 });
    }

    /// All holds have one code and cause.
    fn about(&mut self, hold: Hold, text: &str) -> TrySuccess {
        self.code = Some(hold.code);
        *self.success.get_or_insert_with(|| TrySuccess::of(hold.code, text))
    }

    /// Once all are added.
    pub(super) fn settled(mut self) -> Self {
        self.since = self.members.iter().map(|member| member.held_at).min().unwrap_or(i64::MAX);
        // What was released before the first of these holds says nothing of their cause.
        self.attempts.retain(|attempt| attempt.at >= self.since);
        self.attempts.sort_by_key(|attempt| attempt.at);
        self.summary = self.summary();
        self
    }

    fn summary(&self) -> Summary {
        let of = |wanted: Ended| {
            let ended = self.attempts.iter().filter_map(|one| Some((one.job, one.ended?)));
            ended.filter(move |(_, (_, end))| *end == wanted).map(|(job, (at, _))| (job, at))
        };
        let mut failed: Vec<i64> = of(Ended::Failed).map(|(_, at)| at).collect();
        failed.sort_unstable();
        let first = of(Ended::Through).map(|(_, at)| at).min();
        let after =
            first.map_or(0, |first| failed.len() - failed.partition_point(|at| *at <= first));
        Summary {
            open: self.attempts.iter().find(|one| one.ended.is_none()).map(|one| one.job),
            worked: of(Ended::Through).next().map(|(job, _)| job),
            lasting: of(Ended::Lasting).next_back().map(|(job, _)| job),
            lastings: of(Ended::Lasting).count(),
            results: (of(Ended::Through).count(), after),
            failed,
            candidates: self.candidates().count(),
            drawn: self.candidates().min_by_key(|member| member.order()).copied(),
        }
    }

    /// Those that were released least often for this cause.
    fn candidates(&self) -> impl Iterator<Item = &Member> {
        let least = self.members.iter().map(|member| member.failed).min();
        self.members.iter().filter(move |member| Some(member.failed) == least)
    }

    /// What is known of a try at `now`. `news`: since when others were seen to get through, or a
    /// check may have shown that the cause is over; Unix seconds. `time`: what that does to the cause.
    pub(super) fn group(&self, news: Option<i64>, time: Time, now: i64) -> Group {
        let since = news.unwrap_or(self.since);
        let Summary { worked, failed, lastings, .. } = &self.summary;
        let failed =
            worked.is_none() && (*lastings > 0 || failed.last().is_some_and(|at| *at >= since));
        Group { held: self.members.len().max(1), against: self.against(news, time, now), failed }
    }

    fn against(&self, news: Option<i64>, time: Time, now: i64) -> Option<Against> {
        let Summary { open, worked, lasting, lastings, failed, drawn, .. } = &self.summary;
        // After one that got through, and none that failed since, nothing hangs on the next ones.
        let shown = worked.is_some() && self.summary.results.1 == 0;
        if let Some(job) = open.filter(|_| !shown) {
            return Some(Against::OpenTry { job });
        }
        let times = drawn.map_or(0, |drawn| drawn.failed);
        let last = failed.last().map_or(self.since, |at| self.since.max(*at));
        // Twice as long each time that those which failed least have failed.
        let lapses = last.saturating_add(LAPSES << times.min(6));
        let lapsed = time == Time::Tells && lapses <= now;
        if self.members.len() < LEAST_HELD && !lapsed {
            return Some(Against::FewHeld);
        }
        if let Some(job) = *worked {
            return Some(Against::TryWorked { job });
        }
        if let Some(job) = lasting.filter(|_| *lastings >= LASTING_TRIES) {
            return Some(Against::TriesFailed { job });
        }
        if times >= MOST_FAILED && !lapsed {
            return Some(Against::FailedBefore { releases: times });
        }
        // Where no time helps a try shows what the hold has shown.
        if time == Time::Nothing && news.is_none() {
            return Some(Against::NothingChanged);
        }
        let until = match (failed.last().copied(), news) {
            (None, Some(_)) => self.since,
            (None, None) => self.since.saturating_add(FIRST_TRY),
            (Some(last), None) => {
                last.saturating_add(((last - self.since) * BACK_OFF).max(FIRST_TRY))
            }
            (Some(last), Some(news)) => {
                let since_news = failed.len() - failed.partition_point(|at| *at < news);
                let times = u32::try_from(since_news).unwrap_or(u32::MAX).checked_sub(1);
                let pause = times.map(|n| BACK_OFF.saturating_pow(n).saturating_mul(FIRST_TRY));
                last.saturating_add(pause.unwrap_or(0))
            }
        };
        let until = if time == Time::Tells { until.min(lapses) } else { until };
        (until > now).then_some(Against::TooEarly { until })
    }

    /// Successes, and failures after the first of them.
    pub(super) fn results(&self) -> (usize, usize) {
        self.summary.results
    }

    /// The job to release, but for these.
    pub(super) fn draw(&self, history: &History, not: &HashSet<JobId>) -> Option<TryOne> {
        let candidates = || self.candidates().filter(|member| !not.contains(&member.job));
        let (drawn, drawn_from) = match not.is_empty() {
            true => (self.summary.drawn?, self.summary.candidates),
            false => {
                let drawn = candidates().min_by_key(|member| member.order())?;
                (*drawn, candidates().count())
            }
        };
        let of_log = Target {
            job: drawn.job,
            code: self.code,
            num_holds: None,
            since: Some(Since::NotAfter(drawn.held_at)),
        };
        let in_queue = history.job(drawn.job).and_then(|job| history.hold_in_queue(job));
        let target = in_queue.map_or(of_log, |hold| Target {
            code: Some(hold.code),
            num_holds: hold.num_holds,
            since: Some(Since::At(hold.entered_current_status)),
            ..of_log
        });
        Some(TryOne {
            job: drawn.job,
            target,
            held: self.members.len(),
            drawn_from,
            success: self.success?,
            unknown_after: MOST_IDLE,
        })
    }
}

impl Member {
    /// What it is drawn by.
    fn order(&self) -> (u64, JobId) {
        let JobId { cluster, proc } = self.job;
        let words = [i64::from(cluster), i64::from(proc), self.held_at];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        (fnv1a(&bytes), self.job)
    }
}

/// Seconds that the last run before a hold took; `None` where it did not begin.
fn run_before(steps: &[crate::history::Step], held_at: i64) -> Option<i64> {
    let run = steps.iter().rev().find(|step| {
        matches!(step.what, What::Executing(_) | What::Released { .. } | What::Evicted(_))
    })?;
    matches!(run.what, What::Executing(_)).then(|| held_at - run.time)
}

/// How a release ended, from the steps after it; `None` where it goes on.
fn ended(
    history: &History,
    steps: &[crate::history::Step],
    cause: &SharedCause,
    success: TrySuccess,
    ran: Option<i64>,
    now: i64,
) -> Option<(i64, Ended)> {
    let mut began = None;
    for step in steps {
        let longer = began.zip(ran).map(|(began, ran): (i64, i64)| began.saturating_add(ran + 1));
        if success == TrySuccess::RunsLonger
            && let Some(at) = longer.filter(|at| *at <= step.time)
        {
            return Some((at, Ended::Through));
        }
        let end = match step.what {
            What::Executing(_) if success == TrySuccess::Begins => Ended::Through,
            What::Executing(_) => {
                began = Some(step.time);
                continue;
            }
            What::Evicted(_) | What::ShadowException => {
                began = None;
                continue;
            }
            What::Terminated(Exit::Success) => Ended::Through,
            What::Terminated(Exit::Unknown) | What::Removed => Ended::Censored,
            What::Terminated(_) => Ended::Failed,
            What::Held(hold) if !hold.is_by_system() => Ended::Censored,
            What::Held(hold) => {
                let text = hold.reason.map_or("", |reason| history.symbols.name(reason));
                let same = SharedCause::of(hold.code, hold.subcode, text) == *cause;
                let lasts =
                    Said::of(hold.code, hold.subcode, text).trouble().is_some_and(Trouble::lasts);
                if lasts && !same { Ended::Lasting } else { Ended::Failed }
            }
            _ => continue,
        };
        return Some((step.time, end));
    }
    match began.zip(ran) {
        Some((began, ran)) if success == TrySuccess::RunsLonger && now > began + ran => {
            Some((began + ran + 1, Ended::Through))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "try_one_tests.rs"]
mod tests;
