//! The whole way from ads and logs to printed advice.

use std::sync::LazyLock;
use std::time::Duration;

use classads::{ClassAd, Expr};
use eventlog::LogReader;
use holdadvise::advice::{Advice, Command, Policies, advise};
use holdadvise::checks::{LocalFiles, Urls};
use holdadvise::history::{Coverage, HistoryBuilder};
use holdadvise::model::Model;
use holdadvise::policy::{PolicyTime, SettingsFile};
use holdadvise::print::{Page, PrintForm, Printer, Style, TotalsBy};
use holdadvise::queue::{AdProjection, Selection, held_jobs_of_file};
use holdadvise::text::{can_be_pasted, is_fit};
use jiff::tz::TimeZone;

use crate::{files, logs, policy, sections, shell};

/// Jobs of an input that are judged.
const JOBS: usize = 8;

/// An hour after the first of the recorded holds were looked at, Unix seconds.
const NOW: i64 = 1_795_282_000;

static MODEL: LazyLock<Model> =
    LazyLock::new(|| Model::builtin_default().expect("the shipped model opens"));

/// What every URL gets.
const PLANTED: &str = "me:s3cret9fu7z@";

/// The password in it.
const SECRET: &str = "s3cret9fu7z";

/// Job ads, a job event log, epoch ads, a configuration, and a record of looks at files: advice is
/// given, and printed in every form; its commands are those that there are, well quoted. Of a secret
/// that stands in a URL of the input nothing is printed.
pub fn advice(bytes: &[u8]) {
    let mut planted = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        planted.push(byte);
        if planted.ends_with(b"://") {
            planted.extend(PLANTED.bytes());
        }
    }
    let advices = judged(&planted);
    advices.iter().for_each(check_commands);
    check_printed(&advices);
}

/// The advice for the held jobs of an input.
pub(crate) fn judged(bytes: &[u8]) -> Vec<Advice> {
    let [ads, log, epochs, config, record] = sections(bytes);
    let ads = files::file("ads", ads);
    let (selection, projection) = (Selection::default(), AdProjection::whole());
    let Ok(found) = held_jobs_of_file(&ads, &selection, &|_| true, Some(JOBS), &projection) else {
        return Vec::new();
    };
    found.faults.iter().chain(&found.refused).for_each(|line| check_line(line));
    let ads: Vec<ClassAd> = found.held.iter().map(|job| job.ad.to_classad()).collect();
    let mut history = HistoryBuilder::new();
    read_log(&mut history, log);
    let report = history.read_epochs(epochs);
    report.problems.iter().for_each(|problem| check_line(&problem.to_string()));
    let files = serde_json::from_slice(record)
        .map(|record| LocalFiles::recorded(record).with_urls(Urls::Asked));
    let policies = Policies {
        knobs: policy::knobs(&SettingsFile::read(&String::from_utf8_lossy(config))),
        time: PolicyTime::new(Duration::from_secs(2)),
        files: files.ok(),
        ..Policies::unknown()
    };
    advise(history, &ads, &MODEL, &policies, NOW).expect("the shipped model answers")
}

/// The log is an access point's where its first byte is an even number, else a job's own.
fn read_log(history: &mut HistoryBuilder, log: &[u8]) {
    let coverage = match log.first() {
        Some(first) if first % 2 == 1 => Coverage::Jobs,
        _ => Coverage::AccessPoint,
    };
    let options = logs::options();
    let mut log = LogReader::new(log, &options);
    let source = history.add_source(coverage);
    while let Some(event) = log.next_event() {
        if let Ok(event) = event {
            history.add_event(source, &event);
        }
    }
}

/// A shell reads of each line the words that were meant, and HTCondor the expressions.
fn check_commands(advice: &Advice) {
    let constraint = advice.target.constraint();
    assert!(Expr::parse_old(&constraint).is_ok(), "{constraint}");
    for command in advice.commands.iter().chain(&advice.commands_after) {
        let line = command.line(&constraint);
        let words: Vec<&str> = match command {
            Command::Release => vec!["condor_release", "-constraint", &constraint],
            Command::Remove => vec!["condor_rm", "-constraint", &constraint],
            Command::Edit(edit) => {
                let (name, new) = (edit.attribute(), edit.new_value());
                vec!["condor_qedit", "-constraint", &constraint, name, new]
            }
            Command::Run(words) => words.iter().map(String::as_str).collect(),
        };
        let read = shell::words(&line).unwrap_or_else(|| panic!("{line:?} is no command"));
        let read: Vec<&str> = read.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(read, words, "{line:?}");
        assert!(words.iter().all(|word| can_be_pasted(word)), "{line:?} has a secret in it");
        check_command(&line);
    }
}

