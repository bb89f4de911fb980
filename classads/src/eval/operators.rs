//! What operators do to values: three-valued logic, promotion, wrap-around (HTCondor's
//! src/classad/operators.cpp).

use std::cmp::Ordering;

use super::scope::Val;
use crate::expr::operator::{BinaryOperator, UnaryOperator};
use crate::number;
use crate::value::Value;

pub(crate) fn unary(operator: UnaryOperator, operand: &Val<'_>) -> Value {
    let Some(value) = operand.as_plain() else { return Value::Error };
    match (operator, value) {
        (_, Value::Undefined) => Value::Undefined,
        (_, Value::Error) => Value::Error,
        (UnaryOperator::Plus, Value::Integer(_) | Value::Real(_) | Value::RelativeTime(_)) => {
            value.clone()
        }
        (UnaryOperator::Minus, Value::Integer(integer)) => Value::Integer(integer.wrapping_neg()),
        (UnaryOperator::Minus, Value::Real(real)) => Value::Real(-real),
        (UnaryOperator::Minus, Value::RelativeTime(seconds)) => Value::RelativeTime(-seconds),
        (UnaryOperator::Complement, Value::Integer(integer)) => Value::Integer(!integer),
        (UnaryOperator::Not, other) => {
            other.as_condition().map_or(Value::Error, |truth| Value::Boolean(!truth))
        }
        _ => Value::Error,
    }
}

/// Every binary operator but `?:` and subscript. `&&` and `||` see the left value that did not
/// decide.
pub(crate) fn binary(operator: BinaryOperator, left: &Val<'_>, right: &Val<'_>) -> Value {
    use BinaryOperator as B;
    if operator.is_identity() {
        return identity(operator, left, right);
    }
    if matches!(operator, B::And | B::Or) {
        return logic(operator, left, right);
    }
    if left.is_error() || right.is_error() {
        return Value::Error;
    }
    if left.is_undefined() || right.is_undefined() {
        return Value::Undefined;
    }
    let (Some(left), Some(right)) = (left.as_plain(), right.as_plain()) else {
        return Value::Error;
    };
    if operator.is_comparison() {
        return comparison(operator, left, right);
    }
    match operator {
        B::Add | B::Subtract | B::Multiply | B::Divide | B::Modulus => {
            arithmetic(operator, left, right)
        }
        B::BitAnd | B::BitOr | B::BitXor | B::ShiftLeft | B::ShiftRight | B::UnsignedShiftRight => {
            bits(operator, left, right)
        }
        _ => Value::Error,
    }
}

fn identity(operator: BinaryOperator, left: &Val<'_>, right: &Val<'_>) -> Value {
    let same = match (left, right) {
        // What was made, or found by a name in brackets, is of another type than what is written.
        (Val::List(_, a), Val::List(_, b)) | (Val::Ad(a), Val::Ad(b))
            if a.is_shared() != b.is_shared() =>
        {
            false
        }
        // Of two lists or two ads HTCondor says neither yes nor no.
        (Val::List(..), Val::List(..)) | (Val::Ad(_), Val::Ad(_)) => return Value::Error,
        (Val::Plain(Value::Real(a)), Val::Plain(Value::Real(b))) => a == b,
        (Val::Plain(Value::RelativeTime(a)), Val::Plain(Value::RelativeTime(b))) => a == b,
        (Val::Plain(a), Val::Plain(b)) => a == b,
        _ => false,
    };
    Value::Boolean(same == (operator == BinaryOperator::Identical))
}

fn logic(operator: BinaryOperator, left: &Val<'_>, right: &Val<'_>) -> Value {
    /// `None` is undefined.
    fn truth(value: &Val<'_>) -> Result<Option<bool>, ()> {
        match value {
            Val::Plain(Value::Undefined) => Ok(None),
            other => other.as_condition().map(Some).ok_or(()),
        }
    }
    let deciding = operator == BinaryOperator::Or;
    let Ok(left) = truth(left) else { return Value::Error };
    if left == Some(deciding) {
        return Value::Boolean(deciding);
    }
    let Ok(right) = truth(right) else { return Value::Error };
    match (left, right) {
        (_, Some(right)) if right == deciding => Value::Boolean(deciding),
        (Some(_), Some(_)) => Value::Boolean(!deciding),
        _ => Value::Undefined,
    }
}

fn ordered(operator: BinaryOperator, ordering: Option<Ordering>) -> Value {
    use BinaryOperator as B;
    // A NaN is unequal to everything and neither above nor below.
    let Some(ordering) = ordering else { return Value::Boolean(operator == B::NotEqual) };
    Value::Boolean(match operator {
        B::Equal => ordering.is_eq(),
        B::NotEqual => ordering.is_ne(),
        B::Less => ordering.is_lt(),
        B::LessOrEqual => ordering.is_le(),
        B::Greater => ordering.is_gt(),
        B::GreaterOrEqual => ordering.is_ge(),
        _ => return Value::Error,
    })
}

/// A comparison of two strings.
pub(super) fn texts(operator: BinaryOperator, a: &str, b: &str) -> Value {
    ordered(operator, Some(compare_without_case(a, b)))
}

fn comparison(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::String(a), Value::String(b)) => texts(operator, a, b),
        (Value::AbsoluteTime { seconds: a, .. }, Value::AbsoluteTime { seconds: b, .. }) => {
            ordered(operator, Some(a.cmp(b)))
        }
        (Value::RelativeTime(a), Value::RelativeTime(b)) => ordered(operator, a.partial_cmp(b)),
        _ => match numbers(left, right) {
            Some(Numbers::Integers(a, b)) => ordered(operator, Some(a.cmp(&b))),
            Some(Numbers::Reals(a, b)) => ordered(operator, a.partial_cmp(&b)),
            None => Value::Error,
        },
    }
}

