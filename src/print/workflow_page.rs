//! `-html`: what `-workflow` prints, as a page.

use std::fmt::Write as _;

use super::sizes::{Part, parts};
use super::workflow::{
    ACTION, BLOCKERS, TO_GO_ON, action, blocked, counts, grouping, legend, manager,
    outputs_left_out, place, sentence, states, to_do,
};
use crate::page::{Section, document, escape, figure, head, list};
use crate::workflow::{Matrix, NodeState, Progress, View};

/// The title of a page of this program.
const PAGE_TITLE: &str = "What is wrong where";

/// What a page of this program begins with.
pub(crate) fn page_head() -> String {
    head(PAGE_TITLE)
}

/// Pixels of a cell, of the names beside the rows, and of the heading.
const CELL: (usize, usize) = (64, 26);
const NAMES: usize = 260;
const HEADING: usize = 30;

/// Causes that have a column of their own; the others share one.
const CAUSES: usize = 12;

/// The opacity of a cell with few of many runs: one that can be seen.
const FAINTEST: f64 = 0.15;

/// Pixels of the bar of a DAG.
const BAR: (usize, usize) = (900, 28);

/// The page of a view. `about`: what was asked; `advice`: the text about held jobs.
pub(crate) fn page(view: &View, about: &str, advice: &str, now: i64) -> String {
    let mut first = format!("<p class=\"headline\">{}</p>\n", escape(&counts(view)));
    if let Some(recovering) = &view.recovery {
        let _ = writeln!(first, "<p>{ACTION}{}</p>", escape(&action(recovering)));
    }
    let bad: Vec<String> =
        view.suspects.iter().map(|one| format!("Bad place: {}", sentence(one))).collect();
    first.push_str(&list(&bad));
    first.extend(to_do(view, now).into_iter().map(paragraph));
    let sizes: String = parts(&view.sizes).into_iter().map(paragraph).collect();
    let mut sections = Vec::new();
    if !view.matrix.rows.is_empty() {
        let left_out = outputs_left_out(view)
            .map_or(String::new(), |text| format!("<p>{}</p>\n", escape(&text)));
        let picture = picture(&view.matrix) + &left_out;
        sections.push(Section::new("places", "Failed runs by place and cause", picture));
    }
    if !sizes.is_empty() {
        sections.push(Section::new("sizes", "What jobs should ask for", sizes));
    }
    if let Some(progress) = &view.progress {
        sections.push(Section::new("dag", "How far the DAG is", of_dag(progress)));
    }
    if !advice.is_empty() {
        let advice = format!("<pre class=\"text\">{}</pre>\n", escape(advice.trim_end()));
        sections.push(Section::new("advice", "Advice on held jobs", advice));
    }
    let introduction = format!("<p>{}</p>\n", escape(about));
    document(PAGE_TITLE, &Section::new("verdict", "In short", first), &introduction, &sections)
}

fn paragraph(part: Part<'_>) -> String {
    match part {
        Part::Text(label, text) => format!("<p>{}</p>\n", escape(&format!("{label}{text}"))),
        Part::Lines(lines) => command(&lines),
        Part::Command(heading, line) => format!("<p>{}</p>\n{}", escape(&heading), command(line)),
    }
}

fn command(line: &str) -> String {
    format!("<pre>{}</pre>\n", escape(line))
}

