//! The `Partitionable Resources` table (`formatUsageAd` in HTCondor).

use std::io::{self, Write};

use super::super::body::Resource;

/// Writes the table, unless it has no rows.
pub(super) fn write(out: &mut impl Write, resources: &[Resource<'_>]) -> io::Result<()> {
    if resources.is_empty() {
        return Ok(());
    }
    let usage = column(resources, |row| Some((row.usage?, row.rounded[0])));
    let request = column(resources, |row| Some((row.request?, row.rounded[1])));
    let allocated = column(resources, |row| Some((row.allocated?, row.rounded[2])));
    let longest = |column: &[String]| column.iter().map(String::len).max().unwrap_or(0);
    let name_width = resources.iter().map(|row| row.name.len()).max().unwrap_or(0).max(12) + 8;
    let usage_width = longest(&usage).max(8);
    let request_width = longest(&request).max(8);
    let has_allocated = longest(&allocated) > 0;
    let allocated_width = longest(&allocated).max(9);
    let has_assigned = resources.iter().any(|row| row.assigned.is_some());
    writeln!(
        out,
        "\tPartitionable Resources : {:>usage_width$} {:>request_width$} {:>allocated_width$} {}",
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
            "\t   {label:<name_width$} : {:>usage_width$} {:>request_width$} {:>allocated_width$} {}",
            usage[index],
            request[index],
            allocated[index],
            row.assigned.as_deref().unwrap_or_default(),
        )?;
    }
    Ok(())
}

/// The cells of a column, of values and whether they were rounded to look whole.
///
/// Where one has a fraction, whole numbers are padded to stand left of its point.
fn column<'a>(
    resources: &[Resource<'a>],
    value: impl Fn(&Resource<'a>) -> Option<(f64, bool)>,
) -> Vec<String> {
    let is_fraction = |(value, rounded): (f64, bool)| rounded || value.fract() > 0.0;
    let has_fraction = resources.iter().filter_map(&value).any(is_fraction);
    let cell = |cell: (f64, bool)| {
        if is_fraction(cell) {
            format!("{:.2}", cell.0)
        } else {
            format!("{}{}", cell.0 as i64, if has_fraction { "   " } else { "" })
        }
    };
    resources.iter().map(|row| value(row).map(cell).unwrap_or_default()).collect()
}
