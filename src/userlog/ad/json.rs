//! The JSON form: one JSON object an event (`ClassAdJsonUnParser` in HTCondor).

use serde_json::Value;

use super::super::text::scan::Found;
use super::block::{self, Line};
use super::{AdValue, EventAd};

/// Looks for the next event.
pub(in crate::userlog) fn find(bytes: &[u8], last: bool) -> Found {
    let what = |line: &[u8]| match line {
        b"" => Line::Between,
        [b'{', .., b'}'] => Line::Whole,
        [b'{', ..] => Line::Begin,
        [b'}', ..] => Line::End,
        _ => Line::Other,
    };
    block::find(bytes, last, what, "a JSON object")
}

/// The attributes of an event, or what is wrong with it.
pub(in crate::userlog) fn parse(bytes: &[u8]) -> Result<EventAd<'static>, String> {
    let text = String::from_utf8_lossy(bytes);
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(ad(map)),
        Ok(_) => Err("a JSON object".to_owned()),
        Err(error) => Err(format!("a JSON object ({error})")),
    }
}

fn ad(map: serde_json::Map<String, Value>) -> EventAd<'static> {
    let mut ad = EventAd::default();
    for (name, json) in map {
        ad.push(name, value(json));
    }
    ad
}

fn value(json: Value) -> AdValue<'static> {
    match json {
        Value::Null => AdValue::Expression("undefined".into()),
        Value::Bool(value) => AdValue::Boolean(value),
        Value::Number(number) => match number.as_i64() {
            Some(value) => AdValue::Integer(value),
            None => AdValue::Real(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => {
            let expression = text.strip_prefix("/Expr(").and_then(|text| text.strip_suffix(")/"));
            match expression {
                Some(expression) => AdValue::Expression(expression.to_owned().into()),
                None => AdValue::String(text.into()),
            }
        }
        Value::Array(values) => AdValue::List(values.into_iter().map(value).collect()),
        Value::Object(map) => AdValue::Ad(ad(map)),
    }
}
