//! What the package for Python is given.

use std::ffi::OsString;

use holdadvise::cli::releaseexpr;
use holdadvise::inquiry::{Checks, Config, Inputs, Inquiry, JobAds};
use holdadvise::print::{Page, Style, attributes, text};
use holdadvise::queue::{JobSpec, Selection, leave_signals};
use holdadvise::text::is_fit;

use crate::{files, sections};

/// Jobs of an input that are judged.
const JOBS: usize = 4;

/// An hour after the first of the recorded holds were looked at, Unix seconds.
const NOW: &str = "1795282000";

/// Job ads, a job event log, and a line each of jobs, a constraint, costs, the time and a policy:
/// the calls of `python/src` below Python's own values. Advice is JSON and lines that are fit to
/// print, what is said of a policy is JSON; all else is an error. Python's values are tried by
/// `python/tests/test_bytes.py`, on the wheel.
pub fn python(bytes: &[u8]) {
    leave_signals();
    let [ads, log, lines] = sections(bytes);
    let lines = String::from_utf8_lossy(lines);
    let mut lines = lines.lines();
    let [jobs, constraint, cost, now, policy] =
        std::array::from_fn(|_| lines.next().unwrap_or_default().to_owned());
    let name = |text: &str| (!text.is_empty()).then(|| text.to_owned());

    let inquiry = Inquiry {
        selection: Selection {
            jobs: JobSpec::list(&jobs).collect(),
            constraint: name(&constraint),
            thrashing: true,
            ..Selection::default()
        },
        limit: Some(JOBS),
        job_ads: Some(JobAds::Text { name: "jobads".into(), text: ads.to_vec() }),
        user_logs: vec![files::file("job.log", log)],
        costs: cost.split(' ').filter_map(|cost| cost.parse().ok()).collect(),
        now: now.parse().ok(),
        checks: Some(Checks::None),
        inputs: Inputs::OfAll,
        goes_on: true,
        ..Inquiry::default()
    };
    let page = Page::here(Style::of_terminal(), inquiry.time());
    let mut judged = 0;
    let _ = inquiry.ask(&Config::looking_with(None), page.now, &mut |advice, _| {
        judged += 1;
        serde_json::to_string(&attributes(advice, &page.zone)).expect("JSON");
        let text = text(advice, &page);
        assert!(text.lines().all(is_fit), "{text:?}");
        Ok(())
    });
    assert!(judged <= JOBS);

    let explained = (vec!["-explain", "-jobads", "jobads"], Some(ads.to_vec()));
    let mut calls = vec![explained];
    // A word with a slash could be any file of the machine.
    let policy = if policy.starts_with('-') { format!(" {policy}") } else { policy };
    if !policy.contains('/') {
        calls.push((vec!["-lint", &policy], None));
    }
    for (mut options, job_ads) in calls {
        options.extend(["-now", NOW, "-json"]);
        let options: Vec<OsString> = options.into_iter().map(OsString::from).collect();
        let _ = releaseexpr::data(&options, job_ads);
    }
}
