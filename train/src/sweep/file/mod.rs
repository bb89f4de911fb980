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

use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::plan::{Data, Metric, Program, Resources, Tracking};
use super::space::Space;
use crate::training::precision::Precision;
use problems::Problems;
use section::Value;

pub use node::MOST_BYTES;
pub use preprocessing::{Frames, Preprocessing};
pub use problems::{Position, Problem};
pub use redact::redact;
pub use search::{Budget, METRICS, MOST_TRIALS, Search};

/// What a sweep file says, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepFile {
    /// What the sweep is called.
    pub name: String,
    /// Everything random follows from it.
    pub seed: u64,
    /// Where holds come from.
    pub data: Data,
    /// How they are prepared.
    pub preprocessing: Preprocessing,
    /// What each parameter of training may be.
    pub space: Space,
    /// How trials are found.
    pub search: Search,
    /// What decides.
    pub metric: Metric,
    /// Successive halving.
    pub budget: Budget,
    /// Epochs without a better validation loss after which a trial stops.
    pub patience: usize,
    /// Numbers that the LSTM computes with in training.
    pub precision: Precision,
    /// The model whose parameters trials begin with.
    pub from: Option<PathBuf>,
    /// A TorchScript template in place of the built-in network.
    pub architecture: Option<PathBuf>,
    /// The model in use.
    pub champion: Option<PathBuf>,
    /// What a node asks for.
    pub resources: Resources,
    /// How nodes come by the program; `None`: not said.
    pub program: Option<Program>,
    /// Weights & Biases.
    pub tracking: Tracking,
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
    redact::take_keys(&mut root, &problems);
    let whole = Value { node: &root, name: String::new(), problems: &problems };
    let sweep = sweep(whole, folder, now);
    let [errors, notes] = problems.in_order();
    match sweep {
        Some(sweep) if errors.is_empty() => Ok(Checked { sweep, notes, text: redact(text) }),
        _ => Err((errors, notes)),
    }
}

fn sweep(whole: Value<'_>, folder: &Path, now: Timestamp) -> Option<SweepFile> {
    let mut root = whole.section()?;
    let name = root.take("name").map_or_else(|| Some("sweep".to_owned()), |value| value.text());
    let seed = root.take("seed").map_or(Some(1), |value| value.whole(0..=i64::MAX));
    let data = data::data(&mut root, folder, now.as_second());
    let mut places = Vec::new();
    let preprocessing = preprocessing::preprocessing(&mut root, &mut places);
    let search::Training { space, precision, from } =
        search::training(&mut root, &mut places, folder);
    let search = search::search(&mut root, &places);
    let metric = search::metric(&mut root);
    let budget = search::budget(&mut root);
    let patience = search::early_stopping(&mut root);
    let mut file = |key| paths::one(&root.take(key)?, paths::Wanted::File, folder);
    let (architecture, champion) = (file("architecture"), file("champion"));
    if let (Some(_), Precision::Bfloat16) = (&architecture, precision) {
        let text = "training.precision: `bfloat16` is for the built-in network; an `architecture` of one's own chooses its numbers itself";
        root.value.problems.missing(text);
    }
    if architecture.is_some() && from.is_some() {
        let text = "training.from: a model of the built-in network; an `architecture` of one's own \
                    begins with the parameters that it has";
        root.value.problems.missing(text);
    }
    let resources = nodes::resources(&mut root);
    let program = nodes::program(&mut root, folder);
    let tracking = tracking::tracking(&mut root, folder);
    root.finish();
    Some(SweepFile {
        name: name?,
        seed: seed?.unsigned_abs(),
        data: data?,
        preprocessing,
        space,
        search,
        metric,
        budget,
        patience,
        precision,
        from,
        architecture,
        champion,
        resources,
        program,
        tracking,
    })
}
