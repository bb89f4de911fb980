//! Limits, and what like jobs show about them; edits that the slots of a pool can satisfy.

use serde_json::{Value, json};

use crate::harness::Place;

/// The moment asked at: 2026-03-08 12:00:00 UTC.
const NOW: &str = "1772971200";

/// When job 5.0 began its last run, and was held after 21 s: 11:00:00 on that day.
const BEGAN: i64 = 1_772_967_600;

/// Jobs 5.1 to 5.12 finish after `took` seconds and with this much memory, MiB; 5.13 was held as 5.0
/// is, released, and finished; 5.0 is held.
fn log(took: i64, memory: i64, code: &str) -> String {
    let event = |number: &str, proc: usize, second: i64, says: &str| {
        let (minute, second) = (second / 60, second % 60);
        format!("{number} (005.{proc:03}.000) 2026-03-08 10:{minute:02}:{second:02} {says}\n...\n")
    };
    let runs = |proc, at| event("001", proc, at, "Job executing on host: <10.0.0.1:9618>");
    let ends = |proc, at| {
        let table = format!(
            "\tPartitionable Resources :    Usage  Request Allocated\n\t   Memory (MB)          : {memory:>8}     9000      9000"
        );
        let says = "Job terminated.\n\t(1) Normal termination (return value 0)\n";
        event("005", proc, at, &format!("{says}{table}"))
    };
    let held = |proc, at| event("012", proc, at, &format!("Job was held.\n\ttoo much\n\t{code}"));
    let mut text = String::new();
    for proc in 0..14 {
        text.push_str(&event("000", proc, 0, "Job submitted from host: <10.0.0.1:9618>"));
    }
    for proc in 1..13 {
        text.push_str(&(runs(proc, 60) + &ends(proc, 60 + took)));
    }
    text.push_str(&(runs(13, 60) + &held(13, 81)));
    text.push_str(&event("013", 13, 90, "Job was released.\n\tvia condor_release (by user alice)"));
    text.push_str(&(runs(13, 100) + &ends(13, 100 + took)));
    // 11:00:00 and 11:00:21.
    let late = |text: String| text.replace("2026-03-08 10:", "2026-03-08 11:");
    text + &late(runs(0, 0) + &held(0, 21))
}

/// Job 5.0, held for `code` and `subcode`, with more lines.
fn ad(code: i32, subcode: i32, reason: &str, more: &str) -> String {
    format!(
        "ClusterId = 5\nProcId = 0\nOwner = \"alice\"\nJobStatus = 5\nJobUniverse = 5\nNumHolds = 1\n\
         NumJobStarts = 1\nCmd = \"/home/alice/run.sh\"\nJobCurrentStartDate = {BEGAN}\n\
         EnteredCurrentStatus = {}\nHoldReasonCode = {code}\nHoldReasonSubCode = {subcode}\n\
         HoldReason = \"{reason}\"\n{more}\n",
        BEGAN + 21
    )
}

const TOO_LONG: &str = "PeriodicHold = JobStatus == 2 && time() - JobCurrentStartDate > RunLimit\n\
                        RunLimit = 20";

fn advice(place: &Place, words: &str) -> Value {
    let said = place.advise(&format!("-jobads held.ads -now {NOW} -json {words}"));
    assert_eq!(said.status, 0, "{said:?}");
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    all[0].clone()
}

/// The advice for job 5.0 with this log and ad.
fn advised(log: &str, ad: &str) -> Value {
    let place = Place::new();
    place.file("job.log", log);
    place.file("held.ads", ad);
    advice(&place, "-userlog job.log")
}

/// What like jobs show about its limit.
fn limit(advice: &Value) -> &Value {
    let evidence = advice["Evidence"].as_array().expect("a list");
    evidence.iter().find(|seen| seen["Kind"] == "Limit").unwrap_or(&Value::Null)
}

