//! `epoch_history`: the job ad at the end of every run, as the shadow writes it.
//!
//! Source: `src/condor_utils/job_ad_instance_recording.cpp` (`writeAdToEpoch`). The shadow writes its own copy of the ad:
//! a run that ends on hold carries HoldReason and its codes while JobStatus still says running, and NumHolds does not
//! count this hold yet, since the schedd does that.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use super::ad::Ad;
use crate::SimulateError;
use crate::engine::{HoldNow, Job};
use crate::life::Run;
use crate::reason::{Place, Written, image, input_name, slot_name, url};
use crate::world::{Container, Failure, Service};

/// Directory of inputs before and after a person mended their names.
const INPUT: (&str, &str) = ("input/", "inputs/");

/// A run that ended.
pub(crate) struct RunEnd<'a> {
    pub(crate) place: &'a Place<'a>,
    pub(crate) job: &'a Job,
    pub(crate) run: &'a Run,
    /// The hold it ended in.
    pub(crate) held: Option<&'a Written>,
    /// Its exit code, or the signal that ended it.
    pub(crate) exit: Option<(i32, Option<i32>)>,
}

pub(crate) struct EpochWriter {
    path: PathBuf,
    out: BufWriter<File>,
}

impl EpochWriter {
    pub(crate) fn create(path: PathBuf) -> Result<Self, SimulateError> {
        match File::create(&path) {
            Ok(file) => Ok(Self { path, out: BufWriter::with_capacity(1 << 18, file) }),
            Err(source) => Err(SimulateError::Write { path, source }),
        }
    }

    /// Appends the ad of a run, see [`epoch_ad`].
    pub(crate) fn write(&mut self, text: &str) -> Result<(), SimulateError> {
        let written = self.out.write_all(text.as_bytes());
        written.map_err(|source| SimulateError::Write { path: self.path.clone(), source })
    }

    pub(crate) fn finish(mut self) -> Result<(), SimulateError> {
        let flushed = self.out.flush();
        flushed.map_err(|source| SimulateError::Write { path: self.path.clone(), source })
    }
}

/// The ad of a run that ended, with its banner.
pub(crate) fn epoch_ad(end: &RunEnd<'_>) -> String {
    let mut text = String::with_capacity(4_096);
    let now = end.run.end;
    ad(end).print(&mut text);
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "EpochWriteDate = {now}\n*** EPOCH ClusterId={} ProcId={} RunInstanceId={} Owner=\"{}\" CurrentTime={now}",
        end.place.cluster.id,
        end.place.proc,
        end.job.num_shadow_starts - 1,
        end.place.owner,
    );
    text
}

