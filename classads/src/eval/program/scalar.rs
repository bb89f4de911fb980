//! Values of two words: small, or borrowed from where they stand.

use std::sync::Arc;

use crate::eval::operators;
use crate::eval::scope::Val;
use crate::expr::operator::{BinaryOperator, UnaryOperator};
use crate::value::Value;

/// Bytes of a string that is compared in one step; a longer one takes the long way, which counts
/// them.
const LONGEST: usize = 512;

/// A value that is no time, a long string, list or ad.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'a> {
    Undefined,
    Error,
    Boolean(bool),
    Integer(i64),
    Real(f64),
    Text(&'a Arc<str>),
}

impl<'a> Scalar<'a> {
    pub(super) fn of(value: &'a Value) -> Option<Scalar<'a>> {
        Some(match value {
            Value::Undefined => Scalar::Undefined,
            Value::Error => Scalar::Error,
            Value::Boolean(truth) => Scalar::Boolean(*truth),
            Value::Integer(integer) => Scalar::Integer(*integer),
            Value::Real(real) => Scalar::Real(*real),
            Value::String(text) if text.len() <= LONGEST => Scalar::Text(text),
            _ => return None,
        })
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Scalar::Text(text) => Value::String(Arc::clone(text)),
            other => other.without_text(),
        }
    }

    /// The value for an operator that does not look into a string.
    fn without_text(self) -> Value {
        match self {
            Scalar::Undefined => Value::Undefined,
            Scalar::Error => Value::Error,
            Scalar::Boolean(truth) => Value::Boolean(truth),
            Scalar::Integer(integer) => Value::Integer(integer),
            Scalar::Real(real) => Value::Real(real),
            Scalar::Text(_) => Value::String(Arc::default()),
        }
    }

    /// What an operator gives, which is no string.
    fn from_operator(value: &Value) -> Scalar<'a> {
        match value {
            Value::Undefined => Scalar::Undefined,
            Value::Boolean(truth) => Scalar::Boolean(*truth),
            Value::Integer(integer) => Scalar::Integer(*integer),
            Value::Real(real) => Scalar::Real(*real),
            _ => Scalar::Error,
        }
    }

    pub(super) fn as_condition(self) -> Option<bool> {
        match self {
            Scalar::Boolean(truth) => Some(truth),
            Scalar::Integer(integer) => Some(integer != 0),
            Scalar::Real(real) => Some(real != 0.0),
            _ => None,
        }
    }
}

pub(super) fn unary<'a>(operator: UnaryOperator, operand: Scalar<'_>) -> Scalar<'a> {
    Scalar::from_operator(&operators::unary(operator, &Val::Plain(operand.without_text())))
}

/// Every operator but `?:` and subscript; `&&` and `||` where the left value did not decide.
#[inline]
pub(super) fn binary<'a>(
    operator: BinaryOperator,
    left: Scalar<'_>,
    right: Scalar<'_>,
) -> Scalar<'a> {
    use BinaryOperator as B;
    match (operator, left, right) {
        (_, Scalar::Integer(a), Scalar::Integer(b)) => integers(operator, a, b),
        (B::And | B::Or, Scalar::Boolean(_), Scalar::Boolean(right)) => Scalar::Boolean(right),
        (B::Identical, Scalar::Text(a), Scalar::Text(b)) => Scalar::Boolean(a == b),
        (B::NotIdentical, Scalar::Text(a), Scalar::Text(b)) => Scalar::Boolean(a != b),
        (_, Scalar::Text(a), Scalar::Text(b)) if operator.is_comparison() => {
            Scalar::from_operator(&operators::texts(operator, a, b))
        }
        _ => values(operator, left, right),
    }
}

/// An operator on integers, the most frequent ones at hand.
#[inline]
pub(super) fn integers<'a>(operator: BinaryOperator, a: i64, b: i64) -> Scalar<'a> {
    use BinaryOperator as B;
    match operator {
        B::Equal | B::Identical => Scalar::Boolean(a == b),
        B::NotEqual | B::NotIdentical => Scalar::Boolean(a != b),
        B::Less => Scalar::Boolean(a < b),
        B::LessOrEqual => Scalar::Boolean(a <= b),
        B::Greater => Scalar::Boolean(a > b),
        B::GreaterOrEqual => Scalar::Boolean(a >= b),
        B::Add => Scalar::Integer(a.wrapping_add(b)),
        B::Subtract => Scalar::Integer(a.wrapping_sub(b)),
        B::Multiply => Scalar::Integer(a.wrapping_mul(b)),
        _ => values(operator, Scalar::Integer(a), Scalar::Integer(b)),
    }
}

/// An operator that does not look into a string.
#[inline(never)]
fn values<'a>(operator: BinaryOperator, left: Scalar<'_>, right: Scalar<'_>) -> Scalar<'a> {
    let [left, right] = [left, right].map(|value| Val::Plain(value.without_text()));
    Scalar::from_operator(&operators::binary(operator, &left, &right))
}
