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

/// Names that stand for something in every ad.
const KEYWORDS: [&str; 6] = ["CurrentTime", "MY", "self", "parent", "root", "toplevel"];

/// Whether HTCondor sets an attribute of this name in job ads.
pub(super) fn is_known(name: &str) -> bool {
    let keyword = KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(name));
    // Records of the machines a job ran on, ads of its files and resources have numbered names.
    keyword
        || KNOWN.contains_key(&name.to_ascii_lowercase())
        || name.to_ascii_lowercase().starts_with("machineattr")
}

/// The attribute that was probably meant.
pub(super) fn nearest_attribute(name: &str) -> Option<&'static str> {
    nearest(name, KNOWN.iter().map(|(small, name)| (small.as_str(), *name)))
}

/// The function that was probably meant.
pub(super) fn nearest_function(name: &str) -> Option<&'static str> {
    nearest(name, classads::function_names().map(|name| (name, name)))
}

/// The name that differs in a letter of four at most, and in two at most.
fn nearest<'n>(
    name: &str,
    known: impl Iterator<Item = (&'n str, &'static str)>,
) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let most = (name.len() / 4).min(2);
    known
        .map(|(small, spelled)| (strsim::damerau_levenshtein(&name, small), spelled))
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
