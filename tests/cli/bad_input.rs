//! Input that is absent, damaged or hostile: a clear message, no panic, and the rest is still used.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{HELD_LOG, NOW, Place, ad};

#[test]
fn files_that_are_not_there() {
    let place = Place::new();
    for option in ["-jobads", "-userlog", "-eventlog"] {
        let said = place.run(&[option, "absent"], "");
        said.is_error(&["cannot read ", "absent", "No such file"]);
    }
    let ads = place.file("held.ads", ad(7, 0, ""));
    let ads = ads.to_str().unwrap();
    place.run(&["-jobads", ads, "-epochs", "absent"], "").is_error(&["cannot read absent"]);
    place.run(&["-jobads", ads, "-model", "absent"], "").is_error(&["absent"]);
}

#[test]
fn files_that_may_not_be_read() {
    let place = Place::new();
    let path = place.file("closed", ad(7, 0, ""));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        println!("skipped: this user may read everything");
    } else {
        for option in ["-jobads", "-userlog", "-eventlog"] {
            place.run(&[option, "closed"], "").is_error(&["cannot read ", "closed", "denied"]);
        }
    }
    place.run(&["-jobads", "bin"], "").is_error(&["cannot read bin", "directory"]);
}

#[test]
fn a_file_that_was_named_and_is_none_ends_the_call() {
    let place = Place::new();
    place.file("job.log", HELD_LOG);
    place.file("held.ads", ad(1234, 0, ""));
    place.file("letter", "dear reader\n");
    place.file("empty", "");
    let both = ["-jobads", "held.ads", "-userlog", "job.log", "-now", NOW];
    for (option, file, expected) in [
        ("-eventlog", "absent", "No such file"),
        ("-eventlog", "letter", "is not a job event log"),
        ("-eventlog", "bin", "it is a directory, expected a regular file"),
        ("-userlog", "letter", "is not a job event log"),
        ("-epochs", "absent", "No such file"),
        ("-epochs", "letter", "expected what condor_history -epochs"),
        ("-epochs", "bin", "it is a directory"),
    ] {
        place.run(&[&both[..], &[option, file]].concat(), "").is_error(&[file, expected]);
    }
    let said = place.run(&[&both[..], &["-eventlog", "empty", "-epochs", "empty"]].concat(), "");
    assert_eq!(said.status, 0, "{said:?}");
    // One from the configuration may be missing.
    place.tool("condor_config_val", "echo 'EVENT_LOG = /absent/EventLog'");
    let said = place.run(&["-jobads", "held.ads", "-now", NOW, "-why"], "");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(said.stdout.matches("/absent/EventLog: No such file").count(), 1, "{said:?}");
}

#[test]
fn files_that_were_named_may_be_compressed() {
    let place = Place::new();
    let gzip = |name: &str, text: &str| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut out, text.as_bytes()).unwrap();
        place.file(name, out.finish().unwrap());
    };
    gzip("log", HELD_LOG);
    gzip("ads", &ad(1234, 0, ""));
    gzip("epochs", "");
    for (option, file) in [("-userlog", "log"), ("-eventlog", "log"), ("-jobads", "ads")] {
        let said =
            place.run(&[option, file, "-epochs", "epochs", "-now", NOW, "-af:j", "Owner"], "");
        assert!(said.status == 0 && said.stdout.starts_with("1234.0 "), "{option}: {said:?}");
    }
}

/// A pipe that nobody writes to, devices without an end and holes of many gigabytes, each named as
/// its log by an ad.
#[test]
fn what_an_ad_names_as_its_log_stops_nobody() {
    let place = Place::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path("pipe"), rustix::fs::Mode::RUSR).unwrap();
    std::fs::File::create(place.path("hole")).unwrap().set_len(10 << 30).unwrap();
    place.file("job.log", HELD_LOG);
    let folder = place.path("");
    let log = |cluster, name: &str, log: &str| {
        ad(cluster, 0, &format!("Iwd = \"{}\"\n{name} = \"{log}\"", folder.display())) + "\n"
    };
    let ads: String = [
        log(7, "UserLog", "pipe"),
        log(8, "UserLog", "/dev/zero"),
        log(9, "DAGManNodesLog", "bin"),
        log(10, "UserLog", "hole"),
        log(1234, "UserLog", "job.log"),
    ]
    .concat();
    let arguments = ["-jobads", "-", "-allusers", "-now", NOW, "-jsonl"];
    let said = place.run(&arguments, &ads);
    assert_eq!((said.status, said.stdout.lines().count()), (0, 5), "{said:?}");
    for line in [
        "pipe: it is a pipe (FIFO), expected a regular file",
        "/dev/zero: it is a device, expected a regular file",
        "bin: it is a directory, expected a regular file",
        "hole",
    ] {
        assert!(said.stdout.contains(line) || said.stderr.contains(line), "{line}: {said:?}");
    }
}

