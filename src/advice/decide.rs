//! Probabilities and costs become a recommendation.

use super::cause::Trouble;
use super::removal::Removal;
use super::seen::Others;
use super::{Band, Costs, Recommendation, Undecided};
use crate::history::Action;
use crate::policy::Again;

/// The probabilities a decision is made from, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chances {
    /// Success of each action that makes sense here; as-is first.
    pub actions: Vec<(Action, f64)>,
    /// Success of a release as it is, had others been seen to get through again. `None` where
    /// nothing outside the job is known to wait for.
    pub recovered: Option<f64>,
    /// Actions among these that the model was hardly trained on.
    pub untaught: Vec<Action>,
    /// What became of like jobs since the hold.
    pub since: Others,
    /// The trouble of its hold reason stays until somebody acts, and nothing shows that it is over.
    pub lasting: Option<Trouble>,
    /// What the model's log-odds were multiplied by, 0 to 1.
    pub trust: f64,
    /// The event log shows this hold, and ads of earlier runs were read.
    pub whole: bool,
    /// What is known of it where no action is likely to help.
    pub removal: Removal,
    /// The job was held by a limit of its own: the action that raises it, and when it holds the job
    /// again.
    pub limit: Option<(Action, Again)>,
    /// Releases in a row that ended in a hold like this one.
    pub failed_alike: usize,
    /// Releases after the hold's code that the model was trained on, where they are too few for it
    /// to know the code.
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

    /// The change most likely to help, of those that the model knows.
    pub(super) fn best_change(&self) -> Option<(Action, f64)> {
        let known = |action: &Action| *action != Action::AsIs && !self.untaught.contains(action);
        let changes = self.actions.iter().filter(|(action, _)| known(action));
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
    /// Probability of success of that action; of the best one for `remove`, of a release as it is
    /// for `undecided`.
    pub chance: f64,
    /// Of `undecided`, why.
    pub undecided: Option<Undecided>,
}

impl Decision {
    pub(super) const fn undecided(why: Undecided, chance: f64) -> Self {
        Self {
            recommendation: Recommendation::Undecided,
            action: None,
            chance,
            undecided: Some(why),
        }
    }

    const fn of(recommendation: Recommendation, action: Action, chance: f64) -> Self {
        Self { recommendation, action: Some(action), chance, undecided: None }
    }

    /// How likely the action is to succeed, in words.
    pub(super) fn band(&self) -> Band {
        Band::of(self.chance)
    }
}

/// How much more likely a change must make success to be worth the trouble.
const WORTH_A_CHANGE: f64 = 0.15;

/// A change is worth trying from this probability of success on where a release is from one half:
/// who is told what to put right looks first whether it is wrong, and a look costs no slot.
const WORTH_A_LOOK: f64 = 0.2;

/// How much more likely what is waited for must make success: waiting costs next to nothing.
const WORTH_A_WAIT: f64 = 0.03;

/// What a wait can bring is worth it from this probability of success on where a release is from
/// one half; so is the release once it has come. The others have shown by then that the cause
/// passes. Below it a success is `unlikely` ([`Band`]).
const WORTH_WAITING_FOR: f64 = 0.35;

/// A release this likely to succeed needs no change.
const GOOD_AS_IT_IS: f64 = 0.8;

/// Where the event log does not show the hold, or no ads of earlier runs were read, a release is
/// worth it from this probability of success on where it is from one half otherwise: `likely`.
const WITHOUT_EVENT_LOG: f64 = 0.65;

/// After so many releases in a row that ended in a hold like this one, another one is advised only
/// where others were seen to get through since.
const MOST_FAILED: usize = 2;

