//! Probabilities and costs become a recommendation.

use super::undecided::Open;
use super::{Band, Costs, Recommendation};
use crate::history::Action;
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
    /// Releases after the hold's code that the model was trained on, where they are too few for it to know the code.
    pub unknown_code: Option<u64>,
}

impl Chances {
    /// Success of an action, if it makes sense here.
    pub(super) fn of(&self, wanted: Action) -> Option<f64> {
        self.actions.iter().find(|(action, _)| *action == wanted).map(|&(_, p)| p)
    }

    /// Success of a release as it is.
    pub(super) fn as_is(&self) -> f64 {
        self.of(Action::AsIs).unwrap_or(0.0)
    }

    /// The change most likely to help.
    pub(super) fn best_change(&self) -> Option<(Action, f64)> {
        let changes = self.actions.iter().filter(|(action, _)| *action != Action::AsIs);
        changes.copied().max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Success of the best that can be done, now or later.
    pub(super) fn best(&self) -> f64 {
        let now = self.best_change().map_or(self.as_is(), |(_, p)| p.max(self.as_is()));
        now.max(self.recovered.unwrap_or(0.0))
    }
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
    /// Of `undecided`, why.
    pub open: Option<Open>,
}

impl Decision {
    pub(super) const fn open(why: Open, chance: f64) -> Self {
        Self { recommendation: Recommendation::Undecided, action: None, chance, open: Some(why) }
    }

    const fn of(recommendation: Recommendation, action: Action, chance: f64) -> Self {
        Self { recommendation, action: Some(action), chance, open: None }
    }

