//! What file-transfer plug-ins reported of the transfers of a run.
//!
//! The shadow writes them as ads of their own into the epoch history, of class INPUT, OUTPUT,
//! CHECKPOINT and COMMON (`src/condor_shadow.V6.1/remoteresource.cpp`). Errors have their types, in
//! `TransferErrorData`, since HTCondor 24.9; older ads of transfers say nothing of them.
//! The attributes of a result and of its errors are those that the starter lets through
//! (`src/condor_starter.V6.1/filter.cpp`); what they mean is in
//! `docs/apis/file-transfer-plugins/transfer_error_data.rst`, what HTCondor's plug-in writes in
//! `src/condor_filetransfer_plugins/multifile_curl_plugin.cpp`, and what Pelican's writes, whose
//! own terms stand in `DeveloperData`, in its `cmd/plugin.go` (`createTransferError`).
//!
//! A plug-in may be the job's own, so all texts are anybody's: they are cut, and so are their
//! numbers.

use std::collections::HashMap;

use classads::long::Banner;
use classads::{ClassAd, Expr, Node, NodeKind, Value};
use foldhash::fast::RandomState;
use schemars::JsonSchema;
use serde::de::IntoDeserializer;
use serde::de::value::{self, StrDeserializer};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::{Symbol, Symbols, epoch_written, reason};
use eventlog::JobId;

/// What a transfer moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum TransferClass {
    /// The job's input.
    Input,
    /// Its output.
    Output,
    /// A checkpoint of it.
    Checkpoint,
    /// Input that several jobs share.
    Common,
}

/// Classes of epoch ads of transfers, each with its EpochAdType and the attribute of its results.
pub(crate) const CLASSES: [(TransferClass, &str, &str); 4] = [
    (TransferClass::Input, "INPUT", "InputPluginResultList"),
    (TransferClass::Output, "OUTPUT", "OutputPluginResultList"),
    (TransferClass::Checkpoint, "CHECKPOINT", "CheckpointPluginResultList"),
    (TransferClass::Common, "COMMON", "CommonPluginResultList"),
];

/// The class of the ad that the shadow writes of a job at the end of a run.
pub(super) const RUN: &str = "EPOCH";

/// The class of an epoch ad: `EPOCH` for that of a run, else `SPAWN`, `INPUT`, `OUTPUT`, `STARTER`
/// and others. `None` where nothing says it, as in what `condor_history -epochs` of HTCondor 23
/// prints of runs.
///
/// EpochAdType says it since HTCondor 24.10 (`src/condor_utils/job_ad_instance_recording.cpp`). In
/// the file of an older one the banner does; what is printed without banners shows it by its list
/// of results.
pub fn epoch_class(ad: &ClassAd) -> Option<String> {
    let of_banner = || {
        let banner = Banner::parse(ad.banner()?)?;
        Some(banner.kind).filter(|kind| !kind.is_empty())
    };
    let of_list = || CLASSES.iter().find(|(_, _, list)| ad.get(list).is_some());
    let named = ad.string("EpochAdType").or_else(of_banner);
    named.or_else(|| of_list().map(|(_, class, _)| (*class).to_owned()))
}

/// `ErrorType`: at which step a transfer failed.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    JsonSchema,
    Deserialize,
    IntoStaticStr,
)]
pub enum ErrorType {
    /// The plug-in could not start, or could not do what it was asked.
    Parameter,
    /// The name of a server could not be resolved.
    Resolution,
    /// A server did not answer.
    Contact,
    /// A server wanted a credential, or another one.
    Authorization,
    /// A server does not have the file, or cannot make it.
    Specification,
    /// The transfer began and did not end well.
    Transfer,
}

impl ErrorType {
    /// By its name, which a finer type may follow.
    pub(crate) fn of(name: &str) -> Option<Self> {
        // Pelican appends a finer type: `Transfer.TimedOut`.
        let name: StrDeserializer<'_, value::Error> = name.split('.').next()?.into_deserializer();
        Self::deserialize(name).ok()
    }
}

/// A transfer of one file that failed, by the last error that the plug-in reported of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct TransferError {
    /// What was moved.
    pub class: TransferClass,
    /// TransferUrl.
    pub url: Option<String>,
    /// The server that failed, in lower case: FailedServer, else IntermediateServer, else
    /// FailedName, else the endpoint that Pelican names, else that of the URL.
    pub server: Option<String>,
    /// ErrorType; `None` for one that is not known, as of an HTTP status 503.
    pub error_type: Option<ErrorType>,
    /// What says more than ErrorType: FailureType, or Pelican's own type (`Transfer.TimedOut`).
    pub detail: Option<String>,
    /// ErrorCode, or Pelican's PelicanErrorCode.
    pub error_code: Option<i64>,
    /// TransferHTTPStatusCode.
    pub http_status: Option<i64>,
    /// ErrorString, else TransferError.
    pub error_string: String,
    /// Retryable: -1 no, 0 yes, k after k seconds.
    pub retryable: Option<i64>,
    /// How often it was tried.
    pub tries: Option<i64>,
}

