//! Clauses with parts that are filled in.

use serde::Deserialize;

/// A clause: `{name}` is a part, and what stands between `[` and `]` is left out where a part in it
/// is not known.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Template(String);

/// Parts that a clause may name, and what stands for one that is not known.
const DEFAULTS: [(&str, &str); 15] = [
    ("url", "the URL"),
    ("path", "the file"),
    ("host", "the server"),
    ("machine", "the machine"),
    ("image", "the image"),
    ("attribute", "the attribute"),
    ("number", "the limit"),
    ("word", "the name"),
    ("word2", "the other name"),
    ("rest", "what the reason says"),
    ("test", "the expression"),
    ("proxy", "the proxy"),
    ("output", "the standard error"),
    ("log", "the event log"),
    ("iwd", "the initial working directory"),
];

/// Names of parts.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DEFAULTS.iter().map(|(name, _)| *name)
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once('{') {
            let (name, after) =
                after.split_once('}').ok_or_else(|| format!("{text:?} has a {{ without }}"))?;
            if !DEFAULTS.iter().any(|(known, _)| *known == name) {
                let known = DEFAULTS.map(|(name, _)| name).join(", ");
                return Err(format!("{text:?} names {{{name}}}; known are {known}"));
            }
            rest = after;
        }
        if text.matches('[').count() != text.matches(']').count() {
            return Err(format!("{text:?} has a [ without ]"));
        }
        match text.is_empty() || text.ends_with('.') {
            true => Err(format!("{text:?}: a clause is wanted, without a full stop")),
            false => Ok(Self(text)),
        }
    }
}

impl Template {
    /// The clause as it was written.
    pub fn source(&self) -> &str {
        &self.0
    }

    /// Whether it names this part.
    pub(super) fn names(&self, name: &str) -> bool {
        self.0.split('{').skip(1).any(|rest| rest.split('}').next() == Some(name))
    }

    /// The clause with its parts, as far as `value` knows them.
    pub(super) fn fill(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let mut out = String::new();
        let mut rest = self.0.as_str();
        while let Some(at) = rest.find('[') {
            let (before, after) = rest.split_at(at);
            let (inner, after) = after[1..].split_once(']').unwrap_or((&after[1..], ""));
            out.push_str(&filled(before, &value).0);
            let (text, is_known) = filled(inner, &value);
            if is_known {
                out.push_str(&text);
            }
            rest = after;
        }
        out + &filled(rest, &value).0
    }
}

/// The text with its parts, and whether all are known.
fn filled(text: &str, value: &impl Fn(&str) -> Option<String>) -> (String, bool) {
    let (mut out, mut is_known, mut rest) = (String::new(), true, text);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        match value(name) {
            Some(value) => out.push_str(&value),
            None => {
                is_known = false;
                let default = DEFAULTS.iter().find(|(known, _)| *known == name);
                let words = default.map_or(name, |(_, words)| words);
                // `the server {host}` says it already.
                match out.trim_end().ends_with(words) {
                    true => out.truncate(out.trim_end().len()),
                    false => out.push_str(words),
                }
            }
        }
        rest = after;
    }
    (out + rest, is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_in_or_stood_for() {
        let template = |text: &str| Template::try_from(text.to_owned());
        let known = |name: &str| (name == "url").then(|| "http://a/b".to_owned());
        for (text, filled) in [
            ("correct {url}", "correct http://a/b"),
            ("see {output}", "see the standard error"),
            ("the server {host} is off", "the server is off"),
            ("see its output[ in {output}] first", "see its output first"),
            ("put it back[ to {url}]", "put it back to http://a/b"),
        ] {
            assert_eq!(template(text).unwrap().fill(known), filled);
        }
        for (text, said) in [("see {x}", "known are"), ("a {url", "without }"), ("a.", "full stop")]
        {
            assert!(template(text).unwrap_err().contains(said), "{text}");
        }
    }
}
