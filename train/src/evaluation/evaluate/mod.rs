//! `holdadvise-train evaluate`: figures of methods on the test part of a dataset.
//! docs/training/evaluation.md says what is measured.
//!
//! - `curves`: the lines of the charts.
//! - `decisions`: which choices follow, and what they cost.
//! - `method`: models, predictions of other programs, baselines.
//! - `one_model`: the figures of one model, as text.
//! - `population`: which holds a table is about.
//! - `study`: any number of methods on several populations.

mod curves;
mod decisions;
mod method;
mod one_model;
mod population;
mod study;

#[cfg(test)]
pub(crate) use decisions::tests as decision_tests;
pub use decisions::{Decisions, Known, MethodDecisions};
pub(crate) use decisions::{Paired, pair as paired_decisions};
pub(crate) use method::{logits, predict};
pub use one_model::{ActionFigures, CodeFigures, Method, Report, report};
pub(crate) use study::{StudyOptions, run as compare};

use std::path::PathBuf;

use crate::Error;
use crate::data::dataset::Dataset;
use crate::engine::EngineKind;
use crate::output::Output;
use crate::say::say;
use crate::split::parts::Parts;
use crate::split::{Cuts, Split, SplitOptions};

/// Report a model's figures on held-out holds, beside baselines; with `--method`, those of several
/// methods.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct EvaluateOptions {
    /// The dataset, as `holdadvise-train tensors` writes it.
    pub(crate) dataset: PathBuf,
    /// The model: its figures are printed. Without it a report on the methods is written to the
    /// folder of `-o`.
    pub(crate) model: Option<PathBuf>,
    /// Of one model: write the figures as JSON to this file too. Else: the folder of report.json
    /// and report.html.
    #[arg(short, long)]
    pub(crate) output: Option<PathBuf>,
    /// Replace files that are there already.
    #[arg(long)]
    pub(crate) replace: bool,
    /// The parts file, as `holdadvise-train split` writes it.
    #[arg(long, value_name = "PARTS", conflicts_with = "recut")]
    pub(crate) parts: Option<PathBuf>,
    /// Cut the dataset anew by the fractions instead of where it was cut in training.
    #[arg(long)]
    pub(crate) recut: bool,
    #[command(flatten)]
    pub(crate) split: SplitOptions,
    /// Engine to run the models with.
    #[arg(long, value_enum, default_value_t = EngineKind::Builtin)]
    pub(crate) engine: EngineKind,
    /// Bootstrap draws for the intervals.
    #[arg(long, default_value_t = 1000)]
    pub(crate) draws: usize,
    /// Seed of the bootstrap.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) study: StudyOptions,
}

/// Runs `evaluate`.
///
/// # Errors
/// When a file cannot be read or written, or methods and dataset do not match.
pub fn run(options: &EvaluateOptions) -> Result<(), Error> {
    let Some(path) = &options.model else { return study::run(options, options.engine) };
    if let Some(path) = &options.output {
        Output::new(path, options.replace).check()?;
    }
    let dataset = Dataset::read(&options.dataset)?;
    let model = options.engine.open(path)?;
    model.check_schema(&dataset.info.schema.hash)?;
    let split = match &options.parts {
        Some(path) => Parts::read_split(path, &dataset)?.1,
        None => {
            let kept = model.metadata.training.details.get("split").filter(|_| !options.recut);
            let kept = kept.and_then(|cuts| serde_json::from_value(cuts.clone()).ok());
            let cut = || Cuts::new(&dataset, &options.split);
            Split::new(&dataset, kept.map_or_else(cut, Ok)?)
        }
    };
    check_test(&dataset, &split)?;
    let report = report(&dataset, &split, &model, options.draws, options.seed)?;
    say(format_args!("{report}"));
    if let Some(path) = &options.output {
        Output::new(path, options.replace).write(&serde_json::to_vec_pretty(&report)?)?;
    }
    Ok(())
}

pub(crate) fn check_test(dataset: &Dataset, split: &Split) -> Result<(), Error> {
    if split.tests_releases(dataset) {
        return Ok(());
    }
    let from = split
        .cuts
        .map_or(String::new(), |cuts| format!(", which begins at {}", cuts.validation_end));
    Err(format!("no release that happened lies in the test part{from}: use --recut, or --parts")
        .into())
}
