//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{program_head, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("program_head"), |bytes: &[u8]| program_head(bytes));
