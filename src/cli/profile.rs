//! `-profile`: what binds scripts and jobs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use classads::ClassAd;
use jiff::tz::TimeZone;
use scripttree::{Kind, Language, MAX_BYTES, Tree};
use serde::Serialize;

use super::constraint::Constraint;
use super::gather::{Remarks, found};
use super::output::say;
use super::print::{Page, print_profile};
use super::request::Output;
use super::run::{RunError, tell};
use super::{Config, Request};
use crate::profile::{
    ATTRIBUTES, Measured, Pair, Range, ScriptModel, ScriptProfile, Survival, Use, Used,
};
use crate::queue::{AdText, JobSpec, Projection, Selection, display_path, job_status};
use crate::text::{plural, shown, to_json_pretty};

/// Finished jobs that condor_history is asked for.
const FINISHED: usize = 1_000;

/// Characters of a program's name.
const NAME: usize = 200;

/// Kinds of jobs that are compared with each other.
const COMPARED: usize = 8;

/// What is said of scripts and jobs.
#[derive(Clone, Debug, Default, Serialize)]
pub(in crate::cli) struct Profiles {
    pub(in crate::cli) scripts: Vec<OfScript>,
    pub(in crate::cli) jobs: Vec<OfJobs>,
    /// Numbers of two elements of `jobs`, and how they get on in two slots of one host.
    pub(in crate::cli) pairs: Vec<(usize, usize, Pair)>,
}

/// What is said of a script.
#[derive(Clone, Debug, Serialize)]
pub(in crate::cli) struct OfScript {
    pub(in crate::cli) file: String,
    pub(in crate::cli) language: &'static str,
    /// Places that are no syntax of the language.
    pub(in crate::cli) faults: usize,
    /// There is more than was read.
    pub(in crate::cli) is_cut: bool,
    /// `None`: it has no calls that say anything.
    pub(in crate::cli) profile: Option<ScriptProfile>,
    /// Programs that it starts, which were not read.
    pub(in crate::cli) starts: Vec<String>,
}

