//! A plan is carried out: the journal has it first, then the schedd does it, then the journal has
//! what the schedd answered.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::{Candidate, Deed};
use super::plan::{Chosen, Plan};
use crate::advice::{Edit, constraint_of};
use crate::history::Action;
use crate::journal::{
    Act, ActStep, Advised, DecidedBy, Did, Edited, Eligible, Entry, EntryKind, HoldOf, JobRange,
    JournalError, Locked, StoodIn, VERSION,
};
use crate::queue::{OrderResult, QueueError, Schedd};
use crate::text::classad_quote;
use eventlog::JobId;

/// Jobs of one order at most.
const BATCH: usize = 100;

/// Bytes that the entry of an answer takes, with room to spare.
const ENTRY: u64 = 1 << 10;

/// How a plan is carried out, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The schedd.
    pub schedd: &'a Schedd,
    /// The journal.
    pub journal: &'a Locked<'a>,
    /// Who decided.
    pub by: DecidedBy,
    /// The model.
    pub model: &'a str,
    /// CondorVersion of the access point, where known.
    pub condor_version: Option<&'a str>,
    /// Unix seconds.
    pub now: i64,
}

/// What became of a job that was to be acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The job.
    pub job: JobId,
    /// How far it got: `Done`, `Refused`, `Failed`, or `TakenBack` for an edit without a release.
    pub step: ActStep,
    /// Why it got no further.
    pub detail: Option<String>,
}

/// Carries out what was chosen. What the schedd answered is there for each job, in the order of the
/// plan.
///
/// # Errors
/// [`JournalError`]: before anything was done where that could not be noted, or afterwards where
/// the answers could not.
pub fn carry_out(plan: &Plan, order: &Order<'_>) -> Result<Vec<Done>, JournalError> {
    let (ids, mut intents) = intents(plan, order);
    say_where_old_ones_stood(&mut intents, order.schedd);
    order.journal.reserve(ENTRY * plan.chosen.len() as u64, order.now)?;
    order.journal.add(&intents)?;
    let entry = |what| Entry { version: VERSION, time: order.now, what };

    let numbers: BTreeMap<JobId, usize> = plan
        .chosen
        .iter()
        .enumerate()
        .map(|(number, chosen)| (chosen.candidate.target.job, number))
        .collect();
    let mut all = Vec::new();
    for batch in batches(&plan.chosen) {
        let done = do_batch(&batch, order.schedd);
        let entries: Vec<Entry> = done
            .iter()
            .map(|done| {
                let number = numbers[&done.job];
                let candidate = &plan.chosen[number].candidate;
                let act = act(candidate, &ids[number], done.step, done.detail.clone());
                entry(EntryKind::Act(act))
            })
            .collect();
        all.extend(done);
        order.journal.add(&entries)?;
    }
    Ok(all)
}

/// What the journal has to say before what was chosen is done, and the name of each advice.
pub fn intents(plan: &Plan, order: &Order<'_>) -> (Vec<String>, Vec<Entry>) {
    let name = |n: usize| format!("{:x}-{:x}-{n}", order.now, std::process::id());
    let entry = |what| Entry { version: VERSION, time: order.now, what };
    let mut intents = Vec::new();
    let mut sets: BTreeMap<&str, String> = BTreeMap::new();
    for (number, (cause, candidates)) in plan.eligible.iter().enumerate() {
        if !plan.chosen.iter().any(|chosen| chosen.candidate.cause == *cause) {
            continue;
        }
        let set = format!("{}s", name(number));
        let jobs = JobRange::of(candidates.iter().map(|candidate| candidate.target.job));
        let eligible = Eligible { set: set.clone(), cause: cause.clone(), jobs };
        intents.push(entry(EntryKind::Eligible(eligible)));
        sets.insert(cause, set);
    }
    let ids: Vec<String> = (0..plan.chosen.len()).map(name).collect();
    for (chosen, id) in plan.chosen.iter().zip(&ids) {
        let set = sets.get(chosen.candidate.cause.as_str()).cloned();
        intents.push(entry(EntryKind::Advice(advised(chosen, id, set, order))));
        intents.push(entry(EntryKind::Act(act(&chosen.candidate, id, ActStep::Intended, None))));
    }
    (ids, intents)
}

