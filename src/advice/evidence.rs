//! Why: this job's history, what became of like holds, and what goes on around it.

use schemars::JsonSchema;
use serde::Serialize;

use super::exit_status::ExitStatus;
use super::figure::{Count, Figure};
use super::files::ProgramWords;
use super::{FailedTransfer, Held, LimitSeen, Refusal, Spent, Trouble};
use crate::checks::Check;
use crate::diagnosis::Said;
use crate::features::{Neighbourhood, Scope};
use crate::history::reason::code_of_transfer;
use crate::history::{
    AdFacts, Episode, EventLogView, Exit, History, HoldIdentity, JobHistory, What,
};
use crate::hold_code::{self, Cause, cause_of};
use crate::text::Foreign;

/// How a hold ended that an ad still shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Ending {
    /// The job was released.
    Released,
    /// It was removed.
    Removed,
    /// It terminated.
    Terminated,
}

/// Something that was seen of a hold: of the job itself, or of other jobs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum Evidence {
    /// A log shows that the hold of its ad is over: the ad is older.
    Over {
        /// How it ended.
        by: Ending,
        /// Seconds ago.
        seconds_ago: Count,
    },
    /// A file that the job needs was looked at.
    File {
        /// What was found.
        #[serde(flatten)]
        check: Check,
    },
    /// Its program wrote why it failed.
    ProgramWords {
        /// What it wrote.
        #[serde(flatten)]
        words: ProgramWords,
    },
    /// Its program's output says nothing of a failure.
    SilentOutput {
        /// The file.
        path: Foreign,
    },
    /// A file-transfer plug-in reported why the transfer failed that put it on hold.
    TransferError {
        /// What it reported.
        #[serde(flatten)]
        transfer: Box<FailedTransfer>,
    },
    /// What its hold reason names was corrected since.
    Corrected {
        /// The URL, the file, or the executable.
        name: Foreign,
    },
    /// Its program ended with a status that names a kind of cause.
    Exit {
        /// How it ended.
        #[serde(flatten)]
        status: ExitStatus,
    },
    /// HTCondor said something of the job just before a hold that gives no reason.
    Message {
        /// What.
        text: Foreign,
        /// Seconds before the hold.
        seconds_before: Count,
    },
    /// Jobs of the cluster fail so at one place, and get through elsewhere.
    Place {
        /// The site, else the machine.
        place: Foreign,
        /// Jobs that failed so there within a day, this one among them.
        failed: Count,
        /// Jobs that got through there.
        passed: Count,
        /// Jobs that failed so elsewhere.
        failed_elsewhere: Count,
        /// Jobs that got through elsewhere.
        passed_elsewhere: Count,
    },
    /// The server of its URL refuses everybody.
    Refusal {
        /// What was seen of that.
        #[serde(flatten)]
        refusal: Refusal,
    },
    /// Other jobs began to execute since the hold.
    BeganSince {
        /// Which jobs.
        #[serde(flatten)]
        near: Near,
        /// How many.
        jobs: Count,
        /// Seconds since the last of them began.
        seconds_since_last: Option<Count>,
        /// Holds for the same code among them after the first of them began.
        held_again: Count,
    },
    /// No other job began to execute since the hold. Only an event log shows that.
    NoneBeganSince {
        /// Which jobs.
        #[serde(flatten)]
        near: Near,
        /// Seconds since the hold.
        seconds: Count,
    },
    /// Other jobs are held for this code now.
    HeldNow {
        /// Which jobs.
        #[serde(flatten)]
        near: Near,
        /// How many.
        jobs: Count,
        /// HoldReasonCode.
        code: i32,
    },
    /// Releases from the same code and subcode that ended since this hold, in the closest scopes
    /// that have any.
    ReleasedSince {
        /// What became of them, by scope.
        results: Vec<Results>,
    },
    /// Releases from the same code and subcode, in the closest scopes that have any.
    Released {
        /// HoldReasonCode.
        code: i32,
        /// HoldReasonSubCode.
        subcode: i32,
        /// After an edit; else without a known one.
        edited: bool,
        /// What became of them, by scope.
        results: Vec<Results>,
        /// Seconds since the first of them ended.
        seconds_since_first: Option<Count>,
    },
    /// The job's own history before this hold.
    OwnHistory {
        /// Times it began to execute.
        starts: Count,
        /// Holds before this one that its log shows.
        holds: Count,
        /// NumHolds counts as many: an ad may count more than a log that begins late, and one hold
        /// twice.
        counts_agree: bool,
        /// Runs that exited with another status than 0.
        failed_runs: Count,
    },
    /// What like jobs that finished needed, against the limit that held this one.
    Limit {
        /// That, and what it says.
        #[serde(flatten)]
        seen: LimitSeen,
    },
    /// Slot hours that a run of it takes until it is held, and those of all its runs.
    SlotHours {
        /// Of a run.
        run: Figure,
        /// Of all runs.
        total: Figure,
    },
    /// Memory of its last run.
    Memory {
        /// MemoryUsage, MiB.
        used: Figure,
        /// MemoryProvisioned, MiB.
        provisioned: Figure,
        /// The share of that, percent.
        #[serde(skip)]
        share: Figure,
        /// RequestMemory now, MiB, where it is more than that.
        asked: Option<Figure>,
    },
}

