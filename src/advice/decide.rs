//! Probabilities and costs become a recommendation.

use super::choices::{Against, Choice, Choices, Group, Hours, Rule};
use super::never::Known;
use super::seen::Others;
use super::{Costs, Curve, Recommendation, Undecided};
use crate::catalogue::Ends;
use crate::history::Action;
use crate::metrics::Band;
use crate::policy::HeldAgain;

/// The probabilities a decision is made from, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chances {
    /// Success of each action that makes sense here; as-is first.
    pub actions: Vec<(Action, f64)>,
    /// Success of a release as it is, had others been seen to get through again. `None` where
    /// nothing outside the job is known to wait for.
    pub recovered: Option<f64>,
    /// Success of a release as it is, now and later. Empty where no time helps, or of a model that
    /// does not know of later releases.
    pub later: Curve,
    /// Actions among these that the model was hardly trained on.
    pub untaught: Vec<Action>,
    /// Actions among these of which it is not known what is to be changed.
    pub unnamed: Vec<Action>,
    /// Actions among these that a person does by hand.
    pub by_hand: Vec<Action>,
    /// What became of like jobs since the hold.
    pub since: Others,
    /// What the model's log-odds were multiplied by, 0 to 1.
    pub trust: f64,
    /// The event log shows this hold, and ads of earlier runs were read.
    pub whole: bool,
    /// What is known of it, whatever the model says.
    pub known: Known,
    /// Time alone may end its cause. Else nothing hangs on how long it has been held.
    pub time_helps: bool,
    /// The best that the model says of a release made later, where no time helps.
    pub hope: f64,
    /// The job was held by a limit of its own: the action that raises it, and when it holds the job
    /// again.
    pub limit: Option<(Action, HeldAgain)>,
    /// Releases in a row that ended in a hold like this one.
    pub failed_alike: usize,
    /// The jobs that are held for the same cause.
    pub group: Group,
    /// Success of a release as it is once a job of the group has got through.
    pub after_success: f64,
    /// Hours that a wait is expected to take.
    pub wait_hours: f64,
    /// Slot hours that a run takes until it is held.
    pub run: f64,
    /// Something is known that a person could look at.
    pub looks: bool,
}

impl Chances {
    /// Success of an action, if it makes sense here.
    pub(super) fn of(&self, wanted: Action) -> Option<f64> {
        self.actions.iter().find(|(action, _)| *action == wanted).map(|&(_, p)| p)
    }

    /// Success of a release as it is.
    pub(super) fn as_is(&self) -> f64 {
        self.of(Action::AsIs).unwrap_or(0.0)
    }

    /// The change most likely to help, of those that the model knows.
    pub(super) fn best_change(&self) -> Option<(Action, f64)> {
        let known = |action: &Action| *action != Action::AsIs && !self.untaught.contains(action);
        let changes = self.actions.iter().filter(|(action, _)| known(action));
        changes.copied().max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Success of the best that can be done, now or later.
    pub(super) fn best(&self) -> f64 {
        let now = self.best_change().map_or(self.as_is(), |(_, p)| p.max(self.as_is()));
        let later = self.later.points().last().map_or(self.hope, |&(_, p)| p);
        now.max(self.recovered.unwrap_or(0.0)).max(later)
    }
}

/// What to do, with which action, and how likely that is to succeed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    /// What to do.
    pub recommendation: Recommendation,
    /// The action it stands for.
    pub action: Option<Action>,
    /// Probability of success of that action; of the best one for `remove`, of a release as it is
    /// for `look` and `undecided`.
    pub chance: f64,
    /// Of `look` and `undecided`, why nothing else.
    pub undecided: Option<Undecided>,
    /// What was weighed.
    pub choices: Choices,
}

impl Decision {
    /// How likely the action is to succeed, in words.
    pub(super) fn band(&self) -> Band {
        Band::of(self.chance)
    }

    /// The same choices, of which a rule takes this one.
    pub(super) fn by_rule(
        self,
        rule: Rule,
        recommendation: Recommendation,
        chance: f64,
        undecided: Option<Undecided>,
    ) -> Self {
        let choices = Choices { rule, ..self.choices };
        Self { recommendation, action: None, chance, undecided, choices }
    }
}

/// How much more likely a change must make success to be worth the trouble.
const WORTH_A_CHANGE: f64 = 0.15;

/// A change is worth trying from this probability of success on where a release is from one half:
/// who is shown what to put right looks first whether it is wrong, and a look costs no slot.
const WORTH_A_LOOK: f64 = 0.2;