#[test]
fn of_a_large_log_that_an_ad_names_the_end_is_read() {
    let place = Place::new();
    let path = place.file("job.log", "");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(200 << 20).unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, HELD_LOG.as_bytes()).unwrap();
    let ads = ad(1234, 0, &format!("UserLog = \"{}\"", path.display()));
    let said = place.run(&["-jobads", "-", "-now", NOW, "-why"], &ads);
    assert_eq!(said.status, 0, "{said:?}");
    let said = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("the last 64 MiB are read"), "{said}");
}

#[test]
fn ads_may_come_through_a_pipe_that_was_named() {
    let place = Place::new();
    let pipe = place.path("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, ad(1234, 0, "")).unwrap()
    });
    let said = place.run(&["-jobads", "pipe", "-now", NOW, "-af:j", "Owner"], "");
    assert_eq!((said.status, said.stdout.as_str()), (0, "1234.0 alice\n"), "{said:?}");
    writer.join().unwrap();
}

#[test]
fn an_event_log_alone_asks_no_queue() {
    let place = Place::new();
    place.tool("condor_q", "echo asked > calls");
    let log = place.file("EventLog", HELD_LOG);
    let said = place.run(&["-eventlog", log.to_str().unwrap(), "-now", NOW, "-af:j", "Owner"], "");
    assert_eq!((said.status, said.stdout.as_str()), (0, "1234.0 undefined\n"), "{said:?}");
    assert!(!place.path("calls").exists());
    place.run(&["-eventlog", "absent"], "").is_error(&["absent", "No such file"]);
}

