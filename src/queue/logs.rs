//! Where the job event logs of a job are.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::AdText;

/// The logs a job ad names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobLogs {
    /// UserLog, under Iwd when relative.
    pub user_log: Option<PathBuf>,
    /// DAGManNodesLog, under Iwd when relative; events 006, 022, 023, 028, 033 and 040 are not in it.
    pub nodes_log: Option<PathBuf>,
}

impl JobLogs {
    /// The logs that an ad names.
    pub fn of(ad: &AdText) -> Self {
        let directory = ad.string("Iwd").map(|iwd| PathBuf::from(&*iwd));
        let path = |name: &str| {
            let path = ad.string(name).filter(|path| !path.is_empty() && path != "/dev/null")?;
            let path = Path::new(&*path);
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

/// The files of a rotated event log that exist, oldest first: `LOG.N` to `LOG.1`, or `LOG.old`, then `LOG`.
///
/// `rotations` is EVENT_LOG_MAX_ROTATIONS; its default is 1, which rotates to `.old`.
pub fn event_log_series(log: &Path, rotations: u32) -> Vec<PathBuf> {
    /// More rotations than anybody keeps.
    const MOST: u32 = 1000;
    let with = |suffix: &str| {
        let mut name = log.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let numbered = (2..=rotations.min(MOST)).rev().chain([1]).map(|n| with(&format!(".{n}")));
    let older: Vec<PathBuf> = numbered.chain([with(".old")]).filter(|path| path.exists()).collect();
    older.into_iter().chain([log.to_owned()]).collect()
}

/// Why a log cannot be read, in one line; `None` when it can.
pub fn unreadable(log: &Path) -> Option<String> {
    let fault = match File::open(log).and_then(|file| file.metadata()) {
        Ok(metadata) if metadata.is_dir() => "it is a directory".to_owned(),
        Ok(_) => return None,
        Err(error) => error.to_string(),
    };
    Some(format!("{}: {fault}", crate::text::strip_control(&log.display().to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs(lines: &str) -> JobLogs {
        JobLogs::of(&AdText::new(lines.to_owned()))
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
    fn rotated_logs_come_oldest_first() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("EventLog");
        for suffix in ["", ".1", ".2", ".9"] {
            std::fs::write(format!("{}{suffix}", log.display()), "").unwrap();
        }
        let names = |rotations| -> Vec<String> {
            let files = event_log_series(&log, rotations);
            files.iter().map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(3), ["EventLog.2", "EventLog.1", "EventLog"]);
        assert_eq!(unreadable(&log), None);
        assert!(unreadable(&dir.path().join("x")).unwrap().contains("No such file"));
    }
}
