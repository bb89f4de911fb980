//! The logs, epoch ads and journal that training reads.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, Seek};
use std::path::{Path, PathBuf};

use clap::Args;
use classads::ClassAd;
use eventlog::ReadOptions;
use eventlog::input;
use holdadvise::collect::Collected;
use holdadvise::history::{Coverage, Episode, History, HistoryBuilder, HoldInQueue, NotedActions};
use holdadvise::journal::noted_actions;
use jiff::tz::TimeZone;

use crate::Error;
use crate::progress::{Progress, Unit};

/// H unless something else is asked for, hours.
const HORIZON: u32 = 48;

/// What to read.
#[derive(Clone, Debug, Args)]
pub struct InputOptions {
    /// Job event logs: the access point's EVENT_LOG with its rotations, or users' logs
    /// (`--userlogs`), or the folder of condor_holdadvise_collect, with the epoch ads there. Here and
    /// below, files may be compressed with gzip, whatever their names.
    pub logs: Vec<PathBuf>,
    /// The logs are users' logs, not one of the whole access point.
    #[arg(long)]
    pub userlogs: bool,
    /// Epoch ads: the epoch history file, or the output of `condor_history -epochs -long`.
    /// Repeatable.
    #[arg(long, value_name = "FILE")]
    pub epochs: Vec<PathBuf>,
    /// What was done before releases: the folder of a journal, or a file of its entries. Repeatable.
    #[arg(long, value_name = "FOLDER")]
    pub journal: Vec<PathBuf>,
    /// H: an outcome counts if it comes within so many hours of the release.
    #[arg(long, value_name = "HOURS", default_value_t = HORIZON)]
    pub horizon: u32,
    /// Time zone of the access point that wrote the logs, such as America/Chicago. Default: this
    /// machine's.
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
}

/// What was read.
#[derive(Debug)]
pub struct Input {
    /// Jobs, events and ads.
    pub history: History,
    /// Actions that logs do not tell.
    pub journal: NotedActions,
    /// H, seconds.
    pub horizon: i64,
}

impl InputOptions {
    /// Reads all files. What is damaged is skipped and told of on standard error.
    ///
    /// # Errors
    /// When a file cannot be opened or is not what it should be.
    pub fn read(&self) -> Result<Input, Error> {
        self.read_with(&[])
    }

    /// Likewise, with ads of the queue, each known from its hold on. Ads of jobs that are not held
    /// are left out.
    ///
    /// # Errors
    /// As [`InputOptions::read`].
    pub fn read_with(&self, ads: &[ClassAd]) -> Result<Input, Error> {
        let this = self.with_folders()?;
        let mut history = HistoryBuilder::new();
        let coverage = if this.userlogs { Coverage::Jobs } else { Coverage::AccessPoint };
        let options = this.read_options()?;
        let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
        let whole = this.logs.iter().chain(&this.epochs).map(size).sum();
        let progress = Progress::new("reading", Unit::Bytes, whole);
        for path in &this.logs {
            let piped = piped(path)?;
            let log = piped.as_ref().map_or(path.as_path(), |file| file.path());
            let report = history.read_log(log, coverage, &options)?;
            if let Some(first) = report.first_damage {
                let others = report.damaged - 1;
                progress.tell(&format!("{}: {first}; {others} more skipped", path.display()));
            }
            progress.advance(size(path));
        }
        for path in &this.epochs {
            add_epochs(&mut history, path)?;
            progress.advance(size(path));
        }
        drop(progress);
        for ad in ads {
            if let Some(hold) = HoldInQueue::of(ad) {
                history.add_queue_ad(ad, hold.entered_current_status);
            }
        }
        let (history, journal) = (history.build(), self.read_journal()?);
        Ok(Input { history, journal, horizon: self.horizon() })
    }

