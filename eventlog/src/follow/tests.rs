use std::fs::{self, OpenOptions};
use std::io::Write;

use tempfile::TempDir;

use super::super::time::YearHint;
use super::*;

/// A log in a folder of its own.
struct Log {
    folder: TempDir,
    path: PathBuf,
}

fn released(cluster: i32) -> String {
    format!(
        "013 ({cluster:03}.000.000) 2024-01-02 03:04:05 Job was released.\n\tvia condor_release (by user alice)\n...\n"
    )
}

/// A header as HTCondor writes it; `offset` is the sum of the sizes before.
fn header(sequence: u32, offset: usize) -> String {
    let info = format!(
        "Global JobLog: ctime={} id=0.1.{sequence} sequence={sequence} size=0 events=0 offset={offset} event_off=0 max_rotation=1 creator_name=<>",
        1_704_164_645 + sequence
    );
    format!("008 (-01.-01.-01) 2024-01-02 03:04:05 {info:<256}\n...\n")
}

impl Log {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        Self { folder, path }
    }

    fn append(&self, text: &str) {
        append(&self.path, text);
    }

    fn name(&self, suffix: &str) -> PathBuf {
        self.folder.path().join(format!("EventLog{suffix}"))
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.name(from), self.name(to)).unwrap();
    }

    fn follow(&self, position: Option<Position>) -> Follower {
        let options = ReadOptions {
            year: YearHint::First(2024),
            ..ReadOptions::in_zone(jiff::tz::TimeZone::UTC)
        };
        follow(&self.path, &options, position).unwrap()
    }
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Clusters of the events, and the damage, until nothing more is there.
fn read(follower: &mut Follower) -> (Vec<i32>, Vec<Damage>) {
    let (mut clusters, mut damages) = (Vec::new(), Vec::new());
    while let Some((_, event)) = follower.next_event() {
        match event {
            Ok(event) => clusters.push(event.job.cluster),
            Err(damaged) => damages.push(damaged.damage),
        }
    }
    (clusters, damages)
}

/// The clusters, where nothing is damaged.
fn clusters(follower: &mut Follower) -> Vec<i32> {
    let (clusters, damages) = read(follower);
    assert_eq!(damages, Vec::new());
    clusters
}

/// A log with one event, followed to its end.
fn followed() -> (Log, Follower) {
    let log = Log::new();
    log.append(&released(1));
    let mut follower = log.follow(None);
    assert_eq!(clusters(&mut follower), [1]);
    (log, follower)
}

/// The same position in another process.
fn kept(follower: &Follower) -> Option<Position> {
    serde_json::from_str(&serde_json::to_string(&follower.position()).unwrap()).unwrap()
}

#[test]
fn a_log_is_followed_from_when_it_appears() {
    let log = Log::new();
    let mut follower = log.follow(None);
    assert_eq!(clusters(&mut follower), [0; 0]);
    assert_eq!(follower.position(), None);
    log.append("");
    assert_eq!(clusters(&mut follower), [0; 0]);
    let event = released(1);
    let (begin, end) = event.split_at(40);
    log.append(begin);
    assert_eq!(clusters(&mut follower), [0; 0]);
    log.append(end);
    assert_eq!(clusters(&mut follower), [1]);
    assert_eq!(clusters(&mut follower), [0; 0]);
    assert_eq!(follower.position().unwrap().offset(), event.len() as u64);
}

#[test]
fn rotations_are_followed() {
    let log = Log::new();
    for cluster in 1..=3 {
        log.append(&released(cluster));
        log.rename("", &format!(".{}", 4 - cluster));
    }
    log.append(&released(4));
    let mut follower = log.follow(None);
    assert_eq!(clusters(&mut follower), [1, 2, 3, 4]);
    log.append(&released(5));
    // Twice between two looks.
    for cluster in [6, 7] {
        for number in (1..=3).rev() {
            log.rename(&format!(".{number}"), &format!(".{}", number + 1));
        }
        log.rename("", ".1");
        log.append(&released(cluster));
    }
    let position = kept(&follower);
    assert_eq!(clusters(&mut follower), [5, 6, 7]);
    assert_eq!(clusters(&mut log.follow(position)), [5, 6, 7]);
}

