//! Fits boosted trees, which the program asks, and compares them with the majority.

use std::collections::BTreeSet;
use std::path::PathBuf;

use holdadvise::model::{Forest, TrainingSummary};
use holdadvise::workflow::{
    Cell, Counts, MatrixLayout, Place, Recovery, RecoveryModel, Vocabulary,
};
use serde_json::{Value, json};

use super::figures::{Figures, Scores};
use super::rows::read_rows;
use super::{Row, served};
use crate::Error;
use crate::output::Output;
use crate::say::say;
use crate::split::{Dropped, Split};
use crate::training::boosting::{BoostingOptions, Examples, boost};
use crate::training::source_dropout::SourceDropout;

/// Fit majority and boosted trees to workflows and compare them on others
#[derive(Clone, Debug, clap::Args)]
pub struct FitOptions {
    /// Files of `workflows rows` to train on.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    train: Vec<PathBuf>,
    /// Files that stop the training.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    validation: Vec<PathBuf>,
    /// Files that figures are of.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    test: Vec<PathBuf>,
    /// Bootstrap draws of access points.
    #[arg(long, default_value_t = 1_000)]
    draws: usize,
    /// The same seed gives the same models on the same machine.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File to write: the boosted trees, which `condor_holdadvise -workflow` asks.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
}

/// Columns of [`Figures::cells`].
const TITLES: &str = "AUROC, action | AUROC, memory | accuracy | macro F1";

/// Names of the simulator's sites mean nothing elsewhere. Groups of causes were no better on the
/// validation part.
const LAYOUT: MatrixLayout = MatrixLayout { grouped: false, named: false };

const BOOSTING: BoostingOptions = BoostingOptions { trees: 120, leaves: 12, tree_rate: 0.1 };

/// Rows of each part.
struct Parts<'a> {
    train: Vec<&'a Row>,
    validation: Vec<&'a Row>,
    test: Vec<&'a Row>,
}

/// Runs `workflows fit`.
pub(super) fn run(options: &FitOptions) -> Result<(), Error> {
    let output = options.output.as_ref().map(|path| Output::new(path, options.replace));
    output.iter().try_for_each(Output::check)?;
    let [train, validation, test] = [&options.train, &options.validation, &options.test]
        .map(|paths| read_rows(paths))
        .map(|rows| rows.map_err(|error| error.to_string()));
    let (train, validation, test) = (train?, validation?, test?);
    apart(&[&train, &validation, &test])?;
    let parts = Parts {
        train: train.iter().collect(),
        validation: validation.iter().collect(),
        test: test.iter().collect(),
    };
    describe(&parts);
    say(format_args!("\n| method | {TITLES} |\n|---|---|---|---|---|\n"));
    let measure = |name: &str, rows: &[&Row], said: &[Scores]| {
        let cells = Figures::of(rows, said, options.draws).cells();
        say(format_args!("| {name} | {cells} |\n"));
    };
    measure("majority", &parts.test, &majority(&parts));
    let model = trees(&parts, options.seed)?;
    measure("boosted trees", &parts.test, &said(&model, &parts.test));
    let blank = blank(&parts.test);
    let blank: Vec<&Row> = blank.iter().collect();
    measure("boosted trees, no site known", &blank, &said(&model, &blank));
    served::measure(&model, &parts.test, options.draws);
    say(format_args!("\nWhere no site is known:\n"));
    served::measure(&model, &blank, options.draws);
    output.map_or(Ok(()), |output| Ok(output.write(&model.to_bytes()?)?))
}

/// No access point lies in two parts.
fn apart(parts: &[&Vec<Row>; 3]) -> Result<(), Error> {
    let mut before: BTreeSet<u64> = BTreeSet::new();
    for (rows, name) in parts.iter().zip(["training", "validation", "test"]) {
        let points: BTreeSet<u64> = rows.iter().map(|row| row.access_point).collect();
        if points.is_empty() {
            return Err(format!("the {name} part has no rows; expected some").into());
        }
        if let Some(twice) = points.intersection(&before).next() {
            let text = format!("access point {twice} lies in two parts; expected each in one");
            return Err(text.into());
        }
        before.extend(points);
    }
    Ok(())
}

fn describe(parts: &Parts<'_>) {
    for (name, rows) in
        [("train", &parts.train), ("validation", &parts.validation), ("test", &parts.test)]
    {
        let points: BTreeSet<u64> = rows.iter().map(|row| row.access_point).collect();
        let clusters: BTreeSet<(u64, i32)> =
            rows.iter().map(|row| (row.access_point, row.cluster)).collect();
        let memory = rows.iter().filter(|row| row.memory).count();
        let count = |action| rows.iter().filter(|row| row.action == action).count();
        let counts = Recovery::ALL.map(|of| format!("{} {}", of.name(), count(of))).join(", ");
        let (n, points, clusters) = (rows.len(), points.len(), clusters.len());
        say(format_args!(
            "{name}: {n} rows, {clusters} workflows, {points} access points; {counts}; memory must \
             change {memory}\n"
        ));
    }
}

