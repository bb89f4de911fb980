//! The daily mail, with scripts in the place of HTCondor's tools and of the mail program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mail/condor_holdadvise_mail");

/// What the schedd says of jobs: of seven for one cause, one for another, with what was asked.
const JOBS: &str = "for job in 1 2 3 4 5 6 7; do printf '8.%s\\tchange\\tdata.txt is not there.\\n' $job; done; \
     printf '9.0\\twait\\tasked %s %s\\n' \"$3\" \"$5\"";

/// A folder of its own with these settings and these owners of held jobs.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(switched_on: &str, owners: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(place.path("owners"), owners).unwrap();
        let [mail, owners, sent] =
            ["mail", "owners", "sent"].map(|name| place.path(name).display().to_string());
        place.tool(
            "condor_config_val",
            &format!(
                "case $1 in HOLDADVISE_MAIL) echo '{switched_on}' ;; MAIL) echo {mail} ;; UID_DOMAIN) echo ex.org ;; \
                 FULL_HOSTNAME) echo ap1 ;; HOLDADVISE_COUNTS) echo COUNTS ;; esac"
            ),
        );
        place.tool(
            "condor_q",
            &format!("case \"$*\" in *-af:jt*) {{ {JOBS}; }} ;; *) cat {owners} ;; esac"),
        );
        place.tool("mail", &format!("{{ echo \"$@\"; cat; }} >> {sent}"));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, name: &str, script: &str) {
        fs::write(self.path(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.folder.path().display());
        Command::new(PROGRAM).env("PATH", path).output().unwrap()
    }

    fn sent(&self) -> String {
        let sent: &Path = &self.path("sent");
        fs::read_to_string(sent).unwrap_or_default()
    }
}

#[test]
fn nothing_is_mailed_unless_it_is_switched_on() {
    for off in ["", "False", "0"] {
        let place = Place::new(off, "alice\n");
        assert!(place.run().status.success());
        assert_eq!(place.sent(), "");
    }
}

#[test]
fn each_user_gets_one_mail() {
    let place = Place::new("True", "alice\nbob\nalice\n");
    assert!(place.run().status.success());
    let sent = place.sent();
    assert!(sent.contains("-s Held jobs on ap1: 2 alice@ex.org\n"), "{sent}");
    assert!(sent.contains("-s Held jobs on ap1: 1 bob@ex.org\n"), "{sent}");
    assert!(sent.contains("\n2 of your jobs are held on ap1. "), "{sent}");
    let first =
        "7 x change: data.txt is not there.\n    8.1 8.2 8.3 8.4 8.5 ...\n\n1 x wait: asked";
    assert!(sent.contains(first), "{sent}");
    let asked = sent.split_whitespace().collect::<Vec<_>>().join(" ");
    let asks = "asked JobStatus == 5 && Owner == \"alice\" COUNTS ? HoldAdvice : \"no advice yet\"";
    assert!(asked.contains(asks), "{sent}");
    assert_eq!(sent.matches("condor_holdadvise says more").count(), 2);
}

#[test]
fn a_name_that_may_be_something_else_gets_none() {
    let place = Place::new("True", "-bcc\n$(touch x)\na\"b\n`id`\nbob\n");
    let said = place.run();
    assert!(said.status.success());
    let errors = String::from_utf8(said.stderr).unwrap();
    assert_eq!(errors.matches("no mail for an owner").count(), 4, "{errors}");
    assert_eq!(place.sent().matches("-s Held jobs on ap1: ").count(), 1, "{}", place.sent());
}
