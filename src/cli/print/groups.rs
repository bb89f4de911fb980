//! Several jobs: one block for each group of like holds.
//!
//! A group has one cluster, code, subcode, cause ([`SharedCause`]), recommendation and action. What
//! its jobs share of their hold reasons is printed. One command does for all of it where the jobs'
//! commands differ, but for the id, in a number of which the largest does for all.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Page;
use super::block::{self, codes, why_label};
use super::commands::{self, Shared};
use super::decision;
use super::sources::Sources;
use super::sure::{probability, verdict};
use super::times::{length, minute};
use super::wrap::wrap;
use crate::advice::meaning::tells_cause;
use crate::advice::{
    Advice, ChangeKind, Command, EditFacts, Evidence, LookAt, Recommendation, SharedCause, Target,
    Undecided, WaitFor, constraint_of,
};
use crate::cli::{choices, sentences};
use crate::history::Action;
use crate::policy::Prediction;
use crate::text::{plural, shorten, shown, strip_control};

/// What members of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    hold: Hold,
    cause: SharedCause,
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
    undecided: Option<Undecided>,
    /// What the hold reasons of all members share.
    reason: SharedWords,
    oldest: i64,
    /// The holds of all members.
    targets: Vec<Target>,
    /// The most telling evidence, where it is the same for all members.
    evidence: Option<Evidence>,
    /// What HTCondor will do by itself, as far as it is the same for all members.
    by_itself: Vec<Prediction>,
    /// What to change first, as far as it is the same for all members.
    change: Option<ChangeKind>,
    /// What goes with that, where it is the same for all members.
    facts: Option<EditFacts>,
    /// What to wait for, where it is the same for all members, and the latest instant named.
    wait: Option<WaitFor>,
    until: Option<i64>,
    /// What to look at, where it is the same for all members.
    look: Option<LookAt>,
    /// When to look again, at the latest.
    look_again: Option<i64>,
    /// What to paste now and later; `None` where no commands do for all.
    commands: Option<Vec<Shared>>,
    commands_after: Option<Vec<Shared>>,
}

/// Groups of the advices added so far: their memory grows with the groups and 48 bytes a job.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: BTreeMap<Key, Group>,
    sources: Sources,
    jobs: usize,
}

/// Sentences on what HTCondor will do by itself that are printed of a group.
const BY_ITSELF: usize = 2;

/// Characters of a hold reason that are printed of a group.
const REASON: usize = 200;

impl Groups {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.jobs += 1;
        self.sources.add(advice);
        let chance = probability(advice).unwrap_or(0.0);
        let held = &advice.held;
        let since = held.held_since;
        let change = advice.change.as_ref().map(|change| &change.what);
        let facts = advice.change.as_ref().map(|change| &change.facts);
        let wait = advice.wait.as_ref().map(|wait| &wait.what);
        let reason = held.reason.as_deref().unwrap_or_default();
        let until = advice.wait.as_ref().and_then(|wait| wait.until);
        let look_again = advice.wait.as_ref().map(|wait| wait.look_again);
        let group = self.groups.entry(key(advice)).or_insert_with(|| Group {
            verdict: verdict(advice),
            first: advice.clone(),
            chance,
            undecided: advice.undecided,
            reason: SharedWords::new(reason, held.code),
            oldest: since,
            targets: Vec::new(),
            evidence: advice.evidence.first().cloned(),
            by_itself: advice.htcondor_will.clone(),
            change: change.cloned(),
            facts: facts.cloned(),
            wait: wait.cloned(),
            until,
            look: advice.look.clone(),
            look_again,
            commands: Shared::all(&advice.commands),
            commands_after: Shared::all(&advice.commands_after),
        });
        if group.undecided != advice.undecided {
            group.undecided = None;
        }
        group.reason.add(reason, held.code);
        group.evidence = group.evidence.take().filter(|all| advice.evidence.first() == Some(all));
        group.change = group.change.take().zip(change).and_then(|(all, one)| all.join(one));
        group.facts = group.facts.take().filter(|all| Some(all) == facts);
        group.wait = group.wait.take().filter(|all| Some(all) == wait);
        group.look = group.look.take().filter(|all| Some(all) == advice.look.as_ref());
        group.until = group.until.max(until);
        group.look_again = group.look_again.max(look_again);
        Shared::add(&mut group.commands, &advice.commands);
        Shared::add(&mut group.commands_after, &advice.commands_after);
        group
            .by_itself
            .retain(|thing| advice.htcondor_will.iter().any(|other| thing.is_like(other)));
        group.targets.push(advice.target);
        group.oldest = group.oldest.min(since);
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
        // What it was judged without comes before what is made of the rest.
        if self.sources.print_missing(out, page)? {
            writeln!(out)?;
        }
        let count = self.groups.len();
        for group in std::mem::take(&mut self.groups).into_values() {
            writeln!(out, "{}", group.text(page))?;
        }
        writeln!(
            out,
            "{} in {}; -nobatch prints a line for each; condor_holdadvise with one id says why",
            plural(self.jobs, "held job"),
            plural(count, "group")
        )?;
        self.sources.print_trust(out, page)
    }
}

