//! The access point: takes what is to happen in the order of its time, writes what an access point
//! writes.
//!
//! - `act`: somebody else decides about held jobs.
//! - `acting`: a policy in the place of people.
//! - `epoch`: `epoch_history`.
//! - `held`: jobs on hold, and which are held alike.
//! - `holds`: holds, releases and removals.
//! - `job`: the state of a job in the queue.
//! - `looks`: what looks would have found.
//! - `people`: owners and facilitators.
//! - `queue`: what is to happen, in order of time.
//! - `runs`: runs of jobs.
//! - `submit`: owners submit clusters.

pub(crate) mod act;
mod acting;
mod epoch;
mod held;
mod holds;
mod job;
mod looks;
mod people;
mod queue;
mod runs;
mod submit;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use eventlog::{Body, JobId};

use crate::cause::{Cause, Symptom};
use crate::error::Result;
use crate::life::{Cluster, Run, Subject};
use crate::oracle::{Asked, Oracle, Question};
use crate::output::{EventLog, Information};
use crate::random::Dice;
use crate::reason::{Place, Wording};
use crate::truth::{self, HoldRecord};
use crate::world::{Workflow, World};
use crate::{Course, Extras, Settings, SimulateError};
use epoch::EpochWriter;
use held::{Held, Likeness};
use looks::{Looker, Seen};

pub(crate) use acting::{Acting, Purpose};
pub(crate) use job::{HoldNow, Job, Moment, Status, Underway};
pub(crate) use queue::{Item, Outage, Queue};

/// Chance, one generator for each purpose, so that a change of one draws nothing else anew.
pub(crate) struct Chances {
    pub(crate) submit: Dice,
    pub(crate) run: Dice,
    pub(crate) words: Dice,
    pub(crate) people: Dice,
    pub(crate) questions: Dice,
}

pub(crate) struct Simulation {
    pub(crate) world: Arc<World>,
    pub(crate) clusters: Vec<Arc<Cluster>>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) queue: Queue,
    pub(crate) chances: Chances,
    pub(crate) records: Vec<HoldRecord>,
    oracle: Oracle,
    /// Holds the oracle was asked about, by cluster and code.
    asked: std::collections::HashMap<(usize, i32), Vec<usize>>,
    pub(crate) now: i64,
    /// Jobs that run.
    pub(crate) running: usize,
    pub(crate) slots: usize,
    /// Clusters that their owner will look at.
    pub(crate) looks: Vec<people::Looks>,
    pub(crate) held: Held,
    /// Only where looks are asked for.
    looker: Option<Looker>,
    /// Only in a closed loop.
    acting: Option<Acting>,
    /// The seed of its chance.
    acting_seed: Option<u64>,
    wordings: [Wording; 2],
    log: EventLog,
    epochs: EpochWriter,
}

impl Simulation {
    pub(crate) fn new(settings: &Settings, extras: Extras, acting: Option<Acting>) -> Result<Self> {
        let span = settings.span();
        let world = Arc::new(World::draw(settings.preset.clone(), settings.seed, span));
        let folder: &Path = &settings.output;
        std::fs::create_dir_all(folder)
            .map_err(|source| SimulateError::Write { path: folder.to_owned(), source })?;
        let rotation = (settings.largest_log, settings.most_rotations);
        let bare = settings.is_bare();
        let information = settings.information && !bare;
        let log = EventLog::create(folder.join("EventLog"), information, rotation, span.0)?;
        let epochs = EpochWriter::create(folder.join("epoch_history"), !bare)?;
        let seed = settings.seed;
        let oracle = Oracle::new(Arc::clone(&world), seed, extras.when);
        let looker = match extras.looks {
            true => Some(Looker::create(folder.join("looks.jsonl"), seed)?),
            false => None,
        };
        let mut words = Dice::new(seed, 4);
        let wordings = *words.pick(&[
            [Wording::V10, Wording::V23],
            [Wording::V23, Wording::V23],
            [Wording::V23, Wording::V25],
            [Wording::V25, Wording::V25],
        ]);
        let mut simulation = Self {
            slots: world.sites.iter().map(crate::world::Site::slots).sum(),
            world,
            clusters: Vec::new(),
            jobs: Vec::new(),
            queue: Queue::default(),
            chances: Chances {
                submit: Dice::new(seed, 2),
                run: Dice::new(seed, 3),
                words,
                people: Dice::new(seed, 5),
                questions: Dice::new(seed, 6),
            },
            records: Vec::new(),
            oracle,
            asked: std::collections::HashMap::new(),
            now: span.0,
            running: 0,
            looks: Vec::new(),
            held: Held::default(),
            looker,
            acting_seed: acting.as_ref().map(|_| seed),
            acting,
            wordings,
            log,
            epochs,
        };
        simulation.plan_first();
        Ok(simulation)
    }

