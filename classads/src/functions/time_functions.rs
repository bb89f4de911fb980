//! Clock and calendar.

use std::sync::Arc;

use super::calendar::{self, Fields};
use super::conversions::{low_bits, to_integer};
use super::{Answer, Arguments, Stop, strftime};
use crate::ad::ClassAd;
use crate::eval::Evaluator;
use crate::eval::scope::{Scope, Val};
use crate::number;
use crate::value::Value;

pub(crate) fn current_time<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let seconds = arguments.evaluator.context.now;
    let offset = calendar::offset_at(seconds, &arguments.evaluator.context.zone());
    Ok(Val::Plain(Value::AbsoluteTime { seconds, offset }))
}

pub(crate) fn time_zone_offset<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let offset =
        calendar::offset_at(arguments.evaluator.context.now, &arguments.evaluator.context.zone());
    Ok(Val::Plain(Value::RelativeTime(offset.into())))
}

/// Seconds since local midnight.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn day_time<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let now = arguments.evaluator.context.now;
    let local =
        now.saturating_add(calendar::offset_at(now, &arguments.evaluator.context.zone()).into());
    Ok(Val::Plain(Value::RelativeTime(local.rem_euclid(86400) as f64)))
}

pub(crate) fn field<'a>(
    arguments: &Arguments<'_, 'a>,
    of_moment: Option<fn(&Fields) -> i64>,
    of_length: Option<fn(i64) -> i64>,
) -> Answer<'a> {
    let value = arguments.value(0)?;
    Ok(match (value.as_plain(), of_moment, of_length) {
        (Some(Value::AbsoluteTime { seconds, .. }), Some(of_moment), _) => {
            // Local time, whatever zone the time itself has.
            let offset = calendar::offset_at(*seconds, &arguments.evaluator.context.zone());
            calendar::fields(*seconds, offset)
                .map_or(Val::ERROR, |fields| of_moment(&fields).into())
        }
        (Some(Value::RelativeTime(seconds)), _, Some(of_length)) => {
            of_length(number::truncate_i32(*seconds).into()).into()
        }
        _ => Val::ERROR,
    })
}

pub(crate) fn of_moment<'a>(arguments: &Arguments<'_, 'a>, of: fn(&Fields) -> i64) -> Answer<'a> {
    field(arguments, Some(of), None)
}

enum Split {
    Moment(Fields, i32),
    /// Days, hours, minutes, seconds.
    Length(i64, i64, i64, f64),
}

fn split(evaluator: &Evaluator<'_>, value: &Value) -> Option<Split> {
    let here = |seconds: i64| {
        let offset = calendar::offset_at(seconds, &evaluator.context.zone());
        calendar::fields(seconds, offset).map(|fields| Split::Moment(fields, offset))
    };
    match value {
        Value::Integer(seconds) => here(*seconds),
        Value::Real(seconds) => here(number::truncate_i32(*seconds).into()),
        Value::AbsoluteTime { seconds, offset } => {
            calendar::fields(*seconds, *offset).map(|fields| Split::Moment(fields, *offset))
        }
        Value::RelativeTime(seconds) => Some(split_length(*seconds)),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss)]
fn split_length(seconds: f64) -> Split {
    let size = seconds.abs();
    let whole = i64::from(number::truncate_i32(size));
    let mut parts = (whole / 86400, whole % 86400 / 3600, whole % 3600 / 60);
    let mut last = (whole % 60) as f64 + (size - size.floor());
    if seconds < 0.0 {
        // The largest part alone carries the sign.
        match &mut parts {
            (days @ 1.., ..) => *days = -*days,
            (_, hours @ 1.., _) => *hours = -*hours,
            (.., minutes @ 1..) => *minutes = -*minutes,
            _ => last = -last,
        }
    }
    Split::Length(parts.0, parts.1, parts.2, last)
}

/// Attributes that `splitTime` gives at most.
const FIELDS: usize = 8;

