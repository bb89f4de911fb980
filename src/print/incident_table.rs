//! The table of incidents, a row each.

use schemars::JsonSchema;
use serde::Serialize;
use strum::Display;
use unicode_width::UnicodeWidthStr;

use super::incidents::{Incident, Incidents, Key};
use super::plain_table::lines;
use super::wrap::{cut, wrap};
use super::{Page, Versioned};
use crate::advice::Recommendation;
use crate::catalogue::{Ends, Fault};
use crate::sentences;
use crate::sentences::times::length;
use crate::text::{Foreign, plural, printable};

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

/// How many jobs there are, and a table of at most so many rows.
pub(super) fn text(incidents: &Incidents, most: Option<usize>, page: &Page) -> String {
    let columns = if most.is_some() { SHORT } else { HEADINGS.len() };
    let (shown, more) = rows(incidents, most, page);
    let cells = shown.iter().map(|row| &row.cells[..columns]);
    let mut table = lines(&HEADINGS[..columns], cells, 1, |index| matches!(index, 1 | 2 | 5 | 6));
    let what = shown.iter().map(|row| row.what.as_str());
    let first = match most {
        Some(_) => {
            behind(&mut table, what, page.style.columns);
            match incidents.owners.len() {
                1 => "Start with the first row; below the table is what to do for it.\n",
                _ => {
                    "For the jobs of one user alone: condor_holdadvise USER. For all of them start\n\
                     with the first row; below the table is what to do for it.\n"
                }
            }
        }
        None => {
            below(&mut table, what, page.style.columns);
            ""
        }
    };
    let more = more.map_or_else(String::new, |more| more + "\n");
    format!("{}\n{first}\n{}\n{more}", incidents.counts(), table.join("\n"))
}

/// All of them, for programs.
pub(super) fn records(incidents: &Incidents, now: i64) -> Vec<Versioned<Record<'_>>> {
    let of = |(key, incident): (&'_ Key, &'_ Incident)| {
        let first = &incident.first;
        let fault = first.diagnosis.at_fault.first();
        let [(first_held, _), (last_held, passed_since)] = incident.first_and_last();
        let alone = (incident.owners.len() == 1).then_some(first.held.owner.as_ref());
        Versioned::of(Record {
            recommendation: key.recommendation,
            what: what(incident),
            at_fault: fault.map(|one| one.fault),
            ends: first.diagnosis.ends,
            jobs: incident.holds.len(),
            users: incident.owners.len(),
            owner: alone.flatten().map(Foreign::value),
            clusters: incident.clusters.iter().copied().collect(),
            first_held,
            last_held,
            trend: trend(incident, now),
            passed_since,
            job: first.held.job.to_string(),
            catalogue_entry: key.entry,
        })
    };
    incidents.most(usize::MAX).into_iter().map(of).collect()
}

/// At most so many incidents, and what is said of the others.
pub(super) fn rows(
    incidents: &Incidents,
    most: Option<usize>,
    page: &Page,
) -> (Vec<Row>, Option<String>) {
    let shown = incidents.most(most.unwrap_or(usize::MAX));
    let jobs =
        incidents.jobs - shown.iter().map(|(_, incident)| incident.holds.len()).sum::<usize>();
    let more = (jobs > 0).then(|| {
        let more = plural(incidents.len() - shown.len(), "more incident");
        format!("{more} of {}: -incidents prints all.", plural(jobs, "job"))
    });
    let row = |(_, incident): (&Key, &Incident)| Row {
        cells: cells(incident, page),
        what: what(incident),
        times: Times {
            held: incident.first_and_last().map(|(at, _)| page.now.saturating_sub(at)),
            passed: incident.passed,
        },
    };
    (shown.into_iter().map(row).collect(), more)
}

/// What to do and what is wrong behind each row, as much as fits.
fn behind<'a>(table: &mut [String], what: impl Iterator<Item = &'a str>, columns: Option<usize>) {
    let width = table.iter().map(|line| line.width()).max().unwrap_or(0);
    for (line, what) in table.iter_mut().zip(std::iter::once(WHAT).chain(what)) {
        let first = format!("{line}{:blanks$}", "", blanks = width - line.width() + 1);
        let text = wrap(&first, width + 1, what, columns);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let more = lines.len() > LINES;
        lines.truncate(LINES);
        if let (true, Some(columns), Some(last)) = (more, columns, lines.last_mut()) {
            // At a word.
            while let (true, Some((words, _))) = (last.width() + 4 > columns, last.rsplit_once(' '))
            {
                *last = words.to_owned();
            }
            last.push_str(" ...");
        }
        lines.retain(|line| line.trim() != "...");
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

fn cells(incident: &Incident, page: &Page) -> [String; HEADINGS.len()] {
    let first = &incident.first;
    let fault = first.diagnosis.at_fault.first();
    let [oldest, newest] =
        incident.first_and_last().map(|(at, _)| length(page.now.saturating_sub(at)));
    let names = incident.owners.iter().flatten().take(2).map(|owner| owner.named(OWNER));
    let names = names.collect::<Vec<_>>().join(", ");
    let users = match incident.owners.len() {
        1 if !names.is_empty() => cut(&names, OWNER),
        2 if names.width() <= OWNER => names,
        users => plural(users, "user"),
    };
    [
        first.recommendation.name().to_owned(),
        incident.holds.len().to_string(),
        oldest,
        users,
        first.held.job.to_string(),
        incident.clusters.len().to_string(),
        newest,
        trend(incident, page.now).map_or_else(|| "-".to_owned(), |trend| trend.to_string()),
        fault.map_or_else(|| "?".to_owned(), |one| one.fault.to_string()),
        first.diagnosis.ends.map_or_else(|| "?".to_owned(), |ends| ends.to_string()),
    ]
}

fn trend(incident: &Incident, now: i64) -> Option<Trend> {
    let [(first, _), (_, passed)] = incident.first_and_last();
    let since = now.saturating_sub(first);
    if passed > 0 {
        return Some(Trend::Over);
    }
    let lately = incident.holds.iter().filter(|(at, _)| now.saturating_sub(*at) < since / 3);
    (incident.holds.len() >= FEWEST && since >= SHORTEST).then(|| match lately.count() {
        0 => Trend::Quiet,
        some if 2 * some > incident.holds.len() => Trend::Growing,
        _ => Trend::Steady,
    })
}

/// What to do, and what is wrong.
fn what(incident: &Incident) -> String {
    let cause = sentences::cause(&incident.first);
    let cause = cause.trim_end_matches('.');
    let text = match sentences::to_do(&incident.first).as_str() {
        "-" => cause.to_owned(),
        to_do if incident.names.differ() => format!("{to_do}, each job its own ({cause})"),
        to_do => format!("{to_do} ({cause})"),
    };
    printable(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Evidence;
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
            incidents.most(1).first().and_then(|(_, incident)| trend(incident, NOW))
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
