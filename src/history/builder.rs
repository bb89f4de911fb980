//! Fills a history from logs and ads.

use std::collections::HashMap;

use classads::ClassAd;
use foldhash::fast::RandomState;
use rayon::prelude::*;
use thin_vec::ThinVec;

use super::access_point::{Source, Views};
use super::fact::{Fact, LogPart, is_of_job};
use super::room::{self, Room};
use super::{AdFacts, Coverage, History, Hold, JobHistory, SourceId, Symbol, Symbols, What};
use eventlog::{Event, JobId};

/// The hold that a job is in at the end of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenHold {
    /// When the event was written, Unix seconds.
    pub(crate) at: i64,
    /// What it says.
    pub(crate) hold: Hold,
    /// Holds of the job in the log, this one included.
    pub(crate) count: i64,
}

/// What one source says of one job. Only those see it whose ads name the source.
#[derive(Clone, Debug)]
struct Part {
    source: u16,
    audience: Vec<Symbol>,
    job: JobHistory,
}

/// The source of what the queue's ad says: behind all logs.
const QUEUE: u16 = u16::MAX;

/// Jobs from which on the work is shared out to all cores.
const MANY: usize = 10_000;

/// The log that each step of a job comes from, in the order they were added.
#[derive(Clone, Debug, Default)]
pub(super) struct StepSources {
    first: Option<u16>,
    /// Where it is another one: from which step on, and which.
    others: ThinVec<(u32, u16)>,
}

impl StepSources {
    /// The steps from this one on come from this log.
    pub(super) fn note(&mut self, step: usize, source: u16) {
        let first = *self.first.get_or_insert(source);
        if self.others.last().map_or(first, |last| last.1) != source {
            self.others.push((u32::try_from(step).unwrap_or(u32::MAX), source));
        }
    }

    /// The log of each step; `None` where all come from one log.
    pub(super) fn several(&self) -> Option<impl Iterator<Item = u16>> {
        (!self.others.is_empty()).then(|| self.of_steps())
    }

    fn of_steps(&self) -> impl Iterator<Item = u16> {
        let first = self.first.map(|source| (0, source));
        let begins = first.into_iter().chain(self.others.iter().copied());
        let ends = self.others.iter().map(|other| other.0 as usize).chain([usize::MAX]);
        begins
            .zip(ends)
            .flat_map(|((from, source), until)| std::iter::repeat_n(source, until - from as usize))
    }
}

/// A history that logs and ads are added to.
#[derive(Clone, Debug, Default)]
pub struct HistoryBuilder {
    /// What all may see, in the order it was added.
    pub(super) history: History,
    /// For each job, the logs that its steps come from.
    step_sources: Vec<StepSources>,
    /// What logs that ads name, and ads of the queue, tell of a job: known to some owners alone.
    parts: HashMap<u32, Vec<Part>, RandomState>,
    /// The job something was added to last.
    last: Option<(JobId, u32)>,
    /// Bytes that what logs tell may take; no bound where it is `None`.
    pub(super) room: Option<Room>,
}

