//! `ClassAd`, `Expr` and `read_ads`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufRead;
use std::ops::Deref;

use classads::{AdStream, EvalContext, Style, Syntax, json, long};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString, PyTuple, PyType};

use crate::errors::{input_error, raised};
use crate::sources::{Batches, Damage, Damaged, Item, Reading, Source};
use crate::values::{expression, of_mapping, to_expr, unix_seconds, value};

/// An attribute's name, as it may stand in an ad.
pub(crate) fn checked_name(name: String) -> PyResult<String> {
    match name.is_empty() || name.contains(['\n', '\r', '\0']) {
        true => Err(input_error(&format!("{name:?} is no name of an attribute"))),
        false => Ok(name),
    }
}

/// An ad of this module, or one that was made of something else.
enum Ad<'py> {
    Ours(PyRef<'py, ClassAd>),
    Made(classads::ClassAd),
}

impl<'py> Ad<'py> {
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(match object.cast::<ClassAd>() {
            Ok(ad) => Self::Ours(ad.borrow()),
            Err(_) => Self::Made(ClassAd::of(object)?),
        })
    }

    /// Of an argument that may be left out.
    fn of_argument(object: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Self>> {
        object.filter(|object| !object.is_none()).map(Self::of).transpose()
    }
}

impl Deref for Ad<'_> {
    type Target = classads::ClassAd;

    fn deref(&self) -> &classads::ClassAd {
        match self {
            Self::Ours(ad) => &ad.ad,
            Self::Made(ad) => ad,
        }
    }
}

/// The time, and the other ad of a match.
fn context<'a>(
    target: Option<&'a Ad<'_>>,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<EvalContext<'a>> {
    let context = match now {
        Some(now) => EvalContext::at(unix_seconds(now)?),
        None => EvalContext::default(),
    };
    Ok(EvalContext { target: target.map(|target| &**target), ..context })
}

/// Names of attributes, in any case, and their expressions.
#[pyclass(subclass, module = "holdadvise")]
#[derive(Clone)]
pub(crate) struct ClassAd {
    pub(crate) ad: classads::ClassAd,
}

impl ClassAd {
    pub(crate) fn object(py: Python<'_>, ad: classads::ClassAd) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, Self { ad })?.into_any())
    }

    /// The only ad of a text of any form.
    fn of_text(text: &[u8]) -> PyResult<classads::ClassAd> {
        let mut ads = classads::read_ads(text);
        let first = ads.next().transpose().map_err(|error| raised(&error))?;
        match ads.next() {
            None => Ok(first.unwrap_or_default()),
            Some(Err(error)) => Err(raised(&error)),
            Some(Ok(_)) => Err(input_error("expected one ad, found several; read_ads reads them")),
        }
    }

    /// An ad, a mapping, or what `str` makes an ad of.
    fn of(object: &Bound<'_, PyAny>) -> PyResult<classads::ClassAd> {
        if let Ok(ad) = object.cast::<Self>() {
            return Ok(ad.borrow().ad.clone());
        }
        if let Ok(text) = object.cast::<PyBytes>() {
            return Self::of_text(text.as_bytes());
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Self::of_text(text.to_string_lossy().as_bytes());
        }
        let text = object.str()?;
        let text = text.to_string_lossy();
        if text.trim_start().starts_with('[') {
            return classads::ClassAd::parse(text.trim()).map_err(|error| raised(&error));
        }
        match object.cast::<PyMapping>() {
            Ok(mapping) => of_mapping(mapping, 0),
            Err(_) => Err(PyTypeError::new_err(format!(
                "expected an ad: a text, a mapping, or what prints as one; found {}",
                object.get_type()
            ))),
        }
    }

    fn expr(&self, name: &str) -> PyResult<&classads::Expr> {
        if let Some(expr) = self.ad.get(name) {
            return Ok(expr);
        }
        if !self.ad.contains(name) {
            return Err(PyKeyError::new_err(name.to_owned()));
        }
        match self.ad.errors().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
            Some((name, error)) => Err(input_error(&format!("{name}: {error}"))),
            None => Err(PyKeyError::new_err(name.to_owned())),
        }
    }
}

