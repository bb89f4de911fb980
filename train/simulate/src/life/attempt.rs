//! What happens to one run of a job that starts at a given instant.

use std::cell::Cell;
use std::sync::Arc;

use super::{Cluster, Edits, Ending, Flaw, Run, Traits};
use crate::cause::{Cause, Enforcement, Symptom, UrlError};
use crate::random::{Dice, Spread};
use crate::world::{Container, Failure, Host, HostFault, Limit, Owner, Site, Workflow, World};

/// The job that runs.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) traits: Traits,
    pub(crate) edits: Edits,
    /// When the cluster that makes this job's input made it, or will have; `None` where that is not
    /// foreseen.
    pub(crate) ready: Option<i64>,
    /// Most memory, MiB, and disk, KiB, of its runs so far: what its ad says.
    pub(crate) peak: (i64, i64),
    /// Set where a run meets something that a mend puts right.
    pub(crate) mend_matters: Cell<bool>,
}

impl Subject {
    /// A person put right what could be put right: the mistake, the quota, the credential, the
    /// missing file. To be asked last, where there is something to be put right.
    fn mended(&self) -> bool {
        self.mend_matters.set(true);
        self.edits.mended
    }
}

/// Seconds after which a policy has seen in the ad of a run that an earlier one was over its limit.
const SEEN_AGAIN: i64 = 20;

type Trouble = (Cause, Symptom);

/// One run of a job. Its shadow starts at `start`.
pub(crate) fn attempt(world: &World, subject: &Subject, start: i64, dice: &mut Dice) -> Run {
    let owner = &world.owners[subject.cluster.owner];
    let workflow = &owner.workflows[subject.cluster.workflow];
    let number = choose_site(world, subject.edits.excluded, dice);
    let site = &world.sites[number];
    let host_number = dice.below(site.hosts.len());
    let memory_provisioned =
        round_up((subject.edits.request_memory as f64 * site.memory_margin) as i64, 128);
    let run = Run {
        site: number,
        host: host_number,
        slot: 1 + dice.below(site.slots_per_host),
        start,
        end: start + 1,
        memory_provisioned,
        disk_provisioned: round_up(subject.edits.request_disk, 1024) + 1024,
        ..Run::default()
    };
    let host = &site.hosts[host_number];
    let flaw = subject.traits.flaw.filter(|_| !subject.mended());
    Attempt { world, subject, owner, workflow, site, host, flaw, dice, run }.play()
}

/// By the number of slots, among the sites that Requirements leave.
fn choose_site(world: &World, excluded: u64, dice: &mut Dice) -> usize {
    let excluded = if bits(excluded).count() < world.sites.len() { excluded } else { 0 };
    let size = |site: usize| world.sites[site].slots();
    let all = world.slots.last().copied().unwrap_or(0);
    let mut slot = dice.below(all - bits(excluded).map(size).sum::<usize>());
    // Among the open slots in order: from each excluded site before it on, its number is higher.
    for site in bits(excluded) {
        if slot >= world.slots[site] - size(site) {
            slot += size(site);
        }
    }
    world.slots.partition_point(|&up_to| up_to <= slot)
}

/// Numbers of the bits that are set, in order.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

fn round_up(value: i64, step: i64) -> i64 {
    value.div_euclid(step).saturating_add(i64::from(value % step != 0)) * step
}

struct Attempt<'a, 'b> {
    world: &'a World,
    subject: &'a Subject,
    owner: &'a Owner,
    workflow: &'a Workflow,
    site: &'a Site,
    host: &'a Host,
    flaw: Option<Flaw>,
    dice: &'b mut Dice,
    run: Run,
}

impl Attempt<'_, '_> {
    fn play(mut self) -> Run {
        if let Some(trouble) = self.shadow() {
            self.run.end = self.run.start + self.dice.between(1, 4);
            return self.held(trouble);
        }
        if self.dice.chance(self.world.preset.sites.shadow_exception) {
            self.run.end = self.run.start + self.dice.between(5, 400);
            return self.end(Ending::ShadowException { starter: false });
        }
        if let Some(ended) = self.input() {
            return self.end(ended);
        }
        if let Some(trouble) = self.launch() {
            // The shadow writes event 001 before the starter finds that the program does not start.
            let began = self.run.end + self.dice.between(1, 4);
            self.run.execute = Some(began);
            self.run.end = began + self.dice.between(1, 20);
            return self.held(trouble);
        }
        if let Some(ended) = self.execution() {
            if let Ending::Exit { .. }
            | Ending::Held(_, Symptom::ExitHold { .. } | Symptom::MissingOutput) = ended
            {
                self.send_output();
            }
            return self.end(ended);
        }
        if let Some(trouble) = self.output() {
            return self.held(trouble);
        }
        self.end(Ending::Success)
    }

