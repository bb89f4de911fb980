//! `-constraint` on ads that come from a file: evaluated here instead of by the schedd.

use classads::{ClassAd, EvalContext, Expr};

use crate::queue::QueueError;

/// An expression that an ad must make true.
#[derive(Debug)]
pub struct Constraint {
    expression: Expr,
    /// What `time()` is, Unix seconds.
    now: i64,
}

impl Constraint {
    /// Reads the text in the old syntax, as HTCondor's tools do. `now` is what `time()` gives, Unix seconds.
    ///
    /// # Errors
    /// [`QueueError::Constraint`] when the text is no expression.
    pub fn new(text: &str, now: i64) -> Result<Self, QueueError> {
        match Expr::parse_old(text) {
            Ok(expression) => Ok(Self { expression, now }),
            Err(error) => Err(QueueError::Constraint {
                constraint: crate::text::strip_control(text).into_owned(),
                reason: error.to_string(),
            }),
        }
    }

    /// True when the expression is true for the ad; undefined and error are not.
    pub fn is_true_for(&self, ad: &ClassAd) -> bool {
        let value = ad.evaluate_expr(&self.expression, &EvalContext::at(self.now));
        value.as_condition() == Some(true)
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
