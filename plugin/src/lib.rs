//! Advice inside HTCondor: the advisor of an access point.
//!
//! One run of `condor_holdadvise_advisor` is one [`pass`]: all held jobs are judged, and what
//! changed is written into their ads as `HoldAdvice*`. It consists of two processes. The judge
//! ([`judge`]) reads what users wrote (ads, the event log), asks the model, and can do nothing else
//! ([`confine`]). The writer runs the tools of HTCondor, reads nothing but the judge's lines
//! ([`line`]), decides which jobs the access point may release ([`releases`]) and keeps the
//! journal. If root runs [`looks`], the judge knows what is true of users' files. [`learn`] adjusts
//! the model to what became of releases.

pub mod asking;
pub mod confine;
pub mod counts;
pub mod groups;
pub mod judge;
pub mod learn;
pub mod line;
pub mod looks;
pub mod pass;
pub mod process;
pub mod program;
pub mod releases;
pub mod select;
pub mod settings;
pub mod write;
