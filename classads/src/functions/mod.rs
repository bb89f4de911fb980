//! The built-in functions, one file a subject. What they do is what HTCondor's
//! src/classad/fnCall.cpp and src/condor_utils/compat_classad.cpp do.
//!
//! - `accounts`: users' accounts, of which there are none here.
//! - `ads`: expressions and ads instead of plain values.
//! - `calendar`: the calendar of C's `struct tm`.
//! - `command_line`: arguments of a program, lists to text and back.
//! - `contexts`: an expression in each of a list of ads.
//! - `conversions`: between types.
//! - `environment`: environments of jobs as text.
//! - `lists`: lists.
//! - `mathematics`: rounding, powers, chance.
//! - `no_pattern`: regular expressions where the crate has none.
//! - `pattern`: one pattern and its matches, with its work counted.
//! - `patterns`: regular expressions, by PCRE2.
//! - `plain`: functions of plain values, called with values that are borrowed.
//! - `quoted_words`: words with single quotes (V2 syntax).
//! - `strftime`: C's `strftime` in the C locale.
//! - `string_lists`: strings that are lists.
//! - `strings`: strings.
//! - `time_functions`: clock and calendar.
//! - `times`: times as text.
//! - `unresolved`: names that an ad does not have.
//! - `versions`: version numbers.

mod accounts;
mod ads;
mod calendar;
mod command_line;
mod contexts;
pub(crate) mod conversions;
mod environment;
mod lists;
mod mathematics;
#[cfg_attr(not(feature = "regexp"), path = "no_pattern.rs")]
mod pattern;
mod patterns;
pub(crate) mod plain;
mod quoted_words;
mod strftime;
mod string_lists;
pub(crate) mod strings;
mod time_functions;
pub(crate) mod times;
mod unresolved;
mod versions;

use std::cmp::Ordering;
use std::ops::RangeInclusive;
use std::sync::Arc;

use Body::{Any, Plain as PlainFn};
use plain::{Given, Plain, PlainBody};

use crate::eval::operators::compare_without_case;
use crate::eval::scope::{Scope, Val};
use crate::eval::{Evaluator, Failure, Outcome};
use crate::expr::operator::BinaryOperator;
use crate::expr::tree::{Kind, NodeId, Tree};
use crate::expr::{Expr, NodeKind, Repr};
use crate::value::{Value, ValueType};

/// The name of a built-in function in lower case, how many arguments it takes, and what it does.
///
/// With another count of arguments the value is `error`.
pub(crate) type Function = (&'static str, RangeInclusive<usize>, Body);

/// What a function does.
#[derive(Debug)]
pub(crate) enum Body {
    /// It looks at expressions, ads or times.
    Any(for<'a> fn(&Arguments<'_, 'a>) -> Answer<'a>),
    /// It needs no more than the values of its arguments.
    Plain(PlainBody),
}

pub(crate) type Answer<'a> = Result<Val<'a>, Stop>;

/// Why a function goes no further.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// The evaluation gave up.
    Failure,
    /// The function gives `undefined`.
    Undefined,
    /// The function gives `error`.
    Error,
}

impl From<Failure> for Stop {
    fn from(_: Failure) -> Stop {
        Stop::Failure
    }
}

/// Any count of arguments.
const ANY: RangeInclusive<usize> = 0..=usize::MAX;

/// The arguments of a call, evaluated when the function asks.
pub(crate) struct Arguments<'t, 'a> {
    pub(crate) evaluator: &'t Evaluator<'t>,
    pub(crate) tree: &'t Arc<Tree>,
    pub(crate) nodes: &'t [NodeId],
    pub(crate) scope: &'t Scope<'a>,
}

impl<'a> Arguments<'_, 'a> {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn value(&self, index: usize) -> Outcome<'a> {
        let evaluator = self.evaluator;
        match self.nodes.get(index) {
            Some(node) => evaluator.looked_at(evaluator.node(self.tree, *node, self.scope)?),
            None => Ok(Val::ERROR),
        }
    }

    pub(crate) fn values(&self) -> Result<Vec<Val<'a>>, Failure> {
        (0..self.len()).map(|index| self.value(index)).collect()
    }

    /// The argument, which must be a string.
    pub(crate) fn text(&self, index: usize) -> Result<Arc<str>, Stop> {
        match self.value(index)? {
            Val::Plain(Value::String(text)) => Ok(text),
            _ => Err(Stop::Error),
        }
    }

    /// The argument where it is a string constant.
    pub(crate) fn string_constant(&self, index: usize) -> Option<&str> {
        match &self.tree.node(*self.nodes.get(index)?).kind {
            Kind::Literal(value) => value.as_str(),
            _ => None,
        }
    }

    /// The argument as an expression of its own, which must be an attribute reference.
    pub(crate) fn reference(&self, index: usize) -> Result<Expr, Stop> {
        let is_reference = |expr: &Expr| matches!(expr.root().kind(), NodeKind::Attribute { .. });
        self.expression(index).filter(is_reference).ok_or(Stop::Error)
    }

    /// The argument as an expression of its own.
    pub(crate) fn expression(&self, index: usize) -> Option<Expr> {
        let root = *self.nodes.get(index)?;
        Some(Expr(Repr::Tree { tree: Arc::clone(self.tree), root }))
    }
}