    /// Runs to the end of the span and answers what was asked of the oracle. `day` is told of each
    /// day that is over.
    pub(crate) fn run(mut self, day: &mut dyn FnMut(u32)) -> Result<Finished> {
        let (begin, end) = self.world.span;
        let mut days = 0;
        let mut over = |now: i64| {
            while begin + (i64::from(days) + 1) * 86_400 <= now {
                days += 1;
                day(days);
            }
        };
        while let Some((time, item)) = self.queue.pop() {
            if time >= end {
                break;
            }
            over(time);
            self.now = time;
            self.take(item)?;
        }
        over(end);
        self.now = end;
        // A few instants for holds that nobody released, while the job was held.
        for job in self.held.iter().collect::<Vec<_>>() {
            self.ask_while_held(job)?;
        }
        for record in &mut self.records {
            if record.released.is_some() && record.outcome.is_none() {
                record.outcome = Some(truth::Outcome::Censored);
            }
        }
        let courses = self.courses();
        self.log.finish()?;
        self.epochs.finish()?;
        self.looker.map_or(Ok(()), Looker::finish)?;
        self.oracle.finish(&mut self.records);
        let clock = self.world.clock;
        self.records.iter_mut().for_each(|record| record.shown_by(clock));
        Ok(Finished { jobs: self.jobs.len(), records: self.records, courses })
    }

    fn take(&mut self, item: Item) -> Result<()> {
        match item {
            Item::Submit => self.submit(),
            Item::Start { job, generation } if self.is_current(job, generation) => self.start(job),
            Item::Run { job, generation } if self.is_current(job, generation) => self.moment(job),
            Item::AutoRelease { job, generation, system } if self.is_current(job, generation) => {
                self.auto_release(job, system)
            }
            Item::Person { job, generation } if self.is_current(job, generation) => {
                self.person(job)
            }
            Item::Start { .. }
            | Item::Run { .. }
            | Item::AutoRelease { .. }
            | Item::Person { .. } => Ok(()),
            Item::Look { cluster } => people::look(self, cluster),
            Item::ReleaseOwn { cluster } => people::release_own(self, cluster),
            Item::HoldOwn { cluster } => people::hold_own(self, cluster),
            Item::Spooled { cluster } => self.spooled(cluster),
            Item::Bulk { place, early } => people::bulk(self, place, early),
        }
    }

    fn is_current(&self, job: usize, generation: u32) -> bool {
        self.jobs[job].generation == generation
    }

    pub(crate) fn workflow(&self, cluster: usize) -> &Workflow {
        let cluster = &self.clusters[cluster];
        &self.world.owners[cluster.owner].workflows[cluster.workflow]
    }

    pub(crate) fn owner_name(&self, cluster: usize) -> &str {
        &self.world.owners[self.clusters[cluster].owner].name
    }

    pub(crate) fn job_id(&self, job: usize) -> JobId {
        JobId::new(self.clusters[self.jobs[job].cluster].id, self.jobs[job].proc)
    }

    /// When the input of a job that another cluster makes is there.
    pub(crate) fn ready(&self, job: usize) -> Option<i64> {
        let job = &self.jobs[job];
        let producer = &self.clusters[self.clusters[job.cluster].producer?];
        let index = producer.first_job + usize::try_from(job.proc).unwrap_or(0) % producer.size;
        self.jobs[index].done_at
    }

    fn subject(&self, job: usize) -> Subject {
        let state = &self.jobs[job];
        Subject {
            cluster: Arc::clone(&self.clusters[state.cluster]),
            traits: state.traits,
            edits: state.edits,
            ready: self.ready(job),
            peak: (state.memory_usage, state.disk_usage),
            mend_matters: Cell::default(),
        }
    }

    /// Version whose words are used now: mostly the access point's, sometimes another's, since
    /// execution points and plug-ins have versions of their own.
    pub(crate) fn wording(&mut self) -> Wording {
        let words = &mut self.chances.words;
        if words.chance(0.25) {
            return *words.pick(&[Wording::V8, Wording::V10, Wording::V23, Wording::V25]);
        }
        self.wordings[usize::from(self.now >= self.world.upgrade)]
    }

    /// Writes an event of a job, now.
    pub(crate) fn event(&mut self, job: usize, body: &Body<'_>) -> Result<()> {
        let state = &self.jobs[job];
        let cluster = &self.clusters[state.cluster];
        let run = state.underway.as_ref().map(|underway| &underway.run);
        let information = Information {
            owner: &self.world.owners[cluster.owner].name,
            request_memory: state.edits.request_memory,
            request_disk: state.edits.request_disk,
            memory_provisioned: run.map(|run| run.memory_provisioned),
            site: run
                .map(|run| run.site)
                .or(state.last_site)
                .map(|site| self.world.sites[site].name.as_str()),
        };
        let time = self.world.clock.at(self.now);
        self.log.write(JobId::new(cluster.id, state.proc), time, body, Some(&information))
    }

