//! When a credential in a file ends. Nothing else of it leaves the process that looks.

use std::io::{self, Read};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;
use x509_cert::Certificate;
use x509_cert::der::DecodePem;

use super::Why;
use eventlog::input;

/// Bytes of a file of credentials that are read; a larger one is none.
const MOST: u64 = 64 << 10;

/// What a certificate stands between in PEM (RFC 7468).
const PEM: (&str, &str) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----");

/// What a file of credentials holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Something, and when it ends as far as it says so, Unix seconds.
    Until(Option<i64>),
    /// Nothing that can be read.
    Unreadable(Why),
}

/// What a file with a proxy certificate (x509userproxy) holds: as HTCondor counts, it ends with the
/// first of its certificates (`x509_proxy_expiration_time`).
pub(super) fn proxy(path: &Path) -> io::Result<Held> {
    Ok(match text(path)? {
        Some(text) => {
            ends(&text).map_or(Held::Unreadable(Why::Format), |end| Held::Until(Some(end)))
        }
        None => Held::Unreadable(Why::TooLarge),
    })
}

/// What a file with a token holds: a JSON web token (RFC 7519), alone or as `access_token` in JSON
/// as OAuth servers answer; anything else has no end that is known.
pub(super) fn token(path: &Path) -> io::Result<Held> {
    Ok(match text(path)? {
        Some(text) => Held::Until(expires(text.trim())),
        None => Held::Unreadable(Why::TooLarge),
    })
}

/// A file's text; `None` where it is too large.
fn text(path: &Path) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    input::open_regular(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= MOST;
    Ok(fits.then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

pub(super) fn ends(text: &str) -> Option<i64> {
    let (begin, end) = PEM;
    let certificates = text.match_indices(begin).map(|(at, _)| {
        let length = text[at..].find(end)? + end.len();
        let certificate = Certificate::from_pem(&text[at..at + length]).ok()?;
        let until = certificate.tbs_certificate().validity().not_after;
        i64::try_from(until.to_unix_duration().as_secs()).ok()
    });
    certificates.collect::<Option<Vec<i64>>>()?.into_iter().min()
}

pub(super) fn expires(text: &str) -> Option<i64> {
    let answer: Option<Value> = serde_json::from_str(text).ok();
    let inner = answer.as_ref().and_then(|answer| answer.get("access_token"));
    let token = inner.and_then(Value::as_str).unwrap_or(text);
    let mut parts = token.split('.');
    let (_, body, _) = (parts.next()?, parts.next()?, parts.next()?);
    let body = BASE64_URL_SAFE_NO_PAD.decode(body.trim_end_matches('=')).ok()?;
    let claims: Value = serde_json::from_slice(&body).ok()?;
    let until = claims.get("exp")?;
    until.as_i64().or_else(|| until.as_f64().map(|seconds| seconds as i64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A certificate that ends on 2021-01-15, 12:00 UTC, one that ends in 2120, and a key as they
    /// stand in a proxy's file.
    const OLD: &str = include_str!("testdata/old.pem");
    const NEW: &str = include_str!("testdata/new.pem");

    #[test]
    fn a_proxy_ends_with_the_first_of_its_certificates() {
        let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
        assert_eq!(ends(OLD), Some(1_610_712_000));
        let late = ends(NEW).unwrap();
        assert!(late > 4_700_000_000, "{late}");
        assert_eq!(ends(&format!("{NEW}{key}{OLD}")), Some(1_610_712_000));
        assert_eq!(ends(&format!("{key}{NEW}")), Some(late));
        for none in ["", key, &OLD[..200], &format!("{NEW}{}", OLD.replace("MII", "!!!"))] {
            assert_eq!(ends(none), None, "{none}");
        }
    }

    #[test]
    fn a_token_says_when_it_ends() {
        let body = |claims: &str| format!("e30.{}.c2ln", BASE64_URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(expires(&body("{\"exp\":1700000000}")), Some(1_700_000_000));
        assert_eq!(expires(&body("{\"exp\":1.7e9}")), Some(1_700_000_000));
        let answer = format!("{{\"access_token\":\"{}\"}}", body("{\"exp\":7}"));
        assert_eq!(expires(&answer), Some(7));
        for none in ["", "AKIAIOSFODNN7", "a.b.c", "{}", &body("{}"), &body("{\"exp\":\"x\"}")] {
            assert_eq!(expires(none), None, "{none}");
        }
    }

    #[test]
    fn no_more_than_64_kib_of_a_file_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proxy");
        std::fs::write(&path, NEW).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_len(100 << 20).unwrap();
        for look in [proxy, token] {
            assert_eq!(look(&path).unwrap(), Held::Unreadable(Why::TooLarge));
        }
        file.set_len(MOST).unwrap();
        assert!(matches!(proxy(&path).unwrap(), Held::Until(Some(_))));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,200}", cut in 0..OLD.len(), byte in any::<u8>()) {
            let _ = (ends(&text), expires(&text), expires(&format!("a.{text}.b")));
            let mut damaged = OLD.as_bytes().to_vec();
            damaged[cut] = byte;
            let _ = ends(&String::from_utf8_lossy(&damaged));
        }
    }
}
