//! Why a job really went on hold: what only the simulator knows.

use serde::{Deserialize, Serialize};

/// Writes the table of causes as an enum.
macro_rules! causes {
    ($($name:ident $reach:ident $transient:literal $what:literal,)*) => {
        /// The hidden cause of a hold. Several stand behind the same code, subcode and reason.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Cause {
            $(#[doc = $what] $name,)*
        }

        impl Cause {
            /// It passes, or lies elsewhere: a release as it is can succeed some time.
            pub fn is_transient(self) -> bool {
                match self {
                    $(Self::$name => $transient,)*
                }
            }

            /// Which jobs the same cause can hold at the same time.
            pub fn reach(self) -> Reach {
                match self {
                    $(Self::$name => Reach::$reach,)*
                }
            }
        }
    };
}

impl Cause {
    /// The run needed more memory or disk than it had.
    pub fn is_of_size(self) -> bool {
        use Cause::{DiskTooSmall, DiskVaries, MemoryTooSmall, MemoryVaries};
        matches!(self, MemoryTooSmall | MemoryVaries | DiskTooSmall | DiskVaries)
    }
}

// Name, how far it reaches, whether it is transient, what it is.
causes! {
    ServiceOutage Service true "A file server is in trouble; ends by itself.",
    Background Job true "One request among many failed.",
    Firewall Site true "A site does not let its jobs reach this server; another site does.",
    BadHost Host true "One execution host is broken.",
    SiteLacksSoftware Site true "A site lacks software this cluster needs.",
    SiteSoftwareOutage Site true "The software of a whole site is in trouble for a while.",
    SiteNetworkOutage Site true "The network between access point and site is in trouble.",
    FilesystemOutage Service true "A file system of the access point is in trouble for a while.",
    QuotaFull Service true "A quota of the owner or a project is full until something is deleted.",
    AccessPointOverloaded Service true "The access point is overloaded; transfers of all fail.",
    CredentialExpired Service true "The owner's credential has expired and is renewed later.",
    CredentialMissing Cluster false "The owner never stored a credential.",
    NotYetProduced Cluster true "Another cluster of the owner has not made the file yet.",
    WrongPath Cluster false "The path of an input is wrong.",
    DeletedInput Cluster false "An input was deleted.",
    UnreadableInput Cluster false "The owner may not read an input.",
    WrongUrl Cluster false "The path of a URL is wrong.",
    WrongServer Cluster false "The server of a URL is wrong: its name, or its port.",
    ForbiddenUrl Cluster false "The owner has no right to a URL.",
    BadInterpreter Cluster false "The first line of the script names no interpreter there is.",
    WrongFormat Cluster false "The executable is not for this kind of machine.",
    NotExecutable Cluster false "The executable lacks its permission bit.",
    MissingFolder Cluster false "The initial working directory is gone.",
    MissingStdoutFolder Cluster false "The folder of standard output is not there.",
    BadImage Cluster false "The container image does not exist.",
    TooLargeInput Cluster false "The input is larger than the access point allows.",
    TooLargeOutput Cluster false "The output is larger than the access point allows.",
    CpuOveruse Cluster false "The program uses more cores than it asked for.",
    Bug Job false "The program fails on this job's input, always.",
    Flaky Job true "The program fails now and then.",
    RuntimeService Service true "A licence server or database of the program is in trouble.",
    MemoryTooSmall Job false "The job needs more memory than it has in most runs.",
    MemoryVaries Job true "The job's memory varies between runs, this one was too much.",
    DiskTooSmall Job false "The job needs more disk than it has in most runs.",
    DiskVaries Job true "The job's disk use varies between runs.",
    TooLong Job false "The job needs longer than allowed on most machines.",
    SlowSite Site true "The job was too slow on this machine.",
    Hung Job true "The program hung in this run.",
    RegistryOutage Service true "A registry of container images is in trouble for a while.",
    Person Job true "A person or the submit description asked for it.",
    Spooling Job true "Files are being spooled.",
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

/// What can be wrong with a file server, as a failed request shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UrlError {
    /// Nothing listens.
    Refused,
    /// It does not answer in time.
    TimedOut,
    /// Its name does not resolve.
    Unresolved,
    /// It drops connections.
    Reset,
    /// Its certificate has run out.
    Certificate,
    /// It answers every request with this status.
    Status(u16),
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
    /// It looks at what the job ad says, and that keeps the peak of all runs
    /// (`RemoteResource::updateFromStarter` in `src/condor_shadow.V6.1/remoteresource.cpp`): once
    /// over the limit, a job is held again soon after its next start.
    pub(crate) fn is_policy(self) -> bool {
        matches!(self, Self::StartdPolicy | Self::SystemPolicy | Self::JobPolicy)
    }

    /// The most that is seen is its limit: a cgroup lets a job use no more.
    pub(crate) fn caps(self) -> bool {
        matches!(self, Self::Cgroup | Self::CgroupOld)
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
    /// 26/120
    Cpus { used: i64 },
    /// 19
    PrepareHook,
    /// 1
    User,
    /// What the access point always says alike.
    Fixed { code: i32, subcode: i32, text: &'static str },
}

impl Symptom {
    /// Credentials are not there.
    pub(crate) const CREDENTIAL: Self = Self::fixed(4, 0, "Job credentials are not available");
    /// The job's log cannot be written.
    pub(crate) const USER_LOG: Self = Self::fixed(22, 0, "Failed to initialize user log");
    /// A policy of the access point looks at the file system with the software.
    pub(crate) const CVMFS: Self =
        Self::fixed(26, 119, "CVMFS is not healthy on the execution host");
    /// `hold = true`
    pub(crate) const SUBMITTED_HELD: Self =
        Self::fixed(15, 0, "submitted on hold at user's request");
    /// Input is being spooled.
    pub(crate) const SPOOLING: Self = Self::fixed(16, 0, "Spooling input data files");

    const fn fixed(code: i32, subcode: i32, text: &'static str) -> Self {
        Self::Fixed { code, subcode, text }
    }
}
