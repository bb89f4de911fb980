//! Commands to paste: what they do, and the constraint that keeps them to the holds that were
//! judged.
//!
//! A job may have run and been held for something else since it was judged, and a cluster has jobs
//! and ads that were not judged: the ad of the cluster itself, a factory of late materialization, a
//! damaged ad. Every command of HTCondor therefore names procs, and the schedd checks that each is
//! still in the same hold. `condor_qedit` changes none of what is checked, so a release behind it
//! names the same hold.

use std::collections::{BTreeMap, BTreeSet};

use super::editable::Edit;
use crate::text::shell_command;
use eventlog::JobId;

/// Characters of a constraint at most: a terminal passes on no longer line than 4,095 characters
/// (termios(3), canonical mode), and the rest of the command has to fit too.
pub(crate) const LONGEST: usize = 3_000;

/// The hold that a command acts on, as the schedd knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The job.
    pub job: JobId,
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// NumHolds of the ad. A log's holds are not counted for it: for one event the schedd may count
    /// two.
    pub num_holds: Option<i64>,
    /// When the hold began.
    pub since: Option<Since>,
}

/// What is known of EnteredCurrentStatus; Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Since {
    /// The ad has it.
    At(i64),
    /// Only a log tells: the schedd writes the event when the status has changed, or a little
    /// later.
    NotAfter(i64),
    /// The earliest and the latest of several jobs.
    Between(i64, i64),
}

/// What jobs of one part of a constraint share: HoldReasonCode, NumHolds, EnteredCurrentStatus.
type Shared = (Option<i32>, Option<i64>, Option<Since>);

impl Target {
    /// A constraint that is true for this job while it is in this hold, and for nothing else.
    pub fn constraint(&self) -> String {
        joined(std::slice::from_ref(self), Self::shared).unwrap_or_default()
    }

    /// NumHolds names the hold: each adds one to it.
    fn shared(&self) -> Shared {
        match self.num_holds {
            Some(holds) => (None, Some(holds), None),
            None => (self.code, None, self.since),
        }
    }
}

/// A constraint that is true for these jobs while they are in these holds, and for nothing else.
/// `None` where it would be too long to paste.
///
/// Jobs of the same NumHolds and EnteredCurrentStatus share a part. Where these are too many parts,
/// jobs share one by NumHolds alone, where it is known, between the earliest and the latest
/// beginning: a hold that follows the one judged begins after all of them.
pub fn constraint_of(targets: &[Target]) -> Option<String> {
    let exact = joined(targets, Target::shared)?;
    if exact.len() <= LONGEST || targets.len() == 1 {
        return Some(exact);
    }
    let (mut earliest, mut latest) = (i64::MAX, i64::MIN);
    for since in targets.iter().filter_map(|target| target.since) {
        let (from, to) = match since {
            Since::At(at) => (at, at),
            Since::NotAfter(at) => (i64::MAX, at),
            Since::Between(from, to) => (from, to),
        };
        (earliest, latest) = (earliest.min(from), latest.max(to));
    }
    let between = |target: &Target| {
        let since = target.since.map(|since| match since {
            Since::NotAfter(_) => Since::NotAfter(latest),
            _ => Since::Between(earliest, latest),
        });
        Target { since, ..*target }.shared()
    };
    joined(targets, between).filter(|text| text.len() <= LONGEST)
}

/// A part for the jobs that share the same, in clusters where these have the same procs. `None`
/// without jobs.
fn joined(targets: &[Target], shared: impl Fn(&Target) -> Shared) -> Option<String> {
    let mut parts: BTreeMap<BTreeSet<i32>, Vec<String>> = BTreeMap::new();
    for ((shared, procs), clusters) in
        alike(targets.iter().map(|target| (target.job, shared(target))))
    {
        parts.entry(clusters).or_default().push(part(shared, procs));
    }
    let of = |(clusters, parts): (BTreeSet<i32>, Vec<String>)| {
        let clusters = among("ClusterId", clusters);
        match parts.as_slice() {
            [part] => format!("({clusters} && {part})"),
            parts => format!("({clusters} && (({})))", parts.join(") || (")),
        }
    };
    let all: Vec<String> = parts.into_iter().map(of).collect();
    match all.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("({})", several.join(" || "))),
    }
}

