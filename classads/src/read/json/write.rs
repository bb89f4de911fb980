//! Ads as JSON, as `condor_q -json` writes them.

use std::io::{self, Write};

use crate::ad::ClassAd;
use crate::expr::{Expr, NodeKind};
use crate::number;
use crate::print::Style;
use crate::value::Value;

/// Writes an ad as a JSON object on one line.
pub fn write(mut out: impl Write, ad: &ClassAd) -> io::Result<()> {
    out.write_all(to_string(ad).as_bytes())
}

/// The ad as a JSON object on one line.
#[must_use]
pub fn to_string(ad: &ClassAd) -> String {
    let mut out = String::new();
    object(&mut out, ad);
    out
}

fn object(out: &mut String, ad: &ClassAd) {
    out.push('{');
    for (index, (name, expr)) in ad.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        string(out, name);
        out.push_str(": ");
        expression(out, expr);
    }
    out.push('}');
}

fn expression(out: &mut String, expr: &Expr) {
    match expr.root().kind() {
        NodeKind::Literal(literal) => value(out, literal),
        NodeKind::ClassAd(ad) => object(out, ad),
        NodeKind::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                expression(out, &element.to_expr());
            }
            out.push(']');
        }
        _ => quoted(out, &expr.print(Style::New)),
    }
}

fn value(out: &mut String, literal: &Value) {
    match literal {
        Value::Undefined => out.push_str("null"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(integer) => out.push_str(&integer.to_string()),
        Value::Real(real) if real.is_finite() => out.push_str(&number::format_general(*real)),
        Value::String(text) => string(out, text),
        Value::ClassAd(ad) => object(out, ad),
        Value::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                expression(out, element);
            }
            out.push(']');
        }
        other => quoted(out, &Expr::literal(other.clone()).print(Style::New)),
    }
}

fn quoted(out: &mut String, expression: &str) {
    out.push_str("\"\\/Expr(");
    characters(out, expression);
    out.push_str(")\\/\"");
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    characters(out, text);
    out.push('"');
}

fn characters(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
}
