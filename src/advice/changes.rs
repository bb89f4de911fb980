//! What an action stands for on one held job: what to change, and the commands that do it.
//!
//! Nothing here runs a command. Text from ads and logs enters commands quoted, or not at all.

pub use super::change_kind::{Change, ChangeKind, Correction, LimitRaise};
use super::figure::Figure;

use super::command::{Command, Since, Target};
use super::editable::Editable;
use super::files::ProgramWords;
use super::job_facts::{JobFacts, JobSize};
use super::limit;
use super::meaning::usual_change;
use super::undesired;
use crate::catalogue::{self, Edit, Ends, Entry, Trouble};
use crate::checks::{Check, Fault, Finding, Thing, Why, WordsKind};
use crate::diagnosis::PlaceAtFault;
use crate::history::reason::{
    Side, canonical, code_of_transfer, file_name, host, in_sandbox, machine, side, url,
};
use crate::history::{Action, Episode};
use crate::hold_code::{self, About, Cause, HoldCode, cause_of};
use crate::sizes::{LEAST, NEAR_LIMIT, Resource, named_memory};
use crate::text::{Foreign, can_be_pasted, classad_quote};
use libc::{EACCES, EDQUOT, ENOENT, ENOMEM, ENOSPC};

/// A hold that is judged: what its codes and reason say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedHold<'a> {
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

impl<'a> JudgedHold<'a> {
    /// What an episode says.
    pub(super) fn of(hold: &'a Episode) -> Self {
        Self {
            code: Some(hold.identity.code),
            subcode: Some(hold.identity.subcode),
            reason: hold.reason.as_deref().unwrap_or_default(),
            held_at: Some(hold.held_at),
        }
    }

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

    /// The resource that it is about: as the catalogue has it, and else by codes and words.
    fn resource(&self, facts: &JobFacts) -> Option<Resource> {
        let of_words = || Resource::of_hold(self.code?, self.subcode, self.reason);
        match facts.reading.as_ref().map(|reading| reading.entry()) {
            Some(Entry { edit: Some(Edit::Memory), .. }) => Some(Resource::Memory),
            Some(Entry { edit: Some(Edit::Disk), .. }) => Some(Resource::Disk),
            Some(entry) if entry.cause() != Cause::Policy => None,
            _ => of_words(),
        }
    }
}

/// The actions that make sense for this hold, as-is first. None for a job that cannot be released
/// (code 16, input files being spooled); as-is alone where nothing is to be changed.
pub fn applicable_actions(hold: &JudgedHold<'_>, facts: &JobFacts) -> Vec<Action> {
    if hold.cause() == Some(Cause::Spooling) {
        return Vec::new();
    }
    let mut actions = vec![Action::AsIs];
    for resource in Resource::ALL {
        let may_help = facts.raise_may_help() && !is_raised(resource, hold, facts);
        if may_help && is_limit(resource, hold, facts) {
            actions.push(raise_of(resource));
        }
    }
    let is_missing = facts.transfer == Some(Trouble::Missing);
    if place_matters(hold, facts) && !is_missing && failed_at(hold, facts).is_some() {
        actions.push(Action::Site);
    }
    if other(hold, facts, &Editable::default()).is_some() {
        actions.push(Action::Other);
    }
    actions
}

/// The hold may be about a request for this resource, or a limit of the job's own on it.
fn is_limit(resource: Resource, hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    let limit = facts.own_limit.as_ref().map(limit::action);
    limit == Some(raise_of(resource)) || matters(resource, hold, facts)
}

/// The action that raises the request for this resource.
const fn raise_of(resource: Resource) -> Action {
    match resource {
        Resource::Memory => Action::Memory,
        Resource::Disk => Action::Disk,
    }
}

