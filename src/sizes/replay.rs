//! What a way to size jobs would have wasted: each job asks as the jobs before it say, and runs
//! again with more where it needs more.

use super::{Again, Demand, LEAST, Resource, Used};

/// A job that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// What it used.
    pub used: Used,
    /// What it asked for, MiB or KiB.
    pub asked: i64,
    /// When its run began and ended, Unix seconds; where it is not known, one job runs after the
    /// other.
    pub ran: Option<(i64, i64)>,
}

/// A way to size jobs. Where fewer than [`LEAST`] jobs are known, each asks for what it asked for,
/// and for half as much again when that is too little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sizing {
    /// What its owner asked for; so many times as much each time that it is too little.
    Asked(f64),
    /// The median of what was needed; so many times as much each time that it is too little.
    Median(f64),
    /// So many times the mean of what was needed, and again each time that it is too little.
    Mean(f64),
    /// The most that was needed; half as much again each time that it is too little.
    Largest,
    /// [`Demand::allocation`], first and largest; then half as much again.
    First,
    /// What its owner asked for; then [`Demand::above`] that, else half as much again.
    Above,
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Jobs.
    pub jobs: usize,
    /// Their runs.
    pub runs: usize,
    /// What they used at their peak, MiB or KiB times seconds.
    pub used: f64,
    /// What was given to them and not used, of lost runs all; MiB or KiB times seconds.
    pub wasted: f64,
    /// Seconds of runs that were lost.
    pub lost: f64,
}

impl Cost {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            jobs: self.jobs + other.jobs,
            runs: self.runs + other.runs,
            used: self.used + other.used,
            wasted: self.wasted + other.wasted,
            lost: self.lost + other.lost,
        }
    }
}

/// Runs of a job at most: 1.3 to this power is 2,600.
const MOST_RUNS: usize = 30;

/// Runs the jobs, which are of the same kind, in the order of their beginning. `lost`: the part of
/// a run after which it needs more than it has; Tovar et al. take 1.
#[must_use]
pub fn replay(resource: Resource, jobs: &[Job], sizing: Sizing, lost: f64) -> Cost {
    let mut order: Vec<&Job> = jobs.iter().collect();
    order.sort_by_key(|job| job.ran.map(|(began, _)| began));
    let mut ended: Vec<(i64, Used)> =
        jobs.iter().filter_map(|job| Some((job.ran?.1, job.used))).collect();
    ended.sort_by_key(|(end, _)| *end);
    let mut ended = ended.into_iter().peekable();
    let mut known: Vec<Used> = Vec::new();
    let mut cost = Cost::default();
    for job in order {
        if let Some((began, _)) = job.ran {
            while let Some((_, used)) = ended.next_if(|(end, _)| *end <= began) {
                known.push(used);
            }
        }
        let requests = Requests { resource, sizing, known: &known, asked: job.asked };
        let mut request = requests.first();
        let Used { peak, seconds } = job.used;
        cost.jobs += 1;
        cost.runs += 1;
        for _ in 1..MOST_RUNS {
            if peak <= request as f64 {
                break;
            }
            cost.wasted += lost * seconds * request as f64;
            cost.lost += lost * seconds;
            cost.runs += 1;
            request = requests.after(request);
        }
        cost.used += peak * seconds;
        cost.wasted += seconds * (request as f64 - peak).max(0.0);
        if job.ran.is_none() {
            known.push(job.used);
        }
    }
    cost
}

/// What a job asks for.
struct Requests<'a> {
    resource: Resource,
    sizing: Sizing,
    known: &'a [Used],
    asked: i64,
}

