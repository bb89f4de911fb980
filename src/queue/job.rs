//! Jobs found in a queue or a file, and which of them can be judged.

use classads::{ClassAd, EvalContext, Expr};

use super::{AdText, JobLogs, JobSpec, Selection};
use crate::history::HoldInQueue;
use crate::job_status;
use eventlog::JobId;

/// Faults that are told one by one.
const FAULTS: usize = 20;

/// A held job and the needed part of its ad.
#[derive(Clone, Debug)]
pub struct QueueJob {
    /// The job.
    pub id: JobId,
    /// The ad.
    pub ad: AdText,
    /// Owner of its ad.
    pub owner: Option<String>,
    /// The account that it runs as: OsUser, else Owner.
    pub account: Option<String>,
    /// The logs that its ad names.
    pub logs: JobLogs,
    /// Its policies name attributes that could not be asked for.
    pub lacks_references: bool,
}

impl QueueJob {
    /// The job of an ad, of which the text is kept.
    pub(super) fn of(id: JobId, ad: &ClassAd, text: AdText) -> Self {
        let (owner, logs) = (ad.string("Owner"), JobLogs::of(ad));
        let account = ad.string("OsUser").or_else(|| owner.clone());
        Self { id, ad: text, owner, account, logs, lacks_references: false }
    }
}

/// The job an ad is of; `None` for ads of clusters and of other things.
pub(super) fn job_id(ad: &ClassAd) -> Option<JobId> {
    let number = |name| i32::try_from(ad.integer(name)?).ok().filter(|id| *id >= 0);
    Some(JobId::new(number("ClusterId")?, number("ProcId")?))
}

/// Jobs found where they were looked for.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The held ones among those asked about.
    pub held: Vec<QueueJob>,
    /// The others, where jobs in any state are looked for, or those that thrash.
    pub others: Vec<QueueJob>,
    /// Of those named the ones that cannot be judged, a line each that says why.
    pub refused: Vec<String>,
    /// Of those named by their ids the ones that are not there, each with the line that says so.
    pub absent: Vec<(JobId, String)>,
    /// Parts of the input that could not be used, a line each.
    pub faults: Vec<String>,
    /// Ads that a file held, the held jobs and the others; `None` of a queue.
    pub ads: Option<usize>,
}

/// Sorts jobs into those to judge and those that were named but are not held or not there.
#[derive(Debug)]
pub(super) struct Sorter<'a> {
    selection: &'a Selection,
    limit: usize,
    /// Where they are looked for, such as `the queue`.
    place: &'a str,
    /// What is true for jobs that may thrash, if those are looked for.
    thrashing: Option<Expr>,
    met: Vec<bool>,
    found: Found,
    faults: usize,
}

impl<'a> Sorter<'a> {
    pub(super) fn new(selection: &'a Selection, limit: Option<usize>, place: &'a str) -> Self {
        Self {
            selection,
            limit: limit.unwrap_or(usize::MAX),
            place,
            thrashing: selection.thrashing_test(),
            met: vec![false; selection.jobs.len()],
            found: Found::default(),
            faults: 0,
        }
    }

    /// Takes the ad of a job; ads of clusters and of other things are left out.
    pub(super) fn take(&mut self, ad: &ClassAd) {
        let Some(id) = job_id(ad) else {
            let of_cluster = ad.integer("ProcId").is_some_and(|proc| proc < 0);
            if HoldInQueue::of(ad).is_some() && !of_cluster {
                self.fault("a held job without a usable ClusterId and ProcId is left out");
            }
            return;
        };
        let (owner, user) = (ad.string("Owner"), ad.string("User"));
        let (owner, user) = (owner.as_deref(), user.as_deref());
        if !self.selection.names(id, owner, user) {
            return;
        }
        let held = HoldInQueue::of(ad).is_some();
        let is_true =
            |test| ad.evaluate_expr(test, &EvalContext::quick()).as_boolean() == Some(true);
        let thrashes = !held && self.thrashing.as_ref().is_some_and(is_true);
        for (spec, met) in self.selection.jobs.iter().zip(&mut self.met) {
            let exact = matches!(spec, JobSpec::Job(_)) || self.selection.any_state;
            if !*met && (held || thrashes || exact) && spec.names(id, owner, user) {
                *met = true;
                if !held && !self.selection.any_state && !thrashes {
                    self.found
                        .refused
                        .push(format!("job {id} is not held, it is {}", job_status::word(ad)));
                }
            }
        }
        if held && self.found.held.len() < self.limit {
            // Jobs of a cluster come one after the other.
            let like = self.found.held.last().filter(|last| last.id.cluster == id.cluster);
            let text = like.map_or_else(|| AdText::of(ad), |like| AdText::like(ad, &like.ad));
            self.found.held.push(QueueJob::of(id, ad, text));
        }
        if thrashes || !held && self.selection.any_state {
            self.found.others.push(QueueJob::of(id, ad, AdText::of(ad)));
        }
    }

    /// Notes a part of the input that could not be used; the first 20 are told, the others counted.
    pub(super) fn fault(&mut self, fault: &str) {
        self.faults += 1;
        if self.faults <= FAULTS {
            self.found.faults.push(format!("{}: {fault}", self.place));
        }
    }

