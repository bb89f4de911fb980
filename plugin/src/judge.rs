//! The judge: reads what users wrote, asks the model, and writes one line for each job.
//!
//! What it opens it opens first. Then it is confined ([`crate::confine`]), and only then it reads:
//! ads from standard input, the event log. The writer's sections of ads come in this order: held
//! jobs, jobs that were released or are to be.
//!
//! Places, bytes and time are shared by owner ([`holdadvise::shares`]). What is in memory at once
//! follows from the memory that is allowed, however long the input is.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use classads::ClassAd;
use eventlog::{JobId, LogFiles, ReadOptions};
use holdadvise::acting::{
    Candidate, Deed, OPEN_ATTRIBUTES, OpenAct, intended_acts, open_acts, result_of,
};
use holdadvise::advice::{Advice, Advisor, Costs, Editable, Policies, Recommendation, TrySuccess};
use holdadvise::catalogue::{self, Ends};
use holdadvise::diagnosis::{Diagnosis, State};
use holdadvise::features::Holds;
use holdadvise::history::{ATTRIBUTES, History, HistoryBuilder, HoldInQueue, LogReport, What};
use holdadvise::inquiry::{Config, FoundModel, SettingError, costs_of, find_model, hosts};
use holdadvise::journal::{ActOutcome, Kept};
use holdadvise::model::{Model, ModelError};
use holdadvise::policy::{Knobs, PolicyTime};
use holdadvise::queue::{AdItem, AdProjection, AdText, Ads, QueueError};
use holdadvise::sentences;
use holdadvise::shares::{self, ItemSize, Shares};
use holdadvise::text::Foreign;

use crate::confine::{ConfineError, Limits, confine};
use crate::learn::asked::{Question, Questions};
use crate::line::{
    How, Judged, Left, Line, Shown, Stays, diagnosis_of, key_of, owner_key, reason_of,
};
use crate::looks::records::{self, Looks};
use crate::settings::{LOG_BYTES, Settings, event_log};

/// Records of looks are at most this part of the memory of the judge. Assumed: one of hostile text
/// takes ten times its length.
const LOOKS_SHARE: u64 = 32;

/// The same of the text of ads that are kept until they are judged. Assumed: the history has as much
/// of them.
const ADS_SHARE: u64 = 8;

/// The same of the text of one ad, and of those of its batch. Assumed: a job that is judged
/// takes ten times its length; a list of 100,000 files fits.
const AD_SHARE: u64 = 256;

/// The same of what the event log tells.
pub(crate) const LOG_SHARE: u64 = 4;

/// Bytes of an ad that is judged as quickly as any: a turn is so many for each job of a batch.
/// Assumed.
const PLAIN: u64 = 4 << 10;

/// Bytes of what is kept of the ad of a job that was released. Assumed.
const LONGEST_ACT: usize = 16 << 10;

/// Seconds of the journal that a pass looks back. Assumed: what is older holds up nobody.
pub const JOURNAL: i64 = 40 * 86_400;

/// The attribute by which the writer numbers its sections, in an ad with nothing else. An ad of a
/// job has its ids too.
pub const SECTION: &str = "HoldAdviceSection";

/// The section of held jobs.
pub const HELD: i64 = 2;

/// The section of jobs that were released or are to be.
pub const ACTS: i64 = 3;

/// The section of those of them that left the queue, as far as the history was read.
pub const GONE: i64 = 4;

/// Behind a section: its last ad does not count, as it may have been cut.
pub const CUT: i64 = -1;

/// What advice is in an ad.
pub const ADVICE: &[&str] = &[
    "HoldAdvice",
    "HoldAdviceProbability",
    "HoldAdviceReason",
    "HoldAdviceModel",
    "HoldAdviceNumHolds",
    "HoldAdviceEntered",
    "HoldAdviceExpires",
    "HoldAdviceRelease",
    "HoldAdviceReleaseReason",
];

/// The policy that lets the advisor release. The judge leaves it out of what HTCondor will do by
/// itself: it does what is advised.
const OWN_POLICY: &str = "SYSTEM_PERIODIC_RELEASE_HOLDADVICE";

