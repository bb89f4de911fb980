//! Where the job event logs of a job are.

use std::io;
use std::path::{Path, PathBuf};

use classads::ClassAd;

/// The logs a job ad names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobLogs {
    /// UserLog, under Iwd when relative.
    pub user_log: Option<PathBuf>,
    /// DAGManNodesLog, under Iwd when relative; events 006, 022, 023, 028, 033 and 040 are not in
    /// it.
    pub nodes_log: Option<PathBuf>,
}

impl JobLogs {
    /// The attributes that tell it.
    pub const ATTRIBUTES: [&str; 3] = ["Iwd", "UserLog", "DAGManNodesLog"];

    /// The logs that an ad names.
    pub fn of(ad: &ClassAd) -> Self {
        let directory = ad.string("Iwd").map(PathBuf::from);
        let path = |name: &str| {
            let path = ad.string(name).filter(|path| !path.is_empty() && path != "/dev/null")?;
            let path = Path::new(&path);
            match (&directory, path.is_absolute()) {
                (_, true) => Some(path.to_owned()),
                (Some(directory), false) => Some(directory.join(path)),
                // Without Iwd nobody knows where it lies.
                (None, false) => None,
            }
        };
        Self { user_log: path("UserLog"), nodes_log: path("DAGManNodesLog") }
    }
}

/// Why a log cannot be read, in one line; `None` when it can.
pub fn unreadable(log: &Path) -> Option<String> {
    Some(file_of(log).err()?.to_string())
}

/// The device and inode of a log that can be read.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn file_of(log: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = eventlog::input::open_regular(log)?.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs(lines: &str) -> JobLogs {
        JobLogs::of(&classads::read_ads(lines.as_bytes()).next().unwrap().unwrap())
    }

    #[test]
    fn relative_paths_lie_under_iwd() {
        let found =
            logs("Iwd = \"/home/a\"\nUserLog = \"job.log\"\nDAGManNodesLog = \"/d/x.nodes.log\"\n");
        assert_eq!(found.user_log, Some("/home/a/job.log".into()));
        assert_eq!(found.nodes_log, Some("/d/x.nodes.log".into()));
        assert_eq!(logs("UserLog = \"job.log\"\n"), JobLogs::default());
        assert_eq!(
            logs("Iwd = \"/a\"\nUserLog = \"\"\nDAGManNodesLog = \"/dev/null\"\n"),
            JobLogs::default()
        );
    }

    #[test]
    fn logs_that_cannot_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("EventLog");
        assert!(unreadable(&log).unwrap().contains("No such file"));
        std::fs::write(&log, "").unwrap();
        assert_eq!(unreadable(&log), None);
        assert!(unreadable(dir.path()).unwrap().contains("directory"));
    }
}