fn advised(chosen: &Chosen, id: &str, set: Option<String>, order: &Order<'_>) -> Advised {
    let Chosen { candidate, chance } = chosen;
    Advised {
        id: id.to_owned(),
        hold: candidate.hold(),
        owner: candidate.owner.clone(),
        hold_reason_code: candidate.target.code,
        hold_reason_sub_code: candidate.subcode,
        cause: candidate.cause.clone(),
        diagnosis: candidate.diagnosis.clone(),
        advice: candidate.advice,
        action: candidate.action,
        probability: candidate.probability,
        choices: candidate.choices.clone(),
        model: order.model.to_owned(),
        missing: candidate.missing.clone(),
        set,
        chance: *chance,
        counts: candidate.counts,
        by: order.by,
        condor_version: order.condor_version.map(str::to_owned),
    }
}

fn act(candidate: &Candidate, id: &str, step: ActStep, detail: Option<String>) -> Act {
    let (did, edits) = match &candidate.deed {
        Deed::Release => (Did::Release, Vec::new()),
        Deed::Change(edits) => (Did::Change, edits.iter().map(edited).collect()),
        Deed::Remove => (Did::Remove, Vec::new()),
    };
    let action = match did {
        Did::Release => Some(Action::AsIs),
        Did::Change => candidate.action,
        Did::Remove | Did::Leave => None,
    };
    Act { id: Some(id.to_owned()), hold: candidate.hold(), did, step, action, edits, detail }
}

fn edited(edit: &Edit) -> Edited {
    Edited {
        attribute: edit.attribute().to_owned(),
        old: edit.old().map(str::to_owned),
        stood_in: None,
        new: edit.new_value().to_owned(),
    }
}

/// Asks for the ads of the clusters: those of jobs have both without a difference.
fn say_where_old_ones_stood(intents: &mut [Entry], schedd: &Schedd) {
    let mut clusters = BTreeSet::new();
    let mut attributes = BTreeSet::new();
    for entry in &*intents {
        if let EntryKind::Act(act) = &entry.what {
            let edits = act.edits.iter().filter(|edit| edit.old.is_some());
            for edit in edits {
                clusters.insert(act.hold.job.cluster);
                attributes.insert(edit.attribute.clone());
            }
        }
    }
    if clusters.is_empty() {
        return;
    }
    let attributes: Vec<&str> = attributes.iter().map(String::as_str).collect();
    let ads = match schedd.cluster_ads(&clusters, &attributes) {
        Ok(ads) => ads,
        Err(error) => return log::info!("the ads of clusters: {error}"),
    };
    for entry in intents {
        let EntryKind::Act(act) = &mut entry.what else { continue };
        let Some(ad) = ads.get(&act.hold.job.cluster) else { continue };
        for edit in &mut act.edits {
            let Some(old) = &edit.old else { continue };
            let of_cluster = ad.get(&edit.attribute).map(ToString::to_string);
            edit.stood_in = Some(match of_cluster.as_ref() == Some(old) {
                true => StoodIn::Cluster,
                false => StoodIn::Job,
            });
        }
    }
}

/// Jobs of one cluster to which the same is done, as many as one constraint names.
fn batches(chosen: &[Chosen]) -> Vec<Vec<&Candidate>> {
    let mut batches: Vec<Vec<&Candidate>> = Vec::new();
    for Chosen { candidate, .. } in chosen {
        let fits = |batch: &&mut Vec<&Candidate>| {
            let like = batch[0];
            batch.len() < BATCH
                && like.target.job.cluster == candidate.target.job.cluster
                && like.user == candidate.user
                && like.deed == candidate.deed
                && like.words == candidate.words
        };
        match batches.last_mut().filter(fits) {
            Some(batch) => batch.push(candidate),
            None => batches.push(vec![candidate]),
        }
    }
    batches
}

/// A constraint that is true for these jobs in these holds, if they are this user's. Parts of them
/// where it would be too long.
fn constraint(batch: &[&Candidate]) -> Option<String> {
    let targets: Vec<_> = batch.iter().map(|candidate| candidate.target).collect();
    let user = classad_quote(batch[0].user.as_deref()?)?;
    Some(format!("{} && User == {user}", constraint_of(&targets)?))
}