fn majority(parts: &Parts<'_>) -> Vec<Scores> {
    let share = |of: &dyn Fn(&Row) -> bool| {
        parts.train.iter().filter(|row| of(row)).count() as f64 / parts.train.len() as f64
    };
    let said = std::array::from_fn(|column| match Recovery::ALL.get(column) {
        Some(action) => share(&|row| row.action == *action),
        None => share(&|row| row.memory),
    });
    vec![said; parts.test.len()]
}

/// Boosted trees, one forest for each action against the rest and one for memory. Each row counts
/// once more as at an access point that knows no sites.
fn trees(parts: &Parts<'_>, seed: u64) -> Result<RecoveryModel, Error> {
    let vocabulary = Vocabulary::of(parts.train.iter().map(|row| &row.shown.counts), LAYOUT);
    let [height, width] = vocabulary.sides();
    let rows = || parts.train.iter().chain(&parts.validation);
    let with = |row: &&Row| {
        let counts = &row.shown.counts;
        [vocabulary.matrix(counts), vocabulary.matrix(&without_sites(counts))].concat()
    };
    let statics: Vec<f32> = rows().flat_map(with).collect();
    let weight = vec![1.0; 2 * rows().count()];
    let train = 2 * parts.train.len();
    let split = Split {
        cuts: None,
        train: (0..train).collect(),
        validation: (train..weight.len()).collect(),
        test: Vec::new(),
        dropped: Dropped::default(),
    };
    let none = SourceDropout::new(&[], 0.0);
    let k = height * width;
    let forest = |column: usize| -> Forest {
        let is = |row: &Row| match Recovery::ALL.get(column) {
            Some(action) => row.action == *action,
            None => row.memory,
        };
        let target: Vec<f32> = rows().flat_map(|row| [f32::from(u8::from(is(row))); 2]).collect();
        let examples = Examples { statics: &statics, k, target: &target, weight: &weight };
        boost(examples, &split, &none, &BOOSTING, seed)
    };
    Ok(RecoveryModel::new(vocabulary, std::array::from_fn(forest), summary(parts))?)
}

/// The same runs where no site is known.
fn without_sites(counts: &Counts) -> Counts {
    let cell = |cell: &Cell| Cell { site: String::new(), ..cell.clone() };
    let place = |place: &Place| Place { site: String::new(), ..place.clone() };
    Counts {
        failed: counts.failed.iter().map(cell).collect(),
        others: counts.others.iter().map(place).collect(),
    }
}

/// Rows at an access point that knows no sites: no place is suspected.
fn blank(rows: &[&Row]) -> Vec<Row> {
    let of = |row: &&Row| {
        let mut row = (*row).clone();
        row.shown.counts = without_sites(&row.shown.counts);
        row.shown.there = 0;
        row
    };
    rows.iter().map(of).collect()
}

/// What the model is trained on.
fn summary(parts: &Parts<'_>) -> TrainingSummary {
    let points: BTreeSet<u64> = parts.train.iter().map(|row| row.access_point).collect();
    let details = json!({ "access_points": points, "rows": parts.train.len() });
    TrainingSummary {
        trained_on: "simulated access points".to_owned(),
        outcomes: 0,
        details: if let Value::Object(details) = details { details } else { Default::default() },
    }
}

/// What a model says of rows.
fn said(model: &RecoveryModel, rows: &[&Row]) -> Vec<Scores> {
    let of = |row: &&Row| -> Scores {
        let said = model.say(&row.shown.counts);
        std::array::from_fn(|at| said.actions.get(at).copied().unwrap_or(said.memory))
    };
    rows.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::row;
    use super::*;

    #[test]
    fn an_access_point_lies_in_one_part() {
        let of = |access_point| {
            vec![Row { access_point, ..row(&[("held 6/2", "A", 1)], Recovery::Retry) }]
        };
        assert!(apart(&[&of(1), &of(2), &of(3)]).is_ok());
        let error = apart(&[&of(1), &of(2), &of(1)]).unwrap_err().to_string();
        assert!(error.contains("access point 1 lies in two parts"), "{error}");
        let error = apart(&[&of(1), &Vec::new(), &of(3)]).unwrap_err().to_string();
        assert!(error.contains("the validation part has no rows"), "{error}");
    }
}
