//! A job ad as compact text: the attributes that are needed.
//!
//! A hundred thousand held ads are kept until they are judged; each as text takes a fraction of
//! what it takes with an index and syntax trees.

use std::sync::{Arc, Weak};

use classads::{ClassAd, Syntax};

use crate::shares::ItemSize;

/// Between name and expression of an attribute in the old syntax.
const OLD: &str = " = ";

/// Between name and expression of an attribute in the new syntax.
const NEW: &str = " := ";

/// Lines of another ad's text that can be shared: a bit each.
const SHARED: usize = 128;

/// The text of the attributes of one job ad, an attribute a line. Lines that the ad of a like job
/// has too are kept once: jobs of a cluster differ in few.
#[derive(Clone, Debug, Default)]
pub struct AdText {
    /// Lines of this and other ads.
    common: Arc<str>,
    /// Which of the common lines are this ad's, the first in the lowest bit.
    has: u128,
    /// The other lines.
    own: Box<str>,
}

impl AdText {
    /// The text of all attributes of an ad.
    pub fn of(ad: &ClassAd) -> Self {
        let mut text = String::new();
        for (name, expression, syntax) in ad.iter_raw() {
            push(&mut text, name, expression, syntax);
        }
        let (common, own) = text.split_at(first_lines(&text, SHARED));
        let has = match common.lines().count() {
            0 => 0,
            lines => u128::MAX >> (SHARED - lines),
        };
        Self { common: common.into(), has, own: own.into() }
    }

    /// [`AdText::of`], sharing the lines of the ad of a like job where they are most of this one.
    pub fn like(ad: &ClassAd, other: &Self) -> Self {
        Self::sharing(ad, &other.common)
    }

    /// The same by the lines of the other one ([`AdText::common`]).
    pub fn sharing(ad: &ClassAd, common: &Arc<str>) -> Self {
        let mut lines = common.lines().enumerate();
        let (mut has, mut shared, mut own) = (0, 0, String::new());
        let mut line = String::new();
        for (name, expression, syntax) in ad.iter_raw() {
            line.clear();
            push(&mut line, name, expression, syntax);
            // Attributes of like ads stand in the same order: what one lacks is passed over.
            let place = lines.clone().position(|(_, other)| {
                other.len() > name.len()
                    && other.as_bytes()[name.len()] == b' '
                    && other.as_bytes()[..name.len()] == *name.as_bytes()
            });
            let found = place.and_then(|place| lines.nth(place));
            match found.filter(|(_, other)| line.strip_suffix('\n') == Some(*other)) {
                Some((at, other)) => {
                    has |= 1_u128 << at;
                    shared += other.len();
                }
                None => own.push_str(&line),
            }
        }
        if shared < own.len() {
            return Self::of(ad);
        }
        Self { common: Arc::clone(common), has, own: own.into_boxed_str() }
    }

    /// The ad; its expressions are parsed when they are asked for.
    pub fn to_classad(&self) -> ClassAd {
        self.part(|_| true)
    }

    /// The attributes of the ad whose names `keeps` is true for.
    pub fn part(&self, keeps: impl Fn(&str) -> bool) -> ClassAd {
        let mut ad = ClassAd::with_capacity(SHARED, self.common.len() + self.own.len());
        for (name, expression, syntax) in self.attributes().filter(|(name, ..)| keeps(name)) {
            ad.insert_raw(name, expression, syntax);
        }
        ad
    }

    /// Bytes of all attributes, and of lines that only like ads have.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.common.len() + self.own.len()
    }

    /// The lines that the ad of a like job may share, as long as this or another one has them.
    #[must_use]
    pub fn common(&self) -> Weak<str> {
        Arc::downgrade(&self.common)
    }

    /// Names and expressions as they were read.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str, Syntax)> {
        let common = lines(&self.common).enumerate().filter(|(at, _)| self.has >> at & 1 == 1);
        common.map(|(_, line)| line).chain(lines(&self.own)).filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            match rest.strip_prefix("= ") {
                Some(expression) => Some((name, expression, Syntax::Old)),
                None => Some((name, rest.strip_prefix(":= ")?, Syntax::New)),
            }
        })
    }

    /// Adds the attributes of another ad of the same job that this one lacks.
    pub(super) fn complete(&mut self, other: &ClassAd) {
        let own = self.to_classad();
        let mut text = String::from(&*self.own);
        for (name, expression, syntax) in other.iter_raw() {
            if !own.contains(name) {
                push(&mut text, name, expression, syntax);
            }
        }
        self.own = text.into_boxed_str();
    }
}

impl ItemSize for AdText {
    fn size(&self) -> u64 {
        let common = if Arc::strong_count(&self.common) == 1 { self.common.len() } else { 0 };
        (common + self.own.len()) as u64
    }
}

