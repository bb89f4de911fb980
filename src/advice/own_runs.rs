//! What the last runs of a job used that were held for the same resource.

use super::changes::near_limit;
use super::job_facts::JobFacts;
use crate::history::{AdFacts, Episode, History, JobHistory, Known, SAME_HOLD, What};
use crate::hold_code::{self, About};
use crate::sizes::{Resource, named_memory};

/// Each run used at least so much of the one before: 11/10. Assumed.
const GROWN: f64 = 1.1;

/// What the last runs of the job used, the last one now; MiB or KiB. Each was held for this
/// resource and used more than the one before; one where that is not so, none where nothing is
/// known.
///
/// Codes may differ from hold to hold: the policy of an execution point (21), that of the access
/// point (26) and a cgroup (34) all hold a job for its memory, whichever sees it first.
pub(super) fn grown(
    history: &History,
    hold: &Episode,
    facts: &JobFacts,
    resource: Resource,
    now: i64,
) -> Vec<i64> {
    let job = history.job(hold.identity.job);
    let steps = job.zip(hold.step).map_or(&[][..], |(job, step)| &job.steps[..step]);
    let alike = (hold.identity.code, hold.identity.subcode);
    let of_log = steps.iter().rev().filter_map(|step| {
        let What::Held(held) = step.what else { return None };
        let reason = held.reason.map_or("", |reason| history.symbols.name(reason));
        let named = Resource::of_hold(held.code, Some(held.subcode), reason);
        if named.map_or((held.code, held.subcode) != alike, |named| named != resource) {
            return None;
        }
        at_hold(job?, step.time, resource).with_reason(held.code, reason).most(held.code)
    });
    // Only runs that used all that they were given are known to have been held for it.
    let ads = if steps.is_empty() { ads_before(job, hold, now) } else { &[] };
    let of_ads = ads.iter().rev().map(|ad| Use::of_ad(ad, resource));
    let of_ads = of_ads.filter(|run| near_limit(run.used, run.given)).filter_map(|run| run.used);
    let reason = hold.reason.as_deref().unwrap_or_default();
    let code = hold.identity.code;
    let this = Use::of_facts(facts, resource).with_reason(code, reason).most(code);
    let mut runs: Vec<i64> = Vec::new();
    for used in this.into_iter().chain(of_log).chain(of_ads) {
        if runs.last().is_some_and(|later| (*later as f64) < GROWN * used as f64) {
            break;
        }
        runs.push(used);
    }
    runs.reverse();
    runs
}

/// What is known of a run, MiB or KiB.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    resource: Option<Resource>,
    used: Option<i64>,
    given: Option<i64>,
    /// The largest size that the hold reason names.
    named: Option<i64>,
}

impl Use {
    fn of(resource: Resource, used: Option<i64>, given: Option<i64>) -> Self {
        let known = |size: Option<i64>| size.filter(|size| *size > 0);
        Self { resource: Some(resource), used: known(used), given: known(given), named: None }
    }

    fn of_facts(facts: &JobFacts, resource: Resource) -> Self {
        Self::of(resource, facts.size(resource).used, given(facts, resource))
    }

    fn of_ad(ad: &AdFacts, resource: Resource) -> Self {
        let (used, given) = match resource {
            Resource::Memory => (ad.memory_usage, ad.memory_provisioned),
            Resource::Disk => (ad.disk_usage, ad.disk_provisioned),
        };
        let whole = |value: f64| (value < 9e15).then_some(value.ceil() as i64);
        Self::of(resource, used.and_then(whole), given.and_then(whole))
    }

    fn with_reason(self, code: i32, reason: &str) -> Self {
        let is_memory = self.resource == Some(Resource::Memory);
        let named = || named_memory(code, reason, &[self.used, self.given]);
        Self { named: is_memory.then(named).flatten(), ..self }
    }