#[test]
fn a_slow_writer_is_read_before_the_new_log() {
    let (log, mut follower) = followed();
    log.rename("", ".old");
    assert_eq!(clusters(&mut follower), [0; 0]);
    let event = released(2);
    let (begin, end) = event.split_at(50);
    append(&log.name(".old"), begin);
    log.append("");
    assert_eq!(clusters(&mut follower), [0; 0]);
    log.append(&released(3));
    // The writer of the half event gets one look more.
    assert_eq!(clusters(&mut follower), [0; 0]);
    append(&log.name(".old"), end);
    assert_eq!(clusters(&mut follower), [2, 3]);
}

#[test]
fn a_writer_that_is_late_is_heard() {
    for restart in [false, true] {
        let (log, mut follower) = followed();
        log.rename("", ".1");
        log.append(&released(2));
        assert_eq!(clusters(&mut follower), [2]);
        log.rename(".1", ".2");
        log.rename("", ".1");
        log.append(&released(3));
        assert_eq!(clusters(&mut follower), [3]);
        let event = released(5);
        append(&log.name(".2"), &(released(4) + &event[..30]));
        append(&log.name(".1"), &released(6));
        log.append(&released(7));
        if restart {
            follower = log.follow(kept(&follower));
        }
        assert_eq!(clusters(&mut follower), [7, 4, 6]);
        if restart {
            follower = log.follow(kept(&follower));
        }
        append(&log.name(".2"), &event[30..]);
        assert_eq!(clusters(&mut follower), [5]);
        assert_eq!(clusters(&mut follower), [0; 0]);
    }
}

#[test]
fn an_event_cut_by_rotation_is_told() {
    let half = &released(2)[..50];
    for restart in [false, true] {
        let log = Log::new();
        log.append(&(released(1) + half));
        let mut follower = log.follow(None);
        assert_eq!(clusters(&mut follower), [1]);
        log.rename("", ".old");
        log.append(&released(3));
        if restart {
            follower = log.follow(kept(&follower));
        } else {
            assert_eq!(clusters(&mut follower), [0; 0]);
        }
        let (path, damaged) = follower.next_event().unwrap();
        // The name is the one that the file had when it was opened.
        assert_eq!(path == log.path, !restart);
        let damaged = damaged.unwrap_err();
        assert_eq!((damaged.offset, damaged.length), (released(1).len() as u64, 50));
        assert_eq!(damaged.damage, Damage::Truncated);
        assert_eq!(clusters(&mut follower), [3]);
    }
}

#[test]
fn a_cut_log_is_read_anew_and_told() {
    let log = Log::new();
    let text = released(1) + &released(2) + "013 (";
    for again in ["", &released(1), &released(7).repeat(9)] {
        fs::write(&log.path, &text).unwrap();
        let mut follower = log.follow(None);
        assert_eq!(clusters(&mut follower), [1, 2]);
        // Cut and written again, in one inode.
        fs::write(&log.path, again).unwrap();
        log.append(&released(3));
        let (events, damages) = read(&mut follower);
        assert_eq!(damages, [Damage::Cut]);
        assert_eq!(events.len(), 1 + again.len() / released(1).len());
        assert_eq!(events.last(), Some(&3));
        assert_eq!(clusters(&mut follower), [0; 0]);
    }
}

#[test]
fn a_log_that_loses_its_half_event_is_read_on() {
    let log = Log::new();
    log.append(&(released(1) + &released(2)[..20]));
    let mut follower = log.follow(None);
    assert_eq!(clusters(&mut follower), [1]);
    fs::write(&log.path, released(1)).unwrap();
    assert_eq!(clusters(&mut follower), [0; 0]);
    log.append(&released(2));
    assert_eq!(clusters(&mut follower), [2]);
}