/// Jobs that share something with the held job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Near {
    /// What they share.
    pub scope: Scope,
    /// Site, file server or file, where known.
    pub name: Option<Foreign>,
    /// The file is an input: it could not be read. Any other path in a reason is only named there.
    pub input: bool,
}

/// What became of releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Results {
    /// Of which jobs.
    #[serde(flatten)]
    pub near: Near,
    /// Exited with 0.
    pub successes: Count,
    /// Exited otherwise, or went on hold again.
    pub failures: Count,
    /// Both.
    #[serde(skip)]
    pub all: Count,
}

/// What was seen around a hold, with what names it.
struct Around<'a> {
    hold: &'a Episode,
    neighbourhoods: Vec<&'a Neighbourhood>,
    input: bool,
    now: i64,
}

/// The evidence, the most telling first.
pub(super) fn evidence(
    hold: &Episode,
    job: Option<&JobHistory>,
    neighbourhoods: &[Neighbourhood],
    spent: &Spent,
    event_log: EventLogView,
    now: i64,
) -> Vec<Evidence> {
    let is_text = |near: &Neighbourhood| {
        matches!(near.scope, Scope::Server | Scope::File) && !is_about_files(hold)
    };
    let reason = hold.reason.as_deref().unwrap_or_default();
    let around = Around {
        hold,
        neighbourhoods: neighbourhoods.iter().filter(|near| !is_text(near)).collect(),
        input: matches!(code_of_transfer(hold.identity.code, reason), 8 | 10 | 13 | 14),
        now,
    };
    let mut seen = around.now(event_log);
    seen.extend(around.released_since());
    seen.extend(around.released());
    seen.extend(job.and_then(|job| own_history(hold, job)));
    seen.extend(hours(spent));
    seen.extend(job.and_then(|job| job.ad_at(now)).and_then(memory));
    seen
}

/// Seconds before a hold without a reason in which its cause is looked for.
const JUST_BEFORE: i64 = 600;

/// What HTCondor said just before the hold, where that gives no reason of its own.
pub(super) fn message(hold: &Episode, job: &JobHistory, history: &History) -> Option<Evidence> {
    let reason = hold.reason.as_deref().unwrap_or_default();
    let before = |at: i64| hold.held_at.saturating_sub(at);
    let message = job.message.filter(|message| (0..=JUST_BEFORE).contains(&before(message.since)));
    let message = message.filter(|_| hold.identity.code == 0 || reason.is_empty())?;
    let text = history.symbols.name(message.value).into();
    Some(Evidence::Message { text, seconds_before: before(message.since).into() })
}

