//! Groups of like holds, a card for each; a lone job is a group.
//!
//! A group has one cluster or DAG, code, subcode, cause ([`SharedCause`]), recommendation and action. What
//! its jobs share of their hold reasons and of the evidence is printed. One command does for all of
//! it where the jobs' commands differ, but for the id, in a number of which the largest does for
//! all; where they differ more, one does for each part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::card::{self, Card, OWNER, codes};
use super::incidents::{Incidents, shows_passing};
use super::shared_commands::{Part, Parts};
use super::shared_evidence::{Names, SharedEvidence};
use super::shared_words::SharedWords;
use super::sources::Sources;
use super::sure::{how_sure, probability};
use super::wrap::wrap;
use super::{Page, details};
use crate::advice::{
    Advice, Change, ChangeKind, EditFacts, Evidence, ExitKind, HeldJob, LookAt, Recommendation,
    SharedCause, Undecided, WaitFor, constraint_of,
};
use crate::catalogue::Reading;
use crate::history::Action;
use crate::policy::Prediction;
use crate::sentences::times::{length, minute};
use crate::sentences::{self, choices};
use crate::text::{Foreign, plural};

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
    clusters: BTreeSet<i32>,
    /// How sure the advice is for the member least likely to succeed, which speaks for the group.
    sure: String,
    chance: f64,
    /// Why nothing is recommended, where it is the same for all members.
    undecided: Option<Undecided>,
    /// What the hold reasons of all members share.
    reason: SharedWords,
    oldest: i64,
    /// What was seen of all members.
    evidence: SharedEvidence,
    /// What HTCondor will do by itself, as far as it is the same for all members.
    by_itself: Vec<Prediction>,
    /// What to change first, as far as it is the same for all members.
    change: Option<ChangeKind>,
    /// What that is about, of members that differ in it.
    names: Names,
    /// What goes with that, where it is the same for all members.
    facts: Option<EditFacts>,
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

/// Groups of the advices added so far: their memory grows with the groups and 112 bytes a job.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Boxed: a group is large, and they are sorted.
    groups: BTreeMap<Key, Box<Group>>,
    incidents: Incidents,
    sources: Sources,
    jobs: usize,
}

/// Groups of which a card each is printed; more begin with a table.
const CARDS: usize = 3;

/// Rows of that table, and lines that table and cards take together: about a screen.
const ROWS: usize = 20;
const SCREEN: usize = 54;

/// Sentences on what HTCondor will do by itself that are printed of a group.
const BY_ITSELF: usize = 2;

/// Characters of a hold reason that are printed of a group.
const REASON: usize = 125;

/// Lines of commands to paste now, and of those for later, that are printed of a group whose jobs
/// need several.
const COMMANDS: usize = 4;

