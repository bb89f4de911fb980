//! What a forecast means for the job, one thing at a time.

use classads::ClassAd;
use schemars::JsonSchema;
use serde::Serialize;

use super::Kind;
use super::forecast::{Forecast, Gate, Policy, Truth};
use super::prospect::HORIZON;
use crate::text::{Foreign, printable, shorten};

/// One thing that HTCondor will do with a held job by itself, or that it will not do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum Prediction {
    /// A policy releases or removes the job.
    Acts {
        /// Release or removal.
        action: Kind,
        /// The policy: `PeriodicRelease`, `TimerRemove`, a knob.
        policy: String,
        /// From when it fires, Unix seconds; `None` where it is true now.
        at: Option<i64>,
        /// Seconds between two looks of the schedd, at least.
        interval: i64,
    },
    /// Nothing releases or removes the job within so many days.
    Nothing {
        /// Days.
        days: i64,
    },
    /// When this policy becomes true cannot be worked out.
    NotKnown {
        /// The policy.
        policy: String,
    },
    /// The policies were not evaluated.
    NotEvaluated {
        /// Why, a clause.
        reason: String,
    },
    /// Something keeps policies from being evaluated, or from releasing the job.
    Blocked {
        /// What does.
        gate: Gate,
    },
    /// A release policy will not fire.
    StaysFalse {
        /// The policy.
        policy: String,
        /// What it is now.
        value: Truth,
        /// The first clause that keeps it from firing.
        clause: Foreign,
        /// What that clause is.
        clause_value: Truth,
        /// Further clauses that do.
        more: usize,
    },
    /// A hold policy would hold the job again, were it released now.
    HoldsAgain {
        /// The policy.
        policy: String,
    },
    /// The advisor of the access point does not release the job now.
    Stays {
        /// Why (`HoldAdviceReleaseReason`).
        reason: Foreign,
    },
    /// A policy is no expression.
    NoExpression {
        /// The policy.
        policy: String,
        /// Its text.
        text: Foreign,
    },
    /// The job is a node of a DAG: removed, it counts as failed.
    NodeFails {
        /// DAGManJobId.
        dagman_job_id: i64,
        /// DAGNodeName.
        node: Option<Foreign>,
    },
    /// When so many jobs of the node are held, DAGMan removes them all.
    NodeHolds {
        /// Jobs of its cluster that are held now.
        held: u64,
        /// DAGMAN_MAX_JOB_HOLDS.
        limit: u64,
    },
}

impl Prediction {
    /// What the advisor of the access point says of this hold in the ad, while that counts.
    pub(crate) fn of_advisor(ad: &ClassAd, now: i64) -> Option<Self> {
        let reason = ad.string("HoldAdviceReleaseReason")?;
        let is_of_hold =
            |own: &str, of: &str| ad.integer(own).is_some_and(|at| ad.integer(of) == Some(at));
        let counts = is_of_hold("HoldAdviceNumHolds", "NumHolds")
            && is_of_hold("HoldAdviceEntered", "EnteredCurrentStatus")
            && ad.integer("HoldAdviceExpires").is_some_and(|at| now < at);
        counts.then(|| Self::Stays { reason: shorten(&reason, KEPT).into_owned().into() })
    }

    /// Whether it is the same but for the seconds of a minute.
    pub fn is_like(&self, other: &Self) -> bool {
        let of_minute = |prediction: &Self| {
            let mut prediction = prediction.clone();
            if let Self::Acts { at: Some(at), .. } = &mut prediction {
                *at = at.div_euclid(60);
            }
            prediction
        };
        of_minute(self) == of_minute(other)
    }
}

/// Characters of an expression that are kept.
const KEPT: usize = 1_000;

impl Forecast {
    /// What HTCondor will do by itself, the most important first.
    pub fn predictions(&self) -> Vec<Prediction> {
        let mut out: Vec<_> = self.first_prediction().into_iter().collect();
        out.extend(self.gate.prediction());
        // Once it is released, or removed, the rest is void.
        let released = self.deed.as_ref().is_some_and(|deed| deed.kind == Kind::Release);
        for policy in &self.policies {
            out.extend(match policy.kind {
                Kind::Release if self.gate.lets_release() && !released => stays_false(policy),
                Kind::Hold if policy.holds_again() => {
                    Some(Prediction::HoldsAgain { policy: policy.name.clone() })
                }
                _ => None,
            });
            if policy.now == Truth::Unparsable {
                let text = shorten(&policy.text, KEPT).into_owned().into();
                let policy = policy.name.clone();
                out.push(Prediction::NoExpression { policy, text });
            }
        }
        out
    }

    /// The first thing that HTCondor will do by itself, or that it will do nothing; `None` where it
    /// evaluates no policy.
    pub fn first_prediction(&self) -> Option<Prediction> {
        let Some(deed) = &self.deed else {
            let not_known = self.policies.iter().find(|policy| policy.not_known);
            return self.gate.lets_remove().then(|| match not_known {
                Some(policy) => Prediction::NotKnown { policy: policy.name.clone() },
                None => Prediction::Nothing { days: HORIZON / (24 * 3600) },
            });
        };
        Some(Prediction::Acts {
            action: deed.kind,
            policy: deed.by.clone(),
            at: Some(deed.at).filter(|&at| at > self.now),
            interval: self.interval.0,
        })
    }
}

impl Gate {
    /// What keeps policies from being evaluated, or from releasing the job; `None` where nothing
    /// does.
    pub fn prediction(self) -> Option<Prediction> {
        let blocks = !matches!(self, Self::Open | Self::NotHeld);
        blocks.then_some(Prediction::Blocked { gate: self })
    }
}

/// Whether it is the constant `false`: the default, which says nothing.
pub(super) fn is_never(policy: &Policy) -> bool {
    matches!(policy.text.trim().to_ascii_lowercase().as_str(), "false" | "0")
}

fn stays_false(policy: &Policy) -> Option<Prediction> {
    let first = policy.blocking.first().filter(|_| !is_never(policy))?;
    Some(Prediction::StaysFalse {
        policy: policy.name.clone(),
        value: policy.now,
        clause: shorten(&first.clause, KEPT).into_owned().into(),
        clause_value: first.value,
        more: policy.blocking.len() - 1,
    })
}

/// The submit command for the job's own policies, the knob for the system's.
pub(crate) fn display_name(name: &str) -> String {
    let own = Kind::ALL.iter().find(|kind| kind.attribute() == name);
    own.map_or_else(|| printable(name).into_owned(), |kind| kind.submit_command().to_owned())
}
