//! Many held jobs at a glance: `-totals`, lists of jobs, what is said where nothing is found.

use std::path::Path;
use std::process::Stdio;

use crate::harness::{HELD_LOG, NOW, Place, Said, ad, terminal};

/// Advice on the held jobs of a recorded pool.
fn advise(words: &str) -> Said {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    for name in ["held.long", "EventLog", "EventLog.1", "EventLog.2", "EventLog.3"] {
        place.file(name, std::fs::read(recorded.join(name)).unwrap());
    }
    place.advise(&format!("-jobads held.long -eventlog EventLog -now 1795278400 {words}"))
}

#[test]
fn totals_are_one_screen() {
    let said = advise("-totals");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    assert!(said.stdout.lines().count() <= 24, "{}", said.stdout);
    insta::assert_snapshot!(said.stdout);
    advise("-totals -json").is_error(&["-json"]);
}

/// Ads of held jobs, so many of them and of so many users; the reason is of a job's number.
fn many(jobs: i32, users: i32, reason: impl Fn(i32) -> String) -> String {
    let ad = |number: i32| {
        let reason = reason(number);
        let (user, since) = (number % users, 1_772_359_200 - number % 900);
        let more = format!(
            "Owner = \"u{user}\"\nUser = \"u{user}@example.org\"\nEnteredCurrentStatus = {since}\n\
             HoldReasonSubCode = 256\nHoldReason = \"{reason}\"\n"
        );
        ad(100 + number / 20 * 300 + user, number % 20, &more)
    };
    (0..jobs).map(|number| ad(number) + "\n").collect()
}

/// A transfer that a server refused.
fn refused(number: i32) -> String {
    format!(
        "Transfer input files failure at execution point slot1@e{}.example.org using protocol https. \
         Details: Failed to connect to data.example.org port 443: Connection refused ( URL file = \
         https://data.example.org/in/{number}.dat )|",
        number % 60
    )
}

#[test]
fn one_server_that_refuses_many_users_is_one_incident() {
    let place = Place::new();
    place.file("held.ads", many(1854, 134, refused));
    let said = place.advise(&format!("-jobads held.ads -now {NOW} -allusers"));
    assert!(said.stdout.starts_with("1854 jobs of 134 users, held"), "{said:?}");
    assert!(said.stdout.contains("data.example.org"), "{said:?}");
    assert!(said.stdout.lines().count() <= 60, "{}", said.stdout);
    insta::assert_snapshot!("one_refused_connection", said.stdout);
    let whole = place.advise(&format!("-jobads held.ads -now {NOW} -allusers -incidents"));
    assert_eq!(whole.stdout.lines().count(), 6, "{whole:?}");
    let json = format!("-jobads held.ads -now {NOW} -allusers -incidents -json");
    let all: serde_json::Value = serde_json::from_str(&place.advise(&json).stdout).unwrap();
    assert_eq!((&all[0]["Jobs"], &all[0]["Users"]), (&1854.into(), &134.into()), "{all}");
    assert_eq!((&all[0]["AtFault"], &all[1]), (&"server".into(), &serde_json::Value::Null));
}

#[test]
fn why_the_access_point_does_not_release_a_job_is_said_while_it_counts() {
    let place = Place::new();
    let says = |num_holds: i32| {
        let more = format!(
            "Owner = \"u1\"\nNumHolds = 2\nEnteredCurrentStatus = 1772359200\nHoldReason = \"{}\"\n\
             HoldReasonSubCode = 256\nHoldAdviceReleaseReason = \"The access point waits.\"\n\
             HoldAdviceNumHolds = {num_holds}\nHoldAdviceEntered = 1772359200\n\
             HoldAdviceExpires = 1772370000\n",
            refused(1)
        );
        place.file("held.ads", ad(7, 0, &more));
        place.advise("-jobads held.ads -now 1772362800").stdout
    };
    let line = "  by itself  The advisor of the access point says: \"The access point waits.\"";
    assert!(says(2).contains(line), "{}", says(2));
    assert!(!says(1).contains("The access point waits"), "{}", says(1));
}

