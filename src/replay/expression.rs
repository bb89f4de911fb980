//! A release expression, evaluated on many holds at the times at which the schedd would.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use classads::{BinaryOperator, Budget, ClassAd, Expr, Node, NodeKind, Value};
use foldhash::fast::RandomState;

use super::attribute::{Attribute, LOOK_UP, LogValue, ReplayedJob};
use super::comparison::{Difference, Fault, TimeComparison, attributes_of, changes_by_itself};
use crate::policy::{Sign, Truth, every, first_time, is_by_chance, operands};

/// Steps of all evaluations for one hold, those after failed releases too.
const WORK: u64 = 5_000_000;

/// Steps for all holds and expressions of a call: about ten seconds of one core. Assumed.
const WORK_OF_ALL: u64 = 2_000_000_000;

/// Steps that a hold has in any case: some thousand evaluations of a usual policy. Assumed.
const LEAST_WORK: u64 = 10_000;

/// Steps that an evaluation counts as beside its own, and the search for the times at which a
/// comparison changes. Assumed.
const EVALUATION: u32 = 20;
const SEARCH: u32 = 100;

/// Parts of an expression that is taken apart; one with more is evaluated at every tick.
const MAX_PARTS: usize = 2_000;

/// Answers remembered at most.
const MAX_REMEMBERED: usize = 1 << 16;

/// Evaluations of one hold at most, where the expression has to be asked at every tick.
const MAX_TICKS: i64 = 50_000;

/// When the schedd evaluates policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// PERIODIC_EXPR_INTERVAL, s; above 0.
    pub interval: i64,
    /// One of the times at which it does, Unix seconds. A log does not tell.
    pub phase: i64,
}

impl Ticks {
    /// The first tick not before `time`.
    pub const fn from(self, time: i64) -> i64 {
        let since = time.saturating_sub(self.phase);
        let behind = since.rem_euclid(self.interval);
        if behind == 0 { time } else { time.saturating_add(self.interval - behind) }
    }
}

/// What an expression does with a held job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionAnswer {
    /// It is true for the first time at this tick, Unix seconds.
    Releases(i64),
    /// At no tick until the end.
    Holds,
    /// From this tick on it depends on what is not recorded.
    Unknown(i64),
    /// Its evaluations take more steps than there are for a hold.
    Unfinished,
}

/// A release expression and what it was seen to be.
///
/// Its value is always that of crate `classads`. Between two ticks at which one of its comparisons
/// with the time changes its sign, the value stays; where the attributes and the signs are those of
/// an earlier hold, it is remembered. An expression that uses the time in another way is evaluated
/// at every tick.
#[derive(Clone, Debug)]
pub struct ReplayExpression {
    expr: Expr,
    /// Attributes outside of the comparisons with the time.
    attributes: Vec<Attribute>,
    comparisons: Vec<TimeComparison>,
    /// All that it names.
    named: Vec<Attribute>,
    /// Clauses that all have to be true and that do not ask for the time.
    steady: Vec<Expr>,
    /// It uses the time in another way.
    open: bool,
    /// It throws dice.
    random: bool,
    /// What it was, and the steps that took: whoever remembers takes them too, so that the answer
    /// does not depend on which holds came before.
    remembered: HashMap<Box<[Known]>, (Verdict, u32), RandomState>,
    key: Vec<Known>,
    /// Steps for each hold, and what is left of them for the one looked at.
    work: u64,
    budget: Budget,
}

/// A part of a key: what is known of an attribute, or the sign of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Known {
    Unrecorded,
    Varies,
    Undefined,
    Boolean(bool),
    Integer(i64),
    Real(u64),
    String(Arc<str>),
    Sign(Ordering),
}

/// What it is at one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Fires,
    DoesNot,
    Unknown,
}

impl Verdict {
    /// `None` where it does not fire.
    fn unless_not(self) -> Option<Self> {
        (self != Self::DoesNot).then_some(self)
    }

