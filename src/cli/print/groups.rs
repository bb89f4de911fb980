//! Several jobs: one block for each group of like holds.
//!
//! A group has one cluster, code, subcode, reason, recommendation and action. The reason is what the codes mean in plain
//! words where that tells the cause, since several versions of HTCondor word it in several ways, and else the normalised
//! hold reason, of which the first one is printed. One command does for all
//! of it where the jobs' commands differ, but for the id, in a number of which the largest does for all.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::{self, Write};

use super::Page;
use super::attributes::command_text;
use super::block::{self, codes};
use super::sure::{probability, trust, verdict};
use super::times::{length, minute};
use super::varying::Varying;
use super::wrap::wrap;
use crate::advice::Advice;
use crate::advice::meaning::tells_cause;
use crate::history::Action;
use crate::text::{plural, shell_quote, shorten, strip_control};
use crate::userlog::JobId;

/// Stands for the job's id in commands that are compared.
const ID: &str = "\u{0}";

/// What members of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    hold: Hold,
    reason: String,
    recommendation: &'static str,
    action: Option<Action>,
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
    /// Why nothing is recommended, where it is the same for all members.
    undecided: Option<String>,
    oldest: i64,
    newest: i64,
    procs: Vec<i32>,
    /// What HTCondor will do by itself, as far as it is the same for all members.
    by_itself: Vec<String>,
    /// What to change first, one text.
    changes: Varying,
    /// What to wait for, and the latest instant named.
    wait: Varying,
    until: Option<i64>,
    /// When to look again, at the latest.
    look_again: Option<i64>,
    /// The commands with [`ID`] for the job; empty where some have more than others.
    commands: Vec<Varying>,
}

/// Groups of the advices added so far: their memory grows with the groups and 4 bytes a job.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: BTreeMap<Key, Group>,
    /// Jobs judged, by what a constraint can tell.
    holds: HashMap<Hold, usize>,
    trusts: BTreeSet<String>,
    missing: BTreeMap<String, Missing>,
    jobs: usize,
}

/// What could not be read, of the same kind.
#[derive(Debug)]
struct Missing {
    first: String,
    /// Jobs that lack it.
    jobs: usize,
    /// The last of them: a job may lack two of a kind.
    last: JobId,
}

/// Sentences on what HTCondor will do by itself that are printed of a group.
const BY_ITSELF: usize = 2;

/// Characters of a hold reason that are printed of a group.
const REASON: usize = 200;

/// Lines on what could not be read that are printed.
const MISSING: usize = 20;

