//! Memory and disk.

use std::rc::Rc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::history::reason::{canonical, words};
use crate::hold_code::{self, About, HoldCode, Subcode};
use crate::memo::Memo;
use crate::policy::Version;

/// A resource that a job asks for and can use more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum Resource {
    /// RequestMemory bounds it, MiB.
    Memory,
    /// RequestDisk bounds it, KiB.
    Disk,
}

/// A request is raised to so many times the largest of usage, provision and request, where nothing
/// else is known: each hold costs a run and a working day, so the steps are large. With half as much
/// again jobs of simulated pools came back more often (docs/records/closed-loop.md).
const RAISE: i64 = 2;

/// What needs more than is known is taken to need this much of it: half as much again, the step that
/// pycbc's and CHTC's memory expressions take.
const BEYOND: (i64, i64) = (3, 2);

/// Usage above this part of a request is taken for a limit that was hit: 9/10. The starter itself
/// takes less for a machine that ran out of memory, not the job (`vanilla_proc.cpp`).
pub(crate) const NEAR_LIMIT: (i64, i64) = (9, 10);

/// KiB in a MiB.
const KIB: i64 = 1024;

/// Bytes in a MiB.
const MIB: f64 = 1_048_576.0;

/// A size that a reason names is believed up to so many times the largest that is known of its run: a
/// peak may lie between two measurements, and policies are evaluated on what was measured. Assumed.
const PLAUSIBLE: i64 = 2;

/// Words for units of memory, and their bytes. HTCondor counts in powers of 1,024.
const UNITS: [(&[&str], f64); 5] = [
    (&["bytes"], 1.0),
    (&["kb", "kib", "kilobytes"], 1024.0),
    (&["mb", "mib", "megabytes"], MIB),
    (&["gb", "gib", "gigabytes"], 1024.0 * MIB),
    (&["tb", "tib", "terabytes"], MIB * MIB),
];

impl Resource {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Memory, Self::Disk];

    /// The attribute of the job that asks for it.
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::Memory => "RequestMemory",
            Self::Disk => "RequestDisk",
        }
    }

    /// The word in submit commands: `request_memory`, `retry_request_memory`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "disk",
        }
    }

    /// The unit of its figures: MiB or KiB.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Memory => "MiB",
            Self::Disk => "KiB",
        }
    }

    /// Since when `retry_request_memory` and `retry_request_disk` are there (version history,
    /// 25.2.1 and 25.10.1).
    pub const fn retried_since(self) -> Version {
        match self {
            Self::Memory => Version::new(25, 2, 1),
            Self::Disk => Version::new(25, 10, 1),
        }
    }

    /// A request is rounded up to this: 128 MiB, to which the schedd rounds RequestMemory
    /// (`MODIFY_REQUEST_EXPR_REQUESTMEMORY`), and 100 MiB of disk.
    pub(crate) const fn step(self) -> i64 {
        match self {
            Self::Memory => 128,
            Self::Disk => 100 * KIB,
        }
    }

    /// Beyond this a figure makes no sense: 64 TiB, all the memory that Linux on x86-64 can address
    /// with page tables of four levels (its `x86_64/5level-paging`); 1 EiB, the largest ext4 file
    /// system (ext4(5)).
    pub(crate) const fn most(self) -> i64 {
        match self {
            Self::Memory => 64 << 20,
            Self::Disk => 1 << 50,
        }
    }

    /// The request that usage of `peak` is not near to.
    pub fn request_for(self, peak: f64) -> i64 {
        let peak = peak.ceil().clamp(0.0, self.most() as f64) as i64;
        self.rounded(peak.saturating_mul(NEAR_LIMIT.1) / NEAR_LIMIT.0)
    }

    /// The request after one of so much that was too small, where nothing else is known.
    pub fn raised(self, from: i64) -> i64 {
        self.rounded(from.saturating_mul(RAISE))
    }

    /// The least that is worth a run where `raised` is the request after one that was too small.
    pub(crate) fn least_raise(self, raised: f64) -> i64 {
        self.request_for(raised / RAISE as f64)
    }

    /// What a job is taken to need that needs more than `known`.
    pub(super) fn beyond(self, known: i64) -> i64 {
        self.rounded(known.saturating_mul(BEYOND.0) / BEYOND.1)
    }

    pub(super) fn rounded(self, amount: i64) -> i64 {
        let step = self.step();
        (amount.saturating_add(step - 1) / step * step).max(step)
    }

    /// The resource this hold is about, for the codes that can be about one: of a request by subcode
    /// (102 memory, 104 disk; 0 and 102 were both before 24.0.12, so the text goes before 102), of
    /// policies by their reason's words.
    pub fn of_hold(code: i32, subcode: Option<i32>, reason: &str) -> Option<Self> {
        match (HoldCode::of(code)?.subcode, subcode) {
            (Subcode::Resource, Some(104)) => Some(Self::Disk),
            (Subcode::Resource, None | Some(0 | 102)) => {
                Some(resource_of(reason).unwrap_or(Self::Memory))
            }
            (Subcode::Resource | Subcode::Policy, _) => resource_of(reason),
            _ => None,
        }
    }
}

