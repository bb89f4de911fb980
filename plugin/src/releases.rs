//! Which jobs the access point may release now, and what became of those that it released.
//!
//! The journal has each of them before its ad says so. The policy of the access point
//! (`SYSTEM_PERIODIC_RELEASE_HoldAdvice`) does the rest: the schedd checks the hold again.

use std::collections::{HashMap, HashSet};

use eventlog::JobId;
use holdadvise::acting::{
    Attempt, Bounds, Candidate, Chosen, Deed, OpenAct, Order, Plan, attempts, intended_acts,
    intents, is_left_to_people, open_acts, plan, room,
};
use holdadvise::advice::{Recommendation, Since, Target};
use holdadvise::history::Action;
use holdadvise::journal::{
    Act, ActOutcome, ActStep, Advised, Did, Entry, EntryKind, HoldOf, VERSION, Weighed, owner_of,
};
use holdadvise::metrics::Band;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::line::{How, Judged, Line, Stays};
use crate::settings::Settings;

/// Seconds that clocks and events may be apart.
const APART: i64 = 60;

/// Passes after which a job that is neither held nor was seen to leave is given up.
const GIVEN_UP: i64 = 6;

/// Entries for what the judge saw of earlier acts. What does not fit the journal is left out.
pub fn settled(entries: &[Entry], lines: &[Line], now: i64) -> Vec<Entry> {
    let entry = |time, what| Entry { version: VERSION, time, what };
    let intended = by_id(intended_acts(entries));
    let mut open = by_id(open_acts(entries));
    let mut new = Vec::new();
    for line in lines {
        let Line::Left(left) = line else { continue };
        let Some(act) = intended.get(&left.id) else { continue };
        let earliest = act.hold.entered_current_status.unwrap_or(0).saturating_sub(APART);
        if !(earliest..=now.saturating_add(APART)).contains(&left.at) || open.contains_key(&left.id)
        {
            continue;
        }
        let (step, detail) = match left.how {
            How::Policy => (ActStep::Done, None),
            How::Other => (ActStep::Refused, Some("somebody else released it")),
            How::Removed => (ActStep::Refused, Some("it was removed")),
        };
        if step == ActStep::Done {
            open.insert(act.id.clone(), OpenAct { at: left.at, ..act.clone() });
        }
        // The time of an act that was done is when it was done.
        let at = if step == ActStep::Done { left.at } else { now };
        new.push(entry(at, EntryKind::Act(released(act, step, detail))));
    }
    for line in lines {
        let Line::Ended(ended) = line else { continue };
        let Some(act) = open.remove(&ended.id) else { continue };
        let earliest = act.at.saturating_sub(APART);
        if (earliest..=now.saturating_add(APART)).contains(&ended.at) {
            let ended = ActOutcome { hold: act.hold, ..ended.clone() };
            new.push(entry(now, EntryKind::Outcome(ended)));
        }
    }
    new
}

/// A line of the log for each release among new entries.
pub fn lines(new: &[Entry], entries: &[Entry]) -> Vec<String> {
    let advised: HashMap<&str, &Advised> = (entries.iter())
        .filter_map(|entry| match &entry.what {
            EntryKind::Advice(advised) => Some((advised.id.as_str(), advised)),
            _ => None,
        })
        .collect();
    let line = |entry: &Entry| {
        let EntryKind::Act(act) = &entry.what else { return None };
        if act.step != ActStep::Done {
            return None;
        }
        let job = act.hold.job;
        let Some(advised) = act.id.as_deref().and_then(|id| advised.get(id)) else {
            return Some(format!("Released {job}"));
        };
        let Advised { owner, advice, diagnosis, probability, .. } = advised;
        let cause = diagnosis.as_ref().and_then(|diagnosis| diagnosis.at_fault.first());
        let cause = cause.map_or_else(|| "unknown".to_owned(), |one| one.fault.to_string());
        let probability = probability.map_or_else(|| "?".to_owned(), |one| format!("{one:.2}"));
        let owner = owner.as_deref().unwrap_or("?");
        // When the schedd did it; the pass that saw it is later.
        let at = Timestamp::from_second(entry.time).unwrap_or_default();
        let at = at.to_zoned(TimeZone::system()).strftime("%H:%M:%S");
        Some(format!(
            "Released {job} of {owner} at {at}: advice {}, cause {cause}, probability {probability}",
            advice.name()
        ))
    };
    new.iter().filter_map(line).collect()
}

