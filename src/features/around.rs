//! What happened to the other jobs: series by cluster, owner, site, file server, file, reason and for the whole access point.

use std::collections::HashMap;
use std::rc::Rc;

use super::series::{Results, Series};
use crate::history::{
    Action, Exit, History, JobHistory, Journal, Outcome, Step, Symbol, Symbols, What, reason,
};
use crate::memo::Memo;

/// What a group of jobs has in common with the held one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// ClusterId.
    Cluster,
    /// Owner.
    Owner,
    /// Site of the run, where one is recorded, else the machine.
    Site,
    /// A file server its input comes from.
    Server,
    /// An input file.
    File,
    /// The normalised reason of the last hold and, where it names a file, the server or top directory of that.
    Reason,
    /// All jobs of the access point.
    AccessPoint,
}

impl Scope {
    /// All scopes, in the order of their columns.
    pub const ALL: [Self; 7] = [
        Self::Cluster,
        Self::Owner,
        Self::Site,
        Self::Server,
        Self::File,
        Self::Reason,
        Self::AccessPoint,
    ];

    /// The word in column names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Owner => "owner",
            Self::Site => "site",
            Self::Server => "server",
            Self::File => "file",
            Self::Reason => "reason",
            Self::AccessPoint => "access-point",
        }
    }
}

/// A group: a scope and which one of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Group {
    Cluster(i32),
    Named(Scope, Symbol),
    AccessPoint,
}

/// The series of one group.
#[derive(Debug, Default)]
pub(crate) struct GroupSeries {
    /// Anything that happened.
    pub(crate) any: Series,
    /// Jobs that began to execute: their input had arrived.
    pub(crate) started: Series,
    /// Jobs that exited with code 0.
    pub(crate) succeeded: Series,
    /// Holds by HTCondor or a policy.
    pub(crate) held: Series,
    /// Holds by code, by whomever.
    pub(crate) held_code: HashMap<i32, Series>,
    /// Ends of holds by code.
    pub(crate) left_code: HashMap<i32, Series>,
    /// What came of releases, whatever was edited, by code and subcode.
    pub(crate) released: HashMap<(i32, i32), Results>,
    /// What came of releases as they were, or with nothing known of an edit, by code and subcode.
    pub(crate) as_is: HashMap<(i32, i32), Results>,
    /// What came of releases after an edit, by code and subcode.
    pub(crate) changed: HashMap<(i32, i32), Results>,
}

/// The series of all groups of a history.
#[derive(Debug)]
pub(crate) struct Around {
    groups: HashMap<Group, GroupSeries>,
    /// Normalised reasons by canonical reason.
    normalised: HashMap<Symbol, Named>,
}

/// A name the held job has in one scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Name {
    /// It has none there.
    #[default]
    None,
    /// It has one that nothing else at hand mentions.
    New,
    /// It has this one.
    Known(Symbol),
}

impl Name {
    pub(crate) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self == Self::None { other() } else { self }
    }

    pub(crate) fn symbol(self) -> Option<Symbol> {
        match self {
            Self::Known(symbol) => Some(symbol),
            _ => None,
        }
    }
}

impl From<Option<Symbol>> for Name {
    fn from(symbol: Option<Symbol>) -> Self {
        symbol.map_or(Self::None, Self::Known)
    }
}

/// The other jobs of one scope.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Neighbours<'a> {
    /// The held job has a name in this scope. That others have it too is another matter.
    pub(crate) known: bool,
    pub(crate) series: Option<&'a GroupSeries>,
}

/// What a hold reason names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Named {
    pub(crate) normalised: Name,
    pub(crate) server: Name,
    pub(crate) file: Name,
    pub(crate) machine: Name,
}

/// A group a job belongs to, and from when that is known.
type Membership = (Group, i64);

/// Seconds after the outcome of a release within which the epoch ad that shows an edit is written. The result counts
/// from then on, so that an ad that comes a second later changes nothing said before.
const AD_DELAY: i64 = 60;

