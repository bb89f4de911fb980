//! Policies: taken apart, checked and replayed.

use classads::{ClassAd, Syntax};
use eventlog::JobId;
use holdadvise::policy::lint::{Role, Setting, lint};
use holdadvise::policy::{Knobs, SettingsFile, explain};
use holdadvise::replay::{
    ExpressionAnswer, HoldEnd, PastHold, ReplayExpression, ReplayedJob, Ticks,
};

const JOB: &str = "[ JobStatus = 5; HoldReasonCode = 13; HoldReasonSubCode = 2; NumHolds = 2; \
                     NumJobStarts = 1; QDate = 1763690000; EnteredCurrentStatus = 1763699000; \
                     Owner = \"alice\"; HoldReason = \"no such file\"; RequestMemory = 1024 ]";

const HELD_AT: i64 = 1_760_000_030;

/// The settings of a configuration.
pub(crate) fn knobs(settings: &SettingsFile) -> Knobs {
    settings.assignments().iter().map(|one| (&one.name, one.value.text.as_str())).collect()
}

/// Any text as the release policy of a held job, and behind an empty line an access point's
/// configuration: policies taken apart.
pub fn policy_explain(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (policy, config) = text.split_once("\n\n").unwrap_or((text, ""));
    let Ok(mut ad) = ClassAd::parse(JOB) else { return };
    ad.insert_raw("PeriodicRelease", policy, Syntax::Old);
    let knobs = knobs(&SettingsFile::read(config));
    let explanation = explain(&ad, Some(&knobs), 1_763_700_000);
    for sentence in explanation.conclusion("7.0") {
        assert!(!sentence.contains(char::is_control), "{sentence:?}");
    }
}

/// Any text, as an expression and as a submit description or a configuration file: findings and
/// their places.
pub fn policy_lint(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for role in Role::ALL {
        for finding in lint(text, &Setting::alone(role)) {
            assert!(text.get(finding.span.clone()).is_some(), "{text:?}: {finding:?}");
        }
    }
    let file = SettingsFile::read(text);
    for setting in file.assignments() {
        for finding in lint(&setting.value.text, &Setting::alone(Role::Release)) {
            let origin = setting.value.origin(&finding.span);
            assert!(text.get(origin.clone()).is_some(), "{text:?}: {origin:?}");
            let _ = file.line(origin.start);
        }
    }
}

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

/// Any text as a release expression, tried on holds at every kind of tick: it ends, and what was
/// remembered of other holds changes nothing.
pub fn policy_replay(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(mut expression) = ReplayExpression::parse(text) else { return };
    let ticks = Ticks { interval: 60, phase: 0 };
    let end = HELD_AT + 7_200;
    for hold in [hold(13, Some(1)), hold(34, Some(9)), hold(12, None), hold(13, Some(1))] {
        let job = ReplayedJob::new(&hold);
        let answer = expression.answer(&job, ticks, end);
        let alone = ReplayExpression::parse(text).map(|mut fresh| fresh.answer(&job, ticks, end));
        assert_eq!(Ok(answer), alone, "{text:?}");
        if let ExpressionAnswer::Releases(at) | ExpressionAnswer::Unknown(at) = answer {
            assert!(at > HELD_AT && at < end && at % 60 == 0, "{text:?}: {at}");
        }
    }
}
