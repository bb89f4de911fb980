//! One pass: held jobs are judged, advice is written, jobs are let go, and what became of earlier
//! ones is noted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use eventlog::JobId;
use holdadvise::acting::{Order, intended_acts, open_acts};
use holdadvise::inquiry::{Config, SettingError, open_model};
use holdadvise::journal::{DecidedBy, Entry, Journal, JournalError, Kept, Locked};
use holdadvise::model::ModelError;
use holdadvise::shares;

use crate::asking::Asking;
use crate::counts::{Counts, Health};
use crate::groups::{Times, writes};
use crate::judge::{ACTS, ASKED, CUT, GONE, HISTORY, JOURNAL, SECTION, projection};
use crate::learn::asked::keep;
use crate::line::{Judged, Line};
use crate::looks::stopped;
use crate::period::{Period, schedd};
use crate::process::{End, Feed, ProcessError, Said, ask_judge};
use crate::releases::{decide, lines as lines_of, settled};
use crate::select::among;
use crate::settings::Settings;
use crate::write::write;

/// Jobs named to a tool at once.
const JOBS: usize = 500;

/// How long one query of the history may take. Assumed.
const HISTORY_TIME: Duration = Duration::from_secs(30);

/// How much longer than it may the judge is waited for. Assumed: what it judges at a time takes less.
const GRACE: Duration = Duration::from_secs(5);

/// Why a pass failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PassError {
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The journal cannot be used.
    #[error("{0}; HOLDADVISE_STATE_DIR names the folder of the advisor")]
    Journal(#[from] JournalError),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The judge said nothing.
    #[error(transparent)]
    Judge(#[from] ProcessError),
    /// Too many queries were not answered.
    #[error(
        "{lost} queries were not answered, and each costs the schedd a process \
         (SCHEDD_QUERY_WORKERS): the next one is asked in {left} s"
    )]
    Pause {
        /// Queries.
        lost: u32,
        /// Seconds.
        left: i64,
    },
}

/// What came of a pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was made: its counts, what went wrong, a line each, and lines for the log.
    Made(Box<Counts>, Vec<String>, Vec<String>),
    /// Another advisor is at work.
    Busy,
}

/// Makes a pass.
///
/// # Errors
/// [`PassError`]: nothing was written then.
pub fn pass(config: &Config, now: i64, debug: bool) -> Result<Outcome, PassError> {
    let begun = Instant::now();
    let (mut settings, mut faults) = Settings::of(config)?;
    let until = Until {
        reading: begun + settings.reading(),
        judging: begun + settings.judging() + GRACE,
        all: begun + Duration::from_secs(settings.seconds),
    };
    let journal = Journal::open(&settings.journal())?;
    let Some(locked) = journal.try_lock()? else { return Ok(Outcome::Busy) };
    let mut asking = Asking::open(&settings, now);
    let period = Period { configured: settings.interval, observed: asking.begin(schedd()) };
    settings.interval = period.longest();
    let model = open_model::<PassError>(None, config)?.metadata.identity();
    let kept = read(&journal, now)?;
    faults.extend(kept.problems.iter().map(|problem| format!("journal: {problem}")));
    let mut entries = kept.entries;

    let acts = acts(&entries, now);
    if let Some((left, lost)) = asking.pause() {
        return Err(PassError::Pause { lost, left });
    }
    let said = judge(&mut asking, &acts, until, debug);
    let is_whole = |said: &Said| said.lines.iter().any(|line| matches!(line, Line::Done { .. }));
    asking.keep(said.as_ref().is_ok_and(is_whole));
    let Said { lines, dropped, memory } = said?;
    faults.append(&mut asking.faults);
    let mut notes = Vec::new();
    let (judged, seen, counted) = judged_of(&lines, &mut notes);
    faults.extend(left_out(&asking, &judged, &counted));
    faults.append(&mut notes);
    let missing: Vec<String> = lines.iter().filter_map(note_of).collect();

    let new = settled(&entries, &lines, now);
    let mut log = lines_of(&new, &entries);
    let went = log.len();
    locked.add(&new)?;
    entries.extend(new);
    let order = Order {
        schedd: &settings.schedd(),
        journal: &locked,
        by: DecidedBy::Advisor,
        model: &model,
        condor_version: config.pool().get("CONDOR_VERSION").map(String::as_str),
        now,
    };
    let mut decision = decide(&judged, &missing, &entries, &settings, &order);
    // What is not in the journal is not done.
    if let Err(error) = note(&locked, &decision.entries, now) {
        faults.push(format!("{error}; nothing is let go"));
        decision.may_go.clear();
    }
    let times = Times { now, interval: settings.interval };
    let writes = writes(&judged, &decision, &model, times);
    let written = write(&writes, order.schedd, until.all);
    faults.extend(written.faults);
    faults.extend(keep(&settings, &lines, now).unwrap_or_else(|error| Some(error.to_string())));
    let took = begun.elapsed().as_secs_f64();
    faults.extend(period.fault(took));
    faults.extend(config.refused());
    faults.extend(config.old_names());
    let mut counts = Counts {
        may_go: decision.may_go.len(),
        went,
        left_to_people: decision.left_to_people,
        over_bounds: decision.over_bounds,
        left_over: seen.saturating_sub(judged.len()) + written.left,
        dropped,
        writes: written.calls,
        written: written.jobs,
        seconds: took,
        period: period.observed,
        memory: memory >> 10,
        at: now,
        health: Health {
            problem: faults.first().cloned(),
            last_good: asking.last_good(),
            left_out: asking.left_out(),
        },
        ..Counts::default()
    };
    for job in &judged {
        *counts.advised.entry(job.advice).or_default() += 1;
    }
    log.extend(counts.line(&faults));
    log.extend(stopped(&settings.looks, now, settings.interval).filter(|_| !judged.is_empty()));
    Ok(Outcome::Made(Box::new(counts), faults, log))
}

