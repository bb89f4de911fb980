//! Incidents: all jobs, of any user and cluster, that one thing holds, with a card for each; a lone
//! job is one.
//!
//! What its jobs share of their hold reasons and of the evidence is printed. One command does for
//! all of them where those of a cluster or DAG differ, but for the id, in a number of which the
//! largest does for all; where they differ more, one does for each part of them.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::card::{self, Card, OWNER, codes};
use super::shared_commands::{Part, Parts};
use super::shared_evidence::{Names, SharedEvidence};
use super::shared_words::SharedWords;
use super::sources::Sources;
use super::sure::{how_sure, probability};
use super::wrap::wrap;
use super::{Page, details, incident_table};
use crate::advice::{
    Advice, Change, ChangeKind, EditFacts, Evidence, ExitKind, LookAt, Near, Recommendation,
    SharedCause, Undecided, WaitFor, constraint_of,
};
use crate::catalogue::{Fault, Reading};
use crate::features::Scope;
use crate::history::reason::file_server;
use crate::policy::Prediction;
use crate::sentences::times::{length, minute};
use crate::sentences::{self, choices};
use crate::text::{Foreign, plural};
use eventlog::JobId;

/// What the jobs of an incident have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) recommendation: Recommendation,
    thing: Thing,
    /// The entry of the catalogue, else what the holds say.
    pub(super) entry: Option<&'static str>,
    cause: Option<SharedCause>,
}

/// What is at fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    /// What many share, by its name where it has one: a server, a machine, a site, the access
    /// point, a policy.
    Shared(Option<Foreign>),
    /// What is of one owner.
    Of(Option<Foreign>),
}

/// An incident, as much of it as is printed.
#[derive(Debug)]
pub(super) struct Incident {
    /// Its first job. Where it has jobs of several owners, what one of them alone has is left out.
    pub(super) first: Advice,
    pub(super) owners: BTreeSet<Option<Foreign>>,
    pub(super) clusters: BTreeSet<i32>,
    /// The DAG that all its jobs are of.
    dag: Option<i32>,
    /// The first of its jobs.
    ids: Vec<JobId>,
    /// All holds have the code and subcode of the first.
    same_code: bool,
    /// When the hold of each job began, Unix seconds, and how many others got through since.
    pub(super) holds: Vec<(i64, i64)>,
    /// Seconds since another job got through.
    pub(super) passed: Option<i64>,
    /// How sure the advice is for the member least likely to succeed, which speaks for the incident.
    sure: String,
    chance: f64,
    /// Why nothing is recommended, where it is the same for all members.
    undecided: Option<Undecided>,
    /// What the hold reasons of all members share.
    reason: SharedWords,
    /// What was seen of all members.
    evidence: SharedEvidence,
    /// What HTCondor will do by itself, as far as it is the same for all members.
    by_itself: Vec<Prediction>,
    /// What to change first, as far as it is the same for all members.
    change: Option<ChangeKind>,
    /// What that is about, of members that differ in it.
    pub(super) names: Names,
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

/// Incidents of the advices added so far: their memory grows with them and 130 bytes a job.
#[derive(Debug, Default)]
pub(super) struct Incidents {
    /// Boxed: an incident is large, and they are sorted.
    incidents: BTreeMap<Key, Box<Incident>>,
    pub(super) owners: BTreeSet<Option<Foreign>>,
    pub(super) sources: Sources,
    pub(super) jobs: usize,
}

/// Incidents of which a card each is printed; more begin with a table.
const CARDS: usize = 3;

/// Jobs, or clusters, that are named of one.
const IDS: usize = 3;

/// Rows of that table, and lines that table and cards take together: about a screen.
const ROWS: usize = 20;
const SCREEN: usize = 54;

/// Sentences on what HTCondor will do by itself that are printed of an incident.
const BY_ITSELF: usize = 2;

/// Characters of a hold reason that are printed of an incident.
const REASON: usize = 125;

/// Lines of commands to paste now, and of those for later, that are printed of an incident whose jobs
/// need several.
const COMMANDS: usize = 4;

impl Incidents {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.jobs += 1;
        self.sources.add(advice);
        add_owner(&mut self.owners, &advice.held.owner);
        match self.incidents.entry(key(advice)) {
            Entry::Vacant(place) => _ = place.insert(Box::new(Incident::new(advice))),
            Entry::Occupied(mut place) => place.get_mut().add(advice),
        }
    }