/// How ReleaseReason begins and ends after a policy of the access point, whichever version wrote it;
/// and what only the own one has in it.
const BY_SYSTEM: &str = "The system macro SYSTEM_PERIODIC_RELEASE";
const AND_TRUE: &str = "evaluated to TRUE";
const OF_OWN: &str = "HoldAdviceRelease";

/// Seconds between EnteredCurrentStatus and the event of it, as the log and the ad may differ.
const APART: i64 = 3;

/// Seconds for which the end of an act is asked for. Assumed: a job that shows nothing for so long
/// will not tell of the cause any more.
pub(crate) const ASKED: i64 = 3 * 86_400;

/// Records of the history that are looked at for jobs that left the queue.
pub(crate) const HISTORY: &str = "50000";

/// Why nothing is judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// It cannot be confined.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The ads cannot be read.
    #[error(transparent)]
    Ads(#[from] QueueError),
    /// A line cannot be written, or an ad not be read.
    #[error("cannot read or write: {0}")]
    Io(#[from] io::Error),
}

/// Attributes of an ad that tell what became of a release, beside [`OPEN_ATTRIBUTES`].
const OF_RELEASE: [&str; 2] = ["ReleaseReason", "ReleaseReasonCode"];

/// The attributes that the judge reads.
pub fn projection() -> AdProjection {
    let names: Vec<&str> =
        ATTRIBUTES.iter().chain(OPEN_ATTRIBUTES).chain(ADVICE).copied().collect();
    let conditions = catalogue::current().attributes();
    AdProjection::new(&[names.as_slice(), &OF_RELEASE].concat(), None).following(conditions)
}

/// What is known before anything is read that others wrote.
struct Bench {
    settings: Settings,
    model: Model,
    costs: Costs,
    knobs: Knobs,
    policy_time: Duration,
    /// Bytes that the process may use.
    memory: u64,
    log: Option<LogFiles>,
    read: ReadOptions,
    open: Vec<OpenAct>,
    intended: Vec<OpenAct>,
    looks: Looks,
    questions: Option<Questions>,
    hosts: Vec<String>,
    notes: Vec<String>,
    now: i64,
}

impl Bench {
    fn of(config: &Config, now: i64) -> Result<Self, JudgeError> {
        let (settings, _) = Settings::of(config)?;
        let found = find_model::<JudgeError>(None, config)?;
        let FoundModel { model, identity, .. } = found;
        let mut notes = Vec::new();
        let log = event_log(config, "other jobs are not seen", &mut notes);
        // Without a journal nothing was released.
        let kept = Kept::since(&settings.journal(), now - JOURNAL).unwrap_or_default();
        let memory = settings.memory << 20;
        let most = usize::try_from(memory / LOOKS_SHARE).unwrap_or(0);
        let (looks, faults) = Looks::open(&settings.looks, 0, now, most);
        notes.extend(faults);
        let questions = settings.places().map(|places| {
            let (questions, fault) = Questions::open(&settings, &places, identity, now);
            notes.extend(fault);
            questions
        });
        let pool = config.pool().iter().filter(|(name, _)| !name.ends_with(OWN_POLICY));
        Ok(Self {
            costs: costs_of(config, model.metadata.thresholds)?,
            knobs: pool.map(|(name, value)| (name, value.as_str())).collect(),
            policy_time: config.policy_time()?,
            memory,
            // Reads the system's time zone.
            read: ReadOptions::default(),
            open: open_acts(&kept.entries),
            intended: intended_acts(&kept.entries),
            looks,
            questions,
            hosts: hosts(config),
            settings,
            model,
            log,
            notes,
            now,
        })
    }
}

/// Judges the jobs whose ads stand on standard input.
///
/// # Errors
/// [`JudgeError`].
pub fn judge(config: &Config, now: i64) -> Result<(), JudgeError> {
    let until = Instant::now();
    let mut bench = Bench::of(config, now)?;
    let until = until + bench.settings.judging();
    let threads = rayon::current_num_threads() as u64;
    confine(Limits {
        memory: bench.memory,
        seconds: (bench.settings.seconds + 10).saturating_mul(threads),
    })?;
    bench.notes.extend(bench.looks.read(&bench.hosts));
    let read = read_ads(io::stdin().lock(), &bench)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let log = bench.log.take();
    let history = history(&read, log, &mut bench);
    for note in &bench.notes {
        writeln!(out, "{}", Line::Note(reason_of(note)))?;
    }
    if let Some(note) = lost_acts(&read, &bench) {
        writeln!(out, "{}", Line::Note(reason_of(&note)))?;
    }
    say_acts(&mut out, &history, &read.acts, &bench)?;
    out.flush()?;
    judge_all(read, history, &bench, until, &mut out)?;
    Ok(out.flush()?)
}

/// A held job.
struct HeldJob {
    id: JobId,
    owner: Box<str>,
    ad: AdText,
    hold: (i64, i64),
    old: OldAdvice,
}

/// The advice in an ad.
struct OldAdvice {
    /// Without HoldAdviceReason and HoldAdviceModel.
    shown: Option<Shown>,
    reason: String,
    model: String,
}

impl ItemSize for HeldJob {
    fn size(&self) -> u64 {
        self.ad.size() + (self.old.reason.len() + self.old.model.len()) as u64
    }
}

/// What an ad says of a job that was released.
struct ActAd(JobId, AdText);

impl ItemSize for ActAd {
    fn size(&self) -> u64 {
        self.1.size()
    }
}

/// What stood on standard input.
struct Input {
    /// Those that are judged first come first.
    held: Vec<HeldJob>,
    acts: HashMap<JobId, AdText>,
    /// The history was read for them.
    has_history: bool,
    /// Held jobs that there was no room for, by owner.
    left_out: BTreeMap<Box<str>, u64>,
}

/// New holds first, the latest of them; then those whose advice expires first.
type Urgency = (u8, Reverse<i64>, i64);

/// What is kept of the ads as they come.
struct Reading {
    acts: HashSet<JobId>,
    held: Shares<Urgency, HeldJob>,
    released: Shares<(), ActAd>,
    known: HashSet<JobId>,
    /// The cluster of the last held job, and lines of its ad that others may share.
    like: Option<(i32, Weak<str>)>,
    /// Bytes of one ad at most.
    longest: usize,
}

fn read_ads(input: impl Read, bench: &Bench) -> Result<Input, JudgeError> {
    let names: Vec<String> = projection().list().split(',').map(str::to_owned).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain([SECTION]).collect();
    let longest = usize::try_from(bench.memory / AD_SHARE).unwrap_or(usize::MAX);
    let projection = AdProjection::new(&names, None);
    let bytes = bench.memory / ADS_SHARE;
    let mut reading = Reading {
        acts: bench.open.iter().chain(&bench.intended).map(|act| act.hold.job).collect(),
        held: Shares::new(bench.settings.jobs, bytes),
        released: Shares::new(usize::MAX, bytes),
        known: HashSet::new(),
        like: None,
        longest,
    };
    let (mut section, mut has_history) = (0, false);
    // What comes behind it tells whether it was cut.
    let mut last = None;
    let input = BufReader::with_capacity(256 << 10, input);
    for item in Ads::new(input, &projection)? {
        // What is damaged in an ad was left out of it.
        let AdItem::Ad(ad) = item? else { continue };
        let before = match ad.integer(SECTION).filter(|_| ad.len() == 1) {
            Some(number) => {
                section = number;
                has_history |= section == GONE;
                last.take()
            }
            None => last.replace((section, ad)),
        };
        if let Some((section, ad)) = before.filter(|_| section != CUT) {
            reading.take(section, ad);
        }
    }
    if let Some((section, ad)) = last {
        reading.take(section, ad);
    }
    Ok(Input { has_history, ..reading.end() })
}

impl Reading {
    fn take(&mut self, section: i64, mut ad: ClassAd) {
        let Some(id) = job_id(&ad) else { return };
        let owner = ad.string("Owner").unwrap_or_default();
        if self.acts.contains(&id) {
            let mut act = ad.clone();
            act.retain(|name| {
                let mut kept = OPEN_ATTRIBUTES.iter().chain(&OF_RELEASE);
                kept.any(|kept| kept.eq_ignore_ascii_case(name))
            });
            let text = AdText::of(&act);
            if text.bytes() <= LONGEST_ACT {
                self.released.push(&owner, (), ActAd(id, text));
            }
        }
        if section >= ACTS || !self.known.insert(id) {
            return;
        }
        let like = self.like.take().filter(|(cluster, _)| *cluster == id.cluster);
        let like = like.and_then(|(_, common)| common.upgrade());
        let Some(job) = held_job(id, &mut ad, like).filter(|job| job.ad.bytes() <= self.longest)
        else {
            self.held.leave_out(&owner);
            return;
        };
        self.like = Some((id.cluster, job.ad.common()));
        let urgency = match &job.old.shown {
            Some(old) if (old.num_holds, old.entered) == job.hold => (1, Reverse(0), old.expires),
            _ => (0, Reverse(job.hold.1), 0),
        };
        self.held.push(&owner, urgency, job);
    }

    fn end(self) -> Input {
        // What an ad takes longer than a plain one is the time of its owner.
        let work = |job: &HeldJob| (job.ad.bytes() as u64).max(PLAIN);
        let (held, left_out) = self.held.in_turns(PLAIN * Advisor::TOGETHER as u64, work);
        let (released, _) = self.released.in_turns(1, |_| 1);
        log::info!("{} held jobs are kept", held.len());
        let acts = released.into_iter().map(|ActAd(id, ad)| (id, ad)).collect();
        Input { held, acts, has_history: false, left_out }
    }
}

fn job_id(ad: &ClassAd) -> Option<JobId> {
    let number = |name| i32::try_from(ad.integer(name)?).ok().filter(|id| *id >= 0);
    Some(JobId::new(number("ClusterId")?, number("ProcId")?))
}

/// A held job by its ad, which has no advice in it afterwards. Without NumHolds nobody could say
/// which hold an advice is about.
fn held_job(id: JobId, ad: &mut ClassAd, like: Option<Arc<str>>) -> Option<HeldJob> {
    let hold = HoldInQueue::of(ad)?;
    let hold = (hold.num_holds?, hold.entered_current_status);
    let old = OldAdvice {
        shown: shown_of(ad),
        reason: ad.string("HoldAdviceReason").unwrap_or_default(),
        model: ad.string("HoldAdviceModel").unwrap_or_default(),
    };
    ad.retain(|name| !name.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("HoldAdvice")));
    let owner = ad.string("Owner").unwrap_or_default().into();
    let text = like.map_or_else(|| AdText::of(ad), |like| AdText::sharing(ad, &like));
    Some(HeldJob { id, owner, ad: text, hold, old })
}

