//! The runs of jobs: where, for how long, and how each ended.

use eventlog::JobId;

use super::FailureCause;
use crate::history::{Attempt, AttemptEnd, Exit, History, JobHistory, Symbol, attempts, reason};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With exit code 0.
    Succeeded,
    /// Otherwise.
    Failed(FailureCause),
    /// A person removed the job or put it on hold, or the log does not say how it ended.
    Stopped,
    /// It goes on.
    Running,
}

/// One run of a job: from when its input was on its way, or it began to execute, until it left its
/// slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRun {
    /// The job.
    pub job: JobId,
    /// The machine, where the log or the hold reason names it.
    pub machine: Option<String>,
    /// The site, where the log or an ad has it.
    pub site: Option<String>,
    /// When it began, Unix seconds.
    pub began: i64,
    /// How long it took, seconds.
    pub seconds: i64,
    /// Its program was started.
    pub executed: bool,
    /// How it ended.
    pub end: End,
}

/// The runs of a job until `now`, Unix seconds, in their order.
pub fn runs(history: &History, job: &JobHistory, now: i64) -> Vec<JobRun> {
    let run = |attempt: Attempt| {
        let name = |symbol: Symbol| history.symbols.name(symbol).to_owned();
        let named = || match attempt.end {
            AttemptEnd::Held(hold) if hold.is_by_system() => {
                let host = reason::host(history.symbols.name(hold.reason?))?;
                Some(reason::machine(&host).to_owned())
            }
            _ => None,
        };
        JobRun {
            job: job.job,
            machine: attempt.machine.map(name).or_else(named),
            site: attempt.site.filter(|_| attempt.executed.is_some()).map(name),
            began: attempt.began,
            seconds: attempt.ended.saturating_sub(attempt.began).max(0),
            executed: attempt.executed.is_some(),
            end: end(attempt.end),
        }
    };
    attempts(job, now).into_iter().map(run).collect()
}

fn end(of: AttemptEnd) -> End {
    End::Failed(match of {
        AttemptEnd::Running => return End::Running,
        AttemptEnd::Exited(Exit::Success) => return End::Succeeded,
        AttemptEnd::Exited(Exit::Unknown) | AttemptEnd::Removed => return End::Stopped,
        AttemptEnd::Exited(Exit::Code(code)) => FailureCause::Exit(Some(code)),
        AttemptEnd::Exited(Exit::Signal(signal)) => FailureCause::Signal(Some(signal)),
        AttemptEnd::Held(hold) if !hold.is_by_system() => return End::Stopped,
        AttemptEnd::Held(hold) => {
            FailureCause::Hold { code: hold.code, subcode: Some(hold.subcode) }
        }
        AttemptEnd::Evicted(code) => FailureCause::of_vacate(code),
        AttemptEnd::ShadowException => FailureCause::ShadowException,
    })
}
