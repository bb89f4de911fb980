//! Attributes and functions by their names.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names of job ads in small letters, with their own spelling.
static KNOWN: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    include_str!("htcondor_attributes.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|name| (name.to_ascii_lowercase(), name))
        .collect()
});

/// Bytes of a name that is compared with others.
const MAX_NAME: usize = 128;

/// What the job router writes into the jobs it routes (JobRouter.cpp).
const ROUTER: [&str; 4] = ["RoutedBy", "RoutedFromJobId", "RoutedToJobId", "RouteName"];

/// Attributes of machines that people look for in job ads, and what job ads have instead.
const MACHINE: [(&str, &str); 12] = [
    ("Memory", "RequestMemory"),
    ("TotalMemory", "RequestMemory"),
    ("TotalSlotMemory", "RequestMemory"),
    ("DetectedMemory", "RequestMemory"),
    ("VirtualMemory", "RequestMemory"),
    ("Disk", "RequestDisk"),
    ("TotalDisk", "RequestDisk"),
    ("Cpus", "RequestCpus"),
    ("TotalCpus", "RequestCpus"),
    ("DetectedCpus", "RequestCpus"),
    ("State", "JobStatus"),
    ("Activity", "JobStatus"),
];

/// Names that people write, and the attribute that they mean.
const MEANT: [(&str, &str); 9] = [
    ("HoldCode", "HoldReasonCode"),
    ("HoldSubCode", "HoldReasonSubCode"),
    ("HoldSubReasonCode", "HoldReasonSubCode"),
    ("LastHoldCode", "LastHoldReasonCode"),
    ("LastHoldSubCode", "LastHoldReasonSubCode"),
    ("JobExitCode", "ExitCode"),
    ("ReturnCode", "ExitCode"),
    ("ReturnValue", "ExitCode"),
    ("HoldCount", "NumHolds"),
];

/// Names that stand for something in every ad.
const KEYWORDS: [&str; 6] = ["CurrentTime", "MY", "self", "parent", "root", "toplevel"];

/// Whether the name stands for something in every ad.
pub(in crate::policy) fn is_keyword(name: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(name))
}

/// Whether HTCondor sets an attribute of this name in job ads.
pub(crate) fn is_known(name: &str) -> bool {
    let is = |other: &&str| other.eq_ignore_ascii_case(name);
    // Records of the machines a job ran on, and what it took from them by $$(), have names made of
    // others.
    is_keyword(name)
        || ROUTER.iter().any(is)
        || (KNOWN.contains_key(&name.to_ascii_lowercase()) && of_machines(name).is_none())
        || begins_with(name, &["machineattr", "match_exp_"])
}

/// How names begin and end that HTCondor or this program maintains and that are made of others, or
/// that a running program sets (CHIRP_DELAYED_UPDATE_PREFIX); in small letters.
const MAINTAINED: [&[&str]; 2] = [
    &["holdadvice", "authtoken", "x509userproxy", "assigned", "chirp", "_condor_"],
    &["provisioned", "usage", "_raw"],
];

/// Whether a name is one that only the owner of a job gives a meaning to (`+Name`).
pub(crate) fn is_owners(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    let [starts, ends] = MAINTAINED;
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    // condor_qedit takes other names for options, or for another name and its value.
    let is_plain = name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
        && name.bytes().next().is_some_and(is_letter);
    is_plain
        && !is_known(name)
        && !starts.iter().any(|start| small.starts_with(start))
        && !ends.iter().any(|end| small.ends_with(end))
}

/// What job ads have instead of an attribute that only machines have.
pub(super) fn of_machines(name: &str) -> Option<&'static str> {
    MACHINE.iter().find(|(machine, _)| machine.eq_ignore_ascii_case(name)).map(|(_, own)| *own)
}

/// Whether jobs of the grid universe alone have it.
pub(super) fn is_of_grid_jobs(name: &str) -> bool {
    begins_with(name, &["grid", "globus", "numglobus"])
}

/// Whether only jobs of Globus had it, which HTCondor no longer knows (it is in no source of 23.0
/// and later).
pub(super) fn is_of_globus(name: &str) -> bool {
    begins_with(name, &["globus", "numglobus"]) && !is_known(name)
}

/// Whether a name begins with one of these small letters.
fn begins_with(name: &str, starts: &[&str]) -> bool {
    let small = name.to_ascii_lowercase();
    starts.iter().any(|start| small.starts_with(start))
}

/// The attribute that was probably meant.
pub(crate) fn nearest_attribute(name: &str) -> Option<&'static str> {
    let meant = MEANT.iter().find(|(written, _)| written.eq_ignore_ascii_case(name));
    meant.map(|(_, meant)| *meant).or_else(|| nearest(name, KNOWN.values().copied()))
}

/// The name that differs in a letter of four at most, and in two at most.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > MAX_NAME {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let most = (name.len() / 4).min(2);
    known
        .filter(|spelled| spelled.len().abs_diff(name.len()) <= most)
        .map(|spelled| (strsim::damerau_levenshtein(&name, &spelled.to_ascii_lowercase()), spelled))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, spelled)| spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_ads_are_not_those_of_machines() {
        assert!(is_known("RoutedBy") && is_known("MATCH_EXP_Site") && is_known("MachineAttrCpus0"));
        assert!(!is_known("Memory") && !is_known("ReturnCode"));
        assert_eq!(of_machines("disk"), Some("RequestDisk"));
    }

    #[test]
    fn slips_of_the_pen_are_seen() {
        assert!(is_known("numholds") && is_known("HoldReasonCode") && is_known("currenttime"));
        assert_eq!(nearest_attribute("NumHold"), Some("NumHolds"));
        assert_eq!(nearest_attribute("EnteredCurentStatus"), Some("EnteredCurrentStatus"));
        assert_eq!(nearest_attribute("HoldResonCode"), Some("HoldReasonCode"));
        assert_eq!(nearest_attribute("MyFlag"), None);
        assert_eq!(nearest_attribute("return_code"), None);
        assert_eq!(nearest("ifthenlse", classads::function_names()), Some("ifthenelse"));
    }
}
