//! A held job to judge: what its ad in the queue says, or only that a log tells of it.

use std::collections::HashMap;

use classads::ClassAd;

use super::editable::Editable;
use super::exit_status::ExitStatus;
use super::files::{ask_urls, checks, corrected, is_of_program, program_words, silent_output};
use super::job_facts::JobFacts;
use super::{Advice, Advisor, ByItself};
use crate::checks::{Check, LocalFiles};
use crate::history::{HistoryBuilder, HoldInQueue};
use crate::model::{Model, ModelError};
use crate::policy::{
    DagNode, Forecast, Kind, Knobs, LATE_WORK, PolicyTime, Prediction, WORK, own_limit_within,
};
use eventlog::JobId;

/// A held job to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The job.
    pub job: JobId,
    /// Its hold, as its ad in the queue tells it; `None` where only logs tell.
    pub in_queue: Option<HoldInQueue>,
    /// What changes to it depend on.
    pub facts: JobFacts,
    /// Owner of its ad.
    pub owner: Option<String>,
    /// User: whose job it is, to the schedd.
    pub user: Option<String>,
    /// DAGManJobId.
    pub dagman_job_id: Option<i32>,
    /// What HTCondor will do by itself, the most important first.
    pub htcondor_will: Vec<Prediction>,
    /// When HTCondor will release it by itself, Unix seconds.
    pub released_by_policy_at: Option<i64>,
    /// Whether HTCondor will release or remove it by itself.
    pub by_itself: ByItself,
    /// What is true now of the files that it needs; the one that the hold is about comes first.
    pub checks: Vec<Check>,
    /// How its program ended, of a hold that is about what it did, where that names a kind of cause.
    pub exit_status: Option<ExitStatus>,
    /// What its hold reason names, where that has been corrected since.
    pub corrected: Option<String>,
}

/// The policies of the access point, and the time for all jobs' policies.
#[derive(Debug)]
pub struct Policies {
    /// Its configuration; empty where it is not known.
    pub knobs: Knobs,
    /// How long policies may be evaluated.
    pub time: PolicyTime,
    /// Jobs held now, by ClusterId.
    pub held_in_cluster: HashMap<i32, u64>,
    /// The files of the access point, where this is it and they are to be looked at.
    pub files: Option<LocalFiles>,
}

impl Policies {
    /// Of an access point of which nothing is known but what the ads say; ten seconds for all
    /// policies.
    pub fn unknown() -> Self {
        let time = PolicyTime::new(PolicyTime::DEFAULT);
        Self { knobs: Knobs::default(), time, held_in_cluster: HashMap::new(), files: None }
    }
}

impl Held {
    /// A job of which only a log tells.
    pub fn of_log(job: JobId) -> Self {
        Self {
            job,
            in_queue: None,
            facts: JobFacts::of(job),
            owner: None,
            user: None,
            dagman_job_id: None,
            htcondor_will: Vec::new(),
            released_by_policy_at: None,
            by_itself: ByItself::Unknown,
            checks: Vec::new(),
            exit_status: None,
            corrected: None,
        }
    }

    /// A job by its ad in the queue, as of `now` (Unix seconds). Its policies are evaluated, unless
    /// they name attributes that could not be asked for (`lacks_references`) or there is no time
    /// left for policies.
    pub fn of_ad(
        job: JobId,
        ad: &ClassAd,
        lacks_references: bool,
        policies: &Policies,
        now: i64,
    ) -> Self {
        let files = policies.files.as_ref();
        Self::with_files(job, ad, lacks_references, policies, files, now)
    }

