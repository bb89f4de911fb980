//! Places where more runs fail than chance explains, and those that fail them at once.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::matrix::{By, place, resolved};
use super::{End, FailureCause, JobRun};
use crate::advice::is_name;
use crate::text::classad_quote;
use eventlog::JobId;

/// Failed jobs from which on a place is suspected. Assumed.
const LEAST_FAILED: usize = 3;

/// The share of its jobs that fail so from which on a place is suspected. Assumed.
const LEAST_SHARE: f64 = 0.5;

/// A failure counts as at once below this share of the time that successful runs take. Assumed.
const AT_ONCE: f64 = 0.1;

/// Below this probability, for all places together, so many failures are no chance.
const CHANCE: f64 = 0.01;

/// A place where jobs fail and elsewhere they do not, or not of this cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Suspect {
    /// Machine or site.
    pub place: String,
    /// It is a site.
    pub is_site: bool,
    /// The cause of most failures there.
    #[schemars(with = "String")]
    pub cause: FailureCause,
    /// Failures of whatever cause are counted, not those of this one alone.
    pub any_cause: bool,
    /// Jobs that failed there.
    pub failed: usize,
    /// Jobs of which a run ended there.
    pub ended: usize,
    /// Jobs that failed elsewhere.
    pub failed_elsewhere: usize,
    /// Jobs of which a run ended elsewhere.
    pub ended_elsewhere: usize,
    /// It ends runs so soon that it draws more of them: median seconds of failed runs there and of
    /// successful ones anywhere.
    pub black_hole: Option<(i64, i64)>,
    /// The probability of as many failures there by chance (Fisher's exact test, one-sided), times
    /// the number of tests: places times causes, and any cause.
    pub chance: f64,
}

impl Suspect {
    /// A run that failed there of this cause counts against the place.
    pub(super) fn is_for(&self, cause: &FailureCause) -> bool {
        self.any_cause || self.cause == *cause || cause.unsaid().as_ref() == Some(&self.cause)
    }

    /// What Requirements need to keep a job off the place; `None` where its name is no name of a
    /// machine or site, such as an address.
    pub fn exclusion(&self) -> Option<String> {
        let is_address = self.place.bytes().all(|b| b.is_ascii_digit() || b".:[]".contains(&b));
        let attribute = if self.is_site { "GLIDEIN_Site" } else { "Machine" };
        let name = classad_quote(&self.place).filter(|_| is_name(&self.place) && !is_address)?;
        Some(format!("TARGET.{attribute} =!= {name}"))
    }
}

/// Places that are suspected, the least likely first. `by`: machines or sites.
///
/// Each job counts once at a place, however often it ran there: its runs there are not independent.
/// Failures of one cluster alone are compared with that cluster's own jobs elsewhere: it may be the
/// program.
pub fn suspects(runs: &[JobRun], by: By) -> Vec<Suspect> {
    let by = resolved(runs, by);
    let mut places: BTreeMap<&str, Here> = BTreeMap::new();
    let mut good = Vec::new();
    for run in runs {
        let name = place(run, by);
        match run.end {
            End::Stopped | End::Running => continue,
            End::Succeeded => good.push(run.seconds),
            End::Failed(_) => {}
        }
        if !name.is_empty() {
            places.entry(name).or_default().add(run);
        }
    }
    let usual = median(good);
    let totals = Totals::of(places.values());
    let tests = (places.len() * totals.causes()) as f64;
    let mut found: Vec<Suspect> = Vec::new();
    for (&name, here) in &places {
        let most = here.most(|cause| cause.unsaid().is_none());
        let Some(most) = most else { continue };
        // Of those that ended so the most wrote this.
        let said = here.most(|cause| cause.unsaid().as_ref() == Some(most));
        let black_hole = median(here.seconds.clone()).zip(usual).filter(|&(failure, success)| {
            success > 0 && (failure as f64) < AT_ONCE * success as f64
        });
        let test = |cause: Option<&FailureCause>| {
            let jobs = here.failed.get(&cause.cloned())?;
            let first = jobs.first().map(|job| job.cluster);
            let alone = first.filter(|first| jobs.iter().all(|job| job.cluster == *first));
            let is_of = |job: &&JobId| alone.is_none_or(|cluster| job.cluster == cluster);
            let (failed, ended) = (jobs.len(), here.ended.iter().filter(is_of).count());
            let all = (totals.failed(cause.cloned(), alone), totals.ended(alone));
            let suspect = Suspect {
                place: name.to_owned(),
                is_site: by == By::Site,
                cause: cause.unwrap_or(most).clone(),
                any_cause: cause.is_none(),
                failed,
                ended,
                failed_elsewhere: all.0 - failed,
                ended_elsewhere: all.1 - ended,
                black_hole,
                chance: fisher(failed, ended, all.0, all.1) * tests,
            };
            let is_bad = failed >= LEAST_FAILED
                && failed as f64 >= LEAST_SHARE * ended as f64
                && suspect.chance < CHANCE;
            is_bad.then_some(suspect)
        };
        let causes = said.into_iter().chain([most]).map(Some).chain([None]);
        found.extend(
            causes.filter_map(test).min_by(|one, other| one.chance.total_cmp(&other.chance)),
        );
    }
    found.sort_by(|one, other| one.chance.total_cmp(&other.chance));
    found
}