fn by_id(acts: Vec<OpenAct>) -> HashMap<String, OpenAct> {
    acts.into_iter().map(|act| (act.id.clone(), act)).collect()
}

fn released(act: &OpenAct, step: ActStep, detail: Option<&str>) -> Act {
    Act {
        id: Some(act.id.clone()),
        hold: act.hold,
        did: Did::Release,
        step,
        action: Some(Action::AsIs),
        edits: Vec::new(),
        detail: detail.map(str::to_owned),
    }
}

/// What is let go, and what the journal has to say first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Jobs that the policy may release.
    pub may_go: HashSet<JobId>,
    /// Those that it may not release yet, or not at all.
    pub stay: HashMap<JobId, Stays>,
    /// Jobs that are left to people.
    pub left_to_people: usize,
    /// Jobs for which a pass or their owner lets no more go.
    pub over_bounds: usize,
    /// Entries.
    pub entries: Vec<Entry>,
}

/// Decides which of the judged jobs may go. `missing`: what they were judged without. `entries`:
/// those of the journal, what [`settled`] gave among them.
pub fn decide(
    judged: &[Judged],
    missing: &[String],
    entries: &[Entry],
    settings: &Settings,
    order: &Order<'_>,
) -> Decision {
    let now = order.now;
    let mut out = Decision::default();
    let mut attempts = attempts(entries);
    let held: HashMap<HoldOf, &Judged> = judged.iter().map(|job| (hold_of(job), job)).collect();
    let mut waiting = HashSet::new();
    for act in intended_acts(entries) {
        let job = held.get(&act.hold);
        let failed = |attempts: &HashMap<String, Vec<Attempt>>| {
            let before = attempts.get(&act.cause).map_or(&[][..], Vec::as_slice);
            let room = room(before, Bounds::OF_CAUSE, now);
            let owner = owner_of(job.map(|job| job.owner.as_str()));
            room.until.is_some() || room.held_up.contains_key(&owner)
        };
        let why = match job {
            Some(_) if !settings.releases => Some("releases were switched off"),
            Some(job) if !job.is_drawn() => Some("the advice changed"),
            Some(_) if failed(&attempts) => Some("a like release failed"),
            Some(_) => None,
            None if now.saturating_sub(act.at) > GIVEN_UP * settings.interval => {
                Some("nothing is known of it")
            }
            None => None,
        };
        waiting.insert(act.hold);
        match why {
            Some(why) => {
                let what = EntryKind::Act(released(&act, ActStep::Refused, Some(why)));
                out.entries.push(Entry { version: VERSION, time: now, what });
            }
            None => {
                out.may_go.extend(job.map(|job| job.job));
                let owner = owner_of(job.map(|job| job.owner.as_str()));
                let attempt = Attempt { at: act.at, ended: None, took: None, owner };
                attempts.entry(act.cause).or_default().push(attempt);
            }
        }
    }
    if settings.releases {
        choose(judged, entries, &waiting, &attempts, settings, order, &mut out);
    }
    for entry in &mut out.entries {
        if let EntryKind::Advice(advice) = &mut entry.what {
            advice.missing = missing.to_vec();
        }
    }
    out
}

