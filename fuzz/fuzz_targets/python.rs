//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{python, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("python"), |bytes: &[u8]| python(bytes));