#[test]
fn a_screen_says_what_is_wrong_whose_it_is_and_what_to_do() {
    let place = Place::new();
    let reason = |number: i32| match number % 10 {
        0..6 => refused(number),
        6 | 7 => "Job has gone over memory limit of 1024 megabytes. Peak usage: 1500".to_owned(),
        n => format!("reading from file /home/u{}/{n}.dat: (errno 2) No such file", number % 30),
    };
    place.file("held.ads", many(600, 30, reason));
    let said = place.advise(&format!("-jobads held.ads -now {NOW} -allusers"));
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines[0].starts_with("600 held jobs of 30 users, "), "{said:?}");
    assert!(
        lines.len() <= 60
            && lines.iter().any(|line| {
                line.starts_with("wait ") && line.contains(" 360 ") && line.contains(" 18 users ")
            }),
        "{said:?}"
    );
    // Of a file that one owner has nobody else's row says anything.
    let json = format!("-jobads held.ads -now {NOW} -allusers -incidents -json");
    let all: Vec<serde_json::Value> = serde_json::from_str(&place.advise(&json).stdout).unwrap();
    let named = |one: &&serde_json::Value| one["What"].as_str().unwrap().contains(".dat");
    let of_files: Vec<&serde_json::Value> = all.iter().filter(named).collect();
    assert!(of_files.len() > 1 && of_files.iter().all(|one| one["Users"] == 1), "{all:?}");
    for (by, heading) in [("owner", "OWNER"), ("cause", "CAUSE"), ("advice", "JOBS")] {
        let said = place.advise(&format!("-jobads held.ads -now {NOW} -allusers -totals -by {by}"));
        assert!(said.stdout.trim_start().starts_with(heading), "{said:?}");
        assert!(said.stdout.lines().any(|line| line.starts_with("ALL")), "{said:?}");
    }
    place.advise("-by owner -workflow 1").is_error(&["-by", "-totals"]);
    place.advise("-by site -totals").is_error(&["-by", "-workflow"]);
}

#[test]
fn jobs_are_named_in_a_list() {
    let lines = |words: &str| advise(&format!("{words} -af ClusterId")).stdout;
    assert_eq!(lines("21,22"), "21\n22\n");
    assert_eq!(lines("21,22.0 23"), "21\n22\n23\n");
    // An empty part makes no list.
    assert_eq!(advise("21,").status, 1);
}

#[test]
fn nothing_found_says_what_was_read() {
    let said = advise("-constraint Owner==\"nobody\"");
    assert_eq!(said.stdout, "No held jobs: 0 of 24 ads in held.long matched.\n");
    assert_eq!(said.status, 0);
}

#[test]
fn a_name_that_nothing_has_is_noted() {
    let said = advise("21 -af ClusterId Recomendation");
    let note = "Note: no advice and no job ad has an attribute Recomendation; did you mean Recommendation?\n";
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("21 undefined\n", note));
}

#[test]
fn attributes_of_the_job_and_expressions_are_printed() {
    let said = advise("21 -af:h ClusterId RequestMemory RequestMemory*2 time()-HeldSince");
    assert_eq!(said.stderr, "");
    insta::assert_snapshot!(said.stdout);
    let said = advise("21,22 -format %d ClusterId -format :%s\\n Cmd");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("formats", said.stdout);
    advise("21 -af RequestMemory*").is_error(&["neither an attribute nor a ClassAd expression"]);
}

#[test]
fn only_some_advice_is_printed() {
    let all = advise("-af Recommendation").stdout;
    for word in ["wait", "look"] {
        let said = advise(&format!("-advice {word} -af Recommendation")).stdout;
        let expected = all.lines().filter(|line| *line == word).count();
        assert!(expected > 0 && said.lines().all(|line| line == word), "{said}");
        assert_eq!(said.lines().count(), expected);
    }
    let both = advise("-advice wait,look -jsonl").stdout.lines().count();
    assert_eq!(both, all.lines().filter(|line| ["wait", "look"].contains(line)).count());
    let said = advise("-advice remove");
    let none = "No advice of remove: 24 held jobs judged.\n";
    assert_eq!((said.status, said.stdout.as_str()), (0, none));
}

#[test]
fn a_line_each_says_what_to_do() {
    insta::assert_snapshot!("lines_of_80", advise("-nobatch").stdout);
    insta::assert_snapshot!("lines_of_132", advise("-nobatch -wide:132").stdout);
}

