//! Rules about policies of jobs that are not on hold: what holds and removes them.

use classads::{BinaryOperator, Expr};

use super::codes::equal_to;
use super::rules::{ALWAYS_TRUE, NEVER_TRUE};
use super::{Finding, Role};
use crate::policy::clauses::operands;
use crate::policy::forecast::Truth;

/// States in which `periodic_hold` is not evaluated (`user_job_policy.cpp`): removed, completed, held.
const NOT_HELD: [i64; 3] = [3, 4, 5];

/// All findings about a policy that is evaluated while a job is not on hold, too.
pub(super) fn findings(text: &str, expr: &Expr, role: Role) -> Vec<Finding> {
    let done = match role {
        Role::Hold => "held",
        Role::Remove => "removed",
        Role::Release | Role::OnExit => "",
    };
    if expr.as_literal().is_some_and(|value| Truth::of(value) == Truth::True) && !done.is_empty() {
        let message = format!("every job is {done} at the next evaluation, whatever it does");
        return vec![Finding::new(&ALWAYS_TRUE, 0..text.len(), message, None)];
    }
    let clauses = operands(expr.root(), BinaryOperator::And);
    let found = clauses.iter().filter_map(|clause| {
        let source = text.get(clause.span())?;
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
        Some(Finding::new(&NEVER_TRUE, clause.span(), message, None))
    });
    found.collect()
}
