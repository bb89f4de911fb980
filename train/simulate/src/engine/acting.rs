//! The closed loop: a policy in the place of people, with chance that all policies share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Item, Simulation};
use crate::cause::Cause;
use crate::engine::act::{Course, Deed, Event, Fix, HeldNow, Hidden, Loop, Policy, Thing};
use crate::engine::looks::Looker;
use crate::error::Result;
use crate::life::{Edits, Ending, Subject, attempt};
use crate::oracle::{MOST_RUNS, minutes_to_match};
use crate::random::Dice;
use crate::truth::{Action, Releaser, edited};

/// Streams of chance from here on are of closed loops.
const FIRST_STREAM: u64 = 1 << 62;

/// Seconds beyond which no release is foreseen.
const HORIZON: i64 = 10 * 86_400;

/// Seconds from a failure to the next release that is foreseen.
const AGAIN: i64 = 2 * 3_600;

/// Another site helps.
fn is_of_site(cause: Cause) -> bool {
    use Cause::{BadHost, Firewall, SiteLacksSoftware, SlowSite};
    matches!(cause, Firewall | SiteLacksSoftware | SlowSite | BadHost)
}

/// What chance is for, where all policies share it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Submission,
    Match,
    Run,
    Slot,
    Words,
    HoldWords,
    Policies,
    OwnHold,
    OwnRelease,
    Person,
    Find,
    Look,
}

/// A closed loop that runs.
pub(crate) struct Acting {
    policy: Box<dyn Policy>,
    settings: Loop,
    seed: u64,
    folder: PathBuf,
    looker: Option<Looker>,
    courses: BTreeMap<usize, Vec<(i64, Event)>>,
    /// HoldReason of the hold that a job is in, and how often a person has come.
    holds: BTreeMap<usize, (String, u32)>,
    /// The ad of the last run of each job.
    pub(super) ads: BTreeMap<usize, String>,
}

impl Acting {
    pub(crate) fn new(policy: Box<dyn Policy>, settings: Loop, seed: u64, folder: PathBuf) -> Self {
        let looker = settings.looks.then(|| Looker::silent(seed));
        let (courses, holds, ads) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { policy, settings, seed, folder, looker, courses, holds, ads }
    }
}

/// The stream of one purpose for a job, or a cluster, and a count that all policies have alike.
fn stream(purpose: Purpose, of: usize, count: i64) -> u64 {
    let all = format!("{purpose:?} {of} {count}");
    FIRST_STREAM | (holdadvise::features::fnv1a(all.as_bytes()) >> 2)
}

impl Simulation {
    /// Where a policy decides: chance from here on is that of this purpose, whatever was drawn
    /// before.
    pub(crate) fn share_chance(&mut self, purpose: Purpose, of: usize, count: i64) {
        if self.acting.is_some() {
            let stream = stream(purpose, of, count);
            let chances = &mut self.chances;
            for dice in [&mut chances.run, &mut chances.words, &mut chances.people] {
                dice.turn_to(stream);
            }
        }
    }

    /// Notes what happened to a job, where a policy decides.
    pub(crate) fn note(&mut self, job: usize, event: Event) {
        let now = self.now;
        if let Some(acting) = &mut self.acting {
            acting.courses.entry(job).or_default().push((now, event));
        }
    }

    /// A job went on hold: a person will come.
    pub(super) fn held_for_policy(&mut self, job: usize, reason: &str) {
        let now = self.now;
        let Some(acting) = &mut self.acting else { return };
        acting.holds.insert(job, (reason.to_owned(), 0));
        self.person_after(job, now);
    }

    /// A person comes some time after an instant.
    fn person_after(&mut self, job: usize, instant: i64) {
        let state = &self.jobs[job];
        let (generation, holds) = (state.generation, state.num_holds);
        let Some(acting) = &self.acting else { return };
        let came = acting.holds.get(&job).map_or(0, |(_, came)| *came);
        let delay = acting.settings.person;
        self.share_chance(Purpose::Person, job, holds * 1_000 + i64::from(came));
        let after = (self.chances.people.spread(delay) * 3_600.0) as i64;
        self.queue.push(instant.max(self.now) + after, Item::Person { job, generation });
    }

