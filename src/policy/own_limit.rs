//! Holds for a limit on what the job itself used up: run time, CPU time, starts, sizes.
//!
//! HTCondor evaluates `periodic_hold` again and again, in every later run too (manual page
//! `condor_submit`). Where it compares what grows while the job runs with a limit that does not,
//! the cause of the hold is certain from the ad alone: the same run meets the same limit again, and
//! nothing outside the job changes that.

use classads::{BinaryOperator, Budget, ClassAd, EvalContext, Expr, Node, NodeKind};

use super::clauses::followed;
use super::forecast::Truth;
use super::raise::{Comparison, Raise, raise};
use super::{Kind, Knobs, MAX_BYTES, WORK};
use crate::hold_code::{self, About};

/// What a run adds to and keeps for the next run.
const KEPT: [&str; 13] = [
    "RemoteWallClockTime",
    "CumulativeRemoteUserCpu",
    "CumulativeRemoteSysCpu",
    "CumulativeSlotTime",
    "NumJobStarts",
    "NumJobMatches",
    "NumJobReconnects",
    "NumRestarts",
    "NumShadowStarts",
    "NumShadowExceptions",
    "NumHolds",
    "NumSystemHolds",
    "JobRunCount",
];

/// What begins anew with each run.
const ANEW: [&str; 11] = [
    "RemoteUserCpu",
    "RemoteSysCpu",
    "MemoryUsage",
    "ResidentSetSize",
    "ResidentSetSize_RAW",
    "ProportionalSetSizeKb",
    "ImageSize",
    "ImageSize_RAW",
    "DiskUsage",
    "DiskUsage_RAW",
    "ScratchDirFileCount",
];

/// When the run began, by several clocks.
const BEGAN: [&str; 5] = [
    "JobCurrentStartDate",
    "JobCurrentStartExecutingDate",
    "JobCurrentStartTransferInputDate",
    "ShadowBday",
    "EnteredCurrentStatus",
];

/// What memory is measured by, and disk.
const MEMORY: [&str; 5] =
    ["MemoryUsage", "ResidentSetSize", "ResidentSetSize_RAW", "ProportionalSetSizeKb", "ImageSize"];
const DISK: [&str; 2] = ["DiskUsage", "DiskUsage_RAW"];

/// How a run ended: a test of it is not a test of what was used up.
const ENDED: [&str; 7] = [
    "ExitCode",
    "ExitBySignal",
    "ExitSignal",
    "ExitStatus",
    "ExitReason",
    "OnExitCode",
    "LastHoldReasonCode",
];

/// Clauses looked at, and attributes followed from one to the next.
const MAX_STEPS: usize = 256;

/// Seconds, or counts, by which growth is told from a limit.
const GROWTH: i64 = 1000;

/// Seconds by which the clock alone is put forward: 1,000 days, a whole number of every unit.
const CLOCK: i64 = 86_400_000;

/// When the limit holds the job again, if it is released as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeldAgain {
    /// When the next run has used up as much.
    WhenReached,
    /// At once: what was used up before counts.
    AtOnce,
}

/// What a limit bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// The length of one run; a unit of the test is so many seconds.
    RunTime {
        /// 1 for a test in seconds, 60 in minutes.
        unit: f64,
    },
    /// The memory of one run.
    Memory,
    /// The disk of one run.
    Disk,
    /// Something else, or what all runs together used.
    Other,
}

/// The limit that held a job.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnLimit {
    /// The attribute or the knob that sets it: `PeriodicHold`, `SYSTEM_PERIODIC_HOLD`,
    /// `AllowedJobDuration`.
    pub policy: String,
    /// The comparison, as it is written.
    pub test: String,
    /// What it was when the job was held, in the unit of the test.
    pub reached: f64,
    /// What is allowed, in the same unit.
    pub limit: f64,
    /// What it bounds.
    pub measure: Measure,
    /// How it is raised.
    pub raise: Raise,
    /// When it holds the job again.
    pub again: HeldAgain,
}

impl OwnLimit {
    /// Seconds of the run that the limit ended, and those that it allows, where it bounds the
    /// length of a run.
    pub fn run_time(&self) -> Option<(f64, f64)> {
        match self.measure {
            Measure::RunTime { unit } => Some((self.reached * unit, self.limit * unit)),
            _ => None,
        }
    }
}

