//! What runs where: `resources` and `program`.

use std::path::{Path, PathBuf};

use super::paths::{self, Wanted};
use super::section::{Section, Value};
use crate::sweep::plan::{Program, Resources};

/// Reads `resources`.
pub(super) fn resources(root: &mut Section<'_>) -> Resources {
    let mut found = Resources { cpus: 1, retries: 3, checkpoint: 600, ..Resources::default() };
    let Some(mut section) = root.section("resources") else { return found };
    for (key, number, range) in [
        ("gpus", &mut found.gpus, 0..=64),
        ("cpus", &mut found.cpus, 1..=1_024),
        ("retries", &mut found.retries, 0..=100),
    ] {
        let read = section.take(key).and_then(|value| value.count(range));
        *number = read.map_or(*number, |read| read as u32);
    }
    found.memory = section.take("memory").as_ref().and_then(Value::megabytes);
    found.disk = section.take("disk").as_ref().and_then(Value::megabytes);
    found.at_once = section.take("at_once").and_then(|value| value.count(1..=100_000));
    if let Some(seconds) = section.take("checkpoint").and_then(|value| value.seconds(1)) {
        found.checkpoint = seconds.unsigned_abs();
    }
    let lines = section.take("submit").map(|value| value.list()).unwrap_or_default();
    found.submit.extend(lines.iter().filter_map(submit_line));
    section.finish();
    found
}

/// A line for the submit descriptions.
fn submit_line(value: &Value<'_>) -> Option<String> {
    let line = value.text()?.trim().to_owned();
    let first = line.split(|c: char| c.is_whitespace() || c == '=').next().unwrap_or("");
    if first.eq_ignore_ascii_case("queue") || !line.contains('=') {
        value.error("expected `command = value`, as in a submit description");
        return None;
    }
    Some(line)
}

/// Reads `program`; `None` where nothing is said.
pub(super) fn program(root: &mut Section<'_>, folder: &Path) -> Option<Program> {
    let mut section = root.section("program")?;
    let ways = ["container", "tarball", "installed"].map(|key| section.take(key));
    let whole = section.value.clone();
    section.finish();
    match ways {
        [Some(value), None, None] => {
            let text = value.text()?;
            if text.contains("://") {
                return Some(Program::Container(text));
            }
            // An image is a file, or a folder that holds one unpacked.
            let path = folder.join(&text);
            if !path.exists() {
                value.error(format_args!("there is no image {}", path.display()));
            }
            Some(Program::Container(path.to_string_lossy().into_owned()))
        }
        [None, Some(value), None] => paths::one(&value, Wanted::File, folder).map(Program::Tarball),
        [None, None, Some(value)] => {
            let path = PathBuf::from(value.text()?);
            if !path.is_absolute() {
                value.error("expected an absolute path, the same on every execution point");
            }
            Some(Program::Installed(path))
        }
        _ => {
            whole.error("expected one of `container`, `tarball` or `installed`");
            None
        }
    }
}
