//! When a removal is advised: one rule for everything that advises or acts.

use serde::Serialize;

use super::ExpectedCosts;
use crate::hold_code::Cause;

/// A job is thought of for removal once it has been held for longer than this, seconds: a day,
/// within which those who look after a server or file system notice that it is away. Assumed.
pub(crate) const LEAST_HELD: i64 = 86_400;

/// So many of its releases have failed by then.
pub(crate) const LEAST_FAILED: usize = 2;

/// A removal costs at most this share of every other choice.
const AT_MOST: f64 = 0.75;

/// What HTCondor will do with a held job by itself, within 30 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum ByItself {
    /// Not known: its ad or the policies of its access point were not read, or could not be worked
    /// out.
    #[default]
    Unknown,
    /// Nothing.
    Nothing,
    /// It will release or remove it.
    Acts,
}

/// What is known of a job that no action is likely to help.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Removal {
    /// Seconds since it went on hold.
    pub held_for: i64,
    /// Its releases that failed.
    pub failed_releases: usize,
    /// What kind of cause held it.
    pub cause: Cause,
    /// What HTCondor will do.
    pub by_itself: ByItself,
    /// A job with the same cluster, server, file or hold reason began to execute since.
    pub like_job_began: bool,
    /// The model was not trained on every action that could help.
    pub untaught: bool,
}

/// What stands against a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Against {
    /// Such causes may pass by themselves.
    Cause,
    /// It has not been held for a day.
    HeldTooShort,
    /// Fewer than two releases have failed.
    FewReleases,
    /// HTCondor will act, or that is not known.
    ByItself(ByItself),
    /// A like job began.
    LikeJobBegan,
    /// The model knows too little.
    Untaught,
    /// Another choice costs hardly more.
    Cost,
}

impl Removal {
    /// What stands against a removal with these expected costs; `None` where nothing does.
    pub(super) fn against(&self, costs: &ExpectedCosts) -> Option<Against> {
        let others = [Some(costs.release), costs.change, Some(costs.hold)];
        let dear = |other: f64| costs.remove > AT_MOST * other;
        [
            (!self.cause.lasts(), Against::Cause),
            (self.held_for <= LEAST_HELD, Against::HeldTooShort),
            (self.failed_releases < LEAST_FAILED, Against::FewReleases),
            (self.by_itself != ByItself::Nothing, Against::ByItself(self.by_itself)),
            (self.like_job_began, Against::LikeJobBegan),
            (self.untaught, Against::Untaught),
            (others.into_iter().flatten().any(dear), Against::Cost),
        ]
        .into_iter()
        .find_map(|(stands, against)| stands.then_some(against))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOPELESS: ExpectedCosts =
        ExpectedCosts { release: 8.9, change: Some(8.8), hold: 0.9, remove: 0.1 };

    fn ripe() -> Removal {
        Removal {
            held_for: LEAST_HELD + 1,
            failed_releases: LEAST_FAILED,
            cause: Cause::Program,
            by_itself: ByItself::Nothing,
            like_job_began: false,
            untaught: false,
        }
    }

    #[test]
    fn every_condition_is_needed() {
        assert_eq!(ripe().against(&HOPELESS), None);
        let against = |change: fn(&mut Removal)| {
            let mut removal = ripe();
            change(&mut removal);
            removal.against(&HOPELESS)
        };
        assert_eq!(against(|r| r.held_for = LEAST_HELD), Some(Against::HeldTooShort));
        assert_eq!(against(|r| r.failed_releases = 1), Some(Against::FewReleases));
        for by_itself in [ByItself::Acts, ByItself::Unknown] {
            let removal = Removal { by_itself, ..ripe() };
            assert_eq!(removal.against(&HOPELESS), Some(Against::ByItself(by_itself)));
        }
        assert_eq!(against(|r| r.like_job_began = true), Some(Against::LikeJobBegan));
        assert_eq!(against(|r| r.untaught = true), Some(Against::Untaught));
        for cause in [
            Cause::Transfer,
            Cause::Connection,
            Cause::FileSystem,
            Cause::Host,
            Cause::Unknown,
            Cause::Person,
        ] {
            assert_eq!(Removal { cause, ..ripe() }.against(&HOPELESS), Some(Against::Cause));
        }
    }

    #[test]
    fn a_removal_is_cheaper_by_a_quarter() {
        let costs = |remove: f64| ExpectedCosts { remove, ..HOPELESS };
        assert_eq!(ripe().against(&costs(0.675)), None);
        assert_eq!(ripe().against(&costs(0.68)), Some(Against::Cost));
    }
}
