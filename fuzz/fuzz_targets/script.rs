//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{script, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("script"), |bytes: &[u8]| script(bytes));
