//! What is read, and what is done where it is damaged.

use std::collections::VecDeque;
use std::error::Error;
use std::io::{BufRead, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use classads::AdError;
use eventlog::{DamagedEvent, input};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{input_error, new_input_error, raised};

/// Items, and bytes of them, that are read without Python's lock before they are handed out.
const BATCH: usize = 256;
const BYTES: usize = 1 << 20;

/// A file, or its text.
pub(crate) enum Source {
    File(PathBuf),
    Text(Vec<u8>),
}

impl Source {
    /// `bytes`, and `str` of several lines or in brackets, is text; all else names a file.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Text(bytes.as_bytes().to_vec()));
        }
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_string_lossy();
            let is_text = text.contains('\n') || text.trim_start().starts_with(['[', '{', '<']);
            if is_text {
                return Ok(Self::Text(text.into_owned().into_bytes()));
            }
        }
        Ok(Self::File(object.extract()?))
    }

    pub(crate) fn reader(self) -> PyResult<Box<dyn BufRead + Send>> {
        match self {
            Self::Text(text) => Ok(Box::new(Cursor::new(text))),
            Self::File(path) => input::reader(&path)
                .map_err(|source| raised(&holdadvise::queue::QueueError::Read { path, source })),
        }
    }
}

/// A part of a file that could not be used.
#[pyclass(frozen, get_all, eq, hash, module = "holdadvise")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Damage {
    /// What was expected, and where.
    message: String,
    /// The line, from 1, of a file of ads.
    line: Option<u64>,
    /// The first byte, of a log.
    offset: Option<u64>,
    /// Bytes that were skipped, of a log.
    length: Option<u64>,
    /// Events that nobody has seen may be lost.
    is_loss: bool,
}

#[pymethods]
impl Damage {
    fn __str__(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!("<Damage {:?}>", self.message)
    }
}

impl Damage {
    pub(crate) fn of_ads(place: &str, error: &AdError) -> Self {
        let message = format!("{place}{error}");
        Self { message, line: error.line(), offset: None, length: None, is_loss: false }
    }

    pub(crate) fn of_log(log: &Path, damaged: &DamagedEvent) -> Self {
        Self {
            message: format!("{}: {damaged}", log.display()),
            line: None,
            offset: Some(damaged.offset),
            length: Some(damaged.length),
            is_loss: damaged.is_loss(),
        }
    }

    /// The exception of this damage.
    fn raised(self, py: Python<'_>) -> PyErr {
        let made = || {
            let error = new_input_error(py, &self.message)?;
            error.setattr("damage", self.clone())?;
            Ok(PyErr::from_value(error.into_any()))
        };
        made().unwrap_or_else(|error| error)
    }
}

/// What is done with damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damaged {
    Skip,
    Raise,
    Yield,
}

impl Damaged {
    pub(crate) fn of(word: &str) -> PyResult<Self> {
        match word {
            "skip" => Ok(Self::Skip),
            "raise" => Ok(Self::Raise),
            "yield" => Ok(Self::Yield),
            other => Err(input_error(&format!(
                "damaged: {other:?} is not one of \"skip\", \"raise\", \"yield\""
            ))),
        }
    }
}

/// One thing that was read.
pub(crate) enum Item<T> {
    Good(T),
    Damage(Damage),
    /// Reading ended here. It is raised by who holds Python's lock.
    Failed(Box<dyn Error + Send>),
}

/// What gives items; it is read without Python's lock.
pub(crate) trait Reading: Send {
    type Item: Send;

    /// The next item and its bytes; `None`: there is nothing more now.
    fn read(&mut self) -> Option<(Item<Self::Item>, usize)>;
}

/// Hands items out one by one.
pub(crate) struct Batches<R: Reading> {
    state: Mutex<(R, VecDeque<Item<R::Item>>)>,
    damaged: Damaged,
}

impl<R: Reading> Batches<R> {
    pub(crate) fn new(reading: R, damaged: Damaged) -> Self {
        Self { state: Mutex::new((reading, VecDeque::new())), damaged }
    }

    /// The next item as an object; `None`: there is nothing more now.
    pub(crate) fn next<'py>(
        &self,
        py: Python<'py>,
        object: impl Fn(R::Item) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            match self.item(py)? {
                None => return Ok(None),
                Some(Item::Good(item)) => return object(item).map(Some),
                Some(Item::Failed(error)) => return Err(raised(&*error)),
                Some(Item::Damage(damage)) => match self.damaged {
                    Damaged::Skip => {}
                    Damaged::Raise => return Err(damage.raised(py)),
                    Damaged::Yield => return Ok(Some(Bound::new(py, damage)?.into_any())),
                },
            }
        }
    }

    fn item(&self, py: Python<'_>) -> PyResult<Option<Item<R::Item>>> {
        let locked = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever reads meanwhile needs no lock of Python's to go on.
        if let Some(item) = locked().1.pop_front() {
            return Ok(Some(item));
        }
        py.check_signals()?;
        Ok(py.detach(|| {
            let (reading, batch) = &mut *locked();
            let mut bytes = 0;
            while batch.len() < BATCH && bytes < BYTES {
                let Some((item, size)) = reading.read() else { break };
                bytes += size;
                batch.push_back(item);
            }
            batch.pop_front()
        }))
    }
}
