//! The page of a report.

use super::verdict::Verdict;
use super::{Curves, MethodFigures, Report, figure_title, tables};
use crate::data::dataset::simulation_field;
use crate::page::chart::{Axis, Chart, Interval, Line, Scale, intervals, legend};
use crate::page::table::facts;
use crate::page::{Section, charts, date, document, escape, figure, list};

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
        add("curves", "Curves", curves(report, first));
    }
    for population in &report.populations {
        let (about, table) = (escape(&population.about), tables::population(report, population));
        add(&population.id, &population.title, format!("<p>{about}</p>\n{table}"));
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
    add("figures", "What the figures are", figures(report));
    add("made", "How this was made", made(report));

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
    let is_ablation = |method: &MethodFigures| {
        report.methods.iter().any(|note| note.name == method.name && note.ablation)
    };
    let mut out = String::new();
    for (ablations, what) in [(false, "other method"), (true, "method that lacks something")] {
        for name in DRAWN {
            let rows: Vec<Interval<'_>> = population
                .methods
                .iter()
                .filter(|method| is_ablation(method) == ablations)
                .filter_map(|method| {
                    let less = method.own_less_this.get(name)?;
                    let (value, low, high) = (less.value, less.low, less.high);
                    Some(Interval { name: &method.name, value, low, high })
                })
                .collect();
            if rows.is_empty() {
                continue;
            }
            let ends = rows.iter().flat_map(|row| [row.low, row.high, 0.0]);
            let ends = ends.filter(|end| end.is_finite());
            let [low, high] =
                ends.fold([0.0_f64; 2], |[low, high], end| [low.min(end), high.max(end)]);
            let room = ((high - low) * 0.05).max(1e-9);
            let side = if name == "auroc" { "right" } else { "left" };
            let figure_name = figure_title(name);
            let title = format!("Difference in {figure_name} to each {what}");
            let label = format!("{figure_name} of {} less that of the other", report.own);
            let axis = Axis { label: &label, scale: Scale::Linear([low - room, high + room]) };
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

fn curves(report: &Report, population: &str) -> String {
    let Curves { roc, precision_recall, reliability, cost, risk } = &report.curves;
    let share = |label| Axis { label, scale: Scale::Linear([0.0, 1.0]) };
    let most = |label, lines: &[Line], least: f64| {
        let values = lines.iter().flat_map(|line| line.points.iter().map(|point| point[1]));
        let most = values.filter(|value| value.is_finite()).fold(least, f64::max);
        Axis { label, scale: Scale::Linear([0.0, most]) }
    };
    let chart = |title, x, y| Chart { title, x, y, diagonal: false, dots: false };
    let all = [
        (
            Chart {
                diagonal: true,
                ..chart(
                    "Successes and failures told apart",
                    share("share of failures released"),
                    share("share of successes released"),
                )
            },
            roc,
            "Receiver operating characteristic: the further to the upper left, the better. On the \
             dotted line is chance.",
        ),
        (
            chart(
                "Precision and recall",
                share("share of successes released (recall)"),
                share("success among released (precision)"),
            ),
            precision_recall,
            "What releasing more of the good holds costs in bad ones.",
        ),
        (
            Chart {
                diagonal: true,
                dots: true,
                ..chart("Reliability", share("probability said"), share("share of success"))
            },
            reliability,
            "15 bins of equal weight; on the dotted line a probability means what it says.",
        ),
        (
            chart(
                "Wasted hours by threshold",
                share("least probability that is released"),
                most("wasted hours per 100 holds, h", cost, 1.0),
            ),
            cost,
            "Hours burnt by failed releases plus hours of good work kept waiting: less is better.",
        ),
        (
            chart(
                "Wrong decisions by share decided",
                share("share of holds decided"),
                most("share of wrong decisions", risk, 0.1),
            ),
            risk,
            "Risk against coverage. Left: only the surest decisions are taken, the rest is left to \
             people.",
        ),
    ];
    let figures =
        all.into_iter().filter(|(_, lines, _)| lines.iter().any(|line| !line.points.is_empty()));
    let figures: String = figures
        .map(|(chart, lines, text)| figure(chart.title, &chart.draw(lines, &report.own), text))
        .collect();
    format!(
        "<p>{}, first training seed of each method; {} is the thick line.</p>\n{}{}",
        escape(population),
        escape(&report.own),
        legend(roc.iter().map(|line| line.name.as_str()), false),
        charts(&figures)
    )
}

fn figures(report: &Report) -> String {
    let hours = format!(
        "for 100 holds, released from a probability of {} on: hours from release to outcome of \
         failures that would be released (burnt) and of successes that would not (waiting), at \
         most 24 each.",
        report.release_threshold
    );
    let known = [
        (
            "AUROC",
            "probability that a success is ranked above a failure, ties half; 0.5 is chance.",
        ),
        (
            "AUPRC",
            "area under precision over recall as average precision, success positive; chance is \
             the share of success.",
        ),
        ("Brier", "mean squared difference of probability and outcome."),
        (
            "log loss",
            "mean negative log-likelihood, natural logarithm (nats), probabilities held 1e-6 from \
             0 and 1.",
        ),
        (
            "calibration error",
            "expected calibration error: mean distance of probability and share of success over 15 \
             bins of equal weight.",
        ),
        (
            "error at 70 %",
            "share of wrong decisions among the 70 % of the holds whose probability is furthest \
             from the threshold.",
        ),
        ("wasted hours", &hours),
    ];
    facts(&known.map(|(name, text)| (name.to_owned(), text.to_owned())))
}

fn made(report: &Report) -> String {
    let mut known: Vec<(String, String)> = report.notes.clone();
    let mut add = |name: &str, value: String| known.push((name.to_owned(), value));
    let dataset = &report.dataset;
    add("dataset", dataset.file.clone());
    add("SHA-256 of its tensors", dataset.sha256.clone());
    add("rows of the dataset", dataset.rows.to_string());
    add("origin", dataset.origin.clone());
    add("feature schema", dataset.schema.clone());
    add("horizon H", format!("{} h", dataset.horizon_hours));
    let mut simulators: Vec<String> = dataset
        .simulations
        .iter()
        .map(|simulation| {
            let [version, fingerprint, preset] =
                ["simulator", "fingerprint", "preset"].map(|key| simulation_field(simulation, key));
            let text = format!("version {version}, fingerprint {fingerprint}, preset {preset}");
            match simulation.get("vary") {
                Some(factor) => format!("{text}, a mixture of its own by factor {factor}"),
                None => text,
            }
        })
        .collect();
    simulators.sort();
    for same in simulators.chunk_by(|a, b| a == b) {
        let of = if same.len() == 1 { "simulation" } else { "simulations" };
        add("simulator", format!("{} ({} {of})", same[0], same.len()));
    }
    let parts = &report.parts;
    let by = serde_json::to_value(parts.by).unwrap_or_default();
    add("parts by", by.as_str().unwrap_or_default().to_owned());
    if let Some(cuts) = parts.cuts {
        let [train_end, validation_end] = [cuts.train_end, cuts.validation_end].map(date);
        add("training ends", train_end);
        add("validation ends, test begins", validation_end);
        let hours = cuts.horizon as f64 / 3_600.0;
        add("dropped before a cut", format!("decided within {hours} h of it"));
    }
    add(
        "rows in train, validation, test",
        format!("{}, {}, {}", parts.train, parts.validation, parts.test),
    );
    let dropped = parts.dropped;
    add(
        "rows in no part",
        format!(
            "{} without outcome, {} near a cut, {} of clusters in an earlier part",
            dropped.censored, dropped.near_cut, dropped.cluster
        ),
    );
    if let Some(sha256) = &report.parts_sha256 {
        add("SHA-256 of the parts file", sha256.clone());
    }
    add("bootstrap", format!("{} draws, seed {}", report.draws, report.seed));
    for method in &report.methods {
        for file in &method.files {
            add(
                &format!("method {}", method.name),
                format!("{}, SHA-256 {}", file.file, file.sha256),
            );
        }
    }
    format!("<pre>{}</pre>\n{}", escape(&report.command), facts(&known))
}
