//! Rules about what a release policy does, seen by evaluating it on held jobs.

use std::ops::Range;

use classads::{BinaryOperator, Expr, Node, NodeKind, Value};

use super::codes::{self, comparison};
use super::never;
use super::parts::{replaced, replaced_in_parentheses, replaced_in_whole};
use super::probe::Sight;
use super::rules::{
    ALWAYS_TRUE, ANY_CODE, HELD_BY_USER, JOB_STATUS, MEMORY_AS_IS, NEVER_TRUE, NO_DELAY,
    NUM_JOB_STARTS, SHORT_DELAY, SUBCODE_ALONE, UNBOUNDED, USER_HOLD_TOO,
};
use super::{LintFinding, Setting, written};
use crate::hold_code::OUT_OF_RESOURCES;
use crate::policy::NEVER_RELEASED;
use crate::policy::clauses::{is_by_chance, operands};
use crate::policy::forecast::Truth;

/// Holds of a job before a bound that is proposed ends its releases.
const HOLDS: &str = "NumHolds < 4";

/// Codes of holds before a job's program starts, which NumJobStarts does not count (the shadow
/// counts at the starter's begin_execution).
const BEFORE_START: [(i64, &str); 5] = [
    (13, "input transfer"),
    (14, "no working directory"),
    (22, "no event log"),
    (32, "too much input"),
    (48, "a hook of the shadow"),
];

/// Mentions of such a code that are tried: each is an evaluation on all held jobs.
const MENTIONS: usize = 8;

/// False as a comparison, and no code as an element of a list.
const NO_CODE: &str = "-1 == 0";

/// [`crate::hold_code::SPOOLING_INPUT`].
const SPOOLING_INPUT: i64 = crate::hold_code::SPOOLING_INPUT as i64;

/// Memory and disk that were used do not recover.
const RESOURCES: i64 = OUT_OF_RESOURCES as i64;

/// Codes named in one message.
const NAMED_CODES: usize = 4;

/// A delay that is proposed.
const DELAY: &str = "(time() - EnteredCurrentStatus) > 600";

/// All findings about what the expression releases. That it is never true is not said of one that
/// is not `known` whole: it has macros, or parts that are errors.
pub(super) fn findings(
    text: &str,
    expr: &Expr,
    setting: &Setting<'_>,
    known: bool,
) -> Vec<LintFinding> {
    let whole = 0..text.len();
    if let Some(value) = expr.as_literal() {
        return constant(text, value, whole).into_iter().collect();
    }
    // What is seen once may be otherwise the next time.
    if is_by_chance(expr) {
        return subcodes(text, expr).into_iter().chain(status(text, expr)).collect();
    }
    let sight = Sight::of(expr, setting.own_attributes, setting.raises_request != Some(false));
    let mut out = Vec::new();
    if sight.released.is_empty() {
        out.extend(bound(text, expr, &sight));
        if known {
            match never(expr, setting, whole) {
                Some(never) => out.push(never),
                None => out.extend(by_reason_alone(text, expr)),
            }
        }
    } else if sight.released.iter().all(|(code, _)| NEVER_RELEASED.contains(code)) {
        let message = "only condor_release lets go a job that a person held (code 1), and none whose input is being spooled (code 16)";
        out.push(LintFinding::new(
            &HELD_BY_USER,
            mention(expr, "HoldReasonCode").unwrap_or(whole),
            message.into(),
            None,
        ));
    } else if !sight.released.iter().all(|(code, _)| codes::is_unused(*code)) {
        out.extend(scope(text, &sight));
        out.extend(user_hold_too(text, expr, setting, &sight));
        out.extend(bound(text, expr, &sight));
        out.extend(delay(text, expr, &sight));
        out.extend(memory_as_is(text, expr, setting, &sight));
    }
    // Any subcode at all would do where it is not asked for.
    let has = |subcode: i64| sight.released.contains(&(RESOURCES, subcode));
    let names_one = has(0) != has(102) && !has(1) && !has(2);
    if sight.released.is_empty() || names_one {
        let is_seen = |wrong| names_one && has(wrong);
        out.extend(codes::memory_subcode(text, expr, setting.version, is_seen));
    }
    out.extend(subcodes(text, expr));
    out.extend(status(text, expr));
    out
}

