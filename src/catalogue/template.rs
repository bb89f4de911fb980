//! Clauses with parts that are filled in.

use serde::Deserialize;

/// A clause: `{name}` is a part, and what stands between `[` and `]` is left out where a part in it
/// is not known.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Template {
    source: String,
    names: Vec<&'static str>,
}

/// Parts that a clause may name, what stands for one that is not known, and whether a wording may
/// keep it of a text.
const PARTS: [(&str, &str, bool); 15] = [
    ("url", "the URL", true),
    ("path", "the file", true),
    ("host", "the server", true),
    ("image", "the image", true),
    ("attribute", "the attribute", true),
    ("number", "the limit", true),
    ("word", "the name", true),
    ("word2", "the other name", true),
    ("rest", "what the reason says", true),
    ("test", "the expression", true),
    ("machine", "the machine", false),
    ("proxy", "the proxy", false),
    ("output", "the standard error", false),
    ("log", "the event log", false),
    ("iwd", "the initial working directory", false),
];

/// Names of parts that a wording may keep.
pub(super) fn names_in_texts() -> impl Iterator<Item = &'static str> {
    PARTS.iter().filter(|(.., in_texts)| *in_texts).map(|(name, ..)| *name)
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (mut rest, mut names) = (text.as_str(), Vec::new());
        while let Some((_, after)) = rest.split_once('{') {
            let (name, after) =
                after.split_once('}').ok_or_else(|| format!("{text:?} has a {{ without }}"))?;
            let Some((known, ..)) = PARTS.iter().find(|(known, ..)| *known == name) else {
                let known: Vec<&str> = PARTS.iter().map(|(known, ..)| *known).collect();
                let known = known.join(", ");
                return Err(format!("{text:?} names {{{name}}}; known are {known}"));
            };
            names.push(*known);
            rest = after;
        }
        // Without brackets in brackets.
        let brackets: Vec<&str> = text.matches(['[', ']']).collect();
        if !brackets.chunks(2).all(|pair| pair == ["[", "]"]) {
            return Err(format!("{text:?} has a [ without ], or one within another"));
        }
        match text.is_empty() || text.ends_with('.') {
            true => Err(format!("{text:?}: a clause is wanted, without a full stop")),
            false => Ok(Self { source: text, names }),
        }
    }
}

impl Template {
    /// The clause as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The parts that it names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }

    /// The clause with its parts, as far as `value` knows them.
    pub(super) fn fill(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let mut out = String::new();
        let mut rest = self.source.as_str();
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
                let part = PARTS.iter().find(|(known, ..)| *known == name);
                let words = part.map_or(name, |(_, words, _)| words);
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
        for (text, said) in [
            ("see {x}", "known are"),
            ("a {url", "without }"),
            ("a.", "full stop"),
            ("]a[", "without ]"),
            ("[a[b]]", "within"),
        ] {
            assert!(template(text).unwrap_err().contains(said), "{text}");
        }
    }
}
