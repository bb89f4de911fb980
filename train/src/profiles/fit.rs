//! Fits the logistic regression, which the program asks, and compares it with the majority.

use std::collections::BTreeSet;
use std::path::PathBuf;

use holdadvise::profile::{Binding, Linear, ScriptModel};
use holdadvise::random::Random;

use super::figures::{Said, confusion, right};
use super::linear;
use super::rows::{Row, read_rows};
use crate::Error;
use crate::output::Output;
use crate::say::say;

/// Fit the logistic regression to scripts that were measured, beside the majority
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
const FOLDS: usize = 5;

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
}

impl Method {
    fn name(self) -> String {
        match self {
            Self::Majority => "majority".to_owned(),
            Self::Linear(ridge) => format!("logistic regression, ridge {ridge}"),
        }
    }

    /// Fits `train` and says what binds `asked`.
    fn say(self, train: &[&Row], asked: &[&Row]) -> Vec<Said> {
        match self {
            Self::Majority => majority(train, asked),
            Self::Linear(ridge) => of_linear(&linear::fit(train, ridge), asked),
        }
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
        let show = |of: Method, said: &[Said]| figures(&of.name(), &kept, said, options);
        show(Method::Majority, &majority(&rows, &kept));
        show(Method::Linear(chosen.ridge), &of_linear(&linear, &kept));
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

/// Chooses by folds of projects, and prints the figures.
fn choose(rows: &[&Row], options: &FitOptions) -> Result<Chosen, Error> {
    let folds = folds(rows, options.seed)?;
    heading("by folds of projects");
    let measure = |method: Method| {
        let said = by_folds(rows, method, &folds);
        (figures(&method.name(), rows, &said, options), said)
    };
    measure(Method::Majority);
    let mut best: Option<(f64, f64, Vec<Said>)> = None;
    for ridge in RIDGES {
        let (figure, said) = measure(Method::Linear(ridge));
        if best.as_ref().is_none_or(|(most, ..)| figure > *most) {
            best = Some((figure, ridge, said));
        }
    }
    let (_, ridge, of_linear) = best.ok_or("there is nothing to try")?;
    let temperature = temperature(rows, &of_linear);
    say(format_args!("\nridge {ridge}, temperature {temperature:.1}\n"));
    Ok(Chosen { ridge, temperature })
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

/// What a method says of each fold, fitted to the others.
fn by_folds(rows: &[&Row], method: Method, folds: &[usize]) -> Vec<Said> {
    let mut said = vec![Said::default(); rows.len()];
    for fold in 0..FOLDS {
        let (asked, train) = parted(folds, fold);
        let of = |numbers: &[usize]| numbers.iter().map(|row| rows[*row]).collect::<Vec<_>>();
        let answers = method.say(&of(&train), &of(&asked));
        for (row, of) in asked.into_iter().zip(answers) {
            said[row] = of;
        }
    }
    said
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
fn folds(rows: &[&Row], seed: u64) -> Result<Vec<usize>, Error> {
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
fn parted(folds: &[usize], fold: usize) -> (Vec<usize>, Vec<usize>) {
    (0..folds.len()).partition(|row| folds[*row] == fold)
}

fn describe(name: &str, rows: &[&Row]) {
    let projects: BTreeSet<&str> = rows.iter().map(|row| &*row.project).collect();
    let ties = rows.iter().filter(|row| row.tie.is_some()).count();
    let count = |binding| rows.iter().filter(|row| row.binding == binding).count();
    let counts = Binding::ALL.map(|of| format!("{} {}", of.name(), count(of))).join(", ");
    say(format_args!(
        "\n{name}: {} runs of scripts of {} projects, {ties} ties; {counts}\n",
        rows.len(),
        projects.len()
    ));
}

fn majority(train: &[&Row], asked: &[&Row]) -> Vec<Said> {
    let share = |class| {
        train.iter().filter(|row| row.binding.number() == class).count() as f64 / train.len() as f64
    };
    vec![std::array::from_fn(share); asked.len()]
}
