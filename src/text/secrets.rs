//! What of a text lets somebody in: user information and signatures of URLs, tokens, passwords.
//!
//! Who reads an answer is not who may use them: ads are read by everybody, mail and answers of
//! assistants are kept elsewhere.

use std::borrow::Cow;
use std::ops::Range;

use crate::memo::Memo;

/// Bytes in which the end of a password is looked for, and by which a word is taken for a secret:
/// any text is read in a time that grows with its length. Assumed.
const LONGEST: usize = 1_000;

/// Stands for a secret.
pub(crate) const HIDDEN: &str = "***";

/// What the name of a parameter of a URL has in it whose value is part of a credential (Azure's
/// `sig`, `X-Amz-Signature`, `X-Goog-Credential`, dCache's `authz`, `access_token`, CAS' `ticket`).
const IN_URLS: [&str; 16] = [
    "sig",
    "token",
    "auth",
    "key",
    "secret",
    "pass",
    "pwd",
    "credential",
    "x-amz",
    "x-goog",
    "jwt",
    "macaroon",
    "ticket",
    "session",
    "hmac",
    "cookie",
];

/// What of a name speaks of a secret.
#[derive(Clone, Copy)]
enum Has {
    /// The end of it, without `-`, `_` and `.`.
    End,
    /// The beginning of it, likewise.
    Start,
    /// All of it: at the end of another it is part of a word.
    All,
}

/// How sure a name is of what follows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sure {
    /// A word that no language has.
    Random,
    /// A part of another name, `MY_TOKEN_VALUE`: what is no word, path or number.
    Part,
    /// What is no word, path or number; behind `=` anything.
    Word,
    /// Anything but a sentence.
    Any,
    /// Anything but a path or another option: the value of an option.
    Given,
    /// A name, `:` and a password (`curl -u`).
    Pair,
}

/// Names of secrets in any text.
const NAMES: [(&str, Has, Sure); 30] = [
    ("password", Has::End, Sure::Any),
    ("passwd", Has::End, Sure::Any),
    ("passphrase", Has::End, Sure::Any),
    ("pass", Has::All, Sure::Any),
    ("pwd", Has::All, Sure::Any),
    ("pw", Has::All, Sure::Any),
    ("token", Has::End, Sure::Word),
    ("secret", Has::End, Sure::Word),
    ("signature", Has::End, Sure::Word),
    ("apikey", Has::End, Sure::Word),
    ("accesskey", Has::End, Sure::Word),
    ("accesskeyid", Has::End, Sure::Word),
    ("secretkey", Has::End, Sure::Word),
    ("authkey", Has::End, Sure::Word),
    ("privatekey", Has::End, Sure::Word),
    ("transferkey", Has::End, Sure::Word),
    ("credential", Has::End, Sure::Word),
    ("credentials", Has::End, Sure::Word),
    ("authorization", Has::End, Sure::Word),
    ("authz", Has::End, Sure::Word),
    ("macaroon", Has::End, Sure::Word),
    ("cookie", Has::End, Sure::Word),
    ("jsessionid", Has::All, Sure::Word),
    ("xamz", Has::Start, Sure::Word),
    ("xgoog", Has::Start, Sure::Word),
    ("sig", Has::All, Sure::Random),
    ("auth", Has::All, Sure::Random),
    ("jwt", Has::All, Sure::Random),
    ("key", Has::All, Sure::Random),
    ("otp", Has::All, Sure::Random),
];

/// What else of the name of an attribute speaks of a secret, wherever it stands (HTCondor's own are
/// those of `ClassAdAttributeIsPrivateV1` and `V2`); in small letters.
const OF_ATTRIBUTES: [&str; 8] = [
    "password",
    "passwd",
    "secret",
    "accesskey",
    "privatekey",
    "claimid",
    "transferkey",
    "_condor_priv",
];

/// Options with a value that may be a secret, as they are written.
const OPTIONS: [(&str, Sure); 6] = [
    ("-u", Sure::Pair),
    ("--user", Sure::Pair),
    ("-U", Sure::Pair),
    ("--proxy-user", Sure::Pair),
    ("--userpwd", Sure::Pair),
    ("-p", Sure::Word),
];

/// Programs whose `-p` is a password.
const PASSWORD_PROGRAMS: [&str; 3] = ["mysql", "mariadb", "sshpass"];

/// What stands before a credential (RFC 6750, RFC 7617, RFC 4559).
const SCHEMES: [&str; 3] = ["bearer", "basic", "negotiate"];

