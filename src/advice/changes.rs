//! What an action stands for on one held job: what to change, and the commands that do it.
//!
//! Nothing here runs a command. Text from ads and logs enters commands quoted, or not at all.

use super::command::{Command, Since, Target};
use super::job_facts::JobFacts;
use super::limit;
use super::meaning::{Resource, UrlTrouble, code_of_transfer, resource, url_trouble, usual_change};
use crate::history::Action;
use crate::history::reason::{Side, canonical, file_name, host, machine, side, url, words};
use crate::hold_code::{Cause, cause_of};
use crate::text::{classad_quote, is_fit, shorten, strip_control};

/// A request is raised to this much of the largest of usage, provision and request: half as much again,
/// the step that pycbc's and CHTC's memory expressions take.
const RAISE: (i64, i64) = (3, 2);

/// RequestMemory is rounded up to this, MiB.
const MEMORY_STEP: i64 = 128;

/// RequestDisk is rounded up to this, KiB (100 MiB).
const DISK_STEP: i64 = 100 * 1024;

/// MiB beyond which a figure makes no sense: 64 TiB, all the memory that Linux on x86-64 can address with
/// page tables of four levels (its `x86_64/5level-paging`).
const MOST_MEMORY: i64 = 64 << 20;

/// KiB beyond which a figure makes no sense: 1 EiB, the largest ext4 file system (ext4(5)).
const MOST_DISK: i64 = 1 << 50;

/// Usage above this part of the provision is taken for a limit that was hit: 9/10. The starter itself
/// takes less for a machine that ran out of memory, not the job (`vanilla_proc.cpp`).
const NEAR_LIMIT: (i64, i64) = (9, 10);

/// What to do before a release, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What to change, one or two sentences.
    pub text: String,
    /// The commands that make the change, in order. None where it is made by hand.
    pub commands: Vec<Command>,
}

/// A hold that is judged: what its codes and reason say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold<'a> {
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
    /// HoldReason.
    pub reason: &'a str,
    /// EnteredCurrentStatus, or the time of the hold's event, which is that or a little later; Unix seconds.
    pub held_at: Option<i64>,
}

impl Hold<'_> {
    /// The kind of cause that its code names.
    fn cause(&self) -> Option<Cause> {
        self.code.map(cause_of)
    }

    fn resource(&self) -> Option<Resource> {
        resource(self.code?, self.subcode, self.reason)
    }
}

/// The actions that make sense for this hold, as-is first. None for a job that cannot be released
/// (code 16, input files being spooled); as-is alone where nothing is to be changed.
pub fn applicable_actions(hold: &Hold<'_>, facts: &JobFacts) -> Vec<Action> {
    if hold.cause() == Some(Cause::Spooling) {
        return Vec::new();
    }
    let mut actions = vec![Action::AsIs];
    let limit = facts.own_limit.as_ref().map(limit::action);
    if limit == Some(Action::Memory) || memory_matters(hold, facts) {
        actions.push(Action::Memory);
    }
    if limit == Some(Action::Disk) || disk_matters(hold, facts) {
        actions.push(Action::Disk);
    }
    if place_matters(hold) && failed_at(hold, facts).is_some() {
        actions.push(Action::Site);
    }
    if other(hold, facts).is_some() {
        actions.push(Action::Other);
    }
    actions
}

/// What this action means on this job. `None` for an action that does not apply, and for `unknown`.
pub fn change(action: Action, hold: &Hold<'_>, facts: &JobFacts) -> Option<Change> {
    if !applicable_actions(hold, facts).contains(&action) {
        return None;
    }
    let (text, commands) = match action {
        Action::AsIs => ("Release it as it is.".to_owned(), Vec::new()),
        Action::Memory => memory(hold, facts),
        Action::Disk => disk(hold, facts),
        Action::Site => site(hold, facts)?,
        Action::Other => other(hold, facts)?,
        Action::Unknown => return None,
    };
    Some(Change { text, commands })
}

