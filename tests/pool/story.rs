//! The pool story: jobs go on hold for many causes, advice is asked, every job is released, and
//! what then happens is set beside the advice.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::advice::{self, Advice};
use super::causes::{CAUSES, COMMON, Cause, FOLDER, OTHERS, Truth};
use super::harness::{COMPLETED, HELD, Pool};

/// The ordinary user whose jobs are judged.
pub(crate) const OWNER: &str = "alice";
/// The ordinary user whose jobs are the rest of the access point.
pub(crate) const OTHER: &str = "bob";

/// What came of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Completed with exit code 0.
    Success,
    /// Completed otherwise, or removed.
    Failure,
    /// On hold again, with code and subcode.
    HeldAgain(i64, i64),
}

impl Outcome {
    fn of(ad: &Value) -> Self {
        match ad["JobStatus"].as_i64() {
            Some(HELD) => {
                let (code, subcode) = hold_code(ad);
                Self::HeldAgain(code, subcode)
            }
            Some(COMPLETED) if ad["ExitCode"].as_i64() == Some(0) => Self::Success,
            _ => Self::Failure,
        }
    }

    /// For the table.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Success => "finished".to_owned(),
            Self::Failure => "failed".to_owned(),
            Self::HeldAgain(code, subcode) => format!("held again {code}/{subcode}"),
        }
    }
}

/// Everything that happened to the job of one cause.
pub(crate) struct Chapter {
    pub cause: &'static Cause,
    pub job: String,
    /// HoldReasonCode and HoldReasonSubCode.
    pub code: (i64, i64),
    pub reason: String,
    /// Advice while the faults last, and after they are mended and other jobs have shown it.
    pub during: Option<Result<Advice, String>>,
    pub after: Option<Result<Advice, String>>,
    /// A release as-is after the faults are mended.
    pub as_is: Outcome,
    /// The edits that the advice tells to paste, where it tells any, and a release after them.
    pub advised: Option<(Vec<String>, Outcome)>,
    /// A release after the change that mends the cause, where one was still needed.
    pub changed: Option<Outcome>,
    /// When the steps were, Unix seconds.
    pub times: BTreeMap<&'static str, i64>,
}

/// An ordinary job of either user.
pub(crate) struct Other {
    pub user: &'static str,
    pub name: &'static str,
    pub job: String,
    pub phase: &'static str,
    pub outcomes: Vec<(i64, Outcome)>,
}

