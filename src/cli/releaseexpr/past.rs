//! The holds of the past that expressions are tried on, and by which rules.

use std::collections::HashSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::input::{read_knobs, unreadable};
use super::request::Past;
use crate::advice::Advisor;
use crate::cli::RunError;
use crate::cli::output::say;
use crate::cli::piped;
use crate::history::{Coverage, History, HistoryBuilder};
use crate::inquiry::{Config, costs, open_model, unpacked};
use crate::model::Thresholds;
use crate::policy::{Knobs, Version};
use crate::print::{CostHours, wrap};
use crate::queue::display_path;
use crate::replay::{PastAdvice, PastHold, PastHolds, Rules, Sources, Successes, Ticks};
use crate::sentences::times::minute;
use crate::text::plural;
use eventlog::input::Room;
use eventlog::{ReadOptions, system_zone};
use tempfile::TempDir;

/// Holds that a model is asked about at most: each several times.
const ASKED_ABOUT: usize = 2_000;

const NO_LOG: &str = "no log to read holds from: give -eventlog or -userlog and a file; EVENT_LOG is \
     not set here";

/// What was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) past: PastHolds,
    pub(super) successes: Successes,
    pub(super) rules: Rules,
    /// The version of HTCondor that evaluates the policies.
    pub(super) version: Version,
    sources: Sources,
    config: Config,
    /// Copies of logs that can be read once.
    _kept: Option<TempDir>,
}

/// Reads the logs named, or those of the access point here; `wanted` says what of them beside the
/// holds.
///
/// # Errors
/// [`RunError`] when there is no log, or a file cannot be opened.
pub(super) fn read(asked: &Past, wanted: Sources) -> Result<Read, RunError> {
    let config = Config::of_user();
    let (mut user_logs, mut event_logs) = (asked.user_logs.clone(), asked.event_logs.clone());
    let kept = piped::keep(user_logs.iter_mut().chain(&mut event_logs))?;
    let is_here = event_logs.is_empty() && user_logs.is_empty();
    if is_here {
        let log = config
            .get("HOLDADVISE_EVENT_LOG")
            .or_else(|| config.get_condor("EVENT_LOG"))
            .ok_or_else(|| RunError::failed(NO_LOG))?;
        event_logs.push(PathBuf::from(log));
    }
    let mut knobs = match &asked.config {
        Some(path) => read_knobs(path)?,
        None if is_here => config.knobs(),
        None => Knobs::default(),
    };
    let version = asked.condor.or_else(|| knobs.version()).unwrap_or(Version::NEWEST);
    knobs.insert("CONDOR_VERSION", version.to_string());
    let switched_off = "PERIODIC_EXPR_INTERVAL is 0: this access point evaluates no policy";
    let interval = knobs.interval().ok_or_else(|| RunError::failed(switched_off))?;
    let sources = Sources {
        event_logs,
        user_logs,
        epochs: asked.epochs.clone(),
        room: Room::new(config.event_log_bytes()?),
        ..wanted
    };
    let past = PastHolds::read(&sources)?;
    past.problems.iter().for_each(|problem| say("Warning", problem));
    if sources.room.left() == 0 {
        say("Warning", &unpacked(config.event_log_bytes()?));
    }
    let rules = Rules {
        ticks: Ticks { interval, phase: 0 },
        max_releases: knobs.max_releases(),
        costs: costs(&asked.costs, &config, Thresholds::default())?,
        end: past.end,
    };
    let successes = Successes::of(&past.holds);
    Ok(Read { past, successes, rules, version, sources, config, _kept: kept })
}

impl Read {
    /// Asks the model about each hold, where that is wanted.
    ///
    /// Of many holds some are taken, which are left as the only ones: what is compared is compared
    /// on the same.
    ///
    /// # Errors
    /// [`RunError`] when the model cannot be used or a log cannot be read once more.
    pub(super) fn ask(&mut self, asked: &Past) -> Result<Option<PastAdvice>, RunError> {
        if !asked.asks_model {
            return Ok(None);
        }
        let model = open_model::<RunError>(asked.model.as_deref(), &self.config)?;
        let every = self.past.holds.len().div_ceil(ASKED_ABOUT).max(1);
        if every > 1 {
            let some: Vec<PastHold> = self.past.holds.iter().step_by(every).cloned().collect();
            self.past.holds = some;
            let text =
                format!("the model is asked about one hold in {every}; the others are left out");
            say("Warning", &text);
        }
        let advisor = Advisor::new(self.history()?, &model)?.with_costs(self.rules.costs);
        let knows = |code| model.metadata.knows(code);
        Ok(Some(PastAdvice::of(&advisor, &self.past.holds, knows, self.rules.end)?))
    }

    /// The logs, for people.
    fn files(&self) -> Vec<String> {
        let files = self.sources.event_logs.iter().chain(&self.sources.user_logs);
        files.map(|file| display_path(file)).collect()
    }

    fn history(&self) -> Result<History, RunError> {
        let options = ReadOptions::default();
        let mut history = HistoryBuilder::new();
        // What is damaged was told of when the holds were read.
        for log in &self.sources.event_logs {
            history.read_series(log, &options)?;
        }
        for log in &self.sources.user_logs {
            history.read_log(log, Coverage::Jobs, &options)?;
        }
        for path in &self.sources.epochs {
            let file = eventlog::input::reader(path).map_err(|error| unreadable(path, &error))?;
            history.read_epochs(file);
        }
        Ok(history.build())
    }
}

/// What was read, in a sentence or two.
pub(super) fn heading(read: &Read, columns: Option<usize>) -> String {
    let holds = &read.past.holds;
    let zone = system_zone();
    let named = match read.files().as_slice() {
        [one] => one.clone(),
        all => plural(all.len(), "log"),
    };
    let (Some(first), Some(last)) = (holds.first(), holds.last()) else {
        return wrap("", 0, &format!("No job was held in {named}."), columns);
    };
    let text = format!(
        "{} of {}, {} to {}, of {named}. Policies are evaluated every {} s.",
        plural(holds.len(), "hold"),
        plural(clusters(holds), "cluster"),
        minute(first.held_at, &zone),
        minute(last.held_at, &zone),
        read.rules.ticks.interval
    );
    wrap("", 0, &text, columns)
}

/// The same for scripts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Heading {
    logs: Vec<String>,
    events: u64,
    holds: usize,
    clusters: usize,
    /// When the first of them began, and the last, Unix seconds.
    from: Option<i64>,
    to: Option<i64>,
    periodic_expr_interval: i64,
    system_max_releases: Option<i64>,
    costs: CostHours,
}

impl Heading {
    pub(super) fn of(read: &Read) -> Self {
        let holds = &read.past.holds;
        Self {
            logs: read.files(),
            events: read.past.events,
            holds: holds.len(),
            clusters: clusters(holds),
            from: holds.first().map(|hold| hold.held_at),
            to: holds.last().map(|hold| hold.held_at),
            periodic_expr_interval: read.rules.ticks.interval,
            system_max_releases: read.rules.max_releases,
            costs: CostHours::of(&read.rules.costs),
        }
    }
}

fn clusters(holds: &[PastHold]) -> usize {
    holds.iter().map(|hold| hold.job.cluster).collect::<HashSet<_>>().len()
}
