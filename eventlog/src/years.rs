//! Which year the first date of each file of a series is of.
//!
//! No event is later than the modification time of its file, nor than the beginning of any file
//! that was begun after it; the earliest of these counts, so that a modification time that a copy
//! has changed does no harm where another file tells more. A header of the file itself goes before
//! (`Clock::begin`).

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::identity::{LogHeader, beginning};
use super::reader::open_file;
use super::{BEGINNING, Beginning, LogReader, ReadOptions, YearHint};
use crate::input::{self, is_packed};

/// The hints of files that are in order, oldest first.
pub(super) fn hints(files: &[(PathBuf, File)], options: &ReadOptions) -> Vec<YearHint> {
    let mut bound = match options.year {
        // Years go on from file to file.
        YearHint::First(_) => return vec![options.year; files.len()],
        YearHint::NotAfter(unix) => Some(unix),
        YearHint::Now => None,
    };
    let mut hints = Vec::with_capacity(files.len());
    for (index, (path, file)) in files.iter().enumerate().rev() {
        if options.year == YearHint::Now {
            bound = earlier(bound, modified(file));
        }
        let hint = bound.map_or(options.year, YearHint::NotAfter);
        if index > 0 {
            bound =
                earlier(bound, begun(path, file, &ReadOptions { year: hint, ..options.clone() }));
        }
        hints.push(hint);
    }
    hints.reverse();
    hints
}

fn earlier(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    one.into_iter().chain(other).min()
}

/// The modification time of a file that holds anything.
fn modified(file: &File) -> Option<i64> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.len() > 0)?;
    jiff::Timestamp::try_from(metadata.modified().ok()?).ok().map(jiff::Timestamp::as_second)
}

/// When a file was begun: what its header says, else the time of its first event.
fn begun(path: &Path, file: &File, options: &ReadOptions) -> Option<i64> {
    let is_packed = is_packed(file).ok()?;
    let bytes = match is_packed {
        true => input::beginning(file, BEGINNING >> 4).ok()?,
        false => beginning(file).ok()?,
    };
    if let Some(header) = LogHeader::read(&bytes) {
        return Some(header.ctime);
    }
    if is_packed {
        return Beginning::of(&mut LogReader::new(bytes.as_slice(), options)).first;
    }
    let mut log = open_file(path, file.try_clone().ok()?, options).ok()?;
    let first = Beginning::of(&mut log).time();
    // A clone shares the position.
    let mut file = file;
    file.seek(SeekFrom::Start(0)).ok()?;
    first
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

    use jiff::tz::TimeZone;

    use super::super::{YearHint, open_series};
    use super::*;

    fn event(date: &str) -> String {
        format!("013 (1.0.0) {date} Job was released.\n...\n")
    }

    fn header(ctime: i64, date: &str) -> String {
        format!("008 (-01.-01.-01) {date} Global JobLog: ctime={ctime} id=x sequence=1 \n...\n")
    }

    fn unix(text: &str) -> i64 {
        text.parse::<jiff::Timestamp>().unwrap().as_second()
    }

    /// The dates of a log and a rotated sibling, each with its modification time.
    fn dates(old: (&str, &str), new: (&str, &str), year: YearHint) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &Path, (text, modified): (&str, &str)| {
            std::fs::write(path, text).unwrap();
            let modified = UNIX_EPOCH + Duration::from_secs(unix(modified) as u64);
            File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
        };
        let log = folder.path().join("EventLog");
        write(&folder.path().join("EventLog.1"), old);
        write(&log, new);
        let options = ReadOptions { year, ..ReadOptions::in_zone(TimeZone::UTC) };
        let mut series = open_series(&log, &options).unwrap();
        let mut dates = Vec::new();
        while let Some((_, event)) = series.next_event() {
            let event = event.unwrap();
            if event.number == 13 {
                let time = jiff::Timestamp::from_second(event.time.seconds).unwrap();
                dates.push(TimeZone::UTC.to_datetime(time).date().to_string());
            }
        }
        assert!(series.unread.is_empty());
        dates
    }

    const OVER_NEW_YEAR: [&str; 3] = ["2023-11-01", "2023-12-30", "2024-01-02"];

    #[test]
    fn a_copied_file_is_not_later_than_those_after_it() {
        let old = event("11/01 00:00:00") + &event("12/30 00:00:00");
        let new = event("01/02 00:00:00");
        let (copied, then) = ("2026-05-01T00:00:00Z", "2024-01-03T00:00:00Z");
        assert_eq!(dates((&old, copied), (&new, then), YearHint::Now), OVER_NEW_YEAR);
        assert_eq!(dates((&old, then), (&new, then), YearHint::Now), OVER_NEW_YEAR);
        let hint = YearHint::NotAfter(unix(then));
        assert_eq!(dates((&old, copied), (&new, copied), hint), OVER_NEW_YEAR);
        // The later file tells when it was begun.
        let begun = header(unix("2024-01-02T00:00:00Z"), "03/05 00:00:00") + &new;
        assert_eq!(dates((&old, copied), (&begun, copied), YearHint::Now), OVER_NEW_YEAR);
        let dated = event("2024-01-02 00:00:00");
        assert_eq!(dates((&old, copied), (&dated, copied), YearHint::Now), OVER_NEW_YEAR);
    }

    #[test]
    fn years_go_on_from_file_to_file() {
        let old = event("11/01 00:00:00") + &event("12/30 00:00:00");
        let new = event("01/02 00:00:00");
        let copied = "2026-05-01T00:00:00Z";
        let dates = dates((&old, copied), (&new, copied), YearHint::First(2023));
        assert_eq!(dates, OVER_NEW_YEAR);
    }

    #[test]
    fn the_date_of_a_header_is_that_of_the_rotation() {
        let begun = header(unix("2023-10-31T00:00:00Z"), "01/20 00:00:00");
        let old = begun + &event("11/01 00:00:00") + &event("12/30 00:00:00");
        let new = header(unix("2024-01-02T00:00:00Z"), "01/02 00:00:00") + &event("01/02 00:00:00");
        let copied = "2026-05-01T00:00:00Z";
        assert_eq!(dates((&old, copied), (&new, copied), YearHint::Now), OVER_NEW_YEAR);
    }
}
