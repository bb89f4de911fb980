//! `holdadvise-train sweep run`: the nodes of a sweep on this machine, without HTCondor.
//!
//! Each step is what its node would do: the same command of this program, in a folder of its own
//! beside the files that the node would be sent, what it writes put where the node's outputs go.
//! What is done is not done again, and a training that was cut off goes on from its checkpoint.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Instant;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::dag::steps::{
    CHECKPOINT_EXIT_CODE, CHECKPOINT_FILES, Kind, Step, finish_command, steps,
};
use super::dag::{SHARDS, SKIP, Shard};
use super::folder::{read_json, read_plan};
use super::plan::Plan;
use crate::Error;
use crate::output::{self, FileError, Output};
use crate::say::say;

/// Where steps work until they are done.
const RUNNING: &str = "running";

/// Run a sweep on this machine, without HTCondor.
#[derive(Clone, Debug, clap::Args)]
pub struct RunOptions {
    /// The folder that `holdadvise-train dag` made.
    pub folder: PathBuf,
    /// Steps at a time. Default: as many trainings as the processors suffice for.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

/// Runs `sweep run`.
///
/// # Errors
/// When the folder is not that of a sweep, or a step failed.
pub fn run(options: &RunOptions) -> Result<(), Error> {
    let folder = fs::canonicalize(&options.folder).map_err(FileError::of(&options.folder))?;
    let plan = read_plan(&folder)?;
    let shards: BTreeMap<usize, Vec<Shard>> = read_json(&folder.join(SHARDS))?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let each = plan.resources.cpus.max(1) as usize;
    let jobs = options.jobs.unwrap_or_else(|| (processors / each).max(1));
    if jobs == 0 {
        return Err("--jobs 0: expected at least one".into());
    }
    let program = std::env::current_exe().map_err(FileError::of(Path::new("holdadvise-train")))?;
    end_children_on_signals();
    let machine = Machine { folder, plan, program };
    let failed = machine.run_all(&steps(&machine.plan, &shards)?, jobs);
    machine.finish(&failed)
}

/// What steps run on.
struct Machine {
    folder: PathBuf,
    plan: Plan,
    program: PathBuf,
}

impl Machine {
    /// Runs what can be run, so many steps at a time; the steps that failed, with their reasons.
    fn run_all(&self, steps: &[Step], jobs: usize) -> Vec<(String, String)> {
        let mut left: Vec<&Step> = steps.iter().collect();
        let (mut done, mut failed) = (HashSet::new(), Vec::new());
        let (sender, receiver) = mpsc::channel();
        let mut running = 0;
        std::thread::scope(|scope| {
            loop {
                let ready = |step: &&Step| step.parents.iter().all(|of| done.contains(of.as_str()));
                if let Some(at) = left.iter().position(ready).filter(|_| running < jobs) {
                    let (step, sender) = (left.remove(at), sender.clone());
                    scope.spawn(move || {
                        let start = Instant::now();
                        let attempts = AssertUnwindSafe(|| self.attempts(step));
                        let ended = match catch_unwind(attempts) {
                            Ok(ended) => ended.map_err(|error| error.to_string()),
                            // Who waits for its end hears of it all the same.
                            Err(_) => Err("it panicked".to_owned()),
                        };
                        // The receiver outlives all steps.
                        let _ = sender.send((step, start.elapsed().as_secs_f64(), ended));
                    });
                    running += 1;
                    continue;
                }
                if running == 0 {
                    return;
                }
                let Ok((step, seconds, ended)) = receiver.recv() else { return };
                running -= 1;
                match ended {
                    Err(why) => {
                        eprintln!("{} failed: {why}", step.name);
                        failed.push((step.name.clone(), why));
                    }
                    Ok(text) => {
                        let text = text.map_or(format!("done in {seconds:.1} s"), str::to_owned);
                        say(format_args!("{} {text}\n", step.name));
                        done.insert(step.name.as_str());
                    }
                }
            }
        });
        failed
    }

    /// Runs a step, again if it fails as often as the plan allows.
    fn attempts(&self, step: &Step) -> Result<Option<&'static str>, Error> {
        let mut ended = self.step(step);
        for _ in 0..self.plan.resources.retries {
            if ended.is_err() {
                ended = self.step(step);
            }
        }
        ended
    }