#[test]
fn a_log_comes_from_standard_input() {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    let log = std::fs::read_to_string(recorded.join("userlog/alice-web-down.log")).unwrap();
    let file = place.file("job.log", &log);
    let words = ["-now", "1795278400", "-jsonl", "-userlog"];
    let named = place.run(&[&words[..], &[file.to_str().unwrap()]].concat(), "");
    let piped = place.run(&[&words[..], &["-"]].concat(), &log);
    assert_eq!((named.status, piped.status), (0, 0), "{piped:?}");
    assert!(named.stdout.lines().count() > 0);
    assert_eq!(named.stdout, piped.stdout);
    let twice = place.run(&["-userlog", "-", "-jobads", "-"], "");
    twice.is_error(&["standard input can be read once"]);
}

/// What the program writes with these variables and without a locale of its own.
fn in_environment(place: &Place, environment: &[(&str, &str)], words: &str) -> String {
    let mut program = place.command(env!("CARGO_BIN_EXE_condor_holdadvise"));
    program.args(words.split_whitespace()).stdout(Stdio::piped());
    program.env_remove("LC_ALL").envs(environment.iter().copied());
    String::from_utf8(program.output().unwrap().stdout).unwrap()
}

/// What the program writes to a terminal of so many columns.
fn at_terminal(words: &[&str], columns: u16, environment: &[(&str, &str)]) -> String {
    let (mut master, name) = terminal(columns);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_condor_holdadvise"))
        .args(words)
        .env("TZ", "UTC")
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .envs(environment.iter().copied())
        .stdout(std::fs::File::options().write(true).open(name).unwrap())
        .spawn()
        .unwrap();
    let mut text = Vec::new();
    // Reading fails once the last slave is closed.
    let _ = std::io::Read::read_to_end(&mut master, &mut text);
    assert!(child.wait().unwrap().success());
    String::from_utf8(text).unwrap().replace("\r\n", "\n")
}

#[test]
fn a_terminal_is_filled_and_the_advice_is_painted() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    let file = |name: &str| recorded.join(name).to_str().unwrap().to_owned();
    let (ads, log) = (file("held.long"), file("EventLog"));
    let words = [
        "-jobads",
        &ads,
        "-eventlog",
        &log,
        "-now",
        "1795278400",
        "-nobatch",
        "-constraint",
        "ClusterId < 20",
    ];
    for columns in [72_u16, 200] {
        let text = at_terminal(&words, columns, &[("NO_COLOR", "1")]);
        assert!(!text.contains('\u{1b}'), "{text}");
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(columns), "{text}");
        assert_eq!(text.contains("HOLD_REASON"), columns > 100, "{text}");
        let painted = at_terminal(&words, columns, &[]);
        assert_eq!(
            painted.matches("\u{1b}[1;33mchange\u{1b}[0m").count(),
            text.matches(" change ").count()
        );
        // Without the paint it is the same text.
        let mut parts = painted.split('\u{1b}');
        let first = parts.next().unwrap().to_owned();
        let plain = parts.fold(first, |text, part| text + part.split_once('m').unwrap().1);
        assert_eq!(plain, text);
        assert!(!at_terminal(&words, columns, &[("TERM", "dumb")]).contains('\u{1b}'));
    }
}

#[test]
fn a_workflow_is_seen_by_place_and_cause() {
    let said = advise("-workflow -advice wait,remove");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("a_workflow", said.stdout.split("\n\nJudged").next().unwrap());
    let view: serde_json::Value = serde_json::from_str(&advise("-workflow -json").stdout).unwrap();
    let columns = view["Matrix"]["Columns"].as_array().unwrap();
    let failed: u64 = columns.iter().map(|column| column["Failed"].as_u64().unwrap()).sum();
    assert_eq!(view["Failed"].as_u64(), Some(failed));
    advise("-by site").is_error(&["-by needs -workflow or -dag"]);
    advise("-workflow -long").is_error(&["-workflow excludes -long"]);
}

/// A log of a cluster: at e1 ten jobs succeeded, at e2 five exited with 127 and two went on hold.
fn log_of_a_bad_place() -> String {
    let mut log = String::new();
    for proc in 0..17 {
        let (host, slot) = if proc < 10 { ("e1", 11) } else { ("e2", 12) };
        let head = |event: &str, at: &str| {
            format!("{event} (007.{proc:03}.000) 2026-11-02 10:{at}:{proc:02} ")
        };
        log += &head("000", "00");
        log += "Job submitted from host: <10.0.0.1:9618?sock=schedd>\n...\n";
        log += &head("001", "01");
        log += &format!(
            "Job executing on host: <10.0.0.{slot}:9618?sock=startd>\n\tSlotName: \
             slot1_1@{host}.example.org\n...\n"
        );
        if proc < 15 {
            let (at, code) = if proc < 10 { ("31", 0) } else { ("01", 127) };
            log += &head("005", at);
            log +=
                &format!("Job terminated.\n\t(1) Normal termination (return value {code})\n...\n");
        } else {
            log += &head("012", "02");
            log += "Job was held.\n\tThe job attribute OnExitHold expression 'ExitCode =!= 0' evaluated \
                    to TRUE\n\tCode 3 Subcode 0\n...\n";
        }
    }
    log
}

