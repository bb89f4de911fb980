//! What users of `condor_holdadvise` and `condor_releaseexpr` see, through the real programs in a
//! fresh directory each.

mod apply;
mod apply_journal;
mod bad_input;
mod bounds;
mod checks;
mod completions;
mod credentials;
mod decisions;
mod foreign;
mod harness;
mod home;
mod kept_attributes;
mod limits;
mod mcp;
mod never;
mod options;
mod overview;
mod pool;
mod profile;
mod program_outputs;
mod queue;
mod recorded;
mod releaseexpr;
mod releaseexpr_explain;
mod releaseexpr_past;
mod servers;
mod sizes;
mod transcripts;
mod transfer_errors;
mod tries;
mod trust;
mod urls;
mod versions;
mod watch;
mod zones;