/// The story told.
pub(crate) struct Story {
    pub chapters: Vec<Chapter>,
    pub others: Vec<Other>,
    /// When each fault was switched on and off, Unix seconds.
    pub faults: Vec<(&'static str, i64, i64)>,
}

/// Called when all jobs are on hold, before any is released.
pub(crate) type AllHeld<'a> = &'a dyn Fn(&Pool);

/// Tells the story in a pool. Advice is asked only if the program is given.
pub(crate) fn tell(pool: &Pool, all_held: AllHeld<'_>) -> Story {
    let ask = advice::program().is_some_and(|program| {
        pool.install(&program);
        true
    });
    let mut others = Vec::new();
    serve_files(pool);

    // An ordinary hour: everything works.
    for user in [OWNER, OTHER] {
        submit_others(pool, user, "before", &mut others);
    }
    settle_others(pool, &mut others);

    // Permanent causes need no fault, and are held while everything else works.
    let mut jobs: BTreeMap<&str, String> = BTreeMap::new();
    for cause in CAUSES.iter().filter(|cause| !matches!(cause.truth, Truth::Transient { .. })) {
        jobs.insert(cause.name, submit(pool, cause));
    }
    expect_holds(pool, &jobs);

    // The faults begin; jobs of both users run into them.
    let faults: Vec<&str> = CAUSES
        .iter()
        .filter_map(|cause| match cause.truth {
            Truth::Transient { fault, .. } => Some(fault),
            _ => None,
        })
        .collect();
    let mut times = Vec::new();
    for &fault in &faults {
        pool.fault(fault, true);
        times.push((fault, pool.now(), 0));
    }
    submit_others(pool, OTHER, "fault", &mut others);
    for cause in CAUSES.iter().filter(|cause| matches!(cause.truth, Truth::Transient { .. })) {
        jobs.insert(cause.name, submit(pool, cause));
    }
    settle_others(pool, &mut others);
    let ads = expect_holds(pool, &jobs);
    // The other user tries again at once, and fails.
    release_others(pool, &mut others);
    all_held(pool);
    let during = ask_all(pool, &jobs, ask);

    // The faults are mended, and jobs of the other user show it.
    for (fault, _, off) in &mut times {
        pool.fault(fault, false);
        *off = pool.now();
    }
    submit_others(pool, OTHER, "after", &mut others);
    settle_others(pool, &mut others);
    release_others(pool, &mut others);
    let after = ask_all(pool, &jobs, ask);

    // Every job is released as it is.
    let released = pool.now();
    let as_is = release(pool, &jobs);
    // The ones held again are edited with the very commands of the advice, where it gives any. A
    // command is for one hold, so it is asked for again.
    let held = |outcome: Option<&Outcome>| matches!(outcome, Some(Outcome::HeldAgain(..)));
    let second = ask_all(pool, &select(&jobs, |name| held(as_is.get(name))), ask);
    let edits: BTreeMap<&str, Vec<String>> = second
        .iter()
        .filter_map(|(&name, advice)| Some((name, advice.as_ref().ok()?.edits())))
        .filter(|(_, commands)| !commands.is_empty())
        .collect();
    for commands in edits.values() {
        // An edit that HTCondor refuses shows in the outcome.
        let _ = pool.try_run(OWNER, &["sh", "-c", &commands.join("\n")]);
    }
    let advised = release(pool, &select(&jobs, |name| edits.contains_key(name)));
    // The ones still held are mended.
    let again = select(&jobs, |name| held(advised.get(name).or_else(|| as_is.get(name))));
    for (name, job) in &again {
        pool.shell(OWNER, &folder(name), &format!("JOB={job}\n{}", cause_of(name).mend));
    }
    let released_changed = pool.now();
    let changed = release(pool, &again);

    let (mut during, mut after) = (during, after);
    let chapters = CAUSES
        .iter()
        .map(|cause| {
            let ad = &ads[&jobs[cause.name]];
            let mut times = BTreeMap::from([
                ("submitted", number(ad, "QDate")),
                ("held", number(ad, "EnteredCurrentStatus")),
                ("released as-is", released),
            ]);
            if changed.contains_key(cause.name) {
                times.insert("released after the change", released_changed);
            }
            Chapter {
                cause,
                job: jobs[cause.name].clone(),
                code: hold_code(ad),
                reason: ad["HoldReason"].as_str().unwrap_or_default().to_owned(),
                during: during.remove(cause.name),
                after: after.remove(cause.name),
                as_is: as_is[cause.name].clone(),
                advised: advised
                    .get(cause.name)
                    .map(|outcome| (edits[cause.name].clone(), outcome.clone())),
                changed: changed.get(cause.name).cloned(),
                times,
            }
        })
        .collect();
    Story { chapters, others, faults: times }
}

/// Some of the jobs.
fn select<'a>(
    jobs: &BTreeMap<&'a str, String>,
    take: impl Fn(&str) -> bool,
) -> BTreeMap<&'a str, String> {
    jobs.iter().filter(|(name, _)| take(name)).map(|(&name, job)| (name, job.clone())).collect()
}

/// An integer attribute; -1 where it is missing.
fn number(ad: &Value, attribute: &str) -> i64 {
    ad[attribute].as_i64().unwrap_or(-1)
}

/// HoldReasonCode and HoldReasonSubCode; the log writes 0 for a subcode that the ad has not.
fn hold_code(ad: &Value) -> (i64, i64) {
    (number(ad, "HoldReasonCode"), ad["HoldReasonSubCode"].as_i64().unwrap_or(0))
}

fn cause_of(name: &str) -> &'static Cause {
    CAUSES.iter().find(|cause| cause.name == name).expect("a name of the table")
}

fn folder(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// What the file server and the shared directory hold.
fn serve_files(pool: &Pool) {
    pool.root_shell(
        "for f in genome reads; do head -c 20000 /dev/zero >/srv/web/$f.dat; done; \
         for f in calibration background; do head -c 20000 /dev/zero >/srv/share/$f.dat; done; \
         chmod 644 /srv/web/* /srv/share/*",
    );
}

fn submit(pool: &Pool, cause: &Cause) -> String {
    let folder = folder(cause.name);
    pool.shell(OWNER, &folder, cause.setup);
    let job = pool.submit(OWNER, &folder, &format!("{COMMON}{}", cause.submit));
    if !cause.after_submit.is_empty() {
        pool.shell(OWNER, &folder, &format!("JOB={job}\n{}", cause.after_submit));
    }
    job
}

/// Waits until all jobs are on hold with the code of their cause.
fn expect_holds(pool: &Pool, jobs: &BTreeMap<&str, String>) -> BTreeMap<String, Value> {
    let ids: Vec<String> = jobs.values().cloned().collect();
    let ads = pool.settle(&ids);
    let wrong: Vec<String> = jobs
        .iter()
        .filter(|(name, job)| {
            let accepted = cause_of(name).codes;
            !matches!(Outcome::of(&ads[*job]), Outcome::HeldAgain(code, subcode) if accepted.contains(&(code, subcode)))
        })
        .map(|(name, job)| format!("{name} ({job}): {} {}", Outcome::of(&ads[job]).words(), ads[job]["HoldReason"]))
        .collect();
    assert!(wrong.is_empty(), "not on hold as they should be: {wrong:#?}");
    ads
}

fn ask_all(
    pool: &Pool,
    jobs: &BTreeMap<&'static str, String>,
    ask: bool,
) -> BTreeMap<&'static str, Result<Advice, String>> {
    if !ask {
        return BTreeMap::new();
    }
    jobs.iter().map(|(&name, job)| (name, advice::ask(pool, OWNER, job))).collect()
}

