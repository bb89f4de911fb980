//! One sample: the tensor and the statics of one hold at one decision instant.

use std::borrow::Cow;
use std::sync::Mutex;

use super::around::{Around, Came, Group, Holds, Name, Named, Plain, Scope};
use super::at_server::AtServer;
use super::columns::{Column, Seen};
use super::facts::{Facts, Own, Tally, Usage};
use super::neighbourhood::{Neighbourhood, Others, Voice, Window, outweighs, voices};
use super::schema::{Projection, SchemaError};
use super::series::Both;
use super::words::Words;
use super::{FeatureSchema, Layout, State, slots};
use crate::history::{Action, Episode, History, JobHistory, Outcome, Symbol};
use crate::hold_code;

/// The tensor and the statics of one hold at one decision instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// m x j state indices, the oldest frame first, slot 0 the held job.
    pub states: Vec<u8>,
    /// k statics. Those of the actions and of the delay say which release the sample asks about.
    pub statics: Vec<f32>,
}

/// Makes samples of the holds of a history.
#[derive(Debug)]
pub struct Sampler {
    history: History,
    around: Around,
    projection: Projection,
    /// Of the job that was last asked about.
    tally: Mutex<Tally>,
}

impl Sampler {
    /// Reads the history once; samples of all its holds come from that. `layout` may be frames
    /// alone.
    pub fn new(history: History, layout: impl Into<Layout>) -> Self {
        let layout = layout.into();
        Self::of(
            history,
            Projection::new(layout, Column::all().iter().collect(), None),
            &Holds::All,
        )
    }

    /// Likewise, with the columns and states that a schema names, such as a model's.
    ///
    /// # Errors
    /// [`SchemaError`] where this program cannot make its samples.
    pub fn for_schema(
        history: History,
        schema: &FeatureSchema,
        holds: &Holds,
    ) -> Result<Self, SchemaError> {
        Ok(Self::of(history, schema.projection()?, holds))
    }

    fn of(mut history: History, projection: Projection, holds: &Holds) -> Self {
        let around = Around::of(&mut history, holds);
        Self { history, around, projection, tally: Mutex::default() }
    }

    /// The history it samples.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Gives it back.
    pub fn into_history(self) -> History {
        self.history
    }

    /// Asks about another action.
    pub fn set_action(&self, sample: &mut Sample, action: Action) {
        for &(at, other) in &self.projection.actions {
            if let Some(cell) = sample.statics.get_mut(at) {
                *cell = f32::from(u8::from(other == action));
            }
        }
    }

    /// The schema has a column for the delay of a release.
    pub fn knows_delays(&self) -> bool {
        self.projection.delay.is_some()
    }

    /// Asks about a release so many seconds after the decision instant, 0 to a week. Nothing of a
    /// schema without a column for it: its models know releases at the instant alone.
    pub fn set_delay(&self, sample: &mut Sample, seconds: i64) {
        let Some(at) = self.projection.delay else { return };
        if let Some(cell) = sample.statics.get_mut(at) {
            *cell = self.projection.columns[at].encode(usize::try_from(seconds).unwrap_or(0));
        }
    }

    /// The sample of a hold at `instant`, asked about `action`. Of the job itself nothing after its
    /// hold is seen but the time it has been held; of all others nothing after `instant`.
    /// `held_in_queue` counts the other jobs that the queue shows held for the same code, where no
    /// log of the access point is at hand.
    pub fn sample(
        &self,
        hold: &Episode,
        instant: i64,
        action: Action,
        held_in_queue: Option<usize>,
    ) -> Sample {
        self.at(hold, instant).sample(action, held_in_queue)
    }

    /// The same as it would be had the job just been held at `instant`, with what is known of it at
    /// `now`: of others nothing after `instant` is seen, and no time has passed.
    pub fn sample_as_of(
        &self,
        hold: &Episode,
        instant: i64,
        now: i64,
        action: Action,
        held_in_queue: Option<usize>,
    ) -> Sample {
        let view = View { known_at: now, held_for: 0, ..self.view(hold, instant) };
        view.sample(action, held_in_queue, view.around())
    }

    /// What is known of the other jobs of each scope at `instant`: the numbers behind an advice.
    pub fn neighbourhood(&self, hold: &Episode, instant: i64) -> Vec<Neighbourhood> {
        self.at(hold, instant).neighbourhood()
    }

    /// When a job of this scope last began to execute before the hold.
    pub fn last_started(&self, hold: &Episode, scope: Scope, instant: i64) -> Option<i64> {
        let view = self.view(hold, instant);
        let series = view.neighbours(scope, view.named()).series;
        series.plain(Plain::Started).last(hold.held_at, u32::MAX)
    }

