//! The advice of this project, carried out: the library's advisor on the event log written up to
//! now, and the job's ad.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use classads::ClassAd;
use eventlog::{Events, JobId, ReadOptions};
use holdadvise::advice::{
    Advice, Advisor, Change, ChangeKind, Correction, Costs, Figure, Recommendation,
};
use holdadvise::catalogue::{Edit, Fault};
use holdadvise::checks::{LocalFiles, Recorded, Urls};
use holdadvise::features::Holds;
use holdadvise::history::{Coverage, HistoryBuilder, SourceId};
use holdadvise::model::Model;
use holdadvise::sizes::Resource;
use holdadvise::text::Foreign;
use holdadvise_simulate::{Deed, Fix, HeldNow, Policy, Thing};
use jiff::tz::TimeZone;

use super::arms::knowing;
use super::tries;
use crate::Error;
use crate::evaluation::queue_ad::{self, InQueue, epoch_ads, queue_ad};

/// Seconds until somebody comes back to a job whose advice is undecided, or that waits for what
/// becomes of another: a working day, and twice as long each time. Assumed.
const LATER: i64 = 8 * 3_600;

/// Seconds after which it is asked what became of a try. Assumed.
const TRY: i64 = 3_600;

/// Decides as the advice says.
pub(super) struct Advised {
    model: Arc<Model>,
    costs: Costs,
    history: HistoryBuilder,
    log: SourceId,
    /// Bytes of EventLog and epoch_history that were read.
    read: (u64, u64),
    /// Holds whose cause was looked for.
    looked: HashSet<(JobId, i64)>,
    tries: tries::Shared,
}

impl Advised {
    pub(super) fn new(model: Arc<Model>, tries: tries::Shared) -> Self {
        let mut history = HistoryBuilder::new();
        let log = history.add_source(Coverage::AccessPoint);
        let costs = Costs::of(model.metadata.thresholds);
        Self { model, costs, history, log, read: (0, 0), looked: HashSet::new(), tries }
    }

    /// Reads what was written since.
    fn catch_up(&mut self, folder: &Path) -> Result<(), Error> {
        let log = rest(&folder.join("EventLog"), &mut self.read.0)?;
        let options = ReadOptions::in_zone(TimeZone::UTC);
        for event in Events::with_options(&log, &options) {
            self.history.add_event(self.log, &event?);
        }
        let ads = rest(&folder.join("epoch_history"), &mut self.read.1)?;
        for ad in epoch_ads(std::str::from_utf8(&ads)?).filter_map(ad_of) {
            self.history.note_epochs();
            self.history.add_epoch(&ad);
        }
        Ok(())
    }

    fn advice(&mut self, held: &HeldNow<'_>) -> Result<Option<Advice>, Error> {
        self.catch_up(held.folder)?;
        let job = JobId::new(held.cluster, held.proc);
        let &HeldNow { held_at, num_holds, reason, code, subcode, .. } = held;
        let hold = InQueue { held_at, num_holds, reason, code, subcode };
        let ad = held.ad.and_then(|ad| queue_ad(ad, &hold));
        let mut history = self.history.clone();
        if let Some(ad) = &ad {
            history.add_queue_ad(ad, held.now);
        }
        let holds = Holds::Clusters([held.cluster].into());
        let advisor = Advisor::about(history.build(), &self.model, &holds)?.with_costs(self.costs);
        let record = held.looks.map(serde_json::from_str::<Recorded>).transpose()?;
        let files = record.map(|record| LocalFiles::recorded(record).with_urls(Urls::Asked));
        let subject = queue_ad::held(job, ad.as_ref(), files, held.now);
        Ok(advisor.advise(&subject, held.now)?)
    }

    fn carried_out(&mut self, held: &HeldNow<'_>, advice: &Advice) -> Deed {
        let job = JobId::new(held.cluster, held.proc);
        let later = LATER << held.came.min(5);
        match advice.recommendation {
            _ if advice.releases(job) => Deed::Release,
            Recommendation::Release => Deed::Release,
            Recommendation::Try => Deed::Wait { until: held.now + TRY },
            Recommendation::Change => {
                Deed::Change(advice.changes().flat_map(|change| fixes(change, held)).collect())
            }
            Recommendation::Wait => {
                let again = advice.wait.as_ref().map(|wait| wait.look_again);
                Deed::Wait { until: again.unwrap_or(held.now + later) }
            }
            Recommendation::Look if self.looked.insert((job, held.num_holds)) => Deed::Look,
            Recommendation::Look if advice.releases_after_look() => Deed::Release,
            Recommendation::Remove => Deed::Remove,
            Recommendation::Look | Recommendation::Undecided => {
                Deed::Wait { until: held.now + later }
            }
        }
    }
}

impl Policy for Advised {
    fn decide(&mut self, held: &HeldNow<'_>) -> Deed {
        // Who found nothing goes by the advice.
        if let Some(Some(hidden)) = held.found {
            return knowing(held, hidden);
        }
        match self.advice(held) {
            Ok(Some(advice)) => {
                let hold = (JobId::new(held.cluster, held.proc), held.num_holds, held.now);
                let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
                tries.add(hold, &advice);
                drop(tries);
                self.carried_out(held, &advice)
            }
            // A job that the log does not show held: nothing is known of it.
            Ok(None) => Deed::Leave,
            Err(error) => {
                eprintln!("Warning: no advice for {}.{}: {error}", held.cluster, held.proc);
                Deed::Leave
            }
        }
    }
}

