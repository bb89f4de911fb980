//! What changed since the last look, in English.

use super::LONG_NAME;
use super::times::minute;
use crate::advice::news::{End, News};
use crate::queue::QueueError;
use crate::text::{Foreign, plural};
use eventlog::JobId;
use jiff::tz::TimeZone;

/// The schedd was away.
pub(crate) const ANSWERS_AGAIN: &str = "the queue answers again";

/// Nothing is left to watch.
pub(crate) const NONE_LEFT: &str = "None of the jobs is in the queue any more.";

/// A look failed.
pub(crate) fn asks_again(error: &QueueError) -> String {
    format!("{error}; it is asked again until it answers")
}

fn jobs_of(job: JobId, jobs: usize) -> String {
    match jobs {
        1 => job.to_string(),
        jobs => format!("{} of cluster {}", plural(jobs, "job"), job.cluster),
    }
}

/// What changed, before the jobs.
pub(crate) fn news(news: News) -> String {
    match news {
        News::Found | News::Held => "On hold".to_owned(),
        News::HeldAgain => "On hold again".to_owned(),
        News::Advice { was } => format!("Was {}", was.name()),
        News::Detail { was } => format!("Another {}", was.name()),
    }
}

/// How the holds of these jobs ended.
pub(crate) fn end_of_hold(job: JobId, jobs: usize, end: End) -> String {
    let who = jobs_of(job, jobs);
    let (was, is) = if jobs == 1 { ("was", "is") } else { ("were", "are") };
    match end {
        End::Released(state) => format!("{who} {was} released and {is} {state}."),
        End::Removed => format!("{who} {was} removed."),
        End::Finished(Some(status)) => format!("{who} finished with status {status}."),
        End::Finished(None) => format!("{who} finished."),
        End::Signalled(signal) => format!("{who} finished, ended by signal {signal}."),
        End::NotAsked => format!("{who} {is} on hold, and no longer among the jobs asked about."),
        End::Gone => format!("{who} {is} no longer in the queue."),
    }
}

/// How and when a job ended that is over; `None` for one that is not.
pub(crate) fn ended(
    job: JobId,
    end: End,
    at: Option<i64>,
    reason: Option<&Foreign>,
    zone: &TimeZone,
) -> Option<String> {
    let at = at.map_or_else(String::new, |at| format!(" at {}", minute(at, zone)));
    let how = match end {
        End::Finished(Some(status)) => format!("completed{at} with exit code {status}"),
        End::Finished(None) => format!("completed{at}"),
        End::Signalled(signal) => format!("was ended{at} by signal {signal}"),
        End::Removed => match reason {
            Some(reason) => format!("was removed{at}, RemoveReason {}", reason.quoted(LONG_NAME)),
            None => format!("was removed{at}"),
        },
        End::Released(_) | End::NotAsked | End::Gone => return None,
    };
    Some(format!("{job} {how}; it is not on hold."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_jobs_and_of_groups() {
        let job = JobId::new(7, 0);
        let lines = [
            end_of_hold(job, 1, End::Released("idle")),
            end_of_hold(job, 3, End::Released("running")),
            end_of_hold(job, 1, End::Finished(Some(0))),
            end_of_hold(job, 2, End::Signalled(9)),
            end_of_hold(job, 1, End::Gone),
        ];
        insta::assert_snapshot!(lines.join("\n"));
    }
}