    /// What came of releases from holds with this code and subcode whose reason names a file of the
    /// same directory.
    pub fn releases_in_directory(&self, hold: &Episode, instant: i64) -> InDirectory {
        let view = self.view(hold, instant);
        let Name::Known(directory) = view.named().directory else { return InDirectory::default() };
        let group = self.around.group(Group::Directory(directory), view.viewer);
        let released = group.results(Came::Any, (hold.identity.code, hold.identity.subcode));
        let last = released.last(instant, view.number);
        let outcomes = || released.outcomes(hold.held_at, instant, view.number);
        let voice = |job| view.voice(job);
        let of_owner = outcomes().filter(|&(_, job, _)| voice(job) == Voice::Own);
        let ended = |success| released.ended(success, hold.held_at, instant, view.number);
        let voices = (voices(ended(true), voice), voices(ended(false), voice));
        InDirectory {
            got_through: last.is_some_and(|(at, success)| success && at > hold.held_at)
                || outweighs(voices),
            of_owner: of_owner.max_by_key(|&(at, _, _)| at).is_some_and(|(_, _, success)| success),
            voices,
        }
    }

    /// What jobs met up to `instant` at the file server that the hold is about.
    pub(crate) fn at_server(&self, hold: &Episode, instant: i64) -> AtServer<'_> {
        let view = self.view(hold, instant);
        let server = view.named().server.symbol();
        let of = |group: fn(Scope, Symbol) -> Group| {
            let group = server.map(|name| group(Scope::Server, name));
            group.map(|group| self.around.group(group, view.viewer)).unwrap_or_default()
        };
        let (series, spared) = (of(Group::Named), of(Group::Spared));
        AtServer { series, spared, code: hold.identity.code, instant }
    }

    /// A hold at an instant, of which more than one thing is asked.
    pub(crate) fn at<'a>(&'a self, hold: &'a Episode, instant: i64) -> Surroundings<'a> {
        let view = self.view(hold, instant);
        let around = view.around();
        Surroundings { view, around }
    }

    fn view<'a>(&'a self, hold: &'a Episode, instant: i64) -> View<'a> {
        let (number, job) = match self.history.number_of(hold.identity.job) {
            Some(number) => (number, Cow::Borrowed(&self.history.jobs()[number as usize])),
            None => (
                u32::MAX,
                Cow::Owned(JobHistory { job: hold.identity.job, ..JobHistory::default() }),
            ),
        };
        let viewer = self.history.owner_of(hold.identity.job);
        let held_for = instant - hold.held_at;
        View { sampler: self, hold, instant, known_at: instant, held_for, number, job, viewer }
    }
}

/// What came of like releases in one directory since a hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InDirectory {
    /// The last outcome is later than the hold and a success, or the successes since outweigh the
    /// failures.
    pub got_through: bool,
    /// The same of the jobs of the held job's owner alone.
    pub of_owner: bool,
    /// How many voices stand behind the successes and the failures since
    /// ([`Neighbourhood::voices_started_since`]).
    pub voices: (usize, usize),
}

/// One hold at one instant.
struct View<'a> {
    sampler: &'a Sampler,
    hold: &'a Episode,
    /// Up to when others are seen.
    instant: i64,
    /// Up to when the ads of the job itself are.
    known_at: i64,
    /// Seconds on hold that count.
    held_for: i64,
    number: u32,
    job: Cow<'a, JobHistory>,
    /// Its owner, who sees more of the jobs it owns than others do.
    viewer: Option<Symbol>,
}

/// The other jobs, scope by scope.
type AllScopes<'a> = [Others<'a>; Scope::ALL.len()];

/// One hold at one instant with the other jobs, which are looked up once.
pub(crate) struct Surroundings<'a> {
    view: View<'a>,
    around: AllScopes<'a>,
}

impl Surroundings<'_> {
    /// [`Sampler::sample`]
    pub(crate) fn sample(&self, action: Action, held_in_queue: Option<usize>) -> Sample {
        self.view.sample(action, held_in_queue, self.around)
    }

    /// [`Sampler::neighbourhood`]
    pub(crate) fn neighbourhood(&self) -> Vec<Neighbourhood> {
        self.view.neighbourhood(self.around)
    }
}

impl<'a> View<'a> {
    fn sample(
        &self,
        action: Action,
        held_in_queue: Option<usize>,
        around: AllScopes<'a>,
    ) -> Sample {
        let facts = self.facts(action, held_in_queue, &around);
        let seen = around.each_ref().map(|others| Seen { hold: &facts, others });
        let columns = &self.sampler.projection.columns;
        let statics = columns.iter().map(|column| column.value(&seen)).collect();
        Sample { states: self.states(), statics }
    }

