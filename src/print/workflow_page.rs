//! `-html`: what `-workflow` prints, on a page.

use maud::{Markup, html};

use super::card::Card;
use super::html::article;
use super::workflow::{counts, grouping, outputs_left_out, place, quarter};
use crate::page::{Section, wide};
use crate::workflow::{Matrix, NodeState, PlaceRuns, Progress, Row, View};

/// Causes that have a column of their own; the others share one.
const CAUSES: usize = 12;

/// The width of the bar of a DAG, and its height.
const BAR: (usize, usize) = (900, 28);

/// What is said first.
pub(super) fn in_short(view: &View, cards: &[Card]) -> Markup {
    let mut to_do = cards.iter().enumerate().filter(|(_, card)| !card.act.is_empty()).peekable();
    html! {
        p.headline { (counts(view)) }
        @if to_do.peek().is_some() { ul { @for (at, card) in to_do {
            li { a href={ "#place-" (at) } { (card.header) } ". " (card.act) }
        } } }
    }
}

/// The parts of a page.
pub(super) fn sections(view: &View, cards: &[Card]) -> Vec<Section> {
    let mut sections = Vec::new();
    if !view.matrix.rows.is_empty() {
        let body = html! {
            (table(&view.matrix))
            @if let Some(text) = outputs_left_out(view) { p { (text) } }
        };
        sections.push(Section::new("places", "Failed runs by place and cause", body));
    }
    if !cards.is_empty() {
        let body = html! {
            @if let Some(progress) = &view.progress { (bar(progress)) }
            @for (at, card) in cards.iter().enumerate() { (article("place", at, card, None)) }
        };
        sections.push(Section::new("workflow", "What to do about these runs", body));
    }
    sections
}

/// A row for each place, a column for each cause; the darker, the larger the share of the runs at
/// the place that failed so.
pub(super) fn table(matrix: &Matrix) -> Markup {
    let (shown, others) = matrix.rows.split_at(matrix.rows.len().min(CAUSES));
    let cells = |at: usize| {
        let of = |row: &Row| row.counts.get(at).copied().unwrap_or(0);
        let rest = (!others.is_empty()).then(|| others.iter().map(of).sum());
        shown.iter().map(of).chain(rest).collect::<Vec<usize>>()
    };
    let body = html! { table.shades {
        thead { tr {
            @for name in ["Place", "Runs", "OK", "Failed", "Running"] { th scope="col" { (name) } }
            @for at in 1..=shown.len() { th scope="col" { a href={ "#cause-" (at) } { "[" (at) "]" } } }
            @if !others.is_empty() { th scope="col" { "OTHER" } }
        } }
        tbody { @for (at, column) in matrix.columns.iter().enumerate() {
            @let PlaceRuns { succeeded, failed, running, .. } = *column;
            @let ended = succeeded + failed;
            tr {
                th scope="row" { (place(column)) }
                @for number in [ended + running, succeeded, failed, running] { td.n { (number) } }
                @for count in cells(at) { (cell(count, ended)) }
            }
        } }
    } };
    html! {
        (wide("Failed runs by place and cause", body))
        p.note {
            "A cell has the runs that failed so, and their share of those that ended at the place: \
             the stronger its colour, the larger."
        }
        dl.causes { @for (row, number) in shown.iter().zip(1..) {
            dt id={ "cause-" (number) } { "[" (number) "] " (row.cause.name()) }
            dd { (row.cause.meaning().unwrap_or_default()) }
        } }
        @if let Some(text) = grouping(matrix, shown.len()) { p { (text) } }
    }
}

fn cell(count: usize, ended: usize) -> Markup {
    let share = 100.0 * count as f64 / ended.max(1) as f64;
    html! {
        @match count {
            0 => td.n.none { "0" },
            count => td class={ "n s" (quarter(count, ended)) } {
                (count) " " small { (format!("{share:.0} %")) }
            },
        }
    }
}

/// A bar of the nodes of a DAG by state.
fn bar(progress: &Progress) -> Markup {
    let (width, height) = BAR;
    let all: usize = progress.counts.iter().map(|(_, count)| count).sum();
    let share = |count: usize| width as f64 * count as f64 / all.max(1) as f64;
    let mut left = 0.0;
    let bars = progress.counts.iter().map(|&(state, count)| {
        let from = left;
        left += share(count);
        (state, from, share(count))
    });
    let bars: Vec<(NodeState, f64, f64)> = bars.collect();
    html! {
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label="nodes by state" {
            @for (state, from, share) in &bars {
                rect class=(class(*state)) x=(format!("{from:.1}")) y="0" width=(format!("{share:.1}"))
                    height=(height) {}
            }
        }
        ul.legend { @for (state, ..) in &bars { li {
            svg viewBox="0 0 32 12" aria-hidden="true" {
                rect class=(class(*state)) width="32" height="12" {}
            }
            (state.name())
        } } }
    }
}

/// The class of a state in the style of a page.
fn class(state: NodeState) -> &'static str {
    match state {
        NodeState::Done => "done",
        NodeState::Failed => "failed",
        NodeState::Held => "held",
        NodeState::Running => "running",
        NodeState::Idle => "idle",
        NodeState::Waiting => "waiting",
    }
}
