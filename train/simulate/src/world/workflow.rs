//! A kind of cluster that an owner submits again and again.

use holdadvise::hold_code::OUT_OF_RESOURCES;

use super::Clock;
use super::owner::Scene;
use super::site::SOFTWARE;
use crate::layer::NeedParameters;
use crate::preset::Preset;
use crate::random::{Dice, Spread};

/// What the jobs run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    None,
    /// Its registry.
    Docker(usize),
    Singularity,
}

/// How a failure of the program shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// `on_exit_hold`: 3.
    Hold,
    /// A declared output is not there: 12/2.
    MissingOutput,
    /// The job terminates with its exit code.
    ExitCode,
}

/// What a limit on run time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// `allowed_job_duration`: 46.
    Job,
    /// `allowed_execute_duration`: 47.
    Execution,
    /// `periodic_hold`: 3.
    Policy,
}

/// `periodic_release` of a submit description.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PeriodicRelease {
    pub(crate) delay: i64,
    pub(crate) most_starts: i64,
    /// Only these codes; `None` any but 1.
    pub(crate) codes: Option<&'static [i32]>,
    /// Memory grows with each hold for memory (`retry_request_memory`).
    pub(crate) grows_memory: bool,
}

impl PeriodicRelease {
    /// The expression in the job ad.
    pub(crate) fn expression(&self, clock: Clock) -> String {
        let codes = match self.codes {
            None => "(HoldReasonCode =!= 1)".to_owned(),
            Some(codes) => {
                let any: Vec<String> =
                    codes.iter().map(|code| format!("(HoldReasonCode =?= {code})")).collect();
                format!("({})", any.join(" || "))
            }
        };
        format!(
            "{codes} && (NumShadowStarts < {}) && ((time() - EnteredCurrentStatus) > {})",
            self.most_starts,
            clock.lasting(self.delay)
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Workflow {
    pub(crate) project: &'static str,
    pub(crate) program: &'static str,
    pub(crate) run: Spread,
    pub(crate) cluster_size: Spread,
    pub(crate) request_memory: i64,
    pub(crate) memory: f64,
    pub(crate) memory_between_runs: f64,
    /// KiB.
    pub(crate) request_disk: i64,
    pub(crate) disk: f64,
    pub(crate) disk_between_runs: f64,
    pub(crate) input_files: usize,
    /// Servers of its URLs.
    pub(crate) input_services: Vec<usize>,
    pub(crate) output_service: Option<usize>,
    pub(crate) software: Option<usize>,
    pub(crate) runtime_service: Option<usize>,
    pub(crate) container: Container,
    pub(crate) failure: Failure,
    /// Codes a failure exits with.
    pub(crate) exit_code: i32,
    pub(crate) signal: Option<i32>,
    /// Runs that fail for no reason.
    pub(crate) flaky: f64,
    /// Share of runs that hang.
    pub(crate) hangs: f64,
    pub(crate) streams: bool,
    pub(crate) shared_filesystem: bool,
    pub(crate) needs_credential: bool,
    pub(crate) periodic_release: Option<PeriodicRelease>,
    /// `periodic_hold` on memory.
    pub(crate) holds_itself: bool,
    /// Its failures for want of a licence server or database have an exit code of their own.
    pub(crate) tells_temporary: bool,
    /// Seconds that a run may take.
    pub(crate) duration_limit: Option<(i64, Limit)>,
    pub(crate) hold_wording: usize,
}

const PROJECTS: [&str; 20] = [
    "genome",
    "climate-downscaling",
    "md-runs",
    "neutrino-sim",
    "lensing",
    "phylo",
    "docking",
    "image-seg",
    "weather",
    "qcd",
    "calibration",
    "soil-model",
    "brain-maps",
    "plasma",
    "fmri",
    "glacier",
    "pangenome",
    "seismic",
    "ml-sweep",
    "crystal",
];
const PROGRAMS: [&str; 14] = [
    "run.sh",
    "simulate.py",
    "align.sh",
    "train.py",
    "job_wrapper.sh",
    "fit",
    "reco.sh",
    "wrapper.py",
    "analyze.R",
    "launch.sh",
    "process.py",
    "minimize",
    "extract.sh",
    "blast.sh",
];

impl Workflow {
    pub(crate) fn draw(preset: &Preset, scene: &Scene<'_>, dice: &mut Dice) -> Self {
        let (usage, flaws, jobs) = (&preset.usage, &preset.flaws, &preset.jobs);
        let within = |dice: &mut Dice, [from, to]: [f64; 2]| from + (to - from) * dice.unit();
        let run = Spread {
            median: dice.spread(jobs.run_minutes) * 60.0,
            sigma: jobs.run_minutes_between_jobs,
        };
        let request_memory = *dice.pick(&usage.memory_request_mb);
        let request_disk = *dice.pick(&usage.disk_request_mb) * 1024;
        let input_services = match dice.below(10) {
            0..=3 => Vec::new(),
            4..=8 => vec![skewed(scene.services, dice)],
            _ => vec![skewed(scene.services, dice), skewed(scene.services, dice)],
        };
        let container = match dice.below(10) {
            0..=5 => Container::None,
            6 | 7 => Container::Docker(dice.below(2)),
            _ => Container::Singularity,
        };
        let failure = *dice.pick(&[
            Failure::Hold,
            Failure::Hold,
            Failure::MissingOutput,
            Failure::MissingOutput,
            Failure::ExitCode,
        ]);
        let limit_hours = *dice.pick(&usage.execute_limit_hours);
        let limited = dice.chance(usage.execute_limit);
        let run = if limited {
            let near = 0.35 + 0.75 * dice.unit();
            let of_limit = beyond(preset, |needs| needs.run_time, dice).unwrap_or(near);
            Spread { median: limit_hours * 3_600.0 * of_limit, sigma: 0.15 }
        } else {
            run
        };
        let size = jobs.cluster_size;
        let needs_memory = beyond(preset, |needs| needs.memory, dice);
        let needs_disk = beyond(preset, |needs| needs.disk, dice);
        let hung = preset.hung.as_ref().map(|hung| {
            let hangs =
                if dice.chance(hung.workflows) { within(dice, hung.runs) } else { hung.others };
            let own = !limited && dice.chance(hung.limits);
            let limit = own.then(|| (run.median * within(dice, hung.limit_of_run)) as i64);
            (hangs, limit.map(|limit| (limit.max(30), *dice.pick(&OWN_LIMITS))))
        });
        let (hangs, own_limit) = hung.unwrap_or_default();
        Self {
            project: PROJECTS[dice.below(PROJECTS.len())],
            program: PROGRAMS[dice.below(PROGRAMS.len())],
            run,
            cluster_size: Spread {
                // Long jobs come in small clusters.
                median: size.median
                    * dice.spread(Spread { median: 1.0, sigma: 0.5 })
                    * if limited { 0.3 } else { 1.0 },
                sigma: size.sigma * 0.6,
            },
            request_memory,
            memory: request_memory as f64
                * needs_memory.unwrap_or_else(|| dice.spread(usage.memory_of_request).min(1.6)),
            memory_between_runs: within(dice, usage.memory_between_runs),
            request_disk,
            disk: request_disk as f64
                * needs_disk.unwrap_or_else(|| dice.spread(usage.disk_of_request).min(1.6)),
            disk_between_runs: within(dice, usage.disk_between_runs),
            input_files: 1 + dice.below(3),
            input_services,
            output_service: dice.chance(0.15).then(|| skewed(scene.services, dice)),
            software: dice.chance(0.35).then(|| dice.below(SOFTWARE)),
            runtime_service: dice.chance(0.4).then(|| dice.below(4)),
            container,
            failure,
            exit_code: *dice.pick(&[1, 1, 1, 1, 2, 85, 127, 134, 255]),
            signal: dice.chance(0.12).then(|| *dice.pick(&[6, 9, 11])),
            flaky: if dice.chance(flaws.flaky) { 0.03 + 0.12 * dice.unit() } else { 0.003 },
            streams: dice.chance(0.1),
            shared_filesystem: dice.chance(0.12),
            needs_credential: dice.chance(0.3),
            periodic_release: dice
                .chance(preset.people.periodic_release)
                .then(|| periodic_release(dice)),
            holds_itself: dice.chance(0.08),
            tells_temporary: dice.chance(0.3),
            duration_limit: if limited {
                let by =
                    *dice.pick(&[Limit::Execution, Limit::Execution, Limit::Job, Limit::Policy]);
                Some(((limit_hours * 3_600.0) as i64, by))
            } else {
                own_limit
            },
            hangs,
            hold_wording: dice.below(6),
        }
    }
}

/// Limits that owners set for fear of runs that hang: assumed.
const OWN_LIMITS: [Limit; 4] = [Limit::Execution, Limit::Job, Limit::Policy, Limit::Policy];

/// Of which the workflow needs so many times as much as it asks for or may have, where it does.
fn beyond(preset: &Preset, share: impl Fn(&NeedParameters) -> f64, dice: &mut Dice) -> Option<f64> {
    let needs = preset.needs.as_ref()?;
    dice.chance(share(needs)).then(|| needs.most.powf(dice.unit()))
}

/// Few services have most of the users.
fn skewed(count: usize, dice: &mut Dice) -> usize {
    dice.weighted((0..count).map(|index| 1.0 / (1.0 + index as f64)))
}

fn periodic_release(dice: &mut Dice) -> PeriodicRelease {
    const TRANSFER: &[i32] = &[12, 13];
    const MEMORY: &[i32] = &[OUT_OF_RESOURCES];
    let codes = *dice.pick(&[None, None, Some(TRANSFER), Some(MEMORY)]);
    PeriodicRelease {
        delay: *dice.pick(&[600, 900, 1_200, 1_800, 3_600, 3_600, 10_800]),
        most_starts: dice.between(3, 6),
        codes,
        grows_memory: codes == Some(MEMORY),
    }
}
