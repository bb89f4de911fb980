//! What no probability can buy: rules over what is known of a hold. They stand against choices, and
//! every verdict passes them last.

use schemars::JsonSchema;
use serde::Serialize;

use super::choices::{Against, Choice, Rule};
use super::decide::{Chances, Decision};
use super::report::Recommendation;
use super::undecided::Undecided;
use crate::catalogue::{Ends, Trouble};
use crate::history::Action;
use crate::hold_code::Cause;
use crate::metrics::Band;

/// What is known of a hold, whatever the model says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Known {
    /// A log shows that the hold is over.
    pub over: bool,
    /// A person put it on hold, or had it submitted so.
    pub person: bool,
    /// Its input is still being spooled.
    pub spooling: bool,
    /// Releases after its code that the model was trained on, where they are too few for it to know
    /// the code.
    pub unknown_code: Option<u64>,
    /// A limit of its own held it, which its ad makes certain without a model.
    pub has_limit: bool,
    /// The model was hardly trained on releases without a change.
    pub untaught: bool,
    /// What HTCondor needs at the access point to run the job is not in order now.
    pub broken: bool,
    /// A policy holds it again at once.
    pub held_again: bool,
    /// The trouble of its hold reason stays until somebody acts, and nothing shows that it is over.
    pub lasting: Option<Trouble>,
    /// What ends it by its text, where nothing shows that it is over.
    pub ends: Option<Ends>,
    /// The server of its input was away, and nothing at hand could show that it is back.
    pub unseen: bool,
    /// What a removal needs.
    pub removal: Removal,
}

/// What a rule has against a choice.
type Never = fn(&Known, &Choice) -> Option<Against>;

/// The rules, in the order in which they are named.
const RULES: [Never; 11] = [
    over,
    held_by_person,
    spooling,
    unknown_code,
    untaught,
    not_in_order,
    held_again,
    unlikely,
    lasting,
    needs_change,
    unseen,
];

/// The ad is older than the log: nothing is to be done about its hold.
fn over(known: &Known, choice: &Choice) -> Option<Against> {
    let is_other = choice.recommendation != Recommendation::Undecided;
    (known.over && is_other).then_some(Against::Over)
}

/// Whoever holds a job, or had it submitted on hold, knows why; a model does not.
fn held_by_person(known: &Known, choice: &Choice) -> Option<Against> {
    let is_other = choice.recommendation != Recommendation::Undecided;
    (known.person && is_other).then_some(Against::HeldByPerson)
}

/// The schedd releases it when its input has been spooled, and not before (schedd.cpp).
fn spooling(known: &Known, choice: &Choice) -> Option<Against> {
    let is_other = choice.recommendation != Recommendation::Wait;
    (known.spooling && !known.person && is_other).then_some(Against::Spooling)
}

/// Of a code that the model does not know only what the ad or the text makes certain is said.
fn unknown_code(known: &Known, choice: &Choice) -> Option<Against> {
    let needs_change = known.ends.is_some_and(Ends::lasts);
    let is_said = match choice.recommendation {
        Recommendation::Undecided => true,
        Recommendation::Change => known.has_limit || needs_change,
        Recommendation::Look => needs_change,
        Recommendation::Wait => known.ends.is_some_and(Ends::passes),
        _ => false,
    };
    (known.unknown_code.is_some() && !is_said).then_some(Against::UnknownCode)
}

/// A release as it is that the model was hardly trained on.
fn untaught(known: &Known, choice: &Choice) -> Option<Against> {
    (known.untaught && releases(choice)).then_some(Against::Untaught)
}

/// What HTCondor needs and is not in order is put in order first: a run cannot begin or end without
/// it, and nobody has to look for a cause meanwhile.
fn not_in_order(known: &Known, choice: &Choice) -> Option<Against> {
    let is_first = !matches!(choice.recommendation, Recommendation::Change | Recommendation::Wait);
    let says_more = known.person || known.spooling || known.unknown_code.is_some();
    (known.broken && is_first && !says_more).then_some(Against::NotInOrder)
}

