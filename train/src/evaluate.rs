//! A model's figures on the test part, beside those of the baselines.

use std::fmt;
use std::path::PathBuf;

use holdadvise::model::{Batch, EngineKind, Model, ModelError};
use serde::{Deserialize, Serialize};

use crate::baselines::Baselines;
use crate::dataset::{Dataset, DatasetError, SUCCESS};
use crate::export::write_whole;
use crate::metrics::{Estimate, Scored};
use crate::split::{Cuts, Split, SplitOptions};

/// Report a model's figures on held-out holds, beside baselines.
#[derive(Clone, Debug, clap::Args)]
pub struct EvaluateOptions {
    /// The dataset, as `holdadvise-train tensors` writes it.
    dataset: PathBuf,
    /// The model.
    model: PathBuf,
    /// Write the figures as JSON to this file too.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Cut the dataset anew by the fractions instead of where it was cut in training.
    #[arg(long)]
    recut: bool,
    #[command(flatten)]
    split: SplitOptions,
    /// Engine to run the model with.
    #[arg(long, value_enum, default_value_t = EngineOption::Builtin)]
    engine: EngineOption,
    /// Bootstrap draws for the intervals.
    #[arg(long, default_value_t = 1000)]
    draws: usize,
    /// Seed of the bootstrap.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum EngineOption {
    /// Pure Rust.
    Builtin,
    /// libtorch.
    Torch,
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The dataset.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The options do not do.
    #[error("{0}")]
    Options(String),
    /// The JSON could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Figures of one way to predict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// `model` or the name of a baseline.
    pub name: String,
    /// Name of a figure and its estimate. Figures that do not exist on these rows are left out.
    pub figures: Vec<(String, Estimate)>,
    /// The model's figures less these, drawn in common. Empty for the model itself.
    pub model_less_this: Vec<(String, Estimate)>,
}

/// One hold code in the test part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeFigures {
    /// HoldReasonCode.
    pub code: i32,
    /// Test rows.
    pub rows: usize,
    /// Those that succeeded.
    pub successes: usize,
    /// AUROC of the model within the code; absent when only one outcome is there.
    pub auroc: Option<f64>,
    /// AUROC of the (code, subcode) table within the code.
    pub table_auroc: Option<f64>,
}

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Test rows.
    pub rows: usize,
    /// Those that succeeded.
    pub successes: usize,
    /// Different clusters among them.
    pub clusters: usize,
    /// Where the dataset was cut.
    pub cuts: Cuts,
    /// The model, then the baselines.
    pub methods: Vec<Method>,
    /// Per hold code, most frequent first.
    pub codes: Vec<CodeFigures>,
}

/// Runs `evaluate`.
///
/// # Errors
/// When a file cannot be read or written, or model and dataset do not match.
pub fn run(options: &EvaluateOptions) -> Result<(), EvaluateError> {
    let dataset = Dataset::read(&options.dataset)?;
    let engine = match options.engine {
        EngineOption::Builtin => EngineKind::Builtin,
        EngineOption::Torch => EngineKind::Torch,
    };
    let model = Model::open_with(&options.model, engine)?;
    model.check_schema(&dataset.info.schema.hash)?;
    let kept = model.metadata.training.details.get("split").filter(|_| !options.recut);
    let cuts = match kept.and_then(|cuts| serde_json::from_value(cuts.clone()).ok()) {
        Some(cuts) => cuts,
        None => Cuts::new(&dataset, &options.split).map_err(EvaluateError::Options)?,
    };
    let split = Split::new(&dataset, cuts);
    if split.test.is_empty() {
        return Err(EvaluateError::Options(format!(
            "no row of the dataset lies after {}, where the test part begins: use --recut",
            cuts.validation_end
        )));
    }
    let report = report(&dataset, &split, &model, options.draws, options.seed)?;
    print!("{report}");
    if let Some(path) = &options.output {
        let json = serde_json::to_vec_pretty(&report)
            .map_err(|error| EvaluateError::Options(format!("figures are not JSON: {error}")))?;
        write_whole(path, &json)
            .map_err(|source| EvaluateError::Write { path: path.clone(), source })?;
    }
    Ok(())
}