/// How tokens of services begin, and how many letters and digits follow at least; behind `-` and
/// `pat_` signs of names count too. Assumed: their forms have more.
const PREFIXES: [(&str, usize); 20] = [
    ("ghp_", 16),
    ("gho_", 16),
    ("ghs_", 16),
    ("ghu_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 16),
    ("hf_", 16),
    ("npm_", 16),
    ("dckr_pat_", 16),
    ("pypi-", 16),
    ("sk-", 20),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxs-", 10),
    ("AIza", 16),
    ("AKIA", 12),
    ("ASIA", 12),
    // JSON web tokens (RFC 7519): their header is an object, `{"` in base64.
    ("eyJ", 7),
];

/// Signs between a name and its value, by themselves.
const SIGNS: [&str; 7] = ["=", ":", ":=", "==", "=?=", "is", "was"];

/// What else than a sign between a name and its value tells of a secret.
const MARKS: [&str; 7] = ["eyJ", "AKIA", "ASIA", "AIza", "earer ", "asic ", " is "];

/// Characters from which on a word that is none of a language is taken for a secret where a name
/// announces one. Assumed.
const LEAST: usize = 8;

/// The same behind a name that is sure of it. Assumed.
const LEAST_SURE: usize = 4;

/// Characters from which on letters and digits are taken for a secret as the value of any parameter
/// of a URL. Assumed.
const LEAST_UNNAMED: usize = 20;

/// A text with [`HIDDEN`] in the place of each secret.
pub(super) fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    for secret in secrets(text) {
        out.push_str(&text[kept..secret.start]);
        out.push_str(HIDDEN);
        kept = secret.end;
    }
    match kept {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + &text[kept..]),
    }
}

/// Whether a text has a secret in it.
pub(crate) fn has_secret(text: &str) -> bool {
    !secrets(text).is_empty()
}

/// Whether the text that an attribute of this name holds is a secret.
pub(crate) fn is_secret_attribute(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    // LastPublicClaimId has no secret, and Capability as a number is that of a GPU.
    !small.contains("public")
        && (small == "capability"
            || OF_ATTRIBUTES.iter().any(|part| small.contains(part))
            || sure_of(name).is_some_and(|sure| sure > Sure::Part))
}

/// Whether a URL has user information in it, or a parameter whose name speaks of a credential.
pub(crate) fn is_signed(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    let authority = &rest[..rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len())];
    authority.contains('@') || parameters(rest).any(is_named)
}

/// Where the secrets of a text stand, in order and apart from each other.
fn secrets(text: &str) -> Vec<Range<usize>> {
    thread_local!(static MEMO: Memo<Vec<Range<usize>>> = const { Memo::new() });
    MEMO.with(|memo| memo.get(text, searched))
}

fn searched(text: &str) -> Vec<Range<usize>> {
    let mut found = found_in(text);
    if let Some((meant, places)) = meant(text) {
        let place = |range: Range<usize>| places[range.start]..places[range.end];
        found.extend(found_in(&meant).into_iter().map(place));
    }
    found.retain(|range| !range.is_empty() && &text[range.clone()] != HIDDEN);
    found.sort_by_key(|range| range.start);
    found.dedup_by(|next, last| {
        let is_part = next.start <= last.end;
        last.end = if is_part { last.end.max(next.end) } else { last.end };
        is_part
    });
    found
}

/// The text with percent-encoded characters (RFC 3986), also those encoded twice, and wide ones as
/// they are meant, and without those that nobody sees; and where each byte of it stands in the
/// text, with its end. `None` where it is the text.
fn meant(text: &str) -> Option<(String, Vec<usize>)> {
    if text.is_ascii() && !text.contains('%') && !text.contains("\\u{") {
        return None;
    }
    let (mut out, mut places) = (String::with_capacity(text.len()), Vec::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (c, length) = match c {
            '%' => encoded(rest).unwrap_or((Some(c), 1)),
            '\\' => escaped(rest).map_or((Some(c), 1), |length| (None, length)),
            // Halfwidth and Fullwidth Forms are ASCII, so many characters further.
            '\u{ff01}'..='\u{ff5e}' => (char::from_u32(u32::from(c) - 0xfee0), c.len_utf8()),
            c if !c.is_ascii() && super::is_invisible(c) => (None, c.len_utf8()),
            c => (Some(c), c.len_utf8()),
        };
        if let Some(c) = c {
            out.push(c);
            places.resize(out.len(), at);
        }
        at += length;
    }
    places.push(text.len());
    (out != text).then_some((out, places))
}

