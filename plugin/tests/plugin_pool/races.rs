//! Jobs that leave their hold between judging and writing, advisors that meet or are killed, a
//! schedd that restarts.

use eventlog::JobId;
use holdadvise::advice::{Recommendation, TrySuccess};
use holdadvise_plugin::groups::{Times, Write, writes};
use holdadvise_plugin::line::Judged;
use holdadvise_plugin::releases::Decision;

use crate::harness::Pool;
use crate::setup::{COUNTS, PASS, count, journal, submit, value};

const STALE: &str = "stale \"advice\" || true";

/// What the writer would write of a job, as it is in the queue now.
fn write_of(pool: &Pool, job: &str) -> Write {
    let number = |name: &str| value(pool, job, name).parse().unwrap();
    let judged = Judged {
        job: job.parse::<JobId>().unwrap(),
        num_holds: number("NumHolds"),
        entered: number("EnteredCurrentStatus"),
        code: 1,
        subcode: 0,
        advice: Recommendation::Release,
        hundredths: Some(99),
        drawn_from: Some(1),
        counts: TrySuccess::Finishes,
        until: None,
        owner: "alice".to_owned(),
        cause: "test".to_owned(),
        diagnosis: None,
        choices: Vec::new(),
        shown: None,
        reason: STALE.to_owned(),
    };
    let times = Times { now: pool.now(), interval: 600 };
    let go = Decision { may_go: [judged.job].into(), ..Decision::default() };
    let mut all = writes(&[judged], &go, "test", times);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// Carries a write out, as the writer does: whether the schedd took it, and HoldAdviceReason of
/// these jobs then. No advisor is at work meanwhile.
fn carry_out(pool: &Pool, write: &Write, asked: &[String]) -> (bool, Vec<String>) {
    let values = write.values.iter().map(|(name, value)| format!("'{name}={value}'"));
    let edit = format!(
        "setpriv --reuid condor --regid condor --clear-groups condor_qedit -constraint '{}' {}",
        write.constraint(&write.jobs),
        values.collect::<Vec<_>>().join(" ")
    );
    let script = format!(
        "exec 9</var/lib/condor-holdadvise/journal/lock; flock 9\n\
         {edit} >/dev/null 2>&1 && echo yes || echo no\n\
         for job in {}; do condor_q $job -af HoldAdviceReason; done",
        asked.join(" ")
    );
    let said = pool.root_shell(&script);
    let mut lines = said.lines().map(str::to_owned);
    (lines.next().as_deref() == Some("yes"), lines.collect())
}

/// Released, held again, removed: what was judged before is written of none of them.
pub(crate) fn what_left_its_hold_is_not_written(pool: &Pool, held: &[String]) {
    let jobs = submit(pool, "alice", "races", "requirements = false", 4);
    let cluster = jobs[0].split('.').next().unwrap_or_default().to_owned();
    let hold = |job: &str| pool.shell("alice", "races", &format!("condor_hold -reason test {job}"));
    hold(&cluster);
    let stale: Vec<Write> = jobs.iter().map(|job| write_of(pool, job)).collect();
    pool.shell("alice", "races", &format!("condor_release {} {}", jobs[0], jobs[1]));
    hold(&jobs[1]);
    pool.shell("alice", "races", &format!("condor_rm {}", jobs[2]));
    // Edited, and in the same hold: the advice is about the hold.
    pool.shell("alice", "races", &format!("condor_qedit {} Requirements true", jobs[3]));
    for (number, (write, job)) in stale.iter().zip(&jobs).enumerate() {
        let (taken, reason) = carry_out(pool, write, std::slice::from_ref(job));
        assert_eq!(taken, number == 3, "{job}");
        assert_eq!(reason.iter().any(|reason| reason == STALE), taken, "{job}: {reason:?}");
    }
    // A group, one job of which left: the others are written.
    let mut group = write_of(pool, &jobs[1]);
    group.jobs.push(jobs[0].parse().unwrap());
    let (taken, reasons) = carry_out(pool, &group, &[jobs[1].clone(), jobs[0].clone()]);
    assert!(taken && reasons[0] == STALE && reasons[1] != STALE, "{reasons:?}");
    pool.shell("alice", "races", &format!("condor_rm {cluster}"));
    assert!(held.iter().all(|job| value(pool, job, "JobStatus") == "5"));
}

pub(crate) fn advisors_exclude_each_other(pool: &Pool) {
    let both =
        format!("for n in 1 2 3 4; do {PASS} >out.$n 2>&1 & done; wait; cat out.*; rm out.*");
    pool.wait_for("an advisor that meets another", || {
        let said = pool.root_shell(&format!("cd /tmp; {both}"));
        assert!(!said.contains("Error"), "{said}");
        said.contains("Another advisor is at work")
    });
}

/// Killed at any time, by the number of its process: what it wrote is whole, and the next one goes
/// on.
pub(crate) fn killed_advisors_lose_nothing(pool: &Pool) {
    for hundredths in (5..60).step_by(5) {
        pool.root_shell(&format!(
            "{PASS} >/dev/null 2>&1 & one=$!; sleep 0.{hundredths:02}; kill -9 $one 2>/dev/null; wait $one || true"
        ));
    }
    let said = pool.root_shell(&format!("{PASS} 2>&1 || true"));
    assert!(!said.contains("Error"), "{said}");
    journal(pool);
    pool.wait_for("advice for all held jobs", || {
        count(pool, COUNTS) == count(pool, "JobStatus == 5")
    });
}

/// In the middle of the releases.
pub(crate) fn the_schedd_restarts(pool: &Pool) {
    pool.wait_for("the first release", || {
        // Those that were let go may have finished by now.
        let ended =
            "condor_history -constraint 'HoldAdviceRelease =?= true' -limit 1 -af ClusterId";
        count(pool, "HoldAdviceRelease =?= true") > 0 || !pool.root_shell(ended).is_empty()
    });
    pool.restart();
}

/// A job that was let go, ran, and is held by a person: its ad still says that it may be released,
/// for some minutes, and it is not.
pub(crate) fn an_old_advice_releases_nothing(pool: &Pool, job: &str) {
    let write = write_of(pool, job);
    pool.shell("carol", "person", &format!("condor_release {job}; condor_hold {job}"));
    let held = value(pool, job, "NumHolds");
    // As if it had been written before: without the constraint.
    let write = Write { hold: "JobStatus == 5".to_owned(), ..write };
    let (taken, reason) = carry_out(pool, &write, &[job.to_owned()]);
    assert!(taken && reason == [STALE], "{reason:?}");
    // The schedd has looked at the queue several times since (PERIODIC_EXPR_INTERVAL is 3 s), and
    // the advisor has taken it back.
    pool.wait_for("the advisor's own word", || value(pool, job, "HoldAdviceReason") != STALE);
    assert_eq!(
        (value(pool, job, "JobStatus"), value(pool, job, "NumHolds")),
        ("5".to_owned(), held)
    );
}
