//! Sums of the time, constants and attributes: `time() - EnteredCurrentStatus`.

use std::collections::HashMap;

use classads::{BinaryOperator, ClassAd, Expr, Node, NodeKind, UnaryOperator, Value};

use super::attribute::{Attribute, LogValue, ReplayedJob, context};
use super::comparison::{Fault, attributes_of, changes_by_itself};

/// Numbers beyond this are left to the evaluator: sums of them would have to be rounded to reals,
/// or would not fit.
const LARGEST: i64 = 1 << 48;

/// The time, so many times, is still below that.
const STEEPEST: i64 = 1 << 14;

/// Values of a term remembered at most.
const MAX_REMEMBERED: usize = 4_096;

/// `slope * time() + constant`, and terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    slope: i64,
    constant: i64,
    /// A constant is a real.
    real: bool,
    terms: Vec<(i64, Term)>,
}

/// What does not change with time.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Attribute(Attribute),
    /// Of attributes: `pow(2, NumHolds)`.
    Expression {
        expr: Expr,
        attributes: Vec<Attribute>,
        /// Values and the steps that they took, by those of the attributes, where all are
        /// integers.
        remembered: HashMap<Vec<i64>, (Value, u32)>,
        key: Vec<i64>,
    },
}

/// A sum on one job: `slope * time() + rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) slope: i64,
    pub(super) rest: i64,
    /// A part of it is a real.
    pub(super) real: bool,
}

impl Sum {
    /// Both sides, the right one subtracted.
    pub(super) fn of(left: Node<'_>, right: Option<Node<'_>>) -> Option<Self> {
        let mut sum = Self::default();
        // A list of what is left to add instead of recursion: sums may be long.
        let mut pending = vec![(left, 1)];
        pending.extend(right.map(|right| (right, -1)));
        while let Some((node, factor)) = pending.pop() {
            match node.kind() {
                NodeKind::Parentheses(inside) | NodeKind::Unary(UnaryOperator::Plus, inside) => {
                    pending.push((inside, factor));
                }
                NodeKind::Unary(UnaryOperator::Minus, inside) => pending.push((inside, -factor)),
                NodeKind::Binary(BinaryOperator::Add, left, right) => {
                    pending.extend([(right, factor), (left, factor)]);
                }
                NodeKind::Binary(BinaryOperator::Subtract, left, right) => {
                    pending.extend([(right, -factor), (left, factor)]);
                }
                NodeKind::Binary(BinaryOperator::Multiply, left, right) => {
                    let (constant, other) = match (constant(left), constant(right)) {
                        (Some(constant), None) => (constant, right),
                        (None, Some(constant)) => (constant, left),
                        _ => {
                            sum.add_term(node, factor)?;
                            continue;
                        }
                    };
                    sum.real |= matches!(constant, Value::Real(_));
                    pending.push((other, within(factor.checked_mul(whole(&constant)?)?)?));
                }
                NodeKind::Call { name, arguments, .. }
                    if name.eq_ignore_ascii_case("time") && arguments.is_empty() =>
                {
                    sum.add_time(factor)?;
                }
                NodeKind::Attribute { scope: None, name, absolute: false }
                    if name.eq_ignore_ascii_case("CurrentTime") =>
                {
                    sum.add_time(factor)?;
                }
                _ => sum.add_term(node, factor)?,
            }
        }
        (sum.slope != 0).then_some(sum)
    }

    fn add_time(&mut self, factor: i64) -> Option<()> {
        let slope = self.slope.checked_add(factor)?;
        self.slope = (-STEEPEST..=STEEPEST).contains(&slope).then_some(slope)?;
        Some(())
    }

    fn add_term(&mut self, node: Node<'_>, factor: i64) -> Option<()> {
        match constant(node) {
            Some(value) => {
                self.real |= matches!(value, Value::Real(_));
                let value = within(factor.checked_mul(whole(&value)?)?)?;
                self.constant = within(self.constant + value)?;
            }
            None => self.terms.push((factor, Term::of(node)?)),
        }
        Some(())
    }

