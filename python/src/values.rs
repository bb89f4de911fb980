//! Values of both languages.

use std::borrow::Cow;

use classads::{ClassAd, Expr, NodeKind, Value};
use eventlog::{AdValue, EventAd};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyDateTime, PyDelta, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple,
    PyType, PyTzInfo,
};

use crate::ads;
use crate::errors::{class, input_error};

static VALUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// `Value.Undefined` or `Value.Error`.
fn named<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    class(py, &VALUE, "Value")?.getattr(name)
}

/// A moment with its distance from UTC; `None` where Python has no such year.
pub(crate) fn moment(
    py: Python<'_>,
    seconds: i64,
    microseconds: u32,
    offset: i32,
) -> PyResult<Option<Bound<'_, PyAny>>> {
    let (Ok(at), Ok(offset)) = (Timestamp::from_second(seconds), Offset::from_seconds(offset))
    else {
        return Ok(None);
    };
    let civil = offset.to_datetime(at);
    if civil.year() < 1 {
        return Ok(None);
    }
    let zone = match offset.seconds() {
        0 => PyTzInfo::utc(py)?.to_owned(),
        seconds => PyTzInfo::fixed_offset(py, PyDelta::new(py, 0, seconds, 0, true)?)?,
    };
    let small = |number: i8| u8::try_from(number).unwrap_or(0);
    let moment = PyDateTime::new(
        py,
        civil.year().into(),
        small(civil.month()),
        small(civil.day()),
        small(civil.hour()),
        small(civil.minute()),
        small(civil.second()),
        microseconds,
        Some(&zone),
    )?;
    Ok(Some(moment.into_any()))
}

/// Unix seconds of a number or a `datetime`; one without a zone is local time.
pub(crate) fn unix_seconds(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    let number = match object.cast::<PyDateTime>() {
        Ok(moment) => moment.call_method0("timestamp")?,
        Err(_) => object.clone(),
    };
    if let Ok(seconds) = number.extract::<i64>() {
        return Ok(seconds);
    }
    let seconds: f64 = number.extract()?;
    // Beyond this neither time is known.
    #[allow(clippy::cast_possible_truncation)]
    match seconds.floor() {
        whole if whole.abs() < 1e15 => Ok(whole as i64),
        _ => Err(input_error(&format!("{seconds} is no time in Unix seconds"))),
    }
}

