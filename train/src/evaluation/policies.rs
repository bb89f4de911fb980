//! `holdadvise-train policies`: release expressions on simulated or played holds, judged by the
//! hidden truth.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use holdadvise::advice::{Advisor, Costs};
use holdadvise::history::Action;
use holdadvise::model::Model;
use holdadvise::policy::Version;
use holdadvise::replay::{
    Course, HeldJob, HoldEnd, Outlook, PastHold, Releaser, ReplayExpression, Rules, Said,
    Successes, Ticks, between, follow, replay,
};
use holdadvise::suggest::suggest;

use crate::Error;
use crate::data::input::InputOptions;
use crate::data::truth::{HoldTruth, Truth};
use crate::say::say;

/// Compare release expressions, one suggested from earlier holds among them, by what the hidden
/// truth of simulations or of played pools says of releases.
#[derive(Clone, Debug, Args)]
pub struct PoliciesOptions {
    #[command(flatten)]
    input: InputOptions,
    /// A folder that `simulate` wrote, or of a recorded pool, whose holds are released; repeatable.
    #[arg(long, value_name = "DIR", required = true)]
    simulation: Vec<PathBuf>,
    /// A folder from whose logs an expression is suggested; without it the first half of those that
    /// are judged. Repeatable.
    #[arg(long, value_name = "DIR")]
    learn: Vec<PathBuf>,
    /// A release expression; repeatable.
    #[arg(long, value_name = "EXPRESSION")]
    expression: Vec<String>,
    /// PERIODIC_EXPR_INTERVAL, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    interval: i64,
    /// Also suggest from what this model says of the holds, and compare with its advice. Not for
    /// played pools that are stretched.
    #[arg(long, value_name = "FILE", conflicts_with = "stretch")]
    model: Option<PathBuf>,
    /// Played pools go faster than life: a second of the logs stands for so many.
    #[arg(long, value_name = "FACTOR", default_value_t = 1)]
    stretch: i64,
}

/// Seconds in an hour.
const HOUR: f64 = 3_600.0;

/// Makes played time pass as slowly as life.
#[derive(Clone, Copy)]
struct Stretch(i64);

impl Stretch {
    fn time(self, at: i64) -> i64 {
        at.saturating_mul(self.0)
    }

    fn hold(self, mut hold: PastHold) -> PastHold {
        hold.held_at = self.time(hold.held_at);
        hold.submitted_at = hold.submitted_at.map(|at| self.time(at));
        hold.ran = self.time(hold.ran);
        hold.hold_end = match hold.hold_end {
            HoldEnd::Success { released_at } => {
                HoldEnd::Success { released_at: self.time(released_at) }
            }
            HoldEnd::Failure { released_at, failed_at } => HoldEnd::Failure {
                released_at: self.time(released_at),
                failed_at: self.time(failed_at),
            },
            HoldEnd::Changed { released_at } => {
                HoldEnd::Changed { released_at: self.time(released_at) }
            }
            HoldEnd::Open { released_at } => HoldEnd::Open { released_at: self.time(released_at) },
            HoldEnd::Removed { at } => HoldEnd::Removed { at: self.time(at) },
            HoldEnd::Held { until } => HoldEnd::Held { until: until.map(|at| self.time(at)) },
        };
        hold
    }

    fn truth(self, mut truth: HoldTruth) -> HoldTruth {
        truth.released = truth.released.map(|(at, action)| (self.time(at), action));
        for oracle in &mut truth.oracle {
            oracle.time = self.time(oracle.time);
        }
        truth
    }
}

/// A hold with what is known of it behind the scenes.
struct Case {
    hold: PastHold,
    truth: HoldTruth,
    /// Which folder it is of: clusters of two have nothing in common.
    folder: usize,
    /// The logs of that end.
    end: i64,
}

