//! Several jobs: one block for each group of like holds.
//!
//! A group has one cluster or DAG, code, subcode, cause ([`SharedCause`]), recommendation and action. What
//! its jobs share of their hold reasons and of the evidence is printed. One command does for all of
//! it where the jobs' commands differ, but for the id, in a number of which the largest does for
//! all; where they differ more, one does for each part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::Page;
use super::block::{self, OWNER, codes, why_label};
use super::commands;
use super::decision;
use super::shared_commands::{Part, Parts};
use super::shared_evidence::{Names, Places, SharedEvidence};
use super::shared_words::SharedWords;
use super::sources::Sources;
use super::sure::{probability, verdict, verdict_line};
use super::wrap::wrap;
use crate::advice::{
    Advice, ByHand, ChangeKind, EditFacts, Evidence, HeldJob, LookAt, Near, Recommendation,
    SharedCause, Undecided, WaitFor, constraint_of,
};
use crate::features::Scope;
use crate::history::Action;
use crate::policy::Prediction;
use crate::sentences::times::{length, minute};
use crate::sentences::{self, choices};
use crate::text::{Foreign, plural, printable};

/// What members of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    hold: Hold,
    cause: SharedCause,
    recommendation: &'static str,
    action: Option<Action>,
}

/// Whose jobs, code and subcode.
type Hold = (Family, Option<i32>, Option<i32>);

/// The nodes of a DAG are clusters of a job each, as a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Cluster(i32),
    Dag(i32),
}

impl Family {
    fn of(held: &HeldJob) -> Self {
        held.dagman_job_id.map_or(Self::Cluster(held.job.cluster), Self::Dag)
    }
}

/// Like holds, as much of them as is printed.
#[derive(Debug)]
struct Group {
    first: Advice,
    /// Its jobs are of several clusters.
    is_of_several: bool,
    /// Verdict of the member least likely to succeed: it speaks for the group.
    verdict: String,
    chance: f64,
    /// Why nothing is recommended, where it is the same for all members.
    undecided: Option<Undecided>,
    /// What the hold reasons of all members share.
    reason: SharedWords,
    oldest: i64,
    /// What was seen of all members.
    evidence: SharedEvidence,
    /// Where the members ran.
    places: Places,
    /// What HTCondor will do by itself, as far as it is the same for all members.
    by_itself: Vec<Prediction>,
    /// What to change first, as far as it is the same for all members.
    change: Option<ChangeKind>,
    /// What that is about, of members that differ in it.
    names: Names,
    /// What goes with that, where it is the same for all members.
    facts: Option<EditFacts>,
    /// Where what is corrected by hand stands, as far as it is the same for all members.
    by_hand: Option<ByHand>,
    /// What to wait for, where it is the same for all members, and the latest instant named.
    wait: Option<WaitFor>,
    until: Option<i64>,
    /// What to look at, where it is the same for all members.
    look: Option<LookAt>,
    /// Where that shows nothing a release of each member is worth it.
    after_look: bool,
    /// When to look again, at the latest.
    look_again: Option<i64>,
    /// The members by what to paste now, and by what to paste later, with their holds.
    now: Parts,
    after: Parts,
}

/// Groups of the advices added so far: their memory grows with the groups, the places and 96 bytes
/// a job.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: BTreeMap<Key, Group>,
    sources: Sources,
    jobs: usize,
}

/// What can be done at once stands first.
const BY_USE: [Recommendation; 7] = [
    Recommendation::Release,
    Recommendation::Try,
    Recommendation::Change,
    Recommendation::Remove,
    Recommendation::Look,
    Recommendation::Wait,
    Recommendation::Undecided,
];

/// Groups that are printed: more than anybody reads.
const GROUPS: usize = 50;

/// Sentences on what HTCondor will do by itself that are printed of a group.
const BY_ITSELF: usize = 2;

/// Characters of a hold reason that are printed of a group.
const REASON: usize = 200;

/// Sentences of evidence that are printed of a group.
const EVIDENCE: usize = 4;

/// Lines of commands to paste now, and of those for later, that are printed of a group whose jobs
/// need several.
const COMMANDS: usize = 8;

