//! The program of a run, from its first instruction to its last.

use super::Ending;
use super::attempt::Attempt;
use crate::cause::{Cause, Enforcement, Symptom};
use crate::life::Flaw;
use crate::world::{Container, Failure, HostFault, Limit};

/// Seconds after which a policy has seen in the ad of a run that an earlier one was over its limit.
const SEEN_AGAIN: i64 = 20;

/// Seconds after which a run that hangs is ended by its machine at the latest: assumed.
const HANGS_AT_MOST: i64 = 40 * 86_400;

/// What would end a program first, and when: seconds from its begin.
#[derive(Default)]
struct First(Option<(i64, Ending)>);

impl First {
    /// It would end so, if it ran until then.
    fn offer(&mut self, runs: i64, at: i64, ending: Ending) {
        if at < runs && self.0.is_none_or(|(earlier, _)| at < earlier) {
            self.0 = Some((at, ending));
        }
    }
}

impl Attempt<'_, '_> {
    /// The program runs, up to its last instruction.
    pub(super) fn execution(&mut self) -> Option<Ending> {
        let noise = self.world.preset.jobs.run_minutes_between_runs;
        let began = self.run.end + self.dice.between(1, 4);
        self.run.execute = Some(began);
        let slowness = (noise * self.dice.normal()).exp() / self.site.speed;
        let full = ((self.subject.traits.run * slowness) as i64).max(5);
        let memory = self.subject.traits.memory
            * (self.workflow.memory_between_runs * self.dice.normal()).exp();
        let disk =
            self.subject.traits.disk * (self.workflow.disk_between_runs * self.dice.normal()).exp();

        // Where the program hangs, only limits, preemptions and the machine end the run.
        let hung = self.hangs(began).map(|cause| (self.dice.below(full as usize) as i64, cause));
        let works = hung.map_or(full, |(at, _)| at);
        let runs = if hung.is_some() { HANGS_AT_MOST } else { full };
        let mut first = First::default();
        if hung.is_some() {
            first.offer(runs, runs - 1, Ending::Evicted);
        }
        if let Some(at) = self.preempted(full, hung.is_some()) {
            first.offer(runs, at, Ending::Evicted);
        }
        self.memory(&mut first, memory, full, works);
        self.disk(&mut first, disk, full, works);
        self.limits(&mut first, runs, hung.map(|(_, cause)| cause));
        if self.flaw == Some(Flaw::CpuOveruse) {
            let symptom = Symptom::Cpus { used: 2 + self.dice.below(14) as i64 };
            first.offer(works, 900 + full / 10, Ending::Held(Cause::CpuOveruse, symptom));
        }
        if let Some((cause, share)) = self.program_failure(began) {
            let ending = self.failure(cause);
            first.offer(works, (full as f64 * share) as i64, ending);
        }
        let lost = self.dice.chance(self.world.preset.sites.disconnect)
            || self.site.network.at(began + full / 2).is_some() && self.dice.chance(0.1);
        if lost {
            let at = self.dice.below(full as usize) as i64;
            if self.dice.chance(0.55) {
                self.run.lost = Some((began + at, Some(began + at + self.dice.between(20, 1_500))));
            } else {
                self.run.lost = Some((began + at, None));
                first.offer(works, at + 2_400, Ending::ReconnectFailed);
            }
        }

        let (at, ending) = first.0.unzip();
        let took = at.map_or(full, |at| at.max(1));
        let end = began + took;
        let progress = took.min(works) as f64 / full as f64;
        self.set_usage(ending, memory, disk, progress);
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

    /// What the ad says that the run used, which is no more than a cgroup allowed.
    fn set_usage(&mut self, ending: Option<Ending>, memory: f64, disk: f64, progress: f64) {
        let run = &mut self.run;
        let bounded = self.world.preset.needs.is_some();
        let caps = |by: Option<Enforcement>| bounded && by.is_some_and(Enforcement::caps);
        let most_memory = match caps(self.site.memory) && !self.workflow.holds_itself {
            true => run.memory_provisioned,
            false => run.memory_provisioned.max(memory as i64),
        };
        run.memory_mb = match ending {
            Some(Ending::Held(_, Symptom::Memory { used, .. })) => used,
            _ => ((memory * (0.4 + 0.6 * progress)) as i64).clamp(1, most_memory),
        };
        let most_disk = if caps(self.site.disk) { run.disk_provisioned } else { i64::MAX };
        run.disk_kb = match ending {
            Some(Ending::Held(_, Symptom::Disk { used, .. })) if bounded => used,
            _ => ((disk * (0.3 + 0.7 * progress)) as i64).clamp(16, most_disk),
        };
    }

    /// Why the run hangs, if it does.
    fn hangs(&mut self, began: i64) -> Option<Cause> {
        self.world.preset.hung.as_ref()?;
        if self.host_fault(began) == Some(HostFault::Hangs) {
            return Some(Cause::BadHost);
        }
        self.dice.chance(self.workflow.hangs).then_some(Cause::Hung)
    }

    /// When the run is preempted, if it is.
    fn preempted(&mut self, full: i64, hangs: bool) -> Option<i64> {
        let rate = self.site.preemptions_per_hour;
        if hangs {
            return Some((self.dice.exponential(3_600.0 / rate) as i64).max(1));
        }
        let hours = full as f64 / 3_600.0;
        let preempted = self.dice.chance(1.0 - (-rate * hours).exp());
        preempted.then(|| self.dice.below(full as usize) as i64)
    }

    /// A hold for memory, if the run needs more than it has.
    fn memory(&mut self, first: &mut First, memory: f64, full: i64, works: i64) {
        let (limit, peak) = (self.run.memory_provisioned, self.subject.peak.0);
        if memory.max(peak as f64) > limit as f64
            && let Some(by) = self.memory_enforcement()
            && let Some((at, used)) = self.over(by, memory, limit, peak, full, 0.05)
        {
            let varies = self.subject.traits.memory <= limit as f64 * 1.02;
            let cause = if varies { Cause::MemoryVaries } else { Cause::MemoryTooSmall };
            first.offer(works, at, Ending::Held(cause, Symptom::Memory { by, limit, used }));
        }
    }

    /// A hold for disk, if the run needs more than it has.
    fn disk(&mut self, first: &mut First, disk: f64, full: i64, works: i64) {
        let (limit, peak) = (self.run.disk_provisioned, self.subject.peak.1);
        if disk.max(peak as f64) > limit as f64
            && let Some(by) = self.site.disk
            && let Some((at, used)) = self.over(by, disk, limit, peak, full, 0.1)
        {
            let varies = self.subject.traits.disk <= limit as f64 * 1.02;
            let cause = if varies { Cause::DiskVaries } else { Cause::DiskTooSmall };
            first.offer(works, at, Ending::Held(cause, Symptom::Disk { by, limit, used }));
        }
    }

    /// Limits on run time, of the job and of the site.
    fn limits(&mut self, first: &mut First, runs: i64, hung: Option<Cause>) {
        let slow = |limit: f64| match self.subject.traits.run <= limit {
            true => Cause::SlowSite,
            false => Cause::TooLong,
        };
        // A limit of the owner's own can be raised.
        let own = |by: Limit| matches!(by, Limit::Policy);
        let is_raised = |by: Limit| self.subject.edits.unlimited || own(by) && self.corrected();
        let limit = self.workflow.duration_limit.filter(|&(_, by)| !is_raised(by));
        if let Some((limit, by)) = limit {
            let cause = hung.unwrap_or_else(|| slow(limit as f64));
            let symptom = match by {
                Limit::Job => Symptom::JobDuration { limit },
                Limit::Execution => Symptom::ExecuteDuration { limit },
                Limit::Policy => Symptom::OwnLimit { limit },
            };
            first.offer(runs, limit + self.dice.between(1, 60), Ending::Held(cause, symptom));
        }
        if let Some(hours) = self.site.longest_hours {
            let cause = hung.unwrap_or_else(|| slow(hours as f64 * 3_600.0));
            let symptom = Symptom::StartdLimit { hours };
            first.offer(runs, hours * 3_600 + 30, Ending::Held(cause, symptom));
        }
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
        let used = match &self.world.preset.needs {
            None if by == Enforcement::CgroupOld => limit,
            None => most as i64,
            Some(_) if by.caps() => limit,
            Some(needs) => {
                let seen = limit as f64 * (1.0 + self.dice.exponential(needs.seen_over));
                most.min(seen) as i64
            }
        };
        let at = (full as f64 * (from + 0.9 * self.dice.unit())) as i64;
        let again = by.is_policy() && peak > limit;
        Some(if again { (at.min(SEEN_AGAIN), peak.max(used)) } else { (at, used) })
    }

    fn memory_enforcement(&mut self) -> Option<Enforcement> {
        if self.workflow.holds_itself {
            return Some(Enforcement::JobPolicy);
        }
        let needs = self.world.preset.needs.as_ref();
        let held = needs.map_or(0.5, |needs| needs.system_policy);
        self.site.memory.or_else(|| self.dice.chance(held).then_some(Enforcement::SystemPolicy))
    }

    /// Why the program fails, and after which share of its time.
    fn program_failure(&mut self, now: i64) -> Option<(Cause, f64)> {
        // The program is put right by others, the input of one job is not.
        let cluster = &self.subject.cluster;
        let is_fixed = cluster.bug >= 1.0 && cluster.is_fixed(now);
        if self.subject.traits.bug && !is_fixed && !self.corrected() {
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
}
