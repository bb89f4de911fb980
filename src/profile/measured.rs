//! What jobs used, by their ads.

use classads::ClassAd;
use schemars::JsonSchema;
use serde::Serialize;

use super::binding::{Binding, SLOT, SlotShares};
use crate::job_status::{COMPLETED, HELD, IDLE, REMOVED, RUNNING};

/// Attributes that are looked at.
pub const ATTRIBUTES: &[&str] = &[
    "Args",
    "Arguments",
    "BlockReadKbytes",
    "BlockWriteKbytes",
    "BytesRecvd",
    "BytesSent",
    "ClusterId",
    "Cmd",
    "CommittedTime",
    "CompletionDate",
    "CpusUsage",
    "ExitBySignal",
    "ExitCode",
    "GlobalJobId",
    "Iwd",
    "JobCurrentStartDate",
    "JobCurrentStartExecutingDate",
    "JobStartDate",
    "JobStatus",
    "JobUniverse",
    "LastRemoteWallClockTime",
    "MemoryProvisioned",
    "MemoryUsage",
    "NumHolds",
    "NumJobStarts",
    "OsUser",
    "Owner",
    "ProcId",
    "QDate",
    "RemoteSysCpu",
    "RemoteUserCpu",
    "RemoteWallClockTime",
    "RequestCpus",
    "RequestGPUs",
    "RequestMemory",
    "ResidentSetSize",
    "ServerTime",
    "StageInFinish",
    "ShouldTransferFiles",
    "TransferExecutable",
    "TransferInput",
    "User",
];

/// Seconds that a job must have run before its use says something: the starter reports use every
/// five minutes (`STARTER_UPDATE_INTERVAL`), and at the end.
const LEAST_SECONDS: f64 = 60.0;

/// Seconds after which the starter has reported the use of a run (`STARTER_UPDATE_INTERVAL`).
const FIRST_UPDATE: i64 = 300;

/// What a job used in its last run, and how long it waited and ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LastUsage {
    /// Of what a slot of one processor has. `None`: it did not run for a minute, or nothing is known.
    pub shares: Option<SlotShares>,
    /// What its own slot has of such a slot, in the order of [`Binding::ALL`].
    pub slot: [f64; 4],
    /// Seconds from the submission to the first start, or until now.
    pub waited: Option<Duration>,
    /// Seconds that its last run took, or has taken.
    pub ran: Option<Duration>,
}

/// How long something took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duration {
    /// Seconds, from 0 on.
    pub seconds: f64,
    /// It has ended; otherwise it goes on, or was broken off.
    pub has_ended: bool,
}

impl LastUsage {
    /// Of a job, by its ad, at `now`, Unix seconds.
    ///
    /// Processors: RemoteUserCpu and RemoteSysCpu against the time of the runs that these count; of a
    /// job that runs CpusUsage, as the schedd's figures are up to a quarter of an hour old. Disk:
    /// BlockReadKbytes and BlockWriteKbytes. Network: BytesRecvd and BytesSent of all runs against
    /// RemoteWallClockTime of all runs; they are the file transfers of HTCondor, and what a program
    /// sends by itself is not counted. A job that failed or was removed is not measured, nor one whose
    /// last run did not start its program: its figures are of an earlier run.
    #[must_use]
    pub fn of(ad: &ClassAd, now: i64) -> Self {
        let now = ad.integer("ServerTime").unwrap_or(now).min(now);
        let shares = match ad.integer("JobStatus") {
            Some(RUNNING) => shares_so_far(ad, now),
            Some(REMOVED) => None,
            _ if failed(ad) || !has_begun(ad) => None,
            _ => counted_seconds(ad)
                .and_then(|seconds| shares(ad, seconds))
                .map(|shares| SlotShares { network: network(ad), ..shares }),
        };
        // What binds is not known of one resource alone.
        let shares = shares.filter(|shares| shares.cpu.is_some() && shares.memory.is_some());
        Self { shares, slot: slot(ad), waited: waited(ad, now), ran: ran(ad, now) }
    }
}

/// It exited with another code than 0, or by a signal.
pub(crate) fn failed(ad: &ClassAd) -> bool {
    let by_signal = ad.boolean("ExitBySignal") == Some(true);
    ad.integer("JobStatus") == Some(COMPLETED)
        && (by_signal || ad.integer("ExitCode").is_some_and(|code| code != 0))
}

