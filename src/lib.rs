//! Release or remove a held HTCondor job?
//!
//! The way from a log line to a recommendation, one module a step:
//!
//! 1. [`userlog`]: bytes of a job event log become typed events.
//! 2. [`history`]: events become job histories and hold episodes with outcomes.
//! 3. [`features`]: an episode and what went on around it become a tensor and a row of statics.
//! 4. [`model`]: tensor and statics become the probability of success for each action.
//! 5. [`advice`]: probabilities and costs become a recommendation with its reasons.
//!
//! [`acting`] carries advice out and [`journal`] keeps what came of it. [`checks`] looks at the
//! files that a job needs, [`collect`] keeps logs over their rotations, [`hold_code`] is the table of
//! hold codes, [`home`] learns from outcomes of the own access point, [`metrics`] are figures of
//! predicted probabilities, [`queue`] finds held jobs, [`policy`] evaluates
//! release policies, [`replay`] tries them on the holds of the past, [`suggest`] makes one of
//! these, [`cli`] is the command line, [`rights`] takes those of an account, `text` makes what
//! others wrote fit to print and to paste.

pub mod acting;
pub mod advice;
pub mod checks;
pub mod cli;
pub mod collect;
pub mod features;

pub mod history;
pub mod hold_code;
pub mod home;

pub mod journal;
mod memo;
pub mod metrics;
pub mod model;
pub mod policy;
mod private;
pub mod queue;
pub mod random;
pub mod replay;
pub mod rights;
pub mod suggest;
pub mod text;

/// The examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
