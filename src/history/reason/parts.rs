//! Names found in a hold reason.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{MAX_SCHEME, canonical, floor_boundary, is_break, path_end, url_length};
use crate::memo::Memo;

/// What stands before the file a hold is about, most telling first.
const BEFORE_FILE: [&str; 20] = [
    "reading from file ",
    "error reading from ",
    "writing to file ",
    "failed to write to file ",
    "receiving file ",
    "sending file ",
    "Failed to execute ",
    "Failed to open ",
    "Cannot access initial working directory ",
    "couldn't write to ",
    "to write file ",
    "Failed to create ",
    "failed to open ",
    "cannot open file ",
    "Cannot open ",
    "initialize user log to ",
    "open log file ",
    "access file ",
    "read file ",
    "No such file or directory: ",
];

/// The file the hold is about: the one that could not be read, written, opened or executed.
pub fn file_name(reason: &str) -> Option<String> {
    static FINDERS: LazyLock<[Finder<'static>; BEFORE_FILE.len()]> =
        LazyLock::new(|| BEFORE_FILE.map(Finder::new));
    let reason = canonical(reason);
    let file = FINDERS.iter().find_map(|before| {
        let at = before.find(reason.as_bytes())? + before.needle().len();
        path_at(&reason[at..])
    })?;
    Some(file.to_owned())
}

/// The error number that a reason names: `(errno 2)`, `errno=13`.
pub fn errno(reason: &str) -> Option<i64> {
    let reason = canonical(reason);
    let (_, rest) = reason.split_once("errno")?;
    let rest = rest.trim_start_matches([' ', '=', ':']);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Bytes of the path at the beginning of `text`, in quotes or not; 0 without one.
pub(crate) fn path_length(text: &str) -> usize {
    path_at(text).map_or(0, |path| path.as_ptr().addr() - text.as_ptr().addr() + path.len())
}

/// The part of a path behind a job's sandbox (`.../execute/dir_1234/`), if it is in one.
pub fn in_sandbox(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once("/dir_")?;
    let (number, file) = rest.split_once('/')?;
    let is_sandbox = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_sandbox && !file.is_empty()).then_some(file)
}

/// The code of a failed transfer by what its reason says was moved: 12 of output, 13 of input.
/// Others stay.
pub(crate) fn code_of_transfer(code: i32, reason: &str) -> i32 {
    match (code, files(reason)) {
        (12 | 13, Some(Files::Output)) => 12,
        (12 | 13, Some(Files::Input)) => 13,
        _ => code,
    }
}

/// Whether the output that a transfer moved is a checkpoint (`file_transfer.cpp`).
pub(crate) fn is_checkpoint(reason: &str) -> bool {
    let head = &reason[..floor_boundary(reason, 120)];
    head.contains("checkpoint files") || head.contains("Checkpoint")
}

/// The path at the beginning of `text`, in quotes or not.
fn path_at(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let path = match quote {
        Some(quote) => {
            let inner = &text[1..];
            &inner[..inner.find(quote)?]
        }
        None => &text[..path_end(text)],
    };
    let path = path.trim();
    // A word without any of these is prose, such as `receiving file list`.
    let looks = path.contains(['/', '\\', '.']) || quote.is_some();
    (looks && !path.is_empty() && url_length(path).is_none()).then_some(path)
}

/// The URL the hold is about: what stands behind `URL file = `, else the first URL.
pub fn url(reason: &str) -> Option<String> {
    let reason = canonical(reason);
    let named = reason.find("URL file = ").map(|at| &reason[at + "URL file = ".len()..]);
    if let Some((text, length)) = named.and_then(|text| Some((text, url_length(text)?))) {
        return Some(text[..length].to_owned());
    }
    // A scheme begins behind a break or at the start; only places before `://` are looked at.
    reason.match_indices("://").find_map(|(at, _)| {
        let from = floor_boundary(&reason, at.saturating_sub(MAX_SCHEME));
        let start = reason[from..at]
            .rfind(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'))
            .map_or(from, |gap| from + gap + char_length(&reason[from + gap..]));
        let text = &reason[start..];
        Some(text[..url_length(text)?].to_owned())
    })
}

fn char_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// The server the file of the hold comes from or goes to, in lower case: `host` of [`url`], or
/// `host:port` where it is not the port of the scheme.
///
/// The names of OSDF and Pelican are a federation's, and caches serve them: for those it is the
/// scheme, the federation where named, and the first element of the path, as in `osdf:///ospool`.
/// `None` without a URL, or for one that names no server (`file:`).
pub fn file_server(reason: &str) -> Option<String> {
    let url = url(reason)?;
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let cut = rest.find(['?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest[..cut].split_once('/').unwrap_or((&rest[..cut], ""));
    let first = |path: &str| path.split('/').find(|part| !part.is_empty()).map(str::to_owned);
    match scheme.as_str() {
        "file" => None,
        "osdf" | "stash" => {
            // `osdf://ospool/x` is read as `osdf:///ospool/x` by the plug-in.
            let namespace = first(if authority.is_empty() { path } else { authority })?;
            Some(format!("{scheme}:///{namespace}"))
        }
        "pelican" => {
            let namespace = first(path).unwrap_or_default();
            Some(format!("pelican://{}/{namespace}", authority.to_ascii_lowercase()))
        }
        _ => {
            let server = authority.rsplit('@').next().filter(|server| !server.is_empty())?;
            // What is no port is of a password with a character that ends a URL here.
            let port = server.rsplit_once(':').map_or("", |(_, port)| port);
            if !port.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            Some(one_spelling(&scheme, &server.to_ascii_lowercase()))
        }
    }
}

/// `host` or `host:port` without the dot of the root and the port that the scheme has anyway.
fn one_spelling(scheme: &str, server: &str) -> String {
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() => (host, port),
        _ => (server, ""),
    };
    let host = host.strip_suffix('.').filter(|host| !host.is_empty()).unwrap_or(host);
    match (scheme, port) {
        (_, "") | ("http", "80") | ("https", "443") | ("ftp", "21") => host.to_owned(),
        _ => format!("{host}:{port}"),
    }
}

/// Where the file is that the hold is about: the [`file_server`], else the first element of an
/// absolute path, as in `/home`: what one file system or one server serves fails together.
pub fn place(reason: &str) -> Option<String> {
    file_server(reason).or_else(|| {
        let path = file_name(reason)?;
        let (first, _) = path.strip_prefix('/')?.split_once('/')?;
        (!first.is_empty()).then(|| format!("/{first}"))
    })
}

/// The URL or else the file that the hold is about.
pub fn url_or_file(reason: &str) -> Option<String> {
    url(reason).or_else(|| file_name(reason))
}

/// The directory of the file that the hold is about, where its path is absolute.
pub fn directory(reason: &str) -> Option<String> {
    let path = file_name(reason).filter(|path| path.starts_with('/'))?;
    let (directory, _) = path.rsplit_once('/')?;
    (!directory.is_empty()).then(|| directory.to_owned())
}

/// The files that a transfer moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Files {
    /// To the execution point.
    Input,
    /// From the execution point.
    Output,
}

/// The end of a transfer at which it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The shadow's.
    AccessPoint,
    /// The starter's.
    ExecutionPoint,
}

/// What complains in a reason, and of what: as HTCondor 24 and later write it, and as older
/// versions do. There code 13 stands for what the starter could not send as well
/// (`UploadFileError`): output that was never made.
const COMPLAINTS: [(&str, &str, Files, Side); 10] = [
    ("Transfer output files failure at the execution", "", Files::Output, Side::ExecutionPoint),
    ("Transfer input files failure at the execution", "", Files::Input, Side::ExecutionPoint),
    ("Transfer output files failure at execution point", "", Files::Output, Side::ExecutionPoint),
    ("Transfer output files failure at", "", Files::Output, Side::AccessPoint),
    ("Transfer input files failure at execution point", "", Files::Input, Side::ExecutionPoint),
    ("Transfer input files failure at", "", Files::Input, Side::AccessPoint),
    ("STARTER at ", "failed to send", Files::Output, Side::ExecutionPoint),
    ("STARTER at ", "failed to", Files::Input, Side::ExecutionPoint),
    ("SHADOW at ", "failed to send", Files::Input, Side::AccessPoint),
    ("SHADOW at ", "failed to", Files::Output, Side::AccessPoint),
];

/// The first complaint of a reason.
fn complaint(reason: &str) -> Option<(Files, Side)> {
    thread_local!(static MEMO: Memo<Option<(Files, Side)>> = const { Memo::new() });
    MEMO.with(|memo| memo.get(reason, find_complaint))
}

fn find_complaint(reason: &str) -> Option<(Files, Side)> {
    let mut found: Vec<_> = COMPLAINTS
        .iter()
        .filter_map(|&(who, what, files, side)| {
            let at = reason.find(who)?;
            let own = reason[at + who.len()..].split(';').next().unwrap_or_default();
            let words = own.split(": ").next().unwrap_or_default();
            words.contains(what).then_some((at, files, side, own.contains(": ")))
        })
        .collect();
    found.sort_by_key(|found| found.0);
    let (_, files, side, _) = found.first()?;
    // Who says no more than that the other side was lost is not where it failed.
    let detailed = found.iter().find(|(.., has_detail)| *has_detail);
    Some((*files, detailed.map_or(*side, |(_, _, side, _)| *side)))
}

/// Which files the transfer moved that failed, where the reason tells.
pub fn files(reason: &str) -> Option<Files> {
    complaint(reason).map(|complaint| complaint.0)
}

/// The end at which a transfer failed, where the reason tells.
pub fn side(reason: &str) -> Option<Side> {
    let named =
        || reason.contains("failure at the execution point").then_some(Side::ExecutionPoint);
    complaint(reason).map(|complaint| complaint.1).or_else(named)
}

/// The execution point the hold came from, as HTCondor names it: `slot1_1@host`, or a host.
pub fn host(reason: &str) -> Option<String> {
    let reason = canonical(reason);
    let named = ["execution point ", "Error from starter on ", "Error from "];
    named.iter().find_map(|before| {
        let at = reason.find(before)? + before.len();
        let text = &reason[at..];
        let word = &text[..text.find(is_break).unwrap_or(text.len())];
        let word = word.trim_end_matches(['.', ':', ',']);
        let fits = !word.is_empty()
            && word.len() <= 256
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"@._-:".contains(&b))
            && word.bytes().any(|b| b.is_ascii_alphanumeric());
        // `Error from the ...` is prose.
        (fits && !matches!(word, "the" | "starter" | "shadow")).then(|| word.to_owned())
    })
}

