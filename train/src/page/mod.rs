//! What a page about models and sweeps holds besides what any page does (`holdadvise::page`).
//!
//! - `chart`: charts.
//! - `table`: tables.

pub(crate) mod chart;
pub(crate) mod table;

pub(crate) use holdadvise::page::{Section, charts, date, document, escape, figure, list};
