//! Why a job really went on hold: what only the simulator knows.

use serde::{Deserialize, Serialize};

use crate::world::ServerFault;

/// The hidden cause of a hold. Several stand behind the same code, subcode and reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A file server is in trouble; ends by itself.
    ServiceOutage,
    /// One request among many failed.
    Background,
    /// A site does not let its jobs reach this server; another site does.
    Firewall,
    /// One execution host is broken.
    BadHost,
    /// A site lacks software this cluster needs.
    SiteLacksSoftware,
    /// The software of a whole site is in trouble for a while.
    SiteSoftwareOutage,
    /// The network between access point and site is in trouble for a while.
    SiteNetworkOutage,
    /// A file system of the access point is in trouble for a while.
    FilesystemOutage,
    /// The owner's quota is full until something is deleted.
    QuotaFull,
    /// The owner's credential has expired and is renewed later.
    CredentialExpired,
    /// The owner never stored a credential.
    CredentialMissing,
    /// Another cluster of the owner has not made the file yet.
    NotYetProduced,
    /// The path of an input is wrong.
    WrongPath,
    /// An input was deleted.
    DeletedInput,
    /// The owner may not read an input.
    UnreadableInput,
    /// The path of a URL is wrong.
    WrongUrl,
    /// The server of a URL is wrong: its name, or its port.
    WrongServer,
    /// The owner has no right to a URL.
    ForbiddenUrl,
    /// The first line of the script names an interpreter that is nowhere.
    BadInterpreter,
    /// The executable is not for this kind of machine.
    WrongFormat,
    /// The executable lacks its permission bit.
    NotExecutable,
    /// The initial working directory is gone.
    MissingFolder,
    /// The folder of standard output is not there.
    MissingStdoutFolder,
    /// The container image does not exist.
    BadImage,
    /// The input is larger than the access point allows.
    TooLargeInput,
    /// The output is larger than the access point allows.
    TooLargeOutput,
    /// The program uses more cores than it asked for.
    CpuOveruse,
    /// The program fails on this job's input, always.
    Bug,
    /// The program fails now and then.
    Flaky,
    /// A licence server or database that the program needs is in trouble for a while.
    RuntimeService,
    /// The job needs more memory than it has in most runs.
    MemoryTooSmall,
    /// The job's memory varies between runs, this one was too much.
    MemoryVaries,
    /// The job needs more disk than it has in most runs.
    DiskTooSmall,
    /// The job's disk use varies between runs.
    DiskVaries,
    /// The job needs longer than allowed on most machines.
    TooLong,
    /// The job was too slow on this machine.
    SlowSite,
    /// A registry of container images is in trouble for a while.
    RegistryOutage,
    /// A person or the submit description asked for it.
    Person,
    /// Files are being spooled.
    Spooling,
}

/// How far a cause reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// This job alone.
    Job,
    /// Jobs of the cluster.
    Cluster,
    /// Jobs on one host.
    Host,
    /// Jobs at one site.
    Site,
    /// Jobs that share a server, a file system, a quota or a credential.
    Service,
}

impl Reach {
    /// All, in the order of how many jobs they reach.
    pub const ALL: [Self; 5] = [Self::Job, Self::Cluster, Self::Host, Self::Site, Self::Service];

    /// The word printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Cluster => "cluster",
            Self::Host => "host",
            Self::Site => "site",
            Self::Service => "service",
        }
    }
}

impl Cause {
    /// It passes, or lies elsewhere: a release as it is can succeed some time.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::ServiceOutage
                | Self::Background
                | Self::Firewall
                | Self::BadHost
                | Self::SiteLacksSoftware
                | Self::SiteSoftwareOutage
                | Self::SiteNetworkOutage
                | Self::FilesystemOutage
                | Self::QuotaFull
                | Self::CredentialExpired
                | Self::NotYetProduced
                | Self::Flaky
                | Self::RuntimeService
                | Self::MemoryVaries
                | Self::DiskVaries
                | Self::SlowSite
                | Self::RegistryOutage
                | Self::Person
                | Self::Spooling
        )
    }

    /// Which jobs the same cause can hold at the same time.
    pub fn reach(self) -> Reach {
        match self {
            Self::ServiceOutage
            | Self::FilesystemOutage
            | Self::QuotaFull
            | Self::CredentialExpired
            | Self::RuntimeService
            | Self::RegistryOutage => Reach::Service,
            Self::Firewall
            | Self::SiteLacksSoftware
            | Self::SiteSoftwareOutage
            | Self::SiteNetworkOutage
            | Self::SlowSite => Reach::Site,
            Self::BadHost => Reach::Host,
            Self::CredentialMissing
            | Self::NotYetProduced
            | Self::WrongPath
            | Self::DeletedInput
            | Self::UnreadableInput
            | Self::WrongUrl
            | Self::WrongServer
            | Self::ForbiddenUrl
            | Self::BadInterpreter
            | Self::WrongFormat
            | Self::NotExecutable
            | Self::MissingFolder
            | Self::MissingStdoutFolder
            | Self::BadImage
            | Self::TooLargeInput
            | Self::TooLargeOutput
            | Self::CpuOveruse => Reach::Cluster,
            Self::Background
            | Self::Bug
            | Self::Flaky
            | Self::MemoryTooSmall
            | Self::MemoryVaries
            | Self::DiskTooSmall
            | Self::DiskVaries
            | Self::TooLong
            | Self::Person
            | Self::Spooling => Reach::Job,
        }
    }

    /// A person can mend it: the file put in place, the script corrected.
    pub fn is_mendable(self) -> bool {
        !self.is_transient()
    }
}

