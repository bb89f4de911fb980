//! Regular expressions where the crate was built without them: no text is a pattern, and the
//! functions that take one give `error`.

use std::marker::PhantomData;
use std::ops::Range;

use crate::eval::Failure;
use crate::eval::meter::Meter;

/// A text that is no pattern.
pub(crate) struct Pattern<'t>(PhantomData<&'t str>);

impl<'t> Pattern<'t> {
    pub(crate) fn new(_text: &'t str, _options: &str) -> Self {
        Self(PhantomData)
    }

    pub(crate) fn not_empty(self) -> Self {
        self
    }

    pub(crate) fn not_empty_at_start(&self) -> Self {
        Self(PhantomData)
    }

    pub(crate) fn is_pattern(&mut self) -> bool {
        false
    }

    pub(crate) fn is_match(
        &mut self,
        _meter: &Meter,
        _text: &[u8],
        _from: usize,
    ) -> Result<Option<bool>, Failure> {
        Ok(None)
    }

    pub(crate) fn group(&self, _group: usize) -> Option<Option<Range<usize>>> {
        None
    }
}
