//! The `Partitionable Resources` table.
//!
//! Its columns are as wide as their widest value, and cells may be empty: the header line says
//! where each ends.

use super::super::body::{Resource, Text};
use super::block::{are_blanks, find_short};
use super::lines::{number, text, unless_blank};

/// Where the columns end, counted from behind the colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    usage: usize,
    request: usize,
    allocated: usize,
    /// Where the last column begins.
    assigned: Option<usize>,
    /// No blank ends the header line.
    pub(crate) plain: bool,
}

impl Table {
    /// Reads the header line of a table.
    #[inline(never)]
    pub(crate) fn header(line: &[u8]) -> Option<Self> {
        if !line.starts_with(b"\tPartitionable ") && !line.starts_with(b"\tResources") {
            return None;
        }
        let at = find_short(b':', line)? + 1;
        let titles = &line[at..];
        let (mut usage, mut request, mut allocated, mut assigned) = (None, None, None, None);
        let mut place = 0;
        while let Some(word) = titles.get(place..).filter(|rest| !rest.is_empty()) {
            if word[0] == b' ' {
                place += word.iter().take_while(|byte| **byte == b' ').count();
                continue;
            }
            let (end, title) = match word {
                [b'U', ..] => (&mut usage, &b"Usage"[..]),
                [b'R', ..] => (&mut request, &b"Request"[..]),
                [b'A', b'l', ..] => (&mut allocated, &b"Allocated"[..]),
                _ => (&mut assigned, &b"Assigned"[..]),
            };
            if word.starts_with(title) {
                end.get_or_insert(place + title.len());
            }
            place += find_short(b' ', word).unwrap_or(word.len());
        }
        let request = request?;
        Some(Self {
            usage: usage?,
            request,
            allocated: allocated.unwrap_or(request),
            assigned: assigned.map(|end| end - b"Assigned".len()),
            plain: titles.ends_with(b"Allocated") || titles.ends_with(b"Request"),
        })
    }

    /// Reads a row. A line without a colon ends the table.
    #[inline]
    pub(crate) fn row<'a>(&self, line: &'a [u8]) -> Option<Resource<'a>> {
        let at = find_short(b':', line)?;
        let (name, unit) = name_and_unit(line[..at].trim_ascii_start());
        let cells = &line[at + 1..];
        let cell = |from: usize, to: usize| {
            let to = to.min(cells.len());
            &cells[from.min(to)..to]
        };
        let assigned = self.assigned.map(|at| cell(at, cells.len()));
        let (usage, usage_written) = number(cell(0, self.usage));
        let (request, request_written) = number(cell(self.usage, self.request));
        let (allocated, allocated_written) = number(cell(self.request, self.allocated));
        Some(Resource {
            name: usual(name).unwrap_or_else(|| text(name)),
            unit: usual(unit).unwrap_or_else(|| text(unit)),
            usage,
            request,
            allocated,
            assigned: assigned.and_then(unless_blank),
            written: (usage_written, request_written, allocated_written),
        })
    }
}

/// `Disk (KB)  `: the name and what is in the brackets.
#[inline]
fn name_and_unit(label: &[u8]) -> (&[u8], &[u8]) {
    let (name, rest) = label.split_at(find_short(b' ', label).unwrap_or(label.len()));
    let name = name.trim_ascii_end();
    if are_blanks(rest) {
        return (name, b"");
    }
    let unit = match find_short(b')', rest) {
        Some(end) if are_blanks(&rest[end + 1..]) => &rest[..end],
        _ => rest.trim_ascii_end().strip_suffix(b")").unwrap_or_default(),
    };
    (name, unit.trim_ascii_start().strip_prefix(b"(").unwrap_or_default())
}

/// Names and units that most tables have.
#[inline]
fn usual(word: &[u8]) -> Option<Text<'static>> {
    Some(Text::Borrowed(match word {
        b"" => "",
        b"Cpus" => "Cpus",
        b"Disk" => "Disk",
        b"Memory" => "Memory",
        b"KB" => "KB",
        b"MB" => "MB",
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_below_their_titles() {
        let table =
            Table::header(b"\tPartitionable Resources :    Usage  Request Allocated Assigned")
                .unwrap();
        let gpus = table
            .row(b"\t   Gpus                 :                 1         1 \"CUDA1\"")
            .unwrap();
        assert_eq!((&*gpus.name, &*gpus.unit, gpus.usage), ("Gpus", "", None));
        assert_eq!((gpus.request, gpus.allocated), (Some(1.0), Some(1.0)));
        assert_eq!(gpus.assigned.as_deref(), Some("\"CUDA1\""));
        let disk = table.row(b"\t   Disk (KB)            :    25      512000 725632508 ").unwrap();
        assert_eq!((&*disk.unit, disk.usage, disk.request), ("KB", Some(25.0), Some(512_000.0)));
        assert_eq!((disk.allocated, disk.assigned), (Some(725_632_508.0), None));
        assert_eq!(table.row(b""), None);
    }

    #[test]
    fn a_table_may_lack_columns() {
        let table = Table::header(b"\tPartitionable Resources :    Usage  Request").unwrap();
        let row = table.row(b"\t   Cpus                 :                 1").unwrap();
        assert_eq!((row.request, row.allocated), (Some(1.0), None));
    }
}
