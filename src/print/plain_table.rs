//! A table without rules, as `condor_q` prints it.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Row, Table};

/// Its lines, the heading first, without blanks at their ends. Columns stand `gap` apart, those that
/// `is_right` names at the right.
pub(crate) fn lines<R: Into<Row>>(
    heading: impl Into<Row>,
    rows: impl IntoIterator<Item = R>,
    gap: u16,
    is_right: impl Fn(usize) -> bool,
) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(heading);
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, gap));
        if is_right(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}
