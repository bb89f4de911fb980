//! Keeping what a pool wrote as fixtures for tests that need no pool.

use std::fs;
use std::path::{Path, PathBuf};

use super::causes::{COMMON, FOLDER};
use super::harness::Pool;
use super::story::{OTHER, OWNER, Story};

/// A DAG of two nodes whose first goes on hold for a file that is not there.
const DAG: &str = "\
printf '#!/bin/sh\\nsleep 1\\necho done\\n' >run.sh; chmod +x run.sh
cat >node.sub <<'END'
executable = run.sh
log = node.log
output = $(node).out
transfer_input_files = $(input)
should_transfer_files = YES
request_memory = 64
request_disk = 20M
queue
END
cat >work.dag <<'END'
JOB A node.sub
VARS A node=\"A\" input=\"a.dat\"
JOB B node.sub
VARS B node=\"B\" input=\"run.sh\"
PARENT A CHILD B
END
condor_submit_dag work.dag >/dev/null
";

/// Folder of the DAG in the owner's home directory.
const DAG_FOLDER: &str = "story/dag";

/// One more form that logs can have: name and `*_FORMAT_OPTIONS`.
const FORMS: &[(&str, &str)] = &[
    ("iso", "ISO_DATE"),
    ("utc-sub-second", "ISO_DATE, UTC, SUB_SECOND"),
    ("legacy-utc", "UTC"),
    ("xml", "XML"),
    ("json", "JSON"),
];

/// Records one pool, from before the story to after it.
pub(crate) struct Recorder {
    folder: PathBuf,
}

impl Recorder {
    /// Recording into the folder that HOLDADVISE_POOL_RECORD names, if it names one. What was in it
    /// goes.
    pub(crate) fn from_environment() -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os("HOLDADVISE_POOL_RECORD")?);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        Some(Self { folder })
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a file in a folder"))
            .and_then(|()| fs::write(&path, text))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    fn copy(&self, pool: &Pool, inside: &str, name: &str) {
        self.write(name, &pool.root_shell(&format!("cat {inside}")));
    }

    /// Submits a DAG and waits until its first node is on hold.
    pub(crate) fn before(&self, pool: &Pool) {
        pool.shell(OWNER, DAG_FOLDER, DAG);
        let held = "JobStatus == 5 && DAGNodeName == \"A\"";
        pool.wait_for("a held DAG node", || {
            !pool
                .root_shell(&format!("condor_q -allusers -constraint '{held}' -af ClusterId"))
                .trim()
                .is_empty()
        });
    }

    /// The ads of all held jobs, before any is released.
    pub(crate) fn all_held(&self, pool: &Pool) {
        let held = |form: &str| {
            pool.root_shell(&format!("condor_q -allusers -constraint 'JobStatus == 5' {form}"))
        };
        self.write("held.long", &held("-long"));
        self.write("held.json", &held("-json"));
        self.write("held.txt", &held("-hold"));
        self.write("held.time", &format!("{}\n", pool.now()));
    }

    /// Ends the DAG and keeps everything that the pool wrote, then lets it write other forms of
    /// logs.
    pub(crate) fn after(&self, pool: &Pool, story: &Story) {
        pool.shell(
            OWNER,
            DAG_FOLDER,
            "echo 1 >a.dat; condor_release -constraint 'DAGNodeName == \"A\"'",
        );
        pool.wait_for("the end of the DAG", || {
            pool.root_shell("condor_q -allusers -af ClusterId").trim().is_empty()
        });
        let mut what = story.as_json();
        what["version"] =
            pool.root_shell("condor_version").lines().next().unwrap_or_default().into();
        self.write("holds.json", &format!("{what:#}\n"));
        self.write("history.long", &pool.root_shell("condor_history -long"));
        self.copy(pool, "/var/spool/condor/epoch_history", "epoch_history");
        let missing = story
            .chapters
            .iter()
            .find(|chapter| chapter.cause.name == "web-missing")
            .expect("a cause");
        self.write(
            "epochs.long",
            &pool.root_shell(&format!("condor_history -epochs -long {}", missing.job)),
        );
        for name in pool.root_shell("cd /var/log/condor; ls EventLog*").lines() {
            self.copy(pool, &format!("/var/log/condor/{name}"), name);
        }
        for user in [OWNER, OTHER] {
            for log in pool.root_shell(&format!("cd /home/{user}/{FOLDER}; ls */job.log")).lines() {
                let cause = log.trim_end_matches("/job.log");
                self.copy(
                    pool,
                    &format!("/home/{user}/{FOLDER}/{log}"),
                    &format!("userlog/{user}-{cause}.log"),
                );
            }
        }
        for file in ["work.dag", "work.dag.nodes.log", "work.dag.dagman.log", "node.log"] {
            self.copy(pool, &format!("/home/{OWNER}/{DAG_FOLDER}/{file}"), &format!("dag/{file}"));
        }
        for (name, options) in FORMS {
            self.form(pool, name, options);
        }
    }

    /// Restarts the pool with other options and keeps the logs of a job that is held, mended and
    /// finishes.
    fn form(&self, pool: &Pool, name: &str, options: &str) {
        let config = "/etc/condor/config.d/zz-form";
        pool.root_shell(&format!(
            "printf '%s\\n' 'EVENT_LOG = $(LOG)/Form.{name}' 'EVENT_LOG_FORMAT_OPTIONS = {options}' \
             'DEFAULT_USERLOG_FORMAT_OPTIONS = {options}' >{config}"
        ));
        pool.restart();
        let folder = format!("{FOLDER}/form-{name}");
        pool.shell(
            OWNER,
            &folder,
            "rm -f a.dat; printf '#!/bin/sh\\nsleep 1\\n' >run.sh; chmod +x run.sh",
        );
        let job = pool.submit(OWNER, &folder, &format!("{COMMON}transfer_input_files = a.dat"));
        let jobs = [job];
        pool.settle(&jobs);
        pool.shell(OWNER, &folder, &format!("echo 1 >a.dat; condor_release {}", jobs[0]));
        pool.settle(&jobs);
        self.copy(
            pool,
            &format!("/home/{OWNER}/{folder}/job.log"),
            &format!("forms/{name}.job.log"),
        );
        self.copy(pool, &format!("/var/log/condor/Form.{name}"), &format!("forms/{name}.EventLog"));
        pool.root_shell(&format!("rm {config}"));
    }

    /// Where the fixtures are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}
