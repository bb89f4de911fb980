//! Which files of the access point a held job needs, and what checks of them show.

use std::cmp::Reverse;
use std::collections::HashMap;

use classads::ClassAd;
use schemars::JsonSchema;
use serde::Serialize;

use super::changes::interpreter;
use super::held::Held;
use crate::catalogue::{self, Reading};
use crate::checks::{Check, Fault, Finding, LocalFiles, Needed, Remark, Thing, Why, Words};
use crate::history::reason::{self, Side, code_of_transfer};
use crate::history::{History, HoldInQueue};
use crate::hold_code::{About, about};
use crate::text::Foreign;
use libc::{EDQUOT, ENOENT, ENOSPC};

/// Input files of one job that are looked at.
const INPUT_FILES: usize = 100;

/// Distinct URLs that are ranked: a few of them are asked.
const ALL_URLS: usize = 10_000;

/// Files that are wrong and are named of one job.
const WRONG: usize = 5;

/// JobUniverse of jobs that another system runs.
const GRID: i64 = 9;

/// Attributes that name files with tokens and keys (the submit descriptions' scitokens_file,
/// aws_access_key_id_file, aws_secret_access_key_file, gce_auth_file, azure_auth_file).
const TOKENS: [&str; 5] =
    ["ScitokensFile", "EC2AccessKeyId", "EC2SecretAccessKey", "GceAuthFile", "AzureAuthFile"];

/// The attributes that say which files a held job needs, and whose they are.
pub const FILE_ATTRIBUTES: &[&str] = &[
    "ClusterId",
    "ProcId",
    "GlobalJobId",
    "Owner",
    "OsUser",
    "JobStatus",
    "EnteredCurrentStatus",
    "NumHolds",
    "HoldReason",
    "HoldReasonCode",
    "HoldReasonSubCode",
    "JobUniverse",
    "Iwd",
    "Cmd",
    "In",
    "Out",
    "Err",
    "UserLog",
    "TransferIn",
    "TransferInput",
    "TransferExecutable",
    "TransferOutputRemaps",
    "ShouldTransferFiles",
    "x509userproxy",
    "ScitokensFile",
    "EC2AccessKeyId",
    "EC2SecretAccessKey",
    "GceAuthFile",
    "AzureAuthFile",
];

/// What stands for no file in an ad.
const NULL: &str = "/dev/null";

/// What the files that a held job needs show: of the one that its hold is about whatever was found,
/// of the others what is wrong, and one that could not be looked at.
pub(super) fn checks(files: &LocalFiles, ad: &ClassAd, hold: &HoldInQueue) -> Vec<Check> {
    // Of other machines only the file of the hold is said to be out of sight.
    if !files.has(ad) && named(hold, files.asks_urls()).is_none() {
        return Vec::new();
    }
    let mut needed = needed(ad, hold, files.asks_urls());
    let inputs: Vec<String> = urls_of_input(ad).collect();
    let is_said = |url: &String| files.speaks_of(ad, url, inputs.contains(url));
    needed.retain(|needed| needed.thing != Thing::Url || is_said(&needed.path));
    let mut checks = files.check(ad, needed);
    for check in &mut checks {
        check.finding = of_hold(check.finding, hold);
        remark(check, ad, hold);
        of_start(check, hold);
    }
    let (mut wrong, mut failed) = (0, 0);
    checks.retain(|check| {
        let says = match worth(check) {
            Worth::Line => {
                wrong += 1;
                wrong <= WRONG
            }
            Worth::Once => {
                failed += 1;
                failed == 1
            }
            Worth::Nothing => false,
        };
        check.named || says
    });
    checks
}

/// Looks at the files that the held job of this ad needs, for [`LocalFiles::record`]. An ad with
/// [`FILE_ATTRIBUTES`] will do.
pub fn look_at_files(files: &LocalFiles, ad: &ClassAd) {
    if let Some(hold) = HoldInQueue::of(ad) {
        checks(files, ad, &hold);
    }
}

