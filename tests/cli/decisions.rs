//! Costs, abstention and reasons, as the program's user sees them.

use serde_json::{Value, json};

use crate::harness::{Place, ad};

/// The moment asked at: 2026-03-08 12:00:00 UTC.
const NOW: &str = "1772971200";

/// Job 5.0: held for `code` after a run of 20 hours; 5.1 and 5.2 were released from the same hold
/// days before, and one finished.
fn log(code: &str) -> String {
    let hold = |proc: usize, time: &str| {
        format!(
            "012 (005.{proc:03}.000) 2026-03-{time} Job was held.\n\tThe run failed on slot1@e{proc}.example.org\n\tCode {code} Subcode 0\n...\n"
        )
    };
    let run = |proc: usize, time: &str| {
        format!(
            "001 (005.{proc:03}.000) 2026-03-{time} Job executing on host: <10.0.0.{proc}:9618>\n...\n"
        )
    };
    let released = |proc: usize, time: &str| {
        format!(
            "013 (005.{proc:03}.000) 2026-03-{time} Job was released.\n\tvia condor_release (by user alice)\n...\n"
        )
    };
    let mut text = String::new();
    for proc in 0..3 {
        text.push_str(&format!(
            "000 (005.{proc:03}.000) 2026-03-01 09:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n"
        ));
    }
    for proc in [1, 2] {
        text.push_str(&run(proc, "01 09:30:00"));
        text.push_str(&hold(proc, "01 09:40:00"));
        text.push_str(&released(proc, "01 09:50:00"));
        text.push_str(&run(proc, "01 10:00:00"));
    }
    text.push_str("005 (005.001.000) 2026-03-02 12:00:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n");
    text.push_str("005 (005.002.000) 2026-03-03 12:00:00 Job terminated.\n\t(1) Normal termination (return value 1)\n...\n");
    text.push_str(&run(0, "07 12:00:00"));
    text.push_str(&hold(0, "08 08:00:00"));
    text
}

fn told(place: &Place, words: &str) -> Value {
    let said = place.advise(&format!("-userlog job.log -now {NOW} -json {words}"));
    assert_eq!(said.status, 0, "{said:?}");
    let all: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!(all.len(), 1);
    all.into_iter().next().expect("one")
}

fn place(code: &str) -> Place {
    let place = Place::new();
    place.file("job.log", log(code));
    place
}

#[test]
fn the_hours_of_a_run_weigh() {
    let job = told(&place("6"), "5.0");
    assert_eq!(
        job["Costs"],
        json!({"Failed": 28.0, "Delay": 8.0, "Keep": 0.89, "Work": 28.0, "Person": 1.0})
    );
    let evidence = job["Evidence"].to_string();
    let run =
        "Each of its runs takes 20 slot hours until it is held; a failed release wastes that much.";
    assert!(evidence.contains(run), "{evidence}");
    let costs = &job["ExpectedCosts"];
    let p = job["Success"]["as-is"].as_f64().expect("a probability");
    let release = costs["release"].as_f64().expect("hours");
    assert!((release - (1.0 - p) * (28.0 + 8.0 / 9.0)).abs() < 0.02, "{costs} {p}");
    assert!(costs["hold"].is_f64() && costs["remove"].is_f64());
}

#[test]
fn like_holds_are_counted_and_dated() {
    let job = told(&place("6"), "5.0");
    let evidence = job["Evidence"].to_string();
    let counts = "All releases from code 6/0 without a known edit so far: 1 of 2 succeeded among jobs of this cluster; \
                  the first 5 days ago.";
    assert!(evidence.contains(counts), "{evidence}");
}

#[test]
fn options_win_over_settings_and_settings_over_the_model() {
    let place = place("6");
    place.file(
        ".condor/holdadvise/config",
        "HOLDADVISE_COST_DELAY_HOURS = 24\nHOLDADVISE_COST_KEEP_HOURS = 2\nHOLDADVISE_COST_WORK_HOURS = 8\n",
    );
    let job = told(&place, "-cost failed=0 -cost keep=1.5 5.0");
    assert_eq!(
        job["Costs"],
        json!({"Failed": 20.0, "Delay": 24.0, "Keep": 1.5, "Work": 28.0, "Person": 1.0})
    );
    place.advise("-cost failed=-1").is_error(&["-cost", "\"failed=-1\"", "HOURS"]);
    place.advise("-cost").is_error(&["-cost requires another parameter: name=hours"]);
}

