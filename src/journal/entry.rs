//! What an entry of the journal says.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::advice::{Recommendation, TrySuccess};
use crate::diagnosis::Diagnosis;
use crate::history::Action;
use crate::profile::Binding;
use eventlog::JobId;

/// The version of the format that this program writes.
pub const VERSION: u32 = 1;

/// One line of the journal: a JSON object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Entry {
    /// Version of the format. A line without one is of version 1.
    #[serde(default = "first_version")]
    pub version: u32,
    /// When it was written, Unix seconds.
    pub time: i64,
    /// What it says.
    #[serde(flatten)]
    pub what: EntryKind,
}

const fn first_version() -> u32 {
    1
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "Kind")]
pub enum EntryKind {
    /// Held jobs that could have been acted on alike.
    Eligible(Eligible),
    /// What was advised for a hold that something was decided about.
    Advice(Advised),
    /// What was done about it.
    Act(Act),
    /// What came of that.
    Outcome(ActOutcome),
    /// What models said of a release of a held job, before anybody released it.
    Asked(Asked),
    /// What they had said last when it was released, and what came of that.
    Learned(Learned),
    /// What was said of a script, and what the jobs that ran it used.
    Profiled(Profiled),
}

/// What models said of a release of a held job as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Asked {
    /// The hold.
    #[serde(flatten)]
    pub hold: HoldOf,
    /// Owner; older programs did not write it, and leave it out when they read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The model in use.
    pub in_use: ModelAnswer,
    /// A model on trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenger: Option<ModelAnswer>,
}

/// What a model says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ModelAnswer {
    /// Which model: [`crate::model::ModelMetadata::identity`] of its file.
    pub model: String,
    /// Before any calibration.
    pub logit: f32,
    /// Probability of success, 0 to 1, with the calibration of that time.
    pub probability: f64,
}

/// A release as it is whose outcome is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Learned {
    /// What was said.
    #[serde(flatten)]
    pub asked: Asked,
    /// When it was released, Unix seconds.
    pub released: i64,
    /// When it ended, Unix seconds.
    pub at: i64,
    /// It exited with 0.
    pub success: bool,
}

/// What was said of a script, and what the jobs of a cluster that ran it used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Profiled {
    /// ClusterId.
    pub cluster: i32,
    /// Its path.
    pub script: String,
    /// Digest of its text (FNV-1a), 16 hexadecimal digits.
    pub digest: String,
    /// What was said to be likely to bind it.
    pub said: Binding,
    /// How likely, 0 to 1.
    pub probability: f64,
    /// What binds most of the jobs that were measured.
    pub measured: Binding,
    /// How many were.
    pub jobs: usize,
}

/// Held jobs that could have been acted on alike, when some of them were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Eligible {
    /// Its name: advices name it.
    pub set: String,
    /// What the jobs share: a file server, or cluster and outline of the hold reason.
    pub cause: String,
    /// The jobs: `12.0`, or `12.3-9` for procs 3 to 9 of a cluster.
    pub jobs: Vec<JobRange>,
}

/// What was advised for one hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Advised {
    /// Its name: what was done and what came of it name it.
    pub id: String,
    /// The hold.
    #[serde(flatten)]
    pub hold: HoldOf,
    /// Owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// HoldReasonCode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_reason_code: Option<i32>,
    /// HoldReasonSubCode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_reason_sub_code: Option<i32>,
    /// What jobs that are acted on alike share.
    pub cause: String,
    /// What is at fault, and what ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<Diagnosis>,
    /// The recommendation.
    pub advice: Recommendation,
    /// The action that it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Probability of success of that action, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Expected hours of each choice that could be made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Weighed>,
    /// The model: the beginning of its schema's hash and its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// What the advice was made without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The set that the hold was chosen from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The chance that this hold was chosen for what was done, 0 to 1.
    pub chance: f64,
    /// What shows that a release of it got through.
    pub counts: TrySuccess,
    /// Who decided.
    pub by: DecidedBy,
    /// CondorVersion of the access point, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condor_version: Option<String>,
}

/// A choice and its expected hours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Weighed {
    /// The choice.
    pub choice: Recommendation,
    /// Expected cost, hours.
    pub hours: f64,
}