    /// The same with these files in the place of those of the policies.
    pub fn with_files(
        job: JobId,
        ad: &ClassAd,
        lacks_references: bool,
        policies: &Policies,
        files: Option<&LocalFiles>,
        now: i64,
    ) -> Self {
        let Policies { knobs, time, held_in_cluster, files: _ } = policies;
        let mut in_queue = HoldInQueue::of(ad);
        if let Some(hold) = in_queue.as_mut().filter(|_| !ad.contains("EnteredCurrentStatus")) {
            hold.entered_current_status = now;
        }
        let forecast = match lacks_references {
            true => {
                Err("not evaluated, attributes that they name could not be asked for".to_owned())
            }
            false => time.forecast(ad, knobs, now),
        };
        let mut htcondor_will = match &forecast {
            Ok(forecast) => forecast.predictions(),
            Err(reason) => vec![Prediction::NotEvaluated { reason: reason.clone() }],
        };
        htcondor_will.extend(Prediction::of_advisor(ad, now));
        if let Some(node) = DagNode::of(ad) {
            let held = held_in_cluster.get(&job.cluster).copied().unwrap_or(0);
            htcondor_will.extend(node.predictions(knobs, held));
        }
        // Without the configuration of its access point the policies there are not known.
        let by_itself = match &forecast {
            Ok(Forecast { deed: Some(_), .. }) => ByItself::Acts,
            Ok(Forecast { policies, .. })
                if !knobs.is_empty() && !policies.iter().any(|policy| policy.not_known) =>
            {
                ByItself::Nothing
            }
            _ => ByItself::Unknown,
        };
        // The limit that held the job tells whether it is held again: a few steps for it are always
        // left.
        let work = if forecast.is_ok() { WORK } else { LATE_WORK };
        let own_limit = own_limit_within(ad, knobs, now, work);
        let exit_status = in_queue
            .as_ref()
            .filter(|hold| is_of_program(hold))
            .and_then(|_| ExitStatus::of_ad(ad));
        let (checks, program_words, silent_output) = match (files, &in_queue) {
            (Some(files), Some(hold)) => {
                let words = program_words(files, ad, hold);
                (checks(files, ad, hold), words, silent_output(files, ad, hold))
            }
            _ => (Vec::new(), None, None),
        };
        let corrected = in_queue.as_ref().and_then(|hold| corrected(ad, hold, &checks));
        let blocked = checks.iter().find(|check| check.lasts()).cloned();
        let deed = forecast.ok().and_then(|all| all.deed);
        let release = deed.filter(|deed| deed.kind == Kind::Release);
        Self {
            job,
            in_queue,
            facts: JobFacts {
                own_limit,
                blocked,
                program_words,
                silent_output,
                ..JobFacts::of_ad(job, ad)
            },
            owner: ad.string("Owner"),
            user: ad.string("User"),
            dagman_job_id: ad.integer("DAGManJobId").and_then(|id| i32::try_from(id).ok()),
            htcondor_will,
            released_by_policy_at: release.map(|deed| deed.at),
            by_itself,
            checks,
            exit_status,
            corrected,
        }
    }
}

/// The advice for held jobs by their ads in the queue (`condor_q -long`), at `now` (Unix seconds),
/// in the order of the ads. The history has what logs and ads of earlier runs show; the ads are
/// added to it. Ads without ClusterId, and of jobs that are not held, are left out.
///
/// # Errors
/// [`ModelError`] for a model of another schema, and when the engine fails.
pub fn advise(
    mut history: HistoryBuilder,
    ads: &[ClassAd],
    model: &Model,
    policies: &Policies,
    now: i64,
) -> Result<Vec<Advice>, ModelError> {
    if let Some(files) = &policies.files {
        ask_urls(files, ads.iter().cloned());
    }
    let jobs: Vec<Option<JobId>> = ads.iter().map(|ad| history.add_queue_ad(ad, now)).collect();
    let jobs = jobs.into_iter().zip(ads).filter_map(|(job, ad)| Some((job?, ad)));
    let held: Vec<Held> = jobs
        .filter(|(_, ad)| HoldInQueue::of(ad).is_some())
        .map(|(job, ad)| Held::of_ad(job, ad, false, policies, now))
        .collect();
    let advices = Advisor::new(history.build(), model)?
        .with_editable(Editable::of(&policies.knobs))
        .advise_all(&held, now)?;
    Ok(advices.into_iter().flatten().collect())
}