/// A line is one of the commands that advice may have.
fn check_command(line: &str) {
    let fail = || panic!("{line:?} is no command of an advice");
    let words = shell::words(line).unwrap_or_else(fail);
    let is_expression = |text: &str| Expr::parse_old(text).is_ok();
    let words: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
    let is_known = match words.as_slice() {
        ["condor_release" | "condor_rm", "-constraint", constraint] => is_expression(constraint),
        ["condor_qedit", "-constraint", constraint, attribute, new] => {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            is_expression(constraint) && is_expression(new) && attribute.chars().all(is_name)
        }
        ["chmod", "+x", _] | ["less", "+G", _] | ["namei", "-l", _] | ["df", "-h", _] => true,
        ["curl", "-sS", "-m", "30", "-r", "0-0", "-o", "/dev/null", "-D", "-", url] => {
            url.starts_with("http")
        }
        ["condor_q", _, "-af:ln", ..] | ["condor_q", "-hold", _] => true,
        ["condor_config_val", "-dump", "SYSTEM_PERIODIC_HOLD"] => true,
        _ => false,
    };
    assert!(is_known && is_fit(line), "{line:?} is no command of an advice");
}

fn check_printed(advices: &[Advice]) {
    for columns in [None, Some(80), Some(20)] {
        let style = Style { columns, table: columns, colour: false, ascii: false, why: true };
        for output in [
            PrintForm::Table,
            PrintForm::Incidents { as_json: false },
            PrintForm::Totals(TotalsBy::Cause),
        ] {
            printed(advices, &output, style).lines().for_each(check_line);
        }
        check_people(&printed(advices, &PrintForm::Cards, style));
        // One job prints in another form than several do.
        for advice in advices {
            check_people(&printed(std::slice::from_ref(advice), &PrintForm::Cards, style));
        }
    }
    let style = Style::default();
    let attributes = ["ClusterId", "Recommendation", "HoldReason"].map(str::to_owned).to_vec();
    let pairs = vec![("%-20.30s|".to_owned(), "HoldReason".to_owned())];
    for output in [PrintForm::AutoFormat("lh".to_owned(), attributes), PrintForm::Format(pairs)] {
        printed(advices, &output, style).lines().for_each(check_line);
    }
    let json = printed(advices, &PrintForm::Json, style);
    json.lines().for_each(check_line);
    let all: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(all.len(), advices.len());
    let lines = printed(advices, &PrintForm::JsonLines, style);
    for (line, whole) in lines.lines().zip(&all) {
        check_line(line);
        assert_eq!(&serde_json::from_str::<serde_json::Value>(line).expect("JSON"), whole);
    }
    let long = printed(advices, &PrintForm::Long, style);
    long.lines().for_each(check_line);
    let ads = classads::read_ads(long.as_bytes());
    assert_eq!(ads.filter(Result::is_ok).count(), advices.len(), "{long}");
}

fn printed(advices: &[Advice], output: &PrintForm, style: Style) -> String {
    let page = Page { style, now: NOW, zone: TimeZone::UTC, again: None };
    let mut out = Vec::new();
    let mut printer = Printer::new(&mut out, output, &page);
    for advice in advices {
        printer.add(advice, None).expect("memory takes it");
    }
    printer.finish("No held jobs.").expect("memory takes it");
    let text = String::from_utf8(out).expect("text");
    assert!(!text.to_ascii_lowercase().contains(SECRET), "{text} has a secret in it");
    text
}

/// Nothing a terminal acts upon; and what stands behind the labels of commands is one.
fn check_people(text: &str) {
    let mut is_command = false;
    for line in text.lines() {
        check_line(line);
        let label = line.get(..LABEL).unwrap_or("x");
        if !label.trim().is_empty() {
            is_command = ["  do ", "  afterwards "]
                .iter()
                .any(|of| label.strip_prefix(of).is_some_and(|rest| rest.trim().is_empty()));
        }
        let command = line.get(LABEL..).filter(|_| is_command);
        for command in
            command.into_iter().filter(|text| !(text.starts_with("for ") && text.ends_with(':')))
        {
            check_command(command.strip_suffix(" &&").unwrap_or(command));
        }
        assert!(!line.starts_with(|c: char| c.is_ascii_lowercase()), "{line:?} is in no card");
    }
}

/// Columns of the label of a line.
const LABEL: usize = 13;

fn check_line(line: &str) {
    assert!(is_fit(line), "{line:?} is not fit to print");
}