impl Groups {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.jobs += 1;
        *self.holds.entry(hold(advice)).or_default() += 1;
        self.trusts.insert(trust(advice));
        for line in &advice.missing {
            let kind = kind_of_missing(line);
            if let Some(missing) = self.missing.get_mut(&*kind) {
                missing.jobs += usize::from(missing.last != advice.held.job);
                missing.last = advice.held.job;
            } else if self.missing.len() <= MISSING {
                let missing = Missing { first: line.clone(), jobs: 1, last: advice.held.job };
                self.missing.insert(kind.into_owned(), missing);
            }
        }
        let chance = probability(advice).unwrap_or(0.0);
        let held = &advice.held;
        let (proc, since) = (held.job.proc, held.held_since);
        let changes = advice.changes.join(" ");
        let wait = advice.wait.as_ref().map_or("", |wait| &wait.what);
        let until = advice.wait.as_ref().and_then(|wait| wait.until);
        let look_again = advice.wait.as_ref().map(|wait| wait.look_again);
        let commands: Vec<String> =
            advice.commands.iter().map(|command| with_target(command, held.job)).collect();
        let group = self.groups.entry(key(advice)).or_insert_with(|| Group {
            verdict: verdict(advice),
            first: advice.clone(),
            chance,
            undecided: advice.undecided.clone(),
            oldest: since,
            newest: since,
            procs: Vec::new(),
            by_itself: advice.htcondor_will.clone(),
            changes: Varying::new(&changes),
            wait: Varying::new(wait),
            until,
            look_again,
            commands: commands.iter().map(|command| Varying::new(command)).collect(),
        });
        if group.undecided != advice.undecided {
            group.undecided = None;
        }
        group.changes.add(&changes);
        group.wait.add(wait);
        group.until = group.until.max(until);
        group.look_again = group.look_again.max(look_again);
        if commands.len() == group.commands.len() {
            group.commands.iter_mut().zip(&commands).for_each(|(all, one)| all.add(one));
        } else {
            group.commands.clear();
        }
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
        let line = |out: &mut dyn Write, first: &str, text: &str| {
            out.write_all(wrap(first, 2, &strip_control(text), page.columns).as_bytes())
        };
        // What it was judged without comes before what is made of the rest.
        for missing in self.missing.values().take(MISSING) {
            let text = match missing.jobs {
                jobs if jobs < 2 || is_of_all(&missing.first) => missing.first.clone(),
                jobs => format!("{}; and so for {}", missing.first, plural(jobs - 1, "more job")),
            };
            line(out, "Judged without: ", &text)?;
        }
        if self.missing.len() > MISSING {
            line(out, "Judged without: ", "more; -json lists it for each job")?;
        }
        if !self.missing.is_empty() {
            writeln!(out)?;
        }
        let count = self.groups.len();
        for (key, group) in std::mem::take(&mut self.groups) {
            writeln!(out, "{}", self.text(&key, group, page))?;
        }
        writeln!(
            out,
            "{} in {}; -nobatch prints each job, an id alone says why",
            plural(self.jobs, "held job"),
            plural(count, "group")
        )?;
        for text in &self.trusts {
            line(out, "", text)?;
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
        if let Some(why) = &group.undecided {
            out.push_str(&wrap("  Undecided: ", 4, &strip_control(why), columns));
        }
        out.push_str(&wrap("  ", 4, &strip_control(&first.meaning), columns));
        if let Some(reason) = held.reason.as_deref().filter(|_| !tells_cause(held.code)) {
            let reason = strip_control(reason);
            out.push_str(&wrap("  Hold reason: ", 4, &shorten(&reason, REASON), columns));
        }
        if !group.changes.first().is_empty() {
            let own = |text: &str| format!("each its own, {} so: {text}", held.job);
            let mut text = group.changes.ranges().unwrap_or_else(|| own(group.changes.first()));
            let raised = |all: &Varying| all.same().is_none() && all.largest().is_some();
            if group.commands.iter().any(raised) {
                text.push_str(" The command gives all of them the largest.");
            }
            out.push_str(&wrap("  Change first: ", 4, &strip_control(&text), columns));
        }
        if !group.wait.first().is_empty() {
            let until =
                group.until.map(|at| format!(" ({})", minute(at, &page.zone))).unwrap_or_default();
            let own = |text: &str| format!("each by itself, {} until {text}", held.job);
            let text = group.wait.ranges().unwrap_or_else(|| own(group.wait.first()));
            let text = format!("{}{until}", strip_control(&text));
            out.push_str(&wrap("  Wait until: ", 4, &text, columns));
            if let Some(at) = group.look_again {
                let _ = writeln!(out, "  Look again: {}", minute(at, &page.zone));
            }
        }
        for sentence in group.by_itself.iter().take(BY_ITSELF) {
            out.push_str(&wrap("  By itself: ", 4, &strip_control(sentence), columns));
        }
        let commands: Option<Vec<String>> = if group.procs.len() == 1 {
            Some(first.commands.iter().map(|command| command_text(command)).collect())
        } else if group.commands.is_empty() && !first.commands.is_empty() {
            None
        } else {
            group.commands.iter().map(Varying::largest).collect()
        };
        let Some(mut commands) = commands else {
            let text = format!(
                "The commands differ from job to job: condor_holdadvise {} -long",
                held.job.cluster
            );
            out.push_str(&wrap("    ", 4, &text, columns));
            return out;
        };
        if group.procs.len() > 1 {
            let others = self.holds.get(&key.hold).is_some_and(|jobs| *jobs > group.procs.len());
            let procs = (others || !page.whole_clusters).then(|| among(&mut group.procs));
            let target = target(key.hold, group.newest, procs);
            commands.iter_mut().for_each(|command| *command = command.replace(ID, &target));
        }
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
        reason: if tells_cause(held.code) { &advice.meaning } else { &held.normalised_reason }
            .clone(),
        recommendation: advice.recommendation.name(),
        action: advice.action,
    }
}

/// Job event logs that cannot be read are of one kind for each fault: there may be one for each job.
fn kind_of_missing(line: &str) -> Cow<'_, str> {
    match (line.strip_prefix(JOB_LOG), line.rsplit_once(": ")) {
        (Some(_), Some((_, fault))) => format!("{JOB_LOG}: {fault}").into(),
        _ => line.into(),
    }
}

/// What is said of one job's own log begins so.
const JOB_LOG: &str = "job event log ";

