//! Reads job event logs, event logs and ads of earlier runs into one history.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use eventlog::input::{self, Room};
use eventlog::{Damage, EventKind, EventLogError, LogFiles, ReadOptions};

use super::InquiryError;
use super::accounts::as_owner;
use super::config::unpacked;
use super::gather::{Gathered, Remarks};
use super::zones::{self, Zone};
use crate::advice::Missing;
use crate::history::{Coverage, EventLogView, History, HistoryBuilder, HoldInQueue, LogReport};
use crate::queue::{QueueError, QueueJob, display_path};
use crate::text::plural;

/// Seconds by which the clock of an access point may be ahead of this one, or events be written
/// while logs are read. Assumed.
pub(super) const SAME_CLOCK: i64 = 120;

/// Logs that were written in another zone than TZ names.
type Zones = BTreeMap<PathBuf, Zone>;

/// The history, and the reasons of holds that the queue shows, where there is a log to find them
/// in.
pub(super) fn read_histories(
    gathered: &Gathered,
    remarks: &mut Remarks,
    now: i64,
) -> Result<History, InquiryError> {
    let (mut history, zones, mut read) = read_logs(gathered, &Zones::new(), now)?;
    if !zones.is_empty() {
        (history, _, read) = read_logs(gathered, &zones, now)?;
    }
    remarks.extend(read);
    for zone in zones.into_values() {
        for job in zone.jobs {
            remarks.notes_of.entry(job).or_default().push(Arc::clone(&zone.note));
        }
    }
    for job in &gathered.held {
        history.add_queue_ad(&job.ad.to_classad(), now);
    }
    Ok(history.build())
}

/// Reads the logs, those of `zones` as written there. Returned with the history: logs found to be
/// of another zone, and what is to be said of all.
fn read_logs(
    gathered: &Gathered,
    zones: &Zones,
    now: i64,
) -> Result<(HistoryBuilder, Zones, Remarks), InquiryError> {
    let mut remarks = Remarks::default();
    let most = gathered.event_log_bytes;
    let room = Room::new(most);
    let options_of = |log: &Path| {
        let zone = zones.get(log).map(|zone| zone.zone.clone());
        let options = zone.map_or_else(ReadOptions::default, ReadOptions::in_zone);
        ReadOptions { room: room.clone(), ..options }
    };
    let mut found = Zones::new();
    let mut history = HistoryBuilder::new();
    for log in &gathered.event_logs {
        match read_event_log(&mut history, log, &options_of(log), most) {
            Ok((report, unread)) => {
                remarks.missing.extend(left_out(
                    log,
                    " and compressed files",
                    report.skipped,
                    most,
                ));
                let again = |history: &mut HistoryBuilder, options: &ReadOptions| {
                    let options = ReadOptions { room: Room::new(most), ..options.clone() };
                    read_event_log(history, log, &options, most).is_ok()
                };
                if let Some(mut zone) = Zone::find(&history, log, &gathered.held, None, now, again)
                {
                    // What goes on around a job counts for jobs that are not in the log too.
                    zone.jobs = gathered.held.iter().map(|job| job.id).collect();
                    found.insert(log.clone(), zone);
                }
                remarks.missing.extend(unread.iter().map(ToString::to_string));
                remarks.note_end(gathered, log, history.end_of_newest(), now);
                note_damage(gathered, &mut remarks, log, &report);
            }
            Err(error) => remarks.missing.push(error.to_string()),
        }
    }
    if is_foreign(&history, &gathered.held) {
        let text = "event log of the access point: it shows none of these holds, and is left out; is it of another \
                    access point?";
        remarks.missing.push(text.to_owned());
        history = HistoryBuilder::new();
    }
    for job in gathered.held.iter().chain(&gathered.others) {
        if let Some(owner) = &job.owner {
            history.attest_owner(job.id, owner);
        }
    }
    read_epochs(&mut history, gathered, &mut remarks.faults)?;
    let mut failed = None;
    let mut read = 0;
    let mut limits = LogLimits::default();
    // A large log, which anybody can make, is not read in the place of many small ones.
    let mut user_logs: Vec<&PathBuf> = gathered.user_logs.iter().collect();
    user_logs.sort_by_cached_key(|log| {
        let length = || log.metadata().map_or(0, |metadata| metadata.len());
        match gathered.log_accounts.get(*log) {
            Some(account) => as_owner(account, length).unwrap_or(0),
            None => length(),
        }
    });
    for log in user_logs {
        let owners = gathered.log_owners.get(log);
        if owners.is_some() && limits.are_met() {
            continue;
        }
        let account = gathered.log_accounts.get(log);
        let read_log = |history: &mut HistoryBuilder, options: &ReadOptions| match owners {
            Some(owners) => {
                let owners = owners.iter().map(String::as_str);
                let account = account.map_or("", String::as_str);
                let read = || history.read_log_of(log, owners, options);
                let failed = |source| EventLogError::Io { path: log.clone(), source };
                as_owner(account, read).map_err(failed)?
            }
            None => history.read_log(log, Coverage::Jobs, options),
        };
        let options = options_of(log);
        let options = match owners {
            Some(_) => limits.options(&options),
            None => ReadOptions { newest: Some(most), ..options },
        };
        match read_log(&mut history, &options) {
            Ok(report) => {
                read += 1;
                let skipped = match owners {
                    Some(_) => limits.take(log, &report),
                    None => left_out(log, "", report.skipped, most)
                        .map(|line| Missing::Source(line.into())),
                };
                let again = |history: &mut HistoryBuilder, other: &ReadOptions| {
                    let newest = options.newest.unwrap_or(most);
                    read_log(history, &other.clone().newest(newest)).is_ok()
                };
                if let Some(zone) = Zone::find(&history, log, &gathered.held, owners, now, again) {
                    found.insert(log.clone(), zone);
                } else if owners.is_none() {
                    remarks.note_end(gathered, log, history.end_of_newest(), now);
                }
                note_damage(gathered, &mut remarks, log, &report);
                if let Some(skipped) = skipped {
                    note_unread(gathered, &mut remarks, log, &skipped);
                }
            }
            Err(error) => {
                let missing = Missing::Source(error.to_string().into());
                note_unread(gathered, &mut remarks, log, &missing);
                failed.get_or_insert(error);
            }
        }
    }
    remarks.missing.extend(limits.left_out());
    if room.left() == 0 {
        remarks.missing.push(unpacked(most));
    }
    remarks.missing.extend(remarks.hidden.iter().cloned());
    // Logs alone were asked about and none can be read.
    if let Some(error) = failed.filter(|_| gathered.logs_alone && read == 0) {
        return Err(InquiryError::Log(error));
    }
    Ok((history, found, remarks))
}

