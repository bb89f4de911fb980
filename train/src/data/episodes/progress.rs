//! How far reading has come, for a person who waits.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on standard error, where that is a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    begin: Instant,
}

impl Progress {
    /// `bytes` are to be read.
    pub(super) fn new(bytes: u64) -> Self {
        let style = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left  {msg}";
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self { bar, begin: Instant::now() }
    }

    /// So many bytes more are read, and so many holds found in all.
    pub(super) fn advance(&self, bytes: u64, holds: u64) {
        if self.bar.is_hidden() && self.begin.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(bytes);
        self.bar.set_message(format!("{holds} holds"));
    }

    /// Prints a line on standard error, above the bar.
    pub(super) fn tell(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
