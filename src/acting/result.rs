//! What came of holds that were acted on, by the ads of their jobs.

use std::collections::HashMap;

use classads::ClassAd;

use super::candidate::cause_of;
use super::ramp::Attempt;
use crate::advice::TrySuccess;
use crate::history::HoldInQueue;
use crate::hold_code;
use crate::job_status::{COMPLETED, HELD, REMOVED, RUNNING, TRANSFERRING_OUTPUT};
use crate::journal::{
    Act, ActOutcome, ActStep, Advised, DecidedBy, Did, Entry, EntryKind, HoldOf, Result, owner_of,
};

/// Attributes that [`result_of`] reads.
pub const OPEN_ATTRIBUTES: &[&str] = &[
    "ClusterId",
    "ProcId",
    "Owner",
    "JobStatus",
    "NumHolds",
    "EnteredCurrentStatus",
    "HoldReasonCode",
    "HoldReasonSubCode",
    "HoldReason",
    "LastHoldReasonCode",
    "JobCurrentStartDate",
    "JobCurrentStartExecutingDate",
    "ExitCode",
    "ExitBySignal",
    "CompletionDate",
];

/// An act whose end is not known yet.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenAct {
    /// The advice that it followed.
    pub id: String,
    /// The hold.
    pub hold: HoldOf,
    /// When it was done, Unix seconds.
    pub at: i64,
    /// What holds that are acted on alike share.
    pub cause: String,
    /// What shows that it got through.
    pub counts: TrySuccess,
    /// It got through already, and how it exits is not known.
    pub through: bool,
}

impl OpenAct {
    fn of(act: &Act, advice: &Advised, at: i64) -> Self {
        Self {
            id: advice.id.clone(),
            hold: act.hold,
            at,
            cause: advice.cause.clone(),
            counts: advice.counts,
            through: false,
        }
    }
}

/// Acts whose end a journal does not have.
pub fn open_acts(entries: &[Entry]) -> Vec<OpenAct> {
    let mut advised: HashMap<&str, &Advised> = HashMap::new();
    let mut open: HashMap<&str, OpenAct> = HashMap::new();
    for Entry { time, what, .. } in entries {
        match what {
            EntryKind::Advice(advice) => {
                advised.insert(&advice.id, advice);
            }
            EntryKind::Act(act) if act.did != Did::Leave => {
                let advice = act.id.as_deref().and_then(|id| advised.get_key_value(id));
                if let Some((id, advice)) = advice {
                    if !may_be_done(act.step, advice) {
                        open.remove(id);
                        continue;
                    }
                    open.insert(id, OpenAct::of(act, advice, *time));
                }
            }
            EntryKind::Outcome(ActOutcome { id, result: Result::Through, .. }) => {
                if let Some(act) = open.get_mut(id.as_str()) {
                    act.through = true;
                }
            }
            EntryKind::Outcome(ended) => {
                open.remove(ended.id.as_str());
            }
            _ => {}
        }
    }
    in_order(open)
}

/// Releases that were intended and of which a journal does not say whether they were done; `at` is
/// when they were intended.
pub fn intended_acts(entries: &[Entry]) -> Vec<OpenAct> {
    let mut advised: HashMap<&str, &Advised> = HashMap::new();
    let mut intended: HashMap<&str, OpenAct> = HashMap::new();
    for Entry { time, what, .. } in entries {
        match what {
            EntryKind::Advice(advice) => {
                advised.insert(&advice.id, advice);
            }
            EntryKind::Act(act) => {
                let Some(id) = act.id.as_deref() else { continue };
                intended.remove(id);
                if act.step == ActStep::Intended
                    && act.did == Did::Release
                    && let Some((id, advice)) = advised.get_key_value(id)
                {
                    intended.insert(id, OpenAct::of(act, advice, *time));
                }
            }
            _ => {}
        }
    }
    in_order(intended)
}

fn in_order(acts: HashMap<&str, OpenAct>) -> Vec<OpenAct> {
    let mut acts: Vec<OpenAct> = acts.into_values().collect();
    acts.sort_by(|one, two| (one.at, &one.id).cmp(&(two.at, &two.id)));
    acts
}

