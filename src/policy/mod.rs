//! The policies of a job and of its access point: what HTCondor will do with a held job by itself.
//!
//! [`forecast`] evaluates the periodic expressions as the schedd does, now and for when they would
//! become true; [`own_limit_within`] finds the limit of the job's own that held it; [`DagNode`]
//! says what DAGMan makes of a removal. [`explain`] takes policies apart, clause by clause.
//! [`lint`] says what is wrong with a policy, [`SettingsFile`] finds policies in files.
//!
//! - `clauses`: takes an expression apart.
//! - `conclusion`: what to do, from an explanation.
//! - `dagman`: what DAGMan makes of a removal.
//! - `explain`: why policies have the value they have.
//! - `forecast`: what the schedd will do, now and later.
//! - `knobs`: the knobs and version of the access point.
//! - [`lint`]: what is wrong with a policy.
//! - `number`: numbers as HTCondor's C++ takes them.
//! - `own_limit`: the job's own limit that held it.
//! - `prediction`: what a forecast means for the job.
//! - `prospect`: searches the future of an expression, within limits.
//! - `raise`: how a limit in an expression is raised.
//! - `settings_file`: policies in submit descriptions and configuration files.
//! - `time`: the time that policies of all jobs may take, in steps.
//! - `version`: versions of HTCondor.
//! - `when`: when a condition becomes true.

mod clauses;
mod conclusion;
mod dagman;
mod explain;
mod forecast;
mod knobs;
pub mod lint;
mod number;
mod own_limit;
mod prediction;
mod prospect;
mod raise;
mod settings_file;
mod time;
mod version;
mod when;

use schemars::JsonSchema;
use serde::Serialize;

pub use clauses::clauses;
pub(crate) use clauses::{asks_time, followed, is_by_chance, operands, without_parentheses};
pub use dagman::DagNode;
pub(crate) use explain::explain_in;
pub use explain::{ExplainedPolicy, Explanation, Form, MissingAttribute, Named, Part, explain};
pub use forecast::{BlockingClause, Forecast, Gate, Policy, PolicyAction, Truth, forecast};
#[cfg(test)]
pub(crate) use knobs::KEPT_BY;
pub use knobs::Knobs;
pub(crate) use lint::names::{
    is_known as is_known_attribute, is_owners, nearest, nearest_attribute,
};
pub use own_limit::{HeldAgain, Measure, OwnLimit, own_limit_within, refuses_another_run};
pub use prediction::Prediction;
pub(crate) use prediction::display_name;
pub use prospect::Prospect;
pub use raise::{Raise, Request};
pub use settings_file::{Assignment, Mapped, SettingsFile};
pub use time::PolicyTime;
pub use version::{NoVersion, Version};
pub(crate) use when::{Sign, every, first as first_time};

use crate::hold_code::{SPOOLING_INPUT, USER_REQUEST};

/// Hold reason codes that no policy releases: a person's hold, and input that is being spooled
/// (`src/condor_utils/user_job_policy.cpp`, `ResponsibleForPeriodicExprs` in
/// `src/condor_schedd.V6/schedd.cpp`).
pub const NEVER_RELEASED: [i64; 2] = [USER_REQUEST as i64, SPOOLING_INPUT as i64];

/// Steps of all evaluations of one policy of one job, its parts looked at by themselves: some
/// thousand evaluations of a policy that people write, and a few hundredths of a second.
pub(crate) const WORK: u64 = 1_000_000;

/// The same where there is no time left.
pub(crate) const LATE_WORK: u64 = 20_000;

/// Bytes of strings of one of many evaluations, for `EvalContext::max_bytes`: policies that people
/// write make a few thousand.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// What a periodic policy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum Kind {
    /// Puts a job on hold.
    Hold,
    /// Releases a held job.
    Release,
    /// Removes the job from the queue.
    Remove,
}

impl Kind {
    /// In the order the schedd evaluates them.
    pub const ALL: [Self; 3] = [Self::Hold, Self::Release, Self::Remove];

    /// Attribute of the job ad, command of the submit description, knob of the access point.
    const fn names(self) -> [&'static str; 3] {
        match self {
            Self::Hold => ["PeriodicHold", "periodic_hold", "SYSTEM_PERIODIC_HOLD"],
            Self::Release => ["PeriodicRelease", "periodic_release", "SYSTEM_PERIODIC_RELEASE"],
            Self::Remove => ["PeriodicRemove", "periodic_remove", "SYSTEM_PERIODIC_REMOVE"],
        }
    }

    /// The attribute of the job ad.
    pub const fn attribute(self) -> &'static str {
        self.names()[0]
    }

    /// The command of the submit description.
    pub const fn submit_command(self) -> &'static str {
        self.names()[1]
    }

    /// The knob of the access point.
    pub const fn system_knob(self) -> &'static str {
        self.names()[2]
    }
}