#[test]
fn what_keeps_jobs_off_a_bad_place_is_printed_and_put_into_a_page() {
    let place = Place::new();
    place.file("job.log", log_of_a_bad_place());
    let requirements = "Requirements = (TARGET.Arch == \"X86_64\") && (TARGET.Disk >= RequestDisk)";
    let idle = (17..20).map(|proc| format!("ProcId = {proc}\nJobStatus = 1\n"));
    let held = (15..17).map(|proc| {
        format!(
            "ProcId = {proc}\nJobStatus = 5\nHoldReasonCode = 3\nHoldReasonSubCode = 0\nNumHolds = 1\n\
             EnteredCurrentStatus = {}\n",
            1_793_613_720 + proc
        )
    });
    let ads: Vec<String> = idle
        .chain(held)
        .map(|ad| format!("ClusterId = 7\nOwner = \"alice\"\n{ad}{requirements}\n"))
        .collect();
    place.file("jobs.ads", ads.join("\n"));
    let call = "-workflow 7 -userlog job.log -jobads jobs.ads -now 1793616000";
    let said = place.advise(&format!("{call} -html page.html"));
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("a_bad_place", said.stdout);
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(
        page.contains("<table") && page.contains(">Bad place: e2.example.org</a>. Do not "),
        "{page}"
    );
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("src="));
    place.advise(&format!("{call} -html page.html"));
    place.file("notes.txt", "mine");
    place
        .advise(&format!("{call} -html notes.txt"))
        .is_error(&["-html notes.txt: the file is there and no page of this program"]);
    assert_eq!(std::fs::read_to_string(place.path("notes.txt")).unwrap(), "mine");
}

#[test]
fn advice_on_any_jobs_is_put_into_a_page() {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    place.file("held.long", std::fs::read(recorded.join("held.long")).unwrap());
    let page = |words: &str| {
        let call = format!("{words} -jobads held.long -now 1795278400 -html page.html");
        let said = place.advise(&call);
        assert_eq!(said.status, 0, "{said:?}");
        (said.stdout, std::fs::read_to_string(place.path("page.html")).unwrap())
    };
    let (printed, all) = page("-allusers");
    let counts = printed.lines().next().unwrap();
    assert!(counts.starts_with("24 held jobs of 2 users, ") && all.contains(counts), "{all}");
    assert!(all.matches("<article").count() > 10, "{all}");
    let (_, one) = page("15.0 -json");
    assert!(one.contains("<blockquote>The requested URL returned error: 404"), "{one}");
    assert_eq!(one.matches("<article").count(), 1);
    place.advise("-html page.html -watch").is_error(&["-html excludes -watch"]);
}

/// Events of a job that ran at a machine and exited with this code.
fn log_of_exit(proc: i32, machine: &str, code: i32) -> String {
    let head = |event: &str, minute: &str| {
        format!("{event} (007.{proc:03}.000) 2026-11-02 10:{minute}:00 ")
    };
    let submit = head("000", "00") + "Job submitted from host: <10.0.0.1:9618?sock=schedd>\n...\n";
    let execute = head("001", "01");
    let slot =
        format!("Job executing on host: <10.0.0.2:9618>\n\tSlotName: slot1@{machine}\n...\n");
    let end = head("005", "31");
    let code = format!("Job terminated.\n\t(1) Normal termination (return value {code})\n...\n");
    submit + &execute + &slot + &end + &code
}

