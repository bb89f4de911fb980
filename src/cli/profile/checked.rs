//! What was said of scripts beside what their jobs used, in the journal.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::OfJobs;
use crate::cli::RunError;
use crate::cli::apply::{entries_of, journal_folder};
use crate::cli::output::say;
use crate::inquiry::Config;
use crate::journal::{Entry, EntryKind, Journal, Kept, Profiled, VERSION};
use crate::private::own_way;

/// Scripts in the journal of which something was said, and whose jobs were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(in crate::cli) struct Checked {
    pub(in crate::cli) scripts: usize,
    /// Their jobs were bound by what was said to be likely.
    pub(in crate::cli) right: usize,
}

/// Notes what is not in the journal yet, and counts all that is there. `None`: it cannot be read, or
/// somebody else writes it.
pub(super) fn note(jobs: &[OfJobs], config: &Config, now: i64) -> Option<Checked> {
    let checks: Vec<Profiled> = jobs.iter().filter_map(entry).collect();
    if checks.is_empty() {
        // Who has nothing to note does not hear of a journal that is not there.
        let folder = journal_folder(config).ok()?;
        own_way(&folder).ok()?;
        let kept = Kept::of_folder(&folder).ok()?;
        return Some(count(&last(kept.entries)));
    }
    let noted = add(checks, config, now);
    noted.inspect_err(|error| say("Warning", &error.to_string())).ok().flatten()
}

fn entry(of: &OfJobs) -> Option<Profiled> {
    let script = of.script.as_ref()?;
    let check = script.check?;
    Some(Profiled {
        cluster: of.cluster,
        script: script.of.file.clone(),
        digest: script.digest.clone(),
        said: check.said.binding,
        probability: check.said.probability,
        measured: check.measured,
        jobs: of.measured.jobs,
    })
}

type Key = (i32, String);

fn key(of: &Profiled) -> Key {
    (of.cluster, of.digest.clone())
}

/// What was noted last of each cluster and script.
fn last(entries: Vec<Entry>) -> HashMap<Key, Profiled> {
    let noted = entries.into_iter().filter_map(|entry| match entry.what {
        EntryKind::Profiled(of) => Some((key(&of), of)),
        _ => None,
    });
    noted.collect()
}

fn add(checks: Vec<Profiled>, config: &Config, now: i64) -> Result<Option<Checked>, RunError> {
    let journal = Journal::open(&journal_folder(config)?)?;
    // A look waits for nobody: the next one notes it.
    let Some(journal) = journal.try_lock()? else { return Ok(None) };
    let mut last = last(entries_of(&journal)?);
    // More jobs of a cluster may be bound by something else than the first ones.
    let is_new = |of: &Profiled| {
        last.get(&key(of)).is_none_or(|last| (last.said, last.measured) != (of.said, of.measured))
    };
    let new: Vec<Profiled> = checks.into_iter().filter(is_new).collect();
    let entry = |of: &Profiled| Entry {
        version: VERSION,
        time: now,
        what: EntryKind::Profiled(of.clone()),
    };
    journal.add(&new.iter().map(entry).collect::<Vec<Entry>>())?;
    last.extend(new.into_iter().map(|of| (key(&of), of)));
    Ok(Some(count(&last)))
}

/// A script that several clusters ran is one, by the last of them.
fn count(last: &HashMap<Key, Profiled>) -> Checked {
    let mut scripts: HashMap<&str, &Profiled> = HashMap::new();
    for of in last.values() {
        let known = scripts.entry(&of.digest).or_insert(of);
        if of.cluster > known.cluster {
            *known = of;
        }
    }
    let right = scripts.values().filter(|of| of.said == of.measured).count();
    Checked { scripts: scripts.len(), right }
}
