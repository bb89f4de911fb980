//! What is said of one held job. The table, `-long`, `-json` and `-af` all print this.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choices::Against;
use super::meaning::SharedCause;
use super::{Change, Choices, Command, Costs, Curve, Evidence, LookAt, Target, TryOne, Undecided};
use crate::catalogue::Reading;
use crate::diagnosis::Diagnosis;
use crate::history::{Action, EventLogView, Stretch};
use crate::metrics::Band;
use crate::policy::Prediction;
use crate::text::{Foreign, in_words};
use eventlog::JobId;

/// What to do with a held job.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Recommendation {
    /// Release it as it is, now.
    Release,
    /// Release one of the jobs that are held for the same cause, and see what becomes of it.
    Try,
    /// Edit or correct something that is named, then release it.
    Change,
    /// Leave it held until something happens.
    Wait,
    /// Look at something that tells more of the cause.
    Look,
    /// Remove it: no action helps.
    Remove,
    /// What is known does not decide it.
    Undecided,
}

impl Recommendation {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Release,
        Self::Try,
        Self::Change,
        Self::Wait,
        Self::Look,
        Self::Remove,
        Self::Undecided,
    ];

    /// Its place where what can be done at once stands first.
    pub const fn rank(self) -> u8 {
        match self {
            Self::Release => 0,
            Self::Try => 1,
            Self::Change => 2,
            Self::Remove => 3,
            Self::Look => 4,
            Self::Wait => 5,
            Self::Undecided => 6,
        }
    }

    /// The word printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Try => "try",
            Self::Change => "change",
            Self::Wait => "wait",
            Self::Look => "look",
            Self::Remove => "remove",
            Self::Undecided => "undecided",
        }
    }
}

/// The hold that was judged, and whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldJob {
    /// The job.
    pub job: JobId,
    /// Owner, where known.
    pub owner: Option<Foreign>,
    /// User, where the queue was asked.
    pub user: Option<Foreign>,
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
    /// HoldReason as HTCondor wrote it.
    pub reason: Option<Foreign>,
    /// What the hold is about, as far as like holds share it.
    pub cause: SharedCause,
    /// What the catalogue says of it.
    pub reading: Option<Reading>,
    /// EnteredCurrentStatus, or the time of the 012 event; Unix seconds.
    pub held_since: i64,
    /// NumHolds, or the holds counted in the log.
    pub num_holds: u32,
    /// The job is a node of this DAGMan job (DAGManJobId).
    pub dagman_job_id: Option<i32>,
    /// The site of its last run, else the machine, where known.
    pub place: Option<Foreign>,
    /// When it was on hold and when its program ran, as far as logs show that.
    pub stretches: Vec<Stretch>,
}

/// An event that would change the advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum WaitFor {
    /// Its input files have been spooled.
    Spooled,
    /// A policy releases it.
    Policy,
    /// Another job has fetched its input again.
    Fetched {
        /// The file server, where known.
        server: Option<Foreign>,
    },
    /// A job of its cluster, which was released from a hold for the same cause, shows what becomes of
    /// it.
    Try {
        /// The job.
        job: String,
    },
    /// Another job held for a file in this directory has got through after a release.
    Directory {
        /// The directory.
        directory: Foreign,
    },
    /// Another job with this hold reason has got through after a release.
    LikeHold,
    /// The time is over that its file transfer asks to wait for.
    RetryAfter,
    /// The file server answers again, or what the hold reason names is in order. Without the event
    /// log nothing but the logs read shows that.
    InOrder {
        /// The file server, where it is one.
        server: Option<Foreign>,
    },
}

/// When a release that is unlikely to succeed now becomes likely to, Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct LikelyFrom {
    /// How likely it is from then on.
    pub band: Band,
    /// From when on.
    pub from: i64,
    /// The range that holds that instant with a chance of 80 %: its beginning.
    pub earliest: i64,
    /// Its end.
    pub latest: i64,
}

/// What to wait for, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The event that would change the advice.
    pub what: WaitFor,
    /// When HTCondor will act by itself, Unix seconds.
    pub until: Option<i64>,
    /// When to look again, Unix seconds.
    pub look_again: i64,
    /// When a release becomes likely to succeed, whatever others show until then.
    pub likely: Option<LikelyFrom>,
}

/// What the model behind an advice was trained on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trust {
    /// `simulated and recorded pools`, or the name of the access point whose logs it was trained on.
    pub trained_on: String,
    /// Real outcomes of this access point that the model was calibrated or trained on. Below
    /// [`LEAST_OUTCOMES`](crate::model::LEAST_OUTCOMES) bands are printed.
    pub outcomes_here: u64,
}