/// The job asks for more now than its last run had and used, with a tenth to spare: its owner has
/// raised the request, or it is an expression that did.
fn is_raised(resource: Resource, hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    let JobSize { asked, had, used } = facts.size(resource);
    // Only HTCondor names what a run had; a policy's author may name anything.
    let named = || named(resource, hold, facts).filter(|_| hold.about() == Some(About::Request));
    let had = had.or_else(named).filter(|had| *had > 0);
    let Some((asked, had)) = asked.zip(had) else { return false };
    // One or two like jobs that needed more are no rule.
    let needed = facts.limit_seen.as_ref().and_then(|seen| seen.needed(resource));
    let needs_more = needed.is_some_and(|(next, _)| next.finished >= LEAST);
    let enough = resource.request_for(had.max(used.unwrap_or(0)) as f64);
    (enough..=resource.most()).contains(&asked) && !needs_more
}

/// The request that the hold is about was raised since.
pub(super) fn was_raised(hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    let raised = |resource| is_raised(resource, hold, facts) && is_limit(resource, hold, facts);
    facts.own_limit.is_none() && Resource::ALL.into_iter().any(raised)
}

/// What this action means on this job. `None` for an action that does not apply, for a release as
/// it is, and for `unknown`. Its commands edit what is `editable`.
pub fn change(
    action: Action,
    hold: &JudgedHold<'_>,
    facts: &JobFacts,
    editable: &Editable,
) -> Option<Change> {
    if !applicable_actions(hold, facts).contains(&action) {
        return None;
    }
    let change = match action {
        Action::AsIs | Action::Unknown => None,
        Action::Memory => Some(request(Resource::Memory, hold, facts, editable)),
        Action::Disk => Some(request(Resource::Disk, hold, facts, editable)),
        Action::Site => site(hold, facts, editable),
        Action::Other => other(hold, facts, editable),
    };
    change.map(|change| {
        change.with_submit_line(facts.resubmits).with_way(facts, editable).kept_by(editable)
    })
}

/// The hold that commands act on: what the ad has, else what the log tells.
pub(super) fn target(hold: &JudgedHold<'_>, facts: &JobFacts) -> Target {
    let of_log = hold.held_at.map(Since::NotAfter);
    Target {
        job: facts.job,
        code: hold.code,
        num_holds: facts.num_holds,
        since: facts.entered_current_status.map(Since::At).or(of_log),
    }
}

pub(super) fn near_limit(usage: Option<i64>, provisioned: Option<i64>) -> bool {
    usage.zip(provisioned).is_some_and(|(usage, provisioned)| {
        provisioned > 0
            && usage.saturating_mul(NEAR_LIMIT.1) >= provisioned.saturating_mul(NEAR_LIMIT.0)
    })
}

/// A run that used less than this part of what it had and asked for was far from its limit: 1/2.
/// Assumed.
const FAR_FROM_LIMIT: (i64, i64) = (1, 2);

/// The job's own figures contradict that its run met a limit on this resource: the machine, or
/// others on it, used it up.
fn was_far_from_limit(resource: Resource, hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    // The kernel, or another batch system, ends a run at its limit on memory between two measurements.
    let edit = facts.reading.as_ref().and_then(|reading| reading.entry().edit);
    let is_named = edit == Some(Edit::Memory) && hold.cause() != Some(Cause::Policy);
    if resource == Resource::Memory && (hold.about() == Some(About::Request) || is_named) {
        return false;
    }
    used_little(resource, hold, facts)
}

/// The size that the hold reason names, as far as the run's own figures leave it plausible.
fn named(resource: Resource, hold: &JudgedHold<'_>, facts: &JobFacts) -> Option<i64> {
    let JobSize { asked, had, used } = facts.size(resource);
    let is_memory = resource == Resource::Memory;
    named_memory(hold.code.filter(|_| is_memory)?, hold.reason, &[asked, had, used])
}

/// The hold reason names more than was given and measured: that was used since.
fn used_since(resource: Resource, hold: &JudgedHold<'_>, facts: &JobFacts) -> Option<i64> {
    let JobSize { asked, had, used } = facts.size(resource);
    named(resource, hold, facts).filter(|&named| Some(named) > had.or(asked).max(used))
}

