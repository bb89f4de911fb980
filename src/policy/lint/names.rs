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

/// Names that stand for something in every ad.
const KEYWORDS: [&str; 6] = ["CurrentTime", "MY", "self", "parent", "root", "toplevel"];

/// Whether the name stands for something in every ad.
pub(in crate::policy) fn is_keyword(name: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(name))
}

/// Whether HTCondor sets an attribute of this name in job ads.
pub(in crate::policy) fn is_known(name: &str) -> bool {
    // Records of the machines a job ran on, ads of its files and resources have numbered names.
    is_keyword(name)
        || KNOWN.contains_key(&name.to_ascii_lowercase())
        || name.to_ascii_lowercase().starts_with("machineattr")
}

/// The attribute that was probably meant.
pub(in crate::policy) fn nearest_attribute(name: &str) -> Option<&'static str> {
    nearest(name, KNOWN.values().copied())
}

/// The function that was probably meant.
pub(super) fn nearest_function(name: &str) -> Option<&'static str> {
    nearest(name, classads::function_names())
}

/// The name that differs in a letter of four at most, and in two at most.
pub(in crate::policy) fn nearest<'n>(
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
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
    fn slips_of_the_pen_are_seen() {
        assert!(is_known("numholds") && is_known("HoldReasonCode") && is_known("currenttime"));
        assert_eq!(nearest_attribute("NumHold"), Some("NumHolds"));
        assert_eq!(nearest_attribute("EnteredCurentStatus"), Some("EnteredCurrentStatus"));
        assert_eq!(nearest_attribute("HoldResonCode"), Some("HoldReasonCode"));
        assert_eq!(nearest_attribute("MyFlag"), None);
        assert_eq!(nearest_function("ifthenlse"), Some("ifthenelse"));
    }
}