#[pymethods]
impl ClassAd {
    #[new]
    #[pyo3(signature = (source=None, /))]
    fn new(source: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let ad = source.map(Self::of).transpose()?.unwrap_or_default();
        Ok(Self { ad })
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        expression(py, self.expr(name)?)
    }

    fn __setitem__(&mut self, name: String, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.ad.insert(&checked_name(name)?, to_expr(value, 0)?);
        Ok(())
    }

    fn __delitem__(&mut self, name: &str) -> PyResult<()> {
        match self.ad.remove(name) {
            true => Ok(()),
            false => Err(PyKeyError::new_err(name.to_owned())),
        }
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.cast::<PyString>().is_ok_and(|name| self.ad.contains(&name.to_string_lossy()))
    }

    fn __len__(&self) -> usize {
        self.ad.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyTuple::new(py, self.ad.names())?.try_iter()?.into_any())
    }

    fn keys(&self) -> Vec<&str> {
        self.ad.names().collect()
    }

    fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.ad.names().map(|name| self.__getitem__(py, name)).collect()
    }

    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&str, Bound<'py, PyAny>)>> {
        self.ad.names().map(|name| Ok((name, self.__getitem__(py, name)?))).collect()
    }

    #[pyo3(signature = (name, default=None, /))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.ad.contains(name) {
            true => self.__getitem__(py, name).map(Some),
            false => Ok(default),
        }
    }

    fn update(&mut self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        for (name, text, syntax) in Self::of(other)?.iter_raw() {
            self.ad.insert_raw(name, text, syntax);
        }
        Ok(())
    }

    /// The expression of an attribute.
    fn lookup(&self, name: &str) -> PyResult<Expr> {
        Ok(Expr { expr: self.expr(name)?.clone() })
    }

    /// The value of an attribute; `Value.Undefined` where the ad lacks it.
    #[pyo3(signature = (name, /, target=None, *, now=None))]
    fn eval<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        target: Option<&Bound<'py, PyAny>>,
        now: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let target = Ad::of_argument(target)?;
        let context = context(target.as_ref(), now)?;
        value(py, &self.ad.evaluate(name, &context))
    }

    /// Whether this ad meets the requirements of the other.
    #[pyo3(signature = (other, /, *, now=None))]
    fn matches(&self, other: &Bound<'_, PyAny>, now: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        Ok(self.ad.matches(&*Ad::of(other)?, &context(None, now)?))
    }

    /// Whether each meets the requirements of the other.
    #[pyo3(signature = (other, /, *, now=None))]
    fn symmetric_match(
        &self,
        other: &Bound<'_, PyAny>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        Ok(self.ad.symmetric_match(&*Ad::of(other)?, &context(None, now)?))
    }

    /// As `condor_q -long` prints it.
    pub(crate) fn to_long(&self) -> PyResult<String> {
        let mut text = Vec::new();
        long::write(&mut text, &self.ad).map_err(|error| raised(&error))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// As `condor_q -json` prints it.
    fn to_json(&self) -> String {
        json::to_string(&self.ad)
    }

    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.borrow().ad == self.ad)
    }

    fn __str__(&self) -> String {
        self.ad.to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &self.ad.to_string()).repr()?;
        Ok(format!("ClassAd({})", text.to_string_lossy()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.ad.to_string(),))
    }
}

/// An expression of the ClassAd language.
#[pyclass(frozen, module = "holdadvise")]
pub(crate) struct Expr {
    pub(crate) expr: classads::Expr,
}

impl Expr {
    pub(crate) fn object(py: Python<'_>, expr: classads::Expr) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, Self { expr })?.into_any())
    }

    fn text(&self) -> String {
        self.expr.print(Style::New)
    }
}