/// That a log shows the hold of the job's ad to be over at `now`.
pub(super) fn over(held: &Held, history: &History, now: i64) -> Option<Evidence> {
    let since = held.facts.entered_current_status;
    let end = history.end_of(held.job, held.in_queue.as_ref()?, since, now)?;
    let by = match end.what {
        What::Removed => Ending::Removed,
        What::Terminated(_) => Ending::Terminated,
        _ => Ending::Released,
    };
    Some(Evidence::Over { by, seconds_ago: now.saturating_sub(end.time).into() })
}

/// Whether a hold is about files: a URL or path in the reason of another, as of a policy, is text.
fn is_about_files(hold: &Episode) -> bool {
    matches!(
        cause_of(hold.identity.code),
        Cause::Transfer | Cause::Connection | Cause::FileSystem | Cause::Unknown
    )
}

/// Scopes in which releases are counted, the closest first.
const RELEASED: [Scope; 6] =
    [Scope::Cluster, Scope::Reason, Scope::File, Scope::Server, Scope::Site, Scope::AccessPoint];

/// Scopes that one piece of evidence has results of.
const SCOPES: usize = 3;

impl<'a> Around<'a> {
    fn near(&self, neighbourhood: &Neighbourhood) -> Near {
        let named = matches!(neighbourhood.scope, Scope::Site | Scope::Server | Scope::File);
        let name = neighbourhood.name.clone().filter(|name| named && !name.is_empty());
        let name = name.map(Foreign::from);
        let input = self.input && neighbourhood.scope == Scope::File;
        Near { scope: neighbourhood.scope, name, input }
    }

    /// Where a job runs may have to do with such a hold.
    fn is_of_places(&self) -> bool {
        let HoldIdentity { code, subcode, .. } = self.hold.identity;
        let reason = self.hold.reason.as_deref().unwrap_or_default();
        hold_code::is_by_system(code)
            && !Said::of(code, subcode, reason).trouble().is_some_and(Trouble::lasts)
    }

    /// Those of some scopes, in the order of these.
    fn closest(&self, scopes: &[Scope]) -> impl Iterator<Item = &'a Neighbourhood> {
        scopes
            .iter()
            .filter_map(|&scope| self.neighbourhoods.iter().copied().find(|n| n.scope == scope))
    }

    /// The closest scope in which others got through, and the one in which they are held.
    fn now(&self, event_log: EventLogView) -> Vec<Evidence> {
        const CLOSEST: [Scope; 6] = [
            Scope::File,
            Scope::Server,
            Scope::Cluster,
            Scope::Reason,
            Scope::Site,
            Scope::AccessPoint,
        ];
        // What goes on at a site says nothing about a file that is missing, or what a person has in
        // mind.
        let scopes = if self.is_of_places() { &CLOSEST[..] } else { &CLOSEST[..4] };
        let since = |time: i64| self.now.saturating_sub(time);
        let seconds = since(self.hold.held_at);
        let through = self.closest(scopes).find(|near| near.started_since > 0);
        let began = match through {
            Some(near) => Some(Evidence::BeganSince {
                near: self.near(near),
                jobs: near.started_since.into(),
                seconds_since_last: near.last_started.map(|last| since(last).into()),
                held_again: near.held_after_start.into(),
            }),
            // Only the event log shows that nothing happened.
            None if event_log == EventLogView::Whole && seconds >= LEAST_SILENCE => {
                self.closest(&[Scope::Server, Scope::Cluster]).next().map(|near| {
                    Evidence::NoneBeganSince { near: self.near(near), seconds: seconds.into() }
                })
            }
            None => None,
        };
        let held = self.closest(&CLOSEST).find(|near| near.held_now_same_code > 0);
        let held = held.map(|near| Evidence::HeldNow {
            near: self.near(near),
            jobs: near.held_now_same_code.into(),
            code: self.hold.identity.code,
        });
        began.into_iter().chain(held).collect()
    }

    /// The closest scopes that have results, with these; a wider one that has no more than the one
    /// before adds nothing.
    fn results(
        &self,
        scopes: &[Scope],
        of: impl Fn(&Neighbourhood) -> (usize, usize),
    ) -> (Vec<Results>, Option<i64>) {
        let mut results: Vec<Results> = Vec::new();
        let mut first: Option<i64> = None;
        for near in self.closest(scopes) {
            let (successes, failures) = of(near);
            let one = Results {
                near: self.near(near),
                successes: successes.into(),
                failures: failures.into(),
                all: (successes + failures).into(),
            };
            let is_new = results.last().is_none_or(|last| {
                (last.successes, last.failures) != (one.successes, one.failures)
            });
            if (successes, failures) != (0, 0) && is_new && results.len() < SCOPES {
                results.push(one);
                first = [first, near.first_outcome].into_iter().flatten().min();
            }
        }
        (results, first)
    }

    /// What became of releases from the same code and subcode that ended since this hold.
    fn released_since(&self) -> Option<Evidence> {
        const CLOSEST: [Scope; 4] = [Scope::Reason, Scope::Cluster, Scope::Server, Scope::Site];
        let (results, _) = self.results(&CLOSEST, |near| near.released_since);
        (!results.is_empty()).then_some(Evidence::ReleasedSince { results })
    }

    /// What became of all releases from the same code and subcode.
    fn released(&self) -> Vec<Evidence> {
        let (code, subcode) = (self.hold.identity.code, self.hold.identity.subcode);
        let of = |edited: bool| {
            let counts = if edited { Neighbourhood::changed } else { Neighbourhood::as_is };
            // What was edited is known a little after the outcome: until then the counts would be
            // of two times.
            let (results, first) = self.results(&RELEASED, |near| match near.outcomes_pending {
                true => (0, 0),
                false => counts(near),
            });
            let seconds_since_first = first.map(|first| self.now.saturating_sub(first).into());
            (!results.is_empty()).then_some(Evidence::Released {
                code,
                subcode,
                edited,
                results,
                seconds_since_first,
            })
        };
        [false, true].into_iter().filter_map(of).collect()
    }
}

