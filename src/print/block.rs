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
    let mut out = wrap("", 4, &header(advice, page), columns);
    out.push_str(&verdict_line(advice, &verdict(advice), &page.style));
    out.push('\n');
    let mut line = |label: &str, text: &str| {
        out.push_str(&wrap(&format!("{label:<LABEL$}"), LABEL, &printable(text), columns));
    };
    for (number, missing) in advice.missing.iter().enumerate() {
        line(if number == 0 { "Judged without:" } else { "" }, &missing.to_string());
    }
    for (number, note) in advice.notes.iter().enumerate() {
        line(if number == 0 { "Note:" } else { "" }, note);
    }
    line("Why:", &sentences::why(advice));
    if let Some(undecided) = &advice.undecided {
        line(why_label(advice), &sentences::undecided(undecided, held.code));
    }
    if let Some(reason) = &held.reason {
        line("Hold reason:", &reason.quoted(REASON));
    }
    for (number, seen) in advice.evidence.iter().enumerate() {
        line(if number == 0 { "Evidence:" } else { "" }, &sentences::evidence(seen));
    }
    for (label, text) in
        [("What counts:", inputs(advice)), ("Expected cost:", expected_costs(advice))]
    {
        if !text.is_empty() {
            line(label, &text);
        }
    }
    for (number, change) in advice.changes().enumerate() {
        line(if number == 0 { "Change first:" } else { "" }, &sentences::whole_change(change));
    }
    for way in advice.changes().filter_map(|change| change.by_hand.as_ref()) {
        line("To correct it:", &sentences::by_hand(way));
    }
    if let Some(tried) = &advice.try_one {
        line("What it shows:", &choices::try_one(tried));
    }
    if let Some(look) = &advice.look {
        line("Look at:", &choices::look_at(look));
    }
    if let Some(wait) = &advice.wait {
        let until =
            wait.until.map(|at| format!(" ({})", minute(at, &page.zone))).unwrap_or_default();
        line("Wait until:", &format!("{}{until}", sentences::wait_for(&wait.what)));
        if let Some(likely) = &wait.likely {
            line("Success:", &sentences::likely(advice.band, likely, &page.zone));
        }
        line("Look again:", &sentences::look_again(wait.look_again, page.now, &page.zone));
    }
    for (number, thing) in advice.htcondor_will.iter().enumerate() {
        let label = if number == 0 { "By itself:" } else { "" };
        line(label, &sentences::prediction(thing, &page.zone));
    }
    // Not wrapped: they are to be pasted.
    let constraint = advice.target.constraint();
    out.push_str(&commands::text(
        "",
        advice,
        &advice.commands,
        &advice.commands_after,
        &constraint,
    ));
    let mut line = |label: &str, text: &str| {
        out.push_str(&wrap(&format!("{label:<LABEL$}"), LABEL, &printable(text), columns));
    };
    line("Trust:", &trust(advice));
    if page.style.explains {
        out.push_str(&decision::text("", advice, columns));
    }
    out
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
