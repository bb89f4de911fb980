//! Logs and files of ads, read into a history.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use classads::{AdError, ClassAd, long};

use super::fact::LogPart;
use super::room::Room;
use super::{ATTRIBUTES, Coverage, HistoryBuilder, RUN, SourceId, TRANSFER_CLASSES, epoch_class};
use eventlog::{
    self, ChunkedLog, ChunkedSeries, DamagedEvent, EventLogError, Form, JobId, LogFiles,
    ReadOptions,
};

/// Bytes of a chunk where memory is bounded: what it tells takes twenty times as many at most.
const CHUNK: u64 = 256 << 10;

/// Events that are read at once where memory is bounded. Assumed.
const SOME_EVENTS: usize = 512;

/// What came of reading one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogReport {
    /// Events read.
    pub events: u64,
    /// Events that were damaged and skipped.
    pub damaged: u64,
    /// The first of them.
    pub first_damage: Option<DamagedEvent>,
    /// The first of them that was too large.
    pub too_large: Option<DamagedEvent>,
    /// The file of a rotated log that it is in.
    pub damaged_file: Option<PathBuf>,
    /// Bytes read; of a rotated log they are not counted.
    pub bytes: u64,
    /// Bytes at the beginning that were left out ([`ReadOptions::newest`]).
    pub skipped: u64,
    /// Events that were wanted were left out, for the bound on bytes of a window.
    pub cut: bool,
}

