//! Functions of values that need no ad, no scope and no time: they are called alike on the short
//! and on the long way of an evaluation, with values that are borrowed.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::conversions::to_string;
use super::strings::Pieces;
use super::{Answer, Arguments, Stop};
use crate::eval::Failure;
use crate::eval::meter::Meter;
use crate::eval::scalar::Scalar;
use crate::eval::scope::{Scope, Val};
use crate::value::Value;

/// What such a function gives.
pub(crate) type Given<'v> = Result<Scalar<'v>, Stop>;

pub(crate) type PlainBody = for<'v> fn(&Plain<'_, 'v>) -> Given<'v>;

/// Strings that are made on the way: one, and those behind it.
#[derive(Default)]
pub(crate) struct Texts {
    first: OnceCell<Arc<str>>,
    others: OnceCell<Box<Texts>>,
}

impl Texts {
    fn keep(&self, text: Arc<str>) -> &Arc<str> {
        let mut texts = self;
        while texts.first.get().is_some() {
            texts = texts.others.get_or_init(Box::default);
        }
        texts.first.get_or_init(|| text)
    }

    /// Whether a string is the first of these.
    pub(crate) fn is_first(&self, text: &Arc<str>) -> bool {
        self.first.get().is_some_and(|first| std::ptr::eq(first, text))
    }

    pub(crate) fn take_first(&mut self) -> Option<Arc<str>> {
        self.first.take()
    }
}

/// Room for what is made on the way. Where it is full, the long way has room for each call.
pub(crate) struct Made<'v> {
    texts: &'v Texts,
    piece: OnceCell<&'v str>,
    pieces: OnceCell<Pieces<'v>>,
}

impl<'v> Made<'v> {
    pub(crate) fn new(texts: &'v Texts) -> Made<'v> {
        Made { texts, piece: OnceCell::new(), pieces: OnceCell::new() }
    }
}

/// The call of a function.
pub(crate) struct Plain<'c, 'v> {
    pub(crate) meter: &'c Meter,
    made: &'v Made<'v>,
    /// The arguments, where they are evaluated.
    values: &'c [Scalar<'v>],
    /// The arguments, where they are evaluated when the function asks.
    written: Option<&'c dyn Written<'v>>,
}

/// What is done with each element of a list.
type See<'f> = dyn FnMut(Scalar<'_>) -> Result<ControlFlow<()>, Stop> + 'f;

/// Arguments as they are written.
trait Written<'v> {
    fn len(&self) -> usize;

    fn value(&self, index: usize) -> Result<Scalar<'v>, Failure>;

    /// Evaluates the elements of a list.
    fn each(&self, list: &Val<'v>, see: &mut See<'_>) -> Result<(), Stop>;
}

/// Arguments and the values of those that were asked for.
struct Asked<'c, 'v, 'a> {
    arguments: &'c Arguments<'c, 'a>,
    values: &'v [OnceCell<Val<'a>>],
}

impl<'v, 'a: 'v> Written<'v> for Asked<'_, 'v, 'a> {
    fn len(&self) -> usize {
        self.arguments.len()
    }

    fn value(&self, index: usize) -> Result<Scalar<'v>, Failure> {
        let Some(cell) = self.values.get(index) else { return Ok(Scalar::Error) };
        if let Some(known) = cell.get() {
            return Ok(Scalar::any(known));
        }
        let value = self.arguments.value(index)?;
        Ok(Scalar::any(cell.get_or_init(|| value)))
    }

    fn each(&self, list: &Val<'v>, see: &mut See<'_>) -> Result<(), Stop> {
        let Val::List(elements, home) = list else { return Err(Stop::Error) };
        let here: &Scope<'v> = self.arguments.scope;
        let at = here.of_elements(home);
        for element in elements.iter() {
            let element = self.arguments.evaluator.element_of(element, &at)?;
            if see(Scalar::any(&element))?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Calls the function with values.
#[inline]
pub(crate) fn call<'v>(
    function: PlainBody,
    meter: &Meter,
    made: &'v Made<'v>,
    values: &[Scalar<'v>],
) -> Given<'v> {
    function(&Plain { meter, made, values, written: None })
}

/// Calls the function with arguments as they are written.
pub(crate) fn called<'a>(function: PlainBody, arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let (few, mut many) = ([const { OnceCell::new() }; 4], Vec::new());
    let values: &[OnceCell<Val<'_>>] = if arguments.len() > few.len() {
        many.resize_with(arguments.len(), OnceCell::new);
        &many
    } else {
        &few
    };
    let texts = Texts::default();
    let made = &Made::new(&texts);
    let meter: &Meter = arguments.evaluator;
    let written = &Asked { arguments, values };
    match function(&Plain { meter, made, values: &[], written: Some(written) })? {
        Scalar::Pieces(pieces) => Ok(Val::made(meter.list_of(pieces)?)),
        scalar => Ok(Val::made(scalar.into_value())),
    }
}

