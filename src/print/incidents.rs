//! Incidents: all jobs, of any user and cluster, that one thing holds, a row of a table each.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use strum::Display;
use unicode_width::UnicodeWidthStr;

use super::plain_table::lines;
use super::wrap::{cut, wrap};
use super::{Page, Versioned};
use crate::advice::{Advice, ChangeKind, Evidence, LookAt, Near, Recommendation, SharedCause};
use crate::catalogue::{Ends, Fault};
use crate::features::Scope;
use crate::history::reason::file_server;
use crate::sentences;
use crate::sentences::times::length;
use crate::text::{Foreign, plural, printable};
use eventlog::JobId;

/// What holds of one incident have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    recommendation: Recommendation,
    thing: Thing,
    /// The entry of the catalogue, else what the holds say.
    entry: Option<&'static str>,
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

/// The jobs of an incident.
#[derive(Debug)]
struct Incident {
    first: Advice,
    /// Its jobs are to be corrected each in a thing of its own.
    differ: bool,
    owners: BTreeSet<Option<Foreign>>,
    clusters: BTreeSet<i32>,
    /// When the hold of each job began, Unix seconds, and how many others got through since.
    holds: Vec<(i64, i64)>,
    /// Seconds since another job got through.
    passed: Option<i64>,
}

/// How an incident goes on, by when the holds of its jobs began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
enum Trend {
    /// More than half of them began in the last third of the time since the first.
    Growing,
    /// Some began in that third.
    Steady,
    /// None began in it.
    Quiet,
    /// Other jobs got through since the last of them began, and none was held again.
    Over,
}

/// Jobs, and seconds since the first hold, from which on a trend is said. Assumed.
const FEWEST: usize = 3;
const SHORTEST: i64 = 60;

/// All held jobs with one recommendation and one thing at fault.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Incident")]
pub(crate) struct Record<'a> {
    /// What to do.
    recommendation: Recommendation,
    /// What to do and, in brackets, what is wrong, in English; the words may change.
    what: String,
    /// What is likeliest to be at fault.
    at_fault: Option<Fault>,
    /// What ends it.
    ends: Option<Ends>,
    /// How many jobs.
    jobs: usize,
    /// How many users have them.
    users: usize,
    /// Owner, where there is one alone.
    owner: Option<String>,
    /// ClusterId of the jobs.
    clusters: Vec<i32>,
    /// When the first of its holds began, Unix seconds.
    first_held: i64,
    /// When the last of its holds began, Unix seconds.
    last_held: i64,
    /// How it goes on; `null` of fewer than three jobs and in the first minute, unless it is over.
    trend: Option<Trend>,
    /// Other jobs that got through since the last of its holds began, if none was held again.
    passed_since: i64,
    /// One of the jobs.
    job: String,
    /// Entry of the catalogue of texts.
    catalogue_entry: Option<&'a str>,
}

/// Incidents of the advices added so far.
#[derive(Debug, Default)]
pub(super) struct Incidents {
    of: BTreeMap<Key, Incident>,
    jobs: usize,
    owners: BTreeSet<Option<Foreign>>,
}

/// Columns of an owner.
const OWNER: usize = 10;

/// Headings; what to do and what is wrong stand behind them.
pub(super) const HEADINGS: [&str; 10] = [
    "ADVICE", "JOBS", "OLDEST", "USERS", "EXAMPLE", "CLUSTERS", "NEWEST", "TREND", "AT_FAULT",
    "ENDS_BY",
];

/// The heading of that.
pub(super) const WHAT: &str = "WHAT TO DO (WHAT IS WRONG)";

/// An incident in a table.
pub(super) struct Row {
    /// Below the headings.
    pub(super) cells: [String; HEADINGS.len()],
    /// What stands behind them.
    pub(super) what: String,
    pub(super) times: Times,
}

/// How many seconds ago something of an incident was.
#[derive(Clone, Copy)]
pub(super) struct Times {
    /// Its first hold, and its last.
    pub(super) held: [i64; 2],
    /// The last job that got through where these are held.
    pub(super) passed: Option<i64>,
}

/// As many of them as stand above cards.
const SHORT: usize = 5;

/// Lines that say what is wrong there.
const LINES: usize = 2;

impl Incidents {
    pub(super) fn add(&mut self, advice: &Advice) {
        let held = &advice.held;
        self.jobs += 1;
        add(&mut self.owners, &held.owner);
        let incident = self.of.entry(key(advice)).or_insert_with(|| Incident {
            first: advice.clone(),
            differ: false,
            owners: BTreeSet::new(),
            clusters: BTreeSet::new(),
            holds: Vec::new(),
            passed: None,
        });
        add(&mut incident.owners, &held.owner);
        match incident.owners.len() {
            1 => incident.differ |= !alike(&incident.first, advice),
            // Names of files that one of several owners has are nobody else's to read.
            _ => incident.share(advice),
        }
        incident.clusters.insert(held.job.cluster);
        let passed = passed(advice);
        incident.holds.push((held.held_since, passed.map_or(0, |(_, jobs)| jobs)));
        incident.passed = passed.map(|(ago, _)| ago).into_iter().chain(incident.passed).min();
    }