pub(crate) fn split_time<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let value = arguments.value(0)?;
    if value.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let split = value.as_plain().and_then(|value| split(arguments.evaluator, value));
    let split = split.ok_or(Stop::Error)?;
    arguments.evaluator.make_elements(FIELDS * 2)?;
    let mut ad = ClassAd::new();
    match split {
        Split::Moment(at, offset) => {
            ad.insert_value("Type", "AbsoluteTime");
            ad.insert_value("Year", at.year);
            ad.insert_value("Month", at.month);
            ad.insert_value("Day", at.day);
            ad.insert_value("Hours", at.hour);
            ad.insert_value("Minutes", at.minute);
            ad.insert_value("Seconds", at.second);
            ad.insert_value("Offset", i64::from(offset));
        }
        Split::Length(days, hours, minutes, seconds) => {
            ad.insert_value("Type", "RelativeTime");
            ad.insert_value("Days", days);
            ad.insert_value("Hours", hours);
            ad.insert_value("Minutes", minutes);
            ad.insert_value("Seconds", seconds);
        }
    }
    Ok(Val::Ad(Scope::Made(None).nested(&Arc::new(ad))))
}

/// The fields an ad made by `splitTime` has.
fn fields_of_ad(evaluator: &Evaluator<'_>, scope: &Scope<'_>) -> Fields {
    let or = |name: &str, otherwise: i64| {
        let name = crate::name::Name::new(name);
        match evaluator.attribute(scope, &name, true) {
            Ok(Val::Plain(Value::Integer(value))) => i64::from(low_bits(value)),
            Ok(Val::Plain(Value::Real(value))) => i64::from(number::truncate_i32(value)),
            Ok(Val::Plain(Value::Boolean(value))) => value.into(),
            _ => otherwise,
        }
    };
    let part = |name: &str| or(name, 0);
    // What is missing is zero in C's own count: years from 1900, months from January.
    let (year, month, day) = (or("Year", 1900), or("Month", 1), part("Day"));
    let days = calendar::days_from_civil(year, month, day);
    Fields {
        year,
        month,
        day,
        hour: part("Hours"),
        minute: part("Minutes"),
        second: part("Seconds"),
        weekday: (days + 4).rem_euclid(7),
        yearday: days - calendar::days_from_civil(year, 1, 1),
    }
}

pub(crate) fn format_time<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let moment = match arguments.len() {
        0 => arguments.evaluator.context.now.into(),
        _ => arguments.value(0)?,
    };
    let fields = match &moment {
        Val::Ad(scope) => fields_of_ad(arguments.evaluator, scope),
        Val::Plain(Value::RelativeTime(_)) | Val::List(..) => return Ok(Val::ERROR),
        Val::Plain(value) => match split(arguments.evaluator, value) {
            Some(Split::Moment(fields, _)) => fields,
            _ => return Ok(Val::ERROR),
        },
    };
    let zone = strftime::LocalZone {
        zone: arguments.evaluator.context.zone(),
        now: arguments.evaluator.context.now,
    };
    let written = |pattern: &str| {
        // What is no conversion is copied.
        arguments.evaluator.make(pattern.len())?;
        let text = arguments.evaluator.print(|out, limit| {
            *out = strftime::format_within(&fields, pattern, &zone, limit);
        })?;
        Ok(text.into())
    };
    if arguments.len() < 2 { written("%c") } else { written(&arguments.text(1)?) }
}

/// Seconds as `days+hh:mm:ss`.
pub(crate) fn interval<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let Ok(seconds) = to_integer(&arguments.value(0)?) else { return Ok(Val::ERROR) };
    let total = low_bits(seconds);
    let (days, rest) = (total / 86400, total % 86400);
    let (hours, rest) = (rest / 3600, rest % 3600);
    let (minutes, seconds) = (rest / 60, rest % 60);
    let text = if days != 0 {
        format!("{days}+{:02}:{:02}:{:02}", hours.abs(), minutes.abs(), seconds.abs())
    } else if hours != 0 {
        format!("{hours}:{:02}:{:02}", minutes.abs(), seconds.abs())
    } else if minutes != 0 {
        format!("{minutes}:{:02}", seconds.abs())
    } else {
        seconds.to_string()
    };
    arguments.evaluator.make(text.len())?;
    Ok(text.into())
}
