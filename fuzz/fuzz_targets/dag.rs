//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{dag, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("dag"), |bytes: &[u8]| dag(bytes));
