//! Commands to paste: what they do, and the constraint that keeps them to the holds that were judged.
//!
//! A job may have run and been held for something else since it was judged, and a cluster has jobs and ads
//! that were not judged: the ad of the cluster itself, a factory of late materialization, a damaged ad.
//! Every command of HTCondor therefore names procs, and the schedd checks that each is still in the same hold.
//! `condor_qedit` changes none of what is checked, so a release behind it names the same hold.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::text::shell_command;
use crate::userlog::JobId;

/// Characters of a constraint at most: a terminal passes on no longer line than 4,095 characters
/// (termios(3), canonical mode), and the rest of the command has to fit too.
const LONGEST: usize = 3_000;

/// The hold that a command acts on, as the schedd knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The job.
    pub job: JobId,
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// NumHolds of the ad. A log's holds are not counted for it: for one event the schedd may count two.
    pub num_holds: Option<i64>,
    /// When the hold began.
    pub since: Option<Since>,
}

/// What is known of EnteredCurrentStatus; Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Since {
    /// The ad has it.
    At(i64),
    /// Only a log tells: the schedd writes the event when the status has changed, or a little later.
    NotAfter(i64),
}

impl Since {
    fn at(self) -> i64 {
        let (Self::At(at) | Self::NotAfter(at)) = self;
        at
    }
}

impl Target {
    /// A constraint that is true for this job while it is in this hold, and for nothing else.
    pub fn constraint(&self) -> String {
        let own = Like::of(self).expression(&[self.job.proc]);
        format!("(ClusterId == {} && {own})", self.job.cluster)
    }
}

/// A constraint that is true for these jobs of one cluster while they are in these holds, and for nothing else.
/// `None` where it would be too long to paste, and for jobs of several clusters.
///
/// Jobs of the same NumHolds and EnteredCurrentStatus share a part. Where these are too many parts, jobs share one by
/// NumHolds alone, where it is known, between the earliest and the latest beginning: a hold that follows the one judged
/// begins after all of them.
pub fn constraint_of(targets: &[Target]) -> Option<String> {
    let (first, rest) = targets.split_first()?;
    if rest.iter().any(|other| other.job.cluster != first.job.cluster) {
        return None;
    }
    let exact = joined(first.job.cluster, &parts(targets, Like::of));
    if exact.len() <= LONGEST || targets.len() == 1 {
        return Some(exact);
    }
    let begins = |target: &Target| match target.since {
        Some(Since::At(at)) => Some(at),
        _ => None,
    };
    let earliest = targets.iter().filter_map(begins).min().unwrap_or(i64::MIN);
    let latest = targets.iter().filter_map(|target| target.since).map(Since::at).max();
    let between = |target: &Target| Like {
        since: match (target.since, latest) {
            (Some(Since::At(_)), Some(latest)) => Began::Between(earliest, latest),
            (Some(Since::NotAfter(_)), Some(latest)) => Began::NotAfter(latest),
            _ => Began::Unknown,
        },
        ..Like::of(target)
    };
    Some(joined(first.job.cluster, &parts(targets, between))).filter(|text| text.len() <= LONGEST)
}

/// What jobs of one part of a constraint share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Like {
    code: Option<i32>,
    num_holds: Option<i64>,
    since: Began,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Began {
    Unknown,
    At(i64),
    NotAfter(i64),
    Between(i64, i64),
}

impl Like {
    fn of(target: &Target) -> Self {
        let since = match target.since {
            Some(Since::At(at)) => Began::At(at),
            Some(Since::NotAfter(at)) => Began::NotAfter(at),
            None => Began::Unknown,
        };
        Self { code: target.code, num_holds: target.num_holds, since }
    }

    fn expression(&self, procs: &[i32]) -> String {
        let mut tests = vec![among(procs), "JobStatus == 5".to_owned()];
        tests.extend(self.code.map(|code| format!("HoldReasonCode == {code}")));
        tests.extend(self.num_holds.map(|holds| format!("NumHolds == {holds}")));
        let attribute = "EnteredCurrentStatus";
        match self.since {
            Began::Unknown => {}
            Began::At(at) => tests.push(format!("{attribute} == {at}")),
            Began::NotAfter(at) => tests.push(format!("{attribute} <= {at}")),
            Began::Between(from, to) => {
                tests.push(format!("{attribute} >= {from} && {attribute} <= {to}"));
            }
        }
        tests.join(" && ")
    }
}

/// The procs of the jobs that are alike.
fn parts(targets: &[Target], like: impl Fn(&Target) -> Like) -> BTreeMap<Like, Vec<i32>> {
    let mut parts: BTreeMap<Like, Vec<i32>> = BTreeMap::new();
    for target in targets {
        parts.entry(like(target)).or_default().push(target.job.proc);
    }
    for procs in parts.values_mut() {
        procs.sort_unstable();
        procs.dedup();
    }
    parts
}

fn joined(cluster: i32, parts: &BTreeMap<Like, Vec<i32>>) -> String {
    let parts: Vec<String> = parts.iter().map(|(like, procs)| like.expression(procs)).collect();
    match parts.as_slice() {
        [part] => format!("(ClusterId == {cluster} && {part})"),
        parts => format!("(ClusterId == {cluster} && (({})))", parts.join(") || (")),
    }
}

/// `ProcId >= 3 && ProcId <= 9`; `(ProcId == 1 || (ProcId >= 3 && ProcId <= 9))`. The procs are sorted.
fn among(procs: &[i32]) -> String {
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for &proc in procs {
        match runs.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(proc) => *end = proc,
            _ => runs.push((proc, proc)),
        }
    }
    let one = |&(from, to): &(i32, i32)| {
        if from == to {
            format!("ProcId == {from}")
        } else {
            format!("ProcId >= {from} && ProcId <= {to}")
        }
    };
    if let [run] = runs.as_slice() {
        return one(run);
    }
    let in_brackets =
        |run: &(i32, i32)| if run.0 == run.1 { one(run) } else { format!("({})", one(run)) };
    format!("({})", runs.iter().map(in_brackets).collect::<Vec<_>>().join(" || "))
}

/// A new value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Edit {
    /// The attribute.
    pub attribute: String,
    /// Its value, an expression, where known.
    pub old: Option<String>,
    /// Its new value, an expression.
    pub new: String,
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
            Self::Edit(Edit { attribute, new, .. }) => {
                shell_command(["condor_qedit", "-constraint", constraint, attribute, new])
            }
            Self::Run(words) => shell_command(words.iter().map(String::as_str)),
        }
    }

    /// The command that does for two jobs what each needs: of two numbers the larger, if it is at most twice the
    /// smaller. `None` where there is none.
    pub fn for_both(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(self.clone());
        }
        let (Self::Edit(one), Self::Edit(two)) = (self, other) else { return None };
        let larger = if one.new == two.new {
            one
        } else {
            let (a, b): (u64, u64) = (one.new.parse().ok()?, two.new.parse().ok()?);
            if a.max(b) > a.min(b).saturating_mul(2) {
                return None;
            }
            if a > b { one } else { two }
        };
        let old = one.old.clone().filter(|_| one.old == two.old);
        (one.attribute == two.attribute).then(|| Self::Edit(Edit { old, ..larger.clone() }))
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