    fn held(self, (cause, symptom): Trouble) -> Run {
        self.end(Ending::Held(cause, symptom))
    }

    fn end(mut self, ending: Ending) -> Run {
        self.run.ending = ending;
        let end = self.run.end;
        for size in &mut self.run.sizes {
            *size = size.filter(|&(time, _)| time < end);
        }
        self.run
    }

    fn host_fault(&mut self, instant: i64) -> Option<HostFault> {
        self.host.faults.strikes(instant, self.dice)
    }

    fn filesystem_fault(&mut self, instant: i64) -> Option<i32> {
        self.world.filesystems[self.owner.filesystem].faults.strikes(instant, self.dice)
    }

    /// What the shadow meets before anything is sent.
    fn shadow(&mut self) -> Option<Trouble> {
        let now = self.run.start;
        if self.flaw == Some(Flaw::MissingFolder) {
            return Some((Cause::MissingFolder, Symptom::Iwd { errno: 2 }));
        }
        if let Some(errno) = self.filesystem_fault(now)
            && errno != 28
            && self.dice.chance(0.3)
        {
            let symptom =
                if self.dice.chance(0.1) { Symptom::USER_LOG } else { Symptom::Iwd { errno } };
            return Some((Cause::FilesystemOutage, symptom));
        }
        if self.workflow.needs_credential {
            if self.flaw == Some(Flaw::NoCredential) {
                return Some((Cause::CredentialMissing, Symptom::CREDENTIAL));
            }
            let expired = self.owner.credential.at(now).is_some();
            if expired && !self.mended() && self.dice.chance(0.7) {
                return Some((Cause::CredentialExpired, Symptom::CREDENTIAL));
            }
        }
        if self.dice.chance(0.0006) {
            return Some((Cause::Background, Symptom::PrepareHook));
        }
        None
    }

    /// Input: queue, local files, URLs.
    fn input(&mut self) -> Option<Ending> {
        let seconds = self.world.preset.jobs.transfer_seconds;
        let queued = self.run.start + self.dice.between(1, 5);
        let started = queued
            + if self.dice.chance(0.2) {
                self.dice.seconds(Spread { median: 40.0, sigma: 1.2 })
            } else {
                0
            };
        let usual = self.dice.seconds(seconds).min(3_600);
        let (trouble, took) = self.input_trouble(started).unzip();
        let finished = started + took.unwrap_or(usual).max(1);
        self.run.input = Some([queued, started, finished]);
        self.run.end = finished;
        trouble
    }

    fn input_trouble(&mut self, now: i64) -> Option<(Ending, i64)> {
        let hold = |cause, symptom, took: i64| Some((Ending::Held(cause, symptom), took));
        if self.flaw == Some(Flaw::TooLargeInput) {
            return hold(Cause::TooLargeInput, Symptom::TooLargeInput, 30);
        }
        if let Some((cause, symptom)) = self.local_input(now) {
            return hold(cause, symptom, self.dice.between(1, 25));
        }
        let fault = self.host_fault(now);
        if fault == Some(HostFault::DiskFull) {
            let item = self.any_file();
            return hold(Cause::BadHost, Symptom::WriteInput { errno: 28, item }, 15);
        }
        if fault == Some(HostFault::Starter) {
            return Some((Ending::ShadowException { starter: true }, 3));
        }
        if self.site.network.strikes(now, self.dice).is_some() {
            let took = self.dice.between(20, 900);
            if self.dice.chance(0.5) {
                return Some((Ending::ShadowException { starter: false }, took));
            }
            let symptom = if self.dice.chance(0.8) {
                Symptom::TransferLost { input: true }
            } else {
                Symptom::Protocol { go_ahead: self.dice.chance(0.6) }
            };
            return hold(Cause::SiteNetworkOutage, symptom, took);
        }
        if self.dice.chance(0.0008) {
            return hold(Cause::Background, Symptom::TransferLost { input: true }, 60);
        }
        let (cause, symptom, took) = self.urls(now, fault)?;
        hold(cause, symptom, took)
    }

