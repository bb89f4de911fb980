//! A file server goes down and comes back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use eventlog::{Body, ReadOptions};
use holdadvise::collect::Collected;
use holdadvise::journal::{ActStep, Did, EntryKind, HoldOf};
use jiff::tz::TimeZone;

use crate::forged::{self, FORGED};
use crate::harness::Pool;
use crate::setup::{COUNTS, USERS, count, journal, submit, switch_on, value};

const INPUT: &str = "transfer_input_files = http://127.0.0.1:8080/genome.dat";

/// Jobs of each user that wait for the server: 50 with those of the factory.
const JOBS: [usize; 3] = [20, 20, 6];

/// Jobs of a factory that are in the queue at a time, and all of them.
const FACTORY: (usize, usize) = (4, 8);

/// The jobs.
pub(crate) struct Outage {
    /// Held as the server was down.
    pub waiting: Vec<String>,
    /// Those of the factory, whose description has forged advice: its first jobs wait, the others
    /// materialize when these are done.
    factory: Vec<String>,
    /// Held for causes of their own.
    pub permanent: Vec<String>,
    /// Held by their owner.
    pub by_person: Vec<String>,
}

impl Outage {
    /// Everything works, then the server goes down; all jobs are held when this returns.
    pub(crate) fn begin(pool: &Pool) -> Self {
        let before: Vec<String> =
            USERS.iter().flat_map(|user| submit(pool, user, "before", INPUT, 1)).collect();
        let ads = pool.settle(&before);
        assert!(ads.values().all(|ad| ad["JobStatus"] == 4), "{ads:?}");

        pool.fault("web", true);
        let mut waiting: Vec<String> = (USERS.iter().zip(JOBS))
            .flat_map(|(user, jobs)| submit(pool, user, "web", INPUT, jobs))
            .collect();
        let (first, all) = FACTORY;
        let late = format!("{FORGED}\n{INPUT}\nmax_materialize = {first}");
        let factory = submit(pool, "carol", "factory", &late, all);
        waiting.extend_from_slice(&factory[..first]);
        let mut permanent = submit(pool, "alice", "missing", "transfer_input_files = none.txt", 8);
        pool.shell("bob", "interpreter", "printf '#!/usr/bin/pyhton3\\n' >no.sh; chmod +x no.sh");
        permanent.extend(submit(pool, "bob", "interpreter", "executable = no.sh", 6));
        let storm = std::env::var("HOLDADVISE_POOL_STORM");
        if let Ok(storm) = storm {
            let jobs = storm.parse().expect("HOLDADVISE_POOL_STORM is a number of jobs");
            permanent.extend(submit(pool, "bob", "storm", "periodic_hold = true", jobs));
        }
        let by_person = submit(pool, "carol", "person", "requirements = false", 6);
        let cluster = by_person[0].split('.').next().unwrap_or_default().to_owned();
        pool.shell("carol", "person", &format!("condor_hold -reason 'look \"first\"' {cluster}"));
        let all = [waiting.clone(), permanent.clone(), by_person.clone()].concat();
        pool.wait_for("all jobs on hold", || count(pool, "JobStatus == 5") == all.len());
        for job in &factory[..first] {
            forged::is_none(pool, job);
        }
        Self { waiting, factory, permanent, by_person }
    }

    /// All that are held.
    fn held(&self) -> usize {
        self.waiting.len() + self.permanent.len() + self.by_person.len()
    }

    /// Those that are not to be released.
    pub(crate) fn stay(&self) -> Vec<String> {
        [&self.permanent[..], &self.by_person].concat()
    }

    /// Each held job has advice that counts, and no advice is a removal.
    pub(crate) fn is_advised(&self, pool: &Pool) {
        pool.wait_for("advice for all held jobs", || count(pool, COUNTS) == self.held());
        let words = |constraint: &str| -> BTreeMap<String, usize> {
            let command = format!("condor_q -allusers -constraint '{constraint}' -af HoldAdvice");
            let mut words = BTreeMap::new();
            for word in pool.root_shell(&command).lines() {
                *words.entry(word.to_owned()).or_default() += 1;
            }
            words
        };
        let of = words("JobStatus == 5");
        assert!(!of.contains_key("remove") && !of.contains_key("undefined"), "{of:?}");
        let of_person = words("JobStatus == 5 && HoldReasonCode == 1");
        assert_eq!(of_person, BTreeMap::from([("undecided".to_owned(), self.by_person.len())]));
        let of_server = words("JobStatus == 5 && HoldReasonSubCode == 256");
        assert!(!of_server.contains_key("change"), "{of_server:?}");
        self.factory_goes_on(pool);
        println!("advised: {of:?}");
    }

