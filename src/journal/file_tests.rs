use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::history::Action;
use crate::journal::{Act, ActStep, Did, EntryKind, HoldOf, JobRange};
use eventlog::JobId;

const NOW: i64 = 1_790_000_000;

fn act(proc: i32) -> Entry {
    let act = Act {
        id: Some(format!("a{proc}")),
        hold: HoldOf { job: JobId::new(7, proc), num_holds: Some(2), entered_current_status: None },
        did: Did::Release,
        step: ActStep::Done,
        action: Some(Action::AsIs),
        edits: Vec::new(),
        detail: Some("a \"quote\"\nand a line".to_owned()),
    };
    Entry { version: VERSION, time: NOW, what: EntryKind::Act(act) }
}

fn journal(folder: &tempfile::TempDir) -> Journal {
    Journal::open(&folder.path().join("state/journal")).unwrap()
}

fn only_file(journal: &Journal) -> PathBuf {
    journal.folder().join(file_of(NOW))
}

#[test]
fn what_is_added_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder);
    let locked = journal.lock().unwrap();
    locked.add(&[act(0), act(1)]).unwrap();
    locked.reserve(4096, NOW).unwrap();
    locked.add(&[act(2)]).unwrap();
    let kept = locked.read().unwrap();
    assert_eq!(kept, Kept { entries: vec![act(0), act(1), act(2)], problems: vec![] });
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(journal.folder()), mode(&only_file(&journal))), (0o700, 0o600));
}

#[test]
fn a_line_that_was_cut_costs_that_line() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder);
    let locked = journal.lock().unwrap();
    locked.add(&[act(0), act(1)]).unwrap();
    let path = only_file(&journal);
    let length = path.metadata().unwrap().len();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 9).unwrap();
    locked.add(&[act(2)]).unwrap();
    let kept = locked.read().unwrap();
    assert_eq!(kept.entries, [act(0), act(2)]);
    assert_eq!(kept.problems.len(), 1);
    assert!(kept.problems[0].contains("line 2"), "{:?}", kept.problems);
}

#[test]
fn a_newer_version_and_long_lines_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder);
    let locked = journal.lock().unwrap();
    locked.add(&[Entry { version: VERSION + 1, ..act(0) }]).unwrap();
    let mut file = OpenOptions::new().append(true).open(only_file(&journal)).unwrap();
    file.write_all(&vec![b'x'; 3 << 20]).unwrap();
    drop(file);
    locked.add(&[act(1)]).unwrap();
    let kept = locked.read().unwrap();
    assert_eq!(kept.entries, [act(1)]);
    assert_eq!(kept.problems.len(), 2, "{:?}", kept.problems);
}

#[test]
fn two_writers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let journal = &journal;
            scope.spawn(move || {
                for number in 0..25 {
                    journal.lock().unwrap().add(&[act(writer * 100 + number)]).unwrap();
                }
            });
        }
    });
    let kept = journal.lock().unwrap().read().unwrap();
    assert_eq!((kept.entries.len(), kept.problems.len()), (100, 0));
}

#[test]
fn links_and_what_others_may_write_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    assert!(matches!(Journal::open(&link), Err(JournalError::Unsafe { .. })));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o777)).unwrap();
    let error = Journal::open(&real).unwrap_err().to_string();
    assert!(error.contains("others may write it (mode 777)"), "{error}");

    let journal = journal(&folder);
    let target = folder.path().join("target");
    symlink(&target, only_file(&journal)).unwrap();
    assert!(journal.lock().unwrap().add(&[act(0)]).is_err());
    assert!(!target.exists());
    // Others could put another one in its place, where the folder above is not sticky.
    let above = folder.path().join("above");
    fs::create_dir(&above).unwrap();
    let of_mode = |mode| {
        fs::set_permissions(&above, fs::Permissions::from_mode(mode)).unwrap();
        Journal::open(&above.join("journal"))
    };
    assert!(matches!(of_mode(0o777), Err(JournalError::Unsafe { .. })));
    assert!(of_mode(0o1777).is_ok() && of_mode(0o755).is_ok());
}

#[test]
fn a_line_by_hand_is_enough() {
    let line =
        "{\"Kind\":\"Act\",\"Job\":\"1.0\",\"Time\":5,\"Did\":\"Change\",\"Action\":\"memory\"}\n";
    let mut kept = Kept::default();
    kept.read(Path::new("notes"), line.as_bytes()).unwrap();
    let EntryKind::Act(act) = &kept.entries[0].what else { panic!("{kept:?}") };
    assert_eq!((act.hold.job, act.action), (JobId::new(1, 0), Some(Action::Memory)));
}

#[test]
fn jobs_in_a_row_are_a_range() {
    let jobs = [(3, 1), (3, 0), (3, 2), (3, 5), (4, 6)].map(|(c, p)| JobId::new(c, p));
    let ranges = JobRange::of(jobs);
    let text: Vec<String> = ranges.iter().map(ToString::to_string).collect();
    assert_eq!(text, ["3.0-2", "3.5", "4.6"]);
    let json = serde_json::to_string(&ranges).unwrap();
    assert_eq!(serde_json::from_str::<Vec<JobRange>>(&json).unwrap(), ranges);
    assert!(serde_json::from_str::<JobRange>("\"3.5-2\"").is_err());
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        let mut kept = Kept::default();
        kept.read(Path::new("any"), &*bytes).unwrap();
    }
}
