//! Functions that look at expressions and ads instead of plain values.

use super::Arguments;
use super::conversions::to_string;
use crate::eval::Outcome;
use crate::eval::scope::Val;
use crate::expr::NodeKind;
use crate::print::{self, Style};
use crate::value::Value;

pub(crate) fn if_then_else<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let condition = arguments.value(0)?;
    if condition.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    match condition.as_condition() {
        Some(true) => arguments.value(1),
        Some(false) => arguments.value(2),
        None => Ok(Val::ERROR),
    }
}

/// The value of an expression given as a string.
pub(crate) fn eval<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let Value::String(text) = to_string(arguments.evaluator, arguments.value(0)?)? else {
        return Ok(Val::ERROR);
    };
    // A comment may end the text here; elsewhere HTCondor wants a line end behind it.
    let parsed = match arguments.evaluator.parse(&text)? {
        Err(_) if text.contains("//") => arguments.evaluator.parse(&format!("{text}\n"))?,
        parsed => parsed,
    };
    match parsed {
        Ok(expr) => arguments.evaluator.expression_deeper(&expr, arguments.scope),
        Err(_) => Ok(Val::ERROR),
    }
}

/// HTCondor writes what it evaluates to a daemon's log; the value is the argument's.
pub(crate) fn debug<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    arguments.value(0)
}

/// The expression of an attribute as text, not evaluated.
pub(crate) fn unparse<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let Some(argument) = arguments.expression(0) else { return Ok(Val::ERROR) };
    if !matches!(argument.root().kind(), NodeKind::Attribute { .. }) {
        return Ok(Val::ERROR);
    }
    // HTCondor looks the printed reference up as one name: `a.b` finds nothing.
    let name = argument.print(Style::New);
    let text = arguments.evaluator.print(|out, limit| {
        if let Some(expr) = arguments.scope.ad().get(&name) {
            print::on_several_lines(out, expr, limit);
        }
    })?;
    Ok(text.into())
}
