//! `tracking`: Weights & Biases.

use std::path::Path;

use super::section::{Section, Value};
use crate::sweep::plan::Tracking;

/// Reads `tracking`.
pub(super) fn tracking(root: &mut Section<'_>, found: &mut Tracking, folder: &Path) {
    let Some(mut outer) = root.section("tracking") else { return };
    let Some(mut section) = outer.section("wandb") else { return };
    found.enabled = true;
    section.set("enabled", &mut found.enabled, Value::flag);
    section.set("project", &mut found.project, Value::text);
    section.set("entity", &mut found.entity, |value| Some(value.text()));
    let words = [("online", false), ("offline", true)];
    section.set("mode", &mut found.offline, |value| value.word(&words));
    if let Some(value) = section.take("python") {
        if let Some(text) = value.text() {
            found.python = folder.join(&text);
        }
        if found.enabled && !found.python.is_file() {
            value.error(format_args!("there is no file {}", found.python.display()));
        }
    }
}
