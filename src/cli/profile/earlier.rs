//! Earlier jobs of the same program: how long jobs wait and run of which too few have ended.

use std::collections::BTreeSet;

use classads::ClassAd;
use scripttree::Language;

use super::{ATTRIBUTES, FINISHED, OfJobs, Used, job_of};
use crate::cli::output::say;
use crate::cli::{Config, Request};
use crate::history::command_digest;
use crate::queue::{AdText, Projection};
use crate::text::classad_quote;

/// Programs whose earlier jobs are asked for.
const PROGRAMS: usize = 8;

/// The finished jobs of the owners and programs of clusters of which too few jobs have ended; none
/// where no queue was asked.
pub(super) fn fetch(
    request: &Request,
    config: &Config,
    ads: &[ClassAd],
    jobs: &[OfJobs],
) -> Vec<ClassAd> {
    if request.job_ads.is_some() || request.now.is_some() {
        return Vec::new();
    }
    let lacking: BTreeSet<i64> =
        jobs.iter().filter(|of| of.runs.is_none()).map(|of| i64::from(of.cluster)).collect();
    let is_lacking =
        |ad: &&ClassAd| ad.integer("ClusterId").is_some_and(|cluster| lacking.contains(&cluster));
    // The history is long: it is asked for a few programs.
    let mut programs = BTreeSet::new();
    for ad in ads.iter().filter(is_lacking) {
        let quoted = |name| classad_quote(&ad.string(name)?);
        if let (Some(owner), Some(command)) = (quoted("Owner"), quoted("Cmd")) {
            programs.insert(format!("(Owner == {owner} && Cmd == {command})"));
        }
    }
    if programs.is_empty() || programs.len() > PROGRAMS {
        return Vec::new();
    }
    let constraint = programs.into_iter().collect::<Vec<_>>().join(" || ");
    let projection = Projection::new(ATTRIBUTES, None);
    let found = request.schedd(config).map_err(|error| error.to_string()).and_then(|schedd| {
        let found = schedd.finished_where(&constraint, &projection, FINISHED);
        found.map_err(|error| error.to_string())
    });
    match found {
        Ok(found) => found.iter().map(AdText::to_classad).collect(),
        Err(error) => {
            say("Warning", &format!("earlier jobs: {error}"));
            Vec::new()
        }
    }
}

/// What jobs of other clusters used that run what this one runs, for the same owner: the same Cmd, and
/// where that is an interpreter the same arguments but for numbers. Each job counts once.
pub(super) fn like<'a>(
    own: &ClassAd,
    all: impl Iterator<Item = &'a ClassAd>,
    now: i64,
) -> Vec<Used> {
    let (Some(owner), Some(command)) = (own.string("Owner"), own.string("Cmd")) else {
        return Vec::new();
    };
    let base = command.rsplit('/').next().unwrap_or(&command);
    let digest = Language::of_interpreter(base).map(|_| command_digest(own));
    let cluster = own.integer("ClusterId");
    let is_like = |ad: &&ClassAd| {
        ad.integer("ClusterId") != cluster
            && ad.string("Owner").as_ref() == Some(&owner)
            && ad.string("Cmd").as_ref() == Some(&command)
            && digest.is_none_or(|digest| command_digest(ad) == digest)
    };
    let mut seen = BTreeSet::new();
    let once = |ad: &&ClassAd| job_of(ad).is_some_and(|job| seen.insert(job));
    all.filter(is_like).filter(once).map(|ad| Used::of(ad, now)).collect()
}
