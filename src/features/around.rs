//! What happened to the other jobs: series by cluster, owner, site, file server, file, reason and for the whole access point.

use std::collections::HashMap;
use std::rc::Rc;

use serde::Serialize;

use super::series::{Both, Results, Series};
use crate::history::{
    Action, Exit, History, JobHistory, Journal, Outcome, Symbol, Symbols, What, reason,
};
use crate::memo::Memo;

/// What a group of jobs has in common with the held one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
    /// The directory of the file that a hold reason names.
    Directory(Symbol),
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
    /// What jobs of one owner see beyond that.
    own: HashMap<Symbol, HashMap<Group, GroupSeries>>,
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

/// What a hold reason names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Named {
    pub(crate) normalised: Name,
    pub(crate) server: Name,
    pub(crate) file: Name,
    pub(crate) machine: Name,
    pub(crate) directory: Name,
}

/// A group a job belongs to, and from when that is known.
type Membership = (Group, i64);

/// Seconds after the outcome of a release within which the epoch ad that shows an edit is written. The result counts
/// from then on, so that an ad that comes a second later changes nothing said before.
const AD_DELAY: i64 = 60;

impl Around {
    /// Reads the whole history. Reasons get their normalised forms as symbols.
    pub(crate) fn of(history: &mut History) -> Self {
        let mut around =
            Self { groups: HashMap::new(), own: HashMap::new(), normalised: HashMap::new() };
        around.normalise_reasons(history);
        for number in (0..history.jobs().len()).filter_map(|number| u32::try_from(number).ok()) {
            let seen_by = |owner| history.as_seen_by(number, owner).into_iter();
            let Self { groups, own, normalised } = &mut around;
            for job in seen_by(None) {
                put_job(job, history, normalised, &mut |group, kinds, time, known| {
                    groups.entry(group).or_default().add(kinds, time, known, number);
                });
            }
            for owner in history.seen_apart_by(number) {
                let mut seen = Entries::default();
                for job in seen_by(None) {
                    put_job(job, history, normalised, &mut |group, kinds, time, known| {
                        seen.note(group, kinds, time, known);
                    });
                }
                let groups = own.entry(owner).or_default();
                for job in seen_by(Some(owner)) {
                    put_job(job, history, normalised, &mut |group, kinds, time, known| {
                        for &kind in kinds {
                            if !seen.take(group, kind, time, known) {
                                groups.entry(group).or_default().add(&[kind], time, known, number);
                            }
                        }
                    });
                }
            }
        }
        let own = around.own.values_mut().flat_map(HashMap::values_mut);
        for series in around.groups.values_mut().chain(own) {
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

    /// The series of a group as jobs of `owner` see it.
    pub(crate) fn group(&self, group: Group, owner: Option<Symbol>) -> Both<'_, GroupSeries> {
        let own = owner.and_then(|owner| self.own.get(&owner)?.get(&group));
        Both { all: self.groups.get(&group), own }
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
}

/// Takes what happened to a job of a group, when, and from when it was known to belong to the group.
type Put<'a> = dyn FnMut(Group, &[Kind], i64, i64) + 'a;

/// One thing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Any,
    Started,
    Succeeded,
    Held,
    HeldCode(i32),
    LeftCode(i32),
    Released((i32, i32), bool),
    AsIs((i32, i32), bool),
    Changed((i32, i32), bool),
}

/// What everyone sees of one job, with how often.
#[derive(Debug, Default)]
struct Entries(HashMap<(Group, Kind, i64, i64), usize>);

impl Entries {
    fn note(&mut self, group: Group, kinds: &[Kind], time: i64, known: i64) {
        for &kind in kinds {
            *self.0.entry((group, kind, time, known.max(time))).or_default() += 1;
        }
    }

