//! Sets what the schedd did beside what was forecast.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use holdadvise::policy::{Forecast, Kind, PolicyAction};

use super::cases::Meant;
use super::play::{Job, Played, Seen};
use crate::pool::harness::HELD;

/// Seconds that one look at the whole queue may take: events of one look have times that differ by
/// no more.
const ONE_LOOK: i64 = 5;

impl Played {
    /// When the schedd looked at the queue and did nothing with a job that it was to do something
    /// with: it did something with another between the second forecast and the one seen, in a look
    /// of its own. However late a busy machine is, the job is in the first look from that second
    /// on.
    fn passed_over(&self, action: &PolicyAction, seen: &Seen) -> Option<i64> {
        let due = action.at.max(self.from);
        let passed = |&&at: &&i64| at > due && at < seen.at - ONE_LOOK;
        self.evaluated.iter().find(passed).copied()
    }

    /// What must be seen of a forecast; `None`: nothing.
    fn due<'a>(&self, forecast: &'a Forecast) -> Option<&'a PolicyAction> {
        forecast.deed.as_ref().filter(|action| action.at <= self.to)
    }

    /// What is wrong with what was seen of a job, against its forecast and against what the case is
    /// there to show.
    pub(crate) fn fault(&self, job: &Job) -> Option<String> {
        let meant = match job.case.meant {
            Meant::Always(what) => what,
            Meant::Changed { since, from, to } => {
                let new = self.knobs.version().is_some_and(|version| version >= since);
                if new { to } else { from }
            }
        };
        let due = self.due(&job.forecast);
        if due.map(|action| action.kind) != meant {
            return Some(format!(
                "the forecast is {due:?}, meant was {meant:?}, seen {:?}",
                job.seen
            ));
        }
        match (due, &job.seen) {
            (None, None) if job.status == Some(HELD) => None,
            (None, None) => Some(format!("JobStatus is {:?} without an event", job.status)),
            // Later than all that is judged.
            (None, Some(seen)) if seen.at > self.to => None,
            (None, Some(seen)) => Some(format!("{seen:?}, forecast was nothing")),
            (Some(action), None) => Some(format!("still held, forecast was {action:?}")),
            (Some(action), Some(seen)) => self.action_fault(&job.forecast, action, seen),
        }
    }

    fn action_fault(
        &self,
        forecast: &Forecast,
        action: &PolicyAction,
        seen: &Seen,
    ) -> Option<String> {
        let by = source(forecast, action);
        if seen.kind != action.kind {
            Some(format!("{seen:?}, forecast was {action:?}"))
        } else if seen.at < action.at {
            Some(format!("{} s too early: {seen:?}, {action:?}", action.at - seen.at))
        } else if let Some(at) = self.passed_over(action, seen) {
            Some(format!("passed over at {at}: {seen:?}, {action:?}"))
        } else if !unfolded(&seen.reason).starts_with(&unfolded(&by)) {
            Some(format!("because of {:?}, forecast was {by:?}", seen.reason))
        } else {
            None
        }
    }

    /// Seconds after the second forecast, or after the schedd was told to evaluate.
    fn late(&self, action: &PolicyAction, seen: &Seen) -> i64 {
        seen.at - action.at.max(self.from)
    }

    /// Whether a forecast is so near the end that it could be missed: the play is then badly laid
    /// out.
    pub(crate) fn is_too_near_the_end(&self, job: &Job) -> bool {
        let end = self.to - ONE_LOOK;
        job.forecast.deed.as_ref().is_some_and(|action| action.at > end && action.at <= self.to)
    }

    /// The largest delay, s.
    pub(crate) fn latest(&self) -> i64 {
        let late = |job: &Job| Some(self.late(self.due(&job.forecast)?, job.seen.as_ref()?));
        self.jobs.iter().filter_map(late).max().unwrap_or_default()
    }

    /// The forecast in words: when, from the begin of the watch.
    fn forecast_words(&self, job: &Job) -> String {
        let Some(action) = &job.forecast.deed else { return "held".to_owned() };
        let what = done(action.kind);
        let after = action.at - self.from;
        if action.at > self.to {
            format!("held; {what} after {after} s")
        } else if after <= 0 {
            format!("{what} at once")
        } else {
            format!("{what} after {after} s")
        }
    }

    fn seen_words(&self, job: &Job) -> String {
        let right = if self.fault(job).is_none() { "" } else { " (not as forecast)" };
        match (&job.seen, &job.forecast.deed) {
            (None, _) => format!("held{right}"),
            (Some(seen), action) => {
                let at = action.as_ref().map_or(self.from, |action| action.at.max(self.from));
                format!("{}, {} s late{right}", done(seen.kind), seen.at - at)
            }
        }
    }
}

/// How the schedd's reason begins (`UserPolicy::FiringReason`); it names the knob without the name
/// of a named policy.
fn source(forecast: &Forecast, action: &PolicyAction) -> String {
    let knob = action.kind.system_knob();
    if !action.by.starts_with(knob) {
        return format!("The job attribute {} expression '", action.by);
    }
    let policy = forecast.policies.iter().find(|policy| policy.name == action.by);
    format!("The system macro {knob} expression '{}'", policy.map_or("", |policy| &policy.text))
}

fn done(kind: Kind) -> &'static str {
    if kind == Kind::Remove { "removed" } else { "released" }
}

/// On one line: HTCondor joins the lines of a knob.
fn unfolded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A row for each job, with what each version did.
pub(crate) fn table(plays: &[Played]) -> String {
    let mut out = "| what it shows | `periodic_release`, and what else | held by |".to_owned();
    for play in plays {
        let _ = write!(out, " forecast, {0} | {0} did |", play.version);
    }
    out += "\n|---|---|---|";
    out += &"---|---|".repeat(plays.len());
    out.push('\n');
    for index in 0..plays.first().map_or(0, |play| play.jobs.len()) {
        let jobs = || plays.iter().map(|play| (play, &play.jobs[index]));
        let Some((_, first)) = jobs().next() else { break };
        let codes: BTreeSet<_> = jobs().map(|(_, job)| job.code).collect();
        let codes: Vec<_> =
            codes.iter().map(|(code, subcode)| format!("{code}/{subcode}")).collect();
        let policy = policy_words(first).replace('|', "\\|");
        let _ = write!(out, "| {} | {policy} | {} |", first.case.shows, codes.join(", "));
        for (play, job) in jobs() {
            let _ = write!(out, " {} | {} |", play.forecast_words(job), play.seen_words(job));
        }
        out.push('\n');
    }
    out
}

fn policy_words(job: &Job) -> String {
    let mut out = format!("`{}`", job.case.release);
    for line in job.case.more.lines() {
        let _ = write!(out, ", `{line}`");
    }
    if let Some((attribute, after)) = job.case.edit {
        let _ = write!(out, ", edited to {attribute} = now + {after}");
    }
    out
}