    fn any_file(&mut self) -> u16 {
        self.dice.below(self.workflow.input_files) as u16
    }

    fn local_input(&mut self, now: i64) -> Option<Trouble> {
        let item = self.any_file();
        let first = match self.flaw {
            Some(Flaw::WrongPath) => Some((Cause::WrongPath, 2)),
            Some(Flaw::DeletedInput) => Some((Cause::DeletedInput, 2)),
            Some(Flaw::UnreadableInput) => Some((Cause::UnreadableInput, 13)),
            _ if self.awaits_producer(now, false) => Some((Cause::NotYetProduced, 2)),
            _ => None,
        };
        if let Some((cause, errno)) = first {
            return Some((cause, Symptom::ReadInput { errno, item: 0 }));
        }
        let errno = self.filesystem_fault(now).filter(|errno| *errno != 28)?;
        Some((Cause::FilesystemOutage, Symptom::ReadInput { errno, item }))
    }

    /// The cluster that makes this job's input, by URL or as a file, has not made it.
    fn awaits_producer(&self, now: i64, by_url: bool) -> bool {
        let cluster = &self.subject.cluster;
        cluster.producer.is_some()
            && cluster.producer_by_url == by_url
            && self.subject.ready.is_none_or(|ready| now < ready)
            && !self.mended()
    }

    fn urls(&mut self, now: i64, fault: Option<HostFault>) -> Option<(Cause, Symptom, i64)> {
        for (item, &service) in self.workflow.input_services.iter().enumerate() {
            let item = item as u16;
            let fetch = |error| Symptom::FetchUrl { error, item, wrong: false };
            let wrong = |error| Symptom::FetchUrl { error, item, wrong: true };
            let missing = UrlError::Status(404);
            if item == 0 {
                let flawed = match self.flaw {
                    Some(Flaw::WrongUrl) => Some((Cause::WrongUrl, wrong(missing), 3)),
                    Some(Flaw::WrongServer { port: false }) => {
                        Some((Cause::WrongServer, wrong(UrlError::Unresolved), 45))
                    }
                    Some(Flaw::WrongServer { port: true }) => {
                        let timed_out = self.subject.cluster.id % 3 == 0;
                        let error = if timed_out { UrlError::TimedOut } else { UrlError::Refused };
                        Some((Cause::WrongServer, wrong(error), 200))
                    }
                    Some(Flaw::ForbiddenUrl) => {
                        Some((Cause::ForbiddenUrl, fetch(UrlError::Status(403)), 3))
                    }
                    _ if self.awaits_producer(now, true) => {
                        Some((Cause::NotYetProduced, fetch(missing), 3))
                    }
                    _ => None,
                };
                if flawed.is_some() {
                    return flawed;
                }
            }
            if self.site.walled & (1 << service) != 0 {
                let error = if service % 2 == 0 { UrlError::TimedOut } else { UrlError::Refused };
                return Some((Cause::Firewall, fetch(error), 220));
            }
            let expired = self.owner.credential.at(now).is_some();
            if self.workflow.needs_credential && expired && !self.mended() {
                let status = if self.dice.chance(0.6) { 403 } else { 401 };
                return Some((Cause::CredentialExpired, fetch(UrlError::Status(status)), 4));
            }
            if fault == Some(HostFault::NoPlugin) {
                return Some((Cause::BadHost, Symptom::NoPlugin { item }, 2));
            }
            if fault == Some(HostFault::Clock) {
                return Some((Cause::BadHost, fetch(UrlError::Certificate), 5));
            }
            if let Some(fault) = self.world.services[service].faults.strikes(now, self.dice) {
                let took = self.dice.between(5, 240);
                return Some((Cause::ServiceOutage, fetch(fault), took));
            }
            if self.dice.chance(self.world.preset.services.background) {
                let error = *self.dice.pick(&[
                    UrlError::TimedOut,
                    UrlError::Reset,
                    UrlError::Status(500),
                    UrlError::Refused,
                ]);
                return Some((Cause::Background, fetch(error), 90));
            }
        }
        None
    }

