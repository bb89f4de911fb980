//! Files that the programs themselves keep, and others may have damaged.

use std::os::unix::fs::DirBuilderExt;

use holdadvise::collect::{Collected, Settings, collect};
use holdadvise::home::{self, Places};
use holdadvise::journal;

use crate::{files, sections};

/// A journal, the calibration and the state of an access point, and the list of gaps of kept logs.
/// A journal that was read is written and read again as the same one.
pub fn kept(bytes: &[u8]) {
    let [journal, calibration, state, gaps] = sections(bytes);
    let folder = files::folder();
    for (name, bytes) in [
        ("journal-2026-01.jsonl", journal),
        (home::CALIBRATION, calibration),
        ("home.json", state),
        ("gaps.jsonl", gaps),
        ("EventLog.000001", b"...\n"),
    ] {
        files::file(name, bytes);
    }
    let read = || journal::Kept::of_folder(&folder).expect("the folder is there");
    let kept = read();
    let mut text = Vec::new();
    for entry in &kept.entries {
        serde_json::to_writer(&mut text, entry).expect("an entry is JSON");
        text.push(b'\n');
    }
    files::file("journal-2026-01.jsonl", &text);
    assert_eq!(read(), journal::Kept { problems: Vec::new(), ..kept });
    if let Ok(Some(kept)) = home::KeptCalibration::read(&folder) {
        assert!(kept.calibration.a > 0.0 && kept.calibration.b.is_finite());
    }
    let _ = Places { own: folder.clone(), shown: folder.clone() }.state();
    let collected = Collected::of(&folder).expect("a log is there");
    collected.gaps.iter().for_each(|gap| drop(gap.sentence()));
}

/// Files as HTCondor rotates them, the live one first, and files of the folder that keeps them,
/// gzip or not. A second look takes nothing more.
pub fn collector(bytes: &[u8]) {
    let [live, rotated, first, second, gaps] = sections(bytes);
    let folder = files::folder().join("kept");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::DirBuilder::new().mode(0o700).create(&folder).expect("a folder can be made");
    for (name, bytes) in
        [("EventLog.000001", first), ("EventLog.000002", second), ("gaps.jsonl", gaps)]
    {
        if !bytes.is_empty() {
            files::put(&folder.join(name), bytes);
        }
    }
    files::file("EventLog.old", rotated);
    let mut settings = Settings::of(&folder);
    settings.event_log = Some(files::file("EventLog", live));
    let pass = |now| collect(&settings, now).expect("the folder is usable").expect("no other");
    let now = jiff::Timestamp::now().as_second();
    pass(now);
    let again = pass(now);
    assert_eq!((again.taken, again.new_gaps.len()), (0, 0), "{again:?}");
    // As of an hour later what was rotated is compressed.
    pass(now + 3_600);
    let again = pass(now + 3_600);
    assert_eq!((again.taken, again.new_gaps.len(), again.packed), (0, 0, 0), "{again:?}");
}
