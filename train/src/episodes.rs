//! `holdadvise-train episodes`: the holds of logs, what was done about them and what came of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use holdadvise::history::{Episode, Outcome};

use crate::input::InputOptions;
use crate::say::json_lines;
use crate::truth::read_simulation;

/// Print the holds of job event logs as JSON lines, and a summary on standard error.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("from").required(true).multiple(true).args(["logs", "simulation"]))]
pub struct EpisodesOptions {
    #[command(flatten)]
    input: InputOptions,
    /// A folder that `simulate` wrote, or of a recorded pool, in place of logs; repeatable.
    #[arg(long, value_name = "DIR")]
    simulation: Vec<PathBuf>,
}

/// Holds of one code and subcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    holds: u64,
    released: u64,
    successes: u64,
    failures: u64,
}

/// Runs the subcommand.
///
/// # Errors
/// When the input cannot be read or the output not written.
pub fn run(options: &EpisodesOptions) -> Result<(), Box<dyn std::error::Error>> {
    let mut episodes = Vec::new();
    if !options.input.logs.is_empty() {
        episodes = options.input.read()?.episodes();
    }
    for folder in &options.simulation {
        episodes.extend(read_simulation(&options.input, folder)?.episodes());
    }
    json_lines(&episodes)?;
    eprint!("{}", summary(&episodes));
    Ok(())
}

fn summary(episodes: &[Episode]) -> String {
    let mut codes: BTreeMap<(i32, i32), Tally> = BTreeMap::new();
    for episode in episodes {
        let tally = codes.entry((episode.identity.code, episode.identity.subcode)).or_default();
        tally.holds += 1;
        tally.released += u64::from(episode.released_at.is_some());
        tally.successes += u64::from(episode.outcome == Some(Outcome::Success));
        tally.failures += u64::from(episode.outcome == Some(Outcome::Failure));
    }
    let mut text = String::from("CODE/SUB      HOLDS  RELEASED  SUCCESS  FAILURE  RATE\n");
    for ((code, subcode), tally) in codes {
        let decided = tally.successes + tally.failures;
        let rate = match decided {
            0 => "-".to_owned(),
            _ => format!("{:.2}", tally.successes as f64 / decided as f64),
        };
        text.push_str(&format!(
            "{:<12} {:>6} {:>9} {:>8} {:>8}  {rate}\n",
            format!("{code}/{subcode}"),
            tally.holds,
            tally.released,
            tally.successes,
            tally.failures
        ));
    }
    text
}