    /// How likely the action is to succeed, in words.
    pub(super) fn band(&self) -> Band {
        Band::of(self.chance)
    }
}

/// How much more likely a change must make success to be worth the trouble.
const WORTH_A_CHANGE: f64 = 0.15;

/// A change is worth trying from this probability of success on where a release is from one half: who is told what to put right
/// looks first whether it is wrong, and a look costs no slot.
const WORTH_A_LOOK: f64 = 0.2;

/// How much more likely what is waited for must make success: waiting costs next to nothing.
const WORTH_A_WAIT: f64 = 0.03;

/// What a wait can bring is worth it from this probability of success on where a release is from one half; so is the release once
/// it has come. The others have shown by then that the cause passes.
const WORTH_WAITING_FOR: f64 = 0.15;

/// A release this likely to succeed needs no change.
const GOOD_AS_IT_IS: f64 = 0.8;

/// Decides by expected cost ([`Costs`]): a release from its threshold on, a removal only where the best action stays below
/// the other one. docs/advice.md has the derivation, and says which of the numbers above are assumed.
///
/// Of a limit of the job's own the ad tells cause and cure, and no probability decides between them: HTCondor evaluates
/// `periodic_hold` in the next run as in this one (manual page `condor_submit`), so a release as it is helps only where
/// that run gets by with less. It is advised only where the model is nearly sure of that, and never where the limit is
/// exceeded again at once.
///
/// Of a code that the model does not know nothing else is said. Where what a wait would be for has come, the next thing to do is
/// the release that was waited for: a small chance is enough, no mend is looked for first, and `least_confidence` is not
/// asked for, since it was seen and not only computed.
pub(super) fn decide(chances: &Chances, costs: &Costs, least_confidence: Option<f64>) -> Decision {
    let (as_is, best) = (chances.as_is(), chances.best());
    if let Some((action, again)) = chances.limit
        && (as_is < GOOD_AS_IT_IS || again == Again::AtOnce || chances.unknown_code.is_some())
        && let Some(chance) = chances.of(action)
    {
        return Decision::of(Recommendation::Change, action, chance);
    }
    if let Some(releases) = chances.unknown_code {
        return Decision::open(Open::UnknownCode(releases), best);
    }
    let decision = weigh(chances, costs);
    let confidence = match decision.recommendation {
        Recommendation::Release if !chances.came => decision.chance,
        Recommendation::Remove => 1.0 - decision.chance,
        _ => return decision,
    };
    match least_confidence.filter(|least| confidence < *least) {
        Some(least) => Decision::open(Open::Unsure(least), best),
        None => decision,
    }
}

/// What the probabilities and costs come to.
fn weigh(chances: &Chances, costs: &Costs) -> Decision {
    let (as_is, threshold) = (chances.as_is(), costs.release_threshold());
    let worth_waiting_for = shifted(WORTH_WAITING_FOR, threshold);
    let enough = if chances.came { worth_waiting_for } else { threshold };
    let better_changed = chances.best_change().filter(|&(action, p)| {
        let mend = action == Action::Other && as_is >= enough && chances.came;
        !mend
            && p >= shifted(WORTH_A_LOOK, threshold)
            && p >= as_is + WORTH_A_CHANGE
            && as_is < GOOD_AS_IT_IS
    });
    if as_is >= enough && better_changed.is_none() {
        return Decision::of(Recommendation::Release, Action::AsIs, as_is);
    }
    let recovered =
        chances.recovered.filter(|&p| p >= worth_waiting_for && p >= as_is + WORTH_A_WAIT);
    let changed = better_changed.map_or(0.0, |(_, p)| p);
    if let Some(chance) = recovered.filter(|&p| as_is < threshold && p >= changed) {
        return Decision::of(Recommendation::Wait, Action::AsIs, chance);
    }
    if let Some((action, chance)) = better_changed {
        return Decision::of(Recommendation::Change, action, chance);
    }
    let best = chances.best();
    if best < costs.remove_threshold() {
        let remove = Recommendation::Remove;
        return Decision { recommendation: remove, action: None, chance: best, open: None };
    }
    Decision::open(Open::Between, best)
}

/// A probability that is enough where a release is from one half on, for another threshold: their odds are multiplied.
fn shifted(probability: f64, threshold: f64) -> f64 {
    let (yes, no) = (probability * threshold, (1.0 - probability) * (1.0 - threshold));
    if yes + no > 0.0 { yes / (yes + no) } else { probability }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::advice::Spent;

    fn chances(actions: Vec<(Action, f64)>, recovered: Option<f64>) -> Chances {
        Chances { actions, recovered, came: false, limit: None, unknown_code: None }
    }

    fn after(run: f64, chances: &Chances) -> Recommendation {
        let costs = Costs::default().of_job(&Spent { run: Some(run), total: run });
        decide(chances, &costs, None).recommendation
    }

    fn decided(as_is: f64, change: Option<f64>, recovered: Option<f64>) -> Recommendation {
        let mut actions = vec![(Action::AsIs, as_is)];
        actions.extend(change.map(|p| (Action::Other, p)));
        after(0.0, &chances(actions, recovered))
    }

    #[test]
    fn a_long_run_needs_a_better_chance() {
        let likely = chances(vec![(Action::AsIs, 0.7)], None);
        assert_eq!(after(30.0 / 3600.0, &likely), Recommendation::Release);
        assert_eq!(after(20.0, &likely), Recommendation::Undecided);
        let sure = chances(vec![(Action::AsIs, 0.9)], None);
        assert_eq!(after(20.0, &sure), Recommendation::Release);
        let hopeless = chances(vec![(Action::AsIs, 0.05)], None);
        assert_eq!(after(0.0, &hopeless), Recommendation::Remove);
        assert_eq!(after(20.0, &hopeless), Recommendation::Undecided);
        let mend = chances(vec![(Action::AsIs, 0.05), (Action::Other, 0.3)], None);
        assert_eq!(after(0.0, &mend), Recommendation::Change);
        assert_eq!(after(20.0, &mend), Recommendation::Undecided);
    }

    #[test]
    fn of_an_unknown_code_only_what_the_ad_makes_certain_is_said() {
        for as_is in [0.01, 0.3, 0.99] {
            let actions = vec![(Action::AsIs, as_is), (Action::Other, 0.95)];
            let mut unknown = chances(actions, Some(0.99));
            unknown.came = true;
            unknown.unknown_code = Some(4);
            let decision = decide(&unknown, &Costs::default(), None);
            assert_eq!(decision.recommendation, Recommendation::Undecided);
            assert_eq!((decision.action, decision.open), (None, Some(Open::UnknownCode(4))));
            unknown.limit = Some((Action::Other, Again::WhenReached));
            let decision = decide(&unknown, &Costs::default(), None);
            assert_eq!(decision.recommendation, Recommendation::Change);
        }
    }

    #[test]
    fn the_least_confidence_is_asked_of_releases_and_removals() {
        let asked = |as_is: f64, came: bool, least: f64| {
            let chances = Chances { came, ..chances(vec![(Action::AsIs, as_is)], None) };
            let decision = decide(&chances, &Costs::default(), Some(least));
            (decision.recommendation, decision.open)
        };
        let unsure = |least| (Recommendation::Undecided, Some(Open::Unsure(least)));
        assert_eq!(asked(0.7, false, 0.8), unsure(0.8));
        assert_eq!(asked(0.9, false, 0.8), (Recommendation::Release, None));
        assert_eq!(asked(0.05, false, 0.97), unsure(0.97));
        assert_eq!(asked(0.05, false, 0.9), (Recommendation::Remove, None));
        assert_eq!(asked(0.3, true, 0.8), (Recommendation::Release, None));
        let mend = chances(vec![(Action::AsIs, 0.1), (Action::Other, 0.6)], None);
        let decision = decide(&mend, &Costs::default(), Some(0.99));
        assert_eq!(decision.recommendation, Recommendation::Change);
    }

    #[test]
    fn odds_are_shifted() {
        assert!((shifted(0.2, 0.5) - 0.2).abs() < 1e-12);
        assert!((shifted(0.2, 0.8) - 0.5).abs() < 1e-12);
        assert_eq!((shifted(0.2, 1.0), shifted(0.2, 0.0)), (1.0, 0.0));
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
            let limited = Chances { limit, ..chances(actions, None) };
            let decision = decide(&limited, &Costs::default(), None);
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
            after(0.0, &Chances { came: true, ..chances(actions, Some(as_is)) })
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
