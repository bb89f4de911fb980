//! The text of `-help`.

use super::option::{OptionSpec, Tool};

/// The column help texts begin at.
const COLUMN: usize = 30;

/// Columns of the help text.
const WIDTH: usize = 80;

impl<A: 'static> Tool<A> {
    /// Usage and all options, after HTCondor's tools.
    pub(crate) fn usage(&self) -> String {
        let usage = format!("Usage: {} [options] {}", self.name, self.operands);
        let mut out = format!("{}\n\n{}", usage.trim_end(), self.brief);
        for (title, options) in &self.sections {
            out.push_str(&format!("\n  {title}:\n"));
            for (option, of) in options.iter().flat_map(|o| o.names().map(move |name| (o, name))) {
                let spelling = format!("    -{}{}", of.name, takes(option));
                if spelling.len() >= COLUMN {
                    out.push_str(&format!("{spelling}\n{:COLUMN$}", ""));
                } else {
                    out.push_str(&format!("{spelling:<COLUMN$}"));
                }
                out.push_str(&crate::print::wrapped("", COLUMN, &of.help, WIDTH));
            }
        }
        out.push_str("\nNames of options may be cut short as long as they stay clear.\n");
        out
    }
}

/// `[:jlh] <attribute> ...`.
fn takes<A>(option: &OptionSpec<A>) -> String {
    let letters = option.colon.map(|letters| format!("[:{letters}]")).unwrap_or_default();
    let words: String = option.takes.iter().map(|word| format!(" <{}>", word.name())).collect();
    format!("{letters}{words}{}", if option.is_many { " ..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::WIDTH;
    use crate::cli::options::TOOL;

    #[test]
    fn every_option_is_explained_in_80_columns() {
        let text = TOOL.usage();
        for option in TOOL.options() {
            assert!(text.contains(&format!("\n    -{}", option.name)), "{}", option.name);
        }
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }
}
