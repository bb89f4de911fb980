//! Somebody else than the simulated people decides about held jobs: a policy, asked in the running
//! simulation. See `docs/records/closed-loop.md`.

use std::path::Path;

use crate::engine::Simulation;
use crate::{Cause, Spread};

/// Decides about held jobs in the place of owners and facilitators.
pub trait Policy {
    /// A person who looks at a held job asks what to do, and does it at once.
    fn decide(&mut self, held: &HeldNow<'_>) -> Deed;
}

/// How a closed loop runs, on an access point where an hour takes an hour.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Hours until a person comes: after the hold, and after what was waited for.
    pub person: Spread,
    /// Each time what looks at files, URLs and outputs would find is given.
    pub looks: bool,
    /// A person who looks for the cause finds it so often.
    pub finds: f64,
    /// Nobody submits after so many days.
    pub submits: Option<u32>,
}

impl Default for Loop {
    /// A median of 2 hours, and half of the looks find the cause: as in
    /// `docs/developing/advice.md`. Assumed.
    fn default() -> Self {
        Self { person: Spread { median: 2.0, sigma: 0.8 }, looks: false, finds: 0.5, submits: None }
    }
}

/// What a person does about a held job.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Releases it as it is.
    Release,
    /// Changes this, then releases it.
    Change(Vec<Fix>),
    /// Removes it.
    Remove,
    /// Leaves it and never comes back.
    Leave,
    /// Comes back after this instant, Unix seconds, with a delay of its own.
    Wait {
        /// The instant.
        until: i64,
    },
    /// Comes back at this very instant, Unix seconds: for bounds.
    Return {
        /// The instant.
        at: i64,
    },
    /// Looks for the cause, then asks again.
    Look,
}

/// One change before a release.
#[derive(Clone, Debug, PartialEq)]
pub enum Fix {
    /// RequestMemory, MiB. A request is never lowered.
    Memory(i64),
    /// RequestDisk, KiB. A request is never lowered.
    Disk(i64),
    /// Requirements exclude the site of this name.
    Site(String),
    /// This is put right. It helps where it is what is wrong.
    Thing(Thing),
}

/// What can be wrong with a job, so that somebody has to put it right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thing {
    /// A local input file, or its name.
    Input,
    /// A URL of the input.
    Url,
    /// The executable.
    Executable,
    /// The initial working directory.
    Folder,
    /// The folder of standard output and error.
    OutputFolder,
    /// The container image.
    Image,
    /// The size of what is moved.
    Size,
    /// A credential.
    Credential,
    /// The owner's quota.
    Space,
    /// The number of cores.
    Cores,
    /// The program, or what it reads.
    Program,
    /// A limit on run time.
    RunTime,
}

impl Thing {
    /// What is wrong where this is the cause of a hold.
    pub fn of(cause: Cause) -> Option<Self> {
        Some(match cause {
            Cause::WrongPath
            | Cause::DeletedInput
            | Cause::UnreadableInput
            | Cause::NotYetProduced => Self::Input,
            Cause::WrongUrl | Cause::WrongServer | Cause::ForbiddenUrl => Self::Url,
            Cause::BadInterpreter | Cause::WrongFormat | Cause::NotExecutable => Self::Executable,
            Cause::MissingFolder => Self::Folder,
            Cause::MissingStdoutFolder => Self::OutputFolder,
            Cause::BadImage => Self::Image,
            Cause::TooLargeInput | Cause::TooLargeOutput => Self::Size,
            Cause::CredentialMissing | Cause::CredentialExpired => Self::Credential,
            Cause::QuotaFull => Self::Space,
            Cause::CpuOveruse => Self::Cores,
            Cause::Bug => Self::Program,
            Cause::TooLong => Self::RunTime,
            _ => return None,
        })
    }
}

