//! What is tried, and for how long: `training`, `method`, `trials`, `metric`, `budget`, `early_stopping`.

use holdadvise::model::limits;
use serde_json::Value;

use super::distribution::distribution;
use super::node::Content;
use super::problems::{Position, Problems};
use super::section::{Section, describe, unknown};
use crate::sweep::halving;
use crate::sweep::parameters::TRAINING;
use crate::sweep::plan::{Goal, Method, Metric};
use crate::sweep::space::{Dimension, Distribution, Scale, Space};
use crate::training::precision::Precision;

/// Most trials.
pub const MOST_TRIALS: usize = 10_000;

/// Figures that a trial may be judged by, with the way that is better.
pub const METRICS: [(&str, Goal); 4] = [
    ("validation_loss", Goal::Minimize),
    ("validation_auroc", Goal::Maximize),
    ("validation_brier", Goal::Minimize),
    ("validation_f_measure", Goal::Maximize),
];

/// Other names of those figures.
const METRIC_ALIASES: [(&str, &str); 5] = [
    ("validate_loss", "validation_loss"),
    ("val_loss", "validation_loss"),
    ("f-measure", "validation_f_measure"),
    ("f_measure", "validation_f_measure"),
    ("auroc", "validation_auroc"),
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

/// Reads `training`.
pub(super) fn training(
    root: &mut Section<'_>,
    places: &mut Vec<(String, Position, Distribution)>,
    problems: &mut Problems,
) -> (Space, Precision) {
    let (mut space, mut precision) = Default::default();
    let Some(mut section) = root.section("training", problems) else { return (space, precision) };
    if let Some(node) = section.take("precision") {
        let words = [Precision::Float32, Precision::Bfloat16].map(|word| (word.name(), word));
        precision = problems.word(node, "training.precision", &words).unwrap_or_default();
    }
    let path = section.path("parameters");
    if let Some(node) = section.take("parameters") {
        let known: Vec<&'static str> = TRAINING.iter().map(|parameter| parameter.name).collect();
        if !matches!(node.content, Content::Mapping(_)) {
            let found = describe(node);
            problems.error(node.at, format!("{path}: expected parameters, not {found}"));
        }
        for entry in node.entries().iter().filter(|entry| !entry.value.is_null()) {
            let name = entry.key.replace('-', "_");
            let Some(parameter) = TRAINING.iter().find(|parameter| parameter.is_called(&name))
            else {
                unknown(&format!("{path}.{}", entry.key), entry, &known, problems);
                continue;
            };
            let name = format!("{path}.{}", entry.key);
            if space.contains_key(parameter.name) {
                let text = format!("{name}: `{}` has a value already", parameter.name);
                problems.error(entry.at, text);
                continue;
            }
            if let Some(read) = distribution(&entry.value, &name, parameter, problems) {
                places.push((name, entry.value.at, read.clone()));
                space.insert(parameter.name.to_owned(), read);
            }
        }
        too_many_nodes(&space, node.at, problems);
    }
    section.finish(problems);
    (space, precision)
}

/// Trees and leaves that a model cannot hold together: the most of both may be drawn at once.
fn too_many_nodes(space: &Space, at: Position, problems: &mut Problems) {
    let most = |name| space.get(name).map(|distribution| greatest(name, distribution));
    if let (Some(trees), Some(leaves)) = (most("trees"), most("leaves"))
        && trees * (2.0 * leaves - 1.0) >= limits::TREE_NODES as f64
    {
        let text = format!(
            "training.parameters: `trees` {trees} of `leaves` {leaves} have more nodes than a model holds, {}",
            limits::TREE_NODES
        );
        problems.error(at, text);
    }
}

fn greatest(name: &str, distribution: &Distribution) -> f64 {
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    match distribution {
        Distribution::Constant { value } => number(value),
        Distribution::Categorical { values, .. } => values.iter().map(number).fold(0.0, f64::max),
        Distribution::IntUniform { max, .. } => *max as f64,
        Distribution::Real { .. } => number(&Dimension::new(name, distribution).value(1.0)),
    }
}

/// Reads `method` and `trials`; a grid needs that all of `places` can be counted.
pub(super) fn search(
    root: &mut Section<'_>,
    places: &[(String, Position, Distribution)],
    problems: &mut Problems,
) -> Search {
    let mut found = Search { method: Method::Random, trials: None };
    if let Some(node) = root.take("method") {
        let words = [("random", Method::Random), ("grid", Method::Grid)];
        found.method = problems.word(node, "method", &words).unwrap_or(found.method);
    }
    if found.method == Method::Grid {
        for (name, at, distribution) in places {
            let short = name.rsplit('.').next().unwrap_or(name);
            if Dimension::new(short, distribution).count().is_none() {
                let hint = match distribution {
                    Distribution::Real { scale: Scale::Uniform | Scale::LogUniform, .. } => {
                        "`values`, or a distribution that rounds (`q_uniform`)"
                    }
                    _ => "`values`",
                };
                problems.error(*at, format!("{name}: a grid needs values to count: {hint}"));
            }
        }
    }
    if let Some(node) = root.take("trials") {
        found.trials = problems.count(node, "trials", 1..=MOST_TRIALS);
    }
    found
}

/// Reads `metric`.
pub(super) fn metric(root: &mut Section<'_>, problems: &mut Problems) -> Metric {
    let mut found = Metric { name: METRICS[0].0.to_owned(), goal: METRICS[0].1 };
    let Some(node) = root.take("metric") else { return found };
    let mut section = match &node.content {
        Content::Scalar { .. } => None,
        _ => Section::of("metric", node, problems),
    };
    let name = match &mut section {
        Some(section) => section.take("name"),
        None => Some(node),
    };
    if let Some(node) = name
        && let Some(text) = problems.text(node, "metric.name")
    {
        let alias = METRIC_ALIASES.iter().find(|(alias, _)| *alias == text);
        let name = alias.map_or(text.as_str(), |(_, name)| name);
        match METRICS.iter().find(|(known, _)| *known == name) {
            Some(&(name, goal)) => found = Metric { name: name.to_owned(), goal },
            None => {
                let known = METRICS.map(|(known, _)| known);
                let expected = super::section::listed(&known);
                let found = describe(node);
                problems.error(node.at, format!("metric.name: expected {expected}, not {found}"));
            }
        }
    }
    if let Some(mut section) = section {
        if let Some(node) = section.take("goal") {
            let words = [("minimize", Goal::Minimize), ("maximize", Goal::Maximize)];
            let goal = problems.word(node, "metric.goal", &words).unwrap_or(found.goal);
            if goal != found.goal {
                let better = words.iter().find(|(_, goal)| *goal == found.goal);
                let better = better.map_or("", |(word, _)| word);
                let text = format!("metric.goal: the goal of {} is `{better}`", found.name);
                problems.error(node.at, text);
            }
        }
        section.finish(problems);
    }
    found
}

/// Reads `budget`.
pub(super) fn budget(root: &mut Section<'_>, problems: &mut Problems) -> Budget {
    let mut found = Budget { rungs: 3, eta: 3, epochs: 36 };
    let Some(mut section) = root.section("budget", problems) else { return found };
    for (key, number, range) in [
        ("rungs", &mut found.rungs, 1..=10),
        ("eta", &mut found.eta, 2..=100),
        ("epochs", &mut found.epochs, 1..=10_000),
    ] {
        if let Some(node) = section.take(key) {
            let read = problems.count(node, &format!("budget.{key}"), range);
            *number = read.unwrap_or(*number);
        }
    }
    let at = section.at;
    section.finish(problems);
    if let Err(text) = halving::rungs(1, found.rungs, found.eta, found.epochs) {
        problems.error(at, format!("budget: {text}"));
    }
    found
}

/// Reads `early_stopping`: the patience.
pub(super) fn early_stopping(root: &mut Section<'_>, problems: &mut Problems) -> usize {
    let usual = 6;
    let Some(mut section) = root.section("early_stopping", problems) else { return usual };
    let node = section.take("patience");
    section.finish(problems);
    let read = node.and_then(|node| problems.count(node, "early_stopping.patience", 1..=10_000));
    read.unwrap_or(usual)
}
