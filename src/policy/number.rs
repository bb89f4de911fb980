//! Numbers as HTCondor's C++ takes them from the value of an expression.

use classads::Value;

/// The whole number that a policy or a knob stands for: a real loses its fraction, a boolean is 0
/// or 1 (`Value::IsNumber(long long&)` in `src/classad/value.cpp`). A real that no 64 bits hold, or
/// that is no number, is what x86-64 makes of it. `None`: neither a number nor a boolean.
pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        Value::Boolean(value) => Some(i64::from(*value)),
        Value::Real(value) if *value >= i64::MIN as f64 && *value < i64::MAX as f64 => {
            Some(*value as i64)
        }
        Value::Real(_) => Some(i64::MIN),
        _ => None,
    }
}

/// The same where HTCondor reads the attribute into an `int`: the upper 32 bits are lost
/// (`Value::IsNumber(int&)`), so that 9999999999 is 1410065407.
pub(super) fn int(value: &Value) -> Option<i64> {
    whole(value).map(|value| i64::from(value as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_as_in_htcondor() {
        assert_eq!(whole(&Value::Real(1.7e9)), Some(1_700_000_000));
        assert_eq!(whole(&Value::Real(-0.9)), Some(0));
        assert_eq!(whole(&Value::Real(f64::NAN)), Some(i64::MIN));
        assert_eq!(whole(&Value::Real(1e30)), Some(i64::MIN));
        assert_eq!(whole(&Value::Boolean(true)), Some(1));
        assert_eq!(whole(&Value::Undefined), None);
        assert_eq!(int(&Value::Integer(9_999_999_999)), Some(1_410_065_407));
        assert_eq!(int(&Value::Integer(1 << 31)), Some(i64::from(i32::MIN)));
    }
}