    /// It is among them; it is there once less then.
    fn take(&mut self, group: Group, kind: Kind, time: i64, known: i64) -> bool {
        let count = self.0.get_mut(&(group, kind, time, known.max(time)));
        count.filter(|count| **count > 0).map(|count| *count -= 1).is_some()
    }
}

fn put_job(
    job: &JobHistory,
    history: &History,
    normalised: &HashMap<Symbol, Named>,
    put: &mut Put<'_>,
) {
    put_steps(job, normalised, put);
    put_results(job, history, normalised, put);
}

fn put_steps(job: &JobHistory, normalised: &HashMap<Symbol, Named>, put: &mut Put<'_>) {
    let mut last_hold = None;
    let mut held_for: Option<i32> = None;
    let mut run: Vec<Membership> = Vec::new();
    let lasting = lasting_groups(job);
    for (index, step) in job.steps.iter().enumerate() {
        if let What::Executing(machine) = step.what {
            run = run_groups(job, index, machine);
        }
        if let What::Held(hold) = step.what {
            last_hold = hold.reason.and_then(|reason| normalised.get(&reason).copied());
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
                groups
                    .extend(symbol.symbol().map(|symbol| (Group::Named(scope, symbol), step.time)));
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
        let mut kinds = Vec::with_capacity(4);
        put_kinds(&mut kinds, step.what, leaves);
        for (group, known) in groups {
            put(group, &kinds, step.time, known);
        }
        if leaves.is_some() {
            held_for = None;
        }
        if let What::Held(hold) = step.what {
            held_for = Some(hold.code);
        }
    }
}

fn put_results(
    job: &JobHistory,
    history: &History,
    normalised: &HashMap<Symbol, Named>,
    put: &mut Put<'_>,
) {
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
        let named = reason.and_then(|reason| normalised.get(&reason).copied());
        let named = named.unwrap_or_default();
        let mut groups = lasting_groups(job);
        let held_at = episode.held_at;
        groups.extend(named.groups().map(|group| (group, held_at)));
        let directory = named.directory.symbol().map(Group::Directory);
        groups.extend(directory.map(|group| (group, held_at)));
        let places = job.machine_at(held_at).into_iter().chain(job.site_at(held_at));
        groups.extend(places.map(|place| (Group::Named(Scope::Site, place), held_at)));
        earliest(&mut groups);
        let success = outcome == Outcome::Success;
        for (group, member_since) in groups {
            put(group, &[Kind::Released(key, success)], at, member_since);
            let kind = match action {
                Action::AsIs | Action::Unknown => Kind::AsIs(key, success),
                _ => Kind::Changed(key, success),
            };
            put(group, &[kind], known, member_since);
        }
    }
}

/// What a step counts as; `leaves`: the code of the hold that it ends.
fn put_kinds(kinds: &mut Vec<Kind>, what: What, leaves: Option<i32>) {
    kinds.push(Kind::Any);
    kinds.extend(leaves.map(Kind::LeftCode));
    match what {
        What::Executing(_) => kinds.push(Kind::Started),
        What::Terminated(Exit::Success) => kinds.push(Kind::Succeeded),
        What::Held(hold) => {
            if hold.is_by_system() {
                kinds.push(Kind::Held);
            }
            kinds.push(Kind::HeldCode(hold.code));
        }
        _ => {}
    }
}

impl<'a> Both<'a, GroupSeries> {
    pub(crate) fn any(self) -> Both<'a, Series> {
        self.part(|group| Some(&group.any))
    }

    pub(crate) fn started(self) -> Both<'a, Series> {
        self.part(|group| Some(&group.started))
    }

    pub(crate) fn succeeded(self) -> Both<'a, Series> {
        self.part(|group| Some(&group.succeeded))
    }

    pub(crate) fn held(self) -> Both<'a, Series> {
        self.part(|group| Some(&group.held))
    }

    pub(crate) fn held_code(self, code: i32) -> Both<'a, Series> {
        self.part(move |group| group.held_code.get(&code))
    }

    pub(crate) fn left_code(self, code: i32) -> Both<'a, Series> {
        self.part(move |group| group.left_code.get(&code))
    }

    pub(crate) fn released(self, key: (i32, i32)) -> Both<'a, Results> {
        self.part(move |group| group.released.get(&key))
    }

    pub(crate) fn as_is(self, key: (i32, i32)) -> Both<'a, Results> {
        self.part(move |group| group.as_is.get(&key))
    }

    pub(crate) fn changed(self, key: (i32, i32)) -> Both<'a, Results> {
        self.part(move |group| group.changed.get(&key))
    }
}

impl GroupSeries {
    fn add(&mut self, kinds: &[Kind], time: i64, known: i64, job: u32) {
        for &kind in kinds {
            let series = match kind {
                Kind::Any => &mut self.any,
                Kind::Started => &mut self.started,
                Kind::Succeeded => &mut self.succeeded,
                Kind::Held => &mut self.held,
                Kind::HeldCode(code) => self.held_code.entry(code).or_default(),
                Kind::LeftCode(code) => self.left_code.entry(code).or_default(),
                Kind::Released(key, success) => {
                    self.released.entry(key).or_default().push(time.max(known), job, success);
                    continue;
                }
                Kind::AsIs(key, success) => {
                    self.as_is.entry(key).or_default().push(time.max(known), job, success);
                    continue;
                }
                Kind::Changed(key, success) => {
                    self.changed.entry(key).or_default().push(time.max(known), job, success);
                    continue;
                }
            };
            series.push(time, known, job);
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
        let [normalised, server, file, machine, directory] = Self::texts(text)
            .each_ref()
            .map(|known| known.as_deref().map_or(Name::None, &mut name));
        Self { normalised, server, file, machine, directory }
    }

    /// The names in a reason: the reason without its particulars, the server, the file, the machine, the directory of
    /// the file.
    pub(crate) fn texts(text: &str) -> Rc<[Option<String>; 5]> {
        thread_local!(static MEMO: Memo<Rc<[Option<String>; 5]>> = const { Memo::new() });
        let names = |text: &str| {
            Rc::new([
                Some(like(text)),
                reason::file_server(text),
                reason::url_or_file(text),
                reason::host(text).map(|host| reason::machine(&host).to_owned()),
                reason::directory(text),
            ])
        };
        MEMO.with(|memo| memo.get(text, names))
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
            Self::Directory(symbol) => (2, i64::from(symbol.number())),
            Self::Named(scope, symbol) => (3 + scope as u8, i64::from(symbol.number())),
        }
    }
}
