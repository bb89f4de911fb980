//! Fits the methods and compares them: majority, logistic regression, boosted trees. The regression
//! is what the program asks.

use std::collections::BTreeSet;
use std::path::PathBuf;

use holdadvise::model::{Forest, Node};
use holdadvise::profile::{Binding, Linear, ScriptModel};
use holdadvise::random::Random;
use scripttree::Language;

use super::figures::{CLASSES, Said, confusion, mean, most, right, table};
use super::linear::{self, class_weights};
use super::rows::{Row, read_rows};
use crate::Error;
use crate::output::Output;
use crate::say::say;
use crate::split::{Dropped, Split};
use crate::training::boosting::{BoostingOptions, Examples, boost};
use crate::training::source_dropout::SourceDropout;

/// Fit majority, logistic regression and boosted trees to scripts that were measured
#[derive(Clone, Debug, clap::Args)]
pub struct FitOptions {
    /// Files of measurements, as `lab/trials/profiles` makes them: to train on, and to choose
    /// by folds of projects.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    rows: Vec<PathBuf>,
    /// Files of other projects, of which figures are printed.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    kept_out: Vec<PathBuf>,
    /// Bootstrap draws of projects.
    #[arg(long, default_value_t = 1_000)]
    draws: usize,
    /// The same seed gives the same models on the same machine.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File to write: the regression, which `condor_holdadvise -profile` asks.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
}

/// Parts into which the projects are cut.
pub(super) const FOLDS: usize = 5;

/// Forests whose mean is a forest: each stops by another part.
const BAGS: usize = 5;

const BOOSTING: BoostingOptions = BoostingOptions { trees: 60, leaves: 6, tree_rate: 0.1 };

/// Penalties of the logistic regression that are tried.
const RIDGES: [f64; 5] = [0.3, 0.1, 0.03, 0.01, 0.003];

/// Bootstrap draws are of this seed.
const DRAWS_SEED: u64 = 1;

/// A way to say how likely each class is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    Majority,
    /// With this penalty.
    Linear(f64),
    Trees,
}

impl Method {
    fn name(self) -> String {
        match self {
            Self::Majority => "majority".to_owned(),
            Self::Linear(ridge) => format!("logistic regression, ridge {ridge}"),
            Self::Trees => "boosted trees".to_owned(),
        }
    }

    /// Fits `train` and says what binds `asked`.
    fn say(self, train: &[&Row], asked: &[&Row], seed: u64) -> Result<Vec<Said>, Error> {
        Ok(match self {
            Self::Majority => majority(train, asked),
            Self::Linear(ridge) => of_linear(&linear::fit(train, ridge), asked),
            Self::Trees => trees(train, asked, seed)?,
        })
    }
}

fn of_linear(linear: &Linear, rows: &[&Row]) -> Vec<Said> {
    rows.iter().map(|row| linear.probabilities(&row.columns)).collect()
}

/// What the folds choose.
struct Chosen {
    /// Penalty of the regression.
    ridge: f64,
    /// What makes its likelihoods honest.
    temperature: f64,
}

/// Runs `profiles fit`.
pub(super) fn run(options: &FitOptions) -> Result<(), Error> {
    let output = options.output.as_ref().map(|path| Output::new(path, options.replace));
    output.iter().try_for_each(Output::check)?;
    let rows = read_rows(&options.rows)?;
    let rows: Vec<&Row> = rows.iter().collect();
    describe("training", &rows);
    let chosen = choose(&rows, options)?;
    let mut linear = linear::fit(&rows, chosen.ridge);
    if !options.kept_out.is_empty() {
        let kept = read_rows(&options.kept_out)?;
        let kept: Vec<&Row> = kept.iter().collect();
        apart(&rows, &kept)?;
        describe("kept out", &kept);
        heading("kept out");
        let show = |name: &str, said: &[Said]| figures(name, &kept, said, options);
        show(&Method::Majority.name(), &majority(&rows, &kept));
        let of_linear = of_linear(&linear, &kept);
        show(&Method::Linear(chosen.ridge).name(), &of_linear);
        let of_trees = trees(&rows, &kept, options.seed)?;
        show(&Method::Trees.name(), &of_trees);
        show(TREES_AND_LINEAR, &mean(&of_trees, &of_linear));
        show(REPORTED, &reported(&kept));
        details(&kept, &cooled(&of_linear, chosen.temperature), options);
    }
    if let Some(output) = output {
        let projects: BTreeSet<&str> = rows.iter().map(|row| &*row.project).collect();
        let about = format!("{} runs of scripts of {} projects", rows.len(), projects.len());
        linear.weights.iter_mut().flatten().for_each(|weight| *weight /= chosen.temperature);
        let model = ScriptModel::new(linear, about);
        output.write((serde_json::to_string(&model)? + "\n").as_bytes())?;
    }
    Ok(())
}

