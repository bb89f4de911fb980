//! What is known of the held job itself when changes are worked out.

use crate::userlog::JobId;

/// Attributes of the held job that a change depends on. All may be unknown: a log alone knows few.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFacts {
    /// ClusterId and ProcId.
    pub job: JobId,
    /// NumHolds of the ad (not a count of a log's holds, which may begin late).
    pub num_holds: Option<i64>,
    /// RequestMemory, MiB.
    pub request_memory: Option<i64>,
    /// MemoryProvisioned of the last run, MiB.
    pub memory_provisioned: Option<i64>,
    /// MemoryUsage, MiB.
    pub memory_usage: Option<i64>,
    /// RequestDisk, KiB.
    pub request_disk: Option<i64>,
    /// DiskProvisioned of the last run, KiB.
    pub disk_provisioned: Option<i64>,
    /// DiskUsage, KiB.
    pub disk_usage: Option<i64>,
    /// LastRemoteHost: `slot1_1@host`.
    pub last_remote_host: Option<String>,
    /// MachineAttrGLIDEIN_ResourceName0, recorded where the pool's jobs or the access point ask for it.
    pub glidein_resource: Option<String>,
    /// MachineAttrGLIDEIN_Site0.
    pub glidein_site: Option<String>,
    /// The text of Requirements.
    pub requirements: Option<String>,
    /// Cmd, the executable.
    pub command: Option<String>,
    /// Iwd, the initial working directory.
    pub iwd: Option<String>,
    /// x509userproxy.
    pub proxy: Option<String>,
    /// ContainerImage or DockerImage.
    pub image: Option<String>,
    /// AllowedJobDuration, s.
    pub allowed_job_duration: Option<i64>,
    /// AllowedExecuteDuration, s.
    pub allowed_execute_duration: Option<i64>,
}

impl JobFacts {
    /// Facts of which only the job's id is known.
    pub fn of(job: JobId) -> Self {
        Self { job, ..Self::default() }
    }

    /// The executable with its full path, where that is known.
    pub(super) fn executable(&self) -> Option<String> {
        let command = self.command.as_deref()?;
        if command.starts_with('/') {
            return Some(command.to_owned());
        }
        let iwd = self.iwd.as_deref().filter(|iwd| iwd.starts_with('/'))?;
        Some(format!("{}/{command}", iwd.trim_end_matches('/')))
    }
}
