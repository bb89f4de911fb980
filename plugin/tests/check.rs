//! `-check` with scripts in the place of HTCondor's tools.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const PACKAGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config.d/40-holdadvise");

#[test]
fn it_names_the_file_that_overwrote_a_list_and_ends_with_1() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).display().to_string();
    fs::create_dir(path("state")).unwrap();
    fs::set_permissions(path("state"), fs::Permissions::from_mode(0o700)).unwrap();
    let tool = |name: &str, script: &str| {
        fs::write(path(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let attributes = fs::read_to_string(PACKAGED).unwrap().replace("\\\n", "");
    let attributes =
        attributes.lines().find_map(|line| line.strip_prefix("PROTECTED_JOB_ATTRS = "));
    let attributes = attributes.unwrap().replace("$(PROTECTED_JOB_ATTRS)", "");
    let check = |policies: &str| {
        let lists = format!(
            "SYSTEM_PERIODIC_RELEASE_NAMES = {policies}\n # at: /etc/condor/config.d/50-site, line 3\n\
             PROTECTED_JOB_ATTRS = {attributes}\n\
             SCHEDD_CRON_JOBLIST = HOLDADVISE HOLDADVISE_DAY\nFULL_HOSTNAME = ap1\n\
             EVENT_LOG = {}\nSCHEDD_CRON_HOLDADVISE_EXECUTABLE = {}\n # at: /etc/40, line 1\n",
            path("EventLog"),
            path("id")
        );
        let verbose = "*'-subsystem SCHEDD -verbose -dump -expand ^(SCHEDD'*";
        tool(
            "condor_config_val",
            &format!("case \"$*\" in {verbose}) cat <<'END'\n{lists}END\nesac"),
        );
        tool("condor_status", "echo DaemonStartTime = $(($(date +%s) - 60))");
        // The account of HTCondor is this one.
        tool("id", "echo uid=$(/usr/bin/id -u) gid=$(/usr/bin/id -g) groups=$(/usr/bin/id -g)");
        tool("systemctl", "echo inactive");
        let mut command = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise_advisor"));
        let output = command
            .arg("-check")
            .env_clear()
            .env("HOME", place.path())
            .env("PATH", format!("{}:/usr/bin:/bin", place.path().display()))
            .env("_CONDOR_HOLDADVISE_STATE_DIR", path("state"))
            .env("_CONDOR_HOLDADVISE_LOOKS_DIR", path("looks"))
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, said) = check("Other HoldAdvice");
    assert!(status == Some(0) && said.ends_with("No problem was found.\n"), "{said}");
    let (status, said) = check("Other");
    let named = "SYSTEM_PERIODIC_RELEASE_NAMES lacks HoldAdvice; it is set last in \
                 /etc/condor/config.d/50-site, line 3";
    assert!(status == Some(1) && said.contains(named), "{said}");
    assert!(said.ends_with("\n1 problem was found.\n"), "{said}");
}
