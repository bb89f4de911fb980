//! Fits the methods and compares them: majority, job model, boosted trees, networks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::figures::{ACTIONS, Figures, Said};
use super::matrix::{Layout, Vocabulary};
use super::network::{Choice, Network};
use super::rows::read_rows;
use super::{Recovery, Row};
use crate::Error;
use crate::output::{Output, read};
use crate::random::Random;
use crate::say::say;
use crate::split::{Dropped, Split};
use crate::sweep::importance::Importances;
use crate::training::boosting::{BoostingOptions, Examples, boost};
use crate::training::source_dropout::SourceDropout;

/// Fit majority, boosted trees and networks to workflows and compare them on others
#[derive(Clone, Debug, clap::Args)]
pub struct FitOptions {
    /// Files of `workflows rows` to train on.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    train: Vec<PathBuf>,
    /// Files to choose by.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    validation: Vec<PathBuf>,
    /// Files that figures are of.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    test: Vec<PathBuf>,
    /// Trainings of networks in a random search; 0: no network.
    #[arg(long, default_value_t = 32, value_name = "N")]
    trials: usize,
    /// Access points of the training part that the search, and the choice of a layout for trees,
    /// train on; the best are trained on all.
    #[arg(long, default_value_t = 8, value_name = "N")]
    search_on: usize,
    /// Measure a learning curve too.
    #[arg(long)]
    curve: bool,
    /// Bootstrap draws of access points.
    #[arg(long, default_value_t = 1_000)]
    draws: usize,
    /// The same seed gives the same models on the same machine.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// TorchScript module to write: the best network. What its inputs are lies in a file of the
    /// same name with `.json` behind it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the files if they are there already.
    #[arg(long)]
    replace: bool,
}

/// Columns of [`Figures::cells`].
const TITLES: &str = "AUROC, action | AUROC, memory | accuracy | macro F1";

/// Shares of the training access points in a learning curve.
const CURVE: [f64; 4] = [0.04, 0.1, 0.3, 1.0];

const LAYOUTS: [Layout; 4] = [
    Layout { grouped: true, named: true },
    Layout { grouped: true, named: false },
    Layout { grouped: false, named: true },
    Layout { grouped: false, named: false },
];

const BOOSTING: BoostingOptions = BoostingOptions { trees: 120, leaves: 12, tree_rate: 0.1 };

/// Rows of each part.
struct Parts<'a> {
    train: Vec<&'a Row>,
    validation: Vec<&'a Row>,
    test: Vec<&'a Row>,
}

impl Parts<'_> {
    /// With the first access points of the training part alone.
    fn fewer(&self, points: usize) -> Self {
        let all: BTreeSet<u64> = self.train.iter().map(|row| row.access_point).collect();
        let kept: BTreeSet<u64> = all.into_iter().take(points).collect();
        let is_kept = |row: &&&Row| kept.contains(&row.access_point);
        Self {
            train: self.train.iter().filter(is_kept).copied().collect(),
            validation: self.validation.clone(),
            test: self.test.clone(),
        }
    }
}

