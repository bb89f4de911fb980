//! What is said of a script, named or run by jobs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use classads::ClassAd;
use scripttree::{Language, Tree};
use serde::Serialize;

use super::{NAME, OfJobs};
use crate::checks::{LocalFiles, Script, Unread};
use crate::cli::Config;
use crate::cli::local_files::local_files;
use crate::cli::output::say;
use crate::cli::sentences::unknown;
use crate::features::fnv1a;
use crate::profile::{Check, Ran, ScriptModel, ScriptProfile, Use, is_builtin};
use crate::queue::display_path;
use crate::text::{in_words, shown};

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

/// Reads the scripts that the jobs of clusters run, with the arguments of the first job of each.
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
    let mut reader = Reader { files, model, known: HashMap::new(), begun: Instant::now() };
    for of in jobs {
        let ads = clusters.remove(&i64::from(of.cluster)).unwrap_or_default();
        let mut ran = ads.iter().filter_map(|ad| Some((*ad, Ran::of(ad)?)));
        let Some((ad, first)) = ran.next() else { continue };
        if ran.any(|(_, other)| other.path != first.path) {
            of.not_read = first.is_named_so.then(|| "the jobs run different ones".to_owned());
            continue;
        }
        match reader.read(ad, &first) {
            Ok(read) => {
                let submitted = ads.iter().filter_map(|ad| ad.integer("QDate")).min();
                let is_changed = submitted.is_none_or(|submitted| read.changed_at > submitted);
                let is_whole = !is_changed && !read.of.is_cut;
                let check = Check::of(&read.of.profile, &of.measured).filter(|_| is_whole);
                let (said, digest) = (read.of.clone(), read.digest.clone());
                of.script = Some(RanScript { of: said, digest, is_changed, check });
            }
            // A program that is none of the three kinds is nothing to speak of.
            Err(why) if first.is_named_so => {
                of.not_read = Some(format!("{} was not read: {why}", shown(&first.path, NAME)));
            }
            Err(_) => {}
        }
    }
}

/// Seconds that all scripts of jobs may take together.
const SECONDS: u64 = 10;

/// A script that jobs run.
struct Read {
    of: OfScript,
    digest: String,
    /// Unix seconds.
    changed_at: i64,
}

/// Reads each script once for each owner and arguments.
struct Reader<'a> {
    files: LocalFiles,
    model: &'a ScriptModel,
    known: HashMap<(Option<String>, Ran), Result<Read, String>>,
    begun: Instant,
}

impl Reader<'_> {
    fn read(&mut self, ad: &ClassAd, ran: &Ran) -> &Result<Read, String> {
        let Self { files, model, known, begun } = self;
        known.entry((ad.string("Owner"), ran.clone())).or_insert_with(|| {
            if begun.elapsed() > Duration::from_secs(SECONDS) {
                return Err("the time for scripts was up".to_owned());
            }
            let script = files.script(ad, &ran.path).map_err(|unread| match unread {
                Unread::Unseen(why) => unknown(why).to_owned(),
                Unread::Failed(error) => in_words(&error).into_owned(),
            })?;
            let of = of_script(Path::new(&ran.path), &script, &ran.arguments, model)?;
            let digest = format!("{:016x}", fnv1a(script.text.as_bytes()));
            Ok(Read { of, digest, changed_at: script.changed_at })
        })
    }
}
