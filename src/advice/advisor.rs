//! Judges held jobs: from the history and the model to one [`Advice`] a job.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::changes::{self, Change};
use super::choices::{Against, Group, Rule};
use super::decide::{Chances, Decision};
use super::editable::Editable;
use super::files::corrected_since;
use super::held::Held;
use super::inputs::Inputs;
use super::job_facts::JobFacts;
use super::meaning::SharedCause;
use super::never::{Known, Removal};
use super::seen::{BLOCKED, IN_ORDER, Looked, Others, Seen, last_event, share};
use super::server::NeverReached;
use super::shared::{Causes, trouble_before};
use super::siblings::{LimitFinding, LimitSeen, Siblings};
use super::try_one::Time;
use super::{
    Advice, Command, Costs, Curve, Evidence, FailedTransfer, HeldJob, LookAt, Recommendation,
    Refusal, Spent, Trouble, Trust, Undecided, evidence, look, transfer_error,
};
use crate::catalogue::{self, Fault, HoldText, Reading};
use crate::checks::{Check, Finding};
use crate::diagnosis::{PlaceAtFault, Said, Table};
use crate::features::{Holds, Neighbourhood, RecoveryColumns, Sampler, Scope};
use crate::history::{Action, Episode, EventLogView, History, HoldInQueue};
use crate::hold_code::{self, Cause};
use crate::model::{Model, ModelError};
use crate::policy::{HeldAgain, Prediction};
use crate::text::Foreign;
use eventlog::JobId;

mod again;
mod draw;
mod question;
mod waits;

use question::{Answers, Asked, Ending, LATER, Question, Subject};
use waits::{LOOK_AGAIN, waits_for_server};

/// Judges held jobs: of the history nothing is seen that is later than the instant asked about.
#[derive(Debug)]
pub struct Advisor<'a> {
    sampler: Sampler,
    model: &'a Model,
    /// Jobs held now by code, where only the queue tells.
    held_by_code: HashMap<i32, usize>,
    /// What a wait could bring to jobs with input from a file server.
    server_recovers: RecoveryColumns,
    /// What a wait could bring to other jobs.
    place_recovers: RecoveryColumns,
    costs: Costs,
    editable: Editable,
    /// The groups that the model is asked without.
    inputs: Inputs,
    /// Which of them moved the probability of each job.
    explains: bool,
    causes: Causes,
    siblings: Siblings,
}

/// From this difference on a probability is one of counts and not the model's: less than a band is
/// wide.
const COUNTED: f64 = 0.05;

/// How likely a machine or a site is at fault at least, before any run was counted. Assumed.
const LEAST_OF_PLACE: f64 = 0.03;

impl<'a> Advisor<'a> {
    /// Reads the history once. The model is given the columns and states that it names.
    ///
    /// # Errors
    /// [`ModelError`] for a model that names others than this program computes.
    pub fn new(history: History, model: &'a Model) -> Result<Self, ModelError> {
        Self::about(history, model, &Holds::All)
    }

    /// Likewise, to judge these holds. Of any other hold it would say that nothing happened around
    /// it.
    ///
    /// # Errors
    /// As [`Advisor::new`].
    pub fn about(history: History, model: &'a Model, holds: &Holds) -> Result<Self, ModelError> {
        let schema = &model.metadata.schema;
        let sampler = Sampler::for_schema(history, schema, holds)?;
        Ok(Self {
            server_recovers: RecoveryColumns::of(schema, &[Scope::Server, Scope::Reason]),
            place_recovers: RecoveryColumns::of(schema, &[Scope::Reason, Scope::Site]),
            sampler,
            model,
            held_by_code: HashMap::new(),
            costs: Costs::of(model.metadata.thresholds),
            editable: Editable::default(),
            inputs: Inputs::of(schema),
            explains: false,
            causes: Causes::default(),
            siblings: Siblings::default(),
        })
    }