/// The limit that put the held job of this ad on hold, as of `now` (Unix seconds). `None` for other
/// holds, where the expression is not at hand, where the ad has been edited since so that its limit
/// is no longer exceeded, and where a policy takes more steps of evaluation than `work`.
pub fn own_limit_within(ad: &ClassAd, knobs: &Knobs, now: i64, work: u64) -> Option<OwnLimit> {
    let of_policy = |name: &str, expr: &Expr, of_job| of_policy(ad, name, expr, of_job, now, work);
    match hold_code::about(i32::try_from(ad.integer("HoldReasonCode")?).ok()?)? {
        About::JobPolicy => ["PeriodicHold", "OnExitHold"]
            .into_iter()
            .find_map(|name| of_policy(name, ad.get(name)?, true)),
        About::SystemPolicy => {
            let reason = ad.string("HoldReason").unwrap_or_default();
            let known = knobs.system_policies(Kind::Hold);
            let known = known.iter().map(|(name, text)| (name.as_str(), *text));
            known
                .chain(of_reason(&reason))
                .find_map(|(name, text)| of_policy(name, &Expr::parse_old(text).ok()?, false))
        }
        About::Duration { attribute, began } => duration(ad, attribute, began),
        _ => None,
    }
}

/// Whether the policy that a hold reason quotes holds the job again once it is released, by what a log
/// tells of it: how often it has begun.
pub fn refuses_another_run(reason: &str, starts: i64) -> bool {
    let quoted = reason.split_once("job attribute ").and_then(|(_, rest)| quoted(rest));
    let expr =
        quoted.or_else(|| of_reason(reason)).and_then(|(_, text)| Expr::parse_old(text).ok());
    let mut ad = ClassAd::new();
    ad.insert_value("NumJobStarts", starts);
    expr.is_some_and(|expr| {
        let released = Moment { ad: idle(&ad, 0), at: 0, budget: Budget::new(WORK) };
        released.fires(&expr)
    })
}

/// Name and expression out of the reason that HTCondor gives where none is configured
/// (`FiringReason` in `user_job_policy.cpp`).
fn of_reason(reason: &str) -> Option<(&str, &str)> {
    let (_, rest) = reason.split_once("system macro ")?;
    quoted(rest)
}

fn quoted(rest: &str) -> Option<(&str, &str)> {
    let (name, rest) = rest.split_once(" expression '")?;
    let (text, _) = rest.rsplit_once("' evaluated to")?;
    Some((name, text))
}

/// `UserPolicy::AnalyzePolicy` compares the time since the shadow began, or since the program
/// did, with the attribute. Each run has the whole of it.
fn duration(ad: &ClassAd, attribute: &str, began: &[&str]) -> Option<OwnLimit> {
    let limit = ad.integer(attribute).filter(|&limit| limit > 0)?;
    let held = ad.integer("EnteredCurrentStatus")?;
    let began = began.iter().find_map(|name| ad.integer(name));
    let reached = began.map_or(limit, |began| held.saturating_sub(began));
    (reached >= limit).then(|| OwnLimit {
        policy: attribute.to_owned(),
        test: attribute.to_owned(),
        reached: reached as f64,
        limit: limit as f64,
        measure: Measure::RunTime { unit: 1.0 },
        raise: Raise::Attribute {
            name: attribute.to_owned(),
            from: limit as f64,
            to: reached.saturating_mul(2),
        },
        again: HeldAgain::WhenReached,
    })
}

fn of_policy(
    ad: &ClassAd,
    policy: &str,
    expr: &Expr,
    of_job: bool,
    now: i64,
    work: u64,
) -> Option<OwnLimit> {
    let held = ad.integer("EnteredCurrentStatus")?;
    let run = Moment { ad: running(ad), at: held, budget: Budget::new(work) };
    if !run.fires(expr) {
        return None;
    }
    let grown = run.with(grown(&run.ad), held.saturating_add(GROWTH));
    let clauses = clauses_that_fired(&run, policy, expr)?;
    if !clauses.iter().all(|(_, clause)| is_of_job_alone(&run.ad, clause)) {
        return None;
    }
    let comparison = clauses.iter().find_map(|clause| comparison(clause, &run, &grown))?;
    let raise = raise(&run, policy, expr, &comparison, of_job);
    let again = [idle(ad, now), started(ad, now)];
    let at_once = again.into_iter().any(|ad| run.with(ad, now).fires(expr));
    Some(OwnLimit {
        policy: policy.to_owned(),
        test: comparison.text.clone(),
        reached: comparison.reached,
        limit: comparison.limit,
        measure: comparison.measure,
        raise,
        again: if at_once { HeldAgain::AtOnce } else { HeldAgain::WhenReached },
    })
}

