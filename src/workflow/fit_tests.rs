use super::*;
use crate::history::{Coverage, HistoryBuilder, command_digest, description_digest};
use classads::ClassAd;
use eventlog::ReadOptions;

const NOW: i64 = 1_773_100_000;

/// A log of runs of an hour, each job with its end: MiB used at the peak, `held`, `killed` at its
/// request, or `runs` with 14,000 MiB.
fn history(ends: &[(i32, i32, &str)]) -> History {
    let mut text = String::new();
    for &(cluster, proc, end) in ends {
        let id = format!("({cluster:03}.{proc:03}.000)");
        text += &format!(
            "000 {id} 2026-03-08 09:59:00 Job submitted from host: <10.0.0.1:9618>\n...\n"
        );
        text +=
            &format!("001 {id} 2026-03-08 10:00:00 Job executing on host: <10.0.0.1:9618>\n...\n");
        text += &match end {
            "held" => format!(
                "012 {id} 2026-03-08 10:30:00 Job was held.\n\tJob has gone over cgroup memory limit of 4096 megabytes.\n\
                 \tCode 34 Subcode 102\n...\n"
            ),
            "runs" => format!(
                "006 {id} 2026-03-08 10:30:00 Image size of job updated: 14336000\n\t14000  -  MemoryUsage of job (MB)\n...\n"
            ),
            "killed" => format!(
                "005 {id} 2026-03-08 11:00:00 Job terminated.\n\t(0) Abnormal termination (signal 9)\n\t(0) No core file\n\
                 \tPartitionable Resources :    Usage  Request Allocated\n\
                 \t   Memory (MB)          :     4090     4096      4096\n...\n"
            ),
            peak => format!(
                "005 {id} 2026-03-08 11:00:00 Job terminated.\n\t(1) Normal termination (return value 0)\n\
                 \tPartitionable Resources :    Usage  Request Allocated\n\
                 \t   Memory (MB)          : {peak:>8}     4096      4096\n...\n"
            ),
        };
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, text).unwrap();
    let mut history = HistoryBuilder::new();
    let options = ReadOptions::in_zone(jiff::tz::TimeZone::UTC);
    history.read_log(&path, Coverage::Jobs, &options).unwrap();
    for &(cluster, proc, _) in ends {
        history.attest_owner(JobId::new(cluster, proc), "alice");
        history.add_ad(&ad(cluster, proc, "run.sh", &proc.to_string()), NOW - 100);
    }
    history.build()
}

fn ad(cluster: i32, proc: i32, program: &str, arguments: &str) -> ClassAd {
    let text = format!(
        "[ ClusterId = {cluster}; ProcId = {proc}; Owner = \"alice\"; Cmd = \"/home/alice/{program}\"; \
         Args = \"{arguments}\" ]"
    );
    ClassAd::parse(&text).unwrap()
}

fn of(ends: &[(i32, i32, &str)], idle: &[Asking], version: Option<&str>) -> Vec<Fit> {
    of_slots(ends, idle, version, i64::MAX)
}

/// The same where slots have so much at most.
fn of_slots(
    ends: &[(i32, i32, &str)],
    idle: &[Asking],
    version: Option<&str>,
    most: i64,
) -> Vec<Fit> {
    let room = |_, amount| {
        let none = SlotsFor::NoneNow { of: 9, most: Some(most as f64) };
        (amount > most).then_some(none)
    };
    let question = Question {
        now: NOW,
        idle,
        version: version.map(|version| version.parse().unwrap()),
        names: &|_, _| true,
        submit_file: &|_| None,
        editable: &Editable::default(),
        room: &room,
    };
    fits(&history(ends), &question)
}

fn like(count: i32, end: &str) -> impl Iterator<Item = (i32, i32, &str)> {
    (0..count).map(move |proc| (7, proc, end))
}

fn idle(proc: i32, memory: i64, is_new: bool) -> Asking {
    let ad = ad(7, proc, "run.sh", &proc.to_string());
    Asking {
        job: JobId::new(7, proc),
        memory: Some(memory),
        disk: None,
        is_new,
        command: command_digest(&ad),
        description: description_digest(&ad),
    }
}

#[test]
fn jobs_that_use_little_ask_for_less() {
    let ends: Vec<_> = like(30, "500").collect();
    let found = of(&ends, &[], None);
    assert_eq!(found.len(), 1);
    let fit = &found[0];
    assert_eq!((fit.clusters, fit.finished, fit.took), ((7, 1), 30, Some((3600.0, 3600.0))));
    let [memory] = &fit.sizes[..] else { panic!("{fit:?}") };
    assert_eq!((memory.used, memory.asked), ((500.0, 500.0), Some((4096, 4096))));
    assert_eq!(memory.lines, ["request_memory = 640 MB"]);
    // Two jobs show nothing, and four not enough where a hold costs eight hours.
    assert_eq!(of(&ends[..2], &[], None), []);
    assert_eq!(of(&ends[..4], &[], None), []);
    assert_eq!(of(&ends[..4], &[], Some("25.2.1")).len(), 1);
    // Nothing is said where they ask for what they need.
    assert_eq!(of(&like(30, "3600").collect::<Vec<_>>(), &[], None), []);
}

#[test]
fn a_few_large_jobs_run_again() {
    let ends: Vec<_> = like(30, "500").chain([(7, 30, "3000"), (7, 31, "3100")]).collect();
    let lines = |version| {
        of(&ends, &[], version).into_iter().flat_map(|fit| fit.sizes).flat_map(|of| of.lines)
    };
    let retried: Vec<_> = lines(Some("25.2.1")).collect();
    assert_eq!(retried, ["request_memory = 640 MB", "retry_request_memory = 4096 MB"]);
    // Without that they would be held.
    assert_eq!(lines(Some("24.0.1")).collect::<Vec<_>>(), ["request_memory = 3456 MB"]);
}

