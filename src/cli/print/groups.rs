//! Several jobs: one block for each group of like holds.
//!
//! A group has one cluster, code, subcode, normalised reason, recommendation and, but for the job's
//! id, the same commands: so that one command does for all of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::{self, Write};

use super::Page;
use super::attributes::command_text;
use super::block::{self, codes};
use super::sure::{probability, trust, verdict};
use super::times::{length, minute};
use super::wrap::wrap;
use crate::advice::Advice;
use crate::text::{shell_quote, strip_control};
use crate::userlog::JobId;

/// Stands for the job's id in commands that are compared.
const ID: &str = "\u{0}";

/// What members of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    hold: Hold,
    reason: String,
    recommendation: &'static str,
    commands: Vec<String>,
}

/// Cluster, code and subcode: what a constraint can tell.
type Hold = (i32, Option<i32>, Option<i32>);

/// Like holds, as much of them as is printed.
#[derive(Debug)]
struct Group {
    first: Advice,
    /// Verdict of the member least likely to succeed: it speaks for the group.
    verdict: String,
    chance: f64,
    oldest: i64,
    newest: i64,
    procs: Vec<i32>,
    /// What HTCondor will do by itself, as far as it is the same for all members.
    by_itself: Vec<String>,
}

/// Groups of the advices added so far: their memory grows with the groups and 4 bytes a job.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: BTreeMap<Key, Group>,
    /// Jobs judged, by what a constraint can tell.
    holds: HashMap<Hold, usize>,
    trusts: BTreeSet<String>,
    missing: BTreeSet<String>,
    jobs: usize,
}

/// Sentences on what HTCondor will do by itself that are printed of a group.
const BY_ITSELF: usize = 2;

/// Lines on what could not be read that are printed.
const MISSING: usize = 20;

impl Groups {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.jobs += 1;
        *self.holds.entry(hold(advice)).or_default() += 1;
        self.trusts.insert(trust(advice));
        for line in &advice.missing {
            if self.missing.len() <= MISSING && !self.missing.contains(line) {
                self.missing.insert(line.clone());
            }
        }
        let chance = probability(advice).unwrap_or(0.0);
        let held = &advice.held;
        let (proc, since) = (held.job.proc, held.held_since);
        let group = self.groups.entry(key(advice)).or_insert_with(|| Group {
            verdict: verdict(advice),
            first: advice.clone(),
            chance,
            oldest: since,
            newest: since,
            procs: Vec::new(),
            by_itself: advice.htcondor_will.clone(),
        });
        group.by_itself.retain(|sentence| advice.htcondor_will.contains(sentence));
        group.procs.push(proc);
        group.oldest = group.oldest.min(since);
        group.newest = group.newest.max(since);
        if chance < group.chance {
            group.chance = chance;
            group.verdict = verdict(advice);
        }
    }

    /// A lone job prints as a block, several as groups.
    pub(super) fn print(mut self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        if self.jobs == 1
            && let Some((_, group)) = self.groups.pop_first()
        {
            return block::print(out, &group.first, page);
        }
        let count = self.groups.len();
        for (key, group) in std::mem::take(&mut self.groups) {
            writeln!(out, "{}", self.text(&key, group, page))?;
        }
        let number =
            |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        writeln!(
            out,
            "{} in {}; -nobatch prints each job, an id alone says why",
            number(self.jobs, "held job"),
            number(count, "group")
        )?;
        let mut line = |first: &str, text: &str| {
            out.write_all(wrap(first, 2, &strip_control(text), page.columns).as_bytes())
        };
        for text in &self.trusts {
            line("", text)?;
        }
        for text in self.missing.iter().take(MISSING) {
            line("not read: ", text)?;
        }
        if self.missing.len() > MISSING {
            line("not read: ", "more; -json lists it for each job")?;
        }
        Ok(())
    }

    fn text(&self, key: &Key, mut group: Group, page: &Page) -> String {
        let mut out = String::new();
        let first = &group.first;
        let held = &first.held;
        let columns = page.columns;
        let (jobs, up_to) = match group.procs.len() {
            1 => (format!("Job {}", held.job), ""),
            count => (format!("{count} jobs of cluster {}", held.job.cluster), "up to "),
        };
        let owner = held.owner.as_deref().map(|owner| format!(" of {}", strip_control(owner)));
        let header = format!(
            "{jobs}{}, code {}, held for {up_to}{}",
            owner.unwrap_or_default(),
            codes(first),
            length(page.now - group.oldest)
        );
        out.push_str(&wrap("", 4, &header, columns));
        out.push_str(&wrap("  ", 4, &group.verdict, columns));
        out.push_str(&wrap("  ", 4, &strip_control(&first.meaning), columns));
        for change in &first.changes {
            out.push_str(&wrap("  Change first: ", 4, &strip_control(change), columns));
        }
        if let Some(wait) = &first.wait {
            let until =
                wait.until.map(|at| format!(" ({})", minute(at, &page.zone))).unwrap_or_default();
            let text = format!("{}{until}", strip_control(&wait.what));
            out.push_str(&wrap("  Wait until: ", 4, &text, columns));
        }
        for sentence in group.by_itself.iter().take(BY_ITSELF) {
            out.push_str(&wrap("  By itself: ", 4, &strip_control(sentence), columns));
        }
        let commands: Vec<String> = if group.procs.len() == 1 {
            first.commands.iter().map(|command| command_text(command)).collect()
        } else {
            let others = self.holds.get(&key.hold).is_some_and(|jobs| *jobs > group.procs.len());
            let procs = (others || !page.whole_clusters).then(|| among(&mut group.procs));
            let target = target(key.hold, group.newest, procs);
            key.commands.iter().map(|command| command.replace(ID, &target)).collect()
        };
        for command in commands {
            // Not wrapped: it is to be pasted.
            let _ = writeln!(out, "    {command}");
        }
        out
    }
}

