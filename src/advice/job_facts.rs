//! What is known of the held job itself when changes are worked out.

use std::borrow::Cow;

use classads::{ClassAd, EvalContext, Value};

use super::Trouble;
use super::edits::Resubmits;
use super::files::{ProgramWords, WordsOf};
use super::siblings::LimitSeen;
use super::undesired::UNDESIRED;
use crate::catalogue::{self, Ends, HoldText, Reading};
use crate::checks::{Check, WordsKind};
use crate::diagnosis::{PlaceAtFault, deciding, ends};
use crate::history::reason::{canonical, machine};
use crate::history::{JobHistory, Known, disk_used, memory_used, printed};
use crate::hold_code::{About, HoldCode};
use crate::policy::OwnLimit;
use crate::sizes::Resource;
use crate::text::Foreign;
use eventlog::{JobId, fnv1a};

/// Attributes of the held job that a change depends on. All may be unknown: a log alone knows few.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFacts {
    /// ClusterId and ProcId.
    pub job: JobId,
    /// NumHolds of the ad (not a count of a log's holds, which may begin late).
    pub num_holds: Option<i64>,
    /// EnteredCurrentStatus of the ad, Unix seconds.
    pub entered_current_status: Option<i64>,
    /// RequestMemory, MiB.
    pub request_memory: Option<i64>,
    /// MemoryProvisioned of the last run, MiB.
    pub memory_provisioned: Option<i64>,
    /// Memory used by the last run as it was measured, else MemoryUsage; MiB.
    pub memory_usage: Option<i64>,
    /// RequestDisk, KiB.
    pub request_disk: Option<i64>,
    /// DiskProvisioned of the last run, KiB.
    pub disk_provisioned: Option<i64>,
    /// Disk used by the last run as it was measured, else DiskUsage; KiB.
    pub disk_usage: Option<i64>,
    /// LastRemoteHost: `slot1_1@host`.
    pub last_remote_host: Option<String>,
    /// MachineAttrGLIDEIN_ResourceName0, recorded where the pool's jobs or the access point ask for
    /// it.
    pub glidein_resource: Option<String>,
    /// MachineAttrGLIDEIN_Site0.
    pub glidein_site: Option<String>,
    /// The list of sites that the job avoids, where its pool has such a list: UNDESIRED_Sites, empty
    /// where only Requirements name it.
    pub undesired_sites: Option<String>,
    /// Why an edit of the job alone is lost for the next one.
    pub resubmits: Option<Resubmits>,
    /// The text of Requirements.
    pub requirements: Option<String>,
    /// Cmd, the executable.
    pub command: Option<String>,
    /// Iwd, the initial working directory.
    pub iwd: Option<String>,
    /// TransferInput: files and URLs with commas between them.
    pub transfer_input: Option<String>,
    /// Err with its full path.
    pub error_output: Option<String>,
    /// Err is written while the program runs: files are not transferred (ShouldTransferFiles), or Err
    /// is streamed (StreamErr).
    pub writes_in_place: bool,
    /// UserLog with its full path.
    pub user_log: Option<String>,
    /// x509userproxy.
    pub proxy: Option<String>,
    /// ContainerImage or DockerImage.
    pub image: Option<String>,
    /// What limits its runs, of [`About::Duration`]: attributes and seconds.
    pub allowed_durations: Vec<(&'static str, i64)>,
    /// RemoteWallClockTime: seconds in slots, all runs together.
    pub remote_wall_clock: Option<f64>,
    /// CumulativeSlotTime: the same weighted by SlotWeight, s.
    pub cumulative_slot_time: Option<f64>,
    /// JobRunCount: how often a shadow was started for it.
    pub job_run_count: Option<i64>,
    /// It ends with a status of its own when it has written a checkpoint, which is then kept
    /// (CheckpointExitCode, CheckpointExitSignal).
    pub writes_checkpoints: bool,
    /// The limit of its own that held it, where the ad shows one (`policy::own_limit`).
    pub own_limit: Option<OwnLimit>,
    /// What like jobs that finished show about that limit, or about its request.
    pub limit_seen: Option<LimitSeen>,
    /// The file of its hold reason, which is still not as HTCondor needs it.
    pub blocked: Option<Check>,
    /// The machine or site of its last run, where that is at fault.
    pub place_at_fault: Option<PlaceAtFault>,
    /// What its program wrote at its end, of a hold that is about that.
    pub program_words: Option<ProgramWords>,
    /// The file of its output, of output files that were never made, where that was read and says
    /// nothing of a failure.
    pub silent_output: Option<Foreign>,
    /// What the file-transfer plug-in reported, where its hold reason says less.
    pub transfer: Option<Trouble>,
    /// What the catalogue says of its hold.
    pub reading: Option<Reading>,
    /// Of which hold ([`JobFacts::key_of`]).
    pub(super) read_of: u64,
}

