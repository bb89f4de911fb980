//! What keeps jobs off bad places: idle ones, and those that are on hold since they ran there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Suspect;
use crate::advice::{Command, Edit, LONGEST_CONSTRAINT, Target, among, constraint_of};
use crate::text::is_fit;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeepOff {
    /// How many jobs they are.
    pub jobs: usize,
    /// They are on hold, and the command releases them.
    pub held: bool,
    /// Lines to paste into a POSIX shell.
    pub command: String,
}

/// What keeps jobs off the places suspected: a command for the jobs of the same Requirements. Jobs
/// whose Requirements are not known get none, nor do idle ones whose Requirements have all of it.
#[must_use]
pub fn keep_off(waiting: &[Waiting], suspects: &[Suspect]) -> Vec<KeepOff> {
    let exclusions: Vec<String> = suspects.iter().filter_map(Suspect::exclusion).collect();
    if exclusions.is_empty() {
        return Vec::new();
    }
    let mut of_text: BTreeMap<(bool, &str), Vec<&Waiting>> = BTreeMap::new();
    for job in waiting {
        let requirements = job.requirements.as_deref().map(str::trim);
        if let Some(text) = requirements.filter(|text| !text.is_empty() && is_fit(text)) {
            of_text.entry((job.hold.is_some(), text)).or_default().push(job);
        }
    }
    // A cluster whose idle jobs are all alike is named without its procs.
    let mut texts_of_cluster: BTreeMap<i32, BTreeSet<&str>> = BTreeMap::new();
    for ((is_held, text), jobs) in &of_text {
        for job in jobs.iter().filter(|_| !is_held) {
            texts_of_cluster.entry(job.job.cluster).or_default().insert(text);
        }
    }
    let is_alike = |cluster: i32| texts_of_cluster.get(&cluster).is_some_and(|all| all.len() == 1);
    let mut found = Vec::new();
    for (&(held, text), jobs) in &of_text {
        let new: Vec<&str> =
            exclusions.iter().map(String::as_str).filter(|one| !text.contains(one)).collect();
        let edit = Command::Edit(Edit {
            attribute: "Requirements".to_owned(),
            old: Some(text.to_owned()),
            new: format!("({text}) && {}", new.join(" && ")),
        });
        let edit = Some(edit).filter(|_| !new.is_empty());
        if held {
            let targets: Vec<Target> = jobs.iter().filter_map(|job| job.hold).collect();
            if let Some(constraint) = constraint_of(&targets) {
                let lines = edit.into_iter().chain([Command::Release]);
                let lines: Vec<String> = lines.map(|line| line.line(&constraint)).collect();
                found.push(KeepOff { jobs: jobs.len(), held, command: lines.join(" &&\n") });
            }
        } else if let Some(edit) = edit {
            let jobs: Vec<JobId> = jobs.iter().map(|job| job.job).collect();
            for (jobs, constraint) in constraints(&jobs, is_alike) {
                found.push(KeepOff { jobs, held, command: edit.line(&constraint) });
            }
        }
    }
    found.sort_by_key(|one| (one.held, std::cmp::Reverse(one.jobs)));
    found
}

