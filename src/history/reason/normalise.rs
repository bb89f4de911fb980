//! The form of a hold reason that like holds share.

use std::rc::Rc;

use super::{ERRNO, HARD, canonical, floor_boundary, is_break, path_end_before, url_length};
use crate::memo::Memo;
use crate::text::strip_control;

/// Bytes of a normalised reason that are kept.
const MAX_NORMALISED: usize = 1024;

/// Bytes of one token of [`words`] that are kept.
const MAX_WORD: usize = 40;

/// The reason with what differs between like holds replaced.
///
/// Placeholders: `<n>` digits, `<time>` times and durations, `<id>` UUIDs and hexadecimal ids,
/// `<host>` host and slot names and addresses, `<user>`, `<path>`, `<url>`, `<args>` (arguments of
/// a program). Numbers that tell the cause stay: errno, exit and status codes, signals, HTTP
/// statuses. Control characters are left out, white space becomes one blank, and 1,024 bytes are
/// kept.
pub fn normalised(reason: &str) -> String {
    thread_local!(static MEMO: Memo<String> = const { Memo::new() });
    MEMO.with(|memo| memo.get(reason, normalise))
}

fn normalise(reason: &str) -> String {
    let reason = canonical(reason);
    let reason = strip_control(&reason);
    let mut scan = Scan {
        rest: &reason,
        out: String::new(),
        before: [""; 3],
        hard: Next::default(),
        errno: Next::default(),
    };
    while scan.out.len() < MAX_NORMALISED && scan.step() {}
    let mut out = scan.out;
    out.truncate(floor_boundary(&out, MAX_NORMALISED));
    out.truncate(out.trim_end().len());
    out
}

/// The tokens of [`normalised`] in lower case, in order: words of letters, digits and `_`, and
/// placeholders. A token is at most 40 bytes long.
pub fn words(reason: &str) -> impl Iterator<Item = String> + use<> {
    thread_local!(static MEMO: Memo<Rc<[String]>> = const { Memo::new() });
    let tokens = MEMO.with(|memo| memo.get(reason, tokens));
    (0..tokens.len()).map(move |at| tokens[at].clone())
}

fn tokens(reason: &str) -> Rc<[String]> {
    let text = normalised(reason).to_lowercase();
    let mut tokens = Vec::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let length = placeholder_length(rest).unwrap_or_else(|| {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        });
        if length > 0 {
            tokens.push(rest[..floor_boundary(rest, length.min(MAX_WORD))].to_owned());
        }
        rest = &rest[if length > 0 { length } else { c.len_utf8() }..];
    }
    tokens.into()
}

const PLACEHOLDERS: [&str; 8] =
    ["<n>", "<time>", "<id>", "<host>", "<user>", "<path>", "<url>", "<args>"];

fn placeholder_length(text: &str) -> Option<usize> {
    PLACEHOLDERS.iter().find(|word| text.starts_with(**word)).map(|word| word.len())
}

struct Scan<'a> {
    rest: &'a str,
    out: String,
    /// The three words before, the last one first.
    before: [&'a str; 3],
    /// Where [`HARD`] and [`ERRNO`] stand next.
    hard: Next,
    errno: Next,
}

/// Where something stands next in a text that is read from its front: no byte is looked at twice,
/// so that a reason full of paths takes no longer than another one.
#[derive(Default)]
struct Next {
    /// Bytes from there to the end of the text; `None` before it was looked for.
    left: Option<usize>,
}

impl Next {
    /// Its place in the rest of the text, else the end.
    fn of(&mut self, rest: &str, find: impl FnOnce(&str) -> Option<usize>) -> usize {
        let found = || rest.len() - find(rest).unwrap_or(rest.len());
        let left = self.left.filter(|left| *left <= rest.len()).unwrap_or_else(found);
        self.left = Some(left);
        rest.len() - left
    }
}

impl<'a> Scan<'a> {
    /// Reads one piece; false at the end.
    fn step(&mut self) -> bool {
        let Some(c) = self.rest.chars().next() else { return false };
        if c.is_whitespace() {
            if !self.out.is_empty() && !self.out.ends_with(' ') {
                self.out.push(' ');
            }
            self.skip(c.len_utf8());
        } else if let Some(length) = placeholder_length(self.rest) {
            self.put(&self.rest[..length], length);
        } else if c == '<'
            && let Some(length) = sinful_length(self.rest)
        {
            self.put("<host>", length);
        } else if matches!(c, '\'' | '"')
            && let Some(length) = quoted_path_length(self.rest)
        {
            self.out.push(c);
            self.out.push_str("<path>");
            self.out.push(c);
            self.skip(length);
        } else if is_break(c) {
            self.out.push(c);
            self.skip(c.len_utf8());
        } else if let Some(length) = url_length(self.rest) {
            self.put("<url>", length);
        } else if is_path_start(self.rest) {
            let hard = self.hard.of(self.rest, |rest| rest.find(HARD));
            let errno = self.errno.of(self.rest, |rest| rest.find(ERRNO));
            self.put("<path>", path_end_before(self.rest, hard, errno).max(1));
        } else {
            self.word();
        }
        true
    }

