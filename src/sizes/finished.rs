//! What a job that exited with 0 asked for and used.

use super::Resource;
use crate::history::{AdFacts, Exit, JobHistory, Step, What};

/// What a job that exited with 0 asked for and used, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Finished {
    /// How long the run took, s.
    pub took: Option<f64>,
    /// When it ended, Unix seconds, where a log has it.
    pub ended: Option<i64>,
    /// MiB.
    pub memory: Size,
    /// KiB.
    pub disk: Size,
}

/// A resource of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Used at its peak.
    pub used: Option<f64>,
    /// Asked for.
    pub asked: Option<f64>,
}

impl Finished {
    /// Of this resource.
    pub const fn of(&self, resource: Resource) -> Size {
        match resource {
            Resource::Memory => self.memory,
            Resource::Disk => self.disk,
        }
    }
}

/// What the job asked for and used, if it exited with 0 before `now`, Unix seconds. Peaks are the
/// largest of what its ads, the sizes of its images (006) and the table at its end (005) say.
pub fn finished(job: &JobHistory, now: i64) -> Option<Finished> {
    let steps = job.steps_until(now);
    let ads = &job.ads[..job.ads.partition_point(|ad| ad.known <= now)];
    let of_ad = ads.iter().rev().find_map(|ad| ad.finished_after);
    let end = steps.iter().rfind(|step| step.what == What::Terminated(Exit::Success));
    // Where no step is known, ads of its runs tell.
    if end.is_none() && (!steps.is_empty() || of_ad.is_none()) {
        return None;
    }
    let table = job.peaks.as_ref().filter(|peaks| peaks.since <= now);
    let table = table.map(|peaks| peaks.value).unwrap_or_default();
    let images = job.memory_usage.iter().filter(|usage| usage.since <= now);
    let image = images.map(|usage| usage.value as f64).reduce(f64::max);
    type OfAd = fn(&AdFacts) -> Option<f64>;
    let size = |used: Option<i64>, image: Option<f64>, of: OfAd, asked: Option<i64>, asks: OfAd| {
        let of_ads = ads.iter().filter_map(of);
        let used = of_ads.chain(used.map(|value| value as f64)).chain(image);
        let asked = asked.map(|value| value as f64);
        Size {
            used: used.filter(|used| *used > 0.0).reduce(f64::max),
            asked: asked.or_else(|| ads.iter().rev().find_map(asks)).filter(|asked| *asked > 0.0),
        }
    };
    Some(Finished {
        took: last_run(steps).or(of_ad).map(|took| took as f64),
        ended: end.map(|end| end.time),
        memory: size(
            table.memory,
            image,
            |ad| ad.memory_usage,
            table.request_memory,
            |ad| ad.request_memory,
        ),
        disk: size(table.disk, None, |ad| ad.disk_usage, table.request_disk, |ad| ad.request_disk),
    })
}

/// Seconds from the last start of its program to the exit with 0.
fn last_run(steps: &[Step]) -> Option<i64> {
    let end = steps.iter().rposition(|step| step.what == What::Terminated(Exit::Success))?;
    let leaves = |what: What| {
        matches!(
            what,
            What::Evicted(_) | What::ShadowException | What::Held(_) | What::Released { .. }
        )
    };
    let run = steps[..end].iter().rev().take_while(|step| !leaves(step.what));
    let began = run.filter(|step| matches!(step.what, What::Executing(_))).last()?;
    Some(steps[end].time.saturating_sub(began.time).max(0))
}