/// Memory or disk by the words of the reason: the one named first.
fn resource_of(reason: &str) -> Option<Resource> {
    words(reason).find_map(|word| match word.as_str() {
        "memory" | "request_memory" | "requestmemory" | "memoryusage" | "imagesize" | "rss"
        | "residentsetsize" | "ram" | "out_of_memory" | "oom" => Some(Resource::Memory),
        "disk" | "request_disk" | "requestdisk" | "diskusage" | "scratchdirfilesize" => {
            Some(Resource::Disk)
        }
        _ => None,
    })
}

/// The largest size of memory that the reason of a hold for `code` names and the figures of its run,
/// MiB, leave plausible. Where none of them is known, only HTCondor itself is believed, which names
/// the limit of a request: the words of a policy are its author's.
pub(crate) fn named_memory(code: i32, reason: &str, own: &[Option<i64>]) -> Option<i64> {
    let known = own.iter().flatten().copied().filter(|&size| size > 0).max();
    let is_system = hold_code::about(code) == Some(About::Request);
    let most = match known {
        Some(known) => known.saturating_mul(PLAUSIBLE),
        None if is_system => Resource::Memory.most(),
        None => return None,
    };
    megabytes(reason).iter().copied().filter(|size| (1..=most).contains(size)).max()
}

/// The sizes that the reason names, MiB, rounded up.
fn megabytes(reason: &str) -> Rc<[i64]> {
    thread_local!(static MEMO: Memo<Rc<[i64]>> = const { Memo::new() });
    MEMO.with(|memo| memo.get(reason, sizes_of))
}

fn sizes_of(reason: &str) -> Rc<[i64]> {
    let reason = canonical(reason);
    let mut sizes = Vec::new();
    let mut before: Option<f64> = None;
    for word in reason.split([' ', ',', ';', '|', '(', ')']) {
        let word = word.trim_end_matches('.');
        let digits = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        if digits == 0 && before.is_none() {
            continue;
        }
        let (number, unit) = word.split_at(digits);
        let number = number.parse::<f64>().ok();
        let is_unit = |name: &&str| name.eq_ignore_ascii_case(unit);
        let bytes =
            UNITS.iter().find(|(names, _)| names.iter().any(is_unit)).map(|(_, bytes)| bytes);
        if let Some((number, bytes)) = number.or(before).zip(bytes) {
            sizes.push((number * bytes / MIB).ceil() as i64);
        }
        before = number.filter(|_| unit.is_empty());
    }
    sizes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_is_about_memory_or_disk() {
        assert_eq!(
            Resource::of_hold(
                34,
                Some(102),
                "Job has gone over cgroup memory limit of 1 megabytes"
            ),
            Some(Resource::Memory)
        );
        assert_eq!(Resource::of_hold(34, Some(104), ""), Some(Resource::Disk));
        assert_eq!(
            Resource::of_hold(34, Some(0), "Job has exceeded allocated disk (1 GB)."),
            Some(Resource::Disk)
        );
        assert_eq!(Resource::of_hold(34, Some(0), ""), Some(Resource::Memory));
        assert_eq!(Resource::of_hold(34, Some(7), ""), None);
        assert_eq!(
            Resource::of_hold(
                26,
                Some(0),
                "put on hold by SYSTEM_PERIODIC_HOLD due to memory usage 10572684."
            ),
            Some(Resource::Memory)
        );
        assert_eq!(Resource::of_hold(21, Some(0), "Job failed to complete in 72 hrs"), None);
        assert_eq!(Resource::of_hold(13, Some(2), "reading from file /x/memory: (errno 2)"), None);
    }

    #[test]
    fn a_reason_is_believed_within_the_figures_of_its_run() {
        let limit = "Error from slot1_1@e1: Job has gone over cgroup memory limit of 2048 megabytes. \
                     Last measured usage: 2040 megabytes.";
        assert_eq!(named_memory(34, limit, &[None]), Some(2048));
        assert_eq!(named_memory(3, limit, &[None]), None);
        for (reason, named) in [
            ("Memory limit exceeded: requested 1000MB, used 1300MB.", Some(1300)),
            ("memory usage 3 GB, requested 2 GB", Some(3072)),
            ("used 1.5 GiB (1610612737 bytes)", Some(1537)),
            ("memory usage 2097153 KB", Some(2049)),
            ("memory usage 1900 MB; see https://wiki.example.org/memory 64000 MB", Some(1900)),
            ("memory usage 20 TB, requested 2 GB", Some(2048)),
            ("memory usage 99999999999999999999 MB", None),
            ("memory usage 4097 MB", None),
            ("memory usage 0 MB, -3 MB, NaN MB, 1e9 MB, ..5 MB, MB", None),
            ("https://wiki.example.org/900MB/memory, ticket 800 MB-123", None),
            ("due to memory usage 10572684.", None),
        ] {
            assert_eq!(named_memory(26, reason, &[None, Some(2048), Some(10)]), named, "{reason}");
            let larger = named_memory(34, reason, &[Some(i64::MAX)]);
            assert!(larger >= named, "{reason}: {larger:?}");
        }
    }
}