#[test]
fn what_stands_for_many_is_said() {
    let place = Place::new();
    let machine = |n: i32| format!("e{n}.s{}.example.org", n % 15);
    let log = |code: fn(i32) -> i32| -> String {
        (0..40).map(|n| log_of_exit(n, &machine(n), code(n))).collect()
    };
    let call = "-workflow -userlog job.log -now 1793616000";
    // At s0 one job of three failed, elsewhere none.
    place.file("job.log", log(|n| i32::from(n == 0)));
    let said = place.advise(&format!("{call} -html page.html"));
    insta::assert_snapshot!("many_machines", said.stdout);
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    let line = "<p>Machines are shown by domain: 40 machines in 12 rows. The row others";
    assert!(page.contains(line) && page.contains("class=\"n s1\">1 <small>33 %</small>"), "{page}");
    let view: serde_json::Value =
        serde_json::from_str(&place.advise(&format!("{call} -json")).stdout).unwrap();
    assert_eq!(
        (&view["Matrix"]["ShownBy"], &view["Matrix"]["Machines"]),
        (&"domain".into(), &40.into())
    );
    place.file("job.log", log(|n| n));
    let said = place.advise(call);
    let line = "Causes are shown by kind: 39 causes of 1 kind.";
    assert!(said.stdout.replace("\n  ", " ").contains(line), "{said:?}");
}

#[test]
fn a_failure_of_many_runs_is_shaded() {
    let place = Place::new();
    let log: String = (0..100).map(|n| log_of_exit(n, "e1", i32::from(n == 0))).collect();
    place.file("job.log", log);
    let said = place.advise("-workflow -userlog job.log -now 1793616000");
    assert!(said.stdout.contains("░ 1"), "{said:?}");
    let words = "-workflow -userlog job.log -now 1793616000";
    for (environment, is_ascii) in [
        (&[][..], true),
        (&[("LC_ALL", ""), ("LANG", "en_US.UTF-8")], false),
        (&[("LC_CTYPE", "C"), ("LANG", "en_US.UTF-8")], true),
        (&[("LC_ALL", "POSIX"), ("LC_CTYPE", "C.utf8")], true),
        (&[("LC_ALL", "de_DE.utf8"), ("LANG", "C")], false),
    ] {
        let text = in_environment(&place, environment, words);
        assert_eq!(text.is_ascii(), is_ascii, "{environment:?}: {text}");
        assert!(text.contains(if is_ascii { ". 1" } else { "░ 1" }), "{text}");
    }
}

#[test]
fn colour_can_be_forced_and_refused() {
    let place = Place::new();
    place.file("job.log", HELD_LOG);
    let forced = ("CLICOLOR_FORCE", "1");
    for (environment, is_painted) in [
        (&[][..], false),
        (&[forced], true),
        (&[forced, ("TERM", "dumb")], true),
        (&[("CLICOLOR_FORCE", "0")], false),
        (&[("CLICOLOR_FORCE", "")], false),
        (&[forced, ("NO_COLOR", "1")], false),
    ] {
        let text = in_environment(&place, environment, &format!("-userlog job.log -now {NOW}"));
        assert_eq!(text.contains('\u{1b}'), is_painted, "{environment:?}: {text}");
    }
}

/// An ad of cluster 7, in a queue with the log of a bad place.
fn ad_of_seven(proc: i32, more: &str) -> String {
    let requirements = "Requirements = (TARGET.Arch == \"X86_64\")";
    format!("ClusterId = 7\nProcId = {proc}\nOwner = \"alice\"\n{requirements}\n{more}\n")
}

/// The attributes of the hold that the log of a bad place has of a job.
fn hold_of(proc: i32, code: i32, later: i32) -> String {
    let at = 1_793_613_720 + proc + later;
    format!(
        "JobStatus = 5\nHoldReasonCode = {code}\nHoldReasonSubCode = 0\nNumHolds = 2\n\
         EnteredCurrentStatus = {at}\n"
    )
}

#[test]
fn jobs_that_are_held_for_something_else_are_not_released() {
    let place = Place::new();
    place.file("job.log", log_of_a_bad_place());
    let released = |hold: &str| {
        place.file("jobs.ads", ad_of_seven(15, hold));
        let said = place.advise("-workflow 7 -userlog job.log -jobads jobs.ads -now 1793616000");
        assert!(said.stdout.contains("Bad place: e2.example.org"), "{said:?}");
        said.stdout.contains("for 1 job held there, with the release:")
    };
    assert!(released(&hold_of(15, 3, 0)));
    // A person put it on hold, the same second or later; a policy did it for another reason, later.
    for (code, later) in [(1, 0), (1, 500), (26, 0), (3, 500)] {
        assert!(!released(&hold_of(15, code, later)), "{code} {later}");
    }
}

