use super::*;
use crate::policy::forecast;

const NOW: i64 = 1_790_000_000;

fn ad(owner: &str, proc: u32, more: &str) -> ClassAd {
    let text = format!(
        "ClusterId = 7\nProcId = {proc}\nOwner = \"{owner}\"\nJobStatus = 5\nNumHolds = 1\n\
         HoldReasonCode = 13\nHoldReason = \"of {proc}\"\nEnteredCurrentStatus = {NOW}\n{more}\n"
    );
    classads::read_ads(text.as_bytes()).next().unwrap().unwrap()
}

/// An ad whose policy has no end.
fn endless(owner: &str, proc: u32) -> ClassAd {
    let chain: String = (1..40).map(|n| format!("A{n} = A{0} + A{0}\n", n - 1)).collect();
    ad(owner, proc, &format!("A0 = {proc}\n{chain}PeriodicRelease = A39 > 1"))
}

const PLAIN: &str = "PeriodicRelease = NumHolds < 3 && time() - EnteredCurrentStatus > 600";

fn owners(counts: &[(&str, usize)]) -> Vec<String> {
    counts.iter().flat_map(|(owner, jobs)| vec![(*owner).to_owned(); *jobs]).collect()
}

#[test]
fn endless_policies_of_one_owner_leave_the_others_theirs_in_any_order() {
    let knobs = Knobs::default();
    let mut ads: Vec<ClassAd> = (0..30).map(|proc| endless("mallory", proc)).collect();
    ads.extend((0..10).map(|proc| ad("alice", proc, PLAIN)));
    let asked = |ads: &[ClassAd]| {
        let time = PolicyTime::new(PolicyTime::DEFAULT)
            .among(owners(&[("mallory", 200_000), ("alice", 10)]));
        let all: Vec<_> = ads.iter().map(|ad| time.forecast(ad, &knobs, NOW)).collect();
        (all, time.line().unwrap())
    };
    let (first, line) = asked(&ads);
    assert!(line.starts_with("policies of 30 jobs: not evaluated, the time for policies (10 s)"));
    assert!(line.ends_with(": 30 of mallory"), "{line}");
    for (ad, made) in ads.iter().zip(&first) {
        match ad.string("Owner").as_deref() {
            Some("alice") => assert_eq!(made.as_ref(), Ok(&forecast(ad, &knobs, NOW))),
            _ => assert!(made.is_err()),
        }
    }
    ads.reverse();
    let (mut last, again) = asked(&ads);
    last.reverse();
    assert_eq!((first, line), (last, again));
}

#[test]
fn equal_policies_on_equal_attributes_are_evaluated_once() {
    let knobs = Knobs::default();
    let time = PolicyTime::new(PolicyTime::DEFAULT).among(owners(&[("alice", 6)]));
    let known = || lock(&time.known).len();
    let ads = [
        (ad("alice", 0, PLAIN), 1),
        (ad("alice", 1, PLAIN), 1),
        (ad("alice", 1, &format!("{PLAIN}\nTries = 1")), 1),
        (ad("alice", 2, &PLAIN.replace("< 3", "< 4")), 2),
        (ad("alice", 2, &PLAIN.replace("NumHolds < 3", "Tries < 3")), 3),
        (ad("alice", 2, &format!("{}\nTries = 1", PLAIN.replace("NumHolds < 3", "Tries < 3"))), 4),
        // What a text refers to is not known.
        (ad("alice", 3, "PeriodicRelease = eval(\"NumHolds\") < 3"), 4),
        (ad("alice", 4, "PeriodicRelease = false"), 4),
    ];
    for (ad, evaluated) in ads {
        assert_eq!(time.forecast(&ad, &knobs, NOW), Ok(forecast(&ad, &knobs, NOW)));
        assert_eq!(known(), evaluated, "{ad:?}");
    }
}

#[test]
fn where_there_is_no_time_nothing_is_evaluated() {
    let time = PolicyTime::new(Duration::ZERO).among(owners(&[("alice", 1)]));
    assert!(time.forecast(&ad("alice", 0, PLAIN), &Knobs::default(), NOW).is_err());
    assert_eq!(time.within("bob", |_| ()), None);
    assert!(time.line().unwrap().ends_with("(HOLDADVISE_POLICY_SECONDS): 1 of alice, 1 of bob"));
}

#[test]
fn without_owners_whoever_comes_first_has_what_is_left() {
    let time = PolicyTime::new(Duration::from_secs(1));
    let mut times = 0;
    while time.within("", |steps| steps.take(WORK)).is_some() {
        times += 1;
    }
    // For the last one the steps that are left just do not suffice.
    assert_eq!(times, STEPS_OF_SECOND / WORK - 1);
}