/// The character that is percent-encoded here, and the bytes that it takes.
fn encoded(text: &str) -> Option<(Option<char>, usize)> {
    let mut start = 1;
    while text[start..].starts_with("25") {
        start += 2;
    }
    let code = text.get(start..start + 2)?;
    let byte = u8::from_str_radix(code, 16).ok().filter(|byte| matches!(byte, b' '..=b'~'))?;
    Some((Some(char::from(byte)), start + 2))
}

/// The bytes of a character that nobody sees, as it is printed.
fn escaped(text: &str) -> Option<usize> {
    let digits = text.strip_prefix("\\u{")?;
    let length = digits.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    digits[length..].starts_with('}').then_some("\\u{".len() + length + 1)
}

/// What looks like a secret in a text as it stands.
fn found_in(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let is_sign = |byte: u8| matches!(byte, b':' | b'=' | b'-' | b'_');
    if !text.bytes().any(is_sign) && !MARKS.iter().any(|mark| text.contains(mark)) {
        return found;
    }
    private_keys(text, &mut found);
    // What the words before say of the next one.
    let (mut announced, mut name) = (None::<Sure>, None::<Sure>);
    let (mut read, mut end, mut is_of_program) = (0, 0, false);
    for all in words(text).filter(|all| !all.is_empty()) {
        if all.start < read {
            continue;
        }
        // The comma behind an element of a list.
        let word = all.start..all.end - usize::from(text[all.clone()].ends_with(','));
        let whole = &text[word.clone()];
        // What is announced in quotation marks stands in them.
        let is_far = text[std::mem::replace(&mut end, word.end)..word.start].contains('"');
        let (before, of) = (announced.take().filter(|_| !is_far), name.take());
        if let Some(sure) = before.filter(|sure| sure.takes(whole)) {
            let range = value(text, sure.part(whole, &word));
            // A cookie goes on.
            announced = Some(sure).filter(|sure| *sure == Sure::Word && whole.ends_with(';'));
            (read, end) = (range.end, range.end.max(end));
            found.push(range);
            continue;
        }
        let within = |range: Range<usize>| word.start + range.start..word.start + range.end;
        let first = found.len();
        in_url(whole, |range| found.push(within(range)));
        // A password may look like a name with a value.
        let hidden = found[first..].last().cloned().unwrap_or_default();
        prefixed(whole, |range| found.push(within(range)));
        let mut take = |named| match named {
            Named::Here(range) => {
                read = range.end;
                found.push(range);
            }
            Named::Next(sure) => announced = Some(sure),
        };
        if let Some(named) = of.and_then(|sure| behind_sign(text, &word, sure)) {
            take(named);
        } else if let Some(named) = named(text, &word, &hidden) {
            take(named);
        } else if let Some(named) = option(text, &word, is_of_program) {
            take(named);
        }
        name = name_at_end(whole).and_then(sure_of);
        let program = whole.rsplit('/').next().unwrap_or_default();
        is_of_program |= PASSWORD_PROGRAMS.iter().any(|known| program.starts_with(known));
        let plain = whole.trim_matches(|c: char| !c.is_alphanumeric());
        if SCHEMES.iter().any(|scheme| plain.eq_ignore_ascii_case(scheme)) {
            announced = Some(before.map_or(Sure::Random, |_| Sure::Word));
        } else if before.is_some() && plain.len() < LEAST && !whole.contains(HIDDEN) {
            // `Authorization: token x`: the scheme stands between.
            announced = announced.or(Some(Sure::Random));
        }
    }
    found
}

/// What no URL and no value goes beyond.
fn is_end(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '>' | '`' | '|')
}

/// The words of a text: what stands between blanks, and each URL or full path of a list.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut at, mut end) = (0, 0);
    std::iter::from_fn(move || {
        if at == end {
            at += text[at..].find(|c| !is_end(c))?;
            end = at + text[at..].find(is_end).unwrap_or(text.len() - at);
        }
        let start = at;
        let mut commas = text[start..end].match_indices(',').map(|(comma, _)| start + comma);
        at = commas.find(|comma| begins(&text[comma + 1..end])).map_or(end, |comma| comma + 1);
        Some(start..at)
    })
}

/// An element of a list of files, as far as it shows that it is one.
fn begins(text: &str) -> bool {
    let scheme = text.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
    text.starts_with('/') || scheme.is_some_and(|end| text[end..].starts_with("://"))
}

