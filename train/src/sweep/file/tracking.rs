//! `tracking`: Weights & Biases.

use std::path::{Path, PathBuf};

use super::section::{Section, Value};
use crate::sweep::plan::Tracking;

/// Reads `tracking`.
pub(super) fn tracking(root: &mut Section<'_>, folder: &Path) -> Tracking {
    let mut found = Tracking {
        project: "holdadvise".to_owned(),
        python: PathBuf::from("/usr/bin/python3"),
        ..Tracking::default()
    };
    let Some(mut outer) = root.section("tracking") else { return found };
    let section = outer.section("wandb");
    outer.finish();
    let Some(mut section) = section else { return found };
    let enabled = section.take("enabled");
    found.enabled = enabled.is_none_or(|value| value.flag().unwrap_or_default());
    if let Some(value) = section.take("project") {
        found.project = value.text().unwrap_or_default();
    }
    found.entity = section.take("entity").as_ref().and_then(Value::text);
    if let Some(value) = section.take("mode") {
        found.offline = value.word(&[("online", false), ("offline", true)]).unwrap_or_default();
    }
    if let Some(value) = section.take("python") {
        if let Some(text) = value.text() {
            found.python = folder.join(&text);
        }
        if found.enabled && !found.python.is_file() {
            value.error(format_args!("there is no file {}", found.python.display()));
        }
    }
    section.finish();
    found
}