    /// `condor_q -pr` shows it to a user.
    pub(crate) fn is_shown(&self, pool: &Pool) {
        let format = "/usr/share/condor/holdadvise/hold_advice.cpf";
        let shown = pool.try_run("alice", &["condor_q", "-allusers", "-pr", format]).unwrap();
        for word in ["ADVICE", "undecided", "carol", "13/256"] {
            assert!(shown.contains(word), "{word}: {shown}");
        }
        assert!(shown.lines().all(|line| line.chars().count() <= 132), "{shown}");
        let history = "/usr/share/condor/holdadvise/hold_advice_history.cpf";
        let shown = pool.try_run("alice", &["condor_history", "-pr", history]).unwrap();
        assert!(shown.contains("MAY GO"), "{shown}");
    }

    pub(crate) fn counts_are_in_the_ad_of_the_schedd(&self, pool: &Pool) {
        let jobs =
            "condor_status -schedd -af HoldAdviceJobs HoldAdviceJobsMayGo HoldAdvicePassSeconds";
        pool.wait_for("counts in the ad of the schedd", || {
            pool.root_shell(jobs).starts_with(&format!("{} 0 ", self.held()))
        });
    }

    /// The policy is off: nothing is released, and no ad says that it may be.
    pub(crate) fn nothing_went(&self, pool: &Pool) {
        assert_eq!(count(pool, "HoldAdviceRelease =?= true"), 0);
        assert_eq!(released(pool), BTreeMap::new());
        assert_eq!(journal(pool).entries.len(), 0);
    }

    /// A pass has not paused the factory: 0, materialization goes on.
    fn factory_goes_on(&self, pool: &Pool) {
        assert_eq!(value(pool, &self.factory[0], "JobMaterializePaused ?: 0"), "0");
        let (first, all) = FACTORY;
        let cluster = self.factory[0].split('.').next().unwrap_or_default();
        let of = |name: &str| value(pool, &self.factory[0], name);
        assert_eq!(
            (of("JobMaterializeNextProcId"), of("TotalSubmitProcs")),
            (first.to_string(), all.to_string())
        );
        assert_eq!(count(pool, &format!("ClusterId == {cluster}")), first);
    }

    /// The server is back, a job of somebody shows it, and the policy is switched on.
    pub(crate) fn end(&self, pool: &Pool) {
        pool.fault("web", false);
        switch_on(pool);
        let fresh = submit(pool, "bob", "after", INPUT, 1);
        let ads = pool.settle(&fresh);
        assert_eq!(ads[&fresh[0]]["JobStatus"], 4, "{ads:?}");
    }

    pub(crate) fn goes_through_and_finishes(&self, pool: &Pool) {
        pool.wait_for("the end of the 50 jobs", || {
            let ads = pool.ads(&self.waiting);
            ads.len() == self.waiting.len() && ads.values().all(|ad| ad["JobStatus"] == 4)
        });
        for (job, ad) in pool.ads(&self.waiting) {
            assert_eq!(ad["ExitCode"], 0, "{job}");
        }
    }

    /// Those held for causes of their own are still in that very hold.
    pub(crate) fn others_stay(&self, pool: &Pool) {
        for (job, ad) in pool.ads(&self.stay()) {
            assert_eq!((&ad["JobStatus"], &ad["NumHolds"]), (&5.into(), &1.into()), "{job}");
        }
        // Other parts of this test removed jobs, by hand.
        let removed = "condor_history -constraint 'JobStatus == 3' -af:j RemoveReason";
        for line in pool.root_shell(removed).lines() {
            assert!(line.contains("via condor_rm"), "{line}");
        }
    }

    /// They materialized as the first ones finished, and finished; nothing of what was forged counts.
    pub(crate) fn later_procs_finish(&self, pool: &Pool) {
        let later = &self.factory[FACTORY.0..];
        let ads = pool.settle(later);
        for (job, ad) in ads {
            assert_eq!((&ad["JobStatus"], &ad["ExitCode"]), (&4.into(), &0.into()), "{job}: {ad}");
        }
    }