/// A row for each place, a column for each cause; the darker, the larger the share of the runs at
/// the place that failed so.
fn picture(matrix: &Matrix) -> String {
    let shown = matrix.rows.len().min(CAUSES);
    let has_others = matrix.rows.len() > shown;
    let columns = 2 + shown + usize::from(has_others);
    let (width, height) = CELL;
    let all = (NAMES + columns * width, HEADING + matrix.columns.len() * height);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {} {}\" style=\"max-width: {}px\" role=\"img\" aria-label=\"failed runs by place and cause\">\n",
        all.0, all.1, all.0
    );
    let mut text = |x: usize, y: usize, anchor: &str, text: &str| {
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    };
    let middle = |column: usize| NAMES + column * width + width / 2;
    let causes = (1..=shown).map(|number| format!("[{number}]"));
    let headings = ["runs".to_owned(), "failed".to_owned()].into_iter().chain(causes);
    for (at, heading) in headings.chain(has_others.then(|| "OTHER".to_owned())).enumerate() {
        text(middle(at), HEADING - 10, "middle", &heading);
    }
    let mut cells = String::new();
    for (row, column) in matrix.columns.iter().enumerate() {
        let top = HEADING + row * height;
        let base = top + height / 2 + 4;
        let ended = column.succeeded + column.failed;
        text(NAMES - 8, base, "end", &super::wrap::cut(&place(column), 40));
        text(middle(0), base, "middle", &(ended + column.running).to_string());
        text(middle(1), base, "middle", &column.failed.to_string());
        let of = |of: &crate::workflow::Row| of.counts.get(row).copied().unwrap_or(0);
        let rest: usize = matrix.rows.iter().skip(shown).map(of).sum();
        let counts = matrix.rows.iter().take(shown).map(of).chain(has_others.then_some(rest));
        for (at, count) in counts.enumerate() {
            let share = count as f64 / ended.max(1) as f64;
            let opacity =
                if count == 0 { 0.0 } else { FAINTEST + (0.85 - FAINTEST) * share.min(1.0) };
            let left = NAMES + (at + 2) * width;
            let _ = writeln!(
                cells,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"var(--bad)\" \
                 fill-opacity=\"{opacity:.2}\" stroke=\"var(--rule)\"/>"
            );
            if count > 0 {
                let _ = writeln!(
                    cells,
                    "<text class=\"tick\" x=\"{}\" y=\"{base}\" text-anchor=\"middle\">{count}</text>",
                    middle(at + 2)
                );
            }
        }
    }
    svg.push_str(&cells);
    svg.push_str("</svg>\n");
    let name =
        |(at, row): (usize, &crate::workflow::Row)| format!("[{}] {}", at + 1, legend(&row.cause));
    let causes: Vec<String> = matrix.rows.iter().take(shown).enumerate().map(name).collect();
    let caption =
        "The darker a cell, the larger the share of the runs at the place that failed so.";
    let grouping =
        grouping(matrix, shown).map_or(String::new(), |text| format!("<p>{}</p>\n", escape(&text)));
    figure("", &svg, caption) + &list(&causes) + &grouping
}

/// A bar of the nodes by state, and what keeps others waiting.
fn of_dag(progress: &Progress) -> String {
    let (width, height) = BAR;
    let all: usize = progress.counts.iter().map(|(_, count)| count).sum();
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"nodes by state\">\n"
    );
    let mut left = 0.0;
    for (state, count) in &progress.counts {
        let colour = match state {
            NodeState::Done => "var(--good)",
            NodeState::Failed => "var(--bad)",
            NodeState::Held => "var(--open)",
            NodeState::Running => "var(--c0)",
            NodeState::Idle => "var(--c7)",
            NodeState::Waiting => "var(--rule)",
        };
        let share = width as f64 * *count as f64 / all.max(1) as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"0\" width=\"{share:.1}\" height=\"{height}\" fill=\"{colour}\">\
             <title>{count} {}</title></rect>",
            state.name()
        );
        left += share;
    }
    svg.push_str("</svg>\n");
    let caption =
        "Green: done, red: failed, amber: on hold, blue: running, grey: idle, pale: not submitted.";
    let mut out =
        manager(progress).map_or(String::new(), |text| format!("<p>{}</p>\n", escape(&text)));
    let _ = writeln!(out, "<p>Nodes: {}</p>", escape(&states(progress)));
    out.push_str(&figure("", &svg, caption));
    let blocked: Vec<String> = progress.blockers.iter().take(BLOCKERS).map(blocked).collect();
    out.push_str(&list(&blocked));
    if let Some(resume) = &progress.resume {
        let _ = write!(out, "<p>{TO_GO_ON}</p>\n{}", command(resume));
    }
    out
}
