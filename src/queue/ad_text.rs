//! A job ad as compact text: the lines of the attributes that are needed.
//!
//! A hundred thousand held ads of 5 KB each are read at once for their counts; kept as syntax trees they
//! would need many times the memory of their text.

use std::borrow::Cow;

use classads::{ClassAd, Syntax};

use crate::userlog::JobId;

/// Lines `Name = expression` of one job ad, old ClassAd syntax.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdText(Box<str>);

impl AdText {
    /// Takes over lines `Name = expression`.
    pub(super) fn new(lines: String) -> Self {
        Self(lines.into_boxed_str())
    }

    /// The lines.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Names and expressions.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.lines().filter_map(|line| line.split_once(" = "))
    }

    /// The text of the expression of an attribute, whatever the case of its name. Of two the last counts.
    pub fn expression(&self, name: &str) -> Option<&str> {
        self.0.lines().rev().find_map(|line| {
            let (key, rest) = line.split_at_checked(name.len())?;
            let expression = rest.strip_prefix(" = ")?;
            key.eq_ignore_ascii_case(name).then_some(expression)
        })
    }

    /// The value of an attribute that is an integer literal.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.expression(name)?.parse().ok()
    }

    /// The value of an attribute that is a string literal.
    pub fn string(&self, name: &str) -> Option<Cow<'_, str>> {
        let inner = self.expression(name)?.strip_prefix('"')?.strip_suffix('"')?;
        Some(if inner.contains("\\\"") {
            Cow::Owned(inner.replace("\\\"", "\""))
        } else {
            Cow::Borrowed(inner)
        })
    }

    /// ClusterId and ProcId; `None` for cluster ads and ads of other things.
    pub fn job_id(&self) -> Option<JobId> {
        let number = |name| i32::try_from(self.integer(name)?).ok().filter(|id| *id >= 0);
        Some(JobId::new(number("ClusterId")?, number("ProcId")?))
    }

    /// The ad to evaluate expressions on; they are parsed when they are asked for.
    pub fn to_classad(&self) -> ClassAd {
        let mut ad = ClassAd::new();
        for (name, expression) in self.attributes() {
            ad.insert_raw(name, expression, Syntax::Old);
        }
        ad
    }

    /// Adds the attributes of another ad of the same job that this one lacks.
    pub(super) fn complete(&mut self, other: &Self) {
        let mut text = String::from(&*self.0);
        for (name, expression) in other.attributes() {
            if self.expression(name).is_none() {
                push_line(&mut text, name, expression);
            }
        }
        *self = Self::new(text);
    }
}

/// Appends `Name = expression` to lines of an ad.
pub(super) fn push_line(lines: &mut String, name: &str, expression: &str) {
    lines.push_str(name);
    lines.push_str(" = ");
    if memchr::memchr2(b'\n', b'\r', expression.as_bytes()).is_none() {
        lines.push_str(expression);
    } else {
        // A line end would begin another attribute.
        lines.push_str(&expression.replace(['\n', '\r'], " "));
    }
    lines.push('\n');
}

/// A string literal of the old syntax; what it cannot hold becomes a space.
pub(super) fn string_literal(text: &str) -> String {
    let room = if text.ends_with('\\') { " " } else { "" };
    format!("\"{}{room}\"", text.replace('"', "\\\""))
}

/// What is wrong with the text of an expression as far as quotes tell.
pub(super) fn quotes_fault(expression: &str) -> Option<&'static str> {
    let bytes = expression.as_bytes();
    let mut open = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'"', b'\'', b'\\', &bytes[at..]) {
        let here = at + found;
        at = here + 1;
        match (bytes[here], open) {
            // A backslash is itself, except before a quote that is not the last character.
            (b'\\', Some(quote)) if bytes.get(at) == Some(&quote) && at + 1 < bytes.len() => {
                at += 1;
            }
            (b'\\', _) => {}
            (quote, None) => open = Some(quote),
            (quote, Some(begun)) if quote == begun => open = None,
            _ => {}
        }
    }
    open.map(|_| "a quote is not closed")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_of_literals() {
        let ad = AdText::new(
            "ClusterId = 12\nProcId = 0\nHoldReason = \"say \\\"no\\\" = x\"\nA = 1 + 1\nprocid = 3\n".into(),
        );
        assert_eq!(ad.job_id(), Some(JobId::new(12, 3)));
        assert_eq!(ad.string("holdreason").as_deref(), Some("say \"no\" = x"));
        assert_eq!(ad.expression("A"), Some("1 + 1"));
        assert_eq!(ad.integer("A"), None);
        assert_eq!(ad.string("B"), None);
        assert_eq!(AdText::new("ClusterId = 5\nProcId = -1\n".into()).job_id(), None);
    }

    #[test]
    fn ads_of_one_job_are_joined() {
        let mut ad = AdText::new("ClusterId = 1\nA = 2\n".into());
        ad.complete(&AdText::new("a = 3\nB = 4\n".into()));
        assert_eq!(ad.as_str(), "ClusterId = 1\nA = 2\nB = 4\n");
    }

    #[test]
    fn becomes_a_classad() {
        let ad = AdText::new("NumHolds = 2\nA = NumHolds + 1\nB = \"C:\\dir \\\"x\\\"\"\n".into());
        let ad = ad.to_classad();
        assert_eq!(ad.integer("a"), Some(3));
        assert_eq!(ad.string("B").as_deref(), Some(r#"C:\dir "x""#));
    }

    #[test]
    fn quotes() {
        for good in
            ["1", "\"a\"", r#""a\"b""#, r#""C:\dir\""#, "'A b' + \"'\"", r#"strcat("a", "b")"#]
        {
            assert_eq!(quotes_fault(good), None, "{good}");
        }
        for bad in ["\"a", r#""a\"b"#, "\"a\" + \"", "'x"] {
            assert!(quotes_fault(bad).is_some(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn strings_read_back(text in "[ -!#-\\[\\]-~\"]{0,30}") {
            let ad = AdText::new(format!("S = {}\n", string_literal(&text)));
            let read = ad.string("S");
            prop_assert_eq!(read.as_deref(), Some(text.as_str()));
            prop_assert_eq!(quotes_fault(&string_literal(&text)), None);
        }

        #[test]
        fn lines_stay_lines(name in "[A-Z]{1,5}", expression in any::<String>()) {
            let mut lines = String::new();
            push_line(&mut lines, &name, &expression);
            prop_assert!(lines.ends_with('\n'));
            prop_assert_eq!(lines.matches('\n').count(), 1);
        }
    }
}