impl HistoryBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Announces a log. Events of it name it.
    pub fn add_source(&mut self, coverage: Coverage) -> SourceId {
        self.source(coverage, None)
    }

    /// Announces a log that ads of jobs of these owners name. They can write into it what they
    /// like: it is believed about no job that HTCondor says is another owner's.
    pub fn add_source_of<'a>(&mut self, owners: impl IntoIterator<Item = &'a str>) -> SourceId {
        let symbols = &mut self.history.symbols;
        let owners = owners.into_iter().map(|owner| symbols.intern(owner)).collect();
        self.source(Coverage::Jobs, Some(owners))
    }

    fn source(&mut self, coverage: Coverage, named_by: Option<Vec<Symbol>>) -> SourceId {
        let sources = &mut self.history.sources;
        sources.push(Source { coverage, named_by, first: i64::MAX, last: i64::MIN });
        SourceId(u16::try_from(sources.len() - 1).unwrap_or(u16::MAX))
    }

    /// Says whose job it is, as an ad of HTCondor does. To be called before logs that ads name are
    /// read.
    pub fn attest_owner(&mut self, job: JobId, owner: &str) {
        let owner = self.history.symbols.intern(owner);
        self.history.owners.entry(job.cluster).or_insert(owner);
    }

    /// What the log says of this job is believed.
    fn believes(&self, source: SourceId, job: JobId) -> bool {
        self.audience(source).is_none_or(|users| {
            self.history.owners.get(&job.cluster).is_none_or(|owner| users.contains(owner))
        })
    }

    /// An event 028 of the log may say that the job is this owner's.
    fn believes_owner(&mut self, source: SourceId, job: JobId, owner: Symbol) -> bool {
        let History { sources, owners, .. } = &mut self.history;
        let Some(source) = sources.get(usize::from(source.0)) else { return true };
        if source.coverage == Coverage::AccessPoint {
            return *owners.entry(job.cluster).or_insert(owner) == owner;
        }
        match (owners.get(&job.cluster), &source.named_by) {
            (Some(attested), _) => *attested == owner,
            (None, Some(users)) => users.contains(&owner),
            (None, None) => true,
        }
    }

    /// Adds an event of a log.
    pub fn add_event(&mut self, source: SourceId, event: &Event<'_>) {
        if !self.believes(source, event.job) {
            return;
        }
        let time = event.time.seconds;
        self.extend_span(source, (time, time));
        if !is_of_job(event.job) {
            return;
        }
        let mut facts = Vec::new();
        Fact::each(event, &mut self.history.symbols, &mut |fact| facts.push(fact));
        for fact in facts {
            self.add_fact(source, event.job, time, fact);
        }
    }

    /// Adds what a part of a log tells, of a log that is believed about all jobs.
    pub(super) fn add_part(&mut self, source: SourceId, part: LogPart) {
        if let Some(span) = part.span {
            self.extend_span(source, span);
        }
        // By the numbers they have in the part: what nobody has room for is not kept.
        let mut names: Vec<Option<Symbol>> = match self.room {
            Some(_) => vec![None; part.symbols.len()],
            None => self.history.symbols.intern_all(&part.symbols).map(Some).collect(),
        };
        for (job, time, fact) in part.facts {
            if !self.has_room(job, fact, &part.symbols, &names) {
                continue;
            }
            let symbols = &mut self.history.symbols;
            let fact = fact.renamed(&mut |symbol| {
                let known = &mut names[symbol.number() as usize];
                *known.get_or_insert_with(|| symbols.intern_of(&part.symbols, symbol))
            });
            self.add_fact(source, job, time, fact);
        }
    }

    /// There is room for what is told of a job.
    fn has_room(
        &mut self,
        job: JobId,
        fact: Fact,
        symbols: &Symbols,
        known: &[Option<Symbol>],
    ) -> bool {
        let Some(room) = &mut self.room else { return true };
        let mut bytes = room::FACT;
        fact.renamed(&mut |symbol| {
            if known[symbol.number() as usize].is_none() {
                bytes += room::NAME + symbols.name(symbol).len() as u64;
            }
            symbol
        });
        // Whose a job is stays known, so that it is known who has no room.
        room.take(self.history.owners.get(&job.cluster).copied(), job.cluster, bytes)
            || matches!(fact, Fact::Owner(_))
    }

    fn extend_span(&mut self, source: SourceId, (first, last): (i64, i64)) {
        if let Some(source) = self.history.sources.get_mut(usize::from(source.0)) {
            source.first = source.first.min(first);
            source.last = source.last.max(last);
        }
    }

    fn add_fact(&mut self, source: SourceId, id: JobId, time: i64, fact: Fact) {
        if let Fact::Owner(owner) = fact
            && !self.believes_owner(source, id, owner)
        {
            return;
        }
        let number = self.number(id);
        let at = number as usize;
        let Self { history, step_sources, parts, .. } = self;
        let from = history.sources.get(usize::from(source.0));
        let in_event_log = from.is_some_and(|from| from.coverage == Coverage::AccessPoint);
        let job = match from.and_then(|from| from.named_by.as_ref()) {
            Some(audience) => part_mut(parts, (number, id), source.0, audience),
            None => {
                let job = &mut history.jobs[at];
                if matches!(fact, Fact::Step(_)) {
                    step_sources[at].note(job.steps.len(), source.0);
                }
                job
            }
        };
        job.learn(time, fact, in_event_log);
    }

    /// Adds the ad of a job in the queue, at the time of the query. Its owner can edit most of it:
    /// but for the owner, what it says is seen by jobs of that owner alone. An ad without ClusterId
    /// says nothing of a job and gives `None`.
    pub fn add_queue_ad(&mut self, ad: &ClassAd, known: i64) -> Option<JobId> {
        let job = JobId::of_ad(ad)?;
        let facts = AdFacts::of_queue(ad, known, &mut self.history.symbols);
        let number = self.number(job);
        if let Some(owner) = facts.owner {
            self.history.jobs[number as usize].learn_owner(owner, known);
        }
        let audience: &[Symbol] = facts.owner.as_slice();
        let part = part_mut(&mut self.parts, (number, job), QUEUE, audience);
        // Few jobs have another ad.
        if part.ads.is_empty() {
            part.ads.reserve_exact(1);
        }
        part.ads.push(facts);
        Some(job)
    }

    /// Adds what an ad said of a job, for all to see: an epoch ad at the end of a run. An ad
    /// without ClusterId says nothing of a job and gives `None`.
    pub fn add_ad(&mut self, ad: &ClassAd, known: i64) -> Option<JobId> {
        let job = JobId::of_ad(ad)?;
        let facts = AdFacts::of(ad, known, &mut self.history.symbols);
        let number = self.number(job) as usize;
        let history = &mut self.history.jobs[number];
        if let Some(owner) = facts.owner {
            history.learn_owner(owner, known);
        }
        history.ads.push(facts);
        Some(job)
    }

    /// Notes that ads of earlier runs were read: all there are have been or will be added.
    pub fn note_epochs(&mut self) {
        self.history.read_epochs = true;
    }

    /// The history: everything in the order of its time, and each step that several logs tell once.
    pub fn build(self) -> History {
        let Self { mut history, mut step_sources, parts, .. } = self;
        history.transfers.settle();
        // What is known to some owners alone is joined with what all know. Where there are others
        // who do not know it, the job as it looks to each is kept too.
        let mut audiences = parts.values().flatten().map(|part| &part.audience);
        let first = audiences.next();
        let apart = audiences.any(|audience| Some(audience) != first);
        for (number, mut parts) in parts {
            parts.sort_by_key(|part| part.source);
            let at = number as usize;
            if apart {
                let views = views((&history.jobs[at], &step_sources[at]), &parts);
                history.views.insert(number, views);
            }
            for part in parts {
                history.jobs[at].join(&mut step_sources[at], part.job, part.source);
            }
        }
        if history.jobs.len() < MANY {
            let jobs = history.jobs.iter_mut().zip(&step_sources);
            jobs.for_each(|(job, step_sources)| job.settle(step_sources));
        } else {
            let jobs = history.jobs.par_iter_mut().zip(&step_sources);
            jobs.for_each(|(job, step_sources)| job.settle(step_sources));
        }
        history
    }

    /// What was added so far, in the order it was added.
    pub(crate) fn so_far(&self) -> &History {
        &self.history
    }

    /// The hold that a job is in at the end of the log that was read last.
    pub(crate) fn open_hold(&self, job: JobId) -> Option<OpenHold> {
        let newest = u16::try_from(self.history.sources.len().checked_sub(1)?).ok()?;
        let number = self.history.number_of(job)?;
        let at = number as usize;
        let all = self.history.jobs[at].steps.iter().zip(self.step_sources[at].of_steps());
        let for_all = all.filter(|&(_, step_sources)| step_sources == newest).map(|(step, _)| step);
        // What a log that an ad names tells is kept apart.
        let parts = self.parts.get(&number).into_iter().flatten();
        let apart = parts.filter(|part| part.source == newest).flat_map(|part| &part.job.steps);
        let mut open = None;
        let mut count = 0;
        for step in for_all.chain(apart) {
            match step.what {
                What::Held(hold) => {
                    count += 1;
                    open = Some(OpenHold { at: step.time, hold, count });
                }
                What::Released { .. } => open = None,
                _ => {}
            }
        }
        open
    }

    /// The last instant that the log read last tells of.
    pub(crate) fn end_of_newest(&self) -> Option<i64> {
        self.history.sources.last().map(|source| source.last)
    }

    /// Those who see what the source tells; `None`: all.
    fn audience(&self, source: SourceId) -> Option<&Vec<Symbol>> {
        let source = self.history.sources.get(usize::from(source.0));
        source.and_then(|source| source.named_by.as_ref())
    }

    fn number(&mut self, job: JobId) -> u32 {
        if let Some((last, number)) = self.last
            && last == job
        {
            return number;
        }
        let History { jobs, numbers, clusters, next_of_cluster, .. } = &mut self.history;
        let next = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
        let number = *numbers.entry(job).or_insert(next);
        if number == next {
            jobs.push(JobHistory { job, ..JobHistory::default() });
            self.step_sources.push(StepSources::default());
            next_of_cluster.push(number);
            let (_, last) = clusters.entry(job.cluster).or_insert((number, number));
            next_of_cluster[*last as usize] = number;
            *last = number;
        }
        self.last = Some((job, number));
        number
    }
}

