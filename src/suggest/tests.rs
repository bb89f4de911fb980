use classads::Expr;

use super::*;
use crate::advice::Costs;
use crate::replay::{HoldEnd, Releaser, ReplayExpression, Ticks, replay};
use crate::sizes::Resource;
use eventlog::JobId;

const START: i64 = 1_760_000_000;

fn rules() -> Rules {
    Rules {
        ticks: Ticks { interval: 60, phase: 0 },
        max_releases: None,
        costs: Costs::default(),
        end: START + 90 * 86_400,
    }
}

/// A hold of a cluster of its own that was released after so many seconds.
fn hold(cluster: i32, reason: Reason, after: i64, success: bool) -> PastHold {
    let held_at = START + i64::from(cluster) * 1_000;
    let released_at = held_at + after;
    PastHold {
        job: JobId::new(cluster, 0),
        held_at,
        code: reason.0,
        subcode: reason.1,
        num_holds: Some(1),
        starts: Some(1),
        submitted_at: Some(held_at - 600),
        before: None,
        owner: None,
        resource: None,
        reason: None,
        ad: None,
        by_policy: false,
        ran: 600,
        hold_end: if success {
            HoldEnd::Success { released_at }
        } else {
            HoldEnd::Failure { released_at, failed_at: released_at + 900 }
        },
    }
}

/// A server that is down for less than an hour, a program with a bug, and a hold by a person.
fn holds() -> Vec<PastHold> {
    let mut holds = Vec::new();
    for cluster in 0..40 {
        holds.push(hold(3 * cluster, (13, 62), 400, false));
        holds.push(hold(3 * cluster + 1, (13, 62), 20 * 3_600, true));
        holds.push(hold(1_000 + cluster, (13, 62), 5_000, true));
        holds.push(hold(2_000 + cluster, (3, 7), 600 + 1_000 * i64::from(cluster), false));
        holds.push(hold(3_000 + cluster, (1, 0), 20 * 3_600, true));
    }
    holds.push(hold(9_000, (12, 2), 20 * 3_600, true));
    holds.sort_by_key(|hold| (hold.held_at, hold.job));
    holds
}

#[test]
fn what_passes_is_released_after_it_passed() {
    let holds = holds();
    let successes = Successes::of(&holds);
    let suggestion = suggest(&holds, &successes, None, &rules(), Version::NEWEST);
    let text = suggestion.expression().unwrap();
    assert_eq!(
        text,
        "HoldReasonCode =?= 13 && HoldReasonSubCode =?= 62 && NumHolds < 2 && time() - EnteredCurrentStatus > 600"
    );
    let evidence = &suggestion.clauses[0].evidence[0];
    assert_eq!((evidence.holds, evidence.clusters, evidence.releases), (120, 120, (120, 80)));
    assert_eq!(evidence.success[1].1, Some(1.0));
    assert!(evidence.gain.at_least > 5.0, "{:?}", evidence.gain);
    let why = |reason| suggestion.left_out.iter().find(|left| left.reason == reason).unwrap().why;
    assert_eq!(why((1, 0)), NoClause::Wanted);
    assert_eq!(why((3, 7)), NoClause::NoGain);
    assert_eq!(why((12, 2)), NoClause::TooFew(1));
}

#[test]
fn a_suggestion_costs_less_than_copied_expressions() {
    let holds = holds();
    let successes = Successes::of(&holds);
    let text = suggest(&holds, &successes, None, &rules(), Version::NEWEST).expression().unwrap();
    let expressions = [
        text.as_str(),
        "true",
        "(NumJobStarts < 5) && ((CurrentTime - EnteredCurrentStatus) > 60*60)",
    ];
    let mut releasers: Vec<Releaser> = expressions
        .iter()
        .map(|text| Releaser::Expression(Box::new(ReplayExpression::parse(text).unwrap())))
        .collect();
    releasers.push(Releaser::Nobody);
    let replayed = replay(&holds, &successes, &releasers, &rules());
    let costs: Vec<f64> = replayed.iter().map(|replayed| replayed.all.sums.cost_hours).collect();
    assert!(costs[1..].iter().all(|cost| costs[0] < *cost), "{costs:?}");
    assert_eq!(replayed[0].codes[&1].released, 0);
    assert_eq!(replayed[1].codes[&1].released, 0, "no policy releases code 1");
}

#[test]
fn reasons_of_like_timing_share_a_clause() {
    let mut holds = holds();
    for cluster in 0..40 {
        holds.push(hold(5_000 + cluster, (12, 28), 400, false));
        holds.push(hold(6_000 + cluster, (12, 28), 20 * 3_600, true));
        holds.push(hold(7_000 + cluster, (12, 28), 5_000, true));
    }
    let suggestion = suggest(&holds, &Successes::of(&holds), None, &rules(), Version::NEWEST);
    assert_eq!(suggestion.clauses.len(), 1, "{:?}", suggestion.expression());
    assert_eq!(suggestion.clauses[0].evidence.len(), 2);
    Expr::parse_old(&suggestion.expression().unwrap()).unwrap();
}

#[test]
fn nothing_is_suggested_without_holds() {
    let suggestion = suggest(&[], &Successes::of(&[]), None, &rules(), Version::NEWEST);
    assert_eq!(suggestion.expression(), None);
}

#[test]
fn more_is_asked_for_where_a_release_cannot_help() {
    let of = |resource, version: &str| {
        alternatives(resource, &[(34, 102), (26, 34)], version.parse().unwrap()).remove(0)
    };
    let lines = of(Resource::Memory, "25").lines;
    assert_eq!(lines[0], "retry_request_memory_increase = RequestMemory * 2");
    assert!(of(Resource::Memory, "23.9").lines.is_empty());
    assert!(of(Resource::Memory, "25.0.5").why.contains("from 25.2.1 on"));
    assert!(of(Resource::Disk, "25.9").lines.is_empty());
    // A policy holds for it all the same.
    let by_policy = alternatives(Resource::Memory, &[(26, 34)], Version::NEWEST);
    assert_eq!((by_policy.len(), by_policy[0].lines.len()), (1, 0));
    let holds: Vec<PastHold> = (0..9)
        .map(|cluster| PastHold {
            resource: Some(Resource::Memory),
            ..hold(cluster, (21, 102), 500, false)
        })
        .collect();
    let suggestion = suggest(&holds, &Successes::of(&holds), None, &rules(), Version::NEWEST);
    assert_eq!(suggestion.resources, [(Resource::Memory, vec![(21, 102)])]);
}
