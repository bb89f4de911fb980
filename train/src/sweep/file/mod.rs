//! The sweep file, `sweep.yaml`: what is to be tried, on which data, where, and for how long.
//!
//! [`read`] checks all of it and tells everything that is wrong at once, each thing with its line.
//!
//! - `data`: `data`.
//! - `distribution`: distributions, in the words of W&B.
//! - `node`: YAML with positions.
//! - `nodes`: `resources` and `program`.
//! - `paths`: files and folders that are named.
//! - `preprocessing`: `preprocessing`.
//! - `problems`: everything that is wrong, gathered.
//! - `redact`: the file without its secrets.
//! - `scalar`: numbers, words, durations, sizes, instants.
//! - `search`: what is tried, and for how long.
//! - `section`: a mapping whose keys are taken one by one.
//! - `tracking`: `tracking`.

mod data;
mod distribution;
mod node;
mod nodes;
mod paths;
mod preprocessing;
mod problems;
mod redact;
mod scalar;
mod search;
mod section;
#[cfg(test)]
mod tests;
mod tracking;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::plan::{Data, Method, Metric, PLAN_FORMAT, Plan, Program, Resources, Tracking};
use super::space::Space;
use crate::split::SplitOptions;
use crate::split::parts::LEAST_VALIDATION_ROWS;
use crate::training::precision::Precision;
use problems::Problems;
use section::Value;

pub use node::MOST_BYTES;
pub use preprocessing::{Frames, Preprocessing};
pub use problems::{Position, Problem};
pub use search::{Budget, METRICS, MOST_TRIALS};

/// What a sweep file says, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepFile {
    /// The plan as far as the file says it: settings, trials, rungs and how parameters lie are
    /// still to be made, and `program` is put in.
    pub plan: Plan,
    /// How holds are prepared.
    pub preprocessing: Preprocessing,
    /// What each parameter of training may be.
    pub space: Space,
    /// How many trials; `None`: the whole grid, or 24.
    pub trials: Option<usize>,
    /// Successive halving.
    pub budget: Budget,
    /// How nodes come by the program; `None`: not said.
    pub program: Option<Program>,
}

impl Default for SweepFile {
    /// What holds where the file says nothing.
    fn default() -> Self {
        let usual = SplitOptions::default();
        let data = Data {
            lookback: 30 * 86_400,
            horizon: 48,
            validation_fraction: usual.validation_fraction,
            test_fraction: usual.test_fraction,
            least_validation_rows: LEAST_VALIDATION_ROWS,
            ..Data::default()
        };
        let (metric, goal, _) = METRICS[0];
        let plan = Plan {
            format: PLAN_FORMAT,
            name: "sweep".to_owned(),
            seed: 1,
            data,
            settings: Vec::new(),
            trials: Vec::new(),
            method: Method::Random,
            spreads: BTreeMap::new(),
            metric: Metric { name: metric.to_owned(), goal },
            rungs: Vec::new(),
            patience: 6,
            precision: Precision::default(),
            from: None,
            architecture: None,
            champion: None,
            resources: Resources { cpus: 1, retries: 3, checkpoint: 600, ..Resources::default() },
            program: Program::Installed(PathBuf::new()),
            tracking: Tracking {
                project: "holdadvise".to_owned(),
                python: PathBuf::from("/usr/bin/python3"),
                ..Tracking::default()
            },
        };
        Self {
            plan,
            preprocessing: Preprocessing::default(),
            space: Space::new(),
            trials: None,
            budget: Budget { rungs: 3, eta: 3, epochs: 36 },
            program: None,
        }
    }
}

/// A sweep file and what its author should know of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The file.
    pub sweep: SweepFile,
    /// What is no error, such as a key that is not used.
    pub notes: Vec<Problem>,
    /// Its text without secrets, to keep beside the plan.
    pub text: String,
}

