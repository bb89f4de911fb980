//! `epoch_history`: the job ad at the end of every run, as the shadow writes it.
//!
//! Source: `src/condor_utils/job_ad_instance_recording.cpp` (`writeAdToEpoch`). The shadow writes
//! its own copy of the ad: a run that ends on hold carries HoldReason and its codes while JobStatus
//! still says running, and NumHolds does not count this hold yet, since the schedd does that.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::{HoldNow, Job};
use crate::error::Result;
use crate::life::Run;
use crate::output::Ad;
use crate::output::place::OutFile;
use crate::reason::{Place, Written, image, input_name, slot_name, url};
use crate::world::{Container, Failure, Service};

/// Directory of inputs before and after a person corrected their names.
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
    out: OutFile,
    /// Whether the access point keeps epoch ads; the file is empty where not.
    keeps: bool,
    text: String,
}

impl EpochWriter {
    pub(crate) fn create(path: PathBuf, keeps: bool) -> Result<Self> {
        Ok(Self { out: OutFile::create(path)?, keeps, text: String::new() })
    }

    /// Appends the ad of a run, with its banner.
    pub(crate) fn write(&mut self, end: &RunEnd<'_>) -> Result<()> {
        if !self.keeps {
            return Ok(());
        }
        self.text.clear();
        epoch_ad(&mut self.text, end, "true");
        self.out.write(self.text.as_bytes())
    }

    /// What was written so far can be read.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.flush()
    }
}

/// The ad of a run that ended, with its banner, whether the access point keeps epoch ads or not.
pub(crate) fn ad_of_run(end: &RunEnd<'_>) -> String {
    let mut text = String::new();
    epoch_ad(&mut text, end, "JobStatus == 2 && MemoryUsage > RequestMemory");
    text
}

/// `policy`: PeriodicHold of a job that has one. In files it says only that there is one; what
/// decides about jobs evaluates it.
fn epoch_ad(out: &mut String, end: &RunEnd<'_>, policy: &str) {
    let now = end.place.world.clock.at(end.run.end);
    ad(out, end, policy);
    // Writing to a String does not fail.
    let _ = writeln!(
        out,
        "EpochWriteDate = {now}\n*** EPOCH ClusterId={} ProcId={} RunInstanceId={} Owner=\"{}\" CurrentTime={now}",
        end.place.cluster.id,
        end.place.proc,
        end.job.num_shadow_starts - 1,
        end.place.owner,
    );
}

