//! Arguments of the command.

use std::path::PathBuf;

use clap::Args;

use crate::output::place;
use crate::{Extras, Preset, Settings, SimulateError, Summary, simulate_telling};

/// Arguments of `simulate`.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Name of a preset (small, quick, rapid, ospool, cms), or a preset file (.toml)
    #[arg(long, default_value = "small")]
    pub preset: String,
    /// Lay a layer over the preset: faults-3, or a file (.toml) with the values to be changed; may
    /// be given more than once
    #[arg(long, value_name = "LAYER")]
    pub with: Vec<String>,
    /// The same seed gives the same files
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Draw a mixture around the preset, by the seed: how often troubles come, each share of flaws
    /// and people's habits, up to so many times more or less, 1 to 20
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub vary: Option<f64>,
    /// Let every duration take so many times as long, 0.001 to 1000, or so many between two as the
    /// seed draws them, as in 0.01:24; the days to simulate too
    #[arg(long, value_name = "FACTOR", value_parser = unit)]
    pub unit: Option<[f64; 2]>,
    /// First day, as in 2024-03-04; default: the preset's
    #[arg(long, value_name = "DATE")]
    pub start: Option<jiff::civil::Date>,
    /// Days to simulate, 1 to 3,650
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub days: u32,
    /// Directory for EventLog, epoch_history and truth.jsonl
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Write to that directory although it is not empty; files of the same names are replaced
    #[arg(long)]
    pub replace: bool,
    /// Leave out event 028
    #[arg(long)]
    pub no_job_ad_information: bool,
    /// Add one play of a release as it is for each of nine delays to each instant of the oracle in
    /// truth.jsonl
    #[arg(long)]
    pub when: bool,
    /// Play so many releases for each delay, 1 to 1,000; truth.jsonl has the share that succeeds
    #[arg(long, value_name = "N", requires = "when", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub when_plays: u32,
    /// Write looks.jsonl: what looks at files, URLs and outputs would have found at the instants of
    /// the oracle
    #[arg(long)]
    pub looks: bool,
    /// Rotate EventLog when it is larger than this many bytes; 0: never
    #[arg(long, default_value_t = 0, value_name = "BYTES")]
    pub max_log_size: u64,
    /// Rotated logs to keep
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    pub max_rotations: u32,
}

impl Arguments {
    /// Simulates as the arguments say; `day` is told of each day that is over, by its number.
    ///
    /// # Errors
    /// The preset cannot be read, or a file cannot be written.
    pub fn run(&self, day: &mut dyn FnMut(u32)) -> Result<Summary, SimulateError> {
        place::prepare(&self.output, self.replace)?;
        let mut preset = Preset::load_with(&self.preset, &self.with)?;
        if let Some(start) = self.start {
            preset.access_point.start = start;
        }
        if let Some(factor) = self.vary {
            preset = preset.vary(factor, self.seed);
        }
        if let Some(between) = self.unit {
            preset = preset.in_drawn_unit(between, self.seed);
        }
        let settings = Settings {
            preset,
            seed: self.seed,
            days: self.days,
            output: self.output.clone(),
            information: !self.no_job_ad_information,
            largest_log: self.max_log_size,
            most_rotations: self.max_rotations,
        };
        let when = self.when.then_some(self.when_plays);
        simulate_telling(&settings, Extras { when, looks: self.looks }, day)
    }
}

/// The factors between which one is drawn: both are the same where one is given.
fn unit(text: &str) -> Result<[f64; 2], String> {
    let number =
        |text: &str| text.parse().ok().filter(|unit: &f64| (0.001..=1_000.0).contains(unit));
    let (least, most) = text.split_once(':').unwrap_or((text, text));
    let read = number(least).zip(number(most)).filter(|(least, most)| least <= most);
    read.map(|(least, most)| [least, most]).ok_or_else(|| {
        "expected a number from 0.001 to 1000, or two with a colon between, the smaller first, as \
         in 0.01:24"
            .to_owned()
    })
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if (1.0..=20.0).contains(&factor) => Ok(factor),
        _ => Err("expected a number from 1 to 20".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn each_day_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().to_str().unwrap();
        let command = Command::parse_from(["", "--preset", "quick", "--days", "3", "-o", output]);
        let mut days = Vec::new();
        command.arguments.run(&mut |day| days.push(day)).unwrap();
        assert_eq!(days, [1, 2, 3]);
    }

    #[test]
    fn a_unit_is_a_factor_or_two() {
        assert_eq!(unit("0.5"), Ok([0.5, 0.5]));
        assert_eq!(unit("0.01:24"), Ok([0.01, 24.0]));
        for wrong in ["0", "-1", "24:0.01", "1:", "NaN", "1:2:3", "1e9", ""] {
            assert!(unit(wrong).unwrap_err().contains("0.01:24"), "{wrong}");
        }
    }
}
