//! One day: outcomes are learned, the calibration is fitted, drift and a model on trial are looked
//! at.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use eventlog::input::open_regular;
use holdadvise::advice::Costs;
use holdadvise::home::{
    CALIBRATION, DAYS, Drift, Ended, FitOptions, HomeState, KeptCalibration, Places,
    RetrainRequest, Rows, Trial, is_worse, learned, recalibrate,
};
use holdadvise::inquiry::{Config, FoundModel, costs_of, find_model};
use holdadvise::journal::Journal;
use holdadvise::model::{Apart, LEAST_OUTCOMES, MAX_ARCHIVE_BYTES};
use holdadvise::shares;
use rustix::process::{Resource, Rlimit, setrlimit};

use super::retrain::{REQUEST, sweep_of};
use super::{HORIZON, LearnError, MONTHS_LEARNED, SECONDS, add, read};
use crate::counts::quoted;
use crate::line::Line;
use crate::process::ask_judge;
use crate::settings::Settings;

/// Seconds from one day to the next: a little less than a day, so that the hour does not wander.
const DAY: i64 = 86_400 - 1_800;

/// Seconds between two requests of a training at least. Assumed.
const BETWEEN_REQUESTS: i64 = 7 * 86_400;

/// Outcomes that are looked at, of each owner the newest. Assumed.
const MOST_ROWS: usize = 50_000;

/// Seconds of what was learned that are looked back.
const LOOKED_BACK: i64 = 365 * 86_400;

/// Bytes that this process may use; what it reads is bounded too.
const MEMORY: u64 = 2 << 30;

/// Characters of what is said.
const LONGEST: usize = 200;

/// What came of a day: attributes of the ad of the schedd, behind `HoldAdviceHome`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Day {
    /// Outcomes that were learned today.
    pub new: usize,
    /// Outcomes of the model in use.
    pub outcomes: usize,
    /// What became of the calibration.
    pub calibration: String,
    /// Whether the model is off.
    pub drift: String,
    /// What became of a model on trial.
    pub challenger: String,
    /// What went wrong, a line each.
    pub faults: Vec<String>,
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "New = {}\nOutcomes = {}", self.new, self.outcomes)?;
        let problem = self.faults.first().map_or("", String::as_str);
        for (name, text) in [
            ("Calibration", self.calibration.as_str()),
            ("Drift", &self.drift),
            ("Challenger", &self.challenger),
            ("Problem", problem),
        ] {
            let quoted = quoted(text, LONGEST).filter(|literal| literal != "\"\"");
            writeln!(f, "{name} = {}", quoted.unwrap_or_else(|| "undefined".to_owned()))?;
        }
        writeln!(f, "-")
    }
}

/// Learns what there is to learn; `None` where that was done today already, or another process does.
///
/// # Errors
/// [`LearnError`]
pub fn day(config: &Config, now: i64, debug: bool) -> Result<Option<Day>, LearnError> {
    let (settings, mut faults) = Settings::of(config)?;
    let places = settings.places().ok_or(LearnError::Off)?;
    let journal = Journal::open(&settings.learned())?;
    let Some(_alone) = journal.alone("day")? else { return Ok(None) };
    let mut state = places.state()?;
    // A clock that went back does not stop it for ever.
    if now.saturating_sub(state.last) < DAY && state.last <= now {
        return Ok(None);
    }
    let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    let _ = setrlimit(Resource::Data, limit);
    let found = find_model::<LearnError>(None, config)?;
    state.last = now;
    places.keep(&state)?;

    let deadline = Instant::now() + Duration::from_secs(SECONDS);
    let said = ask_judge("-outcomes", deadline, debug, |_| Ok(()))?;
    let mut ended = Vec::new();
    for line in &said.lines {
        match line {
            Line::Outcome(one) => ended.push(Ended {
                job: one.job,
                held: one.held,
                released: one.released,
                at: one.at,
                success: one.success,
            }),
            Line::Note(note) => faults.push(note.clone()),
            _ => {}
        }
    }
    let known = read(&settings.learned(), now - LOOKED_BACK);
    let new = learned(&read(&settings.asked(), now - 2 * 40 * 86_400), &known, &ended);
    faults.extend(add(&settings.learned(), &new, MONTHS_LEARNED)?);
    let entries = [known.as_slice(), &new].concat();
    let rows = Rows::newest(&entries, MOST_ROWS);
    let left_out = rows.left_out.iter().map(|(owner, count)| (&**owner, *count));
    let newest = |owners| format!("{MOST_ROWS} outcomes are looked at; left out: {owners}");
    faults.extend(shares::left_out(left_out).map(newest));
    let mut day = Day { new: new.len(), faults, ..Day::default() };
    day.outcomes = rows.judged(&found.identity).len();
    day.calibration = calibrate(&rows, &found, &places, &access_point(config))?;
    let costs = costs_of(config, found.model.metadata.thresholds)?;
    day.challenger = challenge(&rows, &found, &places, &mut state, &settings, &costs, now)?;
    day.drift = drift(&rows, &found, &places, &mut state, &settings, now)?;
    Ok(Some(day))
}