/// What is known to be used is far below what the run had and what it asks for.
fn used_little(resource: Resource, hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    let JobSize { asked, had, used } = facts.size(resource);
    let known = |size: Option<i64>| size.filter(|size| *size > 0);
    let Some(given) = [asked, had].into_iter().filter_map(known).min() else { return false };
    let (part, whole) = FAR_FROM_LIMIT;
    let is_far = |used: i64| used.saturating_mul(whole) < given.saturating_mul(part);
    // A size in the reason counts where it is more: the reason is read only where it may matter.
    known(used).is_none_or(is_far)
        && used_since(resource, hold, facts).or(known(used)).is_some_and(is_far)
}

/// Whether the hold may be about this resource.
pub(super) fn matters(resource: Resource, hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    if was_far_from_limit(resource, hold, facts) {
        return false;
    }
    let ran_out = match resource {
        Resource::Memory => hold.about() == Some(About::Program) && hold.subcode == Some(ENOMEM),
        Resource::Disk => ran_out_of_disk(hold, facts),
    };
    // Its program says so.
    if resource == Resource::Memory && says_memory(facts) && hold.resource(facts).is_none() {
        return true;
    }
    // The reason of a policy may not name the limit that was hit.
    let JobSize { had, used, .. } = facts.size(resource);
    let is_near = hold.cause() == Some(Cause::Policy) && near_limit(used, had);
    hold.resource(facts).map_or(ran_out || is_near, |named| named == resource)
}

/// Its last run wrote that it ran out of memory.
fn says_memory(facts: &JobFacts) -> bool {
    facts.said() == Some(WordsKind::Memory)
}

/// Whether a transfer found no space at the execution point for what the job itself used. One that
/// finds none met a disk that others have filled, unless the job was near what it was given; of
/// output that may be so where its figures are not known.
fn ran_out_of_disk(hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    let fetched = hold.code.is_some_and(|code| code_of_transfer(code, hold.reason) == 13);
    let (used, had) = (facts.disk_usage, facts.disk_provisioned.or(facts.request_disk));
    let is_known = used.is_some() && had.is_some();
    hold.is_transfer()
        && hold.subcode == Some(ENOSPC)
        && !at_access_point(hold)
        && (near_limit(used, had) || !fetched && !is_known)
}

/// A larger request than what was used, what was provided and what was requested, as far as these
/// are known, and than the size that the hold reason names.
fn request(
    resource: Resource,
    hold: &JudgedHold<'_>,
    facts: &JobFacts,
    editable: &Editable,
) -> Change {
    let named = named(resource, hold, facts);
    let figures = match resource {
        Resource::Memory => [
            ("MemoryUsage", facts.memory_usage),
            ("MemoryProvisioned", facts.memory_provisioned),
            ("RequestMemory", facts.request_memory),
        ],
        Resource::Disk => [
            ("DiskUsage", facts.disk_usage),
            ("DiskProvisioned", facts.disk_provisioned),
            ("RequestDisk", facts.request_disk),
        ],
    };
    let [(_, used), _, (attribute, old)] = figures;
    let known = figures.into_iter().chain([("the hold reason's size", named)]);
    let known: Vec<_> = known.filter_map(|(figure, value)| Some((figure, value?))).collect();
    if let Some(&(figure, value)) = known.iter().find(|(_, value)| *value > resource.most()) {
        return ChangeKind::TooMuch { resource, figure, value }.by_hand();
    }
    // A run that was held at its limit used all of it, whenever that was last measured.
    let used = used.filter(|&used| used > 0 && !used_little(resource, hold, facts));
    let used = used.filter(|_| used_since(resource, hold, facts).is_none());
    // A slot that had far more than was used was not the limit.
    let spare = |figure: &str, value: i64| {
        figure.ends_with("Provisioned") && !near_limit(used, Some(value)) && old.is_some()
    };
    let limits = known.iter().filter(|(figure, value)| used.is_none() || !spare(figure, *value));
    let largest = limits.map(|(_, value)| *value).filter(|&value| value > 0).max();
    let needed = facts.limit_seen.as_ref().and_then(|seen| seen.needed(resource));
    let to = largest.map(|largest| match needed {
        Some((next, _)) => resource.request_for(largest as f64).max(next.first),
        None => resource.raised(largest),
    });
    let edit = |to: i64| editable.edit(attribute, old.map(|old| old.to_string()), &to.to_string());
    let edit = to.and_then(edit).map(Command::Edit);
    let what = ChangeKind::Request {
        resource,
        to: to.map(Figure::from),
        used: used.map(Figure::from),
        named: named.filter(|_| used.is_none()).map(Figure::from),
        finished_with: needed.map(|(_, most)| most),
        enough_for: needed
            .filter(|(next, _)| next.retried > 0)
            .map(|(next, _)| [next.finished - next.retried, next.finished]),
    };
    Change::new(what, edit.into_iter().collect())
}

