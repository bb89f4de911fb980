//! Parts that several kinds of event share.

use std::fmt;
use std::hash::{Hash, Hasher};

use bounded_static::ToStatic;

use super::super::text::lines::Cursor;
use super::Text;

/// Run times of the `Usr d hh:mm:ss, Sys d hh:mm:ss` lines, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, ToStatic)]
pub struct CpuUsage {
    /// User time, s.
    pub user: u64,
    /// System time, s.
    pub system: u64,
}

impl CpuUsage {
    /// Reads `Usr d hh:mm:ss, Sys d hh:mm:ss`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut cursor = Cursor(text.as_bytes());
        cursor.usage()
    }
}

impl fmt::Display for CpuUsage {
    /// `Usr d hh:mm:ss, Sys d hh:mm:ss`, as HTCondor writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, seconds) in [("Usr", self.user), (", Sys", self.system)] {
            let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
            write!(f, "{label} {days} {hours:02}:{:02}:{:02}", seconds / 60 % 60, seconds % 60)?;
        }
        Ok(())
    }
}

/// One row of the `Partitionable Resources` table.
#[derive(Clone, Debug, PartialEq, Default, ToStatic)]
pub struct Resource<'a> {
    /// `Cpus`, `Disk`, `Memory`, `GPUs`, ... without its unit.
    pub name: Text<'a>,
    /// What stands in brackets behind the name (`KB`, `MB`, `s`, `Average`), empty for counts.
    pub unit: Text<'a>,
    /// Used, in the unit.
    pub usage: Option<f64>,
    /// Requested, in the unit.
    pub request: Option<f64>,
    /// Allocated (provisioned), in the unit.
    pub allocated: Option<f64>,
    /// The `Assigned` column as written, with its quotes.
    pub assigned: Option<Text<'a>>,
    /// Cells of usage, request and allocation as written, where their numbers do not tell:
    /// `1.00` of 1.001, `undefined`, and what versions before 8.8 wrote with all digits.
    pub written: (Option<Text<'a>>, Option<Text<'a>>, Option<Text<'a>>),
}

impl Hash for Resource<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { name, unit, usage, request, allocated, assigned, written } = self;
        // 0.0 and -0.0 are equal.
        let bits = [usage, request, allocated].map(|cell| cell.map(|cell| (cell + 0.0).to_bits()));
        (name, unit, bits, assigned, written).hash(state);
    }
}
