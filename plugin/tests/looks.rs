//! Looks at files as their owners, by the real programs, with a script in the place of `condor_q`.
//! Only root takes rights of others: skipped, and said so, for everybody else.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use holdadvise::advice::Recommendation;
use holdadvise_plugin::line::{Judged, Line};
use holdadvise_plugin::looks::OWNERS as OWNERS_OF_A_ROUND;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::thread::{Gid, Uid, set_thread_groups, set_thread_res_gid, set_thread_res_uid};

const LOOKS: &str = env!("CARGO_BIN_EXE_condor_holdadvise_looks");
const ADVISOR: &str = env!("CARGO_BIN_EXE_condor_holdadvise_advisor");

/// The account in the place of HTCondor's, and two owners: accounts of every Debian.
const CONDOR: &str = "daemon";
const OWNERS: [&str; 2] = ["games", "nobody"];

/// `condor_q`: who asks, the owners, and the ads of an owner.
const CONDOR_Q: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
id -u >>asked
case "$*" in
*"-af Owner") cat owners ;;
*-long*)
    owner=${*##*Owner =\?= \"}
    owner=${owner%\"}
    if [ -e "slow.$owner" ]; then exec sleep 600; fi
    cat "ads.$owner"
    if [ -e "hangs.$owner" ]; then exec sleep 600; fi ;;
esac
"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A folder that all accounts may enter, with the programs in it.
    fn or_skip() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            println!("skipped: only root takes the rights of other accounts");
            return None;
        }
        let place = Self { folder: tempfile::tempdir().unwrap() };
        set(&place.path(""), 0o755);
        fs::copy(LOOKS, place.path("looks")).unwrap();
        place.write("condor_q", CONDOR_Q);
        set(&place.path("condor_q"), 0o755);
        place.write("asked", "");
        set(&place.path("asked"), 0o666);
        place.write("owners", &(OWNERS.join("\n") + "\n"));
        for owner in OWNERS {
            place.write(&format!("ads.{owner}"), "");
            fs::create_dir(place.path(owner)).unwrap();
            let (uid, gid) = (number("-u", owner), number("-g", owner));
            chown(place.path(owner), Some(uid), Some(gid)).unwrap();
            set(&place.path(owner), 0o700);
        }
        Some(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env("PATH", format!("{}:/usr/bin:/bin", self.folder.path().display()))
            .env("HOME", self.path(""))
            .env("_CONDOR_FULL_HOSTNAME", "ap.example.org")
            .env("_CONDOR_HOLDADVISE_LOOKS_DIR", self.path("records"))
            .env("_CONDOR_HOLDADVISE_LOOKS_ACCOUNT", CONDOR)
            .env("_CONDOR_HOLDADVISE_STATE_DIR", self.path(""));
        command
    }

    fn round(&self) -> Output {
        self.command(&self.path("looks")).output().unwrap()
    }

    /// What a round says; it must be made.
    fn must(&self) -> (String, String) {
        let output = self.round();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{said:?}");
        said
    }

    fn record(&self, owner: &str) -> Option<String> {
        fs::read_to_string(self.path("records").join(format!("{owner}.json"))).ok()
    }

    /// The job in the queue, held for an input file since an hour.
    fn hold(&self, owner: &str, path: &Path, more: &str) -> String {
        let ad = ad(owner, path) + more;
        self.write(&format!("ads.{owner}"), &ad);
        ad
    }

    /// The line of the judge for the only job.
    fn judged(&self, ads: &str) -> Judged {
        let mut judge = self
            .command(Path::new(ADVISOR))
            .arg("-judge")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        judge.stdin.take().unwrap().write_all(ads.as_bytes()).unwrap();
        let output = judge.wait_with_output().unwrap();
        let mut lines = output.stdout.split(|byte| *byte == b'\n').filter_map(Line::read);
        let job = lines.find_map(|line| match line {
            Line::Job(job) => Some(job),
            _ => None,
        });
        job.unwrap()
    }

    /// Processes that look for an owner here.
    fn processes(&self, owner: &str) -> Vec<u32> {
        let arguments = format!("-owner\0{owner}\0");
        let all = processes_of(&self.path("looks")).into_iter();
        all.filter(|(_, words)| words.starts_with(&arguments)).map(|(pid, _)| pid).collect()
    }

    fn notes(&self) -> String {
        let output = self.command(Path::new(ADVISOR)).arg("-judge").stdin(Stdio::null()).output();
        String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
    }
}