/// Constraints that are true for these jobs while they are idle, none longer than can be pasted,
/// with how many jobs each is for.
fn constraints(jobs: &[JobId], is_alike: impl Fn(i32) -> bool) -> Vec<(usize, String)> {
    let mut procs: BTreeMap<i32, BTreeSet<i32>> = BTreeMap::new();
    for job in jobs {
        procs.entry(job.cluster).or_default().insert(job.proc);
    }
    let (alike, mixed): (Vec<_>, Vec<_>) =
        procs.into_iter().partition(|(cluster, _)| is_alike(*cluster));
    let mut found: Vec<(usize, String)> = Vec::new();
    let whole = |clusters: &BTreeSet<i32>| {
        format!("{} && JobStatus == 1", among("ClusterId", clusters.clone()))
    };
    let (mut together, mut count) = (BTreeSet::new(), 0);
    for (cluster, procs) in alike {
        together.insert(cluster);
        if whole(&together).len() > LONGEST_CONSTRAINT {
            together.remove(&cluster);
            found.push((count, whole(&together)));
            (together, count) = (BTreeSet::from([cluster]), 0);
        }
        count += procs.len();
    }
    if !together.is_empty() {
        found.push((count, whole(&together)));
    }
    for (cluster, procs) in mixed {
        let count = procs.len();
        let text =
            format!("ClusterId == {cluster} && {} && JobStatus == 1", among("ProcId", procs));
        if text.len() <= LONGEST_CONSTRAINT {
            found.push((count, text));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::Cause;

    fn suspect(place: &str, is_site: bool) -> Suspect {
        Suspect {
            place: place.to_owned(),
            is_site,
            cause: Cause::Evicted,
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
        let found = keep_off(&jobs, &[suspect("e1.example.org", false), suspect("Hilltop", true)]);
        let exclusions =
            "TARGET.Machine =!= \"e1.example.org\" && TARGET.GLIDEIN_Site =!= \"Hilltop\"";
        let line = |constraint: &str, old: &str| {
            format!(
                "condor_qedit -constraint '{constraint}' Requirements '({old}) && {exclusions}'"
            )
        };
        let expected = [
            (3, line("ClusterId >= 7 && ClusterId <= 8 && JobStatus == 1", "A")),
            (1, line("ClusterId == 9 && ProcId == 2 && JobStatus == 1", "A")),
            (1, line("ClusterId == 9 && ProcId == 0 && JobStatus == 1", "B")),
        ];
        let found: Vec<(usize, String)> =
            found.into_iter().map(|one| (one.jobs, one.command)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_there_already_is_not_added() {
        let has = "X && TARGET.Machine =!= \"e1\"";
        assert_eq!(keep_off(&[idle(1, 0, has)], &[suspect("e1", false)]), []);
        let unknown = Waiting { requirements: None, ..idle(1, 0, "") };
        assert_eq!(keep_off(&[unknown], &[suspect("e1", false)]), []);
        for place in ["10.0.0.1:9618", "a\"b", "x\n", ""] {
            assert_eq!(keep_off(&[idle(1, 0, "A")], &[suspect(place, false)]), [], "{place}");
        }
    }

    #[test]
    fn held_jobs_are_released_elsewhere() {
        let held = |proc| {
            let job = JobId::new(7, proc);
            let hold = Target { job, code: Some(3), num_holds: Some(1), since: None };
            Waiting { hold: Some(hold), ..idle(7, proc, "A") }
        };
        let found = keep_off(&[held(0), held(1)], &[suspect("e1", false)]);
        let constraint = "(ClusterId == 7 && ProcId >= 0 && ProcId <= 1 && JobStatus == 5 && \
                          HoldReasonCode == 3 && NumHolds == 1)";
        let expected = format!(
            "condor_qedit -constraint '{constraint}' Requirements '(A) && TARGET.Machine =!= \"e1\"' \
             &&\ncondor_release -constraint '{constraint}'"
        );
        assert_eq!(found, [KeepOff { jobs: 2, held: true, command: expected }]);
        let mut ready = held(0);
        ready.requirements = Some("TARGET.Machine =!= \"e1\"".to_owned());
        let found = keep_off(&[ready], &[suspect("e1", false)]);
        assert!(found[0].command.starts_with("condor_release"), "{found:?}");
    }

    #[test]
    fn many_clusters_take_several_commands() {
        let jobs: Vec<Waiting> = (0..2000).map(|n| idle(2 * n + 1, 0, "A")).collect();
        let found = keep_off(&jobs, &[suspect("e1", false)]);
        assert_eq!(found.iter().map(|one| one.jobs).sum::<usize>(), 2000);
        assert!(found.len() > 5 && found.iter().all(|one| one.command.len() < 4095));
    }
}