#[test]
fn a_code_that_the_model_does_not_know_is_undecided() {
    let place = place("37");
    let job = told(&place, "5.0");
    assert_eq!(job["Recommendation"], "undecided");
    assert_eq!(
        job["Undecided"],
        json!({
            "Kind": "UnknownCode",
            "Releases": 0,
            "Sentence": "The model has seen no release after code 37; it needs 30 to know one.",
        })
    );
    assert_eq!(
        (&job["Band"], &job["ExpectedCosts"], &job["Inputs"]),
        (&json!("not known"), &Value::Null, &json!([]))
    );
    let said = place.advise(&format!("-userlog job.log -now {NOW} 5.0"));
    assert!(said.stdout.contains("  UNDECIDED  The model has seen no release"), "{said:?}");
    assert!(!said.stdout.contains("What counts:"), "{said:?}");
    let table = place.advise(&format!("-userlog job.log -now {NOW} -nobatch"));
    assert!(table.stdout.contains("not known undecided"), "{table:?}");
}

#[test]
fn what_counts_is_said_of_a_job_alone() {
    let place = place("6");
    let alone = place.advise(&format!("-userlog job.log -now {NOW} -why"));
    assert!(alone.stdout.contains("\nWhat counts:   "), "{alone:?}");
    let mut two = log("6");
    two.push_str("012 (005.003.000) 2026-03-08 09:00:00 Job was held.\n\tThe run failed\n\tCode 6 Subcode 0\n...\n");
    place.file("job.log", two);
    let groups = place.advise(&format!("-userlog job.log -now {NOW} -why"));
    assert!(!groups.stdout.contains("What counts"), "{groups:?}");
    for (words, wanted) in
        [("-af Band", false), ("-af ProcId inputs", true), ("-format %V Inputs", true)]
    {
        let said = place.advise(&format!("-userlog job.log -now {NOW} {words}"));
        assert_eq!(said.stdout.contains("Change ="), wanted, "{words}: {said:?}");
    }
    let named = place.advise(&format!("-userlog job.log -now {NOW} 5.0 -why"));
    assert!(named.stdout.contains("\nWhat counts:   "), "{named:?}");
}

/// Four jobs of a cluster that could not fetch from one server: 9.0 to 9.2 before a job of another
/// cluster got its input from there, 9.3 after that. 9.1 was released in between and failed; it has
/// an own history.
fn outage() -> String {
    let event = |number: &str, job: &str, time: &str, text: &str| {
        format!("{number} ({job}.000) 2026-03-08 {time} {text}\n...\n")
    };
    let submitted =
        |job: &str| event("000", job, "10:00:00", "Job submitted from host: <10.0.0.1:9618>");
    let held = |job: &str, time: &str| {
        let reason = "Transfer input files failure at execution point slot1@e1 using protocol http. Details: Failed to \
                      connect to data.example port 80: Connection refused ( URL file = http://data.example/x )|";
        event("012", job, time, &format!("Job was held.\n\t{reason}\n\tCode 13 Subcode 256"))
    };
    let released = "Job was released.\n\tvia condor_release (by user alice)";
    let jobs = ["009.000", "009.001", "009.002", "009.003", "010.000"];
    let mut text: String = jobs.iter().map(|job| submitted(job)).collect();
    text.push_str(&held("009.000", "10:30:00"));
    text.push_str(&held("009.001", "10:31:00"));
    text.push_str(&held("010.000", "10:32:00"));
    text.push_str(&event("013", "009.001", "10:40:00", released));
    text.push_str(&held("009.001", "10:41:00"));
    text.push_str(&held("009.002", "11:20:00"));
    text.push_str(&event("013", "010.000", "11:25:00", released));
    text.push_str(&event("001", "010.000", "11:26:00", "Job executing on host: <10.0.0.9:9618>"));
    text.push_str(&held("009.003", "11:50:00"));
    text
}

#[test]
fn holds_that_share_a_cause_are_one_question() {
    let place = Place::new();
    place.file("job.log", outage());
    let ask = |words: &str| -> Vec<Value> {
        let said = place.advise(&format!("-userlog job.log -now {NOW} -json {words}"));
        assert_eq!(said.status, 0, "{said:?}");
        serde_json::from_str(&said.stdout).expect("an array")
    };
    let all = ask("9");
    let of = |proc: usize| (&all[proc]["Success"], &all[proc]["Recommendation"]);
    assert_eq!(of(0), of(2), "nothing but the time on hold tells them apart");
    assert_ne!(of(0).0, of(1).0, "a failed release of its own");
    assert_ne!(of(0).0, of(3).0, "held after another job got through");
    for (proc, of_all) in all.iter().enumerate() {
        let alone = &ask(&format!("9.{proc}"))[0];
        for name in ["Success", "Recommendation", "Evidence", "Commands", "ExpectedCosts"] {
            assert_eq!(alone[name], of_all[name], "9.{proc}: {name}");
        }
    }
}