/// What a check of something that the hold is not about is worth.
enum Worth {
    Line,
    /// The same may be said of many files.
    Once,
    Nothing,
}

fn worth(check: &Check) -> Worth {
    match check.finding {
        // Without a remark it lies at the execution point.
        Finding::StillThere { .. } if check.thing != Thing::ExecutableInPlace => Worth::Line,
        _ if !check.remarks.is_empty() => Worth::Line,
        // A server that does not answer here may not answer there.
        Finding::Unknown {
            why: Why::NoAnswer | Why::Away | Why::NoName | Why::Tls | Why::Status(500..),
        } if check.thing == Thing::Url => Worth::Line,
        Finding::Unknown { why: Why::TooLarge | Why::Format } => Worth::Line,
        Finding::Unknown { why: Why::NoAnswer | Why::NoTime | Why::Failed } => Worth::Once,
        _ => Worth::Nothing,
    }
}

/// What an executable shows is what a hold is about whose program could not be started for it: that
/// it is there shows nothing of the interpreter in its first line.
fn of_start(check: &mut Check, hold: &HoldInQueue) {
    let is_start = about(hold.code) == Some(About::Program) && check.thing == Thing::Executable;
    let missed = |remark: &Remark| matches!(remark, Remark::NoInterpreter { .. });
    let text = hold.reason.as_deref().unwrap_or_default();
    let for_want = hold.subcode == ENOENT || interpreter(text).is_some();
    if is_start && for_want && check.remarks.iter().any(missed) {
        check.finding = Finding::StillThere { fault: Fault::NoInterpreter };
    }
    check.named |= is_start && matches!(check.finding, Finding::StillThere { .. });
}

/// What the job and its hold make of what was seen.
fn remark(check: &mut Check, ad: &ClassAd, hold: &HoldInQueue) {
    let Finding::Gone { changed_at } = check.finding else { return };
    let is_news = match check.thing {
        Thing::Executable | Thing::Proxy | Thing::Token => true,
        Thing::StandardInput | Thing::InputFile => check.named,
        _ => false,
    };
    if is_news && changed_at.is_some_and(|at| at > hold.entered_current_status) {
        check.remarks.push(Remark::ChangedSinceHold);
    }
    // Requirements that name the other kind of machine send the job there.
    let requirements = ad.get("Requirements").map(ToString::to_string).unwrap_or_default();
    let requirements = requirements.to_ascii_lowercase();
    check.remarks.retain(|remark| match remark {
        Remark::OtherMachine { machine } => !requirements.contains(machine.as_given()),
        _ => true,
    });
    let ends_early = |seconds: &i64| {
        check.ends_at.is_some_and(|at| at < check.checked_at.saturating_add(*seconds))
    };
    if let Some(seconds) = run_length(ad).filter(ends_early) {
        check.remarks.push(Remark::EndsBeforeRun { seconds });
    }
}

/// How long a run of the job may take: the shortest limit of its own, else the mean of its earlier
/// runs, s.
fn run_length(ad: &ClassAd) -> Option<i64> {
    let positive = |name: &str| ad.integer(name).filter(|&seconds| seconds > 0);
    let limits = ["AllowedExecuteDuration", "AllowedJobDuration"];
    let mean = || {
        let runs = positive("JobRunCount").or_else(|| positive("NumShadowStarts"))?;
        let mean = ad.real("RemoteWallClockTime")? / runs as f64;
        (mean >= 1.0).then_some(mean as i64)
    };
    limits.into_iter().filter_map(positive).min().or_else(mean)
}

