//! What is compared: expressions, what the policies of the log did, what somebody would have done.

use std::collections::HashMap;
use std::sync::Arc;

use super::attribute::HeldJob;
use super::expression::{Answer, ReplayExpression, Ticks};
use super::past::PastHold;
use crate::userlog::JobId;

/// Something that releases held jobs.
#[derive(Clone, Debug)]
pub enum Contender {
    /// A release expression.
    Expression(Box<ReplayExpression>),
    /// Nothing is released but by hand.
    Nobody,
    /// The policies that were in force: what they released, and when.
    InForce,
    /// Releases at given times, by job and time of the hold; Unix seconds.
    Times(Arc<HashMap<(JobId, i64), i64>>),
}

impl Contender {
    /// When it releases a held job: at a tick before `end`.
    pub fn answer(&mut self, job: &HeldJob<'_>, ticks: Ticks, end: i64) -> Answer {
        // What was in force, and what somebody says, is known of the hold that there was.
        let once = |at: Option<i64>| match at {
            Some(at) if job.releases() == 0 => Answer::Releases(at),
            _ => Answer::Holds,
        };
        match self {
            Self::Expression(expression) => expression.answer(job, ticks, end),
            Self::Nobody => Answer::Holds,
            Self::InForce => once(job.hold.fate.released_at().filter(|_| job.hold.by_policy)),
            Self::Times(times) => {
                let at = times.get(&(job.hold.job, job.hold.held_at)).copied();
                once(at.filter(|at| *at < end))
            }
        }
    }

    /// The attributes that it asks for and that are not told of on a hold.
    pub fn unrecorded(&self, hold: &PastHold) -> Vec<&str> {
        match self {
            Self::Expression(expression) => expression.unrecorded(&HeldJob::new(hold)),
            _ => Vec::new(),
        }
    }
}
