//! `holdadvise-train tensors`: the released holds of logs as one dataset file.

use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use holdadvise::features::{FeatureSchema, FrameEdges, Sample, Sampler, fnv1a, is_labelled};
use holdadvise::history::{Action, Episode, HoldIdentity, Outcome, reason};

use crate::dataset::{Dataset, DatasetError, Row};
use crate::input::{InputError, InputOptions, open};
use crate::random::Random;
use crate::truth::Truth;

/// Write the released holds of job event logs as a dataset: one sample each, at its release.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("from").required(true).multiple(true).args(["logs", "simulation"]))]
pub struct TensorsOptions {
    #[command(flatten)]
    input: InputOptions,
    /// The dataset file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What the rows are of: `simulated data`, or the name of the access point.
    #[arg(long, value_name = "NAME", default_value = "simulated data")]
    origin: String,
    /// The rows are real outcomes of that access point.
    #[arg(long)]
    real: bool,
    /// A folder that `simulate` wrote, or of a recorded pool, in place of logs; repeatable, each an access point of its
    /// own. Rows for every action at every instant the oracle was asked, of holds that were never released too, with
    /// their true probabilities.
    #[arg(long, value_name = "DIR")]
    simulation: Vec<PathBuf>,
    /// Of the simulations: only the releases that happened, as real logs and a journal would show them.
    #[arg(long)]
    releases_only: bool,
    /// Of the simulations: the share of the instants of each hold, besides its release, that are told of. Drawn by a hash:
    /// the same logs give the same rows.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, conflicts_with = "releases_only")]
    told: f64,
    /// Frame edges in seconds before the decision, growing, with commas between. Default: those of the shipped model.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    frame_edges: Vec<u32>,
}

/// Runs the subcommand.
///
/// # Errors
/// When the input cannot be read, the frame edges do not grow, or the file cannot be written.
pub fn run(options: &TensorsOptions) -> Result<(), Box<dyn std::error::Error>> {
    if !(0.0..=1.0).contains(&options.told) {
        return Err(format!("--told {} must lie in 0..=1", options.told).into());
    }
    let frames = match options.frame_edges.as_slice() {
        [] => FrameEdges::default(),
        edges => FrameEdges::new(edges.to_vec())
            .ok_or("--frame-edges: expected two or more growing numbers")?,
    };
    let horizon = options.input.horizon();
    let schema = FeatureSchema::with_frames(&frames);
    let mut dataset = Dataset::new(schema, &options.origin, options.real, horizon);
    if !options.input.logs.is_empty() {
        push_logs(&mut dataset, &options.input, &frames)?;
    }
    for (number, folder) in options.simulation.iter().enumerate() {
        let truth = Truth::of_folder(folder)?;
        let description = folder.join("simulation.json");
        if description.exists() {
            let read = serde_json::from_reader(BufReader::new(open(&description)?));
            let read =
                read.map_err(|error| InputError::File { path: description, source: error.into() })?;
            dataset.info.simulations.push(read);
        }
        let mut input = options.input.of_simulation(folder)?.read()?;
        input.journal = truth.journal();
        let episodes = input.episodes();
        let sampler = Sampler::new(input.history, frames.clone());
        let access_point = i32::try_from(number + 1)?;
        let mut rows = Rows { dataset: &mut dataset, sampler, access_point, truth };
        if options.releases_only {
            rows.push_releases(&episodes)?;
        } else {
            rows.push_truth(&episodes, options.told)?;
        }
    }
    if dataset.is_empty() {
        return Err(
            "no hold of these logs was released and came to an outcome: nothing to train on".into(),
        );
    }
    dataset.write(&options.output)?;
    eprintln!("{} rows, schema {}", dataset.len(), dataset.info.schema.hash);
    Ok(())
}

/// The releases of logs that came to an outcome, as real outcomes of an access point.
///
/// # Errors
/// When the logs cannot be read.
pub fn of_logs(
    input: &InputOptions,
    frames: &FrameEdges,
    access_point: &str,
) -> Result<Dataset, Box<dyn std::error::Error>> {
    let schema = FeatureSchema::with_frames(frames);
    let mut dataset = Dataset::new(schema, access_point, true, input.horizon());
    push_logs(&mut dataset, input, frames)?;
    Ok(dataset)
}

fn push_logs(
    dataset: &mut Dataset,
    input: &InputOptions,
    frames: &FrameEdges,
) -> Result<(), Box<dyn std::error::Error>> {
    let input = input.read()?;
    let episodes = input.episodes();
    let sampler = Sampler::new(input.history, frames.clone());
    let mut rows = Rows { dataset, sampler, access_point: 0, truth: Truth::default() };
    Ok(rows.push_releases(&episodes)?)
}

