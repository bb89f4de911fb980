//! Advice inside HTCondor: the advisor of an access point.
//!
//! One run of `condor_holdadvise_advisor` is one [`pass`]: all held jobs are judged, and what
//! changed is written into their ads as `HoldAdvice*`. It consists of two processes. The judge
//! reads what users wrote (ads, the event log), asks the model, and can do nothing else. The
//! writer runs the tools of HTCondor, reads nothing but the judge's lines, decides which jobs the
//! access point may release and keeps the journal.
//!
//! - `account`: names of accounts.
//! - [`asking`]: what the schedd is asked, so that one owner's jobs cost the others nothing.
//! - [`check`]: what is on, missing and overwritten, for administrators.
//! - [`confine`]: the judge's process gives up what it does not need.
//! - [`counts`]: what a pass says of itself in the schedd's ad.
//! - [`daemon_log`]: the log of the advisor.
//! - [`groups`]: which attributes are written into which ads, in few transactions.
//! - [`judge`]: reads what users wrote, asks the model, writes a line for each job.
//! - [`learn`]: conclusions from what became of releases.
//! - `line`: what the judge says and the writer believes.
//! - [`looks`]: what is true of users' files, where root looks.
//! - [`metrics`]: the counts of a pass for Prometheus.
//! - [`outcomes`]: the confined process that finds outcomes in the event log.
//! - [`pass`]: one pass.
//! - [`period`]: how often passes begin.
//! - [`process`]: the judge's process, and tools whose output feeds it.
//! - [`program`]: what the programs say and how they end.
//! - [`releases`]: which jobs the access point may release.
//! - [`select`]: an expression that is true for some jobs of a queue.
//! - [`settings`]: settings of the advisor.
//! - `write`: writes advice into the ads.

mod account;
pub mod asking;
pub mod check;
pub mod confine;
pub mod counts;
pub mod daemon_log;
pub mod groups;
pub mod judge;
pub mod learn;
pub mod line;
pub mod looks;
pub mod metrics;
pub mod outcomes;
pub mod pass;
pub mod period;
pub mod process;
pub mod program;
pub mod releases;
pub mod select;
pub mod settings;
pub mod write;
