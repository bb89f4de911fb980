//! The names an attribute needs that its ad does not have.

use super::{Answer, Arguments, Stop, patterns};
use crate::eval::references::{Names, References};
use crate::eval::scope::Val;

/// The names with commas; with a pattern, whether one of them matches.
pub(crate) fn unresolved<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let argument = arguments.reference(0)?;
    let (Some(found), scope) = arguments.evaluator.find_reference(&argument, arguments.scope)
    else {
        return Ok(Val::UNDEFINED);
    };
    let pattern = match arguments.len() {
        1 => None,
        _ => Some(arguments.value(1)?),
    };
    let mut references = References::external(arguments.evaluator);
    let names = match references.collect(&found, &scope) {
        Ok(()) => references.into_names(),
        // HTCondor then knows of none.
        Err(_) => Names::new(),
    };
    let names = names.into_values().map(without_target).collect::<Vec<_>>();
    let Some(pattern) = pattern else {
        arguments.evaluator.make(names.iter().map(|name| name.len() + 1).sum())?;
        return Ok(names.join(",").into());
    };
    let Some(pattern) = pattern.as_str() else { return Err(Stop::Failure) };
    Ok(Val::Plain(patterns::matches_any(arguments.evaluator, pattern, &names)?))
}

fn without_target(mut name: String) -> String {
    const TARGET: &str = "target.";
    if name.get(..TARGET.len()).is_some_and(|start| start.eq_ignore_ascii_case(TARGET)) {
        name.drain(..TARGET.len());
    }
    name
}