#[test]
fn jobs_that_were_held_count_although_they_did_not_finish() {
    let ends: Vec<_> = like(30, "3500").chain((30..36).map(|proc| (7, proc, "held"))).collect();
    let [fit] = of(&ends, &[], Some("25.2.1")).try_into().unwrap();
    let [memory] = fit.sizes.try_into().unwrap();
    assert_eq!((memory.limited, memory.used), (6, (3500.0, 3500.0)));
    assert!(!memory.is_known);
    assert_eq!(memory.lines, ["request_memory = 3968 MB", "retry_request_memory = 6144 MB"]);
    // What they need is not known: without a second run it is no request.
    assert_eq!(of(&ends, &[], None), []);
}

#[test]
fn idle_jobs_are_edited_where_it_is_worth_it() {
    let ends: Vec<_> = like(30, "500").collect();
    // One that was started before keeps what it asks for, and so does one for which its owner asks
    // for more than any that finished.
    let jobs = [
        idle(40, 4096, true),
        idle(41, 4096, true),
        idle(42, 4096, false),
        idle(43, 256, false),
        idle(44, 16_384, true),
    ];
    let [fit] = of(&ends, &jobs, None).try_into().unwrap();
    let [memory] = fit.sizes.try_into().unwrap();
    let edits: Vec<_> = memory.edits.iter().map(|edit| (edit.jobs, edit.from, edit.to)).collect();
    assert_eq!(edits, [(2, 4096, 640), (1, 256, 640)]);
    assert_eq!(
        memory.edits[0].command,
        "condor_qedit -constraint 'ClusterId == 7 && ProcId >= 40 && ProcId <= 41 && JobStatus == 1 && RequestMemory \
         == 4096 && NumJobStarts == 0' RequestMemory 640"
    );
}

#[test]
fn jobs_that_were_killed_or_run_with_more_count() {
    let lines = |more: &str, version: Option<&str>| -> Vec<String> {
        let ends: Vec<_> = like(60, "300").chain((60..70).map(|proc| (7, proc, more))).collect();
        let fits = of(&ends, &[idle(80, 4096, true)], version);
        assert!(fits.iter().all(|fit| fit.sizes[0].edits.is_empty()), "{fits:?}");
        fits.into_iter().flat_map(|fit| fit.sizes).flat_map(|size| size.lines).collect()
    };
    // What they need is not known: half as much again, if that is for a second run.
    assert_eq!(lines("killed", None), [""; 0]);
    let retried = ["request_memory = 384 MB", "retry_request_memory = 6144 MB"];
    assert_eq!(lines("killed", Some("25.2.1")), retried);
    assert_eq!(lines("runs", None), [""; 0]);
    let retried = ["request_memory = 384 MB", "retry_request_memory = 15616 MB"];
    assert_eq!(lines("runs", Some("25.2.1")), retried);
}

#[test]
fn nothing_is_asked_for_that_no_slot_has() {
    let ends: Vec<_> = like(60, "3900").collect();
    // All finished with 4096, which a tenth to spare is beyond.
    assert_eq!(of(&ends, &[idle(80, 4096, true)], None), []);
    let ends: Vec<_> = like(60, "300").chain((60..63).map(|proc| (7, proc, "held"))).collect();
    let lines = |most| -> Vec<String> {
        let fits = of_slots(&ends, &[], Some("25.2.1"), most);
        fits.into_iter().flat_map(|fit| fit.sizes).flat_map(|size| size.lines).collect()
    };
    assert_eq!(lines(9000), ["request_memory = 384 MB", "retry_request_memory = 6144 MB"]);
    assert_eq!(lines(5000), ["request_memory = 384 MB", "retry_request_memory = 5000 MB"]);
    assert_eq!(lines(300), [""; 0]);
}

#[test]
fn few_jobs_are_sized_only_where_the_next_one_may_run_again() {
    let lines = |version| -> Vec<String> {
        let fits = of(&like(3, "200").collect::<Vec<_>>(), &[], version);
        fits.into_iter().flat_map(|fit| fit.sizes).flat_map(|size| size.lines).collect()
    };
    assert_eq!(lines(None), [""; 0]);
    let retried = ["request_memory = 256 MB", "retry_request_memory = 4096 MB"];
    assert_eq!(lines(Some("25.2.1")), retried);
}

#[test]
fn jobs_that_may_run_something_else_are_not_edited_down() {
    let ends: Vec<_> = like(30, "500").collect();
    let edits = |program: &str, arguments: &str, ends: &[(i32, i32, &str)]| -> usize {
        let ad = ad(7, 80, program, arguments);
        let mut job = idle(80, 4096, true);
        (job.command, job.description) = (command_digest(&ad), description_digest(&ad));
        let fits = of(ends, &[job], None);
        fits.iter().flat_map(|fit| &fit.sizes).map(|size| size.edits.len()).sum()
    };
    // The jobs of the row count in their arguments.
    assert_eq!(edits("run.sh", "80", &ends), 1);
    assert_eq!(edits("big.sh", "80", &ends), 0);
    assert_eq!(edits("run.sh", "80 big", &ends), 0);
    // All are the same: another number is something else.
    let same: Vec<_> = (0..30).map(|at| (7 + at, 0, "500")).collect();
    assert_eq!(edits("run.sh", "0", &same), 1);
    assert_eq!(edits("run.sh", "100", &same), 0);
}
