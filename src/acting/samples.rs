//! What tests of this room have in common.

use crate::advice::{Recommendation, TrySuccess};
use crate::journal::{Advised, DecidedBy, HoldOf};

/// The advice to release a job whose file server was away.
pub(super) fn advised(id: &str, hold: HoldOf) -> Advised {
    Advised {
        id: id.to_owned(),
        hold,
        owner: None,
        hold_reason_code: Some(13),
        hold_reason_sub_code: Some(256),
        cause: "server s".to_owned(),
        diagnosis: None,
        advice: Recommendation::Release,
        action: None,
        probability: None,
        choices: Vec::new(),
        model: String::new(),
        missing: Vec::new(),
        set: None,
        chance: 1.0,
        counts: TrySuccess::Begins,
        by: DecidedBy::Person,
        condor_version: None,
    }
}