fn access_point(config: &Config) -> String {
    config.get_condor("FULL_HOSTNAME").unwrap_or_else(|| "this access point".to_owned())
}

/// Fits the calibration of the model in use, and keeps it where it is no worse on newer outcomes.
fn calibrate(
    rows: &Rows,
    found: &FoundModel,
    places: &Places,
    access_point: &str,
) -> Result<String, LearnError> {
    let options = FitOptions {
        least: LEAST_OUTCOMES,
        newer_fraction: 0.3,
        gap: HORIZON,
        draws: 1_000,
        seed: 1,
        apart: Apart::default(),
    };
    let judged = rows.judged(&found.identity);
    let before = found.calibration;
    let kept = KeptCalibration::read(&places.shown).ok().flatten();
    let kept = kept.filter(|kept| kept.model == found.identity);
    let made = match recalibrate(&judged, before, access_point, 0, &options) {
        Ok(made) => made,
        Err(error) => return Ok(format!("as it was: {error}")),
    };
    let losses = made.recalibration.check.log_loss;
    let figures = format!(
        "log loss on newer outcomes {:.3}, before {:.3}",
        losses.after.value, losses.before.value
    );
    if !made.recalibration.check.is_worse() {
        let said = format!(
            "slope {:.2}, intercept {:+.2} by {} outcomes; {figures}",
            made.calibration.a, made.calibration.b, made.recalibration.outcomes
        );
        let kept = KeptCalibration {
            model: found.identity.clone(),
            calibration: made.calibration,
            recalibration: made.recalibration,
        };
        places.show(CALIBRATION, &serde_json::to_vec_pretty(&kept).unwrap_or_default())?;
        return Ok(said);
    }
    match kept {
        Some(kept) if is_worse(&judged, kept.calibration, before, &options) => {
            places.drop_calibration()?;
            Ok(format!("the model's own again: outcomes here do not improve it; {figures}"))
        }
        Some(_) => Ok(format!("as it was: a new one would be worse; {figures}")),
        None => Ok(format!("the model's own: outcomes here do not improve it; {figures}")),
    }
}

