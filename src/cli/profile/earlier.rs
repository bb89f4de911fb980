//! Earlier jobs of the same program: how long jobs wait and run of which too few have ended.

use std::collections::{BTreeSet, HashMap, HashSet};

use classads::ClassAd;
use scripttree::Language;

use super::{ATTRIBUTES, FINISHED, LastUsage, OfJobs, job_of};
use crate::cli::output::say;
use crate::history::command_digest;
use crate::inquiry::{Config, Inquiry};
use crate::queue::{AdProjection, AdText};
use crate::text::classad_quote;

/// Programs whose earlier jobs are asked for.
const PROGRAMS: usize = 8;

/// Finished jobs among which they are looked for.
const LOOKED_AT: usize = 100_000;

/// Jobs of other clusters that count, at most, and that are looked at.
const LIKE: usize = 200;
const CANDIDATES: usize = 2_000;

/// Bytes of an owner or a program that is asked for, at most.
const LONGEST: usize = 4_096;

/// The finished jobs of the owners and programs of clusters of which too few jobs have ended; none
/// where no queue was asked.
pub(super) fn fetch(
    inquiry: &Inquiry,
    config: &Config,
    ads: &[ClassAd],
    jobs: &[OfJobs],
) -> Vec<ClassAd> {
    if inquiry.job_ads.is_some() || inquiry.now.is_some() {
        return Vec::new();
    }
    let lacking: BTreeSet<i64> =
        jobs.iter().filter(|of| of.runs.is_none()).map(|of| i64::from(of.cluster)).collect();
    let is_lacking =
        |ad: &&ClassAd| ad.integer("ClusterId").is_some_and(|cluster| lacking.contains(&cluster));
    // The history is long: it is asked for a few programs.
    let mut programs = BTreeSet::new();
    for ad in ads.iter().filter(is_lacking) {
        // A command line has room for so much.
        let text = |name| ad.string(name).filter(|text| text.len() <= LONGEST);
        let quoted = |name| classad_quote(&text(name)?);
        if let (Some(owner), Some(command)) = (quoted("Owner"), quoted("Cmd")) {
            programs.insert(format!("(Owner == {owner} && Cmd == {command})"));
        }
    }
    if programs.is_empty() {
        return Vec::new();
    }
    let constraint = programs.into_iter().take(PROGRAMS).collect::<Vec<_>>().join(" || ");
    let projection = AdProjection::new(ATTRIBUTES, None);
    let Ok(schedd) = inquiry.schedd(config) else { return Vec::new() };
    let (found, error) = schedd.finished_where(&constraint, &projection, FINISHED, Some(LOOKED_AT));
    if let Some(error) = error {
        say("Warning", &format!("earlier jobs: {error}"));
    }
    found.iter().map(AdText::to_classad).collect()
}

/// Jobs by owner and program.
pub(super) struct Programs(HashMap<(String, String), Vec<Job>>);

/// What a job asks for, and used.
#[derive(Clone, Copy)]
struct Job {
    cluster: i32,
    /// Processors and GPUs.
    asks: [i64; 2],
    /// RequestMemory.
    memory: Option<f64>,
    /// Of its arguments, where its program is an interpreter.
    arguments: Option<u64>,
    used: LastUsage,
}

impl Programs {
    pub(super) fn of<'a>(ads: impl Iterator<Item = &'a ClassAd>, now: i64) -> Self {
        let mut programs: HashMap<_, Vec<Job>> = HashMap::new();
        let mut seen = HashSet::new();
        for ad in ads {
            // The queue and the history may both have a job.
            if let Some(job) = job_of(ad).filter(|job| seen.insert(*job))
                && let Some(program) = program(ad)
            {
                let job = Job::of(ad, job.cluster, &program.1, now);
                programs.entry(program).or_default().push(job);
            }
        }
        Self(programs)
    }

    /// What jobs of other clusters used that run what this one runs, for the same owner: the same Cmd,
    /// and where that is an interpreter the same arguments but for numbers; and that ask for as many
    /// processors and GPUs, and about as much memory. The last ones.
    pub(super) fn like(&self, own: &ClassAd) -> Vec<LastUsage> {
        let (Some(program), Some(job)) = (program(own), job_of(own)) else { return Vec::new() };
        let own = Job::of(own, job.cluster, &program.1, i64::MAX);
        // Those of the queue come first, then the newest of the history.
        let all = self.0.get(&program).map_or(&[][..], Vec::as_slice).iter().take(CANDIDATES);
        all.filter(|job| job.is_like(&own)).take(LIKE).map(|job| job.used).collect()
    }
}

impl Job {
    fn of(ad: &ClassAd, cluster: i32, command: &str, now: i64) -> Self {
        let base = command.rsplit('/').next().unwrap_or(command);
        let number = |name, usual| ad.integer(name).unwrap_or(usual);
        Self {
            cluster,
            asks: [number("RequestCpus", 1), number("RequestGPUs", 0)],
            memory: ad.real("RequestMemory"),
            arguments: Language::of_interpreter(base).and_then(|_| command_digest(ad)),
            used: LastUsage::of(ad, now),
        }
    }

    fn is_like(&self, own: &Self) -> bool {
        // Within twice as much, as far as both are known.
        let is_near = match (self.memory, own.memory) {
            (Some(one), Some(other)) => one <= 2.0 * other && other <= 2.0 * one,
            _ => true,
        };
        self.cluster != own.cluster
            && (self.asks, self.arguments) == (own.asks, own.arguments)
            && is_near
    }
}

fn program(ad: &ClassAd) -> Option<(String, String)> {
    Some((ad.string("Owner")?, ad.string("Cmd")?))
}
