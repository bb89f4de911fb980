//! Tables.

use std::fmt::Write;

use super::escape;

/// A table of cells that are HTML already, and headings that are text. Row `own` stands out.
/// Columns of numbers are set to the right. Where the window is too narrow it is the table that
/// scrolls, not the page.
pub(crate) fn table<C: AsRef<str>>(
    columns: &[C],
    rows: &[Vec<String>],
    own: Option<usize>,
) -> String {
    let numbers = |at: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(at)).filter(|cell| *cell != NOTHING);
        let first = cells.next();
        first.is_some_and(|cell| is_number(cell)) && cells.all(|cell| is_number(cell))
    };
    let class: Vec<&str> =
        (0..columns.len()).map(|at| if numbers(at) { " class=\"n\"" } else { "" }).collect();
    let mut out = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    for (column, class) in columns.iter().zip(&class) {
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(column.as_ref()));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (at, row) in rows.iter().enumerate() {
        out.push_str(if own == Some(at) { "<tr class=\"own\">" } else { "<tr>" });
        for (at, cell) in row.iter().enumerate() {
            let class = class.get(at).copied().unwrap_or_default();
            let _ = match at {
                0 => write!(out, "<th scope=\"row\"{class}>{cell}</th>"),
                _ => write!(out, "<td{class}>{cell}</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// What stands where there is no value.
pub(crate) const NOTHING: &str = "–";

/// The cell begins with a number, and has no words.
fn is_number(cell: &str) -> bool {
    let value = cell.split('<').next().unwrap_or_default().trim_start_matches(['+', '-', '±', ' ']);
    value.starts_with(|c: char| c.is_ascii_digit())
        && value.split([' ', '%']).all(|word| word.is_empty() || word.parse::<f64>().is_ok())
}

/// Names and values.
pub(crate) fn facts(facts: &[(String, String)]) -> String {
    let mut out = String::from("<dl class=\"facts\">\n");
    for (name, value) in facts {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
    }
    out.push_str("</dl>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_are_set_to_the_right() {
        for number in ["3", "-0.5", "+0.125 <small>0.1 to 0.2</small>", "12.5 %", "± 0.1", "1e-5"]
        {
            assert!(is_number(number), "{number}");
        }
        for text in ["", "x", "13 TransferInputError", "–", "trial 001", "<b>3</b>"] {
            assert!(!is_number(text), "{text}");
        }
        let rows = [["a", "1", NOTHING], ["b", NOTHING, NOTHING]].map(|row| row.map(str::to_owned));
        let html = table(&["x", "y", "z"], &rows.map(Vec::from), Some(1));
        assert_eq!(html.matches("class=\"n\"").count(), 3, "{html}");
        assert!(html.contains("<tr class=\"own\"><th scope=\"row\">b</th>"), "{html}");
    }
}
