//! Bytes that nobody chose, given to every reader of holdadvise.
//!
//! A target is a function of bytes: it must not panic, hang or grow. libFuzzer calls it through a
//! program of `fuzz_targets/` (`scripts/fuzz`), the test of this crate with its seeds and with what
//! is near them. Of an input for several readers the sections stand one after the other, with
//! [`BETWEEN`] between them.

mod ads;
mod advice;
mod advisor;
mod catalogue;
mod checks;
pub mod corpus;
mod dag;
mod files;
mod kept;
mod logs;
mod model;
mod policy;
mod program;
mod python;
mod reason;
mod script;
pub mod seeds;
mod shell;
#[cfg(test)]
mod tests;
mod tools;
mod train;

pub use ads::{classad_expr, classad_long};
pub use advice::advice;
pub use advisor::advisor_line;
pub use catalogue::catalogue;
pub use checks::checks;
pub use dag::dag;
pub use kept::{collector, kept};
pub use logs::eventlog_text;
pub use model::model_archive;
pub use policy::{policy_explain, policy_lint, policy_replay};
pub use program::program_head;
pub use python::python;
pub use reason::hold_reason;
pub use script::script;
pub use tools::tool_answers;
pub use train::{dataset, sweep_file, sweep_folder};

/// What stands between the sections of an input.
pub const BETWEEN: &[u8] = b"\n%%\n";

/// A reader of bytes.
pub type Target = fn(&[u8]);

/// All targets by their names.
pub const TARGETS: [(&str, Target); 22] = [
    ("advice", advice),
    ("advisor_line", advisor_line),
    ("catalogue", catalogue),
    ("checks", checks),
    ("classad_expr", classad_expr),
    ("classad_long", classad_long),
    ("collector", collector),
    ("dag", dag),
    ("dataset", dataset),
    ("eventlog_text", eventlog_text),
    ("hold_reason", hold_reason),
    ("kept", kept),
    ("model_archive", model_archive),
    ("policy_explain", policy_explain),
    ("policy_lint", policy_lint),
    ("policy_replay", policy_replay),
    ("program_head", program_head),
    ("python", python),
    ("script", script),
    ("sweep_file", sweep_file),
    ("sweep_folder", sweep_folder),
    ("tool_answers", tool_answers),
];

/// The sections of an input; those that it does not have are empty.
fn sections<const N: usize>(mut bytes: &[u8]) -> [&[u8]; N] {
    std::array::from_fn(|_| {
        let end = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
        let (section, rest) = match end {
            Some(at) => (&bytes[..at], &bytes[at + BETWEEN.len()..]),
            None => (bytes, &[][..]),
        };
        bytes = rest;
        section
    })
}
