//! All jobs that the logs and ads at hand tell of.

use std::collections::HashMap;

use classads::ClassAd;

use super::ad_facts::{input_names, is_site_attribute};
use super::{AdFacts, Episode, Hold, JobHistory, Known, Step, Symbol, Symbols, What};
use crate::hold_code::USER_REQUEST;
use crate::userlog::{Body, Event, EventKind, JobId};

/// What a log covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every job of the access point (`EVENT_LOG`).
    AccessPoint,
    /// The jobs whose submit description names it.
    Jobs,
}

/// What the event log of the access point shows of one hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventLogView {
    /// It had begun by the hold and has events of the job.
    Whole,
    /// It begins after the hold.
    BeginsLater,
    /// It had begun and does not show the hold: it may be of another access point.
    WithoutHold,
    /// None was read.
    None,
}

/// Seconds by which the event of a hold and EnteredCurrentStatus may differ on a busy access point.
pub(crate) const SAME_HOLD: i64 = 120;

/// Seconds of a quarter of an hour: zones differ by multiples of it.
pub(crate) const QUARTER: i64 = 900;

/// Seconds by which two zones differ at most.
const ZONES: i64 = 26 * 3_600;

/// Whole quarters of an hour between two tellings of one hold; `None` for what is none.
pub(crate) fn quarters(apart: i64) -> Option<i64> {
    let nearest = apart.saturating_add(QUARTER / 2).div_euclid(QUARTER);
    (apart.abs_diff(nearest * QUARTER) <= SAME_HOLD.unsigned_abs()).then_some(nearest)
}

/// A log that was added, and the time it spans.
#[derive(Clone, Debug)]
struct Source {
    coverage: Coverage,
    /// Owners of the jobs whose ads name it; `None` for a log that no ad names.
    named_by: Option<Vec<Symbol>>,
    first: i64,
    last: i64,
}

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

/// What one source tells of one job that those alone see whose ads name the source.
#[derive(Debug)]
struct Part {
    source: u16,
    audience: Vec<Symbol>,
    job: JobHistory,
}

/// One job as it looks to different owners.
#[derive(Debug, Default)]
struct Views {
    /// To everyone else.
    public: JobHistory,
    /// To these owners; `None` where that is all there is.
    of: Vec<(Symbol, Option<JobHistory>)>,
}

/// The source of what the queue's ad says: behind all logs.
const QUEUE: u16 = u16::MAX;

/// The number of a log of a [`History`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(u16);

/// The histories of all jobs that the logs and ads at hand tell of. Fill it with [`History::add_event`] and
/// [`History::add_ad`], then [`History::settle`] it.
#[derive(Debug, Default)]
pub struct History {
    /// Names of owners, machines, sites, servers and reasons.
    pub symbols: Symbols,
    jobs: Vec<JobHistory>,
    /// For each step of the job with the same number, the log that told it.
    told_by: Vec<Vec<u16>>,
    numbers: HashMap<JobId, u32>,
    clusters: HashMap<i32, Vec<u32>>,
    sources: Vec<Source>,
    /// What logs that ads name, and ads of the queue, tell of a job: known to some owners alone.
    parts: HashMap<u32, Vec<Part>>,
    /// Jobs that look different to different owners.
    views: HashMap<u32, Views>,
    /// Ads of earlier runs were read, even if there are none.
    read_epochs: bool,
    /// Owner by ClusterId, as HTCondor wrote it: all jobs of a cluster have one owner, which nobody can edit.
    owners: HashMap<i32, Symbol>,
    settled: bool,
}

impl History {
    /// An empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Announces a log. Events of it name it.
    pub fn add_source(&mut self, coverage: Coverage) -> SourceId {
        self.source(coverage, None)
    }

