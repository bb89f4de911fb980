//! What is true now of the files that a job needs, as its owner sees them.

use std::ffi::CString;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use serde_json::Value;

use crate::harness::Place;

pub(crate) fn output(program: &str, argument: &str) -> String {
    output_of(program, &[argument])
}

pub(crate) fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// Who owns the jobs: root has none of its own, and looks with the rights of `nobody`.
pub(crate) fn owner() -> (String, bool) {
    let me = output("id", "-un");
    if me == "root" { ("nobody".to_owned(), true) } else { (me, false) }
}

/// A job of this machine and of its owner; `hold`: code, subcode and reason.
pub(crate) fn ad(place: &Place, schedd: &str, hold: (i32, i32, &str), more: &str) -> String {
    let (code, subcode, reason) = hold;
    let (owner, _) = owner();
    let iwd = place.path("run").display().to_string();
    format!(
        "ClusterId = 9\nProcId = 0\nOwner = \"{owner}\"\nJobStatus = 5\nJobUniverse = 5\n\
         NumHolds = 1\nEnteredCurrentStatus = 1772971200\nGlobalJobId = \"{schedd}#9.0#1\"\n\
         Iwd = \"{iwd}\"\nCmd = \"/bin/sh\"\nHoldReasonCode = {code}\nHoldReasonSubCode = {subcode}\n\
         HoldReason = \"{reason}\"\n{more}\n"
    )
}

pub(crate) fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("run")).expect("a folder");
    place.tool("id", "exec /usr/bin/id \"$@\"");
    for folder in ["", "run"] {
        let all = fs::Permissions::from_mode(0o777);
        fs::set_permissions(place.path(folder), all).expect("permissions");
    }
    place
}

pub(crate) fn advice(place: &Place, ad: &str, words: &str) -> Value {
    place.file("held.ads", ad);
    let said = place.advise(&format!("-jobads held.ads -json {words}"));
    assert_eq!(said.status, 0, "{said:?}");
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    all[0].clone()
}

/// The evidence of files.
pub(crate) fn files(advice: &Value) -> Vec<String> {
    let evidence = advice["Evidence"].as_array().expect("a list");
    let of_files = evidence.iter().filter(|seen| seen["Kind"] == "File");
    of_files.map(|seen| seen["Sentence"].as_str().expect("a sentence").to_owned()).collect()
}

fn transfer(path: &Path) -> String {
    format!(
        "Transfer input files failure at access point ap.example.org while sending files to \
         execution point slot1@e1. Details: reading from file {}: (errno 2) No such file or directory",
        path.display()
    )
}

#[test]
fn a_missing_input_is_to_be_put_back_and_the_job_released_once_it_is() {
    let place = place();
    let path = place.path("run/in.dat");
    let reason = transfer(&path);
    let more =
        "TransferInput = \"in.dat,http://s.example/x\"\nUserLog = \"job.log\"\nOut = \"o\"\n";
    let ad = ad(&place, &output("uname", "-n"), (13, 2, &reason), more);
    let missing = advice(&place, &ad, "");
    assert_eq!(missing["Recommendation"], "change");
    assert_eq!(missing["Change"]["What"], "Input", "{}", missing["Change"]);
    let (owner, _) = owner();
    let seen =
        |says: &str| vec![format!("The input DIR/run/in.dat {says} (looked at now as {owner}).")];
    assert_eq!(files(&missing), seen("is still not there"));
    assert!(missing["Success"]["as-is"].as_f64() <= Some(0.05), "{}", missing["Success"]);

    fs::write(&path, "42").expect("a file");
    let there = advice(&place, &ad, "");
    assert_eq!(there["Recommendation"], "release");
    assert_eq!(files(&there), seen("is there and can be read, and was changed since the hold"));

    // Nothing is looked at where that was not asked for, and of another time.
    for words in ["-checks none", "-now 1772980000"] {
        let without = advice(&place, &ad, words);
        assert_eq!(files(&without), Vec::<String>::new(), "{words}");
        assert_ne!(without["Recommendation"], "release", "{words}");
    }
}