    /// Decides by these costs, not by those that the model's thresholds stand for.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Self { costs, ..self }
    }

    /// Edits only what may be edited at this access point.
    #[must_use]
    pub fn with_editable(self, editable: Editable) -> Self {
        Self { editable, ..self }
    }

    /// Names in each advice the inputs that moved its probability ([`Advice::inputs`]): the model
    /// is asked up to eleven times more for each job. It does so where `explains` is true.
    #[must_use]
    pub fn explaining(self, explains: bool) -> Self {
        Self { explains, ..self }
    }

    /// With the number of jobs that the queue shows held, by code.
    #[must_use]
    pub fn with_held_by_code(self, held_by_code: HashMap<i32, usize>) -> Self {
        Self { held_by_code, ..self }
    }

    /// What it reads from.
    pub fn history(&self) -> &History {
        self.sampler.history()
    }

    /// Judges one job at `now` (Unix seconds). `None` if it is not held.
    ///
    /// # Errors
    /// [`ModelError`] when the engine fails.
    pub fn advise(&self, held: &Held, now: i64) -> Result<Option<Advice>, ModelError> {
        Ok(self.advise_all(std::slice::from_ref(held), now)?.pop().flatten())
    }

    /// Judges several jobs at `now` (Unix seconds); in the place of each its advice, `None` if it
    /// is not held. The model is asked once, about holds that share a cause as about one. Each
    /// job's advice is the one it gets alone.
    ///
    /// # Errors
    /// [`ModelError`] when the engine fails.
    pub fn advise_all(&self, held: &[Held], now: i64) -> Result<Vec<Option<Advice>>, ModelError> {
        let mut advices = self.judged(held, now)?;
        self.draw_among(&mut advices, now)?;
        Ok(advices)
    }

    /// The same, but for which of many jobs is tried.
    pub(super) fn judged(
        &self,
        held: &[Held],
        now: i64,
    ) -> Result<Vec<Option<Advice>>, ModelError> {
        let mut asked = Asked::default();
        let questions: Vec<Option<Question<'_>>> =
            held.iter().map(|held| self.question(held, now, &mut asked)).collect();
        let answers = asked.answers(self.model)?;
        let chances = |question: &Question<'_>| self.chances(question, question.answers(&answers));
        let advise = |question: &Question<'_>| self.conclude(question, &chances(question));
        let mut advices: Vec<Option<Advice>> =
            questions.iter().map(|question| question.as_ref().map(advise)).collect();
        for (question, advice) in questions.iter().zip(&mut advices) {
            if let (Some(question), Some(advice)) = (question, advice)
                && advice.recommendation == Recommendation::Remove
                && !self.removes_without_others(question)?
            {
                let mut chances = chances(question);
                chances.known.removal.by_others = true;
                *advice = self.conclude(question, &chances);
            }
        }
        if self.explains {
            self.explain_all(&questions, &answers, &mut advices)?;
        }
        Ok(advices)
    }

    /// What the model itself says of a release as it is now, before any calibration; `None` for a
    /// job that is not held, and of a code that the model does not know. What others show beside
    /// the model is not in it.
    ///
    /// # Errors
    /// [`ModelError`] when the engine fails.
    pub fn as_is_logits(
        &self,
        holds: &[(JobId, HoldInQueue)],
        now: i64,
    ) -> Result<Vec<Option<f32>>, ModelError> {
        let mut asked = Asked::default();
        let places: Vec<Option<usize>> = holds
            .iter()
            .map(|(job, in_queue)| {
                let hold = self.history().held_at(*job, Some(in_queue), now)?;
                let code = hold.identity.code;
                let elsewhere = self.held_by_code.get(&code).map(|held| held.saturating_sub(1));
                if !self.model.metadata.knows(code) {
                    return None;
                }
                asked.push(&self.sampler.sample(&hold, now, Action::AsIs, elsewhere));
                Some(asked.n - 1)
            })
            .collect();
        if asked.n == 0 {
            return Ok(vec![None; holds.len()]);
        }
        let logits = self.model.engine.logits(&asked.batch())?;
        Ok(places.into_iter().map(|place| logits.get(place?).copied()).collect())
    }

    /// Gives back what it read from, for an advisor with another model.
    pub fn into_history(self) -> History {
        self.sampler.into_history()
    }

    /// The probabilities of one question, and what else a decision is made from.
    fn chances(&self, question: &Question<'_>, answers: Answers) -> Chances {
        let Answers { of_actions: of_model, recovered, later } = answers;
        let Question { held, hold, seen, changes, group, .. } = question;
        let code = hold.identity.code;
        let job = self.history().job(held.job);
        let limit_seen = question.facts.limit_seen.as_ref();
        let may_raise = question.facts.raise_may_help();
        let Ending { is_raised, ends, by_start, limit, may_pass } = question.ending;
        let most_as_is = limit_seen.and_then(LimitSeen::most_as_is).unwrap_or(1.0);
        let failed_alike = job.zip(hold.step).map_or(0, |(job, step)| job.failed_alike(step));
        let at_place = question.facts.place_at_fault.as_ref().map(|place| place.table);
        let as_is = |p: f64| match limit_seen.and_then(LimitSeen::after_hang) {
            Some((finished, failed)) => share(seen.as_is(p), finished, failed),
            None if is_raised => share(seen.as_is(p), IN_ORDER, 0),
            None if let Some(Table { there, elsewhere }) = at_place => {
                let passed = there.passed + elsewhere.passed;
                share(seen.as_is(p), passed, there.failed + elsewhere.failed + 1)
            }
            None if by_start => seen.at_next_start(p, failed_alike),
            None => seen.as_is(p).min(most_as_is),
        };
        let judged = |&(action, p): &(Action, f64)| match (action, at_place) {
            (Action::AsIs, _) => (action, as_is(p)),
            (Action::Site, Some(Table { elsewhere, .. })) => {
                (action, share(seen.trusted(p), elsewhere.passed, elsewhere.failed))
            }
            _ => (action, seen.trusted(p)),
        };
        let actions: Vec<(Action, f64)> = of_model.iter().map(judged).collect();
        // What was raised is not waited for.
        let recovered = recovered.filter(|_| !is_raised).map(|p| seen.recovered(p));
        let model_as_is = of_model.first().map_or(0.0, |&(_, p)| p);
        let after_success = seen.after_try(model_as_is).max(recovered.unwrap_or(0.0));
        let now = actions.first().map_or(0.0, |&(_, p)| p);
        let later = later.map(|p| seen.trusted(p)).shifted_to(now);
        let of_changes = |wanted: fn(&Change) -> bool| {
            let wanted = changes.iter().filter(move |(_, change)| wanted(change));
            wanted.map(|&(action, _)| action).collect()
        };
        let metadata = &self.model.metadata;
        let text = hold.reason.as_deref().unwrap_or_default();
        let removal = Removal {
            held_for: question.held_for(),
            failed_releases: job
                .zip(hold.step)
                .map_or(0, |(job, step)| job.failed_releases(step + 1)),
            cause: Said::with(
                (code, hold.identity.subcode),
                text,
                question.facts.reading.as_ref(),
                question.facts.said_by_program(),
            )
            .cause(),
            by_itself: held.by_itself,
            like_job_began: seen.like_job_began,
            // What nobody can name may help all the same.
            untaught: !may_raise
                || !question
                    .actions
                    .iter()
                    .chain(&[Action::Other])
                    .all(|&action| metadata.knows_action(action)),
            by_others: false,
        };
        // What was exceeded and the policies of the ad say the same, one of them may not be known.
        let at_once = limit.is_some_and(|(_, again)| again == HeldAgain::AtOnce);
        let again = |will: &Prediction| matches!(will, Prediction::HoldsAgain { .. });
        // The code in an ad is its owner's to edit; the event log is HTCondor's.
        let of_code = hold_code::cause_of(code);
        let limit = limit.filter(|_| may_raise);
        let known = Known {
            over: question.over.is_some(),
            person: of_code == Cause::Person || self.history().is_held_by_person(hold),
            spooling: of_code == Cause::Spooling,
            unknown_code: metadata.releases_after(code).filter(|_| !metadata.knows(code)),
            has_limit: limit.is_some(),
            untaught: !metadata.knows_action(Action::AsIs),
            broken: seen.blocked || !question.correct_before.is_empty(),
            held_again: at_once || held.htcondor_will.iter().any(again),
            lasting: seen.lasting,
            ends,
            unseen: seen.is_unseen(),
            removal,
        };
        Chances {
            actions,
            untaught: question
                .actions
                .iter()
                .copied()
                .filter(|&action| !metadata.knows_action(action))
                .collect(),
            unnamed: of_changes(|change| !change.what.is_named()),
            by_hand: of_changes(|change| change.commands.is_empty()),
            // Nothing outside the job changes a limit of its own, or puts its files in order.
            recovered: recovered.filter(|_| may_pass),
            hope: later.points().last().filter(|_| may_pass).map_or(0.0, |&(_, p)| p),
            later: if may_pass && seen.time_helps { later } else { Curve::default() },
            since: seen.since,
            trust: seen.trust,
            whole: seen.whole,
            known,
            time_helps: seen.time_helps,
            failed_alike,
            limit,
            group: *group,
            after_success,
            wait_hours: LOOK_AGAIN.pause(question.aged_for()) as f64 / 3_600.0,
            run: question.spent.run.unwrap_or(0.0),
            looks: question.look.is_some(),
        }
    }

    /// What the model is asked of a job: a sample for each action that makes sense, and one as it
    /// would be had others been seen to get through. `None` if it is not held.
    fn question<'h>(&self, held: &'h Held, now: i64, asked: &mut Asked) -> Option<Question<'h>> {
        let hold = self.history().held_at(held.job, held.in_queue.as_ref(), now)?;
        let failed = FailedTransfer::of(&hold, self.history(), now);
        let reading = reading(held, &hold, failed.as_ref());
        let texts = (reading.as_ref(), held.facts.said_by_program());
        let own = self.subject(&hold, failed.as_ref(), texts, now);
        let first = self.causes.first(&self.sampler, &hold, now).map(|first| {
            let key = (first.identity.job, first.held_at);
            let subject = asked.firsts.entry(key);
            let failed = || FailedTransfer::of(&first, self.history(), now);
            let subject = subject.or_insert_with(|| {
                Rc::new(self.subject(&first, failed().as_ref(), (None, None), now))
            });
            (key, Rc::clone(subject))
        });
        // Where others show something else of the two holds, they are two questions.
        let first = first.filter(|(_, first)| first.seen.agrees(&own.seen));
        let neighbourhoods = &own.neighbourhoods;
        let mut facts = held.facts.with_log(self.history().job(held.job), hold.held_at);
        if let Some(failed) = failed.as_ref().filter(|failed| failed.decides) {
            facts.to_mut().transfer = failed.trouble;
        }
        if reading != facts.reading {
            facts.to_mut().reading = reading;
        }
        let never = self.never_reached(&hold, failed.as_ref(), held, &own.seen, now);
        let unknown = never.as_ref().and_then(|never| never.check.clone());
        if own.refusal.is_some() {
            facts.to_mut().transfer = Some(Trouble::Away);
            facts.to_mut().blocked = None;
        } else if unknown.is_some() {
            facts.to_mut().blocked = unknown;
        }
        if let Some(seen) = self.siblings.limit_seen(self.history(), &hold, &facts, now) {
            facts.to_mut().limit_seen = Some(seen);
        }
        let bad_place = self.bad_place(&hold, &facts, now);
        let mut held = Cow::Borrowed(held);
        if bad_place.is_some() {
            facts.to_mut().place_at_fault = bad_place;
            // Machines where its runs get through have an interpreter that is missing here too.
            if held.checks.iter().any(Check::is_of_execution_point) {
                held.to_mut().checks.retain(|check| !check.is_of_execution_point());
                facts.to_mut().blocked = held.checks.iter().find(|check| check.lasts()).cloned();
            }
        }
        let mut actions = changes::applicable_actions(&changes::JudgedHold::of(&hold), &facts);
        // A server that is away looks the same from one site as a site that cannot reach it.
        // Another site is worth trying only where others get through and are held at the same time.
        let server = neighbourhoods.iter().find(|near| near.scope == Scope::Server);
        let mixed = |server: &Neighbourhood| {
            server.started_since > 0 && server.last_held_same_code > server.last_started
        };
        if server.is_some_and(|server| !mixed(server)) {
            actions.retain(|&action| action != Action::Site);
        }
        let Subject { sample, neighbourhoods, seen, refusal } = own;
        let tries = self.causes.tries(self.history(), &hold, now);
        let seen = seen
            .with_checks(&held.checks)
            .with_correction(corrected_since(&held, self.history()).is_some());
        let seen = seen.with_mistake(facts.names_mistake());
        let seen = tries.iter().fold(seen, |seen, tries| seen.with_tries(tries.results()));
        let news = news(&seen, &neighbourhoods, &hold);
        let time = match seen.event_log {
            _ if !seen.time_helps => Time::Nothing,
            EventLogView::Whole => Time::Tells,
            _ => Time::Helps,
        };
        let mut group = tries.as_ref().map_or(Group::ALONE, |tries| tries.group(news, time, now));
        // What its own files show is not known of the job that would be drawn.
        let looked = |check: &Check| {
            check.blocks() || check.named && !matches!(check.finding, Finding::Unknown { .. })
        };
        if held.checks.iter().any(looked) {
            group.against = group.against.or(Some(Against::OwnFiles));
        }
        let look = look::at(&changes::JudgedHold::of(&hold), &facts, group.against);
        // What was looked at already nobody is asked to look at again.
        let look = look.filter(|look| !held.checks.iter().any(|check| look.is_known(check)));
        let changes = actions.iter().filter_map(|&action| {
            changes::change(action, &changes::JudgedHold::of(&hold), &facts, &self.editable)
                .map(|change| (action, change))
        });
        let changes = changes.collect();
        let job = self.history().job(held.job);
        let spent = Spent::of(&facts, job, hold.step);
        let over = evidence::over(&held, self.history(), now);
        let besides = held.checks.iter().filter(|check| check.blocks() && !check.named);
        let besides = besides.filter(|_| over.is_none());
        let correct_before = besides
            .map(|check| changes::of_check(check).with_way(&facts, &self.editable))
            .collect();
        let is_unknown = !self.model.metadata.knows(hold.identity.code);
        let mut question = Question {
            held,
            now,
            facts,
            hold,
            failed,
            refusal,
            never,
            neighbourhoods,
            seen,
            sample,
            first,
            actions,
            changes,
            tries,
            group,
            look,
            spent,
            correct_before,
            over,
            ending: Ending::default(),
            asks_later: false,
            answers: 0,
        };
        question.ending = question.ending(job, is_unknown);
        question.asks_later = self.sampler.knows_delays() && question.ending.may_pass;
        question.answers = self.ask(&question, asked);
        Some(question)
    }

    /// Asks the model, once about holds that share a cause. Gives where the answers begin.
    fn ask(&self, question: &Question<'_>, asked: &mut Asked) -> usize {
        let Question { first, hold, actions, asks_later, .. } = question;
        let key = first.as_ref().map(|(first, _)| (*first, actions.clone(), *asks_later));
        if let Some(&known) = key.as_ref().and_then(|key| asked.answers.get(key)) {
            return known;
        }
        let at = asked.n;
        let mut sample = question.about().clone();
        for &action in actions {
            self.sampler.set_action(&mut sample, action);
            asked.push(&sample);
        }
        // What a wait could bring: others of the narrowest scope that is known get through again.
        let server = question.neighbourhoods.iter().find(|near| near.scope == Scope::Server);
        let recovers = match waits_for_server(hold, server) {
            true => &self.server_recovers,
            false => &self.place_recovers,
        };
        asked.push(&recovers.apply(question.about()));
        self.sampler.set_action(&mut sample, Action::AsIs);
        for &delay in LATER.iter().filter(|_| *asks_later) {
            self.sampler.set_delay(&mut sample, delay);
            asked.push(&sample);
        }
        asked.answers.extend(key.map(|key| (key, at)));
        at
    }

    /// The place that is at fault, where runs of its cluster show one.
    fn bad_place(&self, hold: &Episode, facts: &JobFacts, now: i64) -> Option<PlaceAtFault> {
        if changes::is_so_everywhere(&changes::JudgedHold::of(hold), facts) {
            return None;
        }
        let weight = |fault: &Fault| matches!(fault, Fault::Machine | Fault::Site);
        let prior = facts.deciding().map(|reading| reading.entry().share(weight));
        let prior = prior.unwrap_or(0.0).clamp(LEAST_OF_PLACE, 1.0 - LEAST_OF_PLACE);
        self.causes.place(self.history(), hold, prior, now)
    }

    /// A hold as the model sees it at `now`.
    fn subject(
        &self,
        hold: &Episode,
        failed: Option<&FailedTransfer>,
        texts: (Option<&Reading>, Option<&Reading>),
        now: i64,
    ) -> Subject {
        let elsewhere =
            self.held_by_code.get(&hold.identity.code).map(|held| held.saturating_sub(1));
        let at_now = self.sampler.at(hold, now);
        let neighbourhoods = at_now.neighbourhood();
        let met = self.sampler.at_server(hold, now);
        let refusal = Refusal::of(hold, self.history(), &met, now);
        let seen = self.seen(hold, failed, texts, refusal.is_some(), now, &neighbourhoods);
        let sample = match seen.time_helps {
            true => at_now.sample(Action::AsIs, elsewhere),
            false => {
                let since = last_event(hold, &neighbourhoods);
                self.sampler.sample_as_of(hold, since, now, Action::AsIs, elsewhere)
            }
        };
        Subject { sample, neighbourhoods, refusal, seen }
    }

    /// That nobody was ever seen to reach the server of a hold, where nothing shows otherwise.
    fn never_reached(
        &self,
        hold: &Episode,
        failed: Option<&FailedTransfer>,
        held: &Held,
        seen: &Seen,
        now: i64,
    ) -> Option<NeverReached> {
        let may_be_over = seen.since != Others::Nothing
            || seen.lasting.is_some()
            || corrected_since(held, self.history()).is_some()
            || failed.is_some_and(|failed| failed.is_early(now))
            || held.checks.iter().any(|check| check.is_over() || check.lasts() || check.answers());
        let met = self.sampler.at_server(hold, now);
        let never = || NeverReached::of(hold, self.history(), &met, failed, &held.checks, now);
        if may_be_over { None } else { never() }
    }

    /// What others and the hold reason show.
    fn seen(
        &self,
        hold: &Episode,
        failed: Option<&FailedTransfer>,
        (reading, program): (Option<&Reading>, Option<&Reading>),
        refuses_all: bool,
        now: i64,
        neighbourhoods: &[Neighbourhood],
    ) -> Seen {
        let looked = Looked {
            failed,
            reading,
            program,
            refuses_all,
            code: hold.identity.code,
            subcode: hold.identity.subcode,
            reason: hold.reason.as_deref().unwrap_or_default(),
            event_log: self.history().event_log_view(hold.identity.job, hold.held_at),
            logged: hold.step.is_some(),
            epochs: self.history().has_read_epochs(),
            before: trouble_before(self.history(), hold),
            directory: self.sampler.releases_in_directory(hold, now),
            now,
        };
        Seen::of(&looked, neighbourhoods)
    }

    /// The advice, from what the model answered.
    fn conclude(&self, question: &Question<'_>, chances: &Chances) -> Advice {
        let Question { held, facts, hold, spent, .. } = question;
        let parts = changes::JudgedHold::of(hold);
        let costs = self.costs.of_job(spent).of_hold(question.aged_for());
        let decision = self.decision(question, chances, &costs);
        let of_action = |wanted: Action| {
            let changes = question.changes.iter();
            changes.filter(|(action, _)| *action == wanted).map(|(_, change)| change.clone()).next()
        };
        let mut change = decision.action.and_then(of_action);
        let event_log = question.seen.event_log;
        let mut correct_before = question.correct_before.clone();
        if decision.choices.rule == Rule::FilesFirst && !question.seen.blocked {
            change = Some(correct_before.remove(0));
        }
        let tries =
            question.tries.as_ref().filter(|_| decision.recommendation == Recommendation::Try);
        let try_one = tries.and_then(|tries| tries.draw(self.history(), &HashSet::new()));
        let look = match (&question.never, decision.undecided) {
            (Some(never), Some(Undecided::NeverReached { .. })) => Some(never.look()),
            _ => question.look.clone(),
        };
        let look = look.filter(|_| decision.recommendation == Recommendation::Look);
        let capped = |&(action, p): &(Action, f64)| match action {
            Action::AsIs if chances.known.broken => (action, p.min(BLOCKED)),
            _ => (action, p),
        };
        let success = chances.actions.iter().map(capped).collect();
        let (mut commands, mut commands_after) =
            commands_of(&decision, change.as_ref(), look.as_ref(), held, &parts);
        if !correct_before.is_empty() {
            commands_after = commands.drain(..).chain(commands_after).collect();
        }
        Advice {
            held: self.describe(question, &parts),
            recommendation: decision.recommendation,
            action: decision.action,
            success,
            later: chances.later.clone(),
            diagnosis: question.diagnosis(),
            band: decision.band(),
            undecided: decision.undecided,
            evidence: self.evidence(question, spent),
            inputs: Vec::new(),
            costs,
            is_judged: !chances.actions.is_empty() && chances.known.unknown_code.is_none(),
            correct_before,
            change: change.filter(|_| decision.recommendation == Recommendation::Change),
            target: try_one
                .map_or_else(|| changes::target(&parts, facts), |try_one| try_one.target),
            commands,
            commands_after,
            wait: self.wait(&decision, question, chances),
            try_one,
            look,
            htcondor_will: held.htcondor_will.clone(),
            trust: Trust {
                trained_on: self.model.metadata.training.trained_on.clone(),
                outcomes_here: self.model.metadata.outcomes_here(),
            },
            event_log,
            missing: Vec::new(),
            notes: Vec::new(),
            choices: decision.choices,
        }
    }

    /// What is printed of the job itself.
    fn describe(&self, question: &Question<'_>, parts: &changes::JudgedHold<'_>) -> HeldJob {
        let Question { held, hold, facts, now, .. } = question;
        let text = parts.reason;
        let job = self.history().job(held.job);
        HeldJob {
            job: held.job,
            owner: held.owner.clone().or_else(|| hold.owner.clone()).map(Foreign::from),
            user: held.user.clone().map(Foreign::from),
            code: Some(hold.identity.code),
            subcode: Some(hold.identity.subcode),
            reason: (!text.is_empty()).then(|| text.into()),
            cause: SharedCause::of(hold.identity.code, hold.identity.subcode, text),
            reading: facts.named_reading(),
            held_since: hold.held_at,
            num_holds: u32::try_from(hold.identity.num_holds).unwrap_or(0),
            dagman_job_id: held.dagman_job_id,
            place: changes::failed_at(parts, facts).map(|(_, name)| name.into()),
            stretches: job.map_or_else(Vec::new, |job| job.stretches(*now)),
        }
    }

    /// What its program said and its files show, what HTCondor said, where it ran, what others do.
    fn evidence(&self, question: &Question<'_>, spent: &Spent) -> Vec<Evidence> {
        let Question { held, hold, neighbourhoods, seen, now, .. } = question;
        let (history, now) = (self.history(), *now);
        let job = history.job(held.job);
        let words = question.facts.program_words.iter().cloned();
        let silent = question.facts.silent_output.iter().cloned();
        let checks = held.checks.iter().cloned();
        let transfer = |decides| {
            let failed = question.failed.clone().filter(|failed| failed.decides == decides);
            failed.map(|failed| Evidence::TransferError { transfer: Box::new(failed) })
        };
        let limit = question.facts.limit_seen.as_ref();
        let (decides, tells): (Vec<_>, Vec<_>) =
            limit.into_iter().partition(|seen| seen.finding() != LimitFinding::Unknown);
        let of_limit = |seen: &LimitSeen| Evidence::Limit { seen: seen.clone() };
        let decides = decides.into_iter().map(of_limit);
        let corrected = corrected_since(held, self.history()).into_iter().cloned();
        let refusal = question.refusal.iter().cloned();
        let refusal = refusal.map(|refusal| Evidence::Refusal { refusal });
        let over = question.over.clone().into_iter();
        let place = question.facts.place_at_fault.as_ref();
        let place =
            place.map(|PlaceAtFault { name, table: Table { there, elsewhere }, .. }| {
                Evidence::Place {
                    place: name.as_str().into(),
                    failed: (there.failed + 1).into(),
                    passed: there.passed.into(),
                    failed_elsewhere: elsewhere.failed.into(),
                    passed_elsewhere: elsewhere.passed.into(),
                }
            });
        over.chain(decides)
            .chain(corrected.map(|name| Evidence::Corrected { name: name.into() }))
            .chain(words.map(|words| Evidence::ProgramWords { words }))
            .chain(silent.map(|path| Evidence::SilentOutput { path }))
            .chain(held.exit_status.map(|status| Evidence::Exit { status }))
            .chain(refusal)
            .chain(transfer(true))
            .chain(checks.map(|check| Evidence::File { check }))
            .chain(job.and_then(|job| evidence::message(hold, job, history)))
            .chain(place)
            .chain(tells.into_iter().map(of_limit))
            .chain(evidence::evidence(hold, job, neighbourhoods, spent, seen.event_log, now))
            // Where its hold reason says the same.
            .chain(transfer(false))
            .collect()
    }
}

