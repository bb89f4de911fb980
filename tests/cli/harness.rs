//! A fresh directory, the program run in it, and what it said.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use assert_cmd::Command;
use rustix::fs::Mode;
use rustix::{pty, termios};
use tempfile::TempDir;

use crate::schemas;

/// A directory of its own: the home of the user, the place of all files, and the only PATH.
pub(crate) struct Place {
    dir: TempDir,
}

/// What the program said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        // What tests write is nobody else's to write.
        rustix::process::umask(Mode::WGRP | Mode::WOTH);
        let place = Self { dir: TempDir::new().expect("a temporary directory") };
        fs::create_dir(place.path("bin")).expect("an empty directory");
        // Root opens logs that ads name as their owners, of whom this machine knows few.
        let nobody = "uid=65534(x) gid=65534(x) groups=65534(x)";
        place.tool("id", &format!("/usr/bin/id \"$@\" 2>/dev/null || echo '{nobody}'"));
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.path(""), all).expect("permissions");
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, its folders too.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("folders");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Puts a shell script on PATH in the place of a tool of HTCondor.
    pub(crate) fn tool(&self, name: &str, script: &str) {
        let path = self.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }

    /// Runs the program with words separated by spaces.
    pub(crate) fn advise(&self, words: &str) -> Said {
        self.run(&words.split_whitespace().collect::<Vec<_>>(), "")
    }

    /// As [`Place::advise`], in this time zone.
    pub(crate) fn advise_in(&self, zone: &str, words: &str) -> Said {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.program(env!("CARGO_BIN_EXE_condor_holdadvise"), &words, "", zone)
    }

    /// Runs `condor_holdadvise` with these words and standard input.
    pub(crate) fn run(&self, words: &[&str], stdin: &str) -> Said {
        self.program(env!("CARGO_BIN_EXE_condor_holdadvise"), words, stdin, "UTC")
    }

    /// Runs `condor_releaseexpr` with these words and standard input.
    pub(crate) fn release_expression(&self, words: &[&str], stdin: &str) -> Said {
        self.program(env!("CARGO_BIN_EXE_condor_releaseexpr"), words, stdin, "UTC")
    }

    /// A program as all are run here, without input and output.
    pub(crate) fn command(&self, program: &str) -> process::Command {
        let mut command = process::Command::new(program);
        command
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            .env("PATH", self.path("bin"))
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// However busy the machine is: a program that takes more of a processor is killed.
    fn program(&self, program: &str, words: &[&str], stdin: &str, zone: &str) -> Said {
        let output = Command::new("/bin/sh")
            .args(["-c", "ulimit -t 60 && exec \"$0\" \"$@\"", program])
            .args(words)
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            .env("PATH", self.path("bin"))
            .env("TZ", zone)
            .env("LC_ALL", "C.UTF-8")
            .write_stdin(stdin)
            .output()
            .expect("the program runs");
        schemas::check_output(words, &String::from_utf8_lossy(&output.stdout));
        Said {
            status: output.status.code().expect("it ends by itself"),
            stdout: self.neutral(&output.stdout),
            stderr: self.neutral(&output.stderr),
        }
    }

    /// Text with the directory's name taken out.
    fn neutral(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        text.replace(&*self.dir.path().to_string_lossy(), "DIR")
    }
}

impl Said {
    /// Fails unless the program failed with one error that holds all these parts.
    pub(crate) fn is_error(&self, parts: &[&str]) {
        assert_eq!(self.status, 1, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(self.stderr.lines().all(|line| line.starts_with("Error: ")), "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {self:?}");
        }
    }
}

/// A terminal of so many columns: what reads from it, and its name for a program's output.
pub(crate) fn terminal(columns: u16) -> (File, PathBuf) {
    let flags = pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY;
    let master = pty::openpt(flags).expect("a terminal");
    pty::grantpt(&master).expect("a terminal");
    pty::unlockpt(&master).expect("a terminal");
    let size = termios::Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    termios::tcsetwinsize(&master, size).expect("a size");
    let name = pty::ptsname(&master, Vec::new()).expect("a name");
    (File::from(master), name.into_string().expect("UTF-8").into())
}

/// Puts a `condor_q` on PATH that notes its arguments and prints these ads.
pub(crate) fn queue_of(place: &Place, ads: &str) {
    place.file("queue.ads", ads);
    let script = format!(
        "echo \"$@\" >> {calls}\ncase \"$*\" in *-af*) echo '13 2' ;; *) while IFS= read -r l; do \
         printf '%s\\n' \"$l\"; done < {ads} ;; esac",
        calls = place.path("calls").display(),
        ads = place.path("queue.ads").display()
    );
    place.tool("condor_q", &script);
}

/// A held job's ad in long form, with more lines.
pub(crate) fn ad(cluster: i32, proc: i32, more: &str) -> String {
    format!(
        "MyType = \"Job\"\nClusterId = {cluster}\nProcId = {proc}\nOwner = \"alice\"\n\
         User = \"alice@example.org\"\nJobStatus = 5\nEnteredCurrentStatus = 1772359200\n\
         QDate = 1772355600\nNumHolds = 1\nNumJobStarts = 1\nHoldReasonCode = 13\n\
         HoldReasonSubCode = 2\nHoldReason = \"Transfer input files failure at access point ap1 while \
         sending files to the execution point. Details: reading from file /home/alice/in.dat: \
         (errno 2) No such file or directory\"\nRequestMemory = 1024\nMemoryProvisioned = 1024\n\
         MemoryUsage = 60\nPeriodicRelease = false\nPeriodicRemove = false\n{more}\n"
    )
}

/// The moment the tests judge at: half an hour after the hold.
pub(crate) const NOW: &str = "1772361000";

/// A job event log in which job 1234.0 is held for a missing input file.
pub(crate) const HELD_LOG: &str = "\
000 (1234.000.000) 2026-03-01 09:00:00 Job submitted from host: <127.0.0.1:9618?addrs=127.0.0.1-9618>
...
040 (1234.000.000) 2026-03-01 09:59:58 Started transferring input files
\tTransferring to host: <127.0.0.1:40000?addrs=127.0.0.1-40000>
...
012 (1234.000.000) 2026-03-01 10:00:00 Job was held.
\tTransfer input files failure at access point ap1 while sending files to the execution point. Details: reading from file /home/alice/in.dat: (errno 2) No such file or directory
\tCode 13 Subcode 2
...
";
