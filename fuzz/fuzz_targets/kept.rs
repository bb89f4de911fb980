//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{kept, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("kept"), |bytes: &[u8]| kept(bytes));
