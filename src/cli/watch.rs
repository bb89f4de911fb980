//! `-watch`: looks again and again, and prints what changed.
//!
//! Of each held job a few bytes are kept ([`Stand`]).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use super::RunError;
use super::output::say;
use super::request::Asked;
use super::run::{NOTHING_JUDGED, tell};
use crate::advice::Advice;
use crate::advice::news::{END_ATTRIBUTES, End, News, Stand};
use crate::inquiry::{Config, InquiryError, Remarks};
use crate::print::{self, Changes, Page, PrintForm, Printer, wrap};
use crate::queue::{AdText, JobSpec, QueueError, Schedd, Selection, end_well_at_interrupt};
use crate::sentences;
use crate::sentences::times::second;
use eventlog::JobId;
use eventlog::fnv1a;
use jiff::Timestamp;

/// Jobs of a look of which is asked how their holds ended.
const ENDS: usize = 1_000;

/// Jobs that are looked for in the queue, where a constraint is no longer true for them.
const RELEASED: usize = 100;

/// Words that name jobs and are said again, at most.
const NAMED: usize = 5;

/// Warnings that are remembered, to say each once.
const WARNINGS: usize = 10_000;

/// The longest time between two looks at a schedd that does not answer, as each may cost it a
/// process. Assumed.
const LONGEST: Duration = Duration::from_secs(3_600);

/// Prints the advice, then what changes, until none of the jobs is in the queue.
pub(super) fn watch(
    asked: &Asked,
    config: &Config,
    every: Duration,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    end_well_at_interrupt();
    let mut watch = Watch {
        asked,
        config,
        schedd: asked.inquiry.schedd(config)?,
        known: BTreeMap::new(),
        released: BTreeSet::new(),
        said: HashSet::new(),
        look: 0,
    };
    let mut is_over = watch.first(out)?;
    if !is_over && std::io::stderr().is_terminal() {
        out.flush()?;
        say("Note", &waits(&asked.inquiry.selection, every));
    }
    let mut failures = 0;
    let mut took = Duration::ZERO;
    while !is_over {
        out.flush()?;
        // The schedd has as much time for others.
        std::thread::sleep(pause(every, failures).max(took));
        let begun = Instant::now();
        match watch.again(out) {
            Ok(over) => {
                is_over = over;
                if failures > 0 {
                    say("Note", sentences::ANSWERS_AGAIN);
                }
                failures = 0;
            }
            Err(error) => failed(error, &mut failures)?,
        }
        took = begun.elapsed();
    }
    watch.end(out)
}

/// What is waited for, and how often the queue is asked.
fn waits(selection: &Selection, every: Duration) -> String {
    let jobs = selection.jobs.as_slice();
    let named = jobs.iter().take(NAMED).map(|spec| match spec {
        JobSpec::Job(job) => format!("job {job}"),
        JobSpec::Cluster(cluster) => format!("cluster {cluster}"),
        JobSpec::Owner(_) => format!("jobs of {spec}"),
    });
    let more = jobs.len().checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("{more} more"));
    let whose = match (jobs, selection.all_users) {
        ([], true) => "jobs of all users".to_owned(),
        ([], false) => "your jobs".to_owned(),
        _ => named.chain(more).collect::<Vec<_>>().join(", "),
    };
    let only = if selection.constraint.is_some() { " for which -constraint is true" } else { "" };
    let every = every.as_secs();
    format!(
        "waiting for changes of {whose}{only}; the queue is asked every {every} s, Ctrl-C ends it"
    )
}

/// Says once what went wrong. Whoever does not read, or sets something wrong, is not waited for.
fn failed(error: RunError, failures: &mut u32) -> Result<(), RunError> {
    match error {
        RunError::Inquiry(InquiryError::Queue(error)) => {
            if *failures == 0 {
                say("Warning", &sentences::asks_again(&error));
            }
            // Nothing is lost where it failed at once.
            let late = matches!(error, QueueError::TimedOut { .. });
            *failures = if late { failures.saturating_add(1) } else { 1 };
            Ok(())
        }
        error => Err(error),
    }
}

/// Twice as long after each look that was not answered in time.
fn pause(every: Duration, failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(12);
    (every * (1 << doublings)).min(LONGEST.max(every))
}

/// What is kept from look to look.
struct Watch<'a> {
    asked: &'a Asked,
    config: &'a Config,
    schedd: Schedd,
    known: BTreeMap<JobId, Stand>,
    /// The last of those whose hold is over and that were in the queue then.
    released: BTreeSet<JobId>,
    /// Hashes of warnings that were said.
    said: HashSet<u64>,
    look: u64,
}

