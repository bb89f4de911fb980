//! Asking `condor_holdadvise` in the pool, and judging what it says by what is true.

use std::path::PathBuf;

use serde_json::Value;

use super::causes::Truth;
use super::harness::Pool;

/// What the program said of one job.
#[derive(Clone, Debug)]
pub(crate) struct Advice {
    /// `release`, `try`, `change`, `wait`, `look`, `remove` or `undecided`.
    pub recommendation: String,
    /// `as-is`, `memory`, `disk`, `site`, `other`, or empty.
    pub action: String,
    /// The whole object.
    pub object: Value,
}

impl Advice {
    /// Recommendation and, for a change, its kind.
    pub(crate) fn words(&self) -> String {
        match self.recommendation.as_str() {
            "change" => format!("change ({})", self.action),
            other => other.to_owned(),
        }
    }

    /// The edits of the job that it tells its user to paste.
    pub(crate) fn edits(&self) -> Vec<String> {
        let commands = self.object["Commands"].as_array().map(Vec::as_slice).unwrap_or_default();
        commands
            .iter()
            .filter_map(Value::as_str)
            .filter(|command| command.starts_with("condor_qedit "))
            .map(str::to_owned)
            .collect()
    }

    /// Whether this was the right thing to say. `on`: the fault of a transient cause lasts.
    pub(crate) fn is_right(&self, truth: Truth, on: bool) -> bool {
        match truth {
            Truth::Transient { round, .. } if on => {
                self.recommendation == "wait"
                    || self.recommendation == "change" && round == Some(&self.action)
            }
            Truth::Transient { .. } => self.recommendation == "release",
            Truth::Permanent { change } => {
                let named = self.recommendation == "change" && self.action == change;
                // What only the program knows stands in what it wrote.
                named || change == "other" && self.looks_at_output()
            }
            Truth::Person => self.recommendation == "undecided",
        }
    }
}

impl Advice {
    /// It shows the end of what the program wrote.
    fn looks_at_output(&self) -> bool {
        self.recommendation == "look" && self.object["Look"]["Kind"] == "Output"
    }
}

/// The program as cargo built it for this test, or the one that HOLDADVISE_POOL_PROGRAM names; none
/// if that is empty.
pub(crate) fn program() -> Option<PathBuf> {
    match std::env::var_os("HOLDADVISE_POOL_PROGRAM") {
        Some(name) if name.is_empty() => None,
        Some(name) => Some(PathBuf::from(name)),
        None => option_env!("CARGO_BIN_EXE_condor_holdadvise").map(PathBuf::from),
    }
}

/// Asks for advice as the owner of the job.
pub(crate) fn ask(pool: &Pool, owner: &str, job: &str) -> Result<Advice, String> {
    let text = pool.try_run(owner, &["condor_holdadvise", "-json", job])?;
    let mut list: Vec<Value> =
        serde_json::from_str(&text).map_err(|error| format!("{job}: {error} in {text:?}"))?;
    if list.len() != 1 {
        return Err(format!("{job}: {} objects instead of one", list.len()));
    }
    let object = list.remove(0);
    let id = format!("{}.{}", object["ClusterId"], object["ProcId"]);
    if id != job {
        return Err(format!("asked about {job}, told about {id}"));
    }
    let word = |key: &str| object[key].as_str().unwrap_or_default().to_owned();
    Ok(Advice { recommendation: word("Recommendation"), action: word("RecommendedAction"), object })
}
