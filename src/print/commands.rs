//! Commands below their label, each a line that begins in the first column with a lower-case
//! letter.
//!
//! No other line for people does: text begins with a blank, a digit or an upper-case letter of
//! ours, and what it is wrapped to begins with blanks. So a hold reason cannot look like a command.

use crate::advice::{Advice, Command, Recommendation};

/// The label of what can be pasted now.
const NOW: &str = "Commands:";

/// The label of what is to be pasted later; of a look, whether that is worth it too where it shows
/// nothing.
fn later(recommendation: Recommendation, after_look: bool) -> &'static str {
    match recommendation {
        Recommendation::Wait => "When that has happened:",
        Recommendation::Look if after_look => "Once it is in order, or if nothing is wrong there:",
        Recommendation::Look => "Once it is in order:",
        _ => "After that:",
    }
}

/// The commands of an advice. A step runs only if the one before it succeeded.
pub(super) fn text(
    indent: &str,
    advice: &Advice,
    now: &[Command],
    after: &[Command],
    constraint: &str,
) -> String {
    let of = |label: &str, commands| labelled(&format!("{indent}{label}"), commands, constraint);
    let [first, second] = labels(advice.recommendation, advice.releases_after_look());
    of(first, now) + &of(second, after)
}

/// The labels of what can be pasted now, and later.
pub(super) fn labels(recommendation: Recommendation, after_look: bool) -> [&'static str; 2] {
    [NOW, later(recommendation, after_look)]
}

/// Commands below a label; nothing where there are none.
pub(super) fn labelled(label: &str, commands: &[Command], constraint: &str) -> String {
    match commands {
        [] => String::new(),
        _ => format!("{label}\n{}\n", lines(commands, constraint).join(" &&\n")),
    }
}

/// Each command as a line to paste.
pub(super) fn lines(commands: &[Command], constraint: &str) -> Vec<String> {
    commands.iter().map(|command| command.line(constraint)).collect()
}
