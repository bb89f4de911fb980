//! Events of a job's life outside a run: submission, hold, release, removal, the end.

use super::{CpuUsage, Resource, Text, Toe};

/// 000: the job was submitted.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Submit<'a> {
    /// Address of the schedd, `<ip:port?...>`.
    pub submit_host: Text<'a>,
    /// The first line of notes as written: `submit_event_notes`, `DAG Node: NAME` or a ClassAd in
    /// brackets.
    pub log_notes: Option<Text<'a>>,
    /// The second line of notes (`submit_event_user_notes`).
    pub user_notes: Option<Text<'a>>,
    /// The line of warnings, as written.
    pub warnings: Option<Text<'a>>,
    /// The DAG node of the job, from `DAG Node: NAME` or the attribute `DAGNodeName` of the notes.
    pub dag_node: Option<Text<'a>>,
}

/// 005: the job completed.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Terminated<'a> {
    /// Exit code of a normal termination.
    pub return_value: Option<i32>,
    /// Signal of an abnormal termination.
    pub signal: Option<i32>,
    /// Core file, where one was written.
    pub core_file: Option<Text<'a>>,
    /// Remote usage of the last run.
    pub run_remote: CpuUsage,
    /// Local usage (of the shadow) of the last run.
    pub run_local: CpuUsage,
    /// Remote usage of all runs.
    pub total_remote: CpuUsage,
    /// Local usage of all runs.
    pub total_local: CpuUsage,
    /// Bytes sent by the last run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the last run.
    pub bytes_received: Option<u64>,
    /// Bytes sent by all runs.
    pub total_bytes_sent: Option<u64>,
    /// Bytes received by all runs.
    pub total_bytes_received: Option<u64>,
    /// Usage table.
    pub resources: Vec<Resource<'a>>,
    /// No blank ends the lines of the table, as versions before 8.8 wrote it.
    pub plain_table: bool,
    /// Who ended the job, as HTCondor 8.9 to 24 wrote it.
    pub toe: Option<Toe<'a>>,
}

/// 009: the job was removed.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Aborted<'a> {
    /// Why (`via condor_rm (by user ...)`, a policy).
    pub reason: Option<Text<'a>>,
    /// The first line reads `Job was aborted by the user.`, as HTCondor before 8.9 wrote it whoever
    /// removed the job.
    pub by_the_user: bool,
    /// Who ended the job, as HTCondor 8.9 to 24 wrote it.
    pub toe: Option<Toe<'a>>,
}

/// 012: the job went on hold.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Held<'a> {
    /// HoldReason, newlines written as `|` by HTCondor. `None` where the log says
    /// `Reason unspecified`.
    pub reason: Option<Text<'a>>,
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
}

/// 013: the job was released.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Released<'a> {
    /// Why (`via condor_release (by user ...)`, a policy).
    pub reason: Option<Text<'a>>,
}

/// 016: the POST script of a DAG node ended.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct PostScriptTerminated<'a> {
    /// Exit code of a normal termination.
    pub return_value: Option<i32>,
    /// Signal of an abnormal termination.
    pub signal: Option<i32>,
    /// The DAG node.
    pub dag_node: Option<Text<'a>>,
}

/// 034: the PRE script of a DAG node said to skip it.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct PreSkip<'a> {
    /// The line of notes, `DAG Node: NAME`.
    pub notes: Text<'a>,
}

/// 046: the outputs of a dataflow job are newer than its inputs, it was not run.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct DataflowSkipped<'a> {
    /// Why.
    pub reason: Option<Text<'a>>,
    /// Who ended the job, as HTCondor 8.9 to 24 wrote it.
    pub toe: Option<Toe<'a>>,
}
