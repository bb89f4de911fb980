//! What an action stands for on one held job: what to change, and the commands that do it.
//!
//! Nothing here runs a command. Text from ads and logs enters commands quoted, or not at all.

use std::fmt::{self, Display, Formatter};

use serde::{Serialize, Serializer};

use super::cause::Trouble;
use super::command::{Command, Edit, Since, Target};
use super::errno::{EACCES, EDQUOT, ENOENT, ENOMEM, ENOSPC};
use super::job_facts::JobFacts;
use super::limit;
use super::meaning::{Resource, code_of_transfer, resource, url_trouble, usual_change};
use crate::checks::{Check, Fault, Finding, Thing};
use crate::history::Action;
use crate::history::reason::{Side, canonical, file_name, host, machine, side, url, words};
use crate::hold_code::{self, About, Cause, HoldCode, cause_of};
use crate::text::{classad_quote, is_fit};

/// A request is raised to this much of the largest of usage, provision and request: half as much
/// again, the step that pycbc's and CHTC's memory expressions take.
const RAISE: (i64, i64) = (3, 2);

/// RequestMemory is rounded up to this, MiB.
const MEMORY_STEP: i64 = 128;

/// RequestDisk is rounded up to this, KiB (100 MiB).
const DISK_STEP: i64 = 100 * 1024;

/// MiB beyond which a figure makes no sense: 64 TiB, all the memory that Linux on x86-64 can
/// address with page tables of four levels (its `x86_64/5level-paging`).
const MOST_MEMORY: i64 = 64 << 20;

/// KiB beyond which a figure makes no sense: 1 EiB, the largest ext4 file system (ext4(5)).
const MOST_DISK: i64 = 1 << 50;

/// Usage above this part of the provision is taken for a limit that was hit: 9/10. The starter
/// itself takes less for a machine that ran out of memory, not the job (`vanilla_proc.cpp`).
const NEAR_LIMIT: (i64, i64) = (9, 10);

/// What to change before a release, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Change {
    /// What to change.
    #[serde(flatten)]
    pub what: ChangeKind,
    /// The commands that make the change, in order. None where it is made by hand.
    #[serde(skip)]
    pub commands: Vec<Command>,
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum ChangeKind {
    /// Request more of a resource.
    Request {
        /// Which.
        resource: Resource,
        /// What to request, MiB of memory or KiB of disk; `None` where it is not known how much was
        /// used.
        to: Option<Figure>,
        /// What the last run used, in the same unit.
        used: Option<Figure>,
        /// What the hold reason names, where no usage is known.
        named: Option<Figure>,
    },
    /// A figure that no machine has, MiB of memory or KiB of disk.
    TooMuch {
        /// Of which resource.
        resource: Resource,
        /// The attribute that has it.
        figure: &'static str,
        /// The figure.
        value: i64,
    },
    /// Keep it off the machine or site where it failed.
    Place {
        /// The attribute of a machine that names the place.
        attribute: &'static str,
        /// The place.
        name: Option<String>,
        /// A clause for Requirements, where they are not known and no command can extend them.
        clause: Option<String>,
    },
    /// Raise a limit of the job's own that held it, or make the job need less.
    Limit {
        /// The attribute or knob that sets it.
        policy: String,
        /// The comparison, as it is written.
        test: String,
        /// What it was when the job was held, in the unit of the test.
        reached: Figure,
        /// The job would be held again at once, if it is released as it is.
        at_once: bool,
        /// How it is raised.
        raise: LimitRaise,
    },
    /// Allow more time than AllowedJobDuration or AllowedExecuteDuration does.
    Time {
        /// Which of them.
        attribute: &'static str,
        /// What it is, seconds.
        seconds: Option<Figure>,
    },
    /// The first line of the executable names an interpreter that cannot be run.
    Interpreter {
        /// The executable, where known.
        name: Option<String>,
        /// The interpreter.
        interpreter: String,
    },
    /// Correct something by hand.
    Correct {
        /// What.
        what: Correction,
        /// The file, URL, image or credential, where known.
        name: Option<String>,
    },
    /// What usually helps against this code.
    Usual {
        /// A clause without capital and full stop.
        change: &'static str,
        /// The file that it is about, where known.
        name: Option<String>,
    },
}

