//! Jobs found in a queue or a file, and which of them can be judged.

use super::{AdText, JobSpec, Selection};
use crate::userlog::JobId;

/// JobStatus of a held job.
const HELD: i64 = 5;

/// A job and the needed part of its ad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueJob {
    /// The job.
    pub id: JobId,
    /// Owner, where the ad has it.
    pub owner: Option<String>,
    /// JobStatus, where the ad has it.
    pub status: Option<i64>,
    /// The ad.
    pub ad: AdText,
}

impl QueueJob {
    /// The job an ad is of; `None` for ads of clusters and of other things.
    pub fn new(ad: AdText) -> Option<Self> {
        let id = ad.job_id()?;
        let owner = ad.string("Owner").map(std::borrow::Cow::into_owned);
        let status = ad.integer("JobStatus");
        Some(Self { id, owner, status, ad })
    }

    /// True when the job is held. An ad without JobStatus counts by its hold reason.
    pub fn is_held(&self) -> bool {
        match self.status {
            Some(status) => status == HELD,
            None => ["HoldReasonCode", "HoldReason"]
                .iter()
                .any(|name| self.ad.expression(name).is_some_and(|e| e != "undefined")),
        }
    }

    /// JobStatus in a word.
    fn state(&self) -> &'static str {
        match self.status {
            Some(1) => "idle",
            Some(2) => "running",
            Some(3) => "removed",
            Some(4) => "completed",
            Some(HELD) => "held",
            Some(6) => "transferring output",
            Some(7) => "suspended",
            _ => "in an unknown state",
        }
    }
}

/// Jobs found where they were looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The held ones among those asked about.
    pub held: Vec<QueueJob>,
    /// Of those named the ones that cannot be judged, a line each that says why.
    pub refused: Vec<String>,
    /// Parts of the input that could not be used, a line each.
    pub faults: Vec<String>,
}

/// Sorts jobs into those to judge and those that were named but are not held or not there.
#[derive(Debug)]
pub(super) struct Sorter<'a> {
    selection: &'a Selection,
    limit: usize,
    /// Where they are looked for, such as `the queue`.
    place: &'a str,
    met: Vec<bool>,
    found: Found,
}

impl<'a> Sorter<'a> {
    pub(super) fn new(selection: &'a Selection, limit: Option<usize>, place: &'a str) -> Self {
        Self {
            selection,
            limit: limit.unwrap_or(usize::MAX),
            place,
            met: vec![false; selection.jobs.len()],
            found: Found::default(),
        }
    }

    pub(super) fn take(&mut self, job: QueueJob) {
        let user = job.ad.string("User");
        if !self.selection.names(job.id, job.owner.as_deref(), user.as_deref()) {
            return;
        }
        let held = job.is_held();
        for (spec, met) in self.selection.jobs.iter().zip(&mut self.met) {
            let exact = matches!(spec, JobSpec::Job(_));
            if !*met && (held || exact) && spec.names(job.id, job.owner.as_deref(), user.as_deref())
            {
                *met = true;
                if !held {
                    self.found.refused.push(format!(
                        "job {} is not held, it is {}",
                        job.id,
                        job.state()
                    ));
                }
            }
        }
        if held && self.found.held.len() < self.limit {
            self.found.held.push(job);
        }
    }

    pub(super) fn fault(&mut self, fault: String) {
        self.found.faults.push(fault);
    }

    pub(super) fn finish(mut self) -> Found {
        for (spec, met) in self.selection.jobs.iter().zip(&self.met) {
            if !met {
                let place = self.place;
                self.found.refused.push(match spec {
                    JobSpec::Job(id) => format!("job {id} is not in {place}"),
                    JobSpec::Cluster(cluster) => {
                        format!("no held job of cluster {cluster} is in {place}")
                    }
                    JobSpec::Owner(_) => format!("no held job of owner {spec} is in {place}"),
                });
            }
        }
        self.found.held.sort_by_key(|job| job.id);
        self.found.held.dedup_by_key(|job| job.id);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(cluster: i32, proc: i32, status: i32, owner: &str) -> QueueJob {
        QueueJob::new(AdText::new(format!(
            "ClusterId = {cluster}\nProcId = {proc}\nJobStatus = {status}\nOwner = \"{owner}\"\n"
        )))
        .unwrap()
    }

    #[test]
    fn good_and_bad_are_told_apart() {
        let words = ["1.0", "1.1", "1.9", "2", "3", "bob", "carol"];
        let selection = Selection {
            jobs: words.iter().map(|word| JobSpec::parse(word)).collect(),
            ..Selection::default()
        };
        let mut sorter = Sorter::new(&selection, None, "the queue");
        for job in [
            job(1, 0, 5, "alice"),
            job(1, 1, 2, "alice"),
            job(1, 2, 5, "alice"),
            job(2, 0, 5, "alice"),
            job(3, 0, 1, "alice"),
            job(4, 0, 5, "bob"),
            job(4, 0, 5, "bob"),
        ] {
            sorter.take(job);
        }
        let found = sorter.finish();
        let ids: Vec<String> = found.held.iter().map(|job| job.id.to_string()).collect();
        assert_eq!(ids, ["1.0", "2.0", "4.0"]);
        assert_eq!(
            found.refused,
            [
                "job 1.1 is not held, it is running",
                "job 1.9 is not in the queue",
                "no held job of cluster 3 is in the queue",
                "no held job of owner carol is in the queue"
            ]
        );
    }

    #[test]
    fn a_hold_reason_stands_for_a_state() {
        let ad = |more: &str| {
            QueueJob::new(AdText::new(format!("ClusterId = 1\nProcId = 0\n{more}"))).unwrap()
        };
        assert!(ad("HoldReasonCode = 1\n").is_held());
        assert!(!ad("HoldReasonCode = undefined\n").is_held());
        assert!(!ad("").is_held());
    }
}
