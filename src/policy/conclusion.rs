//! What follows from an explanation: what to do with the job, in plain sentences.

use super::explain::{ExplainedPolicy, Explanation, Form, Part, TIMER};
use super::forecast::{Gate, Truth};
use super::prediction::{display_name, is_never};
use super::prospect::{HORIZON, Prospect};
use super::{Kind, PolicyAction};
use crate::text::Foreign;

/// Characters of an expression shown in a sentence.
const SHOWN: usize = 100;

/// Clauses of one policy that are named.
const CLAUSES: usize = 2;

/// Policies whose clauses are named.
const POLICIES: usize = 3;

impl Explanation {
    /// What to do, one sentence each; `job` is its id.
    pub fn conclusion(&self, job: &str) -> Vec<String> {
        let released = |deed: &&PolicyAction| deed.kind == Kind::Release;
        if let Some(deed) = self.forecast.deed.as_ref().filter(released) {
            let sooner = if deed.at > self.forecast.now {
                format!("; condor_release {job} does it sooner")
            } else {
                String::new()
            };
            let nothing = if self.knobs_known {
                "Nothing has to be done"
            } else {
                "By its own policies nothing has to be done"
            };
            let mut out = vec![format!("{nothing}: HTCondor releases it by itself{sooner}.")];
            let again = self.of_kind(Kind::Hold).find(|hold| hold.policy.holds_again());
            if let Some(hold) = again {
                let name = display_name(&hold.policy.name);
                out.push(format!(
                    "But {name} is true of the released job: it would be held again."
                ));
            }
            return out;
        }
        let removed = self.forecast.deed.is_some();
        let removed =
            removed.then(|| "HTCondor removes it unless it is released before.".to_owned());
        let mut out = Vec::from_iter(removed);
        match self.of_gate(job) {
            Some(sentence) => out.push(sentence),
            None => {
                out.push(self.of_policies(job));
                out.extend(self.correctable(job));
            }
        }
        out
    }

    /// What a person can do in the place of a policy.
    fn by_hand(&self, job: &str) -> String {
        if self.release_refused {
            "condor_release is refused but to queue super users (SYSTEM_MAX_RELEASES)".to_owned()
        } else {
            format!("condor_release {job} releases it")
        }
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &ExplainedPolicy> {
        self.policies.iter().filter(move |explained| explained.policy.kind == kind)
    }

    /// Where no policy may release the job.
    fn of_gate(&self, job: &str) -> Option<String> {
        let by_hand = self.by_hand(job);
        Some(match self.forecast.gate {
            Gate::Open => return None,
            Gate::HeldByUser => {
                format!("It is not released by policy, because a person put it on hold: {by_hand}.")
            }
            Gate::MaxReleases { .. } => {
                let more = if self.release_refused { "" } else { " once more" };
                format!(
                    "It is not released by policy, because SYSTEM_MAX_RELEASES is reached: {by_hand}{more}."
                )
            }
            Gate::SpoolingInput => {
                "Wait for its input to be spooled: before, neither a policy nor condor_release releases it.".to_owned()
            }
            Gate::SwitchedOff => {
                format!("It is not released by policy, because none is evaluated here: {by_hand}.")
            }
            Gate::Managed => {
                "It is not released by policy: the manager that has it decides.".to_owned()
            }
            Gate::TimerUndefined => {
                let by = match self.kept.contains(&TIMER) {
                    true => "by the administrator of the access point",
                    false => "with condor_qedit",
                };
                format!("It is not released by policy before its {TIMER} is corrected {by}; {by_hand}.")
            }
            Gate::NotHeld => {
                "The ad does not say that the job is held: its JobStatus is not 5.".to_owned()
            }
        })
    }

    /// Where policies may release the job, and none does.
    fn of_policies(&self, job: &str) -> String {
        let by_hand = self.by_hand(job);
        let set: Vec<_> =
            self.of_kind(Kind::Release).filter(|one| !is_never(&one.policy)).collect();
        let (subject, none) = if self.knobs_known {
            ("It is not released by policy", "No policy of release is set for it")
        } else {
            ("Its own policies do not release it", "It has no policy of release of its own")
        };
        if set.is_empty() {
            return format!("{none}: {by_hand}.");
        }
        if set.iter().any(|one| one.policy.not_known) {
            return format!("Whether a policy releases it is not known; {by_hand}.");
        }
        let reason = |one: &&ExplainedPolicy| match why(one) {
            why if set.len() == 1 && one.root.is_ok() => why,
            why => format!("{}: {why}", display_name(&one.policy.name)),
        };
        let mut reasons: Vec<String> = set.iter().take(POLICIES).map(reason).collect();
        if set.len() > POLICIES {
            reasons.push(format!("and {} more policies", set.len() - POLICIES));
        }
        format!("{subject}: {}; {by_hand}.", reasons.join("; "))
    }

    /// Names that are slips of the pen.
    fn correctable(&self, job: &str) -> Vec<String> {
        let mut out = Vec::new();
        for one in self.of_kind(Kind::Release) {
            for missing in &one.missing {
                let Some(nearest) = &missing.nearest else { continue };
                let name = display_name(&one.policy.name);
                let named = |name: &str| Foreign::from(name).named(SHOWN);
                let (wrong, right) = (named(&missing.name), named(nearest));
                let is_own = one.policy.name == Kind::Release.attribute();
                let how = if is_own && !self.kept.contains(&Kind::Release.attribute()) {
                    format!("condor_qedit {job} can correct it")
                } else {
                    "the administrator of the access point can correct it".to_owned()
                };
                out.push(format!(
                    "The ad has no {wrong}, which {name} needs; {right} is probably meant: {how}."
                ));
            }
        }
        out
    }
}

/// Why a policy is not true.
fn why(explained: &ExplainedPolicy) -> String {
    let Ok(root) = &explained.root else { return "it is not an expression".to_owned() };
    let blockers = root.blockers();
    let mut parts: Vec<String> = blockers.iter().take(CLAUSES).map(|part| state(part)).collect();
    match blockers.len().saturating_sub(CLAUSES) {
        0 => {}
        1 => parts.push("one more clause".to_owned()),
        more => parts.push(format!("{more} more clauses")),
    }
    parts.join(", and ")
}

fn state(part: &Part) -> String {
    let text = Foreign::from(part.text.as_str()).expression(SHOWN);
    let days = HORIZON / (24 * 3600);
    let is_group = part.form != Form::Clause;
    let Some(value) = part.value.map(Truth::word) else {
        return format!("{text} takes too long to evaluate");
    };
    match part.prospect {
        Some(Prospect::Stays) => format!("{text} is {value} and stays so"),
        Some(Prospect::NotWithin) if is_group && part.value != Some(Truth::Error) => {
            format!("the clauses of {text} are not true at one time within {days} days")
        }
        Some(Prospect::NotWithin) => {
            format!("{text} is {value} and does not become true within {days} days")
        }
        _ => format!("{text} is {value}, and when it becomes true is not known"),
    }
}
