//! The static columns of a sample: each is declared here, once.
//!
//! The names and the order of a schema, the sources that go missing, the groups of inputs that
//! users know, what a recovery changes and the table of `docs/training/features.md` follow from
//! [`COLUMNS`]. Models keep names, so a name keeps its meaning: a column that is to hold something
//! else gets another name.

use std::sync::LazyLock;

use super::Scope;
use super::around::Plain;
use super::facts::Facts;
use super::neighbourhood::Others;
use super::series::{Both, Series};
use super::words::{BUCKETS, CUES};
use crate::history::Action;
use Value::{Age, Count, Flag, Number, Rate, Ratio};

/// A row of the table: a column, or a family of columns.
#[derive(Clone, Copy, Debug)]
pub struct ColumnRow {
    /// Its name. `<scope>` stands for each [`Scope`], another part in angle brackets for each
    /// member of the family.
    pub name: &'static str,
    /// Where its value is from, in the words of `docs/training/features.md`.
    pub source: &'static str,
    /// When its value is known.
    pub known: &'static str,
    /// The column that is 0 where this one is not known, itself where it is a mask; `None` where it
    /// always is known.
    pub mask: Option<&'static str>,
    /// Sources that it goes missing with, that of its scope aside.
    sources: &'static [&'static str],
    /// `None` of what cannot be missing, and of a scope, which has a group of its own.
    group: Option<InputGroup>,
    /// The number that stands for nothing known.
    missing: usize,
    members: usize,
    member: fn(usize) -> String,
    value: Value,
}

