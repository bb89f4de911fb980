//! A sweep file without its secrets.

use std::ops::Range;

use super::node::{Content, Entry, Node};
use super::problems::Problems;

/// The key that is never read.
const KEY: &str = "api_key";

/// What stands in a secret's place.
const REMOVED: &str = "removed";

/// Whether a key's value is a secret.
fn is_secret(key: &str) -> bool {
    key.trim().to_ascii_lowercase().replace('-', "_").ends_with(KEY)
}

/// Takes all API keys out; the places of their values go to `spans`.
pub(super) fn take_keys(node: &mut Node, problems: &Problems, spans: &mut Vec<Range<usize>>) {
    match &mut node.content {
        Content::Scalar { .. } => {}
        Content::List(items) => {
            items.iter_mut().for_each(|item| take_keys(item, problems, spans));
        }
        Content::Mapping(entries) => entries.retain_mut(|Entry { key, at, value }| {
            if !is_secret(key) {
                take_keys(value, problems, spans);
                return true;
            }
            if !value.is_null() {
                spans.push(value.span.clone());
                if !matches!(&value.content, Content::Scalar { text, .. } if text == "None") {
                    let key = holdadvise::text::strip_control(key);
                    let text = format!(
                        "{key}: never used; remove it from the file and revoke it at \
                         wandb.ai/authorize. The key is read from WANDB_API_KEY or ~/.netrc \
                         (`wandb login`)"
                    );
                    problems.note(*at, text);
                }
            }
            false
        }),
    }
}

/// The text of a sweep file without what stands at `spans`, and without what stands behind a key in
/// a comment. Everything else stays as it is.
pub(super) fn redact(text: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_by_key(|span| span.start);
    let mut spans = spans.into_iter().peekable();
    let mut kept = String::with_capacity(text.len());
    for (at, character) in text.chars().enumerate() {
        while spans.next_if(|span| span.end <= at).is_some() {}
        match spans.peek().filter(|span| span.contains(&at)) {
            Some(span) if span.start == at => kept.push_str(REMOVED),
            Some(_) => {}
            None => kept.push(character),
        }
    }
    kept.split_inclusive('\n').map(line).collect()
}

/// A line without what stands behind a key on it, where that was not taken out: in comments.
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
    use crate::sweep::file::node;

    fn redact(text: &str) -> String {
        let mut spans = Vec::new();
        if let Ok(mut root) = node::read(text) {
            take_keys(&mut root, &Problems::default(), &mut spans);
        }
        super::redact(text, spans)
    }

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