    fn neighbourhood(&self, around: AllScopes<'a>) -> Vec<Neighbourhood> {
        let scopes = Scope::ALL.into_iter().zip(around).zip(self.names());
        scopes
            .filter(|((_, others), _)| others.known)
            .map(|((scope, others), name)| {
                let spared = self.spared(scope);
                Neighbourhood::of(scope, name, &others, &spared, |job| self.voice(job))
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
        let Layout { frames, slots } = &self.sampler.projection.layout;
        let j = slots.count();
        let owner = self.job.owner_at(self.known_at);
        let code = self.hold.identity.code;
        let primary = (self.number, &*self.job);
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
        if let Some(indices) = &self.sampler.projection.states {
            states.iter_mut().for_each(|state| *state = indices[usize::from(*state)]);
        }
        states
    }

    /// A hold that only the queue tells of.
    fn put_hold(&self, states: &mut [u8]) {
        let held = State::held(self.hold.identity.code).index();
        let Layout { frames, slots } = &self.sampler.projection.layout;
        for (frame, check) in frames.checks(self.instant).enumerate() {
            if check >= self.hold.held_at {
                states[frame * slots.count()] = held;
            }
        }
    }

    fn own(&self) -> Own {
        let steps = &self.job.steps[..self.own_steps()];
        let of = |tally: &mut Tally| Own::of(self.hold, &self.job, steps, self.known_at, tally);
        // Another thread may ask about another job.
        match self.sampler.tally.try_lock() {
            Ok(mut tally) => of(&mut tally),
            Err(_) => of(&mut Tally::default()),
        }
    }

    fn facts(&self, action: Action, held_in_queue: Option<usize>, around: &AllScopes<'a>) -> Facts {
        let Self { sampler, hold, known_at, held_for, .. } = *self;
        let reason = hold.reason.as_deref().filter(|reason| !reason.is_empty());
        let sees_access_point = sampler.history.sees_access_point(known_at);
        let all = &around[Scope::AccessPoint as usize];
        let logged = all.series.is_known() && sees_access_point;
        let has_column = |code: &usize| sampler.projection.codes.contains(code);
        Facts {
            code: usize::try_from(hold.identity.code).ok().filter(has_column),
            subcode: hold.identity.subcode,
            reason_given: reason.is_some(),
            words: reason.map_or(Words::NONE, Words::of),
            held_for,
            own: self.own(),
            usage: Usage::of(hold, &self.job, known_at),
            sees_access_point,
            held_same_code: logged.then_some(all.held_now_same_code).or(held_in_queue),
            action,
        }
    }

    fn around(&self) -> AllScopes<'a> {
        let named = self.named();
        Scope::ALL.map(|scope| self.neighbours(scope, named))
    }

    fn neighbours(&self, scope: Scope, named: Named) -> Others<'a> {
        match scope {
            Scope::Cluster => self.group(Group::Cluster(self.job.job.cluster)),
            Scope::AccessPoint => self.group(Group::AccessPoint),
            _ => match self.name(scope, named) {
                Name::None => Others::of(false, Both::default(), self.window()),
                Name::New => Others::of(true, Both::default(), self.window()),
                Name::Known(symbol) => self.group(Group::Named(scope, symbol)),
            },
        }
    }

    /// What is counted of a file or server although it is about another one.
    fn spared(&self, scope: Scope) -> Others<'a> {
        match self.name(scope, self.named()) {
            Name::Known(symbol) if matches!(scope, Scope::Server | Scope::File) => {
                self.group(Group::Spared(scope, symbol))
            }
            _ => Others::of(true, Both::default(), self.window()),
        }
    }

    /// The name the job has in a scope.
    fn name(&self, scope: Scope, named: Named) -> Name {
        match scope {
            Scope::Cluster | Scope::AccessPoint => Name::None,
            Scope::Owner => self.job.owner_at(self.known_at).into(),
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

    fn group(&self, group: Group) -> Others<'a> {
        Others::of(true, self.sampler.around.group(group, self.viewer), self.window())
    }

    /// What the reason of this hold names.
    fn named(&self) -> Named {
        self.hold.reason.as_deref().map_or_else(Named::default, |reason| {
            self.sampler.around.named(reason, &self.sampler.history.symbols)
        })
    }

    fn site(&self, named: Named) -> Name {
        let recorded: Name = self.job.site_at(self.known_at).into();
        recorded.or_else(|| named.machine).or_else(|| self.job.machine_at(self.hold.held_at).into())
    }

    /// The file server of its input where there is just one.
    fn only_server(&self) -> Option<Symbol> {
        let mut known = self.job.servers.iter().filter(|server| server.since <= self.known_at);
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
