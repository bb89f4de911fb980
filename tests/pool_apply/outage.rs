//! A file server goes down and comes back. Three users without privileges call `-apply try` again
//! and again, each with a journal of their own and nothing to read but their jobs' own logs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;

use eventlog::{Body, JobId, ReadOptions};
use holdadvise::journal::{ActStep, Did, EntryKind, Kept};
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::pool::harness::{COMPLETED, HELD, Pool};

const USERS: [&str; 3] = ["alice", "bob", "carol"];

/// Jobs of each user that wait for the server.
const JOBS: usize = 8;

/// Jobs of each user that are held for a cause that stays.
const STAY: usize = 3;

/// Seconds after a failed release for which none follows.
const PAUSE: i64 = 600;

const INPUT: &str = "transfer_input_files = http://127.0.0.1:8080/genome.dat";

/// Jobs of carol that materialize when those that wait are done.
const LATER: usize = 2;

/// The jobs, by user.
pub(crate) struct Outage {
    waiting: BTreeMap<&'static str, Vec<String>>,
    later: Vec<String>,
    stay: BTreeMap<&'static str, Vec<String>>,
}

impl Outage {
    /// Everything works, then the server goes down and jobs are submitted.
    pub(crate) fn begin(pool: &Pool) -> Self {
        pool.root_shell(
            "set -e; echo 'EVENT_LOG =' >/etc/condor/config.d/99-test-apply; condor_reconfig >/dev/null\n\
             rm -f /var/log/condor/EventLog*; mkdir -p /srv/web; head -c 5000 /dev/zero >/srv/web/genome.dat\n\
             id carol >/dev/null 2>&1 || useradd --create-home --shell /bin/sh carol",
        );
        let before: Vec<String> =
            USERS.iter().flat_map(|user| submit(pool, user, "web", INPUT, 1)).collect();
        let causes = [
            ("alice", "transfer_input_files = none.txt"),
            ("bob", "executable = no.sh"),
            // Of the same server, and not there.
            ("carol", "transfer_input_files = http://127.0.0.1:8080/none.dat"),
        ];
        pool.shell("bob", "stay", "printf '#!/usr/bin/pyhton3\\n' >no.sh; chmod +x no.sh");
        let stay: BTreeMap<_, _> =
            causes.map(|(user, lines)| (user, submit(pool, user, "stay", lines, STAY))).into();
        let ads = pool.settle(&before);
        assert!(ads.values().all(|ad| ad["JobStatus"] == COMPLETED), "{ads:?}");
        let all: Vec<String> = stay.values().flatten().cloned().collect();
        let ads = pool.settle(&all);
        assert!(ads.values().all(|ad| ad["JobStatus"] == HELD), "{ads:?}");

        pool.fault("web", true);
        let [alice, bob, carol] = USERS;
        let mut waiting: BTreeMap<_, _> =
            [alice, bob].map(|user| (user, submit(pool, user, "web", INPUT, JOBS))).into();
        let factory = format!("{INPUT}\nmax_materialize = {JOBS}");
        let mut jobs = submit(pool, carol, "web", &factory, JOBS + LATER);
        let later = jobs.split_off(JOBS);
        waiting.insert(carol, jobs);
        Self { waiting, later, stay }
    }

    /// All ask for it while the server is down: for HOLDADVISE_OUTAGE_SECONDS, else three times.
    pub(crate) fn lasts(&self, pool: &Pool) {
        let all: Vec<String> = self.waiting.values().flatten().cloned().collect();
        let ads = pool.settle(&all);
        assert!(ads.values().all(|ad| ad["JobStatus"] == HELD), "{ads:?}");
        let until = pool.now() + outage_seconds();
        each(|user| {
            for call in 0.. {
                if call >= 3 && pool.now() >= until {
                    break;
                }
                apply(pool, user);
            }
        });
    }

    /// A new job of each user shows that the server is back, and the others follow.
    pub(crate) fn is_over(&self, pool: &Pool) {
        pool.fault("web", false);
        let fresh: Vec<String> =
            USERS.iter().flat_map(|user| submit(pool, user, "web", INPUT, 1)).collect();
        let ads = pool.settle(&fresh);
        assert!(ads.values().all(|ad| ad["JobStatus"] == COMPLETED), "{ads:?}");
        self.nobody_acts_for_another(pool);
        // Where a try failed in the outage, the next one follows after PAUSE.
        each(|user| {
            let end = format!("the end of the jobs of {user}");
            pool.wait_for(&end, || {
                apply(pool, user);
                let ads = pool.ads(&self.waiting[user]);
                let done = ads.values().filter(|ad| ad["JobStatus"] == COMPLETED).count();
                done == JOBS
            });
        });
    }

    /// bob finds alice's jobs fit to be released; the schedd does nothing for him. What she tried
    /// herself may have finished by now, or been held again: all others stay in the hold they were in.
    fn nobody_acts_for_another(&self, pool: &Pool) {
        let jobs = &self.waiting["alice"];
        let holds = |ads: BTreeMap<String, Value>| -> BTreeMap<String, Value> {
            let held = ads.into_iter().filter(|(_, ad)| ad["JobStatus"] == HELD);
            held.map(|(job, ad)| (job, ad["EnteredCurrentStatus"].clone())).collect()
        };
        let before = holds(pool.settle(jobs));
        assert!(!before.is_empty(), "all jobs of alice finished in the outage");
        let cluster = jobs[0].split('.').next().unwrap_or_default();
        let command = format!(
            "_CONDOR_HOLDADVISE_JOURNAL_DIR=$HOME/other condor_holdadvise -apply try -yes -allusers {cluster} 2>&1 || true"
        );
        let said = pool.shell("bob", "web", &command);
        assert!(said.contains("nothing was done") && said.contains(" to act on now"), "{said}");
        assert!(!said.contains(" 0 to act on now"), "{said}");
        assert_eq!(holds(pool.ads(jobs)), before, "{said}");
    }

