//! Says what job event logs hold: how many events of each kind, and what is unknown or damaged,
//! with its byte offset.
//!
//! ```text
//! cargo run --release -p htcondor-eventlog --example report -- FILE...
//! ```
//!
//! Text, XML and JSON logs are read alike, each on all cores.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::process::ExitCode;

use eventlog::{Chunk, ChunkedLog, EventKind, LogReader, ReadOptions};

/// What a log, or a part of it, holds.
#[derive(Default)]
struct Report {
    kinds: BTreeMap<u16, u64>,
    unknown: Vec<String>,
    damaged: Vec<String>,
}

impl Report {
    fn of(log: &mut LogReader<Chunk>) -> Self {
        let mut report = Self::default();
        while let Some(event) = log.next_event() {
            match event {
                Ok(event) => {
                    *report.kinds.entry(event.number).or_default() += 1;
                    if let EventKind::Unknown(number) = event.kind() {
                        let (offset, job) = (event.offset, event.job);
                        report
                            .unknown
                            .push(format!("byte {offset}: event {number:03} of job {job}"));
                    }
                }
                Err(damaged) => report.damaged.push(damaged.to_string()),
            }
        }
        report
    }

    fn add(&mut self, other: Self) {
        for (number, count) in other.kinds {
            *self.kinds.entry(number).or_default() += count;
        }
        self.unknown.extend(other.unknown);
        self.damaged.extend(other.damaged);
    }

    fn events(&self) -> u64 {
        self.kinds.values().sum()
    }
}

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: report FILE...");
        return ExitCode::FAILURE;
    }
    let mut all = Report::default();
    let mut code = ExitCode::SUCCESS;
    for path in &paths {
        let log = match ChunkedLog::open(path, &ReadOptions::default()) {
            Ok(log) => log,
            Err(error) => {
                eprintln!("Error: {error}");
                code = ExitCode::FAILURE;
                continue;
            }
        };
        let mut report = Report::default();
        let _: ControlFlow<()> = log.read(Report::of, |part| {
            report.add(part);
            ControlFlow::Continue(())
        });
        let form = log.form().map_or_else(|| "empty".to_owned(), |form| form.to_string());
        let (events, unknown, damaged) =
            (report.events(), report.unknown.len(), report.damaged.len());
        println!("{path}: {form}, {events} events, {unknown} unknown, {damaged} damaged");
        for line in report.unknown.iter().chain(&report.damaged) {
            println!("  {line}");
        }
        all.add(report);
    }
    println!(
        "{} logs: {} events, {} unknown, {} damaged",
        paths.len(),
        all.events(),
        all.unknown.len(),
        all.damaged.len()
    );
    for (number, count) in &all.kinds {
        println!("  {number:03} {count:>9}  {:?}", EventKind::from_number(*number));
    }
    code
}