/// A held job, as a user of the access point sees it when the person comes.
pub struct HeldNow<'a> {
    /// ClusterId.
    pub cluster: i32,
    /// ProcId.
    pub proc: i32,
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
    /// HoldReason.
    pub reason: &'a str,
    /// NumHolds.
    pub num_holds: i64,
    /// EnteredCurrentStatus, Unix seconds.
    pub held_at: i64,
    /// Unix seconds.
    pub now: i64,
    /// Owner.
    pub owner: &'a str,
    /// RequestMemory, MiB.
    pub request_memory: i64,
    /// RequestDisk, KiB.
    pub request_disk: i64,
    /// MemoryUsage, MiB, and DiskUsage, KiB.
    pub used: (i64, i64),
    /// How often a person has looked at this hold before.
    pub came: u32,
    /// The folder with EventLog and epoch_history, written up to now.
    pub folder: &'a Path,
    /// The job's ad at the end of its last run, as lines, with those of an epoch ad's banner: the
    /// queue has it on access points that keep no epoch ads too. `None` of a job that never ran.
    pub ad: Option<&'a str>,
    /// What looks find now, as JSON of `holdadvise::checks::Recorded`, where asked for.
    pub looks: Option<&'a str>,
    /// What a look for the cause has found: none yet, nothing, or what it is.
    pub found: Option<Option<&'a Hidden<'a>>>,
    /// What only the simulation knows: for bounds, never for advice.
    pub hidden: &'a Hidden<'a>,
}

/// The hidden state of a held job.
pub struct Hidden<'a> {
    pub(crate) simulation: &'a Simulation,
    pub(crate) job: usize,
}

impl Hidden<'_> {
    /// Why it is held.
    pub fn cause(&self) -> Option<Cause> {
        self.simulation.jobs[self.job].hold.map(|hold| hold.cause)
    }

    /// What held it is in trouble now.
    pub fn goes_on(&self) -> bool {
        self.cause().is_some_and(|cause| {
            crate::engine::people::still_going_on(self.simulation, self.job, cause)
        })
    }

    /// Somebody else has put it right.
    pub fn is_fixed(&self) -> bool {
        let cluster = self.simulation.jobs[self.job].cluster;
        self.simulation.clusters[cluster].is_fixed(self.simulation.now)
    }

    /// The changes that the cause asks for: none where it passes by itself. More memory and disk
    /// are twice what was asked for, or a fifth more than was used.
    pub fn right(&self) -> Vec<Fix> {
        self.simulation.right(self.job)
    }

    /// More memory and disk than it will ever use, MiB and KiB.
    pub fn enough(&self) -> (i64, i64) {
        let traits = &self.simulation.jobs[self.job].traits;
        ((traits.memory * 3.0) as i64 + 128, (traits.disk * 3.0) as i64 + 1_024)
    }

    /// When the job ends in success, Unix seconds, if it is released at `time` after these changes:
    /// with the very chance that the simulation will draw. Whether a slot is free then, and whether
    /// another cluster makes its input by then, is not foreseen.
    pub fn foresee(&self, fixes: &[Fix], time: i64) -> Option<i64> {
        self.simulation.foresee(self.job, fixes, time, 0)
    }

    /// Likewise, if it is released again two hours after each of at most so many failures, with
    /// what held it then put right or kept off.
    pub fn foresee_again(&self, fixes: &[Fix], time: i64, failures: u32) -> Option<i64> {
        self.simulation.foresee(self.job, fixes, time, failures)
    }
}

/// What happened to one job.
#[derive(Clone, Debug)]
pub struct Course {
    /// ClusterId.
    pub cluster: i32,
    /// ProcId.
    pub proc: i32,
    /// QDate, Unix seconds.
    pub submitted: i64,
    /// In the order of their times, Unix seconds.
    pub events: Vec<(i64, Event)>,
}

/// One thing that happened to a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It went on hold.
    Held {
        /// Why.
        cause: Cause,
        /// HoldReasonCode.
        code: i32,
        /// HoldReasonSubCode.
        subcode: i32,
        /// Slot hours of the run that ended so.
        run: f64,
    },
    /// A person looked at the queue and saw it.
    Came,
    /// A person looked for the cause.
    Looked,
    /// A person changed something.
    Changed(Vec<Fix>),
    /// It was released.
    Released {
        /// By a person; else by a policy of HTCondor.
        person: bool,
    },
    /// It was removed.
    Removed {
        /// Slot hours that it had used.
        used: f64,
    },
    /// It ended by itself.
    Ended {
        /// In success.
        success: bool,
        /// Slot hours of its last run.
        run: f64,
    },
}
