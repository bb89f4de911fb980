//! What is wrong with a sweep file, gathered while it is read, so that all of it is told at once.

use std::cell::RefCell;
use std::fmt;

/// A place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// One thing to say of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where; `None` where something is missing.
    pub at: Option<Position>,
    /// What.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.at {
            write!(f, "{line}:{column}: ")?;
        }
        f.write_str(&self.text)
    }
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// What keeps the file from being used.
    errors: RefCell<Vec<Problem>>,
    /// What its author should know.
    notes: RefCell<Vec<Problem>>,
}

impl Problems {
    /// Adds an error.
    pub(super) fn error(&self, at: Position, text: impl Into<String>) {
        self.errors.borrow_mut().push(Problem { at: Some(at), text: text.into() });
    }

    /// Adds what is not there.
    pub(super) fn missing(&self, text: impl Into<String>) {
        self.errors.borrow_mut().push(Problem { at: None, text: text.into() });
    }

    /// Adds what its author should know.
    pub(super) fn note(&self, at: Position, text: impl Into<String>) {
        self.notes.borrow_mut().push(Problem { at: Some(at), text: text.into() });
    }

    /// How many errors there are.
    pub(super) fn count(&self) -> usize {
        self.errors.borrow().len()
    }

    /// Errors and notes, each in the order of the lines.
    pub(super) fn in_order(self) -> [Vec<Problem>; 2] {
        [self.errors, self.notes].map(|problems| {
            let mut problems = problems.into_inner();
            problems.sort_by_key(|problem| (problem.at.is_none(), problem.at));
            problems
        })
    }
}
