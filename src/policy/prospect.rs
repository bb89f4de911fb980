//! What becomes of an expression if nothing but time changes, looked for within limits.
//!
//! An expression may take millions of steps, and looking ahead takes many evaluations: what takes
//! too long is not known, rather than guessed.

use std::cell::Cell;

use classads::{BinaryOperator, Budget, ClassAd, EvalContext, Expr, Node, Value};

use super::clauses::{
    MAX_COMPARISONS, asks_advisor, asks_time, comes_and_goes, comparisons, followed, operands,
};
use super::when::Condition;
use super::{MAX_BYTES, WORK};

/// How far ahead is looked, s: 30 days.
pub(super) const HORIZON: i64 = 30 * 24 * 3600;

/// Steps of one of many evaluations; those of the policies that people write take less than a
/// hundred, and a few thousand with regular expressions.
const MAX_STEPS: u32 = 20_000;

/// When an expression becomes true if nothing but time changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prospect {
    /// It is true at this second, the first that was found, Unix seconds; now, where it is true
    /// now. Confirmed by evaluation.
    From(i64),
    /// It is not true, and does not depend on time.
    Stays,
    /// It depends on time, and does not become true within 30 days.
    NotWithin,
    /// It depends on time, and looking ahead takes too many evaluations or too many steps of one;
    /// or it comes and goes, and was not seen to become true when it was tried at the schedd's pace
    /// for a day.
    NotKnown,
}

impl Prospect {
    /// The second from which on it is true, if that is known.
    pub const fn from(self) -> Option<i64> {
        match self {
            Self::From(at) => Some(at),
            _ => None,
        }
    }
}

/// Evaluates a policy and its parts on one ad, now and later, within [`WORK`] of the steps there
/// are.
#[derive(Debug)]
pub(super) struct Ahead<'a> {
    ad: &'a ClassAd,
    /// Now, as the schedd evaluates.
    context: EvalContext<'static>,
    budget: Budget,
    /// Seconds between two evaluations by the schedd.
    step: i64,
    /// An evaluation was given up.
    gave_up: Cell<bool>,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(
        ad: &'a ClassAd,
        context: &EvalContext<'static>,
        step: i64,
        steps: &Budget,
    ) -> Self {
        let budget = steps.part(WORK);
        let context = EvalContext { budget: Some(budget.clone()), ..context.clone() };
        Self { ad, context, budget, step, gave_up: Cell::new(false) }
    }

    /// The value now; `None` where that takes long.
    pub(super) fn quick_value_now(&self, expr: &Expr) -> Option<Value> {
        self.value(expr, self.context.now)
    }

    /// The value at a time; `None` where that takes too long.
    fn value(&self, expr: &Expr, at: i64) -> Option<Value> {
        let context =
            EvalContext { max_steps: MAX_STEPS, max_bytes: MAX_BYTES, ..self.context.then(at) };
        let value = self.ad.try_evaluate_expr(expr, &context);
        if value.is_none() {
            self.gave_up.set(true);
        }
        value
    }

    /// The value now, where HTCondor gives up an error; `None` where that takes more steps than are
    /// left.
    pub(super) fn try_value_now(&self, expr: &Expr) -> Option<Value> {
        self.value(expr, self.context.now).or_else(|| {
            let value = self.ad.evaluate_expr(expr, &self.context);
            (self.budget.left() > 0).then_some(value)
        })
    }

    /// When an expression becomes true, which is true now or not.
    pub(super) fn prospect(
        &self,
        expr: &Expr,
        is_true_now: bool,
        is_true: impl Fn(&Value) -> bool,
    ) -> Prospect {
        if is_true_now {
            return Prospect::From(self.context.now);
        }
        let all = followed(self.ad, expr);
        if !asks_time(&all) {
            return Prospect::Stays;
        }
        if self.is_blocked(expr) {
            return Prospect::NotWithin;
        }
        self.gave_up.set(false);
        let number = |expr: &Expr, at: i64| self.value(expr, at)?.as_real();
        let sign = |(left, right): (Expr, Expr)| {
            move |at: i64| (number(&left, at)? - number(&right, at)?).partial_cmp(&0.0)
        };
        let signs: Vec<_> = comparisons(&all).into_iter().map(sign).collect();
        let periodic = comes_and_goes(self.ad, &all);
        let condition = Condition {
            holds: &|at| self.value(expr, at).is_some_and(|value| is_true(&value)),
            signs: &signs,
            periodic,
        };
        match condition.first(self.context.now, HORIZON, self.step) {
            Some(at) => Prospect::From(at),
            None if self.gave_up.get()
                || periodic
                || signs.len() >= MAX_COMPARISONS
                || asks_advisor(&all) =>
            {
                Prospect::NotKnown
            }
            None => Prospect::NotWithin,
        }
    }

    /// Whether one clause of a conjunction is not true and does not depend on time.
    fn is_blocked(&self, expr: &Expr) -> bool {
        let clauses = operands(expr.root(), BinaryOperator::And);
        let blocks = |clause: &Node<'_>| {
            let clause = clause.to_expr();
            !asks_time(&followed(self.ad, &clause))
                && self
                    .value(&clause, self.context.now)
                    .is_some_and(|value| value.as_condition() != Some(true))
        };
        clauses.len() > 1 && clauses.iter().any(blocks)
    }
}
