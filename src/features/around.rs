//! What happened to the other jobs: series by cluster, owner, site, file server, file, reason and
//! for the whole access point.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;
use std::rc::Rc;

use foldhash::fast::RandomState;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::series::{Both, Results, Series};
use crate::history::{
    Action, Exit, History, JobHistory, NotedActions, Outcome, Symbol, Symbols, What, reason,
};
use crate::memo::Memo;

/// Steps of one job times its servers, and times its files, that are counted at most: 6 MiB. What
/// people submit stays far below. Assumed.
const MOST_ENTRIES: usize = 1 << 18;

/// So many of its servers and files count however many steps it has.
const LEAST_FILES: usize = 16;

/// What a group of jobs has in common with the held one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
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
    /// The normalised reason of the last hold and, where it names a file, the server or top
    /// directory of that.
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
    /// What is counted in a group of files or servers although it is about another one.
    Spared(Scope, Symbol),
    /// The directory of the file that a hold reason names.
    Directory(Symbol),
    AccessPoint,
}

/// What is counted of all jobs of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Plain {
    /// Anything that happened.
    Any,
    /// Jobs that began to execute: their input had arrived.
    Started,
    /// Jobs that exited with code 0.
    Succeeded,
    /// Holds by HTCondor or a policy.
    Held,
}

/// What is counted by hold reason code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Coded {
    /// Holds, by whomever.
    Held,
    /// Ends of holds.
    Left,
}

/// Releases whose results are counted by code and subcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Came {
    /// Whatever was edited.
    Any,
    /// As they were, or with nothing known of an edit.
    AsIs,
    /// After an edit.
    Changed,
}

/// Code and subcode.
type Code = (i32, i32);

/// The series of one group.
#[derive(Debug, Default)]
pub(crate) struct GroupSeries {
    /// By [`Plain`].
    plain: [Series; 4],
    coded: Map<(Coded, i32), Series>,
    results: Map<(Came, Code), Results>,
}

type Map<K, V> = HashMap<K, V, RandomState>;

/// What canonical reasons name.
type Normalised = Map<Symbol, Named>;

/// The series of the groups of a history.
#[derive(Debug)]
pub(crate) struct Around {
    counted: Counted,
    normalised: Normalised,
}

/// The series of groups.
#[derive(Debug, Default)]
struct Counted {
    groups: Map<Group, GroupSeries>,
    /// What jobs of one owner see beyond that.
    own: Map<Symbol, Map<Group, GroupSeries>>,
}

/// Jobs from which on the work is shared out to all cores.
const MANY: u32 = 10_000;

/// Reasons up to which one core reads them.
const FEW_REASONS: usize = 1_000;

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

/// The names in a reason, as [`Named::texts`] has them.
type Texts = [Option<String>; 5];

/// A group a job belongs to, and from when that is known.
type Membership = (Group, i64);

/// Seconds after the outcome of a release within which the epoch ad that shows an edit is written.
/// The result counts from then on, so that an ad that comes a second later changes nothing said
/// before.
const AD_DELAY: i64 = 60;

impl Around {
    /// Reads the whole history, for samples of these holds. Reasons get their normalised forms as
    /// symbols.
    pub(crate) fn of(history: &mut History, holds: &Holds) -> Self {
        let normalised = normalised_reasons(history);
        let wanted = Wanted::of(history, &normalised, holds);
        let history = &*history;
        let count = u32::try_from(history.jobs().len()).unwrap_or(u32::MAX);
        let counted = |numbers: Range<u32>| {
            let mut counted = Counted::default();
            for number in numbers {
                counted.add(number, history, &normalised, &wanted);
            }
            counted
        };
        let mut counted = if count < MANY {
            counted(0..count)
        } else {
            let step = (count as usize).div_ceil(2 * rayon::current_num_threads());
            let pieces = (0..count).into_par_iter().step_by(step);
            let end = |from: u32| count.min(from.saturating_add(step as u32));
            pieces.map(|from| counted(from..end(from))).reduce(Counted::default, Counted::join)
        };
        counted.settle();
        Self { counted, normalised }
    }

