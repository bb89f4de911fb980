//! `holdadvise-train tensors`: the released holds of logs as one dataset file.

use std::io::BufReader;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;
use holdadvise::features::{
    FeatureSchema, FrameEdges, Holds, Layout, Sample, Sampler, Slots, fnv1a, is_labelled,
};
use holdadvise::history::{Action, Episode, HoldIdentity, Outcome, reason};
use holdadvise::hold_code;
use holdadvise::model::limits;

use crate::Error;
use crate::data::companions;
use crate::data::dataset::{Dataset, Row};
use crate::data::input::{InputOptions, open, unread};
use crate::data::instant::Instant;
use crate::data::truth::{Oracle, Truth};
use crate::output::Output;
use crate::progress::{Progress, Unit};
use crate::random::Random;

/// Write the released holds of job event logs as a dataset: one sample each, at its release.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("source").required(true).multiple(true)
    .args(["logs", "simulation", "simulate", "companion"]))]
pub struct TensorsOptions {
    #[command(flatten)]
    input: InputOptions,
    /// The dataset file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
    /// What the rows are of: `simulated data`, or the name of the access point.
    #[arg(long, value_name = "NAME", default_value = "simulated data")]
    origin: String,
    /// The rows are real outcomes of that access point.
    #[arg(long)]
    real: bool,
    /// A folder that `simulate` wrote, or of a recorded pool, in place of logs; repeatable, each an
    /// access point of its own. Rows for every action at every instant the oracle was asked, of
    /// holds that were never released too, with their true probabilities.
    #[arg(long, value_name = "DIR")]
    simulation: Vec<PathBuf>,
    /// In place of logs, companions for rows of logs: small simulated access points of these seeds,
    /// 1 to 1000, as in 701-712, to `merge` with those rows. They train beside them, and nothing
    /// else.
    #[arg(long, value_name = "FIRST-LAST", value_parser = companions::seeds, conflicts_with_all = [
        "logs", "simulation", "userlogs", "epochs", "journal", "time_zone", "origin", "real",
        "releases_only", "from", "until", "access_point",
    ])]
    simulate: Option<RangeInclusive<u32>>,
    /// A folder as of `--simulation` whose rows, all of them, train beside the others, and nothing
    /// else; repeatable.
    #[arg(long, value_name = "DIR", conflicts_with = "releases_only")]
    companion: Vec<PathBuf>,
    /// Of the simulations: only the releases that happened, as real logs and a journal would show
    /// them.
    #[arg(long)]
    releases_only: bool,
    /// Of the simulations: the share of the instants of each hold, besides its release, that
    /// become rows. Drawn by a hash: the same logs give the same rows.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, conflicts_with = "releases_only")]
    oracle: f64,
    /// The share of the simulations that are read without their epoch ads, spread evenly over their
    /// order: access points before HTCondor 24 keep none, and what is changed before a release is not
    /// seen there.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, requires = "simulation")]
    without_epochs: f64,
    /// Rows of a release made later than its decision, for each instant, drawn by a hash: of a
    /// simulation made with `--when` so many of its delays, of a release that happened so many
    /// instants before it. 0: none, and no column for the delay.
    #[arg(long, value_name = "N", default_value_t = 2)]
    delays: usize,
    /// Frame edges in seconds before the decision, growing, with commas between. Default: those of
    /// the shipped model.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    frame_edges: Vec<u32>,
    /// m: frames of equal length in place of those.
    #[arg(long, value_name = "M", requires = "frame_length", conflicts_with = "frame_edges")]
    frames: Option<u32>,
    /// Seconds that each of these frames is long.
    #[arg(long, value_name = "SECONDS", requires = "frames", conflicts_with = "frame_edges")]
    frame_length: Option<u32>,
    /// j: job slots, the held job first; 5 to 1024.
    #[arg(long, value_name = "J", default_value_t = Slots::default().count())]
    slots: usize,
    /// Only holds that began at this instant or later become rows; everything else is read all the
    /// same. Unix seconds or ISO 8601, without an offset in the time zone of the logs.
    #[arg(long, value_name = "INSTANT", allow_negative_numbers = true)]
    from: Option<Instant>,
    /// Only holds that began before this instant become rows.
    #[arg(long, value_name = "INSTANT", allow_negative_numbers = true)]
    until: Option<Instant>,
    /// Number of the access point that the logs are of, in the columns `access_point`, `cluster`
    /// and `owner`. Simulations are numbered from the next one on.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..=1_000_000))]
    access_point: i32,
    /// Write the file although it has no rows.
    #[arg(long)]
    allow_empty: bool,
}