/// Where what a source tells of a job is kept.
fn part_mut<'a>(
    parts: &'a mut HashMap<u32, Vec<Part>, RandomState>,
    (number, job): (u32, JobId),
    source: u16,
    audience: &[Symbol],
) -> &'a mut JobHistory {
    let parts = parts.entry(number).or_default();
    let at = parts.iter().position(|part| part.source == source).unwrap_or_else(|| {
        let job = JobHistory { job, ..JobHistory::default() };
        parts.reserve_exact(1);
        parts.push(Part { source, audience: audience.to_vec(), job });
        parts.len() - 1
    });
    &mut parts[at].job
}

/// The job as it looks to everyone, and to those who see some of the parts.
fn views((public, step_sources): (&JobHistory, &StepSources), parts: &[Part]) -> Views {
    let mut owners: Vec<Symbol> =
        parts.iter().flat_map(|part| part.audience.iter().copied()).collect();
    owners.sort_unstable();
    owners.dedup();
    let joined = |parts: &[&Part]| {
        let (mut job, mut step_sources) = (public.clone(), step_sources.clone());
        for part in parts {
            job.join(&mut step_sources, part.job.clone(), part.source);
        }
        job.settle(&step_sources);
        job
    };
    let view = |owner: Symbol| {
        let seen: Vec<&Part> = parts.iter().filter(|part| part.audience.contains(&owner)).collect();
        (owner, (seen.len() < parts.len()).then(|| joined(&seen)))
    };
    Views { public: joined(&[]), of: owners.into_iter().map(view).collect() }
}