    /// Announces a log that ads of jobs of these owners name. They can write into it what they like: it is believed
    /// about no job that HTCondor says is another owner's.
    pub fn add_source_of<'a>(&mut self, owners: impl IntoIterator<Item = &'a str>) -> SourceId {
        let owners = owners.into_iter().map(|owner| self.symbols.intern(owner)).collect();
        self.source(Coverage::Jobs, Some(owners))
    }

    fn source(&mut self, coverage: Coverage, named_by: Option<Vec<Symbol>>) -> SourceId {
        self.sources.push(Source { coverage, named_by, first: i64::MAX, last: i64::MIN });
        SourceId(u16::try_from(self.sources.len() - 1).unwrap_or(u16::MAX))
    }

    /// Tells whose job it is, as an ad of HTCondor says. To be called before logs that ads name are read.
    pub fn attest_owner(&mut self, job: JobId, owner: &str) {
        let owner = self.symbols.intern(owner);
        self.owners.entry(job.cluster).or_insert(owner);
    }

    /// What the log says of this job is believed.
    fn believes(&self, source: SourceId, job: JobId) -> bool {
        let named_by = self.sources.get(usize::from(source.0)).and_then(|of| of.named_by.as_ref());
        named_by.is_none_or(|users| {
            self.owners.get(&job.cluster).is_none_or(|owner| users.contains(owner))
        })
    }

    /// An event 028 of the log may say that the job is this owner's.
    fn believes_owner(&mut self, source: SourceId, job: JobId, owner: Symbol) -> bool {
        let Some(source) = self.sources.get(usize::from(source.0)) else { return true };
        if source.coverage == Coverage::AccessPoint {
            return *self.owners.entry(job.cluster).or_insert(owner) == owner;
        }
        match (self.owners.get(&job.cluster), &source.named_by) {
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
        let mut of_access_point = false;
        if let Some(source) = self.sources.get_mut(usize::from(source.0)) {
            source.first = source.first.min(time);
            source.last = source.last.max(time);
            of_access_point = source.coverage == Coverage::AccessPoint;
        }
        // Events of a whole cluster (proc -1) happen to no job.
        if event.job.cluster <= 0 || event.job.proc < 0 {
            return;
        }
        match event.kind() {
            EventKind::JobAdInformation => self.learn(source, event),
            EventKind::ImageSize => {
                if let Body::ImageSize(size) = event.body()
                    && let Some(usage) = size.memory_usage_mb.filter(|usage| *usage >= 0)
                {
                    let job = self.told_mut(source, event.job);
                    if job.memory_usage.last().is_none_or(|last| last.value != usage) {
                        job.memory_usage.push(Known { since: time, value: usage });
                    }
                }
            }
            _ => {
                if let Some(what) = What::of(event, &mut self.symbols) {
                    let job = self.told_mut(source, event.job);
                    job.steps.push(Step { time, what });
                    if of_access_point && matches!(what, What::Held(_)) {
                        job.held_in_event_log.push(time);
                    }
                    if self.audience(source).is_none() {
                        let number = self.number(event.job);
                        self.told_by[number].push(source.0);
                    }
                    self.settled = false;
                }
            }
        }
    }

    /// Adds the ad of a job in the queue, at the time of the query. Its owner can edit most of it: but for the owner, what it
    /// says is seen by jobs of that owner alone. An ad without ClusterId says nothing of a job and gives `None`.
    pub fn add_queue_ad(&mut self, ad: &ClassAd, known: i64) -> Option<JobId> {
        let job = job_of(ad)?;
        let facts = AdFacts::of(ad, known, &mut self.symbols);
        let audience: Vec<Symbol> = facts.owner.into_iter().collect();
        if let Some(owner) = facts.owner {
            self.job_mut(job).learn_owner(owner, known);
        }
        self.part_mut(QUEUE, &audience, job).ads.push(facts);
        self.settled = false;
        Some(job)
    }

    /// Adds what an ad said of a job, for all to see: an epoch ad at the end of a run. An ad without ClusterId says nothing
    /// of a job and gives `None`.
    pub fn add_ad(&mut self, ad: &ClassAd, known: i64) -> Option<JobId> {
        let job = job_of(ad)?;
        let facts = AdFacts::of(ad, known, &mut self.symbols);
        let history = self.job_mut(job);
        if let Some(owner) = facts.owner {
            history.learn_owner(owner, known);
        }
        history.ads.push(facts);
        self.settled = false;
        Some(job)
    }

    fn learn(&mut self, source: SourceId, event: &Event<'_>) {
        let Body::JobAdInformation(information) = event.body() else { return };
        let time = event.time.seconds;
        for (name, value) in &information.attributes {
            if name.eq_ignore_ascii_case(OWNER) {
                let owner = self.symbols.intern(unquoted(value));
                if self.believes_owner(source, event.job, owner) {
                    self.told_mut(source, event.job).learn_owner(owner, time);
                }
            } else if is_site_attribute(name) {
                let site = unquoted(value);
                if !site.is_empty() && !site.eq_ignore_ascii_case("undefined") {
                    let site = self.symbols.intern(site);
                    let job = self.told_mut(source, event.job);
                    // Said again at the start of each run, since a run without a site of its own has none.
                    let starts = information.trigger_event == Some(EventKind::Execute.number());
                    if starts || job.sites.last().is_none_or(|last| last.value != site) {
                        job.sites.push(Known { since: time, value: site });
                    }
                }
            } else if name.eq_ignore_ascii_case("TransferInput") {
                // Relative files are left to the ads: without Iwd they say nothing.
                let whole = |item: &&str| item.contains("://") || item.trim().starts_with('/');
                let list = unquoted(value);
                let urls = list.split(',').filter(whole).collect::<Vec<_>>().join(",");
                let (input, servers) = input_names(&urls, "", &mut self.symbols);
                let job = self.told_mut(source, event.job);
                learn_names(&mut job.input, input, time);
                learn_names(&mut job.servers, servers, time);
            } else if name.eq_ignore_ascii_case("MemoryProvisioned")
                && let Ok(provisioned) = value.trim().parse()
            {
                let job = self.told_mut(source, event.job);
                if job.memory_provisioned.last().is_none_or(|last| last.value != provisioned) {
                    job.memory_provisioned.push(Known { since: time, value: provisioned });
                }
            }
        }
    }

    /// Puts everything into the order of its time. To be called after the last addition; doing so twice changes nothing.
    pub fn settle(&mut self) {
        if self.settled {
            return;
        }
        self.join_parts();
        for (job, told_by) in self.jobs.iter_mut().zip(&mut self.told_by) {
            job.settle(told_by);
        }
        self.settled = true;
    }

    /// Joins what is known to some owners alone with what all know. Where there are others who do not know it, the job as
    /// it looks to each is kept too.
    fn join_parts(&mut self) {
        let parts = std::mem::take(&mut self.parts);
        let mut audiences = parts.values().flatten().map(|part| &part.audience);
        let first = audiences.next();
        let apart = audiences.any(|audience| Some(audience) != first);
        for (number, mut parts) in parts {
            parts.sort_by_key(|part| part.source);
            let index = number as usize;
            if apart {
                let public = (&self.jobs[index], &self.told_by[index]);
                self.views.insert(number, Views::of(public, &parts));
            }
            for part in parts {
                self.jobs[index].join(&mut self.told_by[index], part.job, part.source);
            }
        }
    }

    /// Whose job it is, as far as that is known.
    pub fn owner_of(&self, job: JobId) -> Option<Symbol> {
        let attested = self.owners.get(&job.cluster).copied();
        attested.or_else(|| self.job(job)?.owner.map(|owner| owner.value))
    }

    /// The job with this number as jobs of `owner` may see it; `None`: as all may. To be called on a settled history.
    pub fn as_seen_by(&self, number: u32, owner: Option<Symbol>) -> Option<&JobHistory> {
        let all = self.jobs.get(number as usize)?;
        let Some(views) = self.views.get(&number) else { return Some(all) };
        let own = views.of.iter().find(|(of, _)| Some(*of) == owner);
        Some(own.map_or(&views.public, |(_, view)| view.as_ref().unwrap_or(all)))
    }

    /// The owners to whom the job with this number looks otherwise than to all.
    pub fn seen_apart_by(&self, number: u32) -> impl Iterator<Item = Symbol> {
        self.views
            .get(&number)
            .into_iter()
            .flat_map(|views| views.of.iter().map(|(owner, _)| *owner))
    }

    /// The history of a job.
    pub fn job(&self, job: JobId) -> Option<&JobHistory> {
        self.numbers.get(&job).map(|&number| &self.jobs[number as usize])
    }

    /// Where a job stands in [`History::jobs`].
    pub fn number_of(&self, job: JobId) -> Option<u32> {
        self.numbers.get(&job).copied()
    }

    /// The histories of all jobs, in the order they were first told of.
    pub fn jobs(&self) -> &[JobHistory] {
        &self.jobs
    }

    /// The jobs of a cluster that logs or ads tell of.
    pub fn jobs_of(&self, cluster: i32) -> impl Iterator<Item = &JobHistory> {
        let numbers = self.clusters.get(&cluster).into_iter().flatten();
        numbers.map(|&number| &self.jobs[number as usize])
    }

    /// A log of the whole access point had begun by `instant`.
    pub fn sees_access_point(&self, instant: i64) -> bool {
        self.sources
            .iter()
            .any(|source| source.coverage == Coverage::AccessPoint && source.first <= instant)
    }

    /// Notes that ads of earlier runs were read: all there are have been or will be added.
    pub fn note_epochs(&mut self) {
        self.read_epochs = true;
    }

    /// Whether ads of earlier runs were read, even if there are none.
    pub fn has_read_epochs(&self) -> bool {
        self.read_epochs
    }

    /// What the event log shows of the hold that `job` is in since `held_at`, Unix seconds.
    pub fn event_log_view(&self, job: JobId, held_at: i64) -> EventLogView {
        let read = |source: &&Source| {
            source.coverage == Coverage::AccessPoint && source.first <= source.last
        };
        let Some(first) = self.sources.iter().filter(read).map(|source| source.first).min() else {
            return EventLogView::None;
        };
        if first > held_at {
            EventLogView::BeginsLater
        } else if self.hold_events(job).any(|at| (at - held_at).abs() <= SAME_HOLD) {
            EventLogView::Whole
        } else {
            EventLogView::WithoutHold
        }
    }

    /// Whether the event log has a hold of the job that may be the one since `held_at`, in whatever zone the log was written:
    /// zones differ by quarters of an hour.
    pub fn may_show(&self, job: JobId, held_at: i64) -> bool {
        self.hold_events(job).any(|at| {
            let apart = at.saturating_sub(held_at);
            apart.abs() <= ZONES && quarters(apart).is_some()
        })
    }

    /// Whether logs say that a person put the job on this hold: whoever owns a job can edit the code in its ad.
    pub fn is_held_by_person(&self, hold: &Episode) -> bool {
        let steps = self.job(hold.identity.job).map_or(&[][..], |job| &job.steps);
        let near = steps.iter().rev().filter(|step| (step.time - hold.held_at).abs() <= SAME_HOLD);
        let mut codes = near.filter_map(|step| match step.what {
            What::Held(hold) => Some(hold.code),
            _ => None,
        });
        codes.next() == Some(USER_REQUEST)
    }

    fn hold_events(&self, job: JobId) -> impl Iterator<Item = i64> {
        self.job(job).into_iter().flat_map(|job| job.held_in_event_log.iter().copied())
    }

    /// The hold that a job is in at the end of the log that was read last. To be asked before
    /// [`History::settle`], which forgets which log told what.
    pub(crate) fn open_hold(&self, job: JobId) -> Option<OpenHold> {
        let newest = u16::try_from(self.sources.len().checked_sub(1)?).ok()?;
        let &number = self.numbers.get(&job)?;
        let index = number as usize;
        let all = self.jobs[index].steps.iter().zip(&self.told_by[index]);
        let for_all = all.filter(|&(_, &told_by)| told_by == newest).map(|(step, _)| step);
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
        self.sources.last().map(|source| source.last)
    }

    fn job_mut(&mut self, job: JobId) -> &mut JobHistory {
        let number = self.number(job);
        &mut self.jobs[number]
    }

    /// Those who see what the source tells; `None`: all.
    fn audience(&self, source: SourceId) -> Option<&Vec<Symbol>> {
        self.sources.get(usize::from(source.0)).and_then(|source| source.named_by.as_ref())
    }

    /// Where what the source tells of the job is kept.
    fn told_mut(&mut self, source: SourceId, job: JobId) -> &mut JobHistory {
        match self.audience(source).cloned() {
            Some(audience) => self.part_mut(source.0, &audience, job),
            None => self.job_mut(job),
        }
    }

    fn part_mut(&mut self, source: u16, audience: &[Symbol], job: JobId) -> &mut JobHistory {
        let number = u32::try_from(self.number(job)).unwrap_or(u32::MAX);
        let parts = self.parts.entry(number).or_default();
        let at = parts.iter().position(|part| part.source == source).unwrap_or_else(|| {
            let job = JobHistory { job, ..JobHistory::default() };
            parts.push(Part { source, audience: audience.to_vec(), job });
            parts.len() - 1
        });
        &mut parts[at].job
    }

    fn number(&mut self, job: JobId) -> usize {
        let next = u32::try_from(self.jobs.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(job).or_insert(next);
        if number == next {
            self.jobs.push(JobHistory { job, ..JobHistory::default() });
            self.told_by.push(Vec::new());
            self.clusters.entry(job.cluster).or_default().push(number);
        }
        number as usize
    }
}

impl Views {
    fn of((public, told_by): (&JobHistory, &Vec<u16>), parts: &[Part]) -> Self {
        let mut owners: Vec<Symbol> =
            parts.iter().flat_map(|part| part.audience.iter().copied()).collect();
        owners.sort_unstable();
        owners.dedup();
        let joined = |parts: &[&Part]| {
            let (mut job, mut told_by) = (public.clone(), told_by.clone());
            for part in parts {
                job.join(&mut told_by, part.job.clone(), part.source);
            }
            job.settle(&mut told_by);
            job
        };
        let view = |owner: Symbol| {
            let seen: Vec<&Part> =
                parts.iter().filter(|part| part.audience.contains(&owner)).collect();
            (owner, (seen.len() < parts.len()).then(|| joined(&seen)))
        };
        Self { public: joined(&[]), of: owners.into_iter().map(view).collect() }
    }
}

/// The job an ad is of.
fn job_of(ad: &ClassAd) -> Option<JobId> {
    let part = |name| ad.integer(name).and_then(|value| i32::try_from(value).ok());
    Some(JobId::new(part("ClusterId")?, part("ProcId").unwrap_or(0)))
}

/// Who submitted the job.
pub(super) const OWNER: &str = "Owner";

/// A string as events 028 write it, without its quotes.
pub(super) fn unquoted(value: &str) -> &str {
    value.trim().trim_matches('"')
}

/// Notes names that are new.
fn learn_names(known: &mut Vec<Known<Symbol>>, names: Vec<Symbol>, since: i64) {
    for value in names {
        if known.iter().all(|name| name.value != value) {
            known.push(Known { since, value });
        }
    }
}
