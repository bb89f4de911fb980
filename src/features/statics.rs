//! The row of statics: numbers about one hold, its job and the jobs around it.
//!
//! Values and names are written by the same code, so that the order of columns is one. `docs/features.md` has a row for
//! each column.

use super::around::{Neighbours, Scope};
use super::series::{Both, Series};
use super::words::{self, BUCKETS, CUES};
use crate::history::Action;

/// Takes the columns in their order.
pub(crate) trait Columns {
    /// The next column.
    fn put(&mut self, name: std::fmt::Arguments<'_>, value: f32);
}

/// Keeps the values.
impl Columns for Vec<f32> {
    fn put(&mut self, _: std::fmt::Arguments<'_>, value: f32) {
        self.push(value);
    }
}

/// Keeps the names.
impl Columns for Vec<String> {
    fn put(&mut self, name: std::fmt::Arguments<'_>, _: f32) {
        self.push(name.to_string());
    }
}

/// What the statics are written from.
#[derive(Debug, Default)]
pub(crate) struct Facts<'a> {
    pub(crate) code: i32,
    pub(crate) subcode: i32,
    pub(crate) reason: Option<&'a str>,
    /// Seconds from the hold to the decision instant.
    pub(crate) held_for: i64,
    pub(crate) own: Own,
    pub(crate) usage: Usage,
    pub(crate) around: [Neighbours<'a>; Scope::ALL.len()],
    /// Jobs held now for the same code, where only the queue tells.
    pub(crate) held_in_queue: Option<usize>,
    /// A log of the whole access point is at hand.
    pub(crate) sees_access_point: bool,
    pub(crate) instant: i64,
    pub(crate) held_at: i64,
    pub(crate) number: u32,
}

/// This job's own history up to its hold.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// A log tells of the job.
    pub(crate) logged: bool,
    /// The log begins with its submission.
    pub(crate) from_submission: bool,
    pub(crate) holds: i64,
    pub(crate) holds_same_code: i64,
    pub(crate) starts: i64,
    pub(crate) evictions: i64,
    /// Earlier releases from the same code after which it was held or failed again.
    pub(crate) failed_releases: i64,
    /// Seconds from submission to hold.
    pub(crate) age: Option<i64>,
    /// Seconds from the last start to the hold; `None` if the hold came before a start.
    pub(crate) ran_for: Option<i64>,
}

/// Usage of the last run over what it had been given.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    pub(crate) memory: Option<f64>,
    pub(crate) disk: Option<f64>,
    /// MiB.
    pub(crate) memory_provisioned: Option<f64>,
}

/// Hold codes with a column of their own: 0 to this, less one. Later codes share one column, so
/// that a new code needs no new model.
const CODES: i32 = 50;

/// Subcodes with a column of their own: none, ENOENT, EACCES, ENOSPC, ETIME, memory, disk, ETIMEDOUT, ECONNREFUSED,
/// EDQUOT, exit status 1 of a file-transfer plug-in.
const SUBCODES: [i32; 11] = [0, 2, 13, 28, 62, 102, 104, 110, 111, 122, 256];

/// Windows back from the decision instant, in seconds.
const WINDOWS: [(&str, i64); 3] = [("10min", 600), ("1h", 3_600), ("6h", 21_600)];

/// Ages beyond this, in seconds, are all the same: a week.
const OLDEST: i64 = 604_800;

/// Writes all columns but those of the action, which [`put_action`] writes behind them.
pub(crate) fn put_facts(columns: &mut impl Columns, facts: &Facts<'_>) {
    put_hold(columns, facts);
    put_reason(columns, facts.reason);
    put_own(columns, facts);
    put_usage(columns, &facts.usage);
    for (scope, neighbours) in Scope::ALL.into_iter().zip(&facts.around) {
        put_scope(columns, scope, neighbours, facts);
    }
    put_queue(columns, facts);
}

/// One column for each action.
pub(crate) fn put_action(columns: &mut impl Columns, action: Action) {
    for other in Action::ALL {
        columns.put(format_args!("action-{}", other.name()), flag(other == action));
    }
}

