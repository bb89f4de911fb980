//! The `Partitionable Resources` table (`formatUsageAd` in HTCondor).

use std::io::{self, Write};

use super::super::body::{Resource, Text};

/// Writes the table, unless it has no rows. `plain`: without the last column and the blank before
/// it.
pub(crate) fn write(
    out: &mut impl Write,
    resources: &[Resource<'_>],
    plain: bool,
) -> io::Result<()> {
    if resources.is_empty() {
        return Ok(());
    }
    let usage = column(resources, plain, |row| (row.usage, &row.written.0));
    let request = column(resources, plain, |row| (row.request, &row.written.1));
    let allocated = column(resources, plain, |row| (row.allocated, &row.written.2));
    let longest = |column: &[String]| column.iter().map(String::len).max().unwrap_or(0);
    let name_width = resources.iter().map(|row| row.name.len()).max().unwrap_or(0).max(12) + 8;
    let usage_width = longest(&usage).max(8);
    let request_width = longest(&request).max(8);
    let has_allocated = longest(&allocated) > 0;
    let allocated_width = longest(&allocated).max(9);
    let has_assigned = resources.iter().any(|row| row.assigned.is_some());
    let last = if plain { "" } else { " " };
    writeln!(
        out,
        "\tPartitionable Resources : {:>usage_width$} {:>request_width$} {:>allocated_width$}{last}{}",
        "Usage",
        "Request",
        if has_allocated { "Allocated" } else { "" },
        if has_assigned { "Assigned" } else { "" },
    )?;
    for (index, row) in resources.iter().enumerate() {
        let label = match &*row.unit {
            "" => row.name.to_string(),
            unit => format!("{} ({unit})", row.name),
        };
        writeln!(
            out,
            "\t   {label:<name_width$} : {:>usage_width$} {:>request_width$} {:>allocated_width$}{last}{}",
            usage[index],
            request[index],
            allocated[index],
            row.assigned.as_deref().unwrap_or_default(),
        )?;
    }
    Ok(())
}

/// The cells of a column, of values and what was written for them.
///
/// Where one has a fraction, whole numbers are padded to stand left of its point; not so in a plain
/// table.
fn column<'a>(
    resources: &'a [Resource<'a>],
    plain: bool,
    value: impl Fn(&'a Resource<'a>) -> (Option<f64>, &'a Option<Text<'a>>),
) -> Vec<String> {
    let mut has_fraction = false;
    let cell = |row| match value(row) {
        (_, Some(written)) => {
            has_fraction |= written.ends_with(".00");
            written.to_string()
        }
        (Some(value), None) if value.fract() > 0.0 => {
            has_fraction = true;
            format!("{value:.2}")
        }
        (Some(value), None) => (value as i64).to_string(),
        (None, None) => String::new(),
    };
    let mut cells: Vec<String> = resources.iter().map(cell).collect();
    for cell in cells.iter_mut().filter(|_| has_fraction && !plain) {
        if !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit()) {
            cell.push_str("   ");
        }
    }
    cells
}
