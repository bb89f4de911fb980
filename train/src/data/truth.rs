//! The hidden truth that `simulate` writes beside its logs: for each hold the success probability
//! of each action.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;

use eventlog::JobId;
use holdadvise::history::{Action, Episode, NotedActions};
use serde::Deserialize;

use crate::Error;
use crate::data::dataset::Reach;
use crate::data::input::{plain_or_packed, reader, unread};

/// Success probabilities at one instant.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Oracle {
    /// Unix seconds.
    pub time: i64,
    #[serde(rename = "as-is")]
    as_is: Option<f64>,
    memory: Option<f64>,
    disk: Option<f64>,
    site: Option<f64>,
    other: Option<f64>,
    /// Seconds until a release as it is, and the share of plays in which it succeeds.
    #[serde(default)]
    pub when: Vec<(i64, f64)>,
    /// How many plays; one where it is not said.
    #[serde(default)]
    pub plays: Option<u32>,
}

impl Oracle {
    /// The actions it speaks of, with the probability that a release after each succeeds.
    pub fn actions(&self) -> impl Iterator<Item = (Action, f64)> + use<> {
        let &Self { as_is, memory, disk, site, other, .. } = self;
        let all = [as_is, memory, disk, site, other];
        Action::ALL.into_iter().zip(all).filter_map(|(action, known)| Some((action, known?)))
    }

    /// The probability that a release after `action` succeeds, where it is told.
    pub fn of(&self, action: Action) -> Option<f64> {
        self.actions().find(|(told, _)| *told == action).map(|(_, probability)| probability)
    }
}

#[derive(Debug, Deserialize)]
struct Record {
    cluster: i32,
    proc: i32,
    #[serde(default)]
    num_holds: i64,
    time: i64,
    released: Option<i64>,
    action: Option<Action>,
    cause: Option<String>,
    reach: Option<Reach>,
    success: Option<f64>,
    #[serde(default)]
    oracle: Vec<Oracle>,
}

/// What is known of one hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HoldTruth {
    /// When it was released, and what was done before.
    pub released: Option<(i64, Action)>,
    /// Name of the hidden cause.
    pub cause: Option<String>,
    /// How far that reaches.
    pub reach: Option<Reach>,
    /// Probability that the release succeeds, as it was done.
    pub success: Option<f64>,
    /// At the release, and at a few instants as far as the job was held then.
    pub oracle: Vec<Oracle>,
}

impl HoldTruth {
    /// The true probability that a release at `instant` after `action` succeeds, where it was asked
    /// for.
    pub fn at(&self, instant: i64, action: Action) -> Option<f64> {
        let this = self.success.filter(|_| self.released == Some((instant, action)));
        this.or_else(|| self.told(instant, action))
    }

    fn told(&self, instant: i64, action: Action) -> Option<f64> {
        self.oracle.iter().find(|oracle| oracle.time == instant)?.of(action)
    }
}