/// C's `strcasecmp`.
pub(crate) fn compare_without_case(a: &str, b: &str) -> Ordering {
    /// Bytes compared at once for equality, which is faster than for order.
    const PIECE: usize = 64;
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some((first, a_rest)), Some((second, b_rest))) =
        (a.split_at_checked(PIECE), b.split_at_checked(PIECE))
        && first.eq_ignore_ascii_case(second)
    {
        (a, b) = (a_rest, b_rest);
    }
    let lower = u8::to_ascii_lowercase;
    a.iter().map(lower).cmp(b.iter().map(lower))
}

enum Numbers {
    Integers(i64, i64),
    Reals(f64, f64),
}

/// Both values as numbers of one type: booleans are 0 and 1, an integer beside a real is a real.
#[allow(clippy::cast_precision_loss)]
fn numbers(left: &Value, right: &Value) -> Option<Numbers> {
    let integer = |value: &Value| match value {
        Value::Boolean(truth) => Some(i64::from(*truth)),
        Value::Integer(integer) => Some(*integer),
        _ => None,
    };
    let real = |value: &Value| match value {
        Value::Real(real) => Some(*real),
        other => integer(other).map(|integer| integer as f64),
    };
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => Some(Numbers::Integers(left, right)),
        _ => Some(Numbers::Reals(real(left)?, real(right)?)),
    }
}

fn arithmetic(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    match numbers(left, right) {
        Some(Numbers::Integers(a, b)) => integers(operator, a, b),
        Some(Numbers::Reals(a, b)) => reals(operator, a, b),
        None => times(operator, left, right),
    }
}

fn integers(operator: BinaryOperator, a: i64, b: i64) -> Value {
    use BinaryOperator as B;
    Value::Integer(match operator {
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Divide | B::Modulus if b == 0 => return Value::Error,
        // The quotient of the smallest integer and -1 does not fit: HTCondor gives the largest one.
        B::Divide => a.checked_div(b).unwrap_or(i64::MAX),
        B::Modulus => a.checked_rem(b).unwrap_or(0),
        _ => return Value::Error,
    })
}

fn reals(operator: BinaryOperator, a: f64, b: f64) -> Value {
    use BinaryOperator as B;
    let result = match operator {
        B::Add => a + b,
        B::Subtract => a - b,
        B::Multiply => a * b,
        B::Divide => a / b,
        _ => return Value::Error,
    };
    // Infinity is an error; minus infinity and NaN pass, as in HTCondor.
    if result == f64::INFINITY { Value::Error } else { Value::Real(result) }
}

#[allow(clippy::cast_precision_loss)]
fn times(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    use BinaryOperator as B;
    use Value::{AbsoluteTime, Integer, Real, RelativeTime};
    let shifted = |seconds: &i64, by: i64, offset: &i32| AbsoluteTime {
        seconds: seconds.wrapping_add(by),
        offset: *offset,
    };
    let whole = |seconds: &f64| i64::from(number::truncate_i32(*seconds));
    match (operator, left, right) {
        (B::Add, AbsoluteTime { seconds, offset }, RelativeTime(by))
        | (B::Add, RelativeTime(by), AbsoluteTime { seconds, offset }) => {
            shifted(seconds, whole(by), offset)
        }
        (B::Subtract, AbsoluteTime { seconds, offset }, RelativeTime(by)) => {
            shifted(seconds, whole(by).wrapping_neg(), offset)
        }
        (B::Subtract, AbsoluteTime { seconds: a, .. }, AbsoluteTime { seconds: b, .. }) => {
            RelativeTime(a.wrapping_sub(*b) as f64)
        }
        (B::Add, RelativeTime(a), RelativeTime(b)) => RelativeTime(a + b),
        (B::Subtract, RelativeTime(a), RelativeTime(b)) => RelativeTime(a - b),
        (B::Multiply, RelativeTime(a), Integer(b)) | (B::Multiply, Integer(b), RelativeTime(a)) => {
            RelativeTime(a * *b as f64)
        }
        (B::Multiply, RelativeTime(a), Real(b)) | (B::Multiply, Real(b), RelativeTime(a)) => {
            RelativeTime(a * b)
        }
        (B::Divide, RelativeTime(a), Integer(b)) => RelativeTime(a / *b as f64),
        (B::Divide, RelativeTime(a), Real(b)) => RelativeTime(a / b),
        _ => Value::Error,
    }
}

fn bits(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    use BinaryOperator as B;
    let (Value::Integer(a), Value::Integer(b)) = (left, right) else { return Value::Error };
    // The processor takes the low six bits of the distance.
    let distance = |by: i64| u32::try_from(by & 63).unwrap_or(0);
    Value::Integer(match operator {
        B::BitAnd => a & b,
        B::BitOr => a | b,
        B::BitXor => a ^ b,
        B::ShiftLeft => a.wrapping_shl(distance(*b)),
        B::ShiftRight if *a >= 0 => a.wrapping_shr(distance(*b)),
        B::ShiftRight => a >> (*b).clamp(0, 63),
        B::UnsignedShiftRight if *a >= 0 => a.wrapping_shr(distance(*b)),
        B::UnsignedShiftRight => {
            // One step clears the sign, the rest of the distance follows.
            ((a >> 1) & i64::MAX).wrapping_shr(distance(b.wrapping_sub(1)))
        }
        _ => return Value::Error,
    })
}