    /// Runs a step; why it was not run, where it need not be.
    fn step(&self, step: &Step) -> Result<Option<&'static str>, Error> {
        let folder = self.folder.join(&step.folder);
        // Shards are cleared away when all is done.
        let merged = step.kind == Kind::Shard && folder.join("parts.safetensors").exists();
        if merged || folder.join(&step.done).exists() {
            return Ok(Some("was done before"));
        }
        if let Some((rung, trial)) = step.goes_on {
            let words = [rung.to_string(), format!("{trial:03}")];
            match self.script("goes-on", &words)?.code() {
                Some(0) => {}
                Some(code) if code == i32::from(SKIP) => return Ok(Some("skipped")),
                _ => return Err("PRE script failed".into()),
            }
        }
        if step.kind == Kind::Test && !self.script("best-data", &[])?.success() {
            return Err("PRE script failed".into());
        }
        if step.kind == Kind::Select {
            self.commands(step, &self.folder)?;
            return Ok(None);
        }
        let place = self.folder.join(RUNNING).join(&step.name);
        self.send(step, &place)?;
        self.commands(step, &place)?;
        self.fetch(step, &place)?;
        Ok(None)
    }

    /// Runs a script as DAGMan would, in the folder of the sweep.
    fn script(&self, name: &str, words: &[String]) -> io::Result<ExitStatus> {
        let log = self.folder.join(format!("logs/{name}.log"));
        let out = File::options().create(true).append(true).open(log)?;
        let err = out.try_clone()?;
        Command::new(self.folder.join("program").join(name))
            .args(words)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .status()
    }

    /// Runs the commands of a step, a training again whenever it ended with a checkpoint.
    fn commands(&self, step: &Step, place: &Path) -> io::Result<()> {
        let logs = match step.kind {
            Kind::Shard | Kind::Merge => "logs/prepare",
            Kind::Train => "logs/train",
            _ => "logs",
        };
        let log = |end: &str| {
            fs::create_dir_all(self.folder.join(logs))?;
            output::anew(&self.folder.join(logs).join(format!("{}.{end}", step.name)))
        };
        let (out, err) = (log("out")?, log("err")?);
        for words in &step.commands {
            loop {
                let mut command = Command::new(&self.program);
                command
                    .args(words)
                    .current_dir(place)
                    .env("RAYON_NUM_THREADS", self.plan.resources.cpus.max(1).to_string())
                    .stdin(Stdio::null())
                    .stdout(out.try_clone()?)
                    .stderr(err.try_clone()?);
                let status = run_child(&mut command)?;
                match (status.code(), step.kind) {
                    (Some(code), Kind::Train) if code == i32::from(CHECKPOINT_EXIT_CODE) => {}
                    (Some(0), _) => break,
                    _ => return Err(io::Error::other(format!("{}: {status}", words[0]))),
                }
            }
        }
        Ok(())
    }

    /// Puts the inputs of a step where it works: links to what is only read, and the checkpoint,
    /// unless there is a newer one.
    fn send(&self, step: &Step, place: &Path) -> Result<(), Error> {
        fs::create_dir_all(place)?;
        for input in &step.inputs {
            let from = self.folder.join(&step.folder).join(input);
            let name = from.file_name().map(OsString::from).unwrap_or_default();
            let to = place.join(&name);
            if name == CHECKPOINT_FILES[0] {
                if !to.exists() {
                    let mut from = File::open(&from)?;
                    Output::from(&to).write_by(|file| io::copy(&mut from, file).map(drop))?;
                }
                continue;
            }
            if to.symlink_metadata().is_ok() {
                fs::remove_file(&to)?;
            }
            symlink(&fs::canonicalize(&from).map_err(FileError::of(&from))?, &to)?;
        }
        Ok(())
    }

    /// Puts what a step wrote where it belongs, what shows that it is done last.
    fn fetch(&self, step: &Step, place: &Path) -> io::Result<()> {
        let folder = self.folder.join(&step.folder);
        fs::create_dir_all(&folder)?;
        let mut last = None;
        for entry in fs::read_dir(place)? {
            let entry = entry?;
            if !entry.file_type()?.is_file() {
                continue;
            }
            let to = folder.join(entry.file_name());
            match entry.file_name() == step.done.as_str() {
                true => last = Some((entry.path(), to)),
                false => fs::rename(entry.path(), to)?,
            }
        }
        let (from, to) = last.ok_or_else(|| {
            io::Error::other(format!("it ended without an error and did not write {}", step.done))
        })?;
        fs::rename(from, to)?;
        fs::remove_dir_all(place)
    }

    /// Runs `finish`, which says what failed, and feeds tracking.
    fn finish(&self, failed: &[(String, String)]) -> Result<(), Error> {
        let status = self.folder.join("logs/nodes.status");
        let nodes = failed.iter().map(|(name, why)| {
            let why = why.replace(['"', '\n'], " ");
            format!("[\n  Node = \"{name}\";\n  NodeStatus = 6;\n  StatusDetails = \"{why}\";\n]\n")
        });
        Output::from(&status).write(nodes.collect::<String>().as_bytes())?;
        let (count, state) = (failed.len().to_string(), if failed.is_empty() { "0" } else { "2" });
        let mut command = Command::new(&self.program);
        command.args(finish_command(&count, state)).current_dir(&self.folder);
        let finished = run_child(&mut command).map_err(FileError::of(&self.program))?;
        let tracking = &self.plan.tracking;
        if tracking.enabled {
            // What becomes of it changes nothing.
            let tracked = Command::new(&tracking.python)
                .args(["program/track.py", ".", "--once"])
                .current_dir(&self.folder)
                .status();
            if let Err(error) = tracked {
                eprintln!("tracking: {}: {error}", tracking.python.display());
            }
        }
        match finished.success() {
            true => {
                let _ = fs::remove_dir_all(self.folder.join(RUNNING));
                Ok(())
            }
            false => Err("the sweep is not done: correct the cause, then run the same command again; what is done is not \
                          done again"
                .into()),
        }
    }
}