fn put_hold(columns: &mut impl Columns, facts: &Facts<'_>) {
    for code in 0..CODES {
        columns.put(format_args!("code-{code}"), flag(facts.code == code));
    }
    columns.put(format_args!("code-other"), flag(!(0..CODES).contains(&facts.code)));
    for subcode in SUBCODES {
        columns.put(format_args!("subcode-{subcode}"), flag(facts.subcode == subcode));
    }
    let subcode = facts.subcode;
    columns.put(format_args!("subcode-errno"), flag((1..=133).contains(&subcode)));
    columns.put(format_args!("subcode-plugin-exit"), flag(subcode >= 256 && subcode % 256 == 0));
    columns.put(format_args!("subcode-negative"), flag(subcode < 0));
    columns.put(format_args!("held-for"), age(facts.held_for));
}

fn put_reason(columns: &mut impl Columns, reason: Option<&str>) {
    let mut hashed = [0.0; BUCKETS];
    let mut cues = [0.0; CUES.len()];
    if let Some(reason) = reason {
        words::hashed(reason, &mut hashed);
        words::cues(reason, &mut cues);
    }
    columns.put(format_args!("reason-given"), flag(reason.is_some()));
    for (bucket, value) in hashed.into_iter().enumerate() {
        columns.put(format_args!("word-{bucket}"), value);
    }
    for ((cue, _), value) in CUES.iter().zip(cues) {
        columns.put(format_args!("says-{cue}"), value);
    }
}

fn put_own(columns: &mut impl Columns, facts: &Facts<'_>) {
    let own = &facts.own;
    columns.put(format_args!("log-known"), flag(own.logged));
    columns.put(format_args!("log-from-submission"), flag(own.from_submission));
    columns.put(format_args!("holds"), count(own.holds));
    columns.put(format_args!("holds-same-code"), count(own.holds_same_code));
    columns.put(format_args!("starts"), count(own.starts));
    columns.put(format_args!("evictions"), count(own.evictions));
    columns.put(format_args!("failed-releases"), count(own.failed_releases));
    columns.put(format_args!("age-known"), flag(own.age.is_some()));
    columns.put(format_args!("age"), own.age.map_or(0.0, age));
    columns.put(format_args!("ran"), flag(own.ran_for.is_some()));
    columns.put(format_args!("ran-for"), own.ran_for.map_or(0.0, age));
}

fn put_usage(columns: &mut impl Columns, usage: &Usage) {
    for (name, ratio) in [("memory", usage.memory), ("disk", usage.disk)] {
        columns.put(format_args!("{name}-known"), flag(ratio.is_some()));
        columns.put(format_args!("{name}-over-provisioned"), ratio.map_or(0.0, steps_of_quarter));
        columns.put(
            format_args!("{name}-near-provisioned"),
            flag(ratio.is_some_and(|ratio| ratio >= 0.8)),
        );
    }
    columns.put(format_args!("memory-provisioned-known"), flag(usage.memory_provisioned.is_some()));
    let size = usage.memory_provisioned.map_or(0.0, |size| (size.max(1.0).log2() / 10.0) as f32);
    columns.put(format_args!("memory-provisioned"), size);
}