/// Runs the subcommand.
///
/// # Errors
/// When the input cannot be read, or a text is no expression.
pub fn run(options: &PoliciesOptions) -> Result<(), Error> {
    let ticks = Ticks { interval: options.interval.max(1), phase: 0 };
    let rules = Rules { ticks, max_releases: None, costs: Costs::default(), end: 0 };
    let stretch = Stretch(options.stretch.max(1));
    let mut cases = Vec::new();
    for (folder, path) in options.simulation.iter().enumerate() {
        let truth = Truth::of_folder(path)?;
        let episodes = options.input.of_simulation(path)?.read()?.episodes();
        let end = episodes.iter().filter_map(|episode| episode.outcome_at).max().unwrap_or(0);
        cases.extend(episodes.iter().filter_map(|episode| {
            let hold = stretch.hold(PastHold::of(episode, true));
            let truth = stretch.truth(truth.of(episode)?.clone());
            Some(Case { hold, truth, folder, end: stretch.time(end) })
        }));
    }
    let mut learned = Vec::new();
    for path in &options.learn {
        let episodes = options.input.of_simulation(path)?.read()?.episodes();
        learned.extend(episodes.iter().map(|episode| stretch.hold(PastHold::of(episode, false))));
    }
    if options.learn.is_empty() {
        // Earlier holds whose outcome was known by then.
        let times: Vec<i64> = cases.iter().map(|case| case.hold.held_at).collect();
        let middle =
            times.iter().min().zip(times.iter().max()).map(|(from, to)| from + (to - from) / 2);
        let middle = middle.unwrap_or(0);
        learned = cases
            .iter()
            .map(|case| case.hold.clone())
            .filter(|hold| ended_before(hold, middle))
            .collect();
        cases.retain(|case| case.hold.held_at >= middle);
    }
    let successes = Successes::of(&learned);
    let suggested = |said: Option<&Said>| {
        let suggestion = suggest(&learned, &successes, said, &rules, Version::NEWEST);
        suggestion.expression().unwrap_or_else(|| "false".to_owned())
    };
    let by_log = suggested(None);
    let mut names = vec!["suggested".to_owned(), "nobody".to_owned(), "in force".to_owned()];
    let mut releasers = vec![expression(&by_log)?, Releaser::Nobody, Releaser::InForce];
    let mut by_model = String::new();
    if let Some(file) = &options.model {
        let model = Model::open(file)?;
        let said = ask(options, &model, &learned)?;
        by_model = suggested(Some(&said));
        names.push("suggested, asking the model".to_owned());
        releasers.push(expression(&by_model)?);
        let holds: Vec<PastHold> = cases.iter().map(|case| case.hold.clone()).collect();
        names.push("advice".to_owned());
        releasers.push(Releaser::Advice(ask(options, &model, &holds)?.into()));
    }
    for text in &options.expression {
        names.push(text.clone());
        releasers.push(expression(text)?);
    }
    let judged: Vec<&Case> = cases
        .iter()
        .filter(|case| !case.truth.oracle.is_empty() || case.truth.success.is_some())
        .collect();
    let mut text = String::new();
    writeln!(text, "suggested from {} holds: {by_log}\n", learned.len())?;
    if !by_model.is_empty() {
        writeln!(text, "asking the model: {by_model}\n")?;
    }
    let (holds, known, clusters) = (cases.len(), judged.len(), clusters(&judged));
    writeln!(text, "{holds} holds, {known} of them with a truth, {clusters} clusters\n")?;
    writeln!(
        text,
        "releases   failed  success  hours saved  slot hours wasted  cost/hold  suggested costs less by  (log says)  policy"
    )?;
    let holds: Vec<PastHold> = cases.iter().map(|case| case.hold.clone()).collect();
    let of_logs = replay(&holds, &Successes::of(&holds), &releasers, &rules);
    let mut first: Option<Vec<f64>> = None;
    for ((name, releaser), by_log) in names.iter().zip(&mut releasers).zip(of_logs) {
        let courses: Vec<Course> =
            judged.iter().map(|case| course(case, releaser, &rules, &successes)).collect();
        let costs: Vec<f64> = courses.iter().map(|course| course.sums.cost_hours).collect();
        let first = first.get_or_insert_with(|| costs.clone());
        let less: Vec<f64> = costs.iter().zip(first).map(|(cost, first)| cost - *first).collect();
        let (mean, error) = mean_by_cluster(&judged, &less);
        let sum = |of: fn(&Course) -> f64| courses.iter().map(of).sum::<f64>();
        writeln!(
            text,
            "{:>8.0} {:>8.0} {:>8.0} {:>12.0} {:>18.0} {:>10.3} {mean:>15.3} +- {:<6.3} {:>10.3}  {name}",
            sum(|course| course.sums.releases),
            sum(|course| course.sums.failed_releases),
            sum(|course| course.sums.successes),
            sum(|course| course.sums.hours_saved),
            sum(|course| course.sums.hours_wasted),
            costs.iter().sum::<f64>() / costs.len().max(1) as f64,
            1.96 * error,
            by_log.all.sums.cost_hours / by_log.all.judged.max(1) as f64,
        )?;
    }
    say(format_args!("{text}"));
    Ok(())
}

