//! The kinds of event: number, names, and typed fields of each.

use std::io::{self, Write};

use bounded_static::{IntoBoundedStatic, ToStatic};

use super::ad::{AdForm, EventAd};
use super::body::*;

macro_rules! event_kinds {
    ($(
        $number:literal $kind:ident $my_type:literal $label:literal
        $(=> $body:ident($fields:ty))? $(= $unit:ident $line:literal)?;
    )*) => {
        /// The kinds of event of HTCondor 25 (`ULogEventNumber` in `condor_event.h`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventKind {
            $(#[doc = $label] $kind,)*
            /// A number this library does not know.
            Unknown(u16),
        }

        impl EventKind {
            /// The kind with this number.
            pub const fn from_number(number: u16) -> Self {
                match number {
                    $($number => Self::$kind,)*
                    other => Self::Unknown(other),
                }
            }

            /// The number HTCondor writes for this kind.
            pub const fn number(self) -> u16 {
                match self {
                    $(Self::$kind => $number,)*
                    Self::Unknown(number) => number,
                }
            }

            /// `MyType` of the event as a ClassAd; HTCondor gives events 29 to 32 and 34 the one of
            /// unknown kinds.
            pub const fn my_type(self) -> &'static str {
                match self {
                    $(Self::$kind => $my_type,)*
                    Self::Unknown(112) => "EPFutureEvent",
                    Self::Unknown(_) => "FutureEvent",
                }
            }
        }

        /// The typed fields of an event. A field the log does not carry is `None` or empty.
        #[derive(Clone, Debug, PartialEq, Hash, ToStatic)]
        #[non_exhaustive]
        pub enum Body<'a> {
            $($(#[doc = $label] $body($fields),)? $(#[doc = $label] $unit,)?)*
            /// 100 to 112, of the execution point's own log.
            ExecutionPoint(ExecutionPoint<'a>),
            /// Any other kind.
            Future(Future<'a>),
        }

        impl<'a> Body<'a> {
            /// The event number that HTCondor writes for this body.
            pub const fn number(&self) -> u16 {
                match self {
                    $($(Self::$body(_) => $number,)? $(Self::$unit => $number,)?)*
                    Self::ExecutionPoint(point) => point.number,
                    Self::Future(future) => future.number,
                }
            }

            /// The same fields, borrowed from nothing.
            pub fn into_owned(self) -> Body<'static> {
                self.into_static()
            }

            /// Of the text form: the header line behind the date, and the lines below it.
            pub(crate) fn of_text(number: u16, title: &'a [u8], lines: &'a [u8]) -> Self {
                match number {
                    $(
                        $($number => Self::$body(Fields::read(title, lines)),)?
                        $($number => Self::$unit,)?
                    )*
                    100..=112 => Self::ExecutionPoint(ExecutionPoint {
                        number,
                        ..Fields::read(title, lines)
                    }),
                    _ => Self::Future(Future { number, ..Fields::read(title, lines) }),
                }
            }

            /// Of attributes.
            pub(crate) fn of_ad(number: u16, ad: &'a EventAd<'_>) -> Self {
                let kind = EventKind::from_number(number);
                match number {
                    $(
                        $($number => Self::$body(of_ad(kind, ad)),)?
                        $($number => Self::$unit,)?
                    )*
                    100..=112 => {
                        Self::ExecutionPoint(ExecutionPoint { number, ..of_ad(kind, ad) })
                    }
                    _ => Self::Future(Future { number, ..of_ad(kind, ad) }),
                }
            }

            /// Writes the text form from behind the date.
            pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
                match self {
                    $(
                        $(Self::$body(body) => body.write(EventKind::$kind, out),)?
                        $(Self::$unit => writeln!(out, $line),)?
                    )*
                    Self::ExecutionPoint(point) => {
                        point.write(EventKind::Unknown(point.number), out)
                    }
                    Self::Future(future) => future.write(EventKind::Unknown(future.number), out),
                }
            }

            /// Each attribute of the fields.
            pub(crate) fn attributes(&mut self, form: &mut AdForm<'_, 'a>) {
                match self {
                    $(
                        $(Self::$body(body) => body.attributes(EventKind::$kind, form),)?
                        $(Self::$unit => {})?
                    )*
                    Self::ExecutionPoint(point) => {
                        point.attributes(EventKind::Unknown(point.number), form);
                    }
                    Self::Future(future) => {
                        future.attributes(EventKind::Unknown(future.number), form);
                    }
                }
            }
        }
    };
}

/// The fields that attributes say.
fn of_ad<'a, F: Fields<'a>>(kind: EventKind, ad: &'a EventAd<'_>) -> F {
    let mut fields = F::default();
    fields.attributes(kind, &mut AdForm::Read(ad));
    fields
}

