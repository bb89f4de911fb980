//! The value of every sub-expression, for explanations.

use std::ops::Range;

use super::scope::Scope;
use super::{EvalContext, Evaluator};
use crate::ad::ClassAd;
use crate::expr::{Expr, Inner};
use crate::value::Value;

/// A sub-expression and its value.
#[derive(Clone, Debug)]
pub struct Step {
    /// How many sub-expressions this one lies in.
    pub depth: usize,
    /// Bytes of the parsed text; empty for a value that was never text.
    pub span: Range<usize>,
    /// The sub-expression as it was written, or printed if it was never text.
    pub text: String,
    /// What it evaluates to on the ad, by itself: also where `&&`, `||` or `?:` did not need it.
    pub value: Value,
}

impl ClassAd {
    /// The value of every sub-expression on this ad, parents before children, in the order they are
    /// written. Together they take no more than [`EvalContext::max_bytes`]; a string, list or ad
    /// that would take more is an error.
    ///
    /// ```
    /// use classads::{ClassAd, EvalContext, Expr};
    ///
    /// let job = ClassAd::parse("[ NumHolds = 3 ]")?;
    /// let policy = Expr::parse("NumHolds < 2")?;
    /// let steps = job.evaluate_tree(&policy, &EvalContext::default());
    /// let lines: Vec<_> = steps.iter().map(|step| format!("{} = {}", step.text, step.value)).collect();
    /// assert_eq!(lines, ["NumHolds < 2 = false", "NumHolds = 3", "2 = 2"]);
    /// # Ok::<(), classads::ParseError>(())
    /// ```
    #[must_use]
    pub fn evaluate_tree(&self, expr: &Expr, context: &EvalContext<'_>) -> Vec<Step> {
        let scope = Scope::top(self, context.target);
        let mut steps = Vec::new();
        let kept = Evaluator::new(context);
        let mut pending = vec![(expr.root(), 0)];
        while let Some((node, depth)) = pending.pop() {
            let value = match node.inner {
                Inner::Literal(value) => value.clone(),
                Inner::Tree(tree, id) => {
                    let value = Evaluator::new(context).node(tree, id, &scope);
                    value.and_then(|value| kept.kept(value)).unwrap_or(Value::Error)
                }
            };
            let text = node.source().map_or_else(|| node.to_string(), str::to_owned);
            steps.push(Step { depth, span: node.span(), text, value });
            pending.extend(node.children().into_iter().rev().map(|child| (child, depth + 1)));
        }
        steps
    }
}
