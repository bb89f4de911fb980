//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{dataset, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("dataset"), |bytes: &[u8]| dataset(bytes));
