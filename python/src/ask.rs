//! Advice, and what `condor_releaseexpr` says.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use holdadvise::checks::{Program, serve};
use holdadvise::cli::releaseexpr::{self as tool, Data};
use holdadvise::cli::{Answer, Config, Request, ask};
use holdadvise::queue::JobSpec;
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
    limit: Option<usize>,
    userlog: Vec<PathBuf>,
    eventlog: Vec<PathBuf>,
    epochs: Option<PathBuf>,
    model: Option<PathBuf>,
    cost: Vec<String>,
    checks: Option<String>,
    now: Option<&Bound<'_, PyAny>>,
    looks: Option<(PathBuf, Vec<OsString>)>,
) -> PyResult<Advices> {
    let mut request = Request::read(&[]).map_err(|error| raised(&error))?;
    match jobads.map(Source::of).transpose()? {
        Some(Source::File(path)) => request.job_ads = Some(path),
        Some(Source::Text(text)) => {
            request.job_ads = Some(NAME.into());
            request.job_ad_text = Some(text);
        }
        None => {}
    }
    let words = jobs.iter().flat_map(|word| JobSpec::words(word));
    request.selection.jobs = words.map(JobSpec::parse).collect();
    request.selection.constraint = constraint;
    request.limit = limit;
    (request.user_logs, request.event_logs) = (userlog, eventlog);
    (request.epochs, request.model, request.checks) = (epochs, model, checks);
    request.now = now.map(unix_seconds).transpose()?;
    let cost = cost.iter().map(|cost| {
        cost.parse().map_err(|error| input_error(&format!("cost: {cost:?} is {error}")))
    });
    request.costs = cost.collect::<PyResult<_>>()?;
    if !request.is_offline() {
        return Err(input_error(
            "expected jobads, or a userlog or eventlog without jobs: no queue is asked here",
        ));
    }
    let looks = looks.map(|(path, arguments)| Program::Other { path, arguments });
    let answer = py.detach(|| with_threads(|| ask(&request, &Config::looking_with(looks))))?;
    let Answer { advices, refused, faults } = answer.map_err(|error| raised(&error))?;
    let advices = advices.into_iter().map(|advice| {
        let attributes = serde_json::to_string(&advice.attributes);
        Ok((attributes.map_err(|error| raised(&error))?, advice.text))
    });
    Ok((advices.collect::<PyResult<_>>()?, refused, faults))
}

/// Works with threads of this call alone: in a process that was forked those of all calls are gone.
fn with_threads<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let threads = rayon::ThreadPoolBuilder::new().build();
    Ok(threads.map_err(|error| raised(&error))?.install(work))
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
    let answer = py.detach(|| with_threads(|| tool::data(&options, text)))?;
    let Data { answer, said } = answer.map_err(|error| raised(&error))?;
    Ok((answer.to_string(), said))
}

/// Looks at files for the process that started this one.
#[pyfunction]
pub(crate) fn look(py: Python<'_>, arguments: Vec<OsString>) {
    py.detach(|| serve(&arguments));
}
