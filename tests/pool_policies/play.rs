//! Puts the jobs on hold, makes the forecasts, lets the schedd evaluate policies and notes what it
//! does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use classads::{ClassAd, read_ads};
use eventlog::{Body, JobId, ReadOptions};
use holdadvise::policy::{Forecast, Kind, Knobs, SettingsFile, forecast};
use jiff::tz::TimeZone;

use super::cases::{CASES, Case, FILES, Hold, SETTING_UP, WATCHED};
use crate::pool::harness::{HELD, Pool};

/// The user whose jobs they are, and the folder of the home directory.
const OWNER: &str = "alice";
const FOLDER: &str = "policies";
/// The clock: jobs that are due one after the other, so many seconds apart. They show when the
/// schedd looked at the queue, and the watch ends when the last of them has been released, however
/// late a busy machine is.
const TICK: i64 = 4;
const TICKS: i64 = 14;

/// What the schedd did with a job first.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub kind: Kind,
    /// Unix seconds of the event.
    pub at: i64,
    /// Why, of the event or else of the schedd's log.
    pub reason: String,
}

/// One job of the play.
pub(crate) struct Job {
    pub case: &'static Case,
    /// HoldReasonCode and HoldReasonSubCode.
    pub code: (i64, i64),
    pub forecast: Forecast,
    pub seen: Option<Seen>,
    /// JobStatus at the end; `None`: no longer in the queue.
    pub status: Option<i64>,
}

/// What came of all jobs on one version.
pub(crate) struct Played {
    /// CONDOR_VERSION.
    pub version: String,
    pub knobs: Knobs,
    /// When the schedd was told to evaluate policies, and when it released the last job of the
    /// clock, Unix seconds.
    pub from: i64,
    pub to: i64,
    /// When it was seen to evaluate policies, Unix seconds, in order.
    pub evaluated: Vec<i64>,
    pub jobs: Vec<Job>,
}

/// Plays all cases on a pool.
pub(crate) fn play(pool: &Pool) -> Played {
    configure(pool, SETTING_UP);
    pool.wait_for("a schedd that evaluates no policies", || {
        pool.root_shell("condor_config_val -schedd PERIODIC_EXPR_INTERVAL").trim() == "0"
    });
    let ids = submit(pool);
    let clock = submit_clock(pool);
    hold(pool, &ids);

    write_configuration(pool, WATCHED);
    let knobs = knobs(pool);
    edit(pool, &ids);
    set_clock(pool, clock);
    let ads = ads(pool);
    let now = pool.now();
    let forecasts: Vec<_> = CASES
        .iter()
        .zip(&ids)
        .map(|(case, id)| {
            let ad = ads.get(id).unwrap_or_else(|| panic!("{}: job {id} is gone", case.name));
            (hold_code(case, ad), forecast(ad, &knobs, now))
        })
        .collect();

    let user_log = pool.path(&format!("/home/{OWNER}/{FOLDER}/job.log"));
    let schedd_log = pool.path("/var/log/condor/SchedLog");
    let length = |path| fs::metadata(path).expect("a log").len();
    let (user_start, schedd_start) = (length(&user_log), length(&schedd_log));
    let from = pool.now();
    reconfigure(pool);
    let options = ReadOptions { offset: user_start, ..ReadOptions::in_zone(TimeZone::UTC) };
    pool.wait_for("the last release of the clock", || {
        let count = |job: &JobId| i64::from(job.cluster) == clock;
        events(&user_log, &options).iter().filter(|(job, _)| count(job)).count() == TICKS as usize
    });
    let status = statuses(pool);

    let events = events(&user_log, &options);
    let mut evaluated: Vec<i64> = events.iter().map(|(_, seen)| seen.at).collect();
    evaluated.sort_unstable();
    evaluated.dedup();
    let of_clock = events.iter().filter(|(job, _)| i64::from(job.cluster) == clock);
    let to = of_clock.map(|(_, seen)| seen.at).max().expect("the clock");
    let mut seen: BTreeMap<i64, Seen> = BTreeMap::new();
    for (job, first) in events {
        seen.entry(i64::from(job.cluster)).or_insert(first);
    }
    let schedd_log = fs::read(&schedd_log).expect("the schedd's log");
    let schedd_log = String::from_utf8_lossy(&schedd_log[schedd_start as usize..]).into_owned();
    for (id, seen) in &mut seen {
        // The schedd cannot store a reason with quotes in it, and writes the event without.
        if seen.reason.is_empty() {
            let begin = format!("Job {id}.0 released from hold: ");
            let line = schedd_log.lines().find_map(|line| Some(line.split_once(&begin)?.1));
            seen.reason = line.unwrap_or_default().to_owned();
        }
    }

    let jobs = CASES
        .iter()
        .zip(&ids)
        .zip(forecasts)
        .map(|((case, id), (code, forecast))| Job {
            case,
            code,
            forecast,
            seen: seen.remove(id),
            status: status.get(id).copied(),
        })
        .collect();
    let version = knobs.get("CONDOR_VERSION").expect("CONDOR_VERSION").to_owned();
    Played { version, knobs, from, to, evaluated, jobs }
}