/// The machine of an execution point's name: what stands behind the last `@` (the attribute
/// `Machine` of its ads; a glidein's name has another `@` before it).
pub fn machine(host: &str) -> &str {
    host.rsplit('@').next().unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_is_what_its_reason_says() {
        let of = |reason: &str| files(reason).zip(side(reason));
        let (input, output) = (Files::Input, Files::Output);
        let (access, execution) = (Side::AccessPoint, Side::ExecutionPoint);
        for (reason, expected) in [
            (INPUT, Some((input, access))),
            (PELICAN, Some((input, execution))),
            (
                "Error from slot1@h: STARTER at 10.0.0.9 failed to send file(s) to <10.0.0.1:9618>: error reading \
                 from /var/execute/dir_7/out.csv: (errno 2) No such file or directory; SHADOW failed to receive \
                 file(s) from <10.0.0.9:40000>",
                Some((output, execution)),
            ),
            (
                "Error from slot1@h: SHADOW at 10.0.0.1 failed to send file(s) to <10.0.0.9:9618>: error reading \
                 from /home/u/in.csv: (errno 2) No such file or directory; STARTER failed to receive file(s)",
                Some((input, access)),
            ),
            (
                "Error from slot1@h: SHADOW at 10.0.0.1 failed to write to file /home/u/gone/out: (errno 2)",
                Some((output, access)),
            ),
            ("The job attribute PeriodicHold evaluated to TRUE", None),
            ("STARTER at 10.0.0.9", None),
        ] {
            assert_eq!(of(reason), expected, "{reason}");
        }
    }

    const INPUT: &str = "Transfer input files failure at access point ap40 while sending files to \
        execution point slot1_2@e2031.example.org. Details: reading from file /home/a b/x.dat: \
        (errno 2) No such file or directory";
    const PELICAN: &str = "Transfer input files failure at execution point \
        slot1_4@glidein_20_17@rails09 using protocol osdf. Details: failed: error while querying \
        https://director.example.org: 404 ( URL file = osdf:///ospool/ap40/data/u/x.tar.gz )|";

    #[test]
    fn finds_the_file() {
        assert_eq!(file_name(INPUT).as_deref(), Some("/home/a b/x.dat"));
        assert_eq!(
            file_name("Error from slot1@h: Failed to execute '/x/run me.sh': (errno=13: 'Permission denied')").as_deref(),
            Some("/x/run me.sh")
        );
        assert_eq!(
            file_name("Cannot access initial working directory /data/u: No such file").as_deref(),
            Some("/data/u")
        );
        assert_eq!(
            file_name(r"error reading from C:\t\a.bat b.bat: (errno 2) No such file").as_deref(),
            Some(r"C:\t\a.bat b.bat")
        );
        assert_eq!(file_name("via condor_hold (by user u)"), None);
        assert_eq!(file_name("sending file list"), None);
    }

    #[test]
    fn finds_url_and_server() {
        assert_eq!(url(PELICAN).as_deref(), Some("osdf:///ospool/ap40/data/u/x.tar.gz"));
        assert_eq!(file_server(PELICAN).as_deref(), Some("osdf:///ospool"));
        let server = |url: &str| file_server(&format!("cannot fetch ({url}), giving up"));
        assert_eq!(
            server("http://Web.example.org:8080/a?b=c").as_deref(),
            Some("web.example.org:8080")
        );
        assert_eq!(server("https://me:pw@h.org/x").as_deref(), Some("h.org"));
        assert_eq!(server("https://me:p,w@h.org/x"), None);
        assert_eq!(server("https://H.org.:443/x").as_deref(), Some("h.org"));
        assert_eq!(server("https://h.org:80/x").as_deref(), Some("h.org:80"));
        assert_eq!(server("http://://").as_deref(), Some(":"));
        assert_eq!(server("osdf://ospool/x").as_deref(), Some("osdf:///ospool"));
        assert_eq!(
            server("pelican://osg-htc.org/ospool/x").as_deref(),
            Some("pelican://osg-htc.org/ospool")
        );
        assert_eq!(server("http://[::1]:80/x").as_deref(), None);
        assert_eq!(server("file:///etc/x"), None);
        assert_eq!(url("no url: // here"), None);
        assert_eq!(url("é://x http://h/é").as_deref(), Some("http://h/é"));
    }

    #[test]
    fn finds_the_execution_point() {
        assert_eq!(host(INPUT).as_deref(), Some("slot1_2@e2031.example.org"));
        assert_eq!(host(PELICAN).as_deref(), Some("slot1_4@glidein_20_17@rails09"));
        assert_eq!(machine("slot1_4@glidein_20_17@rails09"), "rails09");
        assert_eq!(
            host("Error from ip-1-2.ec2.internal: x").as_deref(),
            Some("ip-1-2.ec2.internal")
        );
        assert_eq!(host("Error from the moon"), None);
        assert_eq!(host("execution point $(rm)"), None);
        assert_eq!(machine("h"), "h");
    }
}
