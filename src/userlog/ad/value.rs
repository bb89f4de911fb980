//! Attributes and their values.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::super::Text;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AdValue<'a> {
    /// An integer.
    Integer(i64),
    /// A floating point number.
    Real(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A string, without quotes.
    String(Text<'a>),
    /// A nested ad.
    Ad(EventAd<'a>),
    /// A list.
    List(Vec<AdValue<'a>>),
    /// Any other ClassAd expression as written, `undefined` among them.
    Expression(Text<'a>),
}

impl<'a> AdValue<'a> {
    /// The value of a ClassAd expression: a literal, an ad or list of such, or the expression itself.
    pub fn parse(expression: Text<'a>) -> Self {
        Self::parse_within(expression, DEEPEST)
    }

    fn parse_within(expression: Text<'a>, depth: usize) -> Self {
        let text = expression.trim();
        if let (b'[' | b'{', Some(depth)) =
            (text.as_bytes().first().copied().unwrap_or_default(), depth.checked_sub(1))
        {
            let nested = nested_ad(text, depth).map(Self::Ad).or_else(|| list(text, depth));
            return nested.unwrap_or(Self::Expression(expression));
        }
        if let Some(string) = string_literal(text) {
            return Self::String(match (&expression, string) {
                // Borrowed from the log, not from `expression`.
                (Cow::Borrowed(whole), Cow::Borrowed(_)) => {
                    Cow::Borrowed(whole.trim().trim_matches('"'))
                }
                (_, string) => Cow::Owned(string.into_owned()),
            });
        }
        match text {
            _ if text.eq_ignore_ascii_case("true") => return Self::Boolean(true),
            _ if text.eq_ignore_ascii_case("false") => return Self::Boolean(false),
            _ => {}
        }
        let is_number = text
            .starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
            && text.ends_with(|last: char| last.is_ascii_digit() || last == '.');
        if is_number {
            if let Ok(value) = text.parse() {
                return Self::Integer(value);
            }
            if let Ok(value) = text.parse() {
                return Self::Real(value);
            }
        }
        Self::Expression(expression)
    }

    /// The value as a ClassAd expression.
    pub fn to_expression(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Real(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                format!("{value:.1}")
            }
            Self::Real(value) => value.to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::String(value) => {
                format!(
                    "\"{}\"",
                    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
                )
            }
            Self::Ad(ad) => {
                let pairs: Vec<String> = ad
                    .iter()
                    .map(|(name, value)| format!("{name} = {}", value.to_expression()))
                    .collect();
                format!("[ {} ]", pairs.join("; "))
            }
            Self::List(values) => {
                let values: Vec<String> = values.iter().map(Self::to_expression).collect();
                format!("{{ {} }}", values.join(", "))
            }
            Self::Expression(text) => text.to_string(),
        }
    }
}

/// Ads and lists within each other that are read as such; deeper ones stay expressions.
const DEEPEST: usize = 8;

/// `[ Name = expression; ... ]`.
fn nested_ad(text: &str, depth: usize) -> Option<EventAd<'static>> {
    let mut ad = EventAd::default();
    for part in parts(text.strip_prefix('[')?.strip_suffix(']')?, b';')? {
        let (name, value) = part.split_once('=')?;
        let name = name.trim();
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        ad.insert(name.to_owned(), AdValue::parse_within(value.trim().to_owned().into(), depth));
    }
    Some(ad)
}

/// `{ expression, ... }`.
fn list(text: &str, depth: usize) -> Option<AdValue<'static>> {
    let parts = parts(text.strip_prefix('{')?.strip_suffix('}')?, b',')?;
    let value = |part: &str| AdValue::parse_within(part.to_owned().into(), depth);
    Some(AdValue::List(parts.into_iter().map(value).collect()))
}

/// The expressions between separators. `None`: brackets or quotes do not close.
fn parts(text: &str, separator: u8) -> Option<Vec<&str>> {
    let (mut quote, mut escaped, mut open) = (None, false, 0_usize);
    let (mut parts, mut begin) = (Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), b'\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(end), _) if byte == end && !escaped => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[' | b'{' | b'(') => open += 1,
            (None, b']' | b'}' | b')') => open = open.checked_sub(1)?,
            (None, _) if byte == separator && open == 0 => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            (None, _) => {}
        }
        escaped = false;
    }
    parts.push(text[begin..].trim());
    parts.retain(|part| !part.is_empty());
    (quote.is_none() && open == 0).then_some(parts)
}

