//! Comparisons that change with time alone: `time() - EnteredCurrentStatus > 1200`.

use std::cmp::Ordering;

use classads::{BinaryOperator, Expr, Node, NodeKind, Value};

use super::attribute::{Attribute, HeldJob, LogValue};
use super::sum::{Sum, Summed, Term};
use crate::policy::{asks_time, bisect};

/// A comparison of which one side, or both, are sums in which `time()` stands.
#[derive(Clone, Debug)]
pub(super) struct TimeComparison {
    /// Left side less right side.
    both: Option<Sum>,
    /// For what that is not enough for.
    one: Option<OneSide>,
}

/// A sum, or its quotient, on one side, and what does not change on the other: `(time() - QDate) / 3600 > 1.5`.
#[derive(Clone, Debug)]
struct OneSide {
    sum: Sum,
    divisor: Option<Term>,
    other: Term,
    /// The sum is the right side.
    is_right: bool,
}

/// Left side beside right side on one job: which is the greater at any time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Difference {
    /// `slope * time() + rest`
    Of {
        /// Not 0.
        slope: i64,
        rest: i64,
    },
    /// `slope * time() + rest`, divided, beside another number.
    Quotient { slope: i64, rest: i64, divisor: Number, other: Number, is_right: bool },
    /// Undefined at any time.
    Undefined,
    /// A term is not told of.
    Unrecorded,
    /// It changes with time in another way, or is an error.
    Other,
}

/// A number of the evaluator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Real(f64),
}

impl TimeComparison {
    /// Of a comparison by order or equality, if its sides are such sums.
    pub(super) fn of(operator: BinaryOperator, left: Node<'_>, right: Node<'_>) -> Option<Self> {
        if !operator.is_comparison() {
            return None;
        }
        let both = Sum::of(left, Some(right));
        let one = OneSide::of(left, right, false).or_else(|| OneSide::of(right, left, true));
        (both.is_some() || one.is_some()).then_some(Self { both, one })
    }

    /// The attributes of its terms.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        let both = self.both.iter().flat_map(Sum::attributes);
        let one = self.one.iter().flat_map(|one| {
            let divisor = one.divisor.iter().flat_map(Term::attributes);
            one.sum.attributes().chain(divisor).chain(one.other.attributes())
        });
        both.chain(one)
    }

    /// What it is on this job.
    pub(super) fn difference(&mut self, job: &HeldJob<'_>) -> Difference {
        let both = self.both.as_mut().map_or(Summed::Other, |both| both.on(job));
        match (both, &mut self.one) {
            (Summed::Of { slope, rest, .. }, _) => Difference::Of { slope, rest },
            (Summed::Undefined, _) => Difference::Undefined,
            (Summed::Unrecorded, _) => Difference::Unrecorded,
            (Summed::Other, Some(one)) => one.difference(job),
            (Summed::Other, None) => Difference::Other,
        }
    }
}

impl OneSide {
    fn of(side: Node<'_>, other: Node<'_>, is_right: bool) -> Option<Self> {
        let other = Term::of(other)?;
        let mut inside = side;
        while let NodeKind::Parentheses(node) = inside.kind() {
            inside = node;
        }
        let (sum, divisor) = match inside.kind() {
            NodeKind::Binary(BinaryOperator::Divide, dividend, divisor) => {
                (dividend, Some(Term::of(divisor)?))
            }
            _ => (inside, None),
        };
        Some(Self { sum: Sum::of(sum, None)?, divisor, other, is_right })
    }