    pub(super) fn finish(mut self) -> Found {
        if self.faults > FAULTS {
            let more = self.faults - FAULTS;
            self.found.faults.push(format!("{}: {more} more faults", self.place));
        }
        for (spec, met) in self.selection.jobs.iter().zip(&self.met) {
            // The logs may have those that left.
            if !met && !self.selection.any_state {
                let (place, refused) = (self.place, &mut self.found.refused);
                match spec {
                    JobSpec::Job(id) => {
                        self.found.absent.push((*id, format!("job {id} is not in {place}")));
                    }
                    JobSpec::Cluster(cluster) => {
                        refused.push(format!("no held job of cluster {cluster} is in {place}"));
                    }
                    JobSpec::Owner(_) => {
                        refused.push(format!("no held job of owner {spec} is in {place}"));
                    }
                }
            }
        }
        self.found.held.sort_by_key(|job| job.id);
        let all = std::mem::take(&mut self.found.held);
        let mut all = all.into_iter().peekable();
        while let Some(job) = all.next() {
            let text = |job: &QueueJob| job.ad.to_classad().to_string();
            let mut is_sure = true;
            while let Some(twin) = all.next_if(|twin| twin.id == job.id) {
                let same = text(&twin) == text(&job);
                is_sure &= same && twin.owner == job.owner;
            }
            // Whose text the second one is nobody knows: neither is believed.
            match is_sure {
                true => self.found.held.push(job),
                false => self.found.faults.push(format!(
                    "{}: job {} is there twice with other attributes, and is left out",
                    self.place, job.id
                )),
            }
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ad(text: &str) -> ClassAd {
        classads::read_ads(text.as_bytes()).next().unwrap().unwrap()
    }

    fn job(cluster: i32, proc: i32, status: i32, owner: &str) -> ClassAd {
        ad(&format!(
            "ClusterId = {cluster}\nProcId = {proc}\nJobStatus = {status}\nOwner = \"{owner}\"\n"
        ))
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
            job(5, -1, 5, "bob"),
        ] {
            sorter.take(&job);
        }
        let found = sorter.finish();
        let ids: Vec<String> = found.held.iter().map(|job| job.id.to_string()).collect();
        assert_eq!(ids, ["1.0", "2.0", "4.0"]);
        assert_eq!(
            found.refused,
            [
                "job 1.1 is not held, it is running",
                "no held job of cluster 3 is in the queue",
                "no held job of owner carol is in the queue"
            ]
        );
        assert_eq!(found.absent, [(JobId::new(1, 9), "job 1.9 is not in the queue".to_owned())]);
    }

    #[test]
    fn of_two_ads_that_differ_neither_is_believed() {
        let selection = Selection::default();
        let mut sorter = Sorter::new(&selection, None, "the queue");
        for owner in ["alice", "mallory"] {
            sorter.take(&job(1, 0, 5, owner));
        }
        sorter.take(&job(1, 1, 5, "alice"));
        sorter.take(&ad("ClusterId = 1\nProcId = 99999999999\nJobStatus = 5\n"));
        sorter.take(&job(1, -1, 5, "alice"));
        let found = sorter.finish();
        assert_eq!(found.held.iter().map(|job| job.id.proc).collect::<Vec<_>>(), [1]);
        assert_eq!(found.faults.len(), 2, "{:?}", found.faults);
        assert!(found.faults.iter().any(|fault| fault.contains("job 1.0 is there twice")));
    }

    #[test]
    fn a_hold_reason_stands_for_a_state() {
        let held = |more: &str| {
            let selection = Selection::default();
            let mut sorter = Sorter::new(&selection, None, "the queue");
            sorter.take(&ad(&format!("ClusterId = 1\nProcId = 0\n{more}")));
            sorter.finish().held.len()
        };
        assert_eq!(held("HoldReasonCode = 1\n"), 1);
        assert_eq!(held("HoldReasonCode = undefined\n"), 0);
        assert_eq!(held(""), 0);
    }

    #[test]
    fn jobs_that_may_thrash_are_taken() {
        let taken = |thrashing: bool, more: &str| {
            let selection = Selection { thrashing, ..Selection::default() };
            let mut sorter = Sorter::new(&selection, None, "a file");
            sorter.take(&ad(&format!("ClusterId = 1\nProcId = 0\n{more}")));
            sorter.finish().others.len()
        };
        for (expected, status, vacates, more) in [
            (1, 1, 3, "VacateReasonCode = 13"),
            (1, 2, 9, "VacateReasonCode = 13"),
            (0, 1, 2, "VacateReasonCode = 13"),
            (0, 3, 3, "VacateReasonCode = 13"),
            (0, 1, 3, "VacateReasonCode = 1000"),
            (1, 1, 3, "VacateReasonCode = 1000\nNumVacatesPreExecution = 3"),
            (1, 1, 3, "NumVacatesPreExecution = 3"),
            (0, 1, 3, "NumVacatesPreExecution = 2"),
        ] {
            let text = format!("JobStatus = {status}\nNumVacates = {vacates}\n{more}\n");
            assert_eq!((taken(true, &text), taken(false, &text)), (expected, 0), "{text}");
        }
        assert_eq!(taken(true, "JobStatus = 1\n"), 0);
    }

    #[test]
    fn many_faults_are_counted() {
        let selection = Selection::default();
        let mut sorter = Sorter::new(&selection, None, "a file");
        (0..25).for_each(|line| sorter.fault(&format!("line {line}")));
        let faults = sorter.finish().faults;
        assert_eq!((faults.len(), &*faults[20]), (21, "a file: 5 more faults"));
    }
}
