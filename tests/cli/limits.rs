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
    assert!(sentence.starts_with("Raise RunLimit of the job from 20 to 32 ("), "{sentence}");
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

/// Ads of earlier runs of job 5.0 that used all that they were given, MiB.
fn earlier_runs(given: &[i64]) -> String {
    let epoch = |(run, given): (i64, &i64)| {
        format!(
            "ClusterId = 5\nProcId = 0\nOwner = \"alice\"\nEpochAdType = \"EPOCH\"\nEpochWriteDate = {}\n\
             MemoryUsage = {}\nMemoryProvisioned = {given}\n\n",
            BEGAN - 900 + 100 * run,
            given - 4
        )
    };
    (0..).zip(given).map(epoch).collect()
}

#[test]
fn a_leak_is_seen_in_many_runs_or_beside_like_jobs_and_says_what_to_do() {
    let place = Place::new();
    place.file("held.ads", memory_ad() + "UserLog = \"/home/alice/job.log\"\n");
    let after = |given: &[i64], log: &str| {
        place.file("epochs.ads", earlier_runs(given));
        place.file("job.log", log);
        advice(&place, "-epochs epochs.ads -userlog job.log")
    };
    // After two raises that were used up the next one is to twice at least.
    for given in [&[1536][..], &[1024, 1536], &[512, 1024, 1536]] {
        let job = after(given, "");
        assert_eq!(limit(&job), &Value::Null, "{given:?}: {job}");
        assert_eq!(job["Recommendation"], "change", "{given:?}: {job}");
        assert_eq!(job["Change"]["To"], 4608.0, "{given:?}: {job}");
    }
    let job = after(&[256, 512, 1024, 1536], "");
    let seen = limit(&job);
    assert_eq!(
        (&seen["Finding"], &seen["Runs"]),
        (&json!("Leak"), &json!([252, 508, 1020, 1532, 2300]))
    );
    let sentence = seen["Sentence"].as_str().unwrap();
    for part in
        ["It leaks, or what it needs is not known", "costs another run", "as long as it runs"]
    {
        assert!(sentence.contains(part), "{sentence}");
    }
    assert!(job["Success"]["memory"].is_null() && !job.to_string().contains("qedit"), "{job}");
    assert_eq!(job["Recommendation"], "look", "{job}");
    assert_eq!(job["Look"]["Kind"], "Growth", "{job}");
    // Like jobs that finished with a fifth of it show a leak sooner, and what they used.
    let others = |memory: i64| {
        let log = log(3, memory, "Code 34 Subcode 102");
        log.split_once("001 (005.000").expect("the run of job 5.0").0.to_owned()
    };
    let job = after(&[1024, 1536], &others(400));
    assert_eq!(limit(&job)["Finding"], "Leak", "{job}");
    let sentence = limit(&job)["Sentence"].as_str().unwrap();
    let like = "13 other jobs of this cluster finished with 400 MiB of memory at their peak: compare its input";
    assert!(sentence.contains(like), "{sentence}");
    let job = after(&[1024, 1536], &others(500));
    assert_eq!(limit(&job)["Finding"], "Unknown", "{job}");
    assert_eq!(job["Change"]["To"], 4608.0, "{job}");
}

#[test]
fn a_raise_that_its_own_figures_contradict_is_none() {
    let machine = "slot1@full.example.org";
    let sent = format!(
        "Transfer output files failure at execution point {machine} while sending files to access point ap1. \
         Details: writing to file /execute/dir_7/_condor_stdout: (errno 28) No space left on device"
    );
    let policy = format!("Error from {machine}: the disk of this machine is full");
    let memory = format!("Error from {machine}: not enough memory left on this machine");
    let disk = |usage: i64| {
        format!("RequestDisk = 1048576\nDiskProvisioned = 1050000\nDiskUsage = {usage}")
    };
    let ram = |usage: i64| {
        format!("RequestMemory = 2048\nMemoryProvisioned = 2048\nMemoryUsage = {usage}")
    };
    for (code, subcode, reason, little, all) in [
        (12, 28, &sent, disk(63), disk(1_000_000)),
        (21, 104, &policy, disk(63), disk(1_060_000)),
        (34, 104, &policy, disk(63), disk(1_060_000)),
        (21, 102, &memory, ram(63), ram(2100)),
        (26, 102, &memory, ram(63), ram(2100)),
        (6, 12, &memory, ram(63), ram(2040)),
    ] {
        let of = |figures: &str| {
            let more = format!("LastRemoteHost = \"{machine}\"\nRequirements = true\n{figures}");
            let held = |proc: i32| {
                let ad = ad(code, subcode, reason, &more);
                ad.replace("ProcId = 0", &format!("ProcId = {proc}")) + "\n"
            };
            let place = Place::new();
            place.file("held.ads", (0..60).map(held).collect::<String>());
            advice(&place, "")
        };
        let (machine, own) = (of(&little), of(&all));
        let raise =
            |job: &Value| (!job["Success"]["memory"].is_null(), !job["Success"]["disk"].is_null());
        assert_eq!(raise(&machine), (false, false), "{code}/{subcode}: {machine}");
        assert!(!machine.to_string().contains("Request"), "{code}/{subcode}: {machine}");
        assert_ne!(raise(&own), (false, false), "{code}/{subcode}: {own}");
    }
}

