//! What can be done about a held job: what each choice is expected to cost, and what stands against
//! it.

use schemars::JsonSchema;
use serde::Serialize;

use super::costs::Costs;
use super::never::AgainstRemoval;
use super::report::Recommendation;
use super::try_one::as_text;
use crate::catalogue::Trouble;
use crate::history::Action;
use eventlog::JobId;

/// One thing that can be done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// What it is; `undecided` stands for leaving the job held.
    pub recommendation: Recommendation,
    /// The action that the release after it stands for.
    pub action: Option<Action>,
    /// Probability of success of that release, 0 to 1.
    pub success: Option<f64>,
    /// Expected cost, hours. `None` where there is no such choice.
    pub hours: Option<f64>,
    /// What stands against it. `None`: nothing does.
    pub against: Option<Against>,
}

/// What stands against a choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum Against {
    /// The model was trained on too few releases after this code.
    UnknownCode,
    /// The model was hardly trained on this action.
    Untaught,
    /// Success is less likely than this.
    Unlikely {
        /// From which probability on it is worth it, 0 to 1.
        least: f64,
    },
    /// Success of the best that can be done is not less likely than this.
    Likely {
        /// Below which probability a removal is worth it, 0 to 1.
        most: f64,
    },
    /// The reason names a trouble that stays until somebody acts, and nothing shows that it is
    /// over.
    Lasting {
        /// Which.
        trouble: Trouble,
    },
    /// A limit of the job's own held it, and would again.
    OwnLimit,
    /// A change, or what a look at the cause may bring, makes success likelier.
    ChangeIsBetter,
    /// So many releases in a row ended in a hold like this one, and nothing got through since.
    FailedBefore {
        /// How many.
        releases: usize,
    },
    /// The model is less sure than it must be.
    Unsure {
        /// What it must be, 0 to 1.
        least: f64,
    },
    /// Nothing of the job is known that could be changed.
    NoChange,
    /// What to change is not named: no attribute, file or line.
    NotNamed,
    /// It makes success hardly likelier than a release as it is.
    HardlyBetter,
    /// A wait makes success as likely.
    WaitIsAsGood,
    /// Like jobs get through unchanged.
    GotThrough,
    /// Nothing outside the job is known that would help.
    NothingToWaitFor,
    /// Time makes it no likelier, but the hours on hold would pay for it: whoever has looked and found
    /// nothing may release.
    LookFirst,
    /// Time does not help, and nothing is known to have changed since the hold.
    NothingChanged,
    /// Fewer than three jobs of the cluster are held for this cause.
    FewHeld,
    /// One of them was released, and it is not known yet how that ends.
    OpenTry {
        /// Which.
        #[serde(serialize_with = "as_text")]
        #[schemars(with = "String")]
        job: JobId,
    },
    /// One of them got through after a release: the others need no further try.
    TryWorked {
        /// Which.
        #[serde(serialize_with = "as_text")]
        #[schemars(with = "String")]
        job: JobId,
    },
    /// It is too early to try again.
    TooEarly {
        /// When it is time, Unix seconds.
        until: i64,
    },
    /// Jobs that were released were held again for something that stays until somebody acts.
    TriesFailed {
        /// One of them.
        #[serde(serialize_with = "as_text")]
        #[schemars(with = "String")]
        job: JobId,
    },
    /// Leaving it held is expected to cost less.
    LeaveIsBetter,
    /// Nothing is known that could be looked at.
    NothingToLookAt,
    /// A release is likely enough to succeed now.
    ReleaseIsEnough,
    /// Something is done or waited for first.
    NotNeeded,
    /// Leaving it held is what is left where nothing else can be done.
    LastResort,
    /// What its own files show says nothing of the others.
    OwnFiles,
    /// A log shows that the hold is over.
    Over,
    /// A person put it on hold.
    HeldByPerson,
    /// The schedd releases it when its input has been spooled.
    Spooling,
    /// What HTCondor needs to run it is not in order.
    NotInOrder,
    /// A policy would hold it again at once.
    HeldAgain,
    /// Its text says that nothing but a change, or somebody else, ends its cause.
    NeedsChange,
    /// The server of its input was away, and nothing at hand could show that it is back.
    Unseen,
    /// The rule for removals.
    Removal {
        /// What it names.
        against: AgainstRemoval,
    },
}

/// Which rule decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Rule {
    /// A log shows that the hold is over.
    Over,
    /// A person put it on hold.
    HeldByPerson,
    /// The schedd releases it when its input has been spooled.
    Spooling,
    /// A policy releases it within the hour.
    ReleasedByPolicy,
    /// The file-transfer plug-in says that the transfer may be tried again, or from when on.
    RetryLater,
    /// The text of the hold names what passes by itself.
    Passes,
    /// One of the jobs held for this cause is tried, but not yet.
    TooEarly,
    /// Nobody was ever seen to get through to the server of its URL.
    NeverReached,
    /// Files that HTCondor needs to start it are not in order.
    FilesFirst,
    /// A limit of the job's own is met again by the same run.
    OwnLimit,
    /// The least expected hours among the choices that nothing stands against.
    LeastHours,
    /// Something stands against every other choice: a look may tell more.
    LookFirst,
    /// Something stands against every choice.
    NoChoice,
}

/// All choices, and which rule decided between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// Which rule decided.
    pub rule: Rule,
    /// The choices; empty for a job that cannot be released.
    pub choices: Vec<Choice>,
}

impl Choices {
    /// The expected cost of a choice, hours.
    pub fn hours(&self, recommendation: Recommendation) -> Option<f64> {
        self.of(recommendation)?.hours
    }

