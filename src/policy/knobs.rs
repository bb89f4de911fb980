//! The knobs of the access point's configuration that decide over held jobs.

use std::collections::BTreeMap;

use super::Kind;

/// Knobs as `condor_config_val` gives them; names without regard to case. What is not there has
/// HTCondor's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knobs(BTreeMap<String, String>);

/// Named policies of one kind that are looked at.
const MAX_NAMES: usize = 256;

impl Knobs {
    /// A knob's value; `None` where it is not set or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(&name.to_ascii_uppercase())?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// Sets a knob.
    pub fn insert(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_ascii_uppercase(), value.into());
    }

    /// Whether no knob is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn integer(&self, name: &str, default: i64) -> i64 {
        self.get(name).and_then(|value| value.parse().ok()).unwrap_or(default)
    }

    /// PERIODIC_EXPR_INTERVAL, s: policies are evaluated no more often. `None`: never (0).
    pub fn interval(&self) -> Option<i64> {
        Some(self.integer("PERIODIC_EXPR_INTERVAL", 60)).filter(|&interval| interval > 0)
    }

    /// MAX_PERIODIC_EXPR_INTERVAL, s: on a busy access point the interval grows up to this.
    pub fn longest_interval(&self) -> i64 {
        self.integer("MAX_PERIODIC_EXPR_INTERVAL", 1200).max(self.interval().unwrap_or(0))
    }

    /// SYSTEM_MAX_RELEASES; `None` without a limit (-1, the default; older than 24.x: no such knob).
    pub fn max_releases(&self) -> Option<i64> {
        Some(self.integer("SYSTEM_MAX_RELEASES", -1)).filter(|&limit| limit != -1)
    }

    /// DAGMAN_MAX_JOB_HOLDS; `None` without a limit (0). A DAG's own configuration may differ.
    pub fn max_job_holds(&self) -> Option<i64> {
        Some(self.integer("DAGMAN_MAX_JOB_HOLDS", 100)).filter(|&limit| limit > 0)
    }

    /// The knobs of the policies of this kind, in the order the schedd evaluates them: those of the
    /// `_NAMES` list, then the nameless one (`load_policy_list` in `user_job_policy.cpp`).
    fn system_names(&self, kind: Kind) -> Vec<String> {
        let base = kind.system_knob();
        let list = self.get(&format!("{base}_NAMES")).unwrap_or_default();
        let mut names: Vec<String> = Vec::new();
        for tag in list.split([',', ' ', '\t', '\n']).filter(|tag| !tag.is_empty()).take(MAX_NAMES)
        {
            let name = format!("{base}_{tag}");
            let twice = names.iter().any(|known| known.eq_ignore_ascii_case(&name));
            if !tag.eq_ignore_ascii_case("NAMES") && !twice {
                names.push(name);
            }
        }
        names.push(base.to_owned());
        names
    }

    /// The policies of this kind that are set, as knob and expression, in the schedd's order.
    pub fn system_policies(&self, kind: Kind) -> Vec<(String, &str)> {
        let set = |name: String| self.get(&name).map(|text| (name.clone(), text));
        self.system_names(kind).into_iter().filter_map(set).collect()
    }
}

impl<N: AsRef<str>, V: Into<String>> FromIterator<(N, V)> for Knobs {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(knobs: I) -> Self {
        let mut all = Self::default();
        for (name, value) in knobs {
            all.insert(name.as_ref(), value);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_htcondors() {
        let knobs = Knobs::default();
        assert_eq!(knobs.interval(), Some(60));
        assert_eq!(knobs.longest_interval(), 1200);
        assert_eq!(knobs.max_releases(), None);
        assert_eq!(knobs.max_job_holds(), Some(100));
        assert!(knobs.system_policies(Kind::Release).is_empty());
        assert_eq!(Knobs::from_iter([("PERIODIC_EXPR_INTERVAL", "0")]).interval(), None);
        assert_eq!(Knobs::from_iter([("DAGMAN_MAX_JOB_HOLDS", "0")]).max_job_holds(), None);
    }

    #[test]
    fn named_policies_come_first_in_their_order() {
        let knobs = Knobs::from_iter([
            ("system_periodic_release_names", "b, A names b"),
            ("SYSTEM_PERIODIC_RELEASE_A", "x"),
            ("SYSTEM_PERIODIC_RELEASE_b", "y"),
            ("SYSTEM_PERIODIC_RELEASE", "z"),
            ("SYSTEM_PERIODIC_REMOVE", " "),
        ]);
        let texts: Vec<_> =
            knobs.system_policies(Kind::Release).iter().map(|(_, text)| *text).collect();
        assert_eq!(texts, ["y", "x", "z"]);
        assert!(knobs.system_policies(Kind::Remove).is_empty());
    }
}
