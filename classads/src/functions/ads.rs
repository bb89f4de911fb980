//! Functions that look at expressions and ads instead of plain values.

use super::conversions::to_string;
use super::{Answer, Arguments, Stop};
use crate::eval::scope::Val;
use crate::print::{self, Style};
use crate::value::Value;

pub(crate) fn if_then_else<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let condition = arguments.value(0)?;
    if condition.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let truth = condition.as_condition().ok_or(Stop::Error)?;
    Ok(arguments.value(if truth { 1 } else { 2 })?)
}

/// The value of an expression given as a string.
pub(crate) fn eval<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let Value::String(text) = to_string(arguments.evaluator, arguments.value(0)?)? else {
        return Ok(Val::ERROR);
    };
    // A comment may end the text here; elsewhere HTCondor wants a line end behind it.
    let parsed = match arguments.evaluator.parse(&text)? {
        Err(_) if text.contains("//") => arguments.evaluator.parse(&format!("{text}\n"))?,
        parsed => parsed,
    };
    let expr = parsed.map_err(|_| Stop::Error)?;
    Ok(arguments.evaluator.expression_deeper(&expr, arguments.scope)?)
}

/// The expression of an attribute as text, not evaluated.
pub(crate) fn unparse<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let argument = arguments.reference(0)?;
    // HTCondor looks the printed reference up as one name: `a.b` finds nothing.
    let name = argument.print(Style::New);
    let text = arguments.evaluator.print(|out, limit| {
        if let Some(expr) = arguments.scope.ad().get(&name) {
            print::on_several_lines(out, expr, limit);
        }
    })?;
    Ok(text.into())
}