/// The text of a string literal, if `text` is one and nothing else.
fn string_literal(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains(['"', '\\']) {
        return Some(Cow::Borrowed(inner));
    }
    let mut string = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(next) = chars.next() {
        match next {
            '"' => return None,
            '\\' => string.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            }),
            other => string.push(other),
        }
    }
    Some(Cow::Owned(string))
}

/// The attributes of an event, in order.
///
/// Serialises to a JSON object as HTCondor writes ClassAds: expressions become `/Expr(...)/` strings, `undefined` null.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct EventAd<'a>(Vec<(Text<'a>, AdValue<'a>)>);

impl<'a> EventAd<'a> {
    /// The value of an attribute; names are compared without case.
    pub fn get(&self, name: &str) -> Option<&AdValue<'a>> {
        self.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The attributes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AdValue<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Sets an attribute.
    pub fn insert(&mut self, name: impl Into<Text<'a>>, value: AdValue<'a>) {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(&name)) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends an attribute that is not there yet.
    pub(super) fn push(&mut self, name: impl Into<Text<'a>>, value: AdValue<'a>) {
        self.0.push((name.into(), value));
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            AdValue::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            AdValue::Integer(value) => Some(*value),
            AdValue::Real(value) => Some(*value as i64),
            AdValue::Boolean(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    pub(super) fn int(&self, name: &str) -> Option<i32> {
        self.integer(name)?.try_into().ok()
    }

    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.integer(name)?.try_into().ok()
    }

    pub(super) fn boolean(&self, name: &str) -> bool {
        self.integer(name).is_some_and(|value| value != 0)
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            AdValue::Integer(value) => Some(*value as f64),
            AdValue::Real(value) => Some(*value),
            _ => None,
        }
    }
}

impl Serialize for EventAd<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for AdValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Real(value) => serializer.serialize_f64(*value),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::String(value) => serializer.serialize_str(value),
            Self::Ad(ad) => ad.serialize(serializer),
            Self::List(values) => values.serialize(serializer),
            Self::Expression(text) if text.trim().eq_ignore_ascii_case("undefined") => {
                serializer.serialize_none()
            }
            Self::Expression(text) => serializer.collect_str(&format_args!("/Expr({text})/")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let parse = |text: &'static str| AdValue::parse(Cow::Borrowed(text));
        assert_eq!(parse("12"), AdValue::Integer(12));
        assert_eq!(parse("-1.5E+03"), AdValue::Real(-1500.0));
        assert_eq!(parse("true"), AdValue::Boolean(true));
        assert_eq!(parse("\"a b\""), AdValue::String("a b".into()));
        assert_eq!(parse(r#""a \"b\" \\""#), AdValue::String(r#"a "b" \"#.into()));
        assert_eq!(parse(r#""a" + "b""#), AdValue::Expression(r#""a" + "b""#.into()));
        assert_eq!(parse("1 + 2"), AdValue::Expression("1 + 2".into()));
        assert_eq!(
            parse(r#"{ 1, "a,b", f(x, y) }"#),
            AdValue::List(vec![
                AdValue::Integer(1),
                AdValue::String("a,b".into()),
                AdValue::Expression("f(x, y)".into()),
            ])
        );
        let AdValue::Ad(ad) = parse(r#"[ A = [ B = "x;]" ]; C = 1.5 ]"#) else { panic!() };
        assert_eq!(ad.get("c"), Some(&AdValue::Real(1.5)));
        assert_eq!(parse("[ A = 1 ].A"), AdValue::Expression("[ A = 1 ].A".into()));
    }

    #[test]
    fn deep_nesting_stays_an_expression() {
        let text = "{".repeat(100_000) + &"}".repeat(100_000);
        assert_eq!(AdValue::parse(text.clone().into()).to_expression().len(), text.len() + 2 * 8);
    }

    #[test]
    fn expressions_come_back() {
        for text in ["12", "1.5", "2.0", "true", r#""a \"b\" \\""#, "x > 3", "[ A = 1; B = \"x\" ]"]
        {
            assert_eq!(AdValue::parse(Cow::Borrowed(text)).to_expression(), text);
        }
    }
}
