//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{advisor_line, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("advisor_line"), |bytes: &[u8]| advisor_line(bytes));
