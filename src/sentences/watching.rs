//! What changed since the last look, in English.

use super::choices::look_at;
use super::times::minute;
use super::{LONG_NAME, change, evidence, undecided, wait_for};
use crate::advice::news::{End, News};
use crate::advice::{Advice, Evidence, Recommendation};
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

/// Why it is advised, in short: what to do, and the evidence that tells most.
pub(crate) fn in_short(advice: &Advice, news: News, telling: Option<&Evidence>) -> String {
    let held = &advice.held;
    let mut sentences = Vec::new();
    if matches!(news, News::Held | News::HeldAgain)
        && let Some(reason) = &held.reason
    {
        let code = held.code.map_or_else(String::new, |code| format!("Code {code}: "));
        sentences.push(format!("{code}{}.", reason.quoted(LONG_NAME)));
    }
    let what = match advice.recommendation {
        Recommendation::Try => advice.try_one.map(|tried| format!("Release {} alone.", tried.job)),
        Recommendation::Change => advice.changes().next().map(|first| change(&first.what)),
        Recommendation::Wait => {
            advice.wait.as_ref().map(|wait| format!("Until {}.", wait_for(&wait.what)))
        }
        Recommendation::Look => advice.look.as_ref().map(look_at),
        Recommendation::Undecided => advice.undecided.as_ref().map(|why| undecided(why, held.code)),
        Recommendation::Release | Recommendation::Remove => None,
    };
    sentences.extend(what);
    sentences.extend(telling.map(evidence));
    sentences.join(" ")
}

fn jobs_of(job: JobId, jobs: usize) -> String {
    match jobs {
        1 => job.to_string(),
        jobs => format!("{} of cluster {}", plural(jobs, "job"), job.cluster),
    }
}

/// What changed for these jobs, of which `job` is the first; the reason is its, and of all where it
/// `is_same`.
pub(crate) fn news(
    job: JobId,
    jobs: usize,
    news: News,
    now: Recommendation,
    reason: &str,
    is_same: bool,
) -> String {
    let who = jobs_of(job, jobs);
    let now = now.name();
    let is = if jobs == 1 { "is" } else { "are" };
    let what = match news {
        News::Found => format!(": {now}"),
        News::Held => format!(" went on hold: {now}"),
        News::HeldAgain => format!(" {is} on hold again: {now}"),
        News::Advice { was } => format!(": {} -> {now}", was.name()),
        News::Detail { was } => {
            let other = match was {
                Recommendation::Try => ", another job",
                Recommendation::Change => ", of something else",
                Recommendation::Wait => ", for something else",
                Recommendation::Look => ", at something else",
                _ => "",
            };
            format!(": {} -> {now}{other}", was.name())
        }
    };
    let of_first = if is_same { String::new() } else { format!("The first, {job}: ") };
    format!("{who}{what}. {of_first}{reason}")
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
    use crate::print::samples;

    #[test]
    fn lines_of_jobs_and_of_groups() {
        let job = JobId::new(7, 0);
        let was = Recommendation::Wait;
        let lines = [
            news(job, 1, News::Held, Recommendation::Try, "Release 7.0 alone.", true),
            news(job, 1, News::HeldAgain, was, "Until then.", true),
            news(job, 12, News::HeldAgain, was, "Until then.", true),
            news(job, 12, News::Advice { was }, Recommendation::Release, "One began.", false),
            news(job, 2, News::Detail { was }, was, "Until then.", true),
            end_of_hold(job, 1, End::Released("idle")),
            end_of_hold(job, 3, End::Released("running")),
            end_of_hold(job, 1, End::Finished(Some(0))),
            end_of_hold(job, 2, End::Signalled(9)),
            end_of_hold(job, 1, End::Gone),
        ];
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn a_reason_is_fit_for_a_terminal() {
        let mut advice = samples::transfer(7, 0);
        advice.held.reason = Some("\u{1b}[31mred\nand more.".into());
        let text = in_short(&advice, News::Held, advice.evidence.first());
        assert!(text.starts_with("Code 13: \"red and more.\". "), "{text}");
        assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
        assert!(!in_short(&advice, News::Found, None).contains("red"));
    }
}