#[test]
fn a_command_is_for_the_jobs_asked_about() {
    let place = Place::new();
    place.file("job.log", log_of_a_bad_place());
    let ads: Vec<String> = (17..20).map(|proc| ad_of_seven(proc, "JobStatus = 1\n")).collect();
    place.file("jobs.ads", ads.join("\n"));
    let call = "-userlog job.log -jobads jobs.ads -now 1793616000";
    let others: String = (0..17).map(|proc| format!(" 7.{proc}")).collect();
    let said = place.advise(&format!("-workflow 7.18{others} {call}"));
    let line = said.stdout.lines().find(|line| line.contains("condor_qedit")).unwrap();
    assert!(line.contains("'ClusterId == 7 && ProcId == 18 && JobStatus == 1'"), "{line}");
    // Nobody edits the jobs of all users for what one of them may have done.
    let said = place.advise(&format!("-workflow -allusers {call}"));
    assert!(said.stdout.contains("Bad place") && !said.stdout.contains("condor_"), "{said:?}");
    let universe = ad_of_seven(17, "JobStatus = 1\nJobUniverse = 9\n");
    let asks = ad_of_seven(18, "JobStatus = 1\n")
        .replace("X86_64\")", "X86_64\" && Machine == \"e2.example.org\")");
    place.file("jobs.ads", [universe, asks].join("\n"));
    let said = place.advise(&format!("-workflow 7 {call}"));
    assert!(!said.stdout.contains("condor_qedit"), "{said:?}");
}

#[test]
fn runs_of_others_in_an_event_log_do_not_count() {
    let place = Place::new();
    place.file("events.log", log_of_a_bad_place().replace("(007.", "(099."));
    place.file("jobs.ads", ad_of_seven(0, "JobStatus = 1\n"));
    let said = place.advise("-workflow -eventlog events.log -jobads jobs.ads -now 1793616000");
    assert!(said.stdout.starts_with("No jobs: "), "{said:?}");
    // A cluster has one owner, whom the ad of one of its jobs names.
    place.file("events.log", log_of_a_bad_place());
    let said =
        place.advise("-workflow alice -eventlog events.log -jobads jobs.ads -now 1793616000");
    assert!(said.stdout.starts_with("17 jobs, 17 runs: "), "{said:?}");
}

#[test]
fn jobs_of_a_log_that_are_no_nodes_are_not_those_of_a_dag() {
    let place = Place::new();
    place.file("work.dag", "JOB A job.sub\n");
    place.file("job.sub", "executable = x\nlog = job.log\nqueue\n");
    let node = "000 (050.000.000) 2026-11-02 10:00:00 Job submitted from host: <10.0.0.1:9618?sock=schedd>\n    \
                DAG Node: A\n...\n";
    place.file("job.log", log_of_a_bad_place() + node);
    place.file("work.dag.nodes.log", node);
    place.file("jobs.ads", ad_of_seven(15, &hold_of(15, 3, 0)));
    let said = place.advise("-dag work.dag -jobads jobs.ads -now 1793616000");
    assert!(said.stdout.starts_with("1 job, 0 runs: "), "{said:?}");
    assert!(!said.stdout.contains("condor_"), "{said:?}");
    place.advise("-dag no.dag").is_error(&["-dag: cannot read the DAG file no.dag: No such file"]);
}

#[test]
fn jobs_that_leave_their_slots_again_and_again_are_named() {
    let place = Place::new();
    place.file("job.log", log_of_a_bad_place());
    let ad = |proc: i32, more: &str| {
        format!("ClusterId = 7\nProcId = {proc}\nOwner = \"alice\"\nJobStatus = 1\n{more}\n")
    };
    let input = |vacates: i32| {
        format!(
            "NumVacates = {vacates}\nVacateReasonCode = 13\nVacateReasonSubCode = 256\n\
             VacateReason = \"Transfer input files failure: \\u001b]0;x no answer\"\n\
             LastVacateTime = 1793615900\n"
        )
    };
    let shadow = "NumVacates = 5\nNumVacatesPreExecution = 5\nShadowBday = 1793615990\n\
                  NumVacatesByReason = [ ShadowException = 5 ]\nLastShadowException = \"gave up!\"\n";
    let slot = "NumVacates = 4\nVacateReasonCode = 1014\nLastVacateTime = 1793615900\n";
    let ads =
        [ad(20, &input(4)), ad(21, &input(3)), ad(22, &input(2)), ad(23, shadow), ad(24, slot)];
    place.file("jobs.ads", ads.join("\n"));
    let said = place.advise("-workflow 7 -userlog job.log -jobads jobs.ads -now 1793616000");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let at = said.stdout.find("2 jobs left").unwrap();
    insta::assert_snapshot!("thrashing", &said.stdout[at..]);
    // So they are when no view is asked for, below the held jobs.
    let said = place.advise("7.23 -userlog job.log -jobads jobs.ads -now 1793616000");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("thrashing_job", said.stdout);
    let all = place.advise("-allusers -userlog job.log -jobads jobs.ads -now 1793616000");
    assert_eq!(all.stdout.matches(" and started again, ").count(), 2, "{all:?}");
    place.advise("7.24 -userlog job.log -jobads jobs.ads -now 1793616000").is_error(&["idle"]);
    let said = place.advise("7.23 -userlog job.log -jobads jobs.ads -now 1793616000 -json");
    said.is_error(&["7.23 is not held, it is idle"]);
}

