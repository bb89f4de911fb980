//! The traits of the standard library that jobs and attributes have.

use std::borrow::Cow;
use std::ops::Index;

use super::{AdValue, EventAd, JobId, Text};

/// ClusterId and ProcId.
impl From<(i32, i32)> for JobId {
    fn from((cluster, proc): (i32, i32)) -> Self {
        Self::new(cluster, proc)
    }
}

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

impl<'a> From<EventAd<'a>> for AdValue<'a> {
    fn from(ad: EventAd<'a>) -> Self {
        Self::Ad(ad)
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

/// Attributes of a name that is there take its place.
impl<'a, N: Into<Text<'a>>, V: Into<AdValue<'a>>> Extend<(N, V)> for EventAd<'a> {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, attributes: I) {
        for (name, value) in attributes {
            self.insert(name, value.into());
        }
    }
}

impl<'a, N: Into<Text<'a>>, V: Into<AdValue<'a>>> FromIterator<(N, V)> for EventAd<'a> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(attributes: I) -> Self {
        let mut ad = Self::default();
        ad.extend(attributes);
        ad
    }
}

impl<'a> IntoIterator for EventAd<'a> {
    type Item = (Text<'a>, AdValue<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_pairs().into_iter()
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
    fn attributes_are_collected_and_taken_apart() {
        let mut ad: EventAd<'_> = [("Cluster", 7_i64), ("Proc", 0)].into_iter().collect();
        ad.extend([("cluster", AdValue::from(8)), ("Owner", "alice".into())]);
        assert_eq!(ad["CLUSTER"], AdValue::Integer(8));
        let names: Vec<String> = (&ad).into_iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, ["Cluster", "Proc", "Owner"]);
        assert_eq!(ad.into_iter().next_back().unwrap().1, AdValue::from("alice"));
    }
}
