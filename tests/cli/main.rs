//! What users of `condor_holdadvise` see, through the real program in a fresh directory each.

mod bad_input;
mod decisions;
mod harness;
mod options;
mod queue;
mod recorded;
