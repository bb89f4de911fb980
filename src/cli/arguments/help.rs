//! The text of `-help`.

use super::option::{OptionSpec, Takes, Tool};

/// The column help texts begin at.
const COLUMN: usize = 30;

/// Columns of the help text.
const WIDTH: usize = 80;

/// Usage and all options, after HTCondor's tools.
pub(crate) fn text(tool: &Tool) -> String {
    let usage = format!("Usage: {} [options] {}", tool.name, tool.operands);
    let mut out = format!("{}\n\n{}", usage.trim_end(), tool.brief);
    for section in tool.sections {
        out.push_str(&format!("\n  {}:\n", section.0));
        for option in tool.options.iter().filter(|option| option.section == *section) {
            let spelling = format!("    {}", spelling(option));
            let gap = if spelling.len() < COLUMN { COLUMN - spelling.len() } else { 0 };
            let first = if gap == 0 {
                format!("{spelling}\n{}", " ".repeat(COLUMN))
            } else {
                format!("{spelling}{}", " ".repeat(gap))
            };
            out.push_str(&first);
            out.push_str(&crate::print::wrapped("", COLUMN, option.help, WIDTH));
        }
    }
    out.push_str("\nNames of options may be cut short as long as they stay clear.\n");
    out
}

/// `-af[:jlh] <attribute> ...`.
fn spelling(option: &OptionSpec) -> String {
    let qualifiers = option.qualifiers.map(|letters| format!("[:{letters}]")).unwrap_or_default();
    let takes = match option.takes {
        Takes::Nothing => String::new(),
        Takes::One(what) => format!(" <{what}>"),
        Takes::Two(first, second) => format!(" <{first}> <{second}>"),
        Takes::Many(what) => format!(" <{what}> ..."),
    };
    format!("-{}{qualifiers}{takes}", option.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_explained_in_80_columns() {
        let tool = &crate::cli::options::TOOL;
        let text = text(tool);
        for option in tool.options {
            assert!(text.contains(&format!("\n    -{}", option.name)), "{}", option.name);
        }
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }
}
