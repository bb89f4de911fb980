//! A release expression, evaluated on many holds at the times at which the schedd would.

use std::collections::HashMap;
use std::sync::Arc;

use classads::{BinaryOperator, Budget, EvalContext, Expr, Node, NodeKind, Value};

use super::attribute::{Attribute, HeldJob, LogValue};
use super::comparison::{Difference, TimeComparison, attributes_of, changes_by_itself};
use crate::policy::{MAX_BYTES, Truth, is_by_chance, operands};

/// Steps of one evaluation; what takes more is an error, and does not fire.
const MAX_STEPS: u32 = 100_000;

/// Steps of all evaluations for one hold; what becomes of it is not known beyond that.
const WORK: u64 = 5_000_000;

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
pub enum Answer {
    /// It is true for the first time at this tick, Unix seconds.
    Releases(i64),
    /// At no tick until the end.
    Holds,
    /// From this tick on it depends on what is not recorded.
    Unknown(i64),
}

/// A release expression and what it was seen to be.
///
/// Its value is always that of crate `classads`. Between two ticks at which one of its comparisons with the time changes its sign,
/// the value stays; where the attributes and the signs are those of an earlier hold, it is remembered. An expression that uses the
/// time in another way is evaluated at every tick.
#[derive(Clone, Debug)]
pub struct ReplayExpression {
    expr: Expr,
    /// Attributes outside of the comparisons with the time.
    attributes: Vec<Attribute>,
    comparisons: Vec<TimeComparison>,
    /// All that it names.
    named: Vec<Attribute>,
    /// Clauses that all have to be true and that do not ask for the time.
    steady: Vec<Steady>,
    /// It uses the time in another way.
    open: bool,
    /// It throws dice.
    random: bool,
    remembered: HashMap<Box<[Word]>, Verdict>,
    /// The strings met, by number.
    strings: Strings,
    key: Vec<Word>,
}

/// A part of a key: a kind and a number.
type Word = (u8, i64);

/// What it is at one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Fires,
    DoesNot,
    Unknown,
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
            steady: if is_long { Vec::new() } else { Steady::of(&expr) },
            comparisons: Vec::new(),
            open: false,
            random: is_by_chance(&expr),
            remembered: HashMap::new(),
            strings: Strings::default(),
            key: Vec::new(),
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
    pub fn unrecorded(&self, job: &HeldJob<'_>) -> Vec<&str> {
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

    /// What it does with a held job at the ticks after the hold, until `end` (Unix seconds, not included).
    pub fn answer(&mut self, job: &HeldJob<'_>, ticks: Ticks, end: i64) -> Answer {
        let first = ticks.from(job.held_at().saturating_add(1));
        if first >= end {
            return Answer::Holds;
        }
        if self.random {
            return Answer::Unknown(first);
        }
        let mut open = self.open;
        let mut times: [i64; 16] = [i64::MAX; 16];
        let mut count = 1;
        times[0] = first;
        let mut differences: [Difference; 8] = [Difference::Undefined; 8];
        open |= self.comparisons.len() > differences.len();
        for (comparison, place) in self.comparisons.iter_mut().zip(&mut differences) {
            *place = comparison.difference(job);
            open |= *place == Difference::Other;
            for change in place.changes(first, end).into_iter().flatten() {
                let tick = ticks.from(change);
                if tick > first && tick < end && !times[..count].contains(&tick) {
                    if count == times.len() {
                        open = true;
                        break;
                    }
                    times[count] = tick;
                    count += 1;
                }
            }
        }
        self.begin_key(job);
        open |= self.key.iter().any(|(kind, _)| *kind == VARIES);
        let budget = Budget::new(WORK);
        if open {
            return self.at_every_tick(job, ticks, first, end, &budget);
        }
        let times = &mut times[..count];
        times.sort_unstable();
        for &mut time in times {
            match self.at(job, &differences, time, &budget) {
                Verdict::Fires => return Answer::Releases(time),
                Verdict::Unknown => return Answer::Unknown(time),
                Verdict::DoesNot => {}
            }
        }
        Answer::Holds
    }

    /// The same by evaluating at every tick.
    fn at_every_tick(
        &self,
        job: &HeldJob<'_>,
        ticks: Ticks,
        first: i64,
        end: i64,
        budget: &Budget,
    ) -> Answer {
        let ad = job.ad();
        let unrecorded: Vec<String> = self.unrecorded(job).into_iter().map(str::to_owned).collect();
        // What has to be true and does not change is asked once.
        let never = |clause: &Steady| clause.is_never_true(job, &ad, &unrecorded, first, budget);
        if self.steady.iter().any(never) {
            return Answer::Holds;
        }
        let last = first.saturating_add(ticks.interval.saturating_mul(MAX_TICKS));
        let mut time = first;
        while time < end.min(last) {
            match verdict(&self.expr, &ad, &unrecorded, time, budget) {
                Verdict::Fires => return Answer::Releases(time),
                Verdict::Unknown => return Answer::Unknown(time),
                Verdict::DoesNot => time = time.saturating_add(ticks.interval),
            }
        }
        if time < end { Answer::Unknown(time) } else { Answer::Holds }
    }

    /// The values of the attributes, as the first part of a key.
    fn begin_key(&mut self, job: &HeldJob<'_>) {
        self.key.clear();
        if self.strings.is_full() {
            self.strings = Strings::default();
            self.remembered.clear();
        }
        for attribute in &self.attributes {
            let word = match job.value_of(attribute) {
                LogValue::Unrecorded => (UNRECORDED, 0),
                LogValue::Varies => (VARIES, 0),
                LogValue::Value(value) => match value {
                    Value::Undefined => (UNDEFINED, 0),
                    Value::Boolean(value) => (BOOLEAN, i64::from(value)),
                    Value::Integer(value) => (INTEGER, value),
                    Value::Real(value) => (REAL, value.to_bits().cast_signed()),
                    Value::String(text) => (STRING, self.strings.number(text)),
                    // Lists and ads are rare: what depends on them is not remembered.
                    _ => (VARIES, 0),
                },
            };
            self.key.push(word);
        }
    }

    fn at(
        &mut self,
        job: &HeldJob<'_>,
        differences: &[Difference],
        time: i64,
        budget: &Budget,
    ) -> Verdict {
        self.key.truncate(self.attributes.len());
        for difference in differences.iter().take(self.comparisons.len()) {
            let sign = match difference {
                Difference::Unrecorded => (UNRECORDED, 0),
                _ => difference
                    .sign(time)
                    .map_or((UNDEFINED, 0), |sign| (INTEGER, i64::from(sign as i8))),
            };
            self.key.push(sign);
        }
        if let Some(verdict) = self.remembered.get(self.key.as_slice()) {
            return *verdict;
        }
        let unrecorded: Vec<String> = self.unrecorded(job).into_iter().map(str::to_owned).collect();
        let verdict = verdict(&self.expr, &job.ad_of(&self.named), &unrecorded, time, budget);
        if budget.left() == 0 {
            return Verdict::Unknown;
        }
        if self.remembered.len() >= MAX_REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(self.key.as_slice().into(), verdict);
        verdict
    }
}

