//! `-apply` with a journal that is not as it was left.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, lchown, symlink};
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::apply::Queue;

/// Makes the folder of the journal; the path of a file in it.
fn journal(queue: &Queue, file: &str) -> PathBuf {
    let folder = queue.place.path(".local/state/condor-holdadvise/journal");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).expect("a folder");
    folder.join(file)
}

/// The file of this month.
fn of_this_month() -> String {
    format!("journal-{}.jsonl", Timestamp::now().to_zoned(TimeZone::UTC).strftime("%Y-%m"))
}

#[test]
fn a_link_in_the_place_of_the_folder_stops_everything() {
    let queue = Queue::new(15);
    queue.answers(1);
    let folder = journal(&queue, "");
    let elsewhere = queue.place.path("elsewhere");
    fs::rename(&folder, &elsewhere).expect("moved");
    symlink(&elsewhere, folder.parent().expect("a folder").join("journal")).expect("a link");
    let said = queue.apply("try -yes");
    assert_eq!((said.status, queue.calls().as_str()), (1, ""));
    assert!(said.stderr.contains("it is no directory"), "{said:?}");
    assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0);
}

#[test]
fn a_link_in_the_place_of_a_file_stops_everything() {
    for file in [of_this_month(), "lock".to_owned()] {
        let queue = Queue::new(15);
        queue.answers(1);
        let target = queue.place.file("target", "");
        symlink(&target, journal(&queue, &file)).expect("a link");
        let said = queue.apply("try -yes");
        assert_eq!((said.status, queue.calls().as_str()), (1, ""), "{file}: {said:?}");
        assert!(said.stderr.contains(&format!("{file}: cannot open")), "{said:?}");
        assert_eq!(fs::read(&target).expect("a file"), b"", "{file}");
    }
}

#[test]
fn a_link_of_another_account_on_the_way_stops_everything() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root makes links of others");
        return;
    }
    let queue = Queue::new(15);
    queue.answers(1);
    let elsewhere = queue.place.path("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    symlink(&elsewhere, queue.place.path(".local")).expect("a link");
    lchown(queue.place.path(".local"), Some(65_534), None).expect("given");
    let said = queue.apply("try -yes");
    assert_eq!((said.status, queue.calls().as_str()), (1, ""));
    assert!(said.stderr.contains(".local belongs to user id 65534"), "{said:?}");
    assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0);
}

#[test]
fn what_a_journal_says_of_other_holds_releases_none() {
    let queue = Queue::new(15);
    queue.answers(1);
    let now = Timestamp::now().as_second();
    // A job that is not there, another hold, and one that was decided about and nothing more.
    let holds = [("77.0", 1), ("9.3", 7), ("9.4", 1)];
    let mut lines = "{\"Kind\":\"Act\",\"Job\":\n[[[[\n".to_owned();
    for (job, num_holds) in holds {
        let hold = format!("\"Id\":\"forged-{job}\",\"Job\":\"{job}\",\"NumHolds\":{num_holds}");
        lines += &format!(
            "{{\"Kind\":\"Advice\",\"Time\":{now},{hold},\"Cause\":\"forged\",\"Advice\":\"release\",\
             \"Chance\":1.0,\"Counts\":\"Begins\",\"By\":\"Person\"}}\n\
             {{\"Kind\":\"Act\",\"Time\":{now},{hold},\"Did\":\"Release\",\"Step\":\"Intended\"}}\n"
        );
    }
    fs::write(journal(&queue, &of_this_month()), &lines).expect("a journal");
    let said = queue.apply("try -yes");
    assert_eq!(said.status, 0, "{said:?}");
    for line in ["line 1: ", "line 2: "] {
        assert!(said.stderr.contains(&format!("{}{line}", of_this_month() + " ")), "{said:?}");
    }
    assert!(!said.stderr.contains("line 3"), "{said:?}");
    // The one that is drawn by its own hold is released, and no other.
    let calls = queue.calls();
    assert_eq!(calls.lines().count(), 1, "{calls}");
    assert_eq!(calls.matches("ProcId == ").count(), 1, "{calls}");
    assert!(calls.contains("NumHolds == 1") && !calls.contains("ClusterId == 77"), "{calls}");
}
