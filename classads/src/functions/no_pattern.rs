//! Regular expressions where the crate was built without them: no text is a pattern, and the
//! functions that take one give `error`.

use std::ops::Range;

use crate::eval::{Evaluator, Failure};

/// A text that is no pattern.
pub(crate) struct Pattern;

/// Where a pattern matched.
pub(crate) struct Captures {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) groups: Vec<Option<Range<usize>>>,
}

impl Pattern {
    pub(crate) fn new(_text: &str, _options: &str) -> Self {
        Self
    }

    pub(crate) fn not_empty(self) -> Self {
        self
    }

    pub(crate) fn not_empty_at_start(&self) -> Self {
        Self
    }

    pub(crate) fn is_pattern(&self) -> bool {
        false
    }

    pub(crate) fn is_match(
        &self,
        _evaluator: &Evaluator<'_>,
        _text: &str,
    ) -> Result<Option<bool>, Failure> {
        Ok(None)
    }

    pub(crate) fn captures(
        &self,
        _evaluator: &Evaluator<'_>,
        _text: &[u8],
        _from: usize,
    ) -> Result<Option<Option<Captures>>, Failure> {
        Ok(None)
    }
}