/// Reads an event log with its rotated files, `most` bytes of it, the newest; what was left out is
/// among the skipped bytes.
fn read_event_log(
    history: &mut HistoryBuilder,
    log: &Path,
    options: &ReadOptions,
    most: u64,
) -> Result<(LogReport, Vec<EventLogError>), EventLogError> {
    let files = LogFiles::open(log)?;
    let left_out = files.bytes().saturating_sub(most);
    let series = match left_out {
        0 => files.whole(options),
        _ => files.window(options, i64::MIN, most),
    };
    let (report, unread) = history.read_open_series(series);
    Ok((LogReport { skipped: left_out, ..report }, unread))
}

pub(super) fn left_out(log: &Path, also: &str, skipped: u64, most: u64) -> Option<String> {
    (skipped > 0).then(|| {
        format!(
            "event log {}: its first {} MiB{also}, its last {} MiB are read \
             (HOLDADVISE_EVENT_LOG_MIB)",
            display_path(log),
            skipped.div_ceil(1 << 20),
            most >> 20
        )
    })
}

/// Ads of earlier runs; they say whose jobs they are of.
fn read_epochs(
    history: &mut HistoryBuilder,
    gathered: &Gathered,
    faults: &mut Vec<String>,
) -> Result<(), InquiryError> {
    if let Some(file) = &gathered.epoch_file {
        let path = file.clone();
        let error = |source| QueueError::Read { path, source };
        let mut report = history.read_epochs(input::reader(file).map_err(error)?);
        if report.ads == 0 && !report.problems.is_empty() {
            let expected = format!(
                "{}; expected what condor_history -epochs -long or -json writes",
                report.problems.remove(0)
            );
            return Err(QueueError::NotAds { path: file.clone(), expected }.into());
        }
        let place = file.display();
        faults.extend(report.problems.iter().map(|problem| format!("{place}: {problem}")));
    }
    if let Some(epochs) = &gathered.epochs {
        history.note_epochs();
        for ad in epochs {
            history.add_epoch(&ad.to_classad());
        }
    }
    Ok(())
}

