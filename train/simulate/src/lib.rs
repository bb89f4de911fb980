//! A simulated access point: owners, sites, file servers, their troubles, and people who release
//! what is held.
//!
//! [`simulate`] writes what a real access point leaves (`EventLog`, `epoch_history`), and beside it
//! what only a simulation knows (`truth.jsonl`): the cause of each hold and the success probability
//! of each action. See `docs/training/simulator.md`.
//!
//! - `arguments`: arguments of the command.
//! - `cause`: hidden causes.
//! - `engine`: takes what happens in order of time.
//! - `error`: what can go wrong.
//! - `frozen`: version and fingerprints of the simulator.
//! - `layer`: sections that a layer adds to a preset.
//! - `life`: clusters, jobs and runs.
//! - `oracle`: success probabilities, given the hidden state.
//! - `output`: writes the files of an access point.
//! - `preset`: parameters of a simulation.
//! - `random`: one generator for each purpose.
//! - `reason`: hold reasons in HTCondor's words.
//! - `summary`: the table of holds that is printed.
//! - `truth`: `truth.jsonl`.
//! - `vary`: other habits and troubles around a preset.
//! - `world`: sites, servers, file systems and owners.

mod arguments;
mod cause;
mod engine;
mod error;
mod frozen;
mod layer;
mod life;
mod oracle;
mod output;
mod preset;
mod random;
mod reason;
mod summary;
mod truth;
mod vary;
mod world;

use std::path::PathBuf;

use jiff::tz::TimeZone;

pub use arguments::Arguments;
pub use cause::{Cause, Reach};
pub use engine::act::{Course, Deed, Event, Fix, HeldNow, Hidden, Loop, Policy, Thing};
pub use error::SimulateError;
pub use frozen::{FROZEN, FROZEN_LAYERS, VERSION, hash_of};
use output::place::OutFile;
pub use preset::Preset;
pub use random::Spread;
pub use summary::{Cell, Summary};

/// What to simulate, and where to write it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The parameters.
    pub preset: Preset,
    /// The same seed gives the same files, byte for byte.
    pub seed: u64,
    /// Days simulated.
    pub days: u32,
    /// Directory for the files; made where it is not there.
    pub output: PathBuf,
    /// Event 028 behind each event (`EVENT_LOG_JOB_AD_INFORMATION_ATTRS`).
    pub information: bool,
    /// Bytes after which `EventLog` is rotated (`EVENT_LOG_MAX_SIZE`); 0: never.
    pub largest_log: u64,
    /// Rotated logs that are kept (`EVENT_LOG_MAX_ROTATIONS`).
    pub most_rotations: u32,
}

impl Settings {
    /// With event 028, and one log that is never rotated.
    pub fn new(preset: Preset, seed: u64, days: u32, output: impl Into<PathBuf>) -> Self {
        let (information, largest_log, most_rotations) = (true, 0, 1);
        let output = output.into();
        Self { preset, seed, days, output, information, largest_log, most_rotations }
    }
}

/// What is written besides, where it is asked for: it costs time and changes nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// So many plays of a release as it is for each of nine delays, beside the probabilities of the
    /// oracle: 1 to 1,000.
    pub when: Option<u32>,
    /// `looks.jsonl`: what looks at files, URLs and outputs would have found at the instants of the
    /// oracle.
    pub looks: bool,
}

/// Stream of chance by which an access point is drawn that logs the least.
const BARE_STREAM: u64 = 11;

impl Settings {
    /// Neither events 028 nor epoch ads are written.
    fn is_bare(&self) -> bool {
        let logs = self.preset.logs.as_ref();
        logs.is_some_and(|logs| random::Dice::new(self.seed, BARE_STREAM).chance(logs.bare))
    }

    /// Unix seconds of the first and the last instant.
    pub fn span(&self) -> (i64, i64) {
        let start = self.preset.access_point.start.to_zoned(TimeZone::UTC);
        let start = start.map_or(0, |zoned| zoned.timestamp().as_second());
        (start, start + i64::from(self.days) * 86_400)
    }
}

/// Runs a simulation and writes `EventLog`, `epoch_history`, `truth.jsonl` and `simulation.json`.
///
/// # Errors
/// A file cannot be written.
pub fn simulate(settings: &Settings) -> Result<Summary, SimulateError> {
    simulate_with(settings, Extras::default())
}

/// The same, and what else is asked for.
///
/// # Errors
/// A file cannot be written.
pub fn simulate_with(settings: &Settings, extras: Extras) -> Result<Summary, SimulateError> {
    simulate_telling(settings, extras, &mut |_| {})
}

/// The same; `day` is told of each day that is over, by its number.
fn simulate_telling(
    settings: &Settings,
    extras: Extras,
    day: &mut dyn FnMut(u32),
) -> Result<Summary, SimulateError> {
    let finished = engine::Simulation::new(settings, extras, None)?.run(day)?;
    let mut truth = OutFile::create(settings.output.join("truth.jsonl"))?;
    finished.records.iter().try_for_each(|record| truth.line(record))?;
    truth.flush()?;
    let mut description = OutFile::create(settings.output.join("simulation.json"))?;
    description.line(&frozen::Description::of(settings))?;
    description.flush()?;
    Ok(Summary::of(finished.jobs, &finished.records))
}

/// Plays an access point on which a policy decides about held jobs in the place of people, and
/// gives what happened to each job that was held. `EventLog` and `epoch_history` are written as the
/// policy reads them; nothing asks the oracle. Chance is that of the job and its run, hold or look,
/// so that policies differ by what they do. What jobs do to each other, for slots and by what they
/// make, is not the same.
///
/// # Errors
/// A file cannot be written.
pub fn simulate_closed(
    settings: &Settings,
    policy: Box<dyn Policy>,
    how: Loop,
) -> Result<Vec<Course>, SimulateError> {
    let acting = engine::Acting::new(policy, how, settings.seed, settings.output.clone());
    Ok(engine::Simulation::new(settings, Extras::default(), Some(acting))?
        .run(&mut |_| {})?
        .courses)
}
