//! What jobs used, by their ads.

use classads::ClassAd;
use serde::Serialize;

use super::binding::{Binding, Shares};
use crate::queue::job_status::{COMPLETED, HELD, IDLE, RUNNING};

/// Attributes that are looked at.
pub const ATTRIBUTES: &[&str] = &[
    "BlockReadKbytes",
    "BlockWriteKbytes",
    "BytesRecvd",
    "BytesSent",
    "Cmd",
    "CommittedTime",
    "CompletionDate",
    "Iwd",
    "JobCurrentStartDate",
    "JobCurrentStartExecutingDate",
    "JobStartDate",
    "JobStatus",
    "LastRemoteWallClockTime",
    "MemoryUsage",
    "NumJobStarts",
    "QDate",
    "RemoteSysCpu",
    "RemoteUserCpu",
    "RemoteWallClockTime",
    "RequestCpus",
    "ResidentSetSize",
    "ServerTime",
    "TransferExecutable",
];

/// Seconds that a job must have run before its use says something: the starter reports use every
/// five minutes (`STARTER_UPDATE_INTERVAL`), and at the end.
const LEAST_SECONDS: f64 = 60.0;

/// What a job used in its last run, and how long it waited and ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// Of what a slot has. `None`: it did not run for a minute, or nothing is known.
    pub shares: Option<Shares>,
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

impl Used {
    /// Of a job, by its ad, at `now`, Unix seconds.
    ///
    /// Processors: RemoteUserCpu and RemoteSysCpu against the time of the runs that these count.
    /// Disk: BlockReadKbytes and BlockWriteKbytes. Network: BytesRecvd and BytesSent, which are the
    /// file transfers of HTCondor; what a program sends by itself is not counted.
    #[must_use]
    pub fn of(ad: &ClassAd, now: i64) -> Self {
        let now = ad.integer("ServerTime").unwrap_or(now).min(now);
        Self { shares: shares(ad, now), waited: waited(ad, now), ran: ran(ad, now) }
    }
}

fn shares(ad: &ClassAd, now: i64) -> Option<Shares> {
    let number = |name| ad.real(name).filter(|value| value.is_finite() && *value >= 0.0);
    let seconds = counted_seconds(ad, now).filter(|seconds| *seconds >= LEAST_SECONDS)?;
    let both = |one, two| match (number(one), number(two)) {
        (None, None) => None,
        (one, two) => Some(one.unwrap_or(0.0) + two.unwrap_or(0.0)),
    };
    let cpu = both("RemoteUserCpu", "RemoteSysCpu").map(|cpu| cpu / seconds);
    let memory = number("MemoryUsage").map(|mib| mib * 1_048_576.0);
    let memory = memory.or_else(|| number("ResidentSetSize").map(|kib| kib * 1024.0));
    let disk = both("BlockReadKbytes", "BlockWriteKbytes").map(|kib| kib * 1024.0 / seconds);
    let network = both("BytesRecvd", "BytesSent").map(|bytes| bytes / seconds);
    Some(Shares::of([cpu, memory, disk, network])).filter(|shares| shares.binding().is_some())
}

/// Seconds of the runs whose processor time RemoteUserCpu counts: those that were not broken off.
fn counted_seconds(ad: &ClassAd, now: i64) -> Option<f64> {
    if ad.integer("JobStatus") == Some(RUNNING) {
        return Some(now.saturating_sub(start_of_run(ad)?) as f64);
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
    match ad.integer("JobStartDate") {
        Some(start) => Some(duration(submitted, start, true)),
        None => is_idle.then(|| duration(submitted, now, false)),
    }
}

fn ran(ad: &ClassAd, now: i64) -> Option<Duration> {
    let start = start_of_run(ad)?;
    match ad.integer("JobStatus")? {
        RUNNING => Some(duration(start, now, false)),
        COMPLETED => Some(duration(start, ad.integer("CompletionDate")?, true)),
        HELD => {
            let ran = ad.real("LastRemoteWallClockTime")?;
            (ran > 0.0).then_some(Duration { seconds: ran, has_ended: false })
        }
        _ => None,
    }
}

fn duration(from: i64, to: i64, has_ended: bool) -> Duration {
    Duration { seconds: to.saturating_sub(from).max(0) as f64, has_ended }
}

/// What like jobs used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Jobs that ran for a minute and whose use is known.
    pub jobs: usize,
    /// The median share of a slot.
    pub shares: Shares,
    /// What binds most of them.
    pub binding: Option<Binding>,
    /// Jobs that it binds.
    pub bound: usize,
}

