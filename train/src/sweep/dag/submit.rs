//! The submit descriptions, one for each kind of node.
//!
//! A job that fails comes back with what it wrote, its error output too: no file is demanded of it
//! (`transfer_output_files`), since HTCondor puts a job on hold that lacks one, and DAGMan waits
//! for held jobs. Holds are given [`RELEASES`] more attempts, then, after [`HELD_HOURS`], up: the
//! node fails, the DAG goes on with the others, and its end tells.
//!
//! Memory and disk follow from the size of the files that a job reads, which HTCondor knows when it
//! is submitted (`TransferInputSizeMB`), with that of the program taken off.

use std::fmt::Write;
use std::path::Path;

use holdadvise::hold_code::{self, Cause, HoldCode, Subcode};
use holdadvise::policy::NEVER_RELEASED;

use super::steps::{self, CHECKPOINT_EXIT_CODE, CHECKPOINT_FILES, Kind, TRAIN_VARIABLES};
use super::{Here, Request, quote};
use crate::Error;
use crate::output::FileError;
use crate::sweep::plan::{Plan, Program, Resources};

/// Times that a held job is released by itself.
const RELEASES: u32 = 3;

/// Seconds on hold before that.
const RELEASE_AFTER: u32 = 600;

/// Hours on hold after which a job is removed.
const HELD_HOURS: u32 = 4;

/// Memory of a job on the access point, MB.
const LOCAL_MEMORY: u32 = 1024;

/// Memory of any job before its data, MB: program and libtorch.
const BASE_MEMORY: u64 = 1536;

/// Memory of the program without a network, MB.
const SHARD_MEMORY: u64 = 512;

/// Memory of a job on a GPU besides, MB: CUDA keeps its libraries in it.
const GPU_MEMORY: u64 = 3072;

/// Memory for each MB read: the file, its rows, their tensors, and what is made of them.
const MEMORY_FACTOR: u32 = 4;

/// Disk of any job before what it reads, MB.
const BASE_DISK: u32 = 1024;

/// Disk for each MB read: what is transferred, what is unpacked, and what is written.
const DISK_FACTOR: u32 = 3;

/// A submit description as it is built.
#[derive(Debug, Default)]
struct Description {
    comment: &'static [&'static str],
    commands: Vec<(&'static str, String)>,
    lines: Vec<String>,
}

impl Description {
    fn new(comment: &'static [&'static str]) -> Self {
        Self { comment, ..Self::default() }
    }

    fn set(&mut self, command: &'static str, value: impl Into<String>) -> &mut Self {
        self.commands.push((command, value.into()));
        self
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for line in self.comment {
            let _ = writeln!(out, "# {line}");
        }
        let width = self.commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
        for (command, value) in &self.commands {
            let _ = writeln!(out, "{command:width$} = {value}");
        }
        for line in &self.lines {
            let _ = writeln!(out, "{line}");
        }
        out.push_str("queue\n");
        out
    }
}

/// Name and content of each submit description that the plan needs.
///
/// # Errors
/// For names and paths that cannot stand in one, and a program that is not there.
pub(super) fn descriptions(request: &Request<'_>) -> Result<Vec<(&'static str, String)>, Error> {
    let plan = request.plan;
    let program = Shipped::of(&plan.program)?;
    let mut descriptions = Vec::new();
    for kind in Kind::ALL {
        let description = match kind {
            Kind::Select => local(request, kind, &steps::select_command("$(rung)"))?,
            Kind::Finish => {
                local(request, kind, &steps::finish_command("$(FAILED_COUNT)", "$(DAG_STATUS)"))?
            }
            _ => remote(request, &program, kind)?,
        };
        descriptions.push((kind.name(), description.text()));
    }
    if plan.tracking.enabled {
        descriptions.push(("track", track(plan, request.here)?.text()));
    }
    Ok(descriptions)
}

/// How the program comes to a node.
struct Shipped {
    /// `container_image`.
    image: Option<String>,
    /// The tarball, to transfer.
    tarball: Option<String>,
    /// What of the files transferred is the program, MB.
    size: u64,
}