    /// What it means at the first tick at which it is more than no.
    const fn answer((time, verdict): (i64, Self)) -> ExpressionAnswer {
        match verdict {
            Self::Fires => ExpressionAnswer::Releases(time),
            _ => ExpressionAnswer::Unknown(time),
        }
    }
}

impl ReplayExpression {
    /// An expression as submit descriptions and configuration have it.
    ///
    /// # Errors
    /// The text is no expression.
    pub fn parse(text: &str) -> Result<Self, classads::ParseError> {
        let expr = Expr::parse_old(text)?;
        let is_long = expr.nodes().nth(MAX_PARTS).is_some();
        let mut this = Self {
            expr: expr.clone(),
            attributes: Vec::new(),
            named: attributes_of(&expr),
            steady: if is_long { Vec::new() } else { steady(&expr) },
            comparisons: Vec::new(),
            open: false,
            random: is_by_chance(&expr),
            remembered: HashMap::default(),
            key: Vec::new(),
            work: WORK,
            budget: Budget::new(WORK),
        };
        if is_long {
            this.open = true;
            this.attributes = attributes_of(&expr);
        } else {
            this.look_at(expr.root());
        }
        this.attributes.sort_by(|a, b| a.name().cmp(b.name()));
        this.attributes.dedup();
        Ok(this)
    }

    /// Shares the steps of a call between so many holds, each tried on so many expressions.
    pub(super) fn share(&mut self, holds: usize, expressions: usize) {
        let parts = (holds as u64).saturating_mul(expressions as u64).max(1);
        self.work = (WORK_OF_ALL / parts).clamp(LEAST_WORK, WORK);
    }

