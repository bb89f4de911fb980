//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{seeds, sweep_folder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("sweep_folder"), |bytes: &[u8]| sweep_folder(bytes));