#[test]
fn copytruncate_loses_nothing_that_was_copied() {
    for restart in [false, true] {
        let (log, mut follower) = followed();
        log.append(&released(2));
        fs::copy(&log.path, log.name(".1")).unwrap();
        fs::write(&log.path, released(3)).unwrap();
        if restart {
            follower = log.follow(kept(&follower));
        }
        assert_eq!(clusters(&mut follower), [2, 3]);
        log.append(&released(4));
        assert_eq!(clusters(&mut follower), [4]);
    }
}

#[test]
fn a_copy_put_in_the_place_of_the_log_is_read_on() {
    let (log, mut follower) = followed();
    // As rsync does.
    fs::write(log.name(".tmp"), released(1) + &released(2)).unwrap();
    log.rename(".tmp", "");
    assert_eq!(clusters(&mut follower), [2]);
}

#[test]
fn a_log_removed_and_begun_anew_is_followed() {
    let (log, mut follower) = followed();
    fs::remove_file(&log.path).unwrap();
    assert_eq!(clusters(&mut follower), [0; 0]);
    log.append(&released(2));
    assert_eq!(clusters(&mut follower), [2]);
}

#[test]
fn what_was_rotated_out_is_told() {
    let lost = Damage::Gone { bytes: None };
    for restart in [false, true] {
        let (log, mut follower) = followed();
        log.append(&released(2));
        if restart {
            follower = log.follow(kept(&follower));
        }
        for cluster in 3..=5 {
            log.rename("", ".old");
            log.append(&released(cluster));
        }
        let (events, damages) = read(&mut follower);
        assert_eq!(damages, std::slice::from_ref(&lost));
        // A file that is open is read to its end.
        let expected: &[i32] = if restart { &[4, 5] } else { &[2, 4, 5] };
        assert_eq!(events, expected);
    }
}

#[test]
fn older_files_are_not_read_again() {
    let log = Log::new();
    log.append(&released(1));
    log.rename("", ".old");
    log.append(&released(2));
    let mut follower = log.follow(None);
    assert_eq!(clusters(&mut follower), [1, 2]);
    let position = kept(&follower);
    fs::remove_file(&log.path).unwrap();
    let mut resumed = log.follow(position);
    assert_eq!(clusters(&mut resumed), [0; 0]);
    log.append(&released(3));
    let lost = vec![Damage::Gone { bytes: None }];
    assert_eq!(read(&mut resumed), (vec![3], lost.clone()));
    assert_eq!(read(&mut follower), (vec![3], lost));
}

#[test]
fn headers_tell_what_was_lost() {
    let log = Log::new();
    let file = |number: u32, offset| header(number, offset) + &released(number as i32);
    let size = file(1, 0).len();
    log.append(&file(1, 0));
    let mut follower = log.follow(None);
    assert_eq!(clusters(&mut follower), [-1, 1]);
    let position = kept(&follower);
    for number in 2..=3 {
        log.rename("", ".old");
        log.append(&file(number, (number as usize - 1) * size));
    }
    // The file is gone, with nothing that was not read.
    assert_eq!(clusters(&mut log.follow(position.clone())), [-1, 2, -1, 3]);
    assert_eq!(clusters(&mut follower), [-1, 2, -1, 3]);
    for number in 4..=5 {
        log.rename("", ".old");
        log.append(&file(number, (number as usize - 1) * size));
    }
    let lost = Damage::Gone { bytes: Some(2 * size as u64) };
    let (events, damages) = read(&mut log.follow(position));
    assert_eq!((events, damages), (vec![-1, 4, -1, 5], vec![lost]));
}

