//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{classad_expr, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("classad_expr"), |bytes: &[u8]| classad_expr(bytes));
