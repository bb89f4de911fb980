use super::*;
use crate::advice::{Recommendation, Since, Target, TrySuccess};
use crate::history::Action;
use eventlog::JobId;

const NOW: i64 = 10_000;

fn candidate(cluster: i32, proc: i32, owner: &str, cause: &str) -> Candidate {
    Candidate {
        target: Target {
            job: JobId::new(cluster, proc),
            code: Some(13),
            num_holds: Some(1),
            since: Some(Since::At(9_000)),
        },
        owner: Some(owner.to_owned()),
        user: Some(format!("{owner}@here")),
        subcode: Some(256),
        cause: cause.to_owned(),
        advice: Recommendation::Release,
        diagnosis: None,
        action: Some(Action::AsIs),
        probability: Some(0.8),
        choices: Vec::new(),
        deed: Deed::Release,
        drawn_from: Some(1),
        counts: TrySuccess::Begins,
        missing: Vec::new(),
        words: "likely",
    }
}

fn many(cluster: i32, owner: &str, cause: &str, jobs: i32) -> Vec<Candidate> {
    (0..jobs).map(|proc| candidate(cluster, proc, owner, cause)).collect()
}

const BOUNDS: Bounds = Bounds { in_all: 1_000, of_cause: 1_000, of_owner: 1_000 };

fn through(count: usize) -> Vec<Attempt> {
    (0..count)
        .map(|_| Attempt {
            at: 1,
            ended: Some((2, true)),
            took: None,
            owner: owner_of(Some("alice")),
        })
        .collect()
}

fn owners(plan: &Plan) -> BTreeMap<&str, usize> {
    let mut owners = BTreeMap::new();
    for chosen in &plan.chosen {
        *owners.entry(chosen.candidate.owner.as_deref().unwrap()).or_default() += 1;
    }
    owners
}

#[test]
fn each_cause_has_a_ramp_of_its_own() {
    let candidates = [many(1, "alice", "server a", 50), many(2, "alice", "server b", 50)].concat();
    let attempts = HashMap::from([("server b".to_owned(), through(1))]);
    let plan = plan(candidates, &attempts, BOUNDS, NOW);
    let of = |cluster| {
        plan.chosen.iter().filter(|chosen| chosen.candidate.target.job.cluster == cluster).count()
    };
    assert_eq!((of(1), of(2)), (1, 5));
    assert_eq!(plan.eligible["server a"].len(), 50);
    let kept: Vec<(&str, usize)> =
        plan.kept.iter().map(|kept| (kept.cause.as_str(), kept.jobs)).collect();
    assert_eq!(kept, [("server a", 49), ("server b", 45)]);
}

#[test]
fn owners_take_turns() {
    let all = [many(1, "alice", "s", 100), many(2, "bob", "s", 3), many(3, "carol", "s", 100)];
    let before = ["alice", "bob", "carol"].map(|owner| through_of(owner, 6)).concat();
    let attempts = HashMap::from([("s".to_owned(), before)]);
    let plan = plan(all.concat(), &attempts, BOUNDS, NOW);
    assert_eq!(owners(&plan), BTreeMap::from([("alice", 11), ("bob", 3), ("carol", 11)]));
    assert!(plan.kept.iter().all(|kept| kept.of_owners.is_none()));
    let chance = |owner: &str| {
        let of = |chosen: &&Chosen| chosen.candidate.owner.as_deref() == Some(owner);
        plan.chosen.iter().find(of).unwrap().chance
    };
    assert!((chance("alice") - 0.11).abs() < 1e-9 && (chance("bob") - 1.0).abs() < 1e-9);
}

#[test]
fn bounds_of_the_call_and_of_an_owner_hold() {
    let all = [many(1, "alice", "s", 100), many(2, "bob", "s", 100)].concat();
    let before = ["alice", "bob"].map(|owner| through_of(owner, 1 + 5 + 25 + 125)).concat();
    let attempts = HashMap::from([("s".to_owned(), before)]);
    let in_all = plan(all.clone(), &attempts, Bounds { in_all: 7, ..BOUNDS }, NOW);
    let kept = &in_all.kept[0];
    assert_eq!((in_all.chosen.len(), kept.jobs, kept.room.as_ref()), (7, 193, None));
    let of_owner = plan(all, &attempts, Bounds { of_owner: 10, ..BOUNDS }, NOW);
    assert_eq!(owners(&of_owner), BTreeMap::from([("alice", 10), ("bob", 10)]));
}