#[test]
fn nothing_is_said_of_files_of_other_machines_and_users() {
    let place = place();
    let path = place.path("run/in.dat");
    let reason = transfer(&path);
    let elsewhere = ad(&place, "ap.other.example", (13, 2, &reason), "");
    let told = files(&advice(&place, &elsewhere, ""));
    assert_eq!(told.len(), 1);
    assert!(told[0].ends_with("not known: the job's access point is another machine."), "{told:?}");
    let here = ad(&place, &output("uname", "-n"), (13, 2, &reason), "");
    for other in ["root", "no-such-user", "-u"] {
        let of_other = here.replace(&format!("\"{}\"", owner().0), &format!("\"{other}\""));
        let told = files(&advice(&place, &of_other, ""));
        assert!(told[0].ends_with("not known: the job is of another user."), "{other}: {told:?}");
    }
}

#[test]
fn what_the_owner_may_not_do_is_seen_with_the_rights_of_the_owner() {
    let place = place();
    let path = place.file("run/in.dat", "1");
    let reason = transfer(&path);
    let ad = ad(&place, &output("uname", "-n"), (13, 13, &reason), "");
    let none = fs::Permissions::from_mode(if owner().1 { 0o600 } else { 0o000 });
    fs::set_permissions(&path, none).expect("permissions");
    let denied = advice(&place, &ad, "");
    assert!(files(&denied)[0].contains("may still not be read"), "{denied}");
    assert_eq!(denied["Change"]["What"], "Permissions");
}

#[test]
fn what_is_wrong_beside_the_hold_is_said_and_changed_first() {
    let place = place();
    let here = output("uname", "-n");
    let hold =
        (34, 102, "Error from slot1@e1: Job has gone over cgroup memory limit of 128 megabytes.");
    let ad = ad(&place, &here, hold, "TransferInput = \"gone.dat\"\nRequestMemory = 128\n");
    let advice = advice(&place, &ad, "");
    let said = files(&advice);
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("The input DIR/run/gone.dat is not there"), "{said:?}");
    assert!(advice["Success"]["as-is"].as_f64() <= Some(0.05), "{}", advice["Success"]);
    assert_eq!(advice["Recommendation"], "change", "{advice}");
    assert_eq!(advice["CorrectBefore"][0]["What"], "Input", "{advice}");
    assert_eq!(advice["RecommendedAction"], "memory");
    assert_eq!(advice["Commands"].as_array().map(Vec::len), Some(0), "nothing helps before that");
    assert_eq!(advice["CommandsAfter"].as_array().map(Vec::len), Some(2));
}

#[test]
fn hostile_paths_are_looked_at_in_time() {
    let place = place();
    let run = place.path("run");
    let shell = "mkfifo pipe; ln -s circle circle; ln -s /dev/zero zero; mkdir many; chmod 777 many; \
                 cd many; seq 20000 | xargs touch";
    let made = Command::new("sh").args(["-c", shell]).current_dir(&run).status().expect("sh");
    assert!(made.success());
    let long = format!("/{}", "x/".repeat(3_000));
    let input = format!("pipe,circle,zero,many,{long},\\u001b]0;t\\u0007,a\\nb");
    let more = format!("TransferInput = \"{input}\"\n");
    let hold = (21, 0, "held");
    let ad = ad(&place, &output("uname", "-n"), hold, &more);
    let started = Instant::now();
    let said = files(&advice(&place, &ad, ""));
    assert!(started.elapsed() < Duration::from_secs(30));
    for (name, says) in [
        ("pipe", "is neither a file nor a directory"),
        ("circle", "is a symbolic link that leads in a circle"),
        ("zero", "is neither a file nor a directory"),
    ] {
        let path = format!("/{name} {says}");
        assert!(said.iter().any(|line| line.contains(&path)), "{name}: {said:?}");
    }
    assert!(!said.iter().any(|line| line.contains("/many ")), "{said:?}");
    assert!(!said.iter().any(|line| line.contains(char::is_control)), "{said:?}");
}