    fn difference(&mut self, job: &HeldJob<'_>) -> Difference {
        let told = |term: &mut Term| match term.on(job) {
            LogValue::Value(Value::Undefined) => Err(Difference::Undefined),
            LogValue::Value(Value::Integer(number)) => Ok(Number::Integer(number)),
            LogValue::Value(Value::Real(number)) if !number.is_nan() => Ok(Number::Real(number)),
            LogValue::Unrecorded => Err(Difference::Unrecorded),
            LogValue::Value(_) | LogValue::Varies => Err(Difference::Other),
        };
        let sum = self.sum.on(job);
        let divisor = self.divisor.as_mut().map_or(Ok(Number::Integer(1)), told);
        let other = told(&mut self.other);
        let parts = [divisor.err(), other.err()];
        let is = |summed: Summed, difference: Difference| {
            sum == summed || parts.contains(&Some(difference))
        };
        match (sum, divisor, other) {
            _ if is(Summed::Unrecorded, Difference::Unrecorded) => Difference::Unrecorded,
            _ if is(Summed::Other, Difference::Other) => Difference::Other,
            // An error, or infinite: what that is beside the rest is the evaluator's.
            (_, Ok(divisor), _) if !divisor.can_divide() => Difference::Other,
            (Summed::Of { slope, rest, real }, Ok(divisor), Ok(other)) => {
                // A real sum is divided as a real.
                let divisor = if real { Number::Real(divisor.real()) } else { divisor };
                let is_right = self.is_right;
                Difference::Quotient { slope, rest, divisor, other, is_right }
            }
            _ => Difference::Undefined,
        }
    }
}

impl Number {
    fn real(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Real(number) => number,
        }
    }

    /// The quotient of a sum of seconds by it is finite, and rises or falls with the sum.
    fn can_divide(self) -> bool {
        let number = self.real().abs();
        (1e-9..1e15).contains(&number)
    }

    /// As the evaluator compares; `None` beside what is no number.
    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(&other)),
            _ => self.real().partial_cmp(&other.real()),
        }
    }
}

/// Whether the value depends on when, or on how often, it is asked for.
pub(super) fn changes_by_itself(expr: &Expr) -> bool {
    asks_time(std::slice::from_ref(expr))
        || expr.nodes().any(|node| match node.kind() {
            // Without arguments they take the present time.
            NodeKind::Call { name, arguments, .. } if arguments.is_empty() => {
                ["absTime", "splitTime"].iter().any(|function| name.eq_ignore_ascii_case(function))
            }
            _ => false,
        })
}

/// The attributes of the job that an expression names.
pub(super) fn attributes_of(expr: &Expr) -> Vec<Attribute> {
    expr.attribute_references()
        .iter()
        .filter(|reference| reference.is_own())
        .map(|reference| Attribute::named(&reference.name))
        .collect()
}

impl Difference {
    /// Its sign at a time; `None` where it is no number.
    pub(super) fn sign(&self, time: i64) -> Option<Ordering> {
        let sum = |slope: i64, rest: i64| {
            i128::from(slope).saturating_mul(i128::from(time)) + i128::from(rest)
        };
        match *self {
            Self::Of { slope, rest } => Some(sum(slope, rest).cmp(&0)),
            Self::Quotient { slope, rest, divisor, other, is_right } => {
                let sum = i64::try_from(sum(slope, rest)).ok()?;
                let quotient = match divisor {
                    Number::Integer(divisor) => Number::Integer(sum.checked_div(divisor)?),
                    Number::Real(divisor) => Number::Real(sum as f64 / divisor),
                };
                let order = quotient.compare(other)?;
                Some(if is_right { order.reverse() } else { order })
            }
            _ => None,
        }
    }

    /// The times from which on its sign is another than at `first`, at most twice before `end`. Sums and quotients rise, or
    /// fall, all the time, however they are rounded, so that the times can be searched for.
    pub(super) fn changes(&self, first: i64, end: i64) -> [Option<i64>; 2] {
        let next = self.next_change(first, end);
        [next, next.and_then(|next| self.next_change(next, end))]
    }

    /// The first time after `from` and before `end` at which its sign is another.
    fn next_change(&self, from: i64, end: i64) -> Option<i64> {
        let (sign, last) = (self.sign(from), end - 1);
        let is_other = |time: i64| self.sign(time) != sign;
        (last > from && is_other(last)).then(|| bisect(from, last, is_other))
    }
}