impl Shipped {
    fn of(program: &Program) -> Result<Self, Error> {
        let none = Self { image: None, tarball: None, size: 0 };
        match program {
            Program::Container(image) if image.contains("://") => {
                Ok(Self { image: Some(quote::value("container image", image)?.to_owned()), ..none })
            }
            Program::Container(image) => {
                let path = Path::new(image);
                absolute("container image", path)?;
                let image = Some(quote::transferred(path)?.to_owned());
                Ok(Self { image, size: megabytes(path)?, ..none })
            }
            Program::Tarball(path) => {
                absolute("tarball", path)?;
                let tarball = Some(quote::transferred(path)?.to_owned());
                Ok(Self { tarball, size: megabytes(path)?, ..none })
            }
            Program::Installed(path) => absolute("program", path).map(|()| none),
        }
    }
}

fn absolute(what: &str, path: &Path) -> Result<(), Error> {
    if path.is_absolute() {
        return Ok(());
    }
    Err(format!(
        "{what} {}: expected an absolute path: each node starts in a folder of its own",
        path.display()
    )
    .into())
}

fn megabytes(path: &Path) -> Result<u64, Error> {
    Ok(std::fs::metadata(path).map_err(FileError::of(path))?.len() >> 20)
}

/// A step on an execution point, with the program as it comes there.
fn remote(request: &Request<'_>, program: &Shipped, kind: Kind) -> Result<Description, Error> {
    let plan = request.plan;
    let (comment, script, folder, logs): (&'static [&str], _, _, _) = match kind {
        Kind::Shard => (
            &[
                "Prepares a piece of the data, on an execution point. Each node of sweep.dag sets:",
                "  setting       how the data is prepared; what comes of it goes to prepared/SETTING",
                "  words         the arguments of holdadvise-train",
                "  files         the logs to read",
                "  memory, disk  what that takes, MB",
            ],
            "node",
            "prepared/$(setting)",
            "prepare",
        ),
        Kind::Merge => (
            &[
                "Makes one dataset of the pieces of a setting and cuts it into parts, on an execution point.",
                "Each node of sweep.dag sets:",
                "  setting  how the data is prepared; dataset and parts go to prepared/SETTING",
            ],
            "merge",
            "prepared/$(setting)",
            "prepare",
        ),
        Kind::Train => (
            &[
                "Trains one trial to the end of one rung, on an execution point. Each node of sweep.dag sets:",
                "  trial, rung  what it trains; model and result go to trials/TRIAL/rungRUNG",
                "  until        the epoch at which the rung ends",
                "  before       the checkpoint of the rung before, on all rungs but the first",
                "When the program writes a checkpoint it exits, HTCondor stores the checkpoint and starts the program again.",
            ],
            "node",
            "trials/$(trial)/rung$(rung)",
            "train",
        ),
        _ => (
            &[
                "Evaluates the best model on the test part, once, and compares it with the model in use, on an execution point.",
            ],
            "node",
            "best",
            "",
        ),
    };
    let (arguments, inputs) = match kind {
        Kind::Shard => ("$(words)".to_owned(), vec!["$(files)".to_owned()]),
        Kind::Merge => {
            let pieces = request.shards.get(&1).into_iter().flatten();
            let pieces: Vec<String> = pieces.map(|of| steps::shard_file(of.number)).collect();
            let [validation, test, least] = steps::cuts(plan);
            let inputs = vec!["../../program/node".to_owned(), pieces.join(", ")];
            (format!("{validation} {test} {least} {}", pieces.join(" ")), inputs)
        }
        Kind::Train => {
            let macros = TRAIN_VARIABLES.map(|name| format!("$({name})"));
            let command = steps::train_command(plan, &macros.each_ref().map(String::as_str));
            let mut inputs = steps::train_inputs(plan);
            inputs.push("$(before)".to_owned());
            (command.join(" "), inputs)
        }
        _ => {
            let step = steps::test(plan);
            (step.commands.concat().join(" "), step.inputs)
        }
    };
    let mut description = Description::new(comment);
    match &program.image {
        Some(image) => {
            description.set("universe", "container").set("container_image", image.clone())
        }
        None => description.set("universe", "vanilla"),
    };
    let inputs: Vec<&str> = program.tarball.iter().chain(&inputs).map(String::as_str).collect();
    description
        .set("executable", format!("program/{script}"))
        .set("arguments", format!("\"{arguments}\""))
        .set("initialdir", folder)
        .set("should_transfer_files", "yes")
        .set("when_to_transfer_output", "ON_EXIT")
        .set("transfer_input_files", inputs.join(", "));
    if kind == Kind::Train {
        description
            .set("checkpoint_exit_code", CHECKPOINT_EXIT_CODE.to_string())
            .set("transfer_checkpoint_files", CHECKPOINT_FILES.join(", "));
    }
    needs(&mut description, &plan.resources, program, kind);
    end(&mut description, plan, logs, Where::ExecutionPoint, plan.resources.retries)?;
    Ok(description)
}

