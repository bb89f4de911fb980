//! What is wrong with an expression, and where.

use std::fmt;

/// Text that is not an expression.
///
/// `Display` shows the message, the line and a caret under the place:
///
/// ```
/// let error = classads::Expr::parse("JobStatus == ").unwrap_err();
/// assert_eq!(error.to_string(), "expected an operand, found the end of the expression\n  JobStatus == \n               ^");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    /// The line of the source that holds the place.
    line: String,
    /// Characters before the place in that line.
    column: usize,
    offset: usize,
    message: String,
}

impl ParseError {
    pub(crate) fn new(source: &str, offset: usize, message: impl Into<String>) -> ParseError {
        // A window around the place keeps the message small for hostile lines.
        const WINDOW: usize = 200;
        let offset = offset.min(source.len());
        let place = source.floor_char_boundary(offset);
        let (before, behind) = source.split_at(place);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let start = source.floor_char_boundary(start.max(offset.saturating_sub(WINDOW)));
        let end = behind.find('\n').map_or(source.len(), |at| at + place);
        let end = source.floor_char_boundary(end.min(offset + WINDOW));
        let line = source.get(start..end.max(start)).unwrap_or_default();
        let column = before.get(start..).unwrap_or_default().chars().count();
        ParseError {
            inner: Box::new(Inner {
                line: line.trim_end().to_owned() + if line.ends_with(' ') { " " } else { "" },
                column,
                offset,
                message: message.into(),
            }),
        }
    }

    /// Byte offset of the place in the text that was parsed.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.inner.offset
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.inner;
        write!(f, "{}\n  ", inner.message)?;
        for character in inner.line.chars() {
            // Control characters would move the caret or drive the terminal.
            write!(f, "{}", if character.is_control() { ' ' } else { character })?;
        }
        write!(f, "\n  {:width$}^", "", width = inner.column)
    }
}

impl std::error::Error for ParseError {}
