//! What was said of a hold, joined with what came of its release.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::{ForecastRelease, JudgedReleases, TrialRelease};
use crate::journal::{Asked, Entry, EntryKind, HoldOf, Learned, VERSION, owner_of};
use crate::shares::{ItemSize, Shares};

use eventlog::JobId;

/// Seconds by which the event of a hold and EnteredCurrentStatus may differ and still tell of the
/// same hold.
const APART: i64 = 60;

/// A release without a change whose outcome a log shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The job.
    pub job: JobId,
    /// When it went on hold, Unix seconds.
    pub held: i64,
    /// When it was released.
    pub released: i64,
    /// When it ended.
    pub at: i64,
    /// It exited with 0.
    pub success: bool,
}

/// New entries: releases whose hold was asked about before. `asked`: what was said, in any order.
/// `known`: what was learned before.
pub fn learned(asked: &[Entry], known: &[Entry], ended: &[Ended]) -> Vec<Entry> {
    let known: HashSet<HoldOf> = known
        .iter()
        .filter_map(|entry| match &entry.what {
            EntryKind::Learned(learned) => Some(learned.asked.hold),
            _ => None,
        })
        .collect();
    let mut by_job: HashMap<JobId, Vec<(i64, &Asked)>> = HashMap::new();
    for entry in asked {
        if let EntryKind::Asked(asked) = &entry.what {
            by_job.entry(asked.hold.job).or_default().push((entry.time, asked));
        }
    }
    let mut new = Vec::new();
    let mut seen = HashSet::new();
    for one in ended {
        let of_hold = by_job.get(&one.job).into_iter().flatten().filter(|(time, asked)| {
            let entered = asked.hold.entered_current_status.unwrap_or(i64::MIN);
            // Whoever asked later knew more.
            entered.abs_diff(one.held) <= APART.unsigned_abs() && *time <= one.released
        });
        let Some((_, asked)) = of_hold.max_by_key(|(time, _)| *time) else { continue };
        if known.contains(&asked.hold) || !seen.insert(asked.hold) {
            continue;
        }
        let Ended { released, at, success, .. } = *one;
        let what = EntryKind::Learned(Learned { asked: (*asked).clone(), released, at, success });
        new.push(Entry { version: VERSION, time: at, what });
    }
    new
}

/// What was learned of one model, as the tests of this room take it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    rows: Vec<Learned>,
    /// Entries that there was no room for, by owner.
    pub left_out: BTreeMap<Box<str>, u64>,
}

impl ItemSize for &Learned {
    fn size(&self) -> u64 {
        1
    }
}

impl Rows {
    /// Entries, at most so many: the owners share the places, and of each the newest are taken.
    pub fn newest(entries: &[Entry], most: usize) -> Self {
        let mut shares = Shares::new(most, u64::MAX);
        for entry in entries {
            if let EntryKind::Learned(learned) = &entry.what
                && is_fit(learned)
            {
                let owner = learned.asked.owner.as_deref().unwrap_or_default();
                shares.push(owner, Reverse(learned.released), learned);
            }
        }
        let (rows, left_out) = shares.in_turns(1, |_| 1);
        let mut rows: Vec<Learned> = rows.into_iter().cloned().collect();
        rows.sort_by_key(|row| row.released);
        Self { rows, left_out }
    }

    /// Releases from this instant on.
    pub fn since(&self, instant: i64) -> usize {
        self.rows.iter().filter(|row| row.released >= instant).count()
    }

    /// What the model in use had said, for a calibration.
    pub fn judged(&self, model: &str) -> JudgedReleases {
        let mut judged = JudgedReleases::default();
        for row in self.rows.iter().filter(|row| row.asked.in_use.model == model) {
            judged.logits.push(row.asked.in_use.logit);
            judged.outcome.push(f32::from(u8::from(row.success)));
            judged.weight.push(1.0);
            judged.cluster.push(row.asked.hold.job.cluster.into());
            // Outcomes whose owner was not noted are together those of one.
            judged.owner.push(owner_of(row.asked.owner.as_deref()));
            judged.hold_time.push(row.asked.hold.entered_current_status.unwrap_or(row.released));
            judged.decided.push(row.released);
        }
        judged
    }

    /// What it had said of releases from an instant on, as it was served, for the test of drift.
    pub fn said(&self, model: &str, since: i64) -> Vec<ForecastRelease> {
        let rows = self.rows.iter().filter(|row| row.released >= since);
        let rows = rows.filter(|row| row.asked.in_use.model == model);
        rows.map(|row| ForecastRelease {
            cluster: row.asked.hold.job.cluster.into(),
            owner: owner_of(row.asked.owner.as_deref()),
            released: row.released,
            log_odds: log_odds(row.asked.in_use.probability),
            success: row.success,
        })
        .collect()
    }

    /// What both models had said of holds that began after the trial did.
    pub fn pairs(&self, model: &str, challenger: &str, since: i64) -> Vec<TrialRelease> {
        let rows = self.rows.iter().filter(|row| row.asked.in_use.model == model);
        let later = |row: &&Learned| {
            row.asked.hold.entered_current_status.is_some_and(|entered| entered >= since)
        };
        rows.filter(later)
            .filter_map(|row| {
                let said = row.asked.challenger.as_ref().filter(|said| said.model == challenger)?;
                Some(TrialRelease {
                    cluster: row.asked.hold.job.cluster.into(),
                    owner: owner_of(row.asked.owner.as_deref()),
                    released: row.released,
                    in_use: row.asked.in_use.probability,
                    challenger: said.probability,
                    success: row.success,
                })
            })
            .collect()
    }
}

/// A file may hold anything.
fn is_fit(learned: &Learned) -> bool {
    let answers = [Some(&learned.asked.in_use), learned.asked.challenger.as_ref()];
    answers
        .into_iter()
        .flatten()
        .all(|answer| answer.logit.is_finite() && (0.0..=1.0).contains(&answer.probability))
}

/// Of probabilities that are rounded: 0 and 1 are taken for the nearest others.
fn log_odds(p: f64) -> f64 {
    let p = p.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
#[path = "learned_tests.rs"]
mod tests;