fn choose(
    judged: &[Judged],
    entries: &[Entry],
    waiting: &HashSet<HoldOf>,
    attempts: &HashMap<String, Vec<Attempt>>,
    settings: &Settings,
    order: &Order<'_>,
    out: &mut Decision,
) {
    let to_release = |job: &&Judged| job.advice == Recommendation::Release || job.is_drawn();
    let noted: HashSet<HoldOf> = entries.iter().filter_map(|entry| left_in(&entry.what)).collect();
    let (mut candidates, mut left) = (Vec::new(), Vec::new());
    for job in judged.iter().filter(|job| job.drawn_from.is_some() && !job.cause.is_empty()) {
        let hold = hold_of(job);
        let mut stays = Stays::ForItsTurn;
        if !job.is_drawn() {
            // It is one of those that the other was drawn from.
            candidates.push(candidate(job));
        } else if noted.contains(&hold) {
            out.left_to_people += 1;
            stays = Stays::ToPeople;
        } else if waiting.contains(&hold) {
        } else if job.advice == Recommendation::Release && is_left_to_people(&hold, settings.left) {
            // The others of a try wait for it.
            out.left_to_people += 1;
            stays = Stays::ToPeople;
            left.push(candidate(job));
        } else {
            candidates.push(candidate(job));
        }
        if to_release(&job) {
            out.stay.insert(job.job, stays);
        }
    }
    let bounds = Bounds {
        in_all: settings.in_all.saturating_sub(out.may_go.len()),
        of_cause: Bounds::OF_CAUSE,
        of_owner: settings.of_owner,
    };
    let mut plan: Plan = plan(candidates, attempts, bounds, order.now);
    let mut of_owner: HashMap<&Option<String>, usize> = HashMap::new();
    for chosen in &plan.chosen {
        *of_owner.entry(&chosen.candidate.owner).or_default() += 1;
    }
    let is_met = plan.chosen.len() >= bounds.in_all
        || bounds.of_owner == 0
        || of_owner.values().any(|jobs| *jobs >= bounds.of_owner);
    if is_met {
        let kept = plan.kept.iter().filter(|kept| kept.room.is_none());
        out.over_bounds = kept.map(|kept| kept.jobs).sum();
    }
    for chosen in &mut plan.chosen {
        if chosen.candidate.advice == Recommendation::Release {
            chosen.chance *= 1.0 - settings.left;
        }
        out.may_go.insert(chosen.candidate.target.job);
    }
    out.stay.retain(|job, _| !out.may_go.contains(job));
    let chosen = plan.chosen.len();
    for candidate in left {
        plan.eligible.entry(candidate.cause.clone()).or_default().push(candidate.clone());
        plan.chosen.push(Chosen { candidate, chance: settings.left });
    }
    let (ids, intents) = intents(&plan, order);
    let of_left: HashSet<&str> = ids[chosen..].iter().map(String::as_str).collect();
    out.entries.extend(intents.into_iter().map(|mut entry| {
        if let EntryKind::Act(act) = &mut entry.what
            && act.id.as_deref().is_some_and(|id| of_left.contains(id))
        {
            (act.did, act.step, act.action) = (Did::Leave, ActStep::Done, None);
        }
        entry
    }));
}

/// The hold that an entry leaves to people.
fn left_in(what: &EntryKind) -> Option<HoldOf> {
    match what {
        EntryKind::Act(act) if act.did == Did::Leave => Some(act.hold),
        _ => None,
    }
}

fn hold_of(job: &Judged) -> HoldOf {
    HoldOf {
        job: job.job,
        num_holds: Some(job.num_holds),
        entered_current_status: Some(job.entered),
    }
}

fn candidate(job: &Judged) -> Candidate {
    let probability = job.hundredths.map(|hundredths| f64::from(hundredths) / 100.0);
    Candidate {
        target: Target {
            job: job.job,
            code: Some(job.code),
            num_holds: Some(job.num_holds),
            since: Some(Since::At(job.entered)),
        },
        owner: Some(job.owner.clone()),
        user: None,
        subcode: Some(job.subcode),
        cause: job.cause.clone(),
        diagnosis: job.diagnosis.clone(),
        advice: job.advice,
        action: Some(Action::AsIs),
        probability,
        choices: job.choices.iter().map(weighed).collect(),
        deed: Deed::Release,
        drawn_from: job.drawn_from.filter(|drawn_from| *drawn_from > 0),
        counts: job.counts,
        missing: Vec::new(),
        words: probability.map_or("", |probability| Band::of(probability).words()),
    }
}

fn weighed(&(choice, hundredths): &(Recommendation, u32)) -> Weighed {
    Weighed { choice, hours: f64::from(hundredths) / 100.0 }
}

#[cfg(test)]
#[path = "releases_tests.rs"]
mod tests;
