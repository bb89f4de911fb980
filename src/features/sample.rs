//! One sample: the tensor and the statics of one hold at one decision instant.

use super::around::{Around, Group, Name, Named, Neighbours, Scope};
use super::neighbourhood::{Neighbourhood, Voice, Window, voices};
use super::series::Both;
use super::slots;
use super::statics::{Facts, Own, Usage, put_action, put_facts};
use super::{FeatureSchema, Layout, State};
use crate::history::{
    Action, Episode, Exit, History, JobHistory, Known, Outcome, Step, Symbol, What,
};
use crate::hold_code;
use crate::userlog::JobId;

/// The tensor and the statics of one hold at one decision instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// m x j state indices, the oldest frame first, slot 0 the held job.
    pub states: Vec<u8>,
    /// k statics. The last, one for each action, say which action the sample asks about.
    pub statics: Vec<f32>,
}

impl Sample {
    /// Asks about another action.
    pub fn set_action(&mut self, action: Action) {
        self.statics.truncate(self.statics.len() - Action::ALL.len());
        put_action(&mut self.statics, action);
    }
}

/// Makes samples of the holds of a history.
#[derive(Debug)]
pub struct Sampler {
    history: History,
    around: Around,
    layout: Layout,
}

impl Sampler {
    /// Reads the history once; samples of all its holds come from that. `layout` may be frames alone.
    pub fn new(mut history: History, layout: impl Into<Layout>) -> Self {
        history.settle();
        let around = Around::of(&mut history);
        Self { history, around, layout: layout.into() }
    }

    /// The history it samples.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The schema of its samples.
    pub fn schema(&self) -> FeatureSchema {
        FeatureSchema::with_layout(&self.layout)
    }

    /// The sample of a hold at `instant`, asked about `action`. Of the job itself nothing after its hold is seen but the
    /// time it has been held; of all others nothing after `instant`. `held_in_queue` counts the other jobs that the
    /// queue shows held for the same code, where no log of the access point is at hand.
    pub fn sample(
        &self,
        hold: &Episode,
        instant: i64,
        action: Action,
        held_in_queue: Option<usize>,
    ) -> Sample {
        let absent = JobHistory { job: hold.identity.job, ..JobHistory::default() };
        let view = self.view(hold, instant, &absent);
        view.sample(action, held_in_queue, view.around())
    }
}

impl Sampler {
    /// What is known of the other jobs of each scope at `instant`: the numbers behind an advice.
    pub fn neighbourhood(&self, hold: &Episode, instant: i64) -> Vec<Neighbourhood> {
        let absent = JobHistory { job: hold.identity.job, ..JobHistory::default() };
        let view = self.view(hold, instant, &absent);
        view.neighbourhood(view.around())
    }

    /// [`Sampler::sample`] and [`Sampler::neighbourhood`] at once.
    pub fn sample_and_neighbourhood(
        &self,
        hold: &Episode,
        instant: i64,
        action: Action,
        held_in_queue: Option<usize>,
    ) -> (Sample, Vec<Neighbourhood>) {
        let absent = JobHistory { job: hold.identity.job, ..JobHistory::default() };
        let view = self.view(hold, instant, &absent);
        let around = view.around();
        (view.sample(action, held_in_queue, around), view.neighbourhood(around))
    }