    fn skip(&mut self, length: usize) {
        self.rest = &self.rest[length..];
    }

    fn put(&mut self, placeholder: &'a str, length: usize) {
        self.out.push_str(placeholder);
        self.skip(length);
        self.remember(placeholder);
    }

    fn remember(&mut self, word: &'a str) {
        self.before.rotate_right(1);
        self.before[0] = word;
    }

    fn word(&mut self) {
        let end = self.rest.find(is_break).unwrap_or(self.rest.len());
        let whole = &self.rest[..end];
        let word = whole.trim_end_matches(['.', ':', ',', '!', '?']);
        if word.is_empty() {
            self.out.push_str(whole);
            self.skip(end);
            return;
        }
        if word == "arguments"
            && self.before[0].eq_ignore_ascii_case("with")
            && let Some(length) = arguments(&self.rest[end..])
        {
            self.out.push_str("arguments <args>");
            self.skip(end + length);
            return;
        }
        let kind = self.kind(word);
        match kind {
            Kind::Placeholder(placeholder) => self.out.push_str(placeholder),
            Kind::Plain => self.out.push_str(word),
            Kind::Digits => push_without_digits(&mut self.out, word),
        }
        self.out.push_str(&whole[word.len()..]);
        self.skip(end);
        self.remember(word);
    }

    fn kind(&self, word: &str) -> Kind {
        let [last, second, third] = self.before;
        let is = |word: &str, other: &str| word.eq_ignore_ascii_case(other);
        if is(last, "user") || is(last, "owner") {
            return Kind::Placeholder("<user>");
        }
        let point = is(last, "point") && (is(second, "access") || is(second, "execution"));
        let from = is(last, "from") && is(second, "error") && word != "starter";
        if word.contains('@') || ((point || from) && !matches!(word, "the" | "while")) {
            return Kind::Placeholder("<host>");
        }
        if !word.bytes().any(|b| b.is_ascii_digit()) {
            return match word {
                word if is_host(word) => Kind::Placeholder("<host>"),
                word if is_relative_path(word) => Kind::Placeholder("<path>"),
                _ => Kind::Plain,
            };
        }
        let is_one_of = |word: &str, others: &[&str]| {
            let word = word.trim_end_matches(':');
            others.iter().any(|other| is(word, other))
        };
        let replies = |word| {
            is_one_of(word, &["http", "https", "error", "code", "status", "returned", "response"])
        };
        // `Job in status 2` is where the job was, not why it was held.
        let counts = is_one_of(last, &["errno", "exit", "code", "signal", "subcode"])
            || (is_one_of(last, &["status"]) && !is(second, "in"));
        if let Ok(number) = word.parse::<u16>()
            && number < 10_000
            && (counts
                || ((400..600).contains(&number) && [last, second, third].into_iter().any(replies)))
        {
            return Kind::Plain;
        }
        match word {
            word if is_time(word) => Kind::Placeholder("<time>"),
            word if is_id(word) => Kind::Placeholder("<id>"),
            word if is_host(word) => Kind::Placeholder("<host>"),
            word if is_relative_path(word) => Kind::Placeholder("<path>"),
            _ => Kind::Digits,
        }
    }
}