fn constant(text: &str, value: &Value, whole: Range<usize>) -> Option<LintFinding> {
    let is_default = matches!(value, Value::Boolean(false) | Value::Integer(0));
    if Truth::of(value) == Truth::True {
        let message = format!(
            "{} releases every hold at the next evaluation, also of what fails again, and without end",
            written(text)
        );
        return Some(LintFinding::new(&ALWAYS_TRUE, whole, message, None));
    }
    (!is_default).then(|| {
        LintFinding::new(&NEVER_TRUE, whole, format!("{} is never true", written(text)), None)
    })
}

fn never(expr: &Expr, setting: &Setting<'_>, whole: Range<usize>) -> Option<LintFinding> {
    let blamed = never::blamed(expr, setting.own_attributes)?;
    let (span, message) = if blamed.span() == expr.root().span() {
        (whole, "true of no hold, whatever its code, subcode, age and count".to_owned())
    } else {
        let source = written(&blamed.to_string());
        let message = format!("{source} is true of no held job, so that nothing is released");
        (blamed.span(), message)
    };
    Some(LintFinding::new(&NEVER_TRUE, span, message, None))
}

/// Which codes.
fn scope(text: &str, sight: &Sight) -> Option<LintFinding> {
    if !sight.releases_all() {
        return None;
    }
    let message = "holds of every code but those no policy releases (1, 16) are released, also those that come again as they are (14 no working directory, 34 more memory \
                   used than requested, 35 no such image); name the codes, HoldReasonCode =?= 13 for input transfer"
        .to_owned();
    Some(LintFinding::new(&ANY_CODE, 0..text.len(), message, None))
}

/// A code that no policy releases, asked for among others: without that part it is not released.
fn user_hold_too(
    text: &str,
    expr: &Expr,
    setting: &Setting<'_>,
    sight: &Sight,
) -> Option<LintFinding> {
    let mentions = codes::never_released(expr).into_iter();
    let mut released = mentions.filter(|(_, code)| sight.releases(*code)).take(MENTIONS);
    let (span, code) = released.find(|(span, code)| {
        let without = replaced_in_whole(text, span, NO_CODE).map(|text| Expr::parse_old(&text));
        let Some(Ok(without)) = without else { return false };
        let grows = setting.raises_request != Some(false);
        let rest = Sight::of(&without, setting.own_attributes, grows);
        !rest.releases(*code) && !rest.released.is_empty()
    })?;
    let what = match code {
        SPOOLING_INPUT => "input that is being spooled",
        _ => "a person's hold",
    };
    let message =
        format!("no policy releases code {code}, {what}: this part changes nothing, leave it out");
    Some(LintFinding::new(&USER_HOLD_TOO, span, message, None))
}

/// How often.
fn bound(text: &str, expr: &Expr, sight: &Sight) -> Option<LintFinding> {
    let endless = sight.endless();
    if !endless.is_empty() {
        // It has a finding of its own that corrects this.
        if mention(expr, "NumSystemHolds").is_some() {
            return None;
        }
        return Some(unbounded(text, expr, &of_codes(sight, &endless)));
    }
    let uncounted: Vec<_> =
        BEFORE_START.iter().filter(|(code, _)| sight.without_start.contains(code)).collect();
    let (code, what) = uncounted.first()?;
    let span = mention(expr, "NumJobStarts")?;
    let message = format!(
        "NumJobStarts stays what it is when a job is held before its program starts, as by code {code} ({what}), and such a job is \
         released for ever; NumHolds counts every hold"
    );
    let corrected = replaced(text, &span, "NumHolds");
    Some(LintFinding::new(&NUM_JOB_STARTS, span, message, corrected))
}

