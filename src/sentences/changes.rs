//! What to change, as sentences.

use std::borrow::Cow;

use super::{LINE, LONG_NAME, capital, limits};
use crate::advice::{ChangeKind, Correction, LimitRaise};
use crate::sizes::Resource;
use crate::text::{Foreign, printable};

/// What to change, one or two sentences.
pub fn change(change: &ChangeKind) -> String {
    match change {
        ChangeKind::Request { resource, to, used, named, finished_with, enough_for } => {
            let (request, unit) = request(*resource);
            let seen = match (used, named) {
                _ if let Some(most) = finished_with => {
                    limits::finished_with(*most, *enough_for, *used, unit)
                }
                (Some(used), _) => format!(" (it used {used} {unit})"),
                (None, Some(named)) => format!(" (its hold names {named} {unit})"),
                (None, None) => String::new(),
            };
            match to {
                Some(to) => format!("Raise {request} to {to} {unit}{seen}."),
                None => format!("Raise {request}; how much it used is not known here."),
            }
        }
        ChangeKind::TooMuch { resource, figure, value } => {
            let (request, unit) = request(*resource);
            format!("Correct {request}: {figure}, {value} {unit}, is more than any machine has.")
        }
        ChangeKind::Place { attribute, name, clause } => {
            let place = match (*attribute, name.as_ref().map(|name| name.named(LONG_NAME))) {
                ("Machine", Some(name)) => name,
                ("Machine", None) => "the machine".to_owned(),
                (_, Some(name)) => format!("the site {name}"),
                (_, None) => "the site".to_owned(),
            };
            let add = clause
                .as_deref()
                .map_or(String::new(), |clause| format!(" Add to its Requirements: {clause}."));
            format!("Keep it off {place}, where it failed.{add}")
        }
        ChangeKind::Limit { policy, test, reached, at_once, finished_after, raise } => {
            let policy = printable(policy);
            let tested = match *test == *policy {
                true => format!("the run had {reached} s"),
                false => {
                    format!(
                        "it was at {reached} when {policy}, {}, held it",
                        test.quoted(LONG_NAME)
                    )
                }
            };
            let again = if *at_once { " It would be held again at once." } else { "" };
            let others = finished_after.map_or(String::new(), |most| {
                format!(" Like jobs that finished took up to {most}.")
            });
            format!("{} ({tested}).{others}{again}", limit(raise, &policy))
        }
        ChangeKind::Time { attribute, seconds: Some(seconds) } => {
            format!(
                "See that {attribute}, {seconds} s now, is enough for one run, or make it shorter."
            )
        }
        ChangeKind::Time { attribute, seconds: None } => {
            format!("Raise {attribute}, or make the run shorter.")
        }
        ChangeKind::Interpreter { name, interpreter } => format!(
            "Correct the first line of {}: {} cannot be run there.",
            or(name, "the executable"),
            interpreter.named(LONG_NAME)
        ),
        ChangeKind::Correct { remedy: Some(reading), .. } => {
            reading.remedy().map_or_else(String::new, |remedy| format!("{}.", capital(&remedy)))
        }
        ChangeKind::Correct { what, name, remedy: None } => correction(*what, name),
        ChangeKind::Program { line, path } => format!(
            "Correct what its program names: {} ({}).",
            line.quoted(LINE),
            path.named(LONG_NAME)
        ),
        ChangeKind::Usual { change, name: Some(name) } => {
            format!("About {}: {change}.", name.named(LONG_NAME))
        }
        ChangeKind::Usual { change, name: None } => format!("{}.", capital(change)),
    }
}

/// A name, or what stands for it.
fn or<'a>(name: &Option<Foreign>, default: &'a str) -> Cow<'a, str> {
    name.as_ref().map_or(default.into(), |name| name.named(LONG_NAME).into())
}

/// The request of a resource, and its unit.
pub(crate) fn request(resource: Resource) -> (&'static str, &'static str) {
    (resource.attribute(), resource.unit())
}