impl Groups {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.jobs += 1;
        self.sources.add(advice);
        self.incidents.add(advice);
        let chance = probability(advice).unwrap_or(0.0);
        let held = &advice.held;
        let since = held.held_since;
        let change = advice.change.as_ref().map(|change| &change.what);
        let facts = advice.change.as_ref().map(|change| &change.facts);
        let wait = advice.wait.as_ref().map(|wait| &wait.what);
        let reason = held.reason.as_ref().map(Foreign::value).unwrap_or_default();
        let until = advice.wait.as_ref().and_then(|wait| wait.until);
        let look_again = advice.wait.as_ref().map(|wait| wait.look_again);
        let group = self.groups.entry(key(advice)).or_insert_with(|| {
            Box::new(Group {
                sure: how_sure(advice),
                first: advice.clone(),
                clusters: BTreeSet::new(),
                chance,
                undecided: advice.undecided,
                reason: SharedWords::new(&reason, held.code),
                oldest: since,
                evidence: SharedEvidence::new(&advice.evidence),
                by_itself: advice.htcondor_will.clone(),
                change: change.cloned(),
                names: Names::default(),
                facts: facts.cloned(),
                wait: wait.cloned(),
                until,
                look: advice.look.clone(),
                after_look: true,
                look_again,
                now: Parts::default(),
                after: Parts::default(),
            })
        });
        group.clusters.insert(held.job.cluster);
        group.after_look &= advice.releases_after_look();
        if group.undecided != advice.undecided {
            group.undecided = None;
        }
        group.reason.add(&reason, held.code);
        group.evidence.add(&advice.evidence);
        group.names.add(held.job, change.and_then(ChangeKind::name));
        group.change = group.change.take().zip(change).and_then(|(all, one)| all.join(one));
        group.facts = group.facts.take().filter(|all| Some(all) == facts);
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
            group.sure = how_sure(advice);
        }
    }

    /// A card for each group; where these are many, first a table of what is wrong, and cards for as
    /// many as fit a screen.
    pub(super) fn print(self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        let alone = self.jobs == 1;
        let mut groups = in_order(self.groups);
        let mut lines = 0;
        let many = groups.len() > CARDS;
        if many {
            let text = self.incidents.text(Some(ROWS), page);
            lines += text.lines().count();
            writeln!(out, "{text}")?;
            // One of each row, in the order of the table.
            let firsts = self.incidents.firsts(ROWS);
            let place = |group: &Group| firsts.iter().position(|job| *job == group.first.held.job);
            groups.retain(|group| place(group).is_some());
            groups.sort_by_key(|group| place(group));
            writeln!(out, "Start with the first row; this is one of its jobs:\n")?;
        } else if groups.len() > 1 {
            let jobs = plural(self.jobs, "held job");
            writeln!(out, "{jobs} in {}.\n", plural(groups.len(), "group"))?;
        }
        for (number, group) in groups.iter().enumerate() {
            let mut text = group.card(page, alone).text(&page.style);
            if page.style.why {
                text.push_str(&details::text(&group.first, page));
            }
            lines += text.lines().count() + 1;
            // What a screen has no room for stands in the table.
            if many && number > 0 && lines > SCREEN {
                break;
            }
            let end = if alone { "" } else { "\n" };
            write!(out, "{text}{end}")?;
        }
        if !alone {
            let more =
                "More: condor_holdadvise ID | -why ID (details) | USER | -nobatch (a line each).";
            out.write_all(wrap("", 2, more, page.style.columns).as_bytes())?;
        }
        if !page.style.why {
            return self.sources.print_short(out, page);
        }
        self.sources.print_missing(out, page)?;
        self.sources.print_trust(out, page)
    }

    /// The same for a page, with cards for so many groups.
    pub(super) fn on_page(self, most: usize, page: &Page) -> OnPage {
        let mut groups = in_order(self.groups);
        let left_out = groups.split_off(most.min(groups.len())).len();
        let card = |group: Box<Group>| (group.card(page, false), group.now.jobs(), group.first);
        let cards = groups.into_iter().map(card).collect();
        OnPage { cards, left_out, incidents: self.incidents, sources: self.sources }
    }
}

/// What a page has of groups.
pub(super) struct OnPage {
    /// Each with how many jobs it is of, and the advice that the group begins with.
    pub(super) cards: Vec<(Card, usize, Advice)>,
    /// Groups without a card.
    pub(super) left_out: usize,
    pub(super) incidents: Incidents,
    pub(super) sources: Sources,
}

/// What can be done at once first, then the largest.
#[expect(clippy::vec_box, reason = "a group is large, and they are moved")]
fn in_order(groups: BTreeMap<Key, Box<Group>>) -> Vec<Box<Group>> {
    let mut groups: Vec<Box<Group>> = groups.into_values().collect();
    groups.sort_by_key(|group| {
        (group.first.recommendation.rank(), std::cmp::Reverse(group.now.jobs()))
    });
    groups
}

impl Group {
    /// What is said of it; `alone` where no other job is judged.
    fn card(&self, page: &Page, alone: bool) -> Card {
        let first = &self.first;
        let held = &first.held;
        let mut card = Card::new(self.header(page), first.recommendation, self.act(page));
        for before in &first.correct_before {
            let whose =
                if self.now.jobs() > 1 { format!("For {}: ", held.job) } else { String::new() };
            card.say("first", whose + &sentences::change(&before.what));
        }
        card.say("why", self.why());
        let shared = self.reason.text();
        card.quote(shared.as_deref().unwrap_or(&self.reason.first), REASON);
        card.say("how sure", &*self.sure);
        let acts = |thing: &&Prediction| {
            matches!(thing, Prediction::Acts { .. } | Prediction::HoldsAgain { .. })
        };
        for thing in self.by_itself.iter().filter(acts).take(BY_ITSELF) {
            card.say("by itself", sentences::prediction(thing, &page.zone));
        }
        self.paste(&mut card, page);
        let is_shared = |change: &&Change| self.change.as_ref() == Some(&change.what);
        if let Some(change) = first.change.as_ref().filter(is_shared) {
            card.say("next", sentences::next_time(change));
        }
        if let Some(tried) = &first.try_one {
            card.say("look again", choices::ask_again(tried));
        }
        if alone && !page.style.why {
            card.say(
                "more",
                match &page.again {
                    Some(again) => format!("{again} -why {}", held.job),
                    None => "add -why".to_owned(),
                },
            );
        }
        card
    }

