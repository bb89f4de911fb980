//! `-profile`: what binds scripts and jobs.
//!
//! - `checked`: what was said of scripts beside what their jobs used, in the journal.
//! - `earlier`: earlier jobs of the same program.
//! - `print`: prints all this for people.
//! - `scripts`: what is said of a script, named or run by jobs.

mod checked;
mod earlier;
mod print;
mod scripts;

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use classads::ClassAd;
use eventlog::JobId;
use schemars::JsonSchema;
use scripttree::Language;
use serde::Serialize;

pub(in crate::cli) use self::checked::Checked;
use self::earlier::Programs;
pub(in crate::cli) use self::scripts::{OfScript, RanScript};
use self::scripts::{of_scripts, ran_scripts};
use super::RunError;
use super::run::tell;
use crate::checks::Script;
use crate::inquiry::{Config, Constraint, Inquiry, Remarks, found};
use crate::job_status;
use crate::print::{Page, Style, output};
use crate::profile::{ATTRIBUTES, LastUsage, Measured, Pair, Range, ScriptModel, Survival, failed};
use crate::queue::{AdProjection, AdText, JobSpec, Selection, display_path};
use crate::text::{plural, shown};

/// Finished jobs that condor_history is asked for.
const FINISHED: usize = 1_000;

/// Characters of a program's name.
const NAME: usize = 200;

/// Kinds of jobs that are compared with each other.
const COMPARED: usize = 8;

/// What is said of scripts and jobs.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(in crate::cli) struct Profiles {
    pub(in crate::cli) scripts: Vec<OfScript>,
    pub(in crate::cli) jobs: Vec<OfJobs>,
    pub(in crate::cli) pairs: Vec<OfPair>,
    /// Clusters that were measured and are not compared.
    pub(in crate::cli) not_paired: usize,
    /// Scripts of which something was said and whose jobs were measured, in the journal.
    pub(in crate::cli) checked: Option<Checked>,
}

/// How jobs of two clusters get on in two slots of one host.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(in crate::cli) struct OfPair {
    pub(in crate::cli) clusters: [i32; 2],
    #[serde(flatten)]
    pub(in crate::cli) pair: Pair,
}

/// What is said of the jobs of a cluster.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(in crate::cli) struct OfJobs {
    pub(in crate::cli) cluster: i32,
    pub(in crate::cli) owner: Option<String>,
    /// Their Cmd, where it is one.
    pub(in crate::cli) program: Option<String>,
    /// The script that they run, where it can be read.
    pub(in crate::cli) script: Option<RanScript>,
    /// Why it was not, where they run a script.
    pub(in crate::cli) not_read: Option<String>,
    /// One of them asks for GPUs.
    pub(in crate::cli) has_gpus: bool,
    pub(in crate::cli) jobs: usize,
    /// Those that exited with another code than 0, or by a signal.
    pub(in crate::cli) failed: usize,
    pub(in crate::cli) measured: Measured,
    /// Earlier jobs of the same program and owner that the next two count too, where too few of the
    /// cluster ended.
    pub(in crate::cli) earlier: usize,
    /// Seconds until the first start, of any job.
    pub(in crate::cli) waits: Option<Range>,
    /// Seconds of a run, of any job.
    pub(in crate::cli) runs: Option<Range>,
    /// Idle jobs, the longest time that one of them has waited, and how long it waits in all.
    pub(in crate::cli) idle: Option<Ahead>,
    /// Running jobs, likewise.
    pub(in crate::cli) running: Option<Ahead>,
}

/// What is ahead of jobs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(in crate::cli) struct Ahead {
    pub(in crate::cli) jobs: usize,
    /// Seconds that the one farthest on has waited or run.
    pub(in crate::cli) elapsed: f64,
    /// Seconds from its beginning to its end.
    pub(in crate::cli) range: Option<Range>,
}

/// A call with `-profile`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Profiling {
    pub(super) inquiry: Inquiry,
    /// `-pairs`
    pub(super) pairs: bool,
    pub(super) as_json: bool,
    pub(super) style: Style,
}

