//! A job ad as compact text: the attributes that are needed.
//!
//! A hundred thousand held ads are kept until they are judged; each as text takes a fraction of what it
//! takes with an index and syntax trees.

use classads::{ClassAd, Syntax};

/// Between name and expression of an attribute in the old syntax.
const OLD: &str = " = ";

/// Between name and expression of an attribute in the new syntax.
const NEW: &str = " := ";

/// The text of the attributes of one job ad, an attribute a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdText(Box<str>);

impl AdText {
    /// The text of all attributes of an ad.
    pub fn of(ad: &ClassAd) -> Self {
        let mut text = String::new();
        for (name, expression, syntax) in ad.iter_raw() {
            push(&mut text, name, expression, syntax);
        }
        Self(text.into_boxed_str())
    }

    /// The ad; its expressions are parsed when they are asked for.
    pub fn to_classad(&self) -> ClassAd {
        let mut ad = ClassAd::new();
        for (name, expression, syntax) in self.attributes() {
            ad.insert_raw(name, expression, syntax);
        }
        ad
    }

    /// Names and expressions as they were read.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str, Syntax)> {
        self.0.lines().filter_map(|line| {
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
        let mut text = String::from(&*self.0);
        for (name, expression, syntax) in other.iter_raw() {
            if !own.contains(name) {
                push(&mut text, name, expression, syntax);
            }
        }
        self.0 = text.into_boxed_str();
    }
}

/// Appends an attribute. What cannot stand on one line is left out, or becomes a space in an expression.
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

    proptest! {
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