    /// `Job 7.0 of alice, held for 2h14m (hold no. 2), code 13/256`; `9 jobs of cluster 7 of alice`.
    fn header(&self, page: &Page) -> String {
        let held = &self.first.held;
        let count = self.now.jobs();
        let jobs = match Family::of(held) {
            _ if count == 1 => format!("Job {}", held.job),
            Family::Dag(dag) if self.clusters.len() > 1 => format!("{count} jobs of DAG {dag}"),
            _ => format!("{count} jobs of cluster {}", held.job.cluster),
        };
        let owner = held.owner.as_ref().map(|owner| format!(" of {}", owner.named(OWNER)));
        let (up_to, hold) = match count {
            1 if held.num_holds > 1 => ("", format!(" (hold no. {})", held.num_holds)),
            1 => ("", String::new()),
            _ => ("up to ", String::new()),
        };
        format!(
            "{jobs}{}, held for {up_to}{}{hold}, code {}",
            owner.unwrap_or_default(),
            length(page.now.saturating_sub(self.oldest)),
            codes(held)
        )
    }

    /// What to do.
    fn act(&self, page: &Page) -> String {
        let first = &self.first;
        let several = self.now.jobs() > 1;
        let each = |all: bool| if all { "" } else { "each its own: " };
        match first.recommendation {
            Recommendation::Release if several => "Release them as they are.".to_owned(),
            Recommendation::Release => "Release it as it is.".to_owned(),
            Recommendation::Remove => "Remove it: no release is likely to help.".to_owned(),
            Recommendation::Try => {
                let (job, held) =
                    first.try_one.map_or((first.held.job, 0), |one| (one.job, one.held));
                format!("Release {job} alone, one of {held} that are held for this, and see.")
            }
            Recommendation::Change => self.changes(),
            Recommendation::Look => match &first.look {
                Some(look) => each(self.look.is_some()).to_owned() + &choices::look_at(look),
                None => "What is known does not show what to correct.".to_owned(),
            },
            Recommendation::Wait => {
                let Some(wait) = &first.wait else { return "Leave it held.".to_owned() };
                let again = self.look_again.map_or_else(String::new, |at| {
                    format!(" Look again at {}.", sentences::look_again(at, page.now, &page.zone))
                });
                let until = self.until.map(|at| format!(" ({})", minute(at, &page.zone)));
                let own = each(self.wait.is_some());
                let remedy = first.held.reading.as_ref().and_then(Reading::remedy);
                let what = match (&wait.what, remedy) {
                    // A text that says when it is over is plainer than that others get through.
                    (WaitFor::InOrder { server: None } | WaitFor::LikeHold, Some(remedy)) => {
                        return format!("Leave it held: {remedy}.{again}");
                    }
                    (what, _) => sentences::wait_for(what),
                };
                format!("Leave it held until {own}{what}{}.{again}", until.unwrap_or_default())
            }
            Recommendation::Undecided => match &self.undecided {
                Some(why) => sentences::undecided(why, first.held.code),
                None => "What is known does not decide it.".to_owned(),
            },
        }
    }

    /// What to change, then to release.
    fn changes(&self) -> String {
        let Some(change) = &self.first.change else {
            return "Correct it, then release it.".to_owned();
        };
        let mut text = match &self.change {
            Some(all) => sentences::change(all),
            None => {
                let own = sentences::change(&change.what);
                format!("Each its own, {} so: {own}", self.first.held.job)
            }
        };
        let left_out =
            |name: &&Foreign| self.change.as_ref().is_some_and(|all| all.name() != Some(name));
        if change.what.name().is_some_and(|name| left_out(&name)) {
            // The release is said behind the names.
            let said = [", then release.", "; then release."];
            if let Some(before) = said.iter().find_map(|end| text.strip_suffix(end)) {
                text = format!("{before}.");
            }
            text.push_str(&self.names.text());
        }
        let facts = self.facts.as_ref().map_or_else(String::new, sentences::edit_facts);
        if self.now.differ() || self.after.differ() {
            text.push_str(match self.now.of_all().and(self.after.of_all()) {
                Some(_) => " The command gives each the largest.",
                None => " Each command gives its jobs the largest.",
            });
        }
        sentences::then_release(&text) + &facts
    }

