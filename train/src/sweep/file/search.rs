//! What is tried, and for how long: `training`, `method`, `metric`, `budget`, `early_stopping`.

use std::path::Path;

use holdadvise::model::limits;

use super::distribution::distribution;
use super::node::Content;
use super::paths;
use super::section::{Section, Value, describe, unknown};
use crate::sweep::halving;
use crate::sweep::parameters::TRAINING;
use crate::sweep::plan::{Goal, Method, Metric, Plan};
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

/// Reads `training`; where each distribution stands goes to `places`.
pub(super) fn training<'a>(
    root: &mut Section<'a>,
    plan: &mut Plan,
    space: &mut Space,
    places: &mut Vec<(Value<'a>, Distribution)>,
    folder: &Path,
) {
    let Some(mut section) = root.section("training") else { return };
    let words = [Precision::Float32, Precision::Bfloat16].map(|word| (word.name(), word));
    section.set("precision", &mut plan.precision, |value| value.word(&words));
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
        too_many_nodes(space, &value);
    }
    section.set("from", &mut plan.from, |value| {
        let path = paths::one(value, paths::Wanted::File, folder)?;
        begin(space, &path, value);
        Some(Some(path))
    });
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

/// Reads `method`; a grid needs that all of `places` can be counted.
pub(super) fn method(
    root: &mut Section<'_>,
    method: &mut Method,
    places: &[(Value<'_>, Distribution)],
) {
    let words = [("random", Method::Random), ("grid", Method::Grid)];
    root.set("method", method, |value| value.word(&words));
    if *method == Method::Grid {
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
}

/// Reads `metric`: the name of the figure, or keys for it and the goal, which follows from it.
pub(super) fn metric(root: &mut Section<'_>, metric: &mut Metric) {
    let names = METRICS.map(|(name, goal, _)| (name, (name, goal)));
    let Some(value) = root.take("metric") else { return };
    let (named, section) = match value.node.content {
        Content::Scalar { .. } => (Some(value.within("name", value.node)), None),
        _ => {
            let mut section = value.section();
            (section.as_mut().and_then(|section| section.take("name")), section)
        }
    };
    if let Some((name, goal)) = named.and_then(|named| named.word(&names)) {
        *metric = Metric { name: name.to_owned(), goal };
    }
    if let Some(mut section) = section
        && let Some(value) = section.take("goal")
    {
        let words = [("minimize", Goal::Minimize), ("maximize", Goal::Maximize)];
        let better = if metric.goal == Goal::Minimize { "minimize" } else { "maximize" };
        if value.word(&words).is_some_and(|found| found != metric.goal) {
            value.error(format_args!("the goal of {} is `{better}`", metric.name));
        }
    }
}

/// Reads `budget`.
pub(super) fn budget(root: &mut Section<'_>, budget: &mut Budget) {
    let Some(mut section) = root.section("budget") else { return };
    section.set("rungs", &mut budget.rungs, |value| value.whole(1..=10));
    section.set("eta", &mut budget.eta, |value| value.whole(2..=100));
    section.set("epochs", &mut budget.epochs, |value| value.whole(1..=10_000));
    if let Err(text) = halving::rungs(1, budget.rungs, budget.eta, budget.epochs) {
        section.value.error(text);
    }
}

/// Reads `early_stopping`: the patience.
pub(super) fn early_stopping(root: &mut Section<'_>, patience: &mut usize) {
    let Some(mut section) = root.section("early_stopping") else { return };
    section.set("patience", patience, |value| value.whole(1..=10_000));
}