/// What a failed request to a file server looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UrlError {
    Refused,
    TimedOut,
    Unresolved,
    Reset,
    Certificate,
    Status(u16),
}

impl From<ServerFault> for UrlError {
    fn from(fault: ServerFault) -> Self {
        match fault {
            ServerFault::Down => Self::Refused,
            ServerFault::Slow => Self::TimedOut,
            ServerFault::Unresolved => Self::Unresolved,
            ServerFault::Resets => Self::Reset,
            ServerFault::Certificate => Self::Certificate,
            ServerFault::Status(status) => Self::Status(status),
        }
    }
}

/// How a limit on memory or disk is enforced: decides code, subcode and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enforcement {
    /// The starter's cgroup: 34/102.
    Cgroup,
    /// The starter of versions before 24.0.12: 34/0.
    CgroupOld,
    /// A policy of the execution point: 21/102.
    StartdPolicy,
    /// `SYSTEM_PERIODIC_HOLD` of the access point: 26/102.
    SystemPolicy,
    /// `periodic_hold` of the job: 3/34.
    JobPolicy,
}

impl Enforcement {
    /// It looks at what the job ad says, and that keeps the peak of all runs (`RemoteResource::updateFromStarter` in
    /// `src/condor_shadow.V6.1/remoteresource.cpp`): once over the limit, a job is held again soon after its next start.
    pub(crate) fn is_policy(self) -> bool {
        matches!(self, Self::StartdPolicy | Self::SystemPolicy | Self::JobPolicy)
    }
}

/// What a hold looks like: all that code, subcode and reason are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Symptom {
    /// The access point cannot read an input file.
    ReadInput { errno: i32, item: u16 },
    /// The execution point cannot write an input file.
    WriteInput { errno: i32, item: u16 },
    /// A URL could not be fetched.
    FetchUrl { error: UrlError, item: u16, wrong: bool },
    /// A URL could not be written.
    PutUrl { error: UrlError },
    /// The execution point has no plug-in for the URL.
    NoPlugin { item: u16 },
    /// The connection broke in a transfer.
    TransferLost { input: bool },
    /// The peer's message made no sense: 11, 18.
    Protocol { go_ahead: bool },
    /// The executable could not be started.
    Execute { errno: i32 },
    /// Standard output could not be opened.
    Stdout { errno: i32, streamed: bool },
    /// The initial working directory cannot be entered.
    Iwd { errno: i32 },
    /// The job's log cannot be written.
    UserLog,
    /// Credentials are not there.
    Credential,
    /// Memory over its limit, MiB.
    Memory { by: Enforcement, limit: i64, used: i64 },
    /// Disk over its limit, KiB.
    Disk { by: Enforcement, limit: i64, used: i64 },
    /// Execution took longer than `allowed_execute_duration`, s.
    ExecuteDuration { limit: i64 },
    /// The job took longer than `allowed_job_duration`, s.
    JobDuration { limit: i64 },
    /// `periodic_hold` on run time, s.
    OwnLimit { limit: i64 },
    /// A policy of the execution point on run time, h.
    StartdLimit { hours: i64 },
    /// `on_exit_hold`: the exit code, or the signal.
    ExitHold { code: i32, signal: Option<i32> },
    /// A declared output is not there.
    MissingOutput,
    /// The access point cannot write an output file.
    WriteOutput { errno: i32 },
    /// 32
    TooLargeInput,
    /// 33
    TooLargeOutput,
    /// 35
    Image { missing: bool },
    /// 45
    Singularity { missing: bool },
    /// 26/119
    Cvmfs,
    /// 26/120
    Cpus { used: i64 },
    /// 19
    PrepareHook,
    /// 1
    User,
    /// 15
    SubmittedHeld,
    /// 16
    Spooling,
}
