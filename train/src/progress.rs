//! How far long work has come, for a person who waits: a bar where standard error is a terminal,
//! else a line now and then.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time before the first line, and from one to the next, where there is no terminal.
const LINES: Duration = Duration::from_secs(20);

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes of files.
    Bytes,
    /// Things of this name.
    Things(&'static str),
}

/// How far some work has come.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    begin: Instant,
    /// What is done, such as `reading`.
    what: String,
    unit: Unit,
    /// When the last line was written; `None` on a terminal.
    line: Option<Mutex<Instant>>,
}

impl Progress {
    /// So much is to be done.
    pub(crate) fn new(what: impl Into<String>, unit: Unit, whole: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(whole), ProgressDrawTarget::hidden());
        let counted = match unit {
            Unit::Bytes => "{bytes} of {total_bytes}, {bytes_per_sec}".to_owned(),
            Unit::Things(name) => format!("{{pos}} of {{len}} {name}"),
        };
        let what = what.into();
        let style = format!("{what} {{bar:30}} {counted}, {{eta}} left  {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&style) {
            bar.set_style(style);
        }
        let begin = Instant::now();
        let line = (!std::io::stderr().is_terminal()).then(|| Mutex::new(begin));
        Self { bar, begin, what, unit, line }
    }

    /// So much more is done.
    pub(crate) fn advance(&self, by: u64) {
        self.bar.inc(by);
        match &self.line {
            None if self.bar.is_hidden() && self.begin.elapsed() > PATIENCE => {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            None => {}
            Some(last) => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() > LINES {
                    *last = Instant::now();
                    eprintln!("{}", self.line());
                }
            }
        }
    }

    /// What stands beside the bar.
    pub(crate) fn message(&self, text: String) {
        self.bar.set_message(text);
    }

    /// Prints a line on standard error, above the bar.
    pub(crate) fn tell(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// How far it is, in words.
    fn line(&self) -> String {
        let (done, whole) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let counted = match self.unit {
            Unit::Bytes => format!("{} of {}", HumanBytes(done), HumanBytes(whole)),
            Unit::Things(name) => format!("{done} of {whole} {name}"),
        };
        let left = left(self.begin.elapsed(), done, whole);
        let left =
            left.map_or(String::new(), |left| format!(", about {} left", HumanDuration(left)));
        format!("{}: {counted}{left}", self.what)
    }
}

/// How long the rest takes at the speed so far.
pub(crate) fn left(elapsed: Duration, done: u64, whole: u64) -> Option<Duration> {
    let rest = whole.saturating_sub(done) as f64;
    (done > 0).then(|| elapsed.mul_f64((rest / done as f64).min(1e6)))
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_and_how_long() {
        let progress = Progress::new("sampling", Unit::Things("holds"), 400);
        assert_eq!(progress.line(), "sampling: 0 of 400 holds");
        progress.advance(100);
        assert!(progress.line().starts_with("sampling: 100 of 400 holds, about 0 seconds left"));
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(10), 100, 400), Some(seconds(30)));
        assert_eq!((left(seconds(10), 0, 400), left(seconds(9), 5, 5)), (None, Some(seconds(0))));
        assert_eq!(left(seconds(1), 9, 5), Some(seconds(0)), "more than was expected");
    }
}
