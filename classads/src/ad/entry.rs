//! One attribute of an ad: where its text lies, and its expression once somebody asked for it.

use std::ops::Range;
use std::sync::OnceLock;

use crate::expr::Expr;
use crate::syntax::error::ParseError;
use crate::syntax::{Syntax, parser, recent};

/// The expression of an attribute, or why it is none.
pub(crate) type Parsed = Result<Expr, ParseError>;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The name in the ad's text.
    pub(crate) name: Span,
    /// The expression in the ad's text.
    pub(crate) raw: Span,
    pub(crate) syntax: Syntax,
    /// The line of the input it stood on, from 1; 0 where it was not read from lines.
    pub(crate) line: u32,
    pub(crate) parsed: OnceLock<Parsed>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Span {
        // An ad's text is kept below 4 GiB by its readers.
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Span { start: number(start), end: number(end) }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

impl Entry {
    pub(crate) fn new(name: Span, raw: Span, syntax: Syntax, line: u64) -> Entry {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Entry { name, raw, syntax, line, parsed: OnceLock::new() }
    }

    /// Bytes of the ad's text.
    pub(crate) fn len(&self) -> usize {
        self.name.len() + self.raw.len()
    }

    /// Why the text is no expression; `None` if it is one.
    pub(crate) fn error(&self, text: &str) -> Option<&ParseError> {
        let raw = text.get(self.raw.range()).unwrap_or_default();
        if parser::constant(raw, self.syntax).is_some() {
            return None;
        }
        self.parsed(text).as_ref().err()
    }

    #[inline]
    pub(crate) fn parsed(&self, text: &str) -> &Parsed {
        self.parsed.get_or_init(|| self.parse(text))
    }

    #[cold]
    fn parse(&self, text: &str) -> Parsed {
        let raw = text.get(self.raw.range()).unwrap_or_default();
        match parser::constant(raw, self.syntax) {
            Some(value) => Ok(Expr::literal(value)),
            None => recent::expression(raw, self.syntax),
        }
    }
}