fn ad_of(text: &str) -> Option<ClassAd> {
    classads::read_ads(text.as_bytes()).next()?.ok()
}

/// What a file has behind the bytes that were read.
fn rest(path: &Path, read: &mut u64) -> Result<Vec<u8>, Error> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(*read))?;
    let mut bytes = Vec::new();
    *read += file.read_to_end(&mut bytes)? as u64;
    Ok(bytes)
}

/// What the simulation changes for what the advice names: nothing where it has no such thing.
fn fixes(change: &Change, held: &HeldNow<'_>) -> Vec<Fix> {
    let most = |to: &Option<Figure>| to.map(|to| to.most.ceil() as i64);
    let thing = match &change.what {
        ChangeKind::Request { resource: Resource::Memory, to, .. } => {
            return vec![Fix::Memory(most(to).unwrap_or(held.request_memory * 2))];
        }
        ChangeKind::Request { resource: Resource::Disk, to, .. } => {
            return vec![Fix::Disk(most(to).unwrap_or(held.request_disk * 2))];
        }
        ChangeKind::Place { name, .. } => {
            return name.iter().map(|name| Fix::Site(name.as_given().to_owned())).collect();
        }
        // Make the job shorter or smaller.
        ChangeKind::Correct { what: Correction::Limit, .. } => {
            return vec![Fix::Thing(Thing::RunTime), Fix::Thing(Thing::Size)];
        }
        // Put the file there, or correct the URL.
        ChangeKind::Correct { what: Correction::UrlMissing, .. } => {
            return vec![Fix::Thing(Thing::Url), Fix::Thing(Thing::Input)];
        }
        // Renew the credential, or ask for access.
        ChangeKind::Correct { what: Correction::UrlDenied, .. } => {
            return vec![Fix::Thing(Thing::Url), Fix::Thing(Thing::Credential)];
        }
        ChangeKind::TooMuch { .. } => None,
        ChangeKind::Limit { .. } | ChangeKind::Time { .. } => Some(Thing::RunTime),
        ChangeKind::Interpreter { .. } => Some(Thing::Executable),
        ChangeKind::Program { .. } => Some(Thing::Program),
        ChangeKind::Correct { remedy: Some(reading), .. }
            if reading.entry().edit == Some(Edit::Time) =>
        {
            Some(Thing::RunTime)
        }
        ChangeKind::Correct { what: Correction::Named, name, remedy: Some(reading) } => {
            let faults = reading.entry().fault.iter();
            let likeliest = faults.max_by(|one, other| one.1.total_cmp(other.1));
            likeliest.and_then(|(fault, _)| named(*fault, held.code, input(name.as_ref(), held)))
        }
        ChangeKind::Correct { what, name, .. } => {
            Some(corrected(*what, input(name.as_ref(), held)))
        }
        ChangeKind::Usual { name, .. } => usual(held.code, input(name.as_ref(), held)),
    };
    thing.into_iter().map(Fix::Thing).collect()
}

/// A name of the input is a URL or a file.
fn input(name: Option<&Foreign>, held: &HeldNow<'_>) -> Thing {
    if name.map_or(held.reason, Foreign::as_given).contains("://") {
        Thing::Url
    } else {
        Thing::Input
    }
}

fn corrected(what: Correction, input: Thing) -> Thing {
    match what {
        Correction::Credential => Thing::Credential,
        Correction::Quota | Correction::DiskSpace => Thing::Space,
        Correction::OutputDirectory | Correction::StandardOutput | Correction::EventLog => {
            Thing::OutputFolder
        }
        Correction::Permissions | Correction::Input | Correction::StandardInput => input,
        Correction::WorkingDirectory => Thing::Folder,
        Correction::Image => Thing::Image,
        Correction::ExecutePermission
        | Correction::ExecutableFormat
        | Correction::ExecutableMissing
        | Correction::Executable
        | Correction::Arguments => Thing::Executable,
        Correction::UrlMissing
        | Correction::UrlServer
        | Correction::UrlDenied
        | Correction::Url => Thing::Url,
        Correction::Cpus => Thing::Cores,
        Correction::Limit => Thing::Size,
        Correction::Output | Correction::OutputList | Correction::OwnHold | Correction::Named => {
            Thing::Program
        }
    }
}

/// What a remedy of the catalogue is about.
fn named(fault: Fault, code: i32, input: Thing) -> Option<Thing> {
    Some(match fault {
        Fault::Input | Fault::File => input,
        Fault::Url => Thing::Url,
        Fault::Program => Thing::Program,
        Fault::Credential => Thing::Credential,
        Fault::Quota => Thing::Space,
        _ => return usual(code, input),
    })
}

/// What the usual change of a code is about (`holdadvise::hold_code`).
fn usual(code: i32, input: Thing) -> Option<Thing> {
    Some(match code {
        3 | 5 | 26 => Thing::Program,
        4 => Thing::Credential,
        6 => Thing::Executable,
        7 | 12 => Thing::OutputFolder,
        13 => input,
        14 => Thing::Folder,
        32 | 33 => Thing::Size,
        35 | 45 => Thing::Image,
        46 | 47 => Thing::RunTime,
        _ => return None,
    })
}
