//! What HTCondor's tools answer.

use holdadvise::queue::{AdItem, AdProjection, Ads, readers};
use holdadvise::text::is_fit;

use crate::sections;

/// Characters that are kept of what a tool complains of.
const COMPLAINT: usize = 400;

/// Answers of `condor_status`, of `condor_release` and of `condor_q`, and what `condor_qedit`
/// complains of: no more is made of an answer than it has lines, and what is printed of it is fit.
pub fn tool_answers(bytes: &[u8]) {
    let [slots, orders, ads, complaint] = sections(bytes);
    let answer = String::from_utf8_lossy(slots);
    let slots = readers::slots(&answer);
    assert!(slots.len() <= answer.lines().count());
    for slot in slots {
        let sizes = [slot.memory, slot.disk, slot.cpus].into_iter().flatten();
        assert!(sizes.into_iter().all(|size| size.is_finite() && size >= 0.0), "{slot:?}");
        assert!(slot.memory.is_some() || slot.named("Machine").is_some(), "{slot:?}");
    }
    if let Some(orders) = readers::orders(orders) {
        assert!(orders.len() < String::from_utf8_lossy(bytes).lines().count());
    }
    let projection = AdProjection::new(&["ClusterId", "ProcId", "JobStatus", "NumHolds"], None);
    for item in Ads::new(ads, &projection).expect("memory is read") {
        match item.expect("memory is read") {
            AdItem::Ad(ad) => assert!(!ad.is_empty()),
            AdItem::Fault(fault) => assert!(!fault.is_empty()),
        }
    }
    let line = readers::complaint(&String::from_utf8_lossy(complaint));
    assert!(is_fit(&line) && !line.is_empty(), "{line:?}");
    assert!(line.chars().count() <= COMPLAINT, "{line:?}");
}