/// A resource of a job, MiB of memory or KiB of disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobSize {
    /// RequestMemory or RequestDisk, as it is now.
    pub(super) asked: Option<i64>,
    /// MemoryProvisioned or DiskProvisioned of the last run.
    pub(super) had: Option<i64>,
    /// MemoryUsage or DiskUsage of the last run.
    pub(super) used: Option<i64>,
}

impl JobFacts {
    /// Facts of which only the job's id is known.
    pub fn of(job: JobId) -> Self {
        Self { job, ..Self::default() }
    }

    /// The facts an ad has, but for the limit, which takes the access point's policies too. Sizes
    /// may be expressions there (`MemoryUsage`): they are evaluated on it.
    pub fn of_ad(job: JobId, ad: &ClassAd) -> Self {
        let integer = |name: &str| whole(&ad.evaluate(name, &EvalContext::quick()));
        let text = |name: &str| ad.string(name).filter(|text| !text.is_empty());
        let file = |name: &str| {
            let path = text(name).filter(|path| path != "/dev/null");
            path.and_then(|path| in_directory(text("Iwd").as_deref(), &path))
        };
        let used = |measured: Option<f64>, name: &str| {
            measured.map(Value::Real).as_ref().and_then(whole).or_else(|| integer(name))
        };
        Self {
            job,
            num_holds: integer("NumHolds"),
            entered_current_status: integer("EnteredCurrentStatus"),
            request_memory: integer("RequestMemory"),
            memory_provisioned: integer("MemoryProvisioned"),
            // The figures that the evidence gives, not the ones rounded up for publication.
            memory_usage: used(memory_used(ad), "MemoryUsage"),
            request_disk: integer("RequestDisk"),
            disk_provisioned: integer("DiskProvisioned"),
            disk_usage: used(disk_used(ad), "DiskUsage"),
            last_remote_host: text("LastRemoteHost"),
            glidein_resource: text("MachineAttrGLIDEIN_ResourceName0"),
            glidein_site: text("MachineAttrGLIDEIN_Site0"),
            undesired_sites: undesired_sites(ad),
            resubmits: Resubmits::of(ad),
            requirements: printed(ad, "Requirements"),
            command: text("Cmd"),
            iwd: text("Iwd"),
            transfer_input: text("TransferInput"),
            error_output: file("Err"),
            writes_in_place: ad.boolean("StreamErr") == Some(true)
                || text("ShouldTransferFiles").is_some_and(|when| when.eq_ignore_ascii_case("no")),
            user_log: file("UserLog"),
            proxy: text("x509userproxy"),
            image: text("ContainerImage").or_else(|| text("DockerImage")),
            allowed_durations: durations().filter_map(|of| Some((of, integer(of)?))).collect(),
            remote_wall_clock: ad.real("RemoteWallClockTime"),
            cumulative_slot_time: ad.real("CumulativeSlotTime"),
            job_run_count: integer("JobRunCount"),
            writes_checkpoints: integer("CheckpointExitCode").is_some()
                || ad.contains("CheckpointExitSignal"),
            own_limit: None,
            limit_seen: None,
            blocked: None,
            place_at_fault: None,
            program_words: None,
            silent_output: None,
            transfer: None,
            reading: None,
            read_of: 0,
        }
        .with_reading(ad)
    }