    /// Finds comparisons with the time and what stands outside of them.
    fn look_at(&mut self, root: Node<'_>) {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            if !changes_by_itself(&node.to_expr()) {
                self.attributes.extend(attributes_of(&node.to_expr()));
                continue;
            }
            match node.kind() {
                NodeKind::Binary(operator, left, right) => {
                    match TimeComparison::of(operator, left, right) {
                        Some(comparison) => self.comparisons.push(comparison),
                        None => pending.extend([left, right]),
                    }
                }
                NodeKind::Parentheses(_) | NodeKind::Unary(..) | NodeKind::Conditional(..) => {
                    pending.extend(node.children());
                }
                NodeKind::Call { name, arguments, .. } if !arguments.is_empty() => {
                    self.open |= name.eq_ignore_ascii_case("eval");
                    pending.extend(arguments);
                }
                _ => {
                    self.open = true;
                    self.attributes.extend(attributes_of(&node.to_expr()));
                }
            }
        }
    }

    /// The attributes that it names and that are not told of on this job, by name.
    pub fn unrecorded(&self, job: &ReplayedJob<'_>) -> Vec<&str> {
        let own = self.comparisons.iter().flat_map(TimeComparison::attributes);
        let mut names: Vec<&str> = self
            .attributes
            .iter()
            .chain(own)
            .filter(|attribute| job.value_of(attribute) == LogValue::Unrecorded)
            .map(Attribute::name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether it names this attribute.
    pub fn names(&self, name: &str) -> bool {
        self.expr.attribute_references().iter().any(|other| other.name.eq_ignore_ascii_case(name))
    }

    /// The attributes that it names and that ads are to be asked for.
    pub fn of_ads(&self) -> impl Iterator<Item = String> + use<> {
        let names = self.expr.attribute_references().into_iter().map(|reference| reference.name);
        names.filter(|name| Attribute::named(name).needs_ad())
    }

    /// What it does with a held job at the ticks after the hold, until `end` (Unix seconds, not
    /// included). After failed releases a job has the steps that are left of its hold.
    pub fn answer(&mut self, job: &ReplayedJob<'_>, ticks: Ticks, end: i64) -> ExpressionAnswer {
        let first = ticks.from(job.held_at().saturating_add(1));
        if first >= end {
            return ExpressionAnswer::Holds;
        }
        if self.random {
            return ExpressionAnswer::Unknown(first);
        }
        if job.failed_releases() == 0 {
            self.budget = Budget::new(self.work);
        }
        let budget = self.budget.clone();
        let answer = self.answer_within(&job.within(&budget), ticks, first, end);
        // What was given up in between is an error, which may look like an answer.
        if budget.left() == 0 { ExpressionAnswer::Unfinished } else { answer }
    }

    fn answer_within(
        &mut self,
        job: &ReplayedJob<'_>,
        ticks: Ticks,
        first: i64,
        end: i64,
    ) -> ExpressionAnswer {
        let names = self.attributes.len() + self.named.len();
        job.take(times(names, LOOK_UP).saturating_add(times(self.comparisons.len(), SEARCH)));
        let differences: Vec<_> =
            self.comparisons.iter_mut().map(|comparison| comparison.difference(job)).collect();
        self.begin_key(job);
        if self.open
            || differences.contains(&Err(Fault::Other))
            || self.key.contains(&Known::Varies)
        {
            return self.at_every_tick(job, ticks, first, end);
        }
        let at = |time| self.at(job, &differences, time).unless_not();
        let numbers = differences.iter().flatten();
        let found = first_time(numbers, first..end, |time| ticks.from(time), at);
        found.map_or(ExpressionAnswer::Holds, Verdict::answer)
    }

    /// The same by evaluating at every tick.
    fn at_every_tick(
        &self,
        job: &ReplayedJob<'_>,
        ticks: Ticks,
        first: i64,
        end: i64,
    ) -> ExpressionAnswer {
        let ad = job.ad();
        let unrecorded: Vec<String> = self.unrecorded(job).into_iter().map(str::to_owned).collect();
        // What has to be true and does not change is asked once.
        let never = |clause: &Expr| is_never_true(clause, job, &ad, &unrecorded, first);
        if self.steady.iter().any(never) {
            return ExpressionAnswer::Holds;
        }
        let last = first.saturating_add(ticks.interval.saturating_mul(MAX_TICKS));
        let found = every(first..end.min(last), ticks.interval, |time| match job.is_spent() {
            true => Some(Verdict::Unknown),
            false => verdict(&self.expr, &ad, &unrecorded, time, job).unless_not(),
        });
        let rest =
            if last < end { ExpressionAnswer::Unknown(last) } else { ExpressionAnswer::Holds };
        found.map_or(rest, Verdict::answer)
    }

    /// The values of the attributes, as the first part of a key.
    fn begin_key(&mut self, job: &ReplayedJob<'_>) {
        self.key.clear();
        for attribute in &self.attributes {
            let word = match job.value_of(attribute) {
                LogValue::Unrecorded => Known::Unrecorded,
                LogValue::Value(Value::Undefined) => Known::Undefined,
                LogValue::Value(Value::Boolean(value)) => Known::Boolean(value),
                LogValue::Value(Value::Integer(value)) => Known::Integer(value),
                LogValue::Value(Value::Real(value)) => Known::Real(value.to_bits()),
                LogValue::Value(Value::String(text)) => Known::String(text),
                // Lists and ads are rare: what depends on them is not remembered.
                LogValue::Value(_) | LogValue::Varies => Known::Varies,
            };
            self.key.push(word);
        }
    }

    fn at(
        &mut self,
        job: &ReplayedJob<'_>,
        differences: &[Result<Difference, Fault>],
        time: i64,
    ) -> Verdict {
        self.key.truncate(self.attributes.len());
        self.key.extend(differences.iter().map(|difference| match difference {
            Ok(difference) => difference.at(time).map_or(Known::Undefined, Known::Sign),
            Err(Fault::Unrecorded) => Known::Unrecorded,
            Err(_) => Known::Undefined,
        }));
        if let Some((verdict, steps)) = self.remembered.get(self.key.as_slice()) {
            job.take(*steps);
            return *verdict;
        }
        let (verdict, steps) = job.counting(|| {
            let unrecorded: Vec<String> =
                self.unrecorded(job).into_iter().map(str::to_owned).collect();
            verdict(&self.expr, &job.ad_of(&self.named), &unrecorded, time, job)
        });
        if job.is_spent() {
            return verdict;
        }
        if self.remembered.len() >= MAX_REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(self.key.as_slice().into(), (verdict, steps));
        verdict
    }
}

/// The clauses of a conjunction that do not ask for the time by themselves.
fn steady(expr: &Expr) -> Vec<Expr> {
    let clauses = operands(expr.root(), BinaryOperator::And);
    clauses.iter().map(Node::to_expr).filter(|clause| !changes_by_itself(clause)).collect()
}

/// Whether a conjunction is not true at any time, because this clause of it is not.
fn is_never_true(
    clause: &Expr,
    job: &ReplayedJob<'_>,
    ad: &ClassAd,
    unrecorded: &[String],
    time: i64,
) -> bool {
    if attributes_of(clause).iter().any(|attribute| job.value_of(attribute) == LogValue::Varies) {
        return false;
    }
    if !unrecorded.is_empty() {
        return verdict(clause, ad, unrecorded, time, job) == Verdict::DoesNot;
    }
    job.take(EVALUATION);
    match ad.evaluate_expr(clause, &job.context(time)) {
        Value::Boolean(value) => !value,
        Value::Integer(value) => value == 0,
        // Half a second is no release by itself, but true beside another clause.
        Value::Real(_) => false,
        _ => true,
    }
}

fn times(count: usize, steps: u32) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(steps)
}