/// In the order of their names.
static FUNCTIONS: &[Function] = &[
    ("abstime", 0..=2, Any(conversions::absolute_time)),
    ("allcompare", 3..=3, Any(|of| lists::compare(of, true))),
    ("anycompare", 3..=3, Any(|of| lists::compare(of, false))),
    ("argstolist", 1..=2, Any(command_line::to_list)),
    ("avg", 1..=1, Any(lists::average)),
    ("bool", 1..=1, PlainFn(conversions::boolean)),
    ("ceil", 1..=1, Any(|of| mathematics::rounded(of, f64::ceil))),
    ("ceiling", 1..=1, Any(|of| mathematics::rounded(of, f64::ceil))),
    ("countmatches", 2..=2, Any(contexts::count_matches)),
    ("currenttime", 0..=0, Any(time_functions::current_time)),
    ("daytime", 0..=0, Any(time_functions::day_time)),
    ("debug", 1..=1, Any(|of| Ok(of.value(0)?))),
    ("envv1tov2", 1..=1, Any(environment::v1_to_v2)),
    ("eval", 1..=1, Any(ads::eval)),
    ("evalineachcontext", 2..=2, Any(contexts::eval_in_each_context)),
    ("floor", 1..=1, Any(|of| mathematics::rounded(of, f64::floor))),
    ("formattime", 0..=2, Any(time_functions::format_time)),
    ("getdayofmonth", 1..=1, Any(|of| time_functions::of_moment(of, |at| at.day))),
    ("getdayofweek", 1..=1, Any(|of| time_functions::of_moment(of, |at| at.weekday))),
    ("getdayofyear", 1..=1, Any(|of| time_functions::of_moment(of, |at| at.yearday))),
    ("getdays", 1..=1, Any(|of| time_functions::field(of, None, Some(|length| length / 86400)))),
    (
        "gethours",
        1..=1,
        Any(|of| {
            time_functions::field(of, Some(|at| at.hour), Some(|length| length % 86400 / 3600))
        }),
    ),
    (
        "getminutes",
        1..=1,
        Any(|of| {
            time_functions::field(of, Some(|at| at.minute), Some(|length| length % 3600 / 60))
        }),
    ),
    ("getmonth", 1..=1, Any(|of| time_functions::of_moment(of, |at| at.month))),
    (
        "getseconds",
        1..=1,
        Any(|of| time_functions::field(of, Some(|at| at.second), Some(|length| length % 60))),
    ),
    ("getyear", 1..=1, Any(|of| time_functions::of_moment(of, |at| at.year))),
    ("identicalmember", 2..=2, PlainFn(|of| lists::membership(of, true))),
    ("ifthenelse", 3..=3, Any(ads::if_then_else)),
    ("int", 1..=1, PlainFn(conversions::integer)),
    ("interval", 1..=1, Any(time_functions::interval)),
    ("isabstime", 1..=1, PlainFn(|of| has_type(of, ValueType::AbsoluteTime))),
    ("isboolean", 1..=1, PlainFn(|of| has_type(of, ValueType::Boolean))),
    ("isclassad", 1..=1, PlainFn(|of| has_type(of, ValueType::ClassAd))),
    ("iserror", 1..=1, PlainFn(|of| has_type(of, ValueType::Error))),
    ("isinteger", 1..=1, PlainFn(|of| has_type(of, ValueType::Integer))),
    ("islist", 1..=1, PlainFn(|of| has_type(of, ValueType::List))),
    ("isreal", 1..=1, PlainFn(|of| has_type(of, ValueType::Real))),
    ("isreltime", 1..=1, PlainFn(|of| has_type(of, ValueType::RelativeTime))),
    ("isstring", 1..=1, PlainFn(|of| has_type(of, ValueType::String))),
    ("isundefined", 1..=1, PlainFn(|of| has_type(of, ValueType::Undefined))),
    ("join", ANY, PlainFn(strings::join)),
    ("listtoargs", 1..=2, Any(command_line::from_list)),
    ("max", 1..=1, Any(|of| lists::extreme(of, BinaryOperator::Greater))),
    ("member", 2..=2, PlainFn(|of| lists::membership(of, false))),
    ("mergeenvironment", ANY, Any(environment::merge)),
    ("min", 1..=1, Any(|of| lists::extreme(of, BinaryOperator::Less))),
    ("pow", 2..=2, Any(mathematics::power)),
    ("quantize", 2..=2, Any(mathematics::quantize)),
    ("random", 0..=1, Any(mathematics::random)),
    ("real", 1..=1, PlainFn(conversions::real)),
    ("regexp", 2..=3, PlainFn(patterns::regexp)),
    ("regexpmember", 2..=3, PlainFn(patterns::regexp_member)),
    ("regexps", 3..=4, PlainFn(|of| patterns::substitution(of, ""))),
    ("reltime", 1..=1, Any(conversions::relative_time)),
    ("replace", 3..=4, PlainFn(|of| patterns::substitution(of, "f"))),
    ("replaceall", 3..=4, PlainFn(|of| patterns::substitution(of, "fg"))),
    ("round", 1..=1, Any(|of| mathematics::rounded(of, f64::round_ties_even))),
    ("size", 1..=1, PlainFn(lists::size)),
    ("split", 1..=2, PlainFn(strings::split)),
    ("splitslotname", 1..=1, PlainFn(|of| strings::at_sign(of, |text| ("", text)))),
    ("splittime", 1..=1, Any(time_functions::split_time)),
    ("splitusername", 1..=1, PlainFn(|of| strings::at_sign(of, |text| (text, "")))),
    ("strcat", ANY, PlainFn(strings::concatenate)),
    (
        "strcmp",
        2..=2,
        PlainFn(|of| strings::compared(of, |a, b| (a.as_bytes().cmp(b.as_bytes()) as i64).into())),
    ),
    (
        "stricmp",
        2..=2,
        PlainFn(|of| strings::compared(of, |a, b| (compare_without_case(a, b) as i64).into())),
    ),
    ("string", 1..=1, PlainFn(conversions::string)),
    ("stringlist_regexpmember", 2..=4, PlainFn(patterns::string_list_regexp_member)),
    ("stringlistavg", 1..=2, PlainFn(|of| string_lists::total(of, true))),
    (
        "stringlistimember",
        2..=3,
        PlainFn(|of| string_lists::membership(of, <[u8]>::eq_ignore_ascii_case, false)),
    ),
    (
        "stringlistisubsetmatch",
        2..=3,
        PlainFn(|of| string_lists::membership(of, <[u8]>::eq_ignore_ascii_case, true)),
    ),
    ("stringlistmax", 1..=2, PlainFn(string_lists::maximum)),
    ("stringlistmember", 2..=3, PlainFn(|of| string_lists::membership(of, |a, b| a == b, false))),
    ("stringlistmin", 1..=2, PlainFn(string_lists::minimum)),
    ("stringlistsintersect", 2..=3, PlainFn(string_lists::intersect)),
    ("stringlistsize", 1..=2, PlainFn(string_lists::size)),
    (
        "stringlistsubsetmatch",
        2..=3,
        PlainFn(|of| string_lists::membership(of, |a, b| a == b, true)),
    ),
    ("stringlistsum", 1..=2, PlainFn(|of| string_lists::total(of, false))),
    ("substr", 2..=3, PlainFn(strings::substring)),
    ("sum", 1..=1, Any(lists::sum)),
    ("time", 0..=0, Any(|of| Ok(of.evaluator.context.now.into()))),
    ("timezoneoffset", 0..=0, Any(time_functions::time_zone_offset)),
    ("tolower", 1..=1, PlainFn(|of| strings::changed(of, str::make_ascii_lowercase))),
    ("toupper", 1..=1, PlainFn(|of| strings::changed(of, str::make_ascii_uppercase))),
    ("unparse", 1..=1, Any(ads::unparse)),
    ("unresolved", 1..=2, Any(unresolved::unresolved)),
    ("userhome", ANY, Any(accounts::user_home)),
    ("usermap", 2..=4, Any(accounts::user_map)),
    ("version_in_range", 3..=3, Any(versions::in_range)),
    ("versioncmp", 2..=2, PlainFn(versions::compare)),
    ("versioneq", 2..=2, PlainFn(|of| versions::test(of, Ordering::is_eq))),
    ("versionge", 2..=2, PlainFn(|of| versions::test(of, Ordering::is_ge))),
    ("versiongt", 2..=2, PlainFn(|of| versions::test(of, Ordering::is_gt))),
    ("versionle", 2..=2, PlainFn(|of| versions::test(of, Ordering::is_le))),
    ("versionlt", 2..=2, PlainFn(|of| versions::test(of, Ordering::is_lt))),
];

fn has_type<'v>(call: &Plain<'_, 'v>, wanted: ValueType) -> Given<'v> {
    Ok((call.value(0)?.value_type() == wanted).into())
}

/// The function of a name, without regard to case.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    let lower = || name.bytes().map(|byte| byte.to_ascii_lowercase());
    let at = FUNCTIONS.binary_search_by(|(known, ..)| known.bytes().cmp(lower())).ok()?;
    Some(&FUNCTIONS[at])
}

/// The names of the built-in functions in lower case, sorted.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, ..)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(FUNCTIONS.is_sorted_by(|(a, ..), (b, ..)| a < b));
        assert!(find("ifThenElse").is_some());
        assert!(find("noSuchFunction").is_none());
    }
}
