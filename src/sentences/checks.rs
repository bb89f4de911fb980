//! What looks at files and requests for URLs showed, as sentences.

use super::{LONG_NAME, NAME, span};
use crate::checks::{Check, Fault, Finding, Remark, Thing, Why};
use crate::text::plural;

/// What a look at a file showed.
pub(crate) fn file(check: &Check) -> String {
    let what = match check.thing {
        Thing::WorkingDirectory => "working directory",
        Thing::Executable | Thing::ExecutableInPlace => "executable",
        Thing::StandardInput => "file for standard input",
        Thing::InputFile => "input",
        Thing::Proxy => "proxy certificate",
        Thing::Token => "token or key",
        Thing::OutputFile => "output file",
        Thing::EventLog => "job event log",
        Thing::Url => return url(check),
    };
    let path = check.path.named(LONG_NAME);
    let seen_as = check.seen_as.as_ref().map(|name| name.named(NAME));
    let of = seen_as.map(|name| format!(" (looked at now as {name})")).unwrap_or_default();
    let still = if check.named { "still " } else { "" };
    let says = match check.finding {
        Finding::Gone { .. } if check.thing.is_written() => "can be written".to_owned(),
        Finding::Gone { .. } if check.thing == Thing::WorkingDirectory => {
            "is there and can be entered".to_owned()
        }
        Finding::Gone { .. } if check.thing == Thing::ExecutableInPlace => "is there".to_owned(),
        Finding::Gone { .. } => "is there and can be read".to_owned(),
        Finding::StillThere { fault } => match fault {
            Fault::Missing if check.thing.is_written() => {
                format!("cannot be written: its directory is {still}not there")
            }
            Fault::Missing => format!("is {still}not there"),
            Fault::Denied if check.thing.is_written() => format!("may {still}not be written"),
            Fault::Denied if check.thing == Thing::WorkingDirectory => {
                format!("may {still}not be entered")
            }
            Fault::Denied => format!("may {still}not be read"),
            Fault::ReadOnly => format!("is {still}on a file system that may not be written"),
            Fault::NotDirectory => format!("is {still}no directory"),
            Fault::NotRegular => format!("is {still}neither a file nor a directory"),
            Fault::Directory => format!("is {still}a directory"),
            Fault::LinkLoop => format!("is {still}a symbolic link that leads in a circle"),
            Fault::NoSpace => format!("is {still}on a file system without any space left"),
            Fault::NoInodes => format!("is {still}on a file system without any inodes left"),
            Fault::CarriageReturn => {
                "has a first line that ends with a carriage return; no interpreter is found so"
                    .to_owned()
            }
            Fault::NoInterpreter => {
                format!("is there, but what its first line names is {still}missing")
            }
            Fault::Expired => {
                let ago = check.ends_at.map_or(0, |at| check.checked_at.saturating_sub(at));
                format!("has expired, {} ago", span(ago))
            }
        },
        Finding::Unknown { why } => {
            let why = unknown(why);
            return format!("Whether the {what} {path} is in order now is not known: {why}{of}.");
        }
    };
    let remarks: String = check.remarks.iter().map(|remark| remarked(remark, check)).collect();
    format!("The {what} {path} {says}{remarks}{of}.")
}

/// Why nothing is known of a file.
pub(crate) fn unknown(why: Why) -> &'static str {
    match why {
        Why::NotThisMachine => "the job's access point is another machine",
        Why::NotTheOwner => "the job is of another user",
        Why::NoAnswer => "its file system did not answer",
        Why::NoTime => "the time for looking was up",
        Why::NotRecorded => "nobody looked then",
        Why::Credentials => "its file system asks for credentials",
        Why::Quota => "room there shows nothing of a quota, nor of what output needs",
        Why::TooLarge => "it is too large for a credential",
        Why::Format => "it holds no certificate that can be read",
        Why::Contradicted => "it looked missing, and what lies in it was found",
        _ => "it could not be looked at",
    }
}

/// A clause about a file that is there.
fn remarked(remark: &Remark, check: &Check) -> String {
    match remark {
        Remark::Empty => ", but is empty".to_owned(),
        Remark::ChangedSinceHold => ", and was changed since the hold".to_owned(),
        Remark::NoInterpreter { interpreter } => format!(
            "; its interpreter {} is not on this machine (an execution point may have it)",
            interpreter.named(NAME)
        ),
        Remark::OtherMachine { machine } => {
            format!("; it is a program for {} machines, and this is none", machine.named(NAME))
        }
        Remark::NotExecutable => {
            ", but may not be executed here, and it runs where it lies".to_owned()
        }
        Remark::EndsBeforeRun { seconds } => {
            let left = check.ends_at.map_or(0, |at| at.saturating_sub(check.checked_at));
            format!("; it expires in {}, and a run may take {}", span(left), span(*seconds))
        }
    }
}

/// That URLs of jobs were asked in this call.
pub(crate) fn asked_urls(urls: usize) -> String {
    let urls = plural(urls, "URL");
    format!(
        "{urls} of these jobs asked for the first byte, from here (-checks local asks for none)"
    )
}

/// What a URL answered.
fn url(check: &Check) -> String {
    let url = check.path.named(LONG_NAME);
    let still = if check.named { "still " } else { "" };
    let elsewhere = "asked now from the access point; an execution point has a network of its own";
    let why = match check.finding {
        Finding::Gone { .. } => return format!("The URL {url} answers ({elsewhere})."),
        Finding::StillThere { .. } => {
            return format!("The URL {url} is {still}not there: 404 ({elsewhere}).");
        }
        Finding::Unknown { why } => why,
    };
    let asked = |says: &str| {
        format!("Whether the URL {url} can be fetched is not known: {says} ({elsewhere}).")
    };
    let why = match why {
        Why::NoName => {
            return asked("the name service knows no such server, and knows that of another URL");
        }
        Why::Away => return asked("its server cannot be reached"),
        Why::NoAnswer => return asked("its server did not answer in time"),
        Why::Tls => return asked("the certificate of its server is not accepted"),
        Why::Redirects => return asked("it redirects too often"),
        Why::Status(status) => return asked(&format!("its server answers with status {status}")),
        Why::NotThisMachine => "the job's access point is another machine",
        Why::NotTheOwner => "the job is of another user",
        Why::Scheme => "only http and https URLs are asked",
        Why::Secret => "it has a user name or a signature in it, and is not asked",
        Why::NotAsked => {
            "only a few URLs are asked in a minute, and none where that cannot be kept"
        }
        Why::NotPublic => "its server has no public address, and is not asked for what others name",
        Why::NoTime => "the time for looking was up",
        Why::NotRecorded => "nobody looked then",
        Why::Credentials
        | Why::Quota
        | Why::TooLarge
        | Why::Format
        | Why::Contradicted
        | Why::Failed => "it could not be asked",
    };
    format!("Whether the URL {url} can be fetched is not known: {why}.")
}
