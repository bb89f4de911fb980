//! The life of one job, as far as it is known.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use thin_vec::ThinVec;

use super::builder::StepSources;
use super::fact::Fact;
use super::{AdFacts, Exit, Peaks, Step, Symbol, What};
use eventlog::JobId;

/// A fact and when it became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<T> {
    /// Unix seconds.
    pub since: i64,
    /// The fact.
    pub value: T,
}

impl<T: Copy> Known<T> {
    /// The last of these facts, in the order they became known, that was known at `instant` (Unix
    /// seconds).
    pub fn last_at(facts: &[Self], instant: i64) -> Option<T> {
        let known = facts.partition_point(|fact| fact.since <= instant);
        facts[..known].last().map(|fact| fact.value)
    }
}

/// The steps and ads of one job. Steps are in the order of their times, ads in the order they
/// became known.
#[derive(Clone, Debug, Default)]
pub struct JobHistory {
    /// The job.
    pub job: JobId,
    /// What happened.
    pub steps: Vec<Step>,
    /// When the event log of the access point says that it was held.
    pub held_in_event_log: ThinVec<i64>,
    /// What its ads said, epoch ads and the queue's.
    pub ads: ThinVec<AdFacts>,
    /// Its owner.
    pub owner: Option<Known<Symbol>>,
    /// The sites of its runs, as events 028 and ads have them.
    pub sites: ThinVec<Known<Symbol>>,
    /// Input files and URLs, as events 028 and ads have them.
    pub input: ThinVec<Known<Symbol>>,
    /// File servers of those URLs.
    pub servers: ThinVec<Known<Symbol>>,
    /// What HTCondor last said of a failed run (events 004, 007, 021 and 024).
    pub message: Option<Known<Symbol>>,
    /// MemoryUsage, MiB, from events 006.
    pub memory_usage: ThinVec<Known<i64>>,
    /// MemoryProvisioned, MiB, from events 028.
    pub memory_provisioned: ThinVec<Known<i64>>,
    /// What its run used that ended by itself (005).
    pub peaks: Option<Box<Known<Peaks>>>,
}

/// Times on hold and runs of a job that are kept, the newest.
const STRETCHES: usize = 40;

/// From when until when a job was on hold, or its program ran, Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// It was on hold.
    pub held: bool,
    /// From when.
    pub from: i64,
    /// Until when.
    pub to: i64,
}

/// Steps of a life that is over, most of the time.
const SHORT: usize = 64;

impl JobHistory {
    /// The steps not after `instant`.
    pub fn steps_until(&self, instant: i64) -> &[Step] {
        &self.steps[..self.steps.partition_point(|step| step.time <= instant)]
    }

    /// When the job was on hold and when its program ran, until `now`; the newest ones.
    pub fn stretches(&self, now: i64) -> Vec<Stretch> {
        let mut found = Vec::new();
        let mut open: Option<Stretch> = None;
        let steps = self.steps_until(now);
        for step in &steps[steps.len().saturating_sub(4 * STRETCHES)..] {
            let held = match step.what {
                What::Held(_) => Some(true),
                What::Executing(_) => Some(false),
                What::Released { .. }
                | What::Terminated(_)
                | What::Evicted(_)
                | What::ShadowException
                | What::Removed => None,
                _ => continue,
            };
            found.extend(open.take().map(|open| Stretch { to: step.time, ..open }));
            open = held.map(|held| Stretch { held, from: step.time, to: now });
        }
        found.extend(open);
        found.drain(..found.len().saturating_sub(STRETCHES));
        found
    }

    /// The last ad known at `instant`.
    pub fn ad_at(&self, instant: i64) -> Option<&AdFacts> {
        self.ads[..self.ads.partition_point(|ad| ad.known <= instant)].last()
    }

    /// Its owner, if that was known at `instant`.
    pub fn owner_at(&self, instant: i64) -> Option<Symbol> {
        self.owner.filter(|owner| owner.since <= instant).map(|owner| owner.value)
    }

    /// The whole life is known: its first event is the submission.
    pub fn from_submission(&self) -> bool {
        self.steps.first().is_some_and(|step| step.what == What::Submitted)
    }