    /// The series of a group as jobs of `owner` see it.
    pub(crate) fn group(&self, group: Group, owner: Option<Symbol>) -> Both<'_, GroupSeries> {
        let own = owner.and_then(|owner| self.counted.own.get(&owner)?.get(&group));
        Both { all: self.counted.groups.get(&group), own }
    }

    /// What a canonical hold reason names, whether or not a log has it.
    pub(crate) fn named(&self, reason: &str, symbols: &Symbols) -> Named {
        named(reason, &self.normalised, symbols)
    }
}

impl Counted {
    fn add(&mut self, number: u32, history: &History, normalised: &Normalised, wanted: &Wanted) {
        let seen_by = |owner| history.as_seen_by(number, owner).into_iter();
        let each = |job, put: &mut Put<'_>| {
            put_steps(job, normalised, wanted, put);
            put_results(job, history, normalised, wanted, put);
        };
        let Self { groups, own } = self;
        for job in seen_by(None) {
            each(job, &mut |group, kinds, time, known| {
                groups.entry(group).or_default().add(kinds, time, known, number);
            });
        }
        for owner in history.seen_apart_by(number) {
            let mut seen = Entries::default();
            for job in seen_by(None) {
                each(job, &mut |group, kinds, time, known| seen.note(group, kinds, time, known));
            }
            let groups = own.entry(owner).or_default();
            for job in seen_by(Some(owner)) {
                each(job, &mut |group, kinds, time, known| {
                    for &kind in kinds {
                        if !seen.take(group, kind, time, known) {
                            groups.entry(group).or_default().add(&[kind], time, known, number);
                        }
                    }
                });
            }
        }
    }

    fn join(mut self, other: Self) -> Self {
        if self.groups.is_empty() && self.own.is_empty() {
            return other;
        }
        join(&mut self.groups, other.groups, GroupSeries::join);
        join(&mut self.own, other.own, |one, other| join(one, other, GroupSeries::join));
        self
    }

    /// Sorts. To be called before anything is asked.
    fn settle(&mut self) {
        let own = self.own.values_mut().flat_map(HashMap::values_mut);
        for series in self.groups.values_mut().chain(own) {
            series.plain.iter_mut().chain(series.coded.values_mut()).for_each(Series::settle);
            series.results.values_mut().for_each(Results::settle);
        }
    }
}

/// Joins two tables.
fn join<K: Eq + Hash, V>(one: &mut Map<K, V>, other: Map<K, V>, both: impl Fn(&mut V, V)) {
    for (key, value) in other {
        match one.entry(key) {
            Entry::Occupied(mut known) => both(known.get_mut(), value),
            Entry::Vacant(new) => {
                new.insert(value);
            }
        }
    }
}

/// What a canonical reason names: as the history has it, or else as its text says.
fn named(reason: &str, normalised: &Normalised, symbols: &Symbols) -> Named {
    let logged = symbols.find(reason).and_then(|reason| normalised.get(&reason));
    logged.copied().unwrap_or_else(|| Named::find(reason, symbols))
}

/// The reasons of a job's holds, from logs and the queue.
fn hold_reasons(job: &JobHistory) -> impl Iterator<Item = Symbol> {
    let logged = job.steps.iter().filter_map(|step| match step.what {
        What::Held(hold) => hold.reason,
        _ => None,
    });
    logged.chain(job.ads.iter().filter_map(|ad| ad.hold?.reason))
}

/// What each canonical reason of the history names.
fn normalised_reasons(history: &mut History) -> Normalised {
    let reasons = history.jobs().iter().flat_map(hold_reasons);
    let mut seen = HashSet::<Symbol, RandomState>::default();
    let reasons: Vec<Symbol> = reasons.filter(|&reason| seen.insert(reason)).collect();
    let symbols = &history.symbols;
    let texts = |&reason: &Symbol| Named::texts_of(symbols.name(reason));
    let texts: Vec<Texts> = match reasons.len() {
        0..FEW_REASONS => reasons.iter().map(texts).collect(),
        _ => reasons.par_iter().map(texts).collect(),
    };
    let named = texts
        .iter()
        .map(|texts| Named::by(texts, |name| Name::Known(history.symbols.intern(name))));
    reasons.into_iter().zip(named).collect()
}

