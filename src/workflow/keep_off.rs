//! What keeps jobs off bad places: idle ones, and those that are on hold since they ran there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Suspect;
use crate::advice::{
    Command, Editable, LONGEST_CONSTRAINT, Target, constraint_of, constraint_of_jobs,
};
use crate::text::can_be_pasted;
use eventlog::JobId;

/// A job in the queue that may start at a bad place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The job.
    pub job: JobId,
    /// The text of its Requirements.
    pub requirements: Option<String>,
    /// Its hold; `None`: it is idle.
    pub hold: Option<Target>,
}

/// Jobs, and the command that keeps them off bad places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct KeepOff {
    /// How many jobs they are.
    pub jobs: usize,
    /// They are on hold, and the command releases them.
    pub held: bool,
    /// Lines to paste into a POSIX shell.
    pub command: String,
}

/// What keeps jobs off the places suspected: a command for the jobs of the same Requirements. Jobs
/// whose Requirements are not known or not `editable` get none, nor do idle ones whose Requirements
/// have all of it.
pub fn keep_off(waiting: &[Waiting], suspects: &[Suspect], editable: &Editable) -> Vec<KeepOff> {
    let exclusions: Vec<String> = suspects.iter().filter_map(Suspect::exclusion).collect();
    if exclusions.is_empty() {
        return Vec::new();
    }
    let mut of_text: BTreeMap<(bool, &str), Vec<&Waiting>> = BTreeMap::new();
    for job in waiting {
        let requirements = job.requirements.as_deref().map(str::trim);
        if let Some(text) = requirements.filter(|text| !text.is_empty() && can_be_pasted(text)) {
            of_text.entry((job.hold.is_some(), text)).or_default().push(job);
        }
    }
    let mut found = Vec::new();
    for (&(held, text), jobs) in &of_text {
        let new: Vec<&str> =
            exclusions.iter().map(String::as_str).filter(|one| !text.contains(one)).collect();
        let edit = match new.is_empty() {
            true => None,
            false => {
                let all = format!("({text}) && {}", new.join(" && "));
                let edit = editable.edit("Requirements", Some((*text).to_owned()), &all);
                let Some(edit) = edit else { continue };
                Some(Command::Edit(edit))
            }
        };
        // A job that asks for the place would match nothing.
        let asks_for_it = |suspect: &Suspect| {
            let exclusion = suspect.exclusion();
            text.contains(&suspect.place) && exclusion.is_none_or(|one| !text.contains(&one))
        };
        if suspects.iter().any(asks_for_it) {
            continue;
        }
        if held {
            let targets: Vec<Target> = jobs.iter().filter_map(|job| job.hold).collect();
            if let Some(constraint) = constraint_of(&targets) {
                let lines = edit.into_iter().chain([Command::Release]);
                let lines: Vec<String> = lines.map(|line| line.line(&constraint)).collect();
                let fits = lines.iter().all(|line| line.len() <= LONGEST_LINE);
                let command = lines.join(" &&\n");
                found.extend(fits.then_some(KeepOff { jobs: jobs.len(), held, command }));
            }
        } else if let Some(edit) = edit {
            let jobs: Vec<JobId> = jobs.iter().map(|job| job.job).collect();
            for (jobs, constraint) in constraints(&jobs) {
                let command = edit.line(&constraint);
                let fits = command.len() <= LONGEST_LINE;
                found.extend(fits.then_some(KeepOff { jobs, held, command }));
            }
        }
    }
    found.sort_by_key(|one| (one.held, std::cmp::Reverse(one.jobs)));
    found
}

/// Bytes of a line that a terminal passes on (termios(3), canonical mode).
const LONGEST_LINE: usize = 4_095;

