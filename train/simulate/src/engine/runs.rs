//! Runs of jobs: their start, their moments, their end.

use std::borrow::Cow;

use eventlog::{
    Body, CpuUsage, Disconnected, Evicted, Execute, FileTransfer, FileTransferKind as Kind,
    ImageSize, ReconnectFailed, Reconnected, RemoteError, Resource, ShadowException, Terminated,
};

use super::epoch::{RunEnd, ad_of_run};
use super::{Item, Job, Moment, Purpose, Simulation, Status, Underway};
use crate::engine::act::Event;
use crate::error::Result;
use crate::life::{Edits, Ending, Run, attempt};
use crate::reason::{self, Wording, Written, slot_name};
use crate::world::Clock;

impl Simulation {
    /// A shadow starts for an idle job, unless all slots are taken.
    pub(super) fn start(&mut self, job: usize) -> Result<()> {
        let generation = self.jobs[job].generation;
        if self.running >= self.slots {
            self.share_chance(Purpose::Slot, job, self.now);
            let after = self.chances.run.exponential(600.0) as i64 + 5;
            self.queue.push(self.now + after, Item::Start { job, generation });
            return Ok(());
        }
        let subject = self.subject(job);
        self.share_chance(Purpose::Run, job, self.jobs[job].num_shadow_starts);
        let run = attempt(&self.world, &subject, self.now, &mut self.chances.run);
        self.running += 1;
        let state = &mut self.jobs[job];
        state.status = Status::Running;
        state.entered = self.now;
        state.num_shadow_starts += 1;
        state.num_job_starts += i64::from(run.execute.is_some());
        if run.ending == Ending::Success {
            state.done_at = Some(run.end);
        }
        let underway = Underway::of(run);
        let first = underway.moments[0].0;
        state.underway = Some(Box::new(underway));
        self.queue.push(first, Item::Run { job, generation });
        Ok(())
    }

    /// The next moment of a run.
    pub(super) fn moment(&mut self, job: usize) -> Result<()> {
        let Some(underway) = &mut self.jobs[job].underway else { return Ok(()) };
        let (_, moment) = underway.moments[underway.next];
        underway.next += 1;
        let next = underway.moments.get(underway.next).map(|(time, _)| *time);
        match moment {
            Moment::End => return self.end(job),
            Moment::Transfer(kind) => self.transfer(job, kind)?,
            Moment::Execute => self.execute(job)?,
            Moment::Size(memory) => {
                let usage = &mut self.jobs[job].memory_usage;
                *usage = memory.max(*usage);
                let memory = *usage;
                let kib = memory * 1024;
                let size = ImageSize {
                    image_size_kb: Some(kib + kib / 8),
                    memory_usage_mb: Some(memory),
                    resident_set_size_kb: Some(kib),
                    ..ImageSize::default()
                };
                self.event(job, &Body::ImageSize(size))?;
            }
            Moment::Disconnected => self.connection(job, true)?,
            Moment::Reconnected => self.connection(job, false)?,
        }
        if let Some(time) = next {
            let generation = self.jobs[job].generation;
            self.queue.push(time, Item::Run { job, generation });
        }
        Ok(())
    }

    fn transfer(&mut self, job: usize, kind: Kind) -> Result<()> {
        let Some(run) = self.run_of(job) else { return Ok(()) };
        let host = matches!(kind, Kind::InputStarted | Kind::OutputStarted);
        let host = host.then(|| self.slot_address(run));
        let clock = self.world.clock;
        let waited = run.input.map(|[queued, started, _]| clock.lasting(started - queued));
        let waited = waited.filter(|&waited| kind == Kind::InputStarted && waited > 0);
        let seconds_in_queue = waited.map(i64::unsigned_abs);
        let host = host.as_deref().map(Into::into);
        let transfer = FileTransfer { kind: Some(kind), host, seconds_in_queue };
        self.event(job, &Body::FileTransfer(transfer))
    }

    fn execute(&mut self, job: usize) -> Result<()> {
        let Some(run) = self.run_of(job) else { return Ok(()) };
        let address = self.slot_address(run);
        let slot = slot_name(&self.world, run);
        let scratch = &self.world.sites[run.site].scratch;
        let directory = format!("\"{scratch}/dir_{}\"", 1_000 + run.start.rem_euclid(3_000_000));
        let (memory, disk) = (run.memory_provisioned.to_string(), run.disk_provisioned.to_string());
        let body = Body::Execute(Execute {
            execute_host: address.as_str().into(),
            slot_name: Some(slot.as_str().into()),
            properties: vec![
                ("CondorScratchDir".into(), directory.as_str().into()),
                ("Cpus".into(), "1".into()),
                ("Disk".into(), disk.as_str().into()),
                ("Memory".into(), memory.as_str().into()),
            ],
        });
        self.event(job, &body)
    }