/// Releases jobs and waits for what comes of it.
fn release<'a>(pool: &Pool, jobs: &BTreeMap<&'a str, String>) -> BTreeMap<&'a str, Outcome> {
    let ids: Vec<String> = jobs.values().cloned().collect();
    if ids.is_empty() {
        return BTreeMap::new();
    }
    pool.shell(OWNER, FOLDER, &format!("condor_release {}", ids.join(" ")));
    let ads = pool.settle(&ids);
    jobs.iter().map(|(&name, job)| (name, Outcome::of(&ads[job]))).collect()
}

fn submit_others(pool: &Pool, user: &'static str, phase: &'static str, others: &mut Vec<Other>) {
    for &(name, setup, lines) in OTHERS {
        let folder = format!("{FOLDER}/{name}-{phase}");
        pool.shell(user, &folder, setup);
        let job = pool.submit(user, &folder, &format!("{COMMON}{lines}"));
        others.push(Other { user, name, job, phase, outcomes: Vec::new() });
    }
}

/// Waits for the ordinary jobs that have come to nothing yet.
fn settle_others(pool: &Pool, others: &mut [Other]) {
    let ids: Vec<String> = others
        .iter()
        .filter(|other| other.outcomes.is_empty())
        .map(|other| other.job.clone())
        .collect();
    let ads = pool.settle(&ids);
    let now = pool.now();
    for other in others.iter_mut().filter(|other| other.outcomes.is_empty()) {
        other.outcomes.push((now, Outcome::of(&ads[&other.job])));
    }
}

/// Releases what the other user has on hold and waits for what comes of it.
fn release_others(pool: &Pool, others: &mut [Other]) {
    let held =
        |other: &&mut Other| matches!(other.outcomes.last(), Some((_, Outcome::HeldAgain(..))));
    let ids: Vec<String> = others.iter_mut().filter(held).map(|other| other.job.clone()).collect();
    if ids.is_empty() {
        return;
    }
    pool.shell(OTHER, FOLDER, &format!("condor_release {}", ids.join(" ")));
    let ads = pool.settle(&ids);
    let now = pool.now();
    for other in others.iter_mut().filter(held) {
        other.outcomes.push((now, Outcome::of(&ads[&other.job])));
    }
}

impl Story {
    /// What was done, for the fixtures.
    pub(crate) fn as_json(&self) -> Value {
        let cause = |chapter: &Chapter| {
            let truth = match chapter.cause.truth {
                Truth::Transient { fault, round } => {
                    json!({"kind": "transient", "fault": fault, "round": round})
                }
                Truth::Permanent { change } => {
                    json!({"kind": "permanent", "change": change, "mend": chapter.cause.mend})
                }
                Truth::Person => json!({"kind": "person"}),
            };
            json!({
                "cause": chapter.cause.name,
                "label": chapter.cause.label,
                "job": chapter.job,
                "owner": OWNER,
                "code": chapter.code.0,
                "subcode": chapter.code.1,
                "reason": chapter.reason,
                "truth": truth,
                "times": chapter.times,
                "outcome as-is": chapter.as_is.words(),
                "outcome after the advised edits": chapter.advised.as_ref().map(|(_, outcome)| outcome.words()),
                "outcome after the change": chapter.changed.as_ref().map(Outcome::words),
            })
        };
        let other = |other: &Other| {
            let outcomes: Vec<_> = other
                .outcomes
                .iter()
                .map(|(time, outcome)| json!({"seen": time, "outcome": outcome.words()}))
                .collect();
            json!({"job": other.job, "owner": other.user, "like": other.name, "phase": other.phase, "outcomes": outcomes})
        };
        json!({
            "faults": self.faults.iter().map(|(fault, on, off)| json!({"fault": fault, "on": on, "off": off})).collect::<Vec<_>>(),
            "holds": self.chapters.iter().map(cause).collect::<Vec<_>>(),
            "others": self.others.iter().map(other).collect::<Vec<_>>(),
        })
    }
}