/// A FUSE file system whose daemon never answers. Only root may have one.
struct Hanging {
    at: PathBuf,
    /// Once it is closed, whoever waits is sent away.
    _device: File,
}

impl Hanging {
    fn mounted(at: PathBuf) -> Option<Self> {
        fs::create_dir(&at).expect("a folder");
        let device = File::options().read(true).write(true).open("/dev/fuse").ok()?;
        let number = device.as_raw_fd();
        let options = format!("fd={number},rootmode=40000,user_id=0,group_id=0,allow_other");
        let options = CString::new(options).expect("no zero byte");
        mount("none", &at, "fuse", MountFlags::empty(), options.as_c_str()).ok()?;
        Some(Self { at, _device: device })
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        let _ = unmount(&self.at, UnmountFlags::DETACH | UnmountFlags::FORCE);
    }
}

#[test]
fn a_mount_that_hangs_is_left_and_others_are_looked_at() {
    let place = place();
    let Some(_hanging) = Hanging::mounted(place.path("run/hung")) else { return };
    let more = "TransferInput = \"hung/one.dat,hung/two.dat,gone.dat\"\n";
    let ad = ad(&place, &output("uname", "-n"), (21, 0, "held"), more);
    let started = Instant::now();
    let said = files(&advice(&place, &ad, ""));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let hung = "Whether the input DIR/run/hung/one.dat is in order now is not known: its file system did not answer";
    assert!(said[0].starts_with(hung), "{said:?}");
    assert!(said[1].starts_with("The input DIR/run/gone.dat is not there"), "{said:?}");
    assert_eq!(said.len(), 2, "{said:?}");
}

#[test]
fn a_log_that_ads_name_under_several_names_is_read_once() {
    let place = place();
    let event =
        |proc: usize, says: &str| format!("012 (009.00{proc}.000) 2026-03-08 {says}\n...\n");
    let held = "11:00:00 Job was held.\n\tby alice\n\tCode 1 Subcode 0";
    let log = event(0, held) + &event(1, held) + &event(2, held) + "012 damaged\n...\n";
    let path = place.file("run/job.log", log);
    fs::hard_link(&path, place.path("run/hard.log")).expect("a link");
    std::os::unix::fs::symlink("job.log", place.path("run/soft.log")).expect("a link");
    let of = |proc: usize, log: &str| {
        let more = format!("UserLog = \"{log}\"\n");
        let ad = ad(&place, &output("uname", "-n"), (1, 0, "by alice"), &more);
        ad.replace("ProcId = 0", &format!("ProcId = {proc}")) + "\n"
    };
    let ads = of(0, "job.log") + &of(1, "soft.log") + &of(2, "hard.log");
    let ads = place.file("queue.ads", ads);
    place.tool("condor_q", &format!("exec /bin/cat {}", ads.display()));
    let said = place.advise("-json -allusers");
    assert_eq!(said.status, 0, "{said:?}");
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    for job in all.as_array().expect("an array") {
        let missing = job["Missing"].to_string();
        assert!(!missing.contains("job event log"), "{missing}");
    }
    assert_eq!(all.as_array().map(Vec::len), Some(3));
    assert_eq!(said.stderr.matches("Warning").count(), 1, "{}", said.stderr);
    assert!(said.stderr.contains("run/job.log: "), "{}", said.stderr);
}