/// Asks for the URLs that held jobs need, where that is wanted: at once for all of them, those of
/// hold reasons and of many jobs first. The ads are those of [`super::Held::of_ad`] later on. Gives
/// back how many are asked.
pub fn ask_urls(files: &LocalFiles, ads: impl IntoIterator<Item = ClassAd>) -> usize {
    if !files.asks_urls() {
        return 0;
    }
    let mut all: HashMap<String, UrlNeed> = HashMap::new();
    for ad in ads {
        let Some(hold) = HoldInQueue::of(&ad).filter(|_| files.has(&ad)) else { continue };
        let of_reason = named(&hold, true).filter(|(thing, _)| *thing == Thing::Url);
        let of_reason = of_reason.and_then(|(_, url)| url);
        let inputs: Vec<String> = urls_of_input(&ad).collect();
        let besides = of_reason.iter().filter(|url| !inputs.contains(url));
        for (url, is_input) in
            besides.map(|url| (url, false)).chain(inputs.iter().map(|url| (url, true)))
        {
            if all.len() >= ALL_URLS && !all.contains_key(url) {
                continue;
            }
            let need = all.entry(url.clone()).or_insert_with(|| UrlNeed::of(&ad, is_input));
            need.named |= of_reason.as_ref() == Some(url);
            need.jobs += 1;
            // The ad that names it itself is the one to believe.
            if is_input && !need.is_input {
                (need.is_input, need.ad) = (true, ad.clone());
            }
        }
    }
    let mut order: Vec<(String, UrlNeed)> = all.into_iter().collect();
    let rank = |(url, need): &(String, UrlNeed)| (Reverse((need.named, need.jobs)), url.clone());
    order.sort_by_cached_key(rank);
    files.ask_urls(order.iter().map(|(url, need)| (&need.ad, url.clone(), need.is_input)))
}

/// How a URL is needed.
struct UrlNeed {
    /// By a hold that is about it.
    named: bool,
    /// By so many jobs.
    jobs: usize,
    /// TransferInput of the ad has it, not its hold reason alone.
    is_input: bool,
    /// Of one of these jobs.
    ad: ClassAd,
}

impl UrlNeed {
    fn of(ad: &ClassAd, is_input: bool) -> Self {
        Self { named: false, jobs: 0, is_input, ad: ad.clone() }
    }
}

/// The URLs of TransferInput.
fn urls_of_input(ad: &ClassAd) -> impl Iterator<Item = String> {
    let list = ad.string("TransferInput").unwrap_or_default();
    let urls: Vec<String> = list
        .split(',')
        .map(str::trim)
        .filter(|input| input.contains("://"))
        .take(INPUT_FILES)
        .map(str::to_owned)
        .collect();
    urls.into_iter()
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ProgramWords {
    /// The file that Out or Err names.
    pub path: Foreign,
    /// Its last line that says why.
    #[serde(flatten)]
    pub words: Words,
    /// Whose line it is.
    pub of: WordsOf,
    /// What the catalogue says of the line.
    #[serde(skip)]
    pub reading: Option<Reading>,
}

/// Which run wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum WordsOf {
    /// The job's last one: the file was written after that began.
    ThisRun,
    /// An earlier one.
    EarlierRun,
    /// Other jobs of the cluster may write that file too.
    SharedFile,
}

/// What was corrected since a hold: an executable that was looked at, or input that an earlier ad of
/// the job names. A reason may name what no ad ever did, as a redirect or a cache.
pub(super) fn corrected_since<'h>(held: &'h Held, history: &History) -> Option<&'h String> {
    let name = held.corrected.as_ref()?;
    let is_executable =
        |check: &Check| check.thing == Thing::Executable && check.path == name.as_str();
    let was_named = || {
        let file = history.symbols.find(name)?;
        history.job(held.job)?.input.iter().find(|known| known.value == file)
    };
    (held.checks.iter().any(is_executable) || was_named().is_some()).then_some(name)
}

