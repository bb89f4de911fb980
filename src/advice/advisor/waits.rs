//! What is waited for, and until when.

use super::{Advisor, Question};
use crate::advice::choices::{Against, Rule};
use crate::advice::decide::{Chances, Decision, decide};
use crate::advice::{Costs, Likely, Recommendation, Undecided, Wait, WaitFor};
use crate::catalogue::{Ends, Reading};
use crate::features::{Neighbourhood, Scope};
use crate::history::reason::in_sandbox;
use crate::history::{Action, Episode, EventLogView, reason};
use crate::hold_code::{self, Cause};
use crate::metrics::Band;
use crate::text::Foreign;

/// Seconds ahead for which a release by HTCondor itself is worth waiting for.
const SOON: i64 = 3_600;

/// When to look again at what is waited for: what has lasted for so long may last as long again.
pub(super) const LOOK_AGAIN: Pause = Pause { least: 600, most: 8 * 3_600 };

/// Seconds between looks: ten minutes at least, a working day at most. Assumed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    least: i64,
    most: i64,
}

impl Pause {
    pub(super) fn pause(self, held_for: i64) -> i64 {
        held_for.clamp(self.least, self.most)
    }
}

impl Advisor<'_> {
    pub(super) fn decision(
        &self,
        question: &Question<'_>,
        chances: &Chances,
        costs: &Costs,
    ) -> Decision {
        let held = &question.held;
        log::debug!("job {}: {chances:?}, {costs:?}", held.job);
        let decision = decide(chances, costs, self.model.metadata.thresholds.confidence);
        let as_is = chances.as_is();
        let failed = question.failed.as_ref();
        let never = question.never.as_ref().filter(|never| never.ends(&decision, chances));
        // What passes by its text is waited for where nothing better is known.
        let passes = chances.known.ends.is_some_and(Ends::passes)
            && match (decision.recommendation, decision.undecided) {
                (_, Some(Undecided::FailedBefore { .. } | Undecided::Unsure { .. })) => false,
                (Recommendation::Look | Recommendation::Undecided, _) => true,
                _ => false,
            };
        let soon = held.released_by_policy_at.is_some_and(|at| at <= question.now + SOON);
        let wait = Recommendation::Wait;
        // Where nothing but the time stands against a try, that time is waited for.
        let of_try = decision.choices.of(Recommendation::Try).and_then(|tried| tried.against);
        let is_left = matches!(decision.choices.rule, Rule::LookFirst | Rule::NoChoice);
        let is_early = is_left && matches!(of_try, Some(Against::TooEarly { .. }));
        let as_it_is = |decision: Decision, rule: Rule, what: Recommendation| {
            let action = Some(Action::AsIs);
            Decision { action, ..decision.by_rule(rule, what, as_is, None) }
        };
        let decision = if decision.recommendation == Recommendation::Release && soon {
            let (action, chance) = (decision.action, decision.chance);
            Decision { action, ..decision.by_rule(Rule::ReleasedByPolicy, wait, chance, None) }
        } else if let Some(never) = never {
            never.decide(decision, chances)
        } else if passes {
            // What the next start ends is over with it.
            let starts = chances.known.ends != Some(Ends::Time) && as_is >= Band::Even.least();
            let is_released = starts && chances.known.unknown_code.is_none();
            let what = if is_released { Recommendation::Release } else { wait };
            as_it_is(decision, Rule::Passes, what)
        } else if is_early {
            as_it_is(decision, Rule::TooEarly, wait)
        } else {
            decision
        };
        let waits = failed.and_then(|failed| failed.waits(&decision, chances.since, question.now));
        let decision = match waits {
            Some(action) => {
                Decision { action, ..decision.by_rule(Rule::RetryLater, wait, as_is, None) }
            }
            None => decision,
        };
        chances.known.last(decision, chances)
    }

    pub(super) fn wait(
        &self,
        decision: &Decision,
        question: &Question<'_>,
        chances: &Chances,
    ) -> Option<Wait> {
        let Question { held, hold, neighbourhoods, seen, .. } = question;
        if decision.recommendation != Recommendation::Wait {
            return None;
        }
        let until = held.released_by_policy_at;
        let server = neighbourhoods
            .iter()
            .find(|near| near.scope == Scope::Server)
            .filter(|server| waits_for_server(hold, Some(server)));
        let cache = question.failed.as_ref().and_then(|failed| failed.awaited(server));
        let named = cache.clone().or_else(|| server.and_then(|server| server.name.clone()));
        // The sandbox of a run is gone with it.
        let is_private =
            |text: &str| reason::file_name(text).is_some_and(|path| in_sandbox(&path).is_some());
        let reason = seen.lasting.and(hold.reason.as_deref()).filter(|text| !is_private(text));
        let what = if hold_code::cause_of(hold.identity.code) == Cause::Spooling {
            WaitFor::Spooled
        } else if until.is_some() {
            WaitFor::Policy
        } else if let Some(Against::OpenTry { job }) = question.group.against {
            WaitFor::Try { job: job.to_string() }
        } else if seen.event_log != EventLogView::Whole {
            WaitFor::InOrder { server: named.map(Foreign::from) }
        } else if server.is_some() || cache.is_some() {
            WaitFor::Fetched { server: named.map(Foreign::from) }
        } else if let Some(directory) = reason.and_then(reason::directory) {
            WaitFor::Directory { directory: directory.into() }
        } else {
            WaitFor::LikeHold
        };
        let entry = question.facts.deciding().map(Reading::entry);
        let lasts = entry.and_then(|entry| entry.lasts);
        let usual = lasts.map_or(question.held_for(), |[least, _]| least);
        let by_itself = !matches!(what, WaitFor::Spooled | WaitFor::Policy | WaitFor::Try { .. });
        let likely = chances.later.likely().filter(|_| by_itself);
        let pause = |likely: Likely| LOOK_AGAIN.pause(likely.from);
        let look_again = match until {
            Some(at) => at.saturating_add(LOOK_AGAIN.least),
            None if matches!(what, WaitFor::Try { .. }) => {
                question.now.saturating_add(LOOK_AGAIN.least)
            }
            None => question.now.saturating_add(likely.map_or(LOOK_AGAIN.pause(usual), pause)),
        };
        let look_again = match question.group.against {
            Some(Against::TooEarly { until: of_try }) if until.is_none() => look_again.min(of_try),
            _ => look_again,
        };
        let likely = likely.map(|likely| likely.from_instant(question.now));
        let wait = Wait { what, until, look_again, likely };
        Some(match &question.failed {
            Some(failed) => failed.wait(wait, decision, question.now),
            None => wait,
        })
    }
}

/// Whether what is waited for is a file server: input from a URL could not be fetched.
pub(super) fn waits_for_server(hold: &Episode, server: Option<&Neighbourhood>) -> bool {
    let of_url = |text: &String| reason::url(text).is_some();
    server.is_some() && hold.identity.code == 13 && hold.reason.as_ref().is_some_and(of_url)
}
