//! Expressions and ads given to this crate and to HTCondor itself, its Python module `classad2`:
//! the same types and values, the same text.
//!
//! `HOLDADVISE_PYTHON` names an interpreter that has the module, else `python3` is asked;
//! `HOLDADVISE_REAL_DATA` the folder of real data, else `../shared/data`. What is not there is
//! skipped, and the tests say so.

mod expressions;
mod files;
mod generated;
mod judge;
mod matches;
mod quirks;

use std::path::{Path, PathBuf};

/// The folder of real ads and expressions, if it is there.
fn real_data() -> Option<PathBuf> {
    let given = std::env::var_os("HOLDADVISE_REAL_DATA").map(PathBuf::from);
    let path =
        given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"));
    if !path.is_dir() {
        println!("skipped: no real data (HOLDADVISE_REAL_DATA)");
        return None;
    }
    Some(path)
}

/// The interpreter that has HTCondor's module, if there is one.
fn htcondor() -> Option<String> {
    let found = judge::python();
    if found.is_none() {
        println!(
            "skipped: no Python with modules classad2 and htcondor2 (pip install htcondor; HOLDADVISE_PYTHON)"
        );
    }
    found
}
