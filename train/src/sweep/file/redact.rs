//! A sweep file without its secrets.

use super::node::{self, Content, Node};
use super::problems::Problems;

/// The key that is never read.
const KEY: &str = "api_key";

/// What stands in a secret's place.
const REMOVED: &str = "removed";

/// Whether a key's value is a secret.
fn is_secret(key: &str) -> bool {
    key.trim().to_ascii_lowercase().replace('-', "_").ends_with(KEY)
}

/// Takes all API keys out.
pub(super) fn take_keys(node: &mut Node, problems: &Problems) {
    match &mut node.content {
        Content::Scalar { .. } => {}
        Content::List(items) => items.iter_mut().for_each(|item| take_keys(item, problems)),
        Content::Mapping(entries) => {
            entries.retain_mut(|entry| {
                if !is_secret(&entry.key) {
                    take_keys(&mut entry.value, problems);
                    return true;
                }
                let word = matches!(&entry.value.content, Content::Scalar { text, .. } if text == "None");
                if !entry.value.is_null() && !word {
                    let key = holdadvise::text::strip_control(&entry.key);
                    let text = format!(
                        "{key}: never used; remove it from the file and revoke it at wandb.ai/authorize. \
                         The key is read from WANDB_API_KEY or ~/.netrc (`wandb login`)"
                    );
                    problems.note(entry.at, text);
                }
                false
            });
        }
    }
}

/// The text of a sweep file with the value of every `api_key` taken out, in comments too.
/// Everything else stays as it is, and a file that is not YAML keeps nothing of a line with such a
/// key but the key.
pub fn redact(text: &str) -> String {
    let mut spans = Vec::new();
    if let Ok(root) = node::read(text) {
        secrets(&root, &mut spans);
    }
    spans.sort_by_key(|span: &std::ops::Range<usize>| span.start);
    let mut kept = String::with_capacity(text.len());
    let mut spans = spans.into_iter().peekable();
    for (at, character) in text.chars().enumerate() {
        while spans.next_if(|span| span.end <= at).is_some() {}
        match spans.peek() {
            Some(span) if span.contains(&at) => {
                if at == span.start {
                    kept.push_str(REMOVED);
                }
            }
            _ => kept.push(character),
        }
    }
    let lines = kept.split_inclusive('\n').map(line);
    lines.collect()
}

/// The places of all values under a key that is a secret's.
fn secrets(node: &Node, spans: &mut Vec<std::ops::Range<usize>>) {
    match &node.content {
        Content::Scalar { .. } => {}
        Content::List(items) => items.iter().for_each(|item| secrets(item, spans)),
        Content::Mapping(entries) => {
            for entry in entries {
                if is_secret(&entry.key) && !entry.value.is_null() {
                    spans.push(entry.value.span.clone());
                } else {
                    secrets(&entry.value, spans);
                }
            }
        }
    }
}

/// A line without what stands behind a key on it, where that was not taken out: in comments, and
/// where the file is no YAML.
fn line(line: &str) -> String {
    let lower = line.to_ascii_lowercase().replace('-', "_");
    let mut from = 0;
    while let Some(at) = lower[from..].find(KEY) {
        from += at + KEY.len();
        let rest = &line[from..];
        let Some(sign) = rest.find([':', '=']) else { break };
        let value = rest[sign + 1..].trim_start_matches([' ', '\t']);
        let removed = value
            .strip_prefix(REMOVED)
            .is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric()));
        if !value.trim().is_empty() && !removed {
            let end = if line.ends_with('\n') { "\n" } else { "" };
            return format!("{}{} {REMOVED}{end}", &line[..from], &rest[..=sign]);
        }
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_form_of_a_key_is_left() {
        for (text, expected) in [
            (
                "wandb:\n  api_key: s3cret\n  entity: a\n",
                "wandb:\n  api_key: removed\n  entity: a\n",
            ),
            ("wandb: {api_key: 's3cret', entity: a}\n", "wandb: {api_key: removed, entity: a}\n"),
            ("\"api_key\": \"s3cret\" # mine\n", "\"api_key\": removed\n"),
            ("API-KEY: s3cret\n", "API-KEY: removed\n"),
            ("wandb_api_key: s3cret\n", "wandb_api_key: removed\n"),
            ("# api_key: s3cret\nname: a\n", "# api_key: removed\nname: a\n"),
            ("a: [b\n  api_key: s3cret\nb", "a: [b\n  api_key: removed\nb"),
            ("api_key: s # api_key: s3cret\n", "api_key: removed # api_key: removed\n"),
            ("# é\napi_key: s3cret\nb: é\n", "# é\napi_key: removed\nb: é\n"),
            ("api_key:\nname: a\n", "api_key:\nname: a\n"),
            ("name: a\n", "name: a\n"),
        ] {
            assert_eq!(redact(text), expected);
            assert_eq!(node::read(text).is_ok(), node::read(expected).is_ok());
        }
        let several = "api_key: |\n  s3cret\n  s3cret\nx: &k s3cret\nwandb: {api_key: *k}\n";
        assert!(!redact(several).contains("s3cret"), "{}", redact(several));
        let folded = "api_key:\n  - s3cret\n  - {a: s3cret}\nb: 1\n";
        assert!(!redact(folded).contains("s3cret"), "{}", redact(folded));
    }

    proptest! {
        #[test]
        fn any_text_is_redacted_without_panic(text in "(api_key|é|[:={}\\[\\]#\\n '\"a-]){0,40}") {
            redact(&text);
        }

        #[test]
        fn no_spelling_keeps_the_value(
            before in "[a-z ]{0,5}", key in "(api_key|API_KEY|wandb_api_key|'api_key'|\"api_key\")",
            space in " {1,3}", quote in "['\"]?", after in "( #.{0,8})?"
        ) {
            let text = format!("{before}x: 1\n{key}:{space}{quote}s3cret{quote}{after}\nz: 2\n");
            prop_assert!(!redact(&text).contains("s3cret"), "{}", redact(&text));
        }
    }
}
