//! The pool as a test sees it: `tests/pool/pool` run as a program.

// Each test uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Exit status of `pool` on a machine that cannot hold a pool.
const CANNOT: i32 = 77;
/// Exit status of `pool` where Debian's development release cannot be installed at present.
const UNSTABLE: i32 = 78;

/// How long something is waited for. Assumed: on the busiest machine nothing takes as long, so that
/// who waits for it would wait for ever.
const PATIENCE: Duration = Duration::from_secs(1800);

/// JobStatus of a job that is held.
pub(crate) const HELD: i64 = 5;
/// JobStatus of a job that is completed.
pub(crate) const COMPLETED: i64 = 4;

/// A running pool. It is taken down when it is dropped, unless it ran before or
/// HOLDADVISE_POOL_KEEP is set.
pub(crate) struct Pool {
    program: PathBuf,
    /// Folder of the pool, where it is not the default one.
    root: Option<PathBuf>,
    /// Debian's release, where it is not the default one.
    release: Option<&'static str>,
    keep: bool,
}

/// Why there is no pool.
pub(crate) enum NoPool {
    /// This machine cannot hold one: a test is skipped.
    Cannot(String),
    /// Debian's development release cannot be installed at present: a test is skipped, even if it
    /// is required.
    Unstable(String),
    /// It can, but something went wrong: a test fails.
    Failed(String),
}

impl NoPool {
    /// Whether `pool`, or a script that set one up with it, came to its end.
    pub(crate) fn or_done(output: &Output) -> Result<(), Self> {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        // Scripts take the pool down behind the reason.
        let last = message.lines().rfind(|line| !line.contains("nothing in ")).unwrap_or_default();
        let reason = last.trim_start_matches("pool: ").to_owned();
        match output.status.code() {
            Some(0) => Ok(()),
            Some(CANNOT) => Err(Self::Cannot(reason)),
            Some(UNSTABLE) => Err(Self::Unstable(reason)),
            _ => Err(Self::Failed(message)),
        }
    }
}

impl Pool {
    /// Sets a pool up, or takes the one that runs.
    pub(crate) fn up() -> Result<Self, NoPool> {
        Self::up_in(None, None)
    }

    /// Sets up a pool of its own in `.pool/NAME` under the repository, or in HOLDADVISE_POOL_ROOT, or
    /// takes the one that runs there.
    pub(crate) fn up_as(name: &str) -> Result<Self, NoPool> {
        let own = std::env::var_os("HOLDADVISE_POOL_ROOT").is_none();
        Self::up_in(own.then(|| repository().join(".pool").join(name)), None)
    }

    /// The same of a release of Debian, and so with its version of HTCondor.
    pub(crate) fn up_as_release(name: &str, release: &'static str) -> Result<Self, NoPool> {
        Self::up_in(Some(repository().join(".pool").join(name)), Some(release))
    }

    fn up_in(root: Option<PathBuf>, release: Option<&'static str>) -> Result<Self, NoPool> {
        let program = repository().join("tests/pool/pool");
        let mut pool = Self { program, root, release, keep: true };
        let runs = pool.call(&["status"]).status.success();
        NoPool::or_done(&pool.call(&["up"]))?;
        pool.keep = runs || std::env::var_os("HOLDADVISE_POOL_KEEP").is_some();
        Ok(pool)
    }

    /// Whether the tests that need a pool are to be played; says so where they are not.
    pub(crate) fn is_asked_for() -> bool {
        let asked = is_set("HOLDADVISE_REQUIRE_POOL") || is_set("HOLDADVISE_POOL");
        if !asked {
            println!("skipped: a real pool takes minutes; HOLDADVISE_POOL=1 asks for it");
        }
        asked
    }

    /// The pool that `up` sets up, or what came of a play in one, if a pool is asked for, or `None`
    /// after saying why the test is skipped.
    ///
    /// # Panics
    /// Where there can be no pool and one is required.
    pub(crate) fn or_skip<T>(up: impl FnOnce() -> Result<T, NoPool>) -> Option<T> {
        if !Self::is_asked_for() {
            return None;
        }
        let required = is_set("HOLDADVISE_REQUIRE_POOL");
        match up() {
            Ok(pool) => Some(pool),
            Err(NoPool::Unstable(reason)) => {
                println!("skipped: {reason}");
                None
            }
            Err(NoPool::Cannot(reason)) if !required => {
                println!("skipped: {reason}");
                None
            }
            Err(NoPool::Cannot(reason) | NoPool::Failed(reason)) => panic!("no pool: {reason}"),
        }
    }

