//! Comparisons that change with time alone: `time() - EnteredCurrentStatus > 1200`.

use std::cmp::Ordering;

use classads::{BinaryOperator, ClassAd, Expr, Node, NodeKind, UnaryOperator, Value};

use super::attribute::{Attribute, HeldJob, Told};
use super::expression::context;
use crate::policy::asks_time;

/// Integers beyond this are left to the evaluator: reals cannot tell them apart.
const LARGEST: i64 = 1 << 53;

/// A comparison of sums in which `time()` stands: left side less right side is `slope * time() + rest`.
#[derive(Clone, Debug)]
pub(super) struct TimeComparison {
    slope: i64,
    /// The sum of the constants.
    constant: i64,
    terms: Vec<(i64, Term)>,
}

/// What is added up, beside the time and constants.
#[derive(Clone, Debug)]
enum Term {
    Attribute(Attribute),
    /// Of attributes, without the time: `600 * NumHolds`.
    Expression(Expr, Vec<Attribute>),
}

/// Left side less right side on one job: its sign at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// `slope * time() + rest`
    Of {
        /// Not 0.
        slope: i64,
        rest: i64,
    },
    /// A term is undefined, or no number: the same at any time.
    Constant,
    /// A term is not told of.
    Unrecorded,
    /// A term is no whole number, or changes with time by itself.
    Other,
}

impl TimeComparison {
    /// Of a comparison by order or equality, if both sides are such sums.
    pub(super) fn of(operator: BinaryOperator, left: Node<'_>, right: Node<'_>) -> Option<Self> {
        if !operator.is_comparison() {
            return None;
        }
        let mut sum = Self { slope: 0, constant: 0, terms: Vec::new() };
        sum.add(left, 1)?;
        sum.add(right, -1)?;
        (sum.slope != 0 && sum.constant.abs() < LARGEST).then_some(sum)
    }

    fn add(&mut self, node: Node<'_>, sign: i64) -> Option<()> {
        match node.kind() {
            NodeKind::Parentheses(inside) | NodeKind::Unary(UnaryOperator::Plus, inside) => {
                return self.add(inside, sign);
            }
            NodeKind::Unary(UnaryOperator::Minus, inside) => return self.add(inside, -sign),
            NodeKind::Binary(BinaryOperator::Add, left, right) => {
                self.add(left, sign)?;
                return self.add(right, sign);
            }
            NodeKind::Binary(BinaryOperator::Subtract, left, right) => {
                self.add(left, sign)?;
                return self.add(right, -sign);
            }
            NodeKind::Call { name, arguments, .. }
                if name.eq_ignore_ascii_case("time") && arguments.is_empty() =>
            {
                self.slope += sign;
                return Some(());
            }
            NodeKind::Attribute { scope: None, name, absolute: false } => {
                if name.eq_ignore_ascii_case("CurrentTime") {
                    self.slope += sign;
                } else {
                    self.terms.push((sign, Term::Attribute(Attribute::named(name))));
                }
                return Some(());
            }
            _ => {}
        }
        let expr = node.to_expr();
        if changes_by_itself(&expr) {
            return None;
        }
        let attributes = attributes_of(&expr);
        if attributes.is_empty() {
            let value = ClassAd::new().evaluate_expr(&expr, &context(0));
            self.constant = self.constant.checked_add(sign * whole(&value)?)?;
        } else {
            self.terms.push((sign, Term::Expression(expr, attributes)));
        }
        Some(())
    }

    /// The attributes of its terms.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.terms.iter().flat_map(|(_, term)| match term {
            Term::Attribute(attribute) => std::slice::from_ref(attribute),
            Term::Expression(_, attributes) => attributes.as_slice(),
        })
    }

    /// What it is on this job.
    pub(super) fn difference(&self, job: &HeldJob<'_>) -> Difference {
        let mut rest = self.constant;
        for (sign, term) in &self.terms {
            let told = match term {
                Term::Attribute(attribute) => job.told(attribute),
                Term::Expression(expr, attributes) => {
                    match attributes.iter().map(|attribute| job.told(attribute)).find(is_no_value) {
                        Some(told) => told,
                        None => Told::Value(job.ad().evaluate_expr(expr, &context(job.held_at()))),
                    }
                }
            };
            let value = match told {
                Told::Value(value) => value,
                Told::Unrecorded => return Difference::Unrecorded,
                Told::Varies => return Difference::Other,
            };
            match whole(&value) {
                Some(value) => rest += sign * value,
                None if value.as_real().is_some() => return Difference::Other,
                None => return Difference::Constant,
            }
        }
        Difference::Of { slope: self.slope, rest }
    }
}

fn is_no_value(told: &Told) -> bool {
    !matches!(told, Told::Value(_))
}

/// A number without fraction that reals can hold too.
fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Integer(number) => *number,
        Value::Real(number) if number.fract() == 0.0 && number.abs() < LARGEST as f64 => {
            *number as i64
        }
        _ => return None,
    };
    (-LARGEST..=LARGEST).contains(&number).then_some(number)
}

/// Whether the value depends on when, or on how often, it is asked for.
pub(super) fn changes_by_itself(expr: &Expr) -> bool {
    asks_time(std::slice::from_ref(expr))
        || expr.nodes().any(|node| match node.kind() {
            // Without arguments they take the present time.
            NodeKind::Call { name, arguments, .. } if arguments.is_empty() => {
                ["absTime", "formatTime", "splitTime", "random"]
                    .iter()
                    .any(|function| name.eq_ignore_ascii_case(function))
            }
            NodeKind::Call { name, .. } => {
                name.eq_ignore_ascii_case("random") || name.eq_ignore_ascii_case("eval")
            }
            _ => false,
        })
}

/// The attributes of the job that an expression names.
pub(super) fn attributes_of(expr: &Expr) -> Vec<Attribute> {
    use classads::ReferenceScope::{My, Unscoped};
    expr.attribute_references()
        .iter()
        .filter(|reference| matches!(reference.scope, Unscoped | My))
        .map(|reference| Attribute::named(&reference.name))
        .collect()
}

impl Difference {
    /// Its sign at a time; `None` where it is no number.
    pub(super) fn sign(&self, time: i64) -> Option<Ordering> {
        match *self {
            Self::Of { slope, rest } => {
                Some((i128::from(slope) * i128::from(time) + i128::from(rest)).cmp(&0))
            }
            _ => None,
        }
    }

    /// The seconds from which on its sign is another: to zero, and from zero on.
    pub(super) fn changes(&self) -> Option<[i64; 2]> {
        let Self::Of { slope, rest } = *self else { return None };
        // slope * t + rest reaches 0, then leaves it.
        let (slope, rest) = if slope > 0 { (slope, rest) } else { (-slope, -rest) };
        let reaches = -rest.div_euclid(slope);
        let exact = rest.rem_euclid(slope) == 0;
        // -floor(rest / slope) = ceil(-rest / slope)
        Some(if exact { [reaches, reaches + 1] } else { [reaches, reaches] })
    }
}
