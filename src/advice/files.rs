//! Which files of the access point a held job needs, and what checks of them show.

use classads::ClassAd;
use serde::Serialize;

use super::errno::{EDQUOT, ENOENT, ENOSPC};
use super::meaning::code_of_transfer;
use crate::checks::{Check, Finding, LocalFiles, Needed, Thing, Why, Words};
use crate::history::HoldInQueue;
use crate::history::reason::{self, Side};
use crate::hold_code::{About, about};

/// Input files of one job that are looked at.
const INPUT_FILES: usize = 100;

/// Files that are wrong and are named of one job.
const WRONG: usize = 5;

/// JobUniverse of jobs that another system runs.
const GRID: i64 = 9;

/// What stands for no file in an ad.
const NULL: &str = "/dev/null";

/// What the files that a held job needs show: of the one that its hold is about whatever was found,
/// of the others what is wrong, and one that could not be looked at.
pub(super) fn checks(files: &LocalFiles, ad: &ClassAd, hold: &HoldInQueue) -> Vec<Check> {
    // Of other machines only the file of the hold is said to be out of sight.
    if !files.has(ad) && named(hold).is_none() {
        return Vec::new();
    }
    let mut checks = files.check(ad, needed(ad, hold));
    for check in &mut checks {
        check.finding = of_hold(check.finding, hold);
    }
    let (mut wrong, mut failed) = (0, 0);
    checks.retain(|check| {
        let says = match check.finding {
            Finding::StillThere { .. } => {
                wrong += 1;
                wrong <= WRONG
            }
            // Once is enough.
            Finding::Unknown { why: Why::NoAnswer | Why::NoTime | Why::Failed } => {
                failed += 1;
                failed == 1
            }
            _ => false,
        };
        check.named || says
    });
    checks
}

/// That a file system has room shows nothing of a quota, nor of the space that output needs.
fn of_hold(finding: Finding, hold: &HoldInQueue) -> Finding {
    match finding {
        Finding::Gone { .. } if matches!(hold.subcode, ENOSPC | EDQUOT) => {
            Finding::Unknown { why: Why::Quota }
        }
        finding => finding,
    }
}

/// What the program of a held job wrote at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ProgramWords {
    /// The file that Out or Err names.
    pub path: String,
    /// Its last line that says why.
    #[serde(flatten)]
    pub words: Words,
    /// Whose line it is.
    pub of: WordsOf,
}

/// Which run wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum WordsOf {
    /// The job's last one: the file was written after that began.
    ThisRun,
    /// An earlier one.
    EarlierRun,
    /// Other jobs of the cluster may write that file too.
    SharedFile,
}

/// What the program said at its end, of a hold that is about what it did.
pub(super) fn program_words(
    files: &LocalFiles,
    ad: &ClassAd,
    hold: &HoldInQueue,
) -> Option<ProgramWords> {
    let text = hold.reason.as_deref().unwrap_or_default();
    let of_program = match about(code_of_transfer(hold.code, text))? {
        About::JobPolicy | About::SystemPolicy => true,
        // Output that was never made.
        About::Output => hold.subcode == ENOENT && reason::side(text) != Some(Side::AccessPoint),
        About::Nothing => hold.code == 0,
        _ => false,
    };
    if !of_program || !files.has(ad) {
        return None;
    }
    let iwd = ad.string("Iwd").filter(|iwd| iwd.starts_with('/'))?;
    let streams = ["Err", "Out"].iter().filter_map(|name| ad.string(name));
    let is_file = |path: &String| !path.is_empty() && path != NULL;
    let paths: Vec<String> = streams.filter(is_file).map(|path| under(&iwd, &path)).collect();
    let (path, words) = files.words(ad, &paths)?;
    let began = ["JobCurrentStartExecutingDate", "JobCurrentStartDate"];
    let began = began.iter().find_map(|name| ad.integer(name));
    // A file from before the job was submitted is of something else.
    if ad.integer("QDate").is_some_and(|submitted| words.written_at < submitted) {
        return None;
    }
    let of = match began {
        _ if may_be_shared(ad, &path) => WordsOf::SharedFile,
        Some(began) if words.written_at >= began => WordsOf::ThisRun,
        _ => WordsOf::EarlierRun,
    };
    Some(ProgramWords { path, words, of })
}