/// What the ad says already; `None` where it is not the advisor's: that writes no expressions.
fn shown_of(ad: &ClassAd) -> Option<Shown> {
    let is_literal = |name: &&str| ad.get(name).is_none_or(|value| value.as_literal().is_some());
    if !ADVICE.iter().all(is_literal) {
        return None;
    }
    let integer = |name: &str| ad.integer(name);
    let word = ad.string("HoldAdvice")?;
    let probability = ad.real("HoldAdviceProbability");
    Some(Shown {
        advice: Recommendation::ALL.into_iter().find(|advice| advice.name() == word)?,
        hundredths: probability.and_then(hundredths),
        num_holds: integer("HoldAdviceNumHolds").filter(|holds| *holds >= 0)?,
        entered: integer("HoldAdviceEntered").filter(|at| (0..1 << 40).contains(at))?,
        expires: integer("HoldAdviceExpires").filter(|at| (0..1 << 40).contains(at))?,
        releases: ad.boolean("HoldAdviceRelease").unwrap_or(false),
        // That of another version is written anew.
        stays: match ad.string("HoldAdviceReleaseReason") {
            Some(text) => Some(Stays::of(&text)?),
            None => None,
        },
        same_text: false,
    })
}

fn hundredths_of(hours: f64) -> Option<u32> {
    let hundredths = (hours * 100.0).round();
    // The cast of what is in range is exact.
    (0.0..=f64::from(u32::MAX)).contains(&hundredths).then_some(hundredths as u32)
}

