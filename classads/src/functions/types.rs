//! Type tests.

use super::Arguments;
use crate::eval::Outcome;
use crate::eval::scope::Val;
use crate::value::Value;

fn test<'a>(arguments: &Arguments<'_, 'a>, holds: impl Fn(&Val<'a>) -> bool) -> Outcome<'a> {
    Ok(holds(&arguments.value(0)?).into())
}

macro_rules! type_tests {
    ($($pattern:pat => $name:ident;)*) => {
        $(pub(crate) fn $name<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
            test(arguments, |value| matches!(value, $pattern))
        })*
    };
}

type_tests! {
    Val::Plain(Value::Undefined) => is_undefined;
    Val::Plain(Value::Error) => is_error;
    Val::Plain(Value::String(_)) => is_string;
    Val::Plain(Value::Integer(_)) => is_integer;
    Val::Plain(Value::Real(_)) => is_real;
    Val::Plain(Value::Boolean(_)) => is_boolean;
    Val::List(..) => is_list;
    Val::Ad(_) => is_classad;
    Val::Plain(Value::AbsoluteTime { .. }) => is_absolute_time;
    Val::Plain(Value::RelativeTime(_)) => is_relative_time;
}
