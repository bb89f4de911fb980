//! What jobs should ask for, by what like jobs used.

use serde_json::{Value, json};

use crate::harness::Place;

/// 2026-03-08 14:00:00 UTC.
const NOW: &str = "1772978400";

/// Jobs of cluster 7 that ran for an hour with so many MiB at their peak, and 20 MiB of disk.
fn log(peaks: &[i64]) -> String {
    let job = |(proc, peak): (usize, &i64)| {
        let id = format!("(007.{proc:03}.000) 2026-03-08");
        format!(
            "000 {id} 09:59:00 Job submitted from host: <10.0.0.1:9618>\n...\n\
             001 {id} 10:00:00 Job executing on host: <10.0.0.1:9618>\n...\n\
             005 {id} 11:00:00 Job terminated.\n\t(1) Normal termination (return value 0)\n\
             \tPartitionable Resources :    Usage  Request Allocated\n\
             \t   Disk (KB)            :    20480   102400    102400\n\
             \t   Memory (MB)          : {peak:>8}     4096      4096\n...\n"
        )
    };
    peaks.iter().enumerate().map(job).collect()
}

/// A job of cluster 7 in the queue.
fn queued(proc: i32, more: &str) -> String {
    format!(
        "ClusterId = 7\nProcId = {proc}\nOwner = \"alice\"\nUser = \"alice@ap\"\nJobStatus = 1\nJobUniverse = 5\n\
         QDate = 1772960000\nEnteredCurrentStatus = 1772960000\nCmd = \"/home/alice/run.sh\"\n\
         Requirements = true\nRequestDisk = DiskUsage\n{more}\n\n"
    )
}

fn place() -> Place {
    let place = Place::new();
    let peaks: Vec<i64> = std::iter::repeat_n(480, 28).chain([2900, 3000]).collect();
    place.file("job.log", log(&peaks));
    let ran = |proc: usize| {
        let job = queued(i32::try_from(proc).unwrap(), "ExitCode = 0\nExitBySignal = false");
        let banner = "*** EPOCH ClusterId=7 ProcId={} RunInstanceId=1 Owner=\"alice\" CurrentTime=1772967600\n";
        job.trim_end().replace("JobStatus = 1", "JobStatus = 2")
            + "\n"
            + &banner.replace("{}", &proc.to_string())
    };
    place.file("epochs.ads", (0..peaks.len()).map(ran).collect::<String>());
    let ads = [
        queued(40, "RequestMemory = 4096\nNumJobStarts = 0"),
        queued(41, "RequestMemory = 4096\nNumJobStarts = 0"),
        // It was started before.
        queued(42, "RequestMemory = 4096\nNumJobStarts = 2"),
        // Its owner asks for more than for the others.
        queued(46, "RequestMemory = 16384\nNumJobStarts = 0"),
        queued(43, "RequestMemory = 1024\nNumJobStarts = 2"),
        // They look after themselves.
        queued(44, "RequestMemory = ifThenElse(isUndefined(MemoryUsage), 512, 2 * MemoryUsage)"),
        queued(45, "RequestMemory = 512\nRetryRequestMemory = 9000"),
    ];
    place.file("jobs.ads", ads.concat());
    place
}

const WORDS: &str = "-jobads jobs.ads -userlog job.log -epochs epochs.ads -workflow 7";

