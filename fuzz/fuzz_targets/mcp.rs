//! See `holdadvise_fuzz`.
#![no_main]
use holdadvise_fuzz::{mcp, seeds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::asked_for("mcp"), |bytes: &[u8]| mcp(bytes));