    /// What is said of a choice.
    pub fn of(&self, recommendation: Recommendation) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.recommendation == recommendation)
    }
}

/// Jobs of a cluster that are held for one cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Group {
    /// How many are held now, this one among them.
    pub held: usize,
    /// Why none of them is to be tried. `None`: nothing stands against it.
    pub against: Option<Against>,
    /// A release of one of them has failed since others got through, and none succeeded.
    pub failed: bool,
}

impl Group {
    /// A job that is held alone.
    pub(super) const ALONE: Self = Self { held: 1, against: Some(Against::FewHeld), failed: false };
}

/// How much of what a look leaves open it does not settle: half. Assumed.
const UNSETTLED: f64 = 0.5;

/// Hours from a release until its outcome is known, besides those of the run: a quarter, for the
/// negotiation and the transfer of input. Assumed.
const UNTIL_KNOWN: f64 = 0.25;

/// The expected hours of each choice for one job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hours<'a> {
    pub costs: &'a Costs,
    /// Success of a release as it is, 0 to 1.
    pub as_is: f64,
    /// Success of a release as it is once a like job has got through.
    pub after_success: f64,
    /// Success of the best that can be done, now or later.
    pub best: f64,
    /// Jobs that share the cause: one look serves all of them.
    pub held: usize,
    /// Slot hours that a run takes until it is held.
    pub run: f64,
}

impl Hours<'_> {
    /// The time of a person who looks or corrects something, for one of the jobs that it helps.
    fn person(&self) -> f64 {
        self.costs.person / self.held.max(1) as f64
    }

    /// A change by commands, then a release.
    pub(super) fn edited(&self, success: f64) -> f64 {
        self.person() + self.costs.released(success)
    }

    /// A change by hand, or a look: who looks may see that it is something else, and then releases
    /// nothing.
    pub(super) fn hours_of_look(&self, success: f64) -> f64 {
        self.person() + (1.0 - success) * (self.costs.keep + UNSETTLED * self.costs.failed)
    }

    /// A release after so many hours.
    pub(super) fn hours_of_wait(&self, hours: f64, success: f64) -> f64 {
        hours + self.costs.released(success)
    }

    /// One of the jobs is released; what is done with the others depends on how that ends. A failed
    /// try burns its run and the time to see that it failed: it is on hold again, as it was.
    pub(super) fn tried(&self) -> f64 {
        let jobs = self.held.max(1) as f64;
        let own = (1.0 - self.as_is) * (self.run + self.costs.person + self.costs.keep);
        (own + (jobs - 1.0) * self.after_try()) / jobs
    }

    /// Another job has been released, and its end is waited for.
    pub(super) fn after_try(&self) -> f64 {
        let p = self.as_is;
        let worked = self.after_success.max(p);
        // What a success adds a failure takes: on the average the chance stays what it was.
        let failed = if p < 1.0 { (p * (1.0 - worked) / (1.0 - p)).max(0.0) } else { p };
        let then = |p: f64| self.costs.released(p).min(self.costs.left(p));
        UNTIL_KNOWN + self.run + p * then(worked) + (1.0 - p) * then(failed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hours(costs: &Costs, as_is: f64, after_success: f64, held: usize) -> Hours<'_> {
        Hours { costs, as_is, after_success, best: as_is.max(after_success), held, run: 0.0 }
    }

    #[test]
    fn one_of_many_is_tried_before_all_are_released() {
        let costs = Costs::default();
        for (as_is, after, held, tries) in [
            (0.5, 0.8, 150, true),
            (0.8, 0.95, 150, true),
            (0.97, 0.98, 20, false),
            (0.99, 0.995, 150, false),
        ] {
            let hours = hours(&costs, as_is, after, held);
            assert_eq!(hours.tried() < costs.released(as_is), tries, "{as_is} {after} {held}");
        }
        // While a server is away, a probe now and then costs less than hours of delay.
        let away = hours(&costs, 0.1, 0.46, 150);
        assert!(away.tried() < costs.left(away.best));
        // A run of a day is too dear for that.
        let dear = Hours { run: 24.0, ..away };
        assert!(dear.tried() > costs.left(dear.best));
    }

    #[test]
    fn one_look_serves_all_jobs_of_a_cause() {
        let costs = Costs::default();
        let one = hours(&costs, 0.2, 0.5, 1).hours_of_look(0.5);
        let many = hours(&costs, 0.2, 0.5, 100).hours_of_look(0.5);
        assert!((one - many - costs.person * 0.99).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn hours_are_finite_and_none_is_negative(
            as_is in 0.0..=1.0_f64, after in 0.0..=1.0_f64, held in 0..5000_usize, run in 0.0..1e4_f64,
        ) {
            let costs = Costs::default();
            let hours = Hours { run, ..hours(&costs, as_is, after, held) };
            for cost in [hours.tried(), hours.after_try(), hours.hours_of_look(as_is), hours.edited(after)] {
                prop_assert!(cost.is_finite() && cost >= 0.0);
            }
        }

        #[test]
        fn a_likelier_success_makes_no_choice_dearer(a in 0.0..=1.0_f64, b in 0.0..=1.0_f64) {
            let costs = Costs::default();
            let (low, high) = (a.min(b), a.max(b));
            let hours = hours(&costs, low, high, 1);
            prop_assert!(costs.released(high) <= costs.released(low) + 1e-9);
            prop_assert!(hours.hours_of_look(high) <= hours.hours_of_look(low) + 1e-9);
            prop_assert!(hours.edited(high) <= hours.edited(low) + 1e-9);
        }
    }
}
