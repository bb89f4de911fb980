//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{hold_reason, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("hold_reason"), |bytes: &[u8]| hold_reason(bytes));