fn limit(raise: &LimitRaise, policy: &str) -> String {
    let raise = match raise {
        LimitRaise::Nonsense { name, to } => {
            let name = name.named(LONG_NAME);
            return format!("Correct what {name} is compared with: {to} makes no sense");
        }
        LimitRaise::Administrator => {
            return format!(
                "Make the job need less, or ask the administrator of the access point about {policy}"
            );
        }
        LimitRaise::Attribute { name, from, to } => {
            format!("{} of the job from {from} to {to}", name.named(LONG_NAME))
        }
        LimitRaise::Expression { name, limit } => {
            format!("the limit {limit} in {}", name.named(LONG_NAME))
        }
        LimitRaise::Cpus => "RequestCpus".to_owned(),
        LimitRaise::Policy => format!("the limit in {policy}"),
    };
    format!("Raise {raise}")
}

fn correction(what: Correction, name: &Option<Foreign>) -> String {
    let the = |default: &'static str| or(name, default);
    let named = |name: &Option<Foreign>| {
        name.as_ref().map_or(String::new(), |name| format!(" {}", name.named(LONG_NAME)))
    };
    match what {
        Correction::Credential if name.is_none() => "Renew the job's credential.".to_owned(),
        Correction::Credential => format!("Renew the credential{}.", named(name)),
        Correction::Quota => {
            format!("Free some of the disk quota that {} counts against.", the("its file"))
        }
        Correction::DiskSpace => format!("Free disk space for {}.", the("its output")),
        Correction::Permissions => {
            format!(
                "Correct the permissions of {} or of a folder on the way there, or correct its path.",
                the("the file")
            )
        }
        Correction::OutputDirectory => format!(
            "Make the directory of {} exist, or correct transfer_output_remaps.",
            the("its output")
        ),
        Correction::OutputList => format!(
            "Take {} out of transfer_output_files, or let the program write it.",
            the("its output")
        ),
        Correction::Output => format!(
            "The program did not write {}: see its error output, then correct it or transfer_output_files.",
            the("an output file")
        ),
        Correction::Input => {
            format!("Put {} back, or correct its path in TransferInput.", the("the input file"))
        }
        Correction::WorkingDirectory => {
            format!("Make the working directory {} exist and accessible.", the("(initialdir)"))
        }
        Correction::StandardInput => {
            format!("Put {} in place.", the("the file for standard input"))
        }
        Correction::StandardOutput => {
            format!("Make the directory of {} exist and writable.", the("the output file"))
        }
        Correction::EventLog => {
            "Make the directory of the job's log exist and writable.".to_owned()
        }
        Correction::Image => format!(
            "Correct the container image{}: its name, access to its registry, or its architecture.",
            named(name)
        ),
        Correction::ExecutePermission => format!("Make {} executable.", the("the executable")),
        Correction::ExecutableFormat => format!(
            "Make {} a program this machine can run: a script needs a first line such as #!/bin/sh, a binary the \
             machine's architecture.",
            the("the executable")
        ),
        Correction::ExecutableMissing => format!(
            "Check that {} is there, that the interpreter in its first line is, and that its lines do not end as on \
             Windows (dos2unix).",
            the("the executable")
        ),
        Correction::Arguments => {
            format!("Pass {} fewer or shorter arguments.", the("the executable"))
        }
        Correction::Executable => {
            format!("Check {}: path, permission, first line, architecture.", the("the executable"))
        }
        Correction::UrlMissing => {
            format!("Correct {}, or put that file back on its server.", the("the URL"))
        }
        Correction::UrlServer => {
            format!("Correct the name of the server in {}: nobody knows it.", the("the URL"))
        }
        Correction::UrlDenied => {
            format!("Renew the credential for {}, or ask for access to it.", the("the URL"))
        }
        Correction::Url => format!("See whether {} can be fetched by hand.", the("the URL")),
        Correction::Cpus => {
            "Raise RequestCpus, or keep the program to the CPUs it asked for.".to_owned()
        }
        Correction::OwnHold => format!(
            "Find the cause first: see its exit code and the end of {}. Its own periodic_hold or \
             on_exit_hold put it on hold, and may again.",
            the("its standard error")
        ),
        Correction::Limit => "Keep within the limit that the hold reason names.".to_owned(),
        Correction::Named => "Correct what the hold reason names.".to_owned(),
    }
}
