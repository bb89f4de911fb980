//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{seeds, sweep_file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("sweep_file"), |bytes: &[u8]| sweep_file(bytes));