#[test]
fn a_log_on_a_mount_that_hangs_is_left_out_and_named() {
    let place = place();
    let Some(_hanging) = Hanging::mounted(place.path("run/hung")) else { return };
    let event =
        "000 (009.000.000) 2026-03-08 11:00:00 Job submitted from host: <1.2.3.4:9618>\n...\n";
    place.file("run/there.log", event);
    std::os::unix::fs::symlink("hung/other.log", place.path("run/link.log")).expect("a link");
    let missing = |log: &str, nodes: &str| {
        let more = format!("UserLog = \"{log}\"\nDAGManNodesLog = \"{nodes}\"\n");
        let ad = ad(&place, &output("uname", "-n"), (1, 0, "by alice"), &more);
        let started = Instant::now();
        let advice = queued(&place, &ad);
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
        let missing = advice["Missing"].as_array().expect("a list").iter();
        let of_logs =
            missing.filter_map(Value::as_str).filter(|line| line.contains("job event log"));
        of_logs.map(str::to_owned).collect::<Vec<_>>()
    };
    let left_out =
        |name: &str| format!("job event log DIR/run/{name}: its file system did not answer");
    // The log of another file system is read in its place.
    let there = place.path("run/there.log").display().to_string();
    assert_eq!(missing("hung/job.log", &there), [left_out("hung/job.log")]);
    // So too where a link leads there.
    assert_eq!(missing("link.log", "/dev/null"), [left_out("link.log")]);
    assert_eq!(missing("there.log", "/dev/null"), [""; 0]);
}

/// A job whose program did not write its output, with the files that it wrote instead.
fn failing(place: &Place, more: &str) -> String {
    let reason = "Transfer output files failure at execution point slot1@e1 while sending files to access point ap. \
                  Details: reading from file /var/lib/condor/execute/dir_5/results.dat: (errno 2) No such file or directory";
    let streams = format!("Out = \"out.txt\"\nErr = \"err.txt\"\n{more}");
    ad(place, &output("uname", "-n"), (12, 2, reason), &streams)
}

/// The advice for a job that the queue shows.
fn queued(place: &Place, ad: &str) -> Value {
    let ads = place.file("queue.ads", ad);
    place.tool("condor_q", &format!("exec /bin/cat {}", ads.display()));
    let said = place.advise("-json");
    assert_eq!(said.status, 0, "{said:?}");
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    all[0].clone()
}

/// The advice for jobs that the queue shows: the first. `as_owner`: not root asks, but their owner.
pub(crate) fn queued_as(place: &Place, ad: &str, words: &str, as_owner: bool) -> Value {
    let ads = place.file("queue.ads", ad);
    place.tool("condor_q", &format!("exec /bin/cat {}", ads.display()));
    let mut command = place.command(env!("CARGO_BIN_EXE_condor_holdadvise"));
    command.arg("-json").args(words.split_whitespace()).stdout(Stdio::piped());
    if as_owner {
        let number = |flag| output_of("id", &[flag, &owner().0]).parse().expect("a number");
        command.uid(number("-u")).gid(number("-g"));
    }
    let said = command.output().expect("it runs");
    assert!(said.status.success(), "{said:?}");
    let all: Value = serde_json::from_slice(&said.stdout).expect("an array");
    all[0].clone()
}

