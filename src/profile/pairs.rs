//! Which jobs may share a host.

use schemars::JsonSchema;
use serde::Serialize;

use super::binding::Binding;
use super::measured::Measured;

/// How two jobs get on with each other in two slots of one host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Pair {
    /// The resource of which they take the largest part of what their slots have.
    pub binding: Binding,
    /// The part of what their two slots have of it that they take together.
    pub share: f64,
}

/// A job that takes all of its slot takes a little more at times, and slows nobody.
const ALL: f64 = 1.1;

impl Pair {
    /// Of jobs of two kinds. `None`: of one of them the processors or the memory that it takes are
    /// not known.
    #[must_use]
    pub fn of(one: &Measured, other: &Measured) -> Option<Self> {
        let together = |binding| {
            let both = one.shares.get(binding)? + other.shares.get(binding)?;
            Some(both / (one.slot.get(binding)? + other.slot.get(binding)?))
        };
        together(Binding::Cpu).and(together(Binding::Memory))?;
        let known = Binding::ALL.into_iter().filter_map(|one| Some((one, together(one)?)));
        let (binding, share) = known.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Self { binding, share })
    }

    /// Two slots have enough for both.
    #[must_use]
    pub fn may_share(&self) -> bool {
        self.share <= ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::SlotShares;

    fn of(cpu: f64, memory: f64, slot: f64) -> Measured {
        let shares = |cpu, memory| SlotShares {
            cpu: Some(cpu),
            memory: Some(memory),
            ..SlotShares::default()
        };
        Measured { shares: shares(cpu, memory), slot: shares(1.0, slot), ..Measured::default() }
    }

    #[test]
    fn two_that_need_different_things_may_share() {
        let pair = Pair::of(&of(1.0, 0.2, 1.0), &of(0.2, 1.6, 1.0)).unwrap();
        assert_eq!(pair.binding, Binding::Memory);
        assert!((pair.share - 0.9).abs() < 1e-12 && pair.may_share());
        let pair = Pair::of(&of(0.1, 1.5, 1.0), &of(0.1, 1.5, 1.0)).unwrap();
        assert!(!pair.may_share());
        assert_eq!(Pair::of(&Measured::default(), &of(1.0, 1.0, 1.0)), None);
    }

    #[test]
    fn what_their_own_slots_have_counts() {
        let large = of(0.5, 4.3, 8.0);
        let pair = Pair::of(&large, &large).unwrap();
        assert!(pair.may_share() && pair.share < 0.6, "{pair:?}");
    }
}
