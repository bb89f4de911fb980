//! Advices for tests of what is printed.

use crate::advice::{
    Advice, AgainstChoice, Change, ChangeKind, Choice, Choices, Command, Costs, Curve, EditFacts,
    Editable, Evidence, HeldJob, InputEffect, LikelyFrom, Missing, Near, Recommendation, Results,
    Rule, SharedCause, Since, Target, Trust, Wait, WaitFor,
};
use crate::diagnosis::Diagnosis;
use crate::features::Scope;
use crate::history::{Action, EventLogView, Stretch};
use crate::metrics::Band;
use crate::policy::Prediction;
use crate::sizes::Resource;
use eventlog::JobId;

/// The moment the samples are printed at: 2026-03-01 12:00:00 UTC.
pub(crate) const NOW: i64 = 1_772_366_400;

const TRANSFER: &str = "Transfer input files failure at execution point slot1@ep3 while receiving files: \
                        curl: (7) Failed to connect to data.example.org port 443";

const MEMORY: &str =
    "Error from slot1_1@ep3: Job has gone over cgroup memory limit of 1024 megabytes";

/// A file server was down and is back.
pub(crate) fn transfer(cluster: i32, proc: i32) -> Advice {
    let job = JobId::new(cluster, proc);
    Advice {
        held: HeldJob {
            job,
            owner: Some("alice".into()),
            code: Some(13),
            subcode: Some(256),
            reason: Some(TRANSFER.into()),
            cause: SharedCause::of(13, 256, TRANSFER),
            reading: None,
            held_since: NOW - 8040,
            num_holds: 2,
            user: None,
            dagman_job_id: None,
            place: Some("ep3".into()),
            stretches: vec![
                Stretch { held: true, from: NOW - 9000, to: NOW - 8600 },
                Stretch { held: false, from: NOW - 8500, to: NOW - 8040 },
                Stretch { held: true, from: NOW - 8040, to: NOW },
            ],
        },
        recommendation: Recommendation::Release,
        action: Some(Action::AsIs),
        success: vec![(Action::AsIs, 0.87123), (Action::Site, 0.8)],
        later: Curve::new([(0, 0.81), (3_600, 0.9)]),
        diagnosis: Diagnosis::default(),
        undecided: None,
        band: Band::Likely,
        inputs: vec![
            input("other jobs with the same file server or file", 0.412),
            input("how long it has been held", -0.06),
            input("this job's own history", 0.031),
        ],
        costs: Costs::default(),
        choices: choices(&[
            (Recommendation::Release, 0.87123, 1.14),
            (Recommendation::Change, 0.8, 2.78),
            (Recommendation::Undecided, 0.87123, 7.08),
            (Recommendation::Remove, 0.87123, 13.94),
        ]),
        is_judged: true,
        evidence: vec![
            Evidence::BeganSince {
                near: near(Scope::Server, Some("data.example.org")),
                jobs: 1.into(),
                seconds_since_last: Some(600.into()),
                held_again: 0.into(),
            },
            Evidence::Released {
                code: 13,
                subcode: 256,
                edited: false,
                results: vec![Results {
                    near: near(Scope::Cluster, None),
                    successes: 3.into(),
                    failures: 1.into(),
                    all: 4.into(),
                }],
                seconds_since_first: Some(7_300.into()),
            },
            Evidence::OwnHistory {
                starts: 1.into(),
                holds: 1.into(),
                counts_agree: true,
                failed_runs: 0.into(),
            },
        ],
        correct_before: Vec::new(),
        change: None,
        target: Target {
            job,
            code: Some(13),
            num_holds: Some(2),
            since: Some(Since::At(NOW - 8040)),
        },
        commands: vec![Command::Release],
        commands_after: vec![],
        wait: Some(Wait {
            what: WaitFor::Fetched { server: Some("data.example.org".into()) },
            until: Some(NOW + 600),
            look_again: NOW + 1200,
            likely: Some(LikelyFrom {
                band: Band::VeryLikely,
                from: NOW + 7_200,
                earliest: NOW + 4_200,
                latest: NOW + 14_400,
            }),
        }),
        try_one: None,
        look: None,
        htcondor_will: vec![Prediction::Nothing { days: 30 }],
        trust: Trust { trained_on: "simulated and recorded pools".to_owned(), outcomes_here: 0 },
        event_log: EventLogView::None,
        missing: vec![Missing::Source(
            "event log /var/log/condor/EventLog: permission denied".into(),
        )],
        notes: vec![],
    }
}

/// Choices with their probabilities of success and hours; nothing stands against the cheapest.
fn choices(all: &[(Recommendation, f64, f64)]) -> Choices {
    let least = all.iter().map(|choice| choice.2).fold(f64::INFINITY, f64::min);
    let choice = |&(recommendation, success, hours): &(Recommendation, f64, f64)| Choice {
        recommendation,
        action: None,
        success: Some(success),
        hours: Some(hours),
        against: (hours > least).then_some(AgainstChoice::HardlyBetter),
    };
    Choices { rule: Rule::LeastHours, choices: all.iter().map(choice).collect() }
}

/// A new value.
pub(crate) fn edit(attribute: &str, new: &str) -> Command {
    Command::Edit(Editable::default().edit(attribute, None, new).unwrap())
}

fn near(scope: Scope, name: Option<&str>) -> Near {
    Near { scope, name: name.map(Into::into), input: false }
}

fn input(input: &str, change: f64) -> InputEffect {
    InputEffect { input: input.to_owned(), change }
}

/// More memory than asked for.
pub(crate) fn memory(cluster: i32, proc: i32, megabytes: u32) -> Advice {
    let mut advice = transfer(cluster, proc);
    advice.held.code = Some(34);
    advice.held.subcode = Some(102);
    advice.held.reason = Some(MEMORY.into());
    advice.held.cause = SharedCause::of(34, 102, MEMORY);
    advice.recommendation = Recommendation::Change;
    advice.action = Some(Action::Memory);
    advice.success = vec![(Action::AsIs, 0.02), (Action::Memory, 0.93)];
    advice.band = Band::VeryLikely;
    advice.choices = choices(&[
        (Recommendation::Release, 0.02, 8.71),
        (Recommendation::Change, 0.93, 1.62),
        (Recommendation::Undecided, 0.93, 7.5),
        (Recommendation::Remove, 0.93, 14.88),
    ]);
    advice.target.code = Some(34);
    let edit = edit("RequestMemory", &megabytes.to_string());
    advice.change = Some(Change {
        what: ChangeKind::Request {
            resource: Resource::Memory,
            to: Some(i64::from(megabytes).into()),
            used: None,
            finished_with: None,
            enough_for: None,
            named: None,
        },
        commands: vec![edit.clone()],
        facts: EditFacts::default(),
        by_hand: None,
    });
    advice.commands = vec![edit, Command::Release];
    advice.wait = None;
    advice.trust = Trust { trained_on: "ap1.example.org".to_owned(), outcomes_here: 5120 };
    advice.missing.clear();
    advice
}
