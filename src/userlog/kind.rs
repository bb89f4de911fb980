//! The kinds of event.

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