/// A step on the access point, with the program that made the plan.
fn local(request: &Request<'_>, kind: Kind, command: &[String]) -> Result<Description, Error> {
    let comment: &'static [&str] = match kind {
        Kind::Select => &[
            "Decides which trials go on after a rung, on the access point. Each node of sweep.dag sets:",
            "  rung  the rung that is done",
        ],
        _ => &[
            "Puts results in place and says what failed, on the access point.",
            "FAILED_COUNT and DAG_STATUS are set by DAGMan.",
        ],
    };
    let Here { program, library_path, .. } = request.here;
    let mut environment = vec!["RAYON_NUM_THREADS=1".to_owned()];
    environment.extend(library_path.iter().map(|path| format!("LD_LIBRARY_PATH={path}")));
    let mut description = Description::new(comment);
    description
        .set("universe", "local")
        .set("executable", quote::path("program", program)?)
        .set("transfer_executable", "false")
        .set("arguments", format!("\"{}\"", command.join(" ")))
        .set("environment", quoted_environment(&environment)?)
        .set("request_memory", LOCAL_MEMORY.to_string());
    // `finish` fails where nodes failed: it is done all the same.
    let retries = if kind == Kind::Finish { 0 } else { request.plan.resources.retries };
    end(&mut description, request.plan, "", Where::AccessPoint, retries)?;
    Ok(description)
}

fn track(plan: &Plan, here: &Here) -> Result<Description, Error> {
    let mut description = Description::new(&[
        "Feeds Weights & Biases from this folder while the DAG runs, on the access point. DAGMan ends it when the DAG has ended.",
        "The key comes from ~/.netrc (`wandb login`): what stands here, everybody can read.",
    ]);
    let python = quote::path("Python of tracking", &plan.tracking.python)?;
    description
        .set("universe", "local")
        .set("executable", python)
        .set("transfer_executable", "false")
        .set("arguments", "\"program/track.py .\"");
    if let Some(home) = &here.home {
        description.set("environment", quoted_environment(&[format!("HOME={home}")])?);
    }
    description.set("request_memory", LOCAL_MEMORY.to_string());
    end(&mut description, plan, "", Where::AccessPoint, plan.resources.retries)?;
    Ok(description)
}

fn quoted_environment(variables: &[String]) -> Result<String, Error> {
    let words = quote::words("environment variable", variables.iter().map(String::as_str))?;
    Ok(format!("\"{words}\""))
}

/// Processors, memory and disk: of training as the plan says, else from the size of what is read.
fn needs(description: &mut Description, resources: &Resources, program: &Shipped, kind: Kind) {
    let training = kind == Kind::Train;
    let (cpus, gpus) = if training { (resources.cpus, resources.gpus) } else { (1, 0) };
    let base = BASE_MEMORY + if gpus > 0 { GPU_MEMORY } else { 0 };
    let memory = match (resources.memory.filter(|_| training), kind, program.size) {
        (Some(memory), ..) => memory.to_string(),
        // Logs may be packed, and of a folder HTCondor does not know the size.
        (_, Kind::Shard, _) => format!("{SHARD_MEMORY} + $(memory)"),
        (_, _, 0) => format!("{base} + {MEMORY_FACTOR} * TransferInputSizeMB"),
        (_, _, size) => format!("{base} + {MEMORY_FACTOR} * (TransferInputSizeMB - {size})"),
    };
    let disk = match (resources.disk.filter(|_| training), kind) {
        (Some(disk), _) => format!("{disk} * 1024"),
        (_, Kind::Shard) => {
            format!("({BASE_DISK} + {} + $(disk)) * 1024", u64::from(DISK_FACTOR) * program.size)
        }
        _ => format!("({BASE_DISK} + {DISK_FACTOR} * TransferInputSizeMB) * 1024"),
    };
    description.set("environment", format!("\"RAYON_NUM_THREADS={cpus}\""));
    description.set("request_cpus", cpus.to_string());
    if gpus > 0 {
        description.set("request_gpus", gpus.to_string());
    }
    // After a hold, perhaps for its memory, half as much again as was used.
    description
        .set(
            "request_memory",
            format!("max({{ {memory}, (NumHolds ?: 0) > 0 ? 3 * (MemoryUsage ?: 0) / 2 : 0 }})"),
        )
        .set("request_disk", disk);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    AccessPoint,
    ExecutionPoint,
}

