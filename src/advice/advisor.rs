//! Judges held jobs: from the history and the model to one [`Advice`] a job.

use std::borrow::Cow;
use std::collections::HashMap;

use super::cause::Trouble;
use super::changes::{self, Change};
use super::decide::{Chances, Decision, decide};
use super::inputs::Inputs;
use super::job_facts::JobFacts;
use super::removal::Removal;
use super::seen::{Looked, Seen};
use super::undecided::Open;
use super::{
    Advice, ByItself, Command, Costs, ExpectedCosts, HeldJob, Recommendation, Spent, Trust, Wait,
    evidence, limit, meaning,
};
use crate::features::{Neighbourhood, Recovery, Sample, Sampler, Scope};
use crate::history::{Action, Episode, EventLogView, History, HoldInQueue, What, reason};
use crate::hold_code::{self, Cause};
use crate::model::{Batch, Model, ModelError};
use crate::userlog::JobId;

/// A held job to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The job.
    pub job: JobId,
    /// Its hold, as its ad in the queue tells it; `None` where only logs tell.
    pub in_queue: Option<HoldInQueue>,
    /// What changes to it depend on.
    pub facts: JobFacts,
    /// DAGManJobId.
    pub dagman_job_id: Option<i32>,
    /// What HTCondor will do by itself, one sentence each.
    pub htcondor_will: Vec<String>,
    /// When HTCondor will release it by itself, Unix seconds.
    pub released_by_policy_at: Option<i64>,
    /// Whether HTCondor will release or remove it by itself.
    pub by_itself: ByItself,
}

impl Held {
    /// A job of which only a log tells.
    pub fn of_log(job: JobId) -> Self {
        Self {
            job,
            in_queue: None,
            facts: JobFacts::of(job),
            dagman_job_id: None,
            htcondor_will: Vec::new(),
            released_by_policy_at: None,
            by_itself: ByItself::Unknown,
        }
    }
}

/// Judges held jobs at one instant.
#[derive(Debug)]
pub struct Advisor<'a> {
    sampler: Sampler,
    model: &'a Model,
    now: i64,
    /// Jobs held now by code, where only the queue tells.
    held_by_code: HashMap<i32, usize>,
    /// What a wait could bring to jobs with input from a file server.
    server_recovers: Recovery,
    /// What a wait could bring to other jobs.
    place_recovers: Recovery,
    costs: Costs,
    /// The groups that the model is asked without; `None`: it is not.
    inputs: Option<Inputs>,
}

/// A held job of which the model is asked.
struct Question<'h> {
    held: &'h Held,
    /// Its facts, with those that only a log has.
    facts: Cow<'h, JobFacts>,
    hold: Episode,
    neighbourhoods: Vec<Neighbourhood>,
    seen: Seen,
    actions: Vec<Action>,
    /// What the model was asked, where it is to be asked without some of it.
    sample: Option<Sample>,
}

/// Samples of a call of the model.
#[derive(Default)]
struct Asked {
    states: Vec<u8>,
    statics: Vec<f32>,
    n: usize,
}

impl Asked {
    fn push(&mut self, sample: &Sample) {
        self.states.extend_from_slice(&sample.states);
        self.statics.extend_from_slice(&sample.statics);
        self.n += 1;
    }

    fn answers(&self, model: &Model) -> Result<Vec<f64>, ModelError> {
        if self.n == 0 {
            return Ok(Vec::new());
        }
        model.probabilities(&Batch { states: &self.states, statics: &self.statics, n: self.n })
    }
}

/// Seconds ahead for which a release by HTCondor itself is worth waiting for.
const SOON: i64 = 3_600;

/// From this difference on a probability is one of counts and not the model's: less than a band is wide.
const COUNTED: f64 = 0.05;

/// Seconds after which to look again at what is waited for: ten minutes at least, a working day at most. Assumed.
const LOOK_AGAIN: (i64, i64) = (600, 8 * 3_600);

impl<'a> Advisor<'a> {
    /// Reads the history once. The model is given the columns and states that it names.
    ///
    /// # Errors
    /// [`ModelError`] for a model that names others than this program computes.
    pub fn new(history: History, model: &'a Model, now: i64) -> Result<Self, ModelError> {
        let schema = &model.metadata.schema;
        let sampler = Sampler::for_schema(history, schema)?;
        Ok(Self {
            server_recovers: Recovery::of(schema, &[Scope::Server, Scope::Reason]),
            place_recovers: Recovery::of(schema, &[Scope::Reason, Scope::Site]),
            sampler,
            model,
            now,
            held_by_code: HashMap::new(),
            costs: Costs::of(model.metadata.thresholds),
            inputs: None,
        })
    }

