//! What is compared: expressions, what the policies of the log did, what somebody would have done.

use std::sync::Arc;

use super::advised::PastAdvice;
use super::attribute::ReplayedJob;
use super::expression::{ExpressionAnswer, ReplayExpression, Ticks};
use super::past::PastHold;

/// Something that releases held jobs.
#[derive(Clone, Debug)]
pub enum Releaser {
    /// A release expression.
    Expression(Box<ReplayExpression>),
    /// Nothing is released but by hand.
    Nobody,
    /// The policies that were in force: what they released, and when.
    InForce,
    /// Somebody who asks a model and does at once what it says.
    Advice(Arc<PastAdvice>),
}

impl Releaser {
    /// Shares the steps of a call between these, each tried on so many holds. What is said of a
    /// hold depends on neither the machine nor its load.
    pub fn share<'a>(releasers: impl IntoIterator<Item = &'a mut Self>, holds: usize) {
        let mut expressions: Vec<&mut ReplayExpression> = releasers
            .into_iter()
            .filter_map(|releaser| match releaser {
                Self::Expression(expression) => Some(&mut **expression),
                _ => None,
            })
            .collect();
        let count = expressions.len();
        expressions.iter_mut().for_each(|expression| expression.share(holds, count));
    }

    /// When it releases a held job: at a tick before `end`.
    pub fn answer(&mut self, job: &ReplayedJob<'_>, ticks: Ticks, end: i64) -> ExpressionAnswer {
        // What was in force, and what somebody says, is known of the hold that there was.
        let once = |at: Option<i64>| match at {
            Some(at) if job.failed_releases() == 0 => ExpressionAnswer::Releases(at),
            _ => ExpressionAnswer::Holds,
        };
        match self {
            Self::Expression(expression) => expression.answer(job, ticks, end),
            Self::Nobody => ExpressionAnswer::Holds,
            Self::InForce => once(job.hold.hold_end.released_at().filter(|_| job.hold.by_policy)),
            Self::Advice(said) => once(said.released_at(job.hold).filter(|at| *at < end)),
        }
    }

    /// The attributes that it asks for and that are not told of on a hold.
    pub fn unrecorded(&self, hold: &PastHold) -> Vec<&str> {
        match self {
            Self::Expression(expression) => expression.unrecorded(&ReplayedJob::new(hold)),
            _ => Vec::new(),
        }
    }
}
