//! Several jobs: one block for each group of like holds.
//!
//! A group has one cluster, code, subcode, normalised reason, recommendation and, but for the job's
//! id, the same commands: so that one command does for all of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::Page;
use super::attributes::command_text;
use super::block::codes;
use super::sure::{probability, trust, verdict};
use super::times::{length, minute};
use super::wrap::wrap;
use crate::advice::Advice;
use crate::text::{shell_quote, strip_control};
use crate::userlog::JobId;

/// Stands for the job's id in commands that are compared.
const ID: &str = "\u{0}";

type Key<'a> = (i32, Option<i32>, Option<i32>, &'a str, &'static str, Vec<String>);

pub(super) fn print(out: &mut dyn Write, advices: &[Advice], page: &Page) -> io::Result<()> {
    out.write_all(text(advices, page).as_bytes())
}

fn text(advices: &[Advice], page: &Page) -> String {
    let mut groups: BTreeMap<Key<'_>, Vec<&Advice>> = BTreeMap::new();
    for advice in advices {
        groups.entry(key(advice)).or_default().push(advice);
    }
    let mut out = String::new();
    for (key, members) in &groups {
        out.push_str(&group(key, members, advices, page));
        out.push('\n');
    }
    let count =
        |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let _ = writeln!(
        out,
        "{} in {}; -nobatch prints each job, an id alone says why",
        count(advices.len(), "held job"),
        count(groups.len(), "group")
    );
    let trusts: std::collections::BTreeSet<String> = advices.iter().map(trust).collect();
    for line in trusts {
        out.push_str(&wrap("", 2, &line, page.columns));
    }
    let missing: std::collections::BTreeSet<&str> =
        advices.iter().flat_map(|advice| advice.missing.iter().map(String::as_str)).collect();
    for line in missing {
        out.push_str(&wrap("not read: ", 2, &strip_control(line), page.columns));
    }
    out
}

fn key(advice: &Advice) -> Key<'_> {
    let held = &advice.held;
    let commands = advice.commands.iter().map(|command| with_target(command, held.job)).collect();
    (
        held.job.cluster,
        held.code,
        held.subcode,
        &held.normalised_reason,
        advice.recommendation.name(),
        commands,
    )
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

fn group(key: &Key<'_>, members: &[&Advice], all: &[Advice], page: &Page) -> String {
    let mut out = String::new();
    let weak = members.iter().copied().reduce(weaker);
    let (Some(first), Some(weakest)) = (members.first(), weak) else { return out };
    let held = &first.held;
    let columns = page.columns;
    let jobs = match members.len() {
        1 => format!("Job {}", held.job),
        count => format!("{count} jobs of cluster {}", held.job.cluster),
    };
    let owner = held.owner.as_deref().map(|owner| format!(" of {}", strip_control(owner)));
    let oldest = members.iter().map(|member| member.held.held_since).min().unwrap_or(page.now);
    let header = format!(
        "{jobs}{}, code {}, held for {}{}",
        owner.unwrap_or_default(),
        codes(first),
        if members.len() == 1 { "" } else { "up to " },
        length(page.now - oldest)
    );
    out.push_str(&wrap("", 4, &header, columns));
    out.push_str(&wrap("  ", 4, &verdict(weakest), columns));
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
    let target = target(key, members, all);
    let commands: Vec<String> = match members {
        [only] => only.commands.iter().map(|command| command_text(command)).collect(),
        _ => key.5.iter().map(|command| command.replace(ID, &target)).collect(),
    };
    for command in commands {
        // Not wrapped: it is to be pasted.
        let _ = writeln!(out, "    {command}");
    }
    out
}

/// Of two members the one less likely to succeed: it speaks for the group.
fn weaker<'a>(one: &'a Advice, other: &'a Advice) -> &'a Advice {
    let chance = |advice: &Advice| probability(advice).unwrap_or(0.0);
    if chance(other) < chance(one) { other } else { one }
}

/// What the group's command acts on: a constraint that is true for the jobs judged, in
/// the holds judged, and for no other job judged.
fn target(key: &Key<'_>, members: &[&Advice], all: &[Advice]) -> String {
    let (cluster, code, subcode, ..) = key;
    let mut parts = vec![format!("ClusterId == {cluster}"), "JobStatus == 5".to_owned()];
    parts.extend(code.map(|code| format!("HoldReasonCode == {code}")));
    parts.extend(subcode.map(|subcode| format!("HoldReasonSubCode == {subcode}")));
    let newest = members.iter().map(|member| member.held.held_since).max().unwrap_or_default();
    parts.push(format!("EnteredCurrentStatus <= {newest}"));
    let caught = |other: &&Advice| {
        let held = &other.held;
        held.job.cluster == *cluster
            && (code.is_none() || held.code == *code)
            && (subcode.is_none() || held.subcode == *subcode)
    };
    if all.iter().filter(caught).count() > members.len() {
        let mut procs: Vec<i32> = members.iter().map(|member| member.held.job.proc).collect();
        parts.push(among(&mut procs));
    }
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
        insta::assert_snapshot!(text(
            &advices,
            &Page { columns: Some(80), now: NOW, zone: TimeZone::UTC }
        ));
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
        let text = text(&advices, &Page { columns: None, now: NOW, zone: TimeZone::UTC });
        let command = format!(
            "condor_release -constraint 'ClusterId == 9 && JobStatus == 5 && HoldReasonCode == 13 && \
             HoldReasonSubCode == 256 && EnteredCurrentStatus <= {} && ((ProcId >= 0 && ProcId <= 1))'",
            NOW - 8040
        );
        assert!(text.contains(&command), "{text}");
    }
}