    /// How many jobs, users and incidents there are.
    pub(super) fn counts(&self) -> String {
        let (jobs, users) = (plural(self.jobs, "held job"), plural(self.owners.len(), "user"));
        format!("{jobs} of {users}, {}.", plural(self.incidents.len(), "incident"))
    }

    /// How many incidents there are.
    pub(super) fn len(&self) -> usize {
        self.incidents.len()
    }

    /// A card for each of those, with how many jobs it is of and the first of them.
    pub(super) fn cards(&self, most: usize, page: &Page) -> Vec<(Card, usize, &Advice)> {
        let shown = self.most(most);
        shown
            .into_iter()
            .map(|(_, incident)| {
                (incident.card(page, false), incident.holds.len(), &incident.first)
            })
            .collect()
    }

    /// Those that hold most jobs, so many at most: what can be done at once first, then the
    /// largest.
    pub(super) fn most(&self, rows: usize) -> Vec<(&Key, &Incident)> {
        let mut all: Vec<(&Key, &Incident)> =
            self.incidents.iter().map(|(key, incident)| (key, &**incident)).collect();
        all.sort_by_key(|(_, incident)| Reverse(incident.holds.len()));
        all.truncate(rows);
        // Those of one recommendation stay in that order.
        all.sort_by_key(|(key, _)| key.recommendation.rank());
        all
    }

