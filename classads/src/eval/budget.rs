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
pub struct Budget(Arc<AtomicU64>);

impl Budget {
    /// So many steps.
    #[must_use]
    pub fn new(steps: u64) -> Budget {
        Budget(Arc::new(AtomicU64::new(steps)))
    }

    /// The steps that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes steps that an evaluation took.
    pub(crate) fn take(&self, steps: u32) {
        let left = |left: u64| Some(left.saturating_sub(steps.into()));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
    }
}
