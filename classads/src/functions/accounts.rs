//! Functions of users' accounts. There are none here: the answers are those where HTCondor has no
//! user map and does not look at accounts (`CLASSAD_ENABLE_USER_HOME = false`).

use super::{Answer, Arguments, Stop};
use crate::eval::scope::Val;
use crate::value::Value;

/// The last of four arguments, else undefined.
pub(crate) fn user_map<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let mut values = arguments.values()?;
    if values[0].is_error() || values[1].is_error() {
        return Ok(Val::ERROR);
    }
    Ok(if values.len() == 4 { values.swap_remove(3) } else { Val::UNDEFINED })
}

/// `userHome(name)`, `userHome(name, default)`: the default where it is a string that is not empty,
/// else undefined.
pub(crate) fn user_home<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    if !(1..=2).contains(&arguments.len()) {
        return Err(Stop::Failure);
    }
    // An argument that cannot be evaluated is an error of its own and does not end the evaluation.
    let default = arguments.value(1).unwrap_or(Val::ERROR);
    let name = arguments.value(0).unwrap_or(Val::ERROR);
    if default.as_str().is_some_and(|default| !default.is_empty()) {
        return Ok(default);
    }
    Ok(match name {
        Val::Plain(Value::Undefined | Value::String(_)) => Val::UNDEFINED,
        _ => Val::ERROR,
    })
}
