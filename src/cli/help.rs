//! The text of `-help`.

use super::options::{OPTIONS, OptionSpec, Section, Takes};

/// The column help texts begin at.
const COLUMN: usize = 30;

/// Columns of the help text.
const WIDTH: usize = 80;

/// Usage and all options, after HTCondor's tools.
pub fn text() -> String {
    let mut out = String::from(
        "Usage: condor_holdadvise [options] [cluster | cluster.proc | owner] ...\n\n\
         Says of held jobs whether to release or to remove them, how sure that is, and\n\
         why. Without arguments it looks at one's own held jobs.\n",
    );
    for section in Section::ALL {
        out.push_str(&format!("\n  {}:\n", section.title()));
        for option in OPTIONS.iter().filter(|option| option.section == section) {
            let spelling = format!("    {}", spelling(option));
            let gap = if spelling.len() < COLUMN { COLUMN - spelling.len() } else { 0 };
            let first = if gap == 0 {
                format!("{spelling}\n{}", " ".repeat(COLUMN))
            } else {
                format!("{spelling}{}", " ".repeat(gap))
            };
            out.push_str(&first);
            out.push_str(&super::print::wrapped("", COLUMN, option.help, WIDTH));
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
        let text = text();
        for option in OPTIONS {
            assert!(text.contains(&format!("\n    -{}", option.name)), "{}", option.name);
        }
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }
}
