//! `-why`: all that an advice rests on, below its card.

use super::sure::{expected_costs, inputs, trust};
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

/// A label with its texts.
pub(super) type Fact = (&'static str, Vec<String>);

/// The lines below the card of a job.
pub(super) fn text(advice: &Advice, page: &Page) -> String {
    let columns = page.style.columns;
    let lines = |facts: Vec<Fact>| -> String {
        let each = facts.iter().flat_map(|(label, texts)| {
            texts.iter().enumerate().map(move |(number, text)| {
                let label = if number == 0 { label } else { "" };
                wrap(&format!("{label:<LABEL$}"), LABEL, &printable(text), columns)
            })
        });
        each.collect()
    };
    format!("\n{}{}", lines(rests_on(advice, page)), decision::text("", advice, columns))
}

/// What an advice rests on.
pub(super) fn rests_on(advice: &Advice, page: &Page) -> Vec<Fact> {
    let held = &advice.held;
    let one = |text: String| if text.is_empty() { Vec::new() } else { vec![text] };
    let some = |text: Option<String>| text.into_iter().collect::<Vec<_>>();
    let undecided = advice.undecided.as_ref();
    let mut facts = vec![
        ("Means:", vec![sentences::why(advice)]),
        ("Undecided:", some(undecided.map(|why| sentences::undecided(why, held.code)))),
        ("Hold reason:", some(held.reason.as_ref().map(|reason| reason.quoted(REASON)))),
        ("Evidence:", advice.evidence.iter().map(sentences::evidence).collect()),
        ("What counts:", one(inputs(advice))),
        ("Expected cost:", one(expected_costs(advice))),
    ];
    let by_hand = advice.changes().filter_map(|change| change.by_hand.as_ref());
    facts.extend(by_hand.map(|way| ("To correct it:", vec![sentences::by_hand(way)])));
    facts.push(("What it shows:", some(advice.try_one.as_ref().map(choices::try_one))));
    if let Some(wait) = &advice.wait {
        let likely = wait.likely.as_ref();
        let likely = likely.map(|likely| sentences::likely(advice.band, likely, &page.zone));
        facts.push(("Until:", some(wait.until.map(|at| minute(at, &page.zone)))));
        facts.push(("Success:", some(likely)));
    }
    let by_itself = advice.htcondor_will.iter();
    let by_itself = by_itself.map(|thing| sentences::prediction(thing, &page.zone));
    facts.push(("By itself:", by_itself.collect()));
    facts
}

/// What an advice was judged by and without; as text it is said once for all jobs.
pub(super) fn judged_by(advice: &Advice) -> [Fact; 3] {
    [
        ("Judged without:", advice.missing.iter().map(ToString::to_string).collect()),
        ("Note:", advice.notes.to_vec()),
        ("Trust:", vec![trust(advice)]),
    ]
}
