//! What codes, subcodes and hold reasons say, from the table of codes and the reason.

use libc::{EDQUOT, ENOENT};

use crate::catalogue::Trouble;
use crate::diagnosis::Said;
use crate::history::reason::{self, Side, code_of_transfer};
use crate::hold_code::{HoldCode, Subcode};
use crate::sizes::Resource;

/// What holds of one cause share: what their codes and reasons say where that names the cause,
/// since several versions of HTCondor word it in several ways, and else the normalised reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SharedCause {
    /// The codes name it.
    Codes {
        /// HoldReasonCode, of a transfer by what was moved.
        code: i32,
        /// HoldReasonSubCode.
        subcode: i32,
        /// Which end of a transfer failed.
        side: Option<Side>,
        /// The resource that it is about.
        resource: Option<Resource>,
        /// What a file-transfer plug-in complains of.
        trouble: Option<Trouble>,
    },
    /// The normalised reason names it.
    Reason(String),
}

impl SharedCause {
    /// Of a hold.
    pub fn of(code: i32, subcode: i32, reason: &str) -> Self {
        if !tells_cause(Some(code)) {
            return Self::Reason(reason::normalised(reason));
        }
        Self::Codes {
            code: code_of_transfer(code, reason),
            subcode,
            side: reason::side(reason),
            resource: Resource::of_hold(code, Some(subcode), reason),
            trouble: match subcode {
                256.. => Said::of(code, subcode, reason).trouble(),
                _ => None,
            },
        }
    }
}

/// Whether the codes say what failed, so that they name the cause as well as the reason does, in
/// whichever of HTCondor's wordings that is. The reason of a policy or a hook says what its code
/// does not.
pub fn tells_cause(code: Option<i32>) -> bool {
    let kind = code.and_then(HoldCode::of).map(|known| known.subcode);
    matches!(kind, Some(Subcode::Errno | Subcode::Transfer | Subcode::Resource))
}

/// The usual change for this code, as a clause without capital and full stop. `None` where nothing
/// is to be changed (protocol errors, services that were away) or the code is not known.
pub fn usual_change(code: i32, subcode: Option<i32>, reason: &str) -> Option<&'static str> {
    let code = code_of_transfer(code, reason);
    let known = HoldCode::of(code)?;
    let change = match (known.subcode, Resource::of_hold(code, subcode, reason)) {
        (Subcode::Resource | Subcode::Policy, Some(Resource::Memory)) => "request more memory",
        (Subcode::Resource | Subcode::Policy, Some(Resource::Disk)) => "request more disk",
        _ => transfer_change(code, subcode, reason).unwrap_or(known.change),
    };
    (!change.is_empty()).then_some(change)
}

/// What helps a failed transfer, where the subcode says more than the code.
fn transfer_change(code: i32, subcode: Option<i32>, reason: &str) -> Option<&'static str> {
    if HoldCode::of(code)?.subcode != Subcode::Transfer {
        return None;
    }
    let subcode = subcode?;
    Some(match (Trouble::of_errno(subcode), subcode) {
        (_, EDQUOT) => "free some of the quota",
        (Some(Trouble::NoSpace), _) if at_execution_point(reason) => {
            "another execution point, or less data"
        }
        (Some(Trouble::NoSpace), _) => "free space where the files go",
        (Some(Trouble::Denied), _) => "correct the permissions",
        (Some(Trouble::Away), _) => "",
        (_, ENOENT) if code == 12 && reason::side(reason) == Some(Side::AccessPoint) => {
            "make the directory where the output goes, or correct its path"
        }
        (_, ENOENT) if code == 12 => "see why the program did not write that file",
        (_, 256..) => url_change(Said::of(code, subcode, reason).trouble()),
        _ => return None,
    })
}

/// What helps where a URL could not be fetched; empty where nothing is to be changed.
pub(crate) fn url_change(trouble: Option<Trouble>) -> &'static str {
    match trouble {
        Some(Trouble::Missing) => "correct the URL, or put the file back on its server",
        Some(Trouble::Denied) => "renew the credential, or ask for access to the file",
        Some(_) => "",
        None => "see whether the URL can be fetched",
    }
}

/// Whether the text says that a transfer failed at the execution point.
pub(super) fn at_execution_point(reason: &str) -> bool {
    reason::side(reason) == Some(Side::ExecutionPoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_say_in_their_reason_what_their_code_does_not() {
        for code in [6, 13, 34] {
            assert!(tells_cause(Some(code)), "{code}");
        }
        for code in [Some(3), Some(21), Some(26), Some(48), Some(999), None] {
            assert!(!tells_cause(code), "{code:?}");
        }
    }

    #[test]
    fn transient_causes_ask_for_no_change() {
        for (code, subcode) in [(11, 0), (18, 0), (40, 12), (13, 110), (13, 62)] {
            assert_eq!(usual_change(code, Some(subcode), ""), None, "{code}/{subcode}");
        }
    }
}