/// What is said of the jobs of a cluster.
#[derive(Clone, Debug, Serialize)]
pub(in crate::cli) struct OfJobs {
    pub(in crate::cli) cluster: i32,
    pub(in crate::cli) owner: Option<String>,
    /// Cmd of one of them.
    pub(in crate::cli) program: Option<String>,
    pub(in crate::cli) jobs: usize,
    pub(in crate::cli) measured: Measured,
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
#[derive(Clone, Debug, Serialize)]
pub(in crate::cli) struct Ahead {
    pub(in crate::cli) jobs: usize,
    /// Seconds that the one farthest on has waited or run.
    pub(in crate::cli) elapsed: f64,
    /// Seconds from its beginning to its end.
    pub(in crate::cli) range: Option<Range>,
}

/// Answers `-profile`.
pub(super) fn run(
    request: &Request,
    config: &Config,
    now: i64,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let (scripts, jobs) = sorted(&request.selection.jobs);
    let mut profiles = Profiles { scripts: of_scripts(&scripts)?, ..Profiles::default() };
    let asks_for_jobs = scripts.is_empty() || !jobs.is_empty() || request.job_ads.is_some();
    if asks_for_jobs {
        let selection = Selection { jobs, ..request.selection.clone() };
        let request = Request { selection, ..request.clone() };
        let (ads, remarks) = ads(&request, config, now)?;
        tell(&remarks);
        profiles.jobs = of_jobs(&ads, now);
    }
    if request.pairs {
        profiles.pairs = pairs(&profiles.jobs);
    }
    if profiles.scripts.is_empty() && profiles.jobs.is_empty() && !scripts.is_empty() {
        return Err(RunError::NothingJudged);
    }
    if request.output == Output::Json {
        let text = to_json_pretty(&profiles).map_err(std::io::Error::from)? + "\n";
        return Ok(out.write_all(text.as_bytes())?);
    }
    let page = Page { style: request.style, now, zone: TimeZone::system() };
    Ok(print_profile(out, &profiles, &page)?)
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

/// No owner has a slash or a dot and an extension in the name.
fn is_path(word: &str) -> bool {
    let path = Path::new(word);
    path.is_file() || word.contains('/') || Language::of(path, b"").is_some()
}

fn of_scripts(paths: &[PathBuf]) -> Result<Vec<OfScript>, RunError> {
    let model = ScriptModel::shipped()?;
    let mut all = Vec::new();
    for path in paths {
        match of_script(path, &model) {
            Ok(of) => all.push(of),
            Err(fault) => say("Error", &format!("{}: {fault}", display_path(path))),
        }
    }
    Ok(all)
}

fn of_script(path: &Path, model: &ScriptModel) -> Result<OfScript, String> {
    let text = read(path).map_err(|error| error.to_string())?;
    let language = Language::of(path, &text).ok_or_else(|| {
        "expected a Python, shell or R script: a first line with #! and the interpreter, or a name that ends in .py, \
         .sh or .R"
            .to_owned()
    })?;
    let tree = scripttree::read(language, &text).map_err(|error| error.to_string())?;
    let profile = Some(model.say(&tree)).filter(|profile| !profile.evidence.is_empty());
    Ok(OfScript {
        file: display_path(path).to_string(),
        language: language.name(),
        faults: tree.faults,
        is_cut: tree.is_cut,
        profile,
        starts: starts(&tree),
    })
}

/// One byte more than is read of a script, so that it is seen that there is more.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    eventlog::input::check(path)?;
    let mut text = Vec::new();
    File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Programs that a script starts and that compute, each once.
fn starts(tree: &Tree) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for node in &tree.nodes {
        let is_program = Use::of(&node.name) == Some(Use::Programs);
        let name = shown(&node.name, NAME);
        if node.kind == Kind::Call && is_program && !all.contains(&name) {
            all.push(name);
        }
    }
    all.truncate(4);
    all
}

/// The ads of the jobs asked about, in the queue and finished.
fn ads(request: &Request, config: &Config, now: i64) -> Result<(Vec<ClassAd>, Remarks), RunError> {
    let constraint = request.selection.constraint.as_deref();
    let projection = Projection::new(ATTRIBUTES, constraint);
    let schedd = request.schedd(config)?;
    let parsed = constraint.map(|text| Constraint::new(text, now)).transpose()?;
    let filter = |ad: &_| parsed.as_ref().is_none_or(|parsed| parsed.is_true_for(ad));
    let mut remarks = Remarks::default();
    let of_file = request.job_ads.is_some();
    let found = found(request, &schedd, &filter, &projection)?;
    remarks.faults.extend(found.faults);
    let mut ads: Vec<ClassAd> =
        found.held.iter().chain(&found.others).map(|job| job.ad.to_classad()).collect();
    let mut finished = 0;
    if !of_file && request.now.is_none() {
        match schedd.finished(&request.selection, &projection, FINISHED) {
            Ok(more) => {
                finished = more.len();
                ads.extend(more.iter().map(AdText::to_classad));
            }
            Err(error) => remarks.faults.push(format!("finished jobs: {error}")),
        }
    }
    // A job that is not in the queue may have finished.
    if finished == 0 {
        remarks.refused.extend(found.refused);
    }
    Ok((ads, remarks))
}

/// The jobs by cluster, the oldest first.
fn of_jobs(ads: &[ClassAd], now: i64) -> Vec<OfJobs> {
    let mut clusters: BTreeMap<i32, Vec<(&ClassAd, Used)>> = BTreeMap::new();
    for ad in ads {
        let cluster = ad.integer("ClusterId").and_then(|cluster| i32::try_from(cluster).ok());
        if let Some(cluster) = cluster {
            clusters.entry(cluster).or_default().push((ad, Used::of(ad, now)));
        }
    }
    clusters.into_iter().map(|(cluster, jobs)| of_cluster(cluster, &jobs)).collect()
}

fn of_cluster(cluster: i32, jobs: &[(&ClassAd, Used)]) -> OfJobs {
    let used: Vec<Used> = jobs.iter().map(|(_, used)| *used).collect();
    let waits = Survival::of(used.iter().filter_map(|used| used.waited));
    let runs = Survival::of(used.iter().filter_map(|used| used.ran));
    let text = |name| jobs.iter().find_map(|(ad, _)| ad.string(name));
    let ahead = |status: i64, survival: &Survival, of: fn(&Used) -> Option<f64>| {
        let of_status = jobs.iter().filter(|(ad, _)| ad.integer("JobStatus") == Some(status));
        let elapsed: Vec<f64> = of_status.filter_map(|(_, used)| of(used)).collect();
        let farthest = elapsed.iter().copied().reduce(f64::max)?;
        let range = survival.range(farthest);
        Some(Ahead { jobs: elapsed.len(), elapsed: farthest, range })
    };
    OfJobs {
        cluster,
        owner: text("Owner").map(|owner| shown(&owner, NAME)),
        program: text("Cmd").map(|program| shown(&program, NAME)),
        jobs: jobs.len(),
        measured: Measured::of(&used),
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

/// How each two of the first clusters get on, those included that share a host with their own kind.
fn pairs(jobs: &[OfJobs]) -> Vec<(usize, usize, Pair)> {
    let known = jobs.iter().enumerate().filter(|(_, of)| of.measured.jobs > 0).take(COMPARED);
    let known: Vec<(usize, &OfJobs)> = known.collect();
    let mut pairs = Vec::new();
    for (at, (one, first)) in known.iter().enumerate() {
        for (other, second) in &known[at..] {
            let pair = Pair::of(&first.measured.shares, &second.measured.shares);
            pairs.extend(pair.map(|pair| (*one, *other, pair)));
        }
    }
    pairs
}

impl OfJobs {
    /// `12 jobs of cluster 7`.
    pub(in crate::cli) fn name(&self) -> String {
        format!("{} of cluster {}", plural(self.jobs, "job"), self.cluster)
    }
}