/// Releases and removals of a job log, in its order.
fn events(log: &Path, options: &ReadOptions) -> Vec<(JobId, Seen)> {
    let mut log = eventlog::open(log, options).expect("the jobs' log");
    let mut found = Vec::new();
    while let Some(event) = log.next_event() {
        // The last one may be half written.
        let Ok(event) = event else { break };
        let (kind, reason) = match event.body() {
            Body::Released(released) => (Kind::Release, released.reason),
            Body::Aborted(aborted) => (Kind::Remove, aborted.reason),
            _ => continue,
        };
        let reason = reason.map(|reason| reason.into_owned()).unwrap_or_default();
        found.push((event.job, Seen { kind, at: event.time.seconds, reason }));
    }
    found
}

/// The jobs of the clock, held; returns their cluster.
fn submit_clock(pool: &Pool) -> i64 {
    let answer = pool.shell(
        OWNER,
        FOLDER,
        &format!(
            "cat >clock.sub <<'END'\nexecutable = /bin/true\ntransfer_executable = False\nlog = job.log\n\
             should_transfer_files = YES\nrequest_memory = 16\nrequest_disk = 1M\nhold = True\n\
             periodic_release = time() >= Due\n+Due = 1e10\nqueue {TICKS}\nEND\ncondor_submit -terse clock.sub"
        ),
    );
    let cluster = answer.lines().last().and_then(|line| line.split_once('.')?.0.parse().ok());
    cluster.unwrap_or_else(|| panic!("no cluster in {answer}"))
}

fn set_clock(pool: &Pool, cluster: i64) {
    let now = pool.now();
    let due = (0..TICKS)
        .map(|proc| format!("condor_qedit {cluster}.{proc} Due {}\n", now + (proc + 1) * TICK));
    pool.shell(OWNER, FOLDER, &due.collect::<String>());
}

fn write_configuration(pool: &Pool, text: &str) {
    // It is read behind the pool's own.
    pool.root_shell(&format!("cat >/etc/condor/config.d/zz-policies <<'END'\n{text}\nEND"));
}

fn reconfigure(pool: &Pool) {
    pool.root_shell("condor_reconfig -schedd");
}

fn configure(pool: &Pool, text: &str) {
    write_configuration(pool, text);
    reconfigure(pool);
}