impl Around {
    /// Reads the whole history. Reasons get their normalised forms as symbols.
    pub(crate) fn of(history: &mut History) -> Self {
        let mut around = Self { groups: HashMap::new(), normalised: HashMap::new() };
        around.normalise_reasons(history);
        for (number, job) in history.jobs().iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            around.add_steps(number, job);
            around.add_results(number, job, history);
        }
        for series in around.groups.values_mut() {
            for series in
                [&mut series.any, &mut series.started, &mut series.succeeded, &mut series.held]
            {
                series.settle();
            }
            series
                .held_code
                .values_mut()
                .chain(series.left_code.values_mut())
                .for_each(Series::settle);
            let results = [&mut series.released, &mut series.as_is, &mut series.changed];
            results.into_iter().flat_map(HashMap::values_mut).for_each(Results::settle);
        }
        around
    }

    /// The series of a group; `None` where nothing ever happened to it.
    pub(crate) fn group(&self, group: Group) -> Option<&GroupSeries> {
        self.groups.get(&group)
    }

    /// What a canonical hold reason names, if a log tells of it.
    pub(crate) fn named(&self, reason: Symbol) -> Option<Named> {
        self.normalised.get(&reason).copied()
    }

    fn normalise_reasons(&mut self, history: &mut History) {
        let reasons: Vec<Symbol> = history
            .jobs()
            .iter()
            .flat_map(|job| &job.steps)
            .filter_map(|step| match step.what {
                What::Held(hold) => hold.reason,
                _ => None,
            })
            .collect();
        for reason in reasons {
            self.normalised.entry(reason).or_insert_with(|| {
                let text = history.symbols.name(reason).to_owned();
                Named::of(&text, &mut history.symbols)
            });
        }
    }

    fn add_steps(&mut self, number: u32, job: &JobHistory) {
        let mut last_hold = None;
        let mut held_for: Option<i32> = None;
        let mut run: Vec<Membership> = Vec::new();
        let lasting = lasting_groups(job);
        for (index, step) in job.steps.iter().enumerate() {
            if let What::Executing(machine) = step.what {
                run = run_groups(job, index, machine);
            }
            if let What::Held(hold) = step.what {
                last_hold = hold.reason.and_then(|reason| self.named(reason));
            }
            let mut groups: Vec<Membership> = lasting.clone();
            groups.extend(&run);
            if let Some(named) = last_hold {
                let from_reason = [
                    (Scope::Reason, named.normalised),
                    (Scope::Server, named.server),
                    (Scope::File, named.file),
                ];
                for (scope, symbol) in from_reason {
                    groups.extend(
                        symbol.symbol().map(|symbol| (Group::Named(scope, symbol), step.time)),
                    );
                }
                if matches!(step.what, What::Held(_)) {
                    groups.extend(
                        named
                            .machine
                            .symbol()
                            .map(|machine| (Group::Named(Scope::Site, machine), step.time)),
                    );
                }
            }
            earliest(&mut groups);
            let leaves = held_for.filter(|_| ends_hold(step.what));
            for (group, known) in groups {
                self.groups.entry(group).or_default().add(step, known, number, leaves);
            }
            if leaves.is_some() {
                held_for = None;
            }
            if let What::Held(hold) = step.what {
                held_for = Some(hold.code);
            }
        }
    }

    fn add_results(&mut self, number: u32, job: &JobHistory, history: &History) {
        if !job.steps.iter().any(|step| matches!(step.what, What::Released { .. })) {
            return;
        }
        for episode in history.episodes_of(job, i64::MAX, &Journal::default()) {
            let (Some(outcome), Some(at)) = (episode.outcome, episode.outcome_at) else { continue };
            if outcome == Outcome::Censored {
                continue;
            }
            let known = at.saturating_add(AD_DELAY);
            let action = episode.action_as_known(job, known);
            let key = (episode.identity.code, episode.identity.subcode);
            let held = episode.step.map(|step| job.steps[step].what);
            let reason = match held {
                Some(What::Held(hold)) => hold.reason,
                _ => None,
            };
            let named = reason.and_then(|reason| self.named(reason)).unwrap_or_default();
            let mut groups = lasting_groups(job);
            let held_at = episode.held_at;
            groups.extend(named.groups().map(|group| (group, held_at)));
            let places = job.machine_at(held_at).into_iter().chain(job.site_at(held_at));
            groups.extend(places.map(|place| (Group::Named(Scope::Site, place), held_at)));
            earliest(&mut groups);
            let success = outcome == Outcome::Success;
            for (group, member_since) in groups {
                let series = self.groups.entry(group).or_default();
                series.released.entry(key).or_default().push(at.max(member_since), number, success);
                let results = match action {
                    Action::AsIs | Action::Unknown => &mut series.as_is,
                    _ => &mut series.changed,
                };
                results.entry(key).or_default().push(known.max(member_since), number, success);
            }
        }
    }
}