/// The releases of each cause that a journal has, for the ramp.
pub fn attempts(entries: &[Entry]) -> HashMap<String, Vec<Attempt>> {
    let mut advised: HashMap<&str, &Advised> = HashMap::new();
    let mut of: HashMap<&str, Attempt> = HashMap::new();
    for Entry { time, what, .. } in entries {
        match what {
            EntryKind::Advice(advice) => {
                advised.insert(&advice.id, advice);
            }
            EntryKind::Act(act) if matches!(act.did, Did::Release | Did::Change) => {
                let advice = act.id.as_deref().and_then(|id| advised.get_key_value(id));
                match advice {
                    Some((id, advice)) if may_be_done(act.step, advice) => {
                        let owner = owner_of(advice.owner.as_deref());
                        of.insert(id, Attempt { at: *time, ended: None, took: None, owner });
                    }
                    Some((id, _)) => drop(of.remove(id)),
                    None => {}
                }
            }
            EntryKind::Outcome(ended) => {
                let Some(advice) = advised.get(ended.id.as_str()) else { continue };
                let open = |attempt: &&mut Attempt| attempt.ended.is_none();
                let Some(attempt) = of.get_mut(ended.id.as_str()).filter(open) else { continue };
                match got_through(ended, advice) {
                    Some(through) => {
                        attempt.ended = Some((ended.at, through));
                        attempt.took = ended.took.filter(|_| through);
                    }
                    None => {
                        of.remove(ended.id.as_str());
                    }
                }
            }
            _ => {}
        }
    }
    let mut all: HashMap<String, Vec<Attempt>> = HashMap::new();
    for (id, attempt) in of {
        if let Some(advice) = advised.get(id) {
            all.entry(advice.cause.clone()).or_default().push(attempt);
        }
    }
    all
}

/// Whether the schedd may have done it: of an act without an answer nobody knows. The advisor's acts
/// wait for the schedd's policy, and are looked after by the advisor itself.
fn may_be_done(step: ActStep, advice: &Advised) -> bool {
    match step {
        ActStep::Done => true,
        ActStep::Intended | ActStep::Failed => advice.by != DecidedBy::Advisor,
        ActStep::Refused | ActStep::TakenBack => false,
    }
}

/// Whether an end shows that what the hold was about is over; `None` where it does not say.
fn got_through(ended: &ActOutcome, advice: &Advised) -> Option<bool> {
    let is_like = ended.held_for.as_ref().is_none_or(|cause| *cause == advice.cause);
    match ended.result {
        Result::Through | Result::Success => Some(true),
        Result::Failure if is_like => Some(false),
        // It got as far as that, and was held for something else.
        Result::Failure if ended.took.is_some() && advice.counts == TrySuccess::Begins => {
            Some(true)
        }
        Result::Failure | Result::Censored => None,
    }
}

/// What came of an act, by the ad of its job in the queue or in the history; `None` where it goes
/// on, or shows nothing new.
pub fn result_of(act: &OpenAct, ad: &ClassAd) -> Option<ActOutcome> {
    let number = |name: &str| ad.integer(name);
    let ended = |result, at: Option<i64>, took| ActOutcome {
        id: act.id.clone(),
        hold: act.hold,
        result,
        at: at.unwrap_or(act.at),
        held_for: None,
        took,
    };
    let end = |result, at, took| Some(ended(result, at, took));
    let entered = number("EnteredCurrentStatus");
    match number("JobStatus")? {
        HELD => {
            let hold = HoldInQueue::of(ad)?;
            let is_same = match (act.hold.num_holds, hold.num_holds) {
                (Some(acted), Some(now)) => now <= acted,
                _ => hold.entered_current_status <= act.at,
            };
            let by_system = hold_code::is_by_system(hold.code);
            match is_same {
                true => None,
                false if by_system => {
                    let text = hold.reason.as_deref().unwrap_or_default();
                    let owner = ad.string("Owner");
                    let (code, subcode) = (Some(hold.code), Some(hold.subcode));
                    let cause = cause_of(owner.as_deref(), code, subcode, text);
                    let took = took(act, ad).map(|(_, took)| took);
                    Some(ActOutcome {
                        held_for: Some(cause),
                        ..ended(Result::Failure, entered, took)
                    })
                }
                false => end(Result::Censored, entered, None),
            }
        }
        REMOVED => end(Result::Censored, entered, None),
        // It was held again in between.
        COMPLETED
            if act.hold.num_holds.zip(number("NumHolds")).is_some_and(|(then, now)| now > then) =>
        {
            let code = number("LastHoldReasonCode").and_then(|code| i32::try_from(code).ok());
            match code.is_some_and(hold_code::is_by_system) {
                true => end(Result::Failure, entered, None),
                false => end(Result::Censored, entered, None),
            }
        }
        COMPLETED => {
            let ok = number("ExitCode") == Some(0) && ad.boolean("ExitBySignal") != Some(true);
            let at = number("CompletionDate").filter(|at| *at > 0).or(entered);
            let result = if ok { Result::Success } else { Result::Failure };
            end(result, at, took(act, ad).map(|(_, took)| took))
        }
        RUNNING | TRANSFERRING_OUTPUT if act.counts == TrySuccess::Begins && !act.through => {
            let (began, took) = took(act, ad)?;
            end(Result::Through, Some(began), Some(took))
        }
        _ => None,
    }
}

/// When its program began after the act, and how long its input took until then, s.
fn took(act: &OpenAct, ad: &ClassAd) -> Option<(i64, i64)> {
    let began = ad.integer("JobCurrentStartExecutingDate").filter(|began| *began >= act.at)?;
    let started = ad.integer("JobCurrentStartDate")?;
    Some((began, began.saturating_sub(started).max(0)))
}

#[cfg(test)]
#[path = "result_tests.rs"]
mod tests;