/// When the parts of a pass end: what was judged is written whatever the others took.
#[derive(Clone, Copy, Debug)]
struct Until {
    reading: Instant,
    judging: Instant,
    all: Instant,
}

/// What the judge says of all jobs; where it fails on them, what one for each owner says.
fn judge(
    asking: &mut Asking,
    acts: &[JobId],
    until: Until,
    debug: bool,
) -> Result<Said, ProcessError> {
    if !asking.is_alone() {
        let feed = |feed: &mut Feed| feed_judge(feed, asking, acts, until);
        match ask_judge("-judge", until.judging, debug, feed) {
            Err(error) if error.is_of_judge() => {
                asking.faults.push(format!("{error}; it is asked owner by owner"));
                asking.judge_failed();
            }
            said => return said,
        }
    }
    // Where it fails without any jobs, no owner is the cause.
    let mut all = ask_judge("-judge", until.judging, debug, |_| Ok(()))?;
    asking.count_owners(acts, until.reading)?;
    for owner in asking.in_order() {
        if Instant::now() >= until.reading {
            return Ok(all);
        }
        let feed = |feed: &mut Feed| asking.one(feed, &owner, acts, until.reading).map(drop);
        let said = ask_judge("-judge", until.judging, debug, feed);
        let failed = said.as_ref().is_err_and(ProcessError::is_of_judge);
        asking.judge_of(&owner, failed);
        if !failed {
            all.add(said?);
        }
    }
    asking.all_had_one();
    Ok(all)
}

/// Who is left out, and with how many held jobs.
fn left_out(asking: &Asking, judged: &[Judged], counted: &BTreeMap<String, u64>) -> Option<String> {
    let mut of_owner: BTreeMap<String, u64> = BTreeMap::new();
    for job in judged {
        *of_owner.entry(job.owner.clone()).or_default() += 1;
    }
    let counts = asking.not_judged(counted, &of_owner);
    let owners = counts.iter().map(|(owner, count)| (owner.as_str(), *count));
    Some(format!("held jobs left out in this pass: {}", shares::left_out(owners)?))
}

fn read(journal: &Journal, now: i64) -> Result<Kept, JournalError> {
    let path = journal.folder().to_owned();
    Kept::since(&path, now - JOURNAL).map_err(|source| JournalError::Io {
        path,
        doing: "read",
        source,
    })
}