fn hundredths(probability: f64) -> Option<u8> {
    // The cast of what is in range is exact.
    (0.0..=1.0).contains(&probability).then(|| (probability * 100.0).round() as u8)
}

fn history(read: &Input, log: Option<LogFiles>, bench: &mut Bench) -> History {
    let mut history = HistoryBuilder::new();
    for job in &read.held {
        history.attest_owner(job.id, &job.owner);
    }
    if let Some(log) = log {
        let since = bench.now - bench.settings.hours * 3_600;
        let window = |log: LogFiles| log.window(&bench.read, since, LOG_BYTES);
        let (report, unread, left_out) = history.read_within(log, window, bench.memory / LOG_SHARE);
        bench.notes.extend(not_kept(&report, &left_out, LOG_BYTES));
        log::info!("event log: {} events, {} damaged", report.events, report.damaged);
        for error in unread {
            log::info!("{error}");
        }
    }
    for job in &read.held {
        history.add_queue_ad(&job.ad.to_classad(), bench.now);
    }
    history.build()
}

/// What of the event log there was no room for, of which `most` bytes are read.
pub(crate) fn not_kept(
    report: &LogReport,
    left_out: &BTreeMap<String, u64>,
    most: u64,
) -> Vec<String> {
    let owners = left_out.iter().map(|(owner, count)| (owner.as_str(), *count));
    let owners = shares::left_out(owners)
        .map(|owners| format!("no memory for all of EVENT_LOG, of which is left out: {owners}"));
    let event = report.too_large.as_ref().map(|event| format!("EVENT_LOG: {event}"));
    let cut = report.cut.then(|| {
        format!("EVENT_LOG: its newest {} MiB are read, older events too are wanted", most >> 20)
    });
    owners.into_iter().chain(event).chain(cut).collect()
}

