//! Runs that ended alike, kept apart by what their programs wrote.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{End, FailureCause, JobRun};
use crate::history::reason::normalised;
use crate::text::shown;

/// Jobs that share a line from which on it is a cause of its own.
const LEAST: usize = 2;

/// Characters of a line that are shown.
const LINE: usize = 60;

/// Gives the last runs of jobs that ended with the same exit code or signal different causes where
/// their programs wrote different lines. `says` has the line; of the runs of each job in their
/// order the last one is asked about.
pub(super) fn tell_apart(runs: &mut [JobRun], mut says: impl FnMut(&JobRun) -> Option<String>) {
    let mut alike: BTreeMap<(FailureCause, String), Vec<(usize, String)>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        let is_last = runs.get(at + 1).is_none_or(|next| next.job != run.job);
        if let End::Failed(cause @ (FailureCause::Exit(_) | FailureCause::Signal(_))) = &run.end
            && is_last
            && let Some(line) = says(run)
        {
            let key = (cause.clone(), normalised(&line));
            alike.entry(key).or_default().push((at, line));
        }
    }
    for ((cause, _), lines) in alike {
        let Some((_, first)) = lines.first().filter(|_| lines.len() >= LEAST) else { continue };
        let cause = cause.saying(Arc::from(shown(first.trim(), LINE)));
        for (at, _) in lines {
            runs[at].end = End::Failed(cause.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::JobId;

    #[test]
    fn a_line_that_two_jobs_share_is_a_cause() {
        let run = |proc, code| JobRun {
            job: JobId::new(1, proc),
            machine: None,
            site: None,
            began: 0,
            seconds: 10,
            executed: true,
            end: End::Failed(FailureCause::Exit(Some(code))),
        };
        // The first job ran twice, and its file has the output of the second run.
        let mut runs = vec![run(0, 1), run(0, 1), run(1, 1), run(2, 1), run(3, 2)];
        let mut asked = Vec::new();
        tell_apart(&mut runs, |run| {
            asked.push(run.job.proc);
            Some(match run.job.proc {
                2 => "KeyError: 'x'".to_owned(),
                number => format!("OSError: no /data/{number}/\u{1b}[31mx\n{}", "y".repeat(90)),
            })
        });
        assert_eq!(asked, [0, 1, 2, 3]);
        let names: Vec<String> = runs
            .iter()
            .map(|run| match &run.end {
                End::Failed(cause) => cause.name(),
                _ => String::new(),
            })
            .collect();
        let said = format!("exit 1: \"OSError: no /data/0/x {}...\"", "y".repeat(35));
        assert_eq!(names, ["exit 1", &said, &said, "exit 1", "exit 2"]);
    }
}
