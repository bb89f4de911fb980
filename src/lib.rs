//! Release or remove a held HTCondor job?
//!
//! The way from a log line to a recommendation, one module a step. Events come from the crate
//! [`eventlog`], ads and expressions from [`classads`].
//!
//! 1. [`history`]: events become job histories and hold episodes with outcomes.
//! 2. [`features`]: an episode and what went on around it become a tensor and a row of statics.
//! 3. [`model`]: tensor and statics become the probability of success for each action.
//! 4. [`advice`]: probabilities and costs become a recommendation with its reasons, which
//!    [`sentences`] puts into English.
//!
//! | module | what |
//! |---|---|
//! | [`acting`] | carries advice out |
//! | [`checks`] | looks at the files and URLs that a job needs |
//! | [`collect`] | keeps logs over their rotations |
//! | [`diagnosis`] | what is at fault in a hold, and what ends it |
//! | [`hold_code`] | the table of hold codes |
//! | [`home`] | learns from outcomes of the own access point |
//! | [`inquiry`] | from a queue, files and logs to judged jobs |
//! | [`journal`] | what was done, and how it ended |
//! | [`metrics`] | figures of predicted probabilities |
//! | [`page`] | pages for people |
//! | [`policy`] | evaluates, explains and checks release policies |
//! | [`print`](mod@print) | prints advice, for people and for scripts |
//! | [`queue`] | finds held jobs |
//! | [`random`] | random numbers that a seed repeats |
//! | [`replay`] | tries release policies on the holds of the past |
//! | [`rights`] | takes the rights of an account |
//! | [`shares`] | shares places, bytes, steps and time out among owners |
//! | [`sizes`] | finds how much memory and disk jobs should ask for |
//! | [`suggest`] | makes a release policy |
//! | [`text`] | makes what others wrote fit to print and to paste |

pub mod acting;
pub mod advice;
pub mod catalogue;
pub mod checks;
#[doc(hidden)]
pub mod cli;
pub mod collect;
pub mod diagnosis;
pub mod features;
pub mod history;
pub mod hold_code;
pub mod home;
pub mod inquiry;
mod job_status;
pub mod journal;
mod memo;
pub mod metrics;
pub mod model;
#[doc(hidden)]
pub mod page;
pub mod policy;
pub mod print;
mod private;
pub mod profile;
pub mod queue;
pub mod random;
pub mod replay;
pub mod rights;
pub mod sentences;
pub mod shares;
pub mod sizes;
pub mod suggest;
pub mod text;
pub mod workflow;

/// The examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
