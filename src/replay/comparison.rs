//! Comparisons that change with time alone: `time() - EnteredCurrentStatus > 1200`.

use std::cmp::Ordering;

use classads::{BinaryOperator, Expr, Node, NodeKind, Value};

use super::attribute::{Attribute, LogValue, ReplayedJob};
use super::sum::{Sum, Term};
use crate::policy::{Sign, asks_time, without_parentheses};

/// A comparison of which one side, or both, are sums in which `time()` stands: the ways to work it
/// out, of which the first that does is taken.
#[derive(Clone, Debug)]
pub(super) struct TimeComparison(Vec<Side>);

/// A sum, or its quotient, beside what does not change: `(time() - QDate) / 3600 > 1.5`.
#[derive(Clone, Debug)]
struct Side {
    sum: Sum,
    /// 1 where there is none.
    divisor: Option<Term>,
    /// 0 where there is none.
    other: Option<Term>,
    /// The sum is the right side.
    is_right: bool,
}

/// Left side beside right side on one job: `slope * time() + rest`, divided, beside another number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Difference {
    /// Not 0.
    slope: i64,
    rest: i64,
    divisor: Number,
    other: Number,
    is_right: bool,
}

/// Why a sum or a comparison is no number; of several the greatest holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// Undefined at any time.
    Undefined,
    /// It changes with time in another way, is no number that can be calculated with here, or is an
    /// error.
    Other,
    /// A term is not told of.
    Unrecorded,
}

/// A number of the evaluator.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
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
        let both = both.map(|sum| Side { sum, divisor: None, other: None, is_right: false });
        let one = Side::of(left, right, false).or_else(|| Side::of(right, left, true));
        let sides: Vec<Side> = both.into_iter().chain(one).collect();
        (!sides.is_empty()).then_some(Self(sides))
    }

    /// The attributes of its terms.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.0.iter().flat_map(|side| {
            let terms = side.divisor.iter().chain(&side.other).flat_map(Term::attributes);
            side.sum.attributes().chain(terms)
        })
    }

    /// What it is on this job.
    pub(super) fn difference(&mut self, job: &ReplayedJob<'_>) -> Result<Difference, Fault> {
        let mut found = Err(Fault::Other);
        for side in &mut self.0 {
            found = side.difference(job);
            if found != Err(Fault::Other) {
                break;
            }
        }
        found
    }
}

impl Side {
    fn of(side: Node<'_>, other: Node<'_>, is_right: bool) -> Option<Self> {
        let other = Some(Term::of(other)?);
        let inside = without_parentheses(side);
        let (sum, divisor) = match inside.kind() {
            NodeKind::Binary(BinaryOperator::Divide, dividend, divisor) => {
                (dividend, Some(Term::of(divisor)?))
            }
            _ => (inside, None),
        };
        Some(Self { sum: Sum::of(sum, None)?, divisor, other, is_right })
    }

    fn difference(&mut self, job: &ReplayedJob<'_>) -> Result<Difference, Fault> {
        let number = |term: &mut Option<Term>, default: i64| {
            let Some(term) = term else { return Ok(Number::Integer(default)) };
            match term.on(job) {
                LogValue::Value(Value::Undefined) => Err(Fault::Undefined),
                LogValue::Value(Value::Integer(number)) => Ok(Number::Integer(number)),
                LogValue::Value(Value::Real(number)) if !number.is_nan() => {
                    Ok(Number::Real(number))
                }
                LogValue::Unrecorded => Err(Fault::Unrecorded),
                LogValue::Value(_) | LogValue::Varies => Err(Fault::Other),
            }
        };
        let sum = self.sum.on(job);
        let divisor = number(&mut self.divisor, 1);
        let other = number(&mut self.other, 0);
        // An error, or infinite: what that is beside the rest is the evaluator's.
        let divides = divisor.is_ok_and(|divisor| !divisor.can_divide()).then_some(Fault::Other);
        match (sum, divisor, other) {
            (Ok(sum), Ok(divisor), Ok(other)) if divides.is_none() => {
                // A real sum is divided as a real.
                let divisor = if sum.real { Number::Real(divisor.real()) } else { divisor };
                let (slope, rest, is_right) = (sum.slope, sum.rest, self.is_right);
                Ok(Difference { slope, rest, divisor, other, is_right })
            }
            _ => {
                let faults = [sum.err(), divisor.err(), other.err(), divides];
                Err(faults.into_iter().flatten().max().unwrap_or(Fault::Other))
            }
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

/// Sums and quotients rise, or fall, all the time, however they are rounded.
impl Sign for Difference {
    fn at(&self, time: i64) -> Option<Ordering> {
        let sum = self.slope.checked_mul(time)?.checked_add(self.rest)?;
        let quotient = match self.divisor {
            Number::Integer(1) => Number::Integer(sum),
            Number::Integer(divisor) => Number::Integer(sum.checked_div(divisor)?),
            Number::Real(divisor) => Number::Real(sum as f64 / divisor),
        };
        let order = quotient.compare(self.other)?;
        Some(if self.is_right { order.reverse() } else { order })
    }

    fn equal(&self) -> Option<i64> {
        let rest = self.other.real() * self.divisor.real() - self.rest as f64;
        Some((rest / self.slope as f64) as i64)
    }
}
