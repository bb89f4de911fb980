//! Probabilities and costs become a recommendation.

use super::{Band, Recommendation};
use crate::history::Action;
use crate::model::Thresholds;
use crate::policy::Again;

/// The probabilities a decision is made from, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chances {
    /// Success of each action that makes sense here; as-is first.
    pub actions: Vec<(Action, f64)>,
    /// Success of a release as it is, had others been seen to get through again. `None` where nothing outside the job is
    /// known to wait for.
    pub recovered: Option<f64>,
    /// What a wait is for has come: a job held alike was released since and finished, and none has failed after it.
    pub came: bool,
    /// The job was held by a limit of its own: the action that raises it, and when it holds the job again.
    pub limit: Option<(Action, Again)>,
}

/// What to do, with which action, and how likely that is to succeed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decision {
    /// What to do.
    pub recommendation: Recommendation,
    /// The action it stands for.
    pub action: Option<Action>,
    /// Probability of success of that action; of the best one for `remove` and `undecided`.
    pub chance: f64,
}

impl Decision {
    /// How likely the action is to succeed, in words.
    pub(super) fn band(&self) -> Band {
        Band::of(self.chance)
    }
}

/// How much more likely a change must make success to be worth the trouble.
const WORTH_A_CHANGE: f64 = 0.15;

/// A change is worth trying from this probability of success on, less than a release needs: who is told what to put right
/// looks first whether it is wrong, and a look costs no slot.
const WORTH_A_LOOK: f64 = 0.2;

/// How much more likely what is waited for must make success: waiting costs next to nothing.
const WORTH_A_WAIT: f64 = 0.03;

/// What a wait can bring is worth it from this probability of success on; so is the release once it has come. The others
/// have shown by then that the cause passes.
const WORTH_WAITING_FOR: f64 = 0.15;

/// A release this likely to succeed needs no change.
const GOOD_AS_IT_IS: f64 = 0.8;

