//! The submit descriptions, one for each kind of node.
//!
//! A job that fails comes back with what it wrote, its error output too: no file is demanded of it
//! (`transfer_output_files`), since HTCondor puts a job on hold that lacks one, and DAGMan waits
//! for held jobs. A hold is released three times at most, and its job is removed after four hours:
//! the node fails, the DAG goes on with the others, and its end tells.
//!
//! Memory and disk follow from the size of the files that a job reads, which HTCondor knows when it
//! is submitted (`TransferInputSizeMB`), with that of the program taken off.

use std::fmt::Write;
use std::path::Path;

use askama::Template;
use holdadvise::hold_code::{self, Cause, HoldCode, Subcode};
use holdadvise::policy::NEVER_RELEASED;

use super::steps::{self, CHECKPOINT_EXIT_CODE, CHECKPOINT_FILES, Kind, TRAIN_VARIABLES};
use super::{Here, Request, quote};
use crate::Error;
use crate::output::FileError;
use crate::sweep::plan::{Plan, Program, Resources};

/// The end of a description: how holds end, and where output goes (`end.sub`).
struct Ending {
    /// From where the job runs to the folder of the sweep.
    up: &'static str,
    /// Its folder in `logs`.
    logs: &'static str,
    retries: u32,
}

/// A step on an execution point, with the program as it comes there.
#[derive(Template)]
#[template(path = "sweep/dag/templates/remote.sub")]
struct Remote<'a> {
    kind: Kind,
    image: Option<&'a str>,
    script: &'static str,
    folder: &'static str,
    arguments: String,
    inputs: String,
    cpus: u32,
    gpus: u32,
    /// What the sweep file sets, MB.
    memory: Option<u64>,
    disk: Option<u64>,
    /// What of the files transferred is the program, MB.
    program: u64,
    ending: Ending,
}

/// A step on the access point, or what feeds tracking there.
#[derive(Template)]
#[template(path = "sweep/dag/templates/local.sub")]
struct Local<'a> {
    name: &'static str,
    executable: &'a str,
    arguments: String,
    environment: String,
    ending: Ending,
}

/// Name and content of each submit description that the plan needs.
///
/// # Errors
/// For names and paths that cannot stand in one, and a program that is not there.
pub(super) fn descriptions(request: &Request<'_>) -> Result<Vec<(&'static str, String)>, Error> {
    let shipped = Shipped::of(&request.plan.program)?;
    let mut descriptions = Vec::new();
    for kind in [Kind::Shard, Kind::Merge, Kind::Train, Kind::Test] {
        let text = remote(request, &shipped, kind).render()?;
        descriptions.push((kind.name(), whole(&text, request.plan, true)?));
    }
    for name in ["select", "finish", "track"] {
        if name != "track" || request.plan.tracking.enabled {
            let text = local(request, name)?.render()?;
            descriptions.push((name, whole(&text, request.plan, false)?));
        }
    }
    Ok(descriptions)
}

/// A description with its signs below each other and the lines of the sweep file.
fn whole(text: &str, plan: &Plan, remote: bool) -> Result<String, Error> {
    let split = |line: &'_ str| {
        line.split_once(" = ").filter(|_| !line.starts_with('#')).map(|(command, _)| command.len())
    };
    let width = text.lines().filter_map(split).max().unwrap_or(0);
    let mut out = String::new();
    for line in text.lines() {
        match split(line) {
            Some(end) => writeln!(out, "{:width$}{}", &line[..end], &line[end..])?,
            None => writeln!(out, "{line}")?,
        }
    }
    for line in &plan.resources.submit {
        let because = if line.chars().any(char::is_control) {
            "expected one line without control characters"
        } else if first_word(line) == "queue" {
            "each node has one job, `queue` stands there already"
        } else {
            if remote || !chooses_machine(line) {
                writeln!(out, "{line}")?;
            }
            continue;
        };
        return Err(format!("line for the submit descriptions {line:?}: {because}").into());
    }
    out.push_str("queue\n");
    Ok(out)
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

fn remote<'a>(request: &'a Request<'_>, shipped: &'a Shipped, kind: Kind) -> Remote<'a> {
    let plan = request.plan;
    let prepared = ("prepared/$(setting)", "../../", "prepare/");
    let (script, (folder, up, logs), arguments, inputs) = match kind {
        Kind::Shard => ("node", prepared, "$(words)".to_owned(), vec!["$(files)".to_owned()]),
        Kind::Merge => {
            let pieces = request.shards.get(&1).into_iter().flatten();
            let pieces: Vec<String> = pieces.map(|of| steps::shard_file(of.number)).collect();
            let [validation, test, least] = steps::cuts(plan);
            let arguments = format!("{validation} {test} {least} {}", pieces.join(" "));
            let inputs = [vec!["../../program/node".to_owned()], pieces].concat();
            ("merge", prepared, arguments, inputs)
        }
        Kind::Train => {
            let place = ("trials/$(trial)/rung$(rung)", "../../../", "train/");
            let macros = TRAIN_VARIABLES.map(|name| format!("$({name})"));
            let command = steps::train_command(plan, &macros.each_ref().map(String::as_str));
            let mut inputs = steps::train_inputs(plan);
            inputs.push("$(before)".to_owned());
            ("node", place, command.join(" "), inputs)
        }
        Kind::Test | Kind::Select => {
            let step = steps::test(plan);
            ("node", ("best", "../", ""), step.commands.concat().join(" "), step.inputs)
        }
    };
    let inputs: Vec<&str> = shipped.tarball.iter().chain(&inputs).map(String::as_str).collect();
    let retries = plan.resources.retries;
    let usual = Resources { cpus: 1, ..Resources::default() };
    let resources = if kind == Kind::Train { &plan.resources } else { &usual };
    Remote {
        kind,
        image: shipped.image.as_deref(),
        script,
        folder,
        arguments,
        inputs: inputs.join(", "),
        cpus: resources.cpus,
        gpus: resources.gpus,
        memory: resources.memory,
        disk: resources.disk,
        program: shipped.size,
        ending: Ending { up, logs, retries },
    }
}

fn local<'a>(request: &'a Request<'_>, name: &'static str) -> Result<Local<'a>, Error> {
    let Here { program, library_path, home } = request.here;
    let mut retries = request.plan.resources.retries;
    let mut executable = quote::path("program", program)?;
    let mut variables = vec!["RAYON_NUM_THREADS=1".to_owned()];
    variables.extend(library_path.iter().map(|path| format!("LD_LIBRARY_PATH={path}")));
    let arguments = match name {
        "select" => steps::select_command("$(rung)"),
        "finish" => {
            // It fails where nodes failed: it is done all the same.
            retries = 0;
            steps::finish_command("$(FAILED_COUNT)", "$(DAG_STATUS)")
        }
        _ => {
            executable = quote::path("Python of tracking", &request.plan.tracking.python)?;
            variables = home.iter().map(|home| format!("HOME={home}")).collect();
            vec!["program/track.py".to_owned(), ".".to_owned()]
        }
    };
    Ok(Local {
        name,
        executable,
        arguments: arguments.join(" "),
        environment: quote::words("environment variable", variables.iter().map(String::as_str))?,
        ending: Ending { up: "", logs: "", retries },
    })
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
    let codes = HoldCode::all().iter().filter(is_released);
    codes.map(|code| code.number.to_string()).collect::<Vec<_>>().join(", ")
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
