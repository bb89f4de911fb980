//! The Python module `holdadvise._native`; the package `holdadvise` around it has its names.
//!
//! Nothing is decided here: values go from one language into the other.

// Python hands arguments over.
#![allow(clippy::needless_pass_by_value)]

mod ads;
mod ask;
mod errors;
mod events;
mod sources;
mod values;

use pyo3::prelude::*;

/// The part of holdadvise that is not written in Python.
#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Python handles signals: an interrupt is KeyboardInterrupt.
    holdadvise::queue::leave_signals();
    module.add_class::<ads::ClassAd>()?;
    module.add_class::<ads::Expr>()?;
    module.add_class::<ads::AdReader>()?;
    module.add_class::<events::EventLog>()?;
    module.add_class::<events::Event>()?;
    module.add_class::<sources::Damage>()?;
    module.add_function(wrap_pyfunction!(ads::read_ads, module)?)?;
    module.add_function(wrap_pyfunction!(ask::advise, module)?)?;
    module.add_function(wrap_pyfunction!(ask::releaseexpr, module)?)?;
    module.add_function(wrap_pyfunction!(ask::look, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