thread_local! {
    /// The memory in which the last string was made, emptied.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Bytes of memory that are kept for the next string.
const KEPT: usize = 4096;

impl<'v> Plain<'_, 'v> {
    pub(crate) fn len(&self) -> usize {
        self.written.map_or(self.values.len(), Written::len)
    }

    #[inline]
    pub(crate) fn value(&self, index: usize) -> Result<Scalar<'v>, Failure> {
        match (self.values.get(index), self.written) {
            (Some(value), _) => Ok(*value),
            (None, Some(written)) => written.value(index),
            (None, None) => Ok(Scalar::Error),
        }
    }

    /// The argument, if it is there.
    pub(crate) fn optional(&self, index: usize) -> Result<Option<Scalar<'v>>, Failure> {
        (index < self.len()).then(|| self.value(index)).transpose()
    }

    /// The argument, which must be a string.
    pub(crate) fn text(&self, index: usize) -> Result<&'v str, Stop> {
        self.value(index)?.as_str().ok_or(Stop::Error)
    }

    /// The arguments, at most four; those that are not there are `None`.
    pub(crate) fn values(&self) -> Result<[Option<Scalar<'v>>; 4], Failure> {
        let mut values = [None; 4];
        for (index, value) in values.iter_mut().enumerate().take(self.len()) {
            *value = Some(self.value(index)?);
        }
        Ok(values)
    }

    /// The arguments, at most four, which must be strings, none of them undefined.
    pub(crate) fn texts(&self) -> Result<[Option<&'v str>; 4], Stop> {
        let mut texts = [None; 4];
        let (mut is_error, mut is_undefined, mut is_other) = (false, false, false);
        for (index, text) in texts.iter_mut().enumerate().take(self.len()) {
            let value = self.value(index)?;
            *text = value.as_str();
            is_error |= value.is_error();
            is_undefined |= value.is_undefined();
            is_other |= text.is_none();
        }
        match (is_error, is_undefined, is_other) {
            (false, true, _) => Err(Stop::Undefined),
            (false, false, false) => Ok(texts),
            _ => Err(Stop::Error),
        }
    }

    /// Goes through the elements of a list until it breaks; `false` where it is no list.
    pub(crate) fn each(&self, list: Scalar<'v>, see: &mut See<'_>) -> Result<bool, Stop> {
        match list {
            Scalar::Pieces(pieces) => {
                let stopped = pieces.each(|piece| match see(Scalar::Piece(&piece)) {
                    Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
                    Ok(ControlFlow::Break(())) => ControlFlow::Break(Ok(())),
                    Err(stop) => ControlFlow::Break(Err(stop)),
                });
                stopped.unwrap_or(Ok(()))?;
            }
            Scalar::Other(list @ Val::List(..)) => {
                self.written.ok_or(Stop::Failure)?.each(list, see)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The value as a string; undefined and error are what the function gives.
    pub(crate) fn to_text<'t>(&self, value: Scalar<'t>) -> Result<Cow<'t, str>, Stop> {
        match value {
            Scalar::Text(text) => Ok(Cow::Borrowed(text)),
            Scalar::Piece(text) => Ok(Cow::Borrowed(text)),
            other => match to_string(self.meter, other.into_val())? {
                Value::String(text) => Ok(Cow::Owned(text.as_ref().into())),
                Value::Undefined => Err(Stop::Undefined),
                _ => Err(Stop::Error),
            },
        }
    }

    /// Appends the value as a string.
    pub(crate) fn append(&self, text: &mut String, value: Scalar<'_>) -> Result<(), Stop> {
        if let Some(piece) = value.as_str() {
            return Ok(self.meter.append(text, piece)?);
        }
        if let Scalar::Integer(integer) = value {
            let before = text.len();
            let _ = write!(text, "{integer}");
            self.meter.make(text.len() - before)?;
            return Ok(());
        }
        let piece = self.to_text(value)?;
        Ok(self.meter.append(text, &piece)?)
    }

    /// An empty string to make one in.
    pub(crate) fn scratch(&self) -> String {
        String::from_utf8(SCRATCH.take()).unwrap_or_default()
    }

    /// A string whose bytes are counted already.
    pub(crate) fn give(&self, text: String) -> Given<'v> {
        let given = self.keep(text.as_str().into());
        self.put_back(text.into_bytes());
        given
    }

    /// The same of a string that is shared already.
    pub(crate) fn keep(&self, text: Arc<str>) -> Given<'v> {
        Ok(Scalar::Text(self.made.texts.keep(text)))
    }

    /// The string of bytes that are counted already.
    pub(crate) fn give_bytes(&self, bytes: Vec<u8>) -> Given<'v> {
        let given = self.keep(self.meter.text_of(&bytes)?);
        self.put_back(bytes);
        given
    }

    fn put_back(&self, mut scratch: Vec<u8>) {
        if scratch.capacity() <= KEPT {
            scratch.clear();
            SCRATCH.set(scratch);
        }
    }

    /// A part of a text, whose bytes are counted already.
    pub(crate) fn give_piece(&self, piece: &'v str) -> Given<'v> {
        match self.made.piece.get() {
            None => Ok(Scalar::Piece(self.made.piece.get_or_init(|| piece))),
            Some(_) => self.keep(piece.into()),
        }
    }

    /// A list of parts of a text.
    pub(crate) fn give_pieces(&self, pieces: Pieces<'v>) -> Given<'v> {
        match self.made.pieces.get() {
            None => Ok(Scalar::Pieces(self.made.pieces.get_or_init(|| pieces))),
            Some(_) => Err(Stop::Failure),
        }
    }
}
