//! What journals say of actions before releases, which logs do not show.

use std::io;
use std::path::Path;

use super::{ActStep, Did, Entry, EntryKind, Kept};
use crate::history::NotedActions;
use eventlog::input::reader;

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
        if let EntryKind::Act(act) = what
            && act.step == ActStep::Done
            && matches!(act.did, Did::Release | Did::Change)
            && let Some(action) = act.action
        {
            noted.insert(act.hold.job, *time, action);
        }
    }
    Ok((noted, kept.problems))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Action, Coverage, HistoryBuilder};
    use crate::journal::{Act, HoldOf, Journal, VERSION};
    use eventlog::{JobId, ReadOptions};

    /// 2026-03-08 12:00:00 UTC.
    const NOON: i64 = 1_772_971_200;

    #[test]
    fn the_edit_before_a_release_is_known_to_its_episode() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("journal")).unwrap();
        let job = JobId::new(7, 1);
        let act = |time, did, step, action| {
            let hold = HoldOf { job, num_holds: Some(1), entered_current_status: None };
            let (id, edits, detail) = (None, Vec::new(), None);
            let what =
                EntryKind::Act(Act { id, hold, did, step, action: Some(action), edits, detail });
            Entry { version: VERSION, time, what }
        };
        let entries = [
            act(NOON + 3_595, Did::Change, ActStep::Intended, Action::Other),
            act(NOON + 3_598, Did::Change, ActStep::Done, Action::Memory),
            act(NOON + 3_599, Did::Change, ActStep::Refused, Action::Disk),
        ];
        journal.lock().unwrap().add(&entries).unwrap();

        let log = folder.path().join("log");
        let events = "\
            000 (7.001.000) 2026-03-08 11:00:00 Job submitted from host: <1.1.1.1:1>\n...\n\
            012 (7.001.000) 2026-03-08 12:00:00 Job was held.\n\tx\n\tCode 34 Subcode 102\n...\n\
            013 (7.001.000) 2026-03-08 13:00:00 Job was released.\n\tx (by user a)\n...\n\
            001 (7.001.000) 2026-03-08 13:01:00 Job executing on host: <1.1.1.1:1>\n...\n\
            005 (7.001.000) 2026-03-08 13:02:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n";
        std::fs::write(&log, events).unwrap();
        let mut history = HistoryBuilder::new();
        let options = ReadOptions::in_zone(jiff::tz::TimeZone::UTC);
        history.read_log(&log, Coverage::AccessPoint, &options).unwrap();
        let history = history.build();
        let file = journal.folder().join("journal-2026-03.jsonl");
        for path in [journal.folder(), &file] {
            let (noted, problems) = noted_actions(path).unwrap();
            assert!(problems.is_empty(), "{problems:?}");
            let episodes = history.episodes(i64::MAX, &noted);
            assert_eq!(episodes[0].action, Action::Memory);
            assert!(episodes[0].released_by_person);
        }
    }
}
