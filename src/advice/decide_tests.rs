//! Which choice is made of which probabilities and costs.

use proptest::prelude::*;

use super::*;

use crate::advice::Spent;
use crate::advice::never::{AgainstRemoval, ByItself, Known, LEAST_FAILED, LEAST_HELD, Removal};
use crate::catalogue::Trouble;
use crate::hold_code::Cause;
use eventlog::JobId;

const RIPE: Removal = Removal {
    held_for: 90_000,
    failed_releases: 2,
    cause: Cause::Program,
    by_itself: ByItself::Nothing,
    like_job_began: false,
    untaught: false,
    by_others: false,
};

const KNOWN: Known = Known {
    over: false,
    unseen: false,
    person: false,
    spooling: false,
    unknown_code: None,
    has_limit: false,
    untaught: false,
    broken: false,
    held_again: false,
    lasting: None,
    ends: None,
    removal: RIPE,
};

fn chances(actions: Vec<(Action, f64)>, recovered: Option<f64>) -> Chances {
    Chances {
        actions,
        recovered,
        later: Curve::default(),
        untaught: Vec::new(),
        unnamed: Vec::new(),
        by_hand: vec![Action::Other],
        since: Others::Nothing,
        trust: 1.0,
        whole: true,
        known: KNOWN,
        time_helps: true,
        hope: 0.0,
        limit: None,
        failed_alike: 0,
        group: Group::ALONE,
        after_success: 0.0,
        wait_hours: 1.0 / 6.0,
        run: 0.0,
        looks: false,
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
fn what_becomes_likely_later_is_waited_for() {
    let with = |later: &[(i64, f64)]| Chances {
        later: Curve::new(later.iter().copied()),
        ..chances(vec![(Action::AsIs, 0.1), (Action::Other, 0.5)], None)
    };
    let soon = [(0, 0.1), (3_600, 0.6), (7_200, 0.8)];
    assert_eq!(after(0.0, &with(&soon)), Recommendation::Wait);
    let hours = |later: &[(i64, f64)]| {
        let decision = decide(&with(later), &Costs::default(), None);
        decision.choices.hours(Recommendation::Wait)
    };
    // An hour more is worth two in ten.
    assert_eq!(hours(&soon), Some(2.0 + Costs::default().released(0.8)));
    assert_eq!(hours(&[(0, 0.1), (3_600, 0.75), (7_200, 0.8)]).map(f64::trunc), Some(3.0));
    // What never becomes likelier than a change, and what is likely now, is not waited for.
    assert_eq!(after(0.0, &with(&[(0, 0.1), (3_600, 0.3)])), Recommendation::Change);
    let through = Chances { since: Others::GotThrough, ..with(&soon) };
    assert_eq!(after(0.0, &through), Recommendation::Change);
    let now = Chances { actions: vec![(Action::AsIs, 0.7)], ..with(&soon) };
    assert_eq!(after(0.0, &now), Recommendation::Release);
}

#[test]
fn a_job_that_will_succeed_is_not_removed() {
    let lost = chances(vec![(Action::AsIs, 0.01)], None);
    assert_eq!(after(0.0, &lost), Recommendation::Remove);
    let later = Curve::new([(0, 0.01), (259_200, 0.3)]);
    assert_ne!(after(0.0, &Chances { later, ..lost }), Recommendation::Remove);
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
        unknown.known.unknown_code = Some(4);
        let decision = decide(&unknown, &Costs::default(), None);
        assert_eq!(decision.recommendation, Recommendation::Undecided);
        assert_eq!(
            (decision.action, decision.undecided),
            (None, Some(Undecided::UnknownCode { releases: 4 }))
        );
        unknown.limit = Some((Action::Other, HeldAgain::WhenReached));
        unknown.known.has_limit = true;
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
        let decision = decide(&Chances { failed_alike, since, ..likely }, &Costs::default(), None);
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
fn jobs_of_which_one_failed_since_others_got_through_are_not_all_released() {
    let asked = |against: Option<Against>, failed: bool| {
        let likely = chances(vec![(Action::AsIs, 0.74)], None);
        let group = Group { held: 150, against, failed };
        let chances = Chances { group, since: Others::GotThrough, after_success: 0.8, ..likely };
        decide(&chances, &Costs::default(), None).recommendation
    };
    let job = JobId::new(1, 2);
    for against in [Against::TriesFailed { job }, Against::TooEarly { until: 9 }] {
        assert_eq!(asked(Some(against), true), Recommendation::Undecided, "{against:?}");
    }
    assert_eq!(asked(Some(Against::TooEarly { until: 9 }), false), Recommendation::Release);
    assert_eq!(asked(Some(Against::TryWorked { job }), false), Recommendation::Release);
}

#[test]
fn a_change_that_nobody_can_name_stands_against_a_release_while_a_look_may_tell() {
    let both = vec![(Action::AsIs, 0.55), (Action::Other, 0.85)];
    let decided = |unnamed: bool, looks: bool| {
        let unnamed = if unnamed { vec![Action::Other] } else { Vec::new() };
        let chances = Chances { unnamed, looks, ..chances(both.clone(), None) };
        decide(&chances, &Costs::default(), None)
    };
    assert_eq!(decided(false, false).recommendation, Recommendation::Change);
    assert_eq!(decided(true, false).recommendation, Recommendation::Release);
    let look = decided(true, true);
    assert_eq!(look.recommendation, Recommendation::Look);
    // All else speaks for a release: it is for where the look shows nothing.
    let release = look.choices.of(Recommendation::Release).unwrap();
    assert_eq!(release.against, Some(Against::ChangeIsBetter));
    let failed = Chances {
        unnamed: vec![Action::Other],
        looks: true,
        failed_alike: MOST_FAILED,
        ..chances(both, None)
    };
    let choices = decide(&failed, &Costs::default(), None).choices;
    let against = choices.of(Recommendation::Release).unwrap().against;
    assert_eq!(against, Some(Against::FailedBefore { releases: MOST_FAILED }));
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
    let limited = |as_is: f64, change: f64, again: HeldAgain| {
        let actions = vec![(Action::AsIs, as_is), (Action::Site, 0.9), (Action::Other, change)];
        let limit = Some((Action::Other, again));
        let limited = Chances { limit, ..chances(actions, None) };
        let decision = decide(&limited, &Costs::default(), None);
        (decision.recommendation, decision.action)
    };
    let raised = (Recommendation::Change, Some(Action::Other));
    assert_eq!(limited(0.6, 0.2, HeldAgain::WhenReached), raised);
    assert_eq!(limited(0.02, 0.03, HeldAgain::WhenReached), raised);
    assert_eq!(limited(0.9, 0.2, HeldAgain::AtOnce), raised);
    let release = (Recommendation::Release, Some(Action::AsIs));
    assert_eq!(limited(0.9, 0.2, HeldAgain::WhenReached), release);
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
    let known = Known { removal: Removal { untaught: true, ..RIPE }, ..KNOWN };
    let untaught = Chances { untaught: vec![Action::Other], known, ..taught };
    assert_eq!(after(0.0, &untaught), Recommendation::Undecided);
    let known = Known { untaught: true, ..KNOWN };
    let nothing = Chances { known, ..chances(vec![(Action::AsIs, 0.9)], None) };
    assert_eq!(after(0.0, &nothing), Recommendation::Undecided);
}

#[test]
fn what_stands_against_a_removal_is_said() {
    let known = Known { removal: Removal { held_for: 600, ..RIPE }, ..KNOWN };
    let hopeless = Chances { known, ..chances(vec![(Action::AsIs, 0.01)], None) };
    let decision = decide(&hopeless, &Costs::default(), None);
    assert_eq!(
        decision.undecided,
        Some(Undecided::NotRemoved { against: AgainstRemoval::HeldTooShort })
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
    let known = Known { lasting: Some(Trouble::NoSpace), ..KNOWN };
    let full = |actions| Chances { known, ..chances(actions, None) };
    let look = full(vec![(Action::AsIs, 0.34), (Action::Other, 0.4)]);
    assert_eq!(after(0.0, &look), Recommendation::Change);
    let lasting = Some(Undecided::Lasting { trouble: Trouble::NoSpace });
    let alone = |p, whole| {
        let alone = Chances { whole, ..full(vec![(Action::AsIs, p)]) };
        decide(&alone, &Costs::default(), None)
    };
    assert_eq!(alone(0.6, true).undecided, lasting);
    assert_eq!(alone(0.7, true).recommendation, Recommendation::Release);
    assert_eq!(alone(0.7, false).undecided, lasting);
}

#[test]
fn without_an_event_log_a_release_must_be_likely() {
    let alone = |p| Chances { whole: false, ..chances(vec![(Action::AsIs, p)], None) };
    assert_eq!(after(0.0, &alone(0.7)), Recommendation::Release);
    let decision = decide(&alone(0.6), &Costs::default(), None);
    assert_eq!(decision.undecided, Some(Undecided::Sources));
}

#[test]
fn nothing_unlikely_is_released_however_dear_the_delay() {
    let dear = Costs { delay: 40.0, ..Costs::default() };
    for (p, recommended) in [(0.3, Recommendation::Undecided), (0.4, Recommendation::Release)] {
        for since in [Others::Nothing, Others::GotThrough] {
            let chances = Chances { since, ..chances(vec![(Action::AsIs, p)], None) };
            assert_eq!(decide(&chances, &dear, None).recommendation, recommended, "{p} {since:?}");
        }
    }
}

#[test]
fn no_probability_buys_what_a_rule_forbids() {
    use Recommendation as R;
    for (known, left) in [
        (Known { person: true, ..KNOWN }, R::Undecided),
        (Known { spooling: true, ..KNOWN }, R::Wait),
        (Known { unknown_code: Some(3), ..KNOWN }, R::Undecided),
        (Known { broken: true, ..KNOWN }, R::Change),
        (Known { held_again: true, ..KNOWN }, R::Undecided),
        (Known { untaught: true, ..KNOWN }, R::Undecided),
        // Whoever holds it says more than a file.
        (Known { person: true, broken: true, ..KNOWN }, R::Undecided),
        (Known { unknown_code: Some(3), broken: true, ..KNOWN }, R::Undecided),
    ] {
        for p in [0.3, 0.999] {
            let group = Group { held: 100, against: None, failed: false };
            let chances = Chances { known, group, ..chances(vec![(Action::AsIs, p)], None) };
            let decision = decide(&chances, &Costs::default(), None);
            let last = known.last(decision, &chances).recommendation;
            assert_eq!(last, left, "{p} {known:?}");
        }
    }
}

fn any_chances() -> impl Strategy<Value = Chances> {
    let p = || 0.0..=1.0_f64;
    let since = prop::sample::select(vec![Others::Nothing, Others::Mixed, Others::GotThrough]);
    let lasting = prop::option::of(prop::sample::select(vec![Trouble::Denied, Trouble::NoSpace]));
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
    let job = JobId::new(1, 2);
    let against = prop::sample::select(vec![
        None,
        Some(Against::OpenTry { job }),
        Some(Against::TryWorked { job }),
        Some(Against::TooEarly { until: 1 }),
    ]);
    let like = (2..300_usize, against, p(), any::<bool>(), any::<bool>(), 0.0..30.0_f64);
    let rules = (any::<bool>(), any::<bool>(), any::<bool>());
    let known = (any::<bool>(), removal, like, rules);
    (actions, prop::option::of(p()), since, lasting, known).prop_map(
        |((as_is, memory, other), recovered, since, lasting, (whole, removal, like, rules))| {
            let (broken, held_again, time_helps) = rules;
            let (held, against, after_success, named, looks, run) = like;
            let against = if held < 3 { Some(Against::FewHeld) } else { against };
            let (held_for, failed_releases, cause, by_itself, like_job_began, untaught) = removal;
            let removal = Removal {
                held_for,
                failed_releases,
                cause,
                by_itself,
                like_job_began,
                untaught,
                by_others: false,
            };
            let mut actions = vec![(Action::AsIs, as_is)];
            actions.extend(memory.map(|p| (Action::Memory, p)));
            actions.extend(other.map(|p| (Action::Other, p)));
            Chances {
                actions,
                recovered,
                later: Curve::default(),
                untaught: Vec::new(),
                unnamed: if named { Vec::new() } else { vec![Action::Other] },
                by_hand: vec![Action::Other],
                since,
                trust: 1.0,
                whole,
                known: Known { broken, held_again, lasting, removal, ..KNOWN },
                time_helps,
                hope: 0.0,
                limit: None,
                failed_alike: 0,
                group: Group { held, against, failed: false },
                after_success,
                wait_hours: 0.5,
                run,
                looks,
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
                prop_assert_eq!(decision.chance, chances.as_is());
                prop_assert!(!chances.known.broken && !chances.known.held_again);
                prop_assert!(decision.band() >= Band::Even);
                let threshold = costs.release_threshold();
                let is_sure = chances.whole && decision.chance >= shifted(LIKELY, threshold);
                prop_assert!(chances.known.lasting.is_none() || is_sure);
                if chances.since != Others::GotThrough {
                    prop_assert!(decision.chance >= threshold);
                }
            }
            Recommendation::Remove => {
                let removal = chances.known.removal;
                prop_assert!(removal.held_for > LEAST_HELD);
                prop_assert!(removal.failed_releases >= LEAST_FAILED);
                prop_assert!(removal.cause.lasts() && !removal.untaught);
                prop_assert!(!removal.like_job_began);
                prop_assert_eq!(removal.by_itself, ByItself::Nothing);
                use Recommendation as R;
                let hours = |choice| decision.choices.hours(choice);
                let remove = hours(R::Remove).unwrap();
                for other in [R::Undecided, R::Release, R::Change] {
                    prop_assert!(hours(other).is_none_or(|hours| remove <= 0.75 * hours));
                }
            }
            Recommendation::Wait => {
                let open = matches!(chances.group.against, Some(Against::OpenTry { .. }));
                prop_assert!(open || chances.since == Others::Nothing);
                prop_assert_eq!(decision.chance, chances.as_is());
            }
            Recommendation::Try => {
                prop_assert_eq!(chances.group.against, None);
                prop_assert_eq!(chances.known.lasting, None);
                prop_assert!(!chances.known.broken && !chances.known.held_again);
                prop_assert_eq!(decision.chance, chances.as_is());
            }
            Recommendation::Change => {
                prop_assert!(decision.chance >= chances.as_is());
                prop_assert!(!chances.unnamed.contains(&decision.action.unwrap()));
            }
            Recommendation::Look => {
                prop_assert!((chances.looks || !chances.time_helps) && decision.undecided.is_some());
                prop_assert_eq!(decision.chance, chances.as_is());
            }
            Recommendation::Undecided => {
                prop_assert!(decision.undecided.is_some() && !chances.looks);
                prop_assert_eq!(decision.chance, chances.as_is());
            }
        }
    }

    /// Nothing that something stands against is advised, and nothing that costs more hours
    /// than another choice that nothing stands against.
    #[test]
    fn the_choice_made_is_the_cheapest_that_nothing_stands_against(chances in any_chances()) {
        let decision = decide(&chances, &Costs::default(), None);
        let all = &decision.choices.choices;
        let of = |choice: &&Choice| choice.recommendation == decision.recommendation;
        let made = all.iter().find(of).unwrap();
        match decision.choices.rule {
            Rule::LeastHours => {
                prop_assert_eq!(made.against, None);
                for other in all.iter().filter(|choice| choice.against.is_none()) {
                    prop_assert!(made.hours <= other.hours);
                }
            }
            _ => prop_assert!(all.iter().all(|choice| choice.against.is_some())),
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
