//! `tracking`: Weights & Biases.

use std::path::{Path, PathBuf};

use super::paths;
use super::problems::Problems;
use super::section::Section;
use crate::sweep::plan::Tracking;

/// Reads `tracking`.
pub(super) fn tracking(root: &mut Section<'_>, folder: &Path, problems: &mut Problems) -> Tracking {
    let mut found = Tracking {
        enabled: false,
        project: "holdadvise".to_owned(),
        entity: None,
        offline: false,
        python: PathBuf::from("/usr/bin/python3"),
    };
    let Some(mut outer) = root.section("tracking", problems) else { return found };
    let section = outer.section("wandb", problems);
    outer.finish(problems);
    let Some(mut section) = section else { return found };
    found.enabled = match section.take("enabled") {
        Some(node) => problems.flag(node, "tracking.wandb.enabled").unwrap_or_default(),
        None => true,
    };
    if let Some(node) = section.take("project") {
        found.project = problems.text(node, "tracking.wandb.project").unwrap_or_default();
    }
    if let Some(node) = section.take("entity") {
        found.entity = problems.text(node, "tracking.wandb.entity");
    }
    if let Some(node) = section.take("mode") {
        let words = [("online", false), ("offline", true)];
        found.offline = problems.word(node, "tracking.wandb.mode", &words).unwrap_or_default();
    }
    if let Some(node) = section.take("python") {
        if let Some(text) = problems.text(node, "tracking.wandb.python") {
            found.python = paths::resolve(folder, &text);
        }
        if found.enabled && !found.python.is_file() {
            let python = found.python.display();
            problems.error(node.at, format!("tracking.wandb.python: there is no file {python}"));
        }
    }
    section.finish(problems);
    found
}
