//! Scripts and what they used.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use holdadvise::profile::{Binding, SlotShares, columns};
use scripttree::Language;
use serde::Deserialize;

use crate::Error;

/// Seconds that a script must have run.
const LEAST_SECONDS: f64 = 1.0;

/// A line of the measurements.
#[derive(Debug, Deserialize)]
struct Line {
    project: String,
    language: String,
    file: PathBuf,
    /// The interpreter, the script, and its arguments.
    argv: Vec<String>,
    /// Seconds.
    wall: f64,
    user: f64,
    sys: f64,
    /// Seconds that it waited for a processor that others had.
    delay: f64,
    /// Bytes.
    peak_rss: f64,
    read_bytes: f64,
    write_bytes: f64,
    net_rx: f64,
    net_tx: f64,
    /// `exit`, `limit` or `signal`.
    ended: String,
    exit_code: i64,
}

/// A script that was run.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) project: String,
    pub(super) columns: Vec<f32>,
    /// What bound it.
    pub(super) binding: Binding,
    /// Another resource of which it took nearly as large a share.
    pub(super) tie: Option<Binding>,
}

/// A share is nearly as large as another from this part of it on.
const NEARLY: f64 = 0.95;

impl Row {
    /// It is right to say so.
    pub(super) fn is(&self, binding: Binding) -> bool {
        self.binding == binding || self.tie == Some(binding)
    }
}

/// The other resource of which a script takes nearly as large a share.
fn tie(shares: &SlotShares, binding: Binding) -> Option<Binding> {
    let least = NEARLY * shares.get(binding)?;
    let near = |other: &Binding| {
        *other != binding && shares.get(*other).is_some_and(|share| share >= least)
    };
    Binding::ALL.into_iter().find(near)
}

/// The rows of files of measurements. Runs that failed or were too short are left out, and scripts
/// that cannot be read.
pub(super) fn read_rows(paths: &[PathBuf]) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for path in paths {
        let lines = BufReader::new(File::open(path)?).lines();
        for (number, line) in lines.enumerate() {
            let at = |what: String| format!("{}:{}: {what}", path.display(), number + 1);
            let line: Line = serde_json::from_str(&line?).map_err(|error| at(error.to_string()))?;
            rows.extend(row(&line, path).map_err(at)?);
        }
    }
    Ok(rows)
}

fn row(line: &Line, measured: &Path) -> Result<Option<Row>, String> {
    let has_ended = line.ended == "limit" || (line.ended == "exit" && line.exit_code == 0);
    if !has_ended || line.wall < LEAST_SECONDS {
        return Ok(None);
    }
    let language =
        Language::ALL.into_iter().find(|of| of.name().eq_ignore_ascii_case(&line.language));
    let language = language
        .ok_or_else(|| format!("language {}: expected python, shell or r", line.language))?;
    let folder = measured.parent().unwrap_or(Path::new("."));
    let file = folder.join(&line.file);
    let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let tree = scripttree::read(language, &text)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let ran = (line.wall - line.delay).max(1e-3);
    let cpu = (line.user + line.sys) / ran;
    let disk = (line.read_bytes + line.write_bytes) / line.wall;
    let network = (line.net_rx + line.net_tx) / line.wall;
    let shares = SlotShares::of([Some(cpu), Some(line.peak_rss), Some(disk), Some(network)]);
    let Some(binding) = shares.binding() else { return Ok(None) };
    Ok(Some(Row {
        project: line.project.clone(),
        columns: columns(&tree, line.argv.iter().skip(2).map(String::as_str)),
        binding,
        tie: tie(&shares, binding),
    }))
}