    /// Those that hold most jobs, so many at most: what can be done at once first.
    fn most(&self, rows: Option<usize>) -> Vec<(&Key, &Incident)> {
        let mut all: Vec<(&Key, &Incident)> = self.of.iter().collect();
        all.sort_by_key(|(_, incident)| std::cmp::Reverse(incident.holds.len()));
        all.truncate(rows.unwrap_or(usize::MAX));
        // Those of one recommendation stay in that order.
        all.sort_by_key(|(key, _)| key.recommendation.rank());
        all
    }

    /// A job of each row of the table.
    pub(super) fn firsts(&self, rows: usize) -> Vec<JobId> {
        self.most(Some(rows)).iter().map(|(_, incident)| incident.first.held.job).collect()
    }

    /// How many jobs there are, and a table of at most so many rows.
    pub(super) fn text(&self, rows: Option<usize>, page: &Page) -> String {
        let columns = if rows.is_some() { SHORT } else { HEADINGS.len() };
        let (shown, more) = self.rows(rows, page);
        let cells = shown.iter().map(|row| &row.cells[..columns]);
        let mut table =
            lines(&HEADINGS[..columns], cells, 1, |index| matches!(index, 1 | 2 | 5 | 6));
        let what = shown.iter().map(|row| row.what.as_str());
        match rows {
            Some(_) => behind(&mut table, what, page.style.columns),
            None => below(&mut table, what, page.style.columns),
        }
        let more = more.map_or_else(String::new, |more| more + "\n");
        format!("{}\n\n{}\n{more}", self.counts(), table.join("\n"))
    }

    /// All of them, for programs.
    pub(super) fn records(&self, now: i64) -> Vec<Versioned<Record<'_>>> {
        let of = |(key, incident): (&'_ Key, &'_ Incident)| {
            let first = &incident.first;
            let fault = first.diagnosis.at_fault.first();
            let [(first_held, _), (last_held, passed_since)] = incident.first_and_last();
            let alone = (incident.owners.len() == 1).then_some(first.held.owner.as_ref());
            Versioned::of(Record {
                recommendation: key.recommendation,
                what: incident.what(),
                at_fault: fault.map(|one| one.fault),
                ends: first.diagnosis.ends,
                jobs: incident.holds.len(),
                users: incident.owners.len(),
                owner: alone.flatten().map(Foreign::value),
                clusters: incident.clusters.iter().copied().collect(),
                first_held,
                last_held,
                trend: incident.trend(now),
                passed_since,
                job: first.held.job.to_string(),
                catalogue_entry: key.entry,
            })
        };
        self.most(None).into_iter().map(of).collect()
    }

    /// How many jobs, users and incidents there are.
    pub(super) fn counts(&self) -> String {
        let (jobs, users) = (plural(self.jobs, "held job"), plural(self.owners.len(), "user"));
        format!("{jobs} of {users}, {}.", plural(self.of.len(), "incident"))
    }

    /// At most so many incidents, and what is said of the others.
    pub(super) fn rows(&self, rows: Option<usize>, page: &Page) -> (Vec<Row>, Option<String>) {
        let shown = self.most(rows);
        let jobs =
            self.jobs - shown.iter().map(|(_, incident)| incident.holds.len()).sum::<usize>();
        let more = (jobs > 0).then(|| {
            let more = plural(self.of.len() - shown.len(), "more incident");
            format!("{more} of {}: -incidents prints all.", plural(jobs, "job"))
        });
        let row = |(key, incident): (&Key, &Incident)| Row {
            cells: incident.cells(key, page),
            what: incident.what(),
            times: Times {
                held: incident.first_and_last().map(|(at, _)| page.now.saturating_sub(at)),
                passed: incident.passed,
            },
        };
        (shown.into_iter().map(row).collect(), more)
    }
}

/// Adds an owner, who mostly is there already.
fn add(owners: &mut BTreeSet<Option<Foreign>>, owner: &Option<Foreign>) {
    if !owners.contains(owner) {
        owners.insert(owner.clone());
    }
}

/// What to do and what is wrong behind each row, as much as fits.
fn behind<'a>(table: &mut [String], what: impl Iterator<Item = &'a str>, columns: Option<usize>) {
    let width = table.iter().map(|line| line.width()).max().unwrap_or(0);
    let what = std::iter::once(WHAT).chain(what);
    for (line, what) in table.iter_mut().zip(what) {
        let blanks = width - line.width() + 1;
        let text = wrap(&format!("{line}{:blanks$}", ""), width + 1, what, columns);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let more = lines.len() > LINES;
        lines.truncate(LINES);
        if let (true, Some(columns), Some(last)) = (more, columns, lines.last_mut()) {
            *last = cut(&format!("{last} ..."), columns);
        }
        *line = lines.join("\n");
    }
}

/// All of it below each row.
fn below<'a>(table: &mut [String], what: impl Iterator<Item = &'a str>, columns: Option<usize>) {
    for (line, what) in table.iter_mut().skip(1).zip(what) {
        let what = wrap("    ", 4, what, columns);
        *line = format!("{line}\n{}", what.trim_end());
    }
}

