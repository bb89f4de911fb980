//! A journal on a full disk. A process of its own, since it limits how large a file may become.

use std::fs;
use std::sync::Arc;

use eventlog::JobId;
use holdadvise::journal::{
    Act, ActStep, Did, Entry, EntryKind, HoldOf, Journal, JournalError, VERSION,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const NOW: i64 = 1_790_000_000;

fn act(proc: i32) -> Entry {
    let hold = HoldOf { job: JobId::new(7, proc), num_holds: None, entered_current_status: None };
    let act = Act {
        id: None,
        hold,
        did: Did::Release,
        step: ActStep::Intended,
        action: None,
        edits: Vec::new(),
        detail: None,
    };
    Entry { version: VERSION, time: NOW, what: EntryKind::Act(act) }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(&folder.path().join("journal")).unwrap();
    let locked = journal.lock().unwrap();
    locked.add(&[act(0)]).unwrap();
    let path = journal.folder().join("journal-2026-09.jsonl");
    let before = fs::read(&path).unwrap();
    // A limit of the size of files ends a write in its middle, as a full disk does.
    let ignored = Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, ignored).unwrap();
    let old = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(before.len() as u64 + 40), ..old }).unwrap();
    let added = locked.add(&[act(1), act(2)]);
    setrlimit(Resource::Fsize, old).unwrap();
    assert!(matches!(added, Err(JournalError::Io { doing: "write", .. })), "{added:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
    locked.add(&[act(3)]).unwrap();
    let kept = locked.read().unwrap();
    assert_eq!((kept.entries, kept.problems), (vec![act(0), act(3)], Vec::new()));
}
