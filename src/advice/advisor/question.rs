//! What the model is asked of held jobs, and what it answers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use eventlog::JobId;

use crate::advice::changes::{self, Change};
use crate::advice::choices::Group;
use crate::advice::held::Held;
use crate::advice::job_facts::JobFacts;
use crate::advice::limit;
use crate::advice::seen::{Others, Seen};
use crate::advice::server::NeverReached;
use crate::advice::try_one::Tries;
use crate::advice::{Curve, DELAYS, Evidence, FailedTransfer, LookAt, Refusal, Spent};
use crate::catalogue::Ends;
use crate::diagnosis::{Diagnosis, State};
use crate::features::{Neighbourhood, Sample};
use crate::history::{Action, Episode, JobHistory};
use crate::model::{Batch, Model, ModelError};
use crate::policy::HeldAgain;

/// A held job of which the model is asked.
pub(super) struct Question<'h> {
    pub(super) held: Cow<'h, Held>,
    /// Unix seconds.
    pub(super) now: i64,
    /// Its facts, with those that only a log has.
    pub(super) facts: Cow<'h, JobFacts>,
    pub(super) hold: Episode,
    /// What a file-transfer plug-in reported of it.
    pub(super) failed: Option<FailedTransfer>,
    /// Its server refuses everybody.
    pub(super) refusal: Option<Refusal>,
    /// Nobody was ever seen to reach its server.
    pub(super) never: Option<NeverReached>,
    pub(super) neighbourhoods: Vec<Neighbourhood>,
    pub(super) seen: Seen,
    pub(super) sample: Sample,
    /// The first of the holds that share its cause, of which the model was asked in its place.
    pub(super) first: Option<(FirstHold, Rc<Subject>)>,
    pub(super) actions: Vec<Action>,
    /// What each of these is, where there is something to change.
    pub(super) changes: Vec<(Action, Change)>,
    /// Releases of jobs of the cluster from this cause.
    pub(super) tries: Option<Arc<Tries>>,
    pub(super) group: Group,
    pub(super) look: Option<LookAt>,
    /// Slot hours that it has used.
    pub(super) spent: Spent,
    /// What has to be corrected before a release, besides what the hold is about.
    pub(super) correct_before: Vec<Change>,
    /// That a log shows its hold to be over.
    pub(super) over: Option<Evidence>,
    pub(super) ending: Ending,
    /// Whether later releases are asked about.
    pub(super) asks_later: bool,
    /// Where the answers begin: one for each action, one had others been seen to get through, and
    /// those about later releases.
    pub(super) answers: usize,
}

/// Job and instant of a hold.
type FirstHold = (JobId, i64);

/// What ends the cause of a hold, and what does not.
#[derive(Clone, Copy, Default)]
pub(super) struct Ending {
    /// What it ran out of was raised since.
    pub(super) is_raised: bool,
    /// By its text.
    pub(super) ends: Option<Ends>,
    /// The next start ends it, wherever that is.
    pub(super) by_start: bool,
    /// A limit of its own: the action that raises it, and when it holds the job again.
    pub(super) limit: Option<(Action, HeldAgain)>,
    /// Time or others may end it: neither what is raised, nor what stays, nor what a start ends.
    pub(super) may_pass: bool,
}

/// A hold as the model sees it, and what others show of it.
pub(super) struct Subject {
    pub(super) sample: Sample,
    pub(super) neighbourhoods: Vec<Neighbourhood>,
    pub(super) refusal: Option<Refusal>,
    pub(super) seen: Seen,
}

/// What is asked in a call of the model.
#[derive(Default)]
pub(super) struct Asked {
    states: Vec<u8>,
    statics: Vec<f32>,
    pub(super) n: usize,
    /// First holds of those that share a cause.
    pub(super) firsts: HashMap<FirstHold, Rc<Subject>>,
    /// Where the answers about such a hold and these actions begin, with later releases and without.
    pub(super) answers: HashMap<(FirstHold, Vec<Action>, bool), usize>,
}

impl Asked {
    pub(super) fn push(&mut self, sample: &Sample) {
        self.states.extend_from_slice(&sample.states);
        self.statics.extend_from_slice(&sample.statics);
        self.n += 1;
    }

