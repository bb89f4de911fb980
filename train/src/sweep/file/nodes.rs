//! What runs where: `resources` and `program`.

use std::path::{Path, PathBuf};

use super::paths::{self, Wanted};
use super::section::{Section, Value};
use crate::sweep::plan::{Program, Resources};

/// Reads `resources`.
pub(super) fn resources(root: &mut Section<'_>, found: &mut Resources) {
    let Some(mut section) = root.section("resources") else { return };
    section.set("gpus", &mut found.gpus, |value| value.whole(0..=64));
    section.set("cpus", &mut found.cpus, |value| value.whole(1..=1_024));
    section.set("retries", &mut found.retries, |value| value.whole(0..=100));
    section.set("memory", &mut found.memory, |value| Some(value.megabytes()));
    section.set("disk", &mut found.disk, |value| Some(value.megabytes()));
    section.set("at_once", &mut found.at_once, |value| Some(value.whole(1..=100_000)));
    section.set("checkpoint", &mut found.checkpoint, |value| value.seconds(1));
    let lines = section.take("submit").map(|value| value.list()).unwrap_or_default();
    found.submit.extend(lines.iter().filter_map(submit_line));
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
            section.value.error("expected one of `container`, `tarball` or `installed`");
            None
        }
    }
}