const TREES_AND_LINEAR: &str = "mean of the trees and the regression";
const REPORTED: &str = "reported by HTCondor";

/// Chooses by folds of projects, and prints the figures.
fn choose(rows: &[&Row], options: &FitOptions) -> Result<Chosen, Error> {
    let folds = folds(rows, options.seed)?;
    heading("by folds of projects");
    let measure = |method| measure(rows, method, &folds, options);
    measure(Method::Majority)?;
    let (ridge, of_linear) = best(&RIDGES, |ridge| measure(Method::Linear(ridge)))?;
    let (_, of_trees) = measure(Method::Trees)?;
    figures(TREES_AND_LINEAR, rows, &mean(&of_trees, &of_linear), options);
    figures(REPORTED, rows, &reported(rows), options);
    let temperature = temperature(rows, &of_linear);
    say(format_args!("\nridge {ridge}, temperature {temperature:.1}\n"));
    details(rows, &cooled(&of_linear, temperature), options);
    Ok(Chosen { ridge, temperature })
}

/// Of those that are tried the one whose measured figure is largest, with what it says.
fn best<T: Copy>(
    tried: &[T],
    mut measure: impl FnMut(T) -> Result<(f64, Vec<Said>), Error>,
) -> Result<(T, Vec<Said>), Error> {
    let mut best: Option<(f64, T, Vec<Said>)> = None;
    for &one in tried {
        let (figure, said) = measure(one)?;
        if best.as_ref().is_none_or(|(most, ..)| figure > *most) {
            best = Some((figure, one, said));
        }
    }
    let (_, one, said) = best.ok_or("there is nothing to try")?;
    Ok((one, said))
}

/// Temperatures that are tried, in tenths.
const TEMPERATURES: std::ops::RangeInclusive<u32> = 5..=50;

/// What makes likelihoods of other projects honest: logits are divided by it (Guo et al. 2017, "On
/// Calibration of Modern Neural Networks").
fn temperature(rows: &[&Row], said: &[Said]) -> f64 {
    let loss = |temperature: f64| -> f64 {
        let cooled = cooled(said, temperature);
        rows.iter().zip(cooled).map(|(row, said)| -said[right(row, &said)].max(1e-12).ln()).sum()
    };
    let all = TEMPERATURES.map(|tenths| f64::from(tenths) / 10.0).map(|t| (loss(t), t));
    all.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, temperature)| temperature)
}

/// Likelihoods whose logits are divided by a temperature.
fn cooled(said: &[Said], temperature: f64) -> Vec<Said> {
    let of = |said: &Said| {
        let powers = said.map(|p| p.max(1e-300).powf(1.0 / temperature));
        let sum: f64 = powers.iter().sum();
        powers.map(|power| power / sum)
    };
    said.iter().map(of).collect()
}

/// Prints the figures of a method by folds. Returned: its macro F1, and what it says.
fn measure(
    rows: &[&Row],
    method: Method,
    folds: &[usize],
    options: &FitOptions,
) -> Result<(f64, Vec<Said>), Error> {
    let said = by_folds(rows, method, folds, options.seed)?;
    Ok((figures(&method.name(), rows, &said, options), said))
}

/// What a method says of each fold, fitted to the others.
fn by_folds(rows: &[&Row], method: Method, folds: &[usize], seed: u64) -> Result<Vec<Said>, Error> {
    let mut said = vec![[0.0; CLASSES]; rows.len()];
    for fold in 0..FOLDS {
        let (asked, train) = parted(folds, fold);
        let of = |numbers: &[usize]| numbers.iter().map(|row| rows[*row]).collect::<Vec<_>>();
        let answers = method.say(&of(&train), &of(&asked), seed)?;
        for (row, of) in asked.into_iter().zip(answers) {
            said[row] = of;
        }
    }
    Ok(said)
}