/// Decides by expected cost ([`Costs`]): a release from its threshold on, a removal only where its
/// own rule ([`Removal`]) has nothing against it. docs/advice.md has the derivation, and says which
/// of the numbers above are assumed.
///
/// Of a limit of the job's own the ad tells cause and cure, and no probability decides between
/// them: HTCondor evaluates `periodic_hold` in the next run as in this one (manual page
/// `condor_submit`), so a release as it is helps only where that run gets by with less. It is
/// advised only where the model is nearly sure of that, and never where the limit is exceeded again
/// at once.
///
/// Of a code that the model does not know nothing else is said. Where like jobs get through again,
/// the next thing to do is the release that was waited for: a small chance is enough, nothing is
/// changed first, and `least_confidence` is not asked for, since it was seen and not only computed.
pub(super) fn decide(chances: &Chances, costs: &Costs, least_confidence: Option<f64>) -> Decision {
    let as_is = chances.as_is();
    if let Some((action, again)) = chances.limit
        && (as_is < GOOD_AS_IT_IS || again == Again::AtOnce || chances.unknown_code.is_some())
        && let Some(chance) = chances.of(action)
    {
        return Decision::of(Recommendation::Change, action, chance);
    }
    if chances.untaught.contains(&Action::AsIs) {
        return Decision::undecided(Undecided::NoReleases, as_is);
    }
    if let Some(releases) = chances.unknown_code {
        return Decision::undecided(Undecided::UnknownCode { releases }, as_is);
    }
    let decision = weigh(chances, costs);
    if decision.recommendation == Recommendation::Release
        && chances.failed_alike >= MOST_FAILED
        && chances.since != Others::GotThrough
    {
        return Decision::undecided(
            Undecided::FailedBefore { releases: chances.failed_alike },
            as_is,
        );
    }
    let confidence = match decision.recommendation {
        Recommendation::Release if chances.since != Others::GotThrough => decision.chance,
        Recommendation::Remove => 1.0 - decision.chance,
        _ => return decision,
    };
    match least_confidence.filter(|least| confidence < *least) {
        Some(least) => Decision::undecided(Undecided::Unsure { least }, as_is),
        None => decision,
    }
}

/// The recommendation by probabilities and costs.
fn weigh(chances: &Chances, costs: &Costs) -> Decision {
    let (as_is, threshold) = (chances.as_is(), costs.release_threshold());
    let came = chances.since == Others::GotThrough;
    let worth_waiting_for = shifted(WORTH_WAITING_FOR, threshold);
    let enough = match chances.whole {
        true if came => worth_waiting_for,
        true => threshold,
        // Where failures of others are not seen, few successes are not enough.
        false => shifted(WITHOUT_EVENT_LOG, threshold),
    };
    let better_changed = chances.best_change().filter(|&(action, p)| {
        if chances.lasting.is_some() && action == Action::Other {
            return p >= as_is;
        }
        let changed_for_nothing = action == Action::Other && as_is >= enough && came;
        !changed_for_nothing
            && p >= shifted(WORTH_A_LOOK, threshold)
            // Answers that are less sure lie nearer to each other.
            && p >= as_is + WORTH_A_CHANGE * chances.trust
            && as_is < GOOD_AS_IT_IS
    });
    if as_is >= enough && better_changed.is_none() && chances.lasting.is_none() {
        return Decision::of(Recommendation::Release, Action::AsIs, as_is);
    }
    // A wait ends when others have got through, whatever came after.
    let recovered = chances.recovered.filter(|&p| {
        chances.since == Others::Nothing && p >= worth_waiting_for && p >= as_is + WORTH_A_WAIT
    });
    let changed = better_changed.map_or(0.0, |(_, p)| p);
    if recovered.is_some_and(|p| as_is < enough && p >= changed) {
        return Decision::of(Recommendation::Wait, Action::AsIs, as_is);
    }
    if let Some((action, chance)) = better_changed {
        return Decision::of(Recommendation::Change, action, chance);
    }
    let best = chances.best();
    if let Some(trouble) = chances.lasting {
        return Decision::undecided(Undecided::Lasting { trouble }, as_is);
    }
    if best < costs.remove_threshold() {
        let change = chances.best_change().map(|(_, p)| p);
        return match chances.removal.against(&costs.expected(as_is, change, best)) {
            Some(against) => Decision::undecided(Undecided::NotRemoved { against }, as_is),
            None => Decision {
                recommendation: Recommendation::Remove,
                action: None,
                chance: best,
                undecided: None,
            },
        };
    }
    let sources = !chances.whole && (came || as_is >= threshold);
    let why = match sources {
        true => Undecided::Sources,
        false => Undecided::Between { release: threshold, remove: costs.remove_threshold() },
    };
    Decision::undecided(why, as_is)
}