    /// Nobody submits any more.
    pub(super) fn submits_no_more(&self) -> bool {
        let days = self.acting.as_ref().and_then(|acting| acting.settings.submits);
        days.is_some_and(|days| self.now >= self.world.span.0 + i64::from(days) * 86_400)
    }

    /// Slot hours of the run that ends now.
    pub(super) fn run_hours(&self, job: usize) -> f64 {
        let run = self.jobs[job].underway.as_ref().and_then(|underway| underway.run.execute);
        run.map_or(0.0, |began| (self.now - began).max(0) as f64 / 3_600.0)
    }

    /// A person looks at a held job, asks the policy, and does what it says.
    pub(super) fn person(&mut self, job: usize) -> Result<()> {
        let Some(mut acting) = self.acting.take() else { return Ok(()) };
        self.log.flush()?;
        self.epochs.flush()?;
        let looks = self.look_for(job, &mut acting)?;
        let mut deed = self.asked(job, &mut acting, looks.as_deref(), None);
        let looked = deed == Deed::Look;
        if looked {
            let key = stream(Purpose::Find, job, self.jobs[job].num_holds);
            let found = Dice::new(acting.seed, key).chance(acting.settings.finds);
            deed = self.asked(job, &mut acting, looks.as_deref(), Some(found));
        }
        if let Some((_, came)) = acting.holds.get_mut(&job) {
            *came += 1;
        }
        self.acting = Some(acting);
        self.note(job, Event::Came);
        if looked {
            self.note(job, Event::Looked);
        }
        self.carry_out(job, deed)
    }

    fn carry_out(&mut self, job: usize, deed: Deed) -> Result<()> {
        let owner = self.owner_name(self.jobs[job].cluster).to_owned();
        let by = format!("via condor_release (by user {owner})");
        let edits = self.jobs[job].edits;
        match deed {
            Deed::Release => self.release(job, Action::AsIs, edits, Releaser::Owner, &by),
            Deed::Change(fixes) => {
                let edits = self.fixed(job, &fixes);
                self.note(job, Event::Changed(fixes));
                self.release(job, Action::Other, edits, Releaser::Owner, &by)
            }
            Deed::Remove => self.remove(job, &format!("via condor_rm (by user {owner})")),
            Deed::Wait { until } => {
                self.person_after(job, until);
                Ok(())
            }
            Deed::Return { at } => {
                let generation = self.jobs[job].generation;
                self.queue.push(at.max(self.now + 1), Item::Person { job, generation });
                Ok(())
            }
            Deed::Leave | Deed::Look => Ok(()),
        }
    }

    /// What looks would find now.
    fn look_for(&mut self, job: usize, acting: &mut Acting) -> Result<Option<String>> {
        let Some(looker) = &mut acting.looker else { return Ok(None) };
        let state = &self.jobs[job];
        let Some(hold) = &state.hold else { return Ok(None) };
        let at = stream(Purpose::Look, job, state.num_holds);
        let subject = self.subject(job);
        let place =
            super::place(&self.world, &subject.cluster, state, None, crate::reason::Wording::V25);
        let (num_holds, since) = (state.num_holds, state.entered);
        let instant = self.now;
        let (place, subject) = (&place, &subject);
        let seen = crate::engine::looks::Seen { place, subject, hold, num_holds, since, instant };
        Ok(Some(looker.answers(&seen, at)))
    }

    fn asked(
        &self,
        job: usize,
        acting: &mut Acting,
        looks: Option<&str>,
        found: Option<bool>,
    ) -> Deed {
        let (state, clock) = (&self.jobs[job], self.world.clock);
        let (Some(hold), Some((reason, came))) = (state.hold, acting.holds.get(&job)) else {
            return Deed::Leave;
        };
        let hidden = Hidden { simulation: self, job };
        let id = self.job_id(job);
        acting.policy.decide(&HeldNow {
            cluster: id.cluster,
            proc: id.proc,
            code: hold.code,
            subcode: hold.subcode,
            reason,
            num_holds: state.num_holds,
            held_at: clock.at(state.entered),
            now: clock.at(self.now),
            owner: self.owner_name(state.cluster),
            request_memory: state.edits.request_memory,
            request_disk: state.edits.request_disk,
            used: (state.memory_usage, state.disk_usage),
            came: *came,
            folder: &acting.folder,
            ad: acting.ads.get(&job).map(String::as_str),
            looks,
            found: found.map(|found| found.then_some(&hidden)),
            hidden: &hidden,
        })
    }