fn ad(end: &RunEnd<'_>) -> Ad {
    let (place, job, run) = (end.place, end.job, end.run);
    let (cluster, workflow) = (place.cluster, place.workflow);
    let mut ad = Ad::default();
    let described = job.edits.mended && job.edits.described;
    let fixed = if described { " fixed" } else { "" };
    ad.string("Arguments", &format!("{}{fixed}", place.proc));
    ad.put("ClusterId", cluster.id);
    ad.string("Cmd", &format!("{}/{}", cluster.iwd, workflow.program));
    ad.put("CurrentHosts", 1);
    ad.put("DiskProvisioned", run.disk_provisioned);
    ad.put("DiskUsage", rounded_up(job.disk_usage));
    ad.put("DiskUsage_RAW", job.disk_usage);
    ad.put("EnteredCurrentStatus", run.start);
    ad.string("Err", &format!("logs/{}.err", place.proc));
    ad.put("ExitBySignal", end.exit.is_some_and(|(_, signal)| signal.is_some()));
    match end.exit {
        Some((_, Some(signal))) => ad.put("ExitSignal", signal),
        Some((code, None)) => ad.put("ExitCode", code),
        None => {}
    }
    let ap = place.world.access_point();
    ad.string("GlobalJobId", &format!("{ap}#{}.{}#{}", cluster.id, place.proc, cluster.submitted));
    if let Some(held) = end.held {
        ad.string("HoldReason", &held.reason);
        ad.put("HoldReasonCode", held.code);
        ad.put("HoldReasonSubCode", held.subcode);
    }
    ad.put("ImageSize", rounded_up(run.memory_mb * 1024));
    ad.put("ImageSize_RAW", run.memory_mb * 1024);
    ad.string("In", "/dev/null");
    ad.string("Iwd", &cluster.iwd);
    if let Some(executed) = run.execute {
        ad.put("JobCurrentStartExecutingDate", executed);
    }
    ad.put("JobCurrentStartDate", run.start);
    ad.put("JobLeaseDuration", 2_400);
    ad.put("JobPrio", 0);
    ad.put("JobRunCount", job.num_shadow_starts);
    ad.put("JobStatus", 2);
    ad.put("JobUniverse", 5);
    if let Some(HoldNow { code, subcode, .. }) = job.last_hold {
        ad.put("LastHoldReasonCode", code);
        ad.put("LastHoldReasonSubCode", subcode);
    }
    let slot = slot_name(place.world, run);
    if let Some(last) = &job.last_slot {
        ad.string("LastRemoteHost", last);
    }
    ad.string("MachineAttrGLIDEIN_Site0", &place.world.sites[run.site].name);
    ad.put("MemoryProvisioned", run.memory_provisioned);
    // Measured from the first start on.
    if job.num_job_starts > 0 {
        ad.put("MemoryUsage", job.memory_usage);
    }
    ad.string("MyType", "Job");
    ad.put("NumHolds", job.num_holds);
    ad.put("NumJobStarts", job.num_job_starts);
    ad.put("NumShadowStarts", job.num_shadow_starts);
    match workflow.failure {
        Failure::Hold => ad.put("OnExitHold", "ExitCode =!= 0"),
        _ => ad.put("OnExitHold", false),
    }
    ad.string("Out", &format!("logs/{}.out", place.proc));
    ad.string("Owner", place.owner);
    ad.put("PeriodicHold", workflow.holds_itself);
    match &workflow.periodic_release {
        Some(policy) => ad.put("PeriodicRelease", policy.expression()),
        None => ad.put("PeriodicRelease", false),
    }
    ad.put("PeriodicRemove", false);
    ad.put("ProcId", place.proc);
    ad.put("QDate", cluster.submitted);
    ad.string("RemoteHost", &slot);
    ad.put("RemoteUserCpu", format_args!("{:.1}", job.cpu as f64));
    ad.put("RemoteWallClockTime", format_args!("{:.1}", (run.end - run.start) as f64));
    ad.put("RequestCpus", 1);
    ad.put("RequestDisk", job.edits.request_disk);
    ad.put("RequestMemory", job.edits.request_memory);
    ad.put("Requirements", requirements(end));
    if job.num_job_starts > 0 {
        ad.put("ResidentSetSize", rounded_up(job.memory_usage * 1024));
        ad.put("ResidentSetSize_RAW", job.memory_usage * 1024);
    }
    ad.string("ShouldTransferFiles", if workflow.shared_filesystem { "IF_NEEDED" } else { "YES" });
    ad.put("TotalSubmitProcs", cluster.size);
    ad.string("TransferInput", &transfer_input(place, described));
    ad.string("User", &format!("{}@{}", place.owner, place.world.preset.access_point.domain));
    ad.string("UserLog", &format!("{}/logs/{}.log", cluster.iwd, cluster.id));
    match workflow.container {
        Container::None => {}
        Container::Docker(_) => ad.string("DockerImage", &image(place)),
        Container::Singularity => ad.string("ContainerImage", &image(place)),
    }
    ad
}

/// Sizes as the schedd publishes them: up to a quarter more (`SCHEDD_ROUND_ATTR_*` of 25 %).
fn rounded_up(value: i64) -> i64 {
    let mut step = 1;
    while step * 8 <= value {
        step *= 2;
    }
    value.div_euclid(step).saturating_add(i64::from(value % step != 0)) * step
}

fn requirements(end: &RunEnd<'_>) -> String {
    let mut text = "(TARGET.Arch == \"X86_64\") && (TARGET.OpSys == \"LINUX\") && (TARGET.Disk >= RequestDisk) && (TARGET.Memory >= RequestMemory) && (TARGET.HasFileTransfer)".to_owned();
    for (index, site) in end.place.world.sites.iter().enumerate() {
        if end.job.edits.excluded & (1 << index) != 0 {
            text.push_str(&format!(" && (TARGET.GLIDEIN_Site =!= \"{}\")", site.name));
        }
    }
    text
}

fn transfer_input(place: &Place<'_>, described: bool) -> String {
    let files = (0..place.workflow.input_files).map(|item| {
        let name = input_name(place, item as u16);
        match name.strip_prefix(INPUT.0) {
            Some(rest) if described => format!("{}{rest}", INPUT.1),
            _ => name,
        }
    });
    let urls = place.workflow.input_services.iter().enumerate().map(|(item, &service)| {
        let service: &Service = &place.world.services[service];
        let wrong = item == 0 && place.job_has_wrong_server() && !described;
        let server = if wrong { service.host.replacen('.', "s.", 1) } else { service.host.clone() };
        url(place, service, item as u16, &server, false)
    });
    files.chain(urls).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_by_a_quarter_at_most() {
        for value in [0, 1, 7, 8, 9, 1_000, 1_000_000, 123_456_789] {
            let rounded = rounded_up(value);
            assert!(rounded >= value && rounded <= value + value / 4 + 1, "{value}: {rounded}");
        }
    }
}
