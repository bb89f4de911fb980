//! Rounding, powers, chance.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::conversions::{low_bits, to_real};
use super::{Answer, Arguments, Stop};
use crate::eval::Evaluator;
use crate::eval::scope::Val;
use crate::number;
use crate::value::Value;

pub(crate) fn rounded<'a>(arguments: &Arguments<'_, 'a>, round: fn(f64) -> f64) -> Answer<'a> {
    let value = arguments.value(0)?;
    if matches!(value, Val::Plain(Value::Integer(_))) {
        return Ok(value);
    }
    Ok(match to_real(&value) {
        Ok(real) => number::truncate(round(real)).into(),
        Err(_) => Val::ERROR,
    })
}

#[allow(clippy::cast_precision_loss)]
pub(crate) fn power<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let base = arguments.value(0)?;
    let exponent = arguments.value(1)?;
    if let (Val::Plain(Value::Integer(base)), Val::Plain(Value::Integer(exponent @ 0..))) =
        (&base, &exponent)
    {
        return Ok(number::truncate((*base as f64).powf(*exponent as f64) + 0.5).into());
    }
    Ok(match (to_real(&base), to_real(&exponent)) {
        (Ok(base), Ok(exponent)) => base.powf(exponent).into(),
        _ => Val::ERROR,
    })
}

/// The next multiple of the second argument, or the first element of a list that is not below the
/// first argument.
pub(crate) fn quantize<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let value = arguments.value(0)?;
    let mut step = arguments.value(1)?;
    let Ok(real) = to_real(&value) else { return Ok(Val::ERROR) };
    if let Val::List(elements, home) = &step {
        let mut last = Val::from(0.0);
        let at = arguments.scope.of_elements(home);
        for element in elements.iter() {
            last = arguments.evaluator.expression(element, &at)?;
            match to_real(&last) {
                Ok(bound) if bound >= real => return Ok(last),
                Ok(_) => {}
                Err(_) => return Ok(Val::ERROR),
            }
        }
        step = last;
    }
    let Ok(real_step) = to_real(&step) else { return Ok(Val::ERROR) };
    Ok(match (&value, &step) {
        (_, Val::Plain(Value::Integer(0))) => value,
        (Val::Plain(Value::Integer(whole)), Val::Plain(Value::Integer(step))) => {
            let up = whole.wrapping_add(*step).wrapping_sub(1);
            match up.checked_div(*step) {
                Some(count) => count.wrapping_mul(*step).into(),
                None => Val::ERROR,
            }
        }
        (_, Val::Plain(Value::Integer(_))) => ((real / real_step).ceil() * real_step).into(),
        _ if real_step.abs() <= 1e-8 => value,
        _ => ((real / real_step).ceil() * real_step).into(),
    })
}

/// A random integer below an integer, a random real below a real; without an argument below 1.0.
pub(crate) fn random<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let limit = if arguments.len() == 0 { Val::from(1.0) } else { arguments.value(0)? };
    match limit {
        Val::Plain(Value::Integer(limit)) => {
            let limit = low_bits(limit);
            if limit <= 0 {
                return Err(Stop::Failure);
            }
            let bits = i64::try_from(next(arguments.evaluator) >> 33).unwrap_or(0);
            Ok((bits % i64::from(limit)).into())
        }
        Val::Plain(Value::Real(limit)) => {
            if limit <= 0.0 {
                return Err(Stop::Failure);
            }
            let bits = u32::try_from(next(arguments.evaluator) >> 32).unwrap_or(0);
            Ok((limit * (f64::from(bits) / 4_294_967_296.0)).into())
        }
        _ => Ok(Val::ERROR),
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn next(evaluator: &Evaluator<'_>) -> u64 {
    let mut state = evaluator.random.get();
    if evaluator.context.random_seed.is_none() {
        state ^= RandomState::new().hash_one(state);
    }
    state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    evaluator.random.set(state);
    let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
