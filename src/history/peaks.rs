//! What a run used at most and asked for, as the event of its end (005) has it.

use eventlog::Body;

/// What a run used at most, and what it asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peaks {
    /// MiB.
    pub memory: Option<i64>,
    /// KiB.
    pub disk: Option<i64>,
    /// RequestMemory, MiB.
    pub request_memory: Option<i64>,
    /// RequestDisk, KiB.
    pub request_disk: Option<i64>,
}

/// Beyond this a figure of a log is none, MiB or KiB: 1 EiB in KiB.
const MOST: f64 = (1_u64 << 50) as f64;

impl Peaks {
    /// Of the table of resources of a run that ended by itself; `None` where it has no usage.
    pub(super) fn of(body: &Body<'_>) -> Option<Self> {
        let Body::Terminated(terminated) = body else { return None };
        let mut peaks = Self::default();
        for resource in &terminated.resources {
            // The range is checked, so the conversion loses only a fraction.
            let whole = |value: Option<f64>| {
                let value = value.filter(|value| (0.0..MOST).contains(value));
                value.map(|value| value.ceil() as i64)
            };
            let (usage, request) = (whole(resource.usage), whole(resource.request));
            match (&*resource.name, &*resource.unit) {
                ("Memory", "MB") => (peaks.memory, peaks.request_memory) = (usage, request),
                ("Disk", "KB") => (peaks.disk, peaks.request_disk) = (usage, request),
                _ => {}
            }
        }
        (peaks.memory.is_some() || peaks.disk.is_some()).then_some(peaks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::{LogReader, ReadOptions};

    #[test]
    fn the_table_of_resources_tells_what_was_used() {
        let log = "005 (001.000.000) 2026-03-08 10:00:00 Job terminated.\n\t(1) Normal termination (return value 0)\n\
                   \tPartitionable Resources :    Usage  Request Allocated \n\
                   \t   Cpus                 :        0        1         1 \n\
                   \t   Disk (KB)            :    17000    20480     20480 \n\
                   \t   Memory (MB)          :       61       64       128 \n...\n";
        let mut log = LogReader::new(log.as_bytes(), &ReadOptions::default());
        let event = log.next_event().unwrap().unwrap();
        let expected = Some(Peaks {
            memory: Some(61),
            disk: Some(17_000),
            request_memory: Some(64),
            request_disk: Some(20_480),
        });
        assert_eq!(Peaks::of(&event.body()), expected);
    }
}