/// The last run started its program, as far as that is known.
fn has_begun(ad: &ClassAd) -> bool {
    let began = ad.integer("JobCurrentStartExecutingDate");
    let had = ad.integer("JobCurrentStartDate");
    had.is_none_or(|had| began.is_some_and(|began| began >= had))
}

/// The share of traffic over all runs.
fn network(ad: &ClassAd) -> Option<f64> {
    let seconds = number(ad, "RemoteWallClockTime").filter(|seconds| *seconds >= LEAST_SECONDS)?;
    let bytes = both(ad, "BytesRecvd", "BytesSent")?;
    SlotShares::of([None, None, None, Some(bytes / seconds)]).network
}

/// Of a run of so many seconds, but for traffic. `None`: too short, or nothing is known.
fn shares(ad: &ClassAd, seconds: f64) -> Option<SlotShares> {
    let cpu = both(ad, "RemoteUserCpu", "RemoteSysCpu").map(|cpu| cpu / seconds);
    let disk = both(ad, "BlockReadKbytes", "BlockWriteKbytes").map(|kib| kib * 1024.0 / seconds);
    let shares = SlotShares::of([cpu, memory(ad), disk, None]);
    let is_known = Binding::ALL.iter().any(|one| shares.get(*one).is_some());
    (seconds >= LEAST_SECONDS && is_known).then_some(shares)
}

/// Of a run that goes on: rates of what is counted late are not known. Until the first update figures
/// are those of an earlier run.
fn shares_so_far(ad: &ClassAd, now: i64) -> Option<SlotShares> {
    let began = start_of_run(ad).filter(|_| has_begun(ad))?;
    let shares = SlotShares::of([number(ad, "CpusUsage"), memory(ad), None, None]);
    (now.saturating_sub(began) >= FIRST_UPDATE).then_some(shares)
}

/// The sum of two attributes, as far as they are known.
fn both(ad: &ClassAd, one: &str, two: &str) -> Option<f64> {
    match (number(ad, one), number(ad, two)) {
        (None, None) => None,
        (one, two) => Some(one.unwrap_or(0.0) + two.unwrap_or(0.0)),
    }
}

fn number(ad: &ClassAd, name: &str) -> Option<f64> {
    ad.real(name).filter(|value| value.is_finite() && *value >= 0.0)
}

/// Bytes at the peak.
fn memory(ad: &ClassAd) -> Option<f64> {
    let usage = number(ad, "MemoryUsage").map(|mib| mib * MIB);
    usage.or_else(|| number(ad, "ResidentSetSize").map(|kib| kib * 1024.0))
}

/// What the job asks for, or was given: processors, memory, and disk and network of so many slots as
/// processors.
fn slot(ad: &ClassAd) -> [f64; 4] {
    let number = |name| ad.real(name).filter(|value| (1.0..1e9).contains(value));
    let cpus = number("RequestCpus").unwrap_or(1.0);
    let memory = number("MemoryProvisioned").or_else(|| number("RequestMemory"));
    let memory = memory.map_or(cpus, |mib| mib * MIB / SLOT[Binding::Memory.number()]);
    [cpus, memory, cpus, cpus]
}

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// Seconds of the runs whose processor time RemoteUserCpu counts: those that were not broken off.
/// Of one that ended by itself the time of its program, without the transfers before it.
fn counted_seconds(ad: &ClassAd) -> Option<f64> {
    if let Some(ran) = ran(ad, i64::MAX).filter(|ran| ran.has_ended) {
        return Some(ran.seconds);
    }
    let real = |name| ad.real(name).filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let is_only = ad.integer("NumJobStarts").is_none_or(|starts| starts <= 1);
    real("CommittedTime")
        .or_else(|| real("LastRemoteWallClockTime"))
        .or_else(|| real("RemoteWallClockTime").filter(|_| is_only))
}

/// When the program of the last run began, else when its slot was had.
fn start_of_run(ad: &ClassAd) -> Option<i64> {
    let began = ad.integer("JobCurrentStartExecutingDate");
    let had = ad.integer("JobCurrentStartDate");
    // That of an earlier run stays until the program of this one begins.
    began.filter(|began| had.is_none_or(|had| *began >= had)).or(had)
}