    /// What it used, or was given where that is not known, of a run that ended in a hold of this
    /// code. What was held at its request used all of that, whenever it was last measured.
    fn most(self, code: i32) -> Option<i64> {
        let allowed = self.given.max(self.named);
        match hold_code::about(code) {
            Some(About::Request) if !near_limit(self.used, allowed) => self.used.max(allowed),
            _ => self.used.or(self.named).or(self.given),
        }
    }
}

/// What the last run was given, MiB or KiB.
pub(super) fn given(facts: &JobFacts, resource: Resource) -> Option<i64> {
    let size = facts.size(resource);
    size.had.or(size.asked).filter(|given| *given > 0)
}

/// What the run was given that ended at this time, MiB or KiB.
pub(super) fn had(job: &JobHistory, at: i64, resource: Resource) -> Option<i64> {
    at_hold(job, at, resource).given
}

/// What is known of the run that ended in the hold at this time.
fn at_hold(job: &JobHistory, at: i64, resource: Resource) -> Use {
    if let Some(ad) = nearest(&job.ads, at) {
        let of_ad = Use::of_ad(&job.ads[ad], resource);
        if of_ad.used.or(of_ad.given).is_some() {
            return of_ad;
        }
    }
    let last = |facts| Known::last_at(facts, at);
    match resource {
        Resource::Memory => {
            Use::of(resource, last(&job.memory_usage), last(&job.memory_provisioned))
        }
        Resource::Disk => Use::of(resource, None, None),
    }
}

/// The ads of runs before the one that ended in this hold.
fn ads_before<'a>(job: Option<&'a JobHistory>, hold: &Episode, now: i64) -> &'a [AdFacts] {
    let ads = job.map_or(&[][..], |job| &job.ads[..]);
    let before = ads.partition_point(|ad| ad.known <= now.min(hold.held_at - 1));
    &ads[..nearest(ads, hold.held_at).map_or(before, |own| own.min(before))]
}

