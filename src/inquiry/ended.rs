//! Jobs that were named and are over: the history or a log says how they ended.

use super::{Inquiry, Remarks};
use crate::advice::news::{END_ATTRIBUTES, End};
use crate::history::{Exit, History, What, bounded};
use crate::queue::{JobSpec, Schedd};
use crate::sentences;
use eventlog::{JobId, system_zone};

/// Jobs of which the history is asked: it may be read to its end for each that it does not have.
const ASKED: usize = 100;

/// Says of jobs that are not there how they ended, where they are gone from a queue and its history
/// tells, and else that they are not there.
pub(crate) fn ended_in_history(
    absent: Vec<(JobId, String)>,
    inquiry: &Inquiry,
    schedd: &Schedd,
    remarks: &mut Remarks,
) {
    let asks = inquiry.job_ads.is_none() && !inquiry.repeats;
    let asked: Vec<JobId> =
        absent.iter().map(|(job, _)| *job).filter(|_| asks).take(ASKED).collect();
    let more = ["EnteredCurrentStatus", "CompletionDate", "RemoveReason"];
    let ads = schedd.history_ads(&asked, &[END_ATTRIBUTES, &more].concat());
    for (job, line) in absent {
        let ad = ads.get(&job);
        let time = |name| ad.and_then(|ad| bounded(ad, name)).filter(|at| *at > 0);
        let end = End::of(ad);
        let completed = time("CompletionDate").filter(|_| end != End::Removed);
        let at = completed.or_else(|| time("EnteredCurrentStatus"));
        let reason = ad.and_then(|ad| ad.string("RemoveReason")).map(Into::into);
        // Nothing later than the time that is asked about is said.
        let is_past = inquiry.now.is_none_or(|now| at.is_some_and(|at| at <= now));
        let ended = sentences::ended(job, end, at, reason.as_ref(), &system_zone());
        match ended.filter(|_| is_past) {
            Some(line) => remarks.ended.push(line),
            None => remarks.refused.push(line),
        }
    }
}

/// How a job ended that logs show until `now` (Unix seconds); `None` where they do not.
pub(super) fn in_log(spec: &JobSpec, history: &History, now: i64) -> Option<String> {
    let JobSpec::Job(job) = spec else { return None };
    let last = history.job(*job)?.steps_until(now).last()?;
    let end = match last.what {
        What::Terminated(Exit::Success) => End::Finished(Some(0)),
        What::Terminated(Exit::Code(code)) => End::Finished(Some(code.into())),
        What::Terminated(Exit::Signal(signal)) => End::Signalled(signal.into()),
        What::Terminated(Exit::Unknown) => End::Finished(None),
        What::Removed => End::Removed,
        _ => return None,
    };
    sentences::ended(*job, end, Some(last.time), None, &system_zone())
}