fn part((code, num_holds, since): Shared, procs: BTreeSet<i32>) -> String {
    let mut tests = vec![among("ProcId", procs), "JobStatus == 5".to_owned()];
    tests.extend(code.map(|code| format!("HoldReasonCode == {code}")));
    tests.extend(num_holds.map(|holds| format!("NumHolds == {holds}")));
    let attribute = "EnteredCurrentStatus";
    tests.extend(since.map(|since| match since {
        Since::At(at) => format!("{attribute} == {at}"),
        Since::NotAfter(at) => format!("{attribute} <= {at}"),
        Since::Between(from, to) => format!("{attribute} >= {from} && {attribute} <= {to}"),
    }));
    tests.join(" && ")
}

/// The clusters in which the same procs share the same.
fn alike<S: Copy + Ord>(
    jobs: impl Iterator<Item = (JobId, S)>,
) -> BTreeMap<(S, BTreeSet<i32>), BTreeSet<i32>> {
    let mut procs: BTreeMap<(i32, S), BTreeSet<i32>> = BTreeMap::new();
    for (job, shared) in jobs {
        procs.entry((job.cluster, shared)).or_default().insert(job.proc);
    }
    let mut clusters: BTreeMap<(S, BTreeSet<i32>), BTreeSet<i32>> = BTreeMap::new();
    for ((cluster, shared), procs) in procs {
        clusters.entry((shared, procs)).or_default().insert(cluster);
    }
    clusters
}

/// True for these jobs alone, in whatever state.
pub(crate) fn jobs(ids: impl Iterator<Item = JobId>) -> String {
    let of = |(((), procs), clusters)| {
        format!("{} && {}", among("ClusterId", clusters), among("ProcId", procs))
    };
    let parts: Vec<String> = alike(ids.map(|id| (id, ()))).into_iter().map(of).collect();
    match parts.as_slice() {
        [part] => part.clone(),
        parts => format!("(({}))", parts.join(") || (")),
    }
}

/// `ProcId >= 3 && ProcId <= 9`; `(ProcId == 1 || (ProcId >= 3 && ProcId <= 9))`: true for these
/// numbers alone.
fn among(name: &str, numbers: BTreeSet<i32>) -> String {
    let numbers: Vec<i32> = numbers.into_iter().collect();
    let runs: Vec<&[i32]> =
        numbers.chunk_by(|number, next| number.checked_add(1) == Some(*next)).collect();
    let several = runs.len() > 1;
    let tests = runs.into_iter().map(|run| match *run {
        [from, .., to] if several => format!("({name} >= {from} && {name} <= {to})"),
        [from, .., to] => format!("{name} >= {from} && {name} <= {to}"),
        _ => format!("{name} == {}", run[0]),
    });
    let tests = tests.collect::<Vec<_>>().join(" || ");
    if several { format!("({tests})") } else { tests }
}

/// A command to paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `condor_release`
    Release,
    /// `condor_rm`
    Remove,
    /// `condor_qedit`
    Edit(Edit),
    /// A program of the operating system, word by word.
    Run(Vec<String>),
}

impl Command {
    /// The line to paste into a POSIX shell, for the jobs of a constraint.
    pub fn line(&self, constraint: &str) -> String {
        match self {
            Self::Release => shell_command(["condor_release", "-constraint", constraint]),
            Self::Remove => shell_command(["condor_rm", "-constraint", constraint]),
            Self::Edit(edit) => {
                let (name, new) = (edit.attribute(), edit.new_value());
                shell_command(["condor_qedit", "-constraint", constraint, name, new])
            }
            Self::Run(words) => shell_command(words.iter().map(String::as_str)),
        }
    }

    /// The command that does for two jobs what each needs: of two numbers the larger, if it is at
    /// most twice the smaller. `None` where there is none.
    pub fn for_both(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(self.clone());
        }
        let (Self::Edit(one), Self::Edit(two)) = (self, other) else { return None };
        let (new, other_new) = (one.new_value(), two.new_value());
        let larger = if new == other_new {
            one
        } else {
            let (a, b): (u64, u64) = (new.parse().ok()?, other_new.parse().ok()?);
            if a.max(b) > a.min(b).saturating_mul(2) {
                return None;
            }
            if a > b { one } else { two }
        };
        let other = if larger == one { two } else { one };
        let both = || Self::Edit(larger.clone().with_old_of(other));
        (one.attribute() == two.attribute()).then(both)
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
