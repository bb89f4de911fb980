//! The memory that what a log tells may take, shared by the owners of the jobs.
//!
//! A log of some bytes may take many times as many: an event of half a kilobyte can name 64 files.
//! Where there is not enough for all, each owner has as much as any other, and the log is read a
//! second time for that: only then it is known who wants how much.

use std::collections::{BTreeMap, HashMap};

use super::{Symbol, Symbols};
use crate::shares::level;

/// Bytes of a fact: a step with its time, in a vector that grows. Assumed.
pub(super) const FACT: u64 = 64;

/// Bytes of a name beside its text, in two tables. Assumed.
pub(super) const NAME: u64 = 128;

/// Bytes, and who has them.
#[derive(Clone, Debug)]
pub(super) enum Room {
    /// All have what they want, as long as there is enough.
    Free {
        /// Bytes that are left; `None` after there was not enough.
        left: Option<u64>,
        /// Bytes that were wanted by cluster.
        wanted: HashMap<i32, u64>,
    },
    /// No owner has more than this. All jobs whose owner is not known share one part.
    Shared {
        /// Bytes of an owner at most.
        most: u64,
        /// Bytes of each.
        had: HashMap<Option<Symbol>, u64>,
        /// Facts that were left out.
        left_out: HashMap<Option<Symbol>, u64>,
    },
}

impl Room {
    /// Of so many bytes, as long as they suffice.
    pub(super) fn new(bytes: u64) -> Self {
        Self::Free { left: Some(bytes), wanted: HashMap::new() }
    }

    /// Of so many bytes, by what was wanted; `None` where all had what they wanted.
    pub(super) fn shared(
        &self,
        bytes: u64,
        owners: &HashMap<i32, Symbol, impl std::hash::BuildHasher>,
    ) -> Option<Self> {
        let Self::Free { left: None, wanted } = self else { return None };
        let mut of_owner: HashMap<Option<Symbol>, u64> = HashMap::new();
        for (cluster, bytes) in wanted {
            *of_owner.entry(owners.get(cluster).copied()).or_default() += bytes;
        }
        let most = level(bytes, of_owner.into_values());
        Some(Self::Shared { most, had: HashMap::new(), left_out: HashMap::new() })
    }

    /// Takes bytes for something of a cluster, whose owner may be known: whether it has them.
    pub(super) fn take(&mut self, owner: Option<Symbol>, cluster: i32, bytes: u64) -> bool {
        match self {
            Self::Free { left, wanted } => {
                *wanted.entry(cluster).or_default() += bytes;
                *left = left.and_then(|left| left.checked_sub(bytes));
                left.is_some()
            }
            Self::Shared { most, had, left_out } => {
                let had = had.entry(owner).or_default();
                let has_room = *had + bytes <= *most;
                match has_room {
                    true => *had += bytes,
                    false => *left_out.entry(owner).or_default() += 1,
                }
                has_room
            }
        }
    }

    /// How many facts were left out, by owner.
    pub(super) fn left_out(&self, symbols: &Symbols) -> BTreeMap<String, u64> {
        let Self::Shared { left_out, .. } = self else { return BTreeMap::new() };
        let name =
            |owner: Option<Symbol>| owner.map_or("nobody known", |owner| symbols.name(owner));
        left_out.iter().map(|(owner, count)| (name(*owner).to_owned(), *count)).collect()
    }
}
