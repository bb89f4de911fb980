//! The traits of the standard library that jobs and attributes have.

use std::borrow::Cow;
use std::ops::Index;

use super::{AdValue, EventAd, Text};

impl From<i64> for AdValue<'_> {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for AdValue<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<bool> for AdValue<'_> {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl<'a> From<&'a str> for AdValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(Cow::Borrowed(text))
    }
}

impl From<String> for AdValue<'_> {
    fn from(text: String) -> Self {
        Self::String(Cow::Owned(text))
    }
}

/// The value of an attribute; names are compared without case.
///
/// # Panics
///
/// When there is no such attribute; [`EventAd::get`] is `None` there.
impl<'a> Index<&str> for EventAd<'a> {
    type Output = AdValue<'a>;

    fn index(&self, name: &str) -> &AdValue<'a> {
        self.get(name).unwrap_or_else(|| panic!("the event has no attribute {name}"))
    }
}

/// Of attributes of one name the last counts.
impl<'a, N: Into<Text<'a>>, V: Into<AdValue<'a>>> FromIterator<(N, V)> for EventAd<'a> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(attributes: I) -> Self {
        let mut ad = Self::default();
        for (name, value) in attributes {
            ad.insert(name, value.into());
        }
        ad
    }
}

impl<'s, 'a> IntoIterator for &'s EventAd<'a> {
    type Item = (&'s str, &'s AdValue<'a>);
    type IntoIter = Box<dyn Iterator<Item = Self::Item> + 's>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_collected_and_gone_through() {
        let attributes: [(&str, AdValue<'_>); 3] =
            [("Cluster", 7_i64.into()), ("Owner", "alice".into()), ("cluster", 8_i64.into())];
        let ad: EventAd<'_> = attributes.into_iter().collect();
        assert_eq!(ad["CLUSTER"], AdValue::Integer(8));
        let names: Vec<&str> = (&ad).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Cluster", "Owner"]);
    }
}
