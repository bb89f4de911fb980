//! Ads, expressions and values as serde's data (feature `serde`), in the way of HTCondor's JSON
//! (`condor_q -json`): expressions become strings `/Expr(...)/`, `undefined` null.

use std::fmt;

use serde_core::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

use crate::ad::ClassAd;
use crate::expr::{Expr, NodeKind};
use crate::print::Style;
use crate::value::Value;

impl Serialize for ClassAd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.root().kind() {
            NodeKind::Literal(literal) => literal.serialize(serializer),
            NodeKind::ClassAd(ad) => ad.serialize(serializer),
            NodeKind::List(elements) => {
                serializer.collect_seq(elements.iter().map(|node| node.to_expr()))
            }
            _ => expression(self, serializer),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Undefined => serializer.serialize_none(),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Real(value) | Self::RelativeTime(value) if value.is_finite() => {
                serializer.serialize_f64(*value)
            }
            Self::String(text) => serializer.serialize_str(text),
            Self::List(elements) => serializer.collect_seq(elements.iter()),
            Self::ClassAd(ad) => ad.serialize(serializer),
            other => expression(&Expr::literal(other.clone()), serializer),
        }
    }
}

fn expression<S: Serializer>(expr: &Expr, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("/Expr({})/", expr.print(Style::New)))
}

impl<'de> Deserialize<'de> for ClassAd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Attributes;

        impl<'de> Visitor<'de> for Attributes {
            type Value = ClassAd;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an ad")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ClassAd, A::Error> {
                ad(map)
            }
        }

        deserializer.deserialize_map(Attributes)
    }
}

fn ad<'de, A: MapAccess<'de>>(mut map: A) -> Result<ClassAd, A::Error> {
    let mut ad = ClassAd::new();
    while let Some((name, expr)) = map.next_entry::<String, Expr>()? {
        ad.insert(&name, expr);
    }
    Ok(ad)
}

/// A string `/Expr(...)/` has to hold an expression.
impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfAny)
    }
}

/// What is no constant is an error.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expr = Expr::deserialize(deserializer)?;
        let found = expr.as_literal().cloned();
        found.ok_or_else(|| de::Error::custom(format_args!("expected a constant, found {expr}")))
    }
}

struct OfAny;

impl<'de> Visitor<'de> for OfAny {
    type Value = Expr;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of an ad")
    }

    fn visit_unit<E>(self) -> Result<Expr, E> {
        Ok(Expr::literal(Value::Undefined))
    }

    fn visit_none<E: de::Error>(self) -> Result<Expr, E> {
        self.visit_unit()
    }

    fn visit_bool<E>(self, value: bool) -> Result<Expr, E> {
        Ok(Expr::literal(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Expr, E> {
        Ok(Expr::literal(value))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E>(self, value: u64) -> Result<Expr, E> {
        Ok(i64::try_from(value).map_or_else(|_| Expr::literal(value as f64), Expr::literal))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Expr, E> {
        Ok(Expr::literal(value))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Expr, E> {
        let inner = text.strip_prefix("/Expr(").and_then(|text| text.strip_suffix(")/"));
        inner.map_or_else(|| Ok(Expr::literal(text)), |text| Expr::parse(text).map_err(E::custom))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Expr, A::Error> {
        let mut list = Vec::<Expr>::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Expr::literal(list.into_iter().collect::<Value>()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Expr, A::Error> {
        Ok(Expr::literal(ad(map)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ad_is_the_json_of_condor_q_and_comes_back() {
        let text = "[ Owner = \"a\\\"b\"; N = 3; R = 2.5; T = true; U = undefined; \
                    E = N + 1; L = { 1,\"x\",N }; A = [ B = 2 ]; I = real(\"INF\"); X = error ]";
        let ad = ClassAd::parse(text).unwrap();
        let written = serde_json::to_string(&ad).unwrap();
        let ours = crate::json::to_string(&ad);
        let values = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(values(&written), values(&ours));
        assert_eq!(serde_json::from_str::<ClassAd>(&written).unwrap(), ad, "{written}");
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let error = serde_json::from_str::<ClassAd>(r#"{"A": "/Expr(1 +)/"}"#).unwrap_err();
        assert!(error.to_string().contains("expected"), "{error}");
        let error = serde_json::from_str::<Value>(r#""/Expr(a + 1)/""#).unwrap_err();
        assert!(error.to_string().contains("expected a constant, found a + 1"), "{error}");
    }
}