    /// The shadow loses the run, or finds it again.
    fn connection(&mut self, job: usize, lost: bool) -> Result<()> {
        let Some(run) = self.run_of(job) else { return Ok(()) };
        let (slot, address) = (slot_name(&self.world, run), self.slot_address(run));
        let (startd_name, startd_address) = (slot.as_str().into(), Some(address.as_str().into()));
        let body = if lost {
            Body::Disconnected(Disconnected {
                reason: "Socket between submit and execute hosts closed unexpectedly".into(),
                startd_name: Some(startd_name),
                startd_address,
                ..Disconnected::default()
            })
        } else {
            let starter_address = startd_address.clone();
            Body::Reconnected(Reconnected { startd_name, startd_address, starter_address })
        };
        self.event(job, &body)
    }

    fn run_of(&self, job: usize) -> Option<&Run> {
        self.jobs[job].underway.as_ref().map(|underway| &underway.run)
    }

    fn slot_address(&self, run: &Run) -> String {
        let host = &self.world.sites[run.site].hosts[run.host];
        format!("{}{:04x}>", host.startd, run.start & 0xffff)
    }

    /// A run comes to its end: events, the epoch ad, the state after.
    fn end(&mut self, job: usize) -> Result<()> {
        let Some(run) = self.run_of(job).cloned() else { return Ok(()) };
        let run = Run { end: self.now, ..run };
        self.running -= 1;
        let state = &mut self.jobs[job];
        if let Some(began) = run.execute {
            state.cpu += run.end - began;
            state.memory_usage = run.memory_mb.max(state.memory_usage).max(1);
            state.disk_usage = run.disk_kb.max(state.disk_usage);
            state.bytes_sent += (run.disk_kb as u64) * 64;
        }
        state.bytes_received += 30_000 + (run.disk_kb as u64) * 128;
        state.last_site = Some(run.site);
        self.share_chance(Purpose::Words, job, self.jobs[job].num_shadow_starts);
        let wording = self.wording();
        match run.ending {
            Ending::Held(cause, symptom) => {
                let state = &self.jobs[job];
                let cluster = &self.clusters[state.cluster];
                let place = super::place(&self.world, cluster, state, Some(&run), wording);
                let written = reason::write(&place, &symptom, &mut self.chances.words);
                self.before_hold(job, &run, wording, &written)?;
                let exit = match symptom {
                    crate::cause::Symptom::ExitHold { code, signal } => Some((code, signal)),
                    _ => None,
                };
                self.epoch(job, &run, Some(&written), exit)?;
                self.hold(job, cause, symptom, &written)
            }
            Ending::Success => self.terminated(job, &run, 0, None),
            Ending::Exit { code, signal } => self.terminated(job, &run, code, signal),
            Ending::Evicted => {
                let coded = wording >= Wording::V23;
                let body = Body::Evicted(Evicted {
                    reason: coded.then(|| "Preempted for a Priority user".into()),
                    code: coded.then_some(1_007),
                    subcode: coded.then_some(0),
                    ..evicted(self.world.clock, &self.jobs[job], &run)
                });
                self.requeue(job, &run, &body)
            }
            Ending::ShadowException { starter } => {
                let slot = slot_name(&self.world, &run);
                let message = if starter {
                    format!("Error from {slot}: Failed to create a user nobody")
                } else {
                    "Error from starter: socket closed by the peer, job did not start".to_owned()
                };
                let body = Body::ShadowException(ShadowException {
                    message: message.as_str().into(),
                    bytes_sent: Some(0),
                    bytes_received: Some(0),
                });
                self.requeue(job, &run, &body)
            }
            Ending::ReconnectFailed => {
                let slot = slot_name(&self.world, &run);
                let lease = self.world.clock.lasting(2_400);
                let reason = format!(
                    "Job disconnected too long: JobLeaseDuration ({lease} seconds) expired"
                );
                let body = Body::ReconnectFailed(ReconnectFailed {
                    reason: reason.as_str().into(),
                    startd_name: Some(slot.as_str().into()),
                });
                self.requeue(job, &run, &body)
            }
        }
    }

    /// The events that come before a hold that the starter or a transfer makes: 007 in older
    /// versions, 021 and 004 since 23 (as recorded on a pool of 23.9). Policies and the shadow hold
    /// without.
    fn before_hold(
        &mut self,
        job: usize,
        run: &Run,
        wording: Wording,
        written: &Written,
    ) -> Result<()> {
        if !written.by_starter && !matches!(written.code, 12 | 13 | 32 | 33) {
            return Ok(());
        }
        let slot = slot_name(&self.world, run);
        if wording < Wording::V23 {
            let from =
                if written.by_starter { format!("Error from {slot}: ") } else { String::new() };
            let message = from + &written.raw;
            let body = Body::ShadowException(ShadowException {
                message: message.as_str().into(),
                bytes_sent: Some(0),
                bytes_received: Some(self.jobs[job].bytes_received),
            });
            return self.event(job, &body);
        }
        let body = Body::RemoteError(RemoteError {
            critical: true,
            daemon: "starter".into(),
            execute_host: slot.as_str().into(),
            message: written.raw.as_str().into(),
            code: Some(written.code),
            subcode: Some(written.subcode),
            ..RemoteError::default()
        });
        self.event(job, &body)?;
        let body = Body::Evicted(Evicted {
            reason: Some(written.reason.as_str().into()),
            ..evicted(self.world.clock, &self.jobs[job], run)
        });
        self.event(job, &body)
    }