/// Seconds since the hold from which on somebody may foresee a release.
const LEAST_HELD: i64 = 15;

/// Seconds ahead for which a release is asked about: three days.
const LONGEST_DELAY: i64 = 3 * 86_400;

/// The time in which a hold begins that becomes a row.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    /// Unix seconds; from then on.
    from: Option<i64>,
    /// Unix seconds; before then.
    until: Option<i64>,
}

impl Window {
    fn has(self, episode: &Episode) -> bool {
        let began = episode.held_at;
        self.from.is_none_or(|from| from <= began) && self.until.is_none_or(|until| began < until)
    }
}

impl TensorsOptions {
    /// The frames and slots asked for.
    fn layout(&self) -> Result<Layout, Error> {
        let frames = match (self.frames, self.frame_length) {
            (Some(m), Some(length)) => FrameEdges::equal(m, length).ok_or_else(|| {
                format!(
                    "--frames {m} --frame-length {length}: both must be at least 1 and their product below 2^32"
                )
            })?,
            _ if self.frame_edges.is_empty() => FrameEdges::default(),
            _ => FrameEdges::new(self.frame_edges.clone())
                .ok_or("--frame-edges: expected two or more growing numbers")?,
        };
        let (count, most) = (frames.count(), limits::FRAMES);
        if count > most {
            return Err(format!("{count} frames: a model has {most} at most").into());
        }
        let slots = Slots::new(self.slots).map_err(|error| format!("--slots: {error}"))?;
        Ok(Layout { frames, slots })
    }

    /// The interval asked for.
    fn window(&self) -> Result<Window, Error> {
        let zone = self.input.zone()?;
        let unix = |instant: Option<Instant>| instant.map(|it| it.unix(&zone)).transpose();
        let window = Window { from: unix(self.from)?, until: unix(self.until)? };
        if let Window { from: Some(from), until: Some(until) } = window
            && from >= until
        {
            return Err(format!("--from {from} must lie before --until {until}").into());
        }
        Ok(window)
    }
}