enum Kind {
    Placeholder(&'static str),
    Plain,
    Digits,
}

/// Digits, with the fraction, exponent and sign of a number, become `<n>`; a unit stays.
fn push_without_digits(out: &mut String, word: &str) {
    if word.parse::<f64>().is_ok() {
        out.push_str("<n>");
        return;
    }
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_digit() {
            let end = rest
                .char_indices()
                .find(|&(at, c)| {
                    let fraction =
                        c == '.' && rest.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
                    !c.is_ascii_digit() && !fraction
                })
                .map_or(rest.len(), |(at, _)| at);
            out.push_str("<n>");
            rest = &rest[end..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// `<address:port?...>` as HTCondor writes addresses.
fn sinful_length(text: &str) -> Option<usize> {
    // None has a `<` in it: a reason full of these is read once.
    let end = 1 + text.get(1..)?.find(['<', '>', ' ', '|'])?;
    let inner = &text[1..end];
    let address = text[end..].starts_with('>')
        && inner.contains(':')
        && inner.starts_with(|c: char| c.is_ascii_hexdigit() || c == '[');
    address.then_some(end + 1)
}

/// A path in quotes, blanks and all.
fn quoted_path_length(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let inner = &text[1..];
    let end = inner.find(quote)?;
    is_path_start(&inner[..end]).then_some(end + 2)
}

fn is_path_start(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = matches!(bytes, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    drive
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with("~/")
        || (bytes.first() == Some(&b'/') && bytes.get(1).is_some_and(|&b| b != b'/' && b != b' '))
}

/// What stands between `with arguments` and the `: (errno` behind it.
fn arguments(text: &str) -> Option<usize> {
    let end = text.find(ERRNO)?;
    (!text[..end].contains('|')).then_some(end)
}

fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    let clock = word.matches(':').count() >= 1
        && bytes.first().is_some_and(u8::is_ascii_digit)
        && bytes.iter().all(|b| b.is_ascii_digit() || b":+-.TZ".contains(b));
    let date = bytes.len() >= 10
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes.iter().all(|b| b.is_ascii_digit() || b":+-.TZ".contains(b));
    let duration = bytes.first().is_some_and(u8::is_ascii_digit)
        && bytes.last().is_some_and(|b| b"hms".contains(b))
        && bytes.iter().all(|b| b.is_ascii_digit() || b".hmsd".contains(b));
    clock || date || duration
}

fn is_id(word: &str) -> bool {
    word.len() >= 8
        && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
        && word.bytes().any(|b| b.is_ascii_alphabetic())
        && word.bytes().any(|b| b.is_ascii_digit())
}

/// Extensions by which a word with dots is a file, not a host.
const EXTENSIONS: [&str; 31] = [
    "bat", "cfg", "conf", "csv", "dat", "err", "exe", "gz", "h5", "hdf5", "img", "in", "ini",
    "json", "log", "out", "pkl", "py", "r", "rdata", "root", "sh", "sif", "sub", "svm", "tar",
    "tgz", "txt", "xml", "yaml", "zip",
];

/// Last labels of host names with one dot.
const TOP_LABELS: [&str; 24] = [
    "au", "br", "ca", "ch", "cn", "com", "de", "edu", "es", "eu", "fr", "gov", "int", "internal",
    "it", "jp", "kr", "local", "mil", "net", "nl", "org", "pl", "uk",
];

/// An IP address or a host name, with or without a port.
fn is_host(word: &str) -> bool {
    if !word.bytes().any(|b| matches!(b, b'.' | b':')) {
        return false;
    }
    if word.parse::<std::net::IpAddr>().is_ok() || word.parse::<std::net::SocketAddr>().is_ok() {
        return true;
    }
    let name = match word.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        Some(_) => return false,
        None => word,
    };
    let labels = || name.split('.');
    let formed = labels().all(|label| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    });
    let count = labels().count();
    let last = labels().next_back().unwrap_or_default().to_ascii_lowercase();
    if !formed || count < 2 || EXTENSIONS.contains(&last.as_str()) {
        return false;
    }
    let letters = last.len() >= 2 && last.bytes().all(|b| b.is_ascii_alphabetic());
    TOP_LABELS.contains(&last.as_str()) || (count > 2 && letters && last.len() <= 10)
}

/// A path without a leading slash, or a bare file name. `cpu/core` is prose.
fn is_relative_path(word: &str) -> bool {
    let slashes = word.matches(['/', '\\']).count();
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
    });
    let marked = word.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'.' | b':' | b'~' | b'_'));
    extension || slashes > 1 || (slashes == 1 && marked)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::history::reason::{MAX_REASON, file_name, file_server, host, url};

    #[test]
    fn like_holds_share_it() {
        let pairs = [
            (
                "Error from slot1_3@e2031.example.edu: Job has gone over memory limit of 2048 megabytes. Peak usage: 2310 megabytes.",
                "Error from <host>: Job has gone over memory limit of <n> megabytes. Peak usage: <n> megabytes.",
            ),
            (
                "Transfer input files failure at access point ap40 while sending files to execution point slot1_1@ip-172-31-11-46.ec2.internal. Details: 1 total failures: first failure: reading from file /home/u.v/bf53842f: (errno 2) No such file or directory",
                "Transfer input files failure at access point <host> while sending files to execution point <host>. Details: <n> total failures: first failure: reading from file <path>: (errno 2) No such file or directory",
            ),
            (
                "Error from slot2@n3: Failed to execute '/home/u/a b.py' with arguments 1 /x/y.csv: (errno=13: 'Permission denied')",
                "Error from <host>: Failed to execute '<path>' with arguments <args>: (errno=13: 'Permission denied')",
            ),
            (
                "The job exceeded allowed execute duration of 1+02:03:04",
                "The job exceeded allowed execute duration of <time>",
            ),
            ("via condor_hold (by user ian.ross)", "via condor_hold (by user <user>)"),
            (
                "Error from h: SHADOW at 10.0.0.1 failed to send file(s) to <10.0.0.2:41330>: error reading from /a/b: (errno 2) No such file or directory; STARTER failed",
                "Error from <host>: SHADOW at <host> failed to send file(s) to <host>: error reading from <path>: (errno 2) No such file or directory; STARTER failed",
            ),
            (
                "FILETRANSFER:1:non-zero exit (1) from /usr/libexec/condor/curl_plugin. |Error: The requested URL returned error: 404 ( URL file = http://h.org/x )|",
                "FILETRANSFER:<n>:non-zero exit (1) from <path>. |Error: The requested URL returned error: 404 ( URL file = <url> )|",
            ),
            (
                "Error code 3001: 404: No sources found: Request ID: d6e04aa9-6086-4991-9481-7cc79a0a1a6e",
                "Error code 3001: 404: No sources found: Request ID: <id>",
            ),
            ("timer expired (1m1.4s elapsed)", "timer expired (<time> elapsed)"),
            (
                "check your workflow cpu/core requirements",
                "check your workflow cpu/core requirements",
            ),
            ("requested 512MB, used 1.5GB", "requested <n>MB, used <n>GB"),
            (
                "couldn't write to 1/22_0.out: Disk quota exceeded (-1!=5)",
                "couldn't write to <path>: Disk quota exceeded (<n>!=<n>)",
            ),
        ];
        for (reason, expected) in pairs {
            assert_eq!(normalised(reason), expected);
            assert_eq!(normalised(expected), expected, "stays as it is");
        }
    }

    #[test]
    fn statuses_are_told_apart() {
        let of = |status: &str| normalised(&format!("The requested URL returned error: {status}"));
        assert_ne!(of("404"), of("503"));
        assert_eq!(of("7"), of("8"));
    }

    #[test]
    fn words_are_lower_case_tokens() {
        let tokens: Vec<_> =
            words("Job put on hold by SYSTEM_PERIODIC_HOLD: 12 MB at slot1@h").collect();
        assert_eq!(
            tokens,
            ["job", "put", "on", "hold", "by", "system_periodic_hold", "<n>", "mb", "at", "<host>"]
        );
        assert_eq!(words("").count(), 0);
    }

    fn check(reason: &str) {
        let normal = normalised(reason);
        assert!(normal.len() <= MAX_NORMALISED);
        assert!(!normal.chars().any(char::is_control));
        assert!(words(reason).all(|word| !word.is_empty() && word.len() <= MAX_WORD));
        for part in [url(reason), file_name(reason), file_server(reason), host(reason)] {
            assert!(part.is_none_or(|part| !part.is_empty() && part.len() <= MAX_REASON + 32));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(reason in any::<String>()) {
            check(&reason);
        }

        #[test]
        fn pieces_of_reasons_are_survived(pieces in prop::collection::vec(prop::sample::select(vec![
            "Error from ", "slot1@", "é", "://", "http://", "osdf:///", "URL file = ", "'", "\"", "/",
            "C:\\", ": (errno", " 2)", "<", ">", "10.0.0.1:", "with arguments ", "|", ";", " ", "\u{1b}[",
            "execution point ", "reading from file ", "Failed to execute '", "404", "code ", ".", "@",
            "<n>", "1m2s", "\n", "=", "[::1]", "user ",
        ]), 0..30)) {
            check(&pieces.concat());
        }
    }

    #[test]
    fn no_reason_takes_much_longer_than_another() {
        use std::time::{Duration, Instant};

        let took = |piece: &str| -> Duration {
            let reason = piece.repeat(MAX_REASON / piece.len());
            let once = |_| {
                let begun = Instant::now();
                normalise(&reason);
                let _ = (url(&reason), file_name(&reason));
                begun.elapsed()
            };
            (0..3).map(once).min().unwrap_or_default()
        };
        // Times of this very run: each byte looked at once for each other one takes a thousandfold.
        let words = took("word ");
        for piece in ["<", "<1:", "/a ", "../ ", "C:\\ ", "/a: ", "1://", "with arguments "] {
            let took = took(piece);
            assert!(took < words * 100, "{piece:?} took {took:?}, words {words:?}");
        }
    }

    #[test]
    fn long_reasons_are_bounded() {
        for piece in ["a/", "http://", "<1:", "'/", "é ", "1 ", "with arguments ", "@"] {
            check(&piece.repeat(20_000));
        }
    }
}
