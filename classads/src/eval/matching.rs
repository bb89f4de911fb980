//! Matches of two ads.

use super::EvalContext;
use crate::ad::ClassAd;

impl ClassAd {
    /// Whether the other ad's `Requirements` hold with this ad as its `TARGET`: they are true, or a
    /// number that is not zero. An ad without `Requirements` is matched by none. The context's own
    /// target does not count.
    ///
    /// ```
    /// use classads::{ClassAd, EvalContext};
    ///
    /// let job = ClassAd::parse("[ Requirements = TARGET.Memory >= 2048 ]")?;
    /// let slot = ClassAd::parse("[ Memory = 4096 ]")?;
    /// assert!(slot.matches(&job, &EvalContext::default()));
    /// assert!(!job.matches(&slot, &EvalContext::default()));
    /// # Ok::<(), classads::ParseError>(())
    /// ```
    #[must_use]
    pub fn matches(&self, other: &ClassAd, context: &EvalContext<'_>) -> bool {
        let context = EvalContext { target: Some(self), ..context.clone() };
        // What an ad lacks is looked up in the target.
        other.contains("Requirements")
            && other.evaluate("Requirements", &context).as_condition() == Some(true)
    }

    /// Whether each ad matches the other, as the negotiator wants it of a job and a slot.
    ///
    /// ```
    /// use classads::{ClassAd, EvalContext};
    ///
    /// let job = ClassAd::parse("[ RequestMemory = 2048; Requirements = TARGET.Memory >= RequestMemory ]")?;
    /// let slot = ClassAd::parse("[ Memory = 4096; Requirements = TARGET.RequestMemory <= Memory ]")?;
    /// assert!(job.symmetric_match(&slot, &EvalContext::default()));
    /// # Ok::<(), classads::ParseError>(())
    /// ```
    #[must_use]
    pub fn symmetric_match(&self, other: &ClassAd, context: &EvalContext<'_>) -> bool {
        self.matches(other, context) && other.matches(self, context)
    }
}