#[pymethods]
impl Expr {
    /// Reads a text in the new syntax, or `old`: that of `condor_q -long`.
    #[new]
    #[pyo3(signature = (text, /, *, old=false))]
    fn new(text: &str, old: bool) -> PyResult<Self> {
        let syntax = if old { Syntax::Old } else { Syntax::New };
        let parsed = match syntax {
            Syntax::Old => classads::Expr::parse_old(text),
            Syntax::New => classads::Expr::parse(text),
        };
        Ok(Self { expr: parsed.map_err(|error| raised(&error))? })
    }

    /// Its value on an ad.
    #[pyo3(signature = (ad=None, target=None, *, now=None))]
    fn eval<'py>(
        &self,
        py: Python<'py>,
        ad: Option<&Bound<'py, PyAny>>,
        target: Option<&Bound<'py, PyAny>>,
        now: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ad = Ad::of_argument(ad)?.unwrap_or(Ad::Made(classads::ClassAd::new()));
        let target = Ad::of_argument(target)?;
        let context = context(target.as_ref(), now)?;
        value(py, &ad.evaluate_expr(&self.expr, &context))
    }

    /// Its parts with their values on an ad: depth, text and value.
    #[pyo3(signature = (ad=None, target=None, *, now=None))]
    fn steps<'py>(
        &self,
        py: Python<'py>,
        ad: Option<&Bound<'py, PyAny>>,
        target: Option<&Bound<'py, PyAny>>,
        now: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<(usize, String, Bound<'py, PyAny>)>> {
        let ad = Ad::of_argument(ad)?.unwrap_or(Ad::Made(classads::ClassAd::new()));
        let target = Ad::of_argument(target)?;
        let context = context(target.as_ref(), now)?;
        let steps = ad.evaluate_tree(&self.expr, &context).into_iter();
        steps.map(|step| Ok((step.depth, step.text, value(py, &step.value)?))).collect()
    }

    /// Names of attributes that it refers to, each once.
    fn references(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for reference in self.expr.attribute_references() {
            if !names.iter().any(|name| name.eq_ignore_ascii_case(&reference.name)) {
                names.push(reference.name);
            }
        }
        names
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().expr == self.expr)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &self.text()).repr()?;
        Ok(format!("Expr({})", text.to_string_lossy()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.text(),))
    }
}

struct Ads {
    stream: AdStream<Box<dyn BufRead + Send>>,
    /// The name of the file, and a colon.
    place: String,
}

impl Reading for Ads {
    type Item = classads::ClassAd;

    fn read(&mut self) -> Option<(Item<classads::ClassAd>, usize)> {
        Some(match self.stream.next()? {
            Ok(ad) => {
                let size = ad.iter_raw().map(|(name, text, _)| name.len() + text.len()).sum();
                (Item::Good(ad), size)
            }
            Err(error) if error.is_io() => (Item::Failed(Box::new(error)), 0),
            Err(error) => (Item::Damage(Damage::of_ads(&self.place, &error)), 0),
        })
    }
}

/// The iterator of `read_ads`.
#[pyclass(frozen, module = "holdadvise")]
pub(crate) struct AdReader(Batches<Ads>);

#[pymethods]
impl AdReader {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.next(py, |ad| ClassAd::object(py, ad))
    }
}

/// The ads of a file or text, in any form.
#[pyfunction]
#[pyo3(signature = (source, /, *, attributes=None, damaged="raise"))]
pub(crate) fn read_ads(
    source: &Bound<'_, PyAny>,
    attributes: Option<Vec<String>>,
    damaged: &str,
) -> PyResult<AdReader> {
    let damaged = Damaged::of(damaged)?;
    let source = Source::of(source)?;
    let place = match &source {
        Source::File(path) => format!("{}: ", path.display()),
        Source::Text(_) => String::new(),
    };
    let stream = classads::read_ads(source.reader()?);
    let stream = match attributes {
        Some(names) => stream.with_projection(names),
        None => stream,
    };
    Ok(AdReader(Batches::new(Ads { stream, place }, damaged)))
}