/// User information of the URLs of a word, and the query of the first where it is signed: what is
/// behind that goes with it.
fn in_url(word: &str, mut found: impl FnMut(Range<usize>)) {
    let Some(first) = word.find("://").map(|at| at + 3) else { return };
    let query = word[first + user(&word[first..])..].find(['?', '#', ';']);
    let query = query.map_or(word.len(), |mark| first + user(&word[first..]) + mark);
    let is_secret = |one: &str| is_named(one) || one.contains('@') || is_unnamed(one);
    let is_signed = parameters(&word[query..]).any(is_secret);
    let end = if is_signed { query } else { word.len() };
    for (at, sign) in word[..end].match_indices("://") {
        let at = at + sign.len();
        found(at..at + user(&word[at..]));
    }
    if is_signed {
        found(query + 1..word.len());
    }
}

/// Bytes of user information at the beginning of what follows `://`.
fn user(rest: &str) -> usize {
    let authority = &rest[..rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len())];
    let port = authority.rsplit(['@', ']']).next().and_then(|host| host.split_once(':'));
    let is_port =
        |port: &str| port.starts_with(HIDDEN) || port.bytes().all(|byte| byte.is_ascii_digit());
    // A password may hold any character, and the text may end within it.
    let is_user = port.is_some_and(|(_, port)| !is_port(port.trim_end_matches(PUNCTUATION)));
    match authority.rfind('@').or_else(|| head(rest, LONGEST).rfind('@').filter(|_| is_user)) {
        None if is_user => authority.len(),
        user => user.unwrap_or(0),
    }
}

/// Bytes of a text at most, as many whole characters as are in them.
fn head(text: &str, most: usize) -> &str {
    &text[..(0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)]
}

/// What ends a sentence behind a URL.
const PUNCTUATION: [char; 5] = ['.', ',', ')', ';', ':'];

/// The parameters of what follows the authority of a URL.
fn parameters(rest: &str) -> impl Iterator<Item = &str> {
    rest.split(['?', '&', ';', '#']).skip(1)
}

/// The name of a parameter speaks of a credential, or is written so that it is not read.
fn is_named(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.contains('%') || IN_URLS.iter().any(|part| name.contains(part))
}

