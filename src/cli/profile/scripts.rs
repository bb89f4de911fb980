//! What is said of a script, named or run by jobs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use classads::ClassAd;
use schemars::JsonSchema;
use serde::Serialize;

use super::{NAME, OfJobs};
use crate::checks::{LocalFiles, Script, ScriptSeen, Unread};
use crate::cli::output::say;
use crate::inquiry::{Config, local_files};
use crate::profile::{Ran, ScriptCheck, ScriptModel, ScriptVerdict};
use crate::queue::display_path;
use crate::sentences::unknown;
use crate::text::{in_words, shown};

/// What is said of a script.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(in crate::cli) struct OfScript {
    pub(in crate::cli) file: String,
    #[serde(flatten)]
    pub(in crate::cli) judged: ScriptVerdict,
}

/// What is said of a script that jobs run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(in crate::cli) struct RanScript {
    #[serde(flatten)]
    pub(in crate::cli) of: OfScript,
    /// Digest of its text (FNV-1a), 16 hexadecimal digits.
    pub(in crate::cli) digest: String,
    /// It, or its name, was changed after they were submitted.
    pub(in crate::cli) is_changed: bool,
    /// Beside what they used.
    pub(in crate::cli) check: Option<ScriptCheck>,
}

/// What is said of the scripts at these paths. What cannot be read is named.
pub(super) fn of_scripts(paths: &[PathBuf], model: &ScriptModel) -> Vec<OfScript> {
    let mut all = Vec::new();
    for path in paths {
        let script = Script::read(path).map_err(|error| error.to_string());
        let judged = script.and_then(|script| {
            ScriptVerdict::of(path, &script.text, &[], model, scripttree::LONGEST)
        });
        match judged {
            Ok(judged) => all.push(OfScript { file: display_path(path).to_string(), judged }),
            Err(fault) => say("Error", &format!("{}: {fault}", display_path(path))),
        }
    }
    all
}

/// Has the scripts read that the jobs of clusters run, with the arguments of the first job of each.
pub(super) fn ran_scripts(jobs: &mut [OfJobs], ads: &[ClassAd], config: &Config, now: i64) {
    let Some(files) = local_files(config, now, true) else { return };
    let mut clusters: HashMap<i64, Vec<&ClassAd>> = HashMap::new();
    for ad in ads {
        if let Some(cluster) = ad.integer("ClusterId") {
            clusters.entry(cluster).or_default().push(ad);
        }
    }
    let begun = Instant::now();
    for of in jobs {
        let ads = clusters.remove(&i64::from(of.cluster)).unwrap_or_default();
        let mut ran = ads.iter().filter_map(|ad| Some((*ad, Ran::of(ad)?)));
        let Some((ad, first)) = ran.next() else { continue };
        if ran.any(|(_, other)| other.path != first.path) {
            of.not_read = first.is_named_so.then(|| "the jobs run different ones".to_owned());
            continue;
        }
        match seen(&files, ad, &first, begun) {
            Ok(seen) => of.script = Some(ran_script(seen, &first, &ads, of)),
            // A program that is none of the three kinds is nothing to speak of.
            Err(why) if first.is_named_so => {
                of.not_read = Some(format!("{} was not read: {why}", shown(&first.path, NAME)));
            }
            Err(_) => {}
        }
    }
}

fn ran_script(seen: ScriptSeen, ran: &Ran, ads: &[&ClassAd], of: &OfJobs) -> RanScript {
    let ScriptSeen { judged, digest, changed_at } = seen;
    // Spooled files are written after the submission.
    let submitted = |ad: &&ClassAd| ad.integer("QDate").max(ad.integer("StageInFinish"));
    let submitted = ads.iter().filter_map(submitted).min();
    let is_changed = submitted.is_some_and(|submitted| changed_at > submitted);
    let is_same = submitted.is_some() && !is_changed && !judged.is_cut;
    let check = ScriptCheck::of(&judged.profile, &of.measured).filter(|_| is_same);
    let of = OfScript { file: shown(&ran.path, NAME), judged };
    RanScript { of, digest, is_changed, check }
}

/// After so long no other script is begun.
const LONGEST: Duration = Duration::from_secs(10);

fn seen(files: &LocalFiles, ad: &ClassAd, ran: &Ran, begun: Instant) -> Result<ScriptSeen, String> {
    if begun.elapsed() > LONGEST {
        return Err("the time for scripts was up".to_owned());
    }
    files.script(ad, &ran.path, &ran.arguments).map_err(|unread| match unread {
        Unread::Unseen(why) => unknown(why).to_owned(),
        Unread::Failed(error) => in_words(&error).into_owned(),
    })
}
