use super::*;

/// A second hold for a missing file.
pub(in crate::replay) fn hold() -> PastHold {
    let held_at = 1_760_000_030;
    PastHold {
        job: JobId::new(7, 1),
        held_at,
        code: 13,
        subcode: 2,
        num_holds: Some(2),
        starts: Some(1),
        submitted_at: Some(held_at - 5_000),
        before: Some((12, 2)),
        owner: Some("alice".into()),
        resource: None,
        reason: Some("Transfer input files failure: no such file".into()),
        ad: None,
        by_policy: false,
        ran: 0,
        hold_end: HoldEnd::Held { until: None },
    }
}