fn hold(advice: &Advice) -> Hold {
    let held = &advice.held;
    (held.job.cluster, held.code, held.subcode)
}

fn key(advice: &Advice) -> Key {
    let held = &advice.held;
    Key {
        hold: hold(advice),
        reason: held.normalised_reason.clone(),
        recommendation: advice.recommendation.name(),
        commands: advice.commands.iter().map(|command| with_target(command, held.job)).collect(),
    }
}

/// The command with [`ID`] in place of what names the job: a constraint that begins with its ids and is
/// all the command acts on, or else the first word that is its id.
fn with_target(command: &str, job: JobId) -> String {
    let command = command_text(command);
    let own = format!("-constraint 'ClusterId == {} && ProcId == {} && ", job.cluster, job.proc);
    for tool in ["condor_release ", "condor_rm "] {
        if command.strip_prefix(tool).is_some_and(|rest| rest.starts_with(&own)) {
            return format!("{tool}{ID}");
        }
    }
    let id = job.to_string();
    // Behind a quote a word may be part of somebody's text.
    let bare = command.find(['\'', '"', '\\']).unwrap_or(command.len());
    let mut start = 0;
    for word in command[..bare].split_inclusive(' ') {
        if word.trim_end_matches(' ') == id {
            return format!("{}{ID}{}", &command[..start], &command[start + id.len()..]);
        }
        start += word.len();
    }
    command
}

/// What a group's command acts on: a constraint that is true for the jobs judged while they are in the
/// holds judged, and for no other job.
fn target((cluster, code, subcode): Hold, newest: i64, procs: Option<String>) -> String {
    let mut parts = vec![format!("ClusterId == {cluster}"), "JobStatus == 5".to_owned()];
    parts.extend(code.map(|code| format!("HoldReasonCode == {code}")));
    parts.extend(subcode.map(|subcode| format!("HoldReasonSubCode == {subcode}")));
    parts.push(format!("EnteredCurrentStatus <= {newest}"));
    parts.extend(procs);
    format!("-constraint {}", shell_quote(&parts.join(" && ")))
}

