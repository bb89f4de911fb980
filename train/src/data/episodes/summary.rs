//! How many holds there were of each code, and what came of them.

use std::collections::BTreeMap;
use std::fmt;

use holdadvise::history::{Episode, Outcome};

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) logs: u64,
    pub(super) events: u64,
    /// Of these, of a number that is not known.
    pub(super) unknown: u64,
    pub(super) damaged: u64,
}

/// Holds of one code and subcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    holds: u64,
    released: u64,
    successes: u64,
    failures: u64,
}

impl Tally {
    fn add(&mut self, episode: &Episode) {
        self.holds += 1;
        self.released += u64::from(episode.released_at.is_some());
        self.successes += u64::from(episode.outcome == Some(Outcome::Success));
        self.failures += u64::from(episode.outcome == Some(Outcome::Failure));
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Summary {
    codes: BTreeMap<(i32, i32), Tally>,
    all: Tally,
    pub(super) read: Counts,
}

impl Summary {
    pub(super) fn add(&mut self, episode: &Episode) {
        let code = (episode.identity.code, episode.identity.subcode);
        self.codes.entry(code).or_default().add(episode);
        self.all.add(episode);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { logs, events, unknown, damaged } = self.read;
        writeln!(
            f,
            "{events} events in {logs} logs, {unknown} of unknown numbers; {damaged} damaged"
        )?;
        writeln!(f, "CODE/SUB        HOLDS  RELEASED  SUCCESS  FAILURE  RATE")?;
        let codes = self.codes.iter().map(|((code, sub), tally)| (format!("{code}/{sub}"), tally));
        for (name, tally) in codes.chain([("total".to_owned(), &self.all)]) {
            let Tally { holds, released, successes, failures } = tally;
            let rate = match successes + failures {
                0 => "-".to_owned(),
                decided => format!("{:.2}", *successes as f64 / decided as f64),
            };
            writeln!(
                f,
                "{name:<12} {holds:>8} {released:>9} {successes:>8} {failures:>8}  {rate}"
            )?;
        }
        Ok(())
    }
}
