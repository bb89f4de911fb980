//! Macros of submit descriptions and of the configuration, in a text that is looked at by itself.

use std::collections::HashMap;
use std::ops::Range;

use super::rules::MACRO;
use super::{LintFinding, named};

/// The text with a name of the same length for each macro, and a note on each; the least number of
/// a range for one at random.
pub(super) fn without(text: &str) -> (String, Vec<LintFinding>) {
    let mut plain = String::with_capacity(text.len());
    let mut findings = Vec::new();
    let mut from = 0;
    let closed = closed(text);
    while let Some(span) = next(text, from, &closed) {
        plain.push_str(&text[from..span.start]);
        let name = &text[span.clone()];
        if let Some(least) = least_random(name) {
            plain.push_str(&format!("{least:<width$}", width = span.len()));
            from = span.end;
            continue;
        }
        plain.push_str(&stand_in(findings.len(), span.len()));
        let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"$()_.:".contains(&b));
        let name = if is_plain { name.to_owned() } else { named(name) };
        let message = format!("{name} is not known here; nothing is said of what depends on it");
        findings.push(LintFinding::new(&MACRO, span.clone(), message, None));
        from = span.end;
    }
    plain.push_str(&text[from..]);
    (plain, findings)
}

/// The least number that `$RANDOM_INTEGER(60, 600)` may stand for.
fn least_random(name: &str) -> Option<u32> {
    let head = "$RANDOM_INTEGER(";
    let is_random = name.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
    name.get(head.len()..).filter(|_| is_random)?.split(',').next()?.trim().parse().ok()
}

/// A name that no ad has, of this length: `$(x)` has four characters at least.
fn stand_in(number: usize, length: usize) -> String {
    format!("{:_<length$}", format!("M{}", number % 1000))
}

/// `$(NAME)`, `$$(NAME)` or `$FUNCTION(...)` from here on.
fn next(text: &str, from: usize, closed: &HashMap<usize, usize>) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let start = at + text.get(at..)?.find('$')?;
        let name = text[start..].trim_start_matches('$');
        let letters =
            name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let opening = text.len() - name.len() + letters;
        if let Some(&end) = closed.get(&opening) {
            return Some(start..end);
        }
        // No macro begins among the signs and letters.
        at = opening;
    }
}

/// The end of what stands in each parenthesis that is closed, by where it opens. All are found in
/// one go: a text of nothing but `$(` is read once.
fn closed(text: &str) -> HashMap<usize, usize> {
    let (mut open, mut closed) = (Vec::new(), HashMap::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => closed.extend(open.pop().map(|from| (from, at + 1))),
            _ => {}
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_become_names_of_their_length() {
        let (plain, notes) =
            without("(x >= $(MaxTime)) && y > $RANDOM_CHOICE(60, 600, 1020) && $(");
        assert_eq!(plain, "(x >= M0________) && y > M1___________________________ && $(");
        assert_eq!(notes.len(), 2);
        assert_eq!(&"(x >= $(MaxTime))"[notes[0].span.clone()], "$(MaxTime)");
        assert!(without("x $ y").1.is_empty());
        let (plain, notes) = without(") $(a $f((b), c) $((d)");
        assert_eq!((plain.as_str(), notes.len()), (") $(a M0________ $((d)", 1));
        for piece in ["$(", "$", "$a"] {
            assert!(without(&piece.repeat(1 << 20)).1.is_empty());
        }
        let random = without("y > $RANDOM_INTEGER(60, 600, 120)");
        assert_eq!(random, ("y > 60                           ".to_owned(), Vec::new()));
    }
}