/// The hold that commands act on: what the ad has, else what the log tells.
pub(super) fn target(hold: &Hold<'_>, facts: &JobFacts) -> Target {
    let of_log = hold.held_at.map(Since::NotAfter);
    Target {
        job: facts.job,
        code: hold.code,
        num_holds: facts.num_holds,
        since: facts.entered_current_status.map(Since::At).or(of_log),
    }
}

pub(super) fn edit(attribute: &str, value: &str) -> Command {
    Command::Edit { attribute: attribute.to_owned(), value: value.to_owned() }
}

fn near_limit(usage: Option<i64>, provisioned: Option<i64>) -> bool {
    match (usage, provisioned) {
        (Some(usage), Some(provisioned)) if provisioned > 0 => {
            usage.saturating_mul(NEAR_LIMIT.1) >= provisioned.saturating_mul(NEAR_LIMIT.0)
        }
        _ => false,
    }
}

/// Codes of policies, whose reason may not name the limit that was hit.
fn is_policy(hold: &Hold<'_>) -> bool {
    hold.cause() == Some(Cause::Policy)
}

fn memory_matters(hold: &Hold<'_>, facts: &JobFacts) -> bool {
    match hold.resource() {
        Some(resource) => resource == Resource::Memory,
        None => {
            (hold.code == Some(6) && hold.subcode == Some(12))
                || (is_policy(hold) && near_limit(facts.memory_usage, facts.memory_provisioned))
        }
    }
}

fn disk_matters(hold: &Hold<'_>, facts: &JobFacts) -> bool {
    match hold.resource() {
        Some(resource) => resource == Resource::Disk,
        None => {
            (matches!(hold.code, Some(12 | 13))
                && hold.subcode == Some(28)
                && !at_access_point(hold))
                || (is_policy(hold) && near_limit(facts.disk_usage, facts.disk_provisioned))
        }
    }
}

/// The largest known value, raised and rounded up. `None` where none is known.
fn raised(figures: &[(&str, Option<i64>)], step: i64) -> Option<i64> {
    let values = figures.iter().filter_map(|(_, value)| *value);
    let largest = values.filter(|&value| value > 0).max()?;
    let raised = largest.saturating_mul(RAISE.0) / RAISE.1;
    Some(raised.saturating_add(step - 1) / step * step)
}

/// A figure that no slot can have: its name and itself.
fn absurd<'a>(figures: &[(&'a str, Option<i64>)], most: i64) -> Option<(&'a str, i64)> {
    figures.iter().find_map(|&(name, value)| Some((name, value.filter(|&value| value > most)?)))
}

fn memory(hold: &Hold<'_>, facts: &JobFacts) -> (String, Vec<Command>) {
    let said = megabytes(hold.reason);
    let known = [
        ("MemoryUsage", facts.memory_usage),
        ("MemoryProvisioned", facts.memory_provisioned),
        ("RequestMemory", facts.request_memory),
        ("the hold reason's size", said),
    ];
    if let Some((name, value)) = absurd(&known, MOST_MEMORY) {
        let text =
            format!("Correct RequestMemory: {name}, {value} MiB, is more than any machine has.");
        return (text, Vec::new());
    }
    match raised(&known, MEMORY_STEP) {
        Some(request) => {
            let used = match (facts.memory_usage.filter(|&used| used > 0), said) {
                (Some(used), _) => format!(" (it used {used} MiB)"),
                (None, Some(said)) => format!(" (its hold names {said} MiB)"),
                (None, None) => String::new(),
            };
            (
                format!("Raise RequestMemory to {request} MiB{used}."),
                vec![edit("RequestMemory", &request.to_string())],
            )
        }
        None => ("Raise RequestMemory; how much it used is not known here.".to_owned(), Vec::new()),
    }
}

