//! The log of the advisor, kept as daemons of HTCondor keep theirs.

use std::fs::{OpenOptions, rename};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use holdadvise::text::shown;
use jiff::Zoned;

/// Characters of a line at most.
const LONGEST: usize = 300;

/// Adds lines, with the time before each. A log of `most` bytes becomes NAME.old first; with 0 it
/// grows for ever.
///
/// # Errors
/// It cannot be written, or is a link.
pub fn add(log: &Path, most: u64, lines: &[String]) -> io::Result<()> {
    // A file of root's would be closed to the account of HTCondor.
    if lines.is_empty() || rustix::process::geteuid().is_root() {
        return Ok(());
    }
    append(log, most, lines)
}

fn append(log: &Path, most: u64, lines: &[String]) -> io::Result<()> {
    let open = || {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o644);
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(log)
    };
    let mut file = open()?;
    if most > 0 && file.metadata()?.len() >= most {
        let mut old = log.as_os_str().to_owned();
        old.push(".old");
        // Where it cannot be, it grows.
        if rename(log, old).is_ok() {
            file = open()?;
        }
    }
    let now = Zoned::now().strftime("%m/%d/%y %H:%M:%S");
    let text: String =
        lines.iter().map(|line| format!("{now} {}\n", shown(line, LONGEST))).collect();
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_have_a_time_and_a_bounded_length_and_the_log_is_rotated() {
        let place = tempfile::tempdir().unwrap();
        let log = place.path().join("HoldAdviceLog");
        let add = |line: &str| append(&log, 200, &[line.to_owned()]);
        add("a\nb\u{1b}[2J").unwrap();
        add(&"x".repeat(1_000)).unwrap();
        let text = fs::read_to_string(&log).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 2 && lines.iter().all(|line| line.len() <= 18 + LONGEST), "{text}");
        let (time, _) = lines[0].split_at(17);
        jiff::civil::DateTime::strptime("%m/%d/%y %H:%M:%S", time).unwrap();
        add("after").unwrap();
        assert_eq!(fs::read_to_string(place.path().join("HoldAdviceLog.old")).unwrap(), text);
        assert!(fs::read_to_string(&log).unwrap().ends_with(" after\n"));
        fs::remove_file(&log).unwrap();
        std::os::unix::fs::symlink("/dev/null", &log).unwrap();
        assert!(add("link").is_err());
    }
}
