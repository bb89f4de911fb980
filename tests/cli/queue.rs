//! The queue, with scripts in the place of HTCondor's tools for what no file can show.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::harness::{HELD_LOG, NOW, Place, ad, queue_of};

#[test]
fn without_htcondor_the_offline_ways_are_named() {
    Place::new().advise("1234.0").is_error(&["cannot run condor_q", "-jobads", "-userlog"]);
}

#[test]
fn an_unreachable_schedd_is_told_in_one_line() {
    let place = Place::new();
    place.tool(
        "condor_q",
        "echo >&2; echo '-- Failed to fetch ads from: <127.0.0.1:9618> : ap1' >&2\n\
         echo 'CEDAR:6001:Failed to connect to <127.0.0.1:9618>' >&2; exit 1",
    );
    let said = place.advise("1234.0");
    said.is_error(&["condor_q failed: Failed to fetch ads from", "CEDAR:6001"]);
    assert_eq!(said.stderr.lines().count(), 1);
    place
        .tool("condor_q", "echo '-- Failed to fetch ads from: <127.0.0.1:9618> : ap1' >&2; exit 0");
    place.advise("1234.0").is_error(&["Failed to fetch ads from"]);
}

#[test]
fn a_schedd_that_hangs_is_given_up() {
    let place = Place::new();
    place.tool("condor_q", "exec /bin/sleep 600");
    place.file(".condor/holdadvise/config", "HOLDADVISE_TIMEOUT_SECONDS = 1\n");
    place.advise("").is_error(&[
        "condor_q gave no answer within 1 s",
        "HOLDADVISE_TIMEOUT_SECONDS",
        "ask by cluster.proc, or leave its owner out",
    ]);
}

/// A `condor_q` whose child holds its pipes open; the child's number goes into a file.
fn slow_queue(place: &Place, start: &str) {
    let pid = place.path("pid").display().to_string();
    place
        .tool("condor_q", &format!("{start} & echo $! > {pid}.new\n/bin/mv {pid}.new {pid}; wait"));
}

/// Waits until the script has said its child's number.
fn child_of(place: &Place) -> String {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(120) {
        if let Ok(pid) = fs::read_to_string(place.path("pid")) {
            return pid.trim().to_owned();
        }
        std::thread::yield_now();
    }
    panic!("condor_q was not started");
}

