//! Attributes and their values.

use std::borrow::Cow;
use std::collections::HashMap;

use classads::{AdError, ClassAd, Expr, Node, NodeKind, Style, Syntax, Value, Written};

use super::super::Text;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
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
    /// Any other ClassAd expression in the new syntax, `undefined` among them.
    #[cfg_attr(feature = "serde", serde(serialize_with = "expression_of_json"))]
    Expression(Text<'a>),
}

impl<'a> AdValue<'a> {
    /// The value of an expression: a literal, an ad or list of such, or the expression itself;
    /// `None` where the text is none. Notes and the XML and JSON forms have the new syntax,
    /// attributes in the text form the old one.
    pub fn read(expression: &Text<'a>, syntax: Syntax) -> Option<Self> {
        let literal = match expression {
            Cow::Borrowed(text) => Self::literal(text.trim()),
            Cow::Owned(text) => AdValue::literal(text.trim()).map(AdValue::into_owned),
        };
        if literal.is_some() {
            return literal;
        }
        let text = expression.trim();
        let expr = match syntax {
            Syntax::New => Expr::parse(text),
            Syntax::Old => Expr::parse_old(text),
        };
        Some(Self::of(expr.ok()?.root()))
    }

    /// The literals that most values are.
    fn literal(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let is_digit_or_dot = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        match bytes {
            [b'"', inner @ .., b'"'] if memchr::memchr2(b'"', b'\\', inner).is_none() => {
                Some(Self::String(Cow::Borrowed(&text[1..text.len() - 1])))
            }
            [b'1'..=b'9', rest @ ..] if rest.len() < 18 && rest.iter().all(u8::is_ascii_digit) => {
                text.parse().ok().map(Self::Integer)
            }
            b"0" => Some(Self::Integer(0)),
            [b'0', b'.', .., b'0'..=b'9'] | [b'1'..=b'9', .., b'0'..=b'9']
                if bytes.contains(&b'.') && bytes.iter().all(is_digit_or_dot) =>
            {
                text.parse().ok().map(Self::Real)
            }
            _ if text.eq_ignore_ascii_case("true") => Some(Self::Boolean(true)),
            _ if text.eq_ignore_ascii_case("false") => Some(Self::Boolean(false)),
            _ => None,
        }
    }

    fn of(node: Node<'_>) -> AdValue<'static> {
        match node.kind() {
            NodeKind::Literal(Value::Integer(value)) => AdValue::Integer(*value),
            NodeKind::Literal(Value::Real(value)) => AdValue::Real(*value),
            NodeKind::Literal(Value::Boolean(value)) => AdValue::Boolean(*value),
            NodeKind::Literal(Value::String(value)) => AdValue::String(value.to_string().into()),
            NodeKind::List(elements) => AdValue::List(elements.into_iter().map(Self::of).collect()),
            NodeKind::ClassAd(ad) => AdValue::Ad(EventAd::from(ad)),
            _ => AdValue::Expression(node.to_expr().print(Style::New).into()),
        }
    }

    /// The value as an expression, in the old syntax with [`Style::Long`].
    pub fn print(&self, style: Style) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Real(value) => Expr::literal(*value).print(Style::Long),
            Self::Boolean(value) => value.to_string(),
            Self::String(value) if style == Style::Long => {
                ["\"", &value.replace('"', "\\\""), "\""].concat()
            }
            Self::String(value) => Expr::literal(&**value).print(style),
            Self::Ad(ad) => {
                let pairs: Vec<String> = ad
                    .iter()
                    .map(|(name, value)| format!("{name} = {}", value.print(style)))
                    .collect();
                format!("[ {} ]", pairs.join("; "))
            }
            Self::List(values) => {
                let values: Vec<String> = values.iter().map(|value| value.print(style)).collect();
                format!("{{ {} }}", values.join(","))
            }
            Self::Expression(text) => match (style, Expr::parse(text)) {
                (Style::Long, Ok(expr)) => expr.print(style),
                _ => text.to_string(),
            },
        }
    }

    /// The same value, borrowed from nothing.
    pub fn into_owned(self) -> AdValue<'static> {
        match self {
            Self::Integer(value) => AdValue::Integer(value),
            Self::Real(value) => AdValue::Real(value),
            Self::Boolean(value) => AdValue::Boolean(value),
            Self::String(text) => AdValue::String(Cow::Owned(text.into_owned())),
            Self::Ad(ad) => AdValue::Ad(ad.into_owned()),
            Self::List(values) => AdValue::List(values.into_iter().map(Self::into_owned).collect()),
            Self::Expression(text) => AdValue::Expression(Cow::Owned(text.into_owned())),
        }
    }
}

/// The attributes of an event, in order.
///
/// Serialises to a JSON object as HTCondor writes ClassAds: expressions become `/Expr(...)/`
/// strings, `undefined` null.
#[derive(Clone, Debug, Default)]
pub struct EventAd<'a> {
    pairs: Vec<(Text<'a>, AdValue<'a>)>,
    /// Where the names, in lower case, are in an ad of more than [`FEW`] attributes.
    index: Option<Box<Index>>,
}

/// Positions of names. Apart, as it would make every value larger.
#[derive(Clone, Debug, Default)]
struct Index(HashMap<String, usize>);

impl Index {
    /// Of equal names the first counts.
    fn add(&mut self, name: &str, at: usize) {
        self.0.entry(name.to_ascii_lowercase()).or_insert(at);
    }
}

/// Attributes among which a name is looked for one by one; events have some twenty.
const FEW: usize = 64;

impl PartialEq for EventAd<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.pairs == other.pairs
    }
}

