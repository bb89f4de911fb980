//! The typed fields of each kind of event.

use std::borrow::Cow;

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
    Suspended,
    /// 011
    Unsuspended,
    /// 012
    Held(Held<'a>),
    /// 013
    Released(Released<'a>),
    /// 022
    Disconnected(Disconnected<'a>),
    /// 023
    Reconnected(Reconnected<'a>),
    /// 024
    ReconnectFailed(ReconnectFailed<'a>),
    /// 028
    JobAdInformation(JobAdInformation<'a>),
    /// 033
    AttributeUpdate(AttributeUpdate<'a>),
    /// 035
    ClusterSubmit(ClusterSubmit<'a>),
    /// 036
    ClusterRemove(ClusterRemove<'a>),
    /// 040
    FileTransfer(FileTransfer<'a>),
    /// Any other kind: its text is in `Event::title` and `Event::lines`.
    Other,
}

/// 000: the job was submitted.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Submit<'a> {
    /// Address of the schedd, `<ip:port?...>`.
    pub submit_host: Text<'a>,
    /// `submit_event_notes` of the submit description.
    pub log_notes: Option<Text<'a>>,
    /// The DAG node of the job (`DAG Node: NAME`).
    pub dag_node: Option<Text<'a>>,
}

/// 001: the job runs.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Execute<'a> {
    /// Address or name of the execution point.
    pub execute_host: Text<'a>,
    /// `SlotName: ` line.
    pub slot_name: Option<Text<'a>>,
}

/// Run times of the `Usr d hh:mm:ss, Sys d hh:mm:ss` lines, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CpuUsage {
    /// User time, s.
    pub user: u64,
    /// System time, s.
    pub system: u64,
}

/// One row of the `Partitionable Resources` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource<'a> {
    /// `Cpus`, `Disk`, `Memory`, `GPUs`, ... without its unit.
    pub name: Text<'a>,
    /// Unit as written (`KB`, `MB`), empty for counts.
    pub unit: Text<'a>,
    /// Used, in the unit.
    pub usage: Option<f64>,
    /// Requested, in the unit.
    pub request: Option<f64>,
    /// Allocated (provisioned), in the unit.
    pub allocated: Option<f64>,
    /// The `Assigned` column.
    pub assigned: Option<Text<'a>>,
}

/// 004: the job left its slot before it finished.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Evicted<'a> {
    /// It was checkpointed.
    pub checkpointed: bool,
    /// It terminated and was requeued (`on_exit_remove` false).
    pub terminated_and_requeued: bool,
    /// Exit code of a requeued job.
    pub return_value: Option<i32>,
    /// Signal of a requeued job.
    pub signal: Option<i32>,
    /// Why, where said.
    pub reason: Option<Text<'a>>,
    /// `Code` of the header suffix or line.
    pub code: Option<i32>,
    /// `Subcode`.
    pub subcode: Option<i32>,
    /// Bytes sent by the run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the run.
    pub bytes_received: Option<u64>,
    /// Usage table of the run.
    pub resources: Vec<Resource<'a>>,
}

/// 005: the job completed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Terminated<'a> {
    /// Exit code of a normal termination.
    pub return_value: Option<i32>,
    /// Signal of an abnormal termination.
    pub signal: Option<i32>,
    /// Core file, where one was written.
    pub core_file: Option<Text<'a>>,
    /// Remote usage of the last run.
    pub run_remote: CpuUsage,
    /// Remote usage of all runs.
    pub total_remote: CpuUsage,
    /// Bytes sent by the last run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the last run.
    pub bytes_received: Option<u64>,
    /// Usage table.
    pub resources: Vec<Resource<'a>>,
}

impl Terminated<'_> {
    /// The job exited by itself with code 0.
    pub fn is_success(&self) -> bool {
        self.return_value == Some(0)
    }
}

/// 006: sizes of the running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
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
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShadowException<'a> {
    /// What it said.
    pub message: Text<'a>,
    /// Bytes sent by the run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the run.
    pub bytes_received: Option<u64>,
}

/// 009: the job was removed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Aborted<'a> {
    /// Why (`via condor_rm (by user ...)`, a policy).
    pub reason: Option<Text<'a>>,
}

/// 012: the job went on hold.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Held<'a> {
    /// HoldReason, newlines written as `|` by HTCondor. `None` where the log says `Reason unspecified`.
    pub reason: Option<Text<'a>>,
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
}

/// 013: the job was released.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Released<'a> {
    /// Why (`via condor_release (by user ...)`, a policy).
    pub reason: Option<Text<'a>>,
}

/// 022: shadow and starter lost contact.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Disconnected<'a> {
    /// Why.
    pub reason: Text<'a>,
    /// Name of the execution point.
    pub startd_name: Option<Text<'a>>,
    /// Its address.
    pub startd_address: Option<Text<'a>>,
}

/// 023: contact again.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Reconnected<'a> {
    /// Name of the execution point.
    pub startd_name: Text<'a>,
    /// Address of the startd.
    pub startd_address: Option<Text<'a>>,
    /// Address of the starter.
    pub starter_address: Option<Text<'a>>,
}

/// 024: contact not regained, the job goes back to the queue.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReconnectFailed<'a> {
    /// Why.
    pub reason: Text<'a>,
    /// Name of the execution point.
    pub startd_name: Option<Text<'a>>,
}

/// 028: attributes of the job ad (`EVENT_LOG_JOB_AD_INFORMATION_ATTRS`).
#[derive(Clone, Debug, PartialEq, Default)]
pub struct JobAdInformation<'a> {
    /// Number of the event these attributes supplement (`TriggerEventTypeNumber`).
    pub trigger_event: Option<u16>,
    /// `(name, ClassAd expression as written)`, in order.
    pub attributes: Vec<(Text<'a>, Text<'a>)>,
}

impl<'a> JobAdInformation<'a> {
    /// The expression of an attribute; names are compared without case.
    pub fn get(&self, name: &str) -> Option<&Text<'a>> {
        self.attributes
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// 033: an attribute of the job ad changed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AttributeUpdate<'a> {
    /// The attribute.
    pub name: Text<'a>,
    /// Its value now.
    pub value: Text<'a>,
    /// Its value before, where it had one.
    pub old_value: Option<Text<'a>>,
}

/// 035: a cluster (job factory) was submitted.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ClusterSubmit<'a> {
    /// Address of the schedd.
    pub submit_host: Text<'a>,
}

/// 036: the cluster is gone.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ClusterRemove<'a> {
    /// Jobs materialized.
    pub materialized: Option<i64>,
    /// Items of the queue statement used.
    pub items: Option<i64>,
    /// `Complete`, `Incomplete` or `Error N`.
    pub completion: Option<Text<'a>>,
    /// Notes.
    pub notes: Option<Text<'a>>,
}

/// What a file transfer event says (`FileTransferEventType` in `condor_event.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileTransferKind {
    /// Entered queue to transfer input files.
    InputQueued,
    /// Started transferring input files.
    InputStarted,
    /// Finished transferring input files.
    InputFinished,
    /// Entered queue to transfer output files.
    OutputQueued,
    /// Started transferring output files.
    OutputStarted,
    /// Finished transferring output files.
    OutputFinished,
}

/// 040: a sandbox is moved.
#[derive(Clone, Debug, PartialEq)]
pub struct FileTransfer<'a> {
    /// Which step. `None` where the text is none of the known ones.
    pub kind: Option<FileTransferKind>,
    /// The host at the other end.
    pub host: Option<Text<'a>>,
    /// Seconds spent in the transfer queue.
    pub seconds_in_queue: Option<u64>,
}
