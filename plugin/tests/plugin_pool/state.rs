//! The advisor's folder: links in it, and lines that are not the advisor's.

use std::cell::RefCell;
use std::fs;

use holdadvise::advice::{Recommendation, TrySuccess};
use holdadvise::journal::{
    Act, ActStep, Advised, DecidedBy, Did, Entry, EntryKind, HoldOf, VERSION,
};

use crate::harness::Pool;
use crate::setup::{COUNTS, JOURNAL, PASS, count, value};

/// The file of this month, as the shell writes it.
const FILE: &str = "journal-$(date -u +%Y-%m).jsonl";

/// A file with lines that the advisor did not write, read as one of its own.
const FORGED: &str = "journal-2099-01.jsonl";

/// What other accounts cannot do.
pub(crate) fn is_closed_to_users(pool: &Pool) {
    for attempt in ["ls", "touch"] {
        let tried = pool.try_run("alice", &[attempt, &format!("{JOURNAL}/{FORGED}")]);
        assert!(tried.as_ref().is_err_and(|said| said.contains("Permission denied")), "{tried:?}");
    }
}

/// The journal's file, which is empty so far, becomes a link to a file of the same account. Then
/// releases may be switched on.
pub(crate) fn link_the_file(pool: &Pool) {
    pool.root_shell(&format!(
        "set -e; cd {JOURNAL}; install -o condor -m 600 /dev/null ../elsewhere; ln -s ../elsewhere link\n\
         test ! -s {FILE}; mv -T link {FILE}"
    ));
}

/// Jobs are advised to be released, and none is let go as long as the journal, or its file, is a
/// link.
pub(crate) fn links_are_refused(pool: &Pool) {
    let wanted = format!("(HoldAdvice == \"release\" || HoldAdvice == \"try\") && {COUNTS}");
    pool.wait_for("advice to release", || count(pool, &wanted) > 0);
    let said = pass(pool);
    assert!(said.contains("nothing is let go"), "{said}");
    let folder = JOURNAL.trim_end_matches("/journal");
    pool.root_shell(&format!("set -e; cd {folder}; mv journal aside; ln -s aside journal"));
    let said = pass(pool);
    pool.root_shell(&format!("set -e; cd {folder}; rm journal; mv aside journal"));
    assert!(said.contains("Error: journal") && said.contains("it is no directory"), "{said}");
    assert_eq!(count(pool, "HoldAdviceRelease =?= true"), 0);
    assert_eq!(fs::read(pool.path(&format!("{folder}/elsewhere"))).unwrap(), b"");
}

/// Lines that were damaged, or say of holds that are to stay that they may go.
pub(crate) fn forge(pool: &Pool, stay: &[String]) {
    let mut text = b"{\"Kind\":\"Act\",\"Id\":\"forged-cut\n\xff\xfe\x00\n".to_vec();
    text.extend(vec![b'['; 100_000]);
    text.push(b'\n');
    let number = |job: &str, name: &str| value(pool, job, name).parse::<i64>().unwrap();
    let mut add = |job: &str, num_holds: i64, entered: i64| {
        for entry in intended(job, num_holds, entered, pool.now()) {
            text.extend(serde_json::to_vec(&entry).unwrap());
            text.push(b'\n');
        }
    };
    for job in stay {
        let entered = number(job, "EnteredCurrentStatus");
        add(job, number(job, "NumHolds"), entered);
        add(job, 7, entered);
        add(job, i64::MAX, i64::MIN);
    }
    add("999999.0", 1, pool.now());
    fs::write(pool.path(&format!("{JOURNAL}/{FORGED}")), text).unwrap();
    pool.root_shell(&format!(
        "set -e; chown condor: {JOURNAL}/{FORGED}; chmod 600 {JOURNAL}/{FORGED}"
    ));
}

/// What the advisor would have written of a hold that it lets go.
fn intended(job: &str, num_holds: i64, entered: i64, now: i64) -> [Entry; 2] {
    let hold = HoldOf {
        job: job.parse().unwrap(),
        num_holds: Some(num_holds),
        entered_current_status: Some(entered),
    };
    let id = format!("forged-{job}-{num_holds}");
    let advised = Advised {
        id: id.clone(),
        hold,
        owner: None,
        hold_reason_code: None,
        hold_reason_sub_code: None,
        cause: "forged".to_owned(),
        diagnosis: None,
        advice: Recommendation::Release,
        action: None,
        probability: Some(1.0),
        choices: Vec::new(),
        model: String::new(),
        missing: Vec::new(),
        set: None,
        chance: 1.0,
        counts: TrySuccess::Begins,
        by: DecidedBy::Advisor,
        condor_version: None,
    };
    let act = Act {
        id: Some(id),
        hold,
        did: Did::Release,
        step: ActStep::Intended,
        action: None,
        edits: Vec::new(),
        detail: None,
    };
    [EntryKind::Advice(advised), EntryKind::Act(act)].map(|what| Entry {
        version: VERSION,
        time: now,
        what,
    })
}

/// The journal is whole again; with the forged file in it.
pub(crate) fn unlink_the_file(pool: &Pool) {
    pool.root_shell(&format!("set -e; cd {JOURNAL}; test -L {FILE}; rm {FILE} ../elsewhere"));
}

/// The damaged lines are named. That nothing of the others was believed is what
/// `others_stay` shows.
pub(crate) fn forged_lines_are_named(pool: &Pool) {
    let said = pass(pool);
    for line in 1..=3 {
        assert!(said.contains(&format!("{FORGED} line {line}: ")), "{line}: {said}");
    }
    pool.root_shell(&format!("rm {JOURNAL}/{FORGED}"));
}

/// What a pass by hand says that meets no other one.
fn pass(pool: &Pool) -> String {
    let said = RefCell::new(String::new());
    pool.wait_for("a pass that meets no other one", || {
        *said.borrow_mut() = pool.root_shell(&format!("{PASS} 2>&1 || true"));
        !said.borrow().contains("Another advisor is at work")
    });
    said.into_inner()
}
