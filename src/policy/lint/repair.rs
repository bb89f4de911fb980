//! What was meant by a text that is no expression.

use classads::Expr;

use super::{Role, units};

/// A change of the text, and what it is in words where the parser does not say it.
type Repair = (&'static str, fn(&str) -> String);

/// A command in front of its value.
pub(super) const OWN_COMMAND: &str = "a command stands in its own value";

/// Tried one by one, then one after the other. What is named stands first in the finding.
const REPAIRS: [Repair; 9] = [
    (OWN_COMMAND, without_command),
    ("it has HTML's escapes for the characters <, > and &", without_html),
    ("it has dashes or quotation marks of typeset text", with_plain_characters),
    ("", with_comparisons),
    ("the whole stands in quotation marks", without_quotes),
    ("quotation marks are doubled, as inside a quoted string", with_single_quotes),
    ("a backslash stands before an operator", without_backslashes),
    ("words stand where operators should", with_operators),
    ("a unit letter stands behind a number, which HTCondor knows until 23.9.5", units::converted),
];

/// The text corrected, with what was corrected in words; `None` where no change makes it an
/// expression.
pub(super) fn repair(text: &str) -> Option<(String, &'static str)> {
    let parses = |text: &str| Expr::parse_old(text).is_ok();
    let changed = |(what, change): &Repair, text: &str| {
        let corrected = change(text);
        (corrected != text).then_some((corrected, *what))
    };
    let mut single = REPAIRS.iter().filter_map(|repair| changed(repair, text));
    if let Some(found) = single.find(|(corrected, _)| parses(corrected)) {
        return Some(found);
    }
    let mut corrected = text.to_owned();
    let mut first = None;
    for repair in &REPAIRS {
        if let Some((next, what)) = changed(repair, &corrected) {
            corrected = next;
            first = first.or(Some(what));
        }
    }
    first.filter(|_| parses(&corrected)).map(|what| (corrected, what))
}

fn without_html(text: &str) -> String {
    text.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", "\"").replace("&amp;", "&")
}

fn with_plain_characters(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{201c}'..='\u{201f}' => '"',
            '\u{a0}' | '\u{2007}' | '\u{202f}' => ' ',
            other => other,
        })
        .collect()
}

/// A single `=` outside of strings becomes two.
fn with_comparisons(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut is_string = false;
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        is_string ^= character == '"';
        out.push(character);
        let is_part = "=<>!?".contains(before) || matches!(rest.peek(), Some('=' | '?' | '!'));
        if character == '=' && !is_string && !is_part {
            out.push('=');
        }
        before = character;
    }
    out
}

fn without_quotes(text: &str) -> String {
    let inside = text.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.map_or_else(|| text.to_owned(), with_single_quotes)
}

fn with_single_quotes(text: &str) -> String {
    text.replace("\"\"", "\"")
}

fn without_backslashes(text: &str) -> String {
    ["=", "<", ">", "&", "|", "!"]
        .iter()
        .fold(text.to_owned(), |text, operator| text.replace(&format!("\\{operator}"), operator))
}

fn with_operators(text: &str) -> String {
    let words: Vec<&str> = text
        .split(' ')
        .map(|word| match word {
            "and" | "AND" => "&&",
            "or" | "OR" => "||",
            "not" | "NOT" => "!",
            other => other,
        })
        .collect();
    words.join(" ")
}

fn without_command(text: &str) -> String {
    Role::ALL
        .into_iter()
        .find_map(|role| own_command(text, role))
        .unwrap_or_else(|| text.to_owned())
}

/// `periodic_release = x` as the value of `periodic_release`.
fn own_command(text: &str, role: Role) -> Option<String> {
    role.names().iter().find_map(|name| {
        let head = text.trim_start().get(..name.len())?;
        let rest = text.trim_start().get(name.len()..)?.trim_start().strip_prefix('=')?;
        let is_assignment = head.eq_ignore_ascii_case(name) && !rest.starts_with(['=', '?', '!']);
        is_assignment.then(|| rest.trim_start().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_found() {
        let corrected = |text: &str| repair(text).map(|(corrected, _)| corrected);
        for (text, expected) in [
            (
                "(ServerStartTime - JobStartDate) &lt; 3600",
                "(ServerStartTime - JobStartDate) < 3600",
            ),
            (
                "(CurrentTime \u{ad} EnteredCurrentStatus) > 180",
                "(CurrentTime - EnteredCurrentStatus) > 180",
            ),
            ("(JobStatus = 5) && a =?= \"x = y\"", "(JobStatus == 5) && a =?= \"x = y\""),
            ("(JobStatus \\=\\= 5)", "(JobStatus == 5)"),
            ("a == 1 and b <= 2", "a == 1 && b <= 2"),
            ("periodic_release = NumHolds < 3", "NumHolds < 3"),
            ("regexp(\"\"x\"\", HoldReason)", "regexp(\"x\", HoldReason)"),
            ("\"a == 1 && f(b,\"\"x\"\")\"", "a == 1 && f(b,\"x\")"),
            ("a = 1 and b &gt; 2", "a == 1 && b > 2"),
        ] {
            assert_eq!(corrected(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(corrected("(NumHolds <"), None);
    }
}