/// Until the first start. A hold before it is no wait for a slot.
fn waited(ad: &ClassAd, now: i64) -> Option<Duration> {
    let submitted = ad.integer("QDate")?;
    let is_idle = ad.integer("JobStatus") == Some(IDLE);
    // Time on hold is no wait for a slot.
    if ad.integer("NumHolds").is_some_and(|holds| holds > 0) {
        return None;
    }
    match ad.integer("JobStartDate").filter(|start| *start <= now) {
        Some(start) => duration(submitted, start, true),
        None => duration(submitted, now, false).filter(|_| is_idle),
    }
}

fn ran(ad: &ClassAd, now: i64) -> Option<Duration> {
    let start = start_of_run(ad)?;
    match ad.integer("JobStatus")? {
        RUNNING => duration(start, now, false),
        // A run that failed says nothing of how long one takes that does not.
        COMPLETED if !failed(ad) => {
            let end = ad.integer("CompletionDate").filter(|end| *end <= now)?;
            duration(start, end, true)
        }
        HELD => {
            let ran = ad.real("LastRemoteWallClockTime")?;
            (ran > 0.0).then_some(Duration { seconds: ran, has_ended: false })
        }
        _ => None,
    }
}

/// `None`: one of them is no date.
fn duration(from: i64, to: i64, has_ended: bool) -> Option<Duration> {
    let seconds = to.checked_sub(from).filter(|seconds| (0..LONGEST).contains(seconds))?;
    Some(Duration { seconds: seconds as f64, has_ended })
}

/// No job waits or runs for ten years.
const LONGEST: i64 = 10 * 365 * 86_400;

/// What like jobs used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Measured {
    /// Jobs that ran for a minute and whose use is known.
    pub jobs: usize,
    /// The median share of a slot.
    pub shares: SlotShares,
    /// The median of what their own slots have of a slot of one processor.
    pub slot: SlotShares,
    /// What binds more than half of them.
    pub binding: Option<Binding>,
    /// Jobs that each resource binds, in the order of [`Binding::ALL`].
    pub bound: [usize; 4],
}

