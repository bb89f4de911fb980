//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{checks, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("checks"), |bytes: &[u8]| checks(bytes));