    /// Judges at another instant from now on: nothing later is seen.
    pub fn set_now(&mut self, now: i64) {
        self.now = now;
    }

    /// Decides by these costs, not by those that the model's thresholds stand for.
    pub fn set_costs(&mut self, costs: Costs) {
        self.costs = costs;
    }

    /// Tells of each advice which inputs moved its probability ([`Advice::inputs`]): the model is asked up to eleven times more
    /// for each job.
    pub fn explain(&mut self) {
        self.inputs = Some(Inputs::of(&self.model.metadata.schema));
    }

    /// Tells how many jobs the queue shows held, by code.
    pub fn set_held_by_code(&mut self, held_by_code: HashMap<i32, usize>) {
        self.held_by_code = held_by_code;
    }

    /// What it reads from.
    pub fn history(&self) -> &History {
        self.sampler.history()
    }

    /// The jobs that the logs show held now and that are wanted, by id and owner; in the order of their ids.
    pub fn held_in_logs(&self, mut wanted: impl FnMut(JobId, Option<&str>) -> bool) -> Vec<JobId> {
        let history = self.history();
        let mut held: Vec<JobId> = history
            .jobs()
            .iter()
            .map(|job| job.job)
            .filter(|&job| {
                let hold = history.held_at(job, None, self.now);
                hold.is_some_and(|hold| wanted(job, hold.owner.as_deref()))
            })
            .collect();
        held.sort_unstable();
        held
    }

    /// Judges one job. `None` if it is not held.
    ///
    /// # Errors
    /// [`ModelError`] when the engine fails.
    pub fn advise(&self, held: &Held) -> Result<Option<Advice>, ModelError> {
        Ok(self.advise_all(std::slice::from_ref(held))?.pop().flatten())
    }

    /// Judges several jobs; in the place of each its advice, `None` if it is not held. The model is asked once, and like
    /// jobs cost it less together than one by one. What each is advised is the same.
    ///
    /// # Errors
    /// [`ModelError`] when the engine fails.
    pub fn advise_all(&self, held: &[Held]) -> Result<Vec<Option<Advice>>, ModelError> {
        let mut asked = Asked::default();
        let questions: Vec<Option<Question<'_>>> =
            held.iter().map(|held| self.question(held, |sample| asked.push(sample))).collect();
        let mut answers = asked.answers(self.model)?.into_iter();
        let mut answered = Vec::with_capacity(questions.len());
        let mut advices: Vec<Option<Advice>> = questions
            .iter()
            .map(|question| {
                let actions = question.as_ref().map_or(&[][..], |question| &question.actions);
                let of_model: Vec<(Action, f64)> =
                    actions.iter().copied().zip(answers.by_ref()).collect();
                let recovered = question.as_ref().and_then(|_| answers.next());
                let advice = question.as_ref().map(|question| {
                    self.conclude(question, &self.chances(question, &of_model, recovered))
                });
                answered.push(of_model);
                advice
            })
            .collect();
        if let Some(inputs) = &self.inputs {
            self.explain_all(inputs, &questions, &answered, &mut advices)?;
        }
        Ok(advices)
    }

    /// The probabilities of one question, and what else a decision is made from.
    fn chances(
        &self,
        question: &Question<'_>,
        of_model: &[(Action, f64)],
        recovered: Option<f64>,
    ) -> Chances {
        let Question { held, hold, seen, .. } = question;
        let code = hold.identity.code;
        let judged = |&(action, p): &(Action, f64)| {
            (action, if action == Action::AsIs { seen.as_is(p) } else { seen.trusted(p) })
        };
        let actions: Vec<(Action, f64)> = of_model.iter().map(judged).collect();
        let recovered = recovered.map(|p| seen.recovered(p));
        let limit = limit::of(held, code);
        let metadata = &self.model.metadata;
        let text = hold.reason.as_deref().unwrap_or_default();
        let job = self.history().job(held.job);
        let removal = Removal {
            held_for: self.now.saturating_sub(hold.held_at),
            failed_releases: job
                .zip(hold.step)
                .map_or(0, |(job, step)| job.failed_releases(step + 1)),
            cause: Cause::of(code, hold.identity.subcode, text),
            by_itself: held.by_itself,
            like_job_began: seen.like_job_began,
            // What nobody can name may help all the same.
            untaught: !question
                .actions
                .iter()
                .chain(&[Action::Other])
                .all(|&action| metadata.knows_action(action)),
        };
        Chances {
            actions,
            untaught: question
                .actions
                .iter()
                .copied()
                .filter(|&action| !metadata.knows_action(action))
                .collect(),
            // Nothing outside the job changes a limit of its own.
            recovered: recovered.filter(|_| limit.is_none()),
            since: seen.since,
            lasting: seen.lasting,
            trust: seen.trust,
            whole: seen.whole,
            removal,
            limit,
            unknown_code: metadata.releases_after(code).filter(|_| !metadata.knows(code)),
        }
    }