/// What one ad says of the transfers of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferReport {
    /// When it was written, Unix seconds.
    pub written: i64,
    /// What was moved.
    pub class: TransferClass,
    /// Transfers that failed; of many the last.
    pub errors: Vec<TransferError>,
}

/// Whether a job got through at a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtServer {
    pub(crate) written: i64,
    pub(crate) job: JobId,
    pub(crate) got_through: bool,
}

/// Bytes of the list of results of one ad that are read: some hundreds of files.
const LIST: usize = 256 << 10;

/// Bytes of all such lists that are read: the time to parse them is some seconds.
const LISTS: usize = 256 << 20;

/// Results of one ad, and errors of one result, that are looked at.
const RESULTS: usize = 1_000;

/// Errors kept of one ad.
const ERRORS: usize = 8;

/// Servers of one ad that are counted.
const SERVERS: usize = 8;

/// Ads kept of one job, the last ones.
const REPORTS: usize = 32;

/// Characters kept of a text.
const TEXT: usize = 1_000;

/// Bytes of the name of a server (RFC 1035: 255) and its port.
const NAME: usize = 261;

/// What plug-ins reported, by job and by server. Jobs that nothing else tells of have no history
/// by this.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    symbols: Symbols,
    of_job: HashMap<JobId, Vec<TransferReport>, RandomState>,
    at_server: HashMap<Symbol, Vec<AtServer>, RandomState>,
    /// Bytes of lists that were read.
    read: usize,
}

impl Transfers {
    /// Adds what an ad of a transfer says. `None` for an ad of another class, and for one that does
    /// not say of which job it is or when it was written.
    pub(super) fn add(&mut self, ad: &ClassAd, class: &str) -> Option<()> {
        let &(class, _, list) = CLASSES.iter().find(|(_, name, _)| *name == class)?;
        let (job, written) = (JobId::of_ad(ad)?, epoch_written(ad)?);
        let size = ad.raw(list).map_or(0, str::len);
        self.read = self.read.saturating_add(size);
        if size > LIST || self.read > LISTS {
            return None;
        }
        let reports = self.of_job.entry(job).or_default();
        let at = reports.partition_point(|known| (known.written, known.class) < (written, class));
        if reports.get(at).is_some_and(|known| (known.written, known.class) == (written, class)) {
            return None;
        }
        let mut report = TransferReport { written, class, errors: Vec::new() };
        let mut servers: Vec<(String, bool)> = Vec::new();
        each_ad(ad.get(list)?, &mut |result| {
            // What does not say whether it succeeded is no result.
            let Some(success) = result.boolean("TransferSuccess") else { return };
            let server = if success {
                served_by(result)
            } else {
                let Some(error) = TransferError::of(class, result) else { return };
                let server = error.server.clone();
                if report.errors.len() >= ERRORS {
                    report.errors.remove(0);
                }
                report.errors.push(error);
                server
            };
            // One failure at a server outweighs files that it gave.
            let Some(server) = server else { return };
            let known = servers.iter().position(|(known, _)| *known == server);
            match known {
                Some(known) => servers[known].1 &= success,
                None if servers.len() < SERVERS => servers.push((server, success)),
                None => {}
            }
        });
        reports.insert(at, report);
        if reports.len() > REPORTS {
            reports.remove(0);
        }
        for (server, got_through) in servers {
            let server = self.symbols.intern(&server);
            let all = self.at_server.entry(server).or_default();
            all.push(AtServer { written, job, got_through });
        }
        Some(())
    }

    /// Brings what is known of servers into the order of its time.
    pub(super) fn settle(&mut self) {
        for all in self.at_server.values_mut() {
            all.sort_by_key(|one| one.written);
        }
    }

    /// What plug-ins reported of a job, the earliest first.
    pub fn of_job(&self, job: JobId) -> &[TransferReport] {
        self.of_job.get(&job).map_or(&[], Vec::as_slice)
    }

    /// What jobs met at a server from one instant to another, Unix seconds, the earliest first.
    pub(crate) fn at_server(&self, server: &str, from: i64, until: i64) -> &[AtServer] {
        let all = self.symbols.find(server).and_then(|server| self.at_server.get(&server));
        let all = all.map_or(&[][..], Vec::as_slice);
        let begin = all.partition_point(|one| one.written < from);
        let end = all.partition_point(|one| one.written <= until);
        all.get(begin..end).unwrap_or_default()
    }
}

