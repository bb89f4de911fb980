//! What is tried, and for how long: `training`, `method`, `trials`, `metric`, `budget`,
//! `early_stopping`.

use std::path::{Path, PathBuf};

use holdadvise::model::limits;

use super::distribution::distribution;
use super::node::Content;
use super::paths;
use super::section::{Section, Value, describe, listed, unknown};
use crate::sweep::halving;
use crate::sweep::parameters::TRAINING;
use crate::sweep::plan::{Goal, Method, Metric};
use crate::sweep::space::{Dimension, Distribution, Scale, Space};
use crate::training::beginning::Beginning;
use crate::training::precision::Precision;

/// Most trials.
pub const MOST_TRIALS: usize = 10_000;

/// Figures that a trial may be judged by, with the way that is better, and what an axis is called.
pub const METRICS: [(&str, Goal, &str); 4] = [
    ("validation_loss", Goal::Minimize, "validation loss (log loss, nats)"),
    ("validation_auroc", Goal::Maximize, "validation AUROC (0.5 is chance)"),
    ("validation_brier", Goal::Minimize, "validation Brier score"),
    ("validation_f_measure", Goal::Maximize, "validation F measure"),
];

/// How trials are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// How they are drawn.
    pub method: Method,
    /// How many; `None`: the whole grid, or 24.
    pub trials: Option<usize>,
}

/// Successive halving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// R: rungs.
    pub rungs: usize,
    /// Of so many trials on a rung one goes on.
    pub eta: usize,
    /// E: epochs of a trial that reaches the last rung.
    pub epochs: usize,
}

/// What `training` says.
#[derive(Default)]
pub(super) struct Training {
    /// What each parameter may be.
    pub(super) space: Space,
    /// Numbers that the LSTM computes with.
    pub(super) precision: Precision,
    /// The model whose parameters trials begin with.
    pub(super) from: Option<PathBuf>,
}

/// Reads `training`.
pub(super) fn training<'a>(
    root: &mut Section<'a>,
    places: &mut Vec<(Value<'a>, Distribution)>,
    folder: &Path,
) -> Training {
    let Training { mut space, mut precision, mut from } = Training::default();
    let Some(mut section) = root.section("training") else { return Training::default() };
    if let Some(value) = section.take("precision") {
        let words = [Precision::Float32, Precision::Bfloat16].map(|word| (word.name(), word));
        precision = value.word(&words).unwrap_or_default();
    }
    if let Some(value) = section.take("parameters") {
        let known: Vec<&'static str> = TRAINING.iter().map(|parameter| parameter.name).collect();
        if !matches!(value.node.content, Content::Mapping(_)) {
            value.error(format_args!("expected parameters, not {}", describe(value.node)));
        }
        for entry in value.node.entries().iter().filter(|entry| !entry.value.is_null()) {
            let one = value.within(&entry.key, &entry.value);
            let name = entry.key.replace('-', "_");
            let Some(parameter) = TRAINING.iter().find(|parameter| parameter.is_called(&name))
            else {
                unknown(&one, entry, &known);
                continue;
            };
            if space.contains_key(parameter.name) {
                let text = format!("{}: `{}` has a value already", one.name, parameter.name);
                one.problems.error(entry.at, text);
                continue;
            }
            if let Some(read) = distribution(one.clone(), parameter) {
                places.push((one, read.clone()));
                space.insert(parameter.name.to_owned(), read);
            }
        }
        too_many_nodes(&space, &value);
    }
    if let Some(value) = section.take("from") {
        from = paths::one(&value, paths::Wanted::File, folder);
        if let Some(path) = &from {
            begin(&mut space, path, &value);
        }
    }
    section.finish();
    Training { space, precision, from }
}

/// Gives the sizes of the network the values of the model that trials begin with.
fn begin(space: &mut Space, path: &Path, value: &Value<'_>) {
    let beginning = match Beginning::read(path) {
        Ok(beginning) => beginning,
        Err(error) => return value.error(error),
    };
    for (name, size) in beginning.sizes() {
        let its = Distribution::Constant { value: size.into() };
        match space.insert(name.to_owned(), its.clone()) {
            Some(other) if other != its => value.error(format_args!(
                "the model has `{name}` {size}: leave `{name}` out of `parameters`, or give it \
                 that value"
            )),
            _ => {}
        }
    }
}