/// Said of every job, and read once for all of them.
fn is_of_all(line: &str) -> bool {
    !line.starts_with(JOB_LOG)
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

/// `ProcId >= 3 && ProcId <= 9`; `(ProcId == 1 || (ProcId >= 3 && ProcId <= 9))`.
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
    let one = |&(from, to): &(i32, i32)| {
        if from == to {
            format!("ProcId == {from}")
        } else {
            format!("ProcId >= {from} && ProcId <= {to}")
        }
    };
    if let [run] = runs.as_slice() {
        return one(run);
    }
    let in_brackets =
        |run: &(i32, i32)| if run.0 == run.1 { one(run) } else { format!("({})", one(run)) };
    format!("({})", runs.iter().map(in_brackets).collect::<Vec<_>>().join(" || "))
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
    fn what_each_job_needs_for_itself_is_told_of_one() {
        let site = |proc: i32, name: &str| {
            let mut advice = samples::memory(5, proc, 2048);
            advice.changes = vec![format!("Keep it off {name}, where it failed.")];
            let edit = format!("condor_qedit 5.{proc} Requirements 'M =!= \"{name}\"'");
            advice.commands[0] = edit;
            advice
        };
        let differ = text(&[site(0, "e1"), site(1, "f1")], None, true);
        assert!(differ.contains("Change first: each its own, 5.0 so: Keep it off e1, where"));
        assert!(differ.contains("The commands differ from job to job: condor_holdadvise 5 -long"));
        assert!(!differ.contains("condor_qedit"), "{differ}");
        // By hand: the release is the same for all.
        let mut advices = [site(0, "/in/1.dat"), site(1, "/in/2.dat")];
        advices.iter_mut().for_each(|advice| drop(advice.commands.remove(0)));
        let by_hand = text(&advices, None, true);
        assert!(by_hand.contains("Keep it off /in/{1..2}.dat, where"), "{by_hand}");
        assert!(by_hand.contains("condor_release -constraint 'ClusterId == 5 && "), "{by_hand}");
        let few = text(&[samples::memory(5, 0, 1024), samples::memory(5, 1, 4096)], None, true);
        assert!(few.contains("Ask for 1024 to 4096 MB") && !few.contains("condor_qedit"), "{few}");
    }

    #[test]
    fn wordings_of_one_cause_are_one_group() {
        let worded = |proc: i32, code: i32, reason: &str| {
            let mut advice = samples::transfer(8, proc);
            advice.held.code = Some(code);
            advice.held.reason = Some(reason.to_owned());
            advice.held.normalised_reason = reason.to_owned();
            advice
        };
        let of =
            |code| text(&[worded(0, code, "too long"), worded(1, code, "too\nbig")], None, true);
        assert!(of(13).contains("2 held jobs in 1 group;"), "{}", of(13));
        assert!(!of(13).contains("Hold reason"));
        assert!(of(26).contains("2 held jobs in 2 groups;"));
        assert!(of(26).contains("  Hold reason: too long\n"));
        assert!(of(26).contains("  Hold reason: too big\n"));
    }

    #[test]
    fn logs_that_cannot_be_read_are_counted() {
        let lacks = |proc: i32, fault: &str| {
            let mut advice = samples::transfer(6, proc);
            advice.missing.push(format!("job event log /home/u/{proc}.log: {fault}"));
            advice
        };
        let mut advices = [lacks(0, "No such file"), lacks(1, "No such file"), lacks(2, "denied")];
        advices[1].missing.push("job event log /dag.nodes.log: No such file".to_owned());
        let text = text(&advices, None, true);
        let lines: Vec<&str> =
            text.lines().filter(|line| line.starts_with("Judged without")).collect();
        assert_eq!(
            lines,
            [
                "Judged without: event log /var/log/condor/EventLog: permission denied",
                "Judged without: job event log /home/u/0.log: No such file; and so for 1 more job",
                "Judged without: job event log /home/u/2.log: denied",
            ]
        );
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
             HoldReasonSubCode == 256 && EnteredCurrentStatus <= {} && ProcId >= 0 && ProcId <= 1'",
            NOW - 8040
        );
        assert!(text.contains(&command), "{text}");
        // Of a cluster that was not looked at as a whole the procs are named.
        let some = super::tests::text(&advices[..2], None, false);
        assert!(some.contains(" && ProcId >= 0 && ProcId <= 1'"), "{some}");
        let whole = super::tests::text(&advices[..2], None, true);
        assert!(!whole.contains("ProcId"), "{whole}");
    }
}
