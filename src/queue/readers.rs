//! Readers of what HTCondor's tools answer, for who tests them with any bytes.

use std::collections::BTreeMap;

use eventlog::JobId;

use super::{OrderResult, Slot, orders, tool};

/// The slots of an answer of `condor_status`.
pub fn slots(answer: &str) -> Vec<Slot> {
    super::slots::slots_of(answer)
}

/// What an answer of `condor_release` or `condor_rm` says of each job; `None`: it does not say what
/// was done.
pub fn orders(answer: &[u8]) -> Option<BTreeMap<JobId, OrderResult>> {
    orders::answers(answer)
}

/// What a tool that failed, such as `condor_qedit`, complains of, as a line.
pub fn complaint(said: &str) -> String {
    tool::complaint(said)
}