/// Whether two jobs are to be corrected in the same thing.
fn alike(one: &Advice, other: &Advice) -> bool {
    what(one).and_then(ChangeKind::name) == what(other).and_then(ChangeKind::name)
}

/// What an advice is to change.
fn what(advice: &Advice) -> Option<&ChangeKind> {
    advice.change.as_ref().map(|change| &change.what)
}

impl Incident {
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
        self.differ = false;
        if first.held.reading != other.held.reading {
            let reading = first.held.reading.take().zip(other.held.reading.as_ref());
            first.held.reading = reading.and_then(|(one, other)| one.join(other));
        }
        if what(first) != what(other) {
            let change = first.change.take().zip(other.change.as_ref());
            first.change = change.and_then(|(mut one, other)| {
                one.what = one.what.join(&other.what)?;
                Some(one)
            });
        }
        first.correct_before.clear();
    }

    fn cells(&self, key: &Key, page: &Page) -> [String; HEADINGS.len()] {
        let fault = self.first.diagnosis.at_fault.first();
        let [first, last] =
            self.first_and_last().map(|(at, _)| length(page.now.saturating_sub(at)));
        let names = self.owners.iter().flatten().take(2).map(|owner| owner.named(OWNER));
        let names = names.collect::<Vec<_>>().join(", ");
        let users = match self.owners.len() {
            1 if !names.is_empty() => cut(&names, OWNER),
            2 if names.width() <= OWNER => names,
            users => plural(users, "user"),
        };
        [
            key.recommendation.name().to_owned(),
            self.holds.len().to_string(),
            first,
            users,
            self.first.held.job.to_string(),
            self.clusters.len().to_string(),
            last,
            self.trend(page.now).map_or_else(|| "-".to_owned(), |trend| trend.to_string()),
            fault.map_or_else(|| "?".to_owned(), |one| one.fault.to_string()),
            self.first.diagnosis.ends.map_or_else(|| "?".to_owned(), |ends| ends.to_string()),
        ]
    }

    /// The first and the last of its holds.
    fn first_and_last(&self) -> [(i64, i64); 2] {
        let holds = self.holds.iter().copied();
        [holds.clone().min(), holds.max()].map(Option::unwrap_or_default)
    }

    fn trend(&self, now: i64) -> Option<Trend> {
        let [(first, _), (_, passed)] = self.first_and_last();
        let since = now.saturating_sub(first);
        if passed > 0 {
            return Some(Trend::Over);
        }
        let lately = self.holds.iter().filter(|(at, _)| now.saturating_sub(*at) < since / 3);
        (self.holds.len() >= FEWEST && since >= SHORTEST).then(|| match lately.count() {
            0 => Trend::Quiet,
            some if 2 * some > self.holds.len() => Trend::Growing,
            _ => Trend::Steady,
        })
    }

    /// What to do, and what is wrong.
    fn what(&self) -> String {
        let cause = sentences::cause(&self.first);
        let cause = cause.trim_end_matches('.');
        let text = match sentences::to_do(&self.first).as_str() {
            "-" => cause.to_owned(),
            to_do if self.differ => format!("{to_do}, each job its own ({cause})"),
            to_do => format!("{to_do} ({cause})"),
        };
        printable(&text).into_owned()
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
pub(super) fn shows_passing(near: &Near, recommendation: Recommendation) -> bool {
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
mod tests {
    use super::*;
    use crate::print::samples::{self, NOW};

    #[test]
    fn a_trend_is_of_when_holds_began_and_of_who_got_through_since() {
        let trend = |ago: &[i64], passed: Option<(i64, i64)>| {
            let mut incidents = Incidents::default();
            for (proc, ago) in (0..).zip(ago) {
                let mut advice = samples::transfer(7, proc);
                advice.held.held_since = NOW - ago;
                advice.evidence.truncate(1);
                let Evidence::BeganSince { seconds_since_last, held_again: again, .. } =
                    &mut advice.evidence[0]
                else {
                    panic!()
                };
                match passed.filter(|(last, _)| last < ago) {
                    Some((last, held)) => {
                        (*seconds_since_last, *again) = (Some(last.into()), held.into());
                    }
                    None => advice.evidence.clear(),
                }
                incidents.add(&advice);
            }
            incidents.of.values().next().and_then(|incident| incident.trend(NOW))
        };
        assert_eq!(trend(&[900, 100, 10], None), Some(Trend::Growing));
        assert_eq!(trend(&[900, 500, 10], None), Some(Trend::Steady));
        assert_eq!(trend(&[900, 500, 400], None), Some(Trend::Quiet));
        assert_eq!(trend(&[900, 10], None), None);
        assert_eq!(trend(&[30, 20, 10], None), None);
        assert_eq!(trend(&[900, 200], Some((100, 0))), Some(Trend::Over));
        assert_eq!(trend(&[900, 500, 10], Some((100, 0))), Some(Trend::Steady));
        assert_eq!(trend(&[900, 200, 150], Some((100, 2))), Some(Trend::Growing));
    }
}
