//! Errors as Python's exceptions, which `holdadvise/_values.py` defines.

use std::error::Error;
use std::io;

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// A class of the Python part of the package.
pub(crate) fn class<'py>(
    py: Python<'py>,
    cell: &PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<Bound<'py, PyType>> {
    cell.import(py, "holdadvise._values", name).cloned()
}

static READ_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INPUT_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// An error with the message of the tools: `ReadError` where a file could not be read, `InputError`
/// else.
pub(crate) fn raised(error: &(dyn Error + 'static)) -> PyErr {
    let mut source = Some(error);
    while let Some(of) = source {
        if let Some(of) = of.downcast_ref::<io::Error>() {
            return read_error(&error.to_string(), of.raw_os_error());
        }
        source = of.source();
    }
    input_error(&error.to_string())
}

fn read_error(message: &str, number: Option<i32>) -> PyErr {
    Python::attach(|py| {
        let made = || {
            let error = class(py, &READ_ERROR, "ReadError")?.call1((message,))?;
            error.setattr("errno", number)?;
            Ok(PyErr::from_value(error))
        };
        made().unwrap_or_else(|error| error)
    })
}

/// `InputError`
pub(crate) fn input_error(message: &str) -> PyErr {
    Python::attach(|py| match new_input_error(py, message) {
        Ok(error) => PyErr::from_value(error.into_any()),
        Err(error) => error,
    })
}

/// `InputError` that is not raised yet.
pub(crate) fn new_input_error<'py>(
    py: Python<'py>,
    message: &str,
) -> PyResult<Bound<'py, PyBaseException>> {
    let error = class(py, &INPUT_ERROR, "InputError")?.call1((message,))?;
    Ok(error.cast_into()?)
}
