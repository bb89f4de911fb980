//! The JSON form: one JSON object an event (`ClassAdJsonUnParser` in HTCondor).

use super::super::text::scan::Found;
use super::EventAd;
use super::block::{self, Line};

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
    let ad = EventAd::read(bytes, |text, each| classads::json::each_attribute(text, each));
    ad.map_err(|error| format!("a JSON object ({error})"))
}

#[cfg(test)]
mod tests {
    use super::super::AdValue;
    use super::*;

    #[test]
    fn attributes_keep_their_order_and_of_equal_names_the_last_counts() {
        let ad = parse(br#"{"B": 1, "A": [1.5, null], "b": 2.5, "C": "/Expr(x)/"}"#);
        let ad = ad.unwrap();
        let names: Vec<&str> = ad.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["B", "A", "C"]);
        assert_eq!(ad["B"], AdValue::Real(2.5));
        let undefined = AdValue::Expression("undefined".into());
        assert_eq!(ad["A"], AdValue::List(vec![AdValue::Real(1.5), undefined]));
        assert_eq!(ad["C"], AdValue::Expression("x".into()));
        assert!(parse(b"[1]").is_err() && parse(b"{").is_err());
    }
}