#[test]
fn binary_files() {
    let place = Place::new();
    let path = place.file("binary", b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe");
    let path = path.to_str().unwrap();
    place.run(&["-jobads", path], "").is_error(&["holds no ClassAds", "binary data"]);
    let said = place.run(&["-userlog", path, "-now", NOW], "");
    assert_eq!(said.status, 1, "{said:?}");
    place.run(&["-jobads", "-"], "dear reader\n").is_error(&["holds no ClassAds", "line 1"]);
}

#[test]
fn unbalanced_quotes_cost_one_attribute() {
    let place = Place::new();
    let damaged = ad(7, 0, "").replace("\"alice\"", "\"alice");
    let text = format!("{damaged}\n{}", ad(8, 0, ""));
    let said = place.run(&["-jobads", "-", "-now", NOW, "-af", "ClusterId", "Owner"], &text);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(said.stdout, "7 undefined\n8 alice\n");
    assert!(
        said.stderr.contains("line 4: Owner: the string that starts here has no closing"),
        "{said:?}"
    );
}

#[test]
fn jobs_that_are_not_held_or_not_there() {
    let place = Place::new();
    let running = ad(7, 1, "").replace("JobStatus = 5", "JobStatus = 2");
    let ads = place.file("jobs.ads", format!("{}\n{running}", ad(7, 0, "")));
    let ads = ads.to_str().unwrap();
    let ask = |id| place.run(&["-jobads", ads, "-now", NOW, "-af:j", "Owner", "-", id], "");
    ask("7.1").is_error(&["job 7.1 is not held, it is running", "none of the jobs named"]);
    ask("7.2").is_error(&["job 7.2 is not in DIR/jobs.ads"]);
    ask("9").is_error(&["no held job of cluster 9"]);
    ask("bob").is_error(&["no held job of owner bob"]);
    // Good and bad: advice for the good, the bad are named.
    let mixed = place.run(&["-jobads", ads, "-now", NOW, "-af:j", "Owner", "-", "7.0", "7.1"], "");
    assert_eq!((mixed.status, mixed.stdout.as_str()), (0, "7.0 alice\n"));
    assert_eq!(mixed.stderr, "Error: job 7.1 is not held, it is running\n");
}

#[test]
fn jobs_that_the_log_does_not_show_held() {
    let place = Place::new();
    let log = place.file("job.log", HELD_LOG);
    let log = log.to_str().unwrap();
    let ask = |id| place.run(&["-userlog", log, "-now", NOW, id], "");
    assert_eq!(ask("1234.0").status, 0);
    ask("1234.1").is_error(&["1234.1"]);
    let released = format!(
        "{HELD_LOG}013 (1234.000.000) 2026-03-01 10:01:00 Job was released.\n\tvia condor_release\n...\n"
    );
    place.file("job.log", released);
    ask("1234.0").is_error(&["1234.0", "not held"]);
    let said = place.run(&["-userlog", log, "-now", NOW], "");
    assert_eq!(
        (said.status, said.stdout.as_str()),
        (0, "No held jobs: the logs have 1 job, none on hold at their end.\n")
    );
}

#[test]
fn terminal_escapes_do_not_come_through() {
    let place = Place::new();
    let reason = "HoldReason = \"\u{1b}[2J\u{1b}]0;owned\u{7}gone \u{202e}txet \u{9b}31m\"";
    let text = ad(7, 0, "")
        .lines()
        .map(|line| if line.starts_with("HoldReason =") { reason } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    for output in [
        &[][..],
        &["-nobatch", "-wide"],
        &["-long"],
        &["-json"],
        &["-jsonl"],
        &["-af", "HoldReason"],
    ] {
        let said = place.run(&[&["-jobads", "-", "-now", NOW], output].concat(), &text);
        assert_eq!(said.status, 0, "{said:?}");
        let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!said.stdout.contains(harmful), "{output:?}: {said:?}");
        assert!(said.stdout.contains("u{202e}txet"), "{output:?}: {said:?}");
    }
}

#[test]
fn logs_cut_in_mid_event() {
    let place = Place::new();
    for cut in (0..HELD_LOG.len()).step_by(7) {
        let log = place.file("job.log", &HELD_LOG[..cut]);
        let said = place.run(&["-userlog", log.to_str().unwrap(), "-now", NOW], "");
        assert!(said.status == 0 || said.status == 1, "{said:?}");
        assert!(!said.stderr.contains("panicked"), "{said:?}");
    }
}

#[test]
fn a_hold_that_damage_may_hide_is_said_where_held_jobs_are_counted() {
    let place = Place::new();
    let log = |text: String| place.file("job.log", text);
    let ask = || place.advise(&format!("-userlog job.log -now {NOW}"));
    // The separator before the hold is lost.
    log(HELD_LOG.replacen("...\n012", "012", 1));
    let at = HELD_LOG.find("040 (").expect("an event");
    let line =
        format!("job.log: 1 damaged event, the first at byte {at}: holds there are not known");
    let said = ask();
    let none = format!("No held jobs: the logs have 1 job, none on hold at their end. {line}.\n");
    assert_eq!((said.status, said.stdout), (0, none));
    assert!(said.stderr.contains(&format!("job.log: byte {at}: expected a line `...`")));
    // So where others are held.
    let other = HELD_LOG.replace("1234", "1235");
    log(format!("{other}{}", HELD_LOG.replacen("...\n012", "012", 1)));
    let said = place.advise(&format!("-userlog job.log -now {NOW} -json"));
    let all: serde_json::Value = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!((all.as_array().map(Vec::len), &all[0]["ClusterId"]), (Some(1), &1235.into()));
    assert!(all[0]["Missing"].to_string().contains("holds there are not known"), "{all}");
    // A hold that is cut, and an event of another kind that is still being written.
    let (before, hold) = HELD_LOG.split_at(HELD_LOG.find("012 (").expect("a hold"));
    log(format!("{before}{}", &hold[..60]));
    assert!(ask().stdout.contains("holds there are not known"));
    log(format!("{before}006 (1234.000.000) 2026-03-01 10:00:00 Image size of job updated: 1\n"));
    assert!(!ask().stdout.contains("not known"));
}

#[test]
fn a_hold_reason_of_several_lines_keeps_its_code() {
    let place = Place::new();
    let (begin, end) = HELD_LOG.split_once(" Details: ").expect("a reason of two parts");
    place.file("job.log", format!("{begin}\n\tDetails: {end}"));
    let said = place.advise(&format!("-userlog job.log -now {NOW} -json"));
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    let all: serde_json::Value = serde_json::from_str(&said.stdout).expect("an array");
    let of = |name: &str| all[0][name].clone();
    assert_eq!((of("HoldReasonCode"), of("HoldReasonSubCode")), (13.into(), 2.into()), "{all}");
    let reason = of("HoldReason").to_string();
    assert!(reason.contains("execution point.|Details: reading from file"), "{reason}");
}

#[test]
fn files_where_jobs_are_expected_are_named_with_their_option() {
    let place = Place::new();
    place.file("job.log", HELD_LOG);
    place.file("held.ads", ad(7, 0, ""));
    place.file("work.dag", "JOB A a.sub\n");
    place.file("a.sub", "executable = x\nqueue\n");
    place.file("sub/notes", "some words\n");
    place.file("notes.txt", "some words\n");
    place.file("new.log", "");
    place.file("alice", "some words\n");
    place.tool("condor_q", "");
    for (word, what) in [
        ("job.log", "a job event log: read it with condor_holdadvise -userlog job.log"),
        ("held.ads", "a file of job ads: read it with condor_holdadvise -jobads held.ads"),
        ("work.dag", "a DAG file: read it with condor_holdadvise -dag work.dag"),
        ("a.sub", "a submit description: name the cluster that condor_submit gave it"),
        ("sub/notes", "a file: name a job event log after -userlog, job ads after -jobads"),
        ("notes.txt", "a file: name a job event log after -userlog, job ads after -jobads"),
        ("new.log", "an empty file: name a job event log after -userlog"),
    ] {
        let said = place.advise(word);
        said.is_error(&[&format!("{word} is no job and no owner but {what}")]);
        place.advise(&format!("-jobads held.ads {word}")).is_error(&["is no job and no owner"]);
    }
    // A file may have the name of an owner.
    let said = place.advise("alice");
    assert!(!said.stderr.contains("no owner"), "{said:?}");
}

#[test]
fn names_in_a_constraint_that_no_ad_has_are_said() {
    let place = Place::new();
    let ads = format!("{}\n{}", ad(7, 0, "Flag = 1"), ad(8, 0, ""));
    place.file("held.ads", &ads);
    let ask = |constraint: &str| {
        place.run(&["-jobads", "held.ads", "-now", NOW, "-constraint", constraint], "").stderr
    };
    let line = "Warning: -constraint: no job ad has an attribute NumHold; did you mean NumHolds?\n";
    assert_eq!(ask("NumHold > 3"), line);
    assert_eq!(ask("NumHolds > 0 || NumHold > 3"), line);
    let line = "Warning: -constraint: no job ad has an attribute MyProject\n";
    assert_eq!(ask("MyProject =?= undefined"), line);
    // What one ad has is known, and the time is of none.
    assert_eq!(ask("Flag == 1 && CurrentTime > 0 && time() > 0"), "");
    // The queue answers with what is true alone.
    crate::harness::queue_of(&place, "");
    let said = place.run(&["-constraint", "NumHold > 3 && NumJobStarts > 0"], "");
    assert!(said.stderr.contains("attribute NumHold; did you mean NumHolds?"), "{said:?}");
    assert!(!said.stderr.contains("NumJobStarts"), "{said:?}");
}

#[test]
fn constraints_that_are_no_expressions() {
    let place = Place::new();
    let ads = place.file("held.ads", ad(7, 0, ""));
    let ads = ads.to_str().unwrap();
    place
        .run(&["-jobads", ads, "-constraint", "NumHolds >"], "")
        .is_error(&["-constraint \"NumHolds >\" is not a ClassAd expression"]);
    place
        .run(&["-userlog", ads, "-constraint", "true"], "")
        .is_error(&["-constraint needs job ads"]);
    let ask = |text| {
        place.run(&["-jobads", ads, "-now", NOW, "-constraint", text, "-af:j", "NumHolds"], "")
    };
    assert_eq!(ask("NumHolds > 0 && regexp(\"^ali\", Owner)").stdout, "7.0 1\n");
    assert_eq!(ask("Unheard > 0").stdout, "");
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let held = ad(7, 0, "");
    for (setting, value, expected) in [
        ("HOLDADVISE_RELEASE_THRESHOLD", "nan", "a probability from 0 to 1"),
        ("HOLDADVISE_REMOVE_THRESHOLD", "-1", "a probability from 0 to 1"),
        ("HOLDADVISE_LEAST_CONFIDENCE", "90 %", "a probability from 0 to 1"),
        ("HOLDADVISE_TIMEOUT_SECONDS", "soon", "seconds, a whole number from 1 to 86400"),
        ("HOLDADVISE_COST_FAILED_HOURS", "-1", "a number of hours from 0 on"),
    ] {
        let place = Place::new();
        place.file(".condor/holdadvise/config", format!("{setting} = {value}\n"));
        let ads = place.file("held.ads", &held);
        let said = place.run(&["-jobads", ads.to_str().unwrap()], "");
        said.is_error(&[
            &format!("Error: {setting} is \"{value}\" (from "),
            &format!(".condor/holdadvise/config): expected {expected}"),
        ]);
    }
    let place = Place::new();
    place.file(".condor/holdadvise/config", "HOLDADVISE_COST_FAILED_HOURS = -1\n");
    let log = place.file("EventLog", HELD_LOG);
    let said =
        place.release_expression(&["-replay", "true", "-eventlog", log.to_str().unwrap()], "");
    assert_ne!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("HOLDADVISE_COST_FAILED_HOURS is \"-1\" (from "), "{said:?}");
}

