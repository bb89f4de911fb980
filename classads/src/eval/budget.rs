//! Steps that several evaluations share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps that several evaluations may take together; each clone is the same budget. When none are
/// left, evaluations are given up.
///
/// Steps count work, not time: the same expressions on the same ads take the same steps on any
/// machine; only regular expressions that try much take more of them where PCRE2 makes no machine
/// code.
///
/// ```
/// use classads::{Budget, ClassAd, EvalContext, Expr};
///
/// let list = Expr::parse("size(split(\"a b c\"))")?;
/// let context = EvalContext { budget: Some(Budget::new(20)), ..EvalContext::at(0) };
/// assert!(ClassAd::new().try_evaluate_expr(&list, &context).is_some());
/// assert!((0..20).any(|_| ClassAd::new().try_evaluate_expr(&list, &context).is_none()));
/// # Ok::<(), classads::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget(Arc<Steps>);

#[derive(Debug)]
struct Steps {
    left: AtomicU64,
    /// What this is a part of.
    whole: Option<Budget>,
}

impl Budget {
    /// So many steps.
    #[must_use]
    pub fn new(steps: u64) -> Budget {
        Budget(Arc::new(Steps { left: AtomicU64::new(steps), whole: None }))
    }

    /// So many steps of this budget, if it has them left: what is taken is taken of both.
    #[must_use]
    pub fn part(&self, steps: u64) -> Budget {
        Budget(Arc::new(Steps { left: AtomicU64::new(steps), whole: Some(self.clone()) }))
    }

    /// The steps that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        let left = self.0.left.load(Ordering::Relaxed);
        self.0.whole.as_ref().map_or(left, |whole| whole.left().min(left))
    }

    /// Takes steps that an evaluation took, or other work that counts as so many.
    pub fn take(&self, steps: u64) {
        let left = |left: u64| Some(left.saturating_sub(steps));
        let _ = self.0.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        if let Some(whole) = &self.0.whole {
            whole.take(steps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_no_more_than_the_whole() {
        let whole = Budget::new(10);
        let (one, other) = (whole.part(8), whole.part(8));
        one.take(7);
        assert_eq!((one.left(), other.left(), whole.left()), (1, 3, 3));
        other.take(9);
        assert_eq!((one.left(), other.left(), whole.left()), (0, 0, 0));
    }
}