/// The holds that samples will be asked for. What no such hold has anything to do with need not be
/// counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Any hold of the history.
    All,
    /// Holds of jobs of these clusters.
    Clusters(HashSet<i32>),
}

/// The groups that are counted; `None`: all.
#[derive(Debug)]
struct Wanted(Option<HashSet<Group, RandomState>>);

impl Wanted {
    fn of(history: &History, normalised: &Normalised, holds: &Holds) -> Self {
        let Holds::Clusters(clusters) = holds else { return Self(None) };
        let mut wanted = HashSet::<Group, RandomState>::from_iter([Group::AccessPoint]);
        for &cluster in clusters {
            wanted.insert(Group::Cluster(cluster));
            for job in history.jobs_of(cluster) {
                wanted.extend(lasting_groups(job).into_iter().map(|(group, _)| group));
                let ran = job.steps.iter().filter_map(|step| match step.what {
                    What::Executing(machine) => machine,
                    _ => None,
                });
                let places = ran.chain(job.ads.iter().filter_map(|ad| ad.machine));
                let sites = places.chain(job.sites.iter().map(|site| site.value));
                wanted.extend(sites.map(|site| Group::Named(Scope::Site, site)));
                let named = hold_reasons(job).filter_map(|reason| normalised.get(&reason));
                wanted.extend(named.flat_map(|named| named.groups()));
            }
        }
        Self(Some(wanted))
    }

    /// Leaves of the groups those that are counted.
    fn retain(&self, groups: &mut Vec<Membership>) {
        if let Self(Some(wanted)) = self {
            groups.retain(|(group, _)| wanted.contains(group));
        }
    }
}

/// Takes what happened to a job of a group, when, and from when it was known to belong to the
/// group.
type Put<'a> = dyn FnMut(Group, &[Kind], i64, i64) + 'a;

/// One thing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Plain(Plain),
    Coded(Coded, i32),
    /// Whether the release succeeded.
    Came(Came, Code, bool),
}

/// What everyone sees of one job, with how often.
#[derive(Debug, Default)]
struct Entries(Map<(Group, Kind, i64, i64), usize>);

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

fn put_steps(job: &JobHistory, normalised: &Normalised, wanted: &Wanted, put: &mut Put<'_>) {
    let mut held_for: Option<i32> = None;
    let mut lasting = lasting_groups(job);
    wanted.retain(&mut lasting);
    let mut run: Vec<Membership> = Vec::new();
    let mut reason = Named::default();
    let mut failed = Failed::default();
    let mut groups: Vec<Membership> = Vec::new();
    let mut kinds = Vec::new();
    for (index, step) in job.steps.iter().enumerate() {
        groups.clear();
        match step.what {
            What::Executing(machine) => {
                run = run_groups(job, index, machine);
                wanted.retain(&mut run);
            }
            What::Held(hold) => {
                let named = hold.reason.and_then(|reason| normalised.get(&reason));
                reason = named.copied().unwrap_or_default();
                groups.extend(reason.site().map(|group| (group, step.time)));
            }
            _ => {}
        }
        groups.extend(reason.lasting().map(|group| (group, step.time)));
        wanted.retain(&mut groups);
        groups.extend(&lasting);
        groups.extend(&run);
        earliest(&mut groups);
        let leaves = held_for.filter(|_| ends_hold(step.what));
        kinds.clear();
        put_kinds(&mut kinds, step.what, leaves);
        let holds = match step.what {
            What::Held(_) => Failed::of(job, reason, step.time),
            _ => Failed::default(),
        };
        for &(group, known) in &groups {
            put(group, &kinds, step.time, known);
            let (of_hold, of_end) = (holds.spared(group), failed.spared(group));
            let Some(spared) = of_hold.or(of_end) else { continue };
            let counts = |kind: &Kind| match kind {
                Kind::Coded(Coded::Held, _) => of_hold.is_some(),
                Kind::Coded(Coded::Left, _) => of_end.is_some(),
                _ => false,
            };
            let kinds: Vec<Kind> = kinds.iter().copied().filter(counts).collect();
            put(spared, &kinds, step.time, known);
        }
        if leaves.is_some() {
            held_for = None;
        }
        if let What::Held(hold) = step.what {
            (held_for, failed) = (Some(hold.code), holds);
        }
    }
}

