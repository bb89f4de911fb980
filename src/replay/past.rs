//! Holds of the past, as logs tell of them.

use std::sync::Arc;

use classads::ClassAd;
use strum::IntoStaticStr;

use crate::history::{Action, Episode, Outcome};
use crate::sizes::Resource;
use eventlog::JobId;

/// What became of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
pub enum HoldEnd {
    /// It was released as it was, or nobody saw a change, and the job exited with 0.
    Success {
        /// Of the release, Unix seconds.
        released_at: i64,
    },
    /// It was released so, and was held again by HTCondor or a policy, or exited otherwise.
    Failure {
        /// Of the release, Unix seconds.
        released_at: i64,
        /// When it was held again, or exited.
        failed_at: i64,
    },
    /// Something of the job was changed before the release, or must have been: what a release as it
    /// was would have led to is not known.
    Changed {
        /// Of the release, Unix seconds.
        released_at: i64,
    },
    /// It was released, and what came of it is not known: held by a person, removed, or not ended
    /// in time.
    Open {
        /// Of the release, Unix seconds.
        released_at: i64,
    },
    /// The job was removed while it was held.
    Removed {
        /// When, Unix seconds.
        at: i64,
    },
    /// The hold was replaced by another, or the log ends with it.
    Held {
        /// When another hold took its place.
        until: Option<i64>,
    },
}

impl HoldEnd {
    /// When the job left this hold, as far as the log tells.
    pub const fn left_at(&self) -> Option<i64> {
        match *self {
            Self::Success { released_at }
            | Self::Failure { released_at, .. }
            | Self::Changed { released_at }
            | Self::Open { released_at } => Some(released_at),
            Self::Removed { at } => Some(at),
            Self::Held { until } => until,
        }
    }

    /// When it was released, if it was.
    pub const fn released_at(&self) -> Option<i64> {
        match *self {
            Self::Removed { .. } | Self::Held { .. } => None,
            _ => self.left_at(),
        }
    }
}

/// One hold of one job: what an expression is evaluated on, and what became of it.
#[derive(Clone, Debug)]
pub struct PastHold {
    /// The job.
    pub job: JobId,
    /// EnteredCurrentStatus: the time of event 012, Unix seconds.
    pub held_at: i64,
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
    /// NumHolds, this one included. `None` where the log begins later than the job and no ad tells.
    pub num_holds: Option<i64>,
    /// NumJobStarts; `None` likewise.
    pub starts: Option<i64>,
    /// QDate, Unix seconds.
    pub submitted_at: Option<i64>,
    /// LastHoldReasonCode and LastHoldReasonSubCode. `None` for a first hold, or where the log
    /// begins later.
    pub before: Option<(i32, i32)>,
    /// Owner, where it is known.
    pub owner: Option<Arc<str>>,
    /// The resource of which the job used more than it asked for, by code and reason.
    pub resource: Option<Resource>,
    /// HoldReason, where it was kept.
    pub reason: Option<Arc<str>>,
    /// The ad of the last run before the hold, where there is one.
    pub ad: Option<Arc<ClassAd>>,
    /// The release that there was came from a policy.
    pub by_policy: bool,
    /// Seconds that the program ran after that release, until what came of it.
    pub ran: i64,
    /// What became of it.
    pub hold_end: HoldEnd,
}

impl PastHold {
    /// Of an episode; the ad is not looked for. The reason takes memory: it is kept where it is
    /// asked for.
    pub fn of(episode: &Episode, keep_reason: bool) -> Self {
        let identity = episode.identity;
        let text = episode.reason.as_deref().unwrap_or_default();
        let resource = Resource::of_hold(identity.code, Some(identity.subcode), text);
        let from_submission = episode.until.submitted_at.is_some();
        // More than the log has: an ad counted them.
        let counted = from_submission || identity.num_holds > episode.until.holds + 1;
        Self {
            job: identity.job,
            held_at: episode.held_at,
            code: identity.code,
            subcode: identity.subcode,
            num_holds: counted.then_some(identity.num_holds),
            starts: from_submission.then_some(episode.until.starts),
            submitted_at: episode.until.submitted_at,
            before: episode.until.before,
            owner: episode.owner.as_deref().map(Arc::from),
            resource,
            reason: episode.reason.as_deref().filter(|_| keep_reason).map(Arc::from),
            ad: None,
            by_policy: episode.released_at.is_some() && !episode.released_by_person,
            ran: episode.ran,
            hold_end: hold_end(episode, resource),
        }
    }

    /// Whether the whole life of the job until the hold is known.
    pub const fn from_submission(&self) -> bool {
        self.submitted_at.is_some()
    }
}

fn hold_end(episode: &Episode, resource: Option<Resource>) -> HoldEnd {
    let Some(released_at) = episode.released_at else {
        return match episode.left_at {
            Some(at) if episode.removed => HoldEnd::Removed { at },
            until => HoldEnd::Held { until },
        };
    };
    let changed = match episode.action {
        Action::AsIs => false,
        // As it was it meets the same limit again: who released it and was right has raised that.
        Action::Unknown => {
            let success = episode.outcome == Some(Outcome::Success);
            success && resource.is_some() && episode.released_by_person
        }
        _ => true,
    };
    if changed {
        return HoldEnd::Changed { released_at };
    }
    match (episode.outcome, episode.outcome_at) {
        (Some(Outcome::Success), _) => HoldEnd::Success { released_at },
        (Some(Outcome::Failure), Some(failed_at)) => HoldEnd::Failure { released_at, failed_at },
        _ => HoldEnd::Open { released_at },
    }
}

#[cfg(test)]
#[path = "past_tests.rs"]
pub(super) mod tests;