    /// Adds to each advice which inputs moved its probability.
    fn explain_all(
        &self,
        inputs: &Inputs,
        questions: &[Option<Question<'_>>],
        answered: &[Vec<(Action, f64)>],
        advices: &mut [Option<Advice>],
    ) -> Result<(), ModelError> {
        let mut asked = Asked::default();
        let mut explained = Vec::new();
        for ((question, of_model), advice) in questions.iter().zip(answered).zip(advices) {
            let (Some(question), Some(advice)) = (question, advice) else { continue };
            let action = advice.action.unwrap_or(Action::AsIs);
            let chance = of_model.iter().find(|(other, _)| *other == action);
            // Of a code that it does not know the model's reasons are worth as little as its probability.
            let known = self.model.metadata.knows(question.hold.identity.code);
            let (Some(sample), Some(&(_, chance)), true) = (&question.sample, chance, known) else {
                continue;
            };
            // Inputs moved the model's answer: where what was counted took its place they explain nothing.
            let judged = question.seen.as_is(chance);
            if action == Action::AsIs && (judged - question.seen.trusted(chance)).abs() > COUNTED {
                continue;
            }
            let mut sample = sample.clone();
            self.sampler.set_action(&mut sample, action);
            let groups = inputs.ask(&sample, |without| asked.push(without));
            explained.push((advice, chance, groups));
        }
        let answers = asked.answers(self.model)?;
        let mut answers = answers.as_slice();
        for (advice, chance, groups) in explained {
            let (of_job, rest) = answers.split_at(groups.len().min(answers.len()));
            advice.inputs = inputs.strongest(chance, &groups, of_job);
            answers = rest;
        }
        Ok(())
    }

    /// What the model is asked of a job: a sample for each action that makes sense, and one as it would be had others been
    /// seen to get through. `None` if it is not held.
    fn question<'h>(&self, held: &'h Held, mut ask: impl FnMut(&Sample)) -> Option<Question<'h>> {
        let hold = self.history().held_at(held.job, held.in_queue.as_ref(), self.now)?;
        let elsewhere =
            self.held_by_code.get(&hold.identity.code).map(|held| held.saturating_sub(1));
        let (mut sample, neighbourhoods) =
            self.sampler.sample_and_neighbourhood(&hold, self.now, Action::AsIs, elsewhere);
        let facts = held.facts.with_log(self.history().job(held.job), hold.held_at);
        let mut actions = changes::applicable_actions(&parts(&hold), &facts);
        // A server that is away looks the same from one site as a site that cannot reach it. Another site is worth trying
        // only where others get through and are held at the same time.
        let server =
            neighbourhoods.iter().find(|neighbourhood| neighbourhood.scope == Scope::Server);
        let mixed = |server: &Neighbourhood| {
            server.started_since > 0 && server.last_held_same_code > server.last_started
        };
        if server.is_some_and(|server| !mixed(server)) {
            actions.retain(|&action| action != Action::Site);
        }
        for &action in &actions {
            self.sampler.set_action(&mut sample, action);
            ask(&sample);
        }
        self.sampler.set_action(&mut sample, Action::AsIs);
        // What a wait could bring: others of the narrowest scope that is known get through again.
        let recovers = if waits_for_server(&hold, server) {
            &self.server_recovers
        } else {
            &self.place_recovers
        };
        ask(&recovers.apply(&sample));
        let sample = self.inputs.is_some().then_some(sample);
        let seen = self.seen(&hold, &neighbourhoods);
        Some(Question { held, facts, hold, neighbourhoods, seen, actions, sample })
    }

    /// What others and the hold reason show.
    fn seen(&self, hold: &Episode, neighbourhoods: &[Neighbourhood]) -> Seen {
        let looked = Looked {
            code: hold.identity.code,
            subcode: hold.identity.subcode,
            reason: hold.reason.as_deref().unwrap_or_default(),
            event_log: self.history().event_log_view(hold.identity.job, hold.held_at),
            logged: hold.step.is_some(),
            epochs: self.history().has_read_epochs(),
            before: self.trouble_before(hold),
            directory: self.sampler.releases_in_directory(hold, self.now),
            now: self.now,
        };
        Seen::of(&looked, neighbourhoods)
    }

    /// The lasting trouble that the last earlier hold of the job for the same file complained of.
    fn trouble_before(&self, hold: &Episode) -> Option<Trouble> {
        let wanted = reason::url_or_file(hold.reason.as_deref()?)?;
        let job = self.history().job(hold.identity.job)?;
        let steps = &job.steps[..hold.step?.min(job.steps.len())];
        let mut troubles = steps.iter().rev().filter_map(|step| {
            let What::Held(earlier) = step.what else { return None };
            let reason = self.history().symbols.name(earlier.reason?);
            (reason::url_or_file(reason)? == wanted)
                .then(|| Trouble::of(earlier.code, earlier.subcode, reason))
                .flatten()
        });
        troubles.find(|trouble| trouble.lasts())
    }

    /// The advice, from what the model answered.
    fn conclude(&self, question: &Question<'_>, chances: &Chances) -> Advice {
        let Question { held, facts, hold, neighbourhoods, .. } = question;
        let parts = parts(hold);
        let job = self.history().job(held.job);
        let spent = Spent::of(facts, job, hold.step);
        let costs = self.costs.of_job(&spent);
        let decision = self.decision(hold, chances, &costs, held);
        let change = decision.action.and_then(|action| changes::change(action, &parts, facts));
        let event_log = question.seen.event_log;
        let (commands, commands_after) = commands_of(&decision, change.as_ref(), held, &parts);
        Advice {
            held: describe(held, hold, parts.reason),
            recommendation: decision.recommendation,
            action: decision.action,
            success: chances.actions.clone(),
            band: decision.band(),
            meaning: match decision.recommendation {
                // A release as it is, and a change in the same breath, would contradict each other.
                Recommendation::Release => meaning::meaning,
                _ => meaning::with_usual_change,
            }(parts.code, parts.subcode, parts.reason),
            undecided: decision.open.map(|why| why.sentence(hold.identity.code, &costs)),
            evidence: evidence::sentences(hold, job, neighbourhoods, &spent, event_log, self.now),
            inputs: Vec::new(),
            costs,
            expected_costs: expected(&costs, chances, &decision),
            changes: changes_of(&decision, change.as_ref()),
            target: changes::target(&parts, facts),
            commands,
            commands_after,
            wait: self.wait(&decision, question),
            htcondor_will: held.htcondor_will.clone(),
            trust: Trust {
                trained_on: self.model.metadata.training.trained_on.clone(),
                outcomes_here: self.model.metadata.outcomes_here(),
            },
            event_log,
            missing: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn decision(&self, hold: &Episode, chances: &Chances, costs: &Costs, held: &Held) -> Decision {
        log::debug!("job {}: {chances:?}, {costs:?}", held.job);
        let decision = decide(chances, costs, self.model.metadata.thresholds.confidence);
        let waits = Decision {
            recommendation: Recommendation::Wait,
            action: None,
            chance: chances.as_is(),
            open: None,
        };
        match hold_code::cause_of(hold.identity.code) {
            // Held by a person, or on request at its submission: whoever asked for it knows why, a model does not.
            // The code in an ad is its owner's to edit; the event log is HTCondor's.
            cause if cause == Cause::Person || self.history().is_held_by_person(hold) => {
                Decision::open(Open::Person, chances.as_is())
            }
            // Released when its input has been spooled, and not before (schedd.cpp).
            Cause::Spooling => waits,
            _ if decision.recommendation == Recommendation::Release
                && held.released_by_policy_at.is_some_and(|at| at <= self.now + SOON) =>
            {
                Decision { recommendation: Recommendation::Wait, ..decision }
            }
            _ => decision,
        }
    }

    fn wait(&self, decision: &Decision, question: &Question<'_>) -> Option<Wait> {
        let Question { held, hold, neighbourhoods, seen, .. } = question;
        if decision.recommendation != Recommendation::Wait {
            return None;
        }
        let until = held.released_by_policy_at;
        let name = |near: &Neighbourhood| {
            near.name.as_deref().map(|name| crate::text::strip_control(name).into_owned())
        };
        let server = neighbourhoods
            .iter()
            .find(|near| near.scope == Scope::Server)
            .filter(|server| waits_for_server(hold, Some(server)));
        let reason = seen.lasting.and(hold.reason.as_deref());
        let of_others = match (server, reason.and_then(reason::directory)) {
            (Some(server), _) => {
                let from = name(server).map_or_else(String::new, |name| format!(" from {name}"));
                format!("another job has fetched its input{from} again")
            }
            (None, Some(directory)) => format!(
                "another job held for a file in {} has got through after a release",
                crate::text::strip_control(&directory)
            ),
            (None, None) => {
                "another job with this hold reason has got through after a release".to_owned()
            }
        };
        let what = if hold_code::cause_of(hold.identity.code) == Cause::Spooling {
            "its input files have been spooled".to_owned()
        } else if until.is_some() {
            "HTCondor releases it by itself".to_owned()
        } else if seen.event_log == EventLogView::Whole {
            of_others
        } else {
            let of_server = server.and_then(name).map(|name| format!("{name} answers again"));
            let what =
                of_server.unwrap_or_else(|| "what the hold reason names is in order".to_owned());
            format!(
                "{what}; without the event log only jobs of the logs read show that, so look yourself"
            )
        };
        let held_for = self.now.saturating_sub(hold.held_at);
        let look_again = match until {
            Some(at) => at.saturating_add(LOOK_AGAIN.0),
            // What has lasted for so long may last as long again.
            None => self.now.saturating_add(held_for.clamp(LOOK_AGAIN.0, LOOK_AGAIN.1)),
        };
        Some(Wait { what, until, look_again })
    }
}

/// Whether what is waited for is a file server: input from a URL could not be fetched.
fn waits_for_server(hold: &Episode, server: Option<&Neighbourhood>) -> bool {
    let of_url = |text: &String| reason::url(text).is_some();
    server.is_some() && hold.identity.code == 13 && hold.reason.as_ref().is_some_and(of_url)
}

/// What each choice is expected to cost, where there is a choice and the model knows the code.
fn expected(costs: &Costs, chances: &Chances, decision: &Decision) -> Option<ExpectedCosts> {
    if chances.actions.is_empty() || chances.unknown_code.is_some() {
        return None;
    }
    let advised = decision.action.filter(|&action| action != Action::AsIs);
    let change = advised.and_then(|action| chances.of(action));
    let change = change.or_else(|| chances.best_change().map(|(_, p)| p));
    Some(costs.expected(chances.as_is(), change, chances.best()))
}

fn parts(hold: &Episode) -> changes::Hold<'_> {
    changes::Hold {
        code: Some(hold.identity.code),
        subcode: Some(hold.identity.subcode),
        reason: hold.reason.as_deref().unwrap_or_default(),
        held_at: Some(hold.held_at),
    }
}

fn describe(held: &Held, hold: &Episode, text: &str) -> HeldJob {
    HeldJob {
        job: held.job,
        owner: hold.owner.clone(),
        code: Some(hold.identity.code),
        subcode: Some(hold.identity.subcode),
        reason: (!text.is_empty()).then(|| text.to_owned()),
        normalised_reason: reason::normalised(text),
        held_since: hold.held_at,
        num_holds: u32::try_from(hold.identity.num_holds).unwrap_or(0),
        dagman_job_id: held.dagman_job_id,
    }
}

fn changes_of(decision: &Decision, change: Option<&Change>) -> Vec<String> {
    match decision.recommendation {
        Recommendation::Change => change.map(|change| change.text.clone()).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What to paste now, and what later.
fn commands_of(
    decision: &Decision,
    change: Option<&Change>,
    held: &Held,
    hold: &changes::Hold<'_>,
) -> (Vec<Command>, Vec<Command>) {
    let edits = change.map(|change| change.commands.clone()).unwrap_or_default();
    let release = vec![Command::Release];
    match decision.recommendation {
        Recommendation::Release => (release, Vec::new()),
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