    /// With the files of the folders of `condor_holdadvise_collect` in the place of those. What is
    /// missing there is told of on standard error.
    ///
    /// # Errors
    /// When a folder cannot be read, or is none of those.
    pub fn with_folders(&self) -> Result<Cow<'_, Self>, Error> {
        if !self.logs.iter().any(|path| path.is_dir()) {
            return Ok(Cow::Borrowed(self));
        }
        let mut this = Self { logs: Vec::new(), ..self.clone() };
        for path in &self.logs {
            if !path.is_dir() {
                this.logs.push(path.clone());
                continue;
            }
            let collected = Collected::of(path).map_err(unread(path))?;
            for line in collected.gaps.iter().map(|gap| gap.sentence()).chain(collected.problems) {
                eprintln!("Warning: {}: {line}", path.display());
            }
            this.logs.extend(collected.logs);
            let given = &self.epochs;
            this.epochs.extend(collected.epochs.into_iter().filter(|path| !given.contains(path)));
        }
        Ok(Cow::Owned(this))
    }

    /// Adds the epoch ads to a history.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub fn read_epochs(&self, history: &mut HistoryBuilder) -> Result<(), Error> {
        self.epochs.iter().try_for_each(|path| add_epochs(history, path))
    }

    /// Reads the journals.
    ///
    /// # Errors
    /// When one cannot be opened, or a line of it does not fit.
    pub fn read_journal(&self) -> Result<NotedActions, Error> {
        let mut journal = NotedActions::default();
        for path in &self.journal {
            let (noted, problems) = noted_actions(path).map_err(unread(path))?;
            for problem in problems {
                eprintln!("Warning: {problem}");
            }
            journal.extend(noted);
        }
        Ok(journal)
    }

    /// H, seconds.
    pub fn horizon(&self) -> i64 {
        i64::from(self.horizon) * 3_600
    }

    /// The logs and, where they are there, epoch ads of a folder that `simulate` wrote, or of a
    /// recorded pool, compressed or not.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn of_simulation(&self, folder: &Path) -> Result<Self, Error> {
        let failed = unread(folder);
        let mut logs = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(&failed)? {
            let path = entry.map_err(&failed)?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("EventLog")) {
                logs.push(path);
            }
        }
        logs.sort();
        let epochs = plain_or_packed(folder, "epoch_history");
        Ok(Self {
            logs,
            userlogs: false,
            epochs: if epochs.exists() { vec![epochs] } else { Vec::new() },
            journal: Vec::new(),
            horizon: self.horizon,
            time_zone: Some("UTC".to_owned()),
        })
    }

    /// A folder that `simulate` wrote, with an outcome that counts within two days.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn of_folder(folder: &Path) -> Result<Self, Error> {
        let nothing = Self {
            logs: Vec::new(),
            userlogs: false,
            epochs: Vec::new(),
            journal: Vec::new(),
            horizon: HORIZON,
            time_zone: None,
        };
        nothing.of_simulation(folder)
    }

    /// How the logs are to be read.
    pub(crate) fn read_options(&self) -> Result<ReadOptions, Error> {
        Ok(ReadOptions::in_zone(self.zone()?))
    }

    /// The time zone of the logs.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn zone(&self) -> Result<TimeZone, Error> {
        zone(self.time_zone.as_deref())
    }
}

fn add_epochs(history: &mut HistoryBuilder, path: &Path) -> Result<(), Error> {
    let report = history.read_epochs(reader(path)?);
    for problem in report.problems {
        eprintln!("{}: {problem}", path.display());
    }
    Ok(())
}

impl Input {
    /// The holds of all jobs, in the order of their times.
    pub fn episodes(&self) -> Vec<Episode> {
        let mut episodes = self.history.episodes(self.horizon, &self.journal);
        episodes.sort_by_key(|episode| (episode.held_at, episode.identity.job));
        episodes
    }
}

/// The time zone of that name; without one this machine's.
///
/// # Errors
/// When there is none of that name.
pub fn zone(name: Option<&str>) -> Result<TimeZone, Error> {
    match name {
        None => Ok(TimeZone::system()),
        Some(name) => TimeZone::get(name).map_err(|_| {
            format!("{name}: expected the name of a time zone such as America/Chicago or UTC")
                .into()
        }),
    }
}

/// The file of that name in a folder, or its `.gz` where it is there alone.
pub fn plain_or_packed(folder: &Path, name: &str) -> PathBuf {
    let (plain, packed) = (folder.join(name), folder.join(format!("{name}.gz")));
    if packed.exists() && !plain.exists() { packed } else { plain }
}