#[test]
fn the_limit_of_a_run_that_hangs_is_not_raised() {
    for limit_now in ["20", "44", "96"] {
        let ad = ad(3, 46, "ran too long", &TOO_LONG.replace("20", limit_now));
        let ran: i64 = limit_now.parse::<i64>().unwrap() + 1;
        let ad = ad.replace(&(BEGAN + 21).to_string(), &(BEGAN + ran).to_string());
        let log = log(3, 100, "Code 3 Subcode 46");
        let log = log.replace("11:00:21", &format!("11:{:02}:{:02}", ran / 60, ran % 60));
        let job = advised(&log, &ad);
        let seen = limit(&job);
        assert_eq!((&seen["Finding"], &seen["Finished"]), (&json!("Hung"), &json!(13)), "{job}");
        let sentence = format!(
            "13 other jobs of this cluster finished in 3 s; this run was still going after {ran} s. It seems stuck: a \
             higher limit would only let it hang for longer. Look at what it waits for. Of 1 run that ended in such \
             a hold and began again after a release, 1 finished."
        );
        assert_eq!(seen["Sentence"], sentence);
        assert_ne!(job["Recommendation"], "change", "{job}");
        assert!(!job["Commands"].to_string().contains("qedit"), "{job}");
        assert!(job["Success"]["other"].is_null(), "{job}");
    }
}

#[test]
fn the_output_of_a_run_that_hangs_is_looked_at_where_it_is_there() {
    let log = log(3, 100, "Code 3 Subcode 46");
    let look = |more: &str| {
        let more = format!("{TOO_LONG}\nIwd = \"/home/alice\"\nErr = \"run.err\"\n{more}");
        let place = Place::new();
        place.file("job.log", &log);
        place.file("held.ads", ad(3, 46, "ran too long", &more));
        // A failed release is dear, so that none pays.
        advice(&place, "-userlog job.log -cost failed=200")
    };
    for more in ["StreamErr = true", "ShouldTransferFiles = \"NO\""] {
        let job = look(more);
        assert_eq!(job["Recommendation"], "look", "{more}: {job}");
        assert_eq!(job["Look"]["Path"], "/home/alice/run.err", "{more}: {job}");
    }
    // HTCondor fetches none of a run that a limit ended.
    let job = look("ShouldTransferFiles = \"YES\"");
    assert_eq!(job["Look"], Value::Null, "{job}");
}

#[test]
fn a_limit_that_is_too_low_is_raised_to_what_like_jobs_need() {
    let ad = ad(3, 46, "ran too long", TOO_LONG);
    let job = advised(&log(19, 100, "Code 3 Subcode 46"), &ad);
    assert_eq!(limit(&job)["Finding"], "TooLow", "{job}");
    assert_eq!(job["Recommendation"], "change");
    assert_eq!(job["Change"]["Raise"]["To"], 32.0, "{job}");
    let sentence = job["Change"]["Sentence"].as_str().unwrap();
    assert!(sentence.starts_with("Raise RunLimit from 20 to 32, "), "{sentence}");
    assert!(sentence.contains("Like jobs that finished took up to 19."), "{sentence}");
    assert!(job["Commands"][0].as_str().unwrap().ends_with(" RunLimit 32"), "{job}");
}

#[test]
fn the_code_of_an_allowed_duration_tells_a_hang_without_an_ad() {
    let place = Place::new();
    place.file("job.log", log(3, 100, "Code 47 Subcode 0"));
    let said = place.advise(&format!("-userlog job.log -now {NOW} -json 5.0"));
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!(limit(&all[0])["Finding"], "Hung", "{}", all[0]);
    assert_ne!(all[0]["Recommendation"], "change");
}

const MEMORY: &str = "Error from slot1@e1: Job has gone over cgroup memory limit of 2304 megabytes. Last measured \
                      usage: 2300 megabytes.";

fn memory_ad() -> String {
    let more = "RequestMemory = 2304\nMemoryProvisioned = 2304\nMemoryUsage = 2300\nPeriodicRemove = false";
    ad(34, 102, MEMORY, more)
}

