//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{model_archive, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("model_archive"), |bytes: &[u8]| model_archive(bytes));