#[test]
fn what_was_last_measured_before_the_limit_was_met_is_not_said_beside_a_raise() {
    let more =
        "RequestMemory = 2048\nMemoryProvisioned = 2304\nMemoryUsage = 12\nPeriodicRemove = false";
    let job = advised("", &ad(34, 102, MEMORY, more));
    assert_eq!(
        job["Change"]["Sentence"],
        "Raise RequestMemory to 4608 MiB (its hold names 2304 MiB)."
    );
}

#[test]
fn what_a_reason_names_is_believed_within_the_figures_of_the_ad() {
    let raised = |code, reason: &str, used| {
        let more = format!("RequestMemory = 2048\nMemoryProvisioned = 2048\nMemoryUsage = {used}");
        let advice = advised("", &ad(code, 102, reason, &more));
        let what = advice["Change"]["Sentence"].as_str().unwrap_or_default().to_owned();
        (what, advice["Commands"][0].as_str().unwrap_or_default().to_owned())
    };
    for reason in [
        "Job put on hold due to memory usage 9999999 MB, requested 2048 MB",
        "Job put on hold due to memory usage 20 TB, requested 2 GB",
        "memory usage above 2048 MB, see https://wiki.example.org/memory (64000 MB)",
    ] {
        for code in [26, 34] {
            let (what, command) = raised(code, reason, 2040);
            assert_eq!(what, "Raise RequestMemory to 4096 MiB (it used 2040 MiB).", "{reason}");
            assert!(command.ends_with(" RequestMemory 4096"), "{command}");
        }
    }
    // What was measured is from before the peak that the policy saw.
    let (what, command) = raised(26, "memory usage 3 GB, requested 2 GB", 210);
    assert_eq!(what, "Raise RequestMemory to 6144 MiB (its hold names 3072 MiB).");
    assert!(command.ends_with(" RequestMemory 6144"), "{command}");
    // An author's words about a policy show no raise since.
    let job = ad(26, 102, "memory usage above 10 MB", "RequestMemory = 2048");
    let advice = advised("", &job);
    assert_ne!(advice["Recommendation"], "release", "{advice}");
}

#[test]
fn a_job_whose_own_policy_refuses_another_run_waits_for_nothing() {
    let reason = "The job attribute PeriodicHold expression 'NumJobStarts >= 1 && JobStatus == 1' evaluated to TRUE";
    let log = format!(
        "000 (005.000.000) 2026-03-08 10:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n\
         001 (005.000.000) 2026-03-08 10:01:00 Job executing on host: <10.0.0.2:9618>\n...\n\
         007 (005.000.000) 2026-03-08 10:59:00 Shadow exception!\n\tlost\n...\n\
         012 (005.000.000) 2026-03-08 11:00:21 Job was held.\n\t{reason}\n\tCode 3 Subcode 0\n...\n"
    );
    let place = Place::new();
    place.file("job.log", &log);
    let more = "PeriodicHold = NumJobStarts >= 1 && JobStatus == 1";
    place.file("held.ads", ad(3, 0, reason, more));
    // Where HTCondor lets it run twice there is something to wait for.
    let other = log.replace("NumJobStarts >= 1", "NumJobStarts >= 2");
    place.file("other.log", other);
    let of = |words: &str| {
        let said = place.advise(&format!("{words} -now {NOW} -json"));
        let all: Value = serde_json::from_str(&said.stdout).expect("an array");
        let waits = all[0]["Decision"]["Choices"].as_array().expect("a list").iter();
        let wait = waits.clone().find(|choice| choice["Choice"] == "wait").expect("a choice");
        (all[0]["Recommendation"].clone(), wait["Hours"].clone())
    };
    for words in ["-userlog job.log 5.0", "-jobads held.ads", "-jobads held.ads -userlog job.log"] {
        let (said, hours) = of(words);
        assert!(said != "wait" && said != "try", "{words}: {said}");
        assert_eq!(hours, Value::Null, "{words}");
    }
    assert_ne!(of("-userlog other.log 5.0").1, Value::Null);
}

#[test]
fn the_hours_of_a_run_that_writes_checkpoints_are_not_lost_with_it() {
    let run = "RemoteWallClockTime = 72000\nCumulativeSlotTime = 72000\nJobRunCount = 1\nAllowedExecuteDuration = 20";
    let of = |more: &str| advised("", &ad(47, 0, "execute duration", &format!("{run}\n{more}")));
    let failed = |job: &Value| job["Costs"]["Failed"].as_f64().expect("hours");
    let (lost, kept) = (of(""), of("CheckpointExitCode = 85"));
    assert!(failed(&lost) > 27.0 && failed(&kept) < 9.0, "{} {}", lost["Costs"], kept["Costs"]);
}

#[test]
fn raises_that_were_all_used_up_are_no_ground_for_another() {
    let runs = [(90, 26, 34), (185, 26, 34), (471, 21, 102), (1069, 21, 102), (1833, 34, 0)];
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
        let time = ["10:56:21", "10:57:21", "10:58:21", "10:59:21", "11:00:21"][run];
        let event = |number: &str, says: &str| {
            format!("{number} (005.000.000) 2026-03-08 {time} {says}\n...\n")
        };
        log += &event("001", "Job executing on host: <10.0.0.1:9618>");
        let held =
            format!("Job was held.\n\t{}\n\tCode {code} Subcode {subcode}", reason(code, size));
        log += &event("012", &held);
        if run < 4 {
            log += &event("013", "Job was released.\n\tvia condor_release (by user alice)");
        }
        let written = BEGAN + 21 - 60 * (4 - run as i64);
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
        let used = json!([90, 185, 471, 1069, 1833]);
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