#[test]
fn lines_of_the_settings_file_that_set_nothing_are_named() {
    let place = Place::new();
    place.file(".condor/holdadvise/config", "# mine\nHOLDADVISE_TIMOUT = 3\njust words\n");
    let ads = place.file("held.ads", ad(7, 0, ""));
    let said = place.run(&["-jobads", ads.to_str().unwrap(), "-now", NOW], "");
    assert_eq!(said.status, 0, "{said:?}");
    for line in ["config: line 3: expected NAME = value", "HOLDADVISE_TIMOUT is no setting"] {
        assert!(said.stderr.contains(line), "{said:?}");
    }
}

#[test]
fn a_damaged_ad_of_a_cluster_is_not_acted_upon() {
    let place = Place::new();
    // Proc 1 cannot be read as a held job, and the ad of the cluster has no proc.
    let damaged = ad(7, 1, "").replace("ProcId = 1", "ProcId = \"1");
    let cluster = ad(7, 0, "").replace("ProcId = 0\n", "");
    let ads = [ad(7, 0, ""), damaged, cluster, ad(7, 2, "")].join("\n");
    let ads = place.file("held.ads", ads);
    let said = place.run(&["-jobads", ads.to_str().unwrap(), "-json"], "");
    let jobs: Vec<serde_json::Value> = serde_json::from_str(&said.stdout).unwrap();
    let procs: Vec<_> = jobs.iter().map(|job| job["ProcId"].as_i64().unwrap()).collect();
    assert_eq!(procs, [0, 2]);
    let said = place.run(&["-jobads", ads.to_str().unwrap(), "-wide"], "");
    let commands: Vec<&str> =
        said.stdout.lines().filter(|line| line.contains("condor_release ")).collect();
    assert!(!commands.is_empty(), "{said:?}");
    for command in &commands {
        assert!(command.contains("-constraint '(ClusterId == 7 && "), "{command}");
        assert!(command.contains("ProcId == 0") && command.contains("ProcId == 2"), "{command}");
    }
    assert!(
        !said.stdout.contains("ProcId == 1") && !said.stdout.contains("ProcId >= "),
        "{said:?}"
    );
}