/// Runs `workflows fit`.
pub(super) fn run(options: &FitOptions) -> Result<(), Error> {
    let outputs = options.output.as_ref().map(|path| {
        let mut beside = path.clone().into_os_string();
        beside.push(".json");
        [path, &PathBuf::from(beside)].map(|path| Output::new(path, options.replace))
    });
    outputs.iter().flatten().try_for_each(Output::check)?;
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
    let mut measured = Vec::new();
    let mut measure = |name: &'static str, said: &[Said]| {
        let figures = Figures::of(&parts.test, said, options.draws);
        say(format_args!("| {name} | {} |\n", figures.cells()));
        measured.push((name, figures.actions));
    };
    measure("majority", &majority(&parts));
    if parts.test.iter().any(|row| row.said.is_some()) {
        let said: Vec<Said> = parts.test.iter().map(|row| of_job_model(row.said)).collect();
        measure("job model, mean over held jobs", &said);
    }
    let few = parts.fewer(options.search_on);
    let layout = layout_of_trees(&few, options.seed);
    measure("boosted trees", &trees(&parts, &parts.test, layout, options.seed));
    let searched = search(options, &few)?;
    let mut best: Option<(Choice, Network)> = None;
    for (name, convolutional) in [("dense network", false), ("convolutional network", true)] {
        let of_kind = searched.iter().filter(|(choice, _)| choice.convolutional == convolutional);
        if let Some((choice, _)) = of_kind.max_by(|a, b| a.1.total_cmp(&b.1)) {
            eprintln!("{name}: {}", Value::from_iter(choice.parameters()));
            let network = Network::train(choice, &parts.train, &parts.validation, options.seed)?;
            measure(name, &network.said(&parts.test)?);
            if best.as_ref().is_none_or(|(_, best)| network.figure > best.figure) {
                best = Some((choice.clone(), network));
            }
        }
    }
    let names = Recovery::ALL.map(Recovery::name).join(" | ");
    say(format_args!(
        "\n| AUROC, one action against the rest | {names} |\n|---|---|---|---|---|---|\n"
    ));
    for (name, actions) in &measured {
        let cells: Vec<String> = actions.iter().map(|figure| figure.text(3)).collect();
        say(format_args!("| {name} | {} |\n", cells.join(" | ")));
    }
    importance(&searched);
    if let (Some(outputs), Some((choice, network))) = (&outputs, &best) {
        write(outputs, choice, network)?;
    }
    if options.curve {
        curve(options, &parts, layout, best.as_ref().map(|(choice, _)| choice))?;
    }
    Ok(())
}

/// Writes the module, and next to it what its inputs are.
fn write(outputs: &[Output; 2], choice: &Choice, network: &Network) -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("module.pt");
    network.export(&path)?;
    let (vocabulary, sides) = (&network.vocabulary, network.vocabulary.sides());
    let actions = Recovery::ALL.map(Recovery::name);
    let about =
        json!({ "choice": choice, "vocabulary": vocabulary, "sides": sides, "actions": actions });
    outputs[0].write(&read(&path)?)?;
    Ok(outputs[1].write(about.to_string().as_bytes())?)
}

