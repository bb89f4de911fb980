//! What a file-transfer plug-in reported of the transfer that put a job on hold.
//!
//! The types of errors and what they mean are HTCondor's
//! (`docs/apis/file-transfer-plugins/transfer_error_data.rst`), the finer ones Pelican's
//! (`docs/error_codes.yaml` there).

use std::collections::HashSet;

use foldhash::fast::RandomState;
use schemars::JsonSchema;
use serde::Serialize;

use super::decide::Decision;
use super::figure::Count;
use super::seen::Others;
use super::{Recommendation, Trouble, Undecided, Wait, WaitFor};
use crate::catalogue::{self, HoldText, Reading};
use crate::diagnosis::Said;
use crate::features::{Neighbourhood, Voice, outweighs, voices};
use crate::history::reason::code_of_transfer;
use crate::history::{
    Action, Episode, History, SAME_HOLD, Step, TransferClass, TransferError, What, reason,
};
use eventlog::JobId;

/// Seconds that a plug-in may ask to wait for: a day. Its word moves the next look no further.
/// Assumed.
const LONGEST_RETRY: i64 = 86_400;

/// Seconds before an error from which on other jobs are counted at its server: jobs of one outage
/// are held within minutes. Assumed.
const BEFORE: i64 = 600;

/// The transfer that put a job on hold.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct FailedTransfer {
    /// What the plug-in reported.
    #[serde(flatten)]
    pub error: TransferError,
    /// When the run reported it, Unix seconds.
    pub written: i64,
    /// What it means for another release, where the error tells.
    pub trouble: Option<Trouble>,
    /// It says more than the hold reason, and is believed in its place.
    pub decides: bool,
    /// Other jobs that failed at its server since ten minutes before it.
    pub others_failed: Count,
    /// Seconds since the last of them.
    pub seconds_since_failed: Option<Count>,
    /// Other jobs that got through there since it failed.
    pub others_through: Count,
    /// Seconds since the last of them.
    pub seconds_since_through: Option<Count>,
    /// How many voices stand behind these, as for jobs that began to execute
    /// ([`crate::features::Neighbourhood::voices_started_since`]).
    #[serde(skip)]
    pub voices_through: usize,
    /// How many behind those of the others that failed after the first of these got through.
    #[serde(skip)]
    pub failed_after: usize,
}

impl FailedTransfer {
    /// The error that belongs to this hold, as known at `now` (Unix seconds): of the same job,
    /// written at the hold, and with no release in between.
    pub(super) fn of(hold: &Episode, history: &History, now: i64) -> Option<Self> {
        let text = hold.reason.as_deref().unwrap_or_default();
        let classes = classes(hold.identity.code, hold.identity.subcode, text);
        let job = hold.identity.job;
        let steps = history.job(job).map_or(&[][..], |job| &job.steps);
        let before = hold.step.map_or_else(
            || steps.partition_point(|step| step.time < hold.held_at),
            |step| step.min(steps.len()),
        );
        let released = |at: i64| {
            let later = |step: &&Step| step.time > at;
            let mut since = steps[..before].iter().rev().take_while(later);
            since.any(|step| matches!(step.what, What::Released { .. }))
        };
        let known = history.transfers().of_job(job).iter().filter(|known| known.written <= now);
        let newest = |class| known.clone().rev().find(|known| known.class == class);
        let report = classes
            .iter()
            .filter_map(|&class| newest(class))
            .filter(|report| !report.errors.is_empty())
            .max_by_key(|report| report.written)
            .filter(|report| report.written.abs_diff(hold.held_at) <= SAME_HOLD.unsigned_abs())
            .filter(|report| !released(report.written))?;
        let url = reason::url(text);
        let is_named = |error: &&TransferError| error.url.is_some() && error.url == url;
        let error = report.errors.iter().rev().find(is_named).or(report.errors.last())?.clone();
        let (code, subcode) = (hold.identity.code, hold.identity.subcode);
        let of_reason = Said::of(code, subcode, text).trouble();
        let of_error = trouble(&error, read(&error, code, text).as_ref());
        let decides = of_error.is_some()
            && of_error != of_reason
            && (of_reason.is_none() || may_retry(&error));
        let mut failed = Self {
            error,
            written: report.written,
            trouble: of_error,
            decides,
            others_failed: 0.into(),
            seconds_since_failed: None,
            others_through: 0.into(),
            seconds_since_through: None,
            voices_through: 0,
            failed_after: 0,
        };
        failed.count_others(hold, history, now);
        Some(failed)
    }

    /// Counts the other jobs that met the server that failed.
    fn count_others(&mut self, hold: &Episode, history: &History, now: i64) {
        let Some(server) = &self.error.server else { return };
        let from = self.written.saturating_sub(BEFORE);
        let [mut failed, mut failed_after, mut through]: [HashSet<JobId, RandomState>; 3] =
            Default::default();
        let all = history.transfers().at_server(server, from, now).iter();
        for one in all.filter(|one| one.job != hold.identity.job) {
            let since = Some(now.saturating_sub(one.written).into());
            if !one.got_through {
                failed.insert(one.job);
                self.seconds_since_failed = since;
                if !through.is_empty() {
                    failed_after.insert(one.job);
                }
            } else if one.written >= self.written {
                through.insert(one.job);
                self.seconds_since_through = since;
            }
        }
        let own = history.owner_of(hold.identity.job);
        let voice = |job: &JobId| match history.owner_of(*job) {
            owner if owner.is_some() && owner == own => Voice::Own,
            owner => Voice::Other(owner),
        };
        self.voices_through = voices(through.iter(), voice);
        self.failed_after = voices(failed_after.iter(), voice);
        (self.others_failed, self.others_through) = (failed.len().into(), through.len().into());
    }

