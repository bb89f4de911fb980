//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{catalogue, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("catalogue"), |bytes: &[u8]| catalogue(bytes));
