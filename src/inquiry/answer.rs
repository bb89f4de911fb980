//! From what is named to judged jobs.

use std::io;

use classads::ClassAd;
use eventlog::{EventLogError, ReadOptions};

use super::constraint::Constraint;
use super::gather::{Gathered, Remarks, gather};
use super::histories::left_out;
use super::judge::{Seen, Take, judge};
use super::{Config, Inquiry, SettingError, model_file};
use crate::model::{ModelError, ModelMetadata};
use crate::queue::QueueError;
use crate::text::{can_be_pasted, shell_command};
use crate::workflow::{Manager, Progress, Thrashing, View};

/// Why nothing can be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InquiryError {
    /// No jobs can be had.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No log named can be read.
    #[error(transparent)]
    Log(#[from] EventLogError),
    /// A constraint needs ads.
    #[error("-constraint needs job ads, which -userlog alone does not give; add -jobads")]
    ConstraintWithoutAds,
    /// Nothing is left, as a constraint takes too much.
    #[error("{0}")]
    ConstraintGivenUp(String),
    /// Whoever takes the advice cannot write it.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// What there is to say beside the advice on each job.
#[derive(Debug, Default)]
pub struct Answer {
    /// What could not be judged, read or found.
    pub remarks: Remarks,
    /// Jobs that the logs have.
    pub jobs: usize,
    /// Of these, on hold by events of the future alone, where logs alone tell of holds.
    pub ahead: usize,
    /// What is wrong where, if that is asked about.
    pub view: Option<View>,
    /// Jobs that start and leave their slots again and again, where there is no view that has them.
    pub thrashing: Vec<Thrashing>,
    /// Holds are known from logs alone.
    pub logs_alone: bool,
    /// Ads that were named, where none of them is judged.
    pub ads: Option<usize>,
    /// What the model that judged says of itself, where there was anything to judge.
    pub model: Option<ModelMetadata>,
}

impl Inquiry {
    /// Judges the jobs as of `now` (Unix seconds), which is [`Self::time`]. The advice on each held
    /// job is given to `take` in the order of their ids, with the ad of the job where there is one:
    /// two batches of advices are in memory at a time, of some hundred jobs or of one cluster.
    ///
    /// # Errors
    /// [`InquiryError`] when no jobs can be had at all, for a setting, a model or a constraint that
    /// cannot be used, and for whatever `take` gives.
    pub fn ask(&self, config: &Config, now: i64, take: Take<'_>) -> Result<Answer, InquiryError> {
        super::read_catalogue(config);
        let (gathered, mut remarks) = self.gathered(config, now)?;
        let (logs_alone, ads) = (gathered.logs_alone, gathered.ads);
        let (mut seen, mut metadata) = (Seen::default(), None);
        let any = !gathered.held.is_empty() || !gathered.others.is_empty();
        if any || logs_alone || self.places.is_some() {
            let model = model_file::open::<InquiryError>(self.model.as_deref(), config)?;
            seen = judge(gathered, &mut remarks, self, config, &model, now, take)?;
            metadata = Some(model.metadata);
        }
        remarks.faults.extend(config.faults());
        if let Some(view) = &mut seen.view {
            view.progress = self.progress(config, now, &mut remarks)?;
            view.name_recovery()?;
        }
        let Seen { jobs, ahead, view, thrashing } = seen;
        Ok(Answer { remarks, jobs, ahead, view, thrashing, logs_alone, ads, model: metadata })
    }

    /// What there is to judge, as of `now`, and what is to be said of it.
    fn gathered(&self, config: &Config, now: i64) -> Result<(Gathered, Remarks), InquiryError> {
        let constraint = self.selection.constraint.as_deref();
        if constraint.is_some() && self.is_offline() && self.job_ads.is_none() {
            return Err(InquiryError::ConstraintWithoutAds);
        }
        // A constraint that is no expression is refused before anything is read.
        let constraint = constraint.map(|text| Constraint::new(text, now)).transpose()?;
        let filter =
            |ad: &ClassAd| constraint.as_ref().is_none_or(|constraint| constraint.is_true_for(ad));
        let (gathered, mut remarks) = gather(self, config, &filter, now)?;
        if let Some(constraint) = constraint.as_ref().filter(|_| !self.dag_node) {
            let judged = gathered.held.iter().chain(&gathered.others);
            match constraint.undecided() {
                Some(line) if judged.clone().next().is_none() => {
                    return Err(InquiryError::ConstraintGivenUp(line));
                }
                line => remarks.faults.extend(line),
            }
            remarks.faults.extend(constraint.unknown(judged.map(|job| job.ad.to_classad())));
        }
        Ok((gathered, remarks))
    }

    /// How far the DAG is that is asked about.
    fn progress(
        &self,
        config: &Config,
        now: i64,
        remarks: &mut Remarks,
    ) -> Result<Option<Progress>, InquiryError> {
        let (Some(dag), Some(log)) = (&self.dag, &self.nodes_log) else {
            return Ok(None);
        };
        remarks.faults.extend(dag.faults.iter().cloned());
        let bytes = config.event_log_bytes()?;
        let mut progress = dag.progress(log, &ReadOptions::default().newest(bytes), now)?;
        if !self.user_logs.contains(log) {
            remarks.faults.extend(left_out(log, "", progress.skipped, bytes));
        }
        // Of the past the files that are there now say nothing.
        if self.now.is_none() {
            remarks.faults.append(&mut progress.faults);
        }
        let has_ended = dag.manager.as_ref().is_some_and(Manager::has_ended);
        // A name that cannot be written is no name to paste.
        let name = dag.path.to_str().filter(|name| can_be_pasted(name));
        let resumes = has_ended && progress.has_failed();
        progress.resume = name.filter(|_| resumes).map(|name| {
            let dash = if name.starts_with('-') { "./" } else { "" };
            shell_command(["condor_submit_dag", &format!("{dash}{name}")])
        });
        Ok(Some(progress))
    }
}