#[test]
fn two_bad_places_of_a_recorded_dag_are_named_at_once() {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-workflow-23.9");
    for name in ["work.dag", "work.dag.nodes.log", "ads.gz"] {
        place.file(name, std::fs::read(recorded.join(name)).unwrap());
    }
    let now = std::fs::read_to_string(recorded.join("time")).unwrap();
    let call = format!("-dag work.dag -jobads ads.gz -now {}", now.trim());
    let said = place.advise(&call);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("two_bad_places", said.stdout);
    let view: serde_json::Value =
        serde_json::from_str(&place.advise(&format!("{call} -json")).stdout).unwrap();
    assert_eq!(view["Suspects"].as_array().unwrap().len(), 2);
    assert_eq!(view["Recovery"], serde_json::Value::Null);
}

#[test]
fn what_to_do_about_a_workflow_is_said_where_it_is_likely() {
    let place = Place::new();
    let held = |proc: i32, machine: i32| {
        let head = |event: &str, minute: &str| {
            format!("{event} (007.{proc:03}.000) 2026-11-02 10:{minute}:{proc:02} ")
        };
        let text = |number: i32| format!("slot1@e{number}.example.org");
        head("000", "00")
            + "Job submitted from host: <10.0.0.1:9618?sock=schedd>\n...\n"
            + &head("001", "01")
            + &format!(
                "Job executing on host: <10.0.0.2:9618>\n\tSlotName: {}\n...\n",
                text(machine)
            )
            + &head("012", "31")
            + &format!(
                "Job was held.\n\tError from {}: Job has gone over cgroup memory limit of 2048 \
                        megabytes. Last measured usage: 2048 megabytes. Consider resubmitting with a higher \
                        request_memory.\n\tCode 34 Subcode 102\n...\n",
                text(machine)
            )
    };
    let log = |jobs: i32| -> String {
        let held = (0..jobs).map(|proc| held(proc, proc % 4));
        held.chain((20..24).map(|proc| log_of_exit(proc, &format!("e{}", proc % 4), 0))).collect()
    };
    let call = "-workflow -userlog job.log -now 1793616000";
    place.file("job.log", log(12));
    let said = place.advise(&format!("{call} -html page.html"));
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("what_to_do", said.stdout.split("\n\nJudged").next().unwrap());
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains(">12 of 16 runs failed</a>. Ask for more memory."), "{page}");
    let view: serde_json::Value =
        serde_json::from_str(&place.advise(&format!("{call} -json")).stdout).unwrap();
    let recovery = &view["Recovery"];
    assert_eq!((&recovery["Action"], &recovery["Right"]), (&"memory".into(), &"likely".into()));
    // Of fewer than ten failed runs nothing is said.
    place.file("job.log", log(9));
    assert!(!place.advise(call).stdout.contains("Ask for more memory."));
}

#[test]
fn a_dag_says_how_far_its_nodes_are() {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9/dag");
    for name in ["work.dag", "work.dag.nodes.log"] {
        place.file(name, std::fs::read(recorded.join(name)).unwrap());
    }
    let said = place.advise("-dag work.dag -now 1795278400");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("a_dag", said.stdout.split("\n\nJob").next().unwrap());
    let said = place.advise("-dag work.dag");
    assert!(said.stdout.contains("Nodes of the DAG: 2 done."), "{said:?}");
    place.advise("-dag none.dag").is_error(&["none.dag"]);
}

