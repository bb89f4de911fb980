//! Tables.

use askama::Template;

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
        let cells = rows.iter().filter_map(|row| row.get(at));
        let mut cells = cells.filter(|cell| ![NOTHING, "-"].contains(&cell.as_str()));
        let first = cells.next();
        first.is_some_and(|cell| is_number(cell)) && cells.all(|cell| is_number(cell))
    };
    // What is short stays on a line.
    let short =
        |at: usize| rows.iter().all(|row| row.get(at).is_none_or(|cell| cell.len() <= SHORT));
    let class = |at| match (numbers(at), short(at)) {
        (true, _) => " class=\"n\"",
        (false, true) => " class=\"s\"",
        (false, false) => "",
    };
    let headings = columns.iter().map(|column| broken(column.as_ref()));
    let columns: Vec<(String, &str)> = headings.zip((0..).map(class)).collect();
    Table { columns: &columns, rows, own }.to_string() + "\n"
}

#[derive(Template)]
#[template(path = "page/table.html")]
struct Table<'a> {
    /// Headings, and classes of what stands below them.
    columns: &'a [(String, &'static str)],
    rows: &'a [Vec<String>],
    own: Option<usize>,
}

impl Table<'_> {
    fn is_own(&self, row: &usize) -> bool {
        self.own == Some(*row)
    }
}

/// What stands where there is no value.
pub(crate) const NOTHING: &str = "–";

/// A heading that may be broken behind each `_`.
fn broken(heading: &str) -> String {
    escape(heading).replace('_', "_<wbr>")
}

/// Bytes of a cell that is short.
const SHORT: usize = 34;

/// Numbers and signs, perhaps with something small behind them.
fn is_number(cell: &str) -> bool {
    let value = cell.split('<').next().unwrap_or_default();
    let is_sign = |word: &str| ["+-", "±", "=", "%"].contains(&word);
    value.chars().any(|c| c.is_ascii_digit())
        && value.split_whitespace().all(|word| is_sign(word) || word.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_are_set_to_the_right() {
        for number in [
            "3",
            "-0.5",
            "+0.125 <small>0.1 to 0.2</small>",
            "12.5 %",
            "± 0.1",
            "1e-5",
            "+0.04 +- 0.03 =",
        ] {
            assert!(is_number(number), "{number}");
        }
        for text in ["", "x", "13 TransferInputError", "–", "trial 001", "<b>3</b>"] {
            assert!(!is_number(text), "{text}");
        }
        let rows = [["a", "1", NOTHING], ["b", NOTHING, NOTHING]].map(|row| row.map(str::to_owned));
        let html = table(&["x", "y", "z"], &rows.map(Vec::from), Some(1));
        assert_eq!(html.matches("class=\"n\"").count(), 3, "{html}");
        assert!(html.contains("<tr class=\"own\"><th scope=\"row\" class=\"s\">b</th>"), "{html}");
    }
}
