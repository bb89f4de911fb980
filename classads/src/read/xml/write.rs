//! Ads as XML, as HTCondor's src/classad/xmlSink.cpp writes them.

use quick_xml::escape::partial_escape;

use crate::ad::ClassAd;
use crate::expr::{Expr, NodeKind};
use crate::functions::times;
use crate::number;
use crate::print::{self, Style};
use crate::value::Value;

/// What `condor_q -xml` prints before the first ad.
pub const HEADER: &str =
    "<?xml version=\"1.0\"?>\n<!DOCTYPE classads SYSTEM \"classads.dtd\">\n<classads>\n";

/// What `condor_q -xml` prints behind the last ad.
pub const FOOTER: &str = "</classads>\n";

/// Blanks by which the attributes of an ad are moved to the right.
const STEP: usize = 4;

/// The ad as an element `<c>`, an attribute a line, as `condor_q -xml` writes it.
///
/// The attributes stay in their order; `condor_q` sorts them by name first. Attributes whose text
/// is no expression are left out. A document needs [`HEADER`] before the ads and [`FOOTER`] behind
/// them.
///
/// ```
/// let ad = classads::ClassAd::parse("[ JobStatus = 5; Late = NumHolds > 3 ]")?;
/// assert_eq!(
///     classads::xml::to_string(&ad),
///     "<c>\n    <a n=\"JobStatus\"><i>5</i></a>\n    <a n=\"Late\"><e>NumHolds &gt; 3</e></a>\n</c>\n"
/// );
/// # Ok::<(), classads::ParseError>(())
/// ```
#[must_use]
pub fn to_string(ad: &ClassAd) -> String {
    let mut out = String::new();
    element(&mut out, ad.iter(), 0);
    out.push('\n');
    out
}

fn element<'a>(
    out: &mut String,
    attributes: impl Iterator<Item = (&'a str, &'a Expr)>,
    indent: usize,
) {
    out.push_str("<c>\n");
    for (name, expr) in attributes {
        blanks(out, indent + STEP);
        out.push_str("<a n=\"");
        characters(out, name, Some('"'));
        out.push_str("\">");
        expression(out, expr, indent + STEP);
        out.push_str("</a>\n");
    }
    blanks(out, indent);
    out.push_str("</c>");
}

fn blanks(out: &mut String, number: usize) {
    out.extend(std::iter::repeat_n(' ', number));
}

fn nested(out: &mut String, ad: &ClassAd, indent: usize) {
    let names = print::ordered(ad);
    element(out, names.into_iter().filter_map(|name| Some((name, ad.get(name)?))), indent);
}

fn expression(out: &mut String, expr: &Expr, indent: usize) {
    match expr.root().kind() {
        NodeKind::Literal(literal) => value(out, literal, indent),
        NodeKind::ClassAd(ad) => nested(out, ad, indent),
        NodeKind::List(elements) => list(out, elements.iter().map(|node| node.to_expr()), indent),
        _ => text(out, "e", &partial_escape(expr.print(Style::New))),
    }
}

fn value(out: &mut String, literal: &Value, indent: usize) {
    match literal {
        Value::Undefined => out.push_str("<un/>"),
        Value::Error => out.push_str("<er/>"),
        Value::Boolean(true) => out.push_str("<b v=\"t\"/>"),
        Value::Boolean(false) => out.push_str("<b v=\"f\"/>"),
        Value::Integer(integer) => text(out, "i", &integer.to_string()),
        Value::Real(real) => text(out, "r", &real_text(*real)),
        Value::String(string) => {
            out.push_str("<s>");
            characters(out, string, None);
            out.push_str("</s>");
        }
        Value::AbsoluteTime { seconds, offset } => {
            text(out, "at", &times::format_absolute(*seconds, *offset));
        }
        // A constant of this type has become a real before HTCondor writes it.
        Value::RelativeTime(seconds) => text(out, "r", &real_text(*seconds)),
        Value::ClassAd(ad) => nested(out, ad, indent),
        Value::List(elements) => list(out, elements.iter().cloned(), indent),
    }
}

fn list(out: &mut String, elements: impl Iterator<Item = Expr>, indent: usize) {
    out.push_str("<l>");
    elements.for_each(|element| expression(out, &element, indent));
    out.push_str("</l>");
}

fn text(out: &mut String, element: &str, text: &str) {
    out.extend(["<", element, ">", text, "</", element, ">"]);
}

/// Appends a string or a name with C's escapes and those of XML.
fn characters(out: &mut String, text: &str, delimiter: Option<char>) {
    let mut escaped = String::with_capacity(text.len());
    print::escaped(&mut escaped, text, delimiter, usize::MAX);
    out.push_str(&partial_escape(escaped));
}

fn real_text(real: f64) -> String {
    if real.is_nan() {
        "NaN".to_owned()
    } else if real.is_infinite() {
        if real > 0.0 { "INF" } else { "-INF" }.to_owned()
    } else if real == 0.0 {
        // Without the sign of a negative zero.
        "0.0".to_owned()
    } else {
        number::format_scientific(real)
    }
}