/// The processes that run.
static CHILDREN: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn children() -> MutexGuard<'static, Vec<Pid>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command, which ends with this program.
fn run_child(command: &mut Command) -> io::Result<ExitStatus> {
    let mut running = children();
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    running.push(pid);
    drop(running);
    // Until it is waited for, its number is no other process's.
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
    let mut running = children();
    running.retain(|one| *one != pid);
    child.wait()
}

/// From now on a signal that ends this program ends what it runs first.
fn end_children_on_signals() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // Nothing is started any more while this is held.
            let running = children();
            for pid in running.iter() {
                let _ = kill_process(*pid, Signal::TERM);
            }
            eprintln!(
                "interrupted: run the same command again to go on; what is done is not done again"
            );
            let _ = emulate_default_handler(signal);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::sweep::dag::tests::{here, parameters, plan, shards};
    use crate::sweep::dag::{Request, write};

    /// Stands in for `holdadvise-train`: says in `calls` what it was asked, writes what is
    /// expected, exits with a checkpoint every other time.
    const PROGRAM: &str = r#"#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in *"$(cat "$CALLS.fail")"*) echo "it is to fail" >&2; exit 1 ;; esac
case $1 in
tensors) [ -e EventLog ] || [ -d small ] || exit 1
    for last; do :; done; echo rows >"$last" ;;
merge) cat shard-001.safetensors shard-002.safetensors >dataset.safetensors ;;
split) cp dataset.safetensors parts.safetensors ;;
train)
    [ -e dataset.safetensors ] && [ -e parts.safetensors ] && [ -e parameters.json ] || exit 1
    echo epoch >>checkpoint.safetensors
    [ $(($(wc -l <checkpoint.safetensors) % 2)) = 0 ] || exit 85
    cp checkpoint.safetensors model.pt
    echo '{}' >result.json ;;
sweep)
    case $2 in
    select) echo '{}' >rungs/rung$5.json
        printf '001 goes-on\n002 lost\n003 goes-on\n004 stopped\n' >rungs/rung$5.txt
        [ $5 = 1 ] || { cp trials/003/rung2/model.pt best; echo '{"trial":3}' >best/trial.json; } ;;
    test) [ -e dataset.safetensors ] && [ -e sweep.json ] || exit 1; echo better >verdict.txt ;;
    finish) [ "$5" = 0 ] || exit 1 ;;
    esac ;;
