//! Which attributes of a job ad are kept.

use std::collections::HashSet;

use classads::{ClassAd, Expr};

/// What is needed besides what the features read: to find the logs, to print, to work out changes,
/// and to date epoch ads.
const NEEDED: &[&str] = &[
    "ClusterId",
    "ProcId",
    "User",
    "UserLog",
    "DAGManNodesLog",
    "DAGManJobId",
    "DAGNodeName",
    "MachineAttrGLIDEIN_ResourceName0",
    "x509userproxy",
    "ScitokensFile",
    "EC2AccessKeyId",
    "EC2SecretAccessKey",
    "GceAuthFile",
    "AzureAuthFile",
    "GlobalJobId",
    "OsUser",
    "Out",
    "Err",
    "StreamErr",
    "TransferIn",
    "TransferExecutable",
    "TransferOutputRemaps",
    "ShouldTransferFiles",
    "TotalSubmitProcs",
    "NumVacates",
    "AllowedJobDuration",
    "AllowedExecuteDuration",
    "EpochAdType",
    "EpochWriteDate",
    "JobCurrentStartDate",
    "JobCurrentFinishTransferInputDate",
    "JobCurrentStartExecutingDate",
    "ShadowBday",
    "CumulativeSlotTime",
    "RequestCpus",
    "CheckpointExitCode",
    "CheckpointExitSignal",
    "UNDESIRED_Sites",
    "JobMaterializeDigestFile",
    "JobMaterializeItemsFile",
    "JobMaterializeLimit",
    "JobMaterializeMaxIdle",
];

/// What HTCondor looks at when it evaluates policies, and what policies of access points usually
/// refer to.
const POLICY_INPUTS: &[&str] = &[
    "Managed",
    "LastJobStatus",
    "JobStatusOnRelease",
    "JobUniverse",
    "LeaveJobInQueue",
    "JobStartDate",
    "JobRunCount",
    "NumHoldsByReason",
    "NumShadowExceptions",
    "NumSystemHolds",
    "ExitCode",
    "ExitBySignal",
    "ExitSignal",
    "RemoteWallClockTime",
    "CumulativeSuspensionTime",
    "HoldAdvice",
    "HoldAdviceRelease",
    "HoldAdviceReleaseReason",
    "HoldAdviceNumHolds",
    "HoldAdviceEntered",
    "HoldAdviceExpires",
];

/// Expressions of the job that HTCondor evaluates while it is held; what they refer to is kept as
/// well.
pub(super) const POLICIES: &[&str] = &[
    "PeriodicRelease",
    "PeriodicRemove",
    "PeriodicHold",
    "PeriodicHoldReason",
    "PeriodicHoldSubCode",
    "OnExitHold",
    "OnExitRemove",
    "TimerRemove",
    "TimerRemoveCheck",
    "MaxRetries",
];

/// Names are shorter than this, in bytes.
pub(super) const LONGEST_NAME: usize = 128;

/// The attributes kept of each ad.
#[derive(Clone, Debug, Default)]
pub struct AdProjection {
    /// Every attribute is kept.
    is_whole: bool,
    /// Names as HTCondor writes them, in the order asked for.
    names: Vec<String>,
    /// The same in lower case.
    keys: HashSet<String>,
    /// What these refer to is kept as well, besides what policies refer to.
    followed: Vec<String>,
}

impl AdProjection {
    /// What the advisor needs, what `features` reads, and what an expression (such as a constraint)
    /// refers to; one that cannot be parsed refers to nothing.
    pub fn new(features: &[&str], expression: Option<&str>) -> Self {
        let mut out = Self::whole();
        out.is_whole = false;
        for name in NEEDED.iter().chain(POLICIES).chain(POLICY_INPUTS).chain(features) {
            out.add(name);
        }
        if let Some(Ok(expression)) = expression.map(Expr::parse_old) {
            for reference in expression.attribute_references() {
                out.add(&reference.name);
            }
        }
        out
    }

    /// These attributes too.
    pub(crate) fn with(&self, names: &[&str]) -> Self {
        let mut out = self.clone();
        names.iter().for_each(|name| out.add(name));
        out
    }

    /// These attributes too, and what they refer to.
    pub fn following(mut self, names: Vec<String>) -> Self {
        names.iter().for_each(|name| self.add(name));
        self.followed.extend(names);
        self
    }

    /// The attributes of which what they refer to is kept.
    pub(super) fn followed(&self) -> impl Iterator<Item = &str> {
        POLICIES.iter().copied().chain(self.followed.iter().map(String::as_str))
    }

    /// All attributes of each ad, and policies whose text is no expression too.
    pub fn whole() -> Self {
        Self { is_whole: true, ..Self::default() }
    }

    /// Whether every attribute is kept.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn add(&mut self, name: &str) {
        if (1..LONGEST_NAME).contains(&name.len()) && self.keys.insert(name.to_ascii_lowercase()) {
            self.names.push(name.to_owned());
        }
    }

    /// True when the attribute is kept, whatever the case of its name.
    pub fn keeps(&self, name: &str) -> bool {
        self.is_whole || self.keys.contains(&name.to_ascii_lowercase())
    }

    /// What the policies of an ad refer to and the projection leaves out.
    pub fn references_of_policies(&self, ad: &ClassAd) -> Vec<String> {
        let policies = POLICIES.iter().filter_map(|policy| ad.get(policy));
        policies
            .filter(|policy| policy.as_literal().is_none())
            .flat_map(Expr::attribute_references)
            .map(|reference| reference.name)
            .filter(|name| !self.keeps(name))
            .collect()
    }

    /// Leaves out of an ad what is not kept.
    pub(super) fn cut(&self, ad: &mut ClassAd) {
        let followed = self.followed().filter_map(|name| ad.get(name));
        let more: HashSet<String> = followed
            .flat_map(Expr::attribute_references)
            .map(|reference| reference.name.to_ascii_lowercase())
            .collect();
        ad.retain(|name| self.keeps(name) || more.contains(&name.to_ascii_lowercase()));
    }

    /// The names kept, unless all are.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The names separated by commas, as `-attributes` takes them.
    pub fn list(&self) -> String {
        self.names.join(",")
    }
}

/// True for expressions of the job that HTCondor evaluates while it is held.
pub(super) fn is_policy(name: &str) -> bool {
    POLICIES.iter().any(|policy| policy.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_policies() {
        let text = "ClusterId = 1\nPeriodicRelease = (NumJobStarts < 3e2) && MY.Tries =!= \"a \\\"quoted\\\" Word\" \
            || time() > Limit && true\nPeriodicRemove = false\nOther = Unread\n";
        let ad = classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
        let projection = AdProjection::new(&["NumJobStarts"], None);
        assert_eq!(projection.references_of_policies(&ad), ["Tries", "Limit"]);
    }

    #[test]
    fn names_have_no_case() {
        let projection = AdProjection::new(&["TransferInput", "owner"], Some("MyTries > 2"));
        for kept in ["clusterid", "TRANSFERINPUT", "mytries", "PeriodicRelease"] {
            assert!(projection.keeps(kept), "{kept}");
        }
        assert!(!projection.keeps("Environment"));
        assert!(!projection.keeps(&"a".repeat(4000)));
        assert!(AdProjection::whole().keeps(&"a".repeat(4000)));
        assert_eq!(projection.list().matches("wner").count(), 1);
    }
}
