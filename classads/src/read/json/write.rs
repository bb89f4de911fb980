//! Ads as JSON, as HTCondor's src/classad/jsonSink.cpp writes them.

use crate::ad::ClassAd;
use crate::expr::{Expr, NodeKind};
use crate::number;
use crate::print::{self, Style};
use crate::value::Value;

/// The ad as a JSON object on one line, as `condor_q -jsonl` writes it.
///
/// The attributes have the order of the ad, those of nested ads HTCondor's.
#[must_use]
pub fn to_string(ad: &ClassAd) -> String {
    text(ad, None)
}

/// The ad as a JSON object with a line for each attribute and element, as `condor_q -json` writes
/// it.
#[must_use]
pub fn to_string_pretty(ad: &ClassAd) -> String {
    text(ad, Some(0))
}

fn text(ad: &ClassAd, indent: Option<usize>) -> String {
    let mut writer = Writer { out: String::new(), indent };
    writer.object(ad, ad.names());
    writer.out
}

struct Writer {
    out: String,
    /// Blanks before a line, where there are several lines.
    indent: Option<usize>,
}

/// Blanks by which the inside of a bracket is moved to the right.
const STEP: usize = 2;

impl Writer {
    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.indent = self.indent.map(|indent| indent + STEP);
    }

    fn close(&mut self, bracket: char) {
        self.indent = self.indent.map(|indent| indent - STEP);
        self.line();
        self.out.push(bracket);
    }

    /// Begins a line.
    fn line(&mut self) {
        if let Some(indent) = self.indent {
            print::line(&mut self.out, indent);
        }
    }

    fn object<'a>(&mut self, ad: &'a ClassAd, names: impl Iterator<Item = &'a str>) {
        self.open('{');
        let members = names.filter_map(|name| Some((name, ad.get(name)?)));
        for (index, (name, expr)) in members.enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line();
            self.string(name);
            self.out.push_str(": ");
            self.expression(expr);
        }
        self.close('}');
    }

    fn array(&mut self, elements: impl Iterator<Item = Expr>) {
        self.open('[');
        for (index, element) in elements.enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line();
            self.expression(&element);
        }
        self.close(']');
    }

    fn expression(&mut self, expr: &Expr) {
        match expr.root().kind() {
            NodeKind::Literal(literal) => self.value(literal),
            NodeKind::ClassAd(ad) => self.object(ad, print::ordered(ad).into_iter()),
            NodeKind::List(elements) => self.array(elements.iter().map(|node| node.to_expr())),
            _ => self.quoted(&expr.print(Style::New)),
        }
    }

    fn value(&mut self, literal: &Value) {
        match literal {
            Value::Undefined => self.out.push_str("null"),
            Value::Boolean(truth) => self.out.push_str(if *truth { "true" } else { "false" }),
            Value::Integer(integer) => self.out.push_str(&integer.to_string()),
            Value::Real(real) if real.is_finite() => {
                self.out.push_str(&number::format_general(*real));
            }
            // HTCondor takes a constant length of time for a real once it looks at its value.
            Value::RelativeTime(seconds) => self.value(&Value::Real(*seconds)),
            Value::String(text) => self.string(text),
            Value::ClassAd(ad) => self.object(ad, print::ordered(ad).into_iter()),
            Value::List(elements) => self.array(elements.iter().cloned()),
            other => self.quoted(&Expr::literal(other.clone()).print(Style::New)),
        }
    }

    /// An expression that is no constant.
    fn quoted(&mut self, expression: &str) {
        self.out.push_str("\"\\/Expr(");
        self.characters(expression);
        self.out.push_str(")\\/\"");
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        self.characters(text);
        self.out.push('"');
    }

    fn characters(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                control if control < ' ' => {
                    self.out.push_str(&format!("\\u{:04X}", u32::from(control)));
                }
                other => self.out.push(other),
            }
        }
    }
}
