//! Typed fields that borrow nothing from the log.

use super::*;

impl Body<'_> {
    /// The same fields, borrowed from nothing.
    pub fn into_owned(self) -> Body<'static> {
        macro_rules! kinds {
            ($($kind:ident,)* ; $($plain:ident,)* ; $($unit:ident,)*) => {
                match self {
                    $(Body::$kind(body) => Body::$kind(body.own()),)*
                    $(Body::$plain(body) => Body::$plain(body),)*
                    $(Body::$unit => Body::$unit,)*
                }
            };
        }
        kinds! {
            Submit, Execute, Evicted, Terminated, ShadowException, Generic, Aborted, Held, Released, NodeExecute,
            NodeTerminated, PostScriptTerminated, RemoteError, Disconnected, Reconnected, ReconnectFailed,
            GridResourceUp, GridResourceDown, GridSubmit, JobAdInformation, AttributeUpdate, PreSkip, ClusterSubmit,
            ClusterRemove, FactoryPaused, FactoryResumed, FileTransfer, ReserveSpace, ReleaseSpace, FileComplete,
            FileUsed, FileRemoved, DataflowSkipped, CommonFiles, ExecutionPoint, Future,
            ;
            ExecutableError, Checkpointed, ImageSize, Suspended,
            ;
            Unsuspended, JobStatusUnknown, JobStatusKnown,
        }
    }
}

/// Takes a part of a body away from the log.
trait Own {
    type Owned;

    fn own(self) -> Self::Owned;
}

impl Own for Text<'_> {
    type Owned = Text<'static>;

    fn own(self) -> Text<'static> {
        Text::Owned(self.into_owned())
    }
}

impl<T: Own> Own for Option<T> {
    type Owned = Option<T::Owned>;

    fn own(self) -> Self::Owned {
        self.map(T::own)
    }
}

impl<T: Own> Own for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn own(self) -> Self::Owned {
        self.into_iter().map(T::own).collect()
    }
}

impl<T: Own> Own for [T; 3] {
    type Owned = [T::Owned; 3];

    fn own(self) -> Self::Owned {
        self.map(T::own)
    }
}

impl<A: Own, B: Own> Own for (A, B) {
    type Owned = (A::Owned, B::Owned);

    fn own(self) -> Self::Owned {
        (self.0.own(), self.1.own())
    }
}

macro_rules! borrows_nothing {
    ($($part:ty,)*) => {
        $(impl Own for $part {
            type Owned = Self;

            fn own(self) -> Self {
                self
            }
        })*
    };
}

borrows_nothing! { bool, u16, i32, i64, u64, f64, CpuUsage, FileTransferKind, }

macro_rules! fields {
    ($($name:ident { $($field:ident),* })*) => {
        $(impl Own for $name<'_> {
            type Owned = $name<'static>;

            fn own(self) -> Self::Owned {
                let $name { $($field),* } = self;
                $name { $($field: $field.own()),* }
            }
        })*
    };
}

fields! {
    Resource { name, unit, usage, request, allocated, assigned, written }
    Toe { text }
    Submit { submit_host, log_notes, user_notes, warnings, dag_node }
    Execute { execute_host, slot_name, properties }
    Evicted {
        checkpointed, says_not_checkpointed, terminated_and_requeued, return_value, signal, reason, plain_reason,
        code, subcode, core_file, run_remote, run_local, bytes_sent, bytes_received, resources, plain_table
    }
    Terminated {
        return_value, signal, core_file, run_remote, run_local, total_remote, total_local, bytes_sent,
        bytes_received, total_bytes_sent, total_bytes_received, resources, plain_table, toe
    }
    ShadowException { message, bytes_sent, bytes_received }
    Aborted { reason, by_the_user, toe }
    Held { reason, code, subcode }
    Released { reason }
    NodeExecute { node, execute }
    NodeTerminated { node, terminated }
    PostScriptTerminated { return_value, signal, dag_node }
    RemoteError { critical, says_warning, daemon, execute_host, message, code, subcode }
    Disconnected { reason, startd_name, startd_address, no_reconnect_reason }
    Reconnected { startd_name, startd_address, starter_address }
    ReconnectFailed { reason, startd_name }
    GridResource { resource }
    GridSubmit { resource, job_id }
    JobAdInformation { trigger_event, attributes }
    ExecutionPoint { number, head, attributes }
    Future { number, head, payload }
    AttributeUpdate { name, value, old_value }
    PreSkip { notes }
    ClusterSubmit { submit_host, says_factory, log_notes, user_notes, dag_node }
    ClusterRemove { materialized, items, completion, notes }
    FactoryPaused { reason, pause_code, hold_code }
    FactoryResumed { reason }
    FileTransfer { kind, host, seconds_in_queue }
    ReserveSpace { bytes, expiration, uuid, tag }
    ReleaseSpace { uuid }
    ReuseFile { bytes, checksum, checksum_type, uuid, tag }
    DataflowSkipped { reason, toe }
    CommonFiles { step }
}
