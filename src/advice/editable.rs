//! Which attributes of a job an edit may set. Every edit is made here.
//!
//! What a job's own policy compares may be any attribute: one of HTCondor, of this program, or one
//! that the access point keeps. For root the schedd refuses hardly any of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::policy::{Knobs, is_owners};
use crate::text::can_be_pasted;

/// Attributes that the submit language sets and that an edit may set too, with their submit
/// commands (manual page `condor_submit`).
const SUBMITTED: [(&str, &str); 14] = [
    ("RequestMemory", "request_memory"),
    ("RequestDisk", "request_disk"),
    ("RequestCpus", "request_cpus"),
    ("Requirements", "requirements"),
    ("AllowedJobDuration", "allowed_job_duration"),
    ("AllowedExecuteDuration", "allowed_execute_duration"),
    ("PeriodicHold", "periodic_hold"),
    ("PeriodicRemove", "periodic_remove"),
    ("OnExitHold", "on_exit_hold"),
    ("OnExitRemove", "on_exit_remove"),
    ("TransferInput", "transfer_input_files"),
    ("In", "input"),
    ("Iwd", "initialdir"),
    ("Cmd", "executable"),
];

/// The submit command that sets an attribute; `+Name` for one of the owner's own.
pub(super) fn command_of(attribute: &str) -> String {
    let known = SUBMITTED.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute));
    known.map_or_else(|| format!("+{attribute}"), |(_, command)| (*command).to_owned())
}

/// The attributes that an access point keeps from edits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editable {
    /// Names in small letters, each with its setting.
    kept: Arc<BTreeMap<String, &'static str>>,
}

impl Editable {
    /// As a configuration says.
    pub fn of(knobs: &Knobs) -> Self {
        let kept = knobs.kept_attributes();
        let kept = kept.map(|(name, setting)| (name.to_ascii_lowercase(), setting));
        Self { kept: Arc::new(kept.collect()) }
    }

    /// The setting that keeps an attribute from edits.
    pub fn kept_by(&self, attribute: &str) -> Option<&'static str> {
        self.kept.get(&attribute.to_ascii_lowercase()).copied()
    }

    /// The attribute and the setting that keeps it from edits.
    pub(super) fn kept(&self, attribute: &'static str) -> Option<KeptAttribute> {
        self.kept_by(attribute).map(|setting| KeptAttribute { attribute, setting })
    }

    /// Whether an edit may set it: what the submit language sets here, and what is the owner's own.
    pub fn allows(&self, attribute: &str) -> bool {
        let is_submitted = SUBMITTED.iter().any(|(name, _)| name.eq_ignore_ascii_case(attribute));
        (is_submitted || is_owners(attribute)) && self.kept_by(attribute).is_none()
    }

    /// An edit, where it is allowed and can be pasted. `old`: the value, an expression, where known.
    pub fn edit(&self, attribute: &str, old: Option<String>, new: &str) -> Option<Edit> {
        let (name, new) = (attribute.to_owned(), new.to_owned());
        let may = self.allows(attribute) && can_be_pasted(&new);
        may.then_some(Edit { attribute: name, old, new })
    }
}

/// A new value of an attribute; [`Editable::edit`] makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Edit {
    attribute: String,
    old: Option<String>,
    new: String,
}

impl Edit {
    /// The attribute.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }

    /// Its value, an expression, where known.
    pub fn old(&self) -> Option<&str> {
        self.old.as_deref()
    }

    /// Its new value, an expression.
    pub fn new_value(&self) -> &str {
        &self.new
    }

    /// The edit that takes it back; `None` where the old value is not known.
    pub fn reversed(&self) -> Option<Self> {
        let (new, old) = (self.old.clone()?, Some(self.new.clone()));
        Some(Self { attribute: self.attribute.clone(), old, new })
    }

    /// Another number for the same attribute.
    pub(super) fn set(&mut self, new: i64) {
        self.new = new.to_string();
    }

    /// With an old value only where another edit has the same.
    pub(super) fn with_old_of(mut self, other: &Self) -> Self {
        self.old = self.old.filter(|old| other.old.as_ref() == Some(old));
        self
    }
}

/// An attribute that a change is about, and the setting that keeps it from edits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct KeptAttribute {
    /// Its name.
    pub attribute: &'static str,
    /// The setting.
    pub setting: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::KEPT_BY;

    #[test]
    fn only_what_is_submitted_or_the_owners_own_is_edited() {
        let editable = Editable::default();
        for name in ["RequestMemory", "requirements", "PeriodicHold", "RunLimit", "my_limit", "In"]
        {
            assert!(editable.allows(name), "{name}");
        }
        let kept = [
            "HoldAdvice",
            "HoldAdviceNumHolds",
            "holdadvicewhatever",
            "Owner",
            "User",
            "OsUser",
            "AcctGroup",
            "AcctGroupUser",
            "ClusterId",
            "JobUniverse",
            "JobStatus",
            "NumHolds",
            "HoldReasonCode",
            "TotalSubmitProcs",
            "AuthTokenScopes",
            "AuthTokenOfTomorrow",
            "x509UserProxyEmail",
            "FpgasProvisioned",
            "FpgasUsage",
            "AssignedFpgas",
            "ScratchSize_RAW",
            "MachineAttrCpus0",
            "Chirp_Progress",
            "_condor_Thing",
            "-owner",
            "JobPrio=9",
            "a b",
            "9a",
            "",
        ];
        for name in kept {
            assert_eq!(editable.edit(name, None, "1"), None, "{name}");
        }
    }

    #[test]
    fn what_any_of_the_settings_names_is_kept() {
        for setting in KEPT_BY {
            for name in [setting.to_owned(), format!("SCHEDD.{setting}")] {
                let editable =
                    Editable::of(&Knobs::from_iter([(name, "A, runlimit\tRequestDisk")]));
                assert_eq!(editable.kept_by("RunLimit"), Some(setting));
                assert!(!editable.allows("RequestDisk") && editable.allows("RequestMemory"));
            }
        }
        // The tool reads one, the schedd the other.
        let both = [("PROTECTED_JOB_ATTRS", "A"), ("SCHEDD.PROTECTED_JOB_ATTRS", "B")];
        let editable = Editable::of(&Knobs::from_iter(both));
        assert!(!editable.allows("A") && !editable.allows("B") && editable.allows("C"));
    }
}