fn ad(out: &mut String, end: &RunEnd<'_>, policy: &str) {
    let (place, job, run) = (end.place, end.job, end.run);
    let (cluster, workflow) = (place.cluster, place.workflow);
    let point = &place.world.preset.access_point;
    let clock = place.world.clock;
    let (start, submitted) = (clock.at(run.start), clock.at(cluster.submitted));
    let mut ad = Ad::new(out);
    let described = job.edits.corrected && job.edits.described;
    let fixed = if described { " fixed" } else { "" };
    ad.text("Arguments", format_args!("{}{fixed}", place.proc));
    ad.integer("ClusterId", cluster.id);
    ad.text("Cmd", format_args!("{}/{}", cluster.iwd, workflow.program));
    if workflow.container == Container::Singularity {
        ad.string("ContainerImage", &image(place));
    }
    ad.integer("CurrentHosts", 1);
    ad.integer("DiskProvisioned", run.disk_provisioned);
    ad.integer("DiskUsage", rounded_up(job.disk_usage));
    ad.integer("DiskUsage_RAW", job.disk_usage);
    if let Container::Docker(_) = workflow.container {
        ad.string("DockerImage", &image(place));
    }
    ad.integer("EnteredCurrentStatus", start);
    ad.text("Err", format_args!("logs/{}.err", place.proc));
    ad.put("ExitBySignal", end.exit.is_some_and(|(_, signal)| signal.is_some()));
    match end.exit {
        Some((_, Some(signal))) => ad.integer("ExitSignal", signal),
        Some((code, None)) => ad.integer("ExitCode", code),
        None => {}
    }
    ad.text(
        "GlobalJobId",
        format_args!("{}.{}#{}.{}#{}", point.host, point.domain, cluster.id, place.proc, submitted),
    );
    if let Some(held) = end.held {
        ad.string("HoldReason", &held.reason);
        ad.integer("HoldReasonCode", held.code);
        ad.integer("HoldReasonSubCode", held.subcode);
    }
    ad.integer("ImageSize", rounded_up(run.memory_mb * 1024));
    ad.integer("ImageSize_RAW", run.memory_mb * 1024);
    ad.string("In", "/dev/null");
    ad.string("Iwd", &cluster.iwd);
    ad.integer("JobCurrentStartDate", start);
    if let Some(executed) = run.execute {
        ad.integer("JobCurrentStartExecutingDate", clock.at(executed));
    }
    ad.integer("JobLeaseDuration", clock.lasting(2_400));
    ad.integer("JobPrio", 0);
    ad.integer("JobRunCount", job.num_shadow_starts);
    ad.integer("JobStatus", 2);
    ad.integer("JobUniverse", 5);
    if let Some(HoldNow { code, subcode, .. }) = job.last_hold {
        ad.integer("LastHoldReasonCode", code);
        ad.integer("LastHoldReasonSubCode", subcode);
    }
    if let Some(last) = &job.last_slot {
        ad.string("LastRemoteHost", last);
    }
    ad.string("MachineAttrGLIDEIN_Site0", &place.world.sites[run.site].name);
    ad.integer("MemoryProvisioned", run.memory_provisioned);
    // Measured from the first start on.
    if job.num_job_starts > 0 {
        ad.integer("MemoryUsage", job.memory_usage);
    }
    ad.string("MyType", "Job");
    ad.integer("NumHolds", job.num_holds);
    ad.integer("NumJobStarts", job.num_job_starts);
    ad.integer("NumShadowStarts", job.num_shadow_starts);
    match workflow.failure {
        Failure::Hold => ad.put("OnExitHold", "ExitCode =!= 0"),
        _ => ad.put("OnExitHold", false),
    }
    ad.text("Out", format_args!("logs/{}.out", place.proc));
    ad.string("Owner", place.owner);
    ad.put("PeriodicHold", if workflow.holds_itself { policy } else { "false" });
    match &workflow.periodic_release {
        Some(policy) => ad.put("PeriodicRelease", policy.expression(clock)),
        None => ad.put("PeriodicRelease", false),
    }
    ad.put("PeriodicRemove", false);
    ad.integer("ProcId", place.proc);
    ad.integer("QDate", submitted);
    ad.string("RemoteHost", &slot_name(place.world, run));
    ad.put("RemoteUserCpu", format_args!("{}.0", clock.lasting(job.cpu)));
    ad.put("RemoteWallClockTime", format_args!("{}.0", clock.at(run.end) - start));
    ad.integer("RequestCpus", 1);
    ad.integer("RequestDisk", job.edits.request_disk);
    ad.integer("RequestMemory", job.edits.request_memory);
    ad.put("Requirements", requirements(end));
    if job.num_job_starts > 0 {
        ad.integer("ResidentSetSize", rounded_up(job.memory_usage * 1024));
        ad.integer("ResidentSetSize_RAW", job.memory_usage * 1024);
    }
    ad.string("ShouldTransferFiles", if workflow.shared_filesystem { "IF_NEEDED" } else { "YES" });
    ad.integer("TotalSubmitProcs", cluster.size as i64);
    ad.string("TransferInput", &transfer_input(place, described));
    ad.text("User", format_args!("{}@{}", place.owner, point.domain));
    ad.text("UserLog", format_args!("{}/logs/{}.log", cluster.iwd, cluster.id));
}

/// Sizes as the schedd publishes them: up to a quarter more (`SCHEDD_ROUND_ATTR_*` of 25 %).
fn rounded_up(value: i64) -> i64 {
    let mut step = 1;
    while step * 8 <= value {
        step *= 2;
    }
    value.div_euclid(step).saturating_add(i64::from(value % step != 0)) * step
}

/// What the job requires of a slot.
fn requirements(end: &RunEnd<'_>) -> Cow<'static, str> {
    const PLAIN: &str = "(TARGET.Arch == \"X86_64\") && (TARGET.OpSys == \"LINUX\") && (TARGET.Disk >= RequestDisk) && (TARGET.Memory >= RequestMemory) && (TARGET.HasFileTransfer)";
    let mut text = Cow::Borrowed(PLAIN);
    for (index, site) in end.place.world.sites.iter().enumerate() {
        if end.job.edits.excluded & (1 << index) != 0 {
            let site = format!(" && (TARGET.GLIDEIN_Site =!= \"{}\")", site.name);
            text.to_mut().push_str(&site);
        }
    }
    text
}

fn transfer_input(place: &Place<'_>, described: bool) -> String {
    let mut list = String::with_capacity(160);
    for item in 0..place.workflow.input_files {
        let name = input_name(place, item as u16);
        match name.strip_prefix(INPUT.0) {
            Some(rest) if described => add(&mut list, &[INPUT.1, rest]),
            _ => add(&mut list, &[&name]),
        }
    }
    for (item, &service) in place.workflow.input_services.iter().enumerate() {
        let service: &Service = &place.world.services[service];
        let wrong = item == 0 && place.job_has_wrong_server() && !described;
        let server: &str = if wrong { &service.host.replacen('.', "s.", 1) } else { &service.host };
        add(&mut list, &[&url(place, service, item as u16, server, false)]);
    }
    list
}

/// Appends an entry to a list with commas.
fn add(list: &mut String, parts: &[&str]) {
    if !list.is_empty() {
        list.push(',');
    }
    list.extend(parts.iter().copied());
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