#[test]
fn invisible_characters_are_seen_in_json() {
    let place = Place::new();
    let said = place.release_expression(
        &[
            "-lint",
            "(NumJobStarts < 5) && Note == \"a\u{200b}\u{3164}b\" && Hold\u{2800} > 1",
            "-json",
        ],
        "",
    );
    assert!(said.stdout.is_ascii() && said.stdout.contains("\\u200b\\u3164"), "{said:?}");
    let reason = "HoldReason = \"a\u{200b}b\u{e0041}\"\n";
    let ads = place.file("held.ads", ad(7, 0, reason));
    for form in ["-json", "-long", "-nobatch", "-jsonl", "-wide"] {
        let said = place.run(&["-jobads", ads.to_str().unwrap(), form], "");
        assert!(!said.stdout.contains(['\u{200b}', '\u{e0041}']), "{form}");
    }
}

#[test]
fn policies_that_there_is_no_time_for_are_counted() {
    let place = Place::new();
    let policy = "PeriodicRelease = true";
    place.file("held.ads", format!("{}\n{}", ad(7, 0, policy), ad(8, 0, policy)));
    place.file(".condor/holdadvise/config", "HOLDADVISE_POLICY_SECONDS = 0\n");
    let said = place.advise(&format!("-jobads held.ads -nobatch -now {NOW}"));
    assert_eq!(said.status, 0, "{said:?}");
    let line = "policies of 2 jobs: not evaluated, the time for policies (0 s) was used up";
    assert!(said.stderr.contains(line), "{said:?}");
    let one = place.advise(&format!("-jobads held.ads 7.0 -now {NOW} -why"));
    let text = one.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("its policies were not evaluated"), "{one:?}");
    let explained = place.release_expression(&["-explain", "-jobads", "held.ads", "-now", NOW], "");
    assert!(explained.stderr.contains(line), "{explained:?}");
    // There is time by default.
    place.file(".condor/holdadvise/config", "");
    let said = place.advise(&format!("-jobads held.ads -nobatch -now {NOW}"));
    assert!(!said.stderr.contains("not evaluated"), "{said:?}");
}