#[test]
fn root_opens_a_log_that_an_ad_names_as_its_owner() {
    if !owner().1 {
        return;
    }
    let place = place();
    let event =
        "000 (009.000.000) 2026-03-08 11:00:00 Job submitted from host: <1.2.3.4:9618>\n...\n";
    let closed = place.file("closed/job.log", event);
    let folder = closed.parent().expect("a folder");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("permissions");
    let missing = |log: &Path| {
        let more = format!("UserLog = \"{}\"\n", log.display());
        let ad = ad(&place, &output("uname", "-n"), (1, 0, "by alice"), &more);
        queued(&place, &ad)["Missing"][0].as_str().expect("a line").to_owned()
    };
    // Whether it is there, and how long it is, is not for its owner to learn through root.
    for log in [closed.clone(), folder.join("none.log")] {
        let expected = format!("job event log {}: Permission denied", log.display());
        assert_eq!(missing(&log), expected.replace(&*place.path("").to_string_lossy(), "DIR/"));
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("permissions");
    assert!(!missing(&closed).contains("job event log"));
}

/// What is said of the program's words.
fn words(advice: &Value) -> Option<String> {
    let evidence = advice["Evidence"].as_array().expect("a list");
    let words = evidence.iter().find(|seen| seen["Kind"] == "ProgramWords");
    words.map(|seen| seen["Sentence"].as_str().expect("a sentence").to_owned())
}

#[test]
fn the_program_says_in_its_own_words_why_it_failed() {
    let place = place();
    let held = failing(&place, "JobCurrentStartExecutingDate = 1772960000\n");
    assert_eq!(words(&queued(&place, &held)), None);
    let error = "\u{1b}[31mTraceback (most recent call last):\n  File \"a.py\", line 1\n\
                 ModuleNotFoundError: No module named 'numpy'\u{1b}]0;x\u{7}\n";
    place.file("run/err.txt", error);
    place.file("run/out.txt", "Segmentation fault\n");
    let said = words(&queued(&place, &held));
    let line = "\"ModuleNotFoundError: No module named 'numpy'\"";
    let why = "a module or library is not there where it ran.";
    assert_eq!(said, Some(format!("Its program wrote {line} (DIR/run/err.txt): {why}")));

    // Of files that another run or another job may have written that is said.
    let earlier = failing(&place, "JobCurrentStartExecutingDate = 4102444800\n");
    let said = words(&queued(&place, &earlier));
    assert_eq!(
        said,
        Some(format!("In an earlier run its program wrote {line} (DIR/run/err.txt): {why}"))
    );
    let shared = failing(&place, "JobCurrentStartExecutingDate = 1\nTotalSubmitProcs = 9\n");
    let said = words(&queued(&place, &shared));
    let begin = "In DIR/run/err.txt, which other jobs of the cluster may write too, stands ";
    assert!(said.is_some_and(|said| said.starts_with(begin)));

    place.file("run/err.txt", "");
    let said = words(&queued(&place, &held)).expect("words");
    assert_eq!(
        said,
        "Its program wrote \"Segmentation fault\" (DIR/run/out.txt): the program crashed."
    );
    fs::set_permissions(place.path("run/out.txt"), fs::Permissions::from_mode(0o000))
        .expect("permissions");
    if owner().1 {
        assert_eq!(words(&queued(&place, &held)), None, "its owner may not read it");
    }
    // An ad in a file may name any account: root reads no program's output for it.
    fs::set_permissions(place.path("run/out.txt"), fs::Permissions::from_mode(0o644))
        .expect("permissions");
    assert_eq!(words(&advice(&place, &held, "")).is_none(), owner().1);
    // Nothing is read of a hold that says nothing about the program.
    let other = ad(&place, &output("uname", "-n"), (1, 0, "by alice"), "Err = \"err.txt\"\n");
    assert_eq!(words(&queued(&place, &other)), None);
}

#[test]
fn output_that_was_read_and_says_nothing_is_not_to_be_looked_at() {
    let place = place();
    let exited = "JobCurrentStartExecutingDate = 1772960000\nExitBySignal = false\nExitCode = 0\n";
    let held = failing(&place, exited);
    let said = |name: &str| queued(&place, &held)[name].clone();
    let write = |name: &str, text: &str| {
        let path = place.file(name, text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o666)).expect("permissions");
    };
    write("run/err.txt", "12 histograms written\n");
    // What Out names could not be read.
    assert_eq!(said("Recommendation"), "look");
    write("run/out.txt", "");
    assert_eq!(said("Recommendation"), "change");
    let change = said("Change")["Sentence"].clone();
    let remedy = "Take results.dat out of transfer_output_files, or let the program write it";
    assert!(change.as_str().is_some_and(|text| text.starts_with(remedy)), "{change}");
    let evidence = said("Evidence");
    let sentence = "Its output (DIR/run/err.txt) says nothing of a failure.";
    let of_all = evidence.as_array().expect("a list").iter();
    assert!(of_all.clone().any(|seen| seen["Sentence"] == sentence), "{evidence}");
    // Who said something is looked at.
    write("run/out.txt", "Error in <TH1F::Fit>: Fit data is empty, skipping output\n");
    assert_eq!(said("Recommendation"), "look");
}