impl Group {
    fn text(&self, page: &Page) -> String {
        let group = self;
        let mut out = String::new();
        let first = &group.first;
        let held = &first.held;
        let columns = page.style.columns;
        let (jobs, up_to) = match group.targets.len() {
            1 => (format!("Job {}", held.job), ""),
            count => (format!("{count} jobs of cluster {}", held.job.cluster), "up to "),
        };
        let owner = held.owner.as_deref().map(|owner| format!(" of {}", strip_control(owner)));
        let header = format!(
            "{jobs}{}, code {}, held for {up_to}{}",
            owner.unwrap_or_default(),
            codes(first),
            length(page.now.saturating_sub(group.oldest))
        );
        out.push_str(&wrap("", 4, &header, columns));
        out.push_str(&wrap("  ", 4, &group.verdict, columns));
        if let Some(why) = &group.undecided {
            let why = sentences::undecided(why, held.code);
            out.push_str(&wrap(&format!("  {} ", why_label(first)), 4, &why, columns));
        }
        out.push_str(&wrap("  ", 4, &sentences::why(first), columns));
        let (label, reason) = match group.reason.text() {
            Some(shared) => ("  Hold reason: ".to_owned(), shared),
            None => (format!("  Hold reason of {}: ", held.job), group.reason.first.clone()),
        };
        let reason = strip_control(&reason);
        if !reason.is_empty() {
            out.push_str(&wrap(&label, 4, &shorten(&reason, REASON), columns));
        }
        if let Some(seen) = first.evidence.first() {
            let label = match group.evidence {
                Some(_) => "  Evidence: ".to_owned(),
                None => format!("  Evidence, for {}: ", held.job),
            };
            out.push_str(&wrap(&label, 4, &sentences::evidence(seen), columns));
        }
        for before in &first.correct_before {
            let text = sentences::change(&before.what);
            let label = format!("  Change first, for {}: ", held.job);
            out.push_str(&wrap(&label, 4, &strip_control(&text), columns));
        }
        if let Some(change) = &first.change {
            let mut text = match &group.change {
                Some(all) => sentences::change(all),
                None => {
                    let own = sentences::change(&change.what);
                    format!("each its own, {} so: {own}", held.job)
                }
            };
            let left_out =
                |name: &&str| group.change.as_ref().is_some_and(|all| all.name() != Some(name));
            if let Some(name) = change.what.name().filter(left_out) {
                text.push_str(&format!(
                    " Each has its own, {} has {}.",
                    held.job,
                    shown(name, REASON)
                ));
            }
            text.push_str(&group.facts.as_ref().map_or(String::new(), sentences::edit_facts));
            if group.commands.iter().flatten().any(Shared::differ) {
                text.push_str(" The command gives each the largest.");
            }
            out.push_str(&wrap("  Change first: ", 4, &strip_control(&text), columns));
        }
        if let Some(tried) = &first.try_one {
            out.push_str(&wrap("  What it shows: ", 4, &choices::try_one(tried), columns));
        }
        if let Some(look) = &first.look {
            let own = if group.look.is_some() { "" } else { "each its own: " };
            let text = format!("{own}{}", choices::look_at(look));
            out.push_str(&wrap("  Look at: ", 4, &text, columns));
        }
        if let Some(wait) = &first.wait {
            let until =
                group.until.map(|at| format!(" ({})", minute(at, &page.zone))).unwrap_or_default();
            let text = sentences::wait_for(&wait.what);
            let own = match group.wait {
                Some(_) => String::new(),
                None => format!("each by itself, {} until ", held.job),
            };
            out.push_str(&wrap("  Wait until: ", 4, &format!("{own}{text}{until}"), columns));
            if let Some(at) = group.look_again {
                let text = sentences::look_again(at, page.now, &page.zone);
                out.push_str(&wrap("  Look again: ", 4, &text, columns));
            }
        }
        let acts = |thing: &&Prediction| !matches!(thing, Prediction::Nothing { .. });
        for thing in group.by_itself.iter().filter(acts).take(BY_ITSELF) {
            let sentence = sentences::prediction(thing, &page.zone);
            out.push_str(&wrap("  By itself: ", 4, &strip_control(&sentence), columns));
        }
        out.push_str(&group.commands(page));
        if page.style.explains {
            out.push_str(&decision::text("  ", first, columns));
        }
        out
    }

