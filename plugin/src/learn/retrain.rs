//! What a service account does: it plans and submits the training that the advisor asks for.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

use eventlog::input::open_regular;
use holdadvise::home::{RetrainRequest, own, put};
use holdadvise::inquiry::Config;
use rustix::process::geteuid;

use super::LearnError;
use crate::process::Running;
use crate::settings::Settings;

/// The request, in the folder that HOLDADVISE_HOME_DIR names.
pub const REQUEST: &str = "retrain.json";

/// In the folder of a sweep: it was submitted.
const SUBMITTED: &str = "submitted";

/// Bytes of a request at most.
const LONGEST: u64 = 64 << 10;

/// How long it may take to plan a sweep, and to submit it. Assumed.
const TIME: Duration = Duration::from_secs(600);

/// The folder of the sweep of a request: beside the sweep file.
pub fn sweep_of(file: &Path, number: u32) -> PathBuf {
    file.parent().unwrap_or(Path::new(".")).join(format!("sweep-{number}"))
}

/// Submits the training that is asked for, once; gives what was done, as text.
///
/// # Errors
/// [`LearnError::Account`] for root, and for an account that the folder of the sweep file does not
/// belong to; others where a program fails.
pub fn retrain(config: &Config) -> Result<String, LearnError> {
    let (settings, _) = Settings::of(config)?;
    if geteuid().is_root() {
        let text = "trainings are not submitted as root: run this as a service account";
        return Err(LearnError::Account(text.to_owned()));
    }
    let home = settings.home.as_deref().ok_or(LearnError::Off)?;
    let Some(file) = &settings.retrain else {
        return Ok("HOLDADVISE_RETRAIN names no sweep file: nothing is trained\n".to_owned());
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.ok_or_else(|| {
        LearnError::Account(format!(
            "HOLDADVISE_RETRAIN is {}: expected a whole path",
            file.display()
        ))
    })?;
    let owner = fs::metadata(folder).map_err(failed(folder))?.uid();
    if owner != geteuid().as_raw() {
        return Err(LearnError::Account(format!(
            "{} belongs to user id {owner}: run this as that account",
            folder.display()
        )));
    }
    let Some(request) = read(&home.join(REQUEST))? else {
        return Ok("No training is asked for\n".to_owned());
    };
    let sweep = sweep_of(file, request.number);
    let name = sweep.display();
    if own(&sweep.join(SUBMITTED), LONGEST).map_err(failed(&sweep))?.is_some() {
        return Ok(format!("{name}: submitted already\n"));
    }
    if !sweep.join("sweep.json").exists() {
        let mut command = Command::new(&settings.train);
        run(command.arg("dag").arg(file).arg("-o").arg(&sweep), &settings.train)?;
    }
    run(
        Command::new("condor_submit_dag").arg("sweep.dag").current_dir(&sweep),
        "condor_submit_dag",
    )?;
    put(&sweep, SUBMITTED, request.why.as_bytes(), 0o644).map_err(failed(&sweep))?;
    Ok(format!("{name}: submitted, since {}\n", holdadvise::text::shown(&request.why, 200)))
}

fn failed(path: &Path) -> impl Fn(io::Error) -> LearnError {
    let path = path.display().to_string();
    move |source| LearnError::Io { path: path.clone(), source }
}

/// The advisor's account wrote it: another one than this.
fn read(path: &Path) -> Result<Option<RetrainRequest>, LearnError> {
    use std::io::Read;
    let file = match open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(failed(path))?,
    };
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text).map_err(failed(path))?;
    let request = serde_json::from_slice(&text);
    request.map(Some).map_err(|error| failed(path)(error.into()))
}

fn run(command: &mut Command, what: &str) -> Result<(), LearnError> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    Ok(Running::start(command, what)?.wait(Instant::now() + TIME)?)
}