/// The layout with which trees are best on the validation part.
fn layout_of_trees(parts: &Parts<'_>, seed: u64) -> Layout {
    let mut best = (f64::NEG_INFINITY, LAYOUTS[0]);
    for layout in LAYOUTS {
        let said = trees(parts, &parts.validation, layout, seed);
        let figure = Figures::mean_auroc(&parts.validation, &said);
        eprintln!("trees, {layout:?}: {figure:.4} on validation");
        if figure > best.0 {
            best = (figure, layout);
        }
    }
    best.1
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

fn majority(parts: &Parts<'_>) -> Vec<Said> {
    let share = |of: &dyn Fn(&Row) -> bool| {
        parts.train.iter().filter(|row| of(row)).count() as f64 / parts.train.len() as f64
    };
    let said = std::array::from_fn(|column| match Recovery::ALL.get(column) {
        Some(action) => share(&|row| row.action == *action),
        None => share(&|row| row.memory),
    });
    vec![said; parts.test.len()]
}

/// By benefit: of a release with probability p it is 2 p - 1, of giving up 0. The job model cannot
/// say that work is to be split.
fn of_job_model(said: Option<[f64; 3]>) -> Said {
    let [as_is, memory, site] = said.unwrap_or([0.5; 3]);
    let benefit = [as_is, site, memory].map(|p| 2.0 * p - 1.0);
    let all: [f64; ACTIONS] = [benefit[0], benefit[1], benefit[2], -1.0, 0.0];
    std::array::from_fn(|at| match all.get(at) {
        Some(own) => {
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            let best = others.map(|(_, benefit)| *benefit).fold(-1.0, f64::max);
            (own - best + 2.0) / 4.0
        }
        None => f64::midpoint(1.0, memory - as_is),
    })
}

/// What boosted trees say of rows, one forest for each action against the rest and one for memory.
fn trees(parts: &Parts<'_>, asked: &[&Row], layout: Layout, seed: u64) -> Vec<Said> {
    let vocabulary = Vocabulary::of(parts.train.iter().copied(), layout);
    let [height, width] = vocabulary.sides();
    let rows = || parts.train.iter().chain(&parts.validation);
    let statics: Vec<f32> = rows().flat_map(|row| vocabulary.matrix(row)).collect();
    let weight = vec![1.0; rows().count()];
    let split = Split {
        cuts: None,
        train: (0..parts.train.len()).collect(),
        validation: (parts.train.len()..weight.len()).collect(),
        test: Vec::new(),
        dropped: Dropped::default(),
    };
    let none = SourceDropout::new(&[], 0.0);
    let k = height * width;
    let forests: Vec<_> = (0..=ACTIONS)
        .map(|column| {
            let is = |row: &Row| match Recovery::ALL.get(column) {
                Some(action) => row.action == *action,
                None => row.memory,
            };
            let target: Vec<f32> = rows().map(|row| f32::from(u8::from(is(row)))).collect();
            let examples = Examples { statics: &statics, k, target: &target, weight: &weight };
            boost(examples, &split, &none, &BOOSTING, seed)
        })
        .collect();
    let of = |row: &&Row| -> Said {
        let matrix = vocabulary.matrix(row);
        std::array::from_fn(|column| 1.0 / (1.0 + (-forests[column].logit(&matrix)).exp()))
    };
    asked.iter().map(of).collect()
}

/// Trains networks that chance draws: each with its figure on the validation part.
fn search(options: &FitOptions, parts: &Parts<'_>) -> Result<Vec<(Choice, f64)>, Error> {
    let mut random = Random::new(options.seed);
    let mut searched = Vec::new();
    for trial in 0..options.trials {
        let choice = Choice::draw(&mut random);
        let seed = options.seed + trial as u64;
        let network = Network::train(&choice, &parts.train, &parts.validation, seed)?;
        let (figure, drawn) = (network.figure, Value::from_iter(choice.parameters()));
        eprintln!("trial {}: {figure:.4} on validation, {drawn}", trial + 1);
        searched.push((choice, figure));
    }
    Ok(searched)
}

/// Says how much of the figure each parameter of the search explains.
fn importance(searched: &[(Choice, f64)]) {
    let drawn: Vec<BTreeMap<String, Value>> =
        searched.iter().map(|(choice, _)| choice.parameters()).collect();
    let figures: Vec<f64> = searched.iter().map(|&(_, figure)| figure).collect();
    if !drawn.is_empty() {
        say(format_args!("\n"));
        for line in Importances::among(&drawn, &figures).lines("the mean AUROC") {
            say(format_args!("{line}\n"));
        }
    }
}

/// Figures by the number of access points that train.
fn curve(
    options: &FitOptions,
    parts: &Parts<'_>,
    layout: Layout,
    choice: Option<&Choice>,
) -> Result<(), Error> {
    let points: BTreeSet<u64> = parts.train.iter().map(|row| row.access_point).collect();
    say(format_args!(
        "\n| access points | rows | method | {TITLES} |\n|---|---|---|---|---|---|---|\n"
    ));
    for share in CURVE {
        let n = (points.len() as f64 * share).ceil() as usize;
        let fewer = parts.fewer(n);
        let rows = fewer.train.len();
        let show = |name: &str, said: &[Said]| {
            let cells = Figures::of(&parts.test, said, options.draws).cells();
            say(format_args!("| {n} | {rows} | {name} | {cells} |\n"));
        };
        show("boosted trees", &trees(&fewer, &parts.test, layout, options.seed));
        if let Some(choice) = choice {
            let network = Network::train(choice, &fewer.train, &fewer.validation, options.seed)?;
            show("network", &network.said(&parts.test)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::matrix::tests::row;
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

    #[test]
    fn the_job_model_gives_up_where_nothing_has_a_chance() {
        let most = |said: [f64; 3]| {
            let of = of_job_model(Some(said));
            (0..ACTIONS).max_by(|&a, &b| of[a].total_cmp(&of[b])).map(|at| Recovery::ALL[at])
        };
        assert_eq!(most([0.1, 0.2, 0.3]), Some(Recovery::GiveUp));
        assert_eq!(most([0.6, 0.9, 0.5]), Some(Recovery::Memory));
        assert_eq!(most([0.6, 0.5, 0.7]), Some(Recovery::Elsewhere));
    }
}
