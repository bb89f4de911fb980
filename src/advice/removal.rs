//! When a removal is advised: one rule for everything that advises or acts.

use serde::Serialize;

use super::choices::Choice;
use super::report::Recommendation;
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
    /// What stands against a removal of these hours, beside the other choices; `None` where nothing
    /// does.
    pub(super) fn against(&self, hours: f64, others: &[Choice]) -> Option<Against> {
        // No person's time makes a removal look cheap.
        let lasting = |choice: &&Choice| {
            use Recommendation as R;
            matches!(choice.recommendation, R::Release | R::Change | R::Undecided)
        };
        let mut others = others.iter().filter(lasting).filter_map(|choice| choice.hours);
        [
            (!self.cause.lasts(), Against::Cause),
            (self.held_for <= LEAST_HELD, Against::HeldTooShort),
            (self.failed_releases < LEAST_FAILED, Against::FewReleases),
            (self.by_itself != ByItself::Nothing, Against::ByItself(self.by_itself)),
            (self.like_job_began, Against::LikeJobBegan),
            (self.untaught, Against::Untaught),
            (others.any(|other| hours > AT_MOST * other), Against::Cost),
        ]
        .into_iter()
        .find_map(|(stands, against)| stands.then_some(against))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(recommendation: Recommendation, hours: f64) -> Choice {
        Choice { recommendation, action: None, success: None, hours: Some(hours), against: None }
    }

    fn others() -> [Choice; 3] {
        use Recommendation as R;
        [choice(R::Release, 8.9), choice(R::Change, 8.8), choice(R::Undecided, 0.9)]
    }

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
        assert_eq!(ripe().against(0.1, &others()), None);
        let against = |change: fn(&mut Removal)| {
            let mut removal = ripe();
            change(&mut removal);
            removal.against(0.1, &others())
        };
        assert_eq!(against(|r| r.held_for = LEAST_HELD), Some(Against::HeldTooShort));
        assert_eq!(against(|r| r.failed_releases = 1), Some(Against::FewReleases));
        for by_itself in [ByItself::Acts, ByItself::Unknown] {
            let removal = Removal { by_itself, ..ripe() };
            assert_eq!(removal.against(0.1, &others()), Some(Against::ByItself(by_itself)));
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
            assert_eq!(Removal { cause, ..ripe() }.against(0.1, &others()), Some(Against::Cause));
        }
    }

    #[test]
    fn a_removal_is_cheaper_by_a_quarter() {
        assert_eq!(ripe().against(0.675, &others()), None);
        assert_eq!(ripe().against(0.68, &others()), Some(Against::Cost));
    }
}
