//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{policy_replay, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("policy_replay"), |bytes: &[u8]| policy_replay(bytes));
