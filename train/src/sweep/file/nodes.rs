//! What runs where: `resources` and `program`.

use std::path::{Path, PathBuf};

use super::node::Node;
use super::paths::{self, Wanted};
use super::problems::Problems;
use super::section::Section;
use crate::sweep::plan::{Program, Resources};

/// Reads `resources`.
pub(super) fn resources(root: &mut Section<'_>, problems: &mut Problems) -> Resources {
    let mut found = Resources {
        gpus: 0,
        cpus: 1,
        memory: None,
        disk: None,
        at_once: None,
        retries: 3,
        checkpoint: 600,
        submit: Vec::new(),
    };
    let Some(mut section) = root.section("resources", problems) else { return found };
    for (key, number, range) in [
        ("gpus", &mut found.gpus, 0..=64),
        ("cpus", &mut found.cpus, 1..=1_024),
        ("retries", &mut found.retries, 0..=100),
    ] {
        if let Some(node) = section.take(key) {
            let read = problems.count(node, &format!("resources.{key}"), range);
            *number = read.map_or(*number, |read| read as u32);
        }
    }
    for (key, size) in [("memory", &mut found.memory), ("disk", &mut found.disk)] {
        if let Some(node) = section.take(key) {
            *size = problems.megabytes(node, &format!("resources.{key}"));
        }
    }
    if let Some(node) = section.take("at_once") {
        found.at_once = problems.count(node, "resources.at_once", 1..=100_000);
    }
    if let Some(node) = section.take("checkpoint")
        && let Some(seconds) = problems.seconds(node, "resources.checkpoint", 1)
    {
        found.checkpoint = seconds.unsigned_abs();
    }
    if let Some(node) = section.take("submit") {
        for line in problems.list(node, "resources.submit") {
            found.submit.extend(submit_line(line, problems));
        }
    }
    section.finish(problems);
    found
}

/// A line for the submit descriptions.
fn submit_line(node: &Node, problems: &mut Problems) -> Option<String> {
    let line = problems.text(node, "resources.submit")?.trim().to_owned();
    let first = line.split(|c: char| c.is_whitespace() || c == '=').next().unwrap_or("");
    if first.eq_ignore_ascii_case("queue") || !line.contains('=') {
        let text = "resources.submit: expected `command = value`, as in a submit description";
        problems.error(node.at, text);
        return None;
    }
    Some(line)
}

/// Reads `program`; `None` where nothing is said.
pub(super) fn program(
    root: &mut Section<'_>,
    folder: &Path,
    problems: &mut Problems,
) -> Option<Program> {
    let mut section = root.section("program", problems)?;
    let (container, tarball, installed) =
        (section.take("container"), section.take("tarball"), section.take("installed"));
    let at = section.at;
    section.finish(problems);
    match (container, tarball, installed) {
        (Some(node), None, None) => {
            let text = problems.text(node, "program.container")?;
            if text.contains("://") {
                return Some(Program::Container(text));
            }
            // An image is a file, or a folder that holds one unpacked.
            let path = paths::resolve(folder, &text);
            if !path.exists() {
                let text = format!("program.container: there is no image {}", path.display());
                problems.error(node.at, text);
            }
            Some(Program::Container(path.to_string_lossy().into_owned()))
        }
        (None, Some(node), None) => {
            paths::one(node, "program.tarball", Wanted::File, folder, problems)
                .map(Program::Tarball)
        }
        (None, None, Some(node)) => {
            let path = PathBuf::from(problems.text(node, "program.installed")?);
            if !path.is_absolute() {
                let text = "program.installed: expected an absolute path, the same on every execution point";
                problems.error(node.at, text);
            }
            Some(Program::Installed(path))
        }
        _ => {
            let text = "program: expected one of `container`, `tarball` or `installed`";
            problems.error(at, text);
            None
        }
    }
}
