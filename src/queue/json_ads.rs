//! Ads as JSON objects: an array of them, one a line, or one after the other.
//!
//! Objects are cut out first, so that a damaged one costs only itself: JSON strings hold no line ends, and
//! HTCondor's tools begin each object on a line of its own.

use std::io::{self, BufRead};

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::ad_text::{AdText, push_line, quotes_fault, string_literal};
use super::ads::{AdFault, AdItem};
use super::lines::Lines;
use super::projection::{Projection, is_policy, references};

/// The largest object read, in bytes.
const LARGEST: usize = 16 * 1024 * 1024;

/// Lists and ads inside an attribute deeper than this are left out.
const DEEPEST: usize = 32;

#[derive(Debug)]
pub(super) struct JsonAds<'a, R> {
    lines: Lines<R>,
    projection: &'a Projection,
    /// Of the current line what follows an object that ended in it.
    rest: Vec<u8>,
    ended: bool,
}

impl<'a, R: BufRead> JsonAds<'a, R> {
    pub(super) fn new(lines: Lines<R>, projection: &'a Projection) -> Self {
        Self { lines, projection, rest: Vec::new(), ended: false }
    }

    pub(super) fn next(&mut self) -> Option<io::Result<AdItem>> {
        loop {
            let (object, line) = match self.cut() {
                Ok(Some(cut)) => cut,
                Ok(None) => return None,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            };
            let fault = |line, what| Some(Ok(AdItem::Fault(AdFault { line, what })));
            let object = match object {
                Ok(object) => object,
                Err(what) => return fault(line, what),
            };
            match read_object(&object, self.projection) {
                Ok(Some(ad)) => return Some(Ok(AdItem::Ad(ad))),
                Ok(None) => {}
                Err(error) => {
                    let line = line + error.line().saturating_sub(1) as u64;
                    return fault(line, format!("not a JSON object: {error}"));
                }
            }
        }
    }

    /// The bytes of the next object and the line it begins on; in the place of the bytes what is wrong.
    #[allow(clippy::type_complexity)]
    fn cut(&mut self) -> io::Result<Option<(Result<Vec<u8>, String>, u64)>> {
        let mut object = Vec::new();
        let mut depth = 0_usize;
        let mut first = 0;
        loop {
            if self.rest.is_empty() {
                if self.ended || !self.lines.advance()? {
                    self.ended = true;
                    let cut_off = || (Err("the last object does not end".to_owned()), first);
                    return Ok((!object.is_empty()).then(cut_off));
                }
                let line = self.lines.current();
                // A new object at the start of a line while another one is open: that one is damaged.
                if depth > 0 && line == b"{" {
                    let what = "the object does not end before the next one begins".to_owned();
                    self.rest.extend_from_slice(line);
                    return Ok(Some((Err(what), first)));
                }
                self.rest.extend_from_slice(line);
            }
            let line = std::mem::take(&mut self.rest);
            let mut start = 0;
            if depth == 0 {
                let Some(at) = memchr::memchr(b'{', &line) else { continue };
                start = at;
                first = self.lines.number();
            }
            match scan(&line[start..], &mut depth) {
                Scan::Open if object.len() + line.len() > LARGEST => {
                    return Ok(Some((Err("the object is too large".to_owned()), first)));
                }
                Scan::Open => {
                    object.extend_from_slice(&line[start..]);
                    object.push(b'\n');
                }
                Scan::End(end) => {
                    object.extend_from_slice(&line[start..start + end]);
                    self.rest = line[start + end..].to_vec();
                    return Ok(Some((Ok(object), first)));
                }
                Scan::OpenString => {
                    let what = "a string does not end on its line".to_owned();
                    let line = self.lines.number();
                    self.skip_object()?;
                    return Ok(Some((Err(what), line)));
                }
            }
        }
    }

    /// Goes on to the line on which the next object begins.
    fn skip_object(&mut self) -> io::Result<()> {
        while self.lines.advance()? {
            if self.lines.current().starts_with(b"{") {
                self.rest = self.lines.current().to_vec();
                return Ok(());
            }
        }
        self.ended = true;
        Ok(())
    }
}

enum Scan {
    /// The object goes on behind this line.
    Open,
    /// It ended before this offset.
    End(usize),
    /// The line ends within a string.
    OpenString,
}

fn scan(line: &[u8], depth: &mut usize) -> Scan {
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'"', b'{', b'}', &line[at..]) {
        at += found + 1;
        match line[at - 1] {
            b'{' => *depth += 1,
            b'}' => {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    return Scan::End(at);
                }
            }
            _ => match string_end(&line[at..]) {
                Some(end) => at += end,
                None => return Scan::OpenString,
            },
        }
    }
    Scan::Open
}

/// Where what follows a string begins, the opening quote read.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)? + 1;
        if bytes[at - 1] == b'"' {
            return Some(at);
        }
        at += 1;
    }
}

fn read_object(text: &[u8], projection: &Projection) -> Result<Option<AdText>, serde_json::Error> {
    let ad: JsonAd = read(text, &|name| projection.keeps(name.as_bytes()))?;
    let mut wanted: Vec<&str> = Vec::new();
    for (name, expression) in &ad.0 {
        if is_policy(name.as_bytes()) {
            wanted.extend(references(expression));
        }
    }
    wanted.retain(|want| !projection.keeps(want.as_bytes()));
    let more = if wanted.is_empty() {
        JsonAd::default()
    } else {
        read(text, &|name| wanted.iter().any(|want| want.eq_ignore_ascii_case(name)))?
    };
    let mut lines = String::new();
    for (name, expression) in ad.0.iter().chain(&more.0) {
        push_line(&mut lines, name, expression);
    }
    Ok((!lines.is_empty()).then(|| AdText::new(lines)))
}

/// Names and expressions.
#[derive(Default)]
struct JsonAd(Vec<(String, String)>);

fn read(text: &[u8], keeps: &dyn Fn(&str) -> bool) -> Result<JsonAd, serde_json::Error> {
    struct Kept<'a>(&'a dyn Fn(&str) -> bool);

    impl<'de> Visitor<'de> for Kept<'_> {
        type Value = JsonAd;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a ClassAd as a JSON object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonAd, A::Error> {
            let mut ad = JsonAd::default();
            while let Some(name) = map.next_key::<Name<'_>>()? {
                if (self.0)(&name.0) && is_name(&name.0) {
                    let value: Value = map.next_value()?;
                    if let Some(expression) = expression(&value, DEEPEST) {
                        ad.0.push((name.0.into_owned(), expression));
                    }
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(ad)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_slice(text);
    deserializer.deserialize_map(Kept(keeps))
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}

/// A JSON value in the ClassAd language; `None` where there is no such thing.
fn expression(value: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    Some(match value {
        Value::Null => "undefined".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let inner = text.strip_prefix("/Expr(").and_then(|text| text.strip_suffix(")/"));
            match inner {
                Some(inner) if quotes_fault(inner).is_some() => return None,
                // JSON holds expressions in the new syntax, where a backslash in a string is doubled.
                Some(inner) => inner.trim().replace(r"\\", r"\"),
                None => string_literal(text),
            }
        }
        Value::Array(values) => {
            let values: Option<Vec<String>> =
                values.iter().map(|value| expression(value, depth)).collect();
            format!("{{ {} }}", values?.join(", "))
        }
        Value::Object(values) => {
            let values: Option<Vec<String>> = values
                .iter()
                .filter(|(name, _)| is_name(name))
                .map(|(name, value)| Some(format!("{name} = {}", expression(value, depth)?)))
                .collect();
            format!("[ {} ]", values?.join("; "))
        }
    })
}