    /// From the input to the first instruction of the program.
    fn launch(&mut self) -> Option<Trouble> {
        let now = self.run.end;
        let fault = self.host_fault(now);
        match self.workflow.container {
            Container::Docker(registry) => {
                if self.flaw == Some(Flaw::BadImage) {
                    return Some((Cause::BadImage, Symptom::Image { missing: true }));
                }
                if self.world.registries[registry].strikes(now, self.dice).is_some() {
                    let missing = self.dice.chance(0.3);
                    return Some((Cause::RegistryOutage, Symptom::Image { missing }));
                }
                if fault == Some(HostFault::Containers) {
                    return Some((Cause::BadHost, Symptom::Image { missing: false }));
                }
            }
            Container::Singularity => {
                if self.flaw == Some(Flaw::BadImage) {
                    return Some((Cause::BadImage, Symptom::Singularity { missing: true }));
                }
                if fault == Some(HostFault::Containers) {
                    let missing = self.dice.chance(0.4);
                    return Some((Cause::BadHost, Symptom::Singularity { missing }));
                }
            }
            Container::None => {
                if let Some(errno) = match (self.flaw, fault) {
                    (Some(Flaw::BadInterpreter), _) => Some((Cause::BadInterpreter, 2)),
                    (Some(Flaw::WrongFormat), _) => Some((Cause::WrongFormat, 8)),
                    (Some(Flaw::NotExecutable), _) => Some((Cause::NotExecutable, 13)),
                    (_, Some(HostFault::NoExecution)) => Some((Cause::BadHost, 13)),
                    (_, Some(HostFault::NoInterpreter)) => Some((Cause::BadHost, 2)),
                    _ => None,
                } {
                    return Some((errno.0, Symptom::Execute { errno: errno.1 }));
                }
                if let Some(software) = self.workflow.software
                    && software < 4
                    && self.site.lacks & (1 << software) != 0
                {
                    return Some((Cause::SiteLacksSoftware, Symptom::Execute { errno: 2 }));
                }
                if self.site.other_architecture && self.workflow.software.is_some() {
                    return Some((Cause::SiteLacksSoftware, Symptom::Execute { errno: 8 }));
                }
            }
        }
        if self.workflow.shared_filesystem
            && let Some(errno) = self.filesystem_fault(now)
        {
            let symptom = if self.dice.chance(0.5) {
                Symptom::Execute { errno: if errno == 28 { 110 } else { errno } }
            } else {
                Symptom::Stdout { errno, streamed: false }
            };
            return Some((Cause::FilesystemOutage, symptom));
        }
        if self.flaw == Some(Flaw::MissingStdoutFolder) {
            let symptom = Symptom::Stdout { errno: 2, streamed: false };
            return Some((Cause::MissingStdoutFolder, symptom));
        }
        let opens = self.workflow.shared_filesystem || self.workflow.streams;
        if opens && self.quota_is_full(now) {
            let streamed = self.workflow.streams;
            return Some((Cause::QuotaFull, Symptom::Stdout { errno: 122, streamed }));
        }
        None
    }