    /// The server that failed, where it is not the one of the hold reason, which is looked at
    /// anyway.
    pub(super) fn another_server(&self, of_reason: Option<&Neighbourhood>) -> Option<&str> {
        let named = of_reason.and_then(|server| server.name.as_deref());
        let server = self.error.server.as_deref()?;
        (Some(server) != named).then_some(server)
    }

    /// That server, where input from it is what is waited for.
    pub(super) fn awaited(&self, of_reason: Option<&Neighbourhood>) -> Option<String> {
        let is_input = matches!(self.error.class, TransferClass::Input | TransferClass::Common);
        let server = self.another_server(of_reason).filter(|_| is_input)?;
        (self.trouble == Some(Trouble::Away)).then(|| server.to_owned())
    }

    /// Jobs get through now at the server that failed, some since then.
    pub(super) fn gets_through(&self) -> bool {
        self.others_through.most > 0
            && (self.seconds_since_failed.is_none_or(|failed| {
                self.seconds_since_through.is_some_and(|through| through.most < failed.most)
            }) || outweighs((self.voices_through, self.failed_after)))
    }

    /// What the hold complains of, where its reason says this.
    pub(super) fn over(&self, of_reason: Option<Trouble>) -> Option<Trouble> {
        if self.decides { self.trouble } else { of_reason }
    }

    /// Whether to wait in the place of what was decided, and for what: `Some(None)` where nothing is
    /// released before the time that the plug-in names, `Some` of an action where what may succeed
    /// is waited for until others show that it does.
    pub(super) fn waits(
        &self,
        decision: &Decision,
        since: Others,
        now: i64,
    ) -> Option<Option<Action>> {
        match (decision.recommendation, decision.undecided) {
            (Recommendation::Release | Recommendation::Try, _) if self.is_early(now) => Some(None),
            (_, Some(Undecided::Between { .. } | Undecided::NotRemoved { .. }))
                if may_retry(&self.error) && since == Others::Nothing =>
            {
                Some(Some(Action::AsIs))
            }
            _ => None,
        }
    }

    /// What that decision waits for, no shorter than the plug-in asks for.
    pub(super) fn wait(&self, wait: Wait, decision: &Decision, now: i64) -> Wait {
        let Some(at) = self.not_before().filter(|_| self.is_early(now)) else { return wait };
        match (decision.action, wait.until) {
            (None, None) => Wait { what: WaitFor::RetryAfter, look_again: at, ..wait },
            _ => Wait { look_again: wait.look_again.max(at), ..wait },
        }
    }

    pub(super) fn is_early(&self, now: i64) -> bool {
        self.not_before().is_some_and(|at| at > now)
    }

    /// The instant before which the server asked not to be tried again, Unix seconds.
    fn not_before(&self) -> Option<i64> {
        let after = self.error.retryable.filter(|after| *after > 0)?;
        Some(self.written.saturating_add(after.min(LONGEST_RETRY)))
    }
}

/// The plug-in says that the same transfer may succeed if it is tried again.
fn may_retry(error: &TransferError) -> bool {
    error.retryable.is_some_and(|after| after >= 0)
}

/// The transfers of which an error can be the cause of a hold; none where its reason names another
/// one.
fn classes(code: i32, subcode: i32, text: &str) -> &'static [TransferClass] {
    use TransferClass::{Checkpoint, Common, Input, Output};
    // An error number is of a file that no plug-in moves.
    let of_plug_in = !(0..256).contains(&subcode) || reason::url(text).is_some();
    match code_of_transfer(code, text) {
        13 if of_plug_in => &[Input, Common],
        12 if of_plug_in => &[Output, Checkpoint],
        36 => &[Checkpoint],
        0 => &[Input, Common, Output, Checkpoint],
        _ => &[],
    }
}

/// What the catalogue says of an error, of a hold with this code. What a plug-in says that has a
/// status and no type is read as a hold reason is.
pub(super) fn read(error: &TransferError, code: i32, text: &str) -> Option<Reading> {
    let subcode = Some(256);
    match (error.error_type, error.http_status) {
        (Some(kind), _) => catalogue::read(&HoldText {
            code: Some(code),
            subcode,
            reason: text,
            error: Some((kind.into(), error.detail.as_deref())),
            ad: None,
        }),
        (None, Some(status)) => {
            let reason = &format!("{} (HTTP status {status})", error.error_string);
            let hold = HoldText { code: Some(code), subcode, reason, ..HoldText::default() };
            catalogue::read(&hold)
        }
        (None, None) => None,
    }
}

/// What an error says of another try: what the plug-in says, and else the catalogue.
fn trouble(error: &TransferError, reading: Option<&Reading>) -> Option<Trouble> {
    match may_retry(error) {
        true => Some(Trouble::Away),
        false => reading?.entry().trouble(),
    }
}

#[cfg(test)]
#[path = "transfer_error_tests.rs"]
mod tests;