/// Processes of this program, and their arguments.
fn processes_of(program: &Path) -> Vec<(u32, String)> {
    let begin = format!("{}\0", program.display());
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let found = pids.filter_map(|pid| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).into_owned();
        Some((pid, words.strip_prefix(&begin)?.to_owned()))
    });
    found.collect()
}

/// What the kernel says of a process behind a name; `None` where it is gone.
fn status(pid: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    Some(line?.trim().to_owned())
}

/// The file x was seen, and nothing is wrong.
fn is_in_order(record: &str) -> bool {
    record.contains("/games/x\"") && !record.contains("Wrong") && !record.contains("Err")
}

fn number(what: &str, account: &str) -> u32 {
    let output = Command::new("id").args([what, account]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn ad(owner: &str, path: &Path) -> String {
    let path = path.display();
    let since = jiff::Timestamp::now().as_second() - 3_600;
    format!(
        "ClusterId = 7\nProcId = 0\nGlobalJobId = \"ap.example.org#7.0#1\"\nOwner = \"{owner}\"\n\
         User = \"{owner}@example.org\"\nJobStatus = 5\nJobUniverse = 5\nNumHolds = 1\n\
         EnteredCurrentStatus = {since}\nHoldReasonCode = 13\nHoldReasonSubCode = 2\n\
         HoldReason = \"Transfer input files failure at access point ap while sending files to \
         execution point ep. Details: reading from file {path}: (errno 2) No such file or \
         directory\"\nIwd = \"/\"\nCmd = \"/bin/sleep\"\nTransferInput = \"{path}\"\n"
    )
}

#[test]
fn each_owner_is_looked_at_with_its_own_rights() {
    let Some(place) = Place::or_skip() else { return };
    let [mine, others] = OWNERS;
    let file = place.path(mine).join("x");
    fs::write(&file, "1").unwrap();
    place.hold(mine, &file, "");
    place.hold(others, &file, "");
    let (said, faults) = place.must();
    assert_eq!(
        (said.as_str(), faults.as_str()),
        ("Looked at the files of 2 of 2 owners of held jobs\n", "")
    );
    assert!(is_in_order(&place.record(mine).unwrap()));
    let denied = place.record(others).unwrap();
    assert!(denied.contains("\"Denied\"") && denied.contains("/games/x"), "{denied}");
    // Only the account of HTCondor asked, and only that may read.
    let asked = fs::read_to_string(place.path("asked")).unwrap();
    let condor = number("-u", CONDOR).to_string();
    assert!(asked.lines().count() == 3 && asked.lines().all(|uid| uid == condor), "{asked}");
    for (name, mode) in [("", 0o750), ("games.json", 0o640), ("nobody.json", 0o640)] {
        let metadata = fs::metadata(place.path("records").join(name)).unwrap();
        let found = (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777);
        assert_eq!(found, (0, number("-g", CONDOR), mode), "{name}");
    }
}

/// The unit gives root no more than these capabilities.
#[test]
fn the_capabilities_of_the_unit_are_enough() {
    let Some(place) = Place::or_skip() else { return };
    let owner = OWNERS[0];
    let file = place.path(owner).join("x");
    fs::write(&file, "1").unwrap();
    place.hold(owner, &file, "");
    let unit = include_str!("../systemd/condor-holdadvise-looks.service");
    let of_unit =
        unit.lines().find_map(|line| line.strip_prefix("CapabilityBoundingSet=")).unwrap();
    let names = of_unit.split(' ').map(|name| name.trim_start_matches("CAP_").to_lowercase());
    let set: Vec<String> = names.map(|name| format!("+{name}")).collect();
    let set = format!("--bounding-set=-all,{}", set.join(","));
    let mut command = place.command(Path::new("setpriv"));
    command.args([&set, "--inh-caps=-all", "--no-new-privs"]).arg(place.path("looks"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    assert!(is_in_order(&place.record(owner).unwrap()));
    let record = place.path("records").join(format!("{owner}.json"));
    assert_eq!(fs::metadata(record).unwrap().gid(), number("-g", CONDOR));
    // Without them it does nothing.
    let mut command = place.command(Path::new("setpriv"));
    command.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(place.path("looks"));
    assert!(!command.output().unwrap().status.success());
}

#[test]
fn the_unit_is_exposed_to_little() {
    let unit = concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/condor-holdadvise-looks.service");
    let mut command = Command::new("systemd-analyze");
    // Tenths.
    command.args(["security", "--no-pager", "--offline=true", "--threshold=25", unit]);
    let Ok(output) = command.output() else {
        println!("skipped: exposure of the unit of looks: no systemd-analyze");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn advice_follows_what_was_seen_since_the_hold() {
    let Some(place) = Place::or_skip() else { return };
    let [owner, other] = OWNERS;
    let file = place.path(owner).join("x.dat");
    let ad = place.hold(owner, &file, "");
    let before = place.judged(&ad);
    place.must();
    let missing = place.judged(&ad);
    assert_eq!(missing.advice, Recommendation::Change);
    assert!(missing.reason.contains("x.dat is still not there"), "{}", missing.reason);

    fs::write(&file, "1").unwrap();
    place.must();
    let there = place.judged(&ad);
    assert_eq!(there.advice, Recommendation::Release, "{there:?}");
    assert!(there.reason.contains("x.dat is there and can be read"), "{}", there.reason);

    // A later hold, another owner's job, one that runs as another account: as without looks.
    let at = ad.lines().find(|line| line.starts_with("EnteredCurrentStatus")).unwrap();
    let later = ad.replace(at, "EnteredCurrentStatus = 4000000000");
    for ad in [
        later.clone(),
        ad.replace(&format!("Owner = \"{owner}\""), &format!("Owner = \"{other}\"")),
        ad.clone() + &format!("OsUser = \"{other}\"\n"),
    ] {
        let with = place.judged(&ad);
        assert_eq!(with.advice, before.advice);
        fs::rename(place.path("records"), place.path("away")).unwrap();
        let without = place.judged(&ad);
        fs::rename(place.path("away"), place.path("records")).unwrap();
        assert_eq!(with, without);
    }
}

#[test]
fn of_a_file_that_the_hold_does_not_name_the_ad_says_nothing() {
    let Some(place) = Place::or_skip() else { return };
    let owner = OWNERS[0];
    let file = place.path(owner).join("x.dat");
    fs::write(&file, "1").unwrap();
    let secret = place.path(owner).join("secret");
    let more = format!("In = \"{}\"\n", secret.display());
    let ad = place.hold(owner, &file, &more);
    place.must();
    let judged = place.judged(&ad);
    assert_eq!(judged.advice, Recommendation::Change);
    let says = "Another file that it needs is not in order";
    assert!(judged.reason.contains(says) && !judged.reason.contains("secret"), "{judged:?}");
    fs::write(&secret, "#!/very/secret\n").unwrap();
    place.must();
    assert_eq!(place.judged(&ad).advice, Recommendation::Release);
}

#[test]
fn who_takes_too_long_has_no_record_and_holds_up_nobody() {
    let Some(place) = Place::or_skip() else { return };
    let [slow, quick] = OWNERS;
    for owner in OWNERS {
        place.hold(owner, &place.path(owner).join("x"), "");
    }
    place.must();
    assert!(place.record(slow).is_some());
    place.write(&format!("slow.{slow}"), "");
    let begun = Instant::now();
    let (said, faults) = place.must();
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(said.contains("1 of 2 owners"), "{said}");
    assert!(faults.contains("games: condor_q took longer"), "{faults}");
    assert!(place.record(slow).is_none() && place.record(quick).is_some());
    assert_eq!(place.processes(OWNERS[0]), Vec::<u32>::new());
}

/// A FUSE file system whose daemon takes requests and never answers: no signal ends who waits.
struct Hanging {
    at: PathBuf,
    /// Once it is closed, whoever waits is sent away.
    _device: fs::File,
}

impl Hanging {
    fn mounted(at: PathBuf) -> Option<Self> {
        fs::create_dir(&at).unwrap();
        let mut device = fs::File::options().read(true).write(true).open("/dev/fuse").ok()?;
        let number = device.as_raw_fd();
        let options = format!("fd={number},rootmode=40000,user_id=0,group_id=0,allow_other");
        let options = CString::new(options).unwrap();
        mount("none", &at, "fuse", MountFlags::empty(), options.as_c_str()).ok()?;
        let mounted = Self { at, _device: device.try_clone().unwrap() };
        // FUSE_INIT alone is answered: length, no error, its number; version 7.31 and zeros.
        let mut request = vec![0; 64 << 10];
        let _ = device.read(&mut request).unwrap();
        let mut answer =
            [[80_u32, 0].map(u32::to_ne_bytes).concat(), request[8..16].to_vec()].concat();
        answer.extend([7_u32, 31].map(u32::to_ne_bytes).concat());
        answer.resize(80, 0);
        device.write_all(&answer).unwrap();
        std::thread::spawn(move || while device.read(&mut request).is_ok() {});
        Some(mounted)
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        let _ = unmount(&self.at, UnmountFlags::DETACH | UnmountFlags::FORCE);
    }
}

#[test]
fn a_file_system_that_hangs_leaves_what_else_was_seen() {
    let Some(place) = Place::or_skip() else { return };
    let Some(hanging) = Hanging::mounted(place.path("hung")) else {
        println!("skipped: no FUSE here");
        return;
    };
    let owner = OWNERS[0];
    let file = place.path(owner).join("x");
    fs::write(&file, "1").unwrap();
    let hung = place.path("hung/y");
    let more = format!("TransferInput = \"{},{}\"\n", hung.display(), file.display());
    let ad = ad(owner, &file).replace("TransferInput", "Was") + &more;
    place.write(&format!("ads.{owner}"), &ad);
    place.write("owners", &format!("{owner}\n"));
    // One loop, which knows what it has left behind.
    let mut command = place.command(&place.path("looks"));
    command
        .arg("-loop")
        .env("_CONDOR_HOLDADVISE_LOOKS_INTERVAL_SECONDS", "1")
        .stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    let record = wait_for(|| place.record(owner));
    assert!(record.contains("NoAnswer") && record.contains("/games/x\""), "{record}");
    // What waits is left behind, and nothing is put beside it.
    wait_for(|| place.record(owner).is_none().then_some(()));
    drop(hanging);
    wait_for(|| place.record(owner));
    running.kill().unwrap();
    let said = String::from_utf8(running.wait_with_output().unwrap().stderr).unwrap();
    assert!(
        said.contains("games: the process that looks failed: an earlier one still waits"),
        "{said}"
    );
}

#[test]
fn its_owner_may_stop_a_process_and_harms_nobody_else() {
    let Some(place) = Place::or_skip() else { return };
    let [stopped, other] = OWNERS;
    for owner in OWNERS {
        place.hold(owner, &place.path(owner).join("x"), "");
    }
    // So that there is time.
    place.write(&format!("slow.{stopped}"), "");
    let shell = "exec 9</dev/null; exec \"$0\"";
    let mut command = place.command(Path::new("sh"));
    command.args(["-c", shell]).arg(place.path("looks")).stderr(Stdio::piped());
    let running = command.spawn().unwrap();
    let pid = wait_for(|| place.processes(stopped).first().copied());
    // It has the rights of its owner alone, and nothing in its environment.
    let uid = number("-u", stopped).to_string();
    let has_rights = |ids: String| ids.split_whitespace().all(|id| id == uid).then_some(());
    wait_for(|| has_rights(status(pid, "Uid").unwrap()));
    for (name, expected) in [("NoNewPrivs", "1"), ("Seccomp", "2"), ("CapEff", "0000000000000000")]
    {
        assert_eq!(status(pid, name).unwrap(), expected, "{name}");
    }
    assert_eq!(fs::read(format!("/proc/{pid}/environ")).unwrap(), b"");
    // Input, output, /dev/null; another it may have for a moment.
    let open = || fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    wait_for(|| (open() == 3).then_some(()));
    let mut stop = Command::new("kill");
    stop.args(["-STOP", &pid.to_string()]).uid(number("-u", stopped));
    assert!(stop.status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(place.record(stopped).is_none() && place.record(other).is_some());
    assert_eq!(place.processes(OWNERS[0]), Vec::<u32>::new());
}

/// What can be attached to can be made to start what stays among the processes of root's service.
#[test]
fn no_process_with_an_owners_rights_can_be_attached_to_or_starts_another() {
    let Some(place) = Place::or_skip() else { return };
    let owner = OWNERS[0];
    let file = place.path(owner).join("x");
    fs::write(&file, "1").unwrap();
    place.hold(owner, &file, "\n");
    place.write("owners", &format!("{owner}\n"));
    // So that there is time, with one job looked at.
    place.write(&format!("hangs.{owner}"), "");
    let (uid, gid) = (number("-u", owner), number("-g", owner));
    let mut running = place.command(&place.path("looks")).stderr(Stdio::null()).spawn().unwrap();
    let program = place.path("looks");
    let attacker = std::thread::spawn(move || {
        let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
        set_thread_groups(&[]).unwrap();
        set_thread_res_gid(gid, gid, gid).unwrap();
        set_thread_res_uid(uid, uid, uid).unwrap();
        let own = format!("{0}\t{0}\t{0}\t{0}", uid.as_raw());
        let (mut attempts, mut attached, mut seen) = (0, BTreeSet::new(), BTreeSet::new());
        loop {
            let all = processes_of(&program);
            if all.is_empty() && attempts > 0 {
                return (attempts, attached, seen);
            }
            for (pid, words) in all {
                // Whoever may write there may attach, too (ptrace(2), PTRACE_MODE_ATTACH).
                let open = || fs::File::options().write(true).open(format!("/proc/{pid}/mem"));
                for _ in 0..100 {
                    if status(pid, "Uid").is_none_or(|uid| uid != own) {
                        break;
                    }
                    attempts += 1;
                    let first = words.split('\0').next().unwrap_or_default().to_owned();
                    if open().is_ok() {
                        attached.insert(first.clone());
                    }
                    seen.insert(first);
                }
            }
        }
    });
    running.wait().unwrap();
    let (attempts, attached, seen) = attacker.join().unwrap();
    println!("{attempts} attempts on {seen:?}");
    assert_eq!(attached, BTreeSet::new());
    assert_eq!(seen, BTreeSet::from(["-owner".to_owned()]));
    assert_eq!(processes_of(&place.path("looks")), []);
}

#[test]
fn owners_without_an_account_take_no_places() {
    let Some(place) = Place::or_skip() else { return };
    for count in [OWNERS_OF_A_ROUND + 1, 20_000] {
        let others: Vec<String> = (0..count).map(|n| format!("_no-{n}")).collect();
        place.write("owners", &format!("{}\n{}\n", others.join("\n"), OWNERS.join("\n")));
        let (said, faults) = place.must();
        let expected =
            format!("Looked at the files of 2 of {} owners of held jobs\n", others.len() + 2);
        assert_eq!((said, faults.as_str()), (expected, ""));
    }
}

#[test]
fn one_round_comes_after_the_other() {
    let Some(place) = Place::or_skip() else { return };
    let owner = OWNERS[0];
    place.hold(owner, &place.path(owner).join("x"), "");
    let mut command = place.command(&place.path("looks"));
    command
        .arg("-loop")
        .env("_CONDOR_HOLDADVISE_LOOKS_INTERVAL_SECONDS", "1")
        .stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    let is_missing = |wanted: bool| {
        let found = || place.record(owner).filter(|record| record.contains("Missing") == wanted);
        wait_for(found)
    };
    is_missing(true);
    fs::write(place.path(owner).join("x"), "1").unwrap();
    is_missing(false);
    running.kill().unwrap();
    let said = running.wait_with_output().unwrap().stderr;
    assert_eq!(String::from_utf8_lossy(&said), "");
}

#[test]
fn owners_that_are_no_users_are_left_out() {
    let Some(place) = Place::or_skip() else { return };
    let owner = OWNERS[0];
    place.hold(owner, &place.path(owner).join("x"), "");
    let long = "a".repeat(5_000);
    let other = number("-u", OWNERS[1]).to_string();
    let names =
        ["root", CONDOR, "../../x", "-rf", "0", &other, &long, "undefined", "no-such-account"];
    let lines = [&names[..], &[owner, owner, "\0", ""]].concat().join("\n");
    place.write("owners", &lines);
    let (said, faults) = place.must();
    assert_eq!(
        (said.as_str(), faults.as_str()),
        ("Looked at the files of 1 of 5 owners of held jobs\n", "")
    );
    let records = fs::read_dir(place.path("records")).unwrap();
    let names: Vec<_> = records.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["games.json"]);
}

#[test]
fn records_go_with_the_last_held_job_and_nothing_else_goes() {
    let Some(place) = Place::or_skip() else { return };
    place.must();
    assert!(OWNERS.iter().all(|owner| place.record(owner).is_some()));
    fs::write(place.path("records/notes.txt"), "").unwrap();
    place.write("owners", "");
    let (said, _) = place.must();
    assert_eq!(said, "Looked at the files of 0 of 0 owners of held jobs\n");
    let records = fs::read_dir(place.path("records")).unwrap();
    let names: Vec<_> = records.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["notes.txt"]);
    // Where nobody answers nothing is known to be gone.
    place.write("owners", &(OWNERS.join("\n") + "\n"));
    place.must();
    fs::remove_file(place.path("owners")).unwrap();
    let output = place.round();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("condor_q failed"));
    assert!(place.record(OWNERS[0]).is_some());
}

#[test]
fn a_folder_or_rights_of_others_end_it() {
    let Some(place) = Place::or_skip() else { return };
    fs::create_dir(place.path("records")).unwrap();
    let refused = |output: Output, says: &str| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(says), "{said}");
    };
    refused(place.round(), "expected a folder of its own");
    fs::remove_dir(place.path("records")).unwrap();
    let mut user = place.command(&place.path("looks"));
    refused(user.uid(number("-u", OWNERS[0])).output().unwrap(), "this is for root");
    // Nobody makes it look with root's rights.
    for ids in [&["0", "0"][..], &["5"], &["x", "1"], &[]] {
        let mut owner = place.command(&place.path("looks"));
        let output = owner.args(["-owner", "root", "ap"]).args(ids).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{ids:?}");
    }
    assert!(!place.path("records").exists());
}

#[test]
fn a_record_that_is_none_is_said_once_and_changes_nothing() {
    let Some(place) = Place::or_skip() else { return };
    let [owner, other] = OWNERS;
    let file = place.path(owner).join("x");
    let ad = place.hold(owner, &file, "");
    place.must();
    let missing = place.judged(&ad);
    for owner in OWNERS {
        fs::write(place.path("records").join(format!("{owner}.json")), "garbage").unwrap();
    }
    let notes = place.notes();
    assert_eq!(notes.matches("it is no record (1 more)").count(), 1, "{notes}");
    assert_ne!(place.judged(&ad), missing);
    // An old one, and one that others may have written, do not count.
    place.must();
    assert_eq!(place.judged(&ad), missing);
    let record = place.path("records").join(format!("{owner}.json"));
    let since = |seconds: u64| {
        let at = std::time::SystemTime::now() - Duration::from_secs(seconds);
        fs::File::options().write(true).open(&record).unwrap().set_modified(at).unwrap();
    };
    since(400);
    assert_ne!(place.judged(&ad), missing);
    since(10);
    assert_eq!(place.judged(&ad), missing);
    chown(&record, Some(number("-u", other)), None).unwrap();
    assert_ne!(place.judged(&ad), missing);
    let notes = place.notes();
    assert!(notes.contains("it belongs to user id"), "{notes}");
}

/// What is there before long.
fn wait_for<T>(look: impl Fn() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "nothing after a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
}
