//! Proxies, tokens and executables that a job names, looked at on the access point.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::checks::{ad, advice, files, output, owner, place};
use crate::harness::Place;

const OLD: &str = include_str!("../../src/checks/testdata/old.pem");
const NEW: &str = include_str!("../../src/checks/testdata/new.pem");

const MEMORY: (i32, i32, &str) =
    (34, 102, "Error from slot1@e1: Job has gone over cgroup memory limit of 128 megabytes.");

/// What is said of the files of a job of this machine.
fn said(place: &Place, hold: (i32, i32, &str), more: &str) -> Vec<String> {
    files(&advice(place, &ad(place, &output("uname", "-n"), hold, more), ""))
}

fn seen_as() -> String {
    format!("(looked at now as {}).", owner().0)
}

#[test]
fn an_expired_proxy_is_renewed_before_anything_else() {
    let place = place();
    place.file("run/proxy.pem", OLD);
    let more = "x509userproxy = \"proxy.pem\"\nRequestMemory = 128\n";
    let job = ad(&place, &output("uname", "-n"), MEMORY, more);
    let expired = advice(&place, &job, "");
    let seen = files(&expired);
    assert!(
        seen[0].starts_with("The proxy certificate DIR/run/proxy.pem has expired, "),
        "{seen:?}"
    );
    assert!(seen[0].ends_with(&format!(" days ago {}", seen_as())), "{seen:?}");
    assert_eq!(expired["CorrectBefore"][0]["What"], "Credential", "{expired}");
    assert_eq!(expired["CorrectBefore"][0]["Name"], "DIR/run/proxy.pem", "{expired}");
    assert!(expired["Success"]["as-is"].as_f64() <= Some(0.05), "{}", expired["Success"]);
    assert!(!expired.to_string().contains("MII"), "nothing of its content is printed");

    place.file("run/proxy.pem", NEW);
    let renewed = advice(&place, &job, "");
    let expected = "The proxy certificate DIR/run/proxy.pem is there and can be read, and was \
                    changed since the hold";
    assert_eq!(files(&renewed), [format!("{expected} {}", seen_as())]);
    assert_eq!(renewed["CorrectBefore"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_proxy_of_100_megabytes_is_none() {
    let place = place();
    let path = place.file("run/proxy.pem", NEW);
    let file = fs::File::options().write(true).open(path).expect("a file");
    file.set_len(100 << 20).expect("a sparse file");
    let seen = said(&place, MEMORY, "x509userproxy = \"proxy.pem\"\n");
    let why = "is in order now is not known: it is too large for a credential";
    let expected = format!("Whether the proxy certificate DIR/run/proxy.pem {why} {}", seen_as());
    assert_eq!(seen, [expected]);
}

#[test]
fn a_token_that_ends_before_the_run_is_evidence_and_no_more() {
    let place = place();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
    let claims = BASE64_URL_SAFE_NO_PAD.encode(format!("{{\"exp\":{}}}", now + 1_000));
    let path = place.file("run/token", format!("e30.{claims}.c2ln\n"));
    let of_token = |more: &str| {
        let more = format!("ScitokensFile = \"{}\"\nRequestMemory = 128\n{more}", path.display());
        let advice = advice(&place, &ad(&place, &output("uname", "-n"), MEMORY, &more), "");
        assert_eq!(advice["CorrectBefore"].as_array().map(Vec::len), Some(0), "{advice}");
        files(&advice).concat()
    };
    let early = "; it expires in 16 minutes, and a run may take 2 hours";
    assert!(of_token("AllowedExecuteDuration = 7200\n").contains(early));
    assert!(of_token("RemoteWallClockTime = 14400.0\nJobRunCount = 2\n").contains(early));
    assert!(!of_token("AllowedExecuteDuration = 600\n").contains("expires"));
    assert!(!of_token("").contains("expires"));
}

#[test]
fn what_runs_an_executable_and_where_it_lies_is_looked_at() {
    let place = place();
    let run = |name: &str, more: &str| {
        let job = ad(&place, &output("uname", "-n"), MEMORY, more);
        let path = place.path(&format!("run/{name}")).display().to_string();
        files(&advice(&place, &job.replace("\"/bin/sh\"", &format!("\"{path}\"")), "")).concat()
    };
    place.file("run/script", "#!/opt/none/bin/python2\u{1b} -u\n");
    let said = run("script", "");
    assert!(said.contains("its interpreter \"/opt/none/bin/python2\""), "{said}");
    assert!(said.contains("is not on this machine (an execution point may have it)"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    place.file("run/script", "#!/bin/sh\n");
    assert!(run("script", "").ends_with(&format!("and was changed since the hold {}", seen_as())));
    let in_place = "ShouldTransferFiles = \"NO\"\n";
    let mode = |mode| {
        let script = place.path("run/script");
        fs::set_permissions(script, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    mode(0o644);
    let said = run("script", in_place);
    assert!(said.contains("but may not be executed here, and it runs where it lies"), "{said}");
    mode(0o755);
    assert_eq!(run("script", in_place), "");
    assert_eq!(run("none", in_place), "", "it may lie at the execution point alone");

    // A program for another kind of machine, unless the job asks for that.
    let number = if std::env::consts::ARCH == "aarch64" { 62 } else { 183 };
    let elf = [b"\x7fELF\x02\x01".as_slice(), &[0; 12], &[number, 0], &[0; 44]].concat();
    place.file("run/program", elf);
    let machine = if number == 62 { "x86_64" } else { "aarch64" };
    let says = format!("it is a program for {machine} machines, and this is none");
    assert!(run("program", "").contains(&says));
    let asks = format!("Requirements = (TARGET.Arch == \"{machine}\")\n");
    assert!(!run("program", &asks).contains(&says));
}

#[test]
fn empty_inputs_and_files_in_the_place_of_folders_are_seen() {
    let place = place();
    place.file("run/empty.dat", "");
    place.file("run/folder", "a file");
    fs::create_dir(place.path("run/other")).expect("a folder");
    let seen = said(&place, MEMORY, "TransferInput = \"empty.dat,folder/,other/\"\n");
    let expected = [
        "The input DIR/run/empty.dat is there and can be read, but is empty",
        "The input DIR/run/folder/ is no directory",
    ];
    assert_eq!(seen, expected.map(|line| format!("{line} {}", seen_as())));
}