/// Runs the subcommand.
///
/// # Errors
/// When the input cannot be read, an option is out of range, there are no rows, or the file cannot
/// be written.
pub fn run(options: &TensorsOptions) -> Result<(), Error> {
    for (name, share) in [("oracle", options.oracle), ("without-epochs", options.without_epochs)] {
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("--{name} {share} must lie in 0..=1").into());
        }
    }
    let output = Output::new(&options.output, options.replace);
    output.check()?;
    let layout = options.layout()?;
    let window = options.window()?;
    let horizon = options.input.horizon();
    let schema = FeatureSchema::with_layout(&layout);
    let schema = if options.delays == 0 { schema.without_delay() } else { schema };
    let mut dataset = Dataset::new(schema, &options.origin, options.real, horizon);
    if !options.input.logs.is_empty() {
        push_logs(&mut dataset, &options.input, options.access_point, window, options.delays)?;
    }
    for (number, folder) in options.simulation.iter().enumerate() {
        let access_point = options.access_point + i32::try_from(number + 1)?;
        let without = |count: usize| (count as f64 * options.without_epochs).floor();
        let epochs = without(number + 1) == without(number);
        let which = Which { window, epochs, oracle: options.oracle };
        push_simulation(&mut dataset, options, folder, access_point, which)?;
    }
    for (number, folder) in options.companion.iter().enumerate() {
        let access_point = companions::number_of_folder(number)?;
        dataset.info.add_companions(&[access_point]);
        let which = Which { window, epochs: true, oracle: 1.0 };
        push_simulation(&mut dataset, options, folder, access_point, which)?;
    }
    let seeds: Vec<u32> = options.simulate.clone().into_iter().flatten().collect();
    let simulating = Progress::new("simulating", Unit::Things("companions"), seeds.len() as u64);
    for seed in seeds {
        let folder = tempfile::tempdir()?;
        companions::simulate(seed, folder.path(), options.delays > 0)?;
        let access_point = companions::number(seed);
        dataset.info.add_companions(&[access_point]);
        let which = Which { window, epochs: true, oracle: options.oracle };
        push_simulation(&mut dataset, options, folder.path(), access_point, which)?;
        simulating.advance(1);
    }
    drop(simulating);
    if dataset.is_empty() && !options.allow_empty {
        let began = match window {
            Window { from: None, until: None } => "",
            _ => " that began between --from and --until",
        };
        return Err(format!(
            "no hold of these logs{began} was released and came to an outcome: nothing to train on"
        )
        .into());
    }
    dataset.write(&output)?;
    eprintln!("{} rows, schema {}", dataset.len(), dataset.info.schema.hash);
    Ok(())
}

/// What of a simulation becomes rows.
#[derive(Clone, Copy)]
struct Which {
    window: Window,
    /// It is read with its epoch ads.
    epochs: bool,
    /// The share of the instants of each hold besides its release.
    oracle: f64,
}

fn push_simulation(
    dataset: &mut Dataset,
    options: &TensorsOptions,
    folder: &Path,
    access_point: i32,
    Which { window, epochs, oracle }: Which,
) -> Result<(), Error> {
    let truth = Truth::of_folder(folder)?;
    let description = folder.join("simulation.json");
    if description.exists() {
        let read = serde_json::from_reader(BufReader::new(open(&description)?));
        dataset.info.simulations.push(read.map_err(unread(&description))?);
    }
    let mut of_simulation = options.input.of_simulation(folder)?;
    if !epochs {
        of_simulation.epochs.clear();
    }
    let mut input = of_simulation.read()?;
    input.journal = truth.journal();
    let mut episodes = input.episodes();
    episodes.retain(|episode| window.has(episode));
    let sampler = Sampler::for_schema(input.history, &dataset.info.schema, &Holds::All)?;
    let mut rows = Rows { dataset, sampler, access_point, truth, delays: options.delays };
    if options.releases_only {
        rows.push_releases(&episodes)
    } else {
        rows.push_truth(&episodes, oracle)
    }
}

/// The releases of logs that came to an outcome, as real outcomes of an access point.
///
/// # Errors
/// When the logs cannot be read, or this program does not compute what the schema names.
pub fn of_logs(
    input: &InputOptions,
    schema: &FeatureSchema,
    access_point: &str,
) -> Result<Dataset, Error> {
    let mut dataset = Dataset::new(schema.clone(), access_point, true, input.horizon());
    push_logs(&mut dataset, input, 0, Window::default(), 0)?;
    Ok(dataset)
}

fn push_logs(
    dataset: &mut Dataset,
    input: &InputOptions,
    access_point: i32,
    window: Window,
    delays: usize,
) -> Result<(), Error> {
    let input = input.read()?;
    let mut episodes = input.episodes();
    episodes.retain(|episode| window.has(episode));
    let sampler = Sampler::for_schema(input.history, &dataset.info.schema, &Holds::All)?;
    let truth = Truth::default();
    let mut rows = Rows { dataset, sampler, access_point, truth, delays };
    rows.push_releases(&episodes)
}

/// Where the rows of one source of logs go.
struct Rows<'a> {
    dataset: &'a mut Dataset,
    sampler: Sampler,
    /// Its number.
    access_point: i32,
    truth: Truth,
    /// Rows of later releases for each instant.
    delays: usize,
}