impl Groups {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.jobs += 1;
        self.sources.add(advice);
        let chance = probability(advice).unwrap_or(0.0);
        let held = &advice.held;
        let since = held.held_since;
        let change = advice.change.as_ref().map(|change| &change.what);
        let facts = advice.change.as_ref().map(|change| &change.facts);
        let by_hand = advice.change.as_ref().and_then(|change| change.by_hand.as_ref());
        let wait = advice.wait.as_ref().map(|wait| &wait.what);
        let reason = held.reason.as_ref().map(Foreign::value).unwrap_or_default();
        let until = advice.wait.as_ref().and_then(|wait| wait.until);
        let look_again = advice.wait.as_ref().map(|wait| wait.look_again);
        let group = self.groups.entry(key(advice)).or_insert_with(|| Group {
            verdict: verdict(advice),
            first: advice.clone(),
            is_of_several: false,
            chance,
            undecided: advice.undecided,
            reason: SharedWords::new(&reason, held.code),
            oldest: since,
            evidence: SharedEvidence::new(&advice.evidence),
            places: Places::default(),
            by_itself: advice.htcondor_will.clone(),
            change: change.cloned(),
            names: Names::default(),
            facts: facts.cloned(),
            by_hand: by_hand.cloned(),
            wait: wait.cloned(),
            until,
            look: advice.look.clone(),
            after_look: true,
            look_again,
            now: Parts::default(),
            after: Parts::default(),
        });
        group.is_of_several |= group.first.held.job.cluster != held.job.cluster;
        group.after_look &= advice.releases_after_look();
        if group.undecided != advice.undecided {
            group.undecided = None;
        }
        group.reason.add(&reason, held.code);
        group.evidence.add(&advice.evidence);
        group.places.add(held.place.as_ref());
        group.names.add(held.job, change.and_then(ChangeKind::name));
        group.change = group.change.take().zip(change).and_then(|(all, one)| all.join(one));
        group.facts = group.facts.take().filter(|all| Some(all) == facts);
        group.by_hand = group.by_hand.take().zip(by_hand).and_then(|(all, one)| all.join(one));
        group.wait = group.wait.take().filter(|all| Some(all) == wait);
        group.look = group.look.take().filter(|all| Some(all) == advice.look.as_ref());
        group.until = group.until.max(until);
        group.look_again = group.look_again.max(look_again);
        group.now.add(&advice.commands, advice.target);
        group.after.add(&advice.commands_after, advice.target);
        group
            .by_itself
            .retain(|thing| advice.htcondor_will.iter().any(|other| thing.is_like(other)));
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
        let mut groups: Vec<Group> = std::mem::take(&mut self.groups).into_values().collect();
        groups.sort_by_key(|group| {
            let at = BY_USE.iter().position(|one| *one == group.first.recommendation);
            (at, std::cmp::Reverse(group.now.jobs()))
        });
        let common = common(&groups, page);
        for sentence in &common {
            out.write_all(wrap("Of every job: ", 2, sentence, page.style.columns).as_bytes())?;
        }
        if !common.is_empty() {
            writeln!(out)?;
        }
        for group in groups.iter().take(GROUPS) {
            writeln!(out, "{}", group.text(page, &common))?;
        }
        let left_out = match count {
            ..=GROUPS => String::new(),
            _ => format!(", of which the first {GROUPS} are printed; -totals counts all"),
        };
        writeln!(
            out,
            "{} in {}{left_out}; -nobatch prints a line for each; condor_holdadvise with one id says why",
            plural(self.jobs, "held job"),
            plural(count, "group")
        )?;
        self.sources.print_trust(out, page)
    }
}

/// What was seen of the jobs of every group, and what HTCondor will do with all of them, where
/// there are several groups.
fn common(groups: &[Group], page: &Page) -> BTreeSet<String> {
    let sentences = |group: &Group| -> BTreeSet<String> {
        group.evidence.sentences().chain(group.by_itself(page)).collect()
    };
    let [first, others @ ..] = groups else { return BTreeSet::new() };
    if others.is_empty() {
        return BTreeSet::new();
    }
    let mut common = sentences(first);
    for group in others {
        if common.is_empty() {
            break;
        }
        common = &common & &sentences(group);
    }
    common
}