/// Problems of a sweep file, each on a line that begins with the file, with a word before it.
pub fn told(path: &Path, problems: &[Problem], word: &str) -> String {
    let path = path.display();
    let lines = problems.iter().map(|Problem { at, text }| match at {
        Some(Position { line, column }) => format!("{path}:{line}:{column}: {word}{text}"),
        None => format!("{path}: {word}{text}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The word before a note.
pub const NOTE: &str = "note: ";

/// Reads and checks a sweep file; `now` is where `last` ends.
///
/// # Errors
/// When it cannot be read, or with all that is wrong in it.
pub fn read(path: &Path, now: Timestamp) -> Result<Checked, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > MOST_BYTES {
        return Err(format!(
            "{}: more than {MOST_BYTES} bytes, a sweep file has some hundred lines",
            path.display()
        ));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::path::absolute(folder.unwrap_or(Path::new("."))).map_err(failed)?;
    check(&bytes, &folder, now).map_err(|(problems, notes)| {
        let [notes, problems] = [told(path, &notes, NOTE), told(path, &problems, "")];
        [notes, problems].into_iter().filter(|told| !told.is_empty()).collect::<Vec<_>>().join("\n")
    })
}

/// Checks the bytes of a sweep file whose paths are relative to a folder: the file, or what is
/// wrong with it and notes.
fn check(
    bytes: &[u8],
    folder: &Path,
    now: Timestamp,
) -> Result<Checked, (Vec<Problem>, Vec<Problem>)> {
    let alone = |problem| (vec![problem], Vec::new());
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let at = Some(Position { line, column: 1 });
        alone(Problem { at, text: "not UTF-8".to_owned() })
    })?;
    let mut root = node::read(text).map_err(alone)?;
    let problems = Problems::default();
    if root.is_null() {
        root.content = node::Content::Mapping(Vec::new());
    }
    let mut secrets = Vec::new();
    redact::take_keys(&mut root, &problems, &mut secrets);
    let whole = Value { node: &root, name: String::new(), problems: &problems };
    let sweep = sweep(whole, folder, now);
    let [errors, notes] = problems.in_order();
    match sweep {
        Some(sweep) if errors.is_empty() => {
            Ok(Checked { sweep, notes, text: redact::redact(text, secrets) })
        }
        _ => Err((errors, notes)),
    }
}

fn sweep(whole: Value<'_>, folder: &Path, now: Timestamp) -> Option<SweepFile> {
    let mut root = whole.section()?;
    let mut file = SweepFile::default();
    let SweepFile { plan, preprocessing, space, trials, budget, program } = &mut file;
    root.set("name", &mut plan.name, Value::text);
    root.set("seed", &mut plan.seed, |value| value.whole(0..=i64::MAX));
    data::data(&mut root, &mut plan.data, folder, now.as_second());
    let mut places = Vec::new();
    preprocessing::preprocessing(&mut root, preprocessing, &mut places);
    search::training(&mut root, plan, space, &mut places, folder);
    search::method(&mut root, &mut plan.method, &places);
    root.set("trials", trials, |value| Some(value.whole(1..=MOST_TRIALS as i64)));
    search::metric(&mut root, &mut plan.metric);
    search::budget(&mut root, budget);
    search::early_stopping(&mut root, &mut plan.patience);
    let model = |value: &Value<'_>| Some(paths::one(value, paths::Wanted::File, folder));
    root.set("architecture", &mut plan.architecture, model);
    root.set("champion", &mut plan.champion, model);
    if plan.architecture.is_some() && plan.precision == Precision::Bfloat16 {
        let text = "training.precision: `bfloat16` is for the built-in network; an `architecture` of one's own chooses its numbers itself";
        root.value.problems.missing(text);
    }
    if plan.architecture.is_some() && plan.from.is_some() {
        let text = "training.from: a model of the built-in network; an `architecture` of one's own \
                    begins with the parameters that it has";
        root.value.problems.missing(text);
    }
    nodes::resources(&mut root, &mut plan.resources);
    *program = nodes::program(&mut root, folder);
    tracking::tracking(&mut root, &mut plan.tracking, folder);
    Some(file)
}