/// Reads a file, unpacked where it is gzip's.
///
/// # Errors
/// What the system said.
pub fn reader(path: &Path) -> Result<Box<dyn BufRead + Send>, Error> {
    Ok(input::reader(path).map_err(unread(path))?)
}

/// What came through a pipe, as a file that goes when it is dropped; `None` of a file, which is
/// read by its path.
pub(crate) fn piped(path: &Path) -> Result<Option<tempfile::NamedTempFile>, Error> {
    if !input::is_pipe(path) {
        return Ok(None);
    }
    let failed = unread(path);
    let mut file = tempfile::NamedTempFile::new().map_err(&failed)?;
    io::copy(&mut File::open(path).map_err(&failed)?, &mut file).map_err(&failed)?;
    file.rewind().map_err(failed)?;
    Ok(Some(file))
}

/// Opens a file, with its name in the error.
///
/// # Errors
/// What the system said.
pub fn open(path: &Path) -> Result<File, Error> {
    Ok(input::open_regular(path).map_err(unread(path))?)
}

/// What makes words of what the system, or the reader of a file, said.
pub(crate) fn unread<E: Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("cannot read {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const LOG: &str = "000 (001.000.000) 2026-01-02 03:04:05 Job submitted from host: <127.0.0.1:9618>\n...\n\
        012 (001.000.000) 2026-01-02 03:05:05 Job was held.\n\tno such file\n\tCode 13 Subcode 2\n...\n";

    fn packed(path: &Path, text: &str) {
        let mut file = GzEncoder::new(File::create(path).unwrap(), Compression::best());
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap();
    }

    fn options() -> InputOptions {
        InputOptions {
            logs: Vec::new(),
            userlogs: false,
            epochs: Vec::new(),
            journal: Vec::new(),
            horizon: 48,
            time_zone: None,
        }
    }

    #[test]
    fn compressed_folder_reads_as_the_plain_one() {
        let (plain, small) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(plain.path().join("EventLog"), LOG).unwrap();
        std::fs::write(plain.path().join("epoch_history"), "").unwrap();
        packed(&small.path().join("EventLog.gz"), LOG);
        packed(&small.path().join("epoch_history.gz"), "");
        let episodes = |folder: &Path| {
            let input = options().of_simulation(folder).unwrap().read().unwrap();
            input.episodes()
        };
        assert_eq!(episodes(plain.path()).len(), 1);
        assert_eq!(episodes(plain.path()), episodes(small.path()));
    }

    #[test]
    fn the_folder_of_the_collector_reads_as_its_logs() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let (held, later) = LOG.split_at(LOG.find("012").unwrap());
        packed(&here.join("EventLog.000007"), held);
        std::fs::write(here.join("EventLog.000008"), later).unwrap();
        let ad = "ClusterId = 9\nProcId = 0\nEpochWriteDate = 5\n*** EPOCH ClusterId=9\n";
        std::fs::write(here.join("epoch_history.000001"), ad).unwrap();
        std::fs::write(here.join("gaps.jsonl"), "").unwrap();
        let input = InputOptions { logs: vec![here.to_owned()], ..options() };
        let opened = input.with_folders().unwrap();
        let names = |paths: &[PathBuf]| -> Vec<String> {
            let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            paths.iter().map(name).collect()
        };
        assert_eq!(names(&opened.logs), ["EventLog.000007", "EventLog.000008"]);
        assert_eq!(names(&opened.epochs), ["epoch_history.000001"]);
        assert_eq!(input.read().unwrap().episodes().len(), 1);
        let empty = tempfile::tempdir().unwrap();
        let wrong = InputOptions { logs: vec![empty.path().to_owned()], ..options() };
        let error = wrong.read().unwrap_err().to_string();
        assert!(error.contains("expected files such as EventLog.000001"), "{error}");
    }

    #[test]
    fn a_name_does_not_say_whether_a_file_is_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, small] = ["EventLog.gz", "EventLog"].map(|name| folder.path().join(name));
        std::fs::write(&plain, LOG).unwrap();
        packed(&small, LOG);
        for log in [plain, small] {
            let input = InputOptions { logs: vec![log], ..options() }.read().unwrap();
            assert_eq!(input.episodes().len(), 1);
        }
    }
}
