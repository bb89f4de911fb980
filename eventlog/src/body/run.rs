//! Events of a run: start, sizes, contact with the execution point, eviction.

use super::{CpuUsage, Resource, Text};

/// 001: the job runs.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Execute<'a> {
    /// Address or name of the execution point.
    pub execute_host: Text<'a>,
    /// `SlotName: ` line.
    pub slot_name: Option<Text<'a>>,
    /// Properties of the slot, `(name, ClassAd expression as written)`, in order.
    pub properties: Vec<(Text<'a>, Text<'a>)>,
}

/// 004: the job left its slot before it finished.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Evicted<'a> {
    /// It was checkpointed.
    pub checkpointed: bool,
    /// The second line reads `Job was not checkpointed.`, as older versions wrote it, not
    /// `CPU times`.
    pub says_not_checkpointed: bool,
    /// It terminated and was requeued (`on_exit_remove` false).
    pub terminated_and_requeued: bool,
    /// Exit code of a requeued job.
    pub return_value: Option<i32>,
    /// Signal of a requeued job.
    pub signal: Option<i32>,
    /// Why, where said.
    pub reason: Option<Text<'a>>,
    /// The line of the reason lacks `Reason: `, as older versions wrote it.
    pub plain_reason: bool,
    /// `Code` of the header suffix or line.
    pub code: Option<i32>,
    /// `Subcode`.
    pub subcode: Option<i32>,
    /// Core file of a requeued job, where one was written.
    pub core_file: Option<Text<'a>>,
    /// Remote usage of the run.
    pub run_remote: CpuUsage,
    /// Local usage (of the shadow) of the run.
    pub run_local: CpuUsage,
    /// Bytes sent by the run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the run.
    pub bytes_received: Option<u64>,
    /// Usage table of the run.
    pub resources: Vec<Resource<'a>>,
    /// No blank ends the lines of the table, as versions before 8.8 wrote it.
    pub plain_table: bool,
}

/// 006: sizes of the running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ImageSize {
    /// ImageSize, KiB.
    pub image_size_kb: Option<i64>,
    /// MemoryUsage, MiB.
    pub memory_usage_mb: Option<i64>,
    /// ResidentSetSize, KiB.
    pub resident_set_size_kb: Option<i64>,
    /// ProportionalSetSize, KiB.
    pub proportional_set_size_kb: Option<i64>,
}

/// 007: the shadow gave up; the job goes back to the queue.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct ShadowException<'a> {
    /// What it said.
    pub message: Text<'a>,
    /// Bytes sent by the run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the run.
    pub bytes_received: Option<u64>,
}

/// 022: shadow and starter lost contact.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Disconnected<'a> {
    /// Why.
    pub reason: Text<'a>,
    /// Name of the execution point.
    pub startd_name: Option<Text<'a>>,
    /// Its address.
    pub startd_address: Option<Text<'a>>,
    /// Why contact cannot be regained, as versions before 10.4 wrote it where they did not try.
    pub no_reconnect_reason: Option<Text<'a>>,
}

/// 023: contact again.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Reconnected<'a> {
    /// Name of the execution point.
    pub startd_name: Text<'a>,
    /// Address of the startd.
    pub startd_address: Option<Text<'a>>,
    /// Address of the starter.
    pub starter_address: Option<Text<'a>>,
}

/// 024: contact not regained, the job goes back to the queue.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct ReconnectFailed<'a> {
    /// Why.
    pub reason: Text<'a>,
    /// Name of the execution point.
    pub startd_name: Option<Text<'a>>,
}

/// 002: the executable cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ExecutableError {
    /// 0: not executable; 1: not linked for HTCondor.
    pub error_type: Option<i32>,
}

/// 003: the job was checkpointed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Checkpointed {
    /// Remote usage of the run.
    pub run_remote: CpuUsage,
    /// Local usage of the run.
    pub run_local: CpuUsage,
    /// Bytes of the checkpoint.
    pub bytes_sent: Option<u64>,
}

/// 010: the job was suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Suspended {
    /// Processes stopped.
    pub processes: Option<i32>,
}

/// 014: a node of a parallel job runs.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct NodeExecute<'a> {
    /// The node, from 0.
    pub node: Option<i32>,
    /// Where and on which slot.
    pub execute: Execute<'a>,
}

/// 015: a node of a parallel job ended.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct NodeTerminated<'a> {
    /// The node, from 0.
    pub node: Option<i32>,
    /// How it ended.
    pub terminated: super::Terminated<'a>,
}

/// 021: a daemon of the run reports an error.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct RemoteError<'a> {
    /// The first line says `Error`, not `Message` or `Warning`.
    pub critical: bool,
    /// The first line says `Warning`, as versions before 23.4 wrote what is not critical.
    pub says_warning: bool,
    /// The daemon, `starter`.
    pub daemon: Text<'a>,
    /// Name of the execution point.
    pub execute_host: Text<'a>,
    /// What it said. A newline ends a line; behind the last one there need be none.
    pub message: Text<'a>,
    /// HoldReasonCode, where the error holds the job.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
}
