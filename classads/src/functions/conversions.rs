//! Conversions between types.

use super::plain::{Given, Plain};
use super::{Answer, Arguments, Stop, calendar, times};
use crate::eval::Failure;
use crate::eval::meter::Meter;
use crate::eval::scalar::Scalar;
use crate::eval::scope::Val;
use crate::number;
use crate::print::{self, Style};
use crate::value::Value;

/// The value as a string, as `strcat` takes it; undefined and error stay themselves.
pub(crate) fn to_string(meter: &Meter, value: Val<'_>) -> Result<Value, Failure> {
    if let Val::Plain(kept @ (Value::Undefined | Value::Error | Value::String(_))) = value {
        return Ok(kept);
    }
    let text = meter.print(|out, limit| match value {
        Val::Plain(Value::AbsoluteTime { seconds, offset }) => {
            *out = times::format_absolute(seconds, offset);
        }
        // HTCondor cuts the fraction off here.
        Val::Plain(Value::RelativeTime(seconds)) => {
            *out = times::format_relative(number::whole_seconds(seconds));
        }
        other => print::value_within(out, &other.into_value(), Style::New, limit),
    })?;
    Ok(text.into())
}

/// The value as a real, or what it is instead: undefined or error.
pub(crate) fn to_real(value: &Val<'_>) -> Result<f64, Stop> {
    real_of(Scalar::any(value))
}

#[allow(clippy::cast_precision_loss)]
fn real_of(value: Scalar<'_>) -> Result<f64, Stop> {
    match value {
        Scalar::Undefined => Err(Stop::Undefined),
        Scalar::Real(bits) => Ok(f64::from_bits(bits)),
        Scalar::Integer(integer) => Ok(integer as f64),
        Scalar::False => Ok(0.0),
        Scalar::True => Ok(1.0),
        Scalar::Text(_) | Scalar::Piece(_) => {
            let text = value.as_str().unwrap_or_default();
            match number::few_digits(text.as_bytes()) {
                Some(integer) => Ok(integer as f64),
                None => number::parse_prefix(text).map(|(real, _)| real).ok_or(Stop::Error),
            }
        }
        Scalar::Other(Val::Plain(Value::AbsoluteTime { seconds, .. })) => Ok(*seconds as f64),
        Scalar::Other(Val::Plain(Value::RelativeTime(seconds))) => {
            Ok(number::whole_seconds(*seconds))
        }
        _ => Err(Stop::Error),
    }
}

/// The value as an integer, or what it is instead: undefined or error.
pub(crate) fn to_integer(value: &Val<'_>) -> Result<i64, Stop> {
    integer_of(Scalar::any(value))
}

fn integer_of(value: Scalar<'_>) -> Result<i64, Stop> {
    match value {
        Scalar::Integer(integer) => Ok(integer),
        Scalar::Other(Val::Plain(Value::AbsoluteTime { seconds, .. })) => Ok(*seconds),
        _ => real_of(value).map(number::truncate),
    }
}

pub(crate) fn integer<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    Ok(Scalar::Integer(integer_of(call.value(0)?)?))
}

pub(crate) fn real<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    Ok(real_of(call.value(0)?)?.into())
}

pub(crate) fn string<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let value = call.value(0)?;
    if value.as_str().is_some() {
        return Ok(value);
    }
    let mut text = call.scratch();
    call.append(&mut text, value)?;
    call.give(text)
}

pub(crate) fn boolean<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let value = call.value(0)?;
    Ok(match value {
        Scalar::Undefined => Scalar::Undefined,
        Scalar::Other(Val::Plain(Value::RelativeTime(seconds))) => {
            (number::whole_seconds(*seconds) != 0.0).into()
        }
        Scalar::Text(_) | Scalar::Piece(_) => match value.as_str() {
            Some(text) if text.eq_ignore_ascii_case("true") => Scalar::True,
            Some(text) if text.eq_ignore_ascii_case("false") => Scalar::False,
            _ => Scalar::Undefined,
        },
        _ => value.as_condition().map_or(Scalar::Error, Scalar::from),
    })
}

pub(crate) fn relative_time<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    Ok(Val::Plain(match arguments.value(0)?.as_plain() {
        Some(Value::Undefined) => Value::Undefined,
        // C's int takes the low 32 bits.
        Some(Value::Integer(seconds)) => Value::RelativeTime(f64::from(low_bits(*seconds))),
        Some(Value::Real(seconds)) => Value::RelativeTime(*seconds),
        // A string that is no constant is not read as a time.
        Some(Value::String(_)) => Value::RelativeTime(0.0),
        #[allow(clippy::cast_precision_loss)]
        Some(Value::AbsoluteTime { seconds, .. }) => Value::RelativeTime(*seconds as f64),
        Some(Value::RelativeTime(seconds)) => Value::RelativeTime(*seconds),
        _ => Value::Error,
    }))
}

#[allow(clippy::cast_possible_truncation)]
pub(crate) fn low_bits(value: i64) -> i32 {
    value as i32
}

pub(crate) fn absolute_time<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    if arguments.len() == 0 {
        return super::time_functions::current_time(arguments);
    }
    let moment = arguments.value(0)?;
    let offset = if arguments.len() == 2 {
        match arguments.value(1)?.as_plain() {
            Some(Value::Integer(seconds)) => Some(low_bits(*seconds)),
            Some(Value::Real(seconds) | Value::RelativeTime(seconds)) => {
                Some(number::truncate_i32(*seconds))
            }
            _ => return Ok(Val::ERROR),
        }
    } else {
        None
    };
    let at = |seconds: i64| {
        let offset = offset
            .unwrap_or_else(|| calendar::offset_at(seconds, &arguments.evaluator.context.zone()));
        Val::Plain(Value::AbsoluteTime { seconds, offset })
    };
    Ok(match moment.as_plain() {
        Some(Value::Undefined) => Val::UNDEFINED,
        Some(Value::Integer(_)) if offset == Some(-1) => return Err(Stop::Failure),
        Some(Value::Integer(seconds)) => at(i64::from(low_bits(*seconds))),
        Some(Value::Real(seconds)) => at(i64::from(number::truncate_i32(*seconds))),
        Some(Value::RelativeTime(seconds)) => at(number::truncate_i32(*seconds).into()),
        Some(Value::String(_))
            if arguments.len() == 1 && arguments.string_constant(0).is_some() =>
        {
            let written = arguments.string_constant(0).and_then(times::parse_absolute);
            written.map_or(Val::ERROR, |time| {
                Val::Plain(time.value_in(&arguments.evaluator.context.zone()))
            })
        }
        // A string that is no constant stays a string.
        Some(Value::String(_) | Value::AbsoluteTime { .. }) => moment,
        _ => Val::ERROR,
    })
}