    /// The jobs of the same cluster that logs show to have been held for its code by `instant`, each once.
    pub fn held_in_cluster(&self, hold: &Episode, instant: i64) -> Vec<JobId> {
        let absent = JobHistory { job: hold.identity.job, ..JobHistory::default() };
        let view = self.view(hold, instant, &absent);
        let cluster = view.group(Group::Cluster(hold.identity.job.cluster)).series;
        let held = cluster.held_code(hold.identity.code).jobs(i64::MIN, instant, u32::MAX);
        let mut jobs: Vec<JobId> =
            held.map(|number| self.history.jobs()[number as usize].job).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// When another job of this scope last began to execute before the hold.
    pub fn last_started(&self, hold: &Episode, scope: Scope, instant: i64) -> Option<i64> {
        let absent = JobHistory { job: hold.identity.job, ..JobHistory::default() };
        let view = self.view(hold, instant, &absent);
        let series = view.neighbours(scope, view.named()).series;
        series.part(|group| Some(&group.started)).last(hold.held_at, view.number)
    }

    /// What came of releases from holds with this code and subcode whose reason names a file of the same directory.
    pub fn releases_in_directory(&self, hold: &Episode, instant: i64) -> InDirectory {
        let absent = JobHistory { job: hold.identity.job, ..JobHistory::default() };
        let view = self.view(hold, instant, &absent);
        let Name::Known(directory) = view.named().directory else { return InDirectory::default() };
        let group = self.around.group(Group::Directory(directory), view.viewer);
        let released = group.released((hold.identity.code, hold.identity.subcode));
        let last = released.last(instant, view.number);
        let outcomes = || released.outcomes(hold.held_at, instant, view.number);
        let voice = |job| view.voice(job);
        let of_owner = outcomes().filter(|&(_, job, _)| voice(job) == Voice::Own);
        InDirectory {
            got_through: last.is_some_and(|(at, success)| success && at > hold.held_at),
            of_owner: of_owner.max_by_key(|&(at, _, _)| at).is_some_and(|(_, _, success)| success),
            voices: voices(released.successes(hold.held_at, instant, view.number), voice),
            released_since: released.count(hold.held_at, instant, view.number),
        }
    }

    fn view<'a>(&'a self, hold: &'a Episode, instant: i64, absent: &'a JobHistory) -> View<'a> {
        let (number, job) = match self.history.number_of(hold.identity.job) {
            Some(number) => (number, &self.history.jobs()[number as usize]),
            None => (u32::MAX, absent),
        };
        let viewer = self.history.owner_of(hold.identity.job);
        View { sampler: self, hold, instant, number, job, viewer }
    }
}

/// What came of like releases in one directory since a hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InDirectory {
    /// The last outcome is later than the hold, and a success.
    pub got_through: bool,
    /// The same of the jobs of the held job's owner alone.
    pub of_owner: bool,
    /// How many voices stand behind the successes since ([`Neighbourhood::voices_started_since`]).
    pub voices: usize,
    /// Successes and failures since.
    pub released_since: (usize, usize),
}

/// Seconds before a hold within which an eviction is the same failure.
const WITH_HOLD: i64 = 10;

/// One hold at one instant.
struct View<'a> {
    sampler: &'a Sampler,
    hold: &'a Episode,
    instant: i64,
    number: u32,
    job: &'a JobHistory,
    /// Its owner, who sees more of the jobs it owns than others do.
    viewer: Option<Symbol>,
}

/// The other jobs, scope by scope.
type AllScopes<'a> = [Neighbours<'a>; Scope::ALL.len()];

impl<'a> View<'a> {
    fn sample(
        &self,
        action: Action,
        held_in_queue: Option<usize>,
        around: AllScopes<'a>,
    ) -> Sample {
        let mut statics = Vec::new();
        put_facts(&mut statics, &self.facts(held_in_queue, around));
        put_action(&mut statics, action);
        Sample { states: self.states(), statics }
    }

    fn neighbourhood(&self, around: AllScopes<'a>) -> Vec<Neighbourhood> {
        let scopes = Scope::ALL.into_iter().zip(around).zip(self.names());
        scopes
            .filter(|((_, neighbours), _)| neighbours.known)
            .map(|((scope, neighbours), name)| {
                Neighbourhood::of(scope, name, neighbours.series, &self.window(), |job| {
                    self.voice(job)
                })
            })
            .collect()
    }

    /// How many steps of the job itself are seen: up to the hold.
    fn own_steps(&self) -> usize {
        match self.hold.step {
            Some(step) => (step + 1).min(self.job.steps.len()),
            None => self
                .job
                .steps
                .partition_point(|step| step.time <= self.hold.held_at.min(self.instant)),
        }
    }

    fn states(&self) -> Vec<u8> {
        let Layout { frames, slots } = &self.sampler.layout;
        let j = slots.count();
        let owner = self.job.owner_at(self.instant);
        let code = self.hold.identity.code;
        let primary = (self.number, self.job);
        let jobs = slots::choose(
            *slots,
            &self.sampler.around,
            primary,
            owner,
            self.viewer,
            code,
            self.instant,
        );
        let mut states = vec![State::NOT_OBSERVED.index(); frames.count() * j];
        for (slot, number) in jobs.into_iter().enumerate() {
            let history = &self.sampler.history;
            let seen = |number: u32| match slot {
                0 => history.jobs().get(number as usize),
                _ => history.as_seen_by(number, self.viewer),
            };
            let Some(job) = number.and_then(seen) else { continue };
            let steps =
                if slot == 0 { self.own_steps() } else { job.steps_until(self.instant).len() };
            for (frame, state) in frames.states(job, steps, self.instant).enumerate() {
                states[frame * j + slot] = state.index();
            }
        }
        if self.hold.step.is_none() {
            self.put_hold(&mut states);
        }
        states
    }