impl Group {
    /// What HTCondor will do with each of its jobs, behind its label.
    fn by_itself<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = String> + 'a {
        let acts = |thing: &&Prediction| !matches!(thing, Prediction::Nothing { .. });
        let all = self.by_itself.iter().filter(acts).take(BY_ITSELF);
        all.map(|thing| {
            let sentence = sentences::prediction(thing, &page.zone);
            format!("By itself: {}", printable(&sentence))
        })
    }

    /// Its block, without what is `common` to all groups.
    fn text(&self, page: &Page, common: &BTreeSet<String>) -> String {
        let group = self;
        let mut out = String::new();
        let first = &group.first;
        let held = &first.held;
        let columns = page.style.columns;
        let count = group.now.jobs();
        let (jobs, up_to) = match count {
            1 => (format!("Job {}", held.job), ""),
            count => match Family::of(held) {
                Family::Dag(dag) if group.is_of_several => {
                    (format!("{count} jobs of DAG {dag}"), "up to ")
                }
                _ => (format!("{count} jobs of cluster {}", held.job.cluster), "up to "),
            },
        };
        let owner = held.owner.as_ref().map(|owner| format!(" of {}", owner.named(OWNER)));
        let header = format!(
            "{jobs}{}, code {}, held for {up_to}{}",
            owner.unwrap_or_default(),
            codes(first),
            length(page.now.saturating_sub(group.oldest))
        );
        out.push_str(&wrap("", 4, &header, columns));
        out.push_str(&verdict_line(first, &group.verdict, &page.style));
        if let Some(why) = &group.undecided {
            let why = sentences::undecided(why, held.code);
            out.push_str(&wrap(&format!("  {} ", why_label(first)), 4, &why, columns));
        }
        out.push_str(&wrap("  ", 4, &sentences::why(first), columns));
        let (label, reason) = match group.reason.text() {
            Some(shared) => ("  Hold reason: ".to_owned(), shared),
            None => (format!("  Hold reason of {}: ", held.job), group.reason.first.clone()),
        };
        if !reason.is_empty() {
            out.push_str(&wrap(&label, 4, &Foreign::from(reason).quoted(REASON), columns));
        }
        out.push_str(&group.seen(columns, common));
        for before in &first.correct_before {
            let text = sentences::change(&before.what);
            let label = format!("  Change first, for {}: ", held.job);
            out.push_str(&wrap(&label, 4, &printable(&text), columns));
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
                |name: &&Foreign| group.change.as_ref().is_some_and(|all| all.name() != Some(name));
            if change.what.name().is_some_and(|name| left_out(&name)) {
                text.push_str(&group.names.text());
            }
            text.push_str(&group.facts.as_ref().map_or(String::new(), sentences::edit_facts));
            if group.now.differ() || group.after.differ() {
                text.push_str(match group.now.of_all().and(group.after.of_all()) {
                    Some(_) => " The command gives each the largest.",
                    None => " Each command gives its jobs the largest.",
                });
            }
            out.push_str(&wrap("  Change first: ", 4, &printable(&text), columns));
            if let Some(way) = &group.by_hand {
                out.push_str(&wrap("  To correct it: ", 4, &sentences::by_hand(way), columns));
            }
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
            if let Some(likely) = &wait.likely {
                let text = sentences::likely(first.band, likely, &page.zone);
                out.push_str(&wrap("  Success: ", 4, &text, columns));
            }
            if let Some(at) = group.look_again {
                let text = sentences::look_again(at, page.now, &page.zone);
                out.push_str(&wrap("  Look again: ", 4, &text, columns));
            }
        }
        for sentence in group.by_itself(page).filter(|sentence| !common.contains(sentence)) {
            out.push_str(&wrap("  ", 4, &sentence, columns));
        }
        out.push_str(&group.commands(page));
        if page.style.explains {
            out.push_str(&decision::text("  ", first, columns));
        }
        out
    }

    /// What was seen of all of it and not of all groups, and where they ran where that matters.
    fn seen(&self, columns: Option<usize>, common: &BTreeSet<String>) -> String {
        let first = &self.first;
        let mut out = String::new();
        let of_first = first.evidence.first().filter(|seen| !self.evidence.has(seen));
        if let Some(seen) = of_first {
            let label = format!("  Evidence, for {}: ", first.held.job);
            out.push_str(&wrap(&label, 4, &sentences::evidence(seen), columns));
        }
        let most = EVIDENCE - usize::from(of_first.is_some());
        let own = self.evidence.sentences().filter(|sentence| !common.contains(sentence));
        for (number, sentence) in own.take(most).enumerate() {
            let label = match (number, self.now.jobs()) {
                (0, 1) => "  Evidence: ",
                (0, _) => "  Evidence, for each: ",
                _ => "  And: ",
            };
            out.push_str(&wrap(label, 4, &sentence, columns));
        }
        let places = self.places.text();
        if self.now.jobs() > 1 && is_about_places(first) && !places.is_empty() {
            out.push_str(&wrap("  Last ran at: ", 4, &places, columns));
        }
        out
    }

    /// The commands that do for all or for parts of the jobs, and where to see the others.
    fn commands(&self, page: &Page) -> String {
        let first = &self.first;
        let columns = page.style.columns;
        let count = self.now.jobs();
        if self.now.is_empty() && self.after.is_empty() {
            return String::new();
        }
        let is_removal = first.recommendation == Recommendation::Remove;
        if is_removal && count > 1 && !page.style.removals {
            let text = format!(
                "A removal is for one job at a time: condor_holdadvise with its id says why and has the command. \
                 -removals prints the command for all {count}."
            );
            return wrap("  ", 4, &text, columns);
        }
        let [now, later] = commands::labels(first.recommendation, self.after_look);
        self.of_parts(now, &self.now, columns) + &self.of_parts(later, &self.after, columns)
    }

    /// The commands below a label, and where to see those that are left out.
    fn of_parts(&self, label: &str, parts: &Parts, columns: Option<usize>) -> String {
        if parts.is_empty() {
            return String::new();
        }
        let say = |text: &str| wrap("  ", 4, &format!("{label} {text}"), columns);
        let text = |part: &Part, label: &str| {
            let constraint = constraint_of(&part.targets)?;
            Some(commands::labelled(&format!("  {label}"), &part.commands(), &constraint))
        };
        if let Some(part) = parts.of_all() {
            return text(part, label).unwrap_or_else(|| {
                say("One command for all of them would be too long; -long, asked of the same jobs and logs, has one \
                     for each job.")
            });
        }
        let mut out = String::new();
        let (mut lines, mut without, mut left) = (0, 0, parts.others);
        for part in parts.largest_first() {
            let jobs = part.targets.len();
            let whose = match part.targets.as_slice() {
                [target] => target.job.to_string(),
                _ => format!("{jobs} of the {} jobs", parts.jobs()),
            };
            let label = format!("{} for {whose}:", label.trim_end_matches(':'));
            let fits = lines + part.lines() <= COMMANDS;
            match part.lines() {
                0 => without += jobs,
                more => match text(part, &label).filter(|_| fits) {
                    None => left += jobs,
                    Some(text) => {
                        lines += more;
                        out.push_str(&text);
                    }
                },
            }
        }
        // A job may have those of the other label.
        if without > 0 && (self.now.is_empty() || self.after.is_empty()) {
            out.push_str(&say(&format!("None for {}.", plural(without, "job"))));
        }
        if left > 0 {
            let whose = match out.is_empty() {
                true => "each job".to_owned(),
                false => plural(left, "other job"),
            };
            let text = format!("-long, asked of the same jobs and logs, has those for {whose}.");
            out.push_str(&say(&text));
        }
        out
    }
}

/// Whether an advice has to do with where the job ran.
fn is_about_places(advice: &Advice) -> bool {
    let change = advice.change.as_ref().map(|change| &change.what);
    let at_site = |near: &Near| near.scope == Scope::Site;
    advice.action == Some(Action::Site)
        || matches!(change, Some(ChangeKind::Place { .. }))
        || advice.evidence.iter().any(|seen| match seen {
            Evidence::Place { .. } => true,
            Evidence::BeganSince { near, .. } | Evidence::HeldNow { near, .. } => at_site(near),
            _ => false,
        })
}

fn key(advice: &Advice) -> Key {
    let held = &advice.held;
    Key {
        hold: (Family::of(held), held.code, held.subcode),
        cause: held.cause.clone(),
        recommendation: advice.recommendation.name(),
        action: advice.action,
    }
}

#[cfg(test)]
#[path = "groups_tests.rs"]
mod tests;