impl Measured {
    /// Of jobs.
    #[must_use]
    pub fn of(used: &[LastUsage]) -> Self {
        let known: Vec<(SlotShares, [f64; 4])> =
            used.iter().filter_map(|used| Some((used.shares?, used.slot))).collect();
        let bound = Binding::ALL
            .map(|one| known.iter().filter(|(shares, _)| shares.binding() == Some(one)).count());
        let is_most = |one: &Binding| 2 * bound[one.number()] > known.len();
        Self {
            jobs: known.len(),
            shares: SlotShares::medians(|one| known.iter().filter_map(move |of| of.0.get(one))),
            slot: SlotShares::medians(|one| known.iter().map(move |of| of.1[one.number()])),
            binding: Binding::ALL.into_iter().find(is_most),
            bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ad(text: &str) -> ClassAd {
        classads::read_ads(text.as_bytes()).next().unwrap().unwrap()
    }

    #[test]
    fn use_is_of_the_runs_that_the_processor_time_counts() {
        let text = "JobStatus = 4\nRemoteUserCpu = 90.0\nRemoteSysCpu = 5.0\nRemoteWallClockTime = 1000.0\n\
                    NumJobStarts = 3\nCommittedTime = 100\nMemoryUsage = 4096\nBlockReadKbytes = 2048\n\
                    BytesRecvd = 1000000.0\n";
        let shares = LastUsage::of(&ad(text), 0).shares.unwrap();
        assert_eq!(shares.cpu, Some(0.95));
        assert_eq!(shares.memory, Some(2.0));
        assert_eq!(shares.disk, Some(2048.0 * 1024.0 / 100.0 / 1e7));
        assert_eq!(shares.network, Some(1e6 / 1000.0 / 1e7));
        assert_eq!(shares.binding(), Some(Binding::Memory));
    }

    #[test]
    fn a_short_run_says_nothing() {
        let text = "JobStatus = 4\nRemoteUserCpu = 9.0\nCommittedTime = 59\n";
        assert_eq!(LastUsage::of(&ad(text), 0).shares, None);
        // Which of three runs the processor time is of is not known.
        let text =
            "JobStatus = 1\nRemoteUserCpu = 90.0\nRemoteWallClockTime = 100.0\nNumJobStarts = 3\n";
        assert_eq!(LastUsage::of(&ad(text), 0).shares, None);
        let text = "JobStatus = 4\nCommittedTime = 100\n";
        assert_eq!(LastUsage::of(&ad(text), 0).shares, None);
        let text = "JobStatus = 4\nCommittedTime = 100\nRemoteUserCpu = 1e308\nMemoryUsage = 9\n";
        assert_eq!(LastUsage::of(&ad(text), 0).shares, None);
        // Of memory alone it is not known whether it binds.
        let text = "JobStatus = 4\nCommittedTime = 100\nMemoryUsage = 4096\n";
        assert_eq!(LastUsage::of(&ad(text), 0).shares, None);
    }

    #[test]
    fn a_running_job_is_measured_as_of_its_last_update() {
        let text = "JobStatus = 2\nRemoteUserCpu = 9.0\nCpusUsage = 0.5\nMemoryUsage = 9\nQDate = 400\nJobStartDate = 500\n\
                    JobCurrentStartDate = 900\nJobCurrentStartExecutingDate = 600\n";
        let used = LastUsage::of(&ad(text), 1000);
        assert_eq!(used.shares, None, "no update is there yet");
        assert_eq!(LastUsage::of(&ad(text), 1200).shares, None);
        assert_eq!(
            LastUsage::of(&ad(&text.replace("= 600", "= 900")), 1200).shares.unwrap().cpu,
            Some(0.5)
        );
        assert_eq!(used.waited, Some(Duration { seconds: 100.0, has_ended: true }));
        assert_eq!(used.ran, Some(Duration { seconds: 100.0, has_ended: false }));
    }

    #[test]
    fn a_job_that_failed_or_was_removed_is_not_measured() {
        let text = "CommittedTime = 100\nRemoteUserCpu = 90.0\nMemoryUsage = 9\n";
        for (more, is_measured) in [
            ("JobStatus = 4\nExitCode = 0\n", true),
            ("JobStatus = 4\nExitCode = 1\n", false),
            ("JobStatus = 4\nExitBySignal = true\n", false),
            ("JobStatus = 3\n", false),
            ("JobStatus = 5\n", true),
        ] {
            let used = LastUsage::of(&ad(&format!("{text}{more}")), 0);
            assert_eq!(used.shares.is_some(), is_measured, "{more}");
        }
    }

    #[test]
    fn a_run_whose_program_never_began_has_the_figures_of_another() {
        let text = "JobStatus = 5\nJobCurrentStartDate = 9000\nJobCurrentStartExecutingDate = 100\n\
                    LastRemoteWallClockTime = 100.0\nRemoteUserCpu = 3600.0\nMemoryUsage = 9\n";
        assert_eq!(LastUsage::of(&ad(text), 9_200).shares, None);
        let begun = text.replace("= 100\n", "= 9000\n");
        assert!(LastUsage::of(&ad(&begun), 9_200).shares.is_some());
    }

    #[test]
    fn transfers_are_no_part_of_a_program_and_holds_none_of_a_wait() {
        let text = "JobStatus = 4\nQDate = 0\nJobStartDate = 1000\nJobCurrentStartDate = 1000\nMemoryUsage = 9\n\
                    JobCurrentStartExecutingDate = 4600\nCompletionDate = 5400\nCommittedTime = 4400\n\
                    RemoteUserCpu = 780.0\n";
        let used = LastUsage::of(&ad(text), 9_000);
        assert_eq!(used.shares.unwrap().cpu, Some(0.975));
        assert_eq!(used.waited.map(|waited| waited.seconds), Some(1_000.0));
        assert_eq!(LastUsage::of(&ad(&format!("{text}NumHolds = 1\n")), 9_000).waited, None);
    }

    #[test]
    fn most_jobs_say_what_binds() {
        let of = |cpu: f64, memory: f64| LastUsage {
            shares: Some(SlotShares {
                cpu: Some(cpu),
                memory: Some(memory),
                ..SlotShares::default()
            }),
            ..LastUsage::default()
        };
        let measured =
            Measured::of(&[of(0.9, 0.1), of(0.8, 0.1), of(0.1, 0.5), LastUsage::default()]);
        assert_eq!((measured.jobs, measured.binding), (3, Some(Binding::Cpu)));
        assert_eq!(measured.bound, [2, 1, 0, 0]);
        assert_eq!(measured.shares.cpu, Some(0.8));
        assert_eq!(Measured::of(&[]), Measured::default());
    }
}