impl Requests<'_> {
    fn times(&self, amount: f64, factor: f64) -> i64 {
        self.resource.rounded((amount * factor).ceil().min(self.resource.most() as f64) as i64)
    }

    fn peaks(&self) -> Vec<f64> {
        self.known.iter().map(|used| used.peak).collect()
    }

    fn largest(&self) -> i64 {
        self.resource.request_for(self.peaks().into_iter().fold(0.0, f64::max))
    }

    fn first(&self) -> i64 {
        if self.known.len() < LEAST {
            return self.asked;
        }
        match self.sizing {
            Sizing::Asked(_) | Sizing::Above => self.asked,
            Sizing::Median(_) => {
                let mut peaks = self.peaks();
                let middle = peaks.len() / 2;
                let (_, median, _) = peaks.select_nth_unstable_by(middle, f64::total_cmp);
                self.times(*median, 1.0)
            }
            Sizing::Mean(factor) => {
                self.times(self.peaks().iter().sum::<f64>() / self.known.len() as f64, factor)
            }
            Sizing::Largest => self.largest(),
            Sizing::First => Demand::of(self.resource, self.known, &[])
                .map_or(self.asked, |demand| demand.allocation(Again::Retried).first),
        }
    }

    fn after(&self, request: i64) -> i64 {
        let factor = match self.sizing {
            Sizing::Asked(factor) | Sizing::Median(factor) | Sizing::Mean(factor) => factor,
            _ if self.known.len() < LEAST => return self.resource.beyond(request),
            Sizing::Above => {
                return Demand::above(self.resource, self.known, request)
                    .map_or_else(|| self.resource.beyond(request), |above| above.first);
            }
            Sizing::First if self.largest() > request => return self.largest(),
            Sizing::First | Sizing::Largest => return self.resource.beyond(request),
        };
        self.times(request as f64, factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(peaks: &[f64]) -> Vec<Job> {
        let job = |&peak| Job { used: Used { peak, seconds: 10.0 }, asked: 2048, ran: None };
        peaks.iter().map(job).collect()
    }

    fn cost(peaks: &[f64], sizing: Sizing) -> (usize, f64, f64) {
        let cost = replay(Resource::Memory, &jobs(peaks), sizing, 1.0);
        assert_eq!((cost.jobs, cost.used), (peaks.len(), 10.0 * peaks.iter().sum::<f64>()));
        (cost.runs, cost.wasted, cost.lost)
    }

    #[test]
    fn a_request_that_is_too_small_costs_a_run() {
        assert_eq!(cost(&[1000.0], Sizing::Asked(2.0)), (1, 10_480.0, 0.0));
        assert_eq!(cost(&[5000.0], Sizing::Asked(2.0)), (3, 61_440.0 + 31_920.0, 20.0));
        assert_eq!(cost(&[5000.0], Sizing::Asked(3.0)), (2, 20_480.0 + 11_440.0, 10.0));
    }

    #[test]
    fn from_three_jobs_on_the_others_ask_for_what_these_needed() {
        let peaks = [900.0, 900.0, 900.0, 900.0, 4000.0, 900.0];
        let first_three = 3.0 * 11_480.0;
        let (runs, wasted, lost) = cost(&peaks, Sizing::First);
        // 1024, then 1024 and 1536, 2304 and 3456, 5248 for the large one, then 1024 again.
        assert_eq!((runs, lost), (10, 40.0));
        let large = 10.0 * f64::from(1024 + 1536 + 2304 + 3456 + 5248 - 4000);
        assert_eq!(wasted, first_three + 1_240.0 + large + 1_240.0);
        let (runs, ..) = cost(&[900.0, 900.0, 4000.0, 900.0, 4000.0], Sizing::First);
        assert_eq!(runs, 5 + 2 + 1);
        let (runs, ..) = cost(&[900.0, 900.0, 4000.0, 900.0, 4000.0], Sizing::Above);
        assert_eq!(runs, 5 + 2 + 1);
    }

    #[test]
    fn jobs_that_run_at_once_know_nothing_of_each_other() {
        let mut jobs = jobs(&[900.0; 6]);
        for job in &mut jobs {
            job.ran = Some((100, 110));
        }
        let all = replay(Resource::Memory, &jobs, Sizing::First, 1.0);
        assert_eq!(all.wasted, 6.0 * 11_480.0);
        jobs[5].ran = Some((110, 120));
        let last = replay(Resource::Memory, &jobs, Sizing::First, 1.0);
        assert_eq!(last.wasted, 5.0 * 11_480.0 + 1_240.0);
    }
}
