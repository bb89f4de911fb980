//! One event: what its header line says, and its text.

use super::{Body, JobId};

/// When an event was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EventTime {
    /// Seconds since the Unix epoch.
    pub seconds: i64,
    /// Microseconds within the second, 0 to 999,999.
    pub microseconds: u32,
}

/// One event of a job event log, borrowed from the bytes read. Its fields are parsed when asked for.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// The event number of the header, 0 to 999.
    pub number: u16,
    /// The job it happened to.
    pub job: JobId,
    /// The third number of the header, 0 but for parallel universe nodes.
    pub subproc: i32,
    /// When it was written.
    pub time: EventTime,
    /// Byte offset of the header in the file.
    pub offset: u64,
    /// The header line behind the date, without its newline.
    pub(super) title: &'a [u8],
    /// The lines between header and separator.
    pub(super) lines: &'a [u8],
}

impl<'a> Event<'a> {
    /// What kind of event this is.
    pub fn kind(&self) -> EventKind {
        EventKind::from_number(self.number)
    }

    /// The typed fields. Lines that do not fit the kind are left out; see [`Event::title`] and [`Event::lines`].
    pub fn body(&self) -> Body<'a> {
        Body::Other
    }

    /// The text of the header line behind the date.
    pub fn title(&self) -> &'a [u8] {
        self.title
    }

    /// The text between header line and separator.
    pub fn lines(&self) -> &'a [u8] {
        self.lines
    }
}

macro_rules! event_kinds {
    ($($number:literal $name:ident $text:literal,)*) => {
        /// The kinds of event of HTCondor 25 (`ULogEventNumber` in `condor_event.h`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventKind {
            $(#[doc = $text] $name,)*
            /// A number this library does not know.
            Unknown(u16),
        }

        impl EventKind {
            /// The kind with this number.
            pub const fn from_number(number: u16) -> Self {
                match number {
                    $($number => Self::$name,)*
                    other => Self::Unknown(other),
                }
            }

            /// The number HTCondor writes for this kind.
            pub const fn number(self) -> u16 {
                match self {
                    $(Self::$name => $number,)*
                    Self::Unknown(number) => number,
                }
            }
        }
    };
}

event_kinds! {
    0 Submit "Job submitted.",
    1 Execute "Job now running.",
    2 ExecutableError "Error in executable.",
    3 Checkpointed "Job was checkpointed.",
    4 JobEvicted "Job evicted from machine.",
    5 JobTerminated "Job terminated.",
    6 ImageSize "Image size of job updated.",
    7 ShadowException "Shadow threw an exception.",
    8 Generic "Generic Log Event.",
    9 JobAborted "Job Aborted.",
    10 JobSuspended "Job was suspended.",
    11 JobUnsuspended "Job was unsuspended.",
    12 JobHeld "Job was held.",
    13 JobReleased "Job was released.",
    14 NodeExecute "Parallel Node executed.",
    15 NodeTerminated "Parallel Node terminated.",
    16 PostScriptTerminated "POST script terminated.",
    17 GlobusSubmit "Job Submitted to Globus.",
    18 GlobusSubmitFailed "Globus Submit failed.",
    19 GlobusResourceUp "Globus Resource Up.",
    20 GlobusResourceDown "Globus Resource Down.",
    21 RemoteError "Remote Error.",
    22 JobDisconnected "RSC socket lost.",
    23 JobReconnected "RSC socket re-established.",
    24 JobReconnectFailed "RSC reconnect failure.",
    25 GridResourceUp "Grid Resource Up.",
    26 GridResourceDown "Grid Resource Down.",
    27 GridSubmit "Job Submitted remotely.",
    28 JobAdInformation "Report job ad information.",
    29 JobStatusUnknown "Job Status Unknown.",
    30 JobStatusKnown "Job Status Known.",
    31 JobStageIn "Job performing stage-in.",
    32 JobStageOut "Job performing stage-out.",
    33 AttributeUpdate "Attribute updated.",
    34 Preskip "PRE_SKIP event for DAGMan.",
    35 ClusterSubmit "Cluster submitted.",
    36 ClusterRemove "Cluster removed.",
    37 FactoryPaused "Factory paused.",
    38 FactoryResumed "Factory resumed.",
    39 None "For the Python bindings.",
    40 FileTransfer "File transfer.",
    41 ReserveSpace "Reserve space for xfer.",
    42 ReleaseSpace "Release reserved space.",
    43 FileComplete "File xfer completed.",
    44 FileUsed "Data reused.",
    45 FileRemoved "File removed from reuse.",
    46 DataflowJobSkipped "Dataflow job skipped.",
    47 CommonFiles "Common Files (in)activity.",
    100 EpStartup "Execution point started.",
    101 EpReady "Execution point ready.",
    102 EpReconfig "Execution point reconfigured.",
    103 EpShutdown "Execution point shut down.",
    104 EpRequestClaim "Claim requested.",
    105 EpReleaseClaim "Claim released.",
    106 EpActivateClaim "Claim activated.",
    107 EpDeactivateClaim "Claim deactivated.",
    108 EpVacateClaim "Claim vacated.",
    109 EpDrain "Execution point drained.",
    110 EpResourceBreak "Resource of the execution point broke.",
    111 EpResourceMend "EP (startd) event.",
}