/// An owner as a number.
pub fn owner_of(name: Option<&str>) -> u64 {
    eventlog::fnv1a(name.unwrap_or_default().as_bytes())
}

/// Which hold of which job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct HoldOf {
    /// The job.
    #[serde(with = "as_text")]
    pub job: JobId,
    /// NumHolds, this hold included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_holds: Option<i64>,
    /// EnteredCurrentStatus, Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_current_status: Option<i64>,
}

/// Who decided about a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DecidedBy {
    /// A person, through `-apply`.
    Person,
    /// The advisor of the access point.
    Advisor,
    /// A HOLD script of a DAG.
    DagScript,
}

/// What was done about a hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Act {
    /// The advice that it follows; none where somebody else acted and noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The hold.
    #[serde(flatten)]
    pub hold: HoldOf,
    /// What.
    pub did: Did,
    /// How far it got. A line without is of something done.
    #[serde(default)]
    pub step: ActStep,
    /// What was done before a release, as features name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Edits of the job's ad, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edited>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What can be done about a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Did {
    /// It was released.
    Release,
    /// It was edited and released.
    Change,
    /// It was removed.
    Remove,
    /// It was left to people, so that outcomes can be compared.
    Leave,
}

/// How far an act got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ActStep {
    /// It is about to be done: without an entry after it nobody knows whether it was.
    Intended,
    /// The schedd did it.
    #[default]
    Done,
    /// The job was not in that hold any more.
    Refused,
    /// The schedd, or the tool that asks it, failed.
    Failed,
    /// An edit was taken back.
    TakenBack,
}

/// An edit, with what it takes to take it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Edited {
    /// The attribute.
    pub attribute: String,
    /// The expression before, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// Whose expression that was, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stood_in: Option<StoodIn>,
    /// The expression now, in the job's own ad.
    pub new: String,
}

/// Where an expression stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoodIn {
    /// In the job's own ad: its cluster's has another one, or none.
    Job,
    /// In the ad of the cluster.
    Cluster,
}

/// What came of an act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ActOutcome {
    /// The advice.
    pub id: String,
    /// The hold that was acted on.
    #[serde(flatten)]
    pub hold: HoldOf,
    /// What came of it.
    pub result: Result,
    /// When, Unix seconds.
    pub at: i64,
    /// What the hold is about that it ended in, as [`Advised::cause`] names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_for: Option<String>,
    /// Seconds from the start of its shadow until its program began, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<i64>,
}

/// What came of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Result {
    /// It got through what it was held for: its input arrived, or it exited with 0.
    Through,
    /// It exited with 0.
    Success,
    /// It was held again by HTCondor or a policy, or exited otherwise.
    Failure,
    /// Neither will be known: it was removed, or held by a person.
    Censored,
}

/// Procs of one cluster that follow each other: `12.3`, `12.3-9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JobRange {
    /// The first.
    pub first: JobId,
    /// ProcId of the last.
    pub last: i32,
}

impl JobRange {
    /// These jobs in as few ranges as there can be.
    pub fn of(jobs: impl IntoIterator<Item = JobId>) -> Vec<Self> {
        let mut jobs: Vec<JobId> = jobs.into_iter().collect();
        jobs.sort_unstable();
        jobs.dedup();
        let follows = |one: &JobId, next: &JobId| {
            one.cluster == next.cluster && one.proc.checked_add(1) == Some(next.proc)
        };
        let runs = jobs.chunk_by(follows);
        runs.map(|run| Self { first: run[0], last: run[run.len() - 1].proc }).collect()
    }
}

impl fmt::Display for JobRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last == self.first.proc {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

impl Serialize for JobRange {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for JobRange {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        use serde::de::Error;
        let text = String::deserialize(deserializer)?;
        let (first, last) = text.split_once('-').map_or((&*text, None), |(a, b)| (a, Some(b)));
        let first: JobId = first.parse().map_err(D::Error::custom)?;
        let last = last.map_or(Ok(first.proc), str::parse).map_err(D::Error::custom)?;
        match last >= first.proc {
            true => Ok(Self { first, last }),
            false => Err(D::Error::custom(format!("{text}: the last proc is before the first"))),
        }
    }
}

/// `cluster.proc`.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use eventlog::JobId;

    pub(super) fn serialize<S: Serializer>(job: &JobId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(job)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<JobId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