/// Codes of holds that may pass, elsewhere or later, and those of memory and disk, for which the
/// job asks for more the next time; with commas.
fn released_codes() -> String {
    const LIMITS: [i32; 3] = [21, 26, hold_code::OUT_OF_RESOURCES];
    let is_released = |code: &&HoldCode| {
        let may_pass = code.cause.passes() || code.elsewhere || code.cause == Cause::Unknown;
        code.gone.is_none()
            && code.subcode != Subcode::Ec2
            && !NEVER_RELEASED.contains(&code.number.into())
            && (may_pass || LIMITS.contains(&code.number))
    };
    let codes = HoldCode::ALL.iter().filter(is_released);
    codes.map(|code| code.number.to_string()).collect::<Vec<_>>().join(", ")
}

/// What all descriptions end with.
fn end(
    description: &mut Description,
    plan: &Plan,
    logs: &str,
    place: Where,
    retries: u32,
) -> Result<(), Error> {
    let up = match description.commands.iter().find(|(command, _)| *command == "initialdir") {
        None => String::new(),
        Some((_, folder)) => "../".repeat(folder.split('/').count()),
    };
    let logs = if logs.is_empty() { String::new() } else { format!("{logs}/") };
    // HTCondor does not count the ends of jobs in the local universe, as max_retries does: it would
    // start them for ever.
    match (place, retries) {
        (Where::ExecutionPoint, _) => description.set("max_retries", retries.to_string()),
        (Where::AccessPoint, 0) => description,
        (Where::AccessPoint, _) => {
            description.set("on_exit_remove", format!("ExitCode =?= 0 || NumJobStarts > {retries}"))
        }
    };
    description
        .set(
            "periodic_release",
            format!(
                "member(HoldReasonCode, {{ {} }}) && NumHolds <= {RELEASES} && time() - EnteredCurrentStatus > {RELEASE_AFTER}",
                released_codes()
            ),
        )
        .set(
            "periodic_remove",
            format!(
                "JobStatus == 5 && HoldReasonCode != 1 && time() - EnteredCurrentStatus > {HELD_HOURS} * 3600"
            ),
        )
        .set("output", format!("{up}logs/{logs}$(JOB).out"))
        .set("error", format!("{up}logs/{logs}$(JOB).err"))
        .set("log", format!("{up}logs/events.log"));
    for line in &plan.resources.submit {
        if line.chars().any(char::is_control) {
            return Err(format!(
                "line for the submit descriptions {line:?}: expected one line without control characters"
            )
            .into());
        }
        if first_word(line) == "queue" {
            return Err(format!(
                "line for the submit descriptions {line:?}: each node has one job, `queue` stands there already"
            )
            .into());
        }
        if place == Where::ExecutionPoint || !chooses_machine(line) {
            description.lines.push(line.clone());
        }
    }
    Ok(())
}

fn first_word(line: &str) -> String {
    let end = line.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(line.len());
    line[..end].to_ascii_lowercase()
}

/// A command that says where a job may run: nothing for the access point.
fn chooses_machine(line: &str) -> bool {
    let word = first_word(line.trim_start());
    ["requirements", "rank", "universe", "container_image", "docker_image"].contains(&word.as_str())
        || ["request_", "require_", "gpus_"].iter().any(|start| word.starts_with(start))
}
