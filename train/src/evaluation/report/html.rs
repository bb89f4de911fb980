//! The page of a report.

use std::collections::BTreeMap;

use askama::Template;

use super::verdict::Verdict;
use super::{Report, figure_title, tables};
use crate::data::dataset::simulation_field;
use crate::page::chart::{Axis, Chart, Interval, Line, Scale, ends, intervals, legend, roomy};
use crate::page::{Section, charts, document, escape, figure, list};

/// Figures whose differences are drawn.
const DRAWN: [&str; 2] = ["log_loss", "auroc"];

/// The report as a page: the verdict, then curves, then tables.
pub fn page(report: &Report) -> String {
    let verdict = report.verdict.clone().unwrap_or_else(|| Verdict::of(report));
    let first = report.populations.first().map_or("", |population| population.title.as_str());
    let mut sections = Vec::new();
    let mut add = |id: &str, title: &str, body| sections.push(Section::new(id, title, body));
    let differences = differences(report);
    if !differences.is_empty() {
        add("differences", &format!("{} beside the others", report.own), differences);
    }
    if !report.curves.roc.is_empty() {
        let charts = CurveCharts { report, population: first };
        add("curves", "Curves", charts.to_string() + "\n");
    }
    for population in &report.populations {
        let body = tables::Population::of(report, population).to_string();
        add(&population.id, &population.title, body);
    }
    let of_codes = "how each method ranks the holds of one code among themselves.";
    let of_reaches = "how far the hidden cause reaches. Where it reaches a site or a service, \
                      other jobs tell of it.";
    for (id, title, column, groups, text) in [
        ("codes", "By hold reason code", "code", &report.codes, of_codes),
        ("reach", "By reach of the cause", "reach", &report.reaches, of_reaches),
    ] {
        if !groups.is_empty() {
            let table = tables::groups(column, groups);
            add(id, title, format!("<p>{}: {text}</p>\n{table}", escape(first)));
        }
    }
    for (at, table) in report.tables.iter().enumerate() {
        let body = format!("<p>{}</p>\n{}", escape(&table.text), tables::extra(table));
        add(&format!("table-{}", at + 1), &table.title, body);
    }
    let figures = Figures { release_threshold: report.release_threshold };
    add("figures", "What the figures are", figures.to_string() + "\n");
    add("made", "How this was made", Made::of(report).to_string() + "\n");

    let introduction = format!(
        "<p>Releases of held jobs, judged before they happened. Data: {}. Values stand with 95 % \
         intervals from {} bootstrap draws of whole clusters.</p>\n{}",
        escape(&report.dataset.origin),
        report.draws,
        list(&report.remarks)
    );
    document(&report.title, &verdict.section(), &introduction, &sections)
}

/// What the own method's figures are beyond those of each other, over the first population.
fn differences(report: &Report) -> String {
    let Some(population) = report.populations.first() else { return String::new() };
    let mut out = String::new();
    for (ablations, what) in [(false, "other method"), (true, "method that lacks something")] {
        for name in DRAWN {
            let rows: Vec<Interval<'_>> = population
                .methods
                .iter()
                .filter(|method| report.is_ablation(method) == ablations)
                .filter_map(|method| {
                    let less = method.own_less_this.get(name)?;
                    let (value, low, high) = (less.value, less.low, less.high);
                    Some(Interval { name: &method.name, value, low, high })
                })
                .collect();
            if rows.is_empty() {
                continue;
            }
            let all = rows.iter().flat_map(|row| [row.low, row.high]).chain([0.0]);
            let across = roomy(ends(all).unwrap_or_default());
            let side = if name == "auroc" { "right" } else { "left" };
            let figure_name = figure_title(name);
            let title = format!("Difference in {figure_name} to each {what}");
            let label = format!("{figure_name} of {} less that of the other", report.own);
            let axis = Axis { label: &label, scale: Scale::Linear(across) };
            out.push_str(&figure(
                &title,
                &intervals(&title, &axis, &rows),
                &format!(
                    "With 95 % intervals. To the {side} of the dotted line {} is better.",
                    report.own
                ),
            ));
        }
    }
    match out.is_empty() {
        true => out,
        false => format!("<p>{}.</p>\n{}", escape(&population.title), charts(&out)),
    }
}

/// Curves of all methods over the first population.
#[derive(Template)]
#[template(path = "evaluation/report/templates/curves.html")]
struct CurveCharts<'a> {
    report: &'a Report,
    population: &'a str,
}

impl CurveCharts<'_> {
    fn legend(&self) -> String {
        legend(self.report.curves.roc.iter().map(|line| line.name.as_str()), false)
    }

    /// A chart with a text below it, nothing without points. Its y axis reaches `least` or further.
    fn chart(
        &self,
        lines: &[Line],
        [title, x, y, text]: &[&str; 4],
        least: f64,
        [diagonal, dots]: &[bool; 2],
    ) -> String {
        if lines.iter().all(|line| line.points.is_empty()) {
            return String::new();
        }
        let values = lines.iter().flat_map(|line| line.points.iter().map(|point| point[1]));
        let most = values.filter(|value| value.is_finite()).fold(least, f64::max);
        let axis = |label, most| Axis { label, scale: Scale::Linear([0.0, most]) };
        let (x, y) = (axis(x, 1.0), axis(y, most));
        let chart = Chart { title, x, y, diagonal: *diagonal, dots: *dots };
        figure(title, &chart.draw(lines, &self.report.own), text)
    }
}

/// What each figure is.
#[derive(Template)]
#[template(path = "evaluation/report/templates/figures.html")]
struct Figures {
    release_threshold: f64,
}

/// How the report was made.
#[derive(Template)]
#[template(path = "evaluation/report/templates/made.html")]
struct Made<'a> {
    report: &'a Report,
    /// What made the simulations, and how many it made.
    simulators: BTreeMap<String, usize>,
    by: String,
}

/// An instant; templates pass references.
fn date(seconds: &i64) -> String {
    crate::page::date(*seconds)
}

impl<'a> Made<'a> {
    fn of(report: &'a Report) -> Self {
        let mut simulators = BTreeMap::new();
        for simulation in &report.dataset.simulations {
            let [version, fingerprint, preset] =
                ["simulator", "fingerprint", "preset"].map(|key| simulation_field(simulation, key));
            let mut text = format!("version {version}, fingerprint {fingerprint}, preset {preset}");
            if let Some(factor) = simulation.get("vary") {
                text += &format!(", a mixture of its own by factor {factor}");
            }
            *simulators.entry(text).or_default() += 1;
        }
        let by = serde_json::to_value(report.parts.by).unwrap_or_default();
        Self { report, simulators, by: by.as_str().unwrap_or_default().to_owned() }
    }
}