    pub(super) fn batch(&self) -> Batch<'_> {
        Batch { states: &self.states, statics: &self.statics, n: self.n }
    }

    pub(super) fn answers(&self, model: &Model) -> Result<Vec<f64>, ModelError> {
        if self.n == 0 {
            return Ok(Vec::new());
        }
        model.probabilities(&self.batch())
    }
}

impl Question<'_> {
    /// Seconds since it went on hold.
    pub(super) fn held_for(&self) -> i64 {
        self.now.saturating_sub(self.hold.held_at)
    }

    /// What the model is asked about: the hold, or the first of those that share its cause.
    pub(super) fn about(&self) -> &Sample {
        self.first.as_ref().map_or(&self.sample, |(_, first)| &first.sample)
    }

    /// What ends its cause. `is_unknown`: the model does not know its code.
    pub(super) fn ending(&self, job: Option<&JobHistory>, is_unknown: bool) -> Ending {
        let hold = changes::JudgedHold::of(&self.hold);
        let is_raised = changes::was_raised(&hold, &self.facts);
        let ends = self.ends(is_raised, is_unknown);
        // Where others that started fail still, the text is not enough.
        let by_start = matches!(ends, Some(Ends::NextStart | Ends::Elsewhere))
            && self.seen.since != Others::Mixed;
        let limit = limit::of(&self.held, &hold, job);
        let raises = limit.is_some() && self.facts.raise_may_help();
        let may_pass = !raises && !self.seen.stays && !by_start;
        Ending { is_raised, ends, by_start, limit, may_pass }
    }

    /// What ends its cause by its text. `None` where something shows that it is over, or where what
    /// is raised is a request or a limit, of which the model and its figures say more.
    fn ends(&self, is_raised: bool, is_unknown: bool) -> Option<Ends> {
        let ends = self.facts.ends()?;
        if self.facts.place_at_fault.is_some() {
            return Some(ends);
        }
        let entry = self.facts.deciding()?.entry();
        let is_over = is_raised || self.seen.since == Others::GotThrough || self.refusal.is_some();
        let most = entry.lasts.map(|[_, most]| most);
        // What takes longer than it ever does is something else.
        let is_late = most.is_some_and(|most| self.held_for() > most);
        let says_more = entry.edit.is_none() || is_unknown;
        (!is_over && !is_late && says_more).then_some(ends)
    }

    /// What is at fault, and what ends it.
    pub(super) fn diagnosis(&self) -> Diagnosis {
        let Seen { stays, blocked, fails_now, since, .. } = self.seen;
        let state = match () {
            () if stays || blocked || fails_now => State::Lasts,
            () if since == Others::GotThrough => State::Over,
            () => State::Unknown,
        };
        let JobFacts { reading, place_at_fault, .. } = &*self.facts;
        let program = self.facts.said_by_program();
        Diagnosis::of(reading.as_ref(), program, place_at_fault.as_ref(), state)
    }

    /// Seconds of these that count where time helps.
    pub(super) fn aged_for(&self) -> i64 {
        if self.seen.time_helps { self.held_for() } else { 0 }
    }

    /// Its answers, from all that were given.
    pub(super) fn answers(&self, all: &[f64]) -> Answers {
        let mut answers = all.iter().skip(self.answers).copied();
        let of_actions: Vec<_> = self.actions.iter().copied().zip(answers.by_ref()).collect();
        let recovered = answers.next();
        let now = of_actions.first().map(|&(_, p)| (0, p));
        let later = LATER.iter().copied().zip(answers).take_while(|_| self.asks_later);
        Answers { of_actions, recovered, later: Curve::new(now.into_iter().chain(later)) }
    }
}

/// What the model answered about one question.
pub(super) struct Answers {
    pub(super) of_actions: Vec<(Action, f64)>,
    /// About a release as it is, had others been seen to get through.
    pub(super) recovered: Option<f64>,
    /// About a release as it is, now and later.
    pub(super) later: Curve,
}

/// Delays of releases that are not made now.
pub(super) const LATER: &[i64] = DELAYS.split_at(1).1;