/// The value of a parameter looks like a secret, whatever its name.
fn is_unnamed(parameter: &str) -> bool {
    let value = parameter.split_once('=').map_or(parameter, |(_, value)| value);
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    value.len() >= LEAST_UNNAMED && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// What a name announces.
enum Named {
    Here(Range<usize>),
    /// The next word, if it is such a one.
    Next(Sure),
}

impl Sure {
    /// Behind a sign; a colon stands in sentences too.
    fn behind(self, sign: &str) -> Self {
        match self {
            Self::Any if matches!(sign, "is" | "was") => Self::Word,
            Self::Part if sign == ":" => Self::Random,
            Self::Part => Self::Word,
            sure => sure,
        }
    }

    /// Whether a word is a secret then.
    fn takes(self, word: &str) -> bool {
        let plain =
            word.trim_matches(|c| PUNCTUATION.contains(&c) || matches!(c, '\'' | '!' | '('));
        let is_kept = plain.is_empty() || plain.starts_with(HIDDEN) || is_place(plain);
        match self {
            Self::Random => is_random(word),
            Self::Part | Self::Word => !is_kept && plain.len() >= LEAST_SURE && !is_usual(plain),
            Self::Any => {
                let is_aside = word.starts_with('(') && is_usual(plain);
                !is_kept && !is_number(plain) && !begins_sentence(plain) && !is_aside
            }
            Self::Given => !is_kept && !plain.starts_with('-'),
            Self::Pair => word.split_once(':').is_some_and(|(name, password)| {
                let may_be = !name.is_empty() && !password.starts_with(HIDDEN);
                may_be && !is_place(word) && !is_place(password) && !is_number(password)
            }),
        }
    }

    /// What of such a word is one.
    fn part(self, word: &str, range: &Range<usize>) -> Range<usize> {
        let colon = word.find(':').filter(|_| self == Self::Pair);
        range.start + colon.map_or(0, |at| at + 1)..range.end
    }
}

/// The value behind a name that speaks of a credential: `token=x`, `passwd: x`.
fn named(text: &str, word: &Range<usize>, hidden: &Range<usize>) -> Option<Named> {
    let whole = &text[word.clone()];
    let signs = whole.match_indices(['=', ':']);
    for (at, sign) in signs.filter(|(at, _)| !hidden.contains(&(word.start + at))) {
        let name = name_at_end(&whole[..at]).filter(|_| sign == "=" || !is_path(&whole[..at]));
        let Some((name, sure)) = name.and_then(|name| Some((name, sure_of(name)?))) else {
            continue;
        };
        // A header of HTTP.
        let is_header = sure == Sure::Word && name.to_ascii_lowercase().starts_with("x-");
        let sure = if is_header { Sure::Any } else { sure.behind(sign) };
        let rest = whole[at + 1..].trim_start_matches(['=', '\'', '?', '\\']);
        let from = word.end - rest.len();
        if rest.is_empty() {
            return Some(next(text, word.end, sure, sign == "=" || whole.contains('\'')));
        }
        let is_value = match sign {
            "=" if sure == Sure::Random || sure >= Sure::Word => !rest.starts_with("//"),
            _ => sure.takes(rest),
        };
        if is_value {
            let quote = usize::from(whole[..whole.len() - rest.len()].ends_with('\''));
            return Some(Named::Here(value(text, from - quote..word.end)));
        }
    }
    None
}

/// The value behind a name and a sign by itself: `token := x`, `"token": "x"`, `password =x`.
/// Behind the name of a password a sign may be missing.
fn behind_sign(text: &str, word: &Range<usize>, sure: Sure) -> Option<Named> {
    let whole = &text[word.clone()];
    let rest = whole.trim_start_matches([':', '=']);
    let sign = SIGNS.iter().find(|sign| **sign == whole).copied();
    let Some(sign) = sign.or((rest.len() < whole.len()).then(|| &whole[..1])) else {
        let is_value = sure == Sure::Any && Sure::Word.takes(whole) && !whole.starts_with('-');
        return is_value.then(|| Named::Here(word.clone()));
    };
    let sure = sure.behind(sign);
    if sign == whole {
        return Some(next(text, word.end, sure, !matches!(sign, "is" | "was")));
    }
    sure.takes(rest).then(|| Named::Here(value(text, word.end - rest.len()..word.end)))
}

/// The value of an option: `--token x`, `-u me:x`, `-px`.
fn option(text: &str, word: &Range<usize>, is_of_program: bool) -> Option<Named> {
    let whole = text[word.clone()].trim_start_matches('\'');
    let bare = whole.strip_prefix('-')?;
    let of_program = |sure| if is_of_program { Sure::Given } else { sure };
    if let Some((option, sure)) = OPTIONS.iter().find(|(option, _)| *option == whole) {
        let sure = if *option == "-p" { of_program(*sure) } else { *sure };
        return Some(next(text, word.end, sure, false));
    }
    if let Some(password) = bare.strip_prefix('p').filter(|_| !whole.contains(['=', '/', ','])) {
        let is_one = of_program(Sure::Word).takes(password) && !is_number(password);
        return is_one.then(|| Named::Here(word.end - password.len()..word.end));
    }
    let sure = sure_of(bare.trim_matches(['-', '\'', '\\']))?;
    let sure = if sure >= Sure::Word { Sure::Given } else { Sure::Random };
    Some(next(text, word.end, sure, sure == Sure::Given))
}

/// What stands in quotation marks behind a name, or the next word.
fn next(text: &str, from: usize, sure: Sure, is_any: bool) -> Named {
    let quoted = quoted(text, from);
    let quoted = quoted.filter(|range| is_any || sure.takes(&text[range.clone()]));
    quoted.map_or(Named::Next(sure), Named::Here)
}

/// The name that a word ends in, before the marks that end it.
fn name_at_end(word: &str) -> Option<&str> {
    let end = &word[word.ceil_char_boundary(word.len().saturating_sub(LONGEST))..];
    end.trim_end_matches(['\'', ']', ')', '\\', ':']).rsplit(|c| !is_of_name(c)).next()
}

/// Ends in the name of a file, which is none of a value.
fn is_path(word: &str) -> bool {
    name_at_end(word).is_some_and(|name| word[..word.len() - name.len()].ends_with('/'))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// How sure a name is of a secret behind it; `None` where it speaks of none.
fn sure_of(name: &str) -> Option<Sure> {
    let is_gap = |c: char| matches!(c, '-' | '_' | '.');
    let name =
        name[name.ceil_char_boundary(name.len().saturating_sub(LONGEST))..].to_ascii_lowercase();
    let joined: String = name.split(is_gap).collect();
    let sure = |name: &str| {
        let speaks = |&&(known, has, _): &&(&str, Has, Sure)| match has {
            Has::End => name.ends_with(known),
            Has::Start => name.starts_with(known),
            Has::All => name == known,
        };
        NAMES.iter().find(speaks).map(|(_, _, sure)| *sure)
    };
    let is_part = |part: &str| sure(part).is_some_and(|sure| sure >= Sure::Word);
    sure(&joined).or_else(|| name.split(is_gap).any(is_part).then_some(Sure::Part))
}

/// What stands in quotation marks behind blanks, without these.
fn quoted(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text[from..].trim_start().strip_prefix('"')?;
    // Marks that end what stands before them.
    if rest.starts_with(|c: char| c.is_whitespace() || PUNCTUATION.contains(&c)) {
        return None;
    }
    let start = text.len() - rest.len();
    let (mut is_escaped, is_inside) = (false, text[..from].ends_with('\\'));
    let end = rest.find(|c| {
        let ends = c == '"' && (is_inside || !is_escaped);
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    let end = end.map_or(text.len(), |end| start + end);
    Some(start..end - usize::from(is_inside && text[start..end].ends_with('\\')))
}

/// A word, or what stands in the single quotes that it begins with.
fn value(text: &str, word: Range<usize>) -> Range<usize> {
    let inner = text[word.clone()].strip_prefix('\'').map(|_| word.start + 1);
    let end = |start: usize| {
        let rest = head(&text[start..], LONGEST);
        let length = rest.find(['\'', '"']).filter(|end| rest[*end..].starts_with('\''))?;
        Some(start..start + length)
    };
    inner.and_then(end).unwrap_or(word)
}

/// A word that no language has: of some length, with digits or capitals in it. Not a path.
fn is_random(word: &str) -> bool {
    let word = head(word, LONGEST).trim_matches(|c| PUNCTUATION.contains(&c) || c == '\'');
    let inner = word.get(1..).unwrap_or_default();
    word.len() >= LEAST
        && !word.starts_with(['/', '.'])
        && inner.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// A path, a URL or a reference to what stands elsewhere.
fn is_place(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_uppercase() || matches!(c, '_' | '{' | '(');
    ["/", "./", "../", "~/", "=", "&"].iter().any(|start| word.starts_with(start))
        || head(word, LONGEST).contains("://")
        || word.strip_prefix('$').is_some_and(|name| name.starts_with(is_name))
}

/// A number, a time, a date, a size, a port.
fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || b".,:+-/%".contains(&byte))
}

/// A word of a language, a number, or a name of small letters.
fn is_usual(word: &str) -> bool {
    let rest = word.trim_start_matches(char::is_uppercase);
    let is_small = |c: char| c.is_lowercase() || matches!(c, '-' | '_' | '/' | '.' | '\'' | ',');
    let capitals = word.len() - rest.len();
    is_number(word) || (capitals <= 1 && rest.chars().all(is_small))
}

/// A capital and small letters.
fn begins_sentence(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && word.chars().nth(1).is_some()
        && letters.all(char::is_lowercase)
}

/// Tokens of services.
fn prefixed(word: &str, mut found: impl FnMut(Range<usize>)) {
    // Up to where each of them was read.
    let mut read = [0; PREFIXES.len()];
    let mut is_inside = false;
    for (at, byte) in word.bytes().enumerate() {
        // None begins in the middle of letters and digits.
        let begins = byte.is_ascii_alphanumeric() && !is_inside;
        is_inside = byte.is_ascii_alphanumeric();
        if !begins {
            continue;
        }
        for ((prefix, least), read) in PREFIXES.iter().zip(&mut read) {
            let Some(rest) = word[at..].strip_prefix(prefix).filter(|_| at >= *read) else {
                continue;
            };
            let may_have_signs = prefix.ends_with('-') || prefix.ends_with("pat_");
            let is_counted = |c: char| c.is_ascii_alphanumeric() || may_have_signs && is_of_name(c);
            let first = rest.find(|c: char| !is_counted(c)).unwrap_or(rest.len());
            let length = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
            *read = at + prefix.len() + length;
            let has = |is: fn(&u8) -> bool| rest.as_bytes()[..first].iter().any(is);
            if first >= *least && (has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase)) {
                found(at..*read);
            }
        }
    }
}

/// Bodies of private keys (RFC 7468), to their end or to that of what they stand in.
fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    /// Bytes between the beginning of a line and what it names: `BEGIN ENCRYPTED `, and room.
    const BEFORE: usize = 24;
    let mut read = 0;
    for (at, sign) in text.match_indices("PRIVATE KEY") {
        let line = &text[text.ceil_char_boundary(at.saturating_sub(BEFORE))..at];
        if at < read || !line.contains("BEGIN ") {
            continue;
        }
        let rest = text[at + sign.len()..].trim_start_matches(" BLOCK").trim_start_matches('-');
        if rest.starts_with(HIDDEN) {
            continue;
        }
        let body = &rest[..rest.find('"').unwrap_or(rest.len())];
        let start = text.len() - rest.len();
        read = start + body.find("-----END").unwrap_or(body.len());
        found.push(start..read);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::processor_seconds;

    #[test]
    fn secrets_are_hidden_and_the_rest_stays() {
        for (text, shown) in [
            ("https://me:pw@h.org/x", "https://***@h.org/x"),
            ("s3://AKIA7:ab/cd@h/x, y", "s3://***@h/x, y"),
            ("(https://me:pw", "(https://***"),
            ("ftp://me:p?w#;@h/x?a=b", "ftp://***@h/x?a=b"),
            (
                "( URL file = https://h/x?X-Amz-Signature=AB&a=b )|",
                "( URL file = https://h/x?*** )|",
            ),
            (
                "a?sig=b http://h/x?a=b&sig=C,http://g/y?c=d",
                "a?sig=*** http://h/x?***,http://g/y?c=d",
            ),
            ("http://h/x#access_token=abc", "http://h/x#***"),
            ("http://h/x;sv=1;%73ig=abc", "http://h/x;***"),
            ("http://h/x?v=3HL4kqtJlcpXroDTDmJrmSpX", "http://h/x?***"),
            ("http://h/go?to=http://me:pw@g/x", "http://h/go?***"),
            ("http://h/go/http://me:pw@g/x", "http://h/go/http://***@g/x"),
            ("http://h:8080/x?run=3 failed", "http://h:8080/x?run=3 failed"),
            (
                "Could not connect to http://h:80: timed out",
                "Could not connect to http://h:80: timed out",
            ),
            ("http://[::1]:80/x", "http://[::1]:80/x"),
            ("GITHUB_TOKEN=abc HOME=/home/a", "GITHUB_TOKEN=*** HOME=/home/a"),
            ("password=\"two words\" next", "password=\"***\" next"),
            ("{\"access_token\": \"a b\", \"n\": 3}", "{\"access_token\": \"***\", \"n\": 3}"),
            ("{'token': 'ab12cd34ef'}", "{'token': '***'}"),
            ("curl --token Ab12cd34 -o x", "curl --token *** -o x"),
            ("Authorization: Bearer ab.CD-12_34~5 (401)", "Authorization: Bearer *** (401)"),
            ("Authorization: token ab12cd34ef", "Authorization: token ***"),
            ("sent bearer eyJhbGciOi.eyJzdWIiOiIx.c2ln to", "sent bearer *** to"),
            ("x=eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2ln", "x=***"),
            ("login passwd: hunter2 failed", "login passwd: *** failed"),
            ("password: correcthorse", "password: ***"),
            (
                "run --password hunter --token x1, -p 8080",
                "run --password *** --token ***, -p 8080",
            ),
            ("--secret 'two words' x", "--secret '***' x"),
            ("curl -u bob:pw http://h", "curl -u bob:*** http://h"),
            ("mysql -pabc -u bob; sshpass -p abc ssh", "mysql -p*** -u bob; sshpass -p *** ssh"),
            ("tool -p S3CRET", "tool -p ***"),
            ("X-Api-Key: abc X-Auth-Token: S3CRET", "X-Api-Key: *** X-Auth-Token: ***"),
            ("Cookie: a=b1; sid=S3CRET", "Cookie: *** ***"),
            ("token := S3CRET, secret = S3CRET", "token := ***, secret = ***"),
            ("AuthToken == \"a b\" && x", "AuthToken == \"***\" && x"),
            (
                "-----BEGIN RSA PRIVATE KEY----- MIIE ab/c -----END RSA PRIVATE KEY----- x",
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY----- x",
            ),
            ("a \"-----BEGIN PRIVATE KEY----- MII\" b", "a \"-----BEGIN PRIVATE KEY-----***\" b"),
            ("x hf_abcdefghij1234567890 glpat-ab_C-34567890abcdef", "x *** ***"),
            ("got AKIAIOSFODNN7EXAMPLE, xoxb-1234-5678-abc", "got ***, ***"),
            ("got github_pat_11ABC_1234567890123456789012 x", "got *** x"),
            ("h/f%3Ftoken%3DS3CRET%26a and", "h/f%3Ftoken%3D*** and"),
            ("authz=Bearer%20S3CRETS3CRET", "authz=***"),
            ("h%253Ftoken%253Dab", "h%253Ftoken%253D***"),
            ("pass\u{200b}word=ab c", "pass\u{200b}word=*** c"),
            ("tok\\u{200b}en=ab c", "tok\\u{200b}en=*** c"),
            ("ghp_abcdefgh\u{200b}ijkl1234567890 c", "*** c"),
            ("password\u{ff1d}ab c", "password\u{ff1d}*** c"),
            ("MY_TOKEN_VALUE=S3CRET", "MY_TOKEN_VALUE=***"),
        ] {
            assert_eq!(without_secrets(text), shown);
            // What is shown stands in sentences that are looked at again.
            for sentence in [shown.to_owned(), shown.replace('"', "\\\"")] {
                let sentence = format!("Seen: \"{sentence}\". It is so, and Words3 follow (7.0).");
                assert_eq!(without_secrets(&sentence), sentence);
            }
        }
    }

    #[test]
    fn words_that_only_sound_like_secrets_stay() {
        for text in [
            "Error from slot1@e1.example.org: (errno=13: 'Permission denied')",
            "Failed to read token: No such file or directory",
            "token: /home/a/my.token2 is not there",
            "The bearer token has expired; basic authentication failed",
            "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=ap.example.org&noUDP&sock=schedd_12_3ab4>",
            "ExitBySignal=9 OnExitSignal == 11, author=Alice, tokens=512, monkey=3",
            "(time() - EnteredCurrentStatus) > 60 && HoldReasonCode == 13",
            "see https://h.org/a/b?format=csv&run=12 for more",
            "osdf:///ospool/ap40/data/user.name/x.tar.gz",
            "token expired; the token has expired; password: Permission denied",
            "-p 8080 -p 8080:80 mkdir -p out/data -p sub ssh -p22 gcc -pg -pthread -u 1000:1000",
            "rsync -u /a:b --token /run/token --token-file /x $TOKEN --token $TOKEN -print",
            "reading from file /home/a/.pass: (errno 2) No such file or directory",
            "cannot open /etc/passwd: permission denied, db.password: (errno 2)",
            "\"use --token\". Release it; \"the token=\". It is \"x\"",
            "hf_transfer_model_name sk-learn-wheel /models/hf_Meta-Llama-3-8B-Instruct.tar npm_config",
            "100%25 of http://h/a%20b%3Fc TokenLimit = 5, Capability >= 8.0, max-token 512",
            "-----BEGIN CERTIFICATE----- MIIE -----END CERTIFICATE-----",
        ] {
            assert_eq!(without_secrets(text), text);
        }
    }

    #[test]
    fn a_password_that_looks_like_a_name_with_a_value_ends_at_its_host() {
        let shown = without_secrets("https://me:0AA0~Pw==_$0@h.example/x and more");
        assert_eq!(shown, "https://***@h.example/x and more");
    }

    proptest! {
        #[test]
        fn any_text_is_read(
            text in any::<String>(),
            marks in "((token|passwd|-p|mysql |--secret |-u |eyJ|BEGIN |PRIVATE KEY|%3D|%22|%25|\\\\u\\{200b\\}|\u{200b}|\u{ff1d}|[=:'\" é,/a1-])){0,30}",
        ) {
            without_secrets(&text);
            without_secrets(&marks);
        }

        #[test]
        fn no_part_of_a_url_that_lets_somebody_in_is_left(
            secret in "[A-Z0-9]{4}[a-zA-Z0-9._~!$&'()*+;=%-]{8,40}",
            name in "sig|token|access_token|authz|X-Amz-Signature|X-Goog-Signature|Key",
            before in "([a-z]{1,6} ){0,3}[(']?",
        ) {
            for url in [
                format!("https://me:{secret}@h.example/x"),
                format!("https://h.example/x?{name}={secret}&a=b"),
                format!("davs://h.example/x?a=b&{name}={secret},https://h.example/y"),
            ] {
                let shown = without_secrets(&format!("{before}{url} and more")).into_owned();
                prop_assert!(!shown.contains(&secret[..8]), "{}", shown);
                prop_assert!(shown.contains("h.example/x") && shown.ends_with(" and more"));
                prop_assert!(!has_secret(&shown), "{}", shown);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn time_grows_with_the_length(part in "[a-zA0:/@?=&;,.'\"%\\\\ #-]{1,4}(://|token|pass|eyJ|ghp_|-p|BEGIN |\"token)?") {
            let time = |parts: usize| {
                let text = part.repeat(parts);
                let started = processor_seconds();
                without_secrets(&text);
                processor_seconds() - started
            };
            // A square of it would take 256 times as long.
            let (short, long) = (time(5_000), time(80_000));
            prop_assert!(long < 64.0 * short + 1.0, "{}: {}, {}", part, short, long);
        }
    }
}
