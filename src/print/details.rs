//! `-why`: all that an advice rests on, below its card.

use super::sure::{expected_costs, inputs};
use super::wrap::wrap;
use super::{Page, decision};
use crate::advice::Advice;
use crate::sentences::times::minute;
use crate::sentences::{self, choices};
use crate::text::printable;

/// Columns the labels take.
const LABEL: usize = 16;

/// Characters of a hold reason: as many as are read of it.
const REASON: usize = crate::history::reason::MAX_REASON;

/// The lines below the card of a job.
pub(super) fn text(advice: &Advice, page: &Page) -> String {
    let held = &advice.held;
    let columns = page.style.columns;
    let mut lines = Lines { text: String::from("\n"), columns };
    lines.add("Means:", [sentences::why(advice)]);
    let undecided = advice.undecided.as_ref();
    lines.add("Undecided:", undecided.map(|why| sentences::undecided(why, held.code)));
    lines.add("Hold reason:", held.reason.as_ref().map(|reason| reason.quoted(REASON)));
    lines.add("Evidence:", advice.evidence.iter().map(sentences::evidence));
    lines.add("What counts:", Some(inputs(advice)).filter(|text| !text.is_empty()));
    lines.add("Expected cost:", Some(expected_costs(advice)).filter(|text| !text.is_empty()));
    for way in advice.changes().filter_map(|change| change.by_hand.as_ref()) {
        lines.add("To correct it:", [sentences::by_hand(way)]);
    }
    lines.add("What it shows:", advice.try_one.as_ref().map(choices::try_one));
    if let Some(wait) = &advice.wait {
        let until = wait.until.map(|at| minute(at, &page.zone));
        lines.add("Until:", until);
        let likely = wait.likely.as_ref();
        let likely = likely.map(|likely| sentences::likely(advice.band, likely, &page.zone));
        lines.add("Success:", likely);
    }
    let by_itself = advice.htcondor_will.iter();
    lines.add("By itself:", by_itself.map(|thing| sentences::prediction(thing, &page.zone)));
    lines.text.push_str(&decision::text("", advice, columns));
    lines.text
}

/// Lines, as far as they are written.
struct Lines {
    text: String,
    columns: Option<usize>,
}

impl Lines {
    /// Adds a label with these texts, each on lines of its own.
    fn add(&mut self, label: &str, texts: impl IntoIterator<Item = String>) {
        for (number, text) in texts.into_iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            let first = format!("{label:<LABEL$}");
            self.text.push_str(&wrap(&first, LABEL, &printable(&text), self.columns));
        }
    }
}