fn disk(_: &Hold<'_>, facts: &JobFacts) -> (String, Vec<Command>) {
    let known = [
        ("DiskUsage", facts.disk_usage),
        ("DiskProvisioned", facts.disk_provisioned),
        ("RequestDisk", facts.request_disk),
    ];
    if let Some((name, value)) = absurd(&known, MOST_DISK) {
        let text =
            format!("Correct RequestDisk: {name}, {value} KiB, is more than any machine has.");
        return (text, Vec::new());
    }
    match raised(&known, DISK_STEP) {
        Some(request) => {
            let used = facts.disk_usage.filter(|&used| used > 0);
            let used = used.map_or(String::new(), |used| format!(" (it used {used} KiB)"));
            (
                format!("Raise RequestDisk to {request} KiB{used}."),
                vec![edit("RequestDisk", &request.to_string())],
            )
        }
        None => ("Raise RequestDisk; how much it used is not known here.".to_owned(), Vec::new()),
    }
}

/// The largest size the reason names in megabytes.
fn megabytes(reason: &str) -> Option<i64> {
    let reason = canonical(reason);
    let mut largest = None;
    let mut before: Option<i64> = None;
    for word in reason.split([' ', ',', ';', '|', '(', ')']) {
        let word = word.trim_end_matches('.');
        let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        let number = word[..digits].parse().ok();
        let unit = &word[digits..];
        let is_unit =
            |unit: &str| ["megabytes", "mb", "mib"].contains(&unit.to_ascii_lowercase().as_str());
        if is_unit(unit) {
            largest = largest.max(number.or(before));
        }
        before = number.filter(|_| unit.is_empty());
    }
    largest
}

fn at_access_point(hold: &Hold<'_>) -> bool {
    side(hold.reason) == Some(Side::AccessPoint)
}

/// Whether the machine may have failed, not the job.
fn place_matters(hold: &Hold<'_>) -> bool {
    // A request that was too small, or a quota, is so everywhere.
    if hold.resource().is_some() || hold.subcode == Some(122) {
        return false;
    }
    match hold.code {
        Some(6) => {
            !matches!(hold.subcode, Some(13)) && !hold.reason.contains("not specified in job ad")
        }
        Some(7..=11 | 18 | 19 | 21 | 35 | 36 | 45) => true,
        // The shadow, on the access point, says this too.
        Some(14) => hold.reason.starts_with("Error from"),
        Some(12 | 13) => {
            !at_access_point(hold) && url_trouble(hold.reason) != Some(UrlTrouble::NotFound)
        }
        _ => false,
    }
}

/// Where the run failed, and the machine attribute by which it is excluded.
///
/// A glidein's name is new with every pilot: its resource or site is excluded instead where known.
fn failed_at(hold: &Hold<'_>, facts: &JobFacts) -> Option<(&'static str, String)> {
    let named = |name: &Option<String>| name.clone().filter(|name| is_name(name));
    if let Some(resource) = named(&facts.glidein_resource) {
        return Some(("GLIDEIN_ResourceName", resource));
    }
    if let Some(site) = named(&facts.glidein_site) {
        return Some(("GLIDEIN_Site", site));
    }
    let host = facts.last_remote_host.clone().or_else(|| host(hold.reason))?;
    let machine = machine(&host).to_owned();
    (is_name(&machine)).then_some(("Machine", machine))
}

/// Names of machines and sites are short and plain; anything else is not put into an expression.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 255
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-@:+ ".contains(&b))
        && !matches!(name.to_ascii_lowercase().as_str(), "unknown" | "undefined" | "error")
}

fn site(hold: &Hold<'_>, facts: &JobFacts) -> Option<(String, Vec<Command>)> {
    let (attribute, name) = failed_at(hold, facts)?;
    let literal = classad_quote(&name)?;
    let text = match attribute {
        "Machine" => format!("Keep it off {name}, where it failed."),
        _ => format!("Keep it off the site {name}, where it failed."),
    };
    let exclusion = format!("TARGET.{attribute} =!= {literal}");
    let commands = match facts.requirements.as_deref().map(str::trim) {
        // Without the expression in force an edit would lose it.
        None | Some("") => {
            return Some((format!("{text} Add to its Requirements: {exclusion}."), Vec::new()));
        }
        Some(old) if old.contains(&exclusion) => Vec::new(),
        Some(old) if !is_fit(old) => Vec::new(),
        Some(old) => vec![edit("Requirements", &format!("({old}) && ({exclusion})"))],
    };
    Some((text, commands))
}

