//! What happens to one run of a job that starts at a given instant.

use std::cell::Cell;
use std::sync::Arc;

use super::{Cluster, Edits, Ending, Flaw, Run, Traits};
use crate::cause::{Cause, Symptom, UrlError};
use crate::random::{Dice, Spread};
use crate::world::{Container, Host, HostFault, Owner, Site, Workflow, World};

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
    fn corrected(&self) -> bool {
        self.mend_matters.set(true);
        self.edits.corrected
    }
}

type Trouble = (Cause, Symptom);

/// "Too many open files in system": the table of all processes is full.
pub(crate) const ENFILE: i32 = 23;

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
    let is_fixed = |flaw: Flaw| flaw.can_be_fixed() && subject.cluster.is_fixed(start);
    let flaw = subject.traits.flaw.filter(|&flaw| !is_fixed(flaw) && !subject.corrected());
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

pub(super) struct Attempt<'a, 'b> {
    pub(super) world: &'a World,
    pub(super) subject: &'a Subject,
    owner: &'a Owner,
    pub(super) workflow: &'a Workflow,
    pub(super) site: &'a Site,
    host: &'a Host,
    pub(super) flaw: Option<Flaw>,
    pub(super) dice: &'b mut Dice,
    pub(super) run: Run,
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

    pub(super) fn host_fault(&mut self, instant: i64) -> Option<HostFault> {
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
            if expired && !self.corrected() && self.dice.chance(0.7) {
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
        if let Some(symptom) = self.overloaded(now, true) {
            let took = self.dice.between(20, 900);
            let again = self.world.preset.overload.as_ref().map_or(0.0, |p| p.again);
            if self.dice.chance(again) {
                return Some((Ending::ShadowException { starter: false }, took));
            }
            return hold(Cause::AccessPointOverloaded, symptom, took);
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

    /// How a transfer fails because the access point is overloaded: the peer gives up
    /// (`DCTransferQueue`, `FileTransfer::DoReceiveTransferGoAhead`), or no file can be opened.
    fn overloaded(&mut self, now: i64, input: bool) -> Option<Symptom> {
        self.world.overload.strikes(now, self.dice)?;
        Some(match self.dice.below(10) {
            0..=6 => Symptom::TransferLost { input },
            7 | 8 if input => Symptom::ReadInput { errno: ENFILE, item: self.any_file() },
            7 | 8 => Symptom::WriteOutput { errno: ENFILE },
            _ => Symptom::Protocol { go_ahead: input },
        })
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
            && !cluster.is_fixed(now)
            && !self.corrected()
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
            if self.workflow.needs_credential && expired && !self.corrected() {
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
        if opens && let Some(errno) = self.full_quota(now) {
            let streamed = self.workflow.streams;
            return Some((Cause::QuotaFull, Symptom::Stdout { errno, streamed }));
        }
        None
    }

    /// Whatever the program left is sent, also after it failed.
    fn send_output(&mut self) {
        let now = self.run.end;
        let took = (self.dice.seconds(self.world.preset.jobs.transfer_seconds) / 2).clamp(1, 1_800);
        self.run.output = Some([now, now + took]);
        self.run.end = now + took + 1;
    }

    pub(super) fn corrected(&self) -> bool {
        self.subject.corrected()
    }

    /// The error number of writing while a quota is full.
    fn full_quota(&mut self, instant: i64) -> Option<i32> {
        self.world.quotas(self.owner).find_map(|quota| {
            let is_full = quota.at(instant).is_some() && !self.subject.corrected();
            is_full.then(|| quota.strikes(instant, self.dice)).flatten()
        })
    }

    fn output(&mut self) -> Option<Trouble> {
        let now = self.run.end;
        self.send_output();
        if self.flaw == Some(Flaw::TooLargeOutput) {
            return Some((Cause::TooLargeOutput, Symptom::TooLargeOutput));
        }
        if let Some(errno) = self.full_quota(now) {
            return Some((Cause::QuotaFull, Symptom::WriteOutput { errno }));
        }
        if let Some(symptom) = self.overloaded(now, false) {
            return Some((Cause::AccessPointOverloaded, symptom));
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