/// A log that an ad names concerns the jobs that name it alone.
fn note_unread(gathered: &Gathered, remarks: &mut Remarks, log: &Path, missing: &Missing) {
    if !gathered.log_owners.contains_key(log) {
        remarks.missing.push(missing.to_string());
        return;
    }
    for job in &gathered.held {
        let mut named = [&job.logs.user_log, &job.logs.nodes_log].into_iter().flatten();
        if named.any(|named| gathered.log_names.get(named).is_some_and(|read| read == log)) {
            remarks.missing_of.entry(job.id).or_default().push(missing.clone());
        }
    }
}

/// Bytes that are read of a log that an ad names: its last ones.
const LOG_BYTES: u64 = 64 << 20;

/// Bytes that are read of all such logs of a call.
const LOGS_BYTES: u64 = 512 << 20;

/// How long such logs are read in a call.
const LOGS_TIME: Duration = Duration::from_secs(60);

/// What is left of the limits on logs that ads name: whoever owns a job writes there whatever they
/// like.
struct LogLimits {
    bytes: u64,
    until: Instant,
    left_out: usize,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self { bytes: LOGS_BYTES, until: Instant::now() + LOGS_TIME, left_out: 0 }
    }
}

impl LogLimits {
    /// Nothing more is to be read.
    fn are_met(&mut self) -> bool {
        let met = self.bytes == 0 || Instant::now() >= self.until;
        self.left_out += usize::from(met);
        met
    }

    fn options(&self, options: &ReadOptions) -> ReadOptions {
        let most = LOG_BYTES.min(self.bytes);
        options.clone().newest(most)
    }

    /// Counts what was read. What was left out of the log, if anything.
    fn take(&mut self, log: &Path, report: &LogReport) -> Option<Missing> {
        self.bytes = self.bytes.saturating_sub(report.bytes);
        (report.skipped > 0).then(|| {
            let fault = format!(
                "its first {} MiB, of a log that an ad names the last {} MiB are read",
                report.skipped.div_ceil(1 << 20),
                LOG_BYTES >> 20
            );
            Missing::JobLog { log: display_path(log).into(), fault: fault.into() }
        })
    }

    /// A line for the logs that were not read.
    fn left_out(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            format!(
                "{} job event logs that ads name: {} MiB or {} s of such logs were read",
                self.left_out,
                LOGS_BYTES >> 20,
                LOGS_TIME.as_secs()
            )
        })
    }
}

/// Whether the event log had begun before some of these holds and shows none of them.
fn is_foreign(history: &HistoryBuilder, held: &[QueueJob]) -> bool {
    let history = history.so_far();
    let mut covers = false;
    for job in held {
        let Some(hold) = HoldInQueue::of(&job.ad.to_classad()) else { continue };
        let at = hold.entered_current_status;
        match history.event_log_view(job.id, at) {
            EventLogView::None => return false,
            EventLogView::BeginsLater => {}
            _ if history.may_show(job.id, at) => return false,
            // A job that is submitted on hold has no event of that.
            _ => covers |= hold.code != 15,
        }
    }
    covers
}

impl Remarks {
    /// Notes how far a log reaches, and that its newest events are of the future.
    fn note_end(&mut self, gathered: &Gathered, log: &Path, end: Option<i64>, now: i64) {
        self.newest = self.newest.max(end);
        let ahead = end.map_or(0, |end| end.saturating_sub(now));
        if gathered.is_now && ahead > SAME_CLOCK {
            self.faults.push(zones::ahead(log, now, ahead));
        }
    }
}

/// Notes damaged events, one line a log, and where logs alone tell of holds that they may hide some.
fn note_damage(gathered: &Gathered, remarks: &mut Remarks, log: &Path, report: &LogReport) {
    log::info!("{}: {} events", log.display(), report.events);
    if let Some(first) = &report.first_damage {
        let rest = match report.damaged {
            0 | 1 => String::new(),
            count => format!(" ({} more damaged events)", count - 1),
        };
        // Of a rotated log, the file that has the byte.
        let log = report.damaged_file.as_deref().unwrap_or(log);
        remarks.faults.push(format!("{}: {first}{rest}", log.display()));
        // An event of another kind is still being written.
        let is_other = first.event.is_some_and(|(number, _)| number != EventKind::JobHeld.number());
        let is_written = report.damaged == 1 && first.damage == Damage::Truncated && is_other;
        if gathered.logs_alone && !is_written {
            let (events, at) = (plural(report.damaged, "damaged event"), first.offset);
            let log = log.display();
            let line =
                format!("{log}: {events}, the first at byte {at}: holds there are not known");
            remarks.hidden.push(line);
        }
    }
}
