//! What a page about models and sweeps holds besides what any page does (`holdadvise::page`).
//!
//! - `chart`: charts.
//! - `table`: tables.
//!
//! What is filled into a template of HTML is escaped (`askama.toml`).

pub(crate) mod chart;
pub(crate) mod table;

use std::fmt;

pub(crate) use holdadvise::page::{Section, charts, date, document, escape, figure, list};

/// What text in a template of a page goes through.
#[derive(Clone, Copy)]
pub(crate) struct Escaper;

impl askama::filters::Escaper for Escaper {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        out.write_str(&escape(text))
    }
}