/// An expression: what a constant, list or ad is in Python, else itself.
pub(crate) fn expression<'py>(py: Python<'py>, expr: &Expr) -> PyResult<Bound<'py, PyAny>> {
    if let Some(literal) = expr.as_literal() {
        return value(py, literal);
    }
    match expr.root().kind() {
        NodeKind::Literal(literal) => value(py, literal),
        NodeKind::List(elements) => {
            let elements = elements.into_iter().map(|element| expression(py, &element.to_expr()));
            Ok(PyList::new(py, elements.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        NodeKind::ClassAd(ad) => ads::ClassAd::object(py, ad.clone()),
        _ => ads::Expr::object(py, expr.clone()),
    }
}

/// A value. A moment that Python has none for is an expression.
pub(crate) fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Undefined => named(py, "Undefined")?,
        Value::Error => named(py, "Error")?,
        Value::Boolean(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Integer(value) => value.into_pyobject(py)?.into_any(),
        Value::Real(value) | Value::RelativeTime(value) => value.into_pyobject(py)?.into_any(),
        Value::String(value) => PyString::new(py, value).into_any(),
        Value::AbsoluteTime { seconds, offset } => match moment(py, *seconds, 0, *offset)? {
            Some(moment) => moment,
            None => ads::Expr::object(py, Expr::literal(value.clone()))?,
        },
        Value::List(elements) => {
            let elements = elements.iter().map(|element| expression(py, element));
            PyList::new(py, elements.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::ClassAd(ad) => ads::ClassAd::object(py, ad.as_ref().clone())?,
    })
}

/// How deep lists and mappings may lie in each other.
const DEEPEST: usize = 64;

/// The expression of an object: values as in [`value`], `None` is undefined, and what else there is
/// is read as the text that `str` makes of it.
pub(crate) fn to_expr(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Expr> {
    if depth > DEEPEST {
        return Err(input_error("lists and mappings lie too deep in each other"));
    }
    if object.is_none() {
        return Ok(Expr::literal(Value::Undefined));
    }
    if let Ok(expr) = object.cast::<ads::Expr>() {
        return Ok(expr.get().expr.clone());
    }
    if let Some(value) = undefined_or_error(object)? {
        return Ok(Expr::literal(value));
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Expr::literal(truth.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Expr::literal(object.extract::<i64>()?));
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(Expr::literal(object.extract::<f64>()?));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Expr::literal(&*text.to_string_lossy()));
    }
    if object.is_instance_of::<PyDateTime>() {
        return absolute_time(object);
    }
    if object.is_instance_of::<PyDelta>() {
        let seconds: f64 = object.call_method0("total_seconds")?.extract()?;
        return Ok(Expr::literal(Value::RelativeTime(seconds)));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let elements = object.try_iter()?.map(|element| to_expr(&element?, depth + 1));
        return Ok(Expr::literal(elements.collect::<PyResult<Value>>()?));
    }
    if let Ok(ad) = object.cast::<ads::ClassAd>() {
        return Ok(Expr::literal(ad.borrow().ad.clone()));
    }
    // Other modules' ads and expressions, which print themselves.
    let text = object.str()?;
    let text = text.to_string_lossy();
    if let Ok(mapping) = object.cast::<PyMapping>()
        && !text.trim_start().starts_with('[')
    {
        return Ok(Expr::literal(of_mapping(mapping, depth + 1)?));
    }
    Expr::parse(&text).map_err(|error| {
        let kind = object.get_type();
        PyTypeError::new_err(format!("a value of {kind} is no expression: {error}"))
    })
}

fn undefined_or_error(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if object.get_type().name()?.to_string_lossy() != "Value" {
        return Ok(None);
    }
    let name = object.getattr("name")?;
    Ok(match name.extract::<Cow<'_, str>>()?.as_ref() {
        "Undefined" => Some(Value::Undefined),
        "Error" => Some(Value::Error),
        _ => None,
    })
}

fn absolute_time(moment: &Bound<'_, PyAny>) -> PyResult<Expr> {
    let moment = match moment.call_method0("utcoffset")?.is_none() {
        true => moment.call_method0("astimezone")?,
        false => moment.clone(),
    };
    let offset = moment.call_method0("utcoffset")?.call_method0("total_seconds")?;
    #[allow(clippy::cast_possible_truncation)]
    let offset = offset.extract::<f64>()? as i32;
    Ok(Expr::literal(Value::AbsoluteTime { seconds: unix_seconds(&moment)?, offset }))
}

/// An ad of names and values.
pub(crate) fn of_mapping(mapping: &Bound<'_, PyMapping>, depth: usize) -> PyResult<ClassAd> {
    let mut ad = ClassAd::new();
    for pair in mapping.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = pair.extract()?;
        ad.insert(&ads::checked_name(name)?, to_expr(&value, depth)?);
    }
    Ok(ad)
}

/// The attributes of an event.
pub(crate) fn event_ad<'py>(
    py: Python<'py>,
    ad: &EventAd<'static>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in ad {
        dict.set_item(name, ad_value(py, value)?)?;
    }
    Ok(dict)
}

fn ad_value<'py>(py: Python<'py>, value: &AdValue<'static>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        AdValue::Integer(value) => value.into_pyobject(py)?.into_any(),
        AdValue::Real(value) => value.into_pyobject(py)?.into_any(),
        AdValue::Boolean(value) => PyBool::new(py, *value).to_owned().into_any(),
        AdValue::String(value) => PyString::new(py, value).into_any(),
        AdValue::Ad(ad) => event_ad(py, ad)?.into_any(),
        AdValue::List(values) => {
            let values = values.iter().map(|value| ad_value(py, value));
            PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        AdValue::Expression(text) => match Expr::parse(text) {
            Ok(expr) => expression(py, &expr)?,
            Err(_) => PyString::new(py, text).into_any(),
        },
    })
}

/// A time zone by its name, such as `Europe/Berlin`; the system's where there is none.
pub(crate) fn time_zone(name: Option<&str>) -> PyResult<TimeZone> {
    match name {
        None => Ok(TimeZone::system()),
        Some(name) => TimeZone::get(name).map_err(|error| {
            PyValueError::new_err(format!(
                "time_zone: {error}; expected a name of the IANA database"
            ))
        }),
    }
}