    /// With what the catalogue says of the hold that its ad tells of.
    fn with_reading(self, ad: &ClassAd) -> Self {
        let number = |name: &str| ad.integer(name).and_then(|number| i32::try_from(number).ok());
        let reason = ad.string("HoldReason").unwrap_or_default();
        let (code, subcode) = (number("HoldReasonCode"), number("HoldReasonSubCode"));
        // As the log has it, in which both are always there.
        let (code, subcode) = (code.unwrap_or(0), subcode.unwrap_or(0));
        let hold = HoldText {
            code: Some(code),
            subcode: Some(subcode),
            reason: &reason,
            error: None,
            ad: Some(ad),
        };
        let reading = catalogue::read(&hold);
        let read_of = Self::key_of(code, subcode, &reason);
        Self { reading, read_of, ..self }
    }

    /// What tells a hold from others of the job.
    pub(super) fn key_of(code: i32, subcode: i32, text: &str) -> u64 {
        fnv1a(format!("{code}/{subcode} {}", canonical(text)).as_bytes())
    }

    /// Its reading with the names of the job that the clauses ask for.
    pub(super) fn named_reading(&self) -> Option<Reading> {
        let reading = self.reading.clone()?;
        let named = reading.with(|name| match name {
            "machine" => self.last_remote_host.as_deref().map(|host| machine(host).to_owned()),
            "proxy" => self.proxy.clone(),
            "output" => self.error_output.clone(),
            "log" => self.user_log.clone(),
            "iwd" => self.iwd.clone(),
            "image" => self.image.clone(),
            _ => None,
        });
        Some(named)
    }

    /// What says most of the cause of its hold.
    pub(super) fn deciding(&self) -> Option<&Reading> {
        deciding(self.reading.as_ref(), self.said_by_program())
    }

    /// What ends it, where runs at its place or the catalogue say so.
    pub(super) fn ends(&self) -> Option<Ends> {
        ends(self.place_at_fault.as_ref(), self.deciding())
    }

    /// What the catalogue says of the line that its program ended the last run with. A line in a file
    /// of several jobs, which may be another one's, is enough to wait.
    pub(super) fn said_by_program(&self) -> Option<&Reading> {
        let ProgramWords { of, reading, .. } = self.program_words.as_ref()?;
        let counts = |reading: &&Reading| match of {
            WordsOf::ThisRun => true,
            WordsOf::SharedFile => reading.entry().ends == Ends::Time,
            WordsOf::EarlierRun => false,
        };
        reading.as_ref().filter(counts)
    }

    /// The same with the memory of its last run before `held_at` (Unix seconds) that a log shows,
    /// where its ad has none.
    pub(super) fn with_log<'a>(&'a self, job: Option<&JobHistory>, held_at: i64) -> Cow<'a, Self> {
        let logged = |own: Option<i64>, of: fn(&JobHistory) -> &[Known<i64>]| match own {
            Some(_) => None,
            None => job.and_then(|job| Known::last_at(of(job), held_at)),
        };
        let usage = logged(self.memory_usage, |job| &job.memory_usage);
        let provisioned = logged(self.memory_provisioned, |job| &job.memory_provisioned);
        if usage.or(provisioned).is_none() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            memory_usage: self.memory_usage.or(usage),
            memory_provisioned: self.memory_provisioned.or(provisioned),
            ..self.clone()
        })
    }

    /// What its program wrote until a limit ended the run: HTCondor fetches no output of such a run, so
    /// that it is there only where it was seen, or is written in place.
    pub(super) fn written(&self) -> Option<String> {
        let seen = self.program_words.as_ref().map(|words| words.path.as_given().to_owned());
        seen.or_else(|| self.error_output.clone().filter(|_| self.writes_in_place))
    }

    /// The last run of its program named a mistake of the program, its arguments or its input.
    pub(super) fn names_mistake(&self) -> bool {
        self.said().is_some_and(WordsKind::is_of_program) && self.ends().is_none_or(Ends::lasts)
    }

    /// What its program wrote at the end of its last run; not of an earlier run or a shared file.
    pub(super) fn said(&self) -> Option<WordsKind> {
        let words = self.program_words.as_ref().filter(|words| words.of == WordsOf::ThisRun)?;
        Some(words.words.says)
    }

    /// What it asks for, had and used of a resource.
    pub(super) const fn size(&self, resource: Resource) -> JobSize {
        match resource {
            Resource::Memory => JobSize {
                asked: self.request_memory,
                had: self.memory_provisioned,
                used: self.memory_usage,
            },
            Resource::Disk => JobSize {
                asked: self.request_disk,
                had: self.disk_provisioned,
                used: self.disk_usage,
            },
        }
    }

    /// Nothing shows that a higher limit or a larger request is no cure.
    pub(super) fn raise_may_help(&self) -> bool {
        !self.limit_seen.as_ref().is_some_and(LimitSeen::rules_out_raise)
    }

    /// What this attribute allows a run to take, s.
    pub(super) fn allowed(&self, attribute: &str) -> Option<i64> {
        let found = self.allowed_durations.iter().find(|(name, _)| *name == attribute);
        found.map(|(_, seconds)| *seconds).filter(|&seconds| seconds > 0)
    }

    /// The executable with its full path, where that is known.
    pub(super) fn executable(&self) -> Option<String> {
        in_directory(self.iwd.as_deref(), self.command.as_deref()?)
    }
}