/// A name from a log or ad inside a sentence.
fn shown(name: &str) -> String {
    shorten(&strip_control(name), 120).into_owned()
}

/// Changes that are neither a request nor a place: what to correct, by code, subcode and reason.
fn other(hold: &Hold<'_>, facts: &JobFacts) -> Option<(String, Vec<Command>)> {
    let code = code_of_transfer(hold.code?, hold.reason);
    if let Some(own) = facts.own_limit.as_ref().filter(|own| limit::action(own) == Action::Other) {
        return Some(limit::change(own));
    }
    let text = match (code, hold.subcode) {
        (6, _) => return Some(executable(hold, facts)),
        (12 | 13, Some(256..)) => return transfer_by_url(hold).map(|text| (text, Vec::new())),
        (46, _) => duration("AllowedJobDuration", facts.allowed_job_duration),
        (47, _) => duration("AllowedExecuteDuration", facts.allowed_execute_duration),
        (4, _) => match &facts.proxy {
            Some(proxy) => format!("Renew the credential {}.", shown(proxy)),
            None => "Renew the job's credential.".to_owned(),
        },
        (7..=10 | 12..=14, subcode) => file(hold, code, subcode)?,
        (22, _) => "Make the directory of the job's log exist and writable.".to_owned(),
        (35, _) => match &facts.image {
            Some(image) => format!(
                "Correct the container image {}: its name, access to its registry, or its architecture.",
                shown(image)
            ),
            None => "Correct the container image: its name, access to its registry, or its architecture."
                .to_owned(),
        },
        // Nobody's to correct, or the release itself is the change.
        (0 | 1 | 2 | 11 | 15..=18 | 40 | 41 | 45, _) => return None,
        (3 | 21 | 26 | 34, _) if hold.resource().is_some() => return None,
        (3 | 21 | 26, _) if names_cpus(hold.reason) => {
            "Raise RequestCpus, or keep the program to the CPUs it asked for.".to_owned()
        }
        (3, _) => "Look at its exit code and its standard error: its periodic_hold or on_exit_hold tests \
                   what the hold reason says."
            .to_owned(),
        (21 | 26, _) => "Keep within the limit that the hold reason names.".to_owned(),
        _ => {
            let usual = usual_change(code, hold.subcode, hold.reason)?;
            let mut chars = usual.chars();
            let first = chars.next()?.to_uppercase();
            format!("{}{}.", first, chars.as_str())
        }
    };
    Some((text, Vec::new()))
}

fn names_cpus(reason: &str) -> bool {
    words(reason)
        .any(|word| matches!(word.as_str(), "cpu" | "cpus" | "request_cpus" | "requestcpus"))
}

/// Codes 46 and 47 where no ad shows that the limit is still exceeded.
fn duration(attribute: &str, seconds: Option<i64>) -> String {
    match seconds.filter(|&seconds| seconds > 0) {
        Some(seconds) => {
            format!(
                "See that {attribute}, {seconds} s now, is enough for one run, or make it shorter."
            )
        }
        None => format!("Raise {attribute}, or make the run shorter."),
    }
}

/// Code 6: the program could not be started.
fn executable(hold: &Hold<'_>, facts: &JobFacts) -> (String, Vec<Command>) {
    let ours = facts.executable();
    // What lay in the sandbox is a copy: the file to correct is the job's own.
    let named = file_name(hold.reason).filter(|path| in_sandbox(path).is_none());
    let named = named.or_else(|| ours.clone()).or_else(|| sandbox_file(hold.reason));
    let name = named.as_deref().map_or_else(|| "the executable".to_owned(), shown);
    if let Some(interpreter) = interpreter(hold.reason) {
        let interpreter = shown(&interpreter);
        let text = format!(
            "Correct the first line of {name}: its interpreter {interpreter} cannot be run there (a line that \
             ends as on Windows does that too: dos2unix)."
        );
        return (text, Vec::new());
    }
    match hold.subcode {
        Some(13) => {
            let commands = ours
                .iter()
                .filter(|path| is_fit(path))
                .map(|path| Command::Run(["chmod", "+x", path].map(str::to_owned).to_vec()))
                .collect();
            (format!("Make {name} executable."), commands)
        }
        Some(8) => (
            format!(
                "Make {name} a program this machine can run: a script needs a first line such as #!/bin/sh, \
                 a binary the machine's architecture."
            ),
            Vec::new(),
        ),
        Some(2) => (
            format!(
                "Check that {name} is there, that the interpreter in its first line is, and that its lines \
                 do not end as on Windows (dos2unix)."
            ),
            Vec::new(),
        ),
        Some(7) => (format!("Pass {name} fewer or shorter arguments."), Vec::new()),
        _ => (format!("Check {name}: path, permission, first line, architecture."), Vec::new()),
    }
}