/// A probability that is enough where a release is from one half on, for another threshold: their
/// odds are multiplied.
fn shifted(probability: f64, threshold: f64) -> f64 {
    let (yes, no) = (probability * threshold, (1.0 - probability) * (1.0 - threshold));
    if yes + no > 0.0 { yes / (yes + no) } else { probability }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    use crate::advice::Spent;
    use crate::advice::removal::{Against, ByItself, LEAST_FAILED, LEAST_HELD};
    use crate::hold_code::Cause;

    const RIPE: Removal = Removal {
        held_for: 90_000,
        failed_releases: 2,
        cause: Cause::Program,
        by_itself: ByItself::Nothing,
        like_job_began: false,
        untaught: false,
    };

    fn chances(actions: Vec<(Action, f64)>, recovered: Option<f64>) -> Chances {
        Chances {
            actions,
            recovered,
            untaught: Vec::new(),
            since: Others::Nothing,
            lasting: None,
            trust: 1.0,
            whole: true,
            removal: RIPE,
            limit: None,
            failed_alike: 0,
            unknown_code: None,
        }
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
        let changed = chances(vec![(Action::AsIs, 0.05), (Action::Other, 0.3)], None);
        assert_eq!(after(0.0, &changed), Recommendation::Change);
        assert_eq!(after(20.0, &changed), Recommendation::Undecided);
    }

    #[test]
    fn of_an_unknown_code_only_what_the_ad_makes_certain_is_said() {
        for as_is in [0.01, 0.3, 0.99] {
            let actions = vec![(Action::AsIs, as_is), (Action::Other, 0.95)];
            let mut unknown = chances(actions, Some(0.99));
            unknown.since = Others::GotThrough;
            unknown.unknown_code = Some(4);
            let decision = decide(&unknown, &Costs::default(), None);
            assert_eq!(decision.recommendation, Recommendation::Undecided);
            assert_eq!(
                (decision.action, decision.undecided),
                (None, Some(Undecided::UnknownCode { releases: 4 }))
            );
            unknown.limit = Some((Action::Other, Again::WhenReached));
            let decision = decide(&unknown, &Costs::default(), None);
            assert_eq!(decision.recommendation, Recommendation::Change);
        }
    }

    #[test]
    fn the_least_confidence_is_asked_of_releases_and_removals() {
        let asked = |as_is: f64, came: bool, least: f64| {
            let since = if came { Others::GotThrough } else { Others::Nothing };
            let chances = Chances { since, ..chances(vec![(Action::AsIs, as_is)], None) };
            let decision = decide(&chances, &Costs::default(), Some(least));
            (decision.recommendation, decision.undecided)
        };
        let unsure = |least| (Recommendation::Undecided, Some(Undecided::Unsure { least }));
        assert_eq!(asked(0.7, false, 0.8), unsure(0.8));
        assert_eq!(asked(0.9, false, 0.8), (Recommendation::Release, None));
        assert_eq!(asked(0.05, false, 0.97), unsure(0.97));
        assert_eq!(asked(0.05, false, 0.9), (Recommendation::Remove, None));
        assert_eq!(asked(0.4, true, 0.8), (Recommendation::Release, None));
        let changed = chances(vec![(Action::AsIs, 0.1), (Action::Other, 0.6)], None);
        let decision = decide(&changed, &Costs::default(), Some(0.99));
        assert_eq!(decision.recommendation, Recommendation::Change);
    }

    #[test]
    fn what_failed_twice_is_not_advised_again_without_new_evidence() {
        let asked = |failed_alike: usize, since: Others| {
            let likely = chances(vec![(Action::AsIs, 0.7)], None);
            let decision =
                decide(&Chances { failed_alike, since, ..likely }, &Costs::default(), None);
            (decision.recommendation, decision.undecided)
        };
        let against = Some(Undecided::FailedBefore { releases: 2 });
        for (failed, since, expected) in [
            (1, Others::Nothing, (Recommendation::Release, None)),
            (2, Others::Nothing, (Recommendation::Undecided, against)),
            (2, Others::Mixed, (Recommendation::Undecided, against)),
            (2, Others::GotThrough, (Recommendation::Release, None)),
        ] {
            assert_eq!(asked(failed, since), expected, "{failed} {since:?}");
        }
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
        assert_eq!(decided(0.1, None, Some(0.4)), Recommendation::Wait);
        assert_eq!(decided(0.1, None, Some(0.3)), Recommendation::Undecided);
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
            after(0.0, &Chances { since: Others::GotThrough, ..chances(actions, Some(as_is)) })
        };
        assert_eq!(came(0.4, Some((Action::Other, 0.7))), Recommendation::Release);
        assert_eq!(came(0.35, Some((Action::Memory, 0.7))), Recommendation::Change);
        assert_eq!(came(0.3, Some((Action::Other, 0.7))), Recommendation::Change);
        assert_eq!(came(0.3, None), Recommendation::Undecided);
    }

    #[test]
    fn removal_needs_that_nothing_helps() {
        assert_eq!(decided(0.01, Some(0.02), None), Recommendation::Remove);
        assert_eq!(decided(0.01, Some(0.15), None), Recommendation::Undecided);
        assert_eq!(decided(0.01, Some(0.02), Some(0.12)), Recommendation::Undecided);
    }

    #[test]
    fn what_the_model_was_not_taught_is_not_advised() {
        let actions = vec![(Action::AsIs, 0.05), (Action::Other, 0.9)];
        let taught = chances(actions, None);
        assert_eq!(after(0.0, &taught), Recommendation::Change);
        let removal = Removal { untaught: true, ..RIPE };
        let untaught = Chances { untaught: vec![Action::Other], removal, ..taught };
        assert_eq!(after(0.0, &untaught), Recommendation::Undecided);
        let nothing =
            Chances { untaught: vec![Action::AsIs], ..chances(vec![(Action::AsIs, 0.9)], None) };
        assert_eq!(after(0.0, &nothing), Recommendation::Undecided);
    }

    #[test]
    fn what_stands_against_a_removal_is_said() {
        let young = Removal { held_for: 600, ..RIPE };
        let hopeless = Chances { removal: young, ..chances(vec![(Action::AsIs, 0.01)], None) };
        let decision = decide(&hopeless, &Costs::default(), None);
        assert_eq!(
            decision.undecided,
            Some(Undecided::NotRemoved { against: Against::HeldTooShort })
        );
    }

    #[test]
    fn a_wait_is_over_once_others_have_got_through() {
        for since in [Others::Mixed, Others::GotThrough] {
            let over = Chances { since, ..chances(vec![(Action::AsIs, 0.1)], Some(0.9)) };
            assert_ne!(after(0.0, &over), Recommendation::Wait);
        }
    }

    #[test]
    fn a_lasting_trouble_is_looked_at_first() {
        let full = |actions| Chances { lasting: Some(Trouble::NoSpace), ..chances(actions, None) };
        let look = full(vec![(Action::AsIs, 0.34), (Action::Other, 0.4)]);
        assert_eq!(after(0.0, &look), Recommendation::Change);
        let deadline = Costs { delay: 200.0, ..Costs::default() };
        let alone = decide(&full(vec![(Action::AsIs, 0.34)]), &deadline, None);
        assert_eq!(alone.undecided, Some(Undecided::Lasting { trouble: Trouble::NoSpace }));
    }

    #[test]
    fn without_an_event_log_a_release_must_be_likely() {
        let alone = |p| Chances { whole: false, ..chances(vec![(Action::AsIs, p)], None) };
        assert_eq!(after(0.0, &alone(0.7)), Recommendation::Release);
        let decision = decide(&alone(0.6), &Costs::default(), None);
        assert_eq!(decision.undecided, Some(Undecided::Sources));
    }

    fn any_chances() -> impl Strategy<Value = Chances> {
        let p = || 0.0..=1.0_f64;
        let since = prop::sample::select(vec![Others::Nothing, Others::Mixed, Others::GotThrough]);
        let lasting =
            prop::option::of(prop::sample::select(vec![Trouble::Denied, Trouble::NoSpace]));
        let cause = prop::sample::select(vec![
            Cause::Program,
            Cause::Transfer,
            Cause::Host,
            Cause::Unknown,
            Cause::Limit,
        ]);
        let by_itself =
            prop::sample::select(vec![ByItself::Nothing, ByItself::Acts, ByItself::Unknown]);
        let removal = (0..200_000_i64, 0..4_usize, cause, by_itself, any::<bool>(), any::<bool>());
        let actions = (p(), prop::option::of(p()), prop::option::of(p()));
        (actions, prop::option::of(p()), since, lasting, any::<bool>(), removal).prop_map(
            |((as_is, memory, other), recovered, since, lasting, whole, removal)| {
                let (held_for, failed_releases, cause, by_itself, like_job_began, untaught) =
                    removal;
                let mut actions = vec![(Action::AsIs, as_is)];
                actions.extend(memory.map(|p| (Action::Memory, p)));
                actions.extend(other.map(|p| (Action::Other, p)));
                Chances {
                    actions,
                    recovered,
                    untaught: Vec::new(),
                    since,
                    lasting,
                    trust: 1.0,
                    whole,
                    removal: Removal {
                        held_for,
                        failed_releases,
                        cause,
                        by_itself,
                        like_job_began,
                        untaught,
                    },
                    limit: None,
                    failed_alike: 0,
                    unknown_code: None,
                }
            },
        )
    }

    proptest! {
        /// What is decided agrees with what was seen, whatever the probabilities and costs.
        #[test]
        fn verdict_and_evidence_agree(
            chances in any_chances(),
            failed in 0.1..100.0_f64,
            delay in 0.1..100.0_f64,
        ) {
            let costs = Costs { failed, delay, ..Costs::default() };
            let decision = decide(&chances, &costs, None);
            match decision.recommendation {
                Recommendation::Release => {
                    prop_assert_eq!(chances.lasting, None);
                    prop_assert_eq!(decision.chance, chances.as_is());
                    let threshold = costs.release_threshold();
                    if chances.since != Others::GotThrough {
                        prop_assert!(decision.chance >= threshold);
                    }
                    if threshold >= 0.5 {
                        prop_assert!(decision.band() >= Band::Even);
                    }
                }
                Recommendation::Remove => {
                    let removal = chances.removal;
                    prop_assert!(removal.held_for > LEAST_HELD);
                    prop_assert!(removal.failed_releases >= LEAST_FAILED);
                    prop_assert!(removal.cause.lasts() && !removal.untaught);
                    prop_assert!(!removal.like_job_began);
                    prop_assert_eq!(removal.by_itself, ByItself::Nothing);
                    let change = chances.best_change().map(|(_, p)| p);
                    let expected = costs.expected(chances.as_is(), change, chances.best());
                    prop_assert!(expected.remove <= 0.75 * expected.hold);
                    prop_assert!(expected.remove <= 0.75 * expected.release);
                    prop_assert!(change.is_none() || expected.remove <= 0.75 * expected.change.unwrap());
                }
                Recommendation::Wait => {
                    prop_assert_eq!(chances.since, Others::Nothing);
                    prop_assert_eq!(decision.chance, chances.as_is());
                }
                Recommendation::Change => {
                    prop_assert!(decision.chance >= chances.as_is());
                }
                Recommendation::Undecided => {
                    prop_assert!(decision.undecided.is_some());
                    prop_assert_eq!(decision.chance, chances.as_is());
                }
            }
        }

        /// With the event log missing nothing becomes a release or a removal that was none.
        #[test]
        fn a_missing_event_log_gives_no_release(chances in any_chances()) {
            let with = decide(&Chances { whole: true, ..chances.clone() }, &Costs::default(), None);
            let without = decide(&Chances { whole: false, ..chances }, &Costs::default(), None);
            if matches!(without.recommendation, Recommendation::Release | Recommendation::Remove) {
                prop_assert_eq!(with.recommendation, without.recommendation);
            }
        }
    }
}
