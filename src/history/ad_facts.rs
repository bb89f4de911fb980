//! What a job ad says about a job: the same facts from an epoch ad, the queue and event 028.

use std::hash::{DefaultHasher, Hash, Hasher};

use classads::ClassAd;

use super::{Hold, HoldInQueue, Symbol, Symbols, reason};
use crate::memo::Memo;
use eventlog::fnv1a;

/// A time or count of an ad: what is beyond 2^53 is neither, and no sum of two others overflows.
pub(crate) fn bounded(ad: &ClassAd, name: &str) -> Option<i64> {
    ad.integer(name).filter(|number| number.unsigned_abs() <= 1 << 53)
}

/// Attributes read from a job ad. `condor_q` is asked for these and no more.
pub const ATTRIBUTES: &[&str] = &[
    "ClusterId",
    "ProcId",
    "Owner",
    "JobStatus",
    "QDate",
    "EnteredCurrentStatus",
    "HoldReason",
    "HoldReasonCode",
    "HoldReasonSubCode",
    "NumHolds",
    "NumJobStarts",
    "NumShadowStarts",
    "RequestMemory",
    "MemoryProvisioned",
    "MemoryUsage",
    "ResidentSetSize",
    "ResidentSetSize_RAW",
    "RequestDisk",
    "DiskProvisioned",
    "DiskUsage",
    "DiskUsage_RAW",
    "TransferInput",
    "LastRemoteHost",
    "RemoteHost",
    "MachineAttrGLIDEIN_Site0",
    "MATCH_EXP_JOBGLIDEIN_Site",
    "MATCH_GLIDEIN_Site",
    "Requirements",
    "Cmd",
    "Args",
    "Arguments",
    "Environment",
    "Env",
    "Iwd",
    "In",
    "ContainerImage",
    "DockerImage",
];

/// What an ad said at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct AdFacts {
    /// When this was known: the end of the run of an epoch ad, the time of the query, the time of
    /// event 028. Unix seconds.
    pub known: i64,
    /// Owner.
    pub owner: Option<Symbol>,
    /// EnteredCurrentStatus, Unix seconds.
    pub entered_current_status: Option<i64>,
    /// The hold that an ad of the queue shows; epoch ads show none.
    pub hold: Option<Hold>,
    /// NumHolds.
    pub num_holds: Option<i64>,
    /// NumJobStarts.
    pub num_job_starts: Option<i64>,
    /// RequestMemory, MiB. Shows edits made since the hold; never a feature by itself.
    pub request_memory: Option<f64>,
    /// MemoryProvisioned, MiB: what the last run had.
    pub memory_provisioned: Option<f64>,
    /// MemoryUsage of the last run, MiB.
    pub memory_usage: Option<f64>,
    /// RequestDisk, KiB. Shows edits made since the hold; never a feature by itself.
    pub request_disk: Option<f64>,
    /// DiskProvisioned, KiB: what the last run had.
    pub disk_provisioned: Option<f64>,
    /// DiskUsage of the last run, KiB.
    pub disk_usage: Option<f64>,
    /// How long the run took that exited with 0, s; `None` for any other end, and in the queue.
    pub finished_after: Option<i64>,
    /// What it runs: Cmd, and its arguments where Cmd is a program of the system.
    pub program: Option<Symbol>,
    /// Digest of what it runs, Cmd and its arguments, without the numbers in it.
    pub command: Option<u64>,
    /// Files and URLs of TransferInput; relative files stand under Iwd.
    pub input: Vec<Symbol>,
    /// File servers of the URLs among them.
    pub servers: Vec<Symbol>,
    /// Where the last run was: the machine of LastRemoteHost.
    pub machine: Option<Symbol>,
    /// The site of the last run, where the access point records one.
    pub site: Option<Symbol>,
    /// Digest of Requirements: tells an edit of where the job may run.
    pub requirements: Option<u64>,
    /// Digest of what else a person edits or corrects in an ad: Cmd, arguments, environment, input,
    /// image.
    pub description: Option<u64>,
}

impl AdFacts {
    /// The facts of an ad in the queue, known at `known`, with the hold that it shows.
    pub(super) fn of_queue(ad: &ClassAd, known: i64, symbols: &mut Symbols) -> Self {
        let hold = HoldInQueue::of(ad).map(|hold| {
            let text = hold.reason.as_deref().map(reason::canonical);
            let reason = text.map(|text| symbols.intern(&text));
            Hold { code: hold.code, subcode: hold.subcode, reason }
        });
        Self { hold, finished_after: None, ..Self::of(ad, known, symbols) }
    }