    /// All of them finished, in the stages of the ramp; nobody else was released, and nobody had
    /// anything to read but the jobs' own logs.
    pub(crate) fn ends_for_its_jobs_alone(&self, pool: &Pool) {
        for (user, jobs) in &self.waiting {
            let ads = pool.ads(jobs);
            assert!(ads.values().all(|ad| ad["ExitCode"] == 0), "{user}: {ads:?}");
            let released = follow_the_ramp(&pool.path(&format!("/home/{user}/web/job.log")));
            let ids: BTreeSet<String> = released.iter().map(ToString::to_string).collect();
            assert_eq!(ids, jobs.iter().cloned().collect(), "{user}");
            let folder = format!("/home/{user}/.local/state/condor-holdadvise/journal");
            assert_eq!(
                pool.root_shell(&format!("stat -c '%U %a' {folder}")),
                format!("{user} 700\n")
            );
            let mut done = done_in(&pool.path(&folder));
            done.retain(|job| ids.contains(&job.to_string()));
            assert_eq!(done, released, "{user}: journal and log");
        }
        // The factory went on.
        for (job, ad) in pool.settle(&self.later) {
            assert_eq!(
                (&ad["JobStatus"], &ad["ExitCode"]),
                (&COMPLETED.into(), &0.into()),
                "{job}"
            );
        }
        for (user, jobs) in &self.stay {
            for (job, ad) in pool.ads(jobs) {
                assert_eq!(
                    (&ad["JobStatus"], &ad["NumHolds"]),
                    (&HELD.into(), &1.into()),
                    "{user} {job}"
                );
            }
        }
        let kept = pool.root_shell("ls /var/log/condor");
        assert!(!kept.contains("EventLog"), "{kept}");
    }
}

/// Seconds for which the server stays down.
fn outage_seconds() -> i64 {
    let seconds = std::env::var("HOLDADVISE_OUTAGE_SECONDS");
    seconds.map_or(0, |text| text.parse().expect("HOLDADVISE_OUTAGE_SECONDS: a whole number"))
}

/// All users at once.
fn each(what: impl Fn(&'static str) + Sync) {
    thread::scope(|scope| {
        for user in USERS {
            let what = &what;
            scope.spawn(move || what(user));
        }
    });
}

fn apply(pool: &Pool, user: &str) {
    pool.shell(user, "web", "condor_holdadvise -apply try -yes >>said 2>&1 || true");
}

fn submit(pool: &Pool, user: &str, folder: &str, lines: &str, jobs: usize) -> Vec<String> {
    pool.shell(user, folder, "printf '#!/bin/sh\\nsleep 1\\n' >run.sh; chmod +x run.sh");
    let description = format!(
        "executable = run.sh\nlog = job.log\nshould_transfer_files = YES\nwhen_to_transfer_output = ON_EXIT\n\
         request_cpus = 1\nrequest_memory = 64\nrequest_disk = 1M\n{lines}"
    );
    pool.submit_jobs(user, folder, &description, jobs)
}

/// Jobs in the order of their releases by `-apply`, as a job's own log has them. One goes first,
/// at most five are on their way until five more began to run, and after one that was held again
/// none goes for a while.
fn follow_the_ramp(log: &Path) -> Vec<JobId> {
    let (mut released, mut on_their_way) = (Vec::new(), BTreeSet::new());
    let (mut through, mut failed) = (0, i64::MIN / 2);
    let mut waves = Vec::new();
    let mut events = eventlog::open_series(log, &ReadOptions::in_zone(TimeZone::UTC)).unwrap();
    while let Some((_, event)) = events.next_event() {
        let event = event.unwrap();
        let (job, at) = (event.job, event.time.seconds);
        match event.body() {
            Body::Released(body) => {
                let reason = body.reason.as_deref().unwrap_or_default();
                assert!(reason.contains("condor_holdadvise: "), "{job}: {reason}");
                on_their_way.insert(job);
                let width = match through {
                    0 => 1,
                    1..6 => 5,
                    _ => 25,
                };
                assert!(on_their_way.len() <= width, "{job}: {on_their_way:?} after {through}");
                assert!(at >= failed + PAUSE, "{job}: {} s after a failure", at - failed);
                released.push(job);
                match waves.last_mut() {
                    Some((last, jobs)) if at - *last <= 1 => *jobs += 1,
                    _ => waves.push((at, 1)),
                }
            }
            Body::Execute(_) if on_their_way.remove(&job) => through += 1,
            Body::Held(_) if on_their_way.remove(&job) => (through, failed) = (0, at),
            _ => {}
        }
    }
    let first = waves.first().map_or(0, |(at, _)| *at);
    let waves: Vec<_> = waves.into_iter().map(|(at, jobs)| (at - first, jobs)).collect();
    println!("{}: released, at second: {waves:?}", log.display());
    released
}

/// Jobs in the order in which a journal has their releases.
fn done_in(folder: &Path) -> Vec<JobId> {
    let kept = Kept::of_folder(folder).unwrap();
    assert_eq!(kept.problems, Vec::<String>::new());
    let done = kept.entries.iter().filter_map(|entry| match &entry.what {
        EntryKind::Act(act) if act.did == Did::Release && act.step == ActStep::Done => {
            Some(act.hold.job)
        }
        _ => None,
    });
    done.collect()
}