/// `(ProcId == 1 || (ProcId >= 3 && ProcId <= 9))`.
fn among(procs: &mut Vec<i32>) -> String {
    procs.sort_unstable();
    procs.dedup();
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for &proc in procs.iter() {
        match runs.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(proc) => *end = proc,
            _ => runs.push((proc, proc)),
        }
    }
    let runs: Vec<String> = runs
        .into_iter()
        .map(|(from, to)| {
            if from == to {
                format!("ProcId == {from}")
            } else {
                format!("(ProcId >= {from} && ProcId <= {to})")
            }
        })
        .collect();
    format!("({})", runs.join(" || "))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::cli::print::samples::{self, NOW};

    fn text(advices: &[Advice], columns: Option<usize>, whole_clusters: bool) -> String {
        let mut groups = Groups::default();
        advices.iter().for_each(|advice| groups.add(advice));
        let mut out = Vec::new();
        let page = Page { columns, now: NOW, zone: TimeZone::UTC, whole_clusters };
        groups.print(&mut out, &page).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn like_holds_share_a_command() {
        let advices = [
            samples::transfer(1234, 0),
            samples::transfer(1234, 1),
            samples::transfer(1234, 2),
            samples::memory(1234, 3, 2048),
            samples::memory(1234, 4, 4096),
            samples::memory(1234, 5, 4096),
            samples::memory(1234, 7, 4096),
        ];
        insta::assert_snapshot!(text(&advices, Some(80), true));
    }

    #[test]
    fn what_htcondor_will_do_is_told_where_all_share_it() {
        let mut advices = [samples::transfer(1, 0), samples::transfer(1, 1)];
        let shared = ["A is near.", "B is near.", "C is near."].map(str::to_owned);
        advices[0].htcondor_will = [vec!["It ends at 10:00.".to_owned()], shared.to_vec()].concat();
        advices[1].htcondor_will = [shared.to_vec(), vec!["It ends at 11:00.".to_owned()]].concat();
        let text = text(&advices, None, true);
        assert!(text.contains("  By itself: A is near.\n  By itself: B is near.\n"), "{text}");
        assert!(!text.contains("It ends") && !text.contains("C is near"), "{text}");
    }

    #[test]
    fn only_the_target_is_replaced() {
        let target = |command| with_target(command, JobId::new(7, 0)).replace(ID, "@");
        assert_eq!(target("condor_qedit 7.0 A '\"x 7.0 y\"'"), "condor_qedit @ A '\"x 7.0 y\"'");
        assert_eq!(target("say 'at 7.0 it'"), "say 'at 7.0 it'");
        assert_eq!(target("condor_rm 7.01"), "condor_rm 7.01");
        assert_eq!(
            target("condor_rm -constraint 'ClusterId == 7 && ProcId == 0 && NumHolds == 2'"),
            "condor_rm @"
        );
    }

    #[test]
    fn other_advice_in_the_same_hold_is_left_out() {
        let mut wait = samples::transfer(9, 2);
        wait.recommendation = crate::advice::Recommendation::Wait;
        let advices = [samples::transfer(9, 0), samples::transfer(9, 1), wait];
        let text = text(&advices, None, true);
        let command = format!(
            "condor_release -constraint 'ClusterId == 9 && JobStatus == 5 && HoldReasonCode == 13 && \
             HoldReasonSubCode == 256 && EnteredCurrentStatus <= {} && ((ProcId >= 0 && ProcId <= 1))'",
            NOW - 8040
        );
        assert!(text.contains(&command), "{text}");
        // Of a cluster that was not looked at as a whole the procs are named.
        let some = super::tests::text(&advices[..2], None, false);
        assert!(some.contains("&& ((ProcId >= 0 && ProcId <= 1))'"), "{some}");
        let whole = super::tests::text(&advices[..2], None, true);
        assert!(!whole.contains("ProcId"), "{whole}");
    }
}