    /// The facts of a job ad, known at `known`.
    pub fn of(ad: &ClassAd, known: i64, symbols: &mut Symbols) -> Self {
        let number = |name: &str| ad.real(name).filter(|value| value.is_finite() && *value >= 0.0);
        let list = ad.string("TransferInput").unwrap_or_default();
        let (input, servers) = input_names(&list, &ad.string("Iwd").unwrap_or_default(), symbols);
        // The ad of a run names its slot in RemoteHost and the run before in LastRemoteHost; the
        // queue's ad of a held job has the last run in LastRemoteHost and no RemoteHost.
        let machine = ["RemoteHost", "LastRemoteHost"]
            .into_iter()
            .find_map(|name| ad.string(name))
            .and_then(|host| super::step::machine_of(&host).map(str::to_owned));
        let site = SITE_ATTRIBUTES
            .iter()
            .find_map(|name| ad.string(name))
            .filter(|site| !site.is_empty() && !site.eq_ignore_ascii_case("undefined"));
        Self {
            known,
            owner: ad.string("Owner").map(|owner| symbols.intern(&owner)),
            entered_current_status: bounded(ad, "EnteredCurrentStatus"),
            hold: None,
            num_holds: bounded(ad, "NumHolds"),
            num_job_starts: bounded(ad, "NumJobStarts"),
            request_memory: number("RequestMemory"),
            memory_provisioned: number("MemoryProvisioned"),
            memory_usage: memory_used(ad).or_else(|| number("MemoryUsage")),
            request_disk: number("RequestDisk"),
            disk_provisioned: number("DiskProvisioned"),
            disk_usage: disk_used(ad),
            finished_after: finished_after(ad, known),
            program: program(ad).map(|program| symbols.intern(&program)),
            command: command(ad),
            input,
            servers,
            machine: machine.map(|machine| symbols.intern(&machine)),
            site: site.map(|site| symbols.intern(&site)),
            requirements: digest(ad, &["Requirements"]),
            description: description(ad),
        }
    }
}

/// How long a run took that exited with 0, from when its program was started, s.
fn finished_after(ad: &ClassAd, ended: i64) -> Option<i64> {
    let exited = ad.integer("ExitCode") == Some(0) && ad.boolean("ExitBySignal") != Some(true);
    let began = ["JobCurrentStartExecutingDate", "JobCurrentStartDate"]
        .into_iter()
        .find_map(|name| ad.integer(name))?;
    exited.then(|| ended.saturating_sub(began)).filter(|seconds| *seconds >= 0)
}

/// Folders of programs that everybody runs: what a job does there stands in its arguments.
const OF_THE_SYSTEM: [&str; 6] = ["/bin/", "/sbin/", "/usr/", "/opt/", "/cvmfs/", "/nix/"];

/// What a job runs.
fn program(ad: &ClassAd) -> Option<String> {
    let command = ad.string("Cmd").filter(|command| command.starts_with('/'))?;
    if !OF_THE_SYSTEM.iter().any(|folder| command.starts_with(folder)) {
        return Some(command);
    }
    let arguments = ["Args", "Arguments"].into_iter().find_map(|name| ad.string(name));
    Some(format!("{command}\n{}", arguments.unwrap_or_default()))
}

/// Digest of what a person edits or corrects in an ad beside requests and Requirements.
pub(crate) fn description(ad: &ClassAd) -> Option<u64> {
    const NAMES: &[&str] = &[
        "Cmd",
        "Args",
        "Arguments",
        "Environment",
        "Env",
        "TransferInput",
        "Iwd",
        "In",
        "ContainerImage",
        "DockerImage",
    ];
    digest(ad, NAMES)
}

/// Digest of Cmd and arguments, with one digit for each number: jobs of a cluster count in them.
pub(crate) fn command(ad: &ClassAd) -> Option<u64> {
    let mut text = ad.string("Cmd")?;
    text.push('\n');
    text.extend(["Args", "Arguments"].into_iter().find_map(|name| ad.string(name)));
    let mut of_number = false;
    text.retain(|c| {
        let is_first = !(of_number && c.is_ascii_digit());
        of_number = c.is_ascii_digit();
        is_first
    });
    let same = text.replace(|c: char| c.is_ascii_digit(), "0");
    Some(fnv1a(same.as_bytes()))
}

/// Memory of the last run as it was measured, MiB.
pub(crate) fn memory_used(ad: &ClassAd) -> Option<f64> {
    size(ad, "ResidentSetSize").map(|kib| (kib / 1024.0).ceil())
}