/// Submits all jobs on hold, each as a cluster; returns the clusters in the order of the cases.
fn submit(pool: &Pool) -> Vec<i64> {
    let mut script = FILES.to_owned();
    for case in CASES {
        let Case { name, release, more, hold, .. } = case;
        let lines = hold.submit();
        script += &format!(
            "cat >{name}.sub <<'END'\n\
             log = job.log\nshould_transfer_files = YES\nrequest_memory = 16\nrequest_disk = 1M\n\
             hold = True\n{lines}\nperiodic_release = {release}\n{more}\nqueue\nEND\n\
             condor_submit -terse {name}.sub\n"
        );
    }
    let answer = pool.shell(OWNER, FOLDER, &script);
    let ids: Vec<i64> =
        answer.lines().filter_map(|line| line.split_once(".0 - ")?.0.parse().ok()).collect();
    assert_eq!(ids.len(), CASES.len(), "not all were submitted: {answer}");
    ids
}

/// Ids of the cases that are taken, for a command line.
fn select(ids: &[i64], take: impl Fn(&Case) -> bool) -> String {
    let taken = CASES.iter().zip(ids).filter(|(case, _)| take(case));
    taken.map(|(_, id)| id.to_string()).collect::<Vec<_>>().join(" ")
}

/// Holds and releases by a person, then the last holds.
fn hold(pool: &Pool, ids: &[i64]) {
    let mut script = String::new();
    let most = CASES.iter().map(|case| case.earlier).max().unwrap_or_default();
    for cycle in 0..most {
        let again = select(ids, |case| case.earlier > cycle);
        script += &format!("condor_release {again}\ncondor_hold {again}\n");
    }
    let person = select(ids, |case| case.hold == Hold::Person);
    let run = select(ids, |case| case.hold.runs());
    script += &format!("condor_release {person}\ncondor_hold {person}\ncondor_release {run}\n");
    pool.shell(OWNER, FOLDER, &script);
    pool.wait_for("the last hold of every job", || {
        let statuses = statuses(pool);
        ids.iter().all(|id| statuses.get(id) == Some(&HELD))
    });
}

/// JobStatus of the jobs in the queue.
fn statuses(pool: &Pool) -> BTreeMap<i64, i64> {
    let text = pool.root_shell("condor_q -allusers -af ClusterId JobStatus");
    let pair = |line: &str| {
        let (id, status) = line.split_once(' ')?;
        Some((id.parse().ok()?, status.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

/// The edits that set times, which count from now.
fn edit(pool: &Pool, ids: &[i64]) {
    let mut script = String::new();
    for (case, id) in CASES.iter().zip(ids) {
        if let Some((attribute, after)) = case.edit {
            script += &format!("condor_qedit {id} {attribute} {}\n", pool.now() + after);
        }
    }
    pool.shell(OWNER, FOLDER, &script);
}

fn knobs(pool: &Pool) -> Knobs {
    let dump = SettingsFile::read(&pool.root_shell("condor_config_val -dump -expand"));
    dump.assignments().iter().map(|knob| (knob.name.as_str(), knob.value.text.as_str())).collect()
}

/// The ads of the queue, by cluster.
fn ads(pool: &Pool) -> BTreeMap<i64, ClassAd> {
    let text = pool.root_shell("condor_q -allusers -long");
    read_ads(text.as_bytes())
        .map(|ad| ad.expect("an ad of condor_q"))
        .map(|ad| (ad.integer("ClusterId").expect("ClusterId"), ad))
        .collect()
}

/// HoldReasonCode and HoldReasonSubCode. A policy that meets another hold than the one meant shows
/// nothing.
fn hold_code(case: &Case, ad: &ClassAd) -> (i64, i64) {
    let name = case.name;
    let number = |attribute| ad.integer(attribute).unwrap_or_default();
    let code = (number("HoldReasonCode"), number("HoldReasonSubCode"));
    let reason = ad.string("HoldReason");
    assert!(case.hold.codes().contains(&code), "{name}: {code:?} {reason:?}");
    let holds = 1 + case.earlier + usize::from(case.hold != Hold::Submitted);
    assert_eq!(ad.integer("NumHolds"), i64::try_from(holds).ok(), "{name}: NumHolds");
    code
}