/// What the hold reason names of input, where the job asks for it no more; and the executable that could
/// not be started, where it was changed since.
pub(super) fn corrected(ad: &ClassAd, hold: &HoldInQueue, checks: &[Check]) -> Option<String> {
    let text = hold.reason.as_deref().unwrap_or_default();
    match about(code_of_transfer(hold.code, text))? {
        About::Input => {
            let named = reason::url(text).or_else(|| {
                let path = reason::file_name(text).filter(|path| path.starts_with('/'));
                path.filter(|_| reason::side(text) == Some(Side::AccessPoint))
            })?;
            // Without it nobody knows which file a name stands for.
            let iwd = ad.string("Iwd").filter(|iwd| iwd.starts_with('/'))?;
            let list = ad.string("TransferInput")?;
            let names = ["In", "Cmd", "x509userproxy"].iter().filter_map(|name| ad.string(name));
            let mut asked = list.split(',').map(|name| name.trim().to_owned()).chain(names);
            // A file of a directory that is asked for, or of one with a macro, may be it.
            let may_be = |asked: String| {
                asked.contains("$(") || named.starts_with(&under(&iwd, &asked)) || named == asked
            };
            (!asked.any(may_be)).then_some(named)
        }
        About::Program => {
            let since = hold.entered_current_status;
            // A file that was written is no better for that where what could not be run is still
            // in it.
            let named = interpreter(text);
            let is_fault = |remark: &Remark| {
                matches!(
                    remark,
                    Remark::NoInterpreter { .. } | Remark::OtherMachine { .. } | Remark::Empty
                )
            };
            let changed = |check: &&Check| {
                check.thing == Thing::Executable
                    && matches!(check.finding, Finding::Gone { changed_at: Some(at) } if at > since)
                    && !check.remarks.iter().any(is_fault)
                    && (named.is_none()
                        || check.interpreter.as_ref().map(Foreign::as_given) != named.as_deref())
            };
            checks.iter().find(changed).map(|check| check.path.as_given().to_owned())
        }
        _ => None,
    }
}

/// The hold is about what the program did.
pub(super) fn is_of_program(hold: &HoldInQueue) -> bool {
    let text = hold.reason.as_deref().unwrap_or_default();
    match about(code_of_transfer(hold.code, text)) {
        Some(About::JobPolicy | About::SystemPolicy) => true,
        Some(About::Output) => is_unmade(hold),
        Some(About::Nothing) => hold.code == 0,
        _ => false,
    }
}

/// The hold is about output that was never made.
fn is_unmade(hold: &HoldInQueue) -> bool {
    let text = hold.reason.as_deref().unwrap_or_default();
    about(code_of_transfer(hold.code, text)) == Some(About::Output)
        && hold.subcode == ENOENT
        && reason::side(text) != Some(Side::AccessPoint)
}

/// What the program said at its end, of a hold that is about what it did.
pub(super) fn program_words(
    files: &LocalFiles,
    ad: &ClassAd,
    hold: &HoldInQueue,
) -> Option<ProgramWords> {
    if !is_of_program(hold) || !files.has(ad) {
        return None;
    }
    let (path, words) = files.words(ad, &streams(ad, &["Err", "Out"])?)?;
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
    let reading = catalogue::current().read_output(words.line.as_given());
    let of_entry = reading.as_ref().and_then(|reading| reading.entry().kind);
    let words = Words { says: of_entry.unwrap_or(words.says), ..words };
    Some(ProgramWords { path: path.into(), words, of, reading })
}

/// The output of a program that did not make its files, where it was read and says nothing of that.
pub(super) fn silent_output(
    files: &LocalFiles,
    ad: &ClassAd,
    hold: &HoldInQueue,
) -> Option<Foreign> {
    let paths = streams(ad, &["Err", "Out"]).filter(|_| is_unmade(hold) && files.has(ad))?;
    let is_silent = files.are_silent(ad, &paths);
    paths.into_iter().next().filter(|_| is_silent).map(Foreign::from)
}

/// The line of a job's error output that says why its program failed in the run between these
/// times, Unix seconds. `None` where another run or another job may have written the file.
pub(crate) fn error_line(
    files: &LocalFiles,
    ad: &ClassAd,
    began: i64,
    ended: i64,
) -> Option<String> {
    let (path, words) = files.words(ad, &streams(ad, &["Err"])?)?;
    let is_of_run = (began..=ended.saturating_add(WRITTEN_AFTER)).contains(&words.written_at);
    (is_of_run && !may_be_shared(ad, &path)).then(|| words.line.as_given().to_owned())
}

/// Seconds after the event of a run's end in which its output is written at most. Assumed.
const WRITTEN_AFTER: i64 = 60;