/// An ad at an instant.
pub(super) struct Moment {
    pub(super) ad: ClassAd,
    pub(super) at: i64,
    budget: Budget,
}

impl Moment {
    /// Another ad, or another instant, on the same budget.
    pub(super) fn with(&self, ad: ClassAd, at: i64) -> Self {
        Self { ad, at, budget: self.budget.clone() }
    }

    /// With another value of an attribute.
    pub(super) fn with_value(&self, name: &str, value: Expr) -> Self {
        let mut ad = self.ad.clone();
        ad.insert(name, value);
        self.with(ad, self.at)
    }

    fn context(&self) -> EvalContext<'static> {
        let budget = Some(self.budget.clone());
        EvalContext { max_bytes: MAX_BYTES, budget, ..EvalContext::at(self.at) }
    }

    pub(super) fn fires(&self, expr: &Expr) -> bool {
        Truth::of(&self.ad.evaluate_expr(expr, &self.context())) == Truth::True
    }

    pub(super) fn number(&self, expr: &Expr) -> Option<f64> {
        self.ad.evaluate_expr(expr, &self.context()).as_real().filter(|value| value.is_finite())
    }
}

/// The ad as it was while the job ran.
fn running(ad: &ClassAd) -> ClassAd {
    let mut ad = without_hold(ad, 2, 1);
    if let Some(began) = ad.integer("JobCurrentStartDate") {
        ad.insert_value("EnteredCurrentStatus", began);
        // The schedd sets both at once, and removes this one when the shadow is gone (schedd.cpp).
        if !ad.contains("ShadowBday") {
            ad.insert_value("ShadowBday", began);
        }
    }
    ad
}

/// The ad when the job has been released and waits.
fn idle(ad: &ClassAd, now: i64) -> ClassAd {
    let mut ad = without_hold(ad, ad.integer("JobStatusOnRelease").unwrap_or(1), 5);
    ad.insert_value("EnteredCurrentStatus", now);
    ad
}

/// The ad when the job has just begun to run again.
pub(super) fn started(ad: &ClassAd, now: i64) -> ClassAd {
    let mut ad = without_hold(ad, 2, 1);
    for name in BEGAN {
        ad.insert_value(name, now);
    }
    for name in ANEW.iter().chain(&ENDED) {
        ad.remove(name);
    }
    ad
}

/// The ad without its hold, with this JobStatus and LastJobStatus.
fn without_hold(ad: &ClassAd, status: i64, last: i64) -> ClassAd {
    let mut ad = ad.clone();
    ad.insert_value("JobStatus", status);
    ad.insert_value("LastJobStatus", last);
    for name in ["HoldReason", "HoldReasonCode", "HoldReasonSubCode"] {
        ad.remove(name);
    }
    ad
}

/// The ad had the job gone on for longer.
fn grown(ad: &ClassAd) -> ClassAd {
    let mut grown = ad.clone();
    let context = EvalContext::quick();
    for name in KEPT.into_iter().chain(ANEW) {
        // Read from the first ad: one may be computed from another.
        let value = ad.evaluate(name, &context);
        if let Some(value) = value.as_integer() {
            grown.insert_value(name, value.saturating_add(GROWTH));
        } else if let Some(value) = value.as_real() {
            grown.insert_value(name, value + GROWTH as f64);
        }
    }
    grown
}

/// A clause that was true, behind the attribute or knob whose text it stands in.
type Clause = (String, Expr);

