//! What the package for Python is given.

use std::ffi::OsString;

use holdadvise::cli::releaseexpr;
use holdadvise::cli::{Config, Request, ask};
use holdadvise::queue::{JobSpec, leave_signals};
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

    let mut request = Request::read(&[]).expect("no option is wrong");
    request.job_ads = Some("jobads".into());
    request.job_ad_text = Some(ads.to_vec());
    request.selection.jobs = JobSpec::words(&jobs).map(JobSpec::parse).collect();
    request.selection.constraint = name(&constraint);
    request.limit = Some(JOBS);
    request.user_logs = vec![files::file("job.log", log)];
    request.costs = cost.split(' ').filter_map(|cost| cost.parse().ok()).collect();
    request.now = now.parse().ok();
    request.checks = Some("none".to_owned());
    if let Ok(answer) = ask(&request, &Config::looking_with(None)) {
        assert!(answer.advices.len() <= JOBS);
        for advice in answer.advices {
            serde_json::to_string(&advice.attributes).expect("JSON");
            assert!(advice.text.lines().all(is_fit), "{:?}", advice.text);
        }
    }

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