#[test]
fn the_same_holds_are_drawn_in_every_call_and_removals_need_no_ramp() {
    let jobs = |plan: &Plan| -> Vec<JobId> {
        plan.chosen.iter().map(|chosen| chosen.candidate.target.job).collect()
    };
    let all = many(1, "alice", "s", 100);
    let mut turned = all.clone();
    turned.reverse();
    let none = HashMap::new();
    assert_eq!(
        jobs(&plan(all.clone(), &none, BOUNDS, NOW)),
        jobs(&plan(turned, &none, BOUNDS, NOW))
    );
    let removals =
        all.into_iter().map(|candidate| Candidate { deed: Deed::Remove, ..candidate }).collect();
    assert_eq!(plan(removals, &none, BOUNDS, NOW).chosen.len(), 100);
}

#[test]
fn an_owner_who_alone_failed_waits_and_the_others_go_on() {
    let of = |owner: &str, at, through| Attempt {
        at,
        ended: Some((at + 10, through)),
        took: None,
        owner: owner_of(Some(owner)),
    };
    let before = vec![of("alice", NOW - 100, true), of("mallory", NOW - 100, false)];
    let attempts = HashMap::from([("s".to_owned(), before)]);
    let all = [many(1, "alice", "s", 3), many(2, "mallory", "s", 3)].concat();
    assert_eq!(owners(&plan(all, &attempts, BOUNDS, NOW)), BTreeMap::from([("alice", 3)]));
}

fn through_of(owner: &str, count: usize) -> Vec<Attempt> {
    let owner = owner_of(Some(owner));
    through(count).into_iter().map(|one| Attempt { owner, ..one }).collect()
}

#[test]
fn what_gets_through_of_one_owner_lets_no_others_go() {
    let chosen = |before: Vec<Attempt>, owners: &[&str]| -> usize {
        let jobs =
            owners.iter().zip(1..).flat_map(|(owner, cluster)| many(cluster, owner, "s", 10));
        let attempts = HashMap::from([("s".to_owned(), before)]);
        let plan = plan(jobs.collect(), &attempts, BOUNDS, NOW);
        let kept: usize = plan.kept.iter().map(|kept| kept.jobs).sum();
        assert_eq!(plan.chosen.len() + kept, 10 * owners.len());
        plan.chosen.len()
    };
    assert_eq!(chosen(through_of("mallory", 6), &["alice"]), 1);
    assert_eq!(chosen(through_of("mallory", 500), &["alice"]), 1);
    // They are one group, as long as nothing of theirs got through.
    assert_eq!(chosen(through_of("mallory", 500), &["alice", "bob", "carol"]), 1);
    assert_eq!(chosen(through_of("mallory", 6), &["mallory"]), 10);
    // Own ones count, and those of several others.
    let own = [through_of("mallory", 500), through_of("alice", 1)].concat();
    assert_eq!(chosen(own, &["alice"]), 5);
    let two = [through_of("mallory", 500), through_of("dave", 1)].concat();
    assert_eq!(chosen(two, &["alice"]), 5);
    let three = ["dave", "erin", "frank"].map(|owner| through_of(owner, 4)).concat();
    assert_eq!(chosen(three, &["alice"]), 10);
}

#[test]
fn releases_that_show_nothing_cost_no_other_owner_a_turn() {
    let all = ["mallory", "bob", "carol"].into_iter().zip(1..);
    let all: Vec<Candidate> =
        all.flat_map(|(owner, cluster)| many(cluster, owner, "s", 10)).collect();
    let (mut attempts, mut order) = (HashMap::from([("s".to_owned(), Vec::new())]), Vec::new());
    // Each release of the first stage stays idle until it is taken to show nothing.
    for hour in 1..=6 {
        let now = NOW + hour * 3_600;
        let plan = plan(all.clone(), &attempts, BOUNDS, now);
        let [chosen] = plan.chosen.as_slice() else { panic!("{plan:?}") };
        let owner = chosen.candidate.owner.clone().unwrap();
        let one = Attempt { at: now, ended: None, took: None, owner: owner_of(Some(&owner)) };
        attempts.get_mut("s").unwrap().push(one);
        order.push(owner);
    }
    for half in order.chunks(3) {
        let owners: std::collections::BTreeSet<&String> = half.iter().collect();
        assert_eq!(owners.len(), 3, "{order:?}");
    }
}

#[test]
fn a_failure_of_anybody_stops_all_owners() {
    let failed = Attempt {
        at: NOW - 50,
        ended: Some((NOW - 40, false)),
        took: None,
        owner: owner_of(Some("alice")),
    };
    let before = [through_of("alice", 40), through_of("bob", 40), vec![failed]].concat();
    let attempts = HashMap::from([("s".to_owned(), before)]);
    let all = [many(1, "alice", "s", 3), many(2, "bob", "s", 3)].concat();
    // bob's ended long before, so that alice's is not hers alone.
    assert!(plan(all, &attempts, BOUNDS, NOW).chosen.is_empty());
}
