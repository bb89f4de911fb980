//! Replays all holds against all policies.

use rayon::prelude::*;

use super::attribute::ReplayedJob;
use super::course::{Course, ReleaseCourse};
use super::expression::{ExpressionAnswer, Ticks};
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
    pub fn may_release(&self, job: &ReplayedJob<'_>) -> Option<bool> {
        if NEVER_RELEASED.contains(&i64::from(job.hold.code)) {
            return Some(false);
        }
        self.max_releases.map_or(Some(true), |limit| job.num_holds().map(|holds| holds < limit))
    }

    /// What a releaser does with one hold: at ticks, as far as the schedd lets it.
    pub fn answer(
        &self,
        releaser: &mut Releaser,
        job: &ReplayedJob<'_>,
        end: i64,
    ) -> ExpressionAnswer {
        match self.may_release(job) {
            Some(false) => ExpressionAnswer::Holds,
            // Whether it would is another question.
            None => match releaser.answer(job, self.ticks, end) {
                ExpressionAnswer::Releases(at) => ExpressionAnswer::Unknown(at),
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
        judged: Option<&ReleaseCourse<'_>>,
    ) -> (Course, bool) {
        let mut answer = |job: &ReplayedJob<'_>, end: i64| self.answer(releaser, job, end);
        if let Some(judged) = judged {
            return (judged.follow(&self.costs, &mut answer), true);
        }
        let end = hold.hold_end.left_at().unwrap_or(self.end);
        let course = match answer(&ReplayedJob::new(hold), end) {
            ExpressionAnswer::Releases(at) => Course { released_at: Some(at), ..Course::default() },
            ExpressionAnswer::Unknown(_) => Course { unknown: true, ..Course::default() },
            ExpressionAnswer::Unfinished => {
                Course { unknown: true, unfinished: true, ..Course::default() }
            }
            ExpressionAnswer::Holds => Course::default(),
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
        let judged: Vec<Option<ReleaseCourse<'_>>> =
            holds.iter().map(|hold| ReleaseCourse::of(hold, successes, &rules.costs)).collect();
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
