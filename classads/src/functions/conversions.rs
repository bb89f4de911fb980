//! Conversions between types.

use super::{Answer, Arguments, Stop, calendar, times};
use crate::eval::scope::Val;
use crate::eval::{Evaluator, Failure};
use crate::number;
use crate::print::{self, Style};
use crate::value::Value;

/// The value as a string, as `strcat` takes it; undefined and error stay themselves.
pub(crate) fn to_string(evaluator: &Evaluator<'_>, value: Val<'_>) -> Result<Value, Failure> {
    if let Val::Plain(kept @ (Value::Undefined | Value::Error | Value::String(_))) = value {
        return Ok(kept);
    }
    let text = evaluator.print(|out, limit| match value {
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
#[allow(clippy::cast_precision_loss)]
pub(crate) fn to_real(value: &Val<'_>) -> Result<f64, Value> {
    match value.as_plain() {
        Some(Value::Undefined) => Err(Value::Undefined),
        Some(Value::Real(real)) => Ok(*real),
        Some(Value::Integer(integer)) => Ok(*integer as f64),
        Some(Value::Boolean(truth)) => Ok(f64::from(u8::from(*truth))),
        Some(Value::String(text)) => {
            number::parse_prefix(text).map(|(real, _)| real).ok_or(Value::Error)
        }
        Some(Value::AbsoluteTime { seconds, .. }) => Ok(*seconds as f64),
        Some(Value::RelativeTime(seconds)) => Ok(number::whole_seconds(*seconds)),
        _ => Err(Value::Error),
    }
}

/// The value as an integer, or what it is instead: undefined or error.
pub(crate) fn to_integer(value: &Val<'_>) -> Result<i64, Value> {
    match value.as_plain() {
        Some(Value::Integer(integer)) => Ok(*integer),
        Some(Value::AbsoluteTime { seconds, .. }) => Ok(*seconds),
        _ => to_real(value).map(number::truncate),
    }
}

pub(crate) fn boolean<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let value = arguments.value(0)?;
    Ok(Val::Plain(match value.as_plain() {
        Some(Value::Undefined) => Value::Undefined,
        Some(Value::RelativeTime(seconds)) => {
            Value::Boolean(number::whole_seconds(*seconds) != 0.0)
        }
        Some(Value::String(text)) if text.eq_ignore_ascii_case("true") => Value::Boolean(true),
        Some(Value::String(text)) if text.eq_ignore_ascii_case("false") => Value::Boolean(false),
        Some(Value::String(_)) => Value::Undefined,
        _ => value.as_condition().map_or(Value::Error, Value::Boolean),
    }))
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