impl Rows<'_> {
    /// One row for each release that came to an outcome.
    fn push_releases(&mut self, episodes: &[Episode]) -> Result<(), Error> {
        let labelled = || episodes.iter().filter(|episode| is_labelled(episode));
        let count = labelled().count();
        self.dataset.reserve(count * (1 + self.delays));
        let progress = Progress::new("sampling", Unit::Things("releases"), count as u64);
        for episode in labelled() {
            self.push_release(episode)?;
            self.push_foreseen(episode)?;
            progress.advance(1);
        }
        Ok(())
    }

    /// The release as it was to come, at instants since the hold: all that is known then is that it
    /// succeeded or failed so much later (current status data: Groeneboom and Wellner 1992).
    fn push_foreseen(&mut self, episode: &Episode) -> Result<(), Error> {
        let Some(released) = episode.released_at else { return Ok(()) };
        let held_for = released.saturating_sub(episode.held_at);
        for number in 0..self.delays {
            let key = format!("foreseen {number}");
            // As often a tenth before the release as a tenth after the hold.
            let since = (held_for as f64).powf(self.chance_of(episode, released, &key)) as i64;
            let delay = held_for - since;
            if since < LEAST_HELD || !(1..=LONGEST_DELAY).contains(&delay) {
                continue;
            }
            let instant = episode.held_at + since;
            let mut sample = self.sampler.sample(episode, instant, episode.action, None);
            self.sampler.set_delay(&mut sample, delay);
            let row = self.row(episode, instant, &sample);
            let weight = 1.0 / self.delays as f32;
            self.dataset.push(&Row { observed: false, weight, delay, ..row })?;
        }
        Ok(())
    }

    /// Releases as they are so long after an instant as the simulator played some.
    fn push_later(
        &mut self,
        episode: &Episode,
        oracle: &Oracle,
        sample: &mut Sample,
    ) -> Result<(), Error> {
        let mut later: Vec<&(i64, f64)> =
            oracle.when.iter().filter(|(delay, _)| (1..=LONGEST_DELAY).contains(delay)).collect();
        let drawn = |(delay, _): &(i64, f64)| {
            self.chance_of(episode, oracle.time, &format!("drawn {delay}"))
        };
        later.sort_by(|a, b| drawn(a).total_cmp(&drawn(b)));
        later.truncate(self.delays);
        later.sort_by_key(|(delay, _)| *delay);
        self.sampler.set_action(sample, Action::AsIs);
        for &&(delay, share) in &later {
            let success = self.chance_of(episode, oracle.time, &format!("after {delay}")) < share;
            let outcome = Some(if success { Outcome::Success } else { Outcome::Failure });
            let action = Action::AsIs;
            let told = Episode { action, outcome, outcome_at: None, ..episode.clone() };
            self.sampler.set_delay(sample, delay);
            let row = self.row(&told, oracle.time, sample);
            // Of one play there is no probability.
            let truth = Some(share as f32).filter(|_| oracle.plays.is_some());
            let weight = 1.0 / later.len() as f32;
            self.dataset.push(&Row { observed: false, truth, weight, delay, ..row })?;
        }
        Ok(())
    }

    /// The release as it happened.
    fn push_release(&mut self, episode: &Episode) -> Result<(), Error> {
        let Some(instant) = episode.released_at else { return Ok(()) };
        let sample = self.sampler.sample(episode, instant, episode.action, None);
        let truth = self.truth.of(episode).and_then(|hold| hold.at(instant, episode.action));
        let row = self.row(episode, instant, &sample);
        self.dataset.push(&Row { truth: truth.map(|truth| truth as f32), ..row })
    }

    /// The releases that happened; each once more with its action hidden, as a log alone shows it;
    /// and for every action at every instant the oracle was asked a row whose label is drawn with
    /// the true probability. Nothing is told of an action that changes nothing, as-is excepted.
    fn push_truth(&mut self, episodes: &[Episode], oracle_share: f64) -> Result<(), Error> {
        let by_system = || episodes.iter().filter(|e| hold_code::is_by_system(e.identity.code));
        let whole = by_system().count() as u64;
        let progress = Progress::new("sampling", Unit::Things("holds"), whole);
        for episode in by_system() {
            progress.advance(1);
            if let (Some(instant), true) = (episode.released_at, is_labelled(episode)) {
                // Nothing of a companion happened: what its release would do the oracle says.
                if !self.dataset.info.is_companion(self.access_point) {
                    self.push_release(episode)?;
                }
                let hidden = Episode { action: Action::Unknown, ..episode.clone() };
                let sample = self.sampler.sample(&hidden, instant, Action::Unknown, None);
                let row = self.row(&hidden, instant, &sample);
                self.dataset.push(&Row { observed: false, ..row })?;
            }
            let oracles = self.truth.of(episode).map(|hold| hold.oracle.clone());
            for oracle in oracles.unwrap_or_default() {
                if self.chance(episode, oracle.time, Action::Unknown) >= oracle_share {
                    continue;
                }
                let mut sample = self.sampler.sample(episode, oracle.time, Action::AsIs, None);
                for (action, probability) in oracle.actions() {
                    let as_is = oracle.of(Action::AsIs);
                    let differs = as_is.is_none_or(|as_is| (probability - as_is).abs() > 0.1);
                    if !differs && !matches!(action, Action::AsIs | Action::Other) {
                        continue;
                    }
                    self.sampler.set_action(&mut sample, action);
                    let success = self.chance(episode, oracle.time, action) < probability;
                    let outcome = Some(if success { Outcome::Success } else { Outcome::Failure });
                    let told = Episode { action, outcome, outcome_at: None, ..episode.clone() };
                    let row = self.row(&told, oracle.time, &sample);
                    let truth = Some(probability as f32);
                    self.dataset.push(&Row { observed: false, truth, ..row })?;
                }
                self.push_later(episode, &oracle, &mut sample)?;
            }
        }
        Ok(())
    }

    fn chance(&self, episode: &Episode, instant: i64, action: Action) -> f64 {
        self.chance_of(episode, instant, action.name())
    }

    /// A number within 0 to 1 that depends on the row alone: the same logs give the same file.
    fn chance_of(&self, episode: &Episode, instant: i64, what: &str) -> f64 {
        let HoldIdentity { job, num_holds, .. } = episode.identity;
        let (access_point, held_at) = (self.access_point, episode.held_at);
        let key = format!("{access_point} {job} {num_holds} {held_at} {instant} {what}");
        Random::new(fnv1a(key.as_bytes())).unit()
    }

    fn row<'s>(&mut self, episode: &Episode, instant: i64, sample: &'s Sample) -> Row<'s> {
        let hold = self.truth.of(episode);
        let cause = hold.and_then(|hold| hold.cause.clone());
        let HoldIdentity { job, code, subcode, .. } = episode.identity;
        let owner = episode.owner.as_deref().unwrap_or_default();
        let reason = reason::normalised(episode.reason.as_deref().unwrap_or_default());
        Row {
            states: &sample.states,
            statics: &sample.statics,
            action: episode.action,
            outcome: episode.outcome.unwrap_or(Outcome::Censored),
            cause: cause.and_then(|cause| self.dataset.cause(&cause)),
            reach: hold.and_then(|hold| hold.reach),
            access_point: self.access_point,
            cluster: (i64::from(self.access_point) << 32) + i64::from(job.cluster),
            // A group, not a name, goes into the file.
            owner: hash(&format!("{} {owner}", self.access_point)),
            cell: hash(&format!("{code} {subcode} {reason}")),
            hold_time: episode.held_at,
            decision_instant: instant,
            outcome_time: episode.outcome_at.unwrap_or(instant),
            code,
            subcode,
            ..Row::default()
        }
    }
}

fn hash(text: &str) -> i64 {
    fnv1a(text.as_bytes()).cast_signed()
}
