//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{policy_lint, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("policy_lint"), |bytes: &[u8]| policy_lint(bytes));