/// The full paths of the files that these attributes name. `None` without a full Iwd.
fn streams(ad: &ClassAd, names: &[&str]) -> Option<Vec<String>> {
    let iwd = ad.string("Iwd").filter(|iwd| iwd.starts_with('/'))?;
    let streams = names.iter().filter_map(|name| ad.string(name));
    let is_file = |path: &String| !path.is_empty() && path != NULL;
    Some(streams.filter(is_file).map(|path| under(&iwd, &path)).collect())
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
fn needed(ad: &ClassAd, hold: &HoldInQueue, with_urls: bool) -> Vec<Needed> {
    let text = |name: &str| ad.string(name).filter(|text| !text.is_empty());
    let iwd = text("Iwd").filter(|iwd| iwd.starts_with('/'));
    let is_grid = ad.integer("JobUniverse") == Some(GRID);
    let full = |path: &str| match path.starts_with('/') {
        true => Some(path.to_owned()),
        false => iwd.as_ref().map(|iwd| under(iwd, path)),
    };
    let is = |name: &str| ad.boolean(name) != Some(false);
    let transfers = text("ShouldTransferFiles").is_none_or(|when| !when.eq_ignore_ascii_case("no"));
    let transfers_executable = transfers && is("TransferExecutable");
    let is_file = |path: &&str| !path.is_empty() && *path != NULL && !path.contains("://");
    let file = |name: &str| text(name).filter(|path| is_file(&path.as_str()));

    let mut all: Vec<(Thing, Option<String>)> = Vec::new();
    if !is_grid {
        let executable = match transfers_executable {
            true => Thing::Executable,
            false => Thing::ExecutableInPlace,
        };
        all.push((Thing::WorkingDirectory, iwd.clone()));
        all.push((executable, file("Cmd").and_then(|path| full(&path))));
    }
    if transfers && !is_grid {
        let input = file("In").filter(|_| is("TransferIn"));
        all.push((Thing::StandardInput, input.and_then(|path| full(&path))));
        let list = text("TransferInput").unwrap_or_default();
        let files = list.split(',').map(str::trim).filter(is_file).take(INPUT_FILES);
        all.extend(files.map(|path| (Thing::InputFile, full(path))));
        if with_urls {
            all.extend(urls_of_input(ad).map(|url| (Thing::Url, Some(url))));
        }
        let remaps = text("TransferOutputRemaps").unwrap_or_default();
        let targets = remaps.split(';').filter_map(|remap| remap.split_once('='));
        let targets = targets.map(|(_, path)| path.trim()).filter(is_file).take(INPUT_FILES);
        let streams = ["Out", "Err"].into_iter().filter_map(file);
        let outputs = targets.map(full).chain(streams.map(|path| full(&path)));
        all.extend(outputs.map(|path| (Thing::OutputFile, path)));
    }
    let proxy = file("x509userproxy").and_then(|path| full(&path));
    all.push((Thing::Proxy, proxy.clone()));
    // Where no path stands for a key, the name of a role does.
    let tokens = TOKENS.iter().filter_map(|name| file(name)).filter(|path| path.starts_with('/'));
    all.extend(tokens.map(|path| (Thing::Token, Some(path))));
    let event_log = file("UserLog").and_then(|path| full(&path));
    all.push((Thing::EventLog, event_log.clone()));

    let named = named(hold, with_urls).map(|(thing, path)| match thing {
        _ if path.is_some() && path == proxy => (Thing::Proxy, path),
        Thing::WorkingDirectory => (thing, iwd.clone()),
        Thing::Proxy => (thing, proxy),
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

/// What on the access point a hold is about, and the path in its reason; the URL of an input, where
/// those are asked. `None` for what lies at the execution point, and where nothing is named.
fn named(hold: &HoldInQueue, with_urls: bool) -> Option<(Thing, Option<String>)> {
    let text = hold.reason.as_deref().unwrap_or_default();
    let code = code_of_transfer(hold.code, text);
    let here = reason::side(text) == Some(Side::AccessPoint);
    let path = reason::file_name(text).or_else(|| output_directory(text));
    let path = path.filter(|path| path.starts_with('/'));
    match about(code)? {
        About::WorkingDirectory if !text.starts_with("Error from") => {
            Some((Thing::WorkingDirectory, None))
        }
        About::EventLog => Some((Thing::EventLog, None)),
        // A hold for tokens has the same code.
        About::Credential if text.to_ascii_lowercase().contains("proxy") => {
            Some((Thing::Proxy, None))
        }
        About::Input if with_urls && reason::url(text).is_some() => {
            Some((Thing::Url, reason::url(text)))
        }
        About::Input if here && hold.subcode < 256 => Some((Thing::InputFile, Some(path?))),
        About::Output if here && hold.subcode < 256 => Some((Thing::OutputFile, Some(path?))),
        _ => None,
    }
}

/// The directory that the shadow could not make for output: `failed to create output directory (PATH)`
/// (`file_transfer.cpp`).
fn output_directory(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("failed to create output directory (")?;
    let (path, _) = rest.split_once("): ").or_else(|| rest.split_once(')'))?;
    Some(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attributes_of_files_say_which_files_are_needed() {
        let text = "ClusterId = 7\nProcId = 1\nJobStatus = 5\nEnteredCurrentStatus = 9\n\
            NumHolds = 1\nHoldReasonCode = 13\nHoldReasonSubCode = 2\n\
            HoldReason = \"Transfer input files failure at access point ap while sending files to \
            execution point e. Details: reading from file /data/x: (errno 2) No such file or \
            directory\"\nIwd = \"/home/a\"\nCmd = \"run\"\nIn = \"in\"\nOut = \"o\"\nErr = \"e\"\n\
            UserLog = \"log\"\nTransferInput = \"a, b/\"\nTransferOutputRemaps = \"r=/data/r\"\n\
            ShouldTransferFiles = \"YES\"\nTransferExecutable = true\nTransferIn = true\n\
            JobUniverse = 5\nx509userproxy = \"proxy\"\nScitokensFile = \"/t/1\"\n\
            EC2AccessKeyId = \"/t/2\"\nEC2SecretAccessKey = \"/t/3\"\nGceAuthFile = \"/t/4\"\n\
            AzureAuthFile = \"/t/5\"\n";
        let ad = || classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
        let (whole, mut kept) = (ad(), ad());
        kept.retain(|name| FILE_ATTRIBUTES.iter().any(|kept| kept.eq_ignore_ascii_case(name)));
        let of = |ad: &ClassAd| needed(ad, &HoldInQueue::of(ad).unwrap(), false);
        assert_eq!(of(&whole), of(&kept));
        assert_eq!(of(&kept).len(), 16, "{:?}", of(&kept));
        // Each of them changes what is needed, or whose it is.
        for name in ["JobUniverse", "ShouldTransferFiles", "TransferExecutable", "TransferIn"] {
            let mut other = ad();
            let line = match name {
                "JobUniverse" => "JobUniverse = 9\n",
                "ShouldTransferFiles" => "ShouldTransferFiles = \"NO\"\n",
                name => &format!("{name} = false\n"),
            };
            let set = classads::read_ads(line.as_bytes()).next().unwrap().unwrap();
            other.remove(name);
            other.insert(name, set.get(name).unwrap().clone());
            assert_ne!(of(&other), of(&whole), "{name}");
        }
    }

    #[test]
    fn a_directory_that_could_not_be_made_is_what_the_hold_is_about() {
        let reason = "Transfer output files failure at access point ap while receiving files from \
                      execution point e. Details: SHADOW at ap failed to create output directory \
                      (/home/a/out (new)): No such file or directory (errno 2)";
        let hold = HoldInQueue {
            entered_current_status: 0,
            num_holds: None,
            code: 12,
            subcode: 2,
            reason: Some(reason.to_owned()),
        };
        let directory = Some("/home/a/out (new)".to_owned());
        assert_eq!(named(&hold, false), Some((Thing::OutputFile, directory)));
        assert_eq!(output_directory("failed to create output directory ("), None);
    }
}
