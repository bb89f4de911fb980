//! The process that finds what came of releases: it reads the event log, confined as the judge is,
//! and writes a line for each.

use std::io::{self, Write};

use eventlog::{LogFiles, ReadOptions};
use holdadvise::history::{Action, HistoryBuilder, Outcome as Came};
use holdadvise::inquiry::Config;
use holdadvise::journal::noted_actions;

use crate::confine::{Limits, confine};
use crate::judge::{JudgeError, LOG_SHARE, not_kept};
use crate::learn::{HORIZON, SECONDS};
use crate::line::{Line, ReleaseOutcome, reason_of};
use crate::settings::{Settings, event_log};

/// Seconds of releases that a day looks at: a day without the advisor is caught up.
pub const BACK: i64 = 4 * 86_400;

/// Bytes of the event log that are read at most.
const LOG_BYTES: u64 = 512 << 20;

/// Writes what came of the releases of the last days whose outcome is certain by now.
///
/// # Errors
/// [`JudgeError`]
pub fn outcomes(config: &Config, now: i64) -> Result<(), JudgeError> {
    let (settings, _) = Settings::of(config)?;
    let mut notes = Vec::new();
    let log = event_log(config, "nothing is learned", &mut notes);
    let read = ReadOptions::default();
    // Without a journal nothing was noted.
    let (noted, _) = noted_actions(&settings.journal()).unwrap_or_default();
    confine(Limits { memory: settings.memory << 20, seconds: SECONDS })?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for note in &notes {
        writeln!(out, "{}", Line::Note(reason_of(note)))?;
    }
    let mut history = HistoryBuilder::new();
    let from = now - BACK - HORIZON;
    if let Some(log) = log {
        let window = |log: LogFiles| log.window(&read, from, LOG_BYTES);
        let memory = (settings.memory << 20) / LOG_SHARE;
        let (report, _, left_out) = history.read_within(log, window, memory);
        for note in not_kept(&report, &left_out, LOG_BYTES) {
            writeln!(out, "{}", Line::Note(reason_of(&note)))?;
        }
    }
    let mut seen = 0;
    for hold in history.build().episodes(HORIZON, &noted) {
        let (Some(released), Some(at)) = (hold.released_at, hold.outcome_at) else { continue };
        let success = match hold.outcome {
            Some(Came::Success) => true,
            Some(Came::Failure) => false,
            _ => continue,
        };
        // Failures come sooner than successes: what counts are releases of which all is known.
        let is_certain = released >= now - BACK && released <= now - HORIZON;
        let is_as_is = matches!(hold.action, Action::AsIs | Action::Unknown);
        if !(is_certain && is_as_is && hold.held_at >= 0 && at >= released) {
            continue;
        }
        seen += 1;
        let (job, held) = (hold.identity.job, hold.held_at);
        writeln!(out, "{}", Line::Outcome(ReleaseOutcome { job, held, released, at, success }))?;
    }
    writeln!(out, "{}", Line::Done { seen, judged: seen })?;
    Ok(out.flush()?)
}
