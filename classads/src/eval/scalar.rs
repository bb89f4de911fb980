//! Values of two words: small, or borrowed from where they stand.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::eval::operators;
use crate::eval::scope::Val;
use crate::expr::Expr;
use crate::expr::operator::{BinaryOperator, UnaryOperator};
use crate::functions::strings::Pieces;
use crate::value::{Value, ValueType};

/// Bytes of a string that is compared in one step; a longer one takes the long way, which counts
/// them.
pub(crate) const LONGEST: usize = 512;

/// A value that is borrowed.
#[derive(Clone, Copy)]
pub(crate) enum Scalar<'v> {
    Undefined,
    Error,
    False,
    True,
    Integer(i64),
    /// Its bits: values of one shape lie in registers.
    Real(u64),
    Text(&'v Arc<str>),
    /// A part of a text.
    Piece(&'v &'v str),
    /// A list of parts of a text.
    Pieces(&'v Pieces<'v>),
    /// A list, an ad or a time; not on the short way.
    Other(&'v Val<'v>),
}

impl<'v> Scalar<'v> {
    /// The value on the short way: no time, long string, list or ad.
    #[inline]
    pub(crate) fn of(value: &'v Value) -> Option<Scalar<'v>> {
        Some(match value {
            Value::Undefined => Scalar::Undefined,
            Value::Error => Scalar::Error,
            Value::Boolean(truth) => (*truth).into(),
            Value::Integer(integer) => Scalar::Integer(*integer),
            Value::Real(real) => (*real).into(),
            Value::String(text) if text.len() <= LONGEST => Scalar::Text(text),
            _ => return None,
        })
    }

    /// Any value.
    pub(crate) fn any(value: &'v Val<'v>) -> Scalar<'v> {
        match value {
            // However long.
            Val::Plain(Value::String(text)) => Scalar::Text(text),
            Val::Plain(plain) => Scalar::of(plain).unwrap_or(Scalar::Other(value)),
            _ => Scalar::Other(value),
        }
    }

    /// Whether the short way goes on with the value.
    pub(crate) fn is_short(self) -> bool {
        match self {
            Scalar::Text(text) => text.len() <= LONGEST,
            Scalar::Piece(text) => text.len() <= LONGEST,
            Scalar::Other(_) => false,
            _ => true,
        }
    }

    pub(crate) fn as_str(self) -> Option<&'v str> {
        match self {
            Scalar::Text(text) => Some(text),
            Scalar::Piece(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_integer(self) -> Option<i64> {
        if let Scalar::Integer(integer) = self { Some(integer) } else { None }
    }

    pub(crate) fn is_undefined(self) -> bool {
        matches!(self, Scalar::Undefined)
    }

    pub(crate) fn is_error(self) -> bool {
        matches!(self, Scalar::Error)
    }

    pub(crate) fn value_type(self) -> ValueType {
        match self {
            Scalar::Undefined => ValueType::Undefined,
            Scalar::Error => ValueType::Error,
            Scalar::False | Scalar::True => ValueType::Boolean,
            Scalar::Integer(_) => ValueType::Integer,
            Scalar::Real(_) => ValueType::Real,
            Scalar::Text(_) | Scalar::Piece(_) => ValueType::String,
            Scalar::Pieces(_) | Scalar::Other(Val::List(..)) => ValueType::List,
            Scalar::Other(Val::Ad(_)) => ValueType::ClassAd,
            Scalar::Other(Val::Plain(value)) => value.value_type(),
        }
    }

    #[inline]
    pub(crate) fn into_value(self) -> Value {
        match self {
            Scalar::Text(text) => Value::String(Arc::clone(text)),
            Scalar::Piece(text) => Value::from(*text),
            Scalar::Pieces(pieces) => {
                let mut values = Vec::with_capacity(pieces.about());
                pieces.each(|piece| {
                    values.push(Expr::literal(piece));
                    ControlFlow::<()>::Continue(())
                });
                Value::List(values.into())
            }
            Scalar::Other(value) => value.clone().into_value(),
            other => other.without_text(),
        }
    }

    pub(crate) fn into_val(self) -> Val<'v> {
        match self {
            Scalar::Other(value) => value.clone(),
            other => Val::made(other.into_value()),
        }
    }

    /// The value for an operator that does not look into a string, and gives the same for all
    /// lists that functions made.
    fn without_text(self) -> Value {
        match self {
            Scalar::Undefined => Value::Undefined,
            Scalar::Error | Scalar::Pieces(_) | Scalar::Other(_) => Value::Error,
            Scalar::False => Value::Boolean(false),
            Scalar::True => Value::Boolean(true),
            Scalar::Integer(integer) => Value::Integer(integer),
            Scalar::Real(bits) => Value::Real(f64::from_bits(bits)),
            Scalar::Text(_) | Scalar::Piece(_) => Value::String(Arc::default()),
        }
    }

    /// What an operator gives, which is no string.
    fn from_operator(value: &Value) -> Scalar<'v> {
        match value {
            Value::Undefined => Scalar::Undefined,
            Value::Boolean(truth) => (*truth).into(),
            Value::Integer(integer) => Scalar::Integer(*integer),
            Value::Real(real) => (*real).into(),
            _ => Scalar::Error,
        }
    }

