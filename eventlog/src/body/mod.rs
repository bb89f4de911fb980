//! The typed fields of each kind of event.
//!
//! - `ad`: events that carry attributes.
//! - `cluster`: clusters and job factories.
//! - `common`: what several kinds share.
//! - `life`: submission, hold, release, removal, end.
//! - `owned`: fields that borrow nothing from the log.
//! - `run`: start, sizes, contact, eviction.
//! - `transfer`: sandboxes and files that are moved.

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

macro_rules! bodies {
    ($($(#[$doc:meta])* $number:literal $name:ident $(($fields:ty))?,)*) => {
        /// The typed fields of an event. A field the log does not carry is `None` or empty.
        #[derive(Clone, Debug, PartialEq, Hash)]
        #[non_exhaustive]
        pub enum Body<'a> {
            $($(#[$doc])* $name $(($fields))?,)*
            /// 100 to 111
            ExecutionPoint(ExecutionPoint<'a>),
            /// Any other kind.
            Future(Future<'a>),
        }

        impl Body<'_> {
            /// The event number that HTCondor writes for this body.
            pub const fn number(&self) -> u16 {
                match self {
                    $(Self::$name { .. } => $number,)*
                    Self::ExecutionPoint(point) => point.number,
                    Self::Future(future) => future.number,
                }
            }
        }
    };
}

bodies! {
    /// 000
    0 Submit(Submit<'a>),
    /// 001
    1 Execute(Execute<'a>),
    /// 002
    2 ExecutableError(ExecutableError),
    /// 003
    3 Checkpointed(Checkpointed),
    /// 004
    4 Evicted(Evicted<'a>),
    /// 005
    5 Terminated(Terminated<'a>),
    /// 006
    6 ImageSize(ImageSize),
    /// 007
    7 ShadowException(ShadowException<'a>),
    /// 008
    8 Generic(Text<'a>),
    /// 009
    9 Aborted(Aborted<'a>),
    /// 010
    10 Suspended(Suspended),
    /// 011
    11 Unsuspended,
    /// 012
    12 Held(Held<'a>),
    /// 013
    13 Released(Released<'a>),
    /// 014
    14 NodeExecute(NodeExecute<'a>),
    /// 015
    15 NodeTerminated(NodeTerminated<'a>),
    /// 016
    16 PostScriptTerminated(PostScriptTerminated<'a>),
    /// 021
    21 RemoteError(RemoteError<'a>),
    /// 022
    22 Disconnected(Disconnected<'a>),
    /// 023
    23 Reconnected(Reconnected<'a>),
    /// 024
    24 ReconnectFailed(ReconnectFailed<'a>),
    /// 025
    25 GridResourceUp(GridResource<'a>),
    /// 026
    26 GridResourceDown(GridResource<'a>),
    /// 027
    27 GridSubmit(GridSubmit<'a>),
    /// 028
    28 JobAdInformation(JobAdInformation<'a>),
    /// 029
    29 JobStatusUnknown,
    /// 030
    30 JobStatusKnown,
    /// 033
    33 AttributeUpdate(AttributeUpdate<'a>),
    /// 034
    34 PreSkip(PreSkip<'a>),
    /// 035
    35 ClusterSubmit(ClusterSubmit<'a>),
    /// 036
    36 ClusterRemove(ClusterRemove<'a>),
    /// 037
    37 FactoryPaused(FactoryPaused<'a>),
    /// 038
    38 FactoryResumed(FactoryResumed<'a>),
    /// 040
    40 FileTransfer(FileTransfer<'a>),
    /// 041
    41 ReserveSpace(ReserveSpace<'a>),
    /// 042
    42 ReleaseSpace(ReleaseSpace<'a>),
    /// 043
    43 FileComplete(ReuseFile<'a>),
    /// 044
    44 FileUsed(ReuseFile<'a>),
    /// 045
    45 FileRemoved(ReuseFile<'a>),
    /// 046
    46 DataflowSkipped(DataflowSkipped<'a>),
    /// 047
    47 CommonFiles(CommonFiles<'a>),
}