fn at_access_point(hold: &JudgedHold<'_>) -> bool {
    side(hold.reason) == Some(Side::AccessPoint)
}

/// A request that was too small, or a quota, is so on every machine.
pub(super) fn is_so_everywhere(hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    let is_too_small = |resource| !was_far_from_limit(resource, hold, facts);
    hold.resource(facts).is_some_and(is_too_small) || hold.subcode == Some(EDQUOT)
}

/// Whether the machine may have failed, not the job.
fn place_matters(hold: &JudgedHold<'_>, facts: &JobFacts) -> bool {
    // What passes is everywhere, unless runs show a place.
    if let Some(ends) = facts.ends() {
        return ends == Ends::Elsewhere;
    }
    if is_so_everywhere(hold, facts) {
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
        About::Input | About::Output => !at_access_point(hold),
        _ => true,
    }
}

/// Where the run failed, and the machine attribute by which it is excluded.
///
/// A glidein's name is new with every pilot: its resource or site is excluded instead where known.
pub(super) fn failed_at(hold: &JudgedHold<'_>, facts: &JobFacts) -> Option<(&'static str, String)> {
    if let Some(PlaceAtFault { name, is_site, .. }) = &facts.place_at_fault {
        let attribute = if *is_site { "GLIDEIN_Site" } else { "Machine" };
        return is_name(name).then(|| (attribute, name.clone()));
    }
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
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 255
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-@:+ ".contains(&b))
        && !matches!(name.to_ascii_lowercase().as_str(), "unknown" | "undefined" | "error")
}

fn site(hold: &JudgedHold<'_>, facts: &JobFacts, editable: &Editable) -> Option<Change> {
    if let Some(change) = undesired::change(facts, editable) {
        return Some(change);
    }
    let (attribute, name) = failed_at(hold, facts)?;
    let exclusion = format!("TARGET.{attribute} =!= {}", classad_quote(&name)?);
    let requirements = facts.requirements.as_deref().map(str::trim).filter(|old| !old.is_empty());
    let edit = match requirements {
        Some(old) if !old.contains(&exclusion) && can_be_pasted(old) => {
            let new = format!("({old}) && ({exclusion})");
            editable.edit("Requirements", Some(old.to_owned()), &new)
        }
        _ => None,
    };
    // Without the expression in force an edit would lose it.
    let clause = Some(exclusion).filter(|_| requirements.is_none());
    let what = ChangeKind::Place { attribute, name: Some(name.into()), clause };
    Some(Change::new(what, edit.into_iter().map(Command::Edit).collect()).taken_back())
}

