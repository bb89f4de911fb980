//! What to do about a hold in a few words, for a line of a table.

use super::changes::request;
use super::{NAME, resource_word};
use crate::advice::{
    Advice, ChangeKind, Correction, LimitRaise, LookAt, Recommendation, Undecided, WaitFor,
};
use crate::text::{Foreign, printable};

/// What to do, or what stands against it, in a few words, the most telling first.
pub(crate) fn to_do(advice: &Advice) -> String {
    let held = &advice.held;
    let text = match advice.recommendation {
        Recommendation::Release => Some("release it as it is".to_owned()),
        Recommendation::Remove => Some("remove it: no release helps".to_owned()),
        Recommendation::Try => advice.try_one.map(|tried| match tried.job == held.job {
            true => "release this one alone".to_owned(),
            false => format!("release {} alone first", tried.job),
        }),
        Recommendation::Change => advice.changes().next().map(|first| change(&first.what)),
        Recommendation::Wait => advice.wait.as_ref().map(|wait| wait_for(&wait.what)),
        Recommendation::Look => advice.look.as_ref().map(look_at),
        Recommendation::Undecided => advice.undecided.as_ref().map(|why| undecided(why, held.code)),
    };
    text.unwrap_or_else(|| "-".to_owned())
}

/// The last part of a path, or of a URL with its server.
fn last(path: &Foreign) -> String {
    // What tells a secret goes with the rest of a URL.
    let path = path.value();
    let name = |path: &str| path.trim_end_matches('/').rsplit('/').next().map(Foreign::from);
    match path.split_once("://") {
        Some((_, rest)) => {
            let server = rest.split('/').next().unwrap_or_default();
            let at = Foreign::from(server).named(NAME);
            match name(rest).filter(|name| *name != server).map(|name| name.named(NAME)) {
                Some(name) if server.is_empty() => name,
                Some(name) => format!("{name} ({at})"),
                None => at,
            }
        }
        None => name(&path).filter(|name| *name != "").unwrap_or(path.into()).named(NAME),
    }
}

fn change(change: &ChangeKind) -> String {
    match change {
        ChangeKind::Request { resource, to, .. } => {
            let (request, unit) = request(*resource);
            match to {
                Some(to) => format!("raise {} to {to} {unit}", resource_word(*resource)),
                None => format!("raise {request}"),
            }
        }
        ChangeKind::TooMuch { resource, .. } => format!("lower {}", request(*resource).0),
        ChangeKind::Place { name: Some(name), .. } => format!("keep it off {}", name.named(NAME)),
        ChangeKind::Place { attribute: "Machine", .. } => "keep it off that machine".to_owned(),
        ChangeKind::Place { .. } => "keep it off that site".to_owned(),
        ChangeKind::Limit { policy, raise, .. } => match raise {
            LimitRaise::Nonsense { name, .. } => {
                format!("correct the limit of {}", name.named(NAME))
            }
            LimitRaise::Administrator => "need less".to_owned(),
            LimitRaise::Attribute { name, to, .. } => format!("raise {} to {to}", name.named(NAME)),
            LimitRaise::Expression { name, .. } => {
                format!("raise the limit in {}", name.named(NAME))
            }
            LimitRaise::Cpus => "raise RequestCpus".to_owned(),
            LimitRaise::Policy => format!("raise the limit in {}", printable(policy)),
        },
        ChangeKind::Time { attribute, .. } => format!("raise {attribute}"),
        ChangeKind::Interpreter { interpreter, .. } => {
            format!("correct the line #!{}", interpreter.named(NAME))
        }
        ChangeKind::Correct { what: Correction::Named, remedy: Some(reading), .. } => {
            reading.remedy().unwrap_or_default()
        }
        ChangeKind::Correct { what, name, .. } => correction(*what, name.as_ref()),
        ChangeKind::Program { path, .. } => {
            format!("correct what its program names in {}", last(path))
        }
        ChangeKind::Usual { change, .. } => change.to_string(),
    }
}

