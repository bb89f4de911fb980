//! Which of many jobs is tried, once all of a call are judged.

use std::collections::HashMap;

use super::Advisor;
use crate::advice::{Advice, Held, Recommendation};
use crate::history::JobHistory;
use crate::model::ModelError;
use eventlog::JobId;

impl Advisor<'_> {
    /// Draws another job to try where something of the drawn one's own stands against that: no answer
    /// says to try a job and to look at it. Of a job that is none of these only logs are read.
    pub(in crate::advice) fn draw_among(
        &self,
        advices: &mut [Option<Advice>],
        now: i64,
    ) -> Result<(), ModelError> {
        let history = self.history();
        let of_these = advices.iter().flatten().map(|advice| (advice.held.job, is_try(advice)));
        let mut judged: HashMap<JobId, bool> = of_these.collect();
        for advice in advices.iter_mut().flatten().filter(|advice| is_try(advice)) {
            while let Some(one) = advice.try_one {
                let is_one = match judged.get(&one.job) {
                    Some(is_one) => *is_one,
                    None => *judged.entry(one.job).or_insert(self.may_be_tried(one.job, now)?),
                };
                if is_one {
                    break;
                }
                let others = judged.iter().filter(|(_, is_one)| !**is_one);
                let others = others.map(|(job, _)| *job).collect();
                let own = history.job(advice.held.job);
                let in_queue = own.and_then(|own| history.hold_in_queue(own));
                let hold = history.held_at(advice.held.job, in_queue.as_ref(), now);
                let tries = hold.and_then(|hold| self.causes.tries(history, &hold, now));
                advice.try_one = tries.and_then(|tries| tries.draw(history, &others));
                advice.target = advice.try_one.map_or(advice.target, |one| one.target);
            }
        }
        Ok(())
    }

    /// Nothing of its own stands against it, as far as logs tell.
    fn may_be_tried(&self, job: JobId, now: i64) -> Result<bool, ModelError> {
        let is_logged = |job: &JobHistory| self.history().hold_in_queue(job).is_none();
        if !self.history().job(job).is_some_and(is_logged) {
            return Ok(true);
        }
        let judged = self.judged(&[Held::of_log(job)], now)?;
        Ok(judged.iter().flatten().any(is_try))
    }
}

fn is_try(advice: &Advice) -> bool {
    advice.recommendation == Recommendation::Try
}