impl Measured {
    /// Of jobs.
    #[must_use]
    pub fn of(used: &[Used]) -> Self {
        let shares: Vec<Shares> = used.iter().filter_map(|used| used.shares).collect();
        let middle = |binding| {
            let mut known: Vec<f64> = shares.iter().filter_map(|one| one.get(binding)).collect();
            known.sort_by(f64::total_cmp);
            known.get(known.len() / 2).copied()
        };
        let count = |binding| shares.iter().filter(|one| one.binding() == Some(binding)).count();
        let counts = Binding::ALL.map(|binding| (binding, count(binding)));
        let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        Self {
            jobs: shares.len(),
            shares: Shares {
                cpu: middle(Binding::Cpu),
                memory: middle(Binding::Memory),
                disk: middle(Binding::Disk),
                network: middle(Binding::Network),
            },
            binding: most.filter(|(_, count)| *count > 0).map(|(binding, _)| binding),
            bound: most.map_or(0, |(_, count)| count),
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
        let shares = Used::of(&ad(text), 0).shares.unwrap();
        assert_eq!(shares.cpu, Some(0.95));
        assert_eq!(shares.memory, Some(2.0));
        assert_eq!(shares.disk, Some(2048.0 * 1024.0 / 100.0 / 1e7));
        assert_eq!(shares.network, Some(1e6 / 100.0 / 1e7));
        assert_eq!(shares.binding(), Some(Binding::Memory));
    }

    #[test]
    fn a_short_run_says_nothing() {
        let text = "JobStatus = 4\nRemoteUserCpu = 9.0\nCommittedTime = 59\n";
        assert_eq!(Used::of(&ad(text), 0).shares, None);
        // Which of three runs the processor time is of is not known.
        let text =
            "JobStatus = 1\nRemoteUserCpu = 90.0\nRemoteWallClockTime = 100.0\nNumJobStarts = 3\n";
        assert_eq!(Used::of(&ad(text), 0).shares, None);
        let text = "JobStatus = 4\nCommittedTime = 100\n";
        assert_eq!(Used::of(&ad(text), 0).shares, None);
    }

    #[test]
    fn a_running_job_is_measured_until_now() {
        let text = "JobStatus = 2\nRemoteUserCpu = 50.0\nQDate = 400\nJobStartDate = 500\n\
                    JobCurrentStartDate = 900\nJobCurrentStartExecutingDate = 600\n";
        let used = Used::of(&ad(text), 1000);
        assert_eq!(used.shares.unwrap().cpu, Some(0.5));
        assert_eq!(used.waited, Some(Duration { seconds: 100.0, has_ended: true }));
        assert_eq!(used.ran, Some(Duration { seconds: 100.0, has_ended: false }));
    }

    #[test]
    fn most_jobs_say_what_binds() {
        let of = |cpu: f64, memory: f64| Used {
            shares: Some(Shares { cpu: Some(cpu), memory: Some(memory), ..Shares::default() }),
            ..Used::default()
        };
        let measured = Measured::of(&[of(0.9, 0.1), of(0.8, 0.1), of(0.1, 0.5), Used::default()]);
        assert_eq!((measured.jobs, measured.binding, measured.bound), (3, Some(Binding::Cpu), 2));
        assert_eq!(measured.shares.cpu, Some(0.8));
        assert_eq!(Measured::of(&[]), Measured::default());
    }
}
