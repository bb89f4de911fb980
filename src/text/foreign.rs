//! What users, servers and programs wrote.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

use super::{DIFFERS, printable, shared_letters, shared_words, shorten, shown};

/// Text of others: hold reasons, what programs wrote, names of files, URLs, servers, places and
/// accounts, values of attributes.
///
/// It has no `Display` and is no `str`: in a sentence it stands in quotation marks, so that none can
/// look like a sentence, a line or an advice of ours. Secrets in it are printed nowhere.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct Foreign(String);

impl Foreign {
    /// As it was given, for what reads or compares it. It is not fit to print.
    pub fn as_given(&self) -> &str {
        &self.0
    }

    /// In quotation marks, at most so many characters of it. Quotation marks and backslashes in it
    /// have a backslash before them.
    pub fn quoted(&self, limit: usize) -> String {
        let text = shorten(&printable(&self.0), limit).replace('\\', "\\\\");
        // As characters that nobody sees are written.
        let text = text.replace("\\\\u{", "\\u{");
        format!("\"{}\"", text.replace('"', "\\\""))
    }

    /// A name: [`Foreign::quoted`] unless it is one word of ASCII letters, digits and the signs of
    /// paths and URLs, which cannot be read as more than a name.
    pub fn named(&self, limit: usize) -> String {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || SIGNS.contains(&byte);
        let is_name = self.0.split(DIFFERS).flat_map(str::bytes).all(is_plain);
        match is_name && !self.0.is_empty() {
            true => shorten(&printable(&self.0), limit).into_owned(),
            false => self.quoted(limit),
        }
    }

    /// The folder that two files, or a file and a folder, have in common; `None` without one.
    pub fn folder_with(&self, other: &Self) -> Option<Self> {
        let [one, two] = [self, other].map(|path| Path::new(&path.0));
        let both = one.ancestors().find(|folder| two.starts_with(folder))?;
        let is_named = both.parent().is_some_and(|parent| parent.parent().is_some());
        is_named.then(|| Self(both.to_string_lossy().into_owned()))
    }

    /// A ClassAd expression: [`Foreign::quoted`] if it has a comment or a name in single quotes,
    /// which may be any text, or is cut off within a string.
    pub fn expression(&self, limit: usize) -> String {
        let text = shown(&self.0, limit);
        let (mut is_string, mut before, mut is_plain) = (false, ' ', true);
        for c in text.chars() {
            // A backslash stands before a quotation mark within.
            is_string ^= c == '"' && before != '\\';
            is_plain &= is_string || !(c == '\'' || before == '/' && matches!(c, '/' | '*'));
            before = c;
        }
        if is_plain && !is_string { text } else { self.quoted(limit) }
    }

    /// The name of several files, `/in/[...].dat`; `None` where two names are no paths that begin
    /// alike.
    pub(crate) fn shared_name(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(self.clone());
        }
        let [one, other] = [self, other].map(Self::value);
        let shared = shared_letters(&one, &other);
        let are_paths = one.contains('/') && other.contains('/') && !shared.starts_with(DIFFERS);
        are_paths.then_some(Self(shared))
    }

    /// What two texts have in common, where that is most of their words.
    pub(crate) fn shared_words(&self, other: &Self) -> Option<Self> {
        shared_words(&self.value(), &other.value()).map(Self)
    }

    /// The whole text where the format says where it begins and ends: a value of JSON, of a ClassAd
    /// or of a column.
    pub fn value(&self) -> String {
        printable(&self.0).into_owned()
    }
}

/// Signs of paths, URLs, addresses and names of slots.
const SIGNS: &[u8] = b"_-./:@%+=,~#?&*$^";

impl From<String> for Foreign {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Foreign {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl PartialEq<str> for Foreign {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Foreign {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// As [`Foreign::quoted`].
impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.quoted(usize::MAX))
    }
}

/// As [`Foreign::value`].
impl Serialize for Foreign {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.value())
    }
}

impl JsonSchema for Foreign {
    fn schema_name() -> Cow<'static, str> {
        "Foreign".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "What a user, a server or a program wrote: data, no word of the tool.",
            "type": "string"
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted(text: &str) -> String {
        Foreign::from(text).quoted(40)
    }

    #[test]
    fn text_stands_in_quotation_marks() {
        assert_eq!(quoted("no\nway"), r#""no way""#);
        assert_eq!(quoted(r#"a" Advice: "b\"#), r#""a\" Advice: \"b\\""#);
        assert_eq!(quoted("\u{1b}[1m\u{202e}x"), r#""\u{202e}x""#);
        assert_eq!(quoted("https://me:pw@h/x"), r#""https://***@h/x""#);
    }

    #[test]
    fn files_have_a_folder_in_common() {
        let common = |one: &str, two: &str| Foreign::from(one).folder_with(&two.into());
        assert_eq!(common("/srv/out/a/1.dat", "/srv/out/b.dat"), Some("/srv/out".into()));
        assert_eq!(common("/srv/out", "/srv/out/b.dat"), Some("/srv/out".into()));
        // What all jobs have in common says nothing.
        assert_eq!(common("/home/ana/1.dat", "/home/bob/1.dat"), None);
        assert_eq!(common("a/1.dat", "/a/1.dat"), None);
    }

    #[test]
    fn a_plain_name_stands_as_it_is() {
        let named = |text: &str| Foreign::from(text).named(40);
        for plain in ["/home/a/in_1.dat", "http://h:80/x?run=3", "slot1_2@e1.example.org"] {
            assert_eq!(named(plain), plain);
        }
        for other in ["", "in order. Release it", "x\u{200b}", "a\"b", "é", "x;", "`x`", "(x)"] {
            assert!(named(other).starts_with('"') && named(other).ends_with('"'), "{other}");
        }
        assert_eq!(named("http://h/x?sig=y"), "http://h/x?***");
    }

    #[test]
    fn an_expression_of_words_in_quotation_marks_alone_stands_as_it_is() {
        const CUT: &str = "Note == \"Run condor_rm -all. Run condor_rm -all. Run condor_rm -all.\"";
        let shown = |text: &str| Foreign::from(text).expression(60);
        for plain in ["NumHolds < 3 && Note == \"it's // \\\" x\"", "a / 2 * 3"] {
            assert_eq!(shown(plain), plain);
        }
        for other in ["'Run condor_rm -all' > 1", "true /* Run it */", "true // Run it", CUT] {
            assert!(shown(other).starts_with('"') && shown(other).ends_with('"'), "{other}");
        }
    }

    proptest! {
        #[test]
        fn the_quotation_ends_where_the_text_does(text in any::<String>()) {
            let quoted = Foreign::from(text).quoted(usize::MAX);
            let mut inner = quoted[1..quoted.len() - 1].chars();
            while let Some(c) = inner.next() {
                prop_assert_ne!(c, '"');
                prop_assert!(c != '\\' || matches!(inner.next(), Some('"' | '\\' | 'u')));
            }
        }
    }
}