    /// The program runs, up to its last instruction.
    fn execution(&mut self) -> Option<Ending> {
        let noise = self.world.preset.jobs.run_minutes_between_runs;
        let began = self.run.end + self.dice.between(1, 4);
        self.run.execute = Some(began);
        let slowness = (noise * self.dice.normal()).exp() / self.site.speed;
        let full = ((self.subject.traits.run * slowness) as i64).max(5);
        let memory = self.subject.traits.memory
            * (self.workflow.memory_between_runs * self.dice.normal()).exp();
        let disk =
            self.subject.traits.disk * (self.workflow.disk_between_runs * self.dice.normal()).exp();

        // What would end it first, and when.
        let mut first: Option<(i64, Ending)> = None;
        let mut offer = |at: i64, ending: Ending| {
            if at < full && first.is_none_or(|(earlier, _)| at < earlier) {
                first = Some((at, ending));
            }
        };
        let hours = full as f64 / 3_600.0;
        if self.dice.chance(1.0 - (-self.site.preemptions_per_hour * hours).exp()) {
            offer(self.dice.below(full as usize) as i64, Ending::Evicted);
        }
        let limit = self.run.memory_provisioned;
        let (peak_memory, peak_disk) = self.subject.peak;
        if memory.max(peak_memory as f64) > limit as f64
            && let Some(by) = self.memory_enforcement()
            && let Some((at, used)) = self.over(by, memory, limit, peak_memory, full, 0.05)
        {
            let varies = self.subject.traits.memory <= limit as f64 * 1.02;
            let cause = if varies { Cause::MemoryVaries } else { Cause::MemoryTooSmall };
            offer(at, Ending::Held(cause, Symptom::Memory { by, limit, used }));
        }
        let limit = self.run.disk_provisioned;
        if disk.max(peak_disk as f64) > limit as f64
            && let Some(by) = self.site.disk
            && let Some((at, used)) = self.over(by, disk, limit, peak_disk, full, 0.1)
        {
            let varies = self.subject.traits.disk <= limit as f64 * 1.02;
            let cause = if varies { Cause::DiskVaries } else { Cause::DiskTooSmall };
            offer(at, Ending::Held(cause, Symptom::Disk { by, limit, used }));
        }
        let slow = |limit: f64| match self.subject.traits.run <= limit {
            true => Cause::SlowSite,
            false => Cause::TooLong,
        };
        // A limit of the owner's own can be raised.
        let own = |by: Limit| matches!(by, Limit::Policy);
        let limit = self.workflow.duration_limit.filter(|&(_, by)| !(own(by) && self.mended()));
        if let Some((limit, by)) = limit {
            let cause = slow(limit as f64);
            let symptom = match by {
                Limit::Job => Symptom::JobDuration { limit },
                Limit::Execution => Symptom::ExecuteDuration { limit },
                Limit::Policy => Symptom::OwnLimit { limit },
            };
            offer(limit + self.dice.between(1, 60), Ending::Held(cause, symptom));
        }
        if let Some(hours) = self.site.longest_hours {
            let cause = slow(hours as f64 * 3_600.0);
            let symptom = Symptom::StartdLimit { hours };
            offer(hours * 3_600 + 30, Ending::Held(cause, symptom));
        }
        if self.flaw == Some(Flaw::CpuOveruse) {
            let symptom = Symptom::Cpus { used: 2 + self.dice.below(14) as i64 };
            offer(900 + full / 10, Ending::Held(Cause::CpuOveruse, symptom));
        }
        if let Some((cause, share)) = self.program_failure(began) {
            offer((full as f64 * share) as i64, self.failure(cause));
        }
        let lost = self.dice.chance(self.world.preset.sites.disconnect)
            || self.site.network.at(began + full / 2).is_some() && self.dice.chance(0.1);
        if lost {
            let at = self.dice.below(full as usize) as i64;
            if self.dice.chance(0.55) {
                self.run.lost = Some((began + at, Some(began + at + self.dice.between(20, 1_500))));
            } else {
                self.run.lost = Some((began + at, None));
                offer(at + 2_400, Ending::ReconnectFailed);
            }
        }

        let (at, ending) = first.unzip();
        let took = at.map_or(full, |at| at.max(1));
        let end = began + took;
        let progress = took as f64 / full as f64;
        self.run.memory_mb = match ending {
            Some(Ending::Held(_, Symptom::Memory { used, .. })) => used,
            _ => ((memory * (0.4 + 0.6 * progress)) as i64)
                .clamp(1, self.run.memory_provisioned.max(memory as i64)),
        };
        self.run.disk_kb = ((disk * (0.3 + 0.7 * progress)) as i64).max(16);
        self.run.end = end;
        match self.run.lost {
            Some((at, Some(_))) if at >= end => self.run.lost = None,
            Some((at, Some(back))) if back >= end => self.run.lost = Some((at, Some(end - 1))),
            Some((_, None)) if ending != Some(Ending::ReconnectFailed) => self.run.lost = None,
            _ => {}
        }
        if self.run.lost.is_some_and(|(at, back)| back.is_some_and(|back| back <= at)) {
            self.run.lost = None;
        }
        let mut at = began + self.dice.between(8, 30).min(took);
        for (size, step) in self.run.sizes.iter_mut().zip([0.35, 0.8, 1.0]) {
            *size = (at < end).then(|| (at, ((self.run.memory_mb as f64 * step) as i64).max(1)));
            at += ((end - began) as f64 * 0.4) as i64 + 300;
        }
        ending
    }

    /// When a run that will use `most` is held for it, from a share of its time on, and what it has
    /// used by then. A policy sees the peak of earlier runs in the ad.
    fn over(
        &mut self,
        by: Enforcement,
        most: f64,
        limit: i64,
        peak: i64,
        full: i64,
        from: f64,
    ) -> Option<(i64, i64)> {
        if most <= limit as f64 && !by.is_policy() {
            return None;
        }
        let used = if by == Enforcement::CgroupOld { limit } else { most as i64 };
        let at = (full as f64 * (from + 0.9 * self.dice.unit())) as i64;
        let again = by.is_policy() && peak > limit;
        Some(if again { (at.min(SEEN_AGAIN), peak.max(used)) } else { (at, used) })
    }

