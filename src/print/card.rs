//! What is said of like holds, of a place or of a DAG in a few lines, what to do first.
//!
//! A line of text begins with a blank and its label. What users, servers and programs wrote stands
//! behind `|`, so that none of it looks like advice or a command.

use super::colour;
use super::wrap::wrap;
use super::{Page, Style};
use crate::advice::{Advice, Command, HeldJob, Recommendation};
use crate::text::{printable, shorten};

/// Columns that labels take.
const LABEL: usize = 13;

/// Characters of an owner.
pub(super) const OWNER: usize = 60;

/// What is said of one job, of several that are held alike, or of where jobs fail.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    /// Which jobs.
    pub(crate) header: String,
    pub(crate) recommendation: Recommendation,
    /// What to do, a sentence or two; empty where that stands on other cards.
    pub(crate) act: String,
    pub(crate) lines: Vec<Line>,
}

/// A line below what to do.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// A label and what is said.
    Said(&'static str, String),
    /// What somebody else wrote, fit to print.
    Quote(String),
    /// A label, which of the jobs, and the lines to paste.
    Commands(&'static str, Option<String>, Vec<String>),
}

impl Card {
    pub(super) fn new(
        header: impl Into<String>,
        recommendation: Recommendation,
        act: impl Into<String>,
    ) -> Self {
        Self { header: header.into(), recommendation, act: act.into(), lines: Vec::new() }
    }

    /// Adds what is said behind a label, unless it is empty.
    pub(super) fn say(&mut self, label: &'static str, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.lines.push(Line::Said(label, text));
        }
    }

    /// Adds the beginning of what somebody else wrote.
    pub(super) fn quote(&mut self, text: &str, characters: usize) {
        let text = printable(text);
        if !text.trim().is_empty() {
            self.lines.push(Line::Quote(shorten(&text, characters).into_owned()));
        }
    }

    /// Adds a command of several lines.
    pub(super) fn command(&mut self, label: &'static str, of: Option<String>, command: &str) {
        self.paste(label, of, command.split(" &&\n").map(str::to_owned).collect());
    }

    /// Adds commands to paste, if there are any.
    pub(super) fn paste(&mut self, label: &'static str, of: Option<String>, lines: Vec<String>) {
        if !lines.is_empty() {
            self.lines.push(Line::Commands(label, of, lines));
        }
    }

    /// As lines of text.
    pub(super) fn text(&self, style: &Style) -> String {
        let columns = style.columns;
        let mut out = wrap("", LABEL, &self.header, columns);
        let word = self.recommendation.name().to_ascii_uppercase();
        let act = match self.act.is_empty() {
            true => String::new(),
            false => wrap(&label(&word), LABEL, &printable(&self.act), columns),
        };
        out.push_str(&match style.colour {
            true => colour::paint(&act, 0, &word, self.recommendation),
            false => act,
        });
        for line in &self.lines {
            match line {
                Line::Said(name, text) => {
                    out.push_str(&wrap(&label(name), LABEL, &printable(text), columns));
                }
                Line::Quote(text) => {
                    let left = columns.map(|columns| columns.saturating_sub(GUTTER.len()));
                    for line in wrap("", 0, text, left).lines() {
                        out.push_str(&format!("{GUTTER}{line}\n"));
                    }
                }
                Line::Commands(name, of, lines) => {
                    let mut first = label(name);
                    if let Some(of) = of {
                        out.push_str(&format!("{first}for {of}:\n"));
                        first = label("");
                    }
                    let break_of = format!(" &&\n{}", label(""));
                    out.push_str(&format!("{first}{}\n", lines.join(&break_of)));
                }
            }
        }
        out
    }
}

/// What stands before text of others.
const GUTTER: &str = "  | ";

fn label(name: &str) -> String {
    format!("  {name:<width$}", width = LABEL - 2)
}

/// What to type for this queue, where the advice can be carried out by the tool itself: the jobs are
/// judged anew, and each is acted on in the hold that was judged alone.
pub(super) fn apply(advice: &Advice, jobs: &str, page: &Page) -> Option<String> {
    let again = page.again.as_ref()?;
    let is_edit = |command: &Command| matches!(command, Command::Edit(_) | Command::Release);
    let can = match advice.recommendation {
        Recommendation::Release | Recommendation::Try | Recommendation::Remove => true,
        Recommendation::Change => advice.commands.iter().all(is_edit),
        _ => false,
    };
    let what = advice.recommendation.name();
    (can && !advice.commands.is_empty()).then(|| format!("{again} -apply {what} {jobs}"))
}

/// `13/256`, with `?` for what is not known.
pub(super) fn codes(held: &HeldJob) -> String {
    let number = |code: Option<i32>| code.map_or_else(|| "?".to_owned(), |code| code.to_string());
    format!("{}/{}", number(held.code), number(held.subcode))
}

/// Each command as a line to paste.
pub(super) fn lines(commands: &[Command], constraint: &str) -> Vec<String> {
    commands.iter().map(|command| command.line(constraint)).collect()
}