/// Constraints that are true for these jobs alone, while they are idle, none longer than can be
/// pasted, with how many jobs each is for.
pub(super) fn constraints(jobs: &[JobId]) -> Vec<(usize, String)> {
    let text =
        |jobs: &[JobId]| format!("{} && JobStatus == 1", constraint_of_jobs(jobs.iter().copied()));
    let mut found = Vec::new();
    let mut open = vec![jobs];
    while let Some(jobs) = open.pop() {
        let all = text(jobs);
        if all.len() <= LONGEST_CONSTRAINT {
            found.push((jobs.len(), all));
        } else if jobs.len() > 1 {
            let (first, second) = jobs.split_at(jobs.len() / 2);
            open.extend([second, first]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::FailureCause;

    fn suspect(place: &str, is_site: bool) -> Suspect {
        Suspect {
            place: place.to_owned(),
            is_site,
            cause: FailureCause::Evicted,
            any_cause: false,
            failed: 9,
            ended: 9,
            failed_elsewhere: 0,
            ended_elsewhere: 9,
            black_hole: None,
            chance: 1e-6,
        }
    }

    fn idle(cluster: i32, proc: i32, requirements: &str) -> Waiting {
        let requirements = Some(requirements.to_owned());
        Waiting { job: JobId::new(cluster, proc), requirements, hold: None }
    }

    #[test]
    fn a_command_is_for_jobs_of_the_same_requirements() {
        let jobs =
            [idle(7, 0, "A"), idle(7, 1, "A"), idle(8, 0, "A"), idle(9, 0, "B"), idle(9, 2, "A")];
        let found = keep_off(
            &jobs,
            &[suspect("e1.example.org", false), suspect("Hilltop", true)],
            &Editable::default(),
        );
        let exclusions =
            "TARGET.Machine =!= \"e1.example.org\" && TARGET.GLIDEIN_Site =!= \"Hilltop\"";
        let line = |constraint: &str, old: &str| {
            format!(
                "condor_qedit -constraint '{constraint}' Requirements '({old}) && {exclusions}'"
            )
        };
        let expected = [
            (
                4,
                line(
                    "((ClusterId == 8 && ProcId == 0) || (ClusterId == 7 && ProcId >= 0 && ProcId <= 1) || \
                     (ClusterId == 9 && ProcId == 2)) && JobStatus == 1",
                    "A",
                ),
            ),
            (1, line("ClusterId == 9 && ProcId == 0 && JobStatus == 1", "B")),
        ];
        let found: Vec<(usize, String)> =
            found.into_iter().map(|one| (one.jobs, one.command)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_there_already_is_not_added() {
        let has = "X && TARGET.Machine =!= \"e1\"";
        assert_eq!(keep_off(&[idle(1, 0, has)], &[suspect("e1", false)], &Editable::default()), []);
        let unknown = Waiting { requirements: None, ..idle(1, 0, "") };
        assert_eq!(keep_off(&[unknown], &[suspect("e1", false)], &Editable::default()), []);
        let asks = "TARGET.Machine == \"e1\"";
        assert_eq!(
            keep_off(&[idle(1, 0, asks)], &[suspect("e1", false)], &Editable::default()),
            []
        );
        for place in ["10.0.0.1:9618", "a\"b", "x\n", ""] {
            assert_eq!(
                keep_off(&[idle(1, 0, "A")], &[suspect(place, false)], &Editable::default()),
                [],
                "{place}"
            );
        }
    }

    #[test]
    fn held_jobs_are_released_elsewhere() {
        let held = |proc| {
            let job = JobId::new(7, proc);
            let hold = Target { job, code: Some(3), num_holds: Some(1), since: None };
            Waiting { hold: Some(hold), ..idle(7, proc, "A") }
        };
        let found = keep_off(&[held(0), held(1)], &[suspect("e1", false)], &Editable::default());
        let constraint = "(ClusterId == 7 && ProcId >= 0 && ProcId <= 1 && JobStatus == 5 && \
                          NumHolds == 1)";
        let expected = format!(
            "condor_qedit -constraint '{constraint}' Requirements '(A) && TARGET.Machine =!= \"e1\"' \
             &&\ncondor_release -constraint '{constraint}'"
        );
        assert_eq!(found, [KeepOff { jobs: 2, held: true, command: expected }]);
        let mut ready = held(0);
        ready.requirements = Some("TARGET.Machine =!= \"e1\"".to_owned());
        let found = keep_off(&[ready], &[suspect("e1", false)], &Editable::default());
        assert!(found[0].command.starts_with("condor_release"), "{found:?}");
    }

    #[test]
    fn many_clusters_take_several_commands() {
        let jobs: Vec<Waiting> = (0..2000).map(|n| idle(2 * n + 1, 0, "A")).collect();
        let found = keep_off(&jobs, &[suspect("e1", false)], &Editable::default());
        assert_eq!(found.iter().map(|one| one.jobs).sum::<usize>(), 2000);
        assert!(found.len() > 5 && found.iter().all(|one| one.command.len() < 4095));
    }
}