impl TransferError {
    /// Of a result of a transfer that failed; `None` without TransferErrorData, as before HTCondor
    /// 24.9: what the result says then stands in the hold reason too.
    fn of(class: TransferClass, result: &ClassAd) -> Option<Self> {
        let mut last = None;
        let mut errors = 0;
        each_ad(result.get("TransferErrorData")?, &mut |error| {
            errors += 1;
            last = Some(error.clone());
        });
        let last = last?;
        let of_result = nested(result, "DeveloperData");
        let of_error = nested(&last, "DeveloperData");
        let url = text(result, &["TransferUrl"]);
        let named = ["FailedServer", "IntermediateServer", "FailedName"]
            .iter()
            .find_map(|name| server(&last, name));
        let of_url = || url.as_deref().and_then(server_of_url);
        let plain = text(&last, &["ErrorType"]);
        let own = text(&of_error, &["ErrorType"]);
        let number = |ad: &ClassAd, name: &str| ad.integer(name);
        Some(Self {
            class,
            server: named.or_else(|| endpoint(&of_result)).or_else(of_url),
            error_type: plain.as_deref().or(own.as_deref()).and_then(ErrorType::of),
            detail: text(&last, &["FailureType"]).filter(|kind| kind != UNKNOWN).or(own),
            error_code: number(&last, "ErrorCode").or(number(&of_error, "PelicanErrorCode")),
            http_status: number(&of_result, "TransferHTTPStatusCode"),
            error_string: text(&last, &["ErrorString"])
                .or_else(|| text(&of_error, &["ErrorMessage"]))
                .or_else(|| text(result, &["TransferError"]))
                .unwrap_or_default(),
            retryable: retryable(&last, &of_error, &of_result),
            tries: number(&of_result, "TransferTries")
                .or(number(&of_result, "Attempts"))
                .or((errors > 0).then_some(errors))
                .filter(|tries| *tries > 0),
            url,
        })
    }
}

/// What the plug-in says of a server that it does not know.
const UNKNOWN: &str = "Unknown";

/// Retryable of an error. The starter lets an integer through; Pelican writes a boolean into its
/// `DeveloperData`, and the seconds that a server asked for beside it.
fn retryable(error: &ClassAd, own: &ClassAd, of_result: &ClassAd) -> Option<i64> {
    if let Some(number) = error.integer("Retryable") {
        return Some(number.max(-1));
    }
    let last = of_result.integer("Attempts").unwrap_or(1).saturating_sub(1);
    let may = own
        .boolean("Retryable")
        .or_else(|| of_result.boolean(&format!("IsRetryable{last}")))
        .or_else(|| of_result.boolean("IsRetryable1").filter(|_| last == 0))?;
    Some(if may { own.integer("RetryAfterSeconds").unwrap_or(0).max(0) } else { -1 })
}

/// The server that a file came from or went to.
fn served_by(result: &ClassAd) -> Option<String> {
    let own = nested(result, "DeveloperData");
    let url = text(result, &["TransferUrl"]);
    endpoint(&own)
        .or_else(|| server(&own, "TransferHostName"))
        .or_else(|| url.as_deref().and_then(server_of_url))
}

/// The endpoint of the last attempt, as Pelican names it; attempts are counted from 0.
fn endpoint(own: &ClassAd) -> Option<String> {
    let last = own.integer("Attempts").unwrap_or(1).saturating_sub(1);
    server(own, &format!("Endpoint{last}"))
}

fn server_of_url(url: &str) -> Option<String> {
    reason::file_server(url).filter(|server| server.len() <= NAME)
}

/// A server that an attribute names, in lower case.
fn server(ad: &ClassAd, name: &str) -> Option<String> {
    let named = ad.string(name)?;
    let named = named.trim();
    let is_name = !named.is_empty() && named.len() <= NAME;
    (is_name && !named.eq_ignore_ascii_case(UNKNOWN)).then(|| named.to_ascii_lowercase())
}

/// The first of these attributes that is a text, cut.
fn text(ad: &ClassAd, names: &[&str]) -> Option<String> {
    let found = names.iter().find_map(|name| ad.string(name).filter(|text| !text.is_empty()))?;
    Some(crate::text::shorten(&found, TEXT).into_owned())
}

/// A nested ad; empty where there is none.
fn nested(ad: &ClassAd, name: &str) -> ClassAd {
    ad.get(name).and_then(|expr| inner(expr.root())).cloned().unwrap_or_default()
}

/// The ad that an expression is.
fn inner(node: Node<'_>) -> Option<&ClassAd> {
    match node.kind() {
        NodeKind::ClassAd(ad) => Some(ad),
        NodeKind::Literal(Value::ClassAd(ad)) => Some(ad),
        _ => None,
    }
}

/// The ads of a list; what else is in it is passed over.
fn each_ad(list: &Expr, take: &mut dyn FnMut(&ClassAd)) {
    match list.root().kind() {
        NodeKind::List(elements) => {
            elements.into_iter().take(RESULTS).filter_map(inner).for_each(take);
        }
        NodeKind::Literal(Value::List(elements)) => {
            let elements = elements.iter().take(RESULTS);
            elements.filter_map(|element| inner(element.root())).for_each(take);
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "transfers_tests.rs"]
mod tests;