fn note(journal: &Locked<'_>, entries: &[Entry], now: i64) -> Result<(), JournalError> {
    journal.reserve(1 << 10, now)?;
    journal.add(entries)
}

/// Jobs whose acts have not ended.
fn acts(entries: &[Entry], now: i64) -> Vec<JobId> {
    let open = open_acts(entries).into_iter().chain(intended_acts(entries));
    let recent = open.filter(|act| now.saturating_sub(act.at) < ASKED);
    let jobs: BTreeSet<JobId> = recent.map(|act| act.hold.job).collect();
    jobs.into_iter().collect()
}

/// The jobs judged, how many were seen, and how many the judge left out by owner; what it could not
/// read is said.
fn judged_of(
    lines: &[Line],
    faults: &mut Vec<String>,
) -> (Vec<Judged>, usize, BTreeMap<String, u64>) {
    let (mut judged, mut all) = (Vec::new(), None);
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for line in lines {
        match line {
            // A job has one line.
            Line::Job(job) if known.insert(job.job) => judged.push(job.clone()),
            Line::LeftOut { owner, jobs } => *counted.entry(owner.clone()).or_default() += jobs,
            Line::Note(text) if !faults.contains(text) => faults.push(text.clone()),
            Line::Done { seen, .. } => all = Some(all.unwrap_or(0) + seen),
            _ => {}
        }
    }
    if all.is_none() {
        faults.push("the judge did not come to its end".to_owned());
    }
    let seen = all.unwrap_or(judged.len());
    (judged, seen, counted)
}

fn note_of(line: &Line) -> Option<String> {
    match line {
        Line::Note(text) => Some(text.clone()),
        _ => None,
    }
}

fn feed_judge(
    feed: &mut Feed,
    asking: &mut Asking,
    acts: &[JobId],
    until: Until,
) -> Result<(), ProcessError> {
    asking.held(feed, acts, until.reading)?;
    if asking.is_by_owner() {
        return Ok(());
    }
    let others = asking.others();
    feed.section(SECTION, ACTS)?;
    for some in acts.chunks(JOBS) {
        let named = among(some.iter().copied());
        asking.ads(feed, &format!("{named} && {others}"))?;
        let there = ids_of(&asking.words(&named, &["ClusterId", "ProcId"], until.all)?);
        let gone: Vec<JobId> = some.iter().copied().filter(|job| !there.contains(job)).collect();
        if gone.is_empty() {
            continue;
        }
        let most = gone.len().to_string();
        let list = projection().list();
        let words = ["-long", "-attributes", &list, "-limit", &most, "-scanlimit", HISTORY]
            .map(str::to_owned);
        let history: Vec<String> =
            words.into_iter().chain(gone.iter().map(ToString::to_string)).collect();
        // What was read until it ended counts.
        feed.section(SECTION, GONE)?;
        let ran = feed.run("condor_history", &strs(&history), HISTORY_TIME);
        if !matches!(ran, Ok(End::Whole)) {
            feed.section(SECTION, CUT)?;
            let why = ran.map_or_else(|error| error.to_string(), |_| "its time was up".to_owned());
            asking.faults.push(format!("condor_history, for outcomes of releases: {why}"));
        }
    }
    Ok(())
}

/// What the ad of the schedd says where a pass failed.
pub fn health_of(config: &Config, error: &PassError, now: i64) -> Health {
    let asking = Settings::of(config).map(|(settings, _)| Asking::open(&settings, now)).ok();
    Health {
        problem: Some(error.to_string()),
        last_good: asking.as_ref().and_then(Asking::last_good),
        left_out: asking.map(|asking| asking.left_out()).unwrap_or_default(),
    }
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// `7 0` a line.
fn ids_of(text: &str) -> BTreeSet<JobId> {
    let id = |line: &str| {
        let (cluster, proc) = line.trim().split_once(' ')?;
        Some(JobId::new(cluster.parse().ok()?, proc.trim().parse().ok()?))
    };
    text.lines().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_are_ids() {
        let ids = ids_of("7 0\n7 1\nx 1\n7\n7 undefined\n");
        assert_eq!(ids, BTreeSet::from([JobId::new(7, 0), JobId::new(7, 1)]));
    }
}
