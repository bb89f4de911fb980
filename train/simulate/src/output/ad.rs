//! A job ad in the long form, attributes in alphabetical order.

use std::fmt::{Display, Write as _};

use classads::{Expr, Style};

/// An ad being printed.
#[derive(Debug, Default)]
pub(super) struct Ad(Vec<(&'static str, String)>);

impl Ad {
    /// Adds an expression as written: a number, true, false or a policy.
    pub(super) fn put(&mut self, name: &'static str, value: impl Display) {
        self.0.push((name, value.to_string()));
    }

    pub(super) fn string(&mut self, name: &'static str, value: &str) {
        self.0.push((name, quoted(value)));
    }

    /// Appends the lines to `out`.
    pub(super) fn print(mut self, out: &mut String) {
        self.0.sort_by_cached_key(|(name, _)| name.to_ascii_lowercase());
        for (name, value) in &self.0 {
            // Writing to a String does not fail.
            let _ = writeln!(out, "{name} = {value}");
        }
    }
}

/// A string literal of the long form.
pub(super) fn quoted(text: &str) -> String {
    Expr::literal(text).print(Style::Long)
}
