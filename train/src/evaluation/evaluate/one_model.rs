//! One model's figures on the test part, beside those of a few baselines, as text.

use std::collections::BTreeSet;
use std::fmt;

use holdadvise::history::Action;
use holdadvise::hold_code;
use holdadvise::model::{ClosedLoop, Model, SheetFigure};
use serde::{Deserialize, Serialize};

use super::decisions::{Decisions, decisions};
use super::method::{pick, predict};
use crate::Error;
use crate::data::dataset::{Dataset, SUCCESS};
use crate::split::{Cuts, Split};
use crate::training::baselines::Baselines;
use holdadvise::metrics::{Draws, Estimate, Figures, NAMES, Scored, draw};

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
    /// Per action, where the data are simulated and the truth is from the oracle.
    #[serde(default)]
    pub actions: Vec<ActionFigures>,
    /// What the probabilities lead to: by every action where that is known, and by the releases
    /// that happened.
    #[serde(default)]
    pub decisions: Vec<Decisions>,
    /// What decisions by the model are worth, where its sheet says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_loop: Option<ClosedLoop>,
}

/// Figures of the model and of the baselines on the test part of a split.
///
/// # Errors
/// When the model does not take the rows, or was trained without inputs that this schema does not
/// name.
pub fn report(
    dataset: &Dataset,
    split: &Split,
    model: &Model,
    draws: usize,
    seed: u64,
) -> Result<Report, Error> {
    let (happened, from_oracle): (Vec<usize>, Vec<usize>) =
        split.test.iter().partition(|&&row| dataset.observed[row] != 0);
    let rows = &happened;
    let from_oracle: Vec<usize> =
        from_oracle.into_iter().filter(|&row| dataset.is_from_oracle(row)).collect();
    let predicted = predict(model, dataset, rows)?;
    let baselines = Baselines::fit(dataset, &split.train);
    let table = baselines.code_table(dataset, rows);
    let outcomes = dataset.outcomes(rows);
    let named = [
        ("model", &predicted),
        ("(code, subcode) table", &table),
        ("last outcome in cluster", &baselines.last_outcome(dataset, rows)),
        ("constant", &baselines.constant(rows)),
    ];
    let threshold = model.metadata.thresholds.release;
    let scored: Vec<Vec<Scored>> =
        named.iter().map(|(_, p)| vec![Scored::new(&outcomes, p, threshold)]).collect();
    let drawn = draw(&scored, outcomes.clusters(), draws, seed);
    let methods = named.iter().enumerate().map(|(at, (name, _))| Method {
        name: (*name).to_owned(),
        figures: existing_figures(|figure| drawn.estimate(at, figure)),
        model_less_this: match at {
            0 => Vec::new(),
            _ => existing_figures(|figure| Draws::difference(&drawn, 0, at, figure)),
        },
    });
    Ok(Report {
        rows: rows.len(),
        successes: rows.iter().filter(|&&row| dataset.label[row] == SUCCESS).count(),
        clusters: outcomes.clusters(),
        cuts: split.cuts,
        methods: methods.collect(),
        codes: per_code(dataset, rows, &predicted, &table),
        decisions: decisions(dataset, &split.test, model, (draws, seed))?,
        actions: per_action(
            dataset,
            &from_oracle,
            &predict(model, dataset, &from_oracle)?,
            &baselines,
        ),
        closed_loop: model.metadata.sheet.as_ref().and_then(|sheet| sheet.closed_loop.clone()),
    })
}

/// JSON has no NaN: figures that do not exist are left out, and so are those without an interval.
pub(super) fn existing_figures<F: FromIterator<(String, Estimate)>>(
    estimate: impl Fn(usize) -> Estimate,
) -> F {
    let all = NAMES.iter().enumerate().map(|(at, name)| ((*name).to_owned(), estimate(at)));
    all.filter(|(_, estimate)| estimate.exists()).collect()
}

fn per_code(
    dataset: &Dataset,
    rows: &[usize],
    predicted: &[f64],
    table: &[f64],
) -> Vec<CodeFigures> {
    let codes: BTreeSet<i32> = rows.iter().map(|&row| dataset.code[row]).collect();
    let mut figures: Vec<CodeFigures> = codes
        .into_iter()
        .map(|code| {
            let here: Vec<usize> =
                (0..rows.len()).filter(|&at| dataset.code[rows[at]] == code).collect();
            let succeeded = |&&at: &&usize| dataset.label[rows[at]] == SUCCESS;
            let successes = here.iter().filter(succeeded).count();
            let auroc = |p: &[f64]| existing(figures_of(dataset, rows, &here, p).auroc);
            let (auroc, table_auroc) = (auroc(predicted), auroc(table));
            CodeFigures { code, rows: here.len(), successes, auroc, table_auroc }
        })
        .collect();
    figures.sort_by_key(|figures| (std::cmp::Reverse(figures.rows), figures.code));
    figures
}

fn existing(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Weighted figures of predictions for some rows.
/// Figures of the rows at some places.
fn figures_of(dataset: &Dataset, rows: &[usize], at: &[usize], probability: &[f64]) -> Figures {
    let rows: Vec<usize> = at.iter().map(|&at| rows[at]).collect();
    let outcomes = dataset.outcomes(&rows);
    Scored::new(&outcomes, &pick(probability, at), 0.5).figures()
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
            let of = |p: &[f64]| {
                let figures = figures_of(dataset, rows, &here, p);
                [existing(figures.auroc), existing(figures.brier)]
            };
            let weight = |&at: &usize| f64::from(dataset.weight[rows[at]]);
            let total: f64 = here.iter().map(weight).sum();
            let successes = here.iter().map(|at| weight(at) * truth[*at]);
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
        writeln!(f, "{:<24}{:<13}{:>7}  {:<18}model less this", "", "figure", "value", "interval")?;
        for method in &self.methods {
            for (at, (name, e)) in method.figures.iter().enumerate() {
                let label = if at == 0 { method.name.as_str() } else { "" };
                let interval = format!("{:.3} .. {:.3}", e.low, e.high);
                write!(f, "{label:<24}{name:<13}{:>7.3}  {interval:<18}", e.value)?;
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
            "{:<36}{:>6}{:>10}{:>13}{:>13}",
            "  code", "holds", "success", "model auroc", "table auroc"
        )?;
        for code in &self.codes {
            writeln!(
                f,
                "  {:<34}{:>6}{:>10}{:>13}{:>13}",
                hold_code::label(code.code),
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
                "  action    rows  success           model           table          oracle"
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
        self.decisions.iter().try_for_each(|decisions| write!(f, "{decisions}"))?;
        closed_loop(f, self.closed_loop.as_ref())
    }
}

/// The headline of a model: what it is worth to decide by it.
fn closed_loop(f: &mut fmt::Formatter<'_>, of: Option<&ClosedLoop>) -> fmt::Result {
    let Some(ClosedLoop { figures_of, figures }) = of else {
        return writeln!(
            f,
            "share of the avoidable loss that is avoided: not measured; `holdadvise-train \
             closed-loop --model FILE --record` does"
        );
    };
    writeln!(f, "share of the avoidable loss that is avoided, {figures_of}")?;
    for SheetFigure { method, value, low, high, .. } in figures {
        writeln!(f, "{method:<24}{:<13}{value:>7.3}  {low:.3} .. {high:.3}", "")?;
    }
    Ok(())
}