#[test]
fn a_large_event_is_told_once_over_a_restart() {
    let log = Log::new();
    let options = ReadOptions { max_event: 1000, ..ReadOptions::default() };
    log.append(&released(1).replace("\tvia", &"\tlong\n".repeat(500)));
    let text = fs::read_to_string(&log.path).unwrap();
    fs::write(&log.path, &text[..2000]).unwrap();
    let mut follower = follow(&log.path, &options, None).unwrap();
    assert_eq!(read(&mut follower), (vec![], vec![Damage::TooLarge { limit: 1000 }]));
    let mut follower = follow(&log.path, &options, kept(&follower)).unwrap();
    log.append(&text[2000..]);
    log.append(&released(2));
    assert_eq!(clusters(&mut follower), [2]);
}

#[test]
fn other_forms_are_followed() {
    let event = |cluster: i32| {
        format!(
            "{{\n  \"MyType\": \"JobReleasedEvent\",\n  \"EventTypeNumber\": 13,\n  \"EventTime\": \"2024-01-02T03:04:05\",\n  \"Cluster\": {cluster},\n  \"Proc\": 0,\n  \"Subproc\": 0\n}}\n"
        )
    };
    let log = Log::new();
    let mut follower = log.follow(None);
    for cluster in 1..=4 {
        let event = event(cluster);
        let (begin, end) = event.split_at(60);
        log.append(begin);
        assert_eq!(clusters(&mut follower), [0; 0]);
        follower = log.follow(kept(&follower));
        log.append(end);
        if cluster % 2 == 0 {
            log.rename("", ".old");
        }
        assert_eq!(clusters(&mut follower), [cluster]);
    }
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_opened_is_told_once() {
    let (log, mut follower) = followed();
    log.rename("", ".old");
    // A name that leads nowhere, whoever asks.
    std::os::unix::fs::symlink("EventLog", &log.path).unwrap();
    let (path, told) = follower.next_event().unwrap();
    assert_eq!(path, log.path);
    assert!(told.unwrap_err().is_io());
    assert!(follower.next_event().is_none());
    assert!(log.path.is_symlink() && follow(&log.path, &ReadOptions::default(), None).is_err());
    fs::remove_file(&log.path).unwrap();
    log.append(&released(2));
    assert_eq!(clusters(&mut follower), [2]);
}

#[test]
fn what_is_no_log_is_refused() {
    let log = Log::new();
    log.append(&"no log\n".repeat(100));
    let error = follow(&log.path, &ReadOptions::default(), None).unwrap_err();
    assert!(matches!(error, EventLogError::NotALog { .. }));
}

#[test]
fn years_and_the_hour_that_comes_twice_go_on() {
    let log = Log::new();
    let zone = jiff::tz::TimeZone::get("America/Chicago").unwrap();
    let options = ReadOptions { year: YearHint::First(2023), ..ReadOptions::in_zone(zone) };
    let dates = ["11/05 01:59:59", "11/05 01:10:00", "12/31 23:59:59", "01/01 00:00:00"];
    let expected = [1_699_167_599, 1_699_168_200, 1_704_088_799, 1_704_088_800];
    let mut position = None;
    for (date, expected) in dates.into_iter().zip(expected) {
        let mut follower = follow(&log.path, &options, position).unwrap();
        assert!(follower.next_event().is_none());
        log.rename_if_there();
        log.append(&format!("013 (1.0.0) {date} Job was released.\n...\n"));
        let event = follower.next_event().unwrap().1.unwrap();
        assert_eq!(event.time.seconds, expected, "{date}");
        position = kept(&follower);
    }
}

impl Log {
    fn rename_if_there(&self) {
        if self.path.exists() {
            self.rename("", ".old");
        }
    }
}

#[test]
fn a_position_that_makes_no_sense_does_no_harm() {
    let (log, follower) = followed();
    let kept = serde_json::to_string(&follower.position()).unwrap();
    for (from, to) in [("\"offset\":", "\"offset\":9999999"), ("\"length\":", "\"length\":9999999")]
    {
        let position = serde_json::from_str(&kept.replace(from, to)).unwrap();
        let (events, damages) = read(&mut log.follow(Some(position)));
        assert_eq!((events, damages), (vec![1], vec![Damage::Gone { bytes: None }]), "{from}");
    }
}