/// Several jobs were submitted together, and the file's name has not the number of this one.
fn may_be_shared(ad: &ClassAd, path: &str) -> bool {
    let proc = ad.integer("ProcId").unwrap_or(0).to_string();
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut numbers = name.split(|c: char| !c.is_ascii_digit());
    ad.integer("TotalSubmitProcs").is_some_and(|procs| procs > 1)
        && !numbers.any(|number| number == proc)
}

/// A path that is relative to a directory.
fn under(directory: &str, path: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{}/{path}", directory.trim_end_matches('/')),
    }
}

/// The files that HTCondor needs to start the job and to end it, each once; the one that the hold
/// is about is named.
fn needed(ad: &ClassAd, hold: &HoldInQueue) -> Vec<Needed> {
    let text = |name: &str| ad.string(name).filter(|text| !text.is_empty());
    let Some(iwd) = text("Iwd").filter(|iwd| iwd.starts_with('/')) else { return Vec::new() };
    if ad.integer("JobUniverse") == Some(GRID) {
        return Vec::new();
    }
    let full = |path: &str| under(&iwd, path);
    let is = |name: &str| ad.boolean(name) != Some(false);
    let transfers = text("ShouldTransferFiles").is_none_or(|when| !when.eq_ignore_ascii_case("no"));
    let is_file = |path: &&str| !path.is_empty() && *path != NULL && !path.contains("://");
    let file = |name: &str| text(name).filter(|path| is_file(&path.as_str()));

    let mut all: Vec<(Thing, Option<String>)> = vec![(Thing::WorkingDirectory, Some(iwd.clone()))];
    if transfers {
        let command = file("Cmd").filter(|_| is("TransferExecutable"));
        all.push((Thing::Executable, command.map(|path| full(&path))));
        let input = file("In").filter(|_| is("TransferIn"));
        all.push((Thing::StandardInput, input.map(|path| full(&path))));
        let list = text("TransferInput").unwrap_or_default();
        let files = list.split(',').map(str::trim).filter(is_file).take(INPUT_FILES);
        all.extend(files.map(|path| (Thing::InputFile, Some(full(path)))));
        let remaps = text("TransferOutputRemaps").unwrap_or_default();
        let targets = remaps.split(';').filter_map(|remap| remap.split_once('='));
        let targets = targets.map(|(_, path)| path.trim()).filter(is_file).take(INPUT_FILES);
        let streams = ["Out", "Err"].into_iter().filter_map(file);
        let outputs = targets.map(full).chain(streams.map(|path| full(&path)));
        all.extend(outputs.map(|path| (Thing::OutputFile, Some(path))));
    }
    all.push((Thing::Proxy, file("x509userproxy").map(|path| full(&path))));
    let event_log = file("UserLog").map(|path| full(&path));
    all.push((Thing::EventLog, event_log.clone()));

    let proxy = file("x509userproxy").map(|path| full(&path));
    let named = named(hold).map(|(thing, path)| match thing {
        _ if path.is_some() && path == proxy => (Thing::Proxy, path),
        Thing::WorkingDirectory => (thing, Some(iwd.clone())),
        Thing::EventLog => (thing, event_log),
        _ => (thing, path),
    });
    let of_hold = named.iter().cloned();
    let mut needed: Vec<Needed> = Vec::new();
    for (number, (thing, path)) in of_hold.chain(all).enumerate() {
        let Some(path) = path else { continue };
        if !needed.iter().any(|other| other.path == path && other.thing == thing) {
            needed.push(Needed { thing, path, named: named.is_some() && number == 0 });
        }
    }
    needed
}

/// What on the access point a hold is about, and the path in its reason. `None` for what lies at
/// the execution point, and where nothing is named.
fn named(hold: &HoldInQueue) -> Option<(Thing, Option<String>)> {
    let text = hold.reason.as_deref().unwrap_or_default();
    let code = code_of_transfer(hold.code, text);
    let here = reason::side(text) == Some(Side::AccessPoint);
    let path = reason::file_name(text).filter(|path| path.starts_with('/'));
    match about(code)? {
        About::WorkingDirectory if !text.starts_with("Error from") => {
            Some((Thing::WorkingDirectory, None))
        }
        About::EventLog => Some((Thing::EventLog, None)),
        About::Input if here && hold.subcode < 256 => Some((Thing::InputFile, Some(path?))),
        About::Output if here && hold.subcode < 256 => Some((Thing::OutputFile, Some(path?))),
        _ => None,
    }
}