/// Answers `-profile`.
pub(super) fn run(asked: &Profiling, config: &Config, out: &mut dyn Write) -> Result<(), RunError> {
    let inquiry = &asked.inquiry;
    let now = inquiry.time();
    let (scripts, jobs) = sorted(&inquiry.selection.jobs);
    let model = ScriptModel::shipped()?;
    let mut profiles = Profiles { scripts: of_scripts(&scripts, &model), ..Profiles::default() };
    let mut failed = None;
    // Operands say what is asked about: a script alone asks for no jobs.
    if scripts.is_empty() || !jobs.is_empty() {
        let selection = Selection { jobs, ..inquiry.selection.clone() };
        let inquiry = Inquiry { selection, ..inquiry.clone() };
        match ads(&inquiry, config, now) {
            Ok((ads, mut remarks)) => {
                remarks.refused.extend(without_slot(&ads));
                tell(&remarks);
                profiles.jobs = of_jobs(&ads, &[], now);
                let earlier = earlier::fetch(&inquiry, config, &ads, &profiles.jobs);
                if !earlier.is_empty() {
                    profiles.jobs = of_jobs(&ads, &earlier, now);
                }
                if !inquiry.is_offline() {
                    ran_scripts(&mut profiles.jobs, &ads, config, now);
                    profiles.checked = checked::note(&profiles.jobs, config, now);
                }
            }
            Err(error) if profiles.scripts.is_empty() => return Err(error),
            Err(error) => failed = Some(error),
        }
    }
    if asked.pairs {
        (profiles.pairs, profiles.not_paired) = pairs(&profiles.jobs);
    }
    let is_asked = !inquiry.selection.jobs.is_empty();
    if profiles.scripts.is_empty() && profiles.jobs.is_empty() && is_asked {
        return Err(RunError::failed("none of the scripts and jobs named can be profiled"));
    }
    if asked.as_json {
        let text = output(&profiles).map_err(std::io::Error::from)?;
        out.write_all(text.as_bytes())?;
    } else {
        let page = Page::here(asked.style, now);
        print::print(out, &profiles, &page)?;
    }
    failed.map_or(Ok(()), Err)
}

/// Words that name a file, and the others.
fn sorted(specs: &[JobSpec]) -> (Vec<PathBuf>, Vec<JobSpec>) {
    let (mut scripts, mut jobs) = (Vec::new(), Vec::new());
    for spec in specs {
        match spec {
            JobSpec::Owner(word) if is_path(word) => scripts.push(PathBuf::from(word)),
            other => jobs.push(other.clone()),
        }
    }
    (scripts, jobs)
}

/// No owner has a slash, or the end of a script's name; else it is one where a script is there.
fn is_path(word: &str) -> bool {
    let path = Path::new(word);
    let is_script = || {
        Script::read(path).is_ok_and(|script| Language::of(path, script.text.as_bytes()).is_some())
    };
    word.contains('/') || Language::of(path, b"").is_some() || is_script()
}

/// The ads of the jobs asked about, in the queue and finished.
fn ads(inquiry: &Inquiry, config: &Config, now: i64) -> Result<(Vec<ClassAd>, Remarks), RunError> {
    let constraint = inquiry.selection.constraint.as_deref();
    let projection = AdProjection::new(ATTRIBUTES, constraint);
    let schedd = inquiry.schedd(config)?;
    let parsed = constraint.map(|text| Constraint::new(text, now)).transpose()?;
    let filter = |ad: &_| parsed.as_ref().is_none_or(|parsed| parsed.is_true_for(ad));
    let mut remarks = Remarks::default();
    let found = found(inquiry, config, &filter, &projection)?;
    remarks.faults.extend(found.faults);
    let mut ads: Vec<ClassAd> =
        found.held.iter().chain(&found.others).map(|job| job.ad.to_classad()).collect();
    // The history of nobody in particular is everybody's.
    let names_jobs = inquiry.selection.reaches_other_users();
    if inquiry.job_ads.is_none() && inquiry.now.is_none() && names_jobs {
        let (more, error) = schedd.finished(&inquiry.selection, &projection, FINISHED);
        if more.len() >= FINISHED {
            let text =
                format!("the last {FINISHED} finished jobs were asked for, there may be more");
            remarks.faults.push(text);
        }
        remarks.faults.extend(error.map(|error| format!("finished jobs: {error}")));
        ads.extend(more.iter().map(AdText::to_classad));
    }
    let place = match &inquiry.job_ads {
        Some(file) => format!("in {}", display_path(file.name())),
        None => "in the queue or its history".to_owned(),
    };
    for spec in &inquiry.selection.jobs {
        let is_named = |ad: &ClassAd| {
            let (owner, user) = (ad.string("Owner"), ad.string("User"));
            job_of(ad).is_some_and(|job| spec.names(job, owner.as_deref(), user.as_deref()))
        };
        if !ads.iter().any(is_named) {
            remarks.refused.push(format!("no job of {spec} is {place}"));
        }
    }
    Ok((ads, remarks))
}

fn job_of(ad: &ClassAd) -> Option<JobId> {
    let number = |name| i32::try_from(ad.integer(name)?).ok();
    Some(JobId::new(number("ClusterId")?, number("ProcId")?))
}

/// Universes whose jobs take no slot: scheduler and local.
const NO_SLOT: [i64; 2] = [7, 12];

/// The clusters that have no other jobs than such, named.
fn without_slot(ads: &[ClassAd]) -> Vec<String> {
    let mut clusters: BTreeMap<i32, bool> = BTreeMap::new();
    for (ad, job) in ads.iter().filter_map(|ad| Some((ad, job_of(ad)?))) {
        *clusters.entry(job.cluster).or_default() |= has_slot(ad);
    }
    let without = clusters.into_iter().filter(|(_, has_slot)| !has_slot).take(NAMED);
    let text = |(cluster, _)| format!("cluster {cluster}: scheduler and local jobs have no slot");
    without.map(text).collect()
}

