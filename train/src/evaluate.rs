//! A model's figures on the test part, beside those of the baselines.

use std::fmt;
use std::path::PathBuf;

use holdadvise::history::Action;
use holdadvise::model::{Batch, EngineKind, Model, ModelError};
use serde::{Deserialize, Serialize};

use crate::baselines::Baselines;
use crate::dataset::{Dataset, DatasetError, SUCCESS};
use crate::export::write_whole;
use crate::metrics::{Estimate, Figures, Scored};
use crate::parts::{Parts, PartsError};
use crate::selection::SelectionOptions;
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
    /// The parts file, as `holdadvise-train split` writes it.
    #[arg(long, value_name = "PARTS", conflicts_with = "recut")]
    parts: Option<PathBuf>,
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
    /// The parts file.
    #[error(transparent)]
    Parts(#[from] PartsError),
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

/// One action in the test part, from what a simulator says would have come of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionFigures {
    /// Name of the action, or `all`.
    pub action: String,
    /// Rows.
    pub rows: usize,
    /// Mean true probability of success.
    pub success: f64,
    /// AUROC and Brier score of the model.
    pub model: [Option<f64>; 2],
    /// Those of the (code, subcode) table.
    pub table: [Option<f64>; 2],
    /// Those of the true probability: the best there can be.
    pub oracle: [Option<f64>; 2],
}

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Test rows: releases that happened.
    pub rows: usize,
    /// Those that succeeded.
    pub successes: usize,
    /// Different clusters among them.
    pub clusters: usize,
    /// Where the dataset was cut, if in time.
    pub cuts: Option<Cuts>,
    /// The model, then the baselines.
    pub methods: Vec<Method>,
    /// Per hold code, most frequent first.
    pub codes: Vec<CodeFigures>,
    /// Per action, where the data are simulated and the truth was told.
    #[serde(default)]
    pub actions: Vec<ActionFigures>,
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
    let split = match &options.parts {
        Some(path) => Parts::read_split(path, &dataset)?.1,
        None => {
            let kept = model.metadata.training.details.get("split").filter(|_| !options.recut);
            let kept = kept.and_then(|cuts| serde_json::from_value(cuts.clone()).ok());
            let cut = || Cuts::new(&dataset, &options.split).map_err(EvaluateError::Options);
            Split::new(&dataset, kept.map_or_else(cut, Ok)?)
        }
    };
    if !split.test.iter().any(|&row| dataset.observed[row] != 0) {
        let from = split
            .cuts
            .map_or(String::new(), |cuts| format!(", which begins at {}", cuts.validation_end));
        return Err(EvaluateError::Options(format!(
            "no release that happened lies in the test part{from}: use --recut, or --parts"
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
/// When the model does not take the rows, or was trained without inputs that this schema does not name.
pub fn report(
    dataset: &Dataset,
    split: &Split,
    model: &Model,
    draws: usize,
    seed: u64,
) -> Result<Report, EvaluateError> {
    let (happened, told): (Vec<usize>, Vec<usize>) =
        split.test.iter().partition(|&&row| dataset.observed[row] != 0);
    let rows = &happened;
    let selection = SelectionOptions::of_model(&model.metadata);
    let blank = selection.blank(&dataset.info.schema).map_err(EvaluateError::Options)?;
    let told: Vec<usize> = told.into_iter().filter(|&row| dataset.truth(row).is_some()).collect();
    let predict = |rows: &[usize]| {
        let (mut states, mut statics) = dataset.gather(rows);
        blank.apply(&mut states, &mut statics);
        model.probabilities(&Batch { states: &states, statics: &statics, n: rows.len() })
    };
    let predicted = predict(rows)?;
    let baselines = Baselines::fit(dataset, &split.train);
    let table = baselines.code_table(dataset, rows);
    let success: Vec<f64> = rows.iter().map(|&row| dataset.target(row)).collect();
    let cluster: Vec<i64> = rows.iter().map(|&row| dataset.cluster[row]).collect();
    let weight: Vec<f32> = rows.iter().map(|&row| dataset.weight[row]).collect();
    let scored = |probability: &[f64]| Scored::new(probability, &success, &weight, &cluster);
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
        successes: rows.iter().filter(|&&row| dataset.label[row] == SUCCESS).count(),
        clusters: of_model.clusters(),
        cuts: split.cuts,
        methods,
        codes: per_code(dataset, rows, &predicted, &table),
        actions: per_action(dataset, &told, &predict(&told)?, &baselines),
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
            let rows_here: Vec<usize> = here.iter().map(|&at| rows[at]).collect();
            let successes = rows_here.iter().filter(|&&row| dataset.label[row] == SUCCESS).count();
            let auroc = |probability: &[f64]| {
                let p: Vec<f64> = here.iter().map(|&at| probability[at]).collect();
                existing(figures_of(dataset, &rows_here, &p).auroc)
            };
            CodeFigures {
                code,
                rows: here.len(),
                successes,
                auroc: auroc(predicted),
                table_auroc: auroc(table),
            }
        })
        .collect();
    figures.sort_by_key(|figures| (std::cmp::Reverse(figures.rows), figures.code));
    figures
}

fn existing(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Weighted figures of predictions for some rows, as one cluster.
fn figures_of(dataset: &Dataset, rows: &[usize], probability: &[f64]) -> Figures {
    let success: Vec<f64> = rows.iter().map(|&row| dataset.target(row)).collect();
    let weight: Vec<f32> = rows.iter().map(|&row| dataset.weight[row]).collect();
    Scored::new(probability, &success, &weight, &vec![0; rows.len()]).figures()
}

/// Figures per action of rows a simulator tells of.
fn per_action(
    dataset: &Dataset,
    rows: &[usize],
    predicted: &[f64],
    baselines: &Baselines,
) -> Vec<ActionFigures> {
    let table = baselines.code_table(dataset, rows);
    let truth: Vec<f64> = rows.iter().map(|&row| dataset.target(row)).collect();
    let names = Action::ALL.iter().enumerate().map(|(at, action)| (Some(at as u8), action.name()));
    std::iter::once((None, "all"))
        .chain(names)
        .filter_map(|(action, name)| {
            let here: Vec<usize> = (0..rows.len())
                .filter(|&at| action.is_none_or(|action| dataset.action[rows[at]] == action))
                .collect();
            let rows_here: Vec<usize> = here.iter().map(|&at| rows[at]).collect();
            let of = |probability: &[f64]| {
                let p: Vec<f64> = here.iter().map(|&at| probability[at]).collect();
                let figures = figures_of(dataset, &rows_here, &p);
                [existing(figures.auroc), existing(figures.brier)]
            };
            let weight = |&row: &usize| f64::from(dataset.weight[row]);
            let total: f64 = rows_here.iter().map(weight).sum();
            let successes = rows_here.iter().map(|row| weight(row) * dataset.target(*row));
            (total > 0.0).then(|| ActionFigures {
                action: name.to_owned(),
                rows: here.len(),
                success: successes.sum::<f64>() / total,
                model: of(predicted),
                table: of(&table),
                oracle: of(&truth),
            })
        })
        .collect()
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
        if !self.actions.is_empty() {
            writeln!(
                f,
                "what each action would have come to, as the simulator says: auroc, brier"
            )?;
            writeln!(
                f,
                "{:>8}{:>8}{:>9}{:>16}{:>16}{:>16}",
                "action", "rows", "success", "model", "table", "oracle"
            )?;
        }
        for action in &self.actions {
            let pair =
                |[auroc, brier]: [Option<f64>; 2]| format!("{} {}", share(auroc), share(brier));
            writeln!(
                f,
                "{:>8}{:>8}{:>9.3}{:>16}{:>16}{:>16}",
                action.action,
                action.rows,
                action.success,
                pair(action.model),
                pair(action.table),
                pair(action.oracle)
            )?;
        }
        Ok(())
    }
}
