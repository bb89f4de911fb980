//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{seeds, tool_answers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("tool_answers"), |bytes: &[u8]| tool_answers(bytes));