    /// What holds them, and what was seen that says most.
    fn why(&self) -> String {
        let first = &self.first;
        let cause = sentences::cause(first);
        if let (Recommendation::Look, Some(why)) = (first.recommendation, &self.undecided)
            && !matches!(why, Undecided::NotNamed)
        {
            return format!("{cause} {}", sentences::undecided(why, first.held.code));
        }
        let tells = |seen: &&Evidence| tells(seen, first.recommendation);
        let seen = match self.evidence.of_all().find(tells) {
            Some(shared) => sentences::evidence(shared),
            None => match first.evidence.iter().find(tells) {
                Some(own) => format!("Of {}: {}", first.held.job, sentences::evidence(own)),
                None => return cause,
            },
        };
        // The hold reason below says what was wrong then.
        match first.recommendation {
            Recommendation::Release | Recommendation::Try => seen,
            _ => format!("{cause} {seen}"),
        }
    }

    /// The commands that do for all or for parts of the jobs, and where to see the others.
    fn paste(&self, card: &mut Card, page: &Page) {
        let first = &self.first;
        let count = self.now.jobs();
        let ids = match Family::of(&first.held) {
            _ if count == 1 => first.held.job.to_string(),
            Family::Dag(dag) if self.clusters.len() > 1 => {
                format!("-constraint 'DAGManJobId == {dag}'")
            }
            _ => first.held.job.cluster.to_string(),
        };
        // The tool releases several one after the other; one command is for all at once.
        let is_one =
            || self.now.of_all().is_some_and(|part| constraint_of(&part.targets).is_some());
        if let Some(line) = card::apply(first, &ids, page).filter(|_| count == 1 || !is_one()) {
            card.paste("do", None, vec![line]);
            return;
        }
        if first.recommendation == Recommendation::Remove && count > 1 {
            card.say("note", "One job at a time: a call with its id says why and has the command.");
            return;
        }
        self.of_parts("do", &self.now, card);
        self.of_parts("afterwards", &self.after, card);
        if self.after_look {
            card.say("note", "If nothing is wrong there, release it all the same.");
        }
    }

    /// The commands behind a label, and how many jobs are left out.
    fn of_parts(&self, label: &'static str, parts: &Parts, card: &mut Card) {
        if parts.is_empty() {
            return;
        }
        let lines = |part: &Part| {
            let constraint = constraint_of(&part.targets)?;
            Some(card::lines(&part.commands(), &constraint))
        };
        if let Some(part) = parts.of_all() {
            match lines(part) {
                Some(lines) => card.paste(label, None, lines),
                None => card.say(
                    "note",
                    "One command for all of them would be too long; -long has one for each job.",
                ),
            }
            return;
        }
        let (mut printed, mut without, mut left) = (0, 0, parts.others);
        for part in parts.largest_first() {
            let jobs = part.targets.len();
            let whose = match part.targets.as_slice() {
                [target] => target.job.to_string(),
                _ => format!("{jobs} of the {} jobs", parts.jobs()),
            };
            let fits = printed + part.lines() <= COMMANDS;
            match part.lines() {
                0 => without += jobs,
                more => match lines(part).filter(|_| fits) {
                    None => left += jobs,
                    Some(lines) => {
                        card.paste(label, Some(whose), lines);
                        printed += more;
                    }
                },
            }
        }
        // A job may have those of the other label.
        if without > 0 && (self.now.is_empty() || self.after.is_empty()) {
            card.say("note", format!("No command for {}.", plural(without, "job")));
        }
        if left > 0 {
            let whose = match printed {
                0 => "each job".to_owned(),
                _ => plural(left, "other job"),
            };
            card.say("note", format!("-long has the commands for {whose}."));
        }
    }
}

/// Whether evidence says more of what is at fault, or of whether it is over, than that others are
/// held too.
fn tells(seen: &Evidence, recommendation: Recommendation) -> bool {
    let releases = matches!(recommendation, Recommendation::Release | Recommendation::Try);
    match seen {
        Evidence::BeganSince { near, .. } => shows_passing(near, recommendation),
        Evidence::Exit { status } => !matches!(status.says, ExitKind::Asked),
        Evidence::ReleasedSince { .. } | Evidence::Released { .. } => releases,
        Evidence::HeldNow { .. } | Evidence::OwnHistory { .. } | Evidence::SlotHours { .. } => {
            false
        }
        _ => true,
    }
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
