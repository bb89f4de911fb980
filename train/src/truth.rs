//! The hidden truth that `simulate` writes beside its logs: for each hold the success probability of each action.

use std::collections::HashMap;
use std::io::{self, BufRead};

use holdadvise::history::{Action, Episode, Journal};
use holdadvise::userlog::JobId;
use serde::Deserialize;

/// Success probabilities at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Oracle {
    /// Unix seconds.
    pub time: i64,
    #[serde(rename = "as-is")]
    as_is: f64,
    memory: f64,
    disk: f64,
    site: f64,
    other: f64,
}

impl Oracle {
    /// The actions it speaks of, with the probability that a release after each succeeds.
    pub fn actions(&self) -> [(Action, f64); 5] {
        [
            (Action::AsIs, self.as_is),
            (Action::Memory, self.memory),
            (Action::Disk, self.disk),
            (Action::Site, self.site),
            (Action::Other, self.other),
        ]
    }
}

#[derive(Debug, Deserialize)]
struct Record {
    cluster: i32,
    proc: i32,
    time: i64,
    released: Option<i64>,
    action: Option<Action>,
    oracle: Vec<Oracle>,
}

/// What is known of one hold.
#[derive(Clone, Debug, PartialEq)]
pub struct HoldTruth {
    /// When it was released, and what was done before.
    pub released: Option<(i64, Action)>,
    /// At the release, or at a few instants of a hold that never was released.
    pub oracle: Vec<Oracle>,
}

/// The truth of all holds of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    holds: HashMap<(JobId, i64), HoldTruth>,
}

impl Truth {
    /// Reads JSON lines.
    ///
    /// # Errors
    /// A line that does not fit, with its number.
    pub fn read(input: impl BufRead) -> io::Result<Self> {
        let mut truth = Self::default();
        for (number, line) in input.lines().enumerate() {
            let record: Record = serde_json::from_str(&line?).map_err(|error| {
                io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", number + 1))
            })?;
            let key = (JobId::new(record.cluster, record.proc), record.time);
            let released = record.released.zip(record.action);
            truth.holds.insert(key, HoldTruth { released, oracle: record.oracle });
        }
        Ok(truth)
    }

    /// The actions before releases, as a journal would have them.
    pub fn journal(&self) -> Journal {
        let mut journal = Journal::default();
        for ((job, _), hold) in &self.holds {
            if let Some((released_at, action)) = hold.released {
                journal.insert(*job, released_at, action);
            }
        }
        journal
    }

    /// What is known of a hold.
    pub fn of(&self, episode: &Episode) -> Option<&HoldTruth> {
        self.holds.get(&(episode.identity.job, episode.held_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_record() {
        let line = r#"{"cluster":1,"proc":0,"time":5,"released":9,"action":"as-is","oracle":[{"time":9,"as-is":0.5,"memory":0.5,"disk":0.5,"site":0.5,"other":1.0}],"cause":"bug"}"#;
        let truth = Truth::read(line.as_bytes()).unwrap();
        let hold = &truth.holds[&(JobId::new(1, 0), 5)];
        assert_eq!(hold.released, Some((9, Action::AsIs)));
        assert_eq!(hold.oracle[0].actions()[4], (Action::Other, 1.0));
        assert!(Truth::read("{}".as_bytes()).unwrap_err().to_string().starts_with("line 1: "));
    }
}