    /// The attributes of its terms.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.terms.iter().flat_map(|(_, term)| term.attributes())
    }

    /// What it is on this job.
    pub(super) fn on(&mut self, job: &ReplayedJob<'_>) -> Result<Line, Fault> {
        let mut line = Line { slope: self.slope, rest: self.constant, real: self.real };
        let mut fault = None;
        for (factor, term) in &mut self.terms {
            let value = match term.on(job) {
                LogValue::Unrecorded => return Err(Fault::Unrecorded),
                LogValue::Value(Value::Undefined) => {
                    fault = fault.max(Some(Fault::Undefined));
                    continue;
                }
                LogValue::Value(value) => value,
                LogValue::Varies => Value::Error,
            };
            line.real |= matches!(value, Value::Real(_));
            let product = whole(&value).and_then(|whole| within(factor.checked_mul(whole)?));
            match product.and_then(|product| within(line.rest + product)) {
                Some(rest) => line.rest = rest,
                None => fault = Some(Fault::Other),
            }
        }
        fault.map_or(Ok(line), Err)
    }
}

impl Term {
    /// Of a part of an expression that does not change with time.
    pub(super) fn of(node: Node<'_>) -> Option<Self> {
        if let NodeKind::Attribute { scope: None, name, absolute: false } = node.kind()
            && !name.eq_ignore_ascii_case("CurrentTime")
        {
            return Some(Self::Attribute(Attribute::named(name)));
        }
        let expr = node.to_expr();
        if changes_by_itself(&expr) {
            return None;
        }
        let attributes = attributes_of(&expr);
        Some(Self::Expression { expr, attributes, remembered: HashMap::new(), key: Vec::new() })
    }

    pub(super) fn attributes(&self) -> &[Attribute] {
        match self {
            Self::Attribute(attribute) => std::slice::from_ref(attribute),
            Self::Expression { attributes, .. } => attributes,
        }
    }

    /// Its value on this job.
    pub(super) fn on(&mut self, job: &ReplayedJob<'_>) -> LogValue {
        let (expr, attributes, remembered, key) = match self {
            Self::Attribute(attribute) => return job.value_of(attribute),
            Self::Expression { expr, attributes, remembered, key } => {
                (&*expr, &*attributes, remembered, key)
            }
        };
        key.clear();
        let mut varies = false;
        for attribute in attributes {
            match job.value_of(attribute) {
                LogValue::Unrecorded => return LogValue::Unrecorded,
                LogValue::Varies => varies = true,
                LogValue::Value(Value::Integer(value)) => key.push(value),
                LogValue::Value(_) => {}
            }
        }
        if varies {
            return LogValue::Varies;
        }
        let integers = key.len() == attributes.len();
        if integers && let Some((value, steps)) = remembered.get(key) {
            job.take(*steps);
            return LogValue::Value(value.clone());
        }
        let (value, steps) = job.counting(|| {
            let ad = job.ad_of(attributes);
            ad.evaluate_expr(expr, &job.context(job.held_at()))
        });
        if integers {
            if remembered.len() >= MAX_REMEMBERED {
                remembered.clear();
            }
            remembered.insert(key.clone(), (value.clone(), steps));
        }
        LogValue::Value(value)
    }
}

/// The value of what names no attribute and does not change.
fn constant(node: Node<'_>) -> Option<Value> {
    let expr = node.to_expr();
    let is_constant = !changes_by_itself(&expr) && expr.attribute_references().is_empty();
    is_constant.then(|| ClassAd::new().evaluate_expr(&expr, &context(0)))
}

fn within(number: i64) -> Option<i64> {
    (-LARGEST..=LARGEST).contains(&number).then_some(number)
}

/// A number without fraction that reals can hold too.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => within(*number),
        Value::Real(number) if number.fract() == 0.0 && number.abs() <= LARGEST as f64 => {
            Some(*number as i64)
        }
        _ => None,
    }
}