    /// Where the last run not after `instant` was.
    pub fn machine_at(&self, instant: i64) -> Option<Symbol> {
        let ran = self.steps_until(instant).iter().rev().find_map(|step| match step.what {
            What::Executing(machine) => Some(machine),
            _ => None,
        });
        ran.flatten().or_else(|| self.ad_at(instant).and_then(|ad| ad.machine))
    }

    /// Where its runs were, for instants that are asked about in their order.
    pub(crate) fn machines(&self) -> Machines<'_> {
        Machines { job: self, later: self.steps.iter(), last: None }
    }

    /// The site of the last run not after `instant`, where one was recorded.
    pub fn site_at(&self, instant: i64) -> Option<Symbol> {
        Known::last_at(&self.sites, instant)
    }

    /// How many releases among the first `steps` steps ended in another hold by HTCondor or a
    /// policy, or in an exit with another code than 0.
    pub fn failed_releases(&self, steps: usize) -> usize {
        let mut released = false;
        let mut failed = 0;
        for step in &self.steps[..steps.min(self.steps.len())] {
            let ends = match step.what {
                What::Released { .. } => {
                    released = true;
                    continue;
                }
                What::Held(hold) => Some(hold.is_by_system()),
                What::Terminated(exit) => Some(matches!(exit, Exit::Code(_) | Exit::Signal(_))),
                What::Removed => Some(false),
                _ => None,
            };
            if let Some(failure) = ends {
                failed += usize::from(released && failure);
                released = false;
            }
        }
        failed
    }

    /// How many releases in a row ended in a hold like the one that this step is: with the same code
    /// and subcode, and no other hold or exit in between.
    pub fn failed_alike(&self, step: usize) -> usize {
        let Some(What::Held(now)) = self.steps.get(step).map(|step| step.what) else { return 0 };
        let mut released = false;
        let mut failed = 0;
        for step in self.steps[..step].iter().rev() {
            match step.what {
                What::Released { .. } => released = true,
                What::Held(hold) if (hold.code, hold.subcode) == (now.code, now.subcode) => {
                    failed += usize::from(released);
                    released = false;
                }
                What::Held(_) | What::Terminated(_) => break,
                _ => {}
            }
        }
        failed
    }

    /// Learns what was said; the last of it counts.
    fn learn_message(&mut self, message: Known<Symbol>) {
        if self.message.is_none_or(|last| last.since <= message.since) {
            self.message = Some(message);
        }
    }

    /// Learns the owner; the earliest moment it was known counts.
    pub(super) fn learn_owner(&mut self, owner: Symbol, since: i64) {
        match &mut self.owner {
            Some(known) if known.since <= since => {}
            other => *other = Some(Known { since, value: owner }),
        }
    }

    /// Learns what an event of `time` tells; `in_event_log`: the event log of the access point has
    /// it.
    pub(super) fn learn(&mut self, time: i64, fact: Fact, in_event_log: bool) {
        let known = |value| Known { since: time, value };
        match fact {
            Fact::Step(what) => {
                self.steps.push(Step { time, what });
                if in_event_log && matches!(what, What::Held(_)) {
                    self.held_in_event_log.push(time);
                }
                // One that ends again and again keeps its room.
                let ends = matches!(what, What::Terminated(_) | What::Removed);
                if ends && self.steps.len() <= SHORT {
                    self.give_back();
                }
            }
            Fact::Owner(owner) => self.learn_owner(owner, time),
            Fact::Site { site, starts } => {
                if starts || self.sites.last().is_none_or(|last| last.value != site) {
                    self.sites.push(known(site));
                }
            }
            Fact::Input(name) => learn_name(&mut self.input, known(name)),
            Fact::Server(name) => learn_name(&mut self.servers, known(name)),
            Fact::Message(text) => self.learn_message(known(text)),
            Fact::MemoryUsage(size) => learn_size(&mut self.memory_usage, time, size),
            Fact::MemoryProvisioned(size) => learn_size(&mut self.memory_provisioned, time, size),
            Fact::Peaks(value) => self.peaks = Some(Box::new(Known { since: time, value })),
        }
    }

    /// Gives back the room that nothing is in.
    fn give_back(&mut self) {
        self.steps.shrink_to_fit();
        self.held_in_event_log.shrink_to_fit();
        self.ads.shrink_to_fit();
        for names in [&mut self.sites, &mut self.input, &mut self.servers] {
            names.shrink_to_fit();
        }
        self.memory_usage.shrink_to_fit();
        self.memory_provisioned.shrink_to_fit();
    }

    /// Adds what another source says of the same job. `step_sources`: the log of each step.
    pub(super) fn join(&mut self, step_sources: &mut StepSources, other: Self, source: u16) {
        if !other.steps.is_empty() {
            step_sources.note(self.steps.len(), source);
        }
        self.steps.extend(other.steps);
        self.held_in_event_log.extend(other.held_in_event_log);
        if self.ads.is_empty() {
            self.ads = other.ads;
        } else {
            self.ads.extend(other.ads);
        }
        self.sites.extend(other.sites);
        self.input.extend(other.input);
        self.servers.extend(other.servers);
        self.memory_usage.extend(other.memory_usage);
        self.memory_provisioned.extend(other.memory_provisioned);
        self.peaks = self.peaks.take().or(other.peaks);
        if let Some(message) = other.message {
            self.learn_message(message);
        }
        if let Some(owner) = other.owner {
            self.learn_owner(owner.value, owner.since);
        }
    }

    /// Brings steps and facts into the order of their times, and drops the second copy of a step
    /// that several logs tell.
    pub(super) fn settle(&mut self, step_sources: &StepSources) {
        match step_sources.several() {
            Some(sources) => self.merge(sources),
            None => self.steps.sort_by_key(|step| step.time),
        }
        self.ads.sort_by_key(|ad| ad.known);
        for ad in &self.ads {
            let known = |value: Symbol| Known { since: ad.known, value };
            self.sites.extend(ad.site.map(known));
            self.input.extend(ad.input.iter().copied().map(known));
            self.servers.extend(ad.servers.iter().copied().map(known));
        }
        for names in [&mut self.input, &mut self.servers] {
            earliest(names);
        }
        self.sites.sort_by_key(|site| site.since);
        self.sites.dedup();
        self.memory_usage.sort_by_key(|usage| usage.since);
        self.memory_usage.dedup();
        self.memory_provisioned.sort_by_key(|provisioned| provisioned.since);
        self.memory_provisioned.dedup();
        self.give_back();
    }

    fn merge(&mut self, sources: impl Iterator<Item = u16>) {
        let mut tagged: Vec<(Step, u16)> = self.steps.iter().copied().zip(sources).collect();
        tagged.sort_by_key(|(step, source)| (step.time, *source));
        let mut kept: Vec<Step> = Vec::with_capacity(tagged.len());
        // The log that first told of each step of this second.
        let mut second: HashMap<What, u16, RandomState> = HashMap::default();
        for (step, source) in tagged {
            if kept.last().is_some_and(|last| last.time != step.time) {
                second.clear();
            }
            // One log may have a step twice in a second; another log's copy of it is nothing new.
            if *second.entry(step.what).or_insert(source) == source {
                kept.push(step);
            }
        }
        self.steps = kept;
    }
}

