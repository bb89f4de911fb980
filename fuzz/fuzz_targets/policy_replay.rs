//! Any text as a release expression, tried on holds at every kind of tick: it ends, and it is what
//! evaluating at every tick gives.
#![no_main]

use holdadvise::replay::{Answer, HeldJob, HoldEnd, PastHold, ReplayExpression, Ticks};
use eventlog::JobId;
use libfuzzer_sys::fuzz_target;

const HELD_AT: i64 = 1_760_000_030;

fn hold(code: i32, num_holds: Option<i64>) -> PastHold {
    PastHold {
        job: JobId::new(7, 0),
        held_at: HELD_AT,
        code,
        subcode: 2,
        num_holds,
        starts: num_holds,
        submitted_at: num_holds.map(|_| HELD_AT - 500),
        before: None,
        owner: Some("alice".into()),
        resource: None,
        reason: Some("no such file".into()),
        ad: None,
        by_policy: false,
        ran: 0,
        hold_end: HoldEnd::Held { until: None },
    }
}

fuzz_target!(|text: &str| {
    let Ok(mut expression) = ReplayExpression::parse(text) else { return };
    let ticks = Ticks { interval: 60, phase: 0 };
    let end = HELD_AT + 7_200;
    for hold in [hold(13, Some(1)), hold(34, Some(9)), hold(12, None), hold(13, Some(1))] {
        let job = HeldJob::new(&hold);
        let answer = expression.answer(&job, ticks, end);
        // What was remembered of other holds says nothing else.
        let alone = ReplayExpression::parse(text).map(|mut fresh| fresh.answer(&job, ticks, end));
        assert_eq!(Ok(answer), alone, "{text:?}");
        if let Answer::Releases(at) | Answer::Unknown(at) = answer {
            assert!(at > HELD_AT && at < end && at % 60 == 0, "{text:?}: {at}");
        }
    }
});
