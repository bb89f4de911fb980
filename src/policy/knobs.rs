//! The knobs of the access point's configuration that decide over held jobs.

use std::collections::BTreeMap;

use classads::{ClassAd, EvalContext, Expr};

use super::{Kind, Version, number};

/// Knobs as `condor_config_val` gives them; names without regard to case. What is not there has
/// HTCondor's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knobs(BTreeMap<String, String>);

/// The first version whose schedd knows SYSTEM_MAX_RELEASES; in others it may be set and does
/// nothing.
const KNOWS_MAX_RELEASES: Version = Version::new(24, 10, 0);

/// The first version in which an attribute that needs itself is undefined
/// (`src/classad/attrrefs.cpp`).
const KNOWS_CIRCLES: Version = Version::new(25, 13, 0);

/// Knobs that name attributes which are not to be edited (`SetAttribute` in
/// `src/condor_schedd.V6/qmgmt.cpp`).
pub(crate) const KEPT_BY: [&str; 6] = [
    "IMMUTABLE_JOB_ATTRS",
    "PROTECTED_JOB_ATTRS",
    "SECURE_JOB_ATTRS",
    "SYSTEM_IMMUTABLE_JOB_ATTRS",
    "SYSTEM_PROTECTED_JOB_ATTRS",
    "SYSTEM_SECURE_JOB_ATTRS",
];

/// Named policies of one kind that are looked at.
const MAX_NAMES: usize = 256;

impl Knobs {
    /// A knob's value for the schedd: `SCHEDD.NAME` goes before `NAME`, even if it is empty
    /// (`lookup_macro` in `src/condor_utils/config.cpp`). `None` where it is not set or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_uppercase();
        let value = self.0.get(&format!("SCHEDD.{name}")).or_else(|| self.0.get(&name))?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// The attributes of jobs that are not to be edited, each with the knob that says so. The schedd
    /// reads its own value of the knob, `condor_qedit` that of all programs: both count.
    pub fn kept_attributes(&self) -> impl Iterator<Item = (&str, &'static str)> {
        KEPT_BY.into_iter().flat_map(|knob| {
            let lists = [format!("SCHEDD.{knob}"), knob.to_owned()];
            let lists = lists.into_iter().filter_map(|name| self.0.get(&name));
            let names = lists.flat_map(|list| list.split([',', ' ', '\t', '\n']));
            names.filter(|name| !name.is_empty()).map(move |name| (name, knob))
        })
    }

    /// Sets a knob.
    pub fn insert(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_ascii_uppercase(), value.into());
    }

    /// Whether no knob is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A knob that is a number, or an expression for one, as in `20 * 60` (`string_is_long_param`
    /// in `src/condor_utils/condor_config.cpp`).
    fn integer(&self, name: &str, default: i64) -> i64 {
        let evaluated = |text: &str| {
            let expr = Expr::parse_old(text).ok()?;
            number::whole(&ClassAd::new().evaluate_expr(&expr, &EvalContext::quick()))
        };
        self.get(name)
            .and_then(|text| text.parse().ok().or_else(|| evaluated(text)))
            .unwrap_or(default)
    }

    /// CONDOR_VERSION, the version of HTCondor that the configuration was read by.
    pub fn version(&self) -> Option<Version> {
        self.get("CONDOR_VERSION")?.parse().ok()
    }

    fn is_before(&self, version: Version) -> bool {
        self.version().is_some_and(|this| this < version)
    }

    /// How the schedd of this version evaluates an expression at `now`, Unix seconds. Where the
    /// version is not known, the newest is assumed.
    pub fn context(&self, now: i64) -> EvalContext<'static> {
        EvalContext { circles_fail: self.is_before(KNOWS_CIRCLES), ..EvalContext::at(now) }
    }

    /// PERIODIC_EXPR_INTERVAL, s: policies are evaluated no more often. `None`: never (0).
    pub fn interval(&self) -> Option<i64> {
        Some(self.integer("PERIODIC_EXPR_INTERVAL", 60)).filter(|&interval| interval > 0)
    }

    /// MAX_PERIODIC_EXPR_INTERVAL, s: on a busy access point the interval grows up to this.
    pub fn longest_interval(&self) -> i64 {
        self.integer("MAX_PERIODIC_EXPR_INTERVAL", 1200).max(self.interval().unwrap_or(0))
    }

    /// SYSTEM_MAX_RELEASES; `None` without a limit (-1, the default; before HTCondor 24.10 there is
    /// no such knob). Where the version is not known, the newest is assumed.
    pub fn max_releases(&self) -> Option<i64> {
        if self.is_before(KNOWS_MAX_RELEASES) {
            return None;
        }
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
    fn a_schedd_that_does_not_know_a_limit_does_not_keep_it() {
        let of = |version| {
            let knobs =
                Knobs::from_iter([("SYSTEM_MAX_RELEASES", "3"), ("CONDOR_VERSION", version)]);
            knobs.max_releases()
        };
        assert_eq!(of("23.9.6"), None);
        assert_eq!(of("24.0.12"), None);
        assert_eq!(of("24.10.2"), Some(3));
        assert_eq!(of("25.14.1"), Some(3));
        assert_eq!(of(""), Some(3));
    }

    #[test]
    fn what_is_set_for_the_schedd_goes_first() {
        let knobs = Knobs::from_iter([
            ("PERIODIC_EXPR_INTERVAL", "10"),
            ("schedd.periodic_expr_interval", "20"),
            ("SYSTEM_PERIODIC_HOLD", "true"),
            ("SCHEDD.SYSTEM_PERIODIC_HOLD", ""),
        ]);
        assert_eq!(knobs.interval(), Some(20));
        assert!(knobs.system_policies(Kind::Hold).is_empty());
    }

    #[test]
    fn numbers_may_be_expressions() {
        let longest =
            |text| Knobs::from_iter([("MAX_PERIODIC_EXPR_INTERVAL", text)]).longest_interval();
        assert_eq!(longest("20 * 60 / 2"), 600);
        assert_eq!(longest("90.7"), 90);
        assert_eq!(longest("soon"), 1200);
        assert_eq!(longest("((("), 1200);
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