    /// The commands that do for all, or where to see those of each job.
    fn commands(&self, page: &Page) -> String {
        let first = &self.first;
        let label = commands::first_label(first);
        let say = |text: &str| wrap("  ", 4, text, page.style.columns);
        if first.commands.is_empty() && first.commands_after.is_empty() {
            return String::new();
        }
        let is_removal = first.recommendation == Recommendation::Remove;
        if is_removal && self.targets.len() > 1 && !page.style.removals {
            return say(&format!(
                "A removal is for one job at a time: condor_holdadvise with its id says why and has the command. \
                 -removals prints the command for all {}.",
                self.targets.len()
            ));
        }
        let all = |shared: &Option<Vec<Shared>>| -> Option<Vec<Command>> {
            Some(shared.as_ref()?.iter().map(Shared::command).collect())
        };
        let (Some(now), Some(after)) = (all(&self.commands), all(&self.commands_after)) else {
            return say(&format!(
                "{label} The commands differ from job to job; -long, asked of the same jobs and logs, has them."
            ));
        };
        let Some(constraint) = constraint_of(&self.targets) else {
            return say(&format!(
                "{label} One command for all of them would be too long; -long, asked of the same jobs and logs, has one \
                 for each job."
            ));
        };
        commands::text("  ", first, &now, &after, &constraint)
    }
}

/// Words that texts share, in the order of the first one.
#[derive(Clone, Debug)]
struct SharedWords {
    first: String,
    /// `None` while all texts are the same.
    words: Option<Vec<String>>,
}

/// Stands for what differs.
const DIFFERS: &str = "[...]";

/// Characters of a reason that are compared.
const COMPARED: usize = 1_000;

impl SharedWords {
    /// Of a failed transfer the details: what comes before them is said by its codes.
    fn new(reason: &str, code: Option<i32>) -> Self {
        let details = reason.split_once("Details: ").filter(|_| tells_cause(code));
        let text = details.map_or(reason, |(_, details)| details);
        Self { first: shorten(text, COMPARED).into_owned(), words: None }
    }

    fn add(&mut self, reason: &str, code: Option<i32>) {
        let Self { first: other, .. } = Self::new(reason, code);
        if other == self.first && self.words.is_none() {
            return;
        }
        let first = || self.first.split_whitespace().map(str::to_owned).collect();
        let mut words: Vec<String> = self.words.take().unwrap_or_else(first);
        let other: Vec<&str> = other.split_whitespace().collect();
        if other.len() == words.len() {
            for (one, other) in words.iter_mut().zip(&other) {
                *one = shared_letters(one, other);
            }
        } else {
            let ahead = words.iter().zip(&other).take_while(|(a, b)| a == b).count();
            let rest = words.len().min(other.len()) - ahead;
            let ends = words.iter().rev().zip(other.iter().rev());
            let behind = ends.take(rest).take_while(|(a, b)| a == b).count();
            words.splice(ahead..words.len() - behind, [DIFFERS.to_owned()]);
        }
        words.dedup_by(|a, b| a == DIFFERS && b == DIFFERS);
        self.words = Some(words);
    }