/// Numbers of strings.
#[derive(Clone, Debug, Default)]
struct Strings {
    numbers: HashMap<Arc<str>, i64>,
    /// Those of the last strings: a hold is asked about again and again.
    last: [Option<(Arc<str>, i64)>; 2],
}

impl Strings {
    fn is_full(&self) -> bool {
        self.numbers.len() >= MAX_REMEMBERED
    }

    fn number(&mut self, text: Arc<str>) -> i64 {
        let mut last = self.last.iter().flatten();
        if let Some((_, number)) = last.find(|(known, _)| Arc::ptr_eq(known, &text)) {
            return *number;
        }
        let next = i64::try_from(self.numbers.len()).unwrap_or(i64::MAX);
        let number = *self.numbers.entry(Arc::clone(&text)).or_insert(next);
        self.last.swap(0, 1);
        self.last[0] = Some((text, number));
        number
    }
}

/// A clause of a conjunction that does not ask for the time by itself.
#[derive(Clone, Debug)]
struct Steady {
    expr: Expr,
    attributes: Vec<Attribute>,
}

impl Steady {
    fn of(expr: &Expr) -> Vec<Self> {
        let clauses = operands(expr.root(), BinaryOperator::And).into_iter();
        clauses
            .map(|clause| clause.to_expr())
            .filter(|clause| !changes_by_itself(clause))
            .map(|expr| Self { attributes: attributes_of(&expr), expr })
            .collect()
    }

    /// Whether the conjunction is not true at any time, because this is not.
    fn is_never_true(
        &self,
        job: &HeldJob<'_>,
        ad: &classads::ClassAd,
        unrecorded: &[String],
        time: i64,
        budget: &Budget,
    ) -> bool {
        if self.attributes.iter().any(|attribute| job.value_of(attribute) == LogValue::Varies) {
            return false;
        }
        if !unrecorded.is_empty() {
            return verdict(&self.expr, ad, unrecorded, time, budget) == Verdict::DoesNot;
        }
        let context = EvalContext { budget: Some(budget.clone()), ..context(time) };
        match ad.evaluate_expr(&self.expr, &context) {
            _ if budget.left() == 0 => false,
            Value::Boolean(value) => !value,
            Value::Integer(value) => value == 0,
            // Half a second is no release by itself, but true beside another clause.
            Value::Real(_) => false,
            _ => true,
        }
    }
}

const UNRECORDED: u8 = 0;
const UNDEFINED: u8 = 1;
const BOOLEAN: u8 = 2;
const INTEGER: u8 = 3;
const REAL: u8 = 4;
const STRING: u8 = 5;
const VARIES: u8 = 6;

/// How one of the many evaluations is done.
pub(super) fn context(time: i64) -> EvalContext<'static> {
    EvalContext { max_steps: MAX_STEPS, max_bytes: MAX_BYTES, ..EvalContext::at(time) }
}

/// What the expression is at one time. What depends on attributes that are not told of is not known, unless the rest decides: a
/// clause that does not fire keeps a conjunction from it, an alternative that fires makes it fire.
fn verdict(
    expr: &Expr,
    ad: &classads::ClassAd,
    unrecorded: &[String],
    time: i64,
    budget: &Budget,
) -> Verdict {
    let context = EvalContext { budget: Some(budget.clone()), ..context(time) };
    let fires = |expr: &Expr| {
        let value = ad.evaluate_expr(expr, &context);
        if budget.left() == 0 {
            Verdict::Unknown
        } else if Truth::of(&value) == Truth::True {
            Verdict::Fires
        } else {
            Verdict::DoesNot
        }
    };
    if unrecorded.is_empty() {
        return fires(expr);
    }
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
    let other = match operator {
        BinaryOperator::And => BinaryOperator::Or,
        _ => BinaryOperator::And,
    };
    if all.len() == 1 && (depth == 0 || operands(all[0], other).len() == 1) {
        return leaf(&all[0].to_expr());
    }
    let decides = match operator {
        BinaryOperator::And => Verdict::DoesNot,
        _ => Verdict::Fires,
    };
    let mut verdict = match operator {
        BinaryOperator::And => Verdict::Fires,
        _ => Verdict::DoesNot,
    };
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