/// Figures of the model and of the baselines on the test part of a split.
///
/// # Errors
/// When the model does not take the rows.
pub fn report(
    dataset: &Dataset,
    split: &Split,
    model: &Model,
    draws: usize,
    seed: u64,
) -> Result<Report, ModelError> {
    let rows = &split.test;
    let (states, statics) = dataset.gather(rows);
    let predicted =
        model.probabilities(&Batch { states: &states, statics: &statics, n: rows.len() })?;
    let baselines = Baselines::fit(dataset, &split.train);
    let table = baselines.code_table(dataset, rows);
    let success: Vec<bool> = rows.iter().map(|&row| dataset.label[row] == SUCCESS).collect();
    let cluster: Vec<i64> = rows.iter().map(|&row| dataset.cluster[row]).collect();
    let scored = |probability: &[f64]| Scored::new(probability, &success, &cluster);
    let of_model = scored(&predicted);
    let mut methods = vec![Method {
        name: "model".to_owned(),
        figures: finite(of_model.estimates(draws, seed)),
        model_less_this: Vec::new(),
    }];
    for (name, probability) in [
        ("(code, subcode) table", &table),
        ("last outcome in cluster", &baselines.last_outcome(dataset, rows)),
        ("constant", &baselines.constant(rows)),
    ] {
        let baseline = scored(probability);
        methods.push(Method {
            name: name.to_owned(),
            figures: finite(baseline.estimates(draws, seed)),
            model_less_this: finite(of_model.differences(&baseline, draws, seed)),
        });
    }
    Ok(Report {
        rows: rows.len(),
        successes: success.iter().filter(|&&success| success).count(),
        clusters: of_model.clusters(),
        cuts: split.cuts,
        methods,
        codes: per_code(dataset, rows, &predicted, &table),
    })
}

/// JSON has no NaN: figures that do not exist are left out, and so are those without an interval.
fn finite(estimates: Vec<(&'static str, Estimate)>) -> Vec<(String, Estimate)> {
    let exists = |e: &Estimate| e.value.is_finite() && e.low.is_finite() && e.high.is_finite();
    estimates
        .into_iter()
        .filter(|(_, estimate)| exists(estimate))
        .map(|(name, estimate)| (name.to_owned(), estimate))
        .collect()
}

fn per_code(
    dataset: &Dataset,
    rows: &[usize],
    predicted: &[f64],
    table: &[f64],
) -> Vec<CodeFigures> {
    let mut codes: Vec<i32> = rows.iter().map(|&row| dataset.code[row]).collect();
    codes.sort_unstable();
    codes.dedup();
    let mut figures: Vec<CodeFigures> = codes
        .into_iter()
        .map(|code| {
            let here: Vec<usize> =
                (0..rows.len()).filter(|&at| dataset.code[rows[at]] == code).collect();
            let success: Vec<bool> =
                here.iter().map(|&at| dataset.label[rows[at]] == SUCCESS).collect();
            let auroc = |probability: &[f64]| {
                let p: Vec<f64> = here.iter().map(|&at| probability[at]).collect();
                let value = Scored::new(&p, &success, &vec![0; here.len()]).figures().auroc;
                value.is_finite().then_some(value)
            };
            CodeFigures {
                code,
                rows: here.len(),
                successes: success.iter().filter(|&&success| success).count(),
                auroc: auroc(predicted),
                table_auroc: auroc(table),
            }
        })
        .collect();
    figures.sort_by_key(|figures| (std::cmp::Reverse(figures.rows), figures.code));
    figures
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} held-out holds of {} clusters, {} released with success; 95 % intervals over clusters",
            self.rows, self.clusters, self.successes
        )?;
        writeln!(f, "{:<24}{:<10}{:>7}  {:<18}model less this", "", "figure", "value", "interval")?;
        for method in &self.methods {
            for (at, (name, e)) in method.figures.iter().enumerate() {
                let label = if at == 0 { method.name.as_str() } else { "" };
                let interval = format!("{:.3} .. {:.3}", e.low, e.high);
                write!(f, "{label:<24}{name:<10}{:>7.3}  {interval:<18}", e.value)?;
                match method.model_less_this.iter().find(|(other, _)| other == name) {
                    Some((_, d)) => {
                        writeln!(f, "{:+.3} ({:+.3} .. {:+.3})", d.value, d.low, d.high)?;
                    }
                    None => writeln!(f)?,
                }
            }
        }
        let share = |value: Option<f64>| match value {
            Some(value) => format!("{value:.3}"),
            None => "-".to_owned(),
        };
        writeln!(
            f,
            "{:>6}{:>8}{:>10}{:>13}{:>13}",
            "code", "holds", "success", "model auroc", "table auroc"
        )?;
        for code in &self.codes {
            writeln!(
                f,
                "{:>6}{:>8}{:>10}{:>13}{:>13}",
                code.code,
                code.rows,
                code.successes,
                share(code.auroc),
                share(code.table_auroc)
            )?;
        }
        Ok(())
    }
}
