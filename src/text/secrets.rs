//! What of a text lets somebody in: user information and signatures of URLs, tokens, passwords.
//!
//! Who reads an answer is not who may use them: ads are read by everybody, mail and answers of
//! assistants are kept elsewhere.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes in which the end of a password is looked for, and by which a word is taken for a secret:
/// any text is read in a time that grows with its length. Assumed.
const LONGEST: usize = 1_000;

/// Stands for a secret.
const HIDDEN: &str = "***";

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

/// How such a name ends in any text, without `-`, `_` and `.`.
const ENDS: [&str; 18] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "signature",
    "apikey",
    "accesskey",
    "accesskeyid",
    "secretkey",
    "authkey",
    "privatekey",
    "credential",
    "credentials",
    "authorization",
    "authz",
    "macaroon",
    "cookie",
];

/// Such names by themselves: at the end of another they are part of a word.
const WHOLE: [&str; 7] = ["sig", "auth", "pass", "pwd", "pw", "jwt", "key"];

/// What stands before a credential (RFC 6750, RFC 7617).
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// What else tells of a secret; a scheme is written with a small letter or a capital.
const MARKS: [&str; 3] = ["eyJ", "earer ", "asic "];

/// Characters from which on a word that is none of a language is taken for a secret where a name
/// announces one. Assumed.
const LEAST: usize = 8;

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

/// Whether a URL has user information in it, or a parameter whose name speaks of a credential.
pub(crate) fn is_signed(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    let authority = &rest[..rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len())];
    authority.contains('@') || parameters(rest).any(is_named)
}

/// Where the secrets of a text stand, in order and apart from each other.
fn secrets(text: &str) -> Vec<Range<usize>> {
    // Without any of these there is neither a URL nor a name with a value.
    let is_sign = |byte: u8| matches!(byte, b':' | b'=' | b'-');
    if !text.bytes().any(is_sign) && !MARKS.iter().any(|mark| text.contains(mark)) {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    let add = |found: &mut Vec<Range<usize>>, range: Range<usize>| match found.last_mut() {
        _ if range.is_empty() || &text[range.clone()] == HIDDEN => {}
        Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
        _ => found.push(range),
    };
    let mut announced = false;
    for all in words(text) {
        // The comma behind an element of a list.
        let word = all.start..all.end - usize::from(text[all.clone()].ends_with(','));
        let is_announced = std::mem::take(&mut announced);
        let whole = &text[word.clone()];
        if is_announced && is_random(whole) {
            add(&mut found, word);
            continue;
        }
        let within = |range: Range<usize>| word.start + range.start..word.start + range.end;
        in_url(whole, |range| add(&mut found, within(range)));
        // A password may look like a name with a value.
        let hidden = found.last().cloned().unwrap_or_default();
        match named(text, &word, &hidden) {
            Some(Named::Here(range)) => add(&mut found, range),
            Some(Named::Next) => announced = true,
            None => {}
        }
        web_token(whole, |range| add(&mut found, within(range)));
        let plain = whole.trim_matches(|c: char| !c.is_alphanumeric());
        let is_scheme = SCHEMES.iter().any(|scheme| plain.eq_ignore_ascii_case(scheme));
        // `Authorization: token x`: the scheme stands between.
        announced |= is_scheme || (is_announced && plain.len() < LEAST);
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
    /// The next word, if it is none of a language.
    Next,
}

/// The value behind a name that speaks of a credential: `token=x`, `"token": "x"`, `--token x`.
fn named(text: &str, word: &Range<usize>, hidden: &Range<usize>) -> Option<Named> {
    let whole = &text[word.clone()];
    let signs = whole.match_indices(['=', ':']);
    for (at, sign) in signs.filter(|(at, _)| !hidden.contains(&(word.start + at))) {
        let before = whole[..at].trim_end_matches(['\'', ']', '\\']);
        let start = before.rfind(|c: char| !is_of_name(c)).map_or(0, |gap| gap + 1);
        if !whole.is_char_boundary(start) || !speaks_of_secret(&before[start..]) {
            continue;
        }
        let value = whole[at + 1..].trim_start_matches(['=', '\'', ' ']);
        if value.is_empty() {
            let quoted = quoted(text, word.end).filter(|_| sign == "=" || whole.contains('\''));
            return Some(quoted.map_or(Named::Next, Named::Here));
        }
        if (sign == "=" && !value.starts_with("//")) || is_random(value) {
            return Some(Named::Here(word.end - value.len()..word.end));
        }
    }
    // `"token": "x"`: the quotation marks end the word.
    let rest = text[word.end..].strip_prefix('"').map(str::trim_start);
    let may_be = rest.is_some() || whole.starts_with('-');
    if !may_be || !speaks_of_secret(whole.trim_matches(['-', '\'', '\\'])) {
        return None;
    }
    let rest = rest.and_then(|rest| rest.strip_prefix([':', '=']));
    if let Some(rest) = rest {
        return Some(quoted(text, text.len() - rest.len()).map_or(Named::Next, Named::Here));
    }
    whole.starts_with('-').then_some(Named::Next)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn speaks_of_secret(name: &str) -> bool {
    let is_part = |c: &char| !matches!(c, '-' | '_' | '.');
    let name: String = name.chars().filter(is_part).collect::<String>().to_ascii_lowercase();
    WHOLE.contains(&name.as_str())
        || ENDS.iter().any(|end| name.ends_with(end))
        || name.starts_with("xamz")
        || name.starts_with("xgoog")
}

/// What stands in quotation marks behind blanks, without these.
fn quoted(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text[from..].trim_start().strip_prefix('"')?;
    let start = text.len() - rest.len();
    let mut is_escaped = false;
    let end = rest.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    Some(start..end.map_or(text.len(), |end| start + end))
}

/// A word that no language has: of some length, with digits or capitals in it. Not a path.
fn is_random(word: &str) -> bool {
    let word = head(word, LONGEST).trim_matches(|c| PUNCTUATION.contains(&c) || c == '\'');
    let inner = word.get(1..).unwrap_or_default();
    word.len() >= LEAST
        && !word.starts_with(['/', '.'])
        && inner.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// JSON web tokens (RFC 7519): their header is an object, `{"` in base64.
fn web_token(word: &str, mut found: impl FnMut(Range<usize>)) {
    let mut read = 0;
    for (at, _) in word.match_indices("eyJ") {
        if at < read {
            continue;
        }
        let rest = &word[at..];
        let length = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        read = at + length;
        if length >= LEAST_UNNAMED && rest[..length].contains('.') {
            found(at..at + length);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            ("{'token': 'ab12cd34ef'}", "{'token': ***"),
            ("curl --token Ab12cd34 -o x", "curl --token *** -o x"),
            ("Authorization: Bearer ab.CD-12_34~5 (401)", "Authorization: Bearer *** (401)"),
            ("Authorization: token ab12cd34ef", "Authorization: token ***"),
            ("sent bearer eyJhbGciOi.eyJzdWIiOiIx.c2ln to", "sent bearer *** to"),
            ("x=eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2ln", "x=***"),
        ] {
            assert_eq!(without_secrets(text), shown);
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
        fn any_text_is_read(text in any::<String>()) {
            without_secrets(&text);
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
        fn time_grows_with_the_length(part in "[a-z:/@?=&;,.'#-]{1,4}(://|token|eyJ|\"token)?") {
            let started = std::time::Instant::now();
            without_secrets(&part.repeat(30_000));
            // A square of it would take minutes.
            prop_assert!(started.elapsed().as_secs() < 20, "{}", part);
        }
    }
}
