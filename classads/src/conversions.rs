//! The traits of the standard library that ads, expressions and values have.

use std::ops::Index;
use std::str::FromStr;
use std::sync::Arc;

use crate::ad::ClassAd;
use crate::expr::Expr;
use crate::syntax::error::ParseError;
use crate::value::{List, Value};

/// An ad in brackets, as [`ClassAd::parse`] reads it.
impl FromStr for ClassAd {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

/// Two ads have the same attributes, in any order, with equal expressions. Names are compared
/// without case. A text that is no expression equals the same text alone.
impl PartialEq for ClassAd {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.names().all(|name| match (self.get(name), other.get(name)) {
                (Some(ours), Some(its)) => ours == its,
                (None, None) => self.raw(name) == other.raw(name),
                _ => false,
            })
    }
}

/// Two expressions print the same. Blanks and comments of what was parsed make no difference.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        match (self.as_literal(), other.as_literal()) {
            (Some(ours), Some(its)) => ours == its,
            // A list or an ad is a constant or not, by how it was made.
            _ => self.to_string() == other.to_string(),
        }
    }
}

/// The expression of an attribute.
///
/// # Panics
///
/// When the ad has no such attribute, or its text is no expression; [`ClassAd::get`] is `None`
/// there.
impl Index<&str> for ClassAd {
    type Output = Expr;

    fn index(&self, name: &str) -> &Expr {
        self.get(name).unwrap_or_else(|| panic!("the ad has no attribute {name}"))
    }
}

/// Attributes of a name that is there take its place.
impl<N: AsRef<str>, E: Into<Expr>> Extend<(N, E)> for ClassAd {
    fn extend<I: IntoIterator<Item = (N, E)>>(&mut self, attributes: I) {
        for (name, expr) in attributes {
            self.insert(name.as_ref(), expr);
        }
    }
}

impl<N: AsRef<str>, E: Into<Expr>> FromIterator<(N, E)> for ClassAd {
    fn from_iter<I: IntoIterator<Item = (N, E)>>(attributes: I) -> Self {
        let mut ad = Self::new();
        ad.extend(attributes);
        ad
    }
}

/// The attributes whose text is an expression, as [`ClassAd::iter`] gives them.
impl<'a> IntoIterator for &'a ClassAd {
    type Item = (&'a str, &'a Expr);
    type IntoIter = Box<dyn Iterator<Item = Self::Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl From<ClassAd> for Value {
    fn from(ad: ClassAd) -> Self {
        Self::ClassAd(Arc::new(ad))
    }
}

impl From<List> for Value {
    fn from(elements: List) -> Self {
        Self::List(elements)
    }
}

impl<E: Into<Expr>> FromIterator<E> for Value {
    fn from_iter<I: IntoIterator<Item = E>>(elements: I) -> Self {
        Self::List(elements.into_iter().map(Into::into).collect())
    }
}

/// `None` is `undefined`.
impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Undefined, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ads_are_compared_by_what_they_say() {
        let ad: ClassAd = "[ A = 1; b = a + 2 ]".parse().unwrap();
        assert_eq!(ad, ClassAd::parse("[ B = a  +  2; a = 1 ]").unwrap());
        for other in
            ["[ A = 1 ]", "[ A = 1; b = a + 3 ]", "[ A = 1; c = a + 2 ]", "[ A = 1.0; b = a + 2 ]"]
        {
            assert_ne!(ad, ClassAd::parse(other).unwrap(), "{other}");
        }
        let broken = |text: &str| {
            let mut ad = ClassAd::new();
            ad.insert_raw("x", text, crate::Syntax::Old);
            ad
        };
        assert_eq!(broken("1 +"), broken("1 +"));
        assert_ne!(broken("1 +"), broken("2 +"));
        assert_ne!(broken("1 +"), broken("1"));
    }

    #[test]
    fn ads_are_collected_and_gone_through() {
        let mut ad: ClassAd = [("Owner", "alice"), ("Cmd", "x")].into_iter().collect();
        ad.extend([("owner", Expr::parse("strcat(\"b\", \"ob\")").unwrap())]);
        assert_eq!(ad.len(), 2);
        assert_eq!(ad["OWNER"].to_string(), "strcat(\"b\",\"ob\")");
        let mut names = Vec::new();
        for (name, _) in &ad {
            names.push(name);
        }
        assert_eq!(names.len(), 2);
    }

    #[test]
    #[should_panic(expected = "no attribute Nothing")]
    fn an_attribute_that_is_not_there_has_no_expression() {
        let _ = &ClassAd::new()["Nothing"];
    }

    #[test]
    fn elements_become_a_list() {
        let list: Value = [1, 2].into_iter().collect();
        assert_eq!(list.to_string(), "{ 1,2 }");
    }
}