/// What of released jobs nobody knows the end.
fn lost_acts(read: &Input, bench: &Bench) -> Option<String> {
    let acts = bench.open.iter().chain(&bench.intended);
    let recent = acts.filter(|act| bench.now.saturating_sub(act.at) < ASKED);
    let jobs: HashSet<JobId> = recent.map(|act| act.hold.job).collect();
    let lost = jobs.iter().filter(|job| !read.acts.contains_key(job)).count();
    (read.has_history && lost > 0).then(|| {
        format!(
            "released jobs whose outcome is not known: {lost}; neither the queue nor the {HISTORY} newest \
             records of condor_history have them"
        )
    })
}

/// What became of jobs that were released, or were to be.
fn say_acts(
    out: &mut dyn Write,
    history: &History,
    ads: &HashMap<JobId, AdText>,
    bench: &Bench,
) -> io::Result<()> {
    let ad_of = |job: JobId| ads.get(&job).map(AdText::to_classad);
    let mut open: Vec<OpenAct> = bench.open.clone();
    for act in &bench.intended {
        let Some(ad) = ad_of(act.hold.job) else { continue };
        let Some(left) = left(act, &ad, history, bench.now) else { continue };
        if left.how == How::Policy {
            open.push(OpenAct { at: left.at, ..act.clone() });
        }
        writeln!(out, "{}", Line::Left(left))?;
    }
    for act in &open {
        let Some(ended) = ad_of(act.hold.job).and_then(|ad| result_of(act, &ad)) else {
            continue;
        };
        let line = Line::Ended(ActOutcome {
            at: ended.at.max(0),
            took: ended.took.map(|took| took.max(0)),
            held_for: ended.held_for.as_deref().map(key_of),
            ..ended
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// How a job left the hold of an act, where it did.
fn left(act: &OpenAct, ad: &ClassAd, history: &History, now: i64) -> Option<Left> {
    let hold = act.hold;
    let entered = hold.entered_current_status?;
    let status = ad.integer("JobStatus")?;
    let is_same = HoldInQueue::of(ad).is_some_and(|held| {
        (held.num_holds, held.entered_current_status) == (hold.num_holds, entered)
    });
    if is_same {
        return None;
    }
    let steps = history.job(hold.job).map_or(&[][..], |job| &job.steps);
    let released = steps.iter().find_map(|step| match step.what {
        What::Released { by_person } if step.time + APART >= entered => {
            Some((step.time, by_person))
        }
        _ => None,
    });
    let reason = ad.string("ReleaseReason").unwrap_or_default();
    let by_policy = reason.starts_with(BY_SYSTEM) && reason.trim_end().ends_with(AND_TRUE);
    let is_own =
        by_policy && reason.contains(OF_OWN) && released.is_none_or(|(_, by_person)| !by_person);
    let how = match () {
        () if is_own => How::Policy,
        () if status == 3 && released.is_none() => How::Removed,
        () => How::Other,
    };
    // Without an event log: when it started or changed its state last.
    let started = ["JobCurrentStartDate", "EnteredCurrentStatus"].into_iter();
    let at = released.map(|(at, _)| at);
    let at = at
        .or_else(|| started.filter_map(|name| ad.integer(name)).filter(|at| *at >= entered).min());
    Some(Left { id: act.id.clone(), at: at.unwrap_or(now).max(0), how })
}

/// Judges what there is time for, and says so in order.
fn judge_all(
    read: Input,
    history: History,
    bench: &Bench,
    until: Instant,
    out: &mut dyn Write,
) -> Result<(), JudgeError> {
    let Input { held, mut left_out, .. } = read;
    let clusters = held.iter().map(|job| job.id.cluster).collect();
    let mut by_code: HashMap<i32, usize> = HashMap::new();
    let mut in_cluster: HashMap<i32, u64> = HashMap::new();
    for job in &held {
        *in_cluster.entry(job.id.cluster).or_default() += 1;
        let code = job.ad.part(|name| name == "HoldReasonCode").integer("HoldReasonCode");
        let code = code.and_then(|code| i32::try_from(code).ok()).unwrap_or(0);
        *by_code.entry(code).or_default() += 1;
    }
    let advisor = Advisor::about(history, &bench.model, &Holds::Clusters(clusters))?
        .with_held_by_code(by_code)
        .with_costs(bench.costs)
        .with_editable(Editable::of(&bench.knobs));
    // The program ends soon, and to free a large history takes a while.
    let advisor = std::mem::ManuallyDrop::new(advisor);
    let policies = Policies {
        knobs: bench.knobs.clone(),
        time: PolicyTime::new(bench.policy_time)
            .among(held.iter().map(|job| job.owner.to_string())),
        held_in_cluster: in_cluster,
        // Of users' files is known what their own processes saw.
        files: None,
    };
    let projection = projection();
    let model = bench.model.metadata.identity();
    let held_of = |job: &HeldJob| {
        let ad = job.ad.to_classad();
        let lacks = !projection.references_of_policies(&ad).is_empty();
        bench.looks.held(job.id, &ad, lacks, &policies, bench.now)
    };
    let mut judged = 0;
    let mut rest = held.as_slice();
    while Instant::now() < until
        && let Some((batch, others)) = rest.split_at_checked(batch(rest, bench.memory / AD_SHARE))
        && !batch.is_empty()
    {
        rest = others;
        let advices = advisor.advise_each(batch, held_of, bench.now)?;
        for (job, advice) in batch.iter().zip(advices) {
            let Some(line) = advice.and_then(|advice| judged_of(job, &advice, &model)) else {
                *left_out.entry(job.owner.clone()).or_default() += 1;
                continue;
            };
            judged += 1;
            writeln!(out, "{}", Line::Job(line))?;
        }
        out.flush()?;
    }
    for job in rest {
        *left_out.entry(job.owner.clone()).or_default() += 1;
    }
    let seen = judged + usize::try_from(left_out.values().sum::<u64>()).unwrap_or(usize::MAX);
    for (owner, jobs) in left_out {
        writeln!(out, "{}", Line::LeftOut { owner: owner_key(&owner), jobs })?;
    }
    if let Some(line) = policies.time.line() {
        writeln!(out, "{}", Line::Note(reason_of(&line)))?;
    }
    writeln!(out, "{}", Line::Done { seen, judged })?;
    out.flush()?;
    if let Some(questions) = &bench.questions {
        let hold = |job: &HeldJob| {
            let ad = job.ad.to_classad();
            let owner = owner_key(&ad.string("Owner")?);
            Some(Question { job: job.id, owner, hold: HoldInQueue::of(&ad)? })
        };
        let asked = questions.ask(advisor, &bench.model, held.iter().filter_map(hold), until, out);
        // All advice is written: what else fails is for the next pass.
        if let Err(error) = asked {
            log::info!("{error}");
        }
    }
    Ok(())
}

/// How many of the first jobs are judged at a time.
fn batch(jobs: &[HeldJob], bytes: u64) -> usize {
    let mut left = bytes;
    let fits = |job: &&HeldJob| {
        let room = left.checked_sub(job.ad.bytes() as u64);
        left = room.unwrap_or(0);
        room.is_some()
    };
    jobs.iter().take(Advisor::BATCH).take_while(fits).count().max(usize::from(!jobs.is_empty()))
}

fn judged_of(job: &HeldJob, advice: &Advice, model: &str) -> Option<Judged> {
    let candidate = Candidate::of(advice).filter(|one| one.deed == Deed::Release);
    // Of the others nothing goes into the journal.
    let choices = candidate.iter().flat_map(|one| &one.choices);
    let choices = choices.filter_map(|one| Some((one.choice, hundredths_of(one.hours)?))).collect();
    let reason = reason_of(&reason(advice));
    let shown = job
        .old
        .shown
        .clone()
        .map(|old| Shown { same_text: job.old.reason == reason && job.old.model == model, ..old });
    let text = advice.held.reason.as_ref().map_or("", Foreign::as_given);
    let code = advice.held.code.unwrap_or(0);
    Some(Judged {
        job: job.id,
        num_holds: job.hold.0,
        entered: job.hold.1,
        code,
        subcode: advice.held.subcode.unwrap_or(0),
        advice: advice.recommendation,
        hundredths: advice.action.and_then(|action| advice.success_of(action)).and_then(hundredths),
        drawn_from: candidate.as_ref().map(|one| one.drawn_from.unwrap_or(0)),
        counts: candidate.as_ref().map_or_else(|| TrySuccess::of(code, text), |one| one.counts),
        until: advice.wait.as_ref().and_then(|wait| wait.until).filter(|until| *until > 0),
        owner: owner_key(advice.held.owner.as_ref()?.as_given()),
        diagnosis: candidate.as_ref().and_then(|one| diagnosis_of(one.diagnosis.as_ref()?)),
        cause: candidate.map(|one| key_of(&one.cause)).unwrap_or_default(),
        choices,
        shown,
        reason,
    })
}

/// What is said of an advice in an ad. No number that changes from pass to pass, and of jobs of
/// others only whether the cause is over: whoever may read the ad reads it.
fn reason(advice: &Advice) -> String {
    let why = sentences::why(advice);
    let also = match advice.recommendation {
        Recommendation::Wait => {
            let wait = advice.wait.as_ref();
            wait.map(|wait| format!("Wait until {}. ", sentences::wait_for(&wait.what)))
        }
        Recommendation::Undecided | Recommendation::Look => {
            let why = advice.undecided.as_ref();
            why.map(|why| format!("{} ", sentences::undecided(why, advice.held.code)))
        }
        Recommendation::Change => {
            advice.changes().next().map(|change| format!("{} ", records::change(advice, change)))
        }
        Recommendation::Try => {
            advice.try_one.map(|one| format!("One of them is tried first: {}. ", one.job))
        }
        Recommendation::Release => Some(format!("{} ", why_now(&advice.diagnosis))),
        Recommendation::Remove => None,
    };
    let file = records::sentence(advice).map(|sentence| format!("{sentence} "));
    file.unwrap_or_default() + &also.unwrap_or_default() + &why
}

/// Why a release should help now, a sentence.
const fn why_now(diagnosis: &Diagnosis) -> &'static str {
    match (diagnosis.state, diagnosis.ends) {
        (State::Over, _) => "Its cause seems to be over.",
        (_, Some(Ends::Time)) => "Its cause passes with time.",
        (_, Some(Ends::NextStart)) => "The next start ends its cause.",
        (_, Some(Ends::Elsewhere)) => "A start elsewhere ends its cause.",
        _ => "A release is likelier to save time than to lose it.",
    }
}