fn put_results(
    job: &JobHistory,
    history: &History,
    normalised: &Normalised,
    wanted: &Wanted,
    put: &mut Put<'_>,
) {
    if !job.steps.iter().any(|step| matches!(step.what, What::Released { .. })) {
        return;
    }
    let mut lasting = lasting_groups(job);
    wanted.retain(&mut lasting);
    let mut machines = job.machines();
    for episode in history.episodes_of(job, i64::MAX, &NotedActions::default()) {
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
        let held_at = episode.held_at;
        let mut groups: Vec<Membership> = named.groups().map(|group| (group, held_at)).collect();
        let places = machines.at(held_at).into_iter().chain(job.site_at(held_at));
        groups.extend(places.map(|place| (Group::Named(Scope::Site, place), held_at)));
        wanted.retain(&mut groups);
        groups.extend(&lasting);
        earliest(&mut groups);
        let failed = Failed::of(job, named, held_at);
        let spared = |&(group, since): &Membership| Some((failed.spared(group)?, since));
        groups.extend(groups.iter().filter_map(spared).collect::<Vec<_>>());
        let success = outcome == Outcome::Success;
        for (group, member_since) in groups {
            put(group, &[Kind::Came(Came::Any, key, success)], at, member_since);
            let came = match action {
                Action::AsIs | Action::Unknown => Came::AsIs,
                _ => Came::Changed,
            };
            put(group, &[Kind::Came(came, key, success)], known, member_since);
        }
    }
}

/// What a step counts as; `leaves`: the code of the hold that it ends.
fn put_kinds(kinds: &mut Vec<Kind>, what: What, leaves: Option<i32>) {
    kinds.push(Kind::Plain(Plain::Any));
    kinds.extend(leaves.map(|code| Kind::Coded(Coded::Left, code)));
    match what {
        What::Executing(_) => kinds.push(Kind::Plain(Plain::Started)),
        What::Terminated(Exit::Success) => kinds.push(Kind::Plain(Plain::Succeeded)),
        What::Held(hold) => {
            if hold.is_by_system() {
                kinds.push(Kind::Plain(Plain::Held));
            }
            kinds.push(Kind::Coded(Coded::Held, hold.code));
        }
        _ => {}
    }
}

impl<'a> Both<'a, GroupSeries> {
    pub(crate) fn plain(self, of: Plain) -> Both<'a, Series> {
        self.part(move |group| group.plain.get(of as usize))
    }

    pub(crate) fn coded(self, of: Coded, code: i32) -> Both<'a, Series> {
        self.part(move |group| group.coded.get(&(of, code)))
    }

    pub(crate) fn results(self, of: Came, code: Code) -> Both<'a, Results> {
        self.part(move |group| group.results.get(&(of, code)))
    }
}

impl GroupSeries {
    fn join(&mut self, other: Self) {
        self.plain.iter_mut().zip(other.plain).for_each(|(one, other)| one.join(other));
        join(&mut self.coded, other.coded, Series::join);
        join(&mut self.results, other.results, Results::join);
    }

    fn add(&mut self, kinds: &[Kind], time: i64, known: i64, job: u32) {
        for &kind in kinds {
            match kind {
                Kind::Plain(of) => self.plain[of as usize].push(time, known, job),
                Kind::Coded(of, code) => {
                    self.coded.entry((of, code)).or_default().push(time, known, job);
                }
                Kind::Came(of, code, success) => {
                    let results = self.results.entry((of, code)).or_default();
                    results.push(time.max(known), job, success);
                }
            }
        }
    }
}

impl Named {
    /// What a reason names that no log tells of, as far as the names are known from elsewhere.
    pub(crate) fn find(text: &str, symbols: &Symbols) -> Self {
        let texts = Self::texts(text);
        Self::by(&texts, |name| symbols.find(name).map_or(Name::New, Name::Known))
    }