    /// A card for each incident; where these are many, first a table of them, and cards for as many
    /// as fit a screen.
    pub(super) fn print(self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        let alone = self.jobs == 1;
        let many = self.incidents.len() > CARDS;
        let mut lines = 0;
        if many {
            let text = incident_table::text(&self, Some(ROWS), page);
            lines += text.lines().count();
            writeln!(out, "{text}")?;
        } else if self.incidents.len() > 1 {
            writeln!(out, "{}\n", self.counts())?;
        }
        for (number, (_, incident)) in self.most(ROWS).into_iter().enumerate() {
            let mut text = incident.card(page, alone).text(&page.style);
            if page.style.why {
                text.push_str(&details::text(&incident.first, page));
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
}

impl Incident {
    fn new(advice: &Advice) -> Self {
        let held = &advice.held;
        let reason = held.reason.as_ref().map(Foreign::value).unwrap_or_default();
        let mut incident = Self {
            first: advice.clone(),
            owners: BTreeSet::new(),
            clusters: BTreeSet::new(),
            dag: held.dagman_job_id,
            ids: Vec::new(),
            same_code: true,
            holds: Vec::new(),
            passed: None,
            sure: how_sure(advice),
            chance: probability(advice).unwrap_or(0.0),
            undecided: advice.undecided,
            reason: SharedWords::new(&reason, held.code),
            evidence: SharedEvidence::new(&advice.evidence),
            by_itself: advice.htcondor_will.clone(),
            change: advice.change.as_ref().map(|change| change.what.clone()),
            names: Names::default(),
            facts: advice.change.as_ref().map(|change| change.facts.clone()),
            wait: advice.wait.as_ref().map(|wait| wait.what.clone()),
            until: None,
            look: advice.look.clone(),
            after_look: true,
            look_again: None,
            now: Parts::default(),
            after: Parts::default(),
        };
        incident.count(advice);
        incident
    }

    /// Adds what every job has, the first too.
    fn count(&mut self, advice: &Advice) {
        let held = &advice.held;
        add_owner(&mut self.owners, &held.owner);
        self.clusters.insert(held.job.cluster);
        self.dag = self.dag.filter(|dag| Some(*dag) == held.dagman_job_id);
        if self.ids.len() < IDS {
            self.ids.push(held.job);
        }
        let of_first = (self.first.held.code, self.first.held.subcode);
        self.same_code &= of_first == (held.code, held.subcode);
        let passed = passed(advice);
        self.holds.push((held.held_since, passed.map_or(0, |(_, jobs)| jobs)));
        self.passed = passed.map(|(ago, _)| ago).into_iter().chain(self.passed).min();
        self.after_look &= advice.releases_after_look();
        let name = advice.change.as_ref().and_then(|change| change.what.name());
        self.names.add(held.job, name);
        let wait = advice.wait.as_ref();
        self.until = self.until.max(wait.and_then(|wait| wait.until));
        self.look_again = self.look_again.max(wait.map(|wait| wait.look_again));
        self.now.add(&advice.commands, advice.target, held.dagman_job_id);
        self.after.add(&advice.commands_after, advice.target, held.dagman_job_id);
    }

    /// Adds another job.
    fn add(&mut self, advice: &Advice) {
        self.count(advice);
        let held = &advice.held;
        let change = advice.change.as_ref().map(|change| &change.what);
        let facts = advice.change.as_ref().map(|change| &change.facts);
        let wait = advice.wait.as_ref().map(|wait| &wait.what);
        let reason = held.reason.as_ref().map(Foreign::value).unwrap_or_default();
        let chance = probability(advice).unwrap_or(0.0);
        if self.undecided != advice.undecided {
            self.undecided = None;
        }
        self.reason.add(&reason, held.code);
        self.evidence.add(&advice.evidence);
        self.change = self.change.take().zip(change).and_then(|(all, one)| all.join(one));
        self.facts = self.facts.take().filter(|all| Some(all) == facts);
        self.wait = self.wait.take().filter(|all| Some(all) == wait);
        self.look = self.look.take().filter(|all| Some(all) == advice.look.as_ref());
        self.by_itself
            .retain(|thing| advice.htcondor_will.iter().any(|other| thing.is_like(other)));
        if chance < self.chance {
            self.chance = chance;
            self.sure = how_sure(advice);
        }
        // Names of files that one of several owners has are nobody else's to read.
        if self.owners.len() > 1 {
            self.share(advice);
        }
    }

    /// Leaves of what it says what a job of another owner has too.
    fn share(&mut self, other: &Advice) {
        let first = &mut self.first;
        first.held.reason = None;
        let fault = first.diagnosis.at_fault.first().map(|one| one.fault);
        let shared = server(other).filter(|_| fault == Some(Fault::Server));
        // What several users name is the server.
        first.look = shared.and_then(|url| match (&first.look, &other.look) {
            (Some(LookAt::Name { .. }), Some(LookAt::Name { .. })) => Some(LookAt::Name { url }),
            (
                Some(LookAt::Url { .. } | LookAt::Name { .. }),
                Some(LookAt::Url { .. } | LookAt::Name { .. }),
            ) => Some(LookAt::Url { url }),
            _ => None,
        });
        self.look.clone_from(&first.look);
        if first.held.reading != other.held.reading {
            let reading = first.held.reading.take().zip(other.held.reading.as_ref());
            first.held.reading = reading.and_then(|(one, other)| one.join(other));
        }
        let change = first.change.take().zip(self.change.clone());
        first.change = change.map(|(one, what)| Change { what, ..one });
        first.correct_before.clear();
        self.names = Names::default();
    }

    /// What is said of it; `alone` where no other job is judged.
    fn card(&self, page: &Page, alone: bool) -> Card {
        let first = &self.first;
        let held = &first.held;
        let mut card = Card::new(self.header(page), first.recommendation, self.act(page));
        for before in &first.correct_before {
            let whose =
                if self.holds.len() > 1 { format!("For {}: ", held.job) } else { String::new() };
            card.say("first", whose + &sentences::change(&before.what));
        }
        card.say("why", self.why());
        let of_first = (self.owners.len() == 1).then(|| self.reason.first.clone());
        card.quote(&self.reason.text().or(of_first).unwrap_or_default(), REASON);
        card.say("how sure", &*self.sure);
        let acts = |thing: &&Prediction| {
            use Prediction::{Acts, HoldsAgain, Stays};
            matches!(thing, Acts { .. } | HoldsAgain { .. } | Stays { .. })
        };
        for thing in self.by_itself.iter().filter(acts).take(BY_ITSELF) {
            card.say("by itself", sentences::prediction(thing, &page.zone));
        }
        self.paste(&mut card, page);
        // Each owner has a submit file.
        let is_shared =
            |change: &&Change| self.owners.len() == 1 && self.change.as_ref() == Some(&change.what);
        if let Some(change) = first.change.as_ref().filter(is_shared) {
            card.say("new jobs", sentences::next_time(change));
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

    /// `Job 7.0 of alice, held for 2h14m (hold no. 2), code 13/256`; `9 jobs of cluster 7 of alice`;
    /// `2 jobs (7.0, 8.0) of alice and bob`.
    fn header(&self, page: &Page) -> String {
        let held = &self.first.held;
        let count = self.holds.len();
        let ids = || self.ids.iter().map(JobId::to_string).collect::<Vec<_>>().join(", ");
        let jobs = match self.dag {
            _ if count == 1 => format!("Job {}", held.job),
            _ if self.clusters.len() == 1 => {
                format!("{count} jobs of cluster {}", held.job.cluster)
            }
            Some(dag) => format!("{count} jobs of DAG {dag}"),
            None if count == self.ids.len() => format!("{count} jobs ({})", ids()),
            None if self.owners.len() > 1 => format!("{count} jobs"),
            None => format!("{count} jobs of {} clusters", self.clusters.len()),
        };
        let names = || self.owners.iter().flatten().map(|owner| owner.named(OWNER));
        let owners = match self.owners.len() {
            0..=2 => names().collect::<Vec<_>>().join(" and "),
            users => plural(users, "user"),
        };
        let owners = if owners.is_empty() { owners } else { format!(" of {owners}") };
        let (up_to, hold) = match count {
            1 if held.num_holds > 1 => ("", format!(" (hold no. {})", held.num_holds)),
            1 => ("", String::new()),
            _ => ("up to ", String::new()),
        };
        let [(oldest, _), _] = self.first_and_last();
        let held_for = length(page.now.saturating_sub(oldest));
        let code = if self.same_code { format!(", code {}", codes(held)) } else { String::new() };
        format!("{jobs}{owners}, held for {up_to}{held_for}{hold}{code}")
    }

    /// The first and the last of its holds.
    pub(super) fn first_and_last(&self) -> [(i64, i64); 2] {
        let holds = self.holds.iter().copied();
        [holds.clone().min(), holds.max()].map(Option::unwrap_or_default)
    }

    /// What to do.
    fn act(&self, page: &Page) -> String {
        let first = &self.first;
        let several = self.holds.len() > 1;
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
                let not_yet =
                    if several { "Do not release them yet" } else { "Do not release it yet" };
                let Some(wait) = &first.wait else { return format!("{not_yet}.") };
                let command = match &page.again {
                    Some(again) if !several => format!("{again} {}", first.held.job),
                    _ => "this command".to_owned(),
                };
                let again = self.look_again.map_or_else(String::new, |at| {
                    let at = sentences::look_again(at, page.now, &page.zone);
                    let away = match wait.what {
                        WaitFor::Fetched { server: Some(_) }
                        | WaitFor::InOrder { server: Some(_) } => {
                            " If it is not back then, tell its administrator."
                        }
                        _ => "",
                    };
                    format!(" Run {command} again at {at}.{away}")
                });
                let until = self.until.map(|at| format!(" ({})", minute(at, &page.zone)));
                let own = each(self.wait.is_some());
                let remedy = first.held.reading.as_ref().and_then(Reading::remedy);
                let what = match (&wait.what, remedy) {
                    // A text that says when it is over is plainer than that others get through.
                    (WaitFor::InOrder { server: None } | WaitFor::LikeHold, Some(remedy)) => {
                        return format!("{not_yet}: {remedy}.{again}");
                    }
                    (what, _) => sentences::wait_for(what),
                };
                format!("{not_yet}: wait until {own}{what}{}.{again}", until.unwrap_or_default())
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
            None => match first.evidence.iter().find(tells).filter(|_| self.owners.len() == 1) {
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
        let count = self.holds.len();
        let ids = match self.dag {
            _ if count == self.ids.len() => {
                self.ids.iter().map(JobId::to_string).collect::<Vec<_>>().join(" ")
            }
            Some(dag) if self.clusters.len() > 1 => format!("-constraint 'DAGManJobId == {dag}'"),
            _ => self.clusters.iter().map(i32::to_string).collect::<Vec<_>>().join(" "),
        };
        // The tool releases several one after the other; one command is for all at once.
        let is_one =
            || self.now.of_all().is_some_and(|part| constraint_of(&part.targets).is_some());
        let can = |_: &String| {
            count == 1 || !is_one() && self.owners.len() == 1 && self.clusters.len() <= IDS
        };
        if let Some(line) = card::apply(first, &ids, page).filter(can) {
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
                    "One command would be too long: -apply acts job by job, -long prints a \
                     command for each.",
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

/// Adds an owner, who mostly is there already.
fn add_owner(owners: &mut BTreeSet<Option<Foreign>>, owner: &Option<Foreign>) {
    if !owners.contains(owner) {
        owners.insert(owner.clone());
    }
}

fn key(advice: &Advice) -> Key {
    let held = &advice.held;
    let reading = held.reading.as_ref();
    let entry = reading.map(|reading| reading.entry().name.as_str());
    let fault = advice.diagnosis.at_fault.first().map(|one| one.fault);
    let thing = match fault {
        Some(Fault::Machine | Fault::Site) => {
            Thing::Shared(advice.diagnosis.place.clone().map(Foreign::from))
        }
        Some(Fault::Server) => Thing::Shared(server(advice)),
        Some(Fault::AccessPoint | Fault::Policy) => Thing::Shared(None),
        _ => Thing::Of(held.owner.clone()),
    };
    let cause = entry.is_none().then(|| held.cause.clone());
    Key { recommendation: advice.recommendation, thing, entry, cause }
}

/// Whether jobs that begin there show that what holds this one is over.
fn shows_passing(near: &Near, recommendation: Recommendation) -> bool {
    near.scope == Scope::Server
        || matches!(recommendation, Recommendation::Release | Recommendation::Try)
}

/// Seconds since another job got through where this one is held, as far as its advice rests on it,
/// and how many did, if none was held again.
fn passed(advice: &Advice) -> Option<(i64, i64)> {
    let passed = advice.evidence.iter().filter_map(|seen| match seen {
        Evidence::BeganSince { near, jobs, seconds_since_last, held_again }
            if shows_passing(near, advice.recommendation) =>
        {
            let jobs = if held_again.most == 0 { jobs.least } else { 0 };
            seconds_since_last.map(|seconds| (seconds.most, jobs))
        }
        _ => None,
    });
    passed.min()
}

/// The server of a hold: that of the URL or the host that its reason names, else as evidence does.
fn server(advice: &Advice) -> Option<Foreign> {
    let held = &advice.held;
    let of_url = held.reason.as_ref().and_then(|reason| file_server(reason.as_given()));
    let host = || held.reading.as_ref()?.part("host").cloned();
    let seen = || {
        advice.evidence.iter().find_map(|seen| match seen {
            Evidence::BeganSince { near, .. } | Evidence::HeldNow { near, .. }
                if near.scope == Scope::Server =>
            {
                near.name.clone()
            }
            _ => None,
        })
    };
    of_url.map(Foreign::from).or_else(host).or_else(seen)
}

#[cfg(test)]
#[path = "incidents_tests.rs"]
mod tests;
