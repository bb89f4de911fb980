//! The XML form: one `<c>` element an event (`ClassAdXMLUnParser` in HTCondor).

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

use super::super::text::scan::Found;
use super::block::{self, Line};
use super::{AdValue, EventAd};

/// Ads within ads that are read; HTCondor writes one.
const DEEPEST: usize = 8;

/// Looks for the next event.
pub(crate) fn find(bytes: &[u8], last: bool) -> Found {
    let what = |line: &[u8]| {
        if line.starts_with(b"<c>") {
            if line.ends_with(b"</c>") { Line::Whole } else { Line::Begin }
        } else if line.starts_with(b"</c>") {
            Line::End
        } else if line.is_empty()
            || [&b"<?xml"[..], b"<!DOCTYPE", b"<classads", b"</classads", b"\xef\xbb\xbf"]
                .iter()
                .any(|begin| line.starts_with(begin))
        {
            Line::Between
        } else {
            Line::Other
        }
    };
    block::find(bytes, last, what, "an element <c>")
}

/// The attributes of an event, or what is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<EventAd<'static>, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    loop {
        match next(&mut reader)? {
            Event::Start(tag) if tag.name().as_ref() == "c" => return ad(&mut reader, DEEPEST),
            Event::Text(_) => {}
            _ => return Err("an element <c>".to_owned()),
        }
    }
}

fn next<'a>(reader: &mut Reader<&'a [u8]>) -> Result<Event<'a>, String> {
    reader.read_event().map_err(|error| format!("well-formed XML ({error})"))
}

/// The attributes up to `</c>`.
fn ad(reader: &mut Reader<&[u8]>, depth: usize) -> Result<EventAd<'static>, String> {
    if depth == 0 {
        return Err(format!("no more than {DEEPEST} ads within each other"));
    }
    let mut ad = EventAd::default();
    loop {
        match next(reader)? {
            Event::Start(tag) if tag.name().as_ref() == "a" => {
                let name = attribute(&tag, "n").ok_or("an attribute n in <a>")?;
                let name = unescaped(name);
                if let Some(value) = values(reader, "a", depth)?.pop() {
                    ad.push(name, value);
                }
            }
            Event::End(_) => return Ok(ad),
            Event::Eof => return Err("an end </c>".to_owned()),
            Event::Text(_) | Event::Comment(_) => {}
            _ => return Err("an element <a>".to_owned()),
        }
    }
}

/// The values up to the end of the element `within`.
fn values(
    reader: &mut Reader<&[u8]>,
    within: &str,
    depth: usize,
) -> Result<Vec<AdValue<'static>>, String> {
    if depth == 0 {
        return Err(format!("no more than {DEEPEST} values within each other"));
    }
    let mut found = Vec::new();
    loop {
        match next(reader)? {
            Event::Start(tag) => {
                let value = match tag.name().as_ref() {
                    "c" => AdValue::Ad(ad(reader, depth - 1)?),
                    "l" => AdValue::List(values(reader, "l", depth - 1)?),
                    "s" => AdValue::String(unescaped(text(reader)?).into()),
                    "i" | "r" => number(&text(reader)?),
                    "e" => AdValue::Expression(text(reader)?.into()),
                    "at" => AdValue::Expression(format!("absTime(\"{}\")", text(reader)?).into()),
                    "rt" => AdValue::Expression(format!("relTime(\"{}\")", text(reader)?).into()),
                    other => {
                        return Err(format!("a value, not <{other}>"));
                    }
                };
                found.push(value);
            }
            Event::Empty(tag) => {
                found.push(match tag.name().as_ref() {
                    "b" => AdValue::Boolean(
                        attribute(&tag, "v").is_some_and(|v| v.starts_with(['t', 'T'])),
                    ),
                    "un" => AdValue::Expression("undefined".into()),
                    "s" => AdValue::String("".into()),
                    "er" => AdValue::Expression("error".into()),
                    other => {
                        return Err(format!("a value, not <{other}/>"));
                    }
                });
            }
            Event::End(tag) if tag.name().as_ref() == within => return Ok(found),
            Event::End(_) | Event::Eof => {
                return Err(format!("an end </{within}>"));
            }
            _ => {}
        }
    }
}

/// A string without the escapes of C, which HTCondor writes in the XML form as in expressions; what
/// is not ASCII stands there byte by byte in octal.
fn unescaped(text: String) -> String {
    match classads::unescape(&text) {
        Some(Cow::Owned(unescaped)) => unescaped,
        _ => text,
    }
}

fn number(text: &str) -> AdValue<'static> {
    let text = text.trim();
    if let Ok(value) = text.parse() {
        return AdValue::Integer(value);
    }
    match text.parse() {
        Ok(value) => AdValue::Real(value),
        Err(_) => AdValue::Expression(format!("real(\"{text}\")").into()),
    }
}

/// The text up to the next end tag.
fn text(reader: &mut Reader<&[u8]>) -> Result<String, String> {
    let mut text = String::new();
    loop {
        match next(reader)? {
            Event::Text(part) => text.push_str(&part),
            Event::CData(part) => text.push_str(&part),
            Event::GeneralRef(name) => {
                if let Ok(Some(character)) = name.resolve_char_ref() {
                    text.push(character);
                } else {
                    let known = resolve_predefined_entity(&name);
                    text.push_str(
                        known.ok_or_else(|| format!("a known entity, not &{};", &*name))?,
                    );
                }
            }
            Event::End(_) => return Ok(text),
            _ => return Err("text".to_owned()),
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    Some(attribute.value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn escapes_of_c() {
        for (text, meant) in [
            ("plain", "plain"),
            (r#"C:\\temp\n\t\""#, "C:\\temp\n\t\""),
            (r"\303\251\346\274\242", "é漢"),
            (r"\1012 \7 \18 \477", "A2 \u{7} \u{1}8 '7"),
            (r"ends in \", r"ends in \"),
            (r"\303", "\u{fffd}"),
        ] {
            assert_eq!(unescaped(text.to_owned()), meant, "{text}");
        }
    }
}