/// What the catalogue says of a hold: by its ad, by the typed error of its transfer, by its text.
fn reading(held: &Held, hold: &Episode, failed: Option<&FailedTransfer>) -> Option<Reading> {
    let text = hold.reason.as_deref().unwrap_or_default();
    let (code, subcode) = (hold.identity.code, hold.identity.subcode);
    let failed = failed.filter(|failed| failed.decides);
    let of_ad = held.facts.reading.as_ref();
    if held.facts.read_of == JobFacts::key_of(code, subcode, text) {
        let hold = HoldText {
            code: Some(code),
            subcode: Some(subcode),
            reason: text,
            ..HoldText::default()
        };
        catalogue::remember(&hold, of_ad);
        if of_ad.is_some_and(|reading| reading.entry().when.is_some()) {
            return of_ad.cloned();
        }
    }
    let typed = failed.and_then(|failed| transfer_error::read(&failed.error, code, text));
    typed.or_else(|| Said::of(code, subcode, text).reading)
}

/// Since when something may show that the cause of a hold is over, Unix seconds: others that got
/// through, or a file that is in order. `None` where nothing does.
fn news(seen: &Seen, neighbourhoods: &[Neighbourhood], hold: &Episode) -> Option<i64> {
    if seen.since == Others::Nothing {
        return None;
    }
    let near = |scope: Scope| neighbourhoods.iter().find(|near| near.scope == scope);
    let scopes = [Scope::File, Scope::Server, Scope::Reason];
    let began = scopes.into_iter().filter_map(near).filter_map(|near| near.first_started_since);
    Some(began.min().unwrap_or(hold.held_at))
}

/// What to paste now, and what later.
fn commands_of(
    decision: &Decision,
    change: Option<&Change>,
    look: Option<&LookAt>,
    held: &Held,
    hold: &changes::JudgedHold<'_>,
) -> (Vec<Command>, Vec<Command>) {
    let edits = change.map(|change| change.commands.clone()).unwrap_or_default();
    let release = vec![Command::Release];
    match decision.recommendation {
        Recommendation::Release | Recommendation::Try => (release, Vec::new()),
        Recommendation::Look => {
            let opened = look.and_then(|look| look.command(held.job));
            (opened.into_iter().collect(), release)
        }
        // What is changed by hand comes first.
        Recommendation::Change if edits.is_empty() => (Vec::new(), release),
        Recommendation::Change => ([edits, release].concat(), Vec::new()),
        // A job that HTCondor releases by itself needs no command.
        Recommendation::Wait if hold.code != Some(16) && held.released_by_policy_at.is_none() => {
            (Vec::new(), release)
        }
        Recommendation::Remove => (vec![Command::Remove], Vec::new()),
        Recommendation::Wait | Recommendation::Undecided => (Vec::new(), Vec::new()),
    }
}
