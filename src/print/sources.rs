//! What a call was judged without, how its logs were read, and which models judged: once for all
//! jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::Page;
use super::sure::trust;
use super::wrap::wrap;
use crate::advice::{Advice, Missing};
use crate::text::{plural, printable};
use eventlog::JobId;

/// Lines on what could not be read that are printed, and notes.
const LINES: usize = 20;

/// Lines that many advices share.
#[derive(Debug, Default)]
pub(super) struct Sources {
    jobs: usize,
    missing: BTreeMap<String, Lacking>,
    notes: BTreeSet<String>,
    trusts: BTreeSet<String>,
}

/// What could not be read, of the same kind.
#[derive(Debug)]
struct Lacking {
    first: Missing,
    /// The first job that lacks it.
    job: JobId,
    /// Jobs that lack it.
    jobs: usize,
    /// The last of them: a job may lack two of a kind.
    last: JobId,
}

impl Sources {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.jobs += 1;
        self.trusts.insert(trust(advice));
        let job = advice.held.job;
        for line in &advice.missing {
            // Job event logs that cannot be read are of one kind for each fault: there may be one
            // for each job.
            let kind = match line {
                Missing::JobLog { fault, .. } => format!("job event log: {fault}"),
                Missing::Source(line) => line.to_string(),
            };
            if let Some(missing) = self.missing.get_mut(&kind) {
                missing.jobs += usize::from(missing.last != job);
                missing.last = job;
            } else if self.missing.len() <= LINES {
                let missing = Lacking { first: line.clone(), job, jobs: 1, last: job };
                self.missing.insert(kind, missing);
            }
        }
        if self.notes.len() <= LINES {
            self.notes.extend(advice.notes.iter().cloned());
        }
    }

    /// What the jobs were judged without, and notes. Whether there is any.
    pub(super) fn print_missing(&self, out: &mut dyn Write, page: &Page) -> io::Result<bool> {
        let lines = self.lines();
        lines.iter().try_for_each(|(label, text)| line(out, page, label, text))?;
        Ok(!lines.is_empty())
    }

    /// The same as labels with their texts.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let more = |label, all: usize| (all > LINES).then(|| (label, MORE.to_owned()));
        let missing = self.missing.values().take(LINES);
        let missing = missing.map(|missing| ("Judged without: ", missing.text(self.jobs)));
        let notes = self.notes.iter().take(LINES).map(|note| ("Note: ", note.clone()));
        missing
            .chain(more("Judged without: ", self.missing.len()))
            .chain(notes)
            .chain(more("Note: ", self.notes.len()))
            .collect()
    }

    /// Sentences on the models that judged.
    pub(super) fn trusts(&self) -> impl Iterator<Item = &String> {
        self.trusts.iter()
    }

    /// How many sources there are that jobs were judged without, and notes.
    pub(super) fn print_short(&self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        let missing = match self.missing.len() {
            0 => String::new(),
            more => {
                let them = if more == 1 { "it" } else { "them" };
                format!(
                    "{} could not be read; the advice allows for that (-why names {them}). ",
                    plural(more, "source")
                )
            }
        };
        let notes = match self.notes.len() {
            0 => String::new(),
            more => format!("{} on how logs were read: see -why.", plural(more, "note")),
        };
        match missing.len() + notes.len() {
            0 => Ok(()),
            _ => line(out, page, "", (missing + &notes).trim_end()),
        }
    }

    /// The models that judged.
    pub(super) fn print_trust(&self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        self.trusts().try_for_each(|text| line(out, page, "Trust: ", text))
    }
}

const MORE: &str = "more; -json lists it for each job";

fn line(out: &mut dyn Write, page: &Page, first: &str, text: &str) -> io::Result<()> {
    out.write_all(wrap(first, 2, &printable(text), page.style.columns).as_bytes())
}

impl Lacking {
    /// The line, with the jobs that it is true of where these are not all.
    fn text(&self, all: usize) -> String {
        let first = &self.first;
        let is_own = matches!(first, Missing::JobLog { .. });
        match self.jobs {
            1 if all == 1 || is_own => first.to_string(),
            jobs if is_own => format!("{first}; and so for {}", plural(jobs - 1, "more job")),
            jobs if jobs == all => first.to_string(),
            1 => format!("{first} (job {})", self.job),
            jobs => format!("{first} ({jobs} of {all} jobs, the first is {})", self.job),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::print::Style;
    use crate::print::samples::{self, NOW};

    fn printed(advices: &[Advice]) -> String {
        let mut sources = Sources::default();
        advices.iter().for_each(|advice| sources.add(advice));
        let mut out = Vec::new();
        let page = Page { style: Style::default(), now: NOW, zone: TimeZone::UTC, again: None };
        assert!(sources.print_missing(&mut out, &page).unwrap());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_name_the_jobs_that_they_are_true_of() {
        let mut advices = [0, 1, 2].map(|proc| samples::transfer(7, proc));
        for (advice, missing) in advices.iter_mut().zip([
            vec!["policies: not known"],
            vec!["policies: not known", "event log: it begins later", "a"],
            vec!["policies: not known", "event log: it begins later", "b"],
        ]) {
            let missing = missing.into_iter().map(|line| match line {
                "a" | "b" => Missing::JobLog { log: line.into(), fault: "denied".into() },
                line => Missing::Source(line.into()),
            });
            advice.missing = missing.collect();
        }
        assert_eq!(
            printed(&advices),
            "Judged without: event log: it begins later (2 of 3 jobs, the first is 7.1)\n\
             Judged without: job event log a: denied; and so for 1 more job\n\
             Judged without: policies: not known\n"
        );
        assert!(printed(&advices[..2]).contains("it begins later (job 7.1)\n"));
    }
}