/// The interpreter that the starter names as invalid.
fn interpreter(reason: &str) -> Option<String> {
    let reason = canonical(reason);
    let (_, rest) = reason.split_once("invalid interpreter (")?;
    let (interpreter, _) = rest.split_once(')')?;
    Some(interpreter.to_owned())
}

/// The part of a path behind a job's sandbox (`.../execute/dir_1234/`), if it is in one.
fn in_sandbox(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("/dir_")?;
    let (number, file) = rest.split_once('/')?;
    let is_sandbox = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_sandbox && !file.is_empty()).then_some(file)
}

/// The reason's file by its name in the sandbox; the executable's name there says nothing.
fn sandbox_file(reason: &str) -> Option<String> {
    let path = file_name(reason)?;
    in_sandbox(&path).filter(|file| *file != "condor_exec.exe").map(str::to_owned)
}

/// Files that could not be opened, read or written.
fn file(hold: &Hold<'_>, code: i32, subcode: Option<i32>) -> Option<String> {
    let file =
        sandbox_file(hold.reason).or_else(|| file_name(hold.reason)).or_else(|| url(hold.reason));
    let name = file.as_deref().map(shown);
    let the = |what: &str| name.clone().unwrap_or_else(|| what.to_owned());
    Some(match (code, subcode?) {
        (_, 122) => format!("Free some of the disk quota that {} counts against.", the("its file")),
        (12, 28) if at_access_point(hold) => format!("Free disk space for {}.", the("its output")),
        (_, 28 | 4 | 5 | 11 | 32 | 62 | 100..=105 | 107 | 110..=113 | 116 | 121) => return None,
        (_, 1 | 13) => format!("Correct the permissions of {}.", the("the file or its directory")),
        (12, 2) if at_access_point(hold) => {
            format!(
                "Make the directory of {} exist, or correct transfer_output_remaps.",
                the("its output")
            )
        }
        (12, 2) => format!(
            "The program did not write {}: see its error output, then correct it or transfer_output_files.",
            the("an output file")
        ),
        (13, 2) => {
            format!("Put {} back, or correct its path in TransferInput.", the("the input file"))
        }
        (14, _) => {
            format!("Make the working directory {} exist and accessible.", the("(initialdir)"))
        }
        (8 | 10, _) => format!("Put {} in place.", the("the file for standard input")),
        (7 | 9, _) => {
            format!("Make the directory of {} exist and writable.", the("the output file"))
        }
        _ => {
            let usual = usual_change(code, subcode, hold.reason)?;
            match name {
                Some(name) => format!("About {name}: {usual}."),
                None => format!("See the reason: {usual}."),
            }
        }
    })
}

/// What the user can correct about a URL. `None` while its server is only away.
fn transfer_by_url(hold: &Hold<'_>) -> Option<String> {
    let name = url(hold.reason).map_or_else(|| "the URL".to_owned(), |url| shown(&url));
    match url_trouble(hold.reason) {
        Some(UrlTrouble::NotFound) => {
            Some(format!("Correct {name}, or put that file back on its server."))
        }
        Some(UrlTrouble::Denied) => {
            Some(format!("Renew the credential for {name}, or ask for access to it."))
        }
        Some(UrlTrouble::Away) => None,
        None => Some(format!("See whether {name} can be fetched by hand.")),
    }
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