    /// What is shared; `None` where several wordings share too little.
    fn text(&self) -> Option<String> {
        let Some(words) = &self.words else { return Some(self.first.clone()) };
        let shared = words.iter().filter(|word| *word != DIFFERS).count();
        (shared * 2 >= self.first.split_whitespace().count()).then(|| words.join(" "))
    }
}

/// `/in/[...].dat` of `/in/1.dat` and `/in/2.dat`: they share what ends and begins at a mark.
fn shared_letters(one: &str, other: &str) -> String {
    if one == other {
        return one.to_owned();
    }
    let same = |(a, b): &(char, char)| a == b;
    let is_mark = |c: &char| !c.is_alphanumeric();
    let ahead: String = one.chars().zip(other.chars()).take_while(same).map(|(a, _)| a).collect();
    let ahead = ahead.trim_end_matches(|c| !is_mark(&c));
    let ends = one[ahead.len()..].chars().rev().zip(other[ahead.len()..].chars().rev());
    let behind: usize = ends.take_while(same).map(|(a, _)| a.len_utf8()).sum();
    let behind = &one[one.len() - behind..];
    let behind = behind.find(|c| is_mark(&c)).map_or("", |at| &behind[at..]);
    match (ahead, behind) {
        ("", "") => DIFFERS.to_owned(),
        _ => format!("{ahead}{DIFFERS}{behind}"),
    }
}

