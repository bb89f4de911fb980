//! Advice, and what `condor_releaseexpr` says.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use holdadvise::checks::{Program, serve};
use holdadvise::cli::releaseexpr::{self as tool, Data};
use holdadvise::inquiry::{Answer, Checks, Config, Inputs, Inquiry, JobAds};
use holdadvise::print::{Page, Style, attributes, text};
use holdadvise::queue::{JobSpec, Selection};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::{input_error, raised};
use crate::sources::Source;
use crate::values::unix_seconds;

/// Job ads that are no file are called so.
const NAME: &str = "jobads";

/// Advices, each as JSON and as text; jobs that were refused; what is damaged.
type Advices = (Vec<(String, String)>, Vec<String>, Vec<String>);

/// The advice on held jobs, with the options of the tool.
#[pyfunction]
#[pyo3(signature = (
    *, jobads, jobs, constraint, limit, userlog, eventlog, epochs, model, cost, checks, now, looks
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn advise(
    py: Python<'_>,
    jobads: Option<&Bound<'_, PyAny>>,
    jobs: Vec<String>,
    constraint: Option<String>,
    limit: Option<i64>,
    userlog: Vec<PathBuf>,
    eventlog: Vec<PathBuf>,
    epochs: Option<PathBuf>,
    model: Option<PathBuf>,
    cost: Vec<String>,
    checks: Option<String>,
    now: Option<&Bound<'_, PyAny>>,
    looks: Option<(PathBuf, Vec<OsString>)>,
) -> PyResult<Advices> {
    let job_ads = jobads.map(Source::of).transpose()?.map(|source| match source {
        Source::File(path) => JobAds::File(path),
        Source::Text(text) => JobAds::Text { name: NAME.into(), text },
    });
    let cost = cost.iter().map(|cost| {
        cost.parse().map_err(|error| input_error(&format!("cost: {cost:?} is {error}")))
    });
    let limit = limit.map(|limit| match usize::try_from(limit) {
        Ok(limit) if limit > 0 => Ok(limit),
        _ => Err(input_error(&format!("limit: {limit} is not a whole number from 1 on"))),
    });
    let checks = checks.map(|word| {
        let none = || input_error(&format!("checks: {word:?} is not one of own, local, all, none"));
        Checks::read(&word).ok_or_else(none)
    });
    let inquiry = Inquiry {
        selection: Selection {
            jobs: jobs.iter().flat_map(|word| JobSpec::list(word)).collect(),
            constraint,
            // A job that thrashes is not refused.
            thrashing: true,
            ..Selection::default()
        },
        limit: limit.transpose()?,
        job_ads,
        user_logs: userlog,
        event_logs: eventlog,
        epochs,
        model,
        checks: checks.transpose()?,
        costs: cost.collect::<PyResult<_>>()?,
        now: now.map(unix_seconds).transpose()?,
        inputs: Inputs::OfAll,
        goes_on: true,
        ..Inquiry::default()
    };
    if !inquiry.is_offline() {
        return Err(input_error(
            "expected jobads, or a userlog or eventlog without jobs: no queue is asked here",
        ));
    }
    let looks = looks.map(|(path, arguments)| Program::Other { path, arguments });
    let page = Page::here(Style::of_terminal(), inquiry.time());
    let asked = move |is_given_up: &AtomicBool| {
        let config = Config::looking_with(looks);
        let mut advices = Vec::new();
        let answer = inquiry.ask(&config, page.now, &mut |advice, _| {
            if is_given_up.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let attributes = serde_json::to_string(&attributes(advice, &page.zone))?;
            advices.push((attributes, text(advice, &page)));
            Ok(())
        });
        answer.map(|Answer { remarks, .. }| {
            (advices, [remarks.refused, remarks.ended].concat(), remarks.faults)
        })
    };
    waited(py, asked)?.map_err(|error| raised(&error))
}

/// How often Python is asked whether a signal came.
const BETWEEN: Duration = Duration::from_millis(50);

/// Works with threads of this call alone: in a process that was forked those of all calls are gone.
/// Where a signal makes Python raise, the work is given up.
fn waited<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    // A panic closes the channel.
    let threads = rayon::ThreadPoolBuilder::new().panic_handler(drop).build();
    let threads = threads.map_err(|error| raised(&error))?;
    let is_given_up = Arc::new(AtomicBool::new(false));
    let (sender, mut done) = mpsc::channel();
    let seen_by_work = Arc::clone(&is_given_up);
    // Nobody waits where it was given up.
    threads.spawn(move || drop(sender.send(work(&seen_by_work))));
    loop {
        let done = &mut done;
        match py.detach(move || done.recv_timeout(BETWEEN)) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| is_given_up.store(true, Ordering::Relaxed))?;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the call failed; please report it"));
            }
        }
    }
}

/// What `condor_releaseexpr` prints with these options, `-json` among them, and what it says
/// besides.
#[pyfunction]
#[pyo3(signature = (options, *, jobads=None, now=None))]
pub(crate) fn releaseexpr(
    py: Python<'_>,
    mut options: Vec<OsString>,
    jobads: Option<&Bound<'_, PyAny>>,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let mut text = None;
    if let Some(source) = jobads.map(Source::of).transpose()? {
        let path = match source {
            // A name that begins with `-` is no option.
            Source::File(path) => Path::new(".").join(path),
            Source::Text(ads) => {
                text = Some(ads);
                NAME.into()
            }
        };
        options.extend(["-jobads".into(), path.into()]);
    }
    if let Some(now) = now {
        options.extend(["-now".into(), unix_seconds(now)?.to_string().into()]);
    }
    let answer = waited(py, move |_| tool::data(&options, text))?;
    let Data { answer, said } = answer.map_err(|error| raised(&error))?;
    Ok((answer.to_string(), said))
}

/// Looks at files for the process that started this one.
#[pyfunction]
pub(crate) fn look(py: Python<'_>, arguments: Vec<OsString>) {
    py.detach(|| serve(&arguments));
}
