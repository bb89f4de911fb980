//! What is said of a script, named or run by jobs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use classads::ClassAd;
use scripttree::{Language, Tree};
use serde::Serialize;

use super::{NAME, OfJobs};
use crate::checks::Script;
use crate::cli::Config;
use crate::cli::local_files::local_files;
use crate::cli::output::say;
use crate::features::fnv1a;
use crate::profile::{Check, Ran, ScriptModel, ScriptProfile, Use, is_builtin};
use crate::queue::display_path;
use crate::text::shown;

/// What is said of a script.
#[derive(Clone, Debug, Serialize)]
pub(in crate::cli) struct OfScript {
    pub(in crate::cli) file: String,
    pub(in crate::cli) language: &'static str,
    /// Places that are no syntax of the language.
    pub(in crate::cli) faults: usize,
    /// There is more than was read.
    pub(in crate::cli) is_cut: bool,
    /// Empty where it has no calls that say anything.
    pub(in crate::cli) profile: ScriptProfile,
    /// Programs that it starts, which were not read.
    pub(in crate::cli) starts: Vec<String>,
}

/// What is said of a script that jobs run.
#[derive(Clone, Debug, Serialize)]
pub(in crate::cli) struct RanScript {
    #[serde(flatten)]
    pub(in crate::cli) of: OfScript,
    /// Digest of its text (FNV-1a), 16 hexadecimal digits.
    pub(in crate::cli) digest: String,
    /// It was written after they were submitted.
    pub(in crate::cli) is_changed: bool,
    /// Beside what they used.
    pub(in crate::cli) check: Option<Check>,
}

/// Programs that are named, at most.
const STARTS: usize = 6;

/// What is said of the scripts at these paths. What cannot be read is named.
pub(super) fn of_scripts(paths: &[PathBuf], model: &ScriptModel) -> Vec<OfScript> {
    let mut all = Vec::new();
    for path in paths {
        let script = Script::read(path).map_err(|error| error.to_string());
        match script.and_then(|script| of_script(path, &script, &[], model)) {
            Ok(of) => all.push(of),
            Err(fault) => say("Error", &format!("{}: {fault}", display_path(path))),
        }
    }
    all
}

fn of_script(
    path: &Path,
    script: &Script,
    arguments: &[String],
    model: &ScriptModel,
) -> Result<OfScript, String> {
    let text = script.text.as_bytes();
    let language = Language::of(path, text).ok_or_else(|| {
        "expected a Python, shell or R script: a first line with #! and the interpreter, or a name that ends in .py, \
         .sh or .R"
            .to_owned()
    })?;
    let tree = scripttree::read(language, text).map_err(|error| error.to_string())?;
    Ok(OfScript {
        file: display_path(path).to_string(),
        language: language.name(),
        faults: tree.faults,
        is_cut: tree.is_cut,
        profile: model.say(&tree, arguments),
        starts: starts(&tree),
    })
}

/// Programs that a script starts and of which nothing is known, each once.
fn starts(tree: &Tree) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let calls = tree.nodes.iter().enumerate().filter(|(_, node)| node.is_command);
    for (number, node) in calls {
        let is_unknown = matches!(Use::of_call(tree, number), None | Some(Use::Programs));
        if is_unknown && !node.name.is_empty() && !is_builtin(&node.name) {
            let name = shown(&node.name, NAME);
            if !all.contains(&name) {
                all.push(name);
            }
        }
        if all.len() == STARTS {
            break;
        }
    }
    all
}

/// Reads the scripts that the jobs of clusters run, of those whose files may be looked at here: a
/// cluster whose jobs run one script, with the arguments of its first job.
pub(super) fn ran_scripts(
    jobs: &mut [OfJobs],
    ads: &[ClassAd],
    config: &Config,
    model: &ScriptModel,
    now: i64,
) {
    let Some(files) = local_files(config, now, true) else { return };
    let mut clusters: HashMap<i64, Vec<&ClassAd>> = HashMap::new();
    for ad in ads {
        if let Some(cluster) = ad.integer("ClusterId") {
            clusters.entry(cluster).or_default().push(ad);
        }
    }
    for of in jobs {
        let ads = clusters.remove(&i64::from(of.cluster)).unwrap_or_default();
        let mut ran = ads.iter().filter_map(|ad| Some((*ad, Ran::of(ad)?)));
        let Some((ad, first)) = ran.next() else { continue };
        if ran.any(|(_, other)| other.path != first.path) {
            continue;
        }
        let Some(script) = files.script(ad, &first.path) else { continue };
        let path = Path::new(&first.path);
        let Ok(said) = of_script(path, &script, &first.arguments, model) else { continue };
        let submitted = ads.iter().filter_map(|ad| ad.integer("QDate")).min();
        let is_changed = submitted.is_some_and(|submitted| script.changed_at > submitted);
        let check = Check::of(&said.profile, &of.measured).filter(|_| !is_changed && !said.is_cut);
        let digest = format!("{:016x}", fnv1a(script.text.as_bytes()));
        of.script = Some(RanScript { of: said, digest, is_changed, check });
    }
}