/// A policy that holds for this very ad holds the job again before it has run, whatever it waited
/// for.
fn held_again(known: &Known, choice: &Choice) -> Option<Against> {
    let ends_so = releases(choice) || choice.recommendation == Recommendation::Wait;
    (known.held_again && ends_so).then_some(Against::HeldAgain)
}

/// Nobody is advised to release what is unlikely to succeed, however dear the delay. A try is of one
/// job of many, and made to learn from.
fn unlikely(_: &Known, choice: &Choice) -> Option<Against> {
    let least = Band::Even.least();
    let is_release = choice.recommendation == Recommendation::Release;
    let is_unlikely = choice.success.is_some_and(|success| success < least);
    (is_release && is_unlikely).then_some(Against::Unlikely { least })
}

/// What stays until somebody acts at that very place is the same for one of many jobs, and somebody
/// may act.
fn lasting(known: &Known, choice: &Choice) -> Option<Against> {
    let is_of_cause = matches!(choice.recommendation, Recommendation::Try | Recommendation::Remove);
    known.lasting.filter(|_| is_of_cause).map(|trouble| Against::Lasting { trouble })
}

/// What nothing but a change or a person ends is not released as it is, and not waited out.
fn needs_change(known: &Known, choice: &Choice) -> Option<Against> {
    let waits = choice.recommendation == Recommendation::Wait && known.ends == Some(Ends::Change);
    let is_needed = known.ends.is_some_and(Ends::lasts);
    (is_needed && (releases(choice) || waits)).then_some(Against::NeedsChange)
}

/// Time alone brings no server back: where nothing could show that it is, somebody looks.
fn unseen(known: &Known, choice: &Choice) -> Option<Against> {
    let is_release = choice.recommendation == Recommendation::Release;
    (known.unseen && is_release).then_some(Against::Unseen)
}

/// It lets the job go as it is.
fn releases(choice: &Choice) -> bool {
    matches!(choice.recommendation, Recommendation::Release | Recommendation::Try)
}

impl Known {
    /// The first rule that stands against a choice.
    pub(super) fn against(&self, choice: &Choice) -> Option<Against> {
        RULES.iter().find_map(|rule| rule(self, choice))
    }

    /// The verdict, or what a rule that forbids it leaves.
    pub(super) fn last(&self, decision: Decision, chances: &Chances) -> Decision {
        use Recommendation as R;
        let choice = Choice {
            recommendation: decision.recommendation,
            action: decision.action,
            success: Some(decision.chance),
            hours: None,
            against: None,
        };
        let as_is = chances.as_is();
        let against = match () {
            () if self.over => Some(Against::Over),
            () if self.person => Some(Against::HeldByPerson),
            () if self.spooling => Some(Against::Spooling),
            () => self.against(&choice),
        };
        match against {
            Some(Against::Over) => {
                decision.by_rule(Rule::Over, R::Undecided, as_is, Some(Undecided::Over))
            }
            Some(Against::HeldByPerson) => {
                let why = Some(Undecided::HeldByPerson);
                decision.by_rule(Rule::HeldByPerson, R::Undecided, as_is, why)
            }
            Some(Against::Spooling) => decision.by_rule(Rule::Spooling, R::Wait, as_is, None),
            Some(Against::UnknownCode) => {
                let why = self.unknown_code.map(|releases| Undecided::UnknownCode { releases });
                decision.by_rule(Rule::NoChoice, R::Undecided, as_is, why)
            }
            Some(Against::NotInOrder) => {
                // Of the file that the hold is about the model's answer is that of the correction.
                let of_hold = chances.of(Action::Other).filter(|_| self.lasting.is_some());
                let chance = of_hold.unwrap_or(as_is);
                let change = decision.by_rule(Rule::FilesFirst, R::Change, chance, None);
                Decision { action: Some(Action::Other), ..change }
            }
            // What else a rule forbids was no choice.
            _ => decision,
        }
    }
}

