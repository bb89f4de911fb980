//! `-constraint` on ads that come from a file: evaluated here instead of by the schedd.

use std::cell::Cell;

use classads::{Budget, ClassAd, EvalContext, Expr};

use crate::queue::QueueError;

/// An expression that an ad must make true.
#[derive(Debug)]
pub struct Constraint {
    expression: Expr,
    /// As of when, and within which limits.
    context: EvalContext<'static>,
    undecided: Cell<usize>,
}

/// Evaluates as of `now` (Unix seconds), within limits: users write the expressions of job ads.
pub(super) fn bounded(now: i64) -> EvalContext<'static> {
    let budget = Some(Budget::new(WORK));
    EvalContext { max_steps: STEPS, budget, ..EvalContext::at(now) }
}

/// Steps for one ad, and for all: about ten seconds.
const STEPS: u32 = 1_000_000;
const WORK: u64 = 500_000_000;

impl Constraint {
    /// Reads the text in the old syntax, as HTCondor's tools do. `now` is what `time()` gives, Unix
    /// seconds.
    ///
    /// # Errors
    /// [`QueueError::Constraint`] when the text is no expression.
    pub fn new(text: &str, now: i64) -> Result<Self, QueueError> {
        match Expr::parse_old(text) {
            Ok(expression) => {
                Ok(Self { expression, context: bounded(now), undecided: Cell::new(0) })
            }
            Err(error) => Err(QueueError::Constraint {
                constraint: crate::text::strip_control(text).into_owned(),
                reason: error.to_string(),
            }),
        }
    }

    /// True when the expression is true for the ad; undefined and error are not, nor is what takes
    /// too many steps.
    pub fn is_true_for(&self, ad: &ClassAd) -> bool {
        let value = ad.try_evaluate_expr(&self.expression, &self.context);
        if value.is_none() {
            self.undecided.set(self.undecided.get() + 1);
        }
        value.and_then(|value| value.as_condition()) == Some(true)
    }

    /// The line about the ads that were left out because evaluation was given up, if there are any.
    pub fn undecided(&self) -> Option<String> {
        let count = self.undecided.get();
        let ads = if count == 1 { "ad was" } else { "ads were" };
        (count > 0).then(|| {
            format!("-constraint: {count} {ads} left out, the expression nests too deeply or takes too long")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_select_ads() {
        let text =
            &b"ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nEnteredCurrentStatus = 100\n"[..];
        let ad = classads::read_ads(text).next().unwrap().unwrap();
        let is_true = |text| Constraint::new(text, 150).unwrap().is_true_for(&ad);
        assert!(is_true("regexp(\"^ALI\", Owner, \"i\") && time() - EnteredCurrentStatus == 50"));
        assert!(is_true("ClusterId"));
        for not_true in ["Unheard > 0", "Owner == \"bob\"", "Owner", "error", "undefined"] {
            assert!(!is_true(not_true), "{not_true}");
        }
        let error = Constraint::new("ClusterId >", 0).unwrap_err().to_string();
        assert!(
            error.contains("-constraint \"ClusterId >\" is not a ClassAd expression"),
            "{error}"
        );
    }
}
