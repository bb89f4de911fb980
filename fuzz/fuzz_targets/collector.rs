//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{collector, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("collector"), |bytes: &[u8]| collector(bytes));