#[test]
fn idle_jobs_and_those_to_come_ask_for_what_like_jobs_used() {
    let place = place();
    let said = place.advise(&format!("{WORDS} -now {NOW}"));
    assert_eq!(said.status, 0, "{said:?}");
    insta::assert_snapshot!(said.stdout);
    // A job that runs something else is left alone, and so are all where nobody knows what ran.
    let other = queued(47, "RequestMemory = 4096\nNumJobStarts = 0").replace("run.sh", "big.sh");
    let ads = std::fs::read_to_string(place.path("jobs.ads")).unwrap();
    place.file("two.ads", ads + &other);
    let same = place.advise(&format!("{WORDS} -now {NOW}").replace("jobs.ads", "two.ads"));
    assert_eq!(same.stdout, said.stdout);
    let words = WORDS.replace("-epochs epochs.ads ", "");
    let said = place.advise(&format!("{words} -now {NOW}"));
    assert!(said.stdout.contains("request_memory = 3456"), "{said:?}");
    assert!(!said.stdout.contains("condor_qedit"), "{said:?}");
    // Where HTCondor runs a job again that needs more, most ask for little.
    place.tool("condor_config_val", "echo 'CONDOR_VERSION = 25.2.1'");
    let said = place.advise(&format!("{WORDS} -now {NOW}"));
    insta::assert_snapshot!("retried", said.stdout);
    let json = place.advise(&format!("{WORDS} -now {NOW} -json"));
    let view: Value = serde_json::from_str(&json.stdout).unwrap();
    let size = &view["Sizes"][0]["Sizes"][0];
    assert_eq!((&size["Resource"], &size["Allocation"]["First"]), (&json!("Memory"), &json!(640)));
    assert_eq!(size["Allocation"]["Retried"], 2);
}

#[test]
fn the_page_has_the_sizes() {
    let place = place();
    let said = place.advise(&format!("{WORDS} -now {NOW} -html page.html"));
    assert_eq!(said.status, 0, "{said:?}");
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("Ask for 3456 MiB of memory."), "{page}");
    assert!(page.contains("request_memory = 3456 MB"), "{page}");
}

#[test]
fn a_held_job_asks_for_what_those_needed_that_needed_more() {
    let place = Place::new();
    let peaks: Vec<i64> =
        std::iter::repeat_n(480, 28).chain(std::iter::repeat_n(2000, 60)).chain([40_000]).collect();
    place.file("job.log", log(&peaks));
    let held = "JobStatus = 5\nHoldReasonCode = 34\nHoldReasonSubCode = 102\nNumHolds = 1\nNumJobStarts = 1\n\
                HoldReason = \"Job has gone over cgroup memory limit of 1024 megabytes. Last measured usage: 1020 \
                megabytes.\"\nRequestMemory = 1024\nMemoryProvisioned = 1024\nMemoryUsage = 1020";
    place.file("jobs.ads", queued(150, held).replacen("JobStatus = 1\n", "", 1));
    let said = place.advise(&format!("-jobads jobs.ads -userlog job.log -now {NOW}"));
    assert_eq!(said.status, 0, "{said:?}");
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn a_request_that_was_raised_since_is_not_raised_again() {
    let place = Place::new();
    let reason = "Job has gone over cgroup memory limit of 1024 megabytes. Last measured usage: 1020 megabytes.";
    let held = |request: &str| {
        let more = format!(
            "JobStatus = 5\nHoldReasonCode = 34\nHoldReasonSubCode = 102\nNumHolds = 1\nNumJobStarts = 1\n\
             HoldReason = \"{reason}\"\nMemoryProvisioned = 1024\nMemoryUsage = 1020\nRequestMemory = {request}"
        );
        place.file("jobs.ads", queued(50, &more).replacen("JobStatus = 1\n", "", 1));
        let said = place.advise(&format!("-jobads jobs.ads -now {NOW} -json"));
        assert_eq!(said.status, 0, "{said:?}");
        let all: Value = serde_json::from_str(&said.stdout).unwrap();
        all[0].clone()
    };
    let as_is = |advice: &Value| advice["Success"]["as-is"].as_f64().unwrap();
    let low = held("1024");
    assert_eq!(low["Change"]["Kind"], "Request", "{low}");
    for request in ["1536", "ifThenElse(isUndefined(MemoryUsage), 512, 2 * MemoryUsage)"] {
        let raised = held(request);
        assert!(
            as_is(&raised) > as_is(&low) + 0.3,
            "{request}: {} {}",
            raised["Success"],
            low["Success"]
        );
        assert!(!raised.to_string().contains("qedit"), "{raised}");
        assert!(raised["Success"]["memory"].is_null(), "{raised}");
    }
}
