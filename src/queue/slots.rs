//! The slots of a pool, through `condor_status`.

use std::time::Duration;

use super::QueueError;
use super::tool::run_tool;

/// What is asked of each slot, in this order. A partitionable slot has its whole size in Total...,
/// whatever runs in it (manual: machine ClassAd attributes).
const ASKED: [&str; 6] = [
    "TotalSlotMemory",
    "TotalSlotDisk",
    "TotalSlotCpus",
    "Machine",
    "GLIDEIN_Site",
    "GLIDEIN_ResourceName",
];

/// Dynamic slots are parts of partitionable ones.
const WHOLE: &str = r#"SlotType =!= "Dynamic""#;

/// A slot. A size that it does not say has no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// MiB.
    pub memory: Option<f64>,
    /// KiB.
    pub disk: Option<f64>,
    /// Cores.
    pub cpus: Option<f64>,
    names: [Option<String>; 3],
}

impl Slot {
    /// The value of Machine, GLIDEIN_Site or GLIDEIN_ResourceName.
    pub fn named(&self, attribute: &str) -> Option<&str> {
        let at = ASKED[3..].iter().position(|name| name.eq_ignore_ascii_case(attribute))?;
        self.names[at].as_deref()
    }

    fn read(line: &str) -> Option<Self> {
        let mut cells = line.split('\t').map(str::trim);
        let mut number = || {
            let value: Option<f64> = cells.next()?.parse().ok();
            value.filter(|value| value.is_finite() && *value >= 0.0)
        };
        let [memory, disk, cpus] = [number(), number(), number()];
        let mut name = || {
            let name = cells.next()?;
            (!matches!(name, "" | "undefined" | "error")).then(|| name.to_owned())
        };
        let names = [name(), name(), name()];
        let is_slot = memory.is_some() || names[0].is_some();
        is_slot.then_some(Self { memory, disk, cpus, names })
    }
}

/// Asks for the slots of `pool`, else of the pool here.
///
/// # Errors
/// [`QueueError`] when `condor_status` cannot be run, fails or takes too long.
pub fn slots(pool: Option<&str>, limit: Duration) -> Result<Vec<Slot>, QueueError> {
    let mut arguments = Vec::new();
    if let Some(pool) = pool {
        arguments.extend(["-pool", pool]);
    }
    arguments.extend(["-constraint", WHOLE, "-af:t"]);
    arguments.extend(ASKED);
    let answer = run_tool("condor_status", &arguments, limit)?;
    Ok(slots_of(&answer))
}

/// The slots of an answer.
pub(super) fn slots_of(answer: &str) -> Vec<Slot> {
    answer.lines().filter_map(Slot::read).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_a_slot() {
        let slot = Slot::read("16000\t9.5e6\t8\te1.example.org\tNorth Hall\tundefined").unwrap();
        assert_eq!((slot.memory, slot.disk, slot.cpus), (Some(16e3), Some(9.5e6), Some(8.0)));
        assert_eq!(slot.named("machine"), Some("e1.example.org"));
        assert_eq!(slot.named("GLIDEIN_Site"), Some("North Hall"));
        assert_eq!((slot.named("GLIDEIN_ResourceName"), slot.named("Arch")), (None, None));
        let bare = Slot::read("undefined\tnan\t-1\te1").unwrap();
        assert_eq!((bare.memory, bare.disk, bare.cpus), (None, None, None));
        assert_eq!(Slot::read(""), None);
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in any::<String>()) {
            Slot::read(&line);
        }
    }
}