#[test]
fn holds_that_only_ads_show_are_one_question_too() {
    let place = Place::new();
    let ad = |proc: usize, held_at: i64, starts: usize| {
        format!(
            "ClusterId = 9\nProcId = {proc}\nOwner = \"alice\"\nJobStatus = 5\nNumHolds = 1\n\
             EnteredCurrentStatus = {held_at}\nNumJobStarts = {starts}\nHoldReasonCode = 13\n\
             HoldReasonSubCode = 256\nHoldReason = \"Transfer input files failure at execution \
             point slot1@e{proc}\"\n\n"
        )
    };
    let now: i64 = NOW.parse().expect("a number");
    let ads = [ad(0, now - 9_000, 0), ad(1, now - 600, 0), ad(2, now - 600, 1)];
    place.file("held.ads", ads.concat());
    let said = place.advise(&format!("-jobads held.ads -now {NOW} -json"));
    assert_eq!(said.status, 0, "{said:?}");
    let all: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
    let success = |proc: usize| &all[proc]["Success"];
    assert_eq!(success(0), success(1), "nothing but the time on hold tells them apart");
    assert_ne!(success(0), success(2), "it began to execute");
}

/// Six jobs of cluster 7 that were held at once, so many of them on one machine, and thirty that
/// finished on another one meanwhile.
fn bad_machine(on_bad: usize) -> String {
    let event = |number: &str, job: &str, time: &str, text: &str| {
        format!("{number} ({job}.000) 2026-03-08 {time} {text}\n...\n")
    };
    let mut text = String::new();
    for proc in 0..6 {
        let job = format!("007.{proc:03}");
        let host = if proc < on_bad { "bad" } else { "good" };
        text += &event("000", &job, "10:00:00", "Job submitted from host: <10.0.0.1:9618>");
        let slot = format!(
            "Job executing on host: <10.0.0.7:9618?alias={host}.example.org>\n\tSlotName: slot1@{host}.example.org"
        );
        text += &event("001", &job, &format!("10:1{proc}:00"), &slot);
        let hold = "Job was held.\n\tThe job exited with 1\n\tCode 3 Subcode 1";
        text += &event("012", &job, &format!("10:1{proc}:30"), hold);
    }
    for proc in 0..30 {
        let job = format!("007.{:03}", 100 + proc);
        text += &event("000", &job, "10:00:00", "Job submitted from host: <10.0.0.1:9618>");
        let slot = "Job executing on host: <10.0.0.8:9618?alias=good.example.org>\n\tSlotName: slot1@good.example.org";
        text += &event("001", &job, "10:05:00", slot);
        let exit = "Job terminated.\n\t(1) Normal termination (return value 0)";
        text += &event("005", &job, "11:00:00", exit);
    }
    text
}

#[test]
fn the_machine_where_held_jobs_ran_is_named_against_the_base_rate() {
    let place = Place::new();
    let said = |on_bad: usize| -> Option<String> {
        place.file("job.log", bad_machine(on_bad));
        let said = place.advise(&format!("-userlog job.log -now {NOW} -json 7.0"));
        let all: Value = serde_json::from_str(&said.stdout).expect("an array");
        let evidence = all[0]["Evidence"].as_array().expect("a list");
        let found = evidence.iter().find(|seen| seen["Kind"] == "Place");
        found.map(|seen| seen["Sentence"].as_str().expect("a sentence").to_owned())
    };
    assert_eq!(
        said(6).as_deref(),
        Some(
            "At bad.example.org 6 jobs of this cluster failed so within a day and 0 got through; \
             elsewhere 0 failed so and 30 got through."
        )
    );
    assert!(said(5).is_some_and(|said| said.starts_with("At bad.example.org 5 jobs")));
    // Where most got through the machine is not at fault.
    assert_eq!(said(0), None);
}

