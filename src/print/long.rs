//! `-long`: each advice as a ClassAd, an attribute a line, an empty line behind each.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use serde_json::Value;

use super::attributes::attributes;
use crate::advice::Advice;

pub(super) fn print(out: &mut dyn Write, advice: &Advice, zone: &TimeZone) -> io::Result<()> {
    for (name, value) in attributes(advice, zone) {
        if !value.is_null() {
            writeln!(out, "{name} = {}", expression(&value))?;
        }
    }
    writeln!(out)
}

/// A value in the ClassAd language, old syntax: a backslash is itself except before a double quote.
pub(super) fn expression(value: &Value) -> String {
    match value {
        Value::Null => "undefined".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(values) if values.is_empty() => "{  }".to_owned(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(expression).collect();
            format!("{{ {} }}", values.join(", "))
        }
        Value::Object(values) => {
            let values: Vec<String> = values
                .iter()
                .map(|(name, value)| format!("{} = {}", attribute_name(name), expression(value)))
                .collect();
            format!("[ {} ]", values.join("; "))
        }
    }
}

fn string(text: &str) -> String {
    // No literal ends in a backslash: it would quote the closing quote.
    let room = if text.ends_with('\\') { " " } else { "" };
    format!("\"{}{room}\"", text.replace('"', "\\\""))
}

/// A name that is no identifier stands in single quotes.
fn attribute_name(name: &str) -> String {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        name.to_owned()
    } else {
        format!("'{name}'")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::print::samples;

    #[test]
    fn expressions() {
        let value = json!({"as-is": 0.5, "b": ["x \"y\"", null, true], "c": "a\\"});
        assert_eq!(
            expression(&value),
            r#"[ 'as-is' = 0.5; b = { "x \"y\"", undefined, true }; c = "a\ " ]"#
        );
    }

    #[test]
    fn a_classad() {
        let mut out = Vec::new();
        print(&mut out, &samples::transfer(1234, 0), &TimeZone::UTC).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap());
    }
}