fn put_scope(
    columns: &mut impl Columns,
    scope: Scope,
    neighbours: &Neighbours<'_>,
    facts: &Facts<'_>,
) {
    let name = scope.name();
    let group = neighbours.series;
    let held_code = group.held_code(facts.code);
    let left_code = group.left_code(facts.code);
    let (to, job) = (facts.instant, facts.number);
    columns.put(format_args!("{name}-known"), flag(neighbours.known));
    // A scope that has no other jobs says nothing, and not that none of them got through.
    let others = neighbours.known && group.any().last(to, job).is_some();
    columns.put(format_args!("{name}-others"), flag(others));
    for (window, seconds) in WINDOWS {
        let from = to.saturating_sub(seconds);
        columns.put(
            format_args!("{name}-started-{window}"),
            counted(group.started().count(from, to, job)),
        );
        columns.put(
            format_args!("{name}-succeeded-{window}"),
            counted(group.succeeded().count(from, to, job)),
        );
        columns
            .put(format_args!("{name}-held-{window}"), counted(group.held().count(from, to, job)));
        columns.put(
            format_args!("{name}-held-same-code-{window}"),
            counted(held_code.count(from, to, job)),
        );
    }
    let since = facts.held_at;
    columns
        .put(format_args!("{name}-started-since"), counted(group.started().count(since, to, job)));
    columns.put(
        format_args!("{name}-succeeded-since"),
        counted(group.succeeded().count(since, to, job)),
    );
    columns
        .put(format_args!("{name}-held-same-code-since"), counted(held_code.count(since, to, job)));
    let since_last =
        |last: Option<i64>| if others { age(last.map_or(OLDEST, |last| to - last)) } else { 0.0 };
    let started = group.started().last(to, job);
    let held = held_code.last(to, job);
    columns.put(format_args!("{name}-last-started"), since_last(started));
    columns.put(format_args!("{name}-last-succeeded"), since_last(group.succeeded().last(to, job)));
    columns.put(format_args!("{name}-last-held-same-code"), since_last(held));
    columns.put(format_args!("{name}-started-after-held"), flag(started > held.max(Some(since))));
    let all = |series: Both<'_, Series>| series.count(i64::MIN, to, job);
    let held_now = all(held_code).saturating_sub(all(left_code));
    columns.put(format_args!("{name}-held-now-same-code"), counted(held_now));
    let key = (facts.code, facts.subcode);
    let released = group.released(key);
    let (successes, failures) = released.count(since, to, job);
    columns.put(format_args!("{name}-released-successes-since"), counted(successes));
    columns.put(format_args!("{name}-released-failures-since"), counted(failures));
    let last = released.last(to, job).map_or(0.0, |(_, success)| if success { 1.0 } else { -1.0 });
    columns.put(format_args!("{name}-last-release"), last);
    let last_success = released.last_success(to, job);
    columns.put(format_args!("{name}-last-release-succeeded"), since_last(last_success));
    for (kind, results) in [("as-is", group.as_is(key)), ("changed", group.changed(key))] {
        let (successes, failures) = results.count(i64::MIN, to, job);
        columns.put(format_args!("{name}-{kind}-successes"), counted(successes));
        columns.put(format_args!("{name}-{kind}-failures"), counted(failures));
        // Laplace's rule of succession, less one half: 0 where nothing is known.
        let rate = (successes as f32 + 1.0) / ((successes + failures) as f32 + 2.0);
        columns.put(format_args!("{name}-{kind}-rate"), rate - 0.5);
    }
}

fn put_queue(columns: &mut impl Columns, facts: &Facts<'_>) {
    columns.put(format_args!("sees-access-point"), flag(facts.sees_access_point));
    let logged = facts.around[Scope::AccessPoint as usize].series;
    let logged = (logged.is_known() && facts.sees_access_point).then(|| {
        let all = |series: Both<'_, Series>| series.count(i64::MIN, facts.instant, facts.number);
        all(logged.held_code(facts.code)).saturating_sub(all(logged.left_code(facts.code)))
    });
    let held = logged.or(facts.held_in_queue);
    columns.put(format_args!("queue-held-same-code-known"), flag(held.is_some()));
    columns.put(format_args!("queue-held-same-code"), held.map_or(0.0, counted));
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

fn counted(number: usize) -> f32 {
    (number as f32).ln_1p()
}

fn count(number: i64) -> f32 {
    (number.max(0) as f32).ln_1p()
}

/// ln(1 + minutes) up to a week, divided by its greatest value: 0 to 1.
fn age(seconds: i64) -> f32 {
    let minutes = |seconds: i64| (seconds as f32 / 60.0).ln_1p();
    minutes(seconds.clamp(0, OLDEST)) / minutes(OLDEST)
}

/// The ratio in steps of a quarter, up to 4: the schedd publishes sizes rounded up by as much.
fn steps_of_quarter(ratio: f64) -> f32 {
    ((ratio.clamp(0.0, 4.0) * 4.0).ceil() / 4.0) as f32
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
        let mut names: Vec<String> = Vec::new();
        put_facts(&mut names, &Facts::default());
        put_action(&mut names, Action::AsIs);
        let mut values: Vec<f32> = Vec::new();
        put_facts(&mut values, &Facts::default());
        put_action(&mut values, Action::AsIs);
        assert_eq!(names.len(), values.len());
        assert_eq!(names.last().map(String::as_str), Some("action-unknown"));
        let distinct: std::collections::HashSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }
}
