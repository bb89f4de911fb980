//! What journals say of actions before releases, which logs do not show.

use std::io;
use std::path::Path;

use super::{Did, Entry, Kept, Step, What};
use crate::history::NotedActions;
use crate::input::reader;

/// The actions that a journal notes: a folder, or one file of JSON lines. Lines that cannot be read
/// are named.
///
/// # Errors
/// When it cannot be opened or read.
pub fn noted_actions(path: &Path) -> io::Result<(NotedActions, Vec<String>)> {
    let kept = match path.is_dir() {
        true => Kept::of_folder(path)?,
        false => {
            let mut kept = Kept::default();
            kept.read(path, reader(path)?)?;
            kept
        }
    };
    let mut noted = NotedActions::default();
    for Entry { time, what, .. } in &kept.entries {
        if let What::Act(act) = what
            && act.step == Step::Done
            && matches!(act.did, Did::Release | Did::Change)
            && let Some(action) = act.action
        {
            noted.insert(act.hold.job, *time, action);
        }
    }
    Ok((noted, kept.problems))
}