/// Clusters that are named for that, at most.
const NAMED: usize = 10;

fn has_slot(ad: &ClassAd) -> bool {
    ad.integer("JobUniverse").is_none_or(|universe| !NO_SLOT.contains(&universe))
}

/// The jobs by cluster, the oldest first.
fn of_jobs(ads: &[ClassAd], earlier: &[ClassAd], now: i64) -> Vec<OfJobs> {
    let mut clusters: BTreeMap<i32, Vec<(&ClassAd, LastUsage)>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for ad in ads {
        let job = job_of(ad).filter(|job| has_slot(ad) && seen.insert(*job));
        if let Some(job) = job {
            clusters.entry(job.cluster).or_default().push((ad, LastUsage::of(ad, now)));
        }
    }
    // Most clusters say enough of themselves.
    let programs = LazyCell::new(|| Programs::of(ads.iter().chain(earlier), now));
    let of = |(cluster, jobs): (i32, Vec<(&ClassAd, LastUsage)>)| {
        let like = || programs.like(jobs[0].0);
        of_cluster(cluster, &jobs, like)
    };
    clusters.into_iter().map(of).collect()
}

/// `like`: what earlier jobs of the same program used.
fn of_cluster(
    cluster: i32,
    jobs: &[(&ClassAd, LastUsage)],
    like: impl FnOnce() -> Vec<LastUsage>,
) -> OfJobs {
    let used: Vec<LastUsage> = jobs.iter().map(|(_, used)| *used).collect();
    let of = |used: &[LastUsage]| {
        let waits = Survival::of(used.iter().filter_map(|used| used.waited));
        (waits, Survival::of(used.iter().filter_map(|used| used.ran)))
    };
    let (mut waits, mut runs) = of(&used);
    let mut earlier = 0;
    if runs.range(0.0).is_none() {
        let mut all = like();
        all.retain(|used| used.waited.is_some() || used.ran.is_some());
        earlier = all.len();
        all.extend(&used);
        (waits, runs) = of(&all);
    }
    let text = |name| jobs.iter().find_map(|(ad, _)| ad.string(name));
    let ahead = |status: i64, survival: &Survival, of: fn(&LastUsage) -> Option<f64>| {
        let of_status = jobs.iter().filter(|(ad, _)| ad.integer("JobStatus") == Some(status));
        let elapsed: Vec<f64> = of_status.filter_map(|(_, used)| of(used)).collect();
        let farthest = elapsed.iter().copied().reduce(f64::max)?;
        let range = survival.range(farthest);
        Some(Ahead { jobs: elapsed.len(), elapsed: farthest, range })
    };
    let is_one = |program: &String| {
        jobs.iter().all(|(ad, _)| ad.string("Cmd").is_none_or(|cmd| cmd == *program))
    };
    OfJobs {
        cluster,
        owner: text("Owner").map(|owner| shown(&owner, NAME)),
        program: text("Cmd").filter(is_one).map(|program| shown(&program, NAME)),
        script: None,
        not_read: None,
        has_gpus: jobs.iter().any(|(ad, _)| ad.integer("RequestGPUs") > Some(0)),
        jobs: jobs.len(),
        failed: jobs.iter().filter(|(ad, _)| failed(ad)).count(),
        measured: Measured::of(&used),
        earlier,
        waits: waits.range(0.0),
        runs: runs.range(0.0),
        idle: ahead(job_status::IDLE, &waits, |used| {
            used.waited.filter(|waited| !waited.has_ended).map(|waited| waited.seconds)
        }),
        running: ahead(job_status::RUNNING, &runs, |used| {
            used.ran.filter(|ran| !ran.has_ended).map(|ran| ran.seconds)
        }),
    }
}

/// How each two of the first clusters get on, those included that share a host with their own kind;
/// and how many are left out.
fn pairs(jobs: &[OfJobs]) -> (Vec<OfPair>, usize) {
    let known: Vec<&OfJobs> = jobs.iter().filter(|of| of.measured.jobs > 0).collect();
    let compared = &known[..known.len().min(COMPARED)];
    let mut pairs = Vec::new();
    for (at, one) in compared.iter().enumerate() {
        for other in &compared[at..] {
            let clusters = [one.cluster, other.cluster];
            let pair = Pair::of(&one.measured, &other.measured);
            pairs.extend(pair.map(|pair| OfPair { clusters, pair }));
        }
    }
    (pairs, known.len() - compared.len())
}

impl OfJobs {
    /// `12 jobs of cluster 7`.
    pub(in crate::cli) fn name(&self) -> String {
        format!("{} of cluster {}", plural(self.jobs, "job"), self.cluster)
    }
}