impl Watch<'_> {
    /// What a call without `-watch` prints; whether there is nothing to watch.
    fn first(&mut self, out: &mut dyn Write) -> Result<bool, RunError> {
        let now = Timestamp::now().as_second();
        let (asked, look) = (self.asked, self.look);
        let page = self.page(now);
        let as_json = self.prints_json();
        let known = &mut self.known;
        if as_json {
            let mut take = |advice: &Advice, _: Option<&AdText>| {
                known.insert(advice.held.job, Stand::of(advice, look));
                print::json_watched(out, advice, &page, News::Found)
            };
            let answer = asked.inquiry.ask(self.config, now, &mut take)?;
            self.say_first(&answer.remarks);
        } else {
            let mut printer = Printer::new(out, &asked.printing.output, &page);
            let mut take = |advice: &Advice, job: Option<&AdText>| {
                known.insert(advice.held.job, Stand::of(advice, look));
                printer.add(advice, job)
            };
            let answer = asked.inquiry.ask(self.config, now, &mut take)?;
            self.say_first(&answer.remarks);
            if printer.count() > 0 || asked.inquiry.selection.jobs.is_empty() {
                let unknown = printer.finish("No held jobs.")?;
                unknown.iter().for_each(|line| say("Note", line));
            }
        }
        let is_over = self.is_over()?;
        if is_over && !asked.inquiry.selection.jobs.is_empty() {
            return Err(RunError::failed(NOTHING_JUDGED));
        }
        Ok(is_over)
    }

    fn say_first(&mut self, remarks: &Remarks) {
        tell(remarks);
        self.said.extend(remarks.faults.iter().map(|line| fnv1a(line.as_bytes())));
    }

    /// Looks again, and prints what changed; whether there is nothing left to watch.
    fn again(&mut self, out: &mut dyn Write) -> Result<bool, RunError> {
        self.look += 1;
        let now = Timestamp::now().as_second();
        let page = self.page(now);
        let as_json = self.prints_json();
        let (known, look) = (&mut self.known, self.look);
        let mut changes = Changes::default();
        let mut take = |advice: &Advice, _: Option<&AdText>| {
            let job = advice.held.job;
            let stand = Stand::of(advice, look);
            match stand.news(known.get(&job)) {
                Some(news) if as_json => print::json_watched(out, advice, &page, news)?,
                Some(news) => changes.add(advice, news),
                None => {}
            }
            known.insert(job, stand);
            Ok(())
        };
        let answer = self.asked.inquiry.ask(self.config, now, &mut take);
        // What was kept is not news at the next look.
        changes.print(out, &page)?;
        for line in answer?.remarks.faults {
            if self.said.len() < WARNINGS && self.said.insert(fnv1a(line.as_bytes())) {
                say("Warning", &line);
            }
        }
        self.ends(out, &page)?;
        self.is_over()
    }

    /// Prints how holds ended that the last look did not find.
    fn ends(&mut self, out: &mut dyn Write, page: &Page) -> Result<(), RunError> {
        let over = self.known.iter().filter(|(_, stand)| stand.look != self.look);
        let over: Vec<JobId> = over.map(|(job, _)| *job).collect();
        for some in over.chunks(ENDS) {
            let ads = self.schedd.any_ads(some, END_ATTRIBUTES)?;
            let mut lines: BTreeMap<(i32, End), (JobId, usize)> = BTreeMap::new();
            for job in some {
                let end = End::of(ads.get(job));
                let stand = self.known.remove(job);
                if matches!(end, End::Released(_)) {
                    self.released.insert(*job);
                }
                if let Some(stand) = stand.filter(|_| self.prints_json()) {
                    print::json_end_of_hold(out, *job, stand.recommendation, end, page.now)?;
                } else {
                    lines.entry((job.cluster, end)).or_insert((*job, 0)).1 += 1;
                }
            }
            let begins = format!("{} ", second(page.now, &page.zone));
            for ((_, end), (first, count)) in lines {
                let text = sentences::end_of_hold(first, count, end);
                out.write_all(wrap(&begins, 4, &text, page.style.columns).as_bytes())?;
            }
        }
        while self.released.len() > RELEASED {
            self.released.pop_first();
        }
        Ok(())
    }

    /// None of the jobs is in the queue.
    fn is_over(&self) -> Result<bool, RunError> {
        if !self.known.is_empty() {
            return Ok(false);
        }
        let released: Vec<JobId> = self.released.iter().copied().collect();
        Ok(!self.schedd.has_any(&self.asked.inquiry.selection, &released)?)
    }

    fn end(&self, out: &mut dyn Write) -> Result<(), RunError> {
        if !self.prints_json() {
            let page = self.page(Timestamp::now().as_second());
            writeln!(out, "{} {}", second(page.now, &page.zone), sentences::NONE_LEFT)?;
        }
        Ok(())
    }

    fn prints_json(&self) -> bool {
        matches!(self.asked.printing.output, PrintForm::Json | PrintForm::JsonLines)
    }

    fn page(&self, now: i64) -> Page {
        Page::here(self.asked.printing.style, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waited_for_is_named() {
        let said = |words: &str, all_users, constraint: Option<&str>| {
            let jobs = words.split_whitespace().flat_map(JobSpec::list).collect();
            let constraint = constraint.map(str::to_owned);
            let selection = Selection { jobs, all_users, constraint, ..Selection::default() };
            waits(&selection, Duration::from_secs(60))
        };
        let end = "; the queue is asked every 60 s, Ctrl-C ends it";
        assert_eq!(said("", false, None), format!("waiting for changes of your jobs{end}"));
        assert_eq!(
            said("", true, Some("true")),
            format!("waiting for changes of jobs of all users for which -constraint is true{end}")
        );
        assert_eq!(
            said("7 8.1 bob 1 2 3 4", false, None),
            format!(
                "waiting for changes of cluster 7, job 8.1, jobs of bob, cluster 1, cluster 2, 2 more{end}"
            )
        );
    }

    #[test]
    fn a_schedd_that_is_late_is_asked_ever_less_often() {
        let late = || RunError::from(QueueError::TimedOut { tool: "condor_q", after: LONGEST });
        let mut failures = 0;
        let mut pauses = vec![];
        for _ in 0..8 {
            failed(late(), &mut failures).unwrap();
            pauses.push(pause(Duration::from_secs(60), failures).as_secs());
        }
        assert_eq!(pauses, [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        let away = QueueError::Failed { tool: "condor_q", said: "no schedd".to_owned() };
        failed(away.into(), &mut failures).unwrap();
        assert_eq!(pause(Duration::from_secs(60), failures).as_secs(), 60);
        assert_eq!(pause(Duration::from_secs(86_400), 9).as_secs(), 86_400);
        assert!(failed(RunError::failed("no journal"), &mut failures).is_err());
    }
}