/// Where the rows of one source of logs go.
struct Rows<'a> {
    dataset: &'a mut Dataset,
    sampler: Sampler,
    /// 0 for logs, from 1 on for simulations.
    access_point: i32,
    truth: Truth,
}

impl Rows<'_> {
    /// One row for each release that came to an outcome.
    fn push_releases(&mut self, episodes: &[Episode]) -> Result<(), DatasetError> {
        for episode in episodes.iter().filter(|episode| is_labelled(episode)) {
            self.push_release(episode)?;
        }
        Ok(())
    }

    /// The release as it happened.
    fn push_release(&mut self, episode: &Episode) -> Result<(), DatasetError> {
        let Some(instant) = episode.released_at else { return Ok(()) };
        let sample = self.sampler.sample(episode, instant, episode.action, None);
        let truth = self.truth.of(episode).and_then(|hold| hold.at(instant, episode.action));
        let row = self.row(episode, instant, &sample);
        self.dataset.push(&Row { truth: truth.map(|truth| truth as f32), ..row })
    }

    /// The releases that happened; each once more with its action hidden, as a log alone shows it; and for every
    /// action at every instant the oracle was asked a row whose label is drawn with the true probability. Nothing is
    /// told of an action that changes nothing, as-is excepted.
    fn push_truth(&mut self, episodes: &[Episode], told: f64) -> Result<(), DatasetError> {
        for episode in episodes.iter().filter(|e| !matches!(e.identity.code, 1 | 15 | 16)) {
            if let (Some(instant), true) = (episode.released_at, is_labelled(episode)) {
                self.push_release(episode)?;
                let hidden = Episode { action: Action::Unknown, ..episode.clone() };
                let sample = self.sampler.sample(&hidden, instant, Action::Unknown, None);
                let row = self.row(&hidden, instant, &sample);
                self.dataset.push(&Row { observed: false, ..row })?;
            }
            let oracles = self.truth.of(episode).map(|hold| hold.oracle.clone());
            for oracle in oracles.unwrap_or_default() {
                if self.chance(episode, oracle.time, Action::Unknown) >= told {
                    continue;
                }
                let mut sample = self.sampler.sample(episode, oracle.time, Action::AsIs, None);
                for (action, probability) in oracle.actions() {
                    let tells = matches!(action, Action::AsIs | Action::Other)
                        || oracle
                            .of(Action::AsIs)
                            .is_none_or(|as_is| (probability - as_is).abs() > 0.1);
                    if !tells {
                        continue;
                    }
                    sample.set_action(action);
                    let success = self.chance(episode, oracle.time, action) < probability;
                    let outcome = if success { Outcome::Success } else { Outcome::Failure };
                    let told = Episode {
                        action,
                        outcome: Some(outcome),
                        outcome_at: None,
                        ..episode.clone()
                    };
                    let row = self.row(&told, oracle.time, &sample);
                    let truth = Some(probability as f32);
                    self.dataset.push(&Row { observed: false, truth, ..row })?;
                }
            }
        }
        Ok(())
    }

    /// A number within 0 to 1 that depends on the row alone: the same logs give the same file.
    fn chance(&self, episode: &Episode, instant: i64, action: Action) -> f64 {
        let HoldIdentity { job, num_holds, .. } = episode.identity;
        let key = format!(
            "{} {job} {num_holds} {} {instant} {}",
            self.access_point,
            episode.held_at,
            action.name()
        );
        Random::new(fnv1a(key.as_bytes())).unit()
    }

    fn row<'s>(&mut self, episode: &Episode, instant: i64, sample: &'s Sample) -> Row<'s> {
        let hold = self.truth.of(episode);
        let cause = hold.and_then(|hold| hold.cause.clone());
        let HoldIdentity { job, code, subcode, .. } = episode.identity;
        let reason = reason::normalised(episode.reason.as_deref().unwrap_or_default());
        Row {
            states: &sample.states,
            statics: &sample.statics,
            action: episode.action,
            outcome: episode.outcome.unwrap_or(Outcome::Censored),
            weight: 1.0,
            observed: true,
            truth: None,
            cause: cause.and_then(|cause| self.dataset.cause(&cause)),
            reach: hold.and_then(|hold| hold.reach),
            access_point: self.access_point,
            cluster: (i64::from(self.access_point) << 32) + i64::from(job.cluster),
            // A group, not a name, goes into the file.
            owner: hash(&format!(
                "{} {}",
                self.access_point,
                episode.owner.as_deref().unwrap_or_default()
            )),
            cell: hash(&format!("{code} {subcode} {reason}")),
            hold_time: episode.held_at,
            decision_instant: instant,
            outcome_time: episode.outcome_at.unwrap_or(instant),
            code,
            subcode,
        }
    }
}

fn hash(text: &str) -> i64 {
    fnv1a(text.as_bytes()).cast_signed()
}