/// Changes that are neither a request nor a place: what to correct, by code, subcode and reason.
fn other(hold: &JudgedHold<'_>, facts: &JobFacts, editable: &Editable) -> Option<Change> {
    if let Some(check) = &facts.blocked {
        return Some(of_check(check));
    }
    let own = facts.own_limit.as_ref().filter(|own| limit::action(own) == Action::Other);
    if let Some(own) = own.filter(|_| facts.raise_may_help()) {
        return Some(limit::change(own, facts.limit_seen.as_ref(), editable));
    }
    let code = HoldCode::of(code_of_transfer(hold.code?, hold.reason))?;
    if let Some(program) = of_program(facts).filter(|_| hold.resource(facts).is_none()) {
        return Some(program.by_hand());
    }
    let usual = by_code(hold, code, facts, own.is_some());
    // Of a person's hold nothing is changed.
    let is_own = code.cause != Cause::Person;
    let Some(reading) = facts.reading.as_ref().filter(|_| is_own) else { return usual };
    // What passes is nobody's to correct; a request is raised by an action of its own, and not
    // where a raise is no cure.
    let entry = reading.entry();
    let is_request = matches!(entry.edit, Some(Edit::Memory | Edit::Disk))
        || entry.edit.is_some() && !facts.raise_may_help();
    if entry.ends.passes() || entry.remedy.is_none() || is_request {
        return None;
    }
    let remedy = facts.named_reading();
    Some(match usual {
        Some(Change { what: ChangeKind::Correct { what, name, .. }, commands, .. }) => {
            // Who reads the output finds no more than was found.
            let is_list = what == Correction::Output && name.is_some();
            let is_list = is_list && is_of_submit(entry) && facts.silent_output.is_some();
            let what = if is_list { Correction::OutputList } else { what };
            Change::new(ChangeKind::Correct { what, name, remedy }, commands)
        }
        Some(
            usual @ Change {
                what: ChangeKind::Time { .. } | ChangeKind::Interpreter { .. }, ..
            },
        ) => usual,
        _ => {
            let name = reading.part("url").or(reading.part("path")).cloned();
            ChangeKind::Correct { what: Correction::Named, name, remedy }.by_hand()
        }
    })
}

/// What it is about is as likely in the submit file as anywhere else.
fn is_of_submit(entry: &Entry) -> bool {
    entry.share(|fault| *fault == catalogue::Fault::Submit) >= 0.5
}

/// What is usually corrected after a hold with this code.
fn by_code(
    hold: &JudgedHold<'_>,
    code: &HoldCode,
    facts: &JobFacts,
    has_limit: bool,
) -> Option<Change> {
    let correct = |what, name: Option<String>| ChangeKind::correct(what, name.map(Foreign::from));
    let what = match code.about {
        // Nobody's to correct, or the release itself is the change.
        About::Nothing => return None,
        _ if hold.resource(facts).is_some() => return None,
        About::Program => return Some(executable(hold, facts)),
        About::Input if hold.subcode >= Some(256) => transfer_by_url(hold, facts)?,
        About::Output if hold.subcode >= Some(256) => correct(Correction::Output, url(hold.reason)),
        About::Input
        | About::Output
        | About::StandardInput
        | About::StandardOutput
        | About::WorkingDirectory => file(hold, code)?,
        // No ad shows that the limit is still exceeded.
        About::Duration { .. } if !facts.raise_may_help() => return None,
        About::Duration { attribute, .. } => {
            ChangeKind::Time { attribute, seconds: facts.allowed(attribute).map(Figure::from) }
        }
        About::Credential => correct(Correction::Credential, facts.proxy.clone()),
        About::EventLog => correct(Correction::EventLog, facts.user_log.clone()),
        About::Image => correct(Correction::Image, facts.image.clone()),
        About::JobPolicy | About::SystemPolicy | About::MachinePolicy
            if facts.reading.as_ref().is_some_and(|of| of.entry().edit == Some(Edit::Cpus)) =>
        {
            correct(Correction::Cpus, None)
        }
        // Its own limit held it, and a higher one is no cure.
        About::JobPolicy | About::SystemPolicy if has_limit => return None,
        About::JobPolicy => correct(Correction::OwnHold, facts.error_output.clone()),
        About::SystemPolicy | About::MachinePolicy => correct(Correction::Limit, None),
        About::Request | About::Other => {
            let change = usual_change(code.number, hold.subcode, hold.reason)?;
            ChangeKind::Usual { change, name: None }
        }
    };
    Some(what.by_hand())
}