#[test]
fn a_job_that_was_at_the_bad_machine_may_be_kept_off_it() {
    let place = Place::new();
    let success = |host: &str, on_bad: usize| -> Value {
        place.file("job.log", bad_machine(on_bad));
        let more = format!(
            "HoldReasonCode = 3\nHoldReasonSubCode = 1\nHoldReason = \"The job exited with 1\"\n\
             EnteredCurrentStatus = 1772964630\nRequirements = true\n\
             LastRemoteHost = \"slot1@{host}.example.org\"\n"
        );
        place.file("held.ads", ad(7, 0, &more));
        let words = format!("-jobads held.ads -userlog job.log -now {NOW} -json 7.0");
        let all: Value = serde_json::from_str(&place.advise(&words).stdout).expect("an array");
        all[0]["Success"]["site"].clone()
    };
    assert!(success("bad", 6).is_f64());
    assert!(success("good", 0).is_null(), "it was elsewhere");
}

/// A held job whose hold reason names a file of its input list, or one that is no longer in it.
#[test]
fn what_is_not_asked_for_any_more_was_corrected() {
    let place = Place::new();
    let with = |input: &str| format!("Iwd = \"/home/alice\"\nTransferInput = \"{input}\"\n");
    let banner = format!(
        "*** EPOCH ClusterId=9 ProcId=0 RunInstanceId=0 Owner=\"alice\" CurrentTime={}\n",
        NOW.parse::<i64>().expect("Unix seconds") - 60
    );
    // What an earlier ad of the job asked for.
    let advised_after = |before: &str, input: &str| -> Value {
        place.file("epochs", ad(9, 0, &with(before)).trim_end().to_owned() + "\n" + &banner);
        place.file("held.ads", ad(9, 0, &with(input)));
        let said = place.advise(&format!("-jobads held.ads -epochs epochs -now {NOW} -json"));
        let mut all: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
        all.remove(0)
    };
    let advised = |input: &str| advised_after("in.dat, b.dat", input);
    let corrected = |advice: &Value| {
        let evidence = advice["Evidence"].as_array().expect("a list");
        evidence.iter().any(|seen| seen["Kind"] == "Corrected")
    };
    let as_is = |advice: &Value| advice["Success"]["as-is"].as_f64().expect("a probability");
    let before = advised("in.dat, b.dat");
    assert!(!corrected(&before) && before["Recommendation"] == "change", "{before}");
    let since = advised("a.dat, b.dat");
    assert!(corrected(&since) && as_is(&since) > as_is(&before), "{since}");
    // A directory that is asked for may have the file.
    assert!(!corrected(&advised("/home/alice/, b.dat")));
    // A reason may name what the job never asked for: a redirect, a cache, a link.
    let never = advised_after("a.dat, b.dat", "a.dat, b.dat");
    assert!(!corrected(&never) && never["Recommendation"] != "release", "{never}");
}

#[test]
fn what_was_said_before_a_hold_without_a_reason_is_its_cause() {
    let place = Place::new();
    let log = |number: &str, said: &str, reason: &str| {
        format!(
            "000 (005.000.000) 2026-03-08 09:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n\
             001 (005.000.000) 2026-03-08 10:00:00 Job executing on host: <10.0.0.2:9618>\n...\n\
             {number} (005.000.000) 2026-03-08 10:00:30 {said}\n...\n\
             012 (005.000.000) 2026-03-08 10:01:00 Job was held.\n\t{reason}\n...\n"
        )
    };
    let exception = "Shadow exception!\n\tFailed to receive file from PELICAN: no space\n\t0  -  Run Bytes Sent By Job\n\t\
                     0  -  Run Bytes Received By Job";
    let error = "Error from starter on slot1@e1.example.org:\n\tcannot make a scratch directory";
    let said = |log: String| -> Option<String> {
        place.file("job.log", log);
        let evidence = &told(&place, "5.0")["Evidence"];
        let mut evidence = evidence.as_array().expect("a list").iter();
        let found = evidence.find(|seen| seen["Kind"] == "Message");
        found.map(|seen| seen["Sentence"].as_str().expect("a sentence").to_owned())
    };
    let begin = "30 seconds before this hold, which gives no reason, HTCondor said of the job:";
    let none = "Reason unspecified\n\tCode 0 Subcode 0";
    assert_eq!(
        said(log("007", exception, none)),
        Some(format!("{begin} \"Failed to receive file from PELICAN: no space\"."))
    );
    assert_eq!(
        said(log("021", error, none)),
        Some(format!("{begin} \"cannot make a scratch directory\"."))
    );
    let named = "Error from slot1@e1: no such executable\n\tCode 6 Subcode 2";
    assert_eq!(said(log("007", exception, named)), None, "the hold has a reason of its own");
}