/// The truth of all holds of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// By job and time of event 012, each with its NumHolds: where an hour of the preset takes
    /// seconds, a job may be held twice in one.
    holds: BTreeMap<(JobId, i64), Vec<(i64, HoldTruth)>>,
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
            let Record { cause, reach, success, oracle, .. } = record;
            let release =
                success.map(|success| (record.action.unwrap_or(Action::Unknown), success));
            let probabilities = oracle.iter().flat_map(Oracle::actions).chain(release);
            if let Some((action, wrong)) =
                probabilities.into_iter().find(|(_, p)| !(0.0..=1.0).contains(p))
            {
                let text = format!("line {}: probability {wrong} of {}", number + 1, action.name());
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            let mut later = oracle.iter().flat_map(|oracle| &oracle.when);
            if let Some((delay, share)) =
                later.find(|(delay, share)| *delay < 0 || !(0.0..=1.0).contains(share))
            {
                let text = format!("line {}: share {share} after {delay} s", number + 1);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            let hold = HoldTruth { released, cause, reach, success, oracle };
            truth.holds.entry(key).or_default().push((record.num_holds, hold));
        }
        Ok(truth)
    }

    /// Reads the truth of a folder that `simulate` wrote, or of a recorded pool, compressed or not.
    ///
    /// # Errors
    /// When it is not there, or a line does not fit.
    pub fn of_folder(folder: &Path) -> Result<Self, Error> {
        let path = plain_or_packed(folder, "truth.jsonl");
        Ok(Self::read(reader(&path)?).map_err(unread(&path))?)
    }

    /// The actions before releases, as a journal would have them.
    pub fn journal(&self) -> NotedActions {
        let mut journal = NotedActions::default();
        for ((job, _), holds) in &self.holds {
            for (released_at, action) in holds.iter().filter_map(|(_, hold)| hold.released) {
                journal.insert(*job, released_at, action);
            }
        }
        journal
    }

    /// What is known of a hold.
    pub fn of(&self, episode: &Episode) -> Option<&HoldTruth> {
        self.hold(episode.identity.job, episode.held_at, episode.identity.num_holds)
    }

    /// A log that begins late counts fewer holds: then the last of that second.
    fn hold(&self, job: JobId, held_at: i64, num_holds: i64) -> Option<&HoldTruth> {
        let holds = self.holds.get(&(job, held_at))?;
        let counted = |(number, _): &&(i64, _)| *number == num_holds;
        holds.iter().find(counted).or(holds.last()).map(|(_, hold)| hold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_releases_in_one_second_the_action_of_the_later_hold_counts() {
        let line = |cluster, time, action| {
            let (job, rest) = (r#""proc":0,"released":9"#, r#""success":0.5,"oracle":[]"#);
            format!(r#"{{"cluster":{cluster},"time":{time},{job},"action":"{action}",{rest}}}"#)
        };
        let holds = |cluster| [line(cluster, 6, "memory"), line(cluster, 5, "as-is")];
        let lines: Vec<String> = (1..=32).flat_map(holds).collect();
        let journal = Truth::read(lines.join("\n").as_bytes()).unwrap().journal();
        for cluster in 1..=32 {
            assert_eq!(journal.action(JobId::new(cluster, 0), 9), Some(Action::Memory));
        }
    }

    #[test]
    fn reads_a_record() {
        let line = r#"{"cluster":1,"proc":0,"time":5,"released":9,"action":"as-is","success":0.25,"oracle":[{"time":9,"as-is":0.5,"memory":0.5,"disk":0.5,"site":0.5,"other":1.0}],"cause":"bug"}
{"cluster":2,"proc":0,"time":6,"released":null,"action":null,"cause":"firewall","reach":"site","success":null,"oracle":[{"time":8,"as-is":0.0}]}"#;
        let truth = Truth::read(line.as_bytes()).unwrap();
        let (_, hold) = &truth.holds[&(JobId::new(1, 0), 5)][0];
        assert_eq!(hold.released, Some((9, Action::AsIs)));
        assert_eq!((hold.cause.as_deref(), hold.reach), (Some("bug"), None));
        assert_eq!((hold.at(9, Action::Other), hold.at(8, Action::Other)), (Some(1.0), None));
        assert_eq!((hold.at(9, Action::AsIs), hold.told(9, Action::AsIs)), (Some(0.25), Some(0.5)));
        let (_, other) = &truth.holds[&(JobId::new(2, 0), 6)][0];
        assert_eq!((other.released, other.reach), (None, Some(Reach::Site)));
        assert_eq!(other.oracle[0].actions().collect::<Vec<_>>(), [(Action::AsIs, 0.0)]);
    }

    #[test]
    fn two_holds_of_one_second_are_kept_by_their_number() {
        let line = |number: i32, cause: &str| {
            format!(r#"{{"cluster":1,"proc":0,"num_holds":{number},"time":5,"cause":"{cause}"}}"#)
        };
        let text = [line(2, "flaky"), line(3, "bug")].join("\n");
        let truth = Truth::read(text.as_bytes()).unwrap();
        let cause = |number| truth.hold(JobId::new(1, 0), 5, number)?.cause.as_deref();
        assert_eq!([2, 3, 1].map(cause), [Some("flaky"), Some("bug"), Some("bug")]);
        assert_eq!(truth.hold(JobId::new(1, 0), 6, 2), None);
    }

    #[test]
    fn a_line_that_does_not_fit_is_named() {
        let error = |text: &str| Truth::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error("{}").starts_with("line 1: "));
        let far = r#"{"cluster":2,"proc":0,"time":6,"oracle":[{"time":8,"site":1.5}]}"#;
        assert_eq!(error(far), "line 1: probability 1.5 of site");
        assert!(error(r#"{"cluster":2,"proc":0,"time":6,"reach":"moon"}"#).contains("moon"));
        let back = r#"{"cluster":2,"proc":0,"time":6,"oracle":[{"time":8,"when":[[-5,1]]}]}"#;
        assert_eq!(error(back), "line 1: share 1 after -5 s");
    }
}
