//! The XML and JSON forms.

use eventlog::*;
use serde_json::{Map, Value};

use crate::compare::{Tally, compare, same_text_of_attributes};
use crate::draw::Draw;
use crate::event::{as_json, made as make, readable};
use crate::{bodies, count, draw, options, oracle, zone};

/// Attributes of typed fields, read here and by HTCondor, which makes a text of them; it is the one
/// of the fields.
fn attributes_form(part: u64, begin: &str, print: fn(&Map<String, Value>) -> String) -> Tally {
    let mut draw = draw(part);
    let mut tally = Tally::default();
    let kinds: Vec<u16> = bodies::KINDS.into_iter().chain(bodies::UNREADABLE).collect();
    let (mut made, mut log) = (Vec::new(), begin.to_owned());
    for index in 0..count() as usize {
        let number = kinds[index % kinds.len()];
        let date = DateForm { sub_second: index % 2 == 0, ..DateForm::iso(zone()) };
        let event = readable(|| {
            make(&mut draw, number, &date, |out, header, draw| {
                write_event(out, header, &bodies::body(draw, number, true)).unwrap();
            })
        });
        let ad = Events::with_options(event.text.as_bytes(), &options()).next().unwrap().unwrap();
        let mut ad = as_json(&ad);
        let is_changed = draw.chance(20) && change(&mut draw, number, &mut ad);
        log.push_str(&print(&ad));
        made.push((event, is_changed));
    }
    let mut ours = Vec::new();
    let mut reader = LogReader::new(log.as_bytes(), &options());
    while let Some(event) = reader.next_event() {
        let event = event.unwrap_or_else(|damaged| panic!("{damaged}"));
        let mut out = Vec::new();
        let (job, subproc, time) = (event.job, event.subproc, event.time);
        let date = &made[ours.len()].0.date;
        let header = EventHeader { job, subproc, time, date };
        write_event(&mut out, &header, &event.body().into_owned()).unwrap();
        ours.push((as_json(&event), String::from_utf8(out).unwrap()));
    }
    assert_eq!(ours.len(), made.len());
    let Some(python) = oracle::python() else { return tally };
    let theirs = oracle::read(&python, &[log.into_bytes()]).remove(0);
    assert_eq!(ours.len(), theirs.len(), "{:?}", theirs.last());
    for (((made, is_changed), (ours, text)), theirs) in made.iter().zip(ours).zip(theirs) {
        let number = made.number;
        match theirs {
            Err(error) => tally.failure(number, format!("{error}\n{}", made.text)),
            Ok((ad, theirs)) => {
                if let Some(difference) = compare(number, ours, ad, true) {
                    tally.failure(number, format!("{difference}\n{}", made.text));
                } else if !is_changed && !same_text_of_attributes(number, &text, &theirs) {
                    tally.failure(number, format!("written here\n{text}by HTCondor\n{theirs}"));
                } else {
                    *tally.compared.entry(number).or_default() += 1;
                }
            }
        }
    }
    tally
}

/// Puts into a text what the text form cannot have there.
fn change(draw: &mut Draw, number: u16, ad: &mut Map<String, Value>) -> bool {
    // HTCondor makes a text of events that it does not know, and loses what is not on one line.
    if ad["MyType"] == "FutureEvent" {
        return false;
    }
    const FIXED: [&str; 3] = ["MyType", "EventTime", "Type"];
    let texts: Vec<&mut String> = ad
        .iter_mut()
        .filter(|(name, _)| !FIXED.contains(&name.as_str()) && !name.ends_with("Usage"))
        .filter_map(|(_, value)| match value {
            Value::String(text) if !text.starts_with("/Expr(") => Some(text),
            _ => None,
        })
        .collect();
    let count = texts.len() as u64;
    if count == 0 {
        return false;
    }
    let at = draw.below(count) as usize;
    let text = texts.into_iter().nth(at).unwrap();
    match draw.below(4) {
        0 => text.push_str(draw.pick(&["\n", "\nmore\n...\n", " ", "\t"])),
        1 => text.insert_str(0, draw.pick(&["\n", " ", "\t", "...\n"])),
        // Without these HTCondor makes nothing of an event.
        2 if !matches!(number, 22..=24 | 34) => text.clear(),
        _ => text.push_str("\r\nmore"),
    }
    true
}

#[test]
fn json_form() {
    attributes_form(3, "", json).end("JSON");
}

#[test]
fn xml_form() {
    let begin =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE classads SYSTEM \"classads.dtd\">\n<classads>\n";
    attributes_form(4, begin, xml).end("XML");
}

/// An event as HTCondor prints ads in the JSON form.
pub(crate) fn json(ad: &Map<String, Value>) -> String {
    let text = serde_json::to_string_pretty(ad).unwrap() + "\n";
    // Only with these backslashes it is an expression.
    text.replace("\"/Expr(", "\"\\/Expr(").replace(")/\"", ")\\/\"")
}

/// An event as HTCondor prints ads in the XML form.
pub(crate) fn xml(ad: &Map<String, Value>) -> String {
    let mut out = "<c>\n".to_owned();
    xml_pairs(ad, &mut out, "    ");
    out + "</c>\n"
}

fn xml_pairs(ad: &Map<String, Value>, out: &mut String, indent: &str) {
    let escaped = |text: &str| {
        let text: String = text.bytes().map(escape).collect();
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    };
    for (name, value) in ad {
        out.push_str(&format!("{indent}<a n=\"{name}\">"));
        xml_value(value, out, &escaped);
        out.push_str("</a>\n");
    }
}

/// A byte of a string as C's escapes have it.
fn escape(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        other => format!("\\{other:03o}"),
    }
}

fn xml_value(value: &Value, out: &mut String, escaped: &impl Fn(&str) -> String) {
    let expression =
        |text: &str| text.strip_prefix("/Expr(")?.strip_suffix(")/").map(str::to_owned);
    match value {
        Value::Null => out.push_str("<un/>"),
        Value::Bool(value) => {
            out.push_str(&format!("<b v=\"{}\"/>", if *value { 't' } else { 'f' }));
        }
        Value::Number(number) if number.is_f64() => {
            out.push_str(&format!("<r>{:.15E}</r>", number.as_f64().unwrap()));
        }
        Value::Number(number) => out.push_str(&format!("<i>{number}</i>")),
        Value::String(text) => match expression(text) {
            Some(text) if text == "error" => out.push_str("<er/>"),
            Some(text) => out.push_str(&format!("<e>{}</e>", escaped(&text))),
            None => out.push_str(&format!("<s>{}</s>", escaped(text))),
        },
        Value::Array(values) => {
            out.push_str("<l>");
            values.iter().for_each(|value| xml_value(value, out, escaped));
            out.push_str("</l>");
        }
        Value::Object(ad) => {
            out.push_str("<c>\n");
            xml_pairs(ad, out, "        ");
            out.push_str("    </c>");
        }
    }
}
