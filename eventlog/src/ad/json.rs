//! The JSON form: one JSON object an event (`ClassAdJsonUnParser` in HTCondor).

use std::fmt;

use serde_core::Deserialize;
use serde_core::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::super::text::scan::Found;
use super::block::{self, Line};
use super::{AdValue, EventAd};

/// Looks for the next event.
pub(crate) fn find(bytes: &[u8], last: bool) -> Found {
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
pub(crate) fn parse(bytes: &[u8]) -> Result<EventAd<'static>, String> {
    let text = String::from_utf8_lossy(bytes);
    match serde_json::from_str(&text) {
        Ok(Json(AdValue::Ad(ad))) => Ok(ad),
        Ok(_) => Err("a JSON object".to_owned()),
        Err(error) => Err(format!("a JSON object ({error})")),
    }
}

/// A JSON value, attributes in their order.
struct Json(AdValue<'static>);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json(AdValue::Expression("undefined".into())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json(AdValue::Boolean(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json(AdValue::Integer(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json(i64::try_from(value).map_or(AdValue::Real(value as f64), AdValue::Integer)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json(AdValue::Real(value)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        let expression = text.strip_prefix("/Expr(").and_then(|text| text.strip_suffix(")/"));
        Ok(Json(match expression {
            Some(expression) => AdValue::Expression(expression.to_owned().into()),
            None => AdValue::String(text.to_owned().into()),
        }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(Json(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Json(AdValue::List(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut attributes: A) -> Result<Json, A::Error> {
        let mut ad = EventAd::default();
        while let Some((name, Json(value))) = attributes.next_entry::<String, _>()? {
            // Of equal names the last counts, as in other readers of JSON.
            ad.insert(name, value);
        }
        Ok(Json(AdValue::Ad(ad)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_keep_their_order_and_of_equal_names_the_last_counts() {
        let ad =
            parse(br#"{"B": 1, "A": [1.5, null], "b": 18446744073709551615, "C": "/Expr(x)/"}"#);
        let ad = ad.unwrap();
        let names: Vec<&str> = ad.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["B", "A", "C"]);
        assert_eq!(ad["B"], AdValue::Real(18_446_744_073_709_551_615.0));
        let undefined = AdValue::Expression("undefined".into());
        assert_eq!(ad["A"], AdValue::List(vec![AdValue::Real(1.5), undefined]));
        assert_eq!(ad["C"], AdValue::Expression("x".into()));
        assert!(parse(b"[1]").is_err() && parse(b"{").is_err());
    }
}
