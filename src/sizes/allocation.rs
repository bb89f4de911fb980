//! First allocation: the request that wastes least where a job that needs more runs once more.
//!
//! B. Tovar et al., "A job sizing strategy for high-throughput scientific workflows", IEEE
//! Transactions on Parallel and Distributed Systems 29(2), 2018. A job asks for *a*; if it uses
//! more, its run is lost and it asks for the most that one of them needs, *m*. Of jobs that need
//! *r* for *t* seconds the waste is least where *a* E\[*t*\] + *m* E\[*t*; *r* > *a*\] is (its
//! equation 1). Where a job that uses more is held, a person has to see to it: that counts as so
//! many seconds more of its second run.

use schemars::JsonSchema;
use serde::Serialize;

use super::Resource;

/// So many like jobs have to have finished before they say something. Assumed.
pub const LEAST: usize = 3;

/// What a job that finished used at its peak, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// MiB or KiB.
    pub peak: f64,
    /// Seconds of its run; the same for all where it is not known.
    pub seconds: f64,
}

/// What a job used or had that did not finish: it needs as much at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited {
    /// MiB or KiB.
    pub more_than: f64,
    /// It met its limit, and needs more.
    pub at_limit: bool,
}

/// What becomes of a job that uses more than it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It runs again and asks for more (`retry_request_memory`).
    Retried,
    /// It is held.
    Held,
}

impl Again {
    /// Seconds that it costs beside the second run: of a hold as many as a release that fails, 8
    /// hours (`HOLDADVISE_COST_FAILED_HOURS`).
    const fn seconds(self) -> f64 {
        match self {
            Self::Retried => 0.0,
            Self::Held => 8.0 * 3600.0,
        }
    }
}

/// What to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Allocation {
    /// The request that wastes least, MiB or KiB, where a job that uses more asks for the largest
    /// then.
    pub first: i64,
    /// The request that is enough for all of them.
    pub largest: i64,
    /// Jobs that finished.
    pub finished: usize,
    /// Of them, those that use more than the first request is for.
    pub retried: usize,
}

/// What jobs of a kind need.
#[derive(Clone, Debug)]
pub struct Demand {
    resource: Resource,
    /// In ascending order of the requests.
    points: Vec<Point>,
    /// Requests that are enough for the jobs that finished.
    enough: Vec<i64>,
    /// Seconds of a run, on average; the same for all where it is not known.
    seconds: f64,
    /// The largest request is that of a job that finished.
    is_known: bool,
}

/// A request, with the weight of the jobs that need it and their seconds, weighted.
#[derive(Clone, Copy, Debug)]
struct Point {
    request: i64,
    weight: f64,
    seconds: f64,
}