/// Looks at the model on trial, or puts the one of the last sweep on trial.
fn challenge(
    rows: &Rows,
    found: &FoundModel,
    places: &Places,
    state: &mut HomeState,
    settings: &Settings,
    costs: &Costs,
    now: i64,
) -> Result<String, LearnError> {
    let Some(challenger) = state.challenger.clone() else {
        return match best_of_sweep(state, settings) {
            None => Ok("none".to_owned()),
            Some((path, bytes)) => match places.take(state, &path, &bytes, &found.identity, now) {
                Ok(()) => Ok(format!("number {} is on trial", state.challengers)),
                Err(error) => Ok(format!("none: {error}")),
            },
        };
    };
    let pairs = rows.pairs(&found.identity, &challenger.model, challenger.since);
    let trial = Trial::of(state.challengers, &pairs, costs);
    let days = now.saturating_sub(challenger.since) / 86_400;
    let stands = format!(
        "number {}, {days} days on trial, {} releases of {} clusters; better by log loss with odds \
         of {:.1} and by hours with {:.1}, {:.0} are needed",
        trial.number,
        trial.releases,
        trial.clusters,
        trial.log_loss.wealth(),
        trial.hours.wealth(),
        1.0 / holdadvise::home::error_of(trial.number)
    );
    if trial.is_better() {
        if found.is_named {
            return Ok(format!(
                "would be installed, but HOLDADVISE_MODEL names the model: {stands}"
            ));
        }
        if !settings.install {
            return Ok(format!("would be installed, HOLDADVISE_INSTALL is not True: {stands}"));
        }
        places.install(state, now)?;
        return Ok(format!("installed: {stands}"));
    }
    if days >= DAYS {
        places.refuse(state)?;
        return Ok(format!("given up: {stands}"));
    }
    Ok(stands)
}

/// The best model of the sweep that was asked for last.
fn best_of_sweep(state: &HomeState, settings: &Settings) -> Option<(std::path::PathBuf, Vec<u8>)> {
    use std::io::Read;
    let request = state.request.as_ref()?;
    let path = sweep_of(settings.retrain.as_deref()?, request.number).join("bestmodel.pt");
    let mut bytes = Vec::new();
    open_regular(&path).ok()?.take(MAX_ARCHIVE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    Some((path, bytes))
}

/// Looks for drift and for enough new outcomes, and asks for a training where the administrator has
/// named a sweep.
fn drift(
    rows: &Rows,
    found: &FoundModel,
    places: &Places,
    state: &mut HomeState,
    settings: &Settings,
    now: i64,
) -> Result<String, LearnError> {
    let asked = state.request.as_ref().map_or(0, |request| request.at);
    let since = state.in_use_since.max(asked);
    let drift = Drift::of(&rows.said(&found.identity, since));
    let new = rows.since(asked);
    let why = match () {
        () if drift.alarms() => Some(format!(
            "probabilities are off by more than {} in log-odds, by {} clusters",
            holdadvise::home::BOUND,
            drift.clusters()
        )),
        () if new >= settings.retrain_outcomes => Some(format!("{new} new outcomes")),
        () => None,
    };
    let Some(why) = why else { return Ok(format!("none in {} clusters", drift.clusters())) };
    let is_early = now.saturating_sub(asked) < BETWEEN_REQUESTS;
    if settings.retrain.is_none() || state.challenger.is_some() || is_early {
        return Ok(why);
    }
    let number = state.request.as_ref().map_or(0, |request| request.number).saturating_add(1);
    let request = RetrainRequest { number, at: now, why: why.clone() };
    state.request = Some(request.clone());
    places.keep(state)?;
    places.show(REQUEST, &serde_json::to_vec_pretty(&request).unwrap_or_default())?;
    Ok(format!("{why}: training {number} is asked for"))
}

/// Takes the model back that the advisor installed.
///
/// # Errors
/// [`LearnError`]
pub fn roll_back(config: &Config, now: i64) -> Result<String, LearnError> {
    let (settings, _) = Settings::of(config)?;
    let shown = settings.home.clone().ok_or(LearnError::Off)?;
    let places = Places { own: settings.learned(), shown };
    let journal = Journal::open(&settings.learned())?;
    let busy = || LearnError::Account("another process is learning; try again later".to_owned());
    let _alone = journal.alone("day")?.ok_or_else(busy)?;
    let mut state = places.state()?;
    let model = places.roll_back(&mut state, now)?;
    let is_there = Path::new(&places.shown).join(holdadvise::home::MODEL).exists();
    let former = if is_there { "the one installed before it" } else { "the one before" };
    Ok(format!("Model {model} was taken back and is not installed again; {former} is in use\n"))
}
