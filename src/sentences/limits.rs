//! What like jobs show about a limit, as sentences.

use super::changes::request;
use super::{figure, span};
use crate::advice::{Count, Figure, Like, LimitFinding, LimitSeen};
use crate::text::plural;

/// Seconds up to which a time is said in seconds.
const EXACT: f64 = 600.0;

/// A time, to the second where it is short.
fn time(seconds: impl Into<Figure>) -> String {
    let seconds = seconds.into();
    // The range of seconds in a log: the conversion loses only a fraction.
    let [least, most] = [seconds.least, seconds.most].map(|seconds| seconds.min(1e15) as i64);
    match seconds.least < EXACT {
        true if seconds.most < EXACT => {
            format!("{} s", figure(seconds, |seconds| format!("{seconds:.0}")))
        }
        true => format!("{:.0} s to {}", seconds.least, span(most)),
        false => span(Count { least, most }),
    }
}

/// `1 to 3 s`.
fn times(took: Figure) -> String {
    match took {
        Figure { least, most } if least == most => time(most),
        Figure { least, most } if most < EXACT => format!("{least:.0} to {}", time(most)),
        Figure { least, most } => format!("{} to {}", time(least), time(most)),
    }
}

/// `12 other jobs of this cluster`.
fn jobs(count: usize, like: Like) -> String {
    match like {
        Like::Cluster => format!("{} of this cluster", plural(count, "other job")),
        Like::Program => {
            format!("{} of this owner with the same program", plural(count, "other job"))
        }
    }
}

/// What like jobs show about the limit of a job.
pub(crate) fn seen(seen: &LimitSeen) -> String {
    match seen {
        LimitSeen::RunTime {
            finding,
            like,
            finished,
            took: Some(took),
            ran,
            limit,
            ran_again,
            finished_again,
            ..
        } => {
            let finished = format!("{} finished in {}", jobs(*finished, *like), times(*took));
            let again = match (ran_again, finished_again) {
                (0, _) => String::new(),
                (all, well) => format!(
                    " Of {} that ended in such a hold and began again after a release, {well} finished.",
                    plural(*all, "run")
                ),
            };
            match finding {
                LimitFinding::Hung => format!(
                    "{finished}; this run was still going after {}. It seems stuck: a higher limit would \
                     only let it hang for longer. Look at what it waits for.{again}",
                    time(*ran)
                ),
                LimitFinding::TooLow => format!(
                    "{finished}; {} are allowed, and this run was held after {}: the limit is too low.",
                    time(*limit),
                    time(*ran)
                ),
                _ => format!("{finished}; this run was held after {}.", time(*ran)),
            }
        }
        LimitSeen::RunTime { like, limit, held_alike, .. } => {
            let of = match like {
                Like::Cluster => "of this cluster",
                Like::Program => "of this owner with the same program",
            };
            format!(
                "{} {of} were held for this limit ({}), and none of the cluster has finished: the limit is too \
                 low.",
                plural(*held_alike, "run"),
                time(*limit)
            )
        }
        LimitSeen::Usage { finding, resource, like, finished, peaks, runs, .. } => {
            let (name, unit) = request(*resource);
            let what = name.trim_start_matches("Request").to_ascii_lowercase();
            let others = peaks.map(|peaks| {
                format!(
                    "{} finished with {peaks} {unit} of {what} at their peak",
                    jobs(*finished, *like)
                )
            });
            let runs: Vec<String> = runs.iter().map(Count::to_string).collect();
            match (finding, others) {
                (LimitFinding::Leak, others) => {
                    let others = others.map_or(String::new(), |others| {
                        format!(" {others}: compare its input with theirs.")
                    });
                    format!(
                        "Each of its last {} runs used up more {what} than the one before: {} {unit}. It leaks, or what \
                         it needs is not known: a larger {name} waits longer for a slot, costs another run and may \
                         be used up too. Look whether its {what} grows for as long as it runs.{others}",
                        runs.len(),
                        runs.join(", ")
                    )
                }
                (LimitFinding::TooLow, Some(others)) => {
                    format!("{others}: {name} of this job is too small.")
                }
                (_, Some(others)) => match runs.last() {
                    Some(own) => format!("{others}; this run had {own} {unit}."),
                    None => format!("{others}."),
                },
                (_, None) => String::new(),
            }
        }
    }
}

/// Why a request is raised to what like jobs used.
pub(crate) fn finished_with(
    most: Figure,
    enough_for: Option<[usize; 2]>,
    used: Option<Figure>,
    unit: &str,
) -> String {
    let own = used.map_or(String::new(), |used| format!("it used {used} {unit}, "));
    let enough = enough_for.map_or(String::new(), |[enough, all]| {
        format!("; this is enough for {enough} of the {all} that needed more than it was given")
    });
    format!(" ({own}like jobs that finished used up to {most} {unit}{enough})")
}