impl GroupSeries {
    fn add(&mut self, step: &Step, known: i64, job: u32, leaves: Option<i32>) {
        self.any.push(step.time, known, job);
        if let Some(code) = leaves {
            self.left_code.entry(code).or_default().push(step.time, known, job);
        }
        match step.what {
            What::Executing(_) => self.started.push(step.time, known, job),
            What::Terminated(Exit::Success) => {
                self.succeeded.push(step.time, known, job);
            }
            What::Held(hold) => {
                if hold.is_by_system() {
                    self.held.push(step.time, known, job);
                }
                self.held_code.entry(hold.code).or_default().push(step.time, known, job);
            }
            _ => {}
        }
    }
}

impl Named {
    /// What a canonical reason names.
    pub(crate) fn of(text: &str, symbols: &mut Symbols) -> Self {
        Self::by(text, |name| Name::Known(symbols.intern(name)))
    }

    /// What a reason names that no log tells of, as far as the names are known from elsewhere.
    pub(crate) fn find(text: &str, symbols: &Symbols) -> Self {
        Self::by(text, |name| symbols.find(name).map_or(Name::New, Name::Known))
    }

    fn by(text: &str, mut name: impl FnMut(&str) -> Name) -> Self {
        thread_local!(static MEMO: Memo<Rc<[Option<String>; 4]>> = const { Memo::new() });
        let names = |text: &str| {
            Rc::new([
                Some(like(text)),
                reason::file_server(text),
                reason::url(text).or_else(|| reason::file_name(text)),
                reason::host(text).map(|host| reason::machine(&host).to_owned()),
            ])
        };
        let names = MEMO.with(|memo| memo.get(text, names));
        let [normalised, server, file, machine] =
            names.each_ref().map(|known| known.as_deref().map_or(Name::None, &mut name));
        Self { normalised, server, file, machine }
    }

    fn groups(self) -> impl Iterator<Item = Group> {
        let named = [
            (Scope::Reason, self.normalised),
            (Scope::Server, self.server),
            (Scope::File, self.file),
            (Scope::Site, self.machine),
        ];
        named
            .into_iter()
            .filter_map(|(scope, symbol)| symbol.symbol().map(|symbol| Group::Named(scope, symbol)))
    }
}

/// What like holds have in common: the normalised reason and, where it names a file, the place of that.
fn like(text: &str) -> String {
    let normalised = reason::normalised(text);
    match reason::place(text) {
        Some(place) => format!("{normalised} [{place}]"),
        None => normalised,
    }
}

fn ends_hold(what: What) -> bool {
    matches!(what, What::Released { .. } | What::Removed | What::Held(_) | What::Terminated(_))
}

/// Groups a job belongs to all its life.
fn lasting_groups(job: &JobHistory) -> Vec<Membership> {
    let mut groups =
        vec![(Group::AccessPoint, i64::MIN), (Group::Cluster(job.job.cluster), i64::MIN)];
    groups.extend(job.owner.map(|owner| (Group::Named(Scope::Owner, owner.value), owner.since)));
    groups.extend(
        job.servers.iter().map(|server| (Group::Named(Scope::Server, server.value), server.since)),
    );
    groups.extend(job.input.iter().map(|file| (Group::Named(Scope::File, file.value), file.since)));
    earliest(&mut groups);
    groups
}

/// Groups of the run that begins at step `index`: its machine, and its site from when that was recorded.
fn run_groups(job: &JobHistory, index: usize, machine: Option<Symbol>) -> Vec<Membership> {
    let began = job.steps[index].time;
    let mut groups: Vec<Membership> =
        machine.map(|machine| (Group::Named(Scope::Site, machine), began)).into_iter().collect();
    let next = job.steps[index + 1..].iter().find(|step| matches!(step.what, What::Executing(_)));
    let until = next.map_or(i64::MAX, |step| step.time);
    let first = job.sites.partition_point(|site| site.since < began);
    let recorded = job.sites[first..].iter().take_while(|site| site.since < until);
    groups.extend(recorded.map(|site| (Group::Named(Scope::Site, site.value), site.since)));
    groups
}

/// Keeps one membership of each group: the one known first.
fn earliest(groups: &mut Vec<Membership>) {
    groups.sort_by_key(|&(group, known)| (group.order(), known));
    groups.dedup_by_key(|&mut (group, _)| group);
}

impl Group {
    fn order(self) -> (u8, i64) {
        match self {
            Self::AccessPoint => (0, 0),
            Self::Cluster(cluster) => (1, i64::from(cluster)),
            Self::Named(scope, symbol) => (2 + scope as u8, i64::from(symbol.number())),
        }
    }
}