    /// Asks the oracle about a held job, at an instant.
    pub(crate) fn ask(&mut self, job: usize, record: usize, time: i64) -> Result<()> {
        if self.acting_seed.is_some() {
            return Ok(());
        }
        let cluster = self.jobs[job].cluster;
        let asked = self.asked.entry((cluster, self.records[record].code)).or_default();
        if !asked.contains(&record) {
            if asked.len() == ASKED_IN_CLUSTER {
                return Ok(());
            }
            asked.push(record);
        }
        self.question(Asked::Actions, job, record, time);
        self.look(job, time)
    }

    /// Writes what a look at a held job would have found at an instant.
    fn look(&mut self, job: usize, instant: i64) -> Result<()> {
        let Some(hold) = &self.jobs[job].hold else { return Ok(()) };
        let Some(mut looker) = self.looker.take() else { return Ok(()) };
        let (subject, state) = (self.subject(job), &self.jobs[job]);
        let place = place(&self.world, &subject.cluster, state, None, Wording::V25);
        let (num_holds, since) = (state.num_holds, state.entered);
        let seen = Seen { place: &place, subject: &subject, hold, num_holds, since, instant };
        let looked = looker.look(&seen);
        self.looker = Some(looker);
        looked
    }

    fn question(&mut self, asked: Asked, job: usize, record: usize, time: i64) {
        if self.acting_seed.is_some() {
            return;
        }
        let (subject, last_site) = (self.subject(job), self.jobs[job].last_site);
        self.oracle.ask(Question { asked, record, time, subject, last_site });
    }

    /// Asks about some of the jobs held as `released` was, now that its release has shown how
    /// things stand.
    pub(crate) fn ask_like(&mut self, released: usize, from: &HoldNow) -> Result<()> {
        let like = self.held.alike(&self.likeness(released, from), self.now);
        for _ in 0..ASKED_LIKE.min(like.len()) {
            let job = *self.chances.questions.pick(&like);
            if let Some(hold) = self.jobs[job].hold {
                self.ask(job, hold.record, self.now)?;
            }
        }
        Ok(())
    }

    fn likeness(&self, job: usize, hold: &HoldNow) -> Likeness {
        let cluster = self.jobs[job].cluster;
        let workflow = self.workflow(cluster);
        let place = match hold.symptom {
            Symptom::FetchUrl { item, .. } => {
                workflow.input_services.get(usize::from(item)).copied()
            }
            Symptom::PutUrl { .. } => workflow.output_service,
            Symptom::ReadInput { .. } | Symptom::WriteOutput { .. } | Symptom::Iwd { .. } => {
                Some(self.world.owners[self.clusters[cluster].owner].filesystem)
            }
            _ => None,
        };
        (hold.code, hold.subcode, std::mem::discriminant(&hold.symptom), place)
    }

    pub(crate) fn ask_while_held(&mut self, job: usize) -> Result<()> {
        let Some(hold) = self.jobs[job].hold else { return Ok(()) };
        if matches!(hold.cause, Cause::Person | Cause::Spooling) {
            return Ok(());
        }
        let since = self.jobs[job].entered;
        for seconds in ASKED_AFTER {
            let time = since + seconds;
            if time < self.now {
                self.ask(job, hold.record, time)?;
            }
        }
        Ok(())
    }
}

/// Seconds from a hold to the instants at which the oracle is asked about it, besides its release:
/// people who look at once, soon, in the evening and the next day.
const ASKED_AFTER: [i64; 5] = [15, 240, 3_600, 21_600, 86_400];

/// Holds of one cluster for one code that the oracle is asked about: like holds teach the same.
const ASKED_IN_CLUSTER: usize = 3;

/// How many jobs held alike the oracle is asked about when the release of another came to an
/// outcome.
const ASKED_LIKE: usize = 8;

fn place<'a>(
    world: &'a World,
    cluster: &'a Cluster,
    job: &Job,
    run: Option<&'a Run>,
    wording: Wording,
) -> Place<'a> {
    let owner = &world.owners[cluster.owner];
    Place {
        world,
        cluster,
        workflow: &owner.workflows[cluster.workflow],
        owner: &owner.name,
        proc: job.proc,
        flaw: job.traits.flaw,
        run,
        wording,
    }
}

/// A simulation that has come to its end.
pub(crate) struct Finished {
    pub(crate) jobs: usize,
    pub(crate) records: Vec<HoldRecord>,
    /// Only of a closed loop.
    pub(crate) courses: Vec<Course>,
}