/// How a limit of the job's own is raised.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "By", rename_all_fields = "PascalCase")]
pub enum LimitRaise {
    /// By an attribute of the job.
    Attribute {
        /// Its name.
        name: String,
        /// What it is.
        from: Figure,
        /// What it should be.
        to: Figure,
    },
    /// In an expression of the job.
    Expression {
        /// The attribute.
        name: String,
        /// The limit in it.
        limit: Figure,
    },
    /// By RequestCpus.
    Cpus,
    /// The administrator of the access point sets it.
    Administrator,
    /// In the policy, by hand.
    Policy,
    /// The attribute is compared with something that makes no sense.
    Nonsense {
        /// Its name.
        name: String,
        /// What it would have to be.
        to: i64,
    },
}

/// What to correct by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Correction {
    /// A credential has to be renewed.
    Credential,
    /// A disk quota is used up.
    Quota,
    /// The disk is full where output goes.
    DiskSpace,
    /// A file or directory does not permit it.
    Permissions,
    /// The directory of an output file is missing, or transfer_output_remaps is wrong.
    OutputDirectory,
    /// The program did not write an output file.
    Output,
    /// An input file is missing.
    Input,
    /// The initial working directory cannot be entered.
    WorkingDirectory,
    /// The file for standard input is missing.
    StandardInput,
    /// The directory of the files for standard output and error is missing.
    StandardOutput,
    /// The directory of the job event log is missing.
    EventLog,
    /// The container image cannot be used.
    Image,
    /// The executable may not be executed.
    ExecutePermission,
    /// The executable is none for this machine.
    ExecutableFormat,
    /// The executable or its interpreter is missing.
    ExecutableMissing,
    /// The arguments are too long.
    Arguments,
    /// Something else about the executable.
    Executable,
    /// The server does not have this file.
    UrlMissing,
    /// The server does not give this file to this user.
    UrlDenied,
    /// A URL that could not be fetched, nobody says why.
    Url,
    /// More CPUs were used than requested.
    Cpus,
    /// The job's own periodic_hold or on_exit_hold held it.
    OwnHold,
    /// A limit that the hold reason names.
    Limit,
}

/// A figure of one job, or the least and the most of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl From<i64> for Figure {
    fn from(value: i64) -> Self {
        Self::from(value as f64)
    }
}

impl From<f64> for Figure {
    fn from(value: f64) -> Self {
        Self { least: value, most: value }
    }
}

/// `12`, `12.5`, `12-14`.
impl Display for Figure {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let digits = |value: f64| usize::from(value.fract() != 0.0);
        write!(out, "{:.*}", digits(self.least), self.least)?;
        match self.least == self.most {
            true => Ok(()),
            false => write!(out, "-{:.*}", digits(self.most), self.most),
        }
    }
}

impl Figure {
    fn join(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// A number, or an array of the least and the most.
impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.least == self.most {
            true => self.least.serialize(serializer),
            false => [self.least, self.most].serialize(serializer),
        }
    }
}

impl ChangeKind {
    /// What two jobs have in common: figures become ranges, names that differ are left out. `None`
    /// where each needs something else.
    pub fn join(&self, other: &Self) -> Option<Self> {
        let (mut joined, mut other) = (self.clone(), other.clone());
        for (one, two) in joined.figures().into_iter().zip(other.figures()) {
            let both = one.join(*two);
            (*one, *two) = (both, both);
        }
        for (one, two) in joined.known_figures().into_iter().zip(other.known_figures()) {
            let both = one.zip(*two).map(|(one, two)| one.join(two));
            (*one, *two) = (both, both);
        }
        if let (Some(one), Some(two)) = (joined.name_mut(), other.name_mut())
            && one != two
        {
            (*one, *two) = (None, None);
        }
        match (&mut joined, &mut other) {
            (Self::Place { clause: one, .. }, Self::Place { clause: two, .. }) if one != two => {
                (*one, *two) = (None, None);
            }
            (Self::Limit { at_once: one, .. }, Self::Limit { at_once: two, .. }) => {
                (*one, *two) = (*one || *two, *one || *two);
            }
            _ => {}
        }
        (joined == other).then_some(joined)
    }

    /// Figures that are always there.
    fn figures(&mut self) -> Vec<&mut Figure> {
        match self {
            Self::Limit { reached, raise, .. } => match raise {
                LimitRaise::Attribute { from, to, .. } => vec![reached, from, to],
                LimitRaise::Expression { limit, .. } => vec![reached, limit],
                _ => vec![reached],
            },
            _ => Vec::new(),
        }
    }