/// The lines of a text in which each ends with a newline.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut begin = 0;
    memchr::memchr_iter(b'\n', text.as_bytes())
        .map(move |end| &text[std::mem::replace(&mut begin, end + 1)..end])
}

/// Bytes of the first lines of a text, at most `count` of them.
fn first_lines(text: &str, count: usize) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).take(count).last().map_or(0, |end| end + 1)
}

/// Appends an attribute. What cannot stand on one line is left out, or becomes a space in an
/// expression.
fn push(text: &mut String, name: &str, expression: &str, syntax: Syntax) {
    if name.is_empty() || name.contains([' ', '\n', '\r']) {
        return;
    }
    text.push_str(name);
    text.push_str(match syntax {
        Syntax::Old => OLD,
        Syntax::New => NEW,
    });
    if memchr::memchr2(b'\n', b'\r', expression.as_bytes()).is_none() {
        text.push_str(expression);
    } else {
        text.push_str(&expression.replace(['\n', '\r'], " "));
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ad(text: &str) -> ClassAd {
        classads::read_ads(text.as_bytes()).next().unwrap().unwrap()
    }

    /// Whatever their order.
    fn attributes(text: &AdText) -> Vec<(&str, &str, bool)> {
        let of_old = |(name, text, syntax)| (name, text, syntax == Syntax::Old);
        let mut attributes: Vec<_> = text.attributes().map(of_old).collect();
        attributes.sort_unstable();
        attributes
    }

    #[test]
    fn ads_come_back() {
        let long = ad("NumHolds = 2\nA = NumHolds + 1\nB = \"C:\\dir \\\"x\\\"\"\n");
        let json = ad(r#"{"NumHolds": 2, "A": "/Expr(NumHolds + 1)/", "B": "C:\\dir \"x\""}"#);
        for ad in [long, json] {
            let back = AdText::of(&ad).to_classad();
            assert_eq!(back.integer("a"), Some(3));
            assert_eq!(back.string("B").as_deref(), Some(r#"C:\dir "x""#));
        }
    }

    #[test]
    fn ads_of_one_job_are_joined() {
        let mut text = AdText::of(&ad("ClusterId = 1\nA = 2\n"));
        text.complete(&ad("a = 3\nB = 4\n"));
        let joined = text.to_classad();
        assert_eq!((joined.len(), joined.integer("A"), joined.integer("B")), (3, Some(2), Some(4)));
    }

    #[test]
    fn like_ads_share_lines() {
        let first =
            ad("ClusterId = 1\nProcId = 0\nA = 2\nB = \"a text that is long enough\"\nC = 4\n");
        let first = AdText::of(&first);
        let second =
            ad("ProcId = 1\nA = 2\nB = \"a text that is long enough\"\nD = 5\nClusterId = 1\n");
        let like = AdText::like(&second, &first);
        assert!(Arc::ptr_eq(&like.common, &first.common));
        assert_eq!(attributes(&like), attributes(&AdText::of(&second)));
        assert_eq!(&*like.own, "ProcId = 1\nD = 5\nClusterId = 1\n");
        let other = AdText::like(&ad("X = 1\nY = 2\n"), &first);
        assert!(!Arc::ptr_eq(&other.common, &first.common));
        assert_eq!(other.to_classad().len(), 2);
    }

    proptest! {
        #[test]
        fn sharing_changes_nothing(
            first in proptest::collection::vec(("[A-F]", 0..3), 0..8),
            second in proptest::collection::vec(("[A-F]", 0..3), 0..8),
            many in 0..300,
        ) {
            let ad = |attributes: &[(String, i32)]| {
                let mut ad = ClassAd::new();
                for (name, value) in attributes {
                    ad.insert_raw(name, &value.to_string(), Syntax::Old);
                }
                for number in 0..many {
                    ad.insert_raw(&format!("G{number}"), "1", Syntax::New);
                }
                ad
            };
            let (first, second) = (AdText::of(&ad(&first)), ad(&second));
            let like = AdText::like(&second, &first);
            let whole = AdText::of(&second);
            prop_assert_eq!(attributes(&like), attributes(&whole));
            prop_assert_eq!(like.to_classad().len(), second.len());
        }

        #[test]
        fn attributes_stay_attributes(name in "[A-Z]{1,5}", expression in any::<String>()) {
            for syntax in [Syntax::Old, Syntax::New] {
                let mut ad = ClassAd::new();
                ad.insert_raw(&name, &expression, syntax);
                let text = AdText::of(&ad);
                let read: Vec<_> = text.attributes().collect();
                let expected = expression.replace(['\n', '\r'], " ");
                prop_assert_eq!(read, [(name.as_str(), expected.as_str(), syntax)]);
            }
        }
    }
}