#[test]
fn a_dag_of_which_nothing_has_started_says_so() {
    let place = Place::new();
    place.file("work.dag", "JOB A a.sub\nJOB B b.sub\nJOB C c.sub\nPARENT A CHILD B C\n");
    let call = "-dag work.dag -now 1793616000";
    let first = |lines: usize| {
        let said = place.advise(&format!("{call} -html page.html"));
        assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
        said.stdout.lines().take(lines).collect::<Vec<_>>().join("\n")
    };
    let none = "No jobs: the DAG has 3 nodes, and none has started yet.";
    assert_eq!(
        first(5),
        format!(
            "{none}\n\nNodes of the DAG: 3 not submitted. DAGMan has written no log yet.\n\nNo held jobs among these."
        )
    );
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains(none) && page.contains("Nodes of the DAG: 3 not submitted."), "{page}");
    let event = |text: &str| {
        let (number, text) = text.split_once(' ').unwrap();
        format!("{number} (005.000.000) 2026-11-02 10:00:00 {text}\n...\n")
    };
    let submit = event("000 Job submitted from host: <10.0.0.1:9618?sock=schedd>");
    let execute = event("001 Job executing on host: <10.0.0.1:9618>");
    let held = event("012 Job was held.\n\tno \u{1b}[2Jroom\n\tCode 6 Subcode 2");
    let ended = event("005 Job terminated.\n\t(1) Normal termination (return value 1)");
    let removed = event("009 Job was aborted.\n\tvia condor_rm");
    for (events, state) in [
        (vec![&submit], "is idle."),
        (vec![&submit, &execute], "is running."),
        (vec![&submit, &held], "is on hold.\n  | no room"),
        (vec![&submit, &execute, &ended], "has ended with exit code 1."),
        (vec![&submit, &removed], "was removed."),
    ] {
        let log: String = events.into_iter().map(String::as_str).collect();
        place.file("work.dag.dagman.log", log);
        place.file("work.dag.nodes.log", "");
        let dag = "Nodes of the DAG: 3 not submitted. DAGMan (job 5.0)";
        assert_eq!(first(3 + state.matches('\n').count()), format!("{none}\n\n{dag} {state}"));
    }
    place.file("work.dag.rescue001", "DONE A\n");
    assert_eq!(
        first(5),
        "No jobs: the DAG has 3 nodes, 1 of them done, and none of the others has started\n  \
         yet.\n\nNodes of the DAG: 1 done, 2 not submitted. DAGMan (job 5.0) was removed. The\n             rescue DAG \
         work.dag.rescue001 has 1 node as done."
    );
}

#[test]
fn a_dag_that_cannot_get_through_is_warned_of() {
    let place = Place::new();
    place.file("a.sub", "executable = x\nqueue\n");
    let text =
        "JOB A a.sub\nJOB B no\u{1b}[2J.sub\nJOB C a.sub\nPARENT B CHILD C\nPARENT A CHILD B\n";
    let warned = |more: &str| {
        place.file("work.dag", format!("{text}{more}"));
        let said = place.advise("-dag work.dag");
        assert_eq!(said.status, 0, "{said:?}");
        said.stderr
    };
    let absent = "Warning: work.dag: line 2: there is no submit file no.sub for node B; expected one, \
                  or an earlier node that writes it, else the node fails: correct the line or \
                  write the file\n";
    assert_eq!(warned(""), absent);
    let circle = "Warning: work.dag: line 6: nodes A, B, C wait for each other in a circle and never \
                  start, expected parents that do not wait for their children; correct this line \
                  or another PARENT line of these\n";
    assert_eq!(warned("PARENT C CHILD A\n"), format!("{circle}{absent}"));
    assert_eq!(place.advise("-dag work.dag -now 1793616000").stderr, circle);
}

#[test]
fn a_dag_file_without_nodes_is_refused() {
    let place = Place::new();
    let error = "-dag: cannot read the DAG file work.dag: it ";
    for (text, fault) in [
        ("", "it is empty, expected a line such as JOB A a.sub\n"),
        ("# JOB A a.sub\nDOT x.dot\n", "it has no nodes, expected a line such as JOB A a.sub\n"),
        ("SPLICE S no.dag\n", "a.sub (work.dag: line 1: no.dag: No such file or directory)\n"),
    ] {
        place.file("work.dag", text);
        place.advise("-dag work.dag").is_error(&[error, fault]);
    }
    place.advise("-dag .").is_error(&["-dag: cannot read the DAG file .: it is a directory"]);
    place.advise("-dag -html x").is_error(&["-dag requires another parameter: filename"]);
}