    fn terminated(&mut self, job: usize, run: &Run, code: i32, signal: Option<i32>) -> Result<()> {
        self.epoch(job, run, None, Some((code, signal)))?;
        let state = &self.jobs[job];
        let clock = self.world.clock;
        let cpu = usage(clock.lasting(run.execute.map_or(0, |began| run.end - began)));
        let body = Body::Terminated(Terminated {
            return_value: signal.is_none().then_some(code),
            signal,
            run_remote: cpu,
            total_remote: usage(clock.lasting(state.cpu)),
            bytes_sent: Some(run.disk_kb.unsigned_abs() * 64),
            bytes_received: Some(30_000 + run.disk_kb.unsigned_abs() * 128),
            total_bytes_sent: Some(state.bytes_sent),
            total_bytes_received: Some(state.bytes_received),
            resources: resources(state, run),
            ..Terminated::default()
        });
        self.event(job, &body)?;
        let success = code == 0 && signal.is_none();
        self.note(job, Event::Ended { success, run: self.run_hours(job) });
        let state = &mut self.jobs[job];
        state.underway = None;
        state.status = Status::Completed;
        state.generation += 1;
        if !success {
            state.done_at = None;
        }
        self.resolve(job, success)
    }

    fn requeue(&mut self, job: usize, run: &Run, last: &Body<'_>) -> Result<()> {
        self.event(job, last)?;
        self.epoch(job, run, None, None)?;
        let state = &mut self.jobs[job];
        state.underway = None;
        state.entered = self.now;
        self.plan_start(job);
        Ok(())
    }

    fn epoch(
        &mut self,
        job: usize,
        run: &Run,
        held: Option<&Written>,
        exit: Option<(i32, Option<i32>)>,
    ) -> Result<()> {
        let state = &self.jobs[job];
        let cluster = &self.clusters[state.cluster];
        let place = super::place(&self.world, cluster, state, Some(run), Wording::V25);
        let end = RunEnd { place: &place, job: state, run, held, exit };
        self.epochs.write(&end)?;
        if let Some(acting) = &mut self.acting {
            acting.ads.insert(job, ad_of_run(&end));
        }
        self.jobs[job].last_slot = Some(slot_name(&self.world, run));
        Ok(())
    }

    /// Stops a run from outside: a person holds or removes the job.
    pub(crate) fn interrupt(&mut self, job: usize) -> Result<()> {
        if self.jobs[job].status != Status::Running {
            return Ok(());
        }
        let Some(run) = self.run_of(job).cloned() else { return Ok(()) };
        let run =
            Run { end: self.now, execute: run.execute.filter(|began| *began <= self.now), ..run };
        self.running -= 1;
        if run.execute.is_some() {
            let body = Body::Evicted(evicted(self.world.clock, &self.jobs[job], &run));
            self.event(job, &body)?;
        }
        self.epoch(job, &run, None, None)?;
        let state = &mut self.jobs[job];
        state.last_site = Some(run.site);
        state.underway = None;
        state.done_at = None;
        Ok(())
    }
}

fn usage(seconds: i64) -> CpuUsage {
    let user = u64::try_from(seconds).unwrap_or(0);
    CpuUsage { user: user * 97 / 100, system: user / 100 }
}

fn evicted(clock: Clock, job: &Job, run: &Run) -> Evicted<'static> {
    Evicted {
        run_remote: usage(clock.lasting(run.execute.map_or(0, |began| run.end - began))),
        bytes_sent: Some(0),
        bytes_received: Some(30_000 + run.disk_kb.unsigned_abs() * 128),
        resources: resources(job, run),
        ..Evicted::default()
    }
}

fn resources(job: &Job, run: &Run) -> Vec<Resource<'static>> {
    let row = |name, unit, usage: Option<i64>, request: i64, allocated: i64| Resource {
        name: Cow::Borrowed(name),
        unit: Cow::Borrowed(unit),
        usage: usage.map(|value| value as f64),
        request: Some(request as f64),
        allocated: Some(allocated as f64),
        ..Resource::default()
    };
    let Edits { request_disk, request_memory, .. } = job.edits;
    let ran = run.execute.is_some();
    let (disk, memory) = (if ran { run.disk_kb } else { 12 }, ran.then_some(run.memory_mb));
    vec![
        row("Cpus", "", None, 1, 1),
        row("Disk", "KB", Some(disk), request_disk, run.disk_provisioned),
        row("Memory", "MB", memory, request_memory, run.memory_provisioned),
    ]
}