impl LogReport {
    /// Counts damage. Breaks where the file is gone.
    pub(super) fn damage(&mut self, damaged: DamagedEvent) -> ControlFlow<()> {
        self.damaged += 1;
        let gone = damaged.is_io();
        if damaged.is_too_large() && self.too_large.is_none() {
            self.too_large = Some(damaged.clone());
        }
        self.first_damage.get_or_insert(damaged);
        if gone { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Counts what a later part of the log told.
    fn extend(&mut self, part: Self) {
        self.events += part.events;
        self.damaged += part.damaged;
        self.too_large = self.too_large.take().or(part.too_large);
        if self.first_damage.is_none() {
            (self.first_damage, self.damaged_file) = (part.first_damage, part.damaged_file);
        }
    }
}

impl HistoryBuilder {
    /// Reads a job event log from beginning to end, on all cores. A log in text takes the memory of
    /// some chunks, one in XML or JSON that of all it says. Damaged events are counted and skipped.
    ///
    /// # Errors
    /// [`EventLogError`] when the file cannot be opened or is no job event log.
    pub fn read_log(
        &mut self,
        path: &Path,
        coverage: Coverage,
        options: &ReadOptions,
    ) -> Result<LogReport, EventLogError> {
        let log = ChunkedLog::open(path, options)?;
        let source = self.add_source(coverage);
        let mut report = self.read_chunks(&log, source);
        report.bytes = log.len();
        report.skipped = log.skipped();
        Ok(report)
    }

    /// Reads a job event log that ads of jobs of these owners name
    /// ([`HistoryBuilder::add_source_of`]).
    ///
    /// # Errors
    /// [`EventLogError`] when the file cannot be opened or is no job event log.
    pub fn read_log_of<'a>(
        &mut self,
        path: &Path,
        owners: impl IntoIterator<Item = &'a str>,
        options: &ReadOptions,
    ) -> Result<LogReport, EventLogError> {
        let mut log = eventlog::open(path, options)?;
        let source = self.add_source_of(owners);
        let mut report = LogReport::default();
        while let Some(event) = log.next_event() {
            match event {
                Ok(event) => {
                    report.events += 1;
                    self.add_event(source, &event);
                }
                Err(damaged) => {
                    if report.damage(damaged).is_break() {
                        break;
                    }
                }
            }
        }
        report.skipped = log.skipped();
        report.bytes = log.offset().saturating_sub(report.skipped);
        Ok(report)
    }

    /// Reads the event log of an access point with its rotated siblings, on all cores. Returned
    /// with the report: the siblings that could not be read.
    ///
    /// # Errors
    /// [`EventLogError`] when the log itself cannot be opened.
    pub fn read_series(
        &mut self,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<(LogReport, Vec<EventLogError>), EventLogError> {
        Ok(self.read_open_series(eventlog::open_chunked_series(path, options)?))
    }

    /// As [`HistoryBuilder::read_series`], of files that are open.
    pub fn read_open_series(
        &mut self,
        mut series: ChunkedSeries,
    ) -> (LogReport, Vec<EventLogError>) {
        let source = self.add_source(Coverage::AccessPoint);
        let mut report = LogReport { cut: series.cut, ..LogReport::default() };
        for (path, log) in series.by_ref() {
            // Some chunks are in memory at once.
            let log = if self.room.is_some() { log.in_chunks_of(CHUNK) } else { log };
            let mut part = self.read_chunks(&log, source);
            part.damaged_file = part.first_damage.is_some().then_some(path);
            report.extend(part);
        }
        (report, series.unread)
    }

    /// As [`HistoryBuilder::read_open_series`] of a `window` of the files, in about so many bytes
    /// of memory. What owners have no room for is left out; returned at the end: how much, by owner.
    pub fn read_within(
        &mut self,
        files: LogFiles,
        window: impl Fn(LogFiles) -> ChunkedSeries,
        bytes: u64,
    ) -> (LogReport, Vec<EventLogError>, BTreeMap<String, u64>) {
        let again = files.try_clone();
        let before = self.clone();
        self.room = Some(Room::new(bytes));
        let (mut report, unread) = self.read_open_series(window(files));
        let owners = &self.history.owners;
        let shared = self.room.as_ref().and_then(|room| room.shared(bytes, owners));
        let mut left_out = BTreeMap::new();
        if let (Some(shared), Ok(files)) = (shared, again) {
            let name = |owner| self.history.symbols.name(owner).to_owned();
            let owners: Vec<(i32, String)> =
                owners.iter().map(|(cluster, owner)| (*cluster, name(*owner))).collect();
            *self = before;
            for (cluster, owner) in owners {
                self.attest_owner(JobId::new(cluster, 0), &owner);
            }
            self.room = Some(shared);
            (report, _) = self.read_open_series(window(files));
            left_out =
                self.room.take().map_or(left_out, |room| room.left_out(&self.history.symbols));
        }
        self.room = None;
        (report, unread, left_out)
    }

    fn read_chunks(&mut self, log: &ChunkedLog, source: SourceId) -> LogReport {
        let mut report = LogReport::default();
        if self.room.is_some() && matches!(log.form(), Some(Form::Xml | Form::Json)) {
            // Such a log is one chunk, which would be in memory as a whole.
            let this = Mutex::new((&mut *self, &mut report));
            let _: ControlFlow<()> = log.read(
                |log| {
                    let mut this = this.lock().unwrap_or_else(PoisonError::into_inner);
                    let (builder, report) = &mut *this;
                    loop {
                        let mut part = LogPart::read_some(log, SOME_EVENTS);
                        let is_last = part.is_last || part.is_gone;
                        report.extend(std::mem::take(&mut part.report));
                        builder.add_part(source, part);
                        if is_last {
                            return;
                        }
                    }
                },
                |()| ControlFlow::Continue(()),
            );
            return report;
        }
        let _: ControlFlow<()> = log.read(LogPart::read, |mut part| {
            let is_gone = part.is_gone;
            report.extend(std::mem::take(&mut part.report));
            self.add_part(source, part);
            if is_gone { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        report
    }
}

/// What came of reading epoch ads.
#[derive(Debug, Default)]
pub struct AdReport {
    /// Ads taken.
    pub ads: u64,
    /// Parts that could not be used, with their line.
    pub problems: Vec<AdError>,
}

/// Damaged parts of a file of ads that are kept to be told of.
const PROBLEMS: usize = 20;

impl HistoryBuilder {
    /// Reads epoch ads: the epoch history file of the access point, or the output of
    /// `condor_history -epochs`, long or JSON. Ads of transfers tell what plug-ins reported
    /// ([`super::Transfers`]); those of other kinds (execution points) and ads that do not say when
    /// they were written are left out.
    pub fn read_epochs(&mut self, input: impl BufRead) -> AdReport {
        let mut report = AdReport::default();
        self.note_epochs();
        let lists = TRANSFER_CLASSES.iter().map(|(_, _, list)| list);
        let names = ATTRIBUTES.iter().chain(EPOCH_ATTRIBUTES).chain(lists);
        for ad in classads::read_ads(input).with_projection(names) {
            match ad {
                Ok(ad) => report.ads += u64::from(self.add_epoch(&ad).is_some()),
                Err(problem) if report.problems.len() < PROBLEMS => report.problems.push(problem),
                Err(problem) if problem.is_io() => break,
                Err(_) => {}
            }
        }
        report
    }

    /// Adds one epoch ad. `None` if it is none of a run, or does not say when it was written.
    pub fn add_epoch(&mut self, ad: &ClassAd) -> Option<JobId> {
        if let Some(class) = epoch_class(ad).filter(|class| class != RUN) {
            self.history.transfers.add(ad, &class);
            return None;
        }
        self.note_epochs();
        let job = self.add_ad(ad, epoch_written(ad)?)?;
        if let Some(owner) = ad.string("Owner") {
            self.attest_owner(job, &owner);
        }
        Some(job)
    }
}

/// Attributes of epoch ads beside those of job ads.
pub(crate) const EPOCH_ATTRIBUTES: &[&str] = &[
    "EpochAdType",
    "EpochWriteDate",
    "JobCurrentStartDate",
    "JobCurrentFinishTransferInputDate",
    "JobCurrentStartExecutingDate",
    "ExitCode",
    "ExitBySignal",
    "BlockReadKbytes",
    "BlockWriteKbytes",
    "RemoteSysCpu",
    "RemoteUserCpu",
];

/// When an epoch ad was written, Unix seconds; without a date of its own the latest instant it
/// tells of.
pub fn epoch_written(ad: &ClassAd) -> Option<i64> {
    let dated = ad.integer("EpochWriteDate").or_else(|| {
        // HTCondor 23 says it in the banner alone.
        let banner = long::Banner::parse(ad.banner()?)?;
        banner.fields.integer("CurrentTime")
    });
    dated.or_else(|| last_instant(ad))
}

/// The latest instant an ad without a date of its own tells of: `condor_history -epochs` of
/// HTCondor 23 prints no banner.
fn last_instant(ad: &ClassAd) -> Option<i64> {
    ["EnteredCurrentStatus", "JobCurrentStartDate", "JobCurrentFinishTransferInputDate"]
        .iter()
        .filter_map(|name| ad.integer(name))
        .max()
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::history::{History, JobHistory, What};

    /// The names that a job has to do with.
    fn names<'a>(history: &'a History, job: &JobHistory) -> Vec<&'a str> {
        let known = job.sites.iter().chain(&job.input).chain(&job.servers).chain(&job.owner);
        let of_steps = job.steps.iter().filter_map(|step| match step.what {
            What::Executing(machine) => machine,
            What::Held(hold) => hold.reason,
            _ => None,
        });
        let symbols = known.map(|known| known.value).chain(of_steps);
        symbols.map(|symbol| history.symbols.name(symbol)).collect()
    }

    #[test]
    fn a_log_in_small_chunks_is_the_log_event_by_event() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pool-23.9");
        let options = ReadOptions::in_zone(TimeZone::UTC);
        for log in ["EventLog", "EventLog.1", "EventLog.3"] {
            let path = Path::new(folder).join(log);
            let mut one = HistoryBuilder::new();
            let source = one.add_source(Coverage::AccessPoint);
            let mut events = eventlog::open(&path, &options).unwrap();
            while let Some(event) = events.next_event() {
                one.add_event(source, &event.unwrap());
            }
            let one = one.build();
            for bytes in [64, 5_000] {
                let mut chunks = HistoryBuilder::new();
                let source = chunks.add_source(Coverage::AccessPoint);
                let log = ChunkedLog::open(&path, &options).unwrap().in_chunks_of(bytes);
                assert_eq!(chunks.read_chunks(&log, source).damaged, 0);
                let chunks = chunks.build();
                assert_eq!(chunks.jobs().len(), one.jobs().len());
                for (job, other) in one.jobs().iter().zip(chunks.jobs()) {
                    assert_eq!(format!("{job:?}"), format!("{other:?}"));
                    assert_eq!(names(&one, job), names(&chunks, other));
                    assert_eq!(one.owner_of(job.job), chunks.owner_of(job.job));
                }
            }
        }
    }

    /// Events 028 of 50 jobs that name 40 files each, and one of alice's.
    fn many_names(json: bool) -> String {
        let event = |job: i32, owner: &str, names: &str| match json {
            false => format!(
                "028 ({job}.000.000) 2024-01-02 03:04:05 Job ad information event triggered.\n\
                 Owner = \"{owner}\"\nTransferInput = \"{names}\"\n...\n"
            ),
            true => format!(
                "{{\"EventTypeNumber\": 28, \"Cluster\": {job}, \"Proc\": 0, \"Subproc\": 0, \
                 \"EventTime\": \"2024-01-02T03:04:05\", \"MyType\": \"JobAdInformationEvent\", \
                 \"Owner\": \"{owner}\", \"TransferInput\": \"{names}\"}}\n"
            ),
        };
        let names = |job: i32| {
            let names = (0..40).map(|name| format!("a://h/{job}.{name}"));
            names.collect::<Vec<_>>().join(",")
        };
        let hostile: String = (1..=50).map(|job| event(job, "mallory", &names(job))).collect();
        hostile + &event(51, "alice", "a://h/mine")
    }

    #[test]
    fn where_memory_does_not_suffice_the_owners_share_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        let options = ReadOptions::in_zone(TimeZone::UTC);
        for json in [false, true] {
            std::fs::write(&path, many_names(json)).unwrap();
            let read = |bytes: u64| {
                let mut history = HistoryBuilder::new();
                let files = LogFiles::open(&path).unwrap();
                let (report, _, left_out) =
                    history.read_within(files, |files| files.whole(&options), bytes);
                assert_eq!((report.events, report.damaged), (51, 0));
                let history = history.build();
                let input = |owner: &str| -> usize {
                    let jobs = history.jobs().iter();
                    let owner = history.symbols.find(owner);
                    let of = jobs.filter(|job| history.owner_of(job.job) == owner);
                    of.map(|job| job.input.len()).sum()
                };
                (input("mallory"), input("alice"), left_out)
            };
            assert_eq!(read(1 << 20), (2_000, 1, BTreeMap::new()));
            let (mallory, alice, left_out) = read(100_000);
            assert!((1..1_000).contains(&mallory) && alice == 1, "{mallory} {alice}");
            assert!(left_out["mallory"] >= 1_000 && left_out.len() == 1, "{left_out:?}");
        }
    }

    #[test]
    fn damage_of_a_rotated_log_is_in_the_file_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let event = "013 (1.000.000) 2024-01-02 03:04:05 Job was released.\n\tr\n...\n";
        let torn = &event[..event.len() - 5];
        let log = folder.path().join("EventLog");
        let rotated = folder.path().join("EventLog.1");
        std::fs::write(&rotated, format!("{event}{torn}")).unwrap();
        std::fs::write(&log, format!("{event}{torn}")).unwrap();
        let options = ReadOptions::in_zone(TimeZone::UTC);
        let (report, _) = HistoryBuilder::new().read_series(&log, &options).unwrap();
        assert_eq!((report.events, report.damaged), (2, 2));
        assert_eq!(report.first_damage.unwrap().offset, event.len() as u64);
        assert_eq!(report.damaged_file, Some(rotated));
    }
}
