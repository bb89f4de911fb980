//! The runs of jobs: where, for how long, and how each ended.

use eventlog::JobId;

use super::FailureCause;
use crate::history::{Exit, History, JobHistory, Known, Symbol, What, reason};

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

/// Seconds between the event that a run left its slot and that of the hold which ended it. Assumed.
const JUST_LEFT: i64 = 60;

/// A run that has begun.
#[derive(Clone, Copy, Debug)]
struct Begun {
    at: i64,
    machine: Option<Symbol>,
    executed: bool,
}

/// The runs of a job until `now`, Unix seconds, in their order.
pub fn runs(history: &History, job: &JobHistory, now: i64) -> Vec<JobRun> {
    let mut found = Vec::new();
    let mut begun: Option<Begun> = None;
    // The run that left its slot last, and when, as long as nothing else has begun.
    let mut left: Option<(Begun, i64)> = None;
    let end_run = |found: &mut Vec<JobRun>,
                   begun: &mut Option<Begun>,
                   time: i64,
                   end: End,
                   said: Option<Symbol>| {
        let name = |symbol: Symbol| history.symbols.name(symbol).to_owned();
        let named = || reason::host(history.symbols.name(said?));
        // A hold before the program was started names the place, or nothing does.
        let run = match begun.take() {
            Some(run) => run,
            None if matches!(end, End::Failed(FailureCause::Hold { .. })) => {
                Begun { at: time, machine: None, executed: false }
            }
            None => return,
        };
        let machine = run.machine.map(name);
        let machine = machine.or_else(|| named().map(|host| reason::machine(&host).to_owned()));
        // The site of a run is noted when it begins, or at its end by its ad.
        let site = Known::last_at(&job.sites, time).filter(|_| run.executed).map(name);
        found.push(JobRun {
            job: job.job,
            machine,
            site,
            began: run.at,
            seconds: time.saturating_sub(run.at).max(0),
            executed: run.executed,
            end,
        });
    };
    for step in job.steps_until(now) {
        let at = step.time;
        match step.what {
            What::InputStarted => {
                left = None;
                begun.get_or_insert(Begun { at, machine: None, executed: false });
            }
            What::Executing(machine) => {
                left = None;
                let began = begun.map_or(at, |run| run.at);
                begun = Some(Begun { at: began, machine, executed: true });
            }
            What::Terminated(exit) => {
                let end = match exit {
                    Exit::Success => End::Succeeded,
                    Exit::Code(code) => End::Failed(FailureCause::Exit(Some(code))),
                    Exit::Signal(signal) => End::Failed(FailureCause::Signal(Some(signal))),
                    Exit::Unknown => End::Stopped,
                };
                end_run(&mut found, &mut begun, at, end, None);
            }
            What::Held(hold) => {
                let end = match hold.is_by_system() {
                    true => End::Failed(FailureCause::Hold {
                        code: hold.code,
                        subcode: Some(hold.subcode),
                    }),
                    false => End::Stopped,
                };
                // The run left its slot just before: it is the same failure.
                if let Some((run, _)) = left.take().filter(|&(_, left)| at - left <= JUST_LEFT) {
                    begun = Some(run);
                    found.pop();
                }
                end_run(&mut found, &mut begun, at, end, hold.reason);
            }
            What::Evicted(_) | What::ShadowException => {
                let cause = match step.what {
                    What::Evicted(code) => FailureCause::of_vacate(code),
                    _ => FailureCause::ShadowException,
                };
                left = begun.map(|run| (run, at));
                end_run(&mut found, &mut begun, at, End::Failed(cause), None);
            }
            What::Removed => end_run(&mut found, &mut begun, at, End::Stopped, None),
            _ => {}
        }
    }
    if begun.is_some() {
        end_run(&mut found, &mut begun, now, End::Running, None);
    }
    found
}