/// Decides by expected cost. With a vain release costing `c` of what success is worth, releasing pays where
/// `p > c / (1 + c)`: that is `thresholds.release`. Removing is final and holding costs next to nothing, so a job is
/// removed only where the best action stays below `thresholds.remove`.
///
/// Of a limit of the job's own the ad tells cause and cure, and no probability decides between them: HTCondor evaluates
/// `periodic_hold` in the next run as in this one (manual page `condor_submit`), so a release as it is helps only where
/// that run gets by with less. It is advised only where the model is nearly sure of that, and never where the limit is
/// exceeded again at once.
///
/// Where what a wait would be for has come, the next thing to do is the release that was waited for: a small chance is
/// enough, and no mend is looked for first.
pub(super) fn decide(chances: &Chances, thresholds: Thresholds) -> Decision {
    let as_is =
        chances.actions.iter().find(|(action, _)| *action == Action::AsIs).map_or(0.0, |&(_, p)| p);
    if let Some((action, again)) = chances.limit
        && (as_is < GOOD_AS_IT_IS || again == Again::AtOnce)
        && let Some(&(action, chance)) = chances.actions.iter().find(|(known, _)| *known == action)
    {
        return Decision { recommendation: Recommendation::Change, action: Some(action), chance };
    }
    let change = chances
        .actions
        .iter()
        .filter(|(action, _)| *action != Action::AsIs)
        .copied()
        .max_by(|(_, a), (_, b)| a.total_cmp(b));
    let worth_a_look = WORTH_A_LOOK.min(thresholds.release);
    let worth_waiting_for = WORTH_WAITING_FOR.min(thresholds.release);
    let enough = if chances.came { worth_waiting_for } else { thresholds.release };
    let better_changed = change.filter(|&(action, p)| {
        let mend = action == Action::Other && as_is >= enough && chances.came;
        !mend && p >= worth_a_look && p >= as_is + WORTH_A_CHANGE && as_is < GOOD_AS_IT_IS
    });
    let release = Decision {
        recommendation: Recommendation::Release,
        action: Some(Action::AsIs),
        chance: as_is,
    };
    if as_is >= enough && better_changed.is_none() {
        return release;
    }
    let recovered =
        chances.recovered.filter(|&p| p >= worth_waiting_for && p >= as_is + WORTH_A_WAIT);
    let changed = better_changed.map_or(0.0, |(_, p)| p);
    if let Some(chance) = recovered.filter(|&p| as_is < thresholds.release && p >= changed) {
        return Decision {
            recommendation: Recommendation::Wait,
            action: Some(Action::AsIs),
            chance,
        };
    }
    if let Some((action, chance)) = better_changed {
        return Decision { recommendation: Recommendation::Change, action: Some(action), chance };
    }
    let best = change.map_or(as_is, |(_, p)| p.max(as_is)).max(chances.recovered.unwrap_or(0.0));
    let recommendation =
        if best < thresholds.remove { Recommendation::Remove } else { Recommendation::Undecided };
    Decision { recommendation, action: None, chance: best }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Thresholds = Thresholds { release: 0.5, remove: 0.1 };

    fn decided(as_is: f64, change: Option<f64>, recovered: Option<f64>) -> Recommendation {
        let mut actions = vec![(Action::AsIs, as_is)];
        actions.extend(change.map(|p| (Action::Other, p)));
        let chances = Chances { actions, recovered, came: false, limit: None };
        decide(&chances, LIMITS).recommendation
    }

    #[test]
    fn a_likely_success_is_released() {
        assert_eq!(decided(0.7, None, None), Recommendation::Release);
        assert_eq!(decided(0.9, Some(0.99), None), Recommendation::Release);
    }

    #[test]
    fn a_change_that_makes_the_difference_is_asked_for() {
        assert_eq!(decided(0.1, Some(0.9), None), Recommendation::Change);
        assert_eq!(decided(0.55, Some(0.9), None), Recommendation::Change);
        assert_eq!(decided(0.55, Some(0.6), None), Recommendation::Release);
        assert_eq!(decided(0.45, Some(0.7), None), Recommendation::Change);
        assert_eq!(decided(0.05, Some(0.35), None), Recommendation::Change);
        assert_eq!(decided(0.25, Some(0.35), None), Recommendation::Undecided);
    }

    #[test]
    fn what_others_must_bring_is_waited_for() {
        assert_eq!(decided(0.1, None, Some(0.9)), Recommendation::Wait);
        assert_eq!(decided(0.1, None, Some(0.25)), Recommendation::Wait);
        assert_eq!(decided(0.1, Some(0.95), Some(0.6)), Recommendation::Change);
        assert_eq!(decided(0.1, Some(0.7), Some(0.9)), Recommendation::Wait);
    }

    #[test]
    fn a_limit_of_its_own_is_raised_unless_the_next_run_is_likely_to_need_less() {
        let limited = |as_is: f64, change: f64, again: Again| {
            let actions = vec![(Action::AsIs, as_is), (Action::Site, 0.9), (Action::Other, change)];
            let limit = Some((Action::Other, again));
            let decision =
                decide(&Chances { actions, recovered: None, came: false, limit }, LIMITS);
            (decision.recommendation, decision.action)
        };
        let raised = (Recommendation::Change, Some(Action::Other));
        assert_eq!(limited(0.6, 0.2, Again::WhenReached), raised);
        assert_eq!(limited(0.02, 0.03, Again::WhenReached), raised);
        assert_eq!(limited(0.9, 0.2, Again::AtOnce), raised);
        let release = (Recommendation::Release, Some(Action::AsIs));
        assert_eq!(limited(0.9, 0.2, Again::WhenReached), release);
    }

    #[test]
    fn what_was_waited_for_is_followed_by_a_release() {
        let came = |as_is: f64, change: Option<(Action, f64)>| {
            let mut actions = vec![(Action::AsIs, as_is)];
            actions.extend(change);
            let chances = Chances { actions, recovered: Some(as_is), came: true, limit: None };
            decide(&chances, LIMITS).recommendation
        };
        assert_eq!(came(0.25, Some((Action::Other, 0.7))), Recommendation::Release);
        assert_eq!(came(0.35, Some((Action::Memory, 0.7))), Recommendation::Change);
        assert_eq!(came(0.1, Some((Action::Other, 0.7))), Recommendation::Change);
        assert_eq!(came(0.1, None), Recommendation::Undecided);
    }

    #[test]
    fn removal_needs_that_nothing_helps() {
        assert_eq!(decided(0.01, Some(0.02), None), Recommendation::Remove);
        assert_eq!(decided(0.01, Some(0.15), None), Recommendation::Undecided);
        assert_eq!(decided(0.01, Some(0.02), Some(0.12)), Recommendation::Undecided);
    }
}
