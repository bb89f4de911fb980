//! What is wrong where in the jobs of a cluster, an owner or a DAG: causes of failure by place.
//!
//! - `cause`: why a run failed.
//! - `counts`: failed runs by cause and site as numbers for a model.
//! - `runs`: the runs of jobs: where, for how long, and how each ended.
//! - `fit`: what jobs of a kind should ask for.
//! - `dag`: a DAG file, how far its nodes are, and what keeps others waiting.
//! - `keep_off`: what keeps jobs off bad places.
//! - `manager`: the DAGMan job of a DAG.
//! - `matrix`: failed runs by cause and place, grouped where there are many.
//! - `recovery`: what to do about a workflow.
//! - `recovery_model`: the model that is asked for it.
//! - `said`: runs that ended alike, kept apart by what their programs wrote.
//! - `suspects`: places where more runs fail than chance explains, and those that fail them at once.
//! - `thrashing`: jobs that start and leave their slots again and again.

mod cause;
mod counts;
mod dag;
mod fit;
mod keep_off;
mod manager;
mod matrix;
mod recovery;
mod recovery_model;
mod runs;
mod said;
mod suspects;
mod thrashing;

pub use cause::FailureCause;
pub use counts::{Cell, Counts, MatrixLayout, Place, Vocabulary};
pub use dag::{Blocker, Dag, NodeState, Progress, Rescue};
pub use fit::{ATTRIBUTES as FIT_ATTRIBUTES, Asking, Fit, FitEdit, FitOf, Question, fits};
pub use keep_off::{KeepOff, Waiting, keep_off};
pub use manager::{Manager, ManagerState};
pub use matrix::{By, Matrix, OTHERS, PlaceRuns, Row, ShownBy};
pub use recovery::{Recovering, Recovery, Shown};
pub use recovery_model::{RecoveryModel, SHIPPED, WorkflowAdvice};
pub use runs::{End, JobRun, runs};
pub use suspects::{Suspect, suspects};
pub use thrashing::{ATTRIBUTES as THRASHING_ATTRIBUTES, Thrasher, Thrashing, thrashing};

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::history::History;
use crate::model::ModelError;
use eventlog::JobId;

/// What is wrong where in the jobs that are asked about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct View {
    /// Jobs that the logs have.
    pub jobs: usize,
    /// Their runs.
    pub runs: usize,
    /// Those that succeeded.
    pub succeeded: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that go on.
    pub running: usize,
    /// Failed runs by cause and place.
    pub matrix: Matrix,
    /// What the runs show of what to do.
    #[serde(skip)]
    pub shown: Shown,
    /// What to do, where that is likely enough and nothing else in the view speaks against it.
    pub recovery: Option<Recovering>,
    /// Failed jobs whose error output was not read, as that would take too long.
    pub outputs_left_out: usize,
    /// Places where runs fail and elsewhere they do not.
    pub suspects: Vec<Suspect>,
    /// Jobs whose last run ended in a hold at such a place for the cause that it is suspected for:
    /// HoldReasonCode, HoldReasonSubCode, and when the hold began, Unix seconds.
    #[serde(skip)]
    pub held_there: HashMap<JobId, (i32, i32, i64)>,
    /// Jobs succeed or run at a place that is not suspected.
    #[serde(skip)]
    pub has_good_place: bool,
    /// Jobs that may start at such places, and what keeps them off.
    pub keep_off: Vec<KeepOff>,
    /// Jobs that start and leave their slots again and again.
    pub thrashing: Vec<Thrashing>,
    /// Kinds of jobs that ask for too much or too little memory or disk.
    pub sizes: Vec<Fit>,
    /// How far the DAG is, where one is asked about.
    pub progress: Option<Progress>,
}

impl View {
    /// The view of the jobs that `names` is true for, by id and owner, as of `now`, Unix seconds.
    /// `says`: what the program of a failed last run wrote at its end.
    pub fn of(
        history: &History,
        now: i64,
        by: By,
        names: impl Fn(JobId, Option<&str>) -> bool,
        says: impl FnMut(&JobRun) -> Option<String>,
    ) -> Self {
        let mut view = Self::default();
        let mut all = Vec::new();
        for job in history.jobs() {
            let owner = history.owner_of(job.job).map(|owner| history.symbols.name(owner));
            if names(job.job, owner) {
                view.jobs += 1;
                all.extend(runs(history, job, now));
            }
        }
        said::tell_apart(&mut all, says);
        view.runs = all.len();
        let count = |end: fn(&JobRun) -> bool| all.iter().filter(|run| end(run)).count();
        view.succeeded = count(|run| run.end == End::Succeeded);
        view.failed = count(|run| matches!(run.end, End::Failed(_)));
        view.running = count(|run| run.end == End::Running);
        let by = matrix::resolved(&all, by);
        view.matrix = Matrix::of(&all, by);
        view.suspects = suspects(&all, by);
        view.shown = Shown::of(history, &all, &view.suspects, by, now);
        let is_suspect = |run: &JobRun| {
            let at = matrix::place(run, by);
            view.suspects.iter().find(|one| one.place == at)
        };
        view.has_good_place = all.iter().any(|run| {
            let is_known = !matrix::place(run, by).is_empty();
            let is_good = matches!(run.end, End::Succeeded | End::Running);
            is_good && is_known && is_suspect(run).is_none()
        });
        // The runs of a job are in their order.
        let last: BTreeMap<JobId, &JobRun> = all.iter().map(|run| (run.job, run)).collect();
        let held_there = |run: &JobRun| {
            let End::Failed(cause) = &run.end else { return None };
            let &FailureCause::Hold { code, subcode } = cause else { return None };
            let suspect = is_suspect(run)?;
            let since = run.began.saturating_add(run.seconds);
            suspect.is_for(cause).then(|| (run.job, (code, subcode.unwrap_or(0), since)))
        };
        view.held_there = last.into_values().filter_map(held_there).collect();
        view
    }

    /// Names what to do, once all else is known. The shipped model is asked where the jobs are of
    /// one workflow: a cluster or a DAG.
    ///
    /// # Errors
    /// When the shipped model cannot be read: a defect of the build.
    pub fn name_recovery(&mut self) -> Result<(), ModelError> {
        let is_one = self.shown.clusters == 1 || self.progress.is_some();
        if is_one && recovery::FAILED.contains(&self.failed) {
            let thrashes = self.thrashing.iter().any(|one| one.is_of_job);
            self.recovery = self.shown.recovering(&RecoveryModel::shipped()?, thrashes);
        }
        Ok(())
    }
}
