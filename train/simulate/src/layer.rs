//! Sections that a layer adds to a preset. Where one is absent its chances are not drawn, so that a
//! preset without it gives what it always gave.

use serde::Deserialize;

use crate::random::Spread;

/// Jobs that need more than they ask for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NeedParameters {
    /// Share of workflows whose memory is drawn log-uniformly from 1 to `most` times the request.
    pub(crate) memory: f64,
    /// The same of disk.
    pub(crate) disk: f64,
    /// Share of the workflows near a limit on run time that need up to `most` times it.
    pub(crate) run_time: f64,
    pub(crate) most: f64,
    /// What a policy sees beyond the limit before it holds, on average, as a share of the limit. A
    /// cgroup lets a job use no more than its limit.
    pub(crate) seen_over: f64,
    /// Share of people's raises of memory that go by what was used, and not by the request.
    pub(crate) by_use: f64,
    /// The same of disk.
    pub(crate) disk_by_use: f64,
    /// Share of the runs over their memory, at sites without a limit, that a policy of the access
    /// point holds; half of them without this section.
    pub(crate) system_policy: f64,
    /// Share of the sites with larger slots than asked for that give what is asked for.
    pub(crate) exact: f64,
}

/// Faults of single jobs among healthy ones of their cluster.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SingleParameters {
    /// Share of the flaws that can be of single jobs which are.
    pub(crate) flaws: f64,
    /// Smallest and largest share of jobs that have it; one has it at least.
    pub(crate) jobs: [f64; 2],
    /// Share of clusters whose program fails on the input of a few jobs, besides `flaws.bug`.
    pub(crate) bad_input: f64,
}

/// Mistakes that somebody puts right without an edit and without a release.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FixedParameters {
    /// Share of the clusters with a mistake.
    pub(crate) share: f64,
    /// Share of those whose folder is gone.
    pub(crate) folder: f64,
    /// Share of the clusters that need what another makes, for which somebody puts it there.
    pub(crate) product: f64,
    /// When, counted from the submission, in medians of `people.look_hours`.
    pub(crate) looks: Spread,
}

/// Looks that take days.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LookParameters {
    /// Share of looks.
    pub(crate) slow: f64,
    /// How many times as long as a usual one such a look takes.
    pub(crate) times: Spread,
}

/// Runs that hang.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HungParameters {
    /// Share of workflows whose program hangs now and then.
    pub(crate) workflows: f64,
    /// Smallest and largest share of their runs that hang.
    pub(crate) runs: [f64; 2],
    /// Share of the runs of other workflows.
    pub(crate) others: f64,
    /// Weight among the faults of hosts, whose sum is 13 without it.
    pub(crate) hosts: f64,
    /// Share of workflows with a limit on run time of their own, besides `usage.execute_limit`.
    pub(crate) limits: f64,
    /// Smallest and largest such limit, in medians of their run time.
    pub(crate) limit_of_run: [f64; 2],
}

/// An access point that is overloaded now and then: its queue of transfers, its shadows, its table
/// of open files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OverloadParameters {
    pub(crate) days_between: f64,
    pub(crate) hours: Spread,
    /// Smallest and largest share of transfers that fail in full force.
    pub(crate) fails: [f64; 2],
    /// Share of the failures that HTCondor tries again by itself (event 007).
    pub(crate) again: f64,
    pub(crate) grows: f64,
}

/// Quotas besides that of an owner's bytes: they fill until somebody deletes something.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuotaParameters {
    /// Days between full quotas of files (inodes) of an owner.
    pub(crate) files_days: f64,
    pub(crate) files_hours: Spread,
    /// Projects whose members share a space and its quota.
    pub(crate) projects: usize,
    /// Share of the owners who are members of one.
    pub(crate) members: f64,
    /// Days between full quotas of a project.
    pub(crate) project_days: f64,
    pub(crate) project_hours: Spread,
    /// Share of the projects where a full quota reads as a full disk (errno 28), as that of a
    /// directory of XFS does.
    pub(crate) no_space: f64,
}

/// What the access point logs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogParameters {
    /// Share of the access points that write no event 028 and no epoch ads.
    pub(crate) bare: f64,
}
