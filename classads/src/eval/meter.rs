//! The work of an evaluation and what it makes, counted before it is done.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::Failure;
use super::scope::Val;
use crate::expr::Expr;
use crate::expr::tree::TreeNode;
use crate::functions::strings::Pieces;
use crate::print::{self, Style};
use crate::syntax::error::ParseError;
use crate::value::Value;

/// Bytes that an element of a list, or an attribute of an ad, takes beside its text.
pub(crate) const ELEMENT: usize = 64;

/// Bytes of text that are looked through in one step.
const BYTES_OF_STEP: usize = 64;

/// What one evaluation has taken, and may take.
#[derive(Debug)]
pub(crate) struct Meter {
    steps: Cell<u32>,
    max_steps: u32,
    /// Bytes that may still be made.
    bytes: Cell<usize>,
    /// A limit was met.
    gave_up: Cell<bool>,
}

impl Meter {
    pub(crate) fn new(max_steps: u32, max_bytes: usize) -> Meter {
        Meter {
            steps: Cell::new(0),
            max_steps,
            bytes: Cell::new(max_bytes),
            gave_up: Cell::new(false),
        }
    }

    /// Steps that were taken.
    pub(crate) fn steps(&self) -> u32 {
        self.steps.get()
    }

    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    /// A limit is met.
    pub(crate) fn give_up(&self) -> Failure {
        self.gave_up.set(true);
        Failure
    }

    /// Takes steps for looking through a text.
    pub(crate) fn charge_search(&self, text: &str) -> Result<(), Failure> {
        self.charge_bytes(text.len())
    }

    /// Takes steps for bytes that are looked at or made.
    pub(crate) fn charge_bytes(&self, bytes: usize) -> Result<(), Failure> {
        self.charge(u32::try_from(bytes / BYTES_OF_STEP).unwrap_or(u32::MAX))
    }

    /// Takes steps for work that is done elsewhere, if there are so many left. If not, none are
    /// left for the rest of the evaluation either.
    #[inline]
    pub(crate) fn charge(&self, steps: u32) -> Result<(), Failure> {
        let steps = self.steps.get().saturating_add(steps);
        if steps > self.max_steps {
            self.steps.set(self.max_steps);
            return Err(self.give_up());
        }
        self.steps.set(steps);
        Ok(())
    }

    /// Takes bytes for what is about to be made, if so many are left. If not, none are left for the
    /// rest of the evaluation either: functions that go on behind a failure would try again and
    /// again.
    pub(crate) fn make(&self, bytes: usize) -> Result<(), Failure> {
        self.charge_bytes(bytes)?;
        if let Some(left) = self.bytes.get().checked_sub(bytes) {
            self.bytes.set(left);
            return Ok(());
        }
        self.bytes.set(0);
        Err(self.give_up())
    }

    /// Takes bytes for so many elements of a list.
    pub(crate) fn make_elements(&self, count: usize) -> Result<(), Failure> {
        self.make(count.saturating_mul(ELEMENT))
    }

    /// A list of strings.
    pub(crate) fn list_of(&self, pieces: &Pieces<'_>) -> Result<Value, Failure> {
        let mut texts = Vec::<Arc<str>>::with_capacity(pieces.about());
        let add = |piece: &str| match self.make(piece.len() + ELEMENT) {
            Ok(()) => {
                texts.push(piece.into());
                ControlFlow::Continue(())
            }
            Err(failure) => ControlFlow::Break(failure),
        };
        pieces.each(add).map_or(Ok(()), Err)?;
        Ok(texts.into_iter().map(Value::String).collect())
    }

    /// Takes bytes for what may grow to so many times a text.
    pub(crate) fn make_times(&self, times: usize, text: &[u8]) -> Result<(), Failure> {
        self.make(text.len().saturating_mul(times))
    }

    /// Appends to a string.
    pub(crate) fn append(&self, text: &mut String, piece: &str) -> Result<(), Failure> {
        self.make(piece.len())?;
        text.push_str(piece);
        Ok(())
    }

    /// Appends to a string that need not be UTF-8 yet.
    pub(crate) fn append_bytes(&self, text: &mut Vec<u8>, piece: &[u8]) -> Result<(), Failure> {
        self.make(piece.len())?;
        text.extend_from_slice(piece);
        Ok(())
    }

    /// The string of bytes that are counted already.
    pub(crate) fn text_of(&self, bytes: &[u8]) -> Result<Arc<str>, Failure> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Ok(text.into());
        }
        // A byte that is no UTF-8 becomes a character of three.
        self.make_times(2, bytes)?;
        Ok(String::from_utf8_lossy(bytes).into())
    }

    /// What is printed. `print` is told how many bytes are left, and stops where it needs more.
    pub(crate) fn print(&self, print: impl FnOnce(&mut String, usize)) -> Result<String, Failure> {
        let mut text = String::new();
        print(&mut text, self.bytes.get());
        self.make(text.len())?;
        Ok(text)
    }

    /// The value of an element of a list that a function makes. Its text counts although it may be
    /// shared: the list can be printed.
    pub(crate) fn element(&self, value: Val<'_>) -> Result<Value, Failure> {
        self.make_elements(1)?;
        self.kept(value)
    }

    /// A value that is kept beside others. Its text counts although it may be shared.
    pub(crate) fn kept(&self, value: Val<'_>) -> Result<Value, Failure> {
        match &value {
            Val::Plain(Value::String(text)) => self.make(text.len())?,
            Val::Plain(_) => {}
            Val::Ad(scope) => self.make(scope.size())?,
            Val::List(..) => {
                let list = value.into_value();
                self.print(|out, limit| print::value_within(out, &list, Style::New, limit))?;
                return Ok(list);
            }
        }
        Ok(value.into_value())
    }

    /// Reads an expression, of which each byte may be a node.
    pub(crate) fn parse(&self, text: &str) -> Result<Result<Expr, ParseError>, Failure> {
        self.make_times(size_of::<TreeNode>(), text.as_bytes())?;
        Ok(Expr::parse(text))
    }
}