#[test]
fn a_request_follows_the_peaks_of_jobs_that_finished() {
    let job = advised(&log(3, 3100, "Code 34 Subcode 102"), &memory_ad());
    assert_eq!(limit(&job)["Finding"], "TooLow", "{job}");
    assert_eq!(job["Change"]["To"], 3456.0);
    assert_eq!(
        job["Change"]["Sentence"],
        "Raise RequestMemory to 3456 MiB (it used 2300 MiB, like jobs that finished used up to 3100 MiB)."
    );
}

#[test]
fn a_leak_is_not_cured_by_another_raise() {
    let epoch = |used: i64, given: i64, at: i64| {
        format!(
            "ClusterId = 5\nProcId = 0\nOwner = \"alice\"\nEpochAdType = \"EPOCH\"\nEpochWriteDate = {at}\n\
             MemoryUsage = {used}\nMemoryProvisioned = {given}\n\n"
        )
    };
    let place = Place::new();
    let epochs = epoch(1020, 1024, BEGAN - 900) + &epoch(1530, 1536, BEGAN - 500);
    place.file("epochs.ads", epochs);
    place.file("held.ads", memory_ad());
    let job = advice(&place, "-epochs epochs.ads");
    let seen = limit(&job);
    assert_eq!((&seen["Finding"], &seen["Runs"]), (&json!("Leak"), &json!([1020, 1530, 2300])));
    assert!(job["Success"]["memory"].is_null(), "{job}");
    assert!(!job.to_string().contains("qedit"), "{job}");
    // After the first raise a second one is worth a try.
    place.file("epochs.ads", epoch(1530, 1536, BEGAN - 500));
    let job = advice(&place, "-epochs epochs.ads");
    assert_eq!(limit(&job), &Value::Null);
    assert!(job["Success"]["memory"].is_f64(), "{job}");
}

#[test]
fn raises_that_were_all_used_up_are_no_ground_for_another() {
    let runs = [(185, 26, 34), (471, 21, 102), (1069, 21, 102), (1833, 34, 0)];
    let reason = |code: i32, size: i64| match code {
        26 => format!("Job put on hold due to memory usage {size} MB, requested {size} MB"),
        21 => "Error from slot1_2@l1: memory usage exceeded request_memory".to_owned(),
        _ => format!(
            "Error from slot1_2@l1: Job has gone over cgroup memory limit of {size} megabytes."
        ),
    };
    let place = Place::new();
    // The epoch history of 23.9.6: its banners alone say which ads are of runs.
    let (mut log, mut epochs) = (String::new(), String::new());
    for (run, &(size, code, subcode)) in runs.iter().enumerate() {
        let time = ["10:57:21", "10:58:21", "10:59:21", "11:00:21"][run];
        let event = |number: &str, says: &str| {
            format!("{number} (005.000.000) 2026-03-08 {time} {says}\n...\n")
        };
        log += &event("001", "Job executing on host: <10.0.0.1:9618>");
        let held =
            format!("Job was held.\n\t{}\n\tCode {code} Subcode {subcode}", reason(code, size));
        log += &event("012", &held);
        if run < 3 {
            log += &event("013", "Job was released.\n\tvia condor_release (by user alice)");
        }
        let written = BEGAN + 21 - 60 * (3 - run as i64);
        let banner = |class: &str| {
            format!(
                "*** {class} ClusterId=5 ProcId=0 RunInstanceId={run} Owner=\"alice\" CurrentTime={written}\n"
            )
        };
        epochs += &format!(
            "ClusterID = 5\nProcID = 0\nEpochWriteDate = {written}\nNumShadowStarts = {run}\n\
             InputPluginResultList = {{ [ TransferSuccess = true ] }}\n{}\
             Machine = \"l1\"\nMemory = 128\nEpochWriteDate = {written}\n{}",
            banner("INPUT"),
            banner("STARTER"),
        );
        epochs += &format!(
            "ClusterId = 5\nProcId = 0\nOwner = \"alice\"\nMemoryUsage = {size}\nMemoryProvisioned = {size}\n\
             RequestMemory = {size}\n{}",
            banner("EPOCH")
        );
    }
    place.file("job.log", log);
    place.file("epochs.ads", epochs);
    let more = "RequestMemory = 1833\nMemoryProvisioned = 1833\nMemoryUsage = 1833\nPeriodicRemove = false";
    place.file("held.ads", ad(34, 0, &reason(34, 1833), more));
    for words in ["-userlog job.log -epochs epochs.ads", "-epochs epochs.ads"] {
        let job = advice(&place, words);
        let seen = limit(&job);
        let used = json!([185, 471, 1069, 1833]);
        assert_eq!((&seen["Finding"], &seen["Runs"]), (&json!("Leak"), &used), "{words}: {job}");
        assert!(job["Success"]["memory"].is_null(), "{words}: {job}");
        assert!(!job.to_string().contains("qedit"), "{words}: {job}");
        assert_ne!(job["Recommendation"], "change", "{words}: {job}");
    }
    // Like jobs that finished show what is needed: then the request is raised to that.
    let others = crate::limits::log(3, 3100, "Code 34 Subcode 0");
    let (others, _) = others.split_once("001 (005.000").expect("the run of job 5.0");
    let first = std::fs::read_to_string(place.path("job.log")).expect("a log");
    place.file("job.log", others.to_owned() + &first);
    let job = advice(&place, "-userlog job.log -epochs epochs.ads");
    assert_eq!(limit(&job)["Finding"], "TooLow", "{job}");
    assert_eq!(job["Change"]["To"], 3456.0, "{job}");
}

