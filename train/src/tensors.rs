//! `holdadvise-train tensors`: the released holds of logs as one dataset file.

use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use holdadvise::features::{FeatureSchema, FrameEdges, Sample, Sampler, fnv1a, is_labelled};
use holdadvise::history::{Action, Episode, Outcome};

use crate::dataset::{Dataset, DatasetError, Row};
use crate::input::{InputError, InputOptions, open};
use crate::truth::Truth;

/// Write the released holds of job event logs as a dataset: one sample each, at its release.
#[derive(Clone, Debug, Args)]
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
    /// A folder that `simulate` wrote, in place of logs; repeatable, each an access point of its own. Rows for every
    /// action at every instant the oracle was asked, of holds that were never released too, weighted by the true
    /// probabilities.
    #[arg(long, value_name = "DIR")]
    simulation: Vec<PathBuf>,
    /// Of the simulations: only the releases that happened, as real logs and a journal would show them.
    #[arg(long)]
    releases_only: bool,
    /// Frame edges in seconds before the decision, growing, with commas between. Default: those of the shipped model.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    frame_edges: Vec<u32>,
}

/// Runs the subcommand.
///
/// # Errors
/// When the input cannot be read, the frame edges do not grow, or the file cannot be written.
pub fn run(options: &TensorsOptions) -> Result<(), Box<dyn std::error::Error>> {
    let frames = match options.frame_edges.as_slice() {
        [] => FrameEdges::default(),
        edges => FrameEdges::new(edges.to_vec())
            .ok_or("--frame-edges: expected two or more growing numbers")?,
    };
    let horizon = options.input.horizon();
    let schema = FeatureSchema::with_frames(&frames);
    let mut dataset = Dataset::new(schema, &options.origin, options.real, horizon);
    if !options.input.logs.is_empty() {
        let input = options.input.read()?;
        let episodes = input.episodes();
        push_releases(&mut dataset, &Sampler::new(input.history, frames.clone()), &episodes, 0)?;
    }
    for (number, folder) in options.simulation.iter().enumerate() {
        let truth = folder.join("truth.jsonl");
        let read = Truth::read(BufReader::new(open(&truth)?));
        let truth = read.map_err(|source| InputError::File { path: truth, source })?;
        let mut input = options.input.of_simulation(folder)?.read()?;
        input.journal = truth.journal();
        let episodes = input.episodes();
        let sampler = Sampler::new(input.history, frames.clone());
        let access_point = i64::try_from(number + 1)? << 32;
        if options.releases_only {
            push_releases(&mut dataset, &sampler, &episodes, access_point)?;
        } else {
            push_truth(&mut dataset, &sampler, &episodes, &truth, access_point)?;
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

/// One row for each release that came to an outcome.
fn push_releases(
    dataset: &mut Dataset,
    sampler: &Sampler,
    episodes: &[Episode],
    access_point: i64,
) -> Result<(), DatasetError> {
    for episode in episodes.iter().filter(|episode| is_labelled(episode)) {
        let Some(instant) = episode.released_at else { continue };
        let sample = sampler.sample(episode, instant, episode.action, None);
        dataset.push(&row(episode, instant, &sample, access_point))?;
    }
    Ok(())
}

/// Rows for every action at every instant the oracle was asked. A probability between 0 and 1 is two rows, a success
/// and a failure, weighted by it; nothing is told of an action that changes nothing, as-is excepted. The releases that
/// happened stand there once more with their action unknown: so a log alone shows them.
fn push_truth(
    dataset: &mut Dataset,
    sampler: &Sampler,
    episodes: &[Episode],
    truth: &Truth,
    access_point: i64,
) -> Result<(), DatasetError> {
    for episode in episodes.iter().filter(|episode| !matches!(episode.identity.code, 1 | 15 | 16)) {
        if let (Some(instant), true) = (episode.released_at, is_labelled(episode)) {
            let sample = sampler.sample(episode, instant, Action::Unknown, None);
            let episode = Episode { action: Action::Unknown, ..episode.clone() };
            dataset.push(&row(&episode, instant, &sample, access_point))?;
        }
        for oracle in truth.of(episode).map_or(&[][..], |hold| &hold.oracle) {
            let actions = oracle.actions();
            let as_is = actions[0].1;
            let mut sample = sampler.sample(episode, oracle.time, Action::AsIs, None);
            for (action, probability) in actions {
                let tells = matches!(action, Action::AsIs | Action::Other)
                    || (probability - as_is).abs() > 0.1;
                if !tells {
                    continue;
                }
                sample.set_action(action);
                for (outcome, weight) in
                    [(Outcome::Success, probability), (Outcome::Failure, 1.0 - probability)]
                {
                    if weight > 0.0 {
                        let episode = Episode { action, outcome: Some(outcome), ..episode.clone() };
                        let row = row(&episode, oracle.time, &sample, access_point);
                        dataset.push(&Row { weight: weight as f32, observed: false, ..row })?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// A row of the access point whose clusters begin above `access_point`.
fn row<'a>(episode: &Episode, instant: i64, sample: &'a Sample, access_point: i64) -> Row<'a> {
    Row {
        states: &sample.states,
        statics: &sample.statics,
        action: episode.action,
        outcome: episode.outcome.unwrap_or(Outcome::Censored),
        weight: 1.0,
        observed: true,
        cluster: access_point + i64::from(episode.identity.job.cluster),
        // A group, not a name, goes into the file.
        owner: episode.owner.as_deref().map_or(0, |name| fnv1a(name.as_bytes()).cast_signed()),
        hold_time: episode.held_at,
        decision_instant: instant,
        outcome_time: episode.outcome_at.unwrap_or(instant),
        code: episode.identity.code,
        subcode: episode.identity.subcode,
    }
}
