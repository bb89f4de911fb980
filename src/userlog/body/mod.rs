//! The typed fields of each kind of event.

mod ad;
mod cluster;
mod common;
mod life;
mod run;
mod transfer;

use std::borrow::Cow;

pub use ad::*;
pub use cluster::*;
pub use common::*;
pub use life::*;
pub use run::*;
pub use transfer::*;

/// Text of a log: bytes that are not UTF-8 are replaced.
pub type Text<'a> = Cow<'a, str>;

/// The typed fields of an event. A field the log does not carry is `None` or empty.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Body<'a> {
    /// 000
    Submit(Submit<'a>),
    /// 001
    Execute(Execute<'a>),
    /// 002
    ExecutableError(ExecutableError),
    /// 003
    Checkpointed(Checkpointed),
    /// 004
    Evicted(Evicted<'a>),
    /// 005
    Terminated(Terminated<'a>),
    /// 006
    ImageSize(ImageSize),
    /// 007
    ShadowException(ShadowException<'a>),
    /// 008
    Generic(Text<'a>),
    /// 009
    Aborted(Aborted<'a>),
    /// 010
    Suspended(Suspended),
    /// 011
    Unsuspended,
    /// 012
    Held(Held<'a>),
    /// 013
    Released(Released<'a>),
    /// 014
    NodeExecute(NodeExecute<'a>),
    /// 015
    NodeTerminated(NodeTerminated<'a>),
    /// 016
    PostScriptTerminated(PostScriptTerminated<'a>),
    /// 021
    RemoteError(RemoteError<'a>),
    /// 022
    Disconnected(Disconnected<'a>),
    /// 023
    Reconnected(Reconnected<'a>),
    /// 024
    ReconnectFailed(ReconnectFailed<'a>),
    /// 025
    GridResourceUp(GridResource<'a>),
    /// 026
    GridResourceDown(GridResource<'a>),
    /// 027
    GridSubmit(GridSubmit<'a>),
    /// 028
    JobAdInformation(JobAdInformation<'a>),
    /// 033
    AttributeUpdate(AttributeUpdate<'a>),
    /// 034
    PreSkip(PreSkip<'a>),
    /// 035
    ClusterSubmit(ClusterSubmit<'a>),
    /// 036
    ClusterRemove(ClusterRemove<'a>),
    /// 037
    FactoryPaused(FactoryPaused<'a>),
    /// 038
    FactoryResumed(FactoryResumed<'a>),
    /// 040
    FileTransfer(FileTransfer<'a>),
    /// 041
    ReserveSpace(ReserveSpace<'a>),
    /// 042
    ReleaseSpace(ReleaseSpace<'a>),
    /// 043
    FileComplete(ReuseFile<'a>),
    /// 044
    FileUsed(ReuseFile<'a>),
    /// 045
    FileRemoved(ReuseFile<'a>),
    /// 046
    DataflowSkipped(DataflowSkipped<'a>),
    /// 047
    CommonFiles(CommonFiles<'a>),
    /// 100 to 111
    ExecutionPoint(ExecutionPoint<'a>),
    /// Any other kind: its text is in `Event::title` and `Event::lines`.
    Other,
}
