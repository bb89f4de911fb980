//! Values: what an expression evaluates to.

use std::fmt;
use std::sync::Arc;

use crate::ad::ClassAd;
use crate::expr::Expr;
use crate::print::{self, Style};

/// The value of an expression.
///
/// `Display` prints ClassAd syntax as `condor_q -long` does.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Nothing is known: an attribute that is not there.
    #[default]
    Undefined,
    /// The expression makes no sense: `"a" + 1`.
    Error,
    /// `true` or `false`.
    Boolean(bool),
    /// A 64-bit integer; arithmetic wraps around.
    Integer(i64),
    /// A double-precision real.
    Real(f64),
    /// A string.
    String(Arc<str>),
    /// A moment.
    AbsoluteTime {
        /// Seconds since 1970-01-01 00:00:00 UTC.
        seconds: i64,
        /// Seconds east of UTC, for printing.
        offset: i32,
    },
    /// A length of time in seconds.
    RelativeTime(f64),
    /// A list; its elements are expressions, evaluated when used.
    List(List),
    /// A nested ad.
    ClassAd(Arc<ClassAd>),
}

/// The elements of a list value.
pub type List = Arc<[Expr]>;

/// The type of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// `undefined`
    Undefined,
    /// `error`
    Error,
    /// `true`, `false`
    Boolean,
    /// `42`
    Integer,
    /// `4.2`
    Real,
    /// `"text"`
    String,
    /// `absTime("2026-01-01T00:00:00+00:00")`
    AbsoluteTime,
    /// `relTime("1+00:00:00")`
    RelativeTime,
    /// `{ 1, 2 }`
    List,
    /// `[ a = 1 ]`
    ClassAd,
}

impl ValueType {
    /// The name in lower case: `integer`, `absolute time`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ValueType::Undefined => "undefined",
            ValueType::Error => "error",
            ValueType::Boolean => "boolean",
            ValueType::Integer => "integer",
            ValueType::Real => "real",
            ValueType::String => "string",
            ValueType::AbsoluteTime => "absolute time",
            ValueType::RelativeTime => "relative time",
            ValueType::List => "list",
            ValueType::ClassAd => "classad",
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Value {
    /// The type.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::Undefined => ValueType::Undefined,
            Value::Error => ValueType::Error,
            Value::Boolean(_) => ValueType::Boolean,
            Value::Integer(_) => ValueType::Integer,
            Value::Real(_) => ValueType::Real,
            Value::String(_) => ValueType::String,
            Value::AbsoluteTime { .. } => ValueType::AbsoluteTime,
            Value::RelativeTime(_) => ValueType::RelativeTime,
            Value::List(_) => ValueType::List,
            Value::ClassAd(_) => ValueType::ClassAd,
        }
    }

    /// Whether the value is `undefined`.
    #[must_use]
    pub fn is_undefined(&self) -> bool {
        matches!(self, Value::Undefined)
    }

    /// Whether the value is `error`.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self, Value::Error)
    }

    /// The value as a condition: a boolean, or a number that is not zero. `None` for everything
    /// else.
    #[must_use]
    pub fn as_condition(&self) -> Option<bool> {
        match self {
            Value::Boolean(value) => Some(*value),
            Value::Integer(value) => Some(*value != 0),
            Value::Real(value) => Some(*value != 0.0),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_boolean(&self) -> Option<bool> {
        if let Value::Boolean(value) = self { Some(*value) } else { None }
    }

    /// The integer, if it is one.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        if let Value::Integer(value) = self { Some(*value) } else { None }
    }

    /// The number as a real, if it is an integer or a real.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn as_real(&self) -> Option<f64> {
        match self {
            Value::Integer(value) => Some(*value as f64),
            Value::Real(value) => Some(*value),
            _ => None,
        }
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(value) = self { Some(value) } else { None }
    }
}

/// Two values are of one type and equal, strings with case: the operator `=?=` for scalars; lists
/// and ads are compared by their text; a NaN equals a NaN.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Undefined, Value::Undefined) | (Value::Error, Value::Error) => true,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Real(a), Value::Real(b)) | (Value::RelativeTime(a), Value::RelativeTime(b)) => {
                a == b || (a.is_nan() && b.is_nan())
            }
            (Value::String(a), Value::String(b)) => a == b,
            (
                Value::AbsoluteTime { seconds: a, offset: c },
                Value::AbsoluteTime { seconds: b, offset: d },
            ) => a == b && c == d,
            (Value::List(_), Value::List(_)) | (Value::ClassAd(_), Value::ClassAd(_)) => {
                self.to_string() == other.to_string()
            }
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        print::value(&mut text, self, Style::Long);
        f.write_str(&text)
    }
}

macro_rules! values_from {
    ($($from:ty => $kind:ident,)*) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Value {
                Value::$kind(value.into())
            }
        })*
    };
}

values_from! {
    bool => Boolean,
    i64 => Integer,
    i32 => Integer,
    f64 => Real,
    &str => String,
    String => String,
}
