//! Holds by limits, policies and people: 1, 3, 4, 14, 15, 16, 21, 22, 26, 34, 46, 47.
//!
//! Sources: `src/condor_starter.V6.1/vanilla_proc.cpp`, `docker_proc.cpp`, `starter.cpp` (34);
//! `src/condor_utils/param_info.in` (`HOLD_IF_MEMORY_EXCEEDED`, `HOLD_IF_DISK_EXCEEDED`: 21);
//! `src/condor_utils/user_job_policy.cpp` (3, 26, 46, 47); `src/condor_shadow.V6.1/baseshadow.cpp`
//! (14, 22); `src/condor_shadow.V6.1/NTreceivers.cpp` (4); `src/condor_schedd.V6/schedd.cpp` (1);
//! `src/condor_utils/submit_utils.cpp` (15, 16). Texts of 26 are the administrators' own.

use super::fill::Names;
use super::{Place, Wording, Written};
use crate::cause::{Enforcement, Symptom};
use crate::random::Dice;
use crate::world::Container;

pub(super) fn write(
    place: &Place<'_>,
    symptom: &Symptom,
    mut names: Names,
    dice: &mut Dice,
) -> Written {
    let clock = place.world.clock;
    let (code, subcode, text, by_starter) = match *symptom {
        Symptom::Memory { by, limit, used } => {
            (names.a, names.b) = (limit, used);
            memory(place, by, &mut names, dice)
        }
        Symptom::Disk { by, limit, used } => {
            (names.a, names.b) = (limit / 1024, used / 1024);
            match by {
                Enforcement::Cgroup => {
                    names.message = format!("{:.1} GB", limit as f64 / 1024.0 / 1024.0);
                    let text = "Job has exceeded allocated disk ({message}). Consider increasing the value of request_disk.";
                    (34, 104, text, true)
                }
                _ => (21, 104, "disk usage exceeded allocated disk", true),
            }
        }
        Symptom::ExecuteDuration { limit } => {
            names.message = time_short(clock.lasting(limit));
            (47, 0, "The job exceeded allowed execute duration of {message}", false)
        }
        Symptom::JobDuration { limit } => {
            names.message = time_short(clock.lasting(limit));
            (46, 0, "The job exceeded allowed job duration of {message}", false)
        }
        Symptom::OwnLimit { limit } => {
            names.a = clock.lasting(limit);
            if place.workflow.hold_wording.is_multiple_of(2) {
                let text = "The job attribute PeriodicHold expression '(time() - JobCurrentStartExecutingDate) > {a}' evaluated to TRUE";
                (3, 0, text, false)
            } else {
                (3, 42, "ran longer than the limit of this job", false)
            }
        }
        Symptom::StartdLimit { hours } => {
            let limit = clock.lasting(hours * 3_600);
            let (number, text) = match limit {
                ..60 => (limit, "Job failed to complete in {a} seconds"),
                60..7_200 => (limit / 60, "Job failed to complete in {a} minutes"),
                _ => (limit / 3_600, "Job failed to complete in {a} hrs"),
            };
            names.a = number;
            (21, 0, text, true)
        }
        Symptom::ExitHold { code, signal } => exit_hold(place, code, signal, &mut names),
        Symptom::Iwd { errno } => {
            names.errno = errno;
            (14, errno, "Cannot access initial working directory {iwd}: {error}", false)
        }
        Symptom::Cpus { used } => {
            names.a = used;
            (26, 120, "The CPU usage {a} exceeds the requested 1 CPUs", false)
        }
        Symptom::Fixed { code, subcode, text } => (code, subcode, text, false),
        _ => (1, 0, "via condor_hold (by user {owner})", false),
    };
    let raw = names.fill(text);
    let reason = if by_starter { format!("Error from {}: {raw}", names.slot) } else { raw.clone() };
    Written { code, subcode, reason, raw, by_starter }
}

fn memory(
    place: &Place<'_>,
    by: Enforcement,
    names: &mut Names,
    dice: &mut Dice,
) -> (i32, i32, &'static str, bool) {
    let docker = matches!(place.workflow.container, Container::Docker(_));
    match by {
        Enforcement::Cgroup if docker => {
            (34, 102, "Docker job has gone over memory limit of {a} Mb", true)
        }
        Enforcement::Cgroup => {
            let text = "Job has gone over cgroup memory limit of {a} megabytes. Last measured usage: {b} megabytes.  Consider resubmitting with a higher request_memory.";
            (34, 102, text, true)
        }
        Enforcement::CgroupOld => {
            let text =
                "Job has gone over memory limit of {a} megabytes. Peak usage: {b} megabytes.";
            // The subcode came with 24.0.12.
            (34, if place.wording == Wording::V25 { 102 } else { 0 }, text, true)
        }
        Enforcement::StartdPolicy => {
            let text = dice.pick(&[
                "memory usage exceeded request_memory",
                "memory usage exceeded request_memory",
                "Policy violation. Memory limit exceeded: requested {a}MB, used {b}MB.",
            ]);
            (21, 102, *text, true)
        }
        Enforcement::SystemPolicy => {
            // One access point has one policy.
            let text = [
                "Job put on hold due to memory usage {b} MB, requested {a} MB",
                "Memory usage exceeded request_memory",
                "Job in status 2 put on hold by SYSTEM_PERIODIC_HOLD due to memory usage {b}.",
            ][place.world.address.len() % 3];
            (26, 102, text, false)
        }
        Enforcement::JobPolicy => {
            names.message = "MemoryUsage > RequestMemory".to_owned();
            let text = "The job attribute PeriodicHold expression '{message}' evaluated to TRUE";
            (3, 34, text, false)
        }
    }
}

fn exit_hold(
    place: &Place<'_>,
    code: i32,
    signal: Option<i32>,
    names: &mut Names,
) -> (i32, i32, &'static str, bool) {
    names.code = i64::from(signal.unwrap_or(code));
    let (subcode, text) = match (place.workflow.hold_wording, signal) {
        (_, None) if code == 75 => {
            (75, "temporary failure reported by the program, exit code {code}")
        }
        (0 | 1, _) => (
            0,
            "The job attribute OnExitHold expression '(ExitBySignal == true) || (ExitCode != 0)' evaluated to TRUE",
        ),
        (2, _) => (0, "The job attribute OnExitHold expression 'ExitCode =!= 0' evaluated to TRUE"),
        (3, None) => (code, "The job exited with exit code {code}"),
        (3, Some(_)) => (1, "The job was killed by signal {code}"),
        (4, _) => (1, "program failed, see its standard error"),
        (_, None) => (33, "non-zero exit code {code}"),
        (_, Some(_)) => (33, "ended by signal {code}"),
    };
    (3, subcode, text, false)
}

/// `format_time_short` of `src/condor_utils/format_time.cpp`: days and leading zeros only where
/// needed.
fn time_short(seconds: i64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60);
    if days > 0 {
        format!("{days}+{clock}")
    } else {
        clock.trim_start_matches(['0', ':']).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_in_logs() {
        assert_eq!(time_short(20 * 3_600), "20:00:00");
        assert_eq!(time_short(40 * 3_600), "1+16:00:00");
        assert_eq!(time_short(90 * 60), "1:30:00");
    }
}
