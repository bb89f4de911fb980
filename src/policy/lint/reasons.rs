//! Rules about what a policy says of what it did: its reason and its subcode.

use classads::{Expr, NodeKind, Value};

use super::names::is_known;
use super::probe::{example, running_again};
use super::rules::WRONG_TYPE;
use super::{LintFinding, Role, Setting, named};
use crate::policy::clauses::without_parentheses;
use crate::policy::number;

/// A text without the quotation marks that it needs, or with some in it.
pub(super) fn repair(text: &str) -> Option<(String, &'static str)> {
    let inside = text.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    if let Some(inside) = inside.filter(|inside| inside.contains("\"\"")) {
        let corrected = format!("\"{}\"", inside.replace("\"\"", "\\\""));
        let parses = Expr::parse_old(&corrected).is_ok();
        return parses.then_some((corrected, "\\\" stands for a quotation mark in a text"));
    }
    let calls = |(at, _): (usize, _)| text[..at].ends_with(|c: char| c.is_alphanumeric());
    let is_plain = !text.contains(['"', '\\', '$'])
        && !text.trim().is_empty()
        && !text.match_indices('(').any(calls);
    is_plain.then(|| (in_quotes(text), "a text stands in quotation marks"))
}

fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.trim().trim_matches('\''))
}

/// A reason that is no string, or a subcode that is no number.
pub(super) fn wrong_type(text: &str, expr: &Expr, setting: &Setting<'_>) -> Option<LintFinding> {
    let is_reason = setting.role == Role::Reason;
    let finding =
        |message, corrected| Some(LintFinding::new(&WRONG_TYPE, 0..text.len(), message, corrected));
    let is_own =
        |name: &str| setting.own_attributes.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    match without_parentheses(expr.root()).kind() {
        NodeKind::Attribute { scope: None, name, .. }
            if is_reason && !is_known(name) && !is_own(name) =>
        {
            let message = format!(
                "{} is the name of an attribute that no job ad has: a text stands in quotation marks",
                named(name)
            );
            return finding(message, Some(in_quotes(name)));
        }
        _ => {}
    }
    let (held, context) = example(3);
    let values = [held, running_again(setting.own_attributes)]
        .map(|job| job.try_evaluate_expr(expr, &context));
    let is_wrong = |value: &Option<Value>| match value {
        None | Some(Value::Undefined | Value::Error) => false,
        Some(Value::String(_)) => !is_reason,
        Some(value) => is_reason || number::whole(value).is_none(),
    };
    if !values.iter().all(is_wrong) {
        return None;
    }
    if is_reason {
        let message = "it is no string, so that the expression of the policy is the reason; \
                       strcat makes one of several values";
        return finding(message.to_owned(), None);
    }
    let inside = text.trim().trim_matches('"').trim().parse::<i64>().ok();
    let message = "it is no number, so that the subcode is 0".to_owned();
    finding(message, inside.map(|number| number.to_string()))
}

#[cfg(test)]
mod tests {
    use crate::policy::lint::{Role, Setting, lint};

    #[test]
    fn reasons_and_subcodes_are_expressions() {
        for (name, role) in [
            ("periodic_hold_reason", Some(Role::Reason)),
            ("PeriodicHoldReason", Some(Role::Reason)),
            ("PeriodicRemoveReason", Some(Role::Reason)),
            ("on_exit_hold_reason", Some(Role::Reason)),
            ("OnExitHoldSubCode", Some(Role::Subcode)),
            ("SYSTEM_PERIODIC_HOLD_REASON", Some(Role::Reason)),
            ("system_periodic_release_net_reason", Some(Role::Reason)),
            ("SYSTEM_PERIODIC_HOLD_Memory_SUBCODE", Some(Role::Subcode)),
            ("SYSTEM_PERIODIC_HOLD_Memory", Some(Role::Hold)),
            ("SYSTEM_PERIODIC_HOLD_NAMES", None),
            ("HoldReason", None),
        ] {
            assert_eq!(Role::of(name), role, "{name}");
        }
        let said = |role: Role, text: &str| {
            let found = lint(text, &Setting::alone(role));
            assert!(found.len() < 2, "{text}: {found:?}");
            found.into_iter().next().map(|found| (found.rule.name, found.corrected))
        };
        for text in [
            "\"ran too long\"",
            "strcat(\"used \", MemoryUsage, \" MB\")",
            "ifThenElse(NumHolds > 3, \"many\", \"few\")",
            "\"over $(limit) MB\"",
            "$(text)",
            "LastHoldReason",
        ] {
            assert_eq!(said(Role::Reason, text), None, "{text}");
        }
        for (text, rule, corrected) in [
            ("ran too long", "unparsable", Some("\"ran too long\"")),
            ("ran (for) too long", "unparsable", Some("\"ran (for) too long\"")),
            ("\"of \"\"x\"\" many\"", "unparsable", Some("\"of \\\"x\\\" many\"")),
            ("ifThenElse((NumHolds > 3, \"many\", \"few\")", "unparsable", None),
            ("strcat(\"used \", MemoryUsage", "unparsable", None),
            ("strcat(\"used , MemoryUsage)", "unparsable", None),
            ("strcta(\"x\", NumHolds)", "unknown-function", Some("strcat(\"x\", NumHolds)")),
            ("\"used \" + NumHolds", "error-value", None),
            ("MemoryUsage > RequestMemory", "wrong-type", None),
            ("TooLong", "wrong-type", Some("\"TooLong\"")),
            ("'too long'", "wrong-type", Some("\"too long\"")),
            ("42", "wrong-type", None),
        ] {
            let expected = Some((rule, corrected.map(str::to_owned)));
            assert_eq!(said(Role::Reason, text), expected, "{text}");
        }
        for text in ["42", "ifThenElse(MemoryUsage > 1, 102, 104)", "NumHolds", "true", "$(number)"]
        {
            assert_eq!(said(Role::Subcode, text), None, "{text}");
        }
        for (text, rule, corrected) in [
            ("\"42\"", "wrong-type", Some("42")),
            ("strcat(\"4\", NumHolds)", "wrong-type", None),
            ("42 +", "unparsable", None),
        ] {
            let expected = Some((rule, corrected.map(str::to_owned)));
            assert_eq!(said(Role::Subcode, text), expected, "{text}");
        }
    }
}