fn correction(what: Correction, name: Option<&Foreign>) -> String {
    let (what, of) = match what {
        Correction::Credential => ("renew", "its credential"),
        Correction::Quota => ("free disk quota", ""),
        Correction::DiskSpace => ("delete old files on a full disk", ""),
        Correction::Permissions => ("allow access to", "a file"),
        Correction::OutputDirectory => ("make the folder of", "its output"),
        Correction::Output | Correction::OutputList => ("see why it did not write", "its output"),
        Correction::Input => ("provide", "an input file"),
        Correction::WorkingDirectory => ("make the folder", "initialdir"),
        Correction::StandardInput => ("provide", "standard input"),
        Correction::StandardOutput => ("make the folder of", "standard output"),
        Correction::EventLog => ("make the folder of its log", ""),
        Correction::Image => ("correct the image", ""),
        Correction::ExecutePermission => ("chmod +x", "its executable"),
        Correction::ExecutableFormat => ("correct the format of", "its executable"),
        Correction::ExecutableMissing => ("provide", "its executable"),
        Correction::Arguments => ("fewer arguments", ""),
        Correction::Executable => ("check", "its executable"),
        Correction::UrlMissing => ("provide or correct", "its URL"),
        Correction::UrlServer => ("correct the server of", "its URL"),
        Correction::UrlDenied => ("get access to", "its URL"),
        Correction::Url => ("check", "its URL"),
        Correction::Cpus => ("raise RequestCpus", ""),
        Correction::OwnHold => ("find the cause of its own hold", ""),
        Correction::Limit => ("need less", ""),
        Correction::Named => ("correct what its reason names", ""),
    };
    // Empty: no name belongs to it.
    let named = name.filter(|_| !of.is_empty());
    let of = named.map_or_else(|| of.to_owned(), last);
    [what, &of].join(" ").trim_end().to_owned()
}

fn wait_for(what: &WaitFor) -> String {
    match what {
        WaitFor::Spooled => "wait for its input".to_owned(),
        WaitFor::Policy => "wait for HTCondor".to_owned(),
        WaitFor::Fetched { server: Some(server) } | WaitFor::InOrder { server: Some(server) } => {
            format!("wait for {}", server.named(NAME))
        }
        WaitFor::Fetched { server: None } => "wait for its file server".to_owned(),
        WaitFor::Try { job } => format!("wait for job {job}"),
        WaitFor::Directory { directory } => format!("wait for {}", directory.named(NAME)),
        WaitFor::LikeHold => "wait for a job held alike".to_owned(),
        WaitFor::RetryAfter => "wait as its transfer asks".to_owned(),
        WaitFor::InOrder { server: None } => "wait until it is in order".to_owned(),
    }
}

fn look_at(look: &LookAt) -> String {
    match look {
        LookAt::Output { path } | LookAt::File { path } => format!("look at {}", last(path)),
        LookAt::Growth { path } => format!("look at memory in {}", last(path)),
        LookAt::Space { path } => format!("look at the room for {}", last(path)),
        LookAt::Url { url } => format!("look at {}", last(url)),
        LookAt::Name { url } => format!("look at the server name in {}", last(url)),
        LookAt::Tried { job } => format!("look at the hold of {job}"),
        LookAt::JobPolicy => "look at its policies".to_owned(),
        LookAt::SystemPolicy => "look at SYSTEM_PERIODIC_HOLD".to_owned(),
    }
}

fn undecided(why: &Undecided, code: Option<i32>) -> String {
    match why {
        Undecided::Over => "its hold is over",
        Undecided::HeldByPerson if code == Some(15) => "its owner decides",
        Undecided::HeldByPerson => "whoever held it decides",
        Undecided::UnknownCode { .. } => "code not known",
        Undecided::Unsure { .. } => "not sure enough",
        Undecided::FailedBefore { .. } => "releases failed alike",
        Undecided::NotNamed => "a change, not known which",
        Undecided::NoReleases => "too few releases known",
        Undecided::Lasting { trouble } => super::trouble(*trouble),
        Undecided::NotRemoved { .. } => "no action is likely to help",
        Undecided::NeverReached { .. } => "server never reached",
        Undecided::Sources => "too little could be read",
        Undecided::Between { .. } => "neither is worth it",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::samples;

    #[test]
    fn names_are_short() {
        let of = |path: &str| last(&path.into());
        assert_eq!(of("/home/alice/run/err.17.0"), "err.17.0");
        assert_eq!(of("http://web:8080/a/genome.dat"), "genome.dat (web:8080)");
        assert_eq!(of("osdf:///ospool/ap20/x.tar"), "x.tar");
        assert_eq!((of("http://web/"), of("/"), of("x/")), ("web".into(), "/".into(), "x".into()));
        assert_eq!(of("/a/no such b"), "\"no such b\"");
        assert_eq!(of("https://me:pw@h/a/b?sig=c/d"), "b?*** (***@h)");
    }

    #[test]
    fn what_to_do_is_named() {
        assert_eq!(to_do(&samples::memory(1, 0, 2048)), "raise memory to 2048 MiB");
        assert_eq!(to_do(&samples::transfer(1, 0)), "release it as it is");
        let named = |what, name: &str| correction(what, Some(&name.into()));
        assert_eq!(named(Correction::Input, "/data/genome.dat"), "provide genome.dat");
        assert_eq!(named(Correction::Quota, "/data/genome.dat"), "free disk quota");
        assert_eq!(
            named(Correction::Output, "out/result.h5"),
            "see why it did not write result.h5"
        );
        assert_eq!(correction(Correction::ExecutePermission, None), "chmod +x its executable");
    }
}