/// What a column is computed from, and how that is encoded.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// 0 or 1.
    Flag(fn(&Seen<'_>, usize) -> bool),
    /// ln(1 + n).
    Count(fn(&Seen<'_>, usize) -> usize),
    /// Of seconds: ln(1 + minutes) up to a week, divided by its greatest value: 0 to 1.
    Age(fn(&Seen<'_>, usize) -> Option<i64>),
    /// In steps of a quarter, up to 4: the schedd publishes sizes rounded up by as much.
    Ratio(fn(&Seen<'_>, usize) -> Option<f64>),
    /// Of successes and failures: Laplace's rule of succession, less one half: 0 where nothing is
    /// known.
    Rate(fn(&Seen<'_>, usize) -> (usize, usize)),
    /// As it is.
    Number(fn(&Seen<'_>, usize) -> f32),
}

/// What a column is computed from. The number beside it is the column's place in its family.
pub(super) struct Seen<'a> {
    pub(super) hold: &'a Facts,
    /// The other jobs of the column's scope.
    pub(super) others: &'a Others<'a>,
}

/// Inputs that users know by one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputGroup {
    OwnHistory,
    HoldReason,
    Usage,
    Cluster,
    Owner,
    Site,
    Transfer,
    HeldAlike,
    AccessPoint,
    HeldFor,
}

/// A column of a sample.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub row: &'static ColumnRow,
    /// Whose jobs it counts; `None` of the held job and of the whole queue.
    pub scope: Option<Scope>,
    member: usize,
}

/// Hold codes with a column of their own: 0 to this, less one. Later codes share one column, so
/// that a new code needs no new model.
const CODES: usize = 50;

/// Subcodes with a column of their own: none, ENOENT, EACCES, ENOSPC, ETIME, memory, disk,
/// ETIMEDOUT, ECONNREFUSED, EDQUOT, exit status 1 of a file-transfer plug-in.
const SUBCODES: [i32; 11] = [0, 2, 13, 28, 62, 102, 104, 110, 111, 122, 256];

/// Windows back from the decision instant, in seconds.
const WINDOWS: [(&str, i64); 3] = [("10min", 600), ("1h", 3_600), ("6h", 21_600)];

/// Ages beyond this, in seconds, are all the same: a week.
const OLDEST: i64 = 604_800;

/// Sources of statics that are not those of a scope.
pub(super) const SOURCES: [&str; 3] = ["job-ad", "hold-reason", "event-log"];

/// The column of the seconds from the decision instant to the release.
pub const RELEASE_DELAY: &str = "release-delay";

const AT_INSTANT: &str = "at *t*";
const AFTER_OUTCOME: &str = "60 s after the outcome";

// What rows have in common.

const HOLD: ColumnRow = ColumnRow {
    name: "",
    source: "log, ad",
    known: "at the hold",
    mask: None,
    sources: &[],
    group: None,
    missing: 0,
    members: 1,
    member: |_| String::new(),
    value: Flag(|_, _| false),
};
const REASON: ColumnRow = ColumnRow {
    mask: Some("reason-given"),
    sources: &["hold-reason"],
    group: Some(InputGroup::HoldReason),
    ..HOLD
};
const OWN: ColumnRow = ColumnRow {
    source: "log",
    mask: Some("log-known"),
    group: Some(InputGroup::OwnHistory),
    ..HOLD
};
const MEMORY: ColumnRow = ColumnRow {
    source: "ad, else 006 and 028",
    mask: Some("memory-known"),
    sources: &["job-ad"],
    group: Some(InputGroup::Usage),
    ..HOLD
};
const DISK: ColumnRow = ColumnRow { source: "ad", mask: Some("disk-known"), ..MEMORY };
const PROVISIONED: ColumnRow =
    ColumnRow { source: "ad, else 028", mask: Some("memory-provisioned-known"), ..MEMORY };
const OTHERS: ColumnRow = ColumnRow {
    source: "log",
    known: AT_INSTANT,
    mask: Some("<scope>-known"),
    sources: &["event-log"],
    ..HOLD
};
const RECENT: ColumnRow = OTHERS.family(WINDOWS.len(), |n| WINDOWS[n].0.to_owned());
const AS_IS: ColumnRow = ColumnRow { known: AFTER_OUTCOME, ..OTHERS };
const CHANGED: ColumnRow = ColumnRow { source: "log, ad", ..AS_IS };
const QUEUE: ColumnRow = ColumnRow {
    source: "log, else queue",
    known: AT_INSTANT,
    mask: Some("queue-held-same-code-known"),
    group: Some(InputGroup::AccessPoint),
    ..HOLD
};

/// All static columns, in their order. A row that begins with `<scope>` stands for all rows that
/// follow it and do so, scope by scope, and rows that end in `<window>` likewise within that.
pub static COLUMNS: &[ColumnRow] = &[
    HOLD.row("code-<n>", Flag(|s, n| s.hold.code == Some(n))).family(CODES, |n| n.to_string()),
    HOLD.row("code-other", Flag(|s, _| s.hold.code.is_none())),
    HOLD.row("subcode-<n>", Flag(|s, n| s.hold.subcode == SUBCODES[n]))
        .family(SUBCODES.len(), |n| SUBCODES[n].to_string()),
    HOLD.row("subcode-errno", Flag(|s, _| (1..=133).contains(&s.hold.subcode))),
    HOLD.row(
        "subcode-plugin-exit",
        Flag(|s, _| s.hold.subcode >= 256 && s.hold.subcode % 256 == 0),
    ),
    HOLD.row("subcode-negative", Flag(|s, _| s.hold.subcode < 0)),
    ColumnRow { known: AT_INSTANT, group: Some(InputGroup::HeldFor), ..HOLD }
        .row("held-for", Age(|s, _| Some(s.hold.held_for))),
    ColumnRow { sources: &["hold-reason", "reason"], ..REASON }
        .row("reason-given", Flag(|s, _| s.hold.reason_given)),
    REASON.row("word-<n>", Flag(|s, n| s.hold.words.hashed[n])).family(BUCKETS, |n| n.to_string()),
    REASON
        .row("says-<cue>", Flag(|s, n| s.hold.words.cues[n]))
        .family(CUES.len(), |n| CUES[n].0.to_owned()),
    OWN.row("log-known", Flag(|s, _| s.hold.own.logged)),
    OWN.row("log-from-submission", Flag(|s, _| s.hold.own.from_submission))
        .masked(Some("log-from-submission")),
    OWN.row("holds", Count(|s, _| s.hold.own.holds)).from("log, else ad").masked(None).missing(1),
    OWN.row("holds-same-code", Count(|s, _| s.hold.own.holds_same_code)).missing(1),
    OWN.row("starts", Count(|s, _| s.hold.own.starts)).from("log, else ad"),
    OWN.row("evictions", Count(|s, _| s.hold.own.evictions)),
    OWN.row("failed-releases", Count(|s, _| s.hold.own.failed_releases)),
    OWN.row("age-known", Flag(|s, _| s.hold.own.age.is_some())).masked(Some("age-known")),
    OWN.row("age", Age(|s, _| s.hold.own.age)).masked(Some("age-known")),
    OWN.row("ran", Flag(|s, _| s.hold.own.ran_for.is_some())),
    OWN.row("ran-for", Age(|s, _| s.hold.own.ran_for)).masked(Some("ran")),
    MEMORY.row("memory-known", Flag(|s, _| s.hold.usage.memory.is_some())),
    MEMORY.row("memory-over-provisioned", Ratio(|s, _| s.hold.usage.memory)),
    MEMORY.row("memory-near-provisioned", Flag(|s, _| is_near(s.hold.usage.memory))),
    DISK.row("disk-known", Flag(|s, _| s.hold.usage.disk.is_some())),
    DISK.row("disk-over-provisioned", Ratio(|s, _| s.hold.usage.disk)),
    DISK.row("disk-near-provisioned", Flag(|s, _| is_near(s.hold.usage.disk))),
    PROVISIONED
        .row("memory-provisioned-known", Flag(|s, _| s.hold.usage.memory_provisioned.is_some())),
    PROVISIONED
        .row("memory-provisioned", Number(|s, _| tenth_log2(s.hold.usage.memory_provisioned))),
    OTHERS.row("<scope>-known", Flag(|s, _| s.others.known)).from("see below"),
    OTHERS.row("<scope>-others", Flag(|s, _| s.others.any)).masked(Some("<scope>-others")),
    RECENT.row("<scope>-started-<window>", Count(|s, n| s.recent(s.plain(Plain::Started), n))),
    RECENT.row("<scope>-succeeded-<window>", Count(|s, n| s.recent(s.plain(Plain::Succeeded), n))),
    RECENT.row("<scope>-held-<window>", Count(|s, n| s.recent(s.plain(Plain::Held), n))),
    RECENT.row("<scope>-held-same-code-<window>", Count(|s, n| s.recent(s.others.held_code, n))),
    OTHERS.row("<scope>-started-since", Count(|s, _| s.others.started_since)),
    OTHERS.row("<scope>-succeeded-since", Count(|s, _| s.others.succeeded_since)),
    OTHERS.row("<scope>-held-same-code-since", Count(|s, _| s.others.held_same_code_since)),
    OTHERS.row("<scope>-last-started", Age(|s, _| s.since(s.others.last_started))),
    OTHERS.row(
        "<scope>-last-succeeded",
        Age(|s, _| s.since(s.others.last(s.plain(Plain::Succeeded)))),
    ),
    OTHERS.row("<scope>-last-held-same-code", Age(|s, _| s.since(s.others.last_held_same_code))),
    OTHERS.row("<scope>-started-after-held", Flag(|s, _| s.others.started_after_held())),
    OTHERS.row("<scope>-held-now-same-code", Count(|s, _| s.others.held_now_same_code)),
    OTHERS.row("<scope>-released-successes-since", Count(|s, _| s.others.released_since.0)),
    OTHERS.row("<scope>-released-failures-since", Count(|s, _| s.others.released_since.1)),
    OTHERS.row("<scope>-last-release", Number(|s, _| sign(s.others.last_release))),
    OTHERS.row("<scope>-last-release-succeeded", Age(|s, _| s.since(s.others.last_success()))),
    AS_IS.row("<scope>-as-is-successes", Count(|s, _| s.others.as_is.0)),
    AS_IS.row("<scope>-as-is-failures", Count(|s, _| s.others.as_is.1)),
    AS_IS.row("<scope>-as-is-rate", Rate(|s, _| s.others.as_is)),
    CHANGED.row("<scope>-changed-successes", Count(|s, _| s.others.changed.0)),
    CHANGED.row("<scope>-changed-failures", Count(|s, _| s.others.changed.1)),
    CHANGED.row("<scope>-changed-rate", Rate(|s, _| s.others.changed)),
    ColumnRow { sources: &["event-log"], ..QUEUE }
        .row("sees-access-point", Flag(|s, _| s.hold.sees_access_point))
        .from("log")
        .masked(Some("sees-access-point")),
    QUEUE.row("queue-held-same-code-known", Flag(|s, _| s.hold.held_same_code.is_some())),
    QUEUE.row("queue-held-same-code", Count(|s, _| s.hold.held_same_code.unwrap_or(0))),
    ColumnRow { source: "asked", known: AT_INSTANT, ..HOLD }
        .row("action-<action>", Flag(|s, n| s.hold.action == Action::ALL[n]))
        .family(Action::ALL.len(), |n| Action::ALL[n].name().to_owned()),
    ColumnRow { source: "asked", known: AT_INSTANT, ..HOLD }
        .row(RELEASE_DELAY, Age(|_, _| Some(0))),
];

impl ColumnRow {
    const fn row(self, name: &'static str, value: Value) -> Self {
        Self { name, value, ..self }
    }

    const fn family(self, members: usize, member: fn(usize) -> String) -> Self {
        Self { members, member, ..self }
    }

    const fn from(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    const fn masked(self, mask: Option<&'static str>) -> Self {
        Self { mask, ..self }
    }

    const fn missing(self, missing: usize) -> Self {
        Self { missing, ..self }
    }

    fn is_scoped(&self) -> bool {
        self.name.starts_with("<scope>")
    }

    fn is_windowed(&self) -> bool {
        self.name.ends_with("<window>")
    }
}

impl Seen<'_> {
    fn plain(&self, of: Plain) -> Both<'_, Series> {
        self.others.series.plain(of)
    }

    /// How often it happened within the column's window.
    fn recent(&self, series: Both<'_, Series>, window: usize) -> usize {
        let instant = self.others.window.instant;
        self.others.count(series, instant.saturating_sub(WINDOWS[window].1))
    }

    /// Seconds since then: a week where it never happened to other jobs, none where there are no
    /// others.
    fn since(&self, last: Option<i64>) -> Option<i64> {
        let instant = self.others.window.instant;
        self.others.any.then(|| last.map_or(OLDEST, |last| instant - last))
    }
}

impl Column {
    /// All columns that this program computes, in their order.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Column>> = LazyLock::new(expanded);
        &ALL
    }

    /// The column of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|column| column.name == name)
    }

    /// It is 0 where this source is missing.
    pub fn goes_with(&self, source: &str) -> bool {
        // The job's own log tells of its cluster.
        let of_cluster = self.scope == Some(Scope::Cluster);
        self.scope.is_some_and(|scope| scope.name() == source)
            || (self.row.sources.contains(&source) && !of_cluster)
    }

    /// It tells of other jobs than the held one.
    pub fn is_of_others(&self) -> bool {
        self.scope.is_some() || self.row.group == Some(InputGroup::AccessPoint)
    }

    pub(crate) fn group(&self) -> Option<InputGroup> {
        self.scope.map_or(self.row.group, |scope| {
            Some(match scope {
                Scope::Cluster => InputGroup::Cluster,
                Scope::Owner => InputGroup::Owner,
                Scope::Site => InputGroup::Site,
                Scope::Server | Scope::File => InputGroup::Transfer,
                Scope::Reason => InputGroup::HeldAlike,
                Scope::AccessPoint => InputGroup::AccessPoint,
            })
        })
    }

    /// Its value where nothing is known.
    pub(crate) fn missing(&self) -> f32 {
        self.encode(self.row.missing)
    }

    /// Its value where what it is computed from is this number; an age is in seconds.
    pub fn encode(&self, number: usize) -> f32 {
        match self.row.value {
            Flag(_) => flag(number > 0),
            Count(_) => count(number),
            Age(_) => age(i64::try_from(number).unwrap_or(OLDEST)),
            Ratio(_) | Rate(_) | Number(_) => number as f32,
        }
    }

    /// Its value for a hold, seen with the other jobs of each scope.
    #[inline]
    pub(super) fn value(&self, seen: &[Seen<'_>; Scope::ALL.len()]) -> f32 {
        let seen = &seen[self.scope.map_or(0, |scope| scope as usize)];
        // A scope in which the held job has no name says nothing.
        if self.scope.is_some() && !seen.others.known {
            return 0.0;
        }
        match self.row.value {
            Flag(of) => flag(of(seen, self.member)),
            Count(of) => count(of(seen, self.member)),
            Age(of) => of(seen, self.member).map_or(0.0, age),
            Ratio(of) => of(seen, self.member).map_or(0.0, steps_of_quarter),
            Rate(of) => rate(of(seen, self.member)),
            Number(of) => of(seen, self.member),
        }
    }

    /// The hold code that it stands for.
    pub(super) fn code(&self) -> Option<usize> {
        (self.row.name == "code-<n>").then_some(self.member)
    }

    /// The action that it stands for.
    pub(super) fn action(&self) -> Option<Action> {
        (self.row.name == "action-<action>").then(|| Action::ALL[self.member])
    }
}

fn expanded() -> Vec<Column> {
    let mut columns = Vec::new();
    for rows in COLUMNS.chunk_by(|row, next| row.is_scoped() == next.is_scoped()) {
        let scoped = rows[0].is_scoped();
        for &scope in if scoped { &Scope::ALL[..] } else { &Scope::ALL[..1] } {
            for run in rows.chunk_by(|row, next| row.is_windowed() && next.is_windowed()) {
                for member in 0..run[0].members {
                    columns.extend(run.iter().map(|row| {
                        let name = row.name.replace("<scope>", scope.name());
                        let name = match name.split_once('<') {
                            Some((head, _)) => format!("{head}{}", (row.member)(member)),
                            None => name,
                        };
                        Column { name, row, scope: scoped.then_some(scope), member }
                    }));
                }
            }
        }
    }
    columns
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

fn count(number: usize) -> f32 {
    // Most are 0.
    if number == 0 { 0.0 } else { (number as f32).ln_1p() }
}

fn age(seconds: i64) -> f32 {
    let minutes = |seconds: i64| (seconds as f32 / 60.0).ln_1p();
    if seconds >= OLDEST { 1.0 } else { minutes(seconds.max(0)) / minutes(OLDEST) }
}

fn steps_of_quarter(ratio: f64) -> f32 {
    ((ratio.clamp(0.0, 4.0) * 4.0).ceil() / 4.0) as f32
}

fn rate((successes, failures): (usize, usize)) -> f32 {
    (successes as f32 + 1.0) / ((successes + failures) as f32 + 2.0) - 0.5
}

fn is_near(ratio: Option<f64>) -> bool {
    ratio.is_some_and(|ratio| ratio >= 0.8)
}

fn tenth_log2(size: Option<f64>) -> f32 {
    size.map_or(0.0, |size| (size.max(1.0).log2() / 10.0) as f32)
}

fn sign(last: Option<(i64, bool)>) -> f32 {
    last.map_or(0.0, |(_, success)| if success { 1.0 } else { -1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_grow_to_one() {
        assert_eq!(age(-5), 0.0);
        assert_eq!(age(OLDEST * 2), 1.0);
        assert!(age(60) < age(3_600) && age(3_600) < 1.0);
    }

    #[test]
    fn names_are_distinct() {
        let names: Vec<&str> = Column::all().iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names.last(), Some(&"release-delay"));
        assert!(names.iter().all(|name| !name.contains('<')));
        let distinct: std::collections::HashSet<&&str> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }

    #[test]
    fn a_mask_is_a_column_of_the_same_sources() {
        for column in Column::all() {
            let scope = column.scope.map_or("", Scope::name);
            let Some(mask) = column.row.mask.map(|mask| mask.replace("<scope>", scope)) else {
                continue;
            };
            let mask = Column::named(&mask).unwrap();
            let sources = |of: &Column| SOURCES.map(|source| of.goes_with(source));
            assert_eq!(sources(column), sources(mask), "{}", column.name);
            assert_eq!(column.group(), mask.group(), "{}", column.name);
        }
    }
}