/// Asks the model about holds of one simulation, by its logs.
fn ask(options: &PoliciesOptions, model: &Model, holds: &[PastHold]) -> Result<Said, Error> {
    let [folder] = options.simulation.as_slice() else {
        return Err("a model is asked about one --simulation at a time".into());
    };
    let history = options.input.of_simulation(folder)?.read()?.history;
    let end = holds.iter().map(|hold| hold.held_at).max().unwrap_or(0);
    let advisor = Advisor::new(history, model)?;
    Ok(Said::of(&advisor, holds, |code| model.metadata.knows(code), end)?)
}

fn ended_before(hold: &PastHold, instant: i64) -> bool {
    match hold.hold_end {
        HoldEnd::Failure { failed_at, .. } => failed_at < instant,
        other => other.left_at().is_some_and(|at| at < instant) && hold.held_at < instant,
    }
}

fn expression(text: &str) -> Result<Releaser, String> {
    match ReplayExpression::parse(text) {
        Ok(expression) => Ok(Releaser::Expression(Box::new(expression))),
        Err(error) => Err(format!("{text:?} is not an expression: {error}")),
    }
}

/// Follows one hold by the truth.
fn course(case: &Case, releaser: &mut Releaser, rules: &Rules, successes: &Successes) -> Course {
    let Case { hold, truth, end, .. } = case;
    let costs = &rules.costs;
    let hours = |at: i64| (at - hold.held_at) as f64 / HOUR;
    let mut as_is = |at: i64| probability(truth, hold.held_at, at);
    let look = hold.held_at + (costs.delay * HOUR) as i64;
    let (until, until_cost) = match hold.hold_end {
        HoldEnd::Removed { at } => (at, as_is(at) * (costs.delay + costs.work)),
        HoldEnd::Held { until } => {
            let until = until.unwrap_or(*end).max(hold.held_at);
            (until, as_is(until) * hours(until))
        }
        hold_end => {
            let released_at = hold_end.left_at().unwrap_or(*end);
            if hold.by_policy {
                let until = released_at.max(look);
                (until, as_is(until) * hours(until) + (1.0 - as_is(until)) * costs.keep)
            } else {
                let success = truth.success.unwrap_or_else(|| as_is(released_at));
                (released_at, success * hours(released_at) + (1.0 - success) * costs.keep)
            }
        }
    };
    let (again, ran) = successes.of_failed(hold.code, hold.subcode);
    let outlook = Outlook { until, until_cost, again, slot_hours: ran as f64 / HOUR };
    let mut answer = |job: &HeldJob<'_>, end: i64| rules.answer(releaser, job, end);
    follow(hold, &outlook, costs, &mut answer, &mut as_is)
}

/// The true probability that a release as it is succeeds, between the instants at which it was
/// asked for by the logarithm of the time on hold.
fn probability(truth: &HoldTruth, held_at: i64, at: i64) -> f64 {
    let mut known: BTreeMap<i64, f64> = truth
        .oracle
        .iter()
        .filter_map(|oracle| Some((oracle.time, oracle.of(Action::AsIs)?)))
        .collect();
    if let (Some((released_at, Action::AsIs)), Some(success)) = (truth.released, truth.success) {
        known.insert(released_at, success);
    }
    let known: Vec<(i64, f64)> = known.into_iter().collect();
    between(&known, held_at, at).unwrap_or(0.0)
}

fn clusters(cases: &[&Case]) -> usize {
    let all = cases.iter().map(|case| (case.folder, case.hold.job.cluster));
    all.collect::<BTreeSet<_>>().len()
}

/// The mean over holds, and its standard error where the holds of a cluster go together.
fn mean_by_cluster(cases: &[&Case], values: &[f64]) -> (f64, f64) {
    let mut sums: BTreeMap<(usize, i32), (f64, f64)> = BTreeMap::new();
    for (case, value) in cases.iter().zip(values) {
        let sum = sums.entry((case.folder, case.hold.job.cluster)).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = sums.values().map(|(sum, n)| (sum - n * mean).powi(2)).sum();
    let clusters = sums.len() as f64;
    (mean, (squares * clusters / (clusters - 1.0).max(1.0)).sqrt() / count)
}
