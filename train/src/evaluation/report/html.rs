//! The page: one file without scripts and without links to elsewhere.

use std::fmt::Write;

use super::svg::{Chart, class};
use super::{Line, Report, tables};
use crate::data::dataset::simulation_field;

const STYLE: &str = include_str!("style.css");

/// Text as it stands in HTML, in an attribute too.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// A part of a page.
pub(crate) struct Section {
    pub(crate) id: String,
    pub(crate) title: String,
    /// HTML.
    pub(crate) body: String,
}

/// A page of a heading, some HTML and sections.
pub(crate) fn document(title: &str, introduction: &str, sections: &[Section]) -> String {
    let title = escape(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<h1>{title}</h1>\n{introduction}"
    );
    out.push_str("<nav>\n<h2>Contents</h2>\n<ol>\n");
    for Section { id, title, .. } in sections {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", escape(id), escape(title));
    }
    out.push_str("</ol>\n</nav>\n");
    for Section { id, title, body } in sections {
        let (id, title) = (escape(id), escape(title));
        let _ = writeln!(out, "<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// The report as a page.
pub fn page(report: &Report) -> String {
    let mut sections = Vec::new();
    let mut add = |id: &str, title: &str, body: String| {
        sections.push(Section { id: id.to_owned(), title: title.to_owned(), body });
    };
    for population in &report.populations {
        let (about, table) = (escape(&population.about), tables::population(report, population));
        add(&population.id, &population.title, format!("<p>{about}</p>\n{table}"));
    }
    let first = report.populations.first().map_or("", |population| population.title.as_str());
    add("curves", "Curves", curves(report, first));
    let of_codes = "how each method ranks the holds of one code among themselves.";
    let of_reaches = "how far the hidden cause reaches. Where it reaches a site or a service, other jobs \
                      tell of it.";
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

    let mut introduction = format!(
        "<p>Releases of held jobs, judged before they happened. Data: {}. Values stand with 95 % intervals from {} \
         bootstrap draws of whole clusters.</p>\n",
        escape(&report.dataset.origin),
        report.draws
    );
    if !report.remarks.is_empty() {
        introduction.push_str("<ul>\n");
        for remark in &report.remarks {
            let _ = writeln!(introduction, "<li>{}</li>", escape(remark));
        }
        introduction.push_str("</ul>\n");
    }
    document(&report.title, &introduction, &sections)
}

/// A chart with its title, and a text below it.
pub(crate) fn figure(chart: &Chart<'_>, svg: &str, text: &str) -> String {
    format!(
        "<figure>\n<h3>{}</h3>\n{svg}<figcaption>{}</figcaption>\n</figure>\n",
        escape(chart.title),
        escape(text)
    )
}

fn curves(report: &Report, population: &str) -> String {
    let mut out = format!(
        "<p>{}, first training seed of each method.</p>\n<ul class=\"legend\">\n",
        escape(population)
    );
    for (at, line) in report.curves.roc.iter().enumerate() {
        let _ = writeln!(
            out,
            "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><line class=\"line own {}\" x1=\"0\" y1=\"5\" x2=\"32\" y2=\"5\"/></svg>{}</li>",
            class(at),
            escape(&line.name)
        );
    }
    out.push_str("</ul>\n<div class=\"charts\">\n");
    let [x_range, y_range] = [[0.0, 1.0]; 2];
    let curves = &report.curves;
    let top = |lines: &[Line], least: f64| {
        let values = lines.iter().flat_map(|line| line.points.iter().map(|point| point[1]));
        [0.0, values.filter(|value| value.is_finite()).fold(least, f64::max)]
    };
    let chart = |title, x, y| Chart { title, x, y, x_range, y_range, diagonal: false, dots: false };
    let all = [
        (
            Chart {
                diagonal: true,
                ..chart(
                    "Receiver operating characteristic",
                    "share of failures released",
                    "share of successes released",
                )
            },
            &curves.roc,
            "The further to the upper left, the better successes and failures are told apart.",
        ),
        (
            chart(
                "Precision and recall",
                "share of successes released",
                "share of success among released",
            ),
            &curves.precision_recall,
            "What releasing more of the good holds costs in bad ones.",
        ),
        (
            Chart {
                diagonal: true,
                dots: true,
                ..chart("Reliability", "probability said", "share of success")
            },
            &curves.reliability,
            "15 bins of equal weight; on the diagonal a probability means what it says.",
        ),
        (
            Chart {
                y_range: top(&curves.cost, 1.0),
                ..chart(
                    "Cost over threshold",
                    "release from this probability on",
                    "wasted hours per 100 holds",
                )
            },
            &curves.cost,
            "Hours burnt by failed releases plus hours of good work kept waiting.",
        ),
        (
            Chart {
                y_range: top(&curves.risk, 0.1),
                ..chart(
                    "Risk against coverage",
                    "share of holds decided",
                    "share of wrong decisions",
                )
            },
            &curves.risk,
            "Left: only the surest decisions are taken, the rest is left to people.",
        ),
    ];
    for (chart, lines, text) in all {
        out.push_str(&figure(&chart, &chart.draw(lines, &report.own), text));
    }
    out.push_str("</div>\n");
    out
}

fn figures(report: &Report) -> String {
    format!(
        "<dl>\n\
         <dt>AUROC</dt><dd>probability that a success is ranked above a failure, ties half; 0.5 is chance.</dd>\n\
         <dt>AUPRC</dt><dd>area under precision over recall as average precision, success positive; chance is the share of success.</dd>\n\
         <dt>Brier</dt><dd>mean squared difference of probability and outcome.</dd>\n\
         <dt>log loss</dt><dd>mean negative log-likelihood, natural logarithm, probabilities held 1e-6 from 0 and 1.</dd>\n\
         <dt>calibration error</dt><dd>expected calibration error: mean distance of probability and share of success over 15 bins of equal weight.</dd>\n\
         <dt>error at 70 %</dt><dd>share of wrong decisions among the 70 % of the holds whose probability is furthest from the threshold.</dd>\n\
         <dt>wasted hours</dt><dd>for 100 holds, released from a probability of {} on: hours from release to outcome of \
         failures that would be released (burnt) and of successes that would not (waiting), at most 24 each.</dd>\n\
         </dl>\n",
        report.release_threshold
    )
}

fn made(report: &Report) -> String {
    let mut facts: Vec<(String, String)> = report.notes.clone();
    let mut add = |name: &str, value: String| facts.push((name.to_owned(), value));
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
        add("cuts, Unix seconds", format!("{} and {}", cuts.train_end, cuts.validation_end));
        add("dropped before a cut", format!("decided within {} s of it", cuts.horizon));
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
    format!("<pre>{}</pre>\n{}", escape(&report.command), tables::facts(&facts))
}
