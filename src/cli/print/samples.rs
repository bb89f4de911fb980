//! Advices for tests of what is printed.

use crate::advice::{
    Advice, Band, Command, Costs, HeldJob, InputEffect, Recommendation, Since, Target, Trust, Wait,
};
use crate::history::{Action, EventLogView};
use crate::userlog::JobId;

/// The moment the samples are printed at: 2026-03-01 12:00:00 UTC.
pub(crate) const NOW: i64 = 1_772_366_400;

/// A file server was down and is back.
pub(crate) fn transfer(cluster: i32, proc: i32) -> Advice {
    let job = JobId::new(cluster, proc);
    Advice {
        held: HeldJob {
            job,
            owner: Some("alice".to_owned()),
            code: Some(13),
            subcode: Some(256),
            reason: Some(
                "Transfer input files failure at execution point slot1@ep3 while receiving files: \
                 curl: (7) Failed to connect to data.example.org port 443"
                    .to_owned(),
            ),
            normalised_reason: "transfer input files failure at execution point HOST".to_owned(),
            held_since: NOW - 8040,
            num_holds: 2,
            dagman_job_id: None,
        },
        recommendation: Recommendation::Release,
        action: Some(Action::AsIs),
        success: vec![(Action::AsIs, 0.87123), (Action::Site, 0.8)],
        undecided: None,
        band: Band::Likely,
        inputs: vec![
            input("other jobs with the same file server or file", 0.412),
            input("how long it has been held", -0.06),
            input("this job's own history", 0.031),
        ],
        costs: Costs::default(),
        expected_costs: Some(Costs::default().expected(0.87123, Some(0.8), 0.87123)),
        meaning:
            "The execution point could not fetch an input file: the file server did not answer."
                .to_owned(),
        evidence: vec![
            "This job was held once before for the same reason and then ran for 12 minutes."
                .to_owned(),
            "3 of 4 jobs of this cluster that were released from such a hold finished.".to_owned(),
            "Another job fetched from data.example.org 10 minutes ago.".to_owned(),
        ],
        changes: vec![],
        target: Target {
            job,
            code: Some(13),
            num_holds: Some(2),
            since: Some(Since::At(NOW - 8040)),
        },
        commands: vec![Command::Release],
        commands_after: vec![],
        wait: Some(Wait {
            what: "another job has fetched from data.example.org".to_owned(),
            until: Some(NOW + 600),
            look_again: NOW + 1200,
        }),
        htcondor_will: vec![
            "Nothing: PeriodicRelease is false now and at any later time.".to_owned(),
        ],
        trust: Trust { trained_on: "simulated data".to_owned(), outcomes_here: 0 },
        event_log: EventLogView::None,
        missing: vec!["event log /var/log/condor/EventLog: permission denied".to_owned()],
        notes: vec![],
    }
}

fn input(input: &str, change: f64) -> InputEffect {
    InputEffect { input: input.to_owned(), change }
}

/// More memory than asked for.
pub(crate) fn memory(cluster: i32, proc: i32, megabytes: u32) -> Advice {
    let mut advice = transfer(cluster, proc);
    advice.held.code = Some(34);
    advice.held.subcode = Some(102);
    advice.held.reason = Some(
        "Error from slot1_1@ep3: Job has gone over cgroup memory limit of 1024 megabytes"
            .to_owned(),
    );
    advice.held.normalised_reason =
        "job has gone over cgroup memory limit of N megabytes".to_owned();
    advice.recommendation = Recommendation::Change;
    advice.action = Some(Action::Memory);
    advice.success = vec![(Action::AsIs, 0.02), (Action::Memory, 0.93)];
    advice.band = Band::VeryLikely;
    advice.expected_costs = Some(Costs::default().expected(0.02, Some(0.93), 0.93));
    advice.meaning = "The job used more memory than it asked for.".to_owned();
    advice.changes = vec![format!("Ask for {megabytes} MB of memory.")];
    advice.target.code = Some(34);
    let edit =
        Command::Edit { attribute: "RequestMemory".to_owned(), value: megabytes.to_string() };
    advice.commands = vec![edit, Command::Release];
    advice.wait = None;
    advice.trust = Trust { trained_on: "ap1.example.org".to_owned(), outcomes_here: 5120 };
    advice.missing.clear();
    advice
}