/// Disk of the last run as it was measured, KiB.
pub(crate) fn disk_used(ad: &ClassAd) -> Option<f64> {
    size(ad, "DiskUsage")
}

fn size(ad: &ClassAd, name: &str) -> Option<f64> {
    let number = |name: &str| ad.real(name).filter(|value| value.is_finite() && *value >= 0.0);
    measured(number(name), number(&format!("{name}_RAW")))
}

/// The size as it was measured. The schedd publishes a size rounded up and keeps the measured one
/// in `_RAW`; the shadow, which writes the epoch ad, has the newer measured size in the attribute
/// itself and an older one in `_RAW`.
fn measured(size: Option<f64>, raw: Option<f64>) -> Option<f64> {
    match (size, raw) {
        (Some(size), Some(raw)) if published(raw) == size => Some(raw),
        (Some(size), _) => Some(size),
        (None, raw) => raw,
    }
}

/// How the schedd rounds a size up for publication: to a quarter of a power of ten
/// (`SCHEDD_ROUND_ATTR_*`, default 25 %; `qmgmt.cpp`).
fn published(size: f64) -> f64 {
    if size < 1.0 {
        return size;
    }
    let magnitude = ((size / 5.0).max(f64::MIN_POSITIVE).log10() + 1.0).trunc();
    let step = 10f64.powf(magnitude) * 0.25;
    ((size / step).ceil() * step).trunc()
}

/// Input files of one job that are looked at. A list longer than this says nothing more about its
/// servers.
const MAXIMUM_INPUT: usize = 64;

/// The files of a TransferInput list, and the file servers of the URLs among them. Relative files
/// stand under `directory`.
pub(crate) fn input_names(
    list: &str,
    directory: &str,
    symbols: &mut Symbols,
) -> (Vec<Symbol>, Vec<Symbol>) {
    let items = list.split(',').map(str::trim).filter(|item| !item.is_empty()).take(MAXIMUM_INPUT);
    let (mut input, mut servers) = (Vec::new(), Vec::new());
    for item in items {
        if item.contains("://") {
            servers.extend(reason::file_server(item).map(|server| symbols.intern(&server)));
            input.push(symbols.intern(item));
        } else if item.starts_with('/') || directory.is_empty() {
            input.push(symbols.intern(item));
        } else {
            input.push(symbols.intern(&format!("{}/{item}", directory.trim_end_matches('/'))));
        }
    }
    servers.sort_unstable();
    servers.dedup();
    (input, servers)
}

/// Where access points record the site of a run (`SYSTEM_JOB_MACHINE_ATTRS`, glideins).
const SITE_ATTRIBUTES: &[&str] =
    &["MachineAttrGLIDEIN_Site0", "MATCH_EXP_JOBGLIDEIN_Site", "MATCH_GLIDEIN_Site"];

/// Attributes whose value names a site in event 028.
pub(crate) fn is_site_attribute(name: &str) -> bool {
    SITE_ATTRIBUTES.iter().any(|site| site.eq_ignore_ascii_case(name))
}

/// An attribute's expression as `condor_q -long` prints it.
pub(crate) fn printed(ad: &ClassAd, name: &str) -> Option<String> {
    thread_local!(static MEMO: Memo<String> = const { Memo::new() });
    let expression = ad.get(name)?;
    let print = |_: &str| expression.to_string();
    // What a backslash says depends on the syntax, which the text alone does not tell.
    match ad.raw(name).filter(|raw| expression.as_literal().is_none() && !raw.contains('\\')) {
        Some(raw) => Some(MEMO.with(|memo| memo.get(raw, print))),
        None => Some(print("")),
    }
}

fn digest(ad: &ClassAd, names: &[&str]) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut any = false;
    for name in names {
        let expression = printed(ad, name);
        any |= expression.is_some();
        expression.hash(&mut hasher);
    }
    any.then(|| hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_published_as_the_schedd_rounds_them() {
        for (raw, size) in
            [(81_936, 100_000), (3_168, 3_250), (135_468, 150_000), (16, 17), (11, 12)]
        {
            assert_eq!(published(f64::from(raw)), f64::from(size), "{raw}");
        }
    }

    #[test]
    fn the_measured_size_of_the_schedd_and_of_the_shadow() {
        assert_eq!(measured(Some(100_000.0), Some(81_936.0)), Some(81_936.0));
        assert_eq!(measured(Some(81_936.0), Some(1.0)), Some(81_936.0));
        assert_eq!(measured(Some(5.0), None), Some(5.0));
        assert_eq!(measured(None, None), None);
    }
}