    fn call(&self, arguments: &[&str]) -> Output {
        let (command, rest) = arguments.split_first().unwrap_or((&"help", &[]));
        let mut call = Command::new(&self.program);
        call.arg(command);
        if let Some(root) = &self.root {
            call.arg("--root").arg(root);
        }
        if let Some(release) = self.release {
            call.arg("--release").arg(release);
        }
        call.arg("--")
            .args(rest)
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.program.display()))
    }

    /// Runs `pool` with these arguments and returns its standard output.
    fn must(&self, arguments: &[&str]) -> String {
        let output = self.call(arguments);
        assert!(
            output.status.success(),
            "pool {arguments:?}: {}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a shell command as a user, in a folder of the user's home directory.
    pub(crate) fn shell(&self, user: &str, folder: &str, command: &str) -> String {
        let script = format!("set -e; mkdir -p {folder}; cd {folder}; export PWD\n{command}");
        self.must(&["run", user, "sh", "-c", &script])
    }

    /// Runs a shell command as root.
    pub(crate) fn root_shell(&self, command: &str) -> String {
        self.must(&["root-run", "sh", "-c", command])
    }

    /// Switches a fault.
    pub(crate) fn fault(&self, name: &str, on: bool) {
        self.must(&["fault", name, if on { "on" } else { "off" }]);
    }

    /// Where a path of the pool lies on this machine.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        PathBuf::from(self.must(&["path", path]).trim_end())
    }

    /// Copies a program into the pool.
    pub(crate) fn install(&self, program: &Path) {
        self.must(&["install", &program.display().to_string()]);
    }

    /// Runs a program as a user: standard output and whether it ended with 0, else its standard
    /// error.
    pub(crate) fn try_run(&self, user: &str, command: &[&str]) -> Result<String, String> {
        let output = self.call(&[&["run", user], command].concat());
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
    }

    /// Writes `job.sub` in the folder and submits it; returns the id of its only job.
    pub(crate) fn submit(&self, user: &str, folder: &str, description: &str) -> String {
        self.submit_jobs(user, folder, description, 1).remove(0)
    }

    /// The same of so many jobs of one cluster.
    pub(crate) fn submit_jobs(
        &self,
        user: &str,
        folder: &str,
        description: &str,
        jobs: usize,
    ) -> Vec<String> {
        let command = format!(
            "cat >job.sub <<'END'\n{description}\nqueue {jobs}\nEND\ncondor_submit -terse job.sub"
        );
        let answer = self.shell(user, folder, &command);
        let last = answer.lines().last().unwrap_or_default();
        let cluster = last.split('.').next().unwrap_or_default();
        (0..jobs).map(|proc| format!("{cluster}.{proc}")).collect()
    }

    /// The ads of these jobs, from the queue or else from the history, by job id.
    pub(crate) fn ads(&self, jobs: &[String]) -> BTreeMap<String, Value> {
        let mut ads = BTreeMap::new();
        if jobs.is_empty() {
            return ads;
        }
        let ids = jobs.join(" ");
        for tool in ["condor_history", "condor_q"] {
            let text = self.root_shell(&format!("{tool} -json {ids}"));
            let list: Vec<Value> = serde_json::from_str(text.trim()).unwrap_or_default();
            for ad in list {
                ads.insert(format!("{}.{}", ad["ClusterId"], ad["ProcId"]), ad);
            }
        }
        ads
    }

    /// Waits until every job is held, completed or removed; returns their ads.
    ///
    /// # Panics
    /// After [`PATIENCE`], naming the jobs that are in no such state.
    pub(crate) fn settle(&self, jobs: &[String]) -> BTreeMap<String, Value> {
        let end = Instant::now() + PATIENCE;
        loop {
            let ads = self.ads(jobs);
            let unsettled: Vec<_> = jobs
                .iter()
                .filter(|&job| {
                    !ads.get(job).is_some_and(|ad| matches!(ad["JobStatus"].as_i64(), Some(3..=5)))
                })
                .collect();
            if unsettled.is_empty() {
                return ads;
            }
            assert!(
                Instant::now() < end,
                "neither held nor ended after {PATIENCE:?}: {unsettled:?}"
            );
            sleep(Duration::from_secs(1));
        }
    }

    /// Waits until something is so.
    ///
    /// # Panics
    /// After [`PATIENCE`].
    pub(crate) fn wait_for(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < end, "no sign of {what} after {PATIENCE:?}");
            sleep(Duration::from_secs(1));
        }
    }

    /// Stops and starts HTCondor, which then reads its configuration anew.
    pub(crate) fn restart(&self) {
        self.must(&["stop"]);
        self.must(&["start"]);
    }

    /// Unix time in the pool, seconds.
    pub(crate) fn now(&self) -> i64 {
        jiff::Timestamp::now().as_second()
    }
}

fn is_set(name: &str) -> bool {
    std::env::var(name).as_deref() == Ok("1")
}

/// The root of the repository, also for tests of its other packages.
fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let with_pool = package.ancestors().find(|folder| folder.join("tests/pool/pool").exists());
    with_pool.unwrap_or(package).to_owned()
}

impl Drop for Pool {
    fn drop(&mut self) {
        if !self.keep {
            self.call(&["down"]);
        }
    }
}