    /// The collector has each release that the event log has.
    pub(crate) fn is_kept(&self, pool: &Pool) {
        let folder = pool.path("/var/lib/condor-holdadvise/logs");
        let all = released(pool);
        pool.wait_for("all releases in the kept logs", || {
            let kept = Collected::of(&folder).unwrap();
            assert!(kept.problems.is_empty() && kept.gaps.is_empty(), "{kept:?}");
            released_in(&kept.logs) == all
        });
    }

    /// Each event 013 is of a hold that the journal has: advised, then done, then how it ended; and
    /// the advice in the ad counted when it was released.
    pub(crate) fn every_release_has_its_advice(&self, pool: &Pool) {
        let released = released(pool);
        let jobs: BTreeSet<&String> = released.keys().collect();
        assert_eq!(jobs, self.waiting.iter().collect());
        let ads = pool.ads(&self.waiting);
        pool.wait_for("ends of all acts in the journal", || {
            let entries = journal(pool).entries;
            let ended =
                |entry: &&holdadvise::journal::Entry| matches!(entry.what, EntryKind::Outcome(_));
            entries.iter().filter(ended).count() >= self.waiting.len()
        });
        let log = pool.root_shell("cat /var/log/condor/HoldAdviceLog");
        for (job, ad) in &ads {
            let owner = ad["Owner"].as_str().unwrap_or_default();
            let says = format!(" Released {job} of {owner} at ");
            assert_eq!(log.matches(&says).count(), 1, "{says}: {log}");
        }
        assert!(log.contains(" Error: the pass failed: journal"), "{log}");
        println!("{}", log.lines().rev().take(12).collect::<Vec<_>>().join("\n"));
        let entries = journal(pool).entries;
        let mut steps: BTreeMap<String, Vec<(ActStep, i64)>> = BTreeMap::new();
        let mut passes: BTreeMap<i64, usize> = BTreeMap::new();
        for entry in &entries {
            let EntryKind::Act(act) = &entry.what else { continue };
            // What the advisor says of a line that it did not write.
            if act.id.as_deref().is_some_and(|id| id.starts_with("forged")) {
                assert_eq!(act.step, ActStep::Refused, "{act:?}");
                continue;
            }
            assert_eq!(act.did, Did::Release);
            let HoldOf { job, num_holds, .. } = act.hold;
            assert_eq!(num_holds, Some(1), "{job}");
            steps.entry(job.to_string()).or_default().push((act.step, entry.time));
            *passes.entry(entry.time).or_default() += usize::from(act.step == ActStep::Intended);
        }
        let waves: Vec<usize> = passes.into_values().filter(|jobs| *jobs > 0).collect();
        println!("let go, pass by pass: {waves:?}");
        assert_eq!(waves[0], 1, "{waves:?}");
        assert!(waves[1] <= 5, "{waves:?}");
        for (job, at) in &released {
            let steps = &steps[job];
            assert_eq!(steps[0].0, ActStep::Intended, "{job}: {steps:?}");
            assert_eq!(steps.last(), Some(&(ActStep::Done, *at)), "{job}: {steps:?}");
            assert!(steps[0].1 <= *at, "{job}");
            let ad = &ads[job];
            assert_eq!(
                (&ad["HoldAdviceNumHolds"], &ad["HoldAdviceRelease"]),
                (&1.into(), &true.into())
            );
            assert!(ad["HoldAdviceExpires"].as_i64().unwrap() > *at, "{job}: {ad}");
        }
    }
}

/// When each job was released by the policy of the advisor: events 013.
fn released(pool: &Pool) -> BTreeMap<String, i64> {
    released_in(&[pool.path("/var/log/condor/EventLog")])
}

/// The same, in these logs and those that were rotated away of them.
fn released_in(logs: &[PathBuf]) -> BTreeMap<String, i64> {
    let mut released = BTreeMap::new();
    for log in logs {
        let mut events = eventlog::open_series(log, &ReadOptions::in_zone(TimeZone::UTC)).unwrap();
        while let Some((_, event)) = events.next_event() {
            let event = event.unwrap();
            let Body::Released(body) = event.body() else { continue };
            let reason = body.reason.as_deref().unwrap_or_default();
            if reason.contains("HoldAdviceRelease") {
                let twice = released.insert(event.job.to_string(), event.time.seconds);
                assert_eq!(twice, None, "{} was released twice", event.job);
            }
        }
    }
    released
}