/// The list of sites to avoid. One that is no text is left alone.
fn undesired_sites(ad: &ClassAd) -> Option<String> {
    match ad.get(UNDESIRED) {
        Some(list) => list.as_literal().and_then(|_| ad.string(UNDESIRED)),
        None => {
            let references = ad.get("Requirements")?.attribute_references();
            let named = references.iter().any(|one| one.name.eq_ignore_ascii_case(UNDESIRED));
            named.then(String::new)
        }
    }
}

/// The full path of a file; `None` where it is relative to a directory that is not known.
fn in_directory(directory: Option<&str>, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.to_owned());
    }
    let directory = directory.filter(|directory| directory.starts_with('/'))?;
    Some(format!("{}/{path}", directory.trim_end_matches('/')))
}

/// The attributes that limit how long a run takes.
fn durations() -> impl Iterator<Item = &'static str> {
    HoldCode::all().iter().filter_map(|code| match code.about {
        About::Duration { attribute, .. } => Some(attribute),
        _ => None,
    })
}

/// A number rounded up.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        // The range is checked, so the conversion loses only a fraction.
        Value::Real(value) if value.abs() < 9e15 => Some(value.ceil() as i64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use classads::Expr;

    use super::*;

    #[test]
    fn sizes_are_evaluated() {
        let mut ad = ClassAd::new();
        ad.insert_value("ResidentSetSize", 1_500_000);
        ad.insert("MemoryUsage", Expr::parse_old("((ResidentSetSize + 1023) / 1024)").unwrap());
        ad.insert_value("RequestDisk", 1.5);
        ad.insert("Requirements", Expr::parse_old("(TARGET.Arch == \"X86_64\")").unwrap());
        ad.insert_value("Cmd", "run.sh");
        ad.insert_value("Iwd", "/home/u");
        let facts = JobFacts::of_ad(JobId::new(1, 0), &ad);
        assert_eq!(facts.memory_usage, Some(1465));
        assert_eq!(facts.request_disk, Some(2));
        assert_eq!(facts.requirements.as_deref(), Some("(TARGET.Arch == \"X86_64\")"));
        assert_eq!(facts.executable().as_deref(), Some("/home/u/run.sh"));
        assert_eq!(facts.num_holds, None);
    }

    #[test]
    fn usage_is_the_measured_one() {
        let mut ad = ClassAd::new();
        ad.insert("MemoryUsage", Expr::parse_old("((ResidentSetSize + 1023) / 1024)").unwrap());
        for (name, kib) in [
            ("ResidentSetSize", 225_000),
            ("ResidentSetSize_RAW", 213_200),
            ("DiskUsage", 100_000),
            ("DiskUsage_RAW", 81_930),
        ] {
            ad.insert_value(name, kib);
        }
        let facts = JobFacts::of_ad(JobId::new(1, 0), &ad);
        assert_eq!((facts.memory_usage, facts.disk_usage), (Some(209), Some(81_930)));
    }
}
