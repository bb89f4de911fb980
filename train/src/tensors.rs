//! `holdadvise-train tensors`: the released holds of logs as one dataset file.

use std::path::PathBuf;

use clap::Args;
use holdadvise::features::{FrameEdges, Sampler, is_labelled};
use holdadvise::history::{Episode, Outcome};

use crate::dataset::{Dataset, Row};
use crate::input::InputOptions;

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
    /// Frame edges in seconds before the decision, growing, with commas between. Default: those of the shipped model.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    frame_edges: Vec<u32>,
}

/// Runs the subcommand.
///
/// # Errors
/// When the input cannot be read, the frame edges do not grow, or the file cannot be written.
pub fn run(options: &TensorsOptions) -> Result<(), Box<dyn std::error::Error>> {
    let input = options.input.read()?;
    let episodes = input.episodes();
    let frames = match options.frame_edges.as_slice() {
        [] => FrameEdges::default(),
        edges => FrameEdges::new(edges.to_vec()).ok_or("--frame-edges: expected two or more growing numbers")?,
    };
    let horizon = input.horizon;
    let sampler = Sampler::new(input.history, frames);
    let mut dataset = Dataset::new(sampler.schema(), &options.origin, options.real, horizon);
    let mut censored = 0;
    for episode in &episodes {
        let Some(instant) = episode.released_at else { continue };
        if !is_labelled(episode) {
            censored += 1;
            continue;
        }
        let sample = sampler.sample(episode, instant, episode.action, None);
        dataset.push(&row(episode, instant, &sample.states, &sample.statics))?;
    }
    if dataset.is_empty() {
        return Err("no hold of these logs was released and came to an outcome: nothing to train on".into());
    }
    dataset.write(&options.output)?;
    eprintln!(
        "{} holds, {} rows, {censored} releases without an outcome left out, schema {}",
        episodes.len(),
        dataset.len(),
        dataset.info.schema.hash
    );
    Ok(())
}

fn row<'a>(episode: &Episode, instant: i64, states: &'a [u8], statics: &'a [f32]) -> Row<'a> {
    Row {
        states,
        statics,
        action: episode.action,
        outcome: episode.outcome.unwrap_or(Outcome::Censored),
        weight: 1.0,
        cluster: i64::from(episode.identity.job.cluster),
        owner: episode.owner.as_deref().map_or(0, hash),
        hold_time: episode.held_at,
        decision_instant: instant,
        outcome_time: episode.outcome_at.unwrap_or(instant),
        code: episode.identity.code,
        subcode: episode.identity.subcode,
    }
}

/// FNV-1a of an owner's name: a group, not a name, goes into the file.
fn hash(name: &str) -> i64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash.cast_signed()
}