/// A job is thought of for removal once it has been held for longer than this, seconds: a day,
/// within which those who look after a server or file system notice that it is away. Assumed.
pub(crate) const LEAST_HELD: i64 = 86_400;

/// So many of its releases have failed by then.
pub(crate) const LEAST_FAILED: usize = 2;

/// A removal costs at most this share of every other choice.
const AT_MOST: f64 = 0.75;

/// What HTCondor will do with a held job by itself, within 30 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// Without what jobs of other owners did it is not the verdict.
    pub by_others: bool,
}

/// What stands against a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "Kind", content = "Value")]
pub enum AgainstRemoval {
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
    /// Only with what jobs of other owners did, who may make theirs fail, is nothing likely to help.
    ByOthers,
    /// Another choice costs hardly more.
    Cost,
}

impl Removal {
    /// What stands against a removal of these hours, beside those of a release, a change and leaving
    /// it held: no person's time makes a removal look cheap. `None` where nothing does.
    pub(super) fn against(
        &self,
        hours: f64,
        mut others: impl Iterator<Item = f64>,
    ) -> Option<AgainstRemoval> {
        [
            (!self.cause.lasts(), AgainstRemoval::Cause),
            (self.held_for <= LEAST_HELD, AgainstRemoval::HeldTooShort),
            (self.failed_releases < LEAST_FAILED, AgainstRemoval::FewReleases),
            (self.by_itself != ByItself::Nothing, AgainstRemoval::ByItself(self.by_itself)),
            (self.like_job_began, AgainstRemoval::LikeJobBegan),
            (self.untaught, AgainstRemoval::Untaught),
            (self.by_others, AgainstRemoval::ByOthers),
            (others.any(|other| hours > AT_MOST * other), AgainstRemoval::Cost),
        ]
        .into_iter()
        .find_map(|(stands, against)| stands.then_some(against))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn others() -> impl Iterator<Item = f64> {
        [8.9, 8.8, 0.9].into_iter()
    }

    fn ripe() -> Removal {
        Removal {
            held_for: LEAST_HELD + 1,
            failed_releases: LEAST_FAILED,
            cause: Cause::Program,
            by_itself: ByItself::Nothing,
            like_job_began: false,
            untaught: false,
            by_others: false,
        }
    }

    #[test]
    fn every_condition_is_needed() {
        assert_eq!(ripe().against(0.1, others()), None);
        let against = |change: fn(&mut Removal)| {
            let mut removal = ripe();
            change(&mut removal);
            removal.against(0.1, others())
        };
        assert_eq!(against(|r| r.held_for = LEAST_HELD), Some(AgainstRemoval::HeldTooShort));
        assert_eq!(against(|r| r.failed_releases = 1), Some(AgainstRemoval::FewReleases));
        for by_itself in [ByItself::Acts, ByItself::Unknown] {
            let removal = Removal { by_itself, ..ripe() };
            assert_eq!(removal.against(0.1, others()), Some(AgainstRemoval::ByItself(by_itself)));
        }
        assert_eq!(against(|r| r.like_job_began = true), Some(AgainstRemoval::LikeJobBegan));
        assert_eq!(against(|r| r.untaught = true), Some(AgainstRemoval::Untaught));
        for cause in [
            Cause::Transfer,
            Cause::Connection,
            Cause::FileSystem,
            Cause::Host,
            Cause::Unknown,
            Cause::Person,
        ] {
            assert_eq!(
                Removal { cause, ..ripe() }.against(0.1, others()),
                Some(AgainstRemoval::Cause)
            );
        }
    }

    #[test]
    fn a_removal_is_cheaper_by_a_quarter() {
        assert_eq!(ripe().against(0.675, others()), None);
        assert_eq!(ripe().against(0.68, others()), Some(AgainstRemoval::Cost));
    }
}