/// How much more likely what is waited for must make success: waiting costs next to nothing.
const WORTH_A_WAIT: f64 = 0.03;

/// What a wait can bring is worth it from this probability of success on where a release is from
/// one half; so is the release once it has come. The others have shown by then that the cause
/// passes. Below it a success is `unlikely` ([`Band`]).
const WORTH_WAITING_FOR: f64 = 0.35;

/// A release this likely to succeed needs no change.
const GOOD_AS_IT_IS: f64 = 0.8;

/// A release is worth it from this probability of success on, where it is from one half otherwise,
/// if the event log does not show the hold, no ads of earlier runs were read, or the hold reason
/// names a trouble that stays until somebody acts and nothing shows that it is over: `likely`.
const LIKELY: f64 = 0.65;

/// After so many releases in a row that ended in a hold like this one, another one is advised only
/// where others were seen to get through since.
pub(super) const MOST_FAILED: usize = 2;

/// Decides: of the choices that nothing stands against the one with the least expected hours
/// ([`Hours`]); where something stands against each, a look, if anything is known to look at or no
/// time helps. What stands against a choice is a property of the hold, not of its costs;
/// docs/developing/advice.md has the derivation, and says which of the numbers above are assumed.
///
/// Of a limit of the job's own the ad tells cause and cure, and no probability decides between
/// them: HTCondor evaluates `periodic_hold` in the next run as in this one (manual page
/// `condor_submit`), so a release as it is helps only where that run gets by with less. It is
/// advised only where the model is nearly sure of that, and never where the limit is exceeded again
/// at once.
///
/// Of a code that the model does not know nothing else is said. Where like jobs get through again,
/// the next thing to do is the release that was waited for: a small chance is enough, nothing is
/// changed first, and `least_confidence` is not asked for, since it was seen and not only computed.
pub(super) fn decide(chances: &Chances, costs: &Costs, least_confidence: Option<f64>) -> Decision {
    // The longer a job has waited, the dearer it is to leave it, whether or not time helps.
    let aged = match chances.time_helps {
        true => *costs,
        false => costs.of_hold(chances.known.removal.held_for),
    };
    let weighed = Weighed { chances, costs: &aged, fresh: costs, least_confidence };
    let choices = weighed.choices();
    let as_is = chances.as_is();
    let made = |rule: Rule, choice: &Choice| Decision {
        recommendation: choice.recommendation,
        action: choice.action,
        chance: match choice.recommendation {
            Recommendation::Wait | Recommendation::Look | Recommendation::Undecided => as_is,
            Recommendation::Remove => chances.best(),
            _ => choice.success.unwrap_or(as_is),
        },
        undecided: None,
        choices: Choices { rule, choices: choices.clone() },
    };
    if let Some((action, again)) = chances.limit
        && (as_is < GOOD_AS_IT_IS
            || again == HeldAgain::AtOnce
            || chances.known.unknown_code.is_some())
        && let Some(chance) = chances.of(action)
        && !chances.unnamed.contains(&action)
    {
        let (recommendation, action) = (Recommendation::Change, Some(action));
        let rule = Rule::OwnLimit;
        let choices = choices.into_iter().map(|choice| {
            let against = match choice.recommendation {
                Recommendation::Change => None,
                _ => choice.against.or(Some(Against::OwnLimit)),
            };
            Choice { against, ..choice }
        });
        let choices = Choices { rule, choices: choices.collect() };
        return Decision { recommendation, action, chance, undecided: None, choices };
    }
    let of = |choice: &&Choice| choice.against.is_none() && choice.hours.is_some();
    let least = choices.iter().filter(of).min_by(|a, b| {
        let hours = |choice: &Choice| choice.hours.unwrap_or(f64::INFINITY);
        hours(a).total_cmp(&hours(b))
    });
    if let Some(choice) = least {
        let undecided =
            (choice.recommendation == Recommendation::Look).then_some(Undecided::NotNamed);
        return Decision { undecided, ..made(Rule::LeastHours, choice) };
    }
    let why = Some(weighed.undecided(&choices));
    // Where no time helps somebody has to act, and does so after a look.
    let looks = chances.looks || !chances.time_helps;
    let is_known =
        chances.known.unknown_code.is_none() || chances.known.ends.is_some_and(Ends::lasts);
    let (rule, recommendation) = match looks && is_known {
        true => (Rule::LookFirst, Recommendation::Look),
        false => (Rule::NoChoice, Recommendation::Undecided),
    };
    let choices = Choices { rule, choices };
    Decision { recommendation, action: None, chance: as_is, undecided: why, choices }
}