/// What the expression is at one time. What depends on attributes that are not told of is not
/// known, unless the rest decides: a clause that does not fire keeps a conjunction from it, an
/// alternative that fires makes it fire.
fn verdict(
    expr: &Expr,
    ad: &ClassAd,
    unrecorded: &[String],
    time: i64,
    job: &ReplayedJob<'_>,
) -> Verdict {
    let context = job.context(time);
    let fires = |expr: &Expr| {
        job.take(EVALUATION);
        match Truth::of(&ad.evaluate_expr(expr, &context)) {
            Truth::True => Verdict::Fires,
            _ => Verdict::DoesNot,
        }
    };
    if unrecorded.is_empty() {
        return fires(expr);
    }
    // It is taken apart.
    job.take(times(expr.nodes().count(), LOOK_UP));
    let is_open = |expr: &Expr| {
        expr.attribute_references().iter().any(|reference| {
            unrecorded.iter().any(|name| name.eq_ignore_ascii_case(&reference.name))
        })
    };
    // Clauses of alternatives of clauses: deeper than that nobody writes by hand.
    part(expr.root(), BinaryOperator::And, DEPTH, &|leaf| {
        if is_open(leaf) { Verdict::Unknown } else { fires(leaf) }
    })
}

/// How deep `&&` and `||` are looked into for what does not depend on the unknown.
const DEPTH: usize = 8;

fn part(
    node: Node<'_>,
    operator: BinaryOperator,
    depth: usize,
    leaf: &dyn Fn(&Expr) -> Verdict,
) -> Verdict {
    let all = operands(node, operator);
    let (other, decides, mut verdict) = match operator {
        BinaryOperator::And => (BinaryOperator::Or, Verdict::DoesNot, Verdict::Fires),
        _ => (BinaryOperator::And, Verdict::Fires, Verdict::DoesNot),
    };
    if all.len() == 1 && (depth == 0 || operands(all[0], other).len() == 1) {
        return leaf(&all[0].to_expr());
    }
    for operand in all {
        match part(operand, other, depth.saturating_sub(1), leaf) {
            decided if decided == decides => return decides,
            Verdict::Unknown => verdict = Verdict::Unknown,
            _ => {}
        }
    }
    verdict
}

#[cfg(test)]
#[path = "expression_tests.rs"]
mod tests;