/// Jobs at all places, each at each once; of a cluster, and of all (`None`).
#[derive(Debug, Default)]
struct Totals {
    ended: BTreeMap<Option<i32>, usize>,
    /// By cause; `None`: of any.
    failed: BTreeMap<(Option<FailureCause>, Option<i32>), usize>,
}

impl Totals {
    fn of<'a>(places: impl Iterator<Item = &'a Here>) -> Self {
        let mut totals = Self::default();
        for here in places {
            for job in &here.ended {
                for of in [None, Some(job.cluster)] {
                    *totals.ended.entry(of).or_default() += 1;
                }
            }
            for (cause, jobs) in &here.failed {
                for job in jobs {
                    for of in [None, Some(job.cluster)] {
                        *totals.failed.entry((cause.clone(), of)).or_default() += 1;
                    }
                }
            }
        }
        totals
    }

    fn ended(&self, of: Option<i32>) -> usize {
        self.ended.get(&of).copied().unwrap_or(0)
    }

    fn failed(&self, cause: Option<FailureCause>, of: Option<i32>) -> usize {
        self.failed.get(&(cause, of)).copied().unwrap_or(0)
    }

    fn causes(&self) -> usize {
        self.failed.keys().filter(|(_, of)| of.is_none()).count()
    }
}

/// What ended at a place.
#[derive(Debug, Default)]
struct Here {
    /// Jobs of which a run ended.
    ended: BTreeSet<JobId>,
    /// Jobs that failed, by cause; `None`: of any. Those of a program that wrote something count
    /// for the cause without that too.
    failed: BTreeMap<Option<FailureCause>, BTreeSet<JobId>>,
    /// Seconds of failed runs.
    seconds: Vec<i64>,
}

impl Here {
    /// The cause of the most jobs among those of which this is true, the first of equal ones.
    fn most(&self, is_meant: impl Fn(&FailureCause) -> bool) -> Option<&FailureCause> {
        let causes = self.failed.iter().filter_map(|(cause, jobs)| Some((cause.as_ref()?, jobs)));
        let causes = causes.filter(|(cause, _)| is_meant(cause));
        let most = causes.max_by_key(|&(cause, jobs)| (jobs.len(), std::cmp::Reverse(cause)));
        most.map(|(cause, _)| cause)
    }

    fn add(&mut self, run: &JobRun) {
        self.ended.insert(run.job);
        if let End::Failed(cause) = &run.end {
            let causes = [Some(cause.clone()), cause.unsaid(), None];
            for cause in causes {
                self.failed.entry(cause).or_default().insert(run.job);
            }
            self.seconds.push(run.seconds);
        }
    }
}

fn median(mut seconds: Vec<i64>) -> Option<i64> {
    seconds.sort_unstable();
    seconds.get(seconds.len() / 2).copied()
}

/// The probability that of `ended` runs with `failed` failures at least `there` failures lie among
/// `here` runs drawn at random (hypergeometric).
fn fisher(there: usize, here: usize, failed: usize, ended: usize) -> f64 {
    let choose = |n: usize, k: usize| log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    let all = choose(ended, here);
    let most = here.min(failed);
    let least = there.max((here + failed).saturating_sub(ended));
    let terms =
        (least..=most).map(|k| (choose(failed, k) + choose(ended - failed, here - k) - all).exp());
    terms.sum::<f64>().min(1.0)
}