/// What is weighed against each other.
struct Weighed<'a> {
    chances: &'a Chances,
    costs: &'a Costs,
    /// Where time does not help, those of a job that has just been held: it makes no release worth
    /// more.
    fresh: &'a Costs,
    least_confidence: Option<f64>,
}

impl Weighed<'_> {
    fn choices(&self) -> Vec<Choice> {
        use Recommendation as R;
        let Self { chances, costs, .. } = *self;
        if chances.actions.is_empty() {
            return Vec::new();
        }
        let as_is = chances.as_is();
        let hours = Hours {
            costs,
            as_is,
            after_success: chances.after_success,
            best: chances.best(),
            held: chances.group.held,
            run: chances.run,
        };
        let choice = |recommendation, action, success, hours, against| Choice {
            recommendation,
            action,
            success,
            hours: Some(hours),
            against,
        };
        let none = |recommendation, against| Choice {
            recommendation,
            action: None,
            success: None,
            hours: None,
            against: Some(against),
        };
        let plain = Some(Action::AsIs);
        let release = self.against_release();
        let left = costs.left(hours.best);
        let mut all = vec![choice(R::Release, plain, Some(as_is), costs.released(as_is), release)];
        all.push(match chances.group.against {
            Some(Against::FewHeld) => none(R::Try, Against::FewHeld),
            _ => {
                let cost = hours.tried();
                let dear = (cost >= left).then_some(Against::LeaveIsBetter);
                choice(R::Try, plain, Some(as_is), cost, self.against_try().or(dear))
            }
        });
        let changed = self.chances.best_change();
        all.push(match changed {
            Some((action, p)) => {
                let cost = match chances.by_hand.contains(&action) {
                    true => hours.hours_of_look(p),
                    false => hours.edited(p),
                };
                choice(R::Change, Some(action), Some(p), cost, self.against_change(action, p))
            }
            None => none(R::Change, Against::NoChange),
        });
        all.push(self.wait(&hours));
        let look = changed.map_or(as_is, |(_, p)| p.max(as_is));
        all.push(match self.against_look() {
            Some(against) => none(R::Look, against),
            None => choice(R::Look, None, None, hours.hours_of_look(look), None),
        });
        all.push(choice(R::Undecided, None, None, left, Some(Against::LastResort)));
        let removed = costs.removed(hours.best);
        let against = self.against_removal(removed, left, &all);
        all.push(choice(R::Remove, None, None, removed, against));
        for choice in &mut all {
            let rule = chances.known.against(choice);
            // The least probability by the costs is higher than the least of all.
            choice.against = match rule {
                Some(Against::Unlikely { .. }) => choice.against.or(rule),
                _ => rule.or(choice.against),
            };
        }
        all
    }

    /// From which probability of success on a release as it is is worth it.
    fn enough(&self) -> f64 {
        self.enough_by(self.fresh)
    }

    fn enough_by(&self, costs: &Costs) -> f64 {
        let threshold = costs.release_threshold();
        match self.chances.whole {
            true if self.chances.since == Others::GotThrough => {
                shifted(WORTH_WAITING_FOR, threshold)
            }
            true => threshold,
            // Where failures of others are not seen, few successes are not enough.
            false => shifted(LIKELY, threshold),
        }
    }

    /// From which probability of success on a release is worth it where less is known.
    fn likely(&self) -> f64 {
        shifted(LIKELY, self.fresh.release_threshold())
    }

    /// The best change makes enough of a difference.
    fn better_changed(&self) -> Option<(Action, f64)> {
        let (action, p) = self.chances.best_change()?;
        // What passes needs no change that nobody can name.
        let passes = self.chances.known.ends.is_some_and(Ends::passes);
        let is_idle = passes && self.chances.unnamed.contains(&action);
        (!is_idle && self.not_better(action, p).is_none()).then_some((action, p))
    }

    /// Why a change is not worth it, whatever it is.
    fn not_better(&self, action: Action, p: f64) -> Option<Against> {
        let chances = self.chances;
        let as_is = chances.as_is();
        let needed = chances.known.ends.is_some_and(Ends::lasts);
        if needed && action != Action::Site {
            return None;
        }
        if chances.known.lasting.is_some() && action == Action::Other {
            return (p < as_is).then_some(Against::HardlyBetter);
        }
        let least = shifted(WORTH_A_LOOK, self.costs.release_threshold());
        let came = chances.since == Others::GotThrough;
        if action == Action::Other && as_is >= self.enough() && came {
            Some(Against::GotThrough)
        } else if p < least {
            Some(Against::Unlikely { least })
        // Answers that are less sure lie nearer to each other.
        } else if p < as_is + WORTH_A_CHANGE * self.trust() || as_is >= GOOD_AS_IT_IS {
            Some(Against::HardlyBetter)
        } else {
            None
        }
    }

    /// How far apart answers are that differ as much as with all sources: half as far where the event
    /// log or the ads of earlier runs are missing. Assumed.
    fn trust(&self) -> f64 {
        if self.chances.whole { self.chances.trust } else { self.chances.trust.min(0.5) }
    }

    fn against_release(&self) -> Option<Against> {
        let chances = self.chances;
        let (as_is, came) = (chances.as_is(), chances.since == Others::GotThrough);
        let (least, aged) = (self.enough(), self.enough_by(self.costs));
        if as_is < least.min(aged.max(WORTH_WAITING_FOR)) {
            return Some(Against::Unlikely { least });
        }
        let is_surer = chances.whole && as_is >= self.likely();
        if let Some(trouble) = chances.known.lasting.filter(|_| !is_surer) {
            return Some(Against::Lasting { trouble });
        }
        // What others show is not true of these jobs.
        if let (true, Some(tried @ (Against::TriesFailed { .. } | Against::TooEarly { .. }))) =
            (chances.group.failed, chances.group.against)
        {
            return Some(tried);
        }
        // A release that is on its way shows soon what the sources at hand do not.
        if let (false, Some(open @ Against::OpenTry { .. })) =
            (chances.whole, chances.group.against)
        {
            return Some(open);
        }
        if chances.failed_alike >= MOST_FAILED && !came {
            return Some(Against::FailedBefore { releases: chances.failed_alike });
        }
        if let Some(least) = self.least_confidence.filter(|least| as_is < *least && !came) {
            return Some(Against::Unsure { least });
        }
        // A change that nobody can name, and of which nothing tells more, cannot be made.
        let can_be_made =
            |(action, _): &(Action, f64)| chances.looks || !chances.unnamed.contains(action);
        let better = self.better_changed().filter(can_be_made).map(|_| Against::ChangeIsBetter);
        better.or((as_is < least).then_some(Against::LookFirst))
    }

    fn against_try(&self) -> Option<Against> {
        let chances = self.chances;
        if chances.limit.is_some() {
            return Some(Against::OwnLimit);
        }
        let named = |(action, _): &(Action, f64)| !chances.unnamed.contains(action);
        let better = self.better_changed().filter(named).map(|_| Against::ChangeIsBetter);
        chances.group.against.or(better)
    }

    fn against_change(&self, action: Action, p: f64) -> Option<Against> {
        let not_better = self.not_better(action, p);
        let unnamed = self.chances.unnamed.contains(&action).then_some(Against::NotNamed);
        // What passes by itself leaves no edit behind to take back.
        let waits = self
            .chances
            .recovered
            .filter(|recovered| *recovered >= p && self.against_wait(*recovered).is_none());
        let later = self.best_later().filter(|(_, later)| *later >= p);
        let waits = waits.is_some() || later.is_some();
        not_better.or(unnamed).or(waits.then_some(Against::WaitIsAsGood))
    }

    /// A look is a choice of its own where a change would help of which nobody says what it is.
    fn against_look(&self) -> Option<Against> {
        let unnamed = |(action, _): &(Action, f64)| self.chances.unnamed.contains(action);
        if !self.chances.looks {
            Some(Against::NothingToLookAt)
        } else if self.better_changed().filter(unnamed).is_none() {
            Some(Against::NotNeeded)
        } else {
            None
        }
    }

    /// For others to get through, or for one that was released.
    fn wait(&self, hours: &Hours<'_>) -> Choice {
        let chances = self.chances;
        let for_try = matches!(chances.group.against, Some(Against::OpenTry { .. }));
        let (cost, success, against) = match chances.recovered {
            _ if for_try && chances.known.lasting.is_none() => {
                (Some(hours.after_try()), Some(chances.after_success), None)
            }
            None => (None, None, Some(Against::NothingToWaitFor)),
            Some(p) => {
                (Some(hours.hours_of_wait(chances.wait_hours, p)), Some(p), self.against_wait(p))
            }
        };
        // The cheaper of an event and of time, where nothing stands against both.
        let (cost, success, against) = match self.best_later() {
            Some((later, p)) if against.is_some() || cost.is_none_or(|cost| later < cost) => {
                (Some(later), Some(p), None)
            }
            _ => (cost, success, against),
        };
        let (recommendation, action) = (Recommendation::Wait, Some(Action::AsIs));
        Choice { recommendation, action, success, hours: cost, against }
    }

    /// The cheapest release that is made later and that nothing stands against: its expected hours,
    /// and how likely it is to succeed.
    fn best_later(&self) -> Option<(f64, f64)> {
        let chances = self.chances;
        let tried = matches!(chances.group.against, Some(Against::OpenTry { .. }));
        if tried || chances.since == Others::GotThrough {
            return None;
        }
        let later = chances.later.points().iter().filter(|(delay, _)| *delay > 0);
        let stands = later.filter(|&&(_, p)| self.not_worth_waiting(p).is_none());
        let cost = |&(delay, p): &(i64, f64)| {
            let hours = delay as f64 / 3_600.0;
            (hours + self.costs.released(p), p)
        };
        stands.map(cost).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Against waiting for others to get through, if that brings this probability of success.
    fn against_wait(&self, p: f64) -> Option<Against> {
        // A wait ends when others have got through, whatever came after.
        let through = self.chances.since != Others::Nothing;
        through.then_some(Against::GotThrough).or_else(|| self.not_worth_waiting(p))
    }

    /// Against waiting for this probability of success.
    fn not_worth_waiting(&self, p: f64) -> Option<Against> {
        let as_is = self.chances.as_is();
        let least = shifted(WORTH_WAITING_FOR, self.costs.release_threshold());
        match () {
            () if p < least => Some(Against::Unlikely { least }),
            () if p < as_is + WORTH_A_WAIT => Some(Against::HardlyBetter),
            () if as_is >= self.enough() => Some(Against::ReleaseIsEnough),
            () => None,
        }
    }

    fn against_removal(&self, hours: f64, left: f64, others: &[Choice]) -> Option<Against> {
        use Recommendation as R;
        let Self { chances, costs, least_confidence, .. } = self;
        let ends = |choice: &&Choice| matches!(choice.recommendation, R::Release | R::Change);
        let others = others.iter().filter(ends).filter_map(|choice| choice.hours).chain([left]);
        let least = costs.remove_threshold();
        let sure = |least: &f64| 1.0 - chances.best() < *least;
        if chances.best() >= least {
            Some(Against::Likely { most: least })
        } else if let Some(against) = chances.known.removal.against(hours, others) {
            Some(Against::Removal { against })
        } else {
            least_confidence.filter(sure).map(|least| Against::Unsure { least })
        }
    }

    /// Why nothing that can be done is recommended.
    fn undecided(&self, choices: &[Choice]) -> Undecided {
        let Self { chances, costs, .. } = self;
        let against = |recommendation: Recommendation| {
            choices.iter().find(|choice| choice.recommendation == recommendation)?.against
        };
        let release = against(Recommendation::Release);
        let threshold = costs.release_threshold();
        if chances.known.untaught {
            return Undecided::NoReleases;
        }
        if let Some(releases) = chances.known.unknown_code {
            return Undecided::UnknownCode { releases };
        }
        match (release, against(Recommendation::Remove)) {
            (Some(Against::FailedBefore { releases }), _) => Undecided::FailedBefore { releases },
            (Some(Against::Unsure { least }), _) | (_, Some(Against::Unsure { least })) => {
                Undecided::Unsure { least }
            }
            (_, Some(Against::Lasting { trouble })) => Undecided::Lasting { trouble },
            (_, Some(Against::Removal { against })) => Undecided::NotRemoved { against },
            _ if !chances.whole
                && (chances.since == Others::GotThrough || chances.as_is() >= threshold) =>
            {
                Undecided::Sources
            }
            _ => Undecided::Between { release: threshold, remove: costs.remove_threshold() },
        }
    }
}

/// A probability that is enough where a release is from one half on, for another threshold: their
/// odds are multiplied.
fn shifted(probability: f64, threshold: f64) -> f64 {
    let (yes, no) = (probability * threshold, (1.0 - probability) * (1.0 - threshold));
    if yes + no > 0.0 { yes / (yes + no) } else { probability }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
