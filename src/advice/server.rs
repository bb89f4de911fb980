//! What all jobs met at the file server of a hold: a server that refuses everybody is in trouble
//! itself, and one that nobody ever reached may have a wrong name.

use schemars::JsonSchema;
use serde::Serialize;

use super::choices::Rule;
use super::decide::{Chances, Decision};
use super::figure::Count;
use super::{FailedTransfer, LookAt, Recommendation, Undecided};
use crate::catalogue::Trouble;
use crate::checks::{Check, Finding, Thing, Why};
use crate::diagnosis::{LAST_DAY, Said};
use crate::features::AtServer;
use crate::history::reason::code_of_transfer;
use crate::history::{Action, Episode, ErrorType, History, Symbol, What, reason};
use crate::text::Foreign;

/// Seconds around a hold in which a server has to refuse others too: jobs of one outage are held
/// within minutes. Assumed.
const AROUND: i64 = 600;

/// Owners besides the job's own that have to meet it: one alone may name wrong URLs. Assumed.
const OWNERS: usize = 2;

/// Holds among which they are looked for.
const MOST: usize = 1_000;

/// A server refuses everybody: files of several owners for what stays otherwise, while it gave
/// files in the day before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Refusal {
    /// The server.
    pub server: Foreign,
    /// Owners whose jobs were refused, each another file.
    pub owners: usize,
    /// Seconds from the last start of a job with input from there to the first of these holds.
    pub worked_before: Count,
}

impl Refusal {
    /// Of a hold for a URL that is missing or denied, as known at `now` (Unix seconds). `None`
    /// where a job got through between the first of the refusals and the last, and after a day: by
    /// then somebody has seen to a server.
    pub(super) fn of(
        hold: &Episode,
        history: &History,
        met: &AtServer<'_>,
        now: i64,
    ) -> Option<Self> {
        let url = of_input(hold)?;
        let server = reason::file_server(hold.reason.as_deref()?)?;
        if now.saturating_sub(hold.held_at) > LAST_DAY || !refuses(hold.reason.as_deref()?) {
            return None;
        }
        let own = history.owner_of(hold.identity.job);
        let (mut first, mut last) = (hold.held_at, hold.held_at);
        let (mut owners, mut urls): (Vec<Symbol>, _) = (Vec::new(), vec![url]);
        let from = hold.held_at.saturating_sub(AROUND);
        let until = hold.held_at.saturating_add(AROUND).min(now);
        for number in met.held(from - 1, until).take(MOST) {
            let Some(job) = history.as_seen_by(number, own) else { continue };
            let owner = history.owner_of(job.job).filter(|owner| Some(*owner) != own);
            let Some(owner) = owner.filter(|owner| !owners.contains(owner)) else { continue };
            let refused = job.steps_until(until).iter().rev().find_map(|step| match step.what {
                What::Held(held) if step.time >= from => {
                    let text = history.symbols.name(held.reason?);
                    let url = reason::url(text).filter(|url| !urls.contains(url))?;
                    let is_there = reason::file_server(text).as_ref() == Some(&server);
                    (is_there && refuses(text)).then_some((step.time, url))
                }
                _ => None,
            });
            let Some((at, url)) = refused else { continue };
            (first, last) = (first.min(at), last.max(at));
            owners.push(owner);
            urls.push(url);
            if owners.len() == OWNERS {
                break;
            }
        }
        let worked = met.last_started(last)?;
        let worked_before =
            first.checked_sub(worked).filter(|before| (0..=LAST_DAY).contains(before))?;
        (owners.len() == OWNERS).then_some(Self {
            server: server.into(),
            owners: OWNERS + 1,
            worked_before: worked_before.into(),
        })
    }
}

/// It says that a file is missing or denied.
fn refuses(text: &str) -> bool {
    Said::of(13, 256, text).trouble().is_some_and(Trouble::lasts)
}

/// The URL of the input that a hold is about.
fn of_input(hold: &Episode) -> Option<String> {
    let text = hold.reason.as_deref()?;
    reason::url(text).filter(|_| code_of_transfer(hold.identity.code, text) == 13)
}

/// From when on a server that nobody ever reached is looked at, seconds after the first hold: where
/// its name could not be resolved, and where it did not answer. Assumed: a name service is back
/// within two hours, a server within a day.
const PATIENCE: [i64; 2] = [2 * 3_600, 24 * 3_600];

/// So many tries have to have failed. Assumed.
const TRIES: usize = 3;

/// Where there were fewer, seconds longer. Assumed: a job that nobody releases is not tried again.
const LONGER: i64 = 24 * 3_600;

/// Jobs held there whose reasons are read for an answer of the server. Assumed.
const READ: usize = 100;

/// A server that nobody was ever seen to reach.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NeverReached {
    /// The URL that the hold is about.
    pub url: String,
    /// Its name could not be resolved.
    pub unresolved: bool,
    /// Holds there, or tries that the plug-in counted, where these are more.
    pub tries: usize,
    /// Seconds since the first hold.
    pub seconds: i64,
    /// The name service of this machine knows other servers and not this one.
    pub check: Option<Check>,
}

