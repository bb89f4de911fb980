//! Commands below their label, each a line that begins in the first column with a lower-case
//! letter.
//!
//! No other line for people does: text begins with a blank, a digit or an upper-case letter of
//! ours, and what it is wrapped to begins with blanks. So a hold reason cannot look like a command.

use std::fmt::Write as _;

use crate::advice::{Advice, Command, Recommendation};

/// The label of what can be pasted now.
const NOW: &str = "Commands:";

/// The label of what is to be pasted later.
fn later(recommendation: Recommendation) -> &'static str {
    match recommendation {
        Recommendation::Wait => "When that has happened:",
        Recommendation::Look => "Once it is in order:",
        _ => "After that:",
    }
}

/// The label of the first commands of an advice.
pub(super) fn first_label(advice: &Advice) -> &'static str {
    if advice.commands.is_empty() { later(advice.recommendation) } else { NOW }
}

/// The commands of an advice, or those given for a group that it is the first of. A step runs only
/// if the one before it succeeded.
pub(super) fn text(
    indent: &str,
    advice: &Advice,
    now: &[Command],
    after: &[Command],
    constraint: &str,
) -> String {
    let mut out = String::new();
    for (label, commands) in [(NOW, now), (later(advice.recommendation), after)] {
        if !commands.is_empty() {
            let _ = writeln!(out, "{indent}{label}\n{}", lines(commands, constraint).join(" &&\n"));
        }
    }
    out
}

/// Each command as a line to paste.
pub(super) fn lines(commands: &[Command], constraint: &str) -> Vec<String> {
    commands.iter().map(|command| command.line(constraint)).collect()
}

/// Commands that do the same for many jobs.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The one with the smallest number, and the one with the largest.
    low: Command,
    high: Command,
}

impl Shared {
    /// The commands of the first job.
    pub(super) fn all(commands: &[Command]) -> Option<Vec<Self>> {
        Some(commands.iter().map(|one| Self { low: one.clone(), high: one.clone() }).collect())
    }

    /// Adds those of another job; `None` once no command does for all.
    pub(super) fn add(all: &mut Option<Vec<Self>>, commands: &[Command]) {
        let fits = all.as_mut().is_some_and(|all| {
            all.len() == commands.len()
                && all.iter_mut().zip(commands).all(|(one, command)| one.take(command).is_some())
        });
        if !fits {
            *all = None;
        }
    }

    fn take(&mut self, command: &Command) -> Option<()> {
        let high = self.high.for_both(command)?;
        if self.low.for_both(command)? == self.low {
            self.low = command.clone();
        }
        self.high = high;
        self.low.for_both(&self.high).map(|_| ())
    }

    /// The command that does for all.
    pub(super) fn command(&self) -> Command {
        self.high.clone()
    }

    /// Whether some are given more than they need.
    pub(super) fn differ(&self) -> bool {
        self.low != self.high
    }
}