/// Waits until a process has ended; its parent need not have noticed.
fn ends(pid: &str) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(120) {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
        if state.is_empty() || state.starts_with(['Z', 'X']) {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn a_tool_ends_at_the_deadline_with_all_it_started() {
    let place = Place::new();
    place.file(".condor/holdadvise/config", "HOLDADVISE_TIMEOUT_SECONDS = 1\n");
    slow_queue(&place, "/bin/sleep 600");
    let started = Instant::now();
    place.advise("").is_error(&["condor_q gave no answer within 1 s"]);
    assert!(started.elapsed() < Duration::from_secs(300));
    assert!(ends(&child_of(&place)));
    // What has left the group holds nobody up either.
    fs::remove_file(place.path("pid")).unwrap();
    slow_queue(&place, "/usr/bin/setsid /bin/sleep 600");
    place.advise("").is_error(&["condor_q gave no answer within 1 s"]);
    assert!(started.elapsed() < Duration::from_secs(300));
    let left = Pid::from_raw(child_of(&place).parse().unwrap()).unwrap();
    let _ = rustix::process::kill_process(left, Signal::KILL);
}

#[test]
fn a_signal_ends_the_tools_and_then_this_program() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = Place::new();
        slow_queue(&place, "/bin/sleep 600");
        // A shell starts what runs in the background with SIGINT ignored.
        let mut program = place.command("/usr/bin/env");
        program.args(["--default-signal", env!("CARGO_BIN_EXE_condor_holdadvise")]);
        let mut program = program.spawn().unwrap();
        let child = child_of(&place);
        rustix::process::kill_process(Pid::from_child(&program), signal).unwrap();
        assert_eq!(program.wait().unwrap().signal(), Some(signal.as_raw()));
        assert!(ends(&child), "{signal:?}");
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let place = Place::new();
    slow_queue(&place, "/bin/sleep 600");
    let program = env!("CARGO_BIN_EXE_condor_holdadvise");
    let mut shell = place.command("/bin/sh");
    let mut shell = shell.args(["-c", "trap '' HUP; exec \"$0\"", program]).spawn().unwrap();
    let child = child_of(&place);
    for signal in [Signal::HUP, Signal::TERM] {
        rustix::process::kill_process(Pid::from_child(&shell), signal).unwrap();
    }
    assert_eq!(shell.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    assert!(ends(&child));
}

#[test]
fn one_query_asks_for_all_jobs() {
    let place = Place::new();
    queue_of(&place, &format!("{}\n{}", ad(7, 0, ""), ad(8, 1, "")));
    let words = ["7.0", "8", "-name", "ap1", "-pool", "cm", "-now", NOW, "-af:j", "Owner"];
    let said = place.run(&words, "");
    assert_eq!((said.status, said.stdout.as_str()), (0, "7.0 alice\n8.1 alice\n"), "{said:?}");
    let calls = fs::read_to_string(place.path("calls")).unwrap();
    let asked: Vec<&str> = calls.lines().filter(|call| call.contains("-long")).collect();
    assert_eq!(asked.len(), 1, "{calls}");
    assert!(
        asked[0].starts_with("-pool cm -name ap1 -allusers -long -attributes ClusterId,ProcId,")
    );
    assert!(asked[0].ends_with(
        "-constraint (ClusterId == 7 && ProcId == 0) || (ClusterId == 8 && JobStatus == 5)"
    ));
}

#[test]
fn own_held_jobs_are_the_default() {
    let place = Place::new();
    queue_of(&place, "");
    let said = place.advise("");
    let none = "No held jobs: none of yours in the queue; -allusers looks at those of all.\n";
    assert_eq!((said.status, said.stdout.as_str()), (0, none), "{said:?}");
    let calls = fs::read_to_string(place.path("calls")).unwrap();
    assert!(
        !calls.contains("-allusers")
            && calls.contains("-constraint (JobStatus == 5 || NumVacates >= 3 && "),
        "{calls}"
    );
    assert_eq!(place.advise("-json").stdout, "[]\n");
    assert_eq!(calls.lines().count(), 1, "nothing else is asked when nothing is held");
}

#[test]
fn attributes_that_policies_refer_to_are_asked_for() {
    let place = Place::new();
    queue_of(&place, &ad(7, 0, "PeriodicRelease = MyTries < 3"));
    place.run(&["-now", NOW], "");
    let calls = fs::read_to_string(place.path("calls")).unwrap();
    assert!(calls.contains("-attributes ClusterId,ProcId,MyTries "), "{calls}");
}

#[test]
fn jobs_the_queue_does_not_have() {
    let place = Place::new();
    queue_of(&place, "");
    place.advise("1234.0").is_error(&["job 1234.0 is not in the queue"]);
}

/// The ad of a job of cluster 21 that left the queue.
fn ended(proc: i32, more: &str) -> String {
    format!("ClusterId = 21\nProcId = {proc}\nEnteredCurrentStatus = 1772366400\n{more}\n\n")
}

#[test]
fn how_a_job_ended_that_left_the_queue_is_in_the_history() {
    let place = Place::new();
    queue_of(&place, &ad(7, 0, ""));
    place.file(
        "gone.ads",
        [
            ended(0, "JobStatus = 4\nCompletionDate = 1772366400\nExitCode = 3"),
            ended(1, "JobStatus = 4\nExitBySignal = true\nExitSignal = 9"),
            ended(
                2,
                "JobStatus = 3\nRemoveReason = \"\u{1b}[1mvia condor_rm (by user al\\\"ice) -p hunter2X\"",
            ),
            ended(3, "JobStatus = 1"),
        ]
        .concat(),
    );
    let [calls, gone] = ["history.calls", "gone.ads"].map(|name| place.path(name));
    let script = format!("echo \"$@\" >> {}\n/bin/cat {}", calls.display(), gone.display());
    place.tool("condor_history", &script);
    let completed = "21.0 completed at 2026-03-01 12:00 with exit code 3; it is not on hold.\n";
    let said = place.advise("21.0");
    assert_eq!(
        (said.status, said.stdout.as_str(), said.stderr.as_str()),
        (0, completed, ""),
        "{said:?}"
    );
    let call = fs::read_to_string(&calls).unwrap();
    assert!(call.starts_with("-long -attributes ClusterId,") && call.ends_with("-limit 1 21.0\n"));
    let said = place.advise("21.1 21.2");
    assert_eq!(
        said.stdout,
        "21.1 was ended at 2026-03-01 12:00 by signal 9; it is not on hold.\n\
         21.2 was removed at 2026-03-01 12:00, RemoveReason \"via condor_rm (by user al\\\"ice) -p ***\"; \
         it is not on hold.\n"
    );
    // Programs get their form, and a job that is held its advice.
    let said = place.advise("21.0 -json");
    assert_eq!((said.status, said.stdout.as_str()), (0, "[]\n"));
    assert_eq!(said.stderr, format!("Note: {completed}"));
    let said = place.advise(&format!("7.0 21.0 -now {NOW} -af ClusterId"));
    assert_eq!((said.status, said.stdout.as_str()), (0, "7\n"), "{said:?}");
    assert_eq!(said.stderr, "Error: job 21.0 is not in the queue\n", "its end is later");
    place.advise("21.3 21.9").is_error(&["job 21.3 is not in the queue", "job 21.9 is not in"]);
    let said = place.advise("21.0 21.9");
    assert_eq!((said.status, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains(&format!("Note: {completed}")), "{said:?}");
    let said = place.release_expression(&["-explain", "21.0"], "");
    assert_eq!(said.stderr, format!("Note: {completed}Error: none of the jobs named is held\n"));
    // Without a history the queue alone is said.
    place.tool("condor_history", "exit 1");
    place.advise("21.0").is_error(&["job 21.0 is not in the queue"]);
}

#[test]
fn how_a_job_ended_is_in_its_log() {
    let place = Place::new();
    let end = |text: &str| {
        place.file("job.log", format!("{HELD_LOG}{text}\n...\n"));
        place.advise("-userlog job.log 1234.0")
    };
    for (event, how) in [
        (
            "005 (1234.000.000) 2026-03-01 12:00:00 Job terminated.\n\t(1) Normal termination (return value 3)",
            "completed at 2026-03-01 12:00 with exit code 3",
        ),
        (
            "005 (1234.000.000) 2026-03-01 12:00:00 Job terminated.\n\t(0) Abnormal termination (signal 9)",
            "was ended at 2026-03-01 12:00 by signal 9",
        ),
        (
            "009 (1234.000.000) 2026-03-01 12:00:00 Job was aborted.\n\tvia condor_rm (by user alice)",
            "was removed at 2026-03-01 12:00",
        ),
    ] {
        let said = end(event);
        let expected = format!("1234.0 {how}; it is not on hold.\n");
        assert_eq!((said.status, said.stdout), (0, expected), "{}", said.stderr);
    }
    let released = "013 (1234.000.000) 2026-03-01 12:00:00 Job was released.\n\tvia condor_release";
    end(released).is_error(&["1234.0 is not held at the end of the log"]);
}

#[test]
fn what_could_not_be_asked_is_told() {
    let place = Place::new();
    queue_of(&place, &ad(7, 0, ""));
    let said = place.run(&["-now", NOW, "7.0", "-why"], "");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stdout.contains("ads of earlier runs: cannot run condor_history"), "{said:?}");
    assert!(said.stdout.contains("EVENT_LOG is not set here"), "{said:?}");
}

#[test]
fn runs_of_the_owner_tell_what_the_jobs_of_a_log_read() {
    let place = Place::new();
    let log = place.file(
        "job.log",
        "\
000 (7.000.000) 2026-03-01 09:00:00 Job submitted from host: <127.0.0.1:9618>
...
000 (8.000.000) 2026-03-01 09:00:00 Job submitted from host: <127.0.0.1:9618>
...
012 (7.000.000) 2026-03-01 10:00:00 Job was held.
\tTransfer input files failure at execution point slot1@e1 using protocol http. Details: Failed to connect to 10.1.1.1 port 80 ( URL file = http://data.example/a )|
\tCode 13 Subcode 256
...
001 (8.000.000) 2026-03-01 10:10:00 Job executing on host: <127.0.0.1:40000>
...
005 (8.000.000) 2026-03-01 10:20:00 Job terminated.
\t(1) Normal termination (return value 0)
...
",
    );
    let url = "Transfer input files failure at execution point slot1@e1 using protocol http. Details: Failed to connect to \
               10.1.1.1 port 80 ( URL file = http://data.example/a )";
    let held = ad(
        7,
        0,
        &format!(
            "QDate = 1772355600\nTransferInput = \"http://data.example/a\"\nUserLog = \"{}\"",
            log.display()
        ),
    );
    let held: String = held
        .lines()
        .map(|line| match line.split_once(" = ") {
            Some(("HoldReason", _)) => format!("HoldReason = \"{url}\"\n"),
            Some(("HoldReasonSubCode", _)) => "HoldReasonSubCode = 256\n".to_owned(),
            _ => format!("{line}\n"),
        })
        .collect();
    queue_of(&place, &held);
    let script = |run: &str| {
        format!("echo \"$@\" > {}\nprintf '{run}'", place.path("history.calls").display())
    };
    let evidence = || {
        let said = place.run(&["7.0", "-now", NOW, "-af", "Evidence"], "");
        assert_eq!(said.status, 0, "{said:?}");
        said.stdout
    };
    let sibling = "1 other job with input from data.example began to execute since this hold";
    place.tool("condor_history", &script(""));
    assert!(!evidence().contains(sibling));
    place.tool(
        "condor_history",
        &script(
            "ClusterId = 8\\nProcId = 0\\nOwner = \"alice\"\\nEpochAdType = \"EPOCH\"\\n\
             EpochWriteDate = 1772360400\\nTransferInput = \"http://data.example/b\"\\n\\n",
        ),
    );
    let told = evidence();
    assert!(told.contains(sibling), "{told}");
    let calls = fs::read_to_string(place.path("history.calls")).unwrap();
    for part in [
        "-epochs -long",
        "-limit 5000",
        "-since EpochWriteDate < 17722",
        "(ClusterId == 7 && ProcId == 0) || ((Owner == \"alice\") && ",
    ] {
        assert!(calls.contains(part), "{part}: {calls}");
    }
}

#[test]
fn what_one_owners_policies_name_keeps_nobody_elses_from_being_asked_for() {
    let place = Place::new();
    let names: Vec<String> = (0..20_000).map(|n| format!("A{n}")).collect();
    let policy = format!("PeriodicRelease = {}", names.join(" + "));
    let of_alice = ad(7, 0, "").replace("PeriodicRelease = false", &policy);
    let of_bob = ad(8, 0, "PeriodicRelease = BobPatience > 5\n").replace("alice", "bob");
    queue_of(&place, &format!("{of_alice}\n{of_bob}"));
    let said = place.run(&["7", "8", "-now", NOW, "-json"], "");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("policies of 1 job: they name too many attributes"), "{said:?}");
    assert!(said.stderr.len() < 1_000, "{said:?}");
    let calls = fs::read_to_string(place.path("calls")).unwrap();
    assert!(calls.contains("-attributes ClusterId,ProcId,BobPatience -"), "{calls}");
    let advices: Vec<serde_json::Value> = serde_json::from_str(&said.stdout).unwrap();
    let will = |number: usize| advices[number]["HTCondorWill"].to_string();
    assert!(will(0).contains("is not known: its policies were not evaluated"), "{}", will(0));
    assert!(will(1).contains("BobPatience"), "{}", will(1));
}

/// The schedd follows what listed attributes refer to: whoever writes `A1 = A0 + A0`, ... would keep
/// the answer from all.
#[test]
fn attributes_are_listed_only_where_jobs_of_one_s_own_or_of_a_cluster_are_meant() {
    for (words, lists) in [("-allusers", false), ("bob", false), ("", true), ("7", true)] {
        let place = Place::new();
        queue_of(&place, &ad(7, 0, "PeriodicRelease = MyTries < 3").replace("alice", "bob"));
        let said = place.advise(&format!("{words} -now {NOW} -af:j Owner"));
        assert_eq!((said.status, said.stdout.as_str()), (0, "7.0 bob\n"), "{said:?}");
        let calls = fs::read_to_string(place.path("calls")).unwrap();
        let asked: Vec<&str> = calls.lines().filter(|call| call.contains("-long")).collect();
        let all = asked.iter().all(|call| call.contains("-attributes") == lists);
        assert!(all && asked.len() == 1 + usize::from(lists), "{words}: {calls}");
    }
}

#[test]
fn counts_leave_out_codes_that_are_no_numbers() {
    let place = Place::new();
    queue_of(&place, &ad(7, 0, ""));
    place.advise("");
    let calls = fs::read_to_string(place.path("calls")).unwrap();
    let counts = calls.lines().find(|call| call.contains("-af")).expect("counts are asked for");
    for code in ["HoldReasonCode", "HoldReasonSubCode"] {
        let number = format!("regexp(\"^-?[0-9]*$\", unparse({code}))");
        assert!(counts.contains(&number), "{counts}");
    }
}