/// `ln n!` (Stirling's series above 20: its error is below 1e-10 there).
fn log_factorial(n: usize) -> f64 {
    if n <= 20 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let x = n as f64;
    x * x.ln() - x + 0.5 * (std::f64::consts::TAU * x).ln() + 1.0 / (12.0 * x)
        - 1.0 / (360.0 * x.powi(3))
        + 1.0 / (1260.0 * x.powi(5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::JobId;

    const LICENCE: FailureCause = FailureCause::Exit(Some(75));

    /// Jobs of a cluster, so many of which succeed and so many fail at a machine.
    fn runs(cluster: i32, machine: &str, good: i32, bad: i32, cause: &FailureCause) -> Vec<JobRun> {
        let run = |proc, end, seconds| JobRun {
            job: JobId::new(cluster, proc),
            machine: Some(machine.to_owned()),
            site: None,
            began: 0,
            seconds,
            executed: true,
            end,
        };
        let good = (0..good).map(|proc| run(proc, End::Succeeded, 1000));
        let bad = (0..bad).map(|proc| run(1000 + proc, End::Failed(cause.clone()), 3));
        good.chain(bad).collect()
    }

    #[test]
    fn fisher_agrees_with_known_values() {
        // R: fisher.test(matrix(c(3, 1, 1, 3), 2), alternative = "greater")$p.value
        assert!((fisher(3, 4, 4, 8) - 0.242_857_142_857_142_9).abs() < 1e-9);
        // R: phyper(9, 10, 90, 10, lower.tail = FALSE)
        assert!((fisher(10, 10, 10, 100) - 5.776_904e-14).abs() < 1e-19);
        assert!((fisher(0, 5, 5, 50) - 1.0).abs() < 1e-12);
        assert!((log_factorial(21) - 45.380_138_898_476_91).abs() < 1e-9);
    }

    #[test]
    fn a_machine_that_fails_most_is_suspected() {
        let all = [
            runs(1, "good", 40, 2, &LICENCE),
            runs(2, "other", 30, 1, &LICENCE),
            runs(1, "bad", 0, 8, &LICENCE),
            runs(2, "bad", 0, 1, &LICENCE),
        ]
        .concat();
        let found = suspects(&all, By::Either);
        let [bad] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((bad.place.as_str(), bad.failed, bad.ended), ("bad", 9, 9));
        assert_eq!((bad.failed_elsewhere, bad.ended_elsewhere), (3, 73));
        assert_eq!(bad.black_hole, Some((3, 1000)));
    }

    #[test]
    fn two_bad_machines_do_not_hide_each_other() {
        let other = FailureCause::Exit(Some(127));
        let nodes =
            |from: i32, machine: &str, good: i32, bad: i32, cause: &FailureCause| -> Vec<JobRun> {
                (0..good.max(bad))
                    .flat_map(|n| {
                        runs(from + n, machine, i32::from(n < good), i32::from(n < bad), cause)
                    })
                    .collect()
            };
        let all = [
            nodes(0, "good", 5, 0, &other),
            nodes(100, "one", 0, 46, &other),
            nodes(200, "two", 0, 46, &LICENCE),
        ]
        .concat();
        let found = suspects(&all, By::Either);
        let mut places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
        places.sort_unstable();
        assert_eq!(places, ["one", "two"]);
    }

    #[test]
    fn a_place_where_programs_write_something_else_is_suspected() {
        let exit = FailureCause::Exit(Some(1));
        let (bug, disk) = (exit.saying("KeyError: 'x'".into()), exit.saying("no space".into()));
        let at = |machine: &str| runs(1, machine, 4, 8, &bug);
        let all = [at("a"), at("b"), runs(1, "c", 4, 12, &disk)].concat();
        let found = suspects(&all, By::Either);
        let [bad] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((bad.place.as_str(), &bad.cause, bad.any_cause), ("c", &disk, false));
        // Those of which the output is not known count with the others of the place.
        let all =
            [runs(1, "a", 40, 0, &exit), runs(2, "b", 0, 4, &disk), runs(2, "b", 0, 9, &exit)];
        let found = suspects(&[all.concat(), runs(2, "a", 20, 0, &exit)].concat(), By::Either);
        let [bad] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((&bad.cause, bad.failed), (&exit, 9));
    }

    #[test]
    fn what_fails_everywhere_is_no_place() {
        let all = [
            runs(1, "a", 0, 9, &LICENCE),
            runs(1, "b", 0, 9, &LICENCE),
            runs(1, "c", 1, 9, &LICENCE),
        ]
        .concat();
        assert_eq!(suspects(&all, By::Either), []);
        let few = [runs(1, "a", 90, 0, &LICENCE), runs(1, "b", 0, 2, &LICENCE)].concat();
        assert_eq!(suspects(&few, By::Either), []);
    }

    #[test]
    fn a_program_that_fails_or_a_job_that_comes_back_is_no_place() {
        let other_program = [runs(1, "a", 30, 0, &LICENCE), runs(2, "b", 0, 30, &LICENCE)].concat();
        assert_eq!(suspects(&other_program, By::Either), []);
        let again = vec![runs(2, "b", 0, 1, &LICENCE); 20].concat();
        assert_eq!(suspects(&[runs(1, "a", 30, 0, &LICENCE), again].concat(), By::Either), []);
    }
}