    /// Figures that are there where they are known.
    fn known_figures(&mut self) -> Vec<&mut Option<Figure>> {
        match self {
            Self::Request { to, used, named, .. } => vec![to, used, named],
            Self::Time { seconds, .. } => vec![seconds],
            _ => Vec::new(),
        }
    }

    fn name_mut(&mut self) -> Option<&mut Option<String>> {
        match self {
            Self::Place { name, .. }
            | Self::Interpreter { name, .. }
            | Self::Correct { name, .. }
            | Self::Usual { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The file, place, URL, image or credential that it is about.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Place { name, .. }
            | Self::Interpreter { name, .. }
            | Self::Correct { name, .. }
            | Self::Usual { name, .. } => name.as_deref(),
            _ => None,
        }
    }
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
    /// EnteredCurrentStatus, or the time of the hold's event, which is that or a little later; Unix
    /// seconds.
    pub held_at: Option<i64>,
}

impl Hold<'_> {
    /// The kind of cause that its code names.
    fn cause(&self) -> Option<Cause> {
        self.code.map(cause_of)
    }

    /// What its code is about.
    fn about(&self) -> Option<About> {
        hold_code::about(self.code?)
    }

    /// Moving its files failed.
    fn is_transfer(&self) -> bool {
        matches!(self.about(), Some(About::Input | About::Output))
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
    if limit == Some(Action::Memory) || matters(Resource::Memory, hold, facts) {
        actions.push(Action::Memory);
    }
    if limit == Some(Action::Disk) || matters(Resource::Disk, hold, facts) {
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

/// What this action means on this job. `None` for an action that does not apply, for a release as
/// it is, and for `unknown`.
pub fn change(action: Action, hold: &Hold<'_>, facts: &JobFacts) -> Option<Change> {
    if !applicable_actions(hold, facts).contains(&action) {
        return None;
    }
    match action {
        Action::AsIs | Action::Unknown => None,
        Action::Memory => Some(request(Resource::Memory, facts, megabytes(hold.reason))),
        Action::Disk => Some(request(Resource::Disk, facts, None)),
        Action::Site => site(hold, facts),
        Action::Other => other(hold, facts),
    }
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

pub(super) fn edit(attribute: &str, old: Option<String>, new: &str) -> Command {
    Command::Edit(Edit { attribute: attribute.to_owned(), old, new: new.to_owned() })
}

fn near_limit(usage: Option<i64>, provisioned: Option<i64>) -> bool {
    usage.zip(provisioned).is_some_and(|(usage, provisioned)| {
        provisioned > 0
            && usage.saturating_mul(NEAR_LIMIT.1) >= provisioned.saturating_mul(NEAR_LIMIT.0)
    })
}

/// Whether the hold may be about this resource.
fn matters(resource: Resource, hold: &Hold<'_>, facts: &JobFacts) -> bool {
    let (ran_out, usage, provisioned) = match resource {
        Resource::Memory => (
            hold.about() == Some(About::Program) && hold.subcode == Some(ENOMEM),
            facts.memory_usage,
            facts.memory_provisioned,
        ),
        Resource::Disk => (
            hold.is_transfer() && hold.subcode == Some(ENOSPC) && !at_access_point(hold),
            facts.disk_usage,
            facts.disk_provisioned,
        ),
    };
    // The reason of a policy may not name the limit that was hit.
    let is_near = hold.cause() == Some(Cause::Policy) && near_limit(usage, provisioned);
    hold.resource().map_or(ran_out || is_near, |named| named == resource)
}

/// A larger request than what was used, what was provided and what was requested, as far as these
/// are known, and than the size that the hold reason names.
fn request(resource: Resource, facts: &JobFacts, named: Option<i64>) -> Change {
    let (step, most, figures) = match resource {
        Resource::Memory => (
            MEMORY_STEP,
            MOST_MEMORY,
            [
                ("MemoryUsage", facts.memory_usage),
                ("MemoryProvisioned", facts.memory_provisioned),
                ("RequestMemory", facts.request_memory),
            ],
        ),
        Resource::Disk => (
            DISK_STEP,
            MOST_DISK,
            [
                ("DiskUsage", facts.disk_usage),
                ("DiskProvisioned", facts.disk_provisioned),
                ("RequestDisk", facts.request_disk),
            ],
        ),
    };
    let [(_, used), _, (attribute, old)] = figures;
    let known = figures.into_iter().chain([("the hold reason's size", named)]);
    let known: Vec<_> = known.filter_map(|(figure, value)| Some((figure, value?))).collect();
    if let Some(&(figure, value)) = known.iter().find(|(_, value)| *value > most) {
        return ChangeKind::TooMuch { resource, figure, value }.by_hand();
    }
    let used = used.filter(|&used| used > 0);
    let largest = known.iter().map(|(_, value)| *value).filter(|&value| value > 0).max();
    let to = largest.map(|largest| {
        (largest.saturating_mul(RAISE.0) / RAISE.1).saturating_add(step - 1) / step * step
    });
    let edit = to.map(|to| edit(attribute, old.map(|old| old.to_string()), &to.to_string()));
    let what = ChangeKind::Request {
        resource,
        to: to.map(Figure::from),
        used: used.map(Figure::from),
        named: named.filter(|_| used.is_none()).map(Figure::from),
    };
    Change { what, commands: edit.into_iter().collect() }
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
    if hold.resource().is_some() || hold.subcode == Some(EDQUOT) {
        return false;
    }
    let Some(code) = hold.code.and_then(HoldCode::of).filter(|code| code.elsewhere) else {
        return false;
    };
    match code.about {
        About::Program => {
            hold.subcode != Some(EACCES) && !hold.reason.contains("not specified in job ad")
        }
        // The shadow, on the access point, says this too.
        About::WorkingDirectory => hold.reason.starts_with("Error from"),
        About::Input | About::Output => {
            !at_access_point(hold) && url_trouble(hold.reason) != Some(Trouble::Missing)
        }
        _ => true,
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

fn site(hold: &Hold<'_>, facts: &JobFacts) -> Option<Change> {
    let (attribute, name) = failed_at(hold, facts)?;
    let exclusion = format!("TARGET.{attribute} =!= {}", classad_quote(&name)?);
    let requirements = facts.requirements.as_deref().map(str::trim).filter(|old| !old.is_empty());
    let commands = match requirements {
        Some(old) if !old.contains(&exclusion) && is_fit(old) => {
            vec![edit("Requirements", Some(old.to_owned()), &format!("({old}) && ({exclusion})"))]
        }
        _ => Vec::new(),
    };
    // Without the expression in force an edit would lose it.
    let clause = Some(exclusion).filter(|_| requirements.is_none());
    Some(Change { what: ChangeKind::Place { attribute, name: Some(name), clause }, commands })
}

/// Changes that are neither a request nor a place: what to correct, by code, subcode and reason.
fn other(hold: &Hold<'_>, facts: &JobFacts) -> Option<Change> {
    if let Some(check) = &facts.blocked {
        return Some(of_check(check));
    }
    if let Some(own) = facts.own_limit.as_ref().filter(|own| limit::action(own) == Action::Other) {
        return Some(limit::change(own));
    }
    let correct = |what, name| ChangeKind::Correct { what, name };
    let code = HoldCode::of(code_of_transfer(hold.code?, hold.reason))?;
    let what = match code.about {
        // Nobody's to correct, or the release itself is the change.
        About::Nothing => return None,
        _ if hold.resource().is_some() => return None,
        About::Program => return Some(executable(hold, facts)),
        About::Input | About::Output if hold.subcode >= Some(256) => transfer_by_url(hold)?,
        About::Input
        | About::Output
        | About::StandardInput
        | About::StandardOutput
        | About::WorkingDirectory => file(hold, code)?,
        // No ad shows that the limit is still exceeded.
        About::Duration { attribute, .. } => {
            ChangeKind::Time { attribute, seconds: facts.allowed(attribute).map(Figure::from) }
        }
        About::Credential => correct(Correction::Credential, facts.proxy.clone()),
        About::EventLog => correct(Correction::EventLog, None),
        About::Image => correct(Correction::Image, facts.image.clone()),
        About::JobPolicy | About::SystemPolicy | About::MachinePolicy
            if names_cpus(hold.reason) =>
        {
            correct(Correction::Cpus, None)
        }
        About::JobPolicy => correct(Correction::OwnHold, facts.error_output.clone()),
        About::SystemPolicy | About::MachinePolicy => correct(Correction::Limit, None),
        About::Request | About::Other => {
            let change = usual_change(code.number, hold.subcode, hold.reason)?;
            ChangeKind::Usual { change, name: None }
        }
    };
    Some(what.by_hand())
}

/// The correction of a file that was looked at.
pub(super) fn of_check(check: &Check) -> Change {
    let name = Some(check.path.clone());
    ChangeKind::Correct { what: correction(check), name }.by_hand()
}

/// What to correct about a file that was looked at.
fn correction(check: &Check) -> Correction {
    match (check.thing, check.finding) {
        (Thing::Proxy | Thing::Token, _) => Correction::Credential,
        (Thing::Url, _) => Correction::UrlMissing,
        (_, Finding::StillThere { fault: Fault::Denied | Fault::ReadOnly }) => {
            Correction::Permissions
        }
        (Thing::WorkingDirectory, _) => Correction::WorkingDirectory,
        (Thing::Executable | Thing::ExecutableInPlace, _) => Correction::ExecutableMissing,
        (Thing::StandardInput, _) => Correction::StandardInput,
        (Thing::InputFile, _) => Correction::Input,
        (Thing::OutputFile, _) => Correction::OutputDirectory,
        (Thing::EventLog, _) => Correction::EventLog,
    }
}

fn names_cpus(reason: &str) -> bool {
    words(reason)
        .any(|word| matches!(word.as_str(), "cpu" | "cpus" | "request_cpus" | "requestcpus"))
}

/// The program could not be started.
fn executable(hold: &Hold<'_>, facts: &JobFacts) -> Change {
    let ours = facts.executable();
    // What lay in the sandbox is a copy: the file to correct is the job's own.
    let named = file_name(hold.reason).filter(|path| in_sandbox(path).is_none());
    let name = named.or_else(|| ours.clone()).or_else(|| sandbox_file(hold.reason));
    if let Some(interpreter) = interpreter(hold.reason) {
        return ChangeKind::Interpreter { name, interpreter }.by_hand();
    }
    let what = match hold.subcode {
        Some(EACCES) => Correction::ExecutePermission,
        Some(8) => Correction::ExecutableFormat,
        Some(ENOENT) => Correction::ExecutableMissing,
        Some(7) => Correction::Arguments,
        _ => Correction::Executable,
    };
    let chmod = ours.filter(|path| what == Correction::ExecutePermission && is_fit(path));
    let chmod = chmod.map(|path| Command::Run(vec!["chmod".to_owned(), "+x".to_owned(), path]));
    Change { what: ChangeKind::Correct { what, name }, commands: chmod.into_iter().collect() }
}

/// The interpreter that the starter names as invalid.
fn interpreter(reason: &str) -> Option<String> {
    let reason = canonical(reason);
    let (_, rest) = reason.split_once("invalid interpreter (")?;
    let (interpreter, _) = rest.split_once(')')?;
    Some(interpreter.to_owned())
}

/// The part of a path behind a job's sandbox (`.../execute/dir_1234/`), if it is in one.
pub(super) fn in_sandbox(path: &str) -> Option<&str> {
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
fn file(hold: &Hold<'_>, code: &HoldCode) -> Option<ChangeKind> {
    let name =
        sandbox_file(hold.reason).or_else(|| file_name(hold.reason)).or_else(|| url(hold.reason));
    let subcode = hold.subcode?;
    let what = match (code.about, subcode, Trouble::of_errno(subcode)) {
        (_, EDQUOT, _) => Correction::Quota,
        (About::Output, ENOSPC, _) if at_access_point(hold) => Correction::DiskSpace,
        (_, _, Some(Trouble::NoSpace | Trouble::Away)) => return None,
        (_, _, Some(Trouble::Denied)) => Correction::Permissions,
        (About::Output, ENOENT, _) if at_access_point(hold) => Correction::OutputDirectory,
        (About::Output, ENOENT, _) => Correction::Output,
        (About::Input, ENOENT, _) => Correction::Input,
        (About::WorkingDirectory, ..) => Correction::WorkingDirectory,
        (About::StandardInput, ..) => Correction::StandardInput,
        (About::StandardOutput, ..) => Correction::StandardOutput,
        _ => {
            let change = usual_change(code.number, hold.subcode, hold.reason)?;
            return Some(ChangeKind::Usual { change, name });
        }
    };
    Some(ChangeKind::Correct { what, name })
}

/// What the user can correct about a URL. `None` while its server is only away.
fn transfer_by_url(hold: &Hold<'_>) -> Option<ChangeKind> {
    let what = match url_trouble(hold.reason) {
        Some(Trouble::Missing) => Correction::UrlMissing,
        Some(Trouble::Denied) => Correction::UrlDenied,
        Some(_) => return None,
        None => Correction::Url,
    };
    Some(ChangeKind::Correct { what, name: url(hold.reason) })
}

impl ChangeKind {
    /// Without a command.
    pub(super) fn by_hand(self) -> Change {
        Change { what: self, commands: Vec::new() }
    }
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