impl From<&ClassAd> for EventAd<'static> {
    fn from(ad: &ClassAd) -> Self {
        ad.iter().map(|(name, expr)| (name.to_owned(), AdValue::of(expr.root()))).collect()
    }
}

impl<'a> EventAd<'a> {
    pub(super) fn with_capacity(attributes: usize) -> Self {
        Self { pairs: Vec::with_capacity(attributes), index: None }
    }

    /// The attributes that `attributes` finds in a text.
    pub(super) fn read(
        bytes: &[u8],
        attributes: impl FnOnce(&str, &mut dyn FnMut(String, Written<'_>)) -> Result<(), AdError>,
    ) -> Result<EventAd<'static>, AdError> {
        // The check alone is faster than a lossy copy, and most texts pass it.
        let text = str::from_utf8(bytes);
        let text = text.map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        let mut ad = EventAd::with_capacity(24);
        attributes(&text, &mut |name, value| {
            let value = match value {
                Written::String(text) => Some(AdValue::String(text.into_owned().into())),
                Written::Expression(text) => AdValue::read(&text.into(), Syntax::New),
            };
            if let Some(value) = value {
                ad.insert(name, value.into_owned());
            }
        })?;
        Ok(ad)
    }

    fn position(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.0.get(&name.to_ascii_lowercase()).copied(),
            None => self.pairs.iter().position(|(key, _)| key.eq_ignore_ascii_case(name)),
        }
    }

    /// The value of an attribute; names are compared without case.
    pub fn get(&self, name: &str) -> Option<&AdValue<'a>> {
        self.position(name).map(|at| &self.pairs[at].1)
    }

    /// The attributes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AdValue<'a>)> {
        self.pairs.iter().map(|(name, value)| (&**name, value))
    }

    /// The same attributes, borrowed from nothing.
    pub fn into_owned(self) -> EventAd<'static> {
        let mut ad = EventAd::with_capacity(self.pairs.len());
        for (name, value) in self.pairs {
            ad.push(name.into_owned(), value.into_owned());
        }
        ad
    }

    /// Sets an attribute.
    pub fn insert(&mut self, name: impl Into<Text<'a>>, value: AdValue<'a>) {
        let name = name.into();
        match self.position(&name) {
            Some(at) => self.pairs[at].1 = value,
            None => self.push(name, value),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Appends an attribute that is not there yet.
    pub(super) fn push(&mut self, name: impl Into<Text<'a>>, value: AdValue<'a>) {
        let name = name.into();
        if let Some(index) = &mut self.index {
            index.add(&name, self.pairs.len());
        }
        self.pairs.push((name, value));
        if self.index.is_none() && self.pairs.len() > FEW {
            let index = self.index.insert(Box::default());
            for (at, (name, _)) in self.pairs.iter().enumerate() {
                index.add(name, at);
            }
        }
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

#[cfg(feature = "serde")]
impl serde::Serialize for EventAd<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// An expression as HTCondor writes it in JSON.
#[cfg(feature = "serde")]
fn expression_of_json<S: serde::Serializer>(
    text: &Text<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if text.trim().eq_ignore_ascii_case("undefined") {
        return serializer.serialize_none();
    }
    serializer.collect_str(&format_args!("/Expr({text})/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let parse = |text: &'static str| AdValue::read(&text.into(), Syntax::New).unwrap();
        assert_eq!(parse("12"), AdValue::Integer(12));
        assert_eq!(parse("-1.5E+03"), AdValue::Real(-1500.0));
        assert_eq!(parse("10.25"), AdValue::Real(10.25));
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
                AdValue::Expression("f(x,y)".into()),
            ])
        );
        let AdValue::Ad(ad) = parse(r#"[ A = [ B = "x;]" ]; C = 1.5 ]"#) else { panic!() };
        assert_eq!(ad.get("c"), Some(&AdValue::Real(1.5)));
        assert_eq!(parse("[ A = 1 ].A"), AdValue::Expression("[ A = 1 ].A".into()));
    }

    #[test]
    fn deep_nesting_is_no_expression() {
        let text = "{".repeat(100_000) + &"}".repeat(100_000);
        assert_eq!(AdValue::read(&text.into(), Syntax::New), None);
    }

    #[test]
    fn backslashes_of_the_old_syntax() {
        let parse = |text: &'static str| AdValue::read(&text.into(), Syntax::Old).unwrap();
        assert_eq!(parse(r#""C:\temp \"x\" \\""#), AdValue::String(r#"C:\temp "x" \\"#.into()));
        let value = AdValue::String(r#"C:\temp "x""#.into());
        assert_eq!(value.print(Style::Long), r#""C:\temp \"x\"""#);
        assert_eq!(value.print(Style::New), r#""C:\\temp \"x\"""#);
    }

    #[test]
    fn attributes_of_large_ads_are_found_as_in_small_ones() {
        let names = |count: usize| (0..count).map(|number| format!("Name{}", number % 70_000));
        let mut ad = EventAd::default();
        for (number, name) in names(140_000).enumerate() {
            ad.insert(name, AdValue::Integer(number as i64));
        }
        assert_eq!(ad.iter().count(), 70_000);
        for number in [0, 63, 64, 65, 69_999] {
            let value = AdValue::Integer(number + 70_000);
            assert_eq!(ad.get(&format!("nAME{number}")), Some(&value));
        }
        assert_eq!(ad.get("Name70000"), None);
    }

    #[test]
    fn expressions_come_back() {
        for text in ["12", "1.5", "2.0", "true", r#""a \"b\" \\""#, "x > 3", "[ A = 1; B = \"x\" ]"]
        {
            let value = AdValue::read(&text.into(), Syntax::New).unwrap();
            assert_eq!(value.print(Style::New), text);
        }
    }
}