fn key(advice: &Advice) -> Key {
    let held = &advice.held;
    Key {
        hold: (held.job.cluster, held.code, held.subcode),
        cause: held.cause.clone(),
        recommendation: advice.recommendation.name(),
        action: advice.action,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;
    use crate::advice::{Change, Correction, Missing, Near};
    use crate::cli::print::samples::{self, NOW};
    use crate::cli::request::Style;
    use crate::features::Scope;

    fn text(advices: &[Advice], columns: Option<usize>) -> String {
        print_groups(advices, columns, false)
    }

    fn print_groups(advices: &[Advice], columns: Option<usize>, removals: bool) -> String {
        let mut groups = Groups::default();
        advices.iter().for_each(|advice| groups.add(advice));
        let mut out = Vec::new();
        let page = Page {
            style: Style { columns, removals, ..Style::default() },
            now: NOW,
            zone: TimeZone::UTC,
        };
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
        insta::assert_snapshot!(text(&advices, Some(80)));
    }

    #[test]
    fn what_htcondor_will_do_is_told_where_all_share_it() {
        let mut advices = [samples::transfer(1, 0), samples::transfer(1, 1)];
        let holds = |policy: &str| Prediction::HoldsAgain { policy: policy.to_owned() };
        let shared = ["A", "B", "C"].map(holds);
        advices[0].htcondor_will =
            [vec![Prediction::Nothing { days: 1 }], shared.to_vec()].concat();
        advices[1].htcondor_will =
            [shared.to_vec(), vec![Prediction::Nothing { days: 2 }]].concat();
        let text = text(&advices, None);
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("By itself:")).collect();
        assert_eq!(lines.len(), BY_ITSELF, "{text}");
        assert!(lines[0].contains("A is true") && lines[1].contains("B is true"), "{text}");
    }

    #[test]
    fn what_each_job_needs_for_itself_is_told_of_one() {
        let site = |proc: i32, name: &str| {
            let mut advice = samples::memory(5, proc, 2048);
            let (what, input) = (Correction::Input, Some(name.to_owned()));
            let what = ChangeKind::Correct { what, name: input };
            advice.change = Some(Change::new(what, Vec::new()));
            advice.commands[0] = samples::edit("Requirements", &format!("M =!= \"{name}\""));
            advice
        };
        let differ = text(&[site(0, "e1"), site(1, "f1")], None);
        let first = "Change first: Put the input file back, or correct its path in TransferInput. Each has its own, 5.0 has e1.";
        assert!(differ.contains(first), "{differ}");
        assert!(differ.contains("Commands: The commands differ from job to job; -long, asked"));
        assert!(!differ.contains("condor_qedit"), "{differ}");
        // By hand: the release is the same for all.
        let mut advices = [site(0, "/in/1.dat"), site(1, "/in/2.dat")];
        for advice in &mut advices {
            (advice.commands, advice.commands_after) = (vec![], vec![Command::Release]);
        }
        let by_hand = text(&advices, None);
        assert!(by_hand.contains("5.0 has /in/1.dat."), "{by_hand}");
        assert!(
            by_hand.contains("  After that:\ncondor_release -constraint '(ClusterId == 5 && "),
            "{by_hand}"
        );
        let few = text(&[samples::memory(5, 0, 1024), samples::memory(5, 1, 4096)], None);
        assert!(
            few.contains("RequestMemory to 1024-4096 MiB") && !few.contains("condor_qedit"),
            "{few}"
        );
    }

    #[test]
    fn wordings_of_one_cause_are_one_group() {
        let worded = |proc: i32, code: i32, reason: &str| {
            let mut advice = samples::transfer(8, proc);
            advice.held.code = Some(code);
            advice.held.reason = Some(reason.to_owned());
            advice.held.cause = SharedCause::of(code, 256, reason);
            advice
        };
        let of = |code| text(&[worded(0, code, "too long"), worded(1, code, "too\nbig")], None);
        assert!(of(13).contains("2 held jobs in 1 group;"), "{}", of(13));
        assert!(of(13).contains("  Hold reason: too [...]\n"));
        assert!(of(26).contains("2 held jobs in 2 groups;"));
        assert!(of(26).contains("  Hold reason: too long\n"));
        assert!(of(26).contains("  Hold reason: too big\n"));
    }

    #[test]
    fn reasons_show_what_they_share() {
        let shared = |reasons: &[&str]| {
            let mut words = SharedWords::new(reasons[0], Some(13));
            reasons.iter().for_each(|reason| words.add(reason, Some(13)));
            words.text()
        };
        let of = |host: &str, file: u32| {
            format!(
                "Transfer input files failure at execution point slot1@{host}. Details: The requested URL returned \
                 error: 404 ( URL file = http://h.org/in/{file}.dat )|"
            )
        };
        assert_eq!(
            shared(&[&of("e1", 1), &of("e2", 27), &of("e2", 3)]),
            Some(
                "The requested URL returned error: 404 ( URL file = http://h.org/in/[...].dat )|"
                    .to_owned()
            )
        );
        assert_eq!(
            shared(&["it used 3 MB", "it used 4 MB of 2 MB"]),
            Some("it used [...] MB".to_owned())
        );
        assert_eq!(shared(&["a b c", "x"]), None);
        assert_eq!(shared(&["é1/x", "é2/x"]), Some("[...]/x".to_owned()));
        let quoted = shared(&["open \u{2018}1.dat\u{2019}", "open \u{2018}2.dat\u{2019}"]);
        assert_eq!(quoted, Some("open \u{2018}[...].dat\u{2019}".to_owned()));
    }

    #[test]
    fn logs_that_cannot_be_read_are_counted() {
        let lacks = |proc: i32, fault: &str| {
            let mut advice = samples::transfer(6, proc);
            let log = format!("/home/u/{proc}.log").into();
            advice.missing.push(Missing::JobLog { log, fault: fault.into() });
            advice
        };
        let mut advices = [lacks(0, "No such file"), lacks(1, "No such file"), lacks(2, "denied")];
        let log = "/dag.nodes.log".into();
        advices[1].missing.push(Missing::JobLog { log, fault: "No such file".into() });
        let text = text(&advices, None);
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
    fn other_advice_in_the_same_hold_is_left_out() {
        let mut wait = samples::transfer(9, 2);
        wait.recommendation = Recommendation::Wait;
        wait.commands_after = std::mem::take(&mut wait.commands);
        let text = text(&[samples::transfer(9, 0), samples::transfer(9, 1), wait], None);
        let held = format!(
            "JobStatus == 5 && HoldReasonCode == 13 && NumHolds == 2 && EnteredCurrentStatus == {})'\n",
            NOW - 8040
        );
        let both = "  Commands:\ncondor_release -constraint '(ClusterId == 9 && ProcId >= 0 && ProcId <= 1 && ";
        assert!(text.contains(&format!("{both}{held}")), "{text}");
        let one = "  When that has happened:\ncondor_release -constraint '(ClusterId == 9 && ProcId == 2 && ";
        assert!(text.contains(&format!("{one}{held}")), "{text}");
    }

    #[test]
    fn a_group_is_removed_only_if_asked_for() {
        let remove = |proc: i32| {
            let mut advice = samples::transfer(9, proc);
            advice.recommendation = Recommendation::Remove;
            advice.commands = vec![Command::Remove];
            advice
        };
        let printed = |advices: &[Advice], removals: bool| print_groups(advices, None, removals);
        let both = [remove(0), remove(1)];
        let unasked = printed(&both, false);
        assert!(!unasked.contains("condor_rm") && unasked.contains("-removals"), "{unasked}");
        assert!(
            printed(&both, true)
                .contains("\ncondor_rm -constraint '(ClusterId == 9 && ProcId >= 0")
        );
        assert!(
            printed(&both[..1], false)
                .contains("\ncondor_rm -constraint '(ClusterId == 9 && ProcId == 0")
        );
    }

    /// Lines for people that can be pasted: they begin with a lower-case letter in the first
    /// column.
    fn command_lines(text: &str) -> Vec<&str> {
        text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase())).collect()
    }

    /// The commands of an advice as they are printed.
    fn commands_of(advice: &Advice) -> Vec<String> {
        let constraint = advice.target.constraint();
        let all = [&advice.commands, &advice.commands_after]
            .map(|some| commands::lines(some, &constraint).join(" &&\n"));
        all.iter().flat_map(|some| some.lines()).map(str::to_owned).collect()
    }

    proptest! {
        #[test]
        fn no_text_looks_like_a_command(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "condor_rm 1.0", "condor_release -all", "\n", "\r\n", "\u{2028}", "\u{2800}", "\u{a0}", "\u{3000}",
                    "\t", "        ", "\u{1b}[2J\u{1b}[H", "\u{9b}1G", "\u{85}", "\u{b}", "chmod", "x", "Commands:", "&&",
                    "a-word-that-is-longer-than-many-a-line-of-a-terminal-is-wide", "\u{200b}", "日本",
                ]),
                0..30,
            ),
            columns in prop::option::of(1_usize..130),
            recommendation in 0..7_usize,
            by_hand in any::<bool>(),
        ) {
            let text = words.join(" ");
            let cause = SharedCause::of(26, 0, &text);
            let hostile = |proc: i32| {
                let text = if proc == 0 { text.clone() } else { text.chars().rev().collect() };
                let mut advice = samples::memory(1, proc, 2048);
                advice.missing = vec![Missing::Source(text.as_str().into()); 2];
                advice.notes = vec![text.clone(), text.clone()];
                let name = Some(text.clone());
                let near = Near { scope: Scope::Server, name: name.clone(), input: false };
                advice.evidence = vec![Evidence::HeldNow { near, jobs: 1, code: 26 }; 2];
                advice.htcondor_will = vec![Prediction::NotEvaluated { reason: text.clone() }; 2];
                let what = ChangeKind::Correct { what: Correction::Input, name: name.clone() };
                advice.change = Some(Change::new(what, Vec::new()));
                advice.held.reason = Some(text.clone());
                advice.held.owner = Some(text.clone());
                advice.held.code = Some(26);
                advice.held.cause = cause.clone();
                advice.undecided = Some(Undecided::UnknownCode { releases: 1 });
                advice.trust.trained_on.clone_from(&text);
                advice.wait = Some(crate::advice::Wait { what: WaitFor::InOrder { server: name }, until: None, look_again: 0 });
                advice.inputs[0].input.clone_from(&text);
                use Recommendation as R;
                let all = [R::Release, R::Try, R::Change, R::Wait, R::Look, R::Remove, R::Undecided];
                advice.recommendation = all[recommendation];
                if by_hand {
                    (advice.commands, advice.commands_after) = (vec![], vec![Command::Release]);
                }
                advice
            };
            let one = hostile(0);
            let block = print_groups(std::slice::from_ref(&one), columns, true);
            prop_assert_eq!(command_lines(&block), commands_of(&one), "{}", block);
            let two = [hostile(0), hostile(2)];
            let groups = print_groups(&two, columns, true);
            let targets: Vec<Target> = two.iter().map(|advice| advice.target).collect();
            let shared = constraint_of(&targets).unwrap();
            let own = one.target.constraint();
            let of_all: Vec<String> =
                commands_of(&one).iter().map(|line| line.replace(&own, &shared)).collect();
            prop_assert_eq!(command_lines(&groups), of_all, "{}", groups);
        }
    }
}