    fn memory_enforcement(&mut self) -> Option<Enforcement> {
        if self.workflow.holds_itself {
            return Some(Enforcement::JobPolicy);
        }
        self.site.memory.or_else(|| self.dice.chance(0.5).then_some(Enforcement::SystemPolicy))
    }

    /// Why the program fails, and after which share of its time.
    fn program_failure(&mut self, now: i64) -> Option<(Cause, f64)> {
        if self.subject.traits.bug && !self.mended() {
            return Some((Cause::Bug, 0.3 + 0.6 * self.dice.unit()));
        }
        if self.host_fault(now) == Some(HostFault::KillsPrograms) {
            return Some((Cause::BadHost, 0.01));
        }
        if let Some(software) = self.workflow.software
            && self.workflow.container == Container::None
        {
            if self.site.lacks & (1 << software) != 0 {
                return Some((Cause::SiteLacksSoftware, 0.01));
            }
            if self.site.software.strikes(now, self.dice).is_some() {
                return Some((Cause::SiteSoftwareOutage, 0.02));
            }
        }
        if let Some(service) = self.workflow.runtime_service
            && self.world.runtime_services[service].strikes(now, self.dice).is_some()
        {
            return Some((Cause::RuntimeService, 0.03));
        }
        if self.dice.chance(self.workflow.flaky) {
            return Some((Cause::Flaky, self.dice.unit() * 0.95));
        }
        None
    }

    fn failure(&mut self, cause: Cause) -> Ending {
        if cause == Cause::SiteSoftwareOutage && self.dice.chance(0.25) {
            return Ending::Held(cause, Symptom::CVMFS);
        }
        let signal = self.workflow.signal.filter(|_| matches!(cause, Cause::Bug | Cause::Flaky));
        let code = match cause {
            Cause::Bug | Cause::Flaky => self.workflow.exit_code,
            // EX_TEMPFAIL of sysexits.h, where a program tells it apart.
            Cause::RuntimeService if self.workflow.tells_temporary => 75,
            Cause::RuntimeService => 1,
            // The shell's codes for a command that is not there; programs that catch it say 1.
            _ if self.dice.chance(0.3) => 127,
            _ => self.workflow.exit_code,
        };
        match self.workflow.failure {
            Failure::Hold => Ending::Held(cause, Symptom::ExitHold { code, signal }),
            Failure::MissingOutput => Ending::Held(cause, Symptom::MissingOutput),
            Failure::ExitCode => Ending::Exit { code, signal },
        }
    }

    /// Whatever the program left is sent, also after it failed.
    fn send_output(&mut self) {
        let now = self.run.end;
        let took = (self.dice.seconds(self.world.preset.jobs.transfer_seconds) / 2).clamp(1, 1_800);
        self.run.output = Some([now, now + took]);
        self.run.end = now + took + 1;
    }

    fn mended(&self) -> bool {
        self.subject.mended()
    }

    fn quota_is_full(&mut self, instant: i64) -> bool {
        let quota = &self.owner.quota;
        quota.at(instant).is_some() && !self.mended() && quota.strikes(instant, self.dice).is_some()
    }

    fn output(&mut self) -> Option<Trouble> {
        let now = self.run.end;
        self.send_output();
        if self.flaw == Some(Flaw::TooLargeOutput) {
            return Some((Cause::TooLargeOutput, Symptom::TooLargeOutput));
        }
        if self.quota_is_full(now) {
            return Some((Cause::QuotaFull, Symptom::WriteOutput { errno: 122 }));
        }
        if let Some(errno) = self.filesystem_fault(now) {
            return Some((Cause::FilesystemOutage, Symptom::WriteOutput { errno }));
        }
        if let Some(service) = self.workflow.output_service {
            if self.site.walled & (1 << service) != 0 {
                return Some((Cause::Firewall, Symptom::PutUrl { error: UrlError::TimedOut }));
            }
            if let Some(fault) = self.world.services[service].faults.strikes(now, self.dice) {
                return Some((Cause::ServiceOutage, Symptom::PutUrl { error: fault }));
            }
        }
        if self.site.network.strikes(now, self.dice).is_some() && self.dice.chance(0.6) {
            return Some((Cause::SiteNetworkOutage, Symptom::TransferLost { input: false }));
        }
        None
    }
}