impl Demand {
    /// Of jobs that finished, and of those that did not: each of these stands for those that
    /// finished with more (B. Efron 1967), or if there are none for one that needs what it used, or
    /// half as much again where it met its limit. `None` where none finished.
    pub fn of(resource: Resource, used: &[Used], limited: &[Limited]) -> Option<Self> {
        let seconds = used.iter().map(|used| used.seconds).sum::<f64>() / used.len() as f64;
        // Without times each run is as long as another.
        let (seconds, unknown) = if seconds > 0.0 { (seconds, 0.0) } else { (1.0, 1.0) };
        let exact = used.iter().map(|used| (used.peak, used.seconds.max(unknown), None));
        let bounds = limited.iter().map(|job| (job.more_than, seconds, Some(job.at_limit)));
        let mut all: Vec<(f64, f64, Option<bool>)> = exact.chain(bounds).collect();
        // A job that used exactly as much does not need more.
        all.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.2.cmp(&other.2)));
        let mut points: Vec<Point> = Vec::new();
        let mut enough = Vec::with_capacity(used.len());
        let mut weight = 1.0;
        let count = all.len();
        for (at, (amount, seconds, limited)) in all.into_iter().enumerate() {
            let later = count - at - 1;
            let request = match (limited, later) {
                (None, _) => {
                    enough.push(resource.request_for(amount));
                    resource.request_for(amount)
                }
                (Some(true), 0) => resource.beyond(amount.ceil() as i64),
                (Some(false), 0) => resource.request_for(amount),
                (Some(_), later) => {
                    weight += weight / later as f64;
                    continue;
                }
            };
            let new = Point { request, weight, seconds: weight * seconds };
            match points.last_mut().filter(|last| last.request == request) {
                Some(last) => {
                    last.weight += new.weight;
                    last.seconds += new.seconds;
                }
                None => points.push(new),
            }
        }
        let is_known = points.last().map(|last| last.request) == enough.iter().max().copied();
        (!enough.is_empty()).then_some(Self { resource, points, enough, seconds, is_known })
    }

    /// Jobs that finished.
    pub const fn finished(&self) -> usize {
        self.enough.len()
    }

    /// The largest request is that of a job that finished.
    pub const fn is_known(&self) -> bool {
        self.is_known
    }

    /// What a job is taken to need that needs more than all.
    pub fn beyond(&self) -> i64 {
        self.resource.beyond(self.largest())
    }

    /// The request that is enough for all.
    pub fn largest(&self) -> i64 {
        self.points.last().map_or(0, |point| point.request)
    }

    /// What to ask for.
    pub fn allocation(&self, again: Again) -> Allocation {
        let largest = self.largest();
        let all: f64 = self.points.iter().map(|point| point.seconds).sum();
        let mut above = 0.0;
        let mut best = (f64::INFINITY, largest);
        for point in self.points.iter().rev() {
            let waste = point.request as f64 * all + largest as f64 * above;
            // The smaller one of two that waste the same.
            if waste <= best.0 {
                best = (waste, point.request);
            }
            above += point.seconds + again.seconds() * point.weight;
        }
        let first = best.1;
        let retried = self.enough.iter().filter(|enough| **enough > first).count();
        Allocation { first, largest, finished: self.finished(), retried }
    }

    /// What is enough for all that finished.
    pub fn enough(&self) -> Allocation {
        let largest = self.largest();
        Allocation { first: largest, largest, finished: self.finished(), retried: 0 }
    }

    /// What jobs are expected to take that ask for so much, unit times seconds for a job: what they
    /// ask for, and of those that need more what they ask for then. The next job needs more than
    /// all before it with a chance of 1 in their number and one (each is as likely as another to
    /// need the most); it is taken to need half as much again. `slot`: the size of the slot in
    /// whose hours a hold counts.
    pub fn expected(&self, request: i64, again: Again, slot: i64) -> f64 {
        let largest = self.largest();
        let weight: f64 = self.points.iter().map(|point| point.weight).sum();
        let above = self.points.iter().filter(|point| point.request > request);
        let hold = again.seconds() * slot as f64;
        let above = above.map(|point| point.seconds * largest as f64 + hold * point.weight);
        let above = above.sum::<f64>() / weight;
        let beyond = self.beyond();
        let chance = if beyond > request { 1.0 / (self.finished() as f64 + 1.0) } else { 0.0 };
        request as f64 * self.seconds + above + chance * (beyond as f64 * self.seconds + hold)
    }

    /// For a job that was held when it had `given` and needs more: the allocation of those that
    /// used more and finished. Where they are fewer than [`LEAST`], it asks for no less than
    /// [`Resource::raised`]. `None` where there are none.
    pub fn above(resource: Resource, used: &[Used], given: i64) -> Option<Allocation> {
        let more: Vec<Used> =
            used.iter().copied().filter(|used| used.peak > given as f64).collect();
        let found = Self::of(resource, &more, &[])?.allocation(Again::Held);
        if more.len() >= LEAST {
            return Some(found);
        }
        let largest = found.largest.max(resource.raised(given));
        Some(Allocation { first: largest, largest, finished: more.len(), retried: 0 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn used(peaks: &[(f64, f64)]) -> Vec<Used> {
        peaks.iter().map(|&(peak, seconds)| Used { peak, seconds }).collect()
    }

    fn retried(jobs: &[Used], limited: &[Limited]) -> Allocation {
        Demand::of(Resource::Memory, jobs, limited).unwrap().allocation(Again::Retried)
    }

    fn of(peaks: &[(f64, f64)]) -> (i64, i64) {
        let found = retried(&used(peaks), &[]);
        (found.first, found.largest)
    }

    #[test]
    fn few_large_jobs_run_twice() {
        // Of ten jobs one needs ten times as much: 1024 x 10 + 11392 against 11392 x 10.
        let mut peaks = vec![(900.0, 60.0); 9];
        peaks.push((10_240.0, 60.0));
        assert_eq!(of(&peaks), (1024, 11_392));
        let found = retried(&used(&peaks), &[]);
        assert_eq!((found.finished, found.retried), (10, 1));
        // If that one takes most of the time, all ask for as much.
        peaks[9].1 = 6_000.0;
        assert_eq!(of(&peaks), (11_392, 11_392));
        // Jobs alike ask for what they need.
        assert_eq!(of(&[(900.0, 60.0); 4]), (1024, 1024));
        assert_eq!(of(&[(900.0, 0.0); 4]), (1024, 1024));
    }

    #[test]
    fn a_request_is_lowered_where_that_is_worth_it() {
        let demand = |count: usize, seconds: f64| {
            let jobs = vec![Used { peak: 500.0, seconds }; count];
            Demand::of(Resource::Memory, &jobs, &[]).unwrap()
        };
        let is_worth_it = |count, seconds, again| {
            let demand = demand(count, seconds);
            let first = demand.allocation(again).first;
            assert_eq!(first, 640);
            demand.expected(first, again, 4096) < demand.expected(4096, again, 4096)
        };
        // One of four may need more: that costs a run, or a run and eight hours.
        assert!(is_worth_it(3, 3600.0, Again::Retried));
        assert!(!is_worth_it(5, 3600.0, Again::Held));
        assert!(is_worth_it(19, 3600.0, Again::Held));
        // What runs for a minute wastes little.
        assert!(!is_worth_it(19, 60.0, Again::Held));
        assert!(!is_worth_it(190, 60.0, Again::Held));
        assert!(is_worth_it(1900, 60.0, Again::Held));
        assert!(Demand::of(Resource::Disk, &[], &[]).is_none());
    }

    #[test]
    fn jobs_that_were_held_count_as_larger_ones() {
        let jobs = used(&[(900.0, 60.0), (900.0, 60.0), (900.0, 60.0), (4000.0, 60.0)]);
        let alone = retried(&jobs, &[]);
        assert_eq!((alone.first, alone.largest), (1024, 4480));
        // Twelve more of the size of the largest one: it is the rule.
        let at = |more_than| Limited { more_than, at_limit: true };
        let limited = [at(1024.0); 12];
        let with = retried(&jobs, &limited);
        assert_eq!((with.first, with.largest), (4480, 4480));
        // Larger than all that finished: what it needs is not known.
        let more = retried(&jobs, &[at(5000.0)]);
        assert_eq!(more.largest, 7552);
        // One that runs on needs what it has used so far, which may be enough for it.
        let runs = Limited { more_than: 4001.0, at_limit: false };
        assert!(Demand::of(Resource::Memory, &jobs, &[runs]).unwrap().is_known());
        let runs = Limited { more_than: 5000.0, at_limit: false };
        assert_eq!(retried(&jobs, &[runs]).largest, 5632);
    }

    #[test]
    fn a_job_that_needs_more_asks_for_what_larger_ones_need() {
        let hour = 3600.0;
        let mut jobs = used(&[(900.0, hour), (9000.0, hour)]);
        jobs.extend([Used { peak: 1900.0, seconds: hour }; 40]);
        let above = |given| {
            Demand::above(Resource::Memory, &jobs, given)
                .map(|found| (found.first, found.finished, found.retried))
        };
        // One of 41 is held again: less than four times the request for all, nine times an hour.
        assert_eq!(above(1024), Some((2176, 41, 1)));
        // One larger job is little to go by.
        assert_eq!(above(2176), Some((10_112, 1, 0)));
        assert_eq!(above(9000), None);
        assert_eq!(above(8999), Some((18_048, 1, 0)));
        assert_eq!(above(20_000), None);
        // One of five would be too many.
        let few = &jobs[..7];
        let found = Demand::above(Resource::Memory, few, 1024).unwrap();
        assert_eq!((found.first, found.finished), (10_112, 6));
    }

    /// The waste that equation 1 expects, in the request's unit times seconds.
    fn waste(jobs: &[Used], request: i64, largest: i64) -> f64 {
        let one = |used: &Used| match Resource::Memory.request_for(used.peak) > request {
            true => used.seconds * (request + largest) as f64,
            false => used.seconds * request as f64,
        };
        jobs.iter().map(one).sum()
    }

    proptest! {
        #[test]
        fn no_request_wastes_less(
            peaks in prop::collection::vec((1.0..100_000.0_f64, 1.0..10_000.0_f64), LEAST..40),
        ) {
            let jobs = used(&peaks);
            let found = retried(&jobs, &[]);
            let best = waste(&jobs, found.first, found.largest);
            for other in &jobs {
                let request = Resource::Memory.request_for(other.peak);
                prop_assert!(best <= waste(&jobs, request, found.largest) * (1.0 + 1e-9));
                prop_assert!(request <= found.largest);
            }
            prop_assert!(found.first <= found.largest);
        }

        #[test]
        fn held_jobs_never_lower_what_is_asked_for(
            peaks in prop::collection::vec((1.0..10_000.0_f64, 60.0..61.0_f64), LEAST..20),
            bounds in prop::collection::vec(1.0..20_000.0_f64, 0..20),
        ) {
            let jobs = used(&peaks);
            let limited: Vec<_> = bounds.iter().map(|&more_than| Limited { more_than, at_limit: true }).collect();
            let alone = retried(&jobs, &[]);
            let with = retried(&jobs, &limited);
            prop_assert!(with.largest >= alone.largest);
        }
    }
}