fn unbounded(text: &str, expr: &Expr, codes: &str) -> LintFinding {
    let what = format!("nothing ends it{codes}: a job that is held each time is released for ever");
    // With a bound that is the wrong way round (`NumHolds > 4`) another one would leave nothing.
    let leaves_some = |corrected: &String| {
        Expr::parse_old(corrected).is_ok_and(|corrected| never::blamed(&corrected, &[]).is_none())
    };
    // A bound of the whole would be one of the codes that have theirs.
    let whole = codes.is_empty();
    let corrected =
        corrected_with(text, expr, HOLDS).filter(|corrected| whole && leaves_some(corrected));
    let message = match &corrected {
        Some(_) => format!("{what}; {HOLDS} would end it"),
        None if !whole => format!("{what}; {HOLDS} beside that would end it"),
        None => what,
    };
    LintFinding::new(&UNBOUNDED, 0..text.len(), message, corrected)
}

/// `for code 13`, where others have a bound.
fn of_codes(sight: &Sight, endless: &[i64]) -> String {
    let is_endless = |code: &i64| NEVER_RELEASED.contains(code) || endless.contains(code);
    if sight.released.iter().all(|(code, _)| is_endless(code)) {
        return String::new();
    }
    let named: Vec<String> = endless.iter().take(NAMED_CODES).map(i64::to_string).collect();
    let more = if endless.len() > NAMED_CODES { " and others" } else { "" };
    let word = if endless.len() == 1 { "code" } else { "codes" };
    format!(" for {word} {}{more}", named.join(", "))
}

/// What is released by the text of the hold reason alone, which is not known here: nothing in it
/// ends it.
fn by_reason_alone(text: &str, expr: &Expr) -> Vec<LintFinding> {
    let references = expr.attribute_references();
    let names = |wanted: &str| references.iter().any(|it| it.name.eq_ignore_ascii_case(wanted));
    let others = ["HoldReason", "HoldReasonCode", "HoldReasonSubCode", "JobStatus"];
    let timed = ["EnteredCurrentStatus", "CurrentTime"];
    let is_alone = references.iter().all(|reference| {
        let is = |name: &&str| name.eq_ignore_ascii_case(&reference.name);
        reference.is_own() && (others.iter().any(is) || timed.iter().any(is))
    });
    if !is_alone || !names("HoldReason") {
        return Vec::new();
    }
    let mut out = vec![unbounded(text, expr, "")];
    if !timed.into_iter().any(names) {
        out.push(no_delay(text, expr));
    }
    out
}

/// How soon.
fn delay(text: &str, expr: &Expr, sight: &Sight) -> Option<LintFinding> {
    let youngest = sight.youngest?;
    let is_resource = |code: i64| code == RESOURCES || NEVER_RELEASED.contains(&code);
    if sight.released.iter().all(|(code, _)| is_resource(*code)) {
        return None;
    }
    if youngest <= 1 {
        Some(no_delay(text, expr))
    } else if youngest < 60 {
        let message = "the schedd evaluates every 60 s (PERIODIC_EXPR_INTERVAL) or less often: less than that is one evaluation at most; what failed has \
                       little time to recover";
        let corrected = with_longer_delay(text, expr).or_else(|| corrected_with(text, expr, DELAY));
        Some(LintFinding::new(&SHORT_DELAY, 0..text.len(), message.into(), corrected))
    } else {
        None
    }
}

fn no_delay(text: &str, expr: &Expr) -> LintFinding {
    let message = "released at the next evaluation, which comes every 60 s or less often (PERIODIC_EXPR_INTERVAL); what failed has little time to recover";
    LintFinding::new(&NO_DELAY, 0..text.len(), message.into(), corrected_with(text, expr, DELAY))
}

