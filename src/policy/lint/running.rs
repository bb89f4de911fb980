//! Rules about policies of jobs that are not on hold: what holds and removes them.

use classads::{BinaryOperator, Budget, Expr, Node, NodeKind};

use super::codes::equal_to;
use super::parts::replaced_in_whole;
use super::probe::{
    HELD_AT, MAX_PARTS, MAX_WORK, is_attribute, is_true, job_with, running_again, waiting,
};
use super::rules::{ALWAYS_TRUE, ANY_STATE, NEVER_TRUE, RUN_BEFORE};
use super::{LintFinding, Role, Setting, written};
use crate::policy::clauses::{followed, operands};
use crate::policy::forecast::Truth;

/// States in which `periodic_hold` is not evaluated (`user_job_policy.cpp`): removed, completed,
/// held.
const NOT_HELD: [i64; 3] = [3, 4, 5];

/// When the program of the last run was started.
const BEGAN_EXECUTING: &str = "JobCurrentStartExecutingDate";

/// Longer ago than what any job is allowed, s.
const LONG_AGO: i64 = 300 * 86_400;

/// All findings about a policy that is evaluated while a job is not on hold, too.
pub(super) fn findings(text: &str, expr: &Expr, setting: &Setting<'_>) -> Vec<LintFinding> {
    let role = setting.role;
    let is_true = expr.as_literal().is_some_and(|value| Truth::of(value) == Truth::True);
    if let Some(done) = done(role).filter(|_| is_true) {
        let message = format!("every job is {done} at the next evaluation, whatever it does");
        return vec![LintFinding::new(&ALWAYS_TRUE, 0..text.len(), message, None)];
    }
    let clauses = operands(expr.root(), BinaryOperator::And);
    let found = clauses.iter().filter_map(|clause| {
        let source = written(text.get(clause.span())?);
        let state = equal_to(*clause, "JobStatus").filter(|state| NOT_HELD.contains(state));
        let code = ["HoldReasonCode", "HoldReasonSubCode"]
            .into_iter()
            .find(|name| equal_to(*clause, name).is_some());
        let message = match (role, state, code) {
            (Role::Hold, Some(_), _) => {
                format!("{source} is never true here: jobs on hold, completed or removed are not looked at")
            }
            (Role::Hold | Role::OnExit, _, Some(name)) => format!(
                "{source} is never true here: {name} is there while a job is on hold, Last{name} when it was released"
            ),
            _ => return None,
        };
        Some(LintFinding::new(&NEVER_TRUE, clause.span(), message, None))
    });
    found.chain(run_before(text, expr, setting)).chain(any_state(text, expr, setting)).collect()
}

/// What a policy of this role does with a job that runs.
const fn done(role: Role) -> Option<&'static str> {
    match role {
        Role::Hold => Some("held"),
        Role::Remove => Some("removed"),
        Role::Release | Role::OnExit | Role::Reason | Role::Subcode => None,
    }
}

/// A time that is that of the run before while the next one is prepared, and nothing that asks for
/// it.
fn run_before(text: &str, expr: &Expr, setting: &Setting<'_>) -> Option<LintFinding> {
    let done = done(setting.role)?;
    let place = expr.nodes().take(MAX_PARTS).find(|node| is_attribute(*node, BEGAN_EXECUTING))?;
    if expr.nodes().nth(MAX_PARTS).is_some() || !is_true_before_start(expr, setting) {
        return None;
    }
    let message = format!(
        "until the program starts again {BEGAN_EXECUTING} is that of the run before: a job that was run is {done} while its input is \
         transferred"
    );
    let guarded = |place: Node<'_>| {
        let span = place.span();
        let (before, after) = (text.get(..span.start)?, text.get(span.end..)?);
        let new = format!("{BEGAN_EXECUTING} >= ShadowBday && {}", text.get(span.clone())?);
        let is_alone = before.trim_end().ends_with('(') && after.trim_start().starts_with(')');
        replaced_in_whole(text, &span, &if is_alone { new } else { format!("({new})") })
    };
    let corrected = comparison_of(expr, BEGAN_EXECUTING).and_then(guarded).filter(|corrected| {
        Expr::parse_old(corrected).is_ok_and(|corrected| !is_true_before_start(&corrected, setting))
    });
    Some(LintFinding::new(&RUN_BEFORE, place.span(), message, corrected))
}

/// A limit of the time that a job is in its state, whichever that is.
fn any_state(text: &str, expr: &Expr, setting: &Setting<'_>) -> Option<LintFinding> {
    const SINCE: &str = "EnteredCurrentStatus";
    let all = followed(&job_with(setting.own_attributes), expr);
    let is_long = all.iter().flat_map(Expr::nodes).nth(MAX_PARTS).is_some();
    let names = |name: &str| all.iter().flat_map(Expr::nodes).any(|node| is_attribute(node, name));
    if setting.role != Role::Hold || is_long || !names(SINCE) || names("JobStatus") {
        return None;
    }
    let mut job = waiting(&job_with(setting.own_attributes));
    let mut is_held = |since: i64| {
        job.insert_value(SINCE, since);
        is_true(&job, expr, 1, &Budget::new(MAX_WORK)) == Some(true)
    };
    if !is_held(HELD_AT - LONG_AGO) || is_held(HELD_AT) {
        return None;
    }
    let place = expr.nodes().find(|node| is_attribute(*node, SINCE)).map(|node| node.span());
    let message = format!(
        "{SINCE} is when the job came into the state it is in, whichever that is: a job that waits in the queue for as long is held too"
    );
    let corrected = Some(format!("JobStatus == 2 && ({})", text.trim()));
    Some(LintFinding::new(&ANY_STATE, place.unwrap_or(0..text.len()), message, corrected))
}

/// Whether it is true of a job of a run long ago whose next run is prepared, because of the time at
/// which its program was started.
fn is_true_before_start(expr: &Expr, setting: &Setting<'_>) -> bool {
    let mut job = running_again(setting.own_attributes);
    let mut is_true_of = |began: i64| {
        job.insert_value(BEGAN_EXECUTING, began);
        is_true(&job, expr, 1, &Budget::new(MAX_WORK)) == Some(true)
    };
    is_true_of(HELD_AT - LONG_AGO) && !is_true_of(HELD_AT)
}

/// The smallest comparison that has an attribute in it.
fn comparison_of<'a>(expr: &'a Expr, name: &str) -> Option<Node<'a>> {
    let has = |node: Node<'_>| node.to_expr().nodes().any(|part| is_attribute(part, name));
    let is_comparison = |node: &Node<'a>| {
        matches!(node.kind(), NodeKind::Binary(operator, ..) if operator.is_comparison())
            && has(*node)
    };
    expr.nodes().filter(is_comparison).min_by_key(|node| node.span().len())
}
