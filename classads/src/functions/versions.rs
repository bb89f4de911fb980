//! Version numbers: digits compare as numbers (HTCondor's src/classad/natural_cmp.cpp).

use std::cmp::Ordering;

use super::conversions::to_string;
use super::plain::{Given, Plain};
use super::strings::compared;
use super::{Answer, Arguments};
use crate::eval::scope::Val;
use crate::value::Value;

/// Negative, zero or positive, as HTCondor's function gives it.
fn natural(left: &str, right: &str) -> i64 {
    let (a, b) = (left.as_bytes(), right.as_bytes());
    let byte = |text: &[u8], at: usize| text.get(at).copied().unwrap_or(0);
    let digit = |text: &[u8], at: usize| byte(text, at).is_ascii_digit();
    let Some(at) = (0..=a.len().max(b.len())).find(|at| byte(a, *at) != byte(b, *at)) else {
        return 0;
    };
    // C's char has a sign.
    let plain = i64::from(byte(a, at).cast_signed()) - i64::from(byte(b, at).cast_signed());
    // The run of digits the first difference lies in, or touches from behind.
    let mut start = at;
    while start > 0 && digit(a, start - 1) {
        start -= 1;
    }
    if start == at && !(digit(a, at) && digit(b, at)) {
        return plain;
    }
    let leading = |text: &[u8]| {
        let mut end = start;
        while byte(text, end) == b'0' {
            end += 1;
        }
        // A zero that ends the number is no leading zero.
        if end > start && !digit(text, end) { end - 1 - start } else { end - start }
    };
    let length = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let (zeros_a, zeros_b) = (leading(a), leading(b));
    if zeros_a != zeros_b {
        return length(zeros_b) - length(zeros_a);
    }
    if zeros_a > 0 {
        return plain;
    }
    let digits = |text: &[u8]| (start..).take_while(|at| digit(text, *at)).count();
    let (digits_a, digits_b) = (digits(a), digits(b));
    if digits_a != digits_b { length(digits_a) - length(digits_b) } else { plain }
}

pub(crate) fn compare<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    compared(call, |left, right| natural(left, right).into())
}

pub(crate) fn test<'v>(call: &Plain<'_, 'v>, holds: fn(Ordering) -> bool) -> Given<'v> {
    compared(call, |left, right| holds(natural(left, right).cmp(&0)).into())
}

pub(crate) fn in_range<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let tested = arguments.value(0)?;
    let low = arguments.value(1)?;
    let high = arguments.value(2)?;
    if low.is_undefined() || high.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let tested = to_string(arguments.evaluator, tested)?;
    let (low, high) = (to_string(arguments.evaluator, low)?, to_string(arguments.evaluator, high)?);
    Ok(Val::Plain(match (tested, low, high) {
        (Value::String(tested), Value::String(low), Value::String(high)) => {
            Value::Boolean(natural(&low, &tested) <= 0 && natural(&tested, &high) <= 0)
        }
        _ => Value::Error,
    }))
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn digits_compare_as_numbers() {
        assert!(natural("1.2", "1.10") < 0);
        assert!(natural("10.0.1", "9.9.9") > 0);
        assert!(natural("25.14.1", "25.14.1") == 0);
        assert!(natural("8.9.08", "8.9.1") < 0);
        assert!(natural("a", "b") < 0);
        assert!(natural("file10a", "file10b") < 0);
        assert!(natural("1.2", "1.2.3") < 0);
    }
}