    /// A hold that only the queue tells of.
    fn put_hold(&self, states: &mut [u8]) {
        let held = State::held(self.hold.identity.code).index();
        let Layout { frames, slots } = &self.sampler.layout;
        for (frame, check) in frames.checks(self.instant).enumerate() {
            if check >= self.hold.held_at {
                states[frame * slots.count()] = held;
            }
        }
    }

    fn facts(&self, held_in_queue: Option<usize>, around: AllScopes<'a>) -> Facts<'a> {
        let identity = &self.hold.identity;
        Facts {
            code: identity.code,
            subcode: identity.subcode,
            reason: self.hold.reason.as_deref().filter(|reason| !reason.is_empty()),
            held_for: self.instant - self.hold.held_at,
            own: self.own(),
            usage: self.usage(),
            around,
            held_in_queue,
            sees_access_point: self.sampler.history.sees_access_point(self.instant),
            instant: self.instant,
            held_at: self.hold.held_at,
            number: self.number,
        }
    }

    fn own(&self) -> Own {
        let steps = &self.job.steps[..self.own_steps()];
        let ad = self.job.ad_at(self.instant);
        let code = self.hold.identity.code;
        let counted =
            |wanted: fn(What) -> bool| steps.iter().filter(|step| wanted(step.what)).count() as i64;
        let for_code = |what: What| matches!(what, What::Held(hold) if hold.code == code);
        let same_code = steps.iter().filter(|step| for_code(step.what)).count() as i64;
        let held = counted(|what| matches!(what, What::Held(_))).max(1);
        let starts = counted(|what| matches!(what, What::Executing(_)));
        let from_submission = self.job.from_submission();
        let submitted = steps.first().filter(|_| from_submission).map(|step| step.time);
        let attempt = self.attempt(steps);
        Own {
            logged: !steps.is_empty(),
            from_submission,
            // NumHolds of the ad may count a hold twice, once by the shadow and once by the schedd.
            holds: if from_submission { held } else { self.hold.identity.num_holds.max(held) },
            // The ad counts starts a log that begins late has not seen.
            starts: if from_submission {
                starts
            } else {
                ad.and_then(|ad| ad.num_job_starts).unwrap_or(0).max(starts)
            },
            holds_same_code: same_code.max(1),
            evictions: counted(|what| matches!(what, What::Evicted | What::ShadowException)),
            failed_releases: self.failed_releases(code),
            age: submitted.map(|submitted| self.hold.held_at - submitted),
            ran_for: attempt.map(|began| self.hold.held_at - began),
        }
    }

    /// When the run began that the hold ended. The starter's failure writes an eviction right before the hold.
    fn attempt(&self, steps: &[Step]) -> Option<i64> {
        let ended = |step: &&Step| {
            matches!(step.what, What::Held(_) | What::Evicted | What::ShadowException)
        };
        let before = &steps[..steps.len().saturating_sub(1)];
        let with_hold = |step: &&Step| ended(step) && step.time >= self.hold.held_at - WITH_HOLD;
        let run = before.iter().rev().skip_while(with_hold).take_while(|step| !ended(step));
        run.filter(|step| matches!(step.what, What::Executing(_))).last().map(|step| step.time)
    }

    fn failed_releases(&self, code: i32) -> i64 {
        let mut failed = 0;
        let mut released_from = None;
        for step in &self.job.steps[..self.own_steps()] {
            match step.what {
                What::Held(hold) => {
                    if released_from == Some(Some(code)) && hold.is_by_system() {
                        failed += 1;
                    }
                    released_from = Some(None);
                    if hold.code == code {
                        released_from = Some(Some(code));
                    }
                }
                What::Terminated(Exit::Code(_) | Exit::Signal(_))
                    if released_from == Some(Some(code)) =>
                {
                    failed += 1;
                }
                _ => {}
            }
        }
        failed
    }

    fn usage(&self) -> Usage {
        let until = self.hold.held_at;
        let ad = self.job.ad_at(self.instant);
        let last = |facts| Known::last_at(facts, until).map(|value: i64| value as f64);
        let provisioned =
            ad.and_then(|ad| ad.memory_provisioned).or_else(|| last(&self.job.memory_provisioned));
        let used = ad.and_then(|ad| ad.memory_usage).or_else(|| last(&self.job.memory_usage));
        let ratio = |used: Option<f64>, given: Option<f64>| match (used, given) {
            (Some(used), Some(given)) if given > 0.0 => Some(used / given),
            _ => None,
        };
        Usage {
            memory: ratio(used, provisioned),
            disk: ratio(ad.and_then(|ad| ad.disk_usage), ad.and_then(|ad| ad.disk_provisioned)),
            memory_provisioned: provisioned,
        }
    }

    fn around(&self) -> AllScopes<'a> {
        let named = self.named();
        Scope::ALL.map(|scope| self.neighbours(scope, named))
    }