/// Seconds after a hold from which on it means something that nothing began.
const LEAST_SILENCE: i64 = 60;

/// Share of the memory provisioned from which on its use may matter.
const LEAST_SHARE: f64 = 0.5;

/// Slot hours from which on they matter.
const LEAST_HOURS: f64 = 0.5;

/// What a run of it costs, and what all have cost.
fn hours(spent: &Spent) -> Option<Evidence> {
    let run = spent.run.filter(|run| *run >= LEAST_HOURS)?;
    Some(Evidence::SlotHours { run: run.into(), total: spent.total.into() })
}

fn own_history(hold: &Episode, job: &JobHistory) -> Option<Evidence> {
    let steps = &job.steps[..hold.step.map_or(0, |step| step.min(job.steps.len()))];
    let count = |wanted: fn(&What) -> bool| steps.iter().filter(|step| wanted(&step.what)).count();
    let holds = count(|what| matches!(what, What::Held(_)));
    (!steps.is_empty()).then(|| Evidence::OwnHistory {
        starts: count(|what| matches!(what, What::Executing(_))).into(),
        holds: holds.into(),
        counts_agree: hold.identity.num_holds == holds as i64 + 1,
        failed_runs: count(|what| {
            matches!(what, What::Terminated(Exit::Code(_) | Exit::Signal(_)))
        })
        .into(),
    })
}

fn memory(ad: &AdFacts) -> Option<Evidence> {
    let provisioned = ad.memory_provisioned.filter(|given| *given > 0.0)?;
    let used = ad.memory_usage.filter(|used| *used >= provisioned * LEAST_SHARE)?;
    let asked = ad.request_memory.filter(|asked| *asked > provisioned);
    Some(Evidence::Memory {
        used: used.into(),
        provisioned: provisioned.into(),
        share: (used / provisioned * 100.0).into(),
        asked: asked.map(Figure::from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_named_from_half_an_hour_on() {
        let of = |run: f64| hours(&Spent { run: Some(run), total: 3.0 }).is_some();
        assert!(!of(0.01) && of(0.5));
        assert_eq!(hours(&Spent::default()), None);
    }
}
