//! A job ad in the long form, attributes in alphabetical order.

use std::fmt::{self, Display, Write as _};

/// An ad being printed: attributes are added in alphabetical order, case aside.
pub(crate) struct Ad<'a> {
    out: &'a mut String,
    last: &'static str,
}

impl<'a> Ad<'a> {
    /// Appends an ad to `out`.
    pub(crate) fn new(out: &'a mut String) -> Self {
        Self { out, last: "" }
    }

    /// Adds an expression as written: a number, true, false or a policy.
    pub(crate) fn put(&mut self, name: &'static str, value: impl Display) {
        self.name(name);
        // Writing to a String does not fail.
        let _ = writeln!(self.out, "{value}");
    }

    /// Adds a whole number.
    pub(crate) fn integer(&mut self, name: &'static str, value: impl Into<i64>) {
        self.name(name);
        self.out.push_str(itoa::Buffer::new().format(value.into()));
        self.out.push('\n');
    }

    pub(crate) fn string(&mut self, name: &'static str, value: &str) {
        self.string_with(name, |out| out.push_str(value));
    }

    /// Adds a string that is put together.
    pub(crate) fn text(&mut self, name: &'static str, value: fmt::Arguments<'_>) {
        self.string_with(name, |out| {
            // Writing to a String does not fail.
            let _ = out.write_fmt(value);
        });
    }

    fn string_with(&mut self, name: &'static str, write: impl FnOnce(&mut String)) {
        self.name(name);
        self.out.push('"');
        let from = self.out.len();
        write(self.out);
        escape(self.out, from);
        self.out.push_str("\"\n");
    }

    fn name(&mut self, name: &'static str) {
        let (last, next) = (self.last.bytes(), name.bytes());
        debug_assert!(
            last.map(|byte| byte.to_ascii_lowercase())
                .lt(next.map(|byte| byte.to_ascii_lowercase())),
            "{name} after {}",
            self.last
        );
        self.last = name;
        self.out.push_str(name);
        self.out.push_str(" = ");
    }
}

/// Escapes what stands behind `from` for a string literal of the long form.
fn escape(out: &mut String, from: usize) {
    if out[from..].contains('"') {
        let escaped = out[from..].replace('"', "\\\"");
        out.truncate(from);
        out.push_str(&escaped);
    }
}

#[cfg(test)]
mod tests {
    use classads::{Expr, Style};

    use super::*;

    #[test]
    fn strings_are_quoted_as_classads_print_them() {
        for text in ["", "plain", "a \"quoted\" word", "C:\\dir\\", "\"", "tab\tand é"] {
            let mut out = String::new();
            Ad::new(&mut out).string("Cmd", text);
            assert_eq!(out, format!("Cmd = {}\n", Expr::literal(text).print(Style::Long)));
        }
    }

    #[test]
    fn prints_attributes() {
        let mut out = String::new();
        let mut ad = Ad::new(&mut out);
        ad.text("Cmd", format_args!("say \"{}\"", 7));
        ad.integer("DiskUsage", -3);
        ad.put("DiskUsage_RAW", 1.5);
        assert_eq!(out, "Cmd = \"say \\\"7\\\"\"\nDiskUsage = -3\nDiskUsage_RAW = 1.5\n");
    }
}