#[test]
fn input_that_finds_no_space_at_the_execution_point_met_a_full_disk() {
    let full = "Transfer input files failure at execution point slot1@e1.example.org while receiving files from \
                access point ap1. Details: writing to file /execute/dir_7/in.dat: (errno 28) No space left on device";
    let more = "RequestDisk = 100000\nDiskProvisioned = 100000\nLastRemoteHost = \"slot1@e1.example.org\"\n";
    let of = |usage: i64| advised("", &ad(13, 28, full, &format!("{more}DiskUsage = {usage}")));
    let host = of(4000);
    assert!(host["Success"]["disk"].is_null() && host["Success"]["site"].is_f64(), "{host}");
    let own = of(99_000);
    assert!(own["Success"]["disk"].is_f64(), "{own}");
}

#[test]
fn of_a_large_event_log_the_newest_part_is_read() {
    let place = Place::new();
    let earlier = |job: usize| {
        format!(
            "000 ({job}.000.000) 2026-03-08 09:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n"
        )
    };
    let earlier: String = (100..30_000).map(earlier).collect();
    place.file("EventLog", earlier + &log(10, 100, "Code 3 Subcode 0"));
    place.file("held.ads", ad(3, 0, "too much", TOO_LONG));
    let whole = advice(&place, "-eventlog EventLog");
    place.file(".condor/holdadvise/config", "HOLDADVISE_EVENT_LOG_MIB = 1\n");
    let part = advice(&place, "-eventlog EventLog");
    let line = "event log EventLog: its first 2 MiB and compressed files, its last 1 MiB are read \
                (HOLDADVISE_EVENT_LOG_MIB)";
    let lacks = |advice: &Value| advice["Missing"].as_array().unwrap().contains(&json!(line));
    assert!(!lacks(&whole) && lacks(&part), "{}", part["Missing"]);
    // What is read shows the hold.
    assert_eq!((&whole["EventLog"], &part["EventLog"]), (&json!("whole"), &json!("whole")));
    assert_eq!(whole["Evidence"], part["Evidence"]);
    // So of a job event log that is named.
    let line = line.replace(" and compressed files", "");
    let part = advice(&place, "-userlog EventLog");
    assert!(part["Missing"].as_array().unwrap().contains(&json!(line)), "{}", part["Missing"]);
    let alone = place.advise("-userlog EventLog -json");
    assert!(alone.stdout.contains(&line), "{}", alone.stdout);
    place.file(".condor/holdadvise/config", "HOLDADVISE_EVENT_LOG_MIB = much\n");
    let said = place.advise("-jobads held.ads -eventlog EventLog");
    said.is_error(&["HOLDADVISE_EVENT_LOG_MIB", "MiB, a whole number from 1 on"]);
}