    /// The ad after these changes. What is put right helps only where it is what is wrong.
    fn fixed(&self, job: usize, fixes: &[Fix]) -> Edits {
        let mut edits = self.jobs[job].edits;
        let cause = self.jobs[job].hold.map(|hold| hold.cause);
        let wrong = cause.and_then(Thing::of);
        for fix in fixes {
            match fix {
                Fix::Memory(to) => edits.request_memory = edits.request_memory.max(*to),
                Fix::Disk(to) => edits.request_disk = edits.request_disk.max(*to),
                Fix::Site(name) => {
                    let site = self.world.sites.iter().position(|site| site.name == *name);
                    edits.excluded |= site.map_or(0, |site| 1 << site);
                }
                Fix::Thing(thing) if wrong != Some(*thing) => {}
                Fix::Thing(Thing::RunTime) => (edits.corrected, edits.unlimited) = (true, true),
                Fix::Thing(_) => edits.corrected = true,
            }
        }
        edits
    }

    pub(crate) fn right(&self, job: usize) -> Vec<Fix> {
        let state = &self.jobs[job];
        let used = (state.memory_usage, state.disk_usage);
        let after = |action| edited(state.edits, action, used, state.last_site);
        match state.hold.map(|hold| hold.cause) {
            Some(Cause::MemoryTooSmall | Cause::MemoryVaries) => {
                vec![Fix::Memory(after(Action::Memory).request_memory)]
            }
            Some(Cause::DiskTooSmall | Cause::DiskVaries) => {
                vec![Fix::Disk(after(Action::Disk).request_disk)]
            }
            Some(cause) if is_of_site(cause) => {
                let site = state.last_site.map(|site| self.world.sites[site].name.clone());
                site.map(Fix::Site).into_iter().collect()
            }
            Some(cause) => Thing::of(cause).map(Fix::Thing).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Plays the releases that the simulation would play, with its chance.
    pub(crate) fn foresee(
        &self,
        job: usize,
        fixes: &[Fix],
        time: i64,
        mut failures: u32,
    ) -> Option<i64> {
        let seed = self.acting_seed?;
        let starts = self.jobs[job].num_shadow_starts;
        let mut subject = Subject { edits: self.fixed(job, fixes), ..self.subject(job) };
        let mut dice = Dice::new(seed, 0);
        let mut now = time;
        for run in starts..starts + i64::from(MOST_RUNS) {
            dice.turn_to(stream(Purpose::Match, job, run));
            now += minutes_to_match(&self.world, &mut dice);
            dice.turn_to(stream(Purpose::Run, job, run));
            let run = attempt(&self.world, &subject, now, &mut dice);
            now = run.end;
            match run.ending {
                Ending::Success => return Some(self.world.clock.at(now)),
                Ending::Evicted | Ending::ShadowException { .. } | Ending::ReconnectFailed
                    if now - time < HORIZON => {}
                Ending::Held(cause, _) if failures > 0 && now - time < HORIZON => {
                    failures -= 1;
                    now += AGAIN;
                    subject.edits.corrected |= Thing::of(cause).is_some();
                    subject.edits.unlimited |= Thing::of(cause) == Some(Thing::RunTime);
                    if is_of_site(cause) {
                        subject.edits.excluded |= 1 << run.site;
                    }
                }
                _ => return None,
            }
        }
        None
    }

    /// What happened to all jobs that were held.
    pub(super) fn courses(&mut self) -> Vec<Course> {
        let Some(acting) = self.acting.take() else { return Vec::new() };
        let clock = self.world.clock;
        let course = |(job, events): (usize, Vec<(i64, Event)>)| {
            let id = self.job_id(job);
            let submitted = self.clusters[self.jobs[job].cluster].submitted;
            Course {
                cluster: id.cluster,
                proc: id.proc,
                submitted: clock.at(submitted),
                events: events.into_iter().map(|(at, event)| (clock.at(at), event)).collect(),
            }
        };
        let held = |(_, events): &(usize, Vec<(i64, Event)>)| {
            events.iter().any(|(_, event)| matches!(event, Event::Held { .. }))
        };
        acting.courses.into_iter().filter(held).map(course).collect()
    }
}
