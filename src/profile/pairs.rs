//! Which jobs may share a host.

use serde::Serialize;

use super::binding::{Binding, Shares};

/// How two jobs get on with each other in two slots of one host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The resource of which they take most together.
    pub binding: Binding,
    /// The part of what two slots have of it that they take together; above 1 they slow each other.
    pub share: f64,
}

impl Pair {
    /// Of two jobs; `None` where too little is known.
    #[must_use]
    pub fn of(one: &Shares, other: &Shares) -> Option<Self> {
        let together = |binding| Some((one.get(binding)? + other.get(binding)?) / 2.0);
        let known = Binding::ALL.into_iter().filter_map(|one| Some((one, together(one)?)));
        let (binding, share) = known.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Self { binding, share })
    }

    /// Two slots have enough for both.
    #[must_use]
    pub fn may_share(&self) -> bool {
        self.share <= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_need_different_things_may_share() {
        let of = |cpu, memory| Shares { cpu: Some(cpu), memory: Some(memory), ..Shares::default() };
        let pair = Pair::of(&of(1.0, 0.2), &of(0.2, 1.6)).unwrap();
        assert_eq!(pair.binding, Binding::Memory);
        assert!((pair.share - 0.9).abs() < 1e-12 && pair.may_share());
        let pair = Pair::of(&of(0.1, 1.5), &of(0.1, 1.5)).unwrap();
        assert!(!pair.may_share());
        assert_eq!(Pair::of(&Shares::default(), &of(1.0, 1.0)), None);
    }
}