#[test]
fn ads_that_a_constraint_takes_too_long_for_are_counted() {
    let place = Place::new();
    place.file("held.ads", format!("{}Text = \"{}b\"\n", ad(7, 0, ""), "a".repeat(60)));
    let words = ["-jobads", "held.ads", "-now", NOW, "-constraint", "regexp(\"(a+)+$\", Text)"];
    let said = place.run(&words, "");
    assert!(said.stderr.contains("-constraint: 1 ad was left out"), "{said:?}");
}

#[test]
fn an_event_log_is_no_file_of_ads() {
    let place = Place::new();
    let log = format!("028 (7.0.0) 2026-03-01 10:00:00 Job ad\nOwner = \"alice\"\n...\n{HELD_LOG}");
    let log = place.file("EventLog", log);
    place.run(&["-jobads", log.to_str().unwrap()], "").is_error(&["EventLog", "no job event log"]);
}

#[test]
fn many_holds_of_one_job_take_as_long_as_holds_of_many_jobs() {
    use std::fmt::Write;
    let place = Place::new();
    // No run lies between the holds, and two logs tell of all: whatever looks back from each hold,
    // or compares each with each, takes minutes.
    for (name, apart) in [("apart", 20), ("at-once", 0)] {
        let mut log = String::new();
        for hold in 0..40_000_i64 {
            let time = jiff::Timestamp::from_second(1_770_000_000 + hold * apart).unwrap();
            let time = time.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m-%d %H:%M:%S");
            let held = "Job was held.\n\tno input\n\tCode 13 Subcode 2";
            let _ = write!(log, "012 (005.000.000) {time} {held}\n...\n");
            let released = "Job was released.\n\tvia condor_release (by user alice)";
            let _ = write!(log, "013 (005.000.000) {time} {released}\n...\n");
        }
        let (all, _) = log.rsplit_once("013 (").unwrap();
        place.file("one.log", all);
        place.file("two.log", all);
        let said = place.run(&["-userlog", "one.log", "-userlog", "two.log", "-now", NOW], "");
        assert_eq!(said.status, 0, "{name}: {said:?}");
    }
}