    fn neighbours(&self, scope: Scope, named: Named) -> Neighbours<'a> {
        match scope {
            Scope::Cluster => self.group(Group::Cluster(self.job.job.cluster)),
            Scope::AccessPoint => self.group(Group::AccessPoint),
            _ => match self.name(scope, named) {
                Name::None => Neighbours::default(),
                Name::New => Neighbours { known: true, series: Both::default() },
                Name::Known(symbol) => self.group(Group::Named(scope, symbol)),
            },
        }
    }

    /// The name the job has in a scope.
    fn name(&self, scope: Scope, named: Named) -> Name {
        match scope {
            Scope::Cluster | Scope::AccessPoint => Name::None,
            Scope::Owner => self.job.owner_at(self.instant).into(),
            Scope::Site => self.site(named),
            Scope::Server => named.server.or_else(|| self.only_server().into()),
            Scope::File => named.file,
            Scope::Reason => named.normalised,
        }
    }

    fn names(&self) -> [Option<String>; Scope::ALL.len()] {
        let named = self.named();
        Scope::ALL.map(|scope| match self.name(scope, named) {
            Name::None => None,
            Name::Known(name) => Some(self.sampler.history.symbols.name(name).to_owned()),
            // Whether others mention a name does not change it.
            Name::New => {
                let texts = Named::texts(self.hold.reason.as_deref()?);
                let [normalised, server, file, machine, _] = &*texts;
                match scope {
                    Scope::Reason => normalised.clone(),
                    Scope::Server => server.clone(),
                    Scope::File => file.clone(),
                    Scope::Site => machine.clone(),
                    Scope::Cluster | Scope::Owner | Scope::AccessPoint => None,
                }
            }
        })
    }

    /// Who speaks when something happens to another job: all jobs of a cluster have one owner.
    fn voice(&self, number: u32) -> Voice {
        let history = &self.sampler.history;
        let Some(job) = history.jobs().get(number as usize) else { return Voice::Other(None) };
        if job.job.cluster == self.hold.identity.job.cluster {
            return Voice::Own;
        }
        match history.owner_of(job.job) {
            owner if owner.is_some() && owner == self.viewer => Voice::Own,
            owner => Voice::Other(owner),
        }
    }

    fn window(&self) -> Window {
        Window {
            code: self.hold.identity.code,
            subcode: self.hold.identity.subcode,
            held_at: self.hold.held_at,
            instant: self.instant,
            job: self.number,
        }
    }

    fn group(&self, group: Group) -> Neighbours<'a> {
        Neighbours { known: true, series: self.sampler.around.group(group, self.viewer) }
    }

    /// What the reason of this hold names.
    fn named(&self) -> Named {
        self.hold.reason.as_deref().map_or_else(Named::default, |reason| {
            let symbols = &self.sampler.history.symbols;
            let logged = symbols.find(reason).and_then(|reason| self.sampler.around.named(reason));
            logged.unwrap_or_else(|| Named::find(reason, symbols))
        })
    }

    fn site(&self, named: Named) -> Name {
        let recorded: Name = self.job.site_at(self.instant).into();
        recorded.or_else(|| named.machine).or_else(|| self.job.machine_at(self.hold.held_at).into())
    }

    /// The file server of its input where there is just one.
    fn only_server(&self) -> Option<Symbol> {
        let mut known = self.job.servers.iter().filter(|server| server.since <= self.instant);
        let server = known.next()?;
        known.next().is_none().then_some(server.value)
    }
}

/// A sample of training: a hold that was released, at its release.
pub fn is_labelled(episode: &Episode) -> bool {
    episode.released_at.is_some()
        && matches!(episode.outcome, Some(Outcome::Success | Outcome::Failure))
        && hold_code::is_by_system(episode.identity.code)
}
