//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{eventlog_text, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("eventlog_text"), |bytes: &[u8]| eventlog_text(bytes));