/// What one group of the model's inputs does to the probability of success, tested by asking the
/// model without it.
#[derive(Clone, Debug, PartialEq)]
pub struct InputEffect {
    /// The group, in plain words.
    pub input: String,
    /// The probability with it less the one without it, -1 to 1.
    pub change: f64,
}

/// Something that an advice was made without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// What, and why.
    Source(Arc<str>),
    /// The job's own event log.
    JobLog {
        /// Its path.
        log: Arc<str>,
        /// Why it could not be read, or what of it was not.
        fault: Arc<str>,
    },
}

/// Characters of the path of a log.
const LOG: usize = 200;

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(line) => f.write_str(&in_words(line)),
            Self::JobLog { log, fault } => {
                let log = Foreign::from(&**log).named(LOG);
                write!(f, "job event log {log}: {}", in_words(fault))
            }
        }
    }
}

/// The advice for one held job.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The hold that was judged.
    pub held: HeldJob,
    /// What to do.
    pub recommendation: Recommendation,
    /// The action the recommendation stands for, where it has one.
    pub action: Option<Action>,
    /// Probability of success for each action that makes sense here, 0 to 1; the first is as-is.
    pub success: Vec<(Action, f64)>,
    /// Probability of success of a release as it is, now and later. Empty where no time helps, or of
    /// a model that does not know of later releases.
    pub later: Curve,
    /// What is at fault, and what ends it.
    pub diagnosis: Diagnosis,
    /// Why nothing else is recommended, where the recommendation is `undecided` or `look`.
    pub undecided: Option<Undecided>,
    /// How likely the recommended action (or, for `remove`, the best action) is to succeed.
    pub band: Band,
    /// This job's history, what became of like holds, what goes on around it; the most telling
    /// first.
    pub evidence: Vec<Evidence>,
    /// Which inputs moved the probability of the recommended action, or else of a release as it is,
    /// the strongest first. Empty unless asked for.
    pub inputs: Vec<InputEffect>,
    /// What being wrong costs, for this job.
    pub costs: Costs,
    /// What was weighed, and which rule decided.
    pub choices: Choices,
    /// The model knows the code of this hold, and the job can be released.
    pub is_judged: bool,
    /// What to correct besides, before anything is released: files that its hold is not about, and
    /// without which no release helps.
    pub correct_before: Vec<Change>,
    /// What to change before a release.
    pub change: Option<Change>,
    /// The hold that commands act on.
    pub target: Target,
    /// What to paste now, in this order, each only if the one before it succeeded.
    pub commands: Vec<Command>,
    /// What to paste later: after a change that is made by hand, or when what is waited for has
    /// happened.
    pub commands_after: Vec<Command>,
    /// What to wait for.
    pub wait: Option<Wait>,
    /// Which of the jobs held for this cause to release, where the recommendation is `try`.
    pub try_one: Option<TryOne>,
    /// What to look at, where the recommendation is `look`.
    pub look: Option<LookAt>,
    /// What HTCondor will do by itself, the most important first.
    pub htcondor_will: Vec<Prediction>,
    /// What the model was trained on.
    pub trust: Trust,
    /// What the event log shows of this hold.
    pub event_log: EventLogView,
    /// What could not be read.
    pub missing: Vec<Missing>,
    /// How sources were read, where not as they say, one line each.
    pub notes: Vec<String>,
}

impl Advice {
    /// Probability of success of an action, where it makes sense here, 0 to 1.
    pub fn success_of(&self, action: Action) -> Option<f64> {
        let of = self.success.iter().find(|(other, _)| *other == action);
        of.map(|(_, success)| *success)
    }

    /// This job is to be released as it is, now.
    pub fn releases(&self, job: JobId) -> bool {
        let is_tried = || self.try_one.is_some_and(|one| one.job == job);
        match self.recommendation {
            Recommendation::Release => self.held.job == job,
            Recommendation::Try => is_tried(),
            _ => false,
        }
    }

    /// What to look at may show nothing: a release as it is is worth it then.
    pub fn releases_after_look(&self) -> bool {
        let against = self.choices.of(Recommendation::Release).and_then(|release| release.against);
        self.recommendation == Recommendation::Look
            && match against {
                Some(Against::ChangeIsBetter) => self.undecided == Some(Undecided::NotNamed),
                against => against == Some(Against::LookFirst),
            }
    }

    /// What to change before a release, in this order.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.correct_before.iter().chain(&self.change)
    }
}