/// The text with a longer time where it says `(time() - EnteredCurrentStatus) > 30`.
fn with_longer_delay(text: &str, expr: &Expr) -> Option<String> {
    let short = |node: Node<'_>| match node.kind() {
        NodeKind::Binary(operator, left, right) if operator.is_comparison() => {
            let side = |one: Node<'_>, other: Node<'_>| {
                let is_literal = matches!(other.kind(), NodeKind::Literal(Value::Integer(_)));
                let names = mention(&one.to_expr(), "EnteredCurrentStatus").is_some();
                (is_literal && names).then(|| other.span())
            };
            side(left, right).or_else(|| side(right, left))
        }
        _ => None,
    };
    let mut spans = expr.nodes().filter_map(short);
    let span = spans.next()?;
    // Which of several is the short one is not looked for.
    if spans.next().is_some() { None } else { replaced(text, &span, "600") }
}

/// Memory as it was.
fn memory_as_is(
    text: &str,
    expr: &Expr,
    setting: &Setting<'_>,
    sight: &Sight,
) -> Option<LintFinding> {
    let (span, _) = comparison(expr, text, "HoldReasonCode", RESOURCES)?;
    let message = "the job asks for as much again and is held again; add retry_request_memory, where this HTCondor has it, or let request_memory \
                   grow with MemoryUsage"
        .to_owned();
    (sight.releases(RESOURCES) && setting.raises_request == Some(false))
        .then(|| LintFinding::new(&MEMORY_AS_IS, span, message, None))
}

/// Subcodes without their code.
fn subcodes(text: &str, expr: &Expr) -> Vec<LintFinding> {
    let about = |node: Node<'_>, names: &[&str]| {
        node.to_expr()
            .attribute_references()
            .iter()
            .any(|reference| names.iter().any(|name| name.eq_ignore_ascii_case(&reference.name)))
    };
    // What all alternatives share may stand around them.
    let shared = operands(expr.root(), BinaryOperator::And);
    if shared.len() > 1 && shared.iter().any(|clause| about(*clause, &["HoldReasonCode"])) {
        return Vec::new();
    }
    operands(expr.root(), BinaryOperator::Or)
        .into_iter()
        .filter(|node| about(*node, &["HoldReasonSubCode"]))
        .filter(|node| !about(*node, &["HoldReasonCode", "HoldReason", "NumHoldsByReason"]))
        .filter_map(|node| {
            let span = mention(&node.to_expr(), "HoldReasonSubCode")?;
            let message = "the same number is another thing under another code: an errno, the exit status of a plug-in; write the code \
                           too, HoldReasonCode =?= 3 where periodic_hold_subcode or on_exit_hold_subcode gives the number"
                .to_owned();
            let source = text.get(node.span())?;
            let clauses = format!("HoldReasonCode =?= 3 && {}", around(source, node));
            let corrected = replaced_in_parentheses(text, &node.span(), clauses);
            Some(LintFinding::new(&SUBCODE_ALONE, span, message, corrected))
        })
        .collect()
}

/// `JobStatus == 5`
fn status(text: &str, expr: &Expr) -> Option<LintFinding> {
    let (span, source) = comparison(expr, text, "JobStatus", 5)?;
    let message = format!("{} is always true here: only held jobs are looked at", written(source));
    Some(LintFinding::new(&JOB_STATUS, span, message, None))
}

/// Where an attribute is first named.
fn mention(expr: &Expr, wanted: &str) -> Option<Range<usize>> {
    expr.nodes().find_map(|node| match node.kind() {
        NodeKind::Attribute { name, .. } if name.eq_ignore_ascii_case(wanted) => Some(node.span()),
        _ => None,
    })
}

/// The text with one more clause.
fn corrected_with(text: &str, expr: &Expr, clause: &str) -> Option<String> {
    Some(format!("{} && {clause}", around(text.trim(), expr.root())))
}

/// In parentheses, where another clause could not follow otherwise.
fn around(source: &str, node: Node<'_>) -> String {
    let binds_less = match node.kind() {
        NodeKind::Binary(operator, ..) => operator.precedence() < BinaryOperator::And.precedence(),
        NodeKind::Conditional(..) => true,
        _ => false,
    };
    if binds_less { format!("({source})") } else { source.to_owned() }
}