fn heading(what: &str) {
    say(format_args!("\n| {what} | accuracy | macro F1 |\n|---|---|---|\n"));
}

/// Prints a line of a table. Returned: the macro F1.
fn figures(name: &str, rows: &[&Row], said: &[Said], options: &FitOptions) -> f64 {
    let named = confusion(rows, said).named(options.draws, DRAWS_SEED);
    say(format_args!("| {name} | {} |\n", named.cells()));
    named.f1.value
}

/// Prints the confusion, how honest likelihoods are, and figures by language.
fn details(rows: &[&Row], said: &[Said], options: &FitOptions) {
    let names = Binding::ALL.map(Binding::name).join(" | ");
    say(format_args!("\n| bound by, named as | {names} |\n|---|---|---|---|---|\n"));
    for (binding, counts) in Binding::ALL.into_iter().zip(table(rows, said)) {
        let counts = counts.map(|count| count.to_string()).join(" | ");
        say(format_args!("| {} | {counts} |\n", binding.name()));
    }
    say(format_args!(
        "\n| likelihood of what is named | rows | mean | right |\n|---|---|---|---|\n"
    ));
    for ends in [[0.0, 0.35], [0.35, 0.65], [0.65, 0.9], [0.9, 1.01]] {
        let within = |said: &&Said| (ends[0]..ends[1]).contains(&said[most(said)]);
        let here: Vec<(&&Row, &Said)> =
            rows.iter().zip(said).filter(|(_, of)| within(of)).collect();
        let n = here.len();
        let mean = here.iter().map(|(_, of)| of[most(of)]).sum::<f64>() / n as f64;
        let named = here.iter().filter(|(row, of)| right(row, of) == most(of)).count();
        let (low, high, right) = (ends[0], ends[1].min(1.0), named as f64 / n as f64);
        say(format_args!("| {low} to {high} | {n} | {mean:.2} | {right:.2} |\n"));
    }
    heading("logistic regression, by language");
    for language in Language::ALL {
        let of = |row: &&Row| row.language == language;
        let (rows, said): (Vec<&Row>, Vec<Said>) =
            rows.iter().copied().zip(said.iter().copied()).filter(|(row, _)| of(row)).unzip();
        figures(&format!("{}, {} rows", language.name(), rows.len()), &rows, &said, options);
    }
    let originals: (Vec<&Row>, Vec<Said>) =
        rows.iter().copied().zip(said.iter().copied()).filter(|(row, _)| !row.is_variation).unzip();
    let n = originals.0.len();
    figures(&format!("as their authors wrote them, {n} rows"), &originals.0, &originals.1, options);
    say(format_args!("\n"));
}

/// No project lies in both.
fn apart(rows: &[&Row], kept: &[&Row]) -> Result<(), Error> {
    let trained: BTreeSet<&str> = rows.iter().map(|row| &*row.project).collect();
    match kept.iter().find(|row| trained.contains(&*row.project)) {
        Some(row) => {
            let project = &row.project;
            Err(format!("project {project} trains and is kept out; expected one of both").into())
        }
        None => Ok(()),
    }
}

/// The fold of each row. All of a project are in one; projects are dealt out as chance orders them,
/// each to the fold with fewest rows.
pub(super) fn folds(rows: &[&Row], seed: u64) -> Result<Vec<usize>, Error> {
    let projects: BTreeSet<&str> = rows.iter().map(|row| &*row.project).collect();
    if projects.len() < FOLDS {
        let n = projects.len();
        return Err(format!("{n} projects; expected {FOLDS} or more").into());
    }
    let mut projects: Vec<&str> = projects.into_iter().collect();
    let mut random = Random::new(seed);
    random.shuffle(&mut projects);
    let mut sizes = [0; FOLDS];
    let mut folds = vec![0; rows.len()];
    for project in projects {
        let fold = (0..FOLDS).min_by_key(|fold| sizes[*fold]).unwrap_or(0);
        for (row, of) in rows.iter().zip(&mut folds) {
            if row.project == project {
                *of = fold;
                sizes[fold] += 1;
            }
        }
    }
    Ok(folds)
}

