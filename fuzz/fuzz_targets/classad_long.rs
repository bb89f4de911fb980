//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{classad_long, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("classad_long"), |bytes: &[u8]| classad_long(bytes));