/// Where the ad of the run stands that ended at this time: runs may follow each other within
/// seconds.
fn nearest(ads: &[AdFacts], at: i64) -> Option<usize> {
    let split = ads.partition_point(|ad| ad.known <= at);
    let of_run = |ad: &usize| ads[*ad].hold.is_none();
    let (before, after) = ((0..split).rev().find(of_run), (split..ads.len()).find(of_run));
    let apart = |ad: &usize| (ads[*ad].known - at).abs();
    let near = before.into_iter().chain(after).filter(|ad| apart(ad) <= SAME_HOLD);
    near.min_by_key(apart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Coverage, HistoryBuilder};
    use eventlog::{JobId, ReadOptions};

    /// 2026-03-08 10:00:00 UTC.
    const BEGAN: i64 = 1_772_964_000;

    /// A hold: seconds from the beginning, code and subcode, and reason.
    type Held<'a> = (i64, (i32, i32), &'a str);

    /// A run: seconds from the beginning, MiB used and given.
    type Ran = (i64, i64, i64);

    /// What is said of job 5.0, held so one time after the other, with ads of its runs.
    fn grown_of(holds: &[Held<'_>], ads: &[Ran], with_log: bool) -> Vec<i64> {
        let mut history = HistoryBuilder::new();
        let ad = |text: &str| classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
        let job = "ClusterId = 5\nProcId = 0\nOwner = \"a\"\n";
        for (after, used, given) in ads {
            let written = BEGAN + after;
            let usage = format!("MemoryUsage = {used}\nMemoryProvisioned = {given}\n");
            history.add_epoch(&ad(&format!("{job}EpochWriteDate = {written}\n{usage}")));
        }
        let log: String = holds
            .iter()
            .map(|(after, (code, subcode), reason)| {
                let time = format!("2026-03-08 10:{:02}:{:02}", after / 60, after % 60);
                format!(
                    "001 (005.000.000) {time} Job executing on host: <10.0.0.1:9618>\n...\n\
                     012 (005.000.000) {time} Job was held.\n\t{reason}\n\tCode {code} Subcode {subcode}\n...\n\
                     013 (005.000.000) {time} Job was released.\n...\n"
                )
            })
            .collect();
        let log =
            log.strip_suffix("013 (005.000.000) 2026-03-08 10:05:00 Job was released.\n...\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, log.expect("the last hold is 300 s from the beginning")).unwrap();
        if with_log {
            let options = ReadOptions::in_zone(jiff::tz::TimeZone::UTC);
            history.read_log(&path, Coverage::Jobs, &options).unwrap();
        }
        let &(after, (code, subcode), reason) = holds.last().unwrap();
        let entered = BEGAN + after;
        let queue = format!(
            "{job}JobStatus = 5\nHoldReasonCode = {code}\nHoldReasonSubCode = {subcode}\n\
             HoldReason = \"{reason}\"\nEnteredCurrentStatus = {entered}\n"
        );
        history.add_queue_ad(&ad(&queue), entered + 30);
        let history = history.build();
        let job = JobId::new(5, 0);
        let in_queue = history.hold_in_queue(history.job(job).unwrap());
        let hold = history.held_at(job, in_queue.as_ref(), entered + 30).unwrap();
        let last = ads.last().copied().unwrap_or_default();
        let facts = JobFacts {
            memory_usage: Some(last.1),
            memory_provisioned: Some(last.2),
            ..JobFacts::of(job)
        };
        grown(&history, &hold, &facts, Resource::Memory, entered + 30)
    }

    const POLICY: &str = "Job put on hold due to memory usage 1069 MB, requested 712 MB";
    const STARTD: &str = "Error from slot1_2@l1: memory usage exceeded request_memory";
    const CGROUP: &str = "Error from slot1_2@l1: Job has gone over cgroup memory limit of 1833 megabytes. \
                          Last measured usage: 12 megabytes. Consider resubmitting with a higher request_memory.";

    #[test]
    fn holds_for_one_resource_are_alike_whichever_code_they_have() {
        let holds = [(240, (26, 34), POLICY), (260, (21, 102), STARTD), (300, (34, 0), CGROUP)];
        // Runs of 20 s: each hold has the ad that is nearest to it.
        let ads = [(241, 185, 128), (261, 471, 256), (301, 1833, 1833)];
        assert_eq!(grown_of(&holds, &ads, true), [185, 471, 1833]);
        // A hold for something else in between changes nothing.
        let other = (280, (13, 2), "Transfer input files failure");
        let with_other = [holds[0], holds[1], other, holds[2]];
        let ads = [ads[0], ads[1], (281, 12, 1833), ads[2]];
        assert_eq!(grown_of(&with_other, &ads, true), [185, 471, 1833]);
        // Nor does the ad of this very run count as one before it.
        assert_eq!(
            grown_of(&holds, &[(241, 185, 128), (261, 471, 256), (299, 1833, 1833)], false),
            [185, 471, 1833]
        );
    }

    #[test]
    fn what_was_held_at_its_request_used_all_of_it() {
        let limit = |limit: i64| CGROUP.replace("1833", &limit.to_string());
        let reasons = [limit(185), limit(471), limit(1069), limit(1833)];
        let holds: Vec<Held<'_>> = (0..)
            .zip(&reasons)
            .map(|(at, reason)| (240 + 20 * at, (34, 0), reason.as_str()))
            .collect();
        // The usage was last measured before it grew, or the log alone tells of the runs.
        let ads = [(241, 12, 185), (261, 12, 471), (281, 12, 1069), (301, 12, 1833)];
        for ads in [&ads[..], &[]] {
            assert_eq!(grown_of(&holds, ads, true), [185, 471, 1069, 1833], "{ads:?}");
        }
    }

    #[test]
    fn runs_that_used_the_same_have_not_grown() {
        let holds = [(240, (26, 34), STARTD), (260, (21, 102), STARTD), (300, (21, 102), STARTD)];
        let ads = [(241, 210, 128), (261, 220, 128), (301, 220, 512)];
        assert_eq!(grown_of(&holds, &ads, true), [220]);
    }
}