    pub(crate) fn as_condition(self) -> Option<bool> {
        match self {
            Scalar::False => Some(false),
            Scalar::True => Some(true),
            Scalar::Integer(integer) => Some(integer != 0),
            Scalar::Real(bits) => Some(f64::from_bits(bits) != 0.0),
            _ => None,
        }
    }

    fn is_list(self) -> bool {
        matches!(self, Scalar::Pieces(_) | Scalar::Other(_))
    }
}

impl From<bool> for Scalar<'_> {
    fn from(truth: bool) -> Self {
        if truth { Scalar::True } else { Scalar::False }
    }
}

impl From<f64> for Scalar<'_> {
    fn from(real: f64) -> Self {
        Scalar::Real(real.to_bits())
    }
}

impl From<i64> for Scalar<'_> {
    fn from(integer: i64) -> Self {
        Scalar::Integer(integer)
    }
}

/// `None` for a list.
pub(crate) fn unary<'a>(operator: UnaryOperator, operand: Scalar<'_>) -> Option<Scalar<'a>> {
    if operand.is_list() {
        return None;
    }
    let operand = Val::Plain(operand.without_text());
    Some(Scalar::from_operator(&operators::unary(operator, &operand)))
}

/// Every operator but `?:` and subscript; `&&` and `||` where the left value did not decide. `None`
/// for a list.
#[inline]
pub(crate) fn binary<'a>(
    operator: BinaryOperator,
    left: Scalar<'_>,
    right: Scalar<'_>,
) -> Option<Scalar<'a>> {
    use BinaryOperator as B;
    match (operator, left, right) {
        (_, Scalar::Integer(a), Scalar::Integer(b)) => Some(integers(operator, a, b)),
        (B::And | B::Or, Scalar::False | Scalar::True, Scalar::False) => Some(Scalar::False),
        (B::And | B::Or, Scalar::False | Scalar::True, Scalar::True) => Some(Scalar::True),
        _ => match (left.as_str(), right.as_str()) {
            (Some(a), Some(b)) if operator == B::Identical => Some((a == b).into()),
            (Some(a), Some(b)) if operator == B::NotIdentical => Some((a != b).into()),
            (Some(a), Some(b)) if operator == B::Equal => Some(a.eq_ignore_ascii_case(b).into()),
            (Some(a), Some(b)) if operator.is_comparison() => {
                Some(Scalar::from_operator(&operators::texts(operator, a, b)))
            }
            _ if left.is_list() || right.is_list() => None,
            _ => Some(values(operator, left, right)),
        },
    }
}

/// An operator on integers, the most frequent ones at hand.
#[inline]
pub(crate) fn integers<'a>(operator: BinaryOperator, a: i64, b: i64) -> Scalar<'a> {
    use BinaryOperator as B;
    match operator {
        B::Equal | B::Identical => (a == b).into(),
        B::NotEqual | B::NotIdentical => (a != b).into(),
        B::Less => (a < b).into(),
        B::LessOrEqual => (a <= b).into(),
        B::Greater => (a > b).into(),
        B::GreaterOrEqual => (a >= b).into(),
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