// Number, name, MyType and label of each kind; its body, or the line of one without fields. A kind
// without either has the fields of `ExecutionPoint` from 100 to 112, else those of `Future`.
event_kinds! {
    0 Submit "SubmitEvent" "Job submitted." => Submit(Submit<'a>);
    1 Execute "ExecuteEvent" "Job now running." => Execute(Execute<'a>);
    2 ExecutableError "ExecutableErrorEvent" "Error in executable."
        => ExecutableError(ExecutableError);
    3 Checkpointed "CheckpointedEvent" "Job was checkpointed." => Checkpointed(Checkpointed);
    4 JobEvicted "JobEvictedEvent" "Job evicted from machine." => Evicted(Evicted<'a>);
    5 JobTerminated "JobTerminatedEvent" "Job terminated." => Terminated(Terminated<'a>);
    6 ImageSize "JobImageSizeEvent" "Image size of job updated." => ImageSize(ImageSize);
    7 ShadowException "ShadowExceptionEvent" "Shadow threw an exception."
        => ShadowException(ShadowException<'a>);
    8 Generic "GenericEvent" "Generic Log Event." => Generic(Text<'a>);
    9 JobAborted "JobAbortedEvent" "Job Aborted." => Aborted(Aborted<'a>);
    10 JobSuspended "JobSuspendedEvent" "Job was suspended." => Suspended(Suspended);
    11 JobUnsuspended "JobUnsuspendedEvent" "Job was unsuspended."
        = Unsuspended "Job was unsuspended.";
    12 JobHeld "JobHeldEvent" "Job was held." => Held(Held<'a>);
    13 JobReleased "JobReleaseEvent" "Job was released." => Released(Released<'a>);
    14 NodeExecute "NodeExecuteEvent" "Parallel Node executed." => NodeExecute(NodeExecute<'a>);
    15 NodeTerminated "NodeTerminatedEvent" "Parallel Node terminated."
        => NodeTerminated(NodeTerminated<'a>);
    16 PostScriptTerminated "PostScriptTerminatedEvent" "POST script terminated."
        => PostScriptTerminated(PostScriptTerminated<'a>);
    17 GlobusSubmit "FutureEvent" "Job Submitted to Globus.";
    18 GlobusSubmitFailed "FutureEvent" "Globus Submit failed.";
    19 GlobusResourceUp "FutureEvent" "Globus Resource Up.";
    20 GlobusResourceDown "FutureEvent" "Globus Resource Down.";
    21 RemoteError "RemoteErrorEvent" "Remote Error." => RemoteError(RemoteError<'a>);
    22 JobDisconnected "JobDisconnectedEvent" "RSC socket lost." => Disconnected(Disconnected<'a>);
    23 JobReconnected "JobReconnectedEvent" "RSC socket re-established."
        => Reconnected(Reconnected<'a>);
    24 JobReconnectFailed "JobReconnectFailedEvent" "RSC reconnect failure."
        => ReconnectFailed(ReconnectFailed<'a>);
    25 GridResourceUp "GridResourceUpEvent" "Grid Resource Up." => GridResourceUp(GridResource<'a>);
    26 GridResourceDown "GridResourceDownEvent" "Grid Resource Down."
        => GridResourceDown(GridResource<'a>);
    27 GridSubmit "GridSubmitEvent" "Job Submitted remotely." => GridSubmit(GridSubmit<'a>);
    28 JobAdInformation "JobAdInformationEvent" "Report job ad information."
        => JobAdInformation(JobAdInformation<'a>);
    29 JobStatusUnknown "FutureEvent" "Job Status Unknown."
        = JobStatusUnknown "The job's remote status is unknown";
    30 JobStatusKnown "FutureEvent" "Job Status Known."
        = JobStatusKnown "The job's remote status is known again";
    31 JobStageIn "FutureEvent" "Job performing stage-in.";
    32 JobStageOut "FutureEvent" "Job performing stage-out.";
    33 AttributeUpdate "AttributeUpdateEvent" "Attribute updated."
        => AttributeUpdate(AttributeUpdate<'a>);
    34 Preskip "FutureEvent" "PRE_SKIP event for DAGMan." => PreSkip(PreSkip<'a>);
    35 ClusterSubmit "ClusterSubmitEvent" "Cluster submitted." => ClusterSubmit(ClusterSubmit<'a>);
    36 ClusterRemove "ClusterRemoveEvent" "Cluster removed." => ClusterRemove(ClusterRemove<'a>);
    37 FactoryPaused "FactoryPausedEvent" "Factory paused." => FactoryPaused(FactoryPaused<'a>);
    38 FactoryResumed "FactoryResumedEvent" "Factory resumed."
        => FactoryResumed(FactoryResumed<'a>);
    39 None "FutureEvent" "For the Python bindings.";
    40 FileTransfer "FileTransferEvent" "File transfer." => FileTransfer(FileTransfer<'a>);
    41 ReserveSpace "ReserveSpaceEvent" "Reserve space for xfer." => ReserveSpace(ReserveSpace<'a>);
    42 ReleaseSpace "ReleaseSpaceEvent" "Release reserved space." => ReleaseSpace(ReleaseSpace<'a>);
    43 FileComplete "FileCompleteEvent" "File xfer completed." => FileComplete(ReuseFile<'a>);
    44 FileUsed "FileUsedEvent" "Data reused." => FileUsed(ReuseFile<'a>);
    45 FileRemoved "FileRemovedEvent" "File removed from reuse." => FileRemoved(ReuseFile<'a>);
    46 DataflowJobSkipped "DataflowJobSkippedEvent" "Dataflow job skipped."
        => DataflowSkipped(DataflowSkipped<'a>);
    47 CommonFiles "CommonFilesEvent" "Common Files (in)activity." => CommonFiles(CommonFiles<'a>);
    100 EpStartup "EPStartupEvent" "Execution point started.";
    101 EpReady "EPReadyEvent" "Execution point ready.";
    102 EpReconfig "EPReconfigEvent" "Execution point reconfigured.";
    103 EpShutdown "EPShutdownEvent" "Execution point shut down.";
    104 EpRequestClaim "RequestClaimEvent" "Claim requested.";
    105 EpReleaseClaim "ReleaseClaimEvent" "Claim released.";
    106 EpActivateClaim "ActivateClaimEvent" "Claim activated.";
    107 EpDeactivateClaim "DeactivateClaimEvent" "Claim deactivated.";
    108 EpVacateClaim "VacateClaimEvent" "Claim vacated.";
    109 EpDrain "DrainEvent" "Execution point drained.";
    110 EpResourceBreak "ResourceBreakEvent" "Resource of the execution point broke.";
    111 EpResourceMend "ResourceMendEvent" "EP (startd) event.";
}