/// [`JobHistory::machine_at`] of one instant after the other: each step is looked at once.
#[derive(Debug)]
pub(crate) struct Machines<'a> {
    job: &'a JobHistory,
    later: std::slice::Iter<'a, Step>,
    last: Option<Symbol>,
}

impl Machines<'_> {
    /// Where the last run not after `instant` was, which is no earlier than the one before.
    pub(crate) fn at(&mut self, instant: i64) -> Option<Symbol> {
        while let Some(step) = self.later.as_slice().first().filter(|step| step.time <= instant) {
            if let What::Executing(machine) = step.what {
                self.last = machine;
            }
            self.later.next();
        }
        self.last.or_else(|| self.job.ad_at(instant).and_then(|ad| ad.machine))
    }
}

/// Notes a name that is new.
fn learn_name(known: &mut ThinVec<Known<Symbol>>, name: Known<Symbol>) {
    if known.iter().all(|other| other.value != name.value) {
        known.push(name);
    }
}

/// Notes a size that is another one than before.
fn learn_size(known: &mut ThinVec<Known<i64>>, since: i64, value: i64) {
    if known.last().is_none_or(|last| last.value != value) {
        known.push(Known { since, value });
    }
}

/// Keeps of each name the earliest moment it was known.
fn earliest(names: &mut ThinVec<Known<Symbol>>) {
    names.sort_by_key(|name| (name.value, name.since));
    names.dedup_by_key(|name| name.value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(time: i64, what: What) -> Step {
        Step { time, what }
    }

    #[test]
    fn a_job_is_small() {
        assert_eq!((size_of::<JobHistory>(), size_of::<Step>()), (128, 24));
    }

    #[test]
    fn two_logs_of_one_job_are_one_history() {
        let mut job = JobHistory::default();
        let told =
            [step(1, What::Submitted), step(5, What::Executing(None)), step(9, What::Removed)];
        job.steps.extend(told);
        job.steps.extend([
            step(1, What::Submitted),
            step(5, What::InputStarted),
            step(5, What::Executing(None)),
        ]);
        let mut step_sources = StepSources::default();
        step_sources.note(0, 0);
        step_sources.note(3, 1);
        job.settle(&step_sources);
        assert_eq!(job.steps, [told[0], told[1], step(5, What::InputStarted), told[2]],);
    }

    #[test]
    fn a_job_that_is_held_again_has_a_stretch_for_each_hold_and_run() {
        let held = What::Held(crate::history::Hold { code: 13, subcode: 0, reason: None });
        let whats = [What::Submitted, held, What::Released { by_person: true }];
        let again = [What::InputStarted, What::Executing(None), held];
        let steps = (1..).zip(whats.into_iter().chain(again));
        let job = JobHistory {
            steps: steps.map(|(time, what)| step(time, what)).collect(),
            ..JobHistory::default()
        };
        let all = job.stretches(9).into_iter().map(|one| (one.held, one.from, one.to));
        assert_eq!(all.collect::<Vec<_>>(), [(true, 2, 3), (false, 5, 6), (true, 6, 9)]);
        assert_eq!(job.stretches(1), []);
    }

    #[test]
    fn machines_in_order_are_those_of_each_instant() {
        let mut symbols = Symbols::default();
        let (one, two) = (Some(symbols.intern("one")), Some(symbols.intern("two")));
        let steps = [
            step(1, What::Submitted),
            step(5, What::Executing(one)),
            step(7, What::Evicted(None)),
            step(9, What::Executing(None)),
            step(9, What::Executing(two)),
        ];
        let job = JobHistory { steps: steps.to_vec(), ..JobHistory::default() };
        let mut machines = job.machines();
        for (instant, expected) in [(0, None), (5, one), (6, one), (6, one), (9, two), (99, two)] {
            assert_eq!((machines.at(instant), job.machine_at(instant)), (expected, expected));
        }
    }

    #[test]
    fn nothing_after_the_instant_is_seen() {
        let mut job = JobHistory::default();
        job.learn_owner(Symbols::default().intern("alice"), 10);
        job.steps.extend([step(1, What::Submitted), step(20, What::Removed)]);
        job.settle(&StepSources::default());
        assert_eq!(job.owner_at(9), None);
        assert!(job.owner_at(10).is_some());
        assert_eq!(job.steps_until(19).len(), 1);
    }

    #[test]
    fn releases_that_failed_are_counted() {
        let held = |code| What::Held(crate::history::Hold { code, subcode: 0, reason: None });
        let released = What::Released { by_person: true };
        let lived = [
            held(13),
            released,
            What::Executing(None),
            held(13),
            released,
            held(1),
            released,
            What::Terminated(Exit::Code(3)),
            held(3),
        ];
        let steps = lived.into_iter().zip(1..).map(|(what, time)| step(time, what)).collect();
        let job = JobHistory { steps, ..JobHistory::default() };
        assert_eq!(job.failed_releases(usize::MAX), 2);
        assert_eq!(job.failed_releases(4), 1);
        assert_eq!(job.failed_releases(0), 0);
        // Up to the hold at this step, which is like those before it or not.
        for (step, expected) in [(0, 0), (3, 1), (5, 0), (8, 0), (2, 0)] {
            assert_eq!(job.failed_alike(step), expected, "{step}");
        }
        let again = [held(13), released, held(13), What::Executing(None), released, held(13)];
        let steps = again.into_iter().zip(1..).map(|(what, time)| step(time, what)).collect();
        let job = JobHistory { steps, ..JobHistory::default() };
        assert_eq!(job.failed_alike(5), 2);
    }

    use super::super::Symbols;
}