/// The clauses that together made the policy true: all of a conjunction, the first true side of a
/// disjunction.
fn clauses_that_fired(run: &Moment, policy: &str, expr: &Expr) -> Option<Vec<Clause>> {
    let mut out = Vec::new();
    let mut pending = vec![(policy.to_owned(), expr.clone())];
    let mut steps = 0;
    while let Some((holder, expr)) = pending.pop() {
        steps += 1;
        // More than this is no policy that somebody wrote.
        if steps > MAX_STEPS {
            return None;
        }
        match expr.root().kind() {
            NodeKind::Parentheses(inside) => pending.push((holder, inside.to_expr())),
            NodeKind::Binary(BinaryOperator::And, left, right) => {
                pending.push((holder.clone(), right.to_expr()));
                pending.push((holder, left.to_expr()));
            }
            NodeKind::Binary(BinaryOperator::Or, left, right) => {
                let left = left.to_expr();
                let side = if run.fires(&left) { left } else { right.to_expr() };
                pending.push((holder, side));
            }
            _ => match named(&run.ad, expr.root()) {
                Some(followed) => pending.push(followed),
                None => out.push((holder, expr)),
            },
        }
    }
    Some(out)
}

/// An attribute of the job that stands for an expression.
fn named(ad: &ClassAd, node: Node<'_>) -> Option<Clause> {
    let NodeKind::Attribute { name, absolute: false, .. } = node.kind() else { return None };
    let reference = node.to_expr().attribute_references().pop()?;
    let expr = ad.get(name).filter(|expr| reference.is_own() && expr.as_literal().is_none())?;
    Some((name.to_owned(), expr.clone()))
}

/// Whether all that the clause names is the job's own, and nothing of it how a run ended.
fn is_of_job_alone(ad: &ClassAd, clause: &Expr) -> bool {
    followed(ad, clause).iter().flat_map(Expr::attribute_references).all(|reference| {
        reference.is_own() && !ENDED.iter().any(|ended| reference.name.eq_ignore_ascii_case(ended))
    })
}

/// The clause as a comparison of what grows with a limit that does not.
fn comparison((holder, clause): &Clause, run: &Moment, grown: &Moment) -> Option<Comparison> {
    let NodeKind::Binary(operator, left, right) = clause.root().kind() else { return None };
    use BinaryOperator as Operator;
    let (grows, limit) = match operator {
        Operator::Greater | Operator::GreaterOrEqual => (left, right),
        Operator::Less | Operator::LessOrEqual => (right, left),
        _ => return None,
    };
    let (quantity, limit_expr) = (grows.to_expr(), limit.to_expr());
    let (reached, allowed) = (run.number(&quantity)?, run.number(&limit_expr)?);
    let (later, fixed) = (grown.number(&quantity)?, grown.number(&limit_expr)?);
    // A limit that does not move by a thousandth of what grows.
    if later - reached < 1.0 || (fixed - allowed).abs() > 1e-9 * allowed.abs() {
        return None;
    }
    let comparison = Comparison {
        measure: measure(run, clause, &quantity, reached),
        holder: holder.clone(),
        text: clause.to_string(),
        limit_span: limit.span(),
        limit_expr,
        reached,
        limit: allowed,
    };
    Some(comparison.since_origin(run))
}

/// What the clause bounds: a quantity that grows with the clock alone, and counts from the
/// beginning of a run, is the length of that.
fn measure(run: &Moment, clause: &Expr, quantity: &Expr, reached: f64) -> Measure {
    let clauses = followed(&run.ad, clause);
    let references: Vec<_> = clauses.iter().flat_map(Expr::attribute_references).collect();
    let names = |list: &[&str]| {
        references.iter().any(|one| list.iter().any(|name| name.eq_ignore_ascii_case(&one.name)))
    };
    let later = run.with(run.ad.clone(), run.at.saturating_add(CLOCK)).number(quantity);
    match later.map(|later| later - reached).filter(|grown| *grown > 0.0) {
        Some(grown) if names(&BEGAN) => Measure::RunTime { unit: CLOCK as f64 / grown },
        Some(_) => Measure::Other,
        None if names(&MEMORY) => Measure::Memory,
        None if names(&DISK) => Measure::Disk,
        None => Measure::Other,
    }
}

#[cfg(test)]
#[path = "own_limit_tests.rs"]
mod tests;
