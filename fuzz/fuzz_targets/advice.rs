//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{advice, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("advice"), |bytes: &[u8]| advice(bytes));