fn do_batch(batch: &[&Candidate], schedd: &Schedd) -> Vec<Done> {
    let jobs = || batch.iter().map(|candidate| candidate.target.job);
    let Some(constraint) = constraint(batch) else {
        if batch.len() > 1 {
            let (one, two) = batch.split_at(batch.len() / 2);
            return [do_batch(one, schedd), do_batch(two, schedd)].concat();
        }
        let detail = Some("its User is not known".to_owned());
        return jobs()
            .map(|job| Done { job, step: ActStep::Failed, detail: detail.clone() })
            .collect();
    };
    let like = batch[0];
    let reason = reason_text(like);
    let answers = match &like.deed {
        Deed::Release => schedd.release(&constraint, &reason),
        Deed::Remove => schedd.remove(&constraint, &reason),
        Deed::Change(edits) => match schedd.edit(&constraint, &pairs(edits)) {
            Ok(()) => schedd.release(&constraint, &reason),
            Err(QueueError::Failed { .. }) => {
                // It does not say which.
                let detail = "condor_qedit changed nothing: it is not in that hold any more, or \
                              permission was denied";
                let refused =
                    |job| Done { job, step: ActStep::Refused, detail: Some(detail.into()) };
                return jobs().map(refused).collect();
            }
            Err(error) => Err(error),
        },
    };
    let mut done: Vec<Done> = match &answers {
        Err(error) => {
            let detail = Some(error.to_string());
            jobs().map(|job| Done { job, step: ActStep::Failed, detail: detail.clone() }).collect()
        }
        Ok(answers) => jobs().map(|job| answer(job, answers.get(&job).copied())).collect(),
    };
    if let Deed::Change(edits) = &like.deed {
        take_back(batch, edits, &mut done, schedd);
    }
    done
}

fn answer(job: JobId, answer: Option<OrderResult>) -> Done {
    let (step, detail) = match answer {
        Some(OrderResult::Done) => (ActStep::Done, None),
        // The constraint was not true for it.
        None | Some(OrderResult::Refused) => {
            (ActStep::Refused, Some("it is not in that hold any more"))
        }
        Some(OrderResult::Denied) => (ActStep::Refused, Some("permission denied")),
        Some(OrderResult::Failed) => (ActStep::Failed, Some("the schedd failed")),
    };
    Done { job, step, detail: detail.map(str::to_owned) }
}

/// An edit whose release did not follow is taken back, if job, hold and value are still those.
fn take_back(batch: &[&Candidate], edits: &[Edit], done: &mut [Done], schedd: &Schedd) {
    for (candidate, done) in batch.iter().zip(done) {
        if done.step == ActStep::Done {
            continue;
        }
        let olds: Option<Vec<Edit>> = edits.iter().map(Edit::reversed).collect();
        let Some((olds, hold)) = olds.zip(constraint(&[candidate])) else { continue };
        let values =
            edits.iter().map(|edit| format!(" && {} =?= {}", edit.attribute(), edit.new_value()));
        let constraint = hold + &values.collect::<String>();
        match schedd.edit(&constraint, &pairs(&olds)) {
            Ok(()) => done.step = ActStep::TakenBack,
            // It was not edited, or is in another hold.
            Err(QueueError::Failed { .. }) => {}
            Err(error) => {
                let detail = done.detail.take().unwrap_or_default();
                done.detail = Some(format!("{detail}; the edit may still stand: {error}"));
            }
        }
    }
}

fn pairs(edits: &[Edit]) -> Vec<(&str, &str)> {
    edits.iter().map(|edit| (edit.attribute(), edit.new_value())).collect()
}

/// What stands in the event log of the job: one line.
fn reason_text(candidate: &Candidate) -> String {
    let what = match candidate.deed {
        Deed::Release if candidate.advice == crate::advice::Recommendation::Try => "try",
        Deed::Release => "release",
        Deed::Change(_) => "release after a change",
        Deed::Remove => "remove",
    };
    let HoldOf { num_holds, .. } = candidate.hold();
    let hold = num_holds.map_or(String::new(), |n| format!(" from hold {n}"));
    format!("condor_holdadvise: {what}{hold}, success {}", candidate.words)
}
