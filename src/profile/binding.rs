//! What binds a job: the resource of whose share of a slot it takes most.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// A resource that binds jobs.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    JsonSchema,
    Deserialize,
    IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Binding {
    /// Processors.
    Cpu,
    /// Memory.
    Memory,
    /// What is read from and written to disk.
    Disk,
    /// What is sent and received.
    Network,
}

impl Binding {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cpu, Self::Memory, Self::Disk, Self::Network];

    /// One lower-case word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its number in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn number(self) -> usize {
        self as usize
    }
}

/// What a slot of one processor has of each resource: one processor, 2 GiB of memory (the usual
/// ratio of WLCG's sites), and 10 MB/s of disk and of network. The last two are assumed: a host of
/// 64 processors with one SSD of 640 MB/s, and with a link of 5 Gbit/s.
pub const SLOT: [f64; 4] = [1.0, 2.0 * 1024.0 * 1024.0 * 1024.0, 1e7, 1e7];

/// No host has so many slots: what takes more was not measured.
const MOST: f64 = 1e5;

/// A job that takes less of a slot of every resource is bound by none.
const LEAST: f64 = 0.1;

/// The parts of a slot that a job takes of each resource, in the order of [`Binding::ALL`], from 0
/// on; 1 is all of a slot of one processor. `None`: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SlotShares {
    /// Processors that work for it.
    pub cpu: Option<f64>,
    /// Memory, by its peak.
    pub memory: Option<f64>,
    /// Bytes read and written a second.
    pub disk: Option<f64>,
    /// Bytes sent and received a second.
    pub network: Option<f64>,
}

impl SlotShares {
    /// Of processors that work, bytes of memory at the peak, and bytes a second of disk and network.
    #[must_use]
    pub fn of(used: [Option<f64>; 4]) -> Self {
        let share = |binding: Binding| {
            let number = binding.number();
            used[number]
                .map(|used| used / SLOT[number])
                .filter(|share| (0.0..=MOST).contains(share))
        };
        Self {
            cpu: share(Binding::Cpu),
            memory: share(Binding::Memory),
            disk: share(Binding::Disk),
            network: share(Binding::Network),
        }
    }

    /// The middle of what is known of each resource.
    pub(crate) fn medians<I: Iterator<Item = f64>>(known: impl Fn(Binding) -> I) -> Self {
        let middle = |binding| {
            let mut all: Vec<f64> = known(binding).collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied()
        };
        Self {
            cpu: middle(Binding::Cpu),
            memory: middle(Binding::Memory),
            disk: middle(Binding::Disk),
            network: middle(Binding::Network),
        }
    }

    /// Of one resource.
    #[must_use]
    pub const fn get(&self, binding: Binding) -> Option<f64> {
        match binding {
            Binding::Cpu => self.cpu,
            Binding::Memory => self.memory,
            Binding::Disk => self.disk,
            Binding::Network => self.network,
        }
    }

    /// The resource of which it takes the largest share: its dominant resource (Ghodsi et al. 2011,
    /// "Dominant Resource Fairness"). `None`: no share is
    /// known, or none reaches a tenth.
    #[must_use]
    pub fn binding(&self) -> Option<Binding> {
        let known = Binding::ALL.into_iter().filter_map(|one| Some((one, self.get(one)?)));
        let largest = known.filter(|known| known.1 >= LEAST).max_by(|a, b| a.1.total_cmp(&b.1));
        largest.map(|known| known.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_share_of_a_slot_binds() {
        let of = |cpu, memory, disk, network| {
            SlotShares::of([Some(cpu), Some(memory), Some(disk), network]).binding()
        };
        assert_eq!(of(0.9, 1e9, 1e6, None), Some(Binding::Cpu));
        assert_eq!(of(0.9, 4e9, 1e6, None), Some(Binding::Memory));
        assert_eq!(of(0.9, 1e9, 2e7, None), Some(Binding::Disk));
        assert_eq!(of(0.1, 1e8, 0.0, Some(5e6)), Some(Binding::Network));
        assert_eq!(of(0.09, 1e8, 1e5, None), None);
        assert_eq!(of(f64::INFINITY, 1e300, 1e5, None), None);
        assert_eq!(SlotShares::default().binding(), None);
    }
}