    fn by(texts: &Texts, mut name: impl FnMut(&str) -> Name) -> Self {
        let [normalised, server, file, machine, directory] =
            texts.each_ref().map(|known| known.as_deref().map_or(Name::None, &mut name));
        Self { normalised, server, file, machine, directory }
    }

    /// The names in a reason: the reason without its particulars, the server, the file, the
    /// machine, the directory of the file.
    pub(crate) fn texts(text: &str) -> Rc<Texts> {
        thread_local!(static MEMO: Memo<Rc<Texts>> = const { Memo::new() });
        MEMO.with(|memo| memo.get(text, |text| Rc::new(Self::texts_of(text))))
    }

    fn texts_of(text: &str) -> Texts {
        [
            Some(like(text)),
            reason::file_server(text),
            reason::url_or_file(text),
            reason::host(text).map(|host| reason::machine(&host).to_owned()),
            reason::directory(text),
        ]
    }

    /// The groups to which a job belongs from the hold on.
    fn lasting(self) -> impl Iterator<Item = Group> {
        let named = [
            (Scope::Reason, self.normalised),
            (Scope::Server, self.server),
            (Scope::File, self.file),
        ];
        named.into_iter().filter_map(|(scope, name)| Some(Group::Named(scope, name.symbol()?)))
    }

    /// The group to which the hold alone belongs.
    fn site(self) -> Option<Group> {
        self.machine.symbol().map(|machine| Group::Named(Scope::Site, machine))
    }

    fn groups(self) -> impl Iterator<Item = Group> {
        let directory = self.directory.symbol().map(Group::Directory);
        self.lasting().chain(self.site()).chain(directory)
    }
}

/// Of several files of its job the one that a hold is about: nothing failed with the others.
#[derive(Clone, Copy, Debug, Default)]
struct Failed(Option<(Symbol, Option<Symbol>)>);

impl Failed {
    /// By the reason of a hold. One that names no file of the job, as after a redirect, may be about
    /// each of them.
    fn of(job: &JobHistory, named: Named, held_at: i64) -> Self {
        let own = |file: &Symbol| {
            let mut input = job.input.iter().take(most_files(job));
            input.any(|known| known.value == *file && known.since <= held_at)
        };
        Self(named.file.symbol().filter(own).map(|file| (file, named.server.symbol())))
    }

    /// What is counted of the hold although it is not about this file or server.
    fn spared(self, group: Group) -> Option<Group> {
        let (file, server) = self.0?;
        match group {
            Group::Named(Scope::File, other) if other != file => {
                Some(Group::Spared(Scope::File, other))
            }
            Group::Named(Scope::Server, other) if Some(other) != server => {
                Some(Group::Spared(Scope::Server, other))
            }
            _ => None,
        }
    }
}

/// What like holds have in common: the normalised reason and, where it names a file, the place of
/// that.
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

/// Files, and servers, of a job that are counted.
fn most_files(job: &JobHistory) -> usize {
    (MOST_ENTRIES / job.steps.len().max(1)).max(LEAST_FILES)
}

/// Groups a job belongs to all its life.
fn lasting_groups(job: &JobHistory) -> Vec<Membership> {
    let most = most_files(job);
    let mut groups =
        vec![(Group::AccessPoint, i64::MIN), (Group::Cluster(job.job.cluster), i64::MIN)];
    groups.extend(job.owner.map(|owner| (Group::Named(Scope::Owner, owner.value), owner.since)));
    groups.extend(
        job.servers
            .iter()
            .take(most)
            .map(|server| (Group::Named(Scope::Server, server.value), server.since)),
    );
    let files = job.input.iter().take(most);
    groups.extend(files.map(|file| (Group::Named(Scope::File, file.value), file.since)));
    earliest(&mut groups);
    groups
}

/// Groups of the run that begins at step `index`: its machine, and its site from when that was
/// recorded.
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
            Self::Spared(scope, symbol) => (128 + scope as u8, i64::from(symbol.number())),
        }
    }
}