esac
"#;

    fn machine(folder: &Path) -> Machine {
        let data = folder.join("data");
        fs::create_dir_all(data.join("small")).unwrap();
        let program = folder.join("holdadvise-train");
        let calls = folder.join("calls");
        let told = PROGRAM.replace("$CALLS", calls.to_str().unwrap());
        fs::write(&program, told).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.join("calls.fail"), "nothing of the kind").unwrap();
        let plan = plan();
        let mut shards = shards(&plan);
        for file in shards.values_mut().flatten().flat_map(|shard| &mut shard.files) {
            let name = file.path.file_name().unwrap().to_owned();
            file.path = data.join(name);
            if file.name != "small" {
                fs::write(&file.path, "log").unwrap();
            }
        }
        let request = Request {
            plan: &plan,
            sweep_file: b"",
            shards: &shards,
            parameters: &parameters(),
            here: &here(),
            track: "",
        };
        let folder = folder.join("sweep");
        write(&request, &folder).unwrap();
        Machine { folder, plan, program }
    }

    fn calls(folder: &Path) -> Vec<String> {
        let text = fs::read_to_string(folder.join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_sweep_runs_to_its_end_and_what_is_done_is_not_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let machine = machine(folder.path());
        let steps = steps(&machine.plan, &shards(&machine.plan)).unwrap();
        let all = |machine: &Machine| {
            let text = fs::read_to_string(machine.folder.join(SHARDS)).unwrap();
            let shards = serde_json::from_str(&text).unwrap();
            super::steps(&machine.plan, &shards).unwrap()
        };
        assert_eq!(steps.len(), all(&machine).len());
        // The third trial fails until the cause is corrected, and with it all that needs it.
        fs::write(folder.path().join("calls.fail"), "--trial 003 --rung 2").unwrap();
        let failed = machine.run_all(&all(&machine), 3);
        let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["trial-003-rung-2"], "{failed:?}");
        let error = machine.finish(&failed).unwrap_err().to_string();
        assert!(error.starts_with("the sweep is not done: "), "{error}");
        let status = fs::read_to_string(machine.folder.join("logs/nodes.status")).unwrap();
        assert!(status.contains("Node = \"trial-003-rung-2\";"), "{status}");
        let said = fs::read_to_string(machine.folder.join("logs/train/trial-003-rung-2.err"));
        assert_eq!(said.unwrap(), "it is to fail\n");
        let before = calls(folder.path());
        assert_eq!(before.iter().filter(|call| call.contains("--rung 1 ")).count(), 4 * 2);
        assert!(!before.iter().any(|call| call.contains("--trial 002 --rung 2")), "lost");
        assert!(before.iter().any(|call| call.contains("--trial 001 --rung 2")));

        fs::write(folder.path().join("calls.fail"), "nothing of the kind").unwrap();
        let failed = machine.run_all(&all(&machine), 2);
        assert_eq!(failed, []);
        machine.finish(&failed).unwrap();
        let again = &calls(folder.path())[before.len()..];
        assert!(again[0].contains("--trial 003 --rung 2"), "{again:?}");
        assert!(
            again.iter().all(|call| !call.starts_with("tensors") && !call.contains("--rung 1 --e"))
        );
        let read = |name: &str| fs::read_to_string(machine.folder.join(name)).unwrap();
        assert_eq!(read("best/verdict.txt"), "better\n");
        assert_eq!(read("trials/003/rung1/checkpoint.safetensors").lines().count(), 2);
        assert_eq!(read("trials/003/rung2/checkpoint.safetensors").lines().count(), 4);
        assert_eq!(read("prepared/001/dataset.safetensors"), "rows\nrows\n");
        assert!(!machine.folder.join(RUNNING).exists());
        assert!(!machine.folder.join("trials/003/rung2/dataset.safetensors").exists());
        for setting in ["001", "002"] {
            fs::remove_file(
                machine.folder.join(format!("prepared/{setting}/shard-001.safetensors")),
            )
            .unwrap();
        }
        let before = calls(folder.path()).len();
        assert_eq!(machine.run_all(&all(&machine), 2), []);
        assert_eq!(calls(folder.path()).len(), before, "shards are not needed any more");
    }

    #[test]
    fn a_program_that_does_not_write_its_output_has_failed() {
        let folder = tempfile::tempdir().unwrap();
        let mut machine = machine(folder.path());
        machine.plan.resources.retries = 0;
        machine.program = "/bin/true".into();
        let failed = machine.run_all(&steps(&machine.plan, &shards(&machine.plan)).unwrap(), 1);
        assert_eq!(failed.len(), 4, "the four shards: {failed:?}");
        machine.program = "/no/such/program".into();
        let failed = machine.run_all(&steps(&machine.plan, &shards(&machine.plan)).unwrap(), 1);
        assert_eq!(failed.len(), 4, "{failed:?}");
    }
}