/// The rows of a fold, and the others.
pub(super) fn parted(folds: &[usize], fold: usize) -> (Vec<usize>, Vec<usize>) {
    (0..folds.len()).partition(|row| folds[*row] == fold)
}

fn describe(name: &str, rows: &[&Row]) {
    let projects: BTreeSet<&str> = rows.iter().map(|row| &*row.project).collect();
    let changed = rows.iter().filter(|row| row.is_variation).count();
    let ties = rows.iter().filter(|row| row.tie.is_some()).count();
    say(format_args!(
        "\n{name}: {} runs of scripts of {} projects, {changed} of them variations, {ties} ties\n\n",
        rows.len(),
        projects.len()
    ));
    let names = Binding::ALL.map(Binding::name).join(" | ");
    say(format_args!("| {name} | {names} |\n|---|---|---|---|---|\n"));
    for language in Language::ALL {
        let count = |binding| {
            let is = |row: &&&Row| row.language == language && row.binding == binding;
            rows.iter().filter(is).count().to_string()
        };
        say(format_args!("| {} | {} |\n", language.name(), Binding::ALL.map(count).join(" | ")));
    }
}

fn majority(train: &[&Row], asked: &[&Row]) -> Vec<Said> {
    let share = |class| {
        train.iter().filter(|row| row.binding.number() == class).count() as f64 / train.len() as f64
    };
    vec![std::array::from_fn(share); asked.len()]
}

/// What HTCondor's attributes of a job say of what was measured.
fn reported(rows: &[&Row]) -> Vec<Said> {
    let of = |row: &&Row| {
        let mut said = [0.0; CLASSES];
        if let Some(binding) = row.reported {
            said[binding.number()] = 1.0;
        }
        said
    };
    rows.iter().map(of).collect()
}

/// A forest for each class against the others: the mean of those that stop by one part each.
fn trees(rows: &[&Row], asked: &[&Row], seed: u64) -> Result<Vec<Said>, Error> {
    let parts = folds(rows, seed)?;
    let k = rows.first().map_or(0, |row| row.columns.len());
    let statics: Vec<f32> = rows.iter().flat_map(|row| row.columns.iter().copied()).collect();
    let of_class = class_weights(rows);
    let weight: Vec<f32> = rows.iter().map(|row| of_class[row.binding.number()] as f32).collect();
    let none = SourceDropout::new(&[], 0.0);
    let forest = |class: usize| -> Forest {
        let target: Vec<f32> =
            rows.iter().map(|row| f32::from(u8::from(row.binding.number() == class))).collect();
        let mut bags = Vec::new();
        for bag in 0..BAGS {
            let (validation, train) = parted(&parts, bag % FOLDS);
            let split = Split {
                cuts: None,
                train,
                validation,
                test: Vec::new(),
                dropped: Dropped::default(),
            };
            let examples = Examples { statics: &statics, k, target: &target, weight: &weight };
            bags.push(boost(examples, &split, &none, &BOOSTING, seed + bag as u64));
        }
        mean_forest(&bags)
    };
    let forests: [Forest; CLASSES] = std::array::from_fn(forest);
    let of = |row: &&Row| {
        let each = forests.each_ref().map(|of| 1.0 / (1.0 + (-of.logit(&row.columns)).exp()));
        let sum: f64 = each.iter().sum();
        each.map(|one| one / sum)
    };
    Ok(asked.iter().map(of).collect())
}

/// The forest whose logit is the mean of those of others.
fn mean_forest(forests: &[Forest]) -> Forest {
    let mut all = Forest::default();
    for forest in forests {
        let shift = all.nodes.len() as u32;
        all.roots.extend(forest.roots.iter().map(|root| root + shift));
        all.nodes.extend(forest.nodes.iter().map(|node| match *node {
            Node::Split { column, threshold, below, above } => {
                Node::Split { column, threshold, below: below + shift, above: above + shift }
            }
            Node::Leaf { value } => Node::Leaf { value: value / forests.len() as f32 },
        }));
    }
    all
}