/// Trees and leaves that a model cannot hold together: the most of both may be drawn at once.
fn too_many_nodes(space: &Space, value: &Value<'_>) {
    let most = |name| space.get(name).map(|distribution| greatest(name, distribution));
    if let (Some(trees), Some(leaves)) = (most("trees"), most("leaves"))
        && trees * (2.0 * leaves - 1.0) >= limits::TREE_NODES as f64
    {
        value.error(format_args!(
            "`trees` {trees} of `leaves` {leaves} have more nodes than a model holds, {}",
            limits::TREE_NODES
        ));
    }
}

fn greatest(name: &str, distribution: &Distribution) -> f64 {
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or_default();
    match distribution {
        Distribution::Constant { value } => number(value),
        Distribution::Categorical { values, .. } => values.iter().map(number).fold(0.0, f64::max),
        Distribution::IntUniform { max, .. } => *max as f64,
        Distribution::Real { .. } => number(&Dimension::new(name, distribution).value(1.0)),
    }
}

/// Reads `method` and `trials`; a grid needs that all of `places` can be counted.
pub(super) fn search(root: &mut Section<'_>, places: &[(Value<'_>, Distribution)]) -> Search {
    let mut found = Search { method: Method::Random, trials: None };
    if let Some(value) = root.take("method") {
        let words = [("random", Method::Random), ("grid", Method::Grid)];
        found.method = value.word(&words).unwrap_or(found.method);
    }
    if found.method == Method::Grid {
        for (value, distribution) in places {
            let short = value.name.rsplit('.').next().unwrap_or(&value.name);
            if Dimension::new(short, distribution).count().is_none() {
                let hint = match distribution {
                    Distribution::Real { scale: Scale::Uniform | Scale::LogUniform, .. } => {
                        "`values`, or a distribution that rounds (`q_uniform`)"
                    }
                    _ => "`values`",
                };
                value.error(format_args!("a grid needs values to count: {hint}"));
            }
        }
    }
    found.trials = root.take("trials").and_then(|value| value.count(1..=MOST_TRIALS));
    found
}

/// Reads `metric`.
pub(super) fn metric(root: &mut Section<'_>) -> Metric {
    let mut found = Metric { name: METRICS[0].0.to_owned(), goal: METRICS[0].1 };
    let Some(value) = root.take("metric") else { return found };
    let (name, section) = match &value.node.content {
        Content::Scalar { .. } => (Some(value.clone()), None),
        _ => {
            let mut section = value.clone().section();
            (section.as_mut().and_then(|section| section.take("name")), section)
        }
    };
    if let Some(name) = name {
        // Of the one word alone too.
        let name = value.within("name", name.node);
        if let Some(text) = name.text() {
            match METRICS.iter().find(|(metric, ..)| *metric == text) {
                Some(&(name, goal, _)) => found = Metric { name: name.to_owned(), goal },
                None => {
                    let expected = listed(&METRICS.map(|(metric, ..)| metric));
                    name.error(format_args!("expected {expected}, not {}", describe(name.node)));
                }
            }
        }
    }
    if let Some(mut section) = section {
        if let Some(value) = section.take("goal") {
            let words = [("minimize", Goal::Minimize), ("maximize", Goal::Maximize)];
            let goal = value.word(&words).unwrap_or(found.goal);
            if goal != found.goal {
                let better = words.iter().find(|(_, goal)| *goal == found.goal);
                let better = better.map_or("", |(word, _)| word);
                value.error(format_args!("the goal of {} is `{better}`", found.name));
            }
        }
        section.finish();
    }
    found
}

/// Reads `budget`.
pub(super) fn budget(root: &mut Section<'_>) -> Budget {
    let mut found = Budget { rungs: 3, eta: 3, epochs: 36 };
    let Some(mut section) = root.section("budget") else { return found };
    for (key, number, range) in [
        ("rungs", &mut found.rungs, 1..=10),
        ("eta", &mut found.eta, 2..=100),
        ("epochs", &mut found.epochs, 1..=10_000),
    ] {
        let read = section.take(key).and_then(|value| value.count(range));
        *number = read.unwrap_or(*number);
    }
    if let Err(text) = halving::rungs(1, found.rungs, found.eta, found.epochs) {
        section.value.error(text);
    }
    section.finish();
    found
}

/// Reads `early_stopping`: the patience.
pub(super) fn early_stopping(root: &mut Section<'_>) -> usize {
    let usual = 6;
    let Some(mut section) = root.section("early_stopping") else { return usual };
    let read = section.take("patience").and_then(|value| value.count(1..=10_000));
    section.finish();
    read.unwrap_or(usual)
}
