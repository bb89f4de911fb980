//! The kinds of event.

macro_rules! event_kinds {
    ($($number:literal $name:ident $my_type:literal $text:literal,)*) => {
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

            /// `MyType` of the event as a ClassAd; HTCondor gives events 29 to 32 and 34 the one of
            /// unknown kinds.
            pub const fn my_type(self) -> &'static str {
                match self {
                    $(Self::$name => $my_type,)*
                    Self::Unknown(112) => "EPFutureEvent",
                    Self::Unknown(_) => "FutureEvent",
                }
            }
        }
    };
}

event_kinds! {
    0 Submit "SubmitEvent" "Job submitted.",
    1 Execute "ExecuteEvent" "Job now running.",
    2 ExecutableError "ExecutableErrorEvent" "Error in executable.",
    3 Checkpointed "CheckpointedEvent" "Job was checkpointed.",
    4 JobEvicted "JobEvictedEvent" "Job evicted from machine.",
    5 JobTerminated "JobTerminatedEvent" "Job terminated.",
    6 ImageSize "JobImageSizeEvent" "Image size of job updated.",
    7 ShadowException "ShadowExceptionEvent" "Shadow threw an exception.",
    8 Generic "GenericEvent" "Generic Log Event.",
    9 JobAborted "JobAbortedEvent" "Job Aborted.",
    10 JobSuspended "JobSuspendedEvent" "Job was suspended.",
    11 JobUnsuspended "JobUnsuspendedEvent" "Job was unsuspended.",
    12 JobHeld "JobHeldEvent" "Job was held.",
    13 JobReleased "JobReleaseEvent" "Job was released.",
    14 NodeExecute "NodeExecuteEvent" "Parallel Node executed.",
    15 NodeTerminated "NodeTerminatedEvent" "Parallel Node terminated.",
    16 PostScriptTerminated "PostScriptTerminatedEvent" "POST script terminated.",
    17 GlobusSubmit "FutureEvent" "Job Submitted to Globus.",
    18 GlobusSubmitFailed "FutureEvent" "Globus Submit failed.",
    19 GlobusResourceUp "FutureEvent" "Globus Resource Up.",
    20 GlobusResourceDown "FutureEvent" "Globus Resource Down.",
    21 RemoteError "RemoteErrorEvent" "Remote Error.",
    22 JobDisconnected "JobDisconnectedEvent" "RSC socket lost.",
    23 JobReconnected "JobReconnectedEvent" "RSC socket re-established.",
    24 JobReconnectFailed "JobReconnectFailedEvent" "RSC reconnect failure.",
    25 GridResourceUp "GridResourceUpEvent" "Grid Resource Up.",
    26 GridResourceDown "GridResourceDownEvent" "Grid Resource Down.",
    27 GridSubmit "GridSubmitEvent" "Job Submitted remotely.",
    28 JobAdInformation "JobAdInformationEvent" "Report job ad information.",
    29 JobStatusUnknown "FutureEvent" "Job Status Unknown.",
    30 JobStatusKnown "FutureEvent" "Job Status Known.",
    31 JobStageIn "FutureEvent" "Job performing stage-in.",
    32 JobStageOut "FutureEvent" "Job performing stage-out.",
    33 AttributeUpdate "AttributeUpdateEvent" "Attribute updated.",
    34 Preskip "FutureEvent" "PRE_SKIP event for DAGMan.",
    35 ClusterSubmit "ClusterSubmitEvent" "Cluster submitted.",
    36 ClusterRemove "ClusterRemoveEvent" "Cluster removed.",
    37 FactoryPaused "FactoryPausedEvent" "Factory paused.",
    38 FactoryResumed "FactoryResumedEvent" "Factory resumed.",
    39 None "FutureEvent" "For the Python bindings.",
    40 FileTransfer "FileTransferEvent" "File transfer.",
    41 ReserveSpace "ReserveSpaceEvent" "Reserve space for xfer.",
    42 ReleaseSpace "ReleaseSpaceEvent" "Release reserved space.",
    43 FileComplete "FileCompleteEvent" "File xfer completed.",
    44 FileUsed "FileUsedEvent" "Data reused.",
    45 FileRemoved "FileRemovedEvent" "File removed from reuse.",
    46 DataflowJobSkipped "DataflowJobSkippedEvent" "Dataflow job skipped.",
    47 CommonFiles "CommonFilesEvent" "Common Files (in)activity.",
    100 EpStartup "EPStartupEvent" "Execution point started.",
    101 EpReady "EPReadyEvent" "Execution point ready.",
    102 EpReconfig "EPReconfigEvent" "Execution point reconfigured.",
    103 EpShutdown "EPShutdownEvent" "Execution point shut down.",
    104 EpRequestClaim "RequestClaimEvent" "Claim requested.",
    105 EpReleaseClaim "ReleaseClaimEvent" "Claim released.",
    106 EpActivateClaim "ActivateClaimEvent" "Claim activated.",
    107 EpDeactivateClaim "DeactivateClaimEvent" "Claim deactivated.",
    108 EpVacateClaim "VacateClaimEvent" "Claim vacated.",
    109 EpDrain "DrainEvent" "Execution point drained.",
    110 EpResourceBreak "ResourceBreakEvent" "Resource of the execution point broke.",
    111 EpResourceMend "ResourceMendEvent" "EP (startd) event.",
}