impl NeverReached {
    /// Of a hold for a server that was away, as known at `now` (Unix seconds).
    pub(super) fn of(
        hold: &Episode,
        history: &History,
        met: &AtServer<'_>,
        failed: Option<&FailedTransfer>,
        checks: &[Check],
        now: i64,
    ) -> Option<Self> {
        let url = of_input(hold)?;
        let text = hold.reason.as_deref()?;
        // The name in a URL of a federation is none of a server.
        let server = reason::file_server(text).filter(|server| !server.contains("://"))?;
        let trouble = Said::of(hold.identity.code, hold.identity.subcode, text).trouble();
        if failed.map_or(trouble, |failed| failed.over(trouble)) != Some(Trouble::Away) {
            return None;
        }
        let host = |server: &str| server.split(':').next().unwrap_or_default().to_owned();
        let error = failed.map(|failed| &failed.error);
        let failed_there = error.and_then(|error| error.server.as_deref());
        let is_other = failed_there.is_some_and(|failed| host(failed) != host(&server));
        let own = history.owner_of(hold.identity.job);
        let typed = error.and_then(|error| error.error_type);
        let unresolved =
            typed.map_or_else(|| says_unresolved(text), |kind| Some(kind == ErrorType::Resolution));
        let unresolved = unresolved.filter(|_| {
            // That a server gave an answer, or a part of the file, shows that it is there.
            typed.is_none_or(|kind| matches!(kind, ErrorType::Resolution | ErrorType::Contact))
        })?;
        let got_through = met.last_started(now).is_some()
            || history
                .transfers()
                .at_server(&server, i64::MIN, now)
                .iter()
                .any(|one| one.got_through);
        if is_other || got_through {
            return None;
        }
        let first = met.first_held().map_or(hold.held_at, |first| first.min(hold.held_at));
        let seconds = now.saturating_sub(first);
        let counted = error.and_then(|error| usize::try_from(error.tries?).ok());
        let tries = met.holds().max(counted.unwrap_or(0)).max(1);
        let least = PATIENCE[usize::from(!unresolved)] + if tries < TRIES { LONGER } else { 0 };
        let is_unknown = |check: &&Check| {
            let finding = Finding::Unknown { why: Why::NoName };
            unresolved && check.thing == Thing::Url && check.named && check.finding == finding
        };
        let check = checks.iter().find(is_unknown).cloned();
        let long = seconds >= least && !answered(&server, history, met, own, now);
        long.then_some(Self { url, unresolved, tries, seconds, check })
    }
}

/// A job was held there for an answer that it gave.
fn answered(
    server: &str,
    history: &History,
    met: &AtServer<'_>,
    own: Option<Symbol>,
    now: i64,
) -> bool {
    let jobs = met.held(i64::MIN, now).take(READ).filter_map(|job| history.as_seen_by(job, own));
    let mut holds = jobs.flat_map(|job| job.steps_until(now)).filter_map(|step| match step.what {
        What::Held(held) => Some(history.symbols.name(held.reason?)),
        _ => None,
    });
    holds.any(|text| refuses(text) && reason::file_server(text).as_deref() == Some(server))
}

impl NeverReached {
    /// What was decided hopes for that server.
    pub(super) fn ends(&self, decision: &Decision, chances: &Chances) -> bool {
        use Recommendation as R;
        let hopes = matches!(
            decision.recommendation,
            R::Release | R::Try | R::Wait | R::Undecided | R::Look
        );
        hopes && chances.known.unknown_code.is_none()
    }

    /// What is advised in its place: to correct the URL where the name service knows no such server,
    /// else to look at it.
    pub(super) fn decide(&self, decision: Decision, chances: &Chances) -> Decision {
        let &Self { unresolved, tries, seconds, .. } = self;
        let rule = Rule::NeverReached;
        let other = chances.of(Action::Other).filter(|_| self.check.is_some());
        match other {
            Some(p) => {
                let change = decision.by_rule(rule, Recommendation::Change, p, None);
                Decision { action: Some(Action::Other), ..change }
            }
            None => {
                let why = Undecided::NeverReached { unresolved, tries, seconds };
                decision.by_rule(rule, Recommendation::Look, chances.as_is(), Some(why))
            }
        }
    }

    pub(super) fn look(&self) -> LookAt {
        LookAt::Name { url: self.url.as_str().into() }
    }
}

/// Words of curl and the C library for a name that could not be resolved.
const UNRESOLVED: [&str; 5] = [
    "could not resolve",
    "couldn't resolve",
    "name or service not known",
    "no such host",
    "name resolution",
];

/// Their words for a server that could not be connected to.
const NO_CONTACT: [&str; 6] = [
    "could not connect",
    "couldn't connect",
    "failed to connect",
    "connection refused",
    "no route to host",
    "network is unreachable",
];

/// Whether the name was what failed; `None` where a server may have been reached.
fn says_unresolved(text: &str) -> Option<bool> {
    let text = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| text.contains(words));
    match () {
        () if says(&UNRESOLVED) => Some(true),
        () if says(&NO_CONTACT) => Some(false),
        () => None,
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
