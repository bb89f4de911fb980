//! Replays all holds against all policies.

use rayon::prelude::*;

use super::attribute::HeldJob;
use super::course::{Course, Judged};
use super::expression::{Answer, Ticks};
use super::past::PastHold;
use super::releaser::Releaser;
use super::success::Successes;
use super::tally::Replayed;
use crate::advice::Costs;
use crate::policy::NEVER_RELEASED;

/// Holds replayed in one go on one core.
const TOGETHER: usize = 4_096;

/// By which rules holds are replayed.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// When policies are evaluated.
    pub ticks: Ticks,
    /// SYSTEM_MAX_RELEASES, where there is one.
    pub max_releases: Option<i64>,
    /// What being wrong costs.
    pub costs: Costs,
    /// The log ends, Unix seconds: nothing later is looked at.
    pub end: i64,
}

impl Rules {
    /// Whether a policy may release a held job at all; `None` where NumHolds would have to be
    /// known.
    pub fn may_release(&self, job: &HeldJob<'_>) -> Option<bool> {
        if NEVER_RELEASED.contains(&i64::from(job.hold.code)) {
            return Some(false);
        }
        self.max_releases.map_or(Some(true), |limit| job.num_holds().map(|holds| holds < limit))
    }

    /// What a releaser does with one hold: at ticks, as far as the schedd lets it.
    pub fn answer(&self, releaser: &mut Releaser, job: &HeldJob<'_>, end: i64) -> Answer {
        match self.may_release(job) {
            Some(false) => Answer::Holds,
            // Whether it would is another question.
            None => match releaser.answer(job, self.ticks, end) {
                Answer::Releases(at) => Answer::Unknown(at),
                other => other,
            },
            Some(true) => releaser.answer(job, self.ticks, end),
        }
    }

    /// What becomes of one hold, and whether that is known: it is not without what is known of its
    /// releases.
    pub fn course(
        &self,
        releaser: &mut Releaser,
        hold: &PastHold,
        judged: Option<&Judged<'_>>,
    ) -> (Course, bool) {
        let mut answer = |job: &HeldJob<'_>, end: i64| self.answer(releaser, job, end);
        if let Some(judged) = judged {
            return (judged.follow(&self.costs, &mut answer), true);
        }
        let end = hold.hold_end.left_at().unwrap_or(self.end);
        let course = match answer(&HeldJob::new(hold), end) {
            Answer::Releases(at) => Course { released_at: Some(at), ..Course::default() },
            Answer::Unknown(_) => Course { unknown: true, ..Course::default() },
            Answer::Unfinished => Course { unknown: true, unfinished: true, ..Course::default() },
            Answer::Holds => Course::default(),
        };
        (course, false)
    }
}

/// What each releaser would have done with the holds. The same whatever the number of cores.
pub fn replay(
    holds: &[PastHold],
    successes: &Successes,
    releasers: &[Releaser],
    rules: &Rules,
) -> Vec<Replayed> {
    let mut releasers = releasers.to_vec();
    Releaser::share(&mut releasers, holds.len());
    let part = |own: &mut Vec<Releaser>, holds: &[PastHold]| {
        let mut replayed = vec![Replayed::default(); own.len()];
        let judged: Vec<Option<Judged<'_>>> =
            holds.iter().map(|hold| Judged::of(hold, successes, &rules.costs)).collect();
        for (releaser, replayed) in own.iter_mut().zip(&mut replayed) {
            for (hold, judged) in holds.iter().zip(&judged) {
                let (course, judged) = rules.course(releaser, hold, judged.as_ref());
                replayed.add(hold.code, &course, judged);
                if course.unknown && !course.unfinished {
                    for name in releaser.unrecorded(hold) {
                        *replayed.unrecorded.entry(name.to_owned()).or_default() += 1;
                    }
                }
            }
        }
        replayed
    };
    // What a core remembers of an expression changes no answer.
    let parts: Vec<Vec<Replayed>> =
        holds.par_chunks(TOGETHER).map_init(|| releasers.to_vec(), part).collect();
    let mut all = vec![Replayed::default(); releasers.len()];
    // Sums in the order of the holds.
    for part in parts {
        for (all, part) in all.iter_mut().zip(part) {
            all.join(part);
        }
    }
    all.iter_mut().for_each(Replayed::finish);
    all
}