/// What its program names as the fault, of a line that its last run wrote.
fn of_program(facts: &JobFacts) -> Option<ChangeKind> {
    let ProgramWords { path, words, .. } = facts.program_words.as_ref()?;
    let (line, path) = (words.line.clone(), path.clone());
    facts.names_mistake().then_some(ChangeKind::Program { line, path })
}

/// The correction of a file that was looked at.
pub(super) fn of_check(check: &Check) -> Change {
    let name = Some(check.path.clone());
    let no_interpreter = Finding::StillThere { fault: Fault::NoInterpreter };
    if let Some(interpreter) = check.interpreter.clone().filter(|_| check.finding == no_interpreter)
    {
        return ChangeKind::Interpreter { name, interpreter }.by_hand();
    }
    ChangeKind::correct(correction(check), name).by_hand()
}

/// What to correct about a file that was looked at.
fn correction(check: &Check) -> Correction {
    match (check.thing, check.finding) {
        (Thing::Proxy | Thing::Token, _) => Correction::Credential,
        (Thing::Url, Finding::Unknown { why: Why::NoName }) => Correction::UrlServer,
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

/// The program could not be started.
fn executable(hold: &JudgedHold<'_>, facts: &JobFacts) -> Change {
    let ours = facts.executable();
    // What lay in the sandbox is a copy: the file to correct is the job's own.
    let named = file_name(hold.reason).filter(|path| in_sandbox(path).is_none());
    let name = named.or_else(|| ours.clone()).or_else(|| sandbox_file(hold.reason));
    let name = name.map(Foreign::from);
    if let Some(interpreter) = interpreter(hold.reason) {
        return ChangeKind::Interpreter { name, interpreter: interpreter.into() }.by_hand();
    }
    let what = match hold.subcode {
        Some(EACCES) => Correction::ExecutePermission,
        Some(8) => Correction::ExecutableFormat,
        Some(ENOENT) => Correction::ExecutableMissing,
        Some(7) => Correction::Arguments,
        _ => Correction::Executable,
    };
    let chmod = ours.filter(|path| what == Correction::ExecutePermission && can_be_pasted(path));
    let chmod = chmod.map(|path| Command::Run(vec!["chmod".to_owned(), "+x".to_owned(), path]));
    Change::new(ChangeKind::correct(what, name), chmod.into_iter().collect())
}

/// The interpreter that the starter names as invalid.
pub(super) fn interpreter(reason: &str) -> Option<String> {
    let reason = canonical(reason);
    let (_, rest) = reason.split_once("invalid interpreter (")?;
    let (interpreter, _) = rest.split_once(')')?;
    Some(interpreter.to_owned())
}

/// The reason's file by its name in the sandbox; the executable's name there says nothing.
fn sandbox_file(reason: &str) -> Option<String> {
    let path = file_name(reason)?;
    in_sandbox(&path).filter(|file| *file != "condor_exec.exe").map(str::to_owned)
}

/// Files that could not be opened, read or written.
fn file(hold: &JudgedHold<'_>, code: &HoldCode) -> Option<ChangeKind> {
    let name =
        sandbox_file(hold.reason).or_else(|| file_name(hold.reason)).or_else(|| url(hold.reason));
    let name = name.map(Foreign::from);
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
    Some(ChangeKind::correct(what, name))
}

/// What the user can correct about a URL. `None` while its server is only away.
fn transfer_by_url(hold: &JudgedHold<'_>, facts: &JobFacts) -> Option<ChangeKind> {
    let of_text = || facts.reading.as_ref().and_then(|reading| reading.entry().trouble());
    let what = match facts.transfer.or_else(of_text) {
        Some(Trouble::Missing) => Correction::UrlMissing,
        Some(Trouble::Denied) => Correction::UrlDenied,
        Some(_) => return None,
        None => Correction::Url,
    };
    Some(ChangeKind::correct(what, url(hold.reason).map(Foreign::from)))
}

impl Change {
    /// To be taken back later.
    pub(super) fn taken_back(mut self) -> Self {
        self.facts.take_back = true;
        self
    }
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
