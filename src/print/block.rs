//! One job: a block of lines.

use std::io::{self, Write};

use super::sure::{expected_costs, inputs, trust, verdict, verdict_line};
use super::wrap::wrap;
use super::{Page, commands, decision};
use crate::advice::{Advice, Recommendation};
use crate::sentences::times::{length, minute};
use crate::sentences::{self, choices};
use crate::text::printable;

/// Columns the labels take.
const LABEL: usize = 16;

/// Characters of a hold reason: as many as are read of it.
const REASON: usize = crate::history::reason::MAX_REASON;

/// Characters of an owner.
pub(super) const OWNER: usize = 60;

pub(super) fn print(out: &mut dyn Write, advice: &Advice, page: &Page) -> io::Result<()> {
    out.write_all(text(advice, page).as_bytes())
}

fn text(advice: &Advice, page: &Page) -> String {
    let held = &advice.held;
    let columns = page.style.columns;
    let mut block = Block { text: wrap("", 4, &header(advice, page), columns), columns };
    block.text.push_str(&verdict_line(advice, &verdict(advice), &page.style));
    block.text.push('\n');
    block.add("Judged without:", advice.missing.iter().map(ToString::to_string));
    block.add("Note:", advice.notes.iter().cloned());
    block.add("Why:", [sentences::why(advice)]);
    let undecided = advice.undecided.as_ref();
    block.add(why_label(advice), undecided.map(|why| sentences::undecided(why, held.code)));
    block.add("Hold reason:", held.reason.as_ref().map(|reason| reason.quoted(REASON)));
    block.add("Evidence:", advice.evidence.iter().map(sentences::evidence));
    block.add("What counts:", Some(inputs(advice)).filter(|text| !text.is_empty()));
    block.add("Expected cost:", Some(expected_costs(advice)).filter(|text| !text.is_empty()));
    block.add("Change first:", advice.changes().map(sentences::whole_change));
    for way in advice.changes().filter_map(|change| change.by_hand.as_ref()) {
        block.add("To correct it:", [sentences::by_hand(way)]);
    }
    block.add("What it shows:", advice.try_one.as_ref().map(choices::try_one));
    block.add("Look at:", advice.look.as_ref().map(choices::look_at));
    if let Some(wait) = &advice.wait {
        let until =
            wait.until.map(|at| format!(" ({})", minute(at, &page.zone))).unwrap_or_default();
        block.add("Wait until:", [format!("{}{until}", sentences::wait_for(&wait.what))]);
        let likely = wait.likely.as_ref();
        block.add(
            "Success:",
            likely.map(|likely| sentences::likely(advice.band, likely, &page.zone)),
        );
        block.add("Look again:", [sentences::look_again(wait.look_again, page.now, &page.zone)]);
    }
    let by_itself = advice.htcondor_will.iter();
    block.add("By itself:", by_itself.map(|thing| sentences::prediction(thing, &page.zone)));
    let constraint = advice.target.constraint();
    let (now, after) = (&advice.commands, &advice.commands_after);
    block.text.push_str(&commands::text("", advice, now, after, &constraint));
    block.add("Trust:", [trust(advice)]);
    if page.style.explains {
        block.text.push_str(&decision::text("", advice, columns));
    }
    block.text
}

/// A block, as far as it is written.
struct Block {
    text: String,
    columns: Option<usize>,
}

impl Block {
    /// Adds a label with these texts, each on lines of its own.
    fn add(&mut self, label: &str, texts: impl IntoIterator<Item = String>) {
        for (number, text) in texts.into_iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            let first = format!("{label:<LABEL$}");
            self.text.push_str(&wrap(&first, LABEL, &printable(&text), self.columns));
        }
    }
}

/// The label of why nothing that can be done is recommended.
pub(super) fn why_label(advice: &Advice) -> &'static str {
    match advice.recommendation {
        Recommendation::Look => "Why a look:",
        _ => "Undecided:",
    }
}

/// `1234.0 of alice, held for 2h14m (hold 2) with code 13/256`.
fn header(advice: &Advice, page: &Page) -> String {
    let held = &advice.held;
    let owner = held.owner.as_ref().map(|owner| format!(" of {}", owner.named(OWNER)));
    let dag = held.dagman_job_id.map(|id| format!(", a node of DAG {id}"));
    format!(
        "Job {}{}, held for {} (hold {}), code {}{}",
        held.job,
        owner.unwrap_or_default(),
        length(page.now.saturating_sub(held.held_since)),
        held.num_holds,
        codes(advice),
        dag.unwrap_or_default(),
    )
}

/// `13/256`, with `?` for what is not known.
pub(super) fn codes(advice: &Advice) -> String {
    let number = |code: Option<i32>| code.map_or_else(|| "?".to_owned(), |code| code.to_string());
    format!("{}/{}", number(advice.held.code), number(advice.held.subcode))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::advice::{Command, Evidence, Near, Undecided};
    use crate::features::Scope;
    use crate::print::Style;
    use crate::print::samples::{self, NOW};

    fn page() -> Page {
        Page {
            style: Style { columns: Some(80), ..Style::default() },
            now: NOW,
            zone: TimeZone::UTC,
        }
    }

    #[test]
    fn a_release() {
        let advice = samples::transfer(1234, 0);
        insta::assert_snapshot!(text(&advice, &page()));
    }

    #[test]
    fn a_change() {
        insta::assert_snapshot!(text(&samples::memory(1234, 5, 2048), &page()));
    }

    #[test]
    fn an_unknown_code() {
        let mut advice = samples::transfer(7, 0);
        advice.recommendation = crate::advice::Recommendation::Undecided;
        advice.undecided = Some(Undecided::UnknownCode { releases: 3 });
        (advice.action, advice.is_judged) = (None, false);
        (advice.inputs, advice.commands) = (Vec::new(), Vec::new());
        (advice.wait, advice.held.code) = (None, Some(37));
        insta::assert_snapshot!(text(&advice, &page()));
    }

    #[test]
    fn no_escape_reaches_the_terminal() {
        let mut advice = samples::transfer(1, 0);
        advice.held.reason = Some("\u{1b}[2Jcleared\u{1b}]0;t\u{7}\nnext \u{202e}line".into());
        advice.held.owner = Some("a\u{9b}1mb".into());
        advice.evidence = vec![Evidence::HeldNow {
            near: Near { scope: Scope::Server, name: Some("\u{1b}[31mred".into()), input: false },
            jobs: 1.into(),
            code: 13,
        }];
        advice.commands = vec![Command::Run(vec!["chmod".to_owned(), "\u{1b}]x".to_owned()])];
        let text = text(&advice, &page());
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        assert!(text.contains("cleared next \\u{202e}line") && text.contains("of \"ab\","));
        assert!(text.contains("\nchmod x\n"), "{text}");
    }
}
