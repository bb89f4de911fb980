//! The typed fields of each kind of event.

mod ad;
mod cluster;
mod common;
mod life;
mod owned;
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
#[derive(Clone, Debug, PartialEq, Hash)]
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
    /// 029
    JobStatusUnknown,
    /// 030
    JobStatusKnown,
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
    /// Any other kind.
    Future(Future<'a>),
}

impl Body<'_> {
    /// The event number that HTCondor writes for this body.
    pub const fn number(&self) -> u16 {
        match self {
            Self::Submit(_) => 0,
            Self::Execute(_) => 1,
            Self::ExecutableError(_) => 2,
            Self::Checkpointed(_) => 3,
            Self::Evicted(_) => 4,
            Self::Terminated(_) => 5,
            Self::ImageSize(_) => 6,
            Self::ShadowException(_) => 7,
            Self::Generic(_) => 8,
            Self::Aborted(_) => 9,
            Self::Suspended(_) => 10,
            Self::Unsuspended => 11,
            Self::Held(_) => 12,
            Self::Released(_) => 13,
            Self::NodeExecute(_) => 14,
            Self::NodeTerminated(_) => 15,
            Self::PostScriptTerminated(_) => 16,
            Self::RemoteError(_) => 21,
            Self::Disconnected(_) => 22,
            Self::Reconnected(_) => 23,
            Self::ReconnectFailed(_) => 24,
            Self::GridResourceUp(_) => 25,
            Self::GridResourceDown(_) => 26,
            Self::GridSubmit(_) => 27,
            Self::JobAdInformation(_) => 28,
            Self::JobStatusUnknown => 29,
            Self::JobStatusKnown => 30,
            Self::AttributeUpdate(_) => 33,
            Self::PreSkip(_) => 34,
            Self::ClusterSubmit(_) => 35,
            Self::ClusterRemove(_) => 36,
            Self::FactoryPaused(_) => 37,
            Self::FactoryResumed(_) => 38,
            Self::FileTransfer(_) => 40,
            Self::ReserveSpace(_) => 41,
            Self::ReleaseSpace(_) => 42,
            Self::FileComplete(_) => 43,
            Self::FileUsed(_) => 44,
            Self::FileRemoved(_) => 45,
            Self::DataflowSkipped(_) => 46,
            Self::CommonFiles(_) => 47,
            Self::ExecutionPoint(point) => point.number,
            Self::Future(future) => future.number,
        }
    }
}
