//! The tables of a report.

use askama::Template;

use super::{ExtraTable, GroupRow, MethodFigures, PopulationTable, Report, figure_title};
use crate::page::escape;
use crate::page::table::{NOTHING, table};
use holdadvise::metrics::{Estimate, NAMES};

/// Decimal places of a figure.
fn places(name: &str) -> usize {
    if name.ends_with("hours") { 1 } else { 3 }
}

fn interval(e: &Estimate, places: usize) -> String {
    format!("{:.places$} <small>{:.places$} to {:.places$}</small>", e.value, e.low, e.high)
}

fn signed(e: &Estimate, places: usize) -> String {
    format!("{:+.places$} <small>{:+.places$} to {:+.places$}</small>", e.value, e.low, e.high)
}

/// The figures that some method has, and their headings.
fn figures(population: &PopulationTable) -> Vec<&'static str> {
    let has =
        |name: &&str| population.methods.iter().any(|method| method.figures.contains_key(*name));
    NAMES.into_iter().filter(has).collect()
}

fn headings<'f>(first: &'f str, figures: &[&'f str]) -> Vec<&'f str> {
    std::iter::once(first).chain(figures.iter().map(|name| figure_title(name))).collect()
}

/// A row for each method, a cell for each figure; a dash where there is none.
fn rows<'m>(
    methods: impl IntoIterator<Item = &'m MethodFigures>,
    figures: &[&str],
    cell: impl Fn(&MethodFigures, &str) -> Option<String>,
) -> Vec<Vec<String>> {
    let of = |method: &MethodFigures| row(escape(&method.name), figures, |name| cell(method, name));
    methods.into_iter().map(of).collect()
}

fn row(first: String, figures: &[&str], cell: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let cells = figures.iter().map(|name| cell(name).unwrap_or(NOTHING.to_owned()));
    std::iter::once(first).chain(cells).collect()
}

/// The figures of methods.
fn estimates(methods: &[&MethodFigures], figures: &[&str], own: Option<usize>) -> String {
    let rows = rows(methods.iter().copied(), figures, |method, name| {
        method.figures.get(name).map(|figure| interval(&figure.mean, places(name)))
    });
    table(&headings("method", figures), &rows, own)
}

/// What the own method's figures are beyond those of others, if there are any.
fn differences(methods: &[&MethodFigures], figures: &[&str]) -> Option<String> {
    let others = methods.iter().copied().filter(|method| !method.own_less_this.is_empty());
    let rows = rows(others, figures, |method, name| {
        method.own_less_this.get(name).map(|difference| signed(difference, places(name)))
    });
    (!rows.is_empty()).then(|| table(&headings("less", figures), &rows, None))
}

/// Figures of all methods on a population, differences to the own one, and each training seed.
#[derive(Template)]
#[template(path = "evaluation/report/templates/population.html")]
pub(super) struct Population<'a> {
    population: &'a PopulationTable,
    own: &'a str,
    /// The best observer, and how far the own method has gone to it.
    gap: Option<(&'a String, String)>,
    estimates: String,
    differences: Option<String>,
    ablations: Option<String>,
    ablation_differences: Option<String>,
    seeds: Option<String>,
}

impl<'a> Population<'a> {
    pub(super) fn of(report: &'a Report, population: &'a PopulationTable) -> Self {
        let figures = figures(population);
        let is_ablation = |method: &&MethodFigures| report.is_ablation(method);
        let (ablations, methods): (Vec<_>, Vec<_>) =
            population.methods.iter().partition(is_ablation);
        let own = methods.iter().position(|method| method.name == report.own);
        let gap = report.best.as_ref().zip(population.gap_closed.as_ref());
        Self {
            population,
            own: &report.own,
            gap: gap.map(|(best, gap)| (best, interval(gap, 2))),
            estimates: estimates(&methods, &figures, own),
            differences: differences(&methods, &figures),
            ablations: (!ablations.is_empty()).then(|| estimates(&ablations, &figures, None)),
            ablation_differences: differences(&ablations, &figures),
            seeds: seeds(population, &figures),
        }
    }
}

fn seeds(population: &PopulationTable, figures: &[&str]) -> Option<String> {
    let mut rows = Vec::new();
    for method in &population.methods {
        let count = method.figures.values().map(|figure| figure.seeds.len()).max().unwrap_or(0);
        if count < 2 {
            continue;
        }
        for seed in 0..count {
            let name = format!("{}, seed {}", escape(&method.name), seed + 1);
            rows.push(row(name, figures, |name| {
                let value = method.figures.get(name)?.seeds.get(seed)?;
                Some(format!("{value:.*}", places(name)))
            }));
        }
        let name = format!("{}, standard deviation", escape(&method.name));
        rows.push(row(name, figures, |name| {
            let spread = method.figures.get(name)?.spread?;
            Some(format!("± {spread:.*}", places(name) + 1))
        }));
    }
    (!rows.is_empty()).then(|| table(&headings("method", figures), &rows, None))
}

/// Counts and AUROC of groups of holds.
pub(super) fn groups(first: &str, groups: &[GroupRow]) -> String {
    let mut columns = [first, "n", "success"].map(str::to_owned).to_vec();
    let names = groups.first().map_or(&[][..], |group| &group.auroc);
    columns.extend(names.iter().map(|(name, _)| format!("AUROC {name}")));
    let row = |group: &GroupRow| {
        let success = format!("{:.1} %", group.success * 100.0);
        let auroc = group.auroc.iter().map(|(_, auroc)| auroc.map(|auroc| format!("{auroc:.3}")));
        let auroc = auroc.map(|auroc| auroc.unwrap_or(NOTHING.to_owned()));
        [escape(&group.name), group.rows.to_string(), success].into_iter().chain(auroc).collect()
    };
    let rows: Vec<Vec<String>> = groups.iter().map(row).collect();
    table(&columns, &rows, None)
}

/// A table that the caller added.
pub(super) fn extra(extra: &ExtraTable) -> String {
    let cell = |value: &serde_json::Value| match value {
        serde_json::Value::Null => NOTHING.to_owned(),
        serde_json::Value::String(text) => escape(text),
        serde_json::Value::Number(number) if number.is_f64() => {
            format!("{:.3}", number.as_f64().unwrap_or(f64::NAN))
        }
        other => escape(&other.to_string()),
    };
    let rows: Vec<Vec<String>> =
        extra.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    table(&extra.columns, &rows, None)
}
