//! Commands that do better than a release for some holds.

use super::clause::Reason;
use crate::hold_code::OUT_OF_RESOURCES;
use crate::policy::Version;
use crate::sizes::Resource;

/// What should stand beside a release policy, or in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The reasons it is for.
    pub reasons: Vec<Reason>,
    /// Lines of a submit description; none where there is no command for it.
    pub lines: Vec<String>,
    /// Why, in a sentence without its end.
    pub why: String,
}

/// What does better than releasing jobs that used more of a resource than they asked for, in a
/// version of HTCondor. A policy that holds for the same (3, 21, 26) is not kept from it by running
/// the job again with more when it runs out.
pub fn alternatives(resource: Resource, reasons: &[Reason], version: Version) -> Vec<Alternative> {
    let (what, attribute) = (resource.word(), resource.attribute());
    let since = resource.retried_since();
    let (ended, by_policy): (Vec<Reason>, Vec<Reason>) =
        reasons.iter().partition(|(code, _)| *code == OUT_OF_RESOURCES);
    let same = format!(
        "released as it is, a job that used more {what} than it asked for meets the same limit again"
    );
    let retried = if version >= since {
        let lines = vec![
            format!("retry_request_{what}_increase = {attribute} * 2"),
            format!("retry_request_{what}_max = <the most a job may ask for>"),
        ];
        let why = format!(
            "a job that used more {what} than it asked for is run again with more in place of being held"
        );
        Alternative { reasons: ended, lines, why }
    } else {
        let why = format!(
            "{same}; retry_request_{what} is there from {since} on, before that request_{what} has to allow for the largest job"
        );
        Alternative { reasons: ended, lines: Vec::new(), why }
    };
    let why = format!("{same}, which a policy keeps; request_{what} has to allow for it");
    let held = Alternative { reasons: by_policy, lines: Vec::new(), why };
    [retried, held].into_iter().filter(|alternative| !alternative.reasons.is_empty()).collect()
}
