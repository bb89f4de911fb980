//! The built-in functions, one file a subject. What they do is what HTCondor's src/classad/fnCall.cpp and
//! src/condor_utils/compat_classad.cpp do.

mod accounts;
mod ads;
mod calendar;
mod command_line;
mod contexts;
pub(crate) mod conversions;
mod environment;
mod lists;
mod mathematics;
mod pattern;
mod patterns;
mod quoted_words;
mod strftime;
mod string_lists;
pub(crate) mod strings;
mod time_functions;
pub(crate) mod times;
mod types;
mod unresolved;
mod versions;

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::eval::scope::{Scope, Val};
use crate::eval::{Evaluator, Outcome};
use crate::expr::tree::{Kind, NodeId, Tree};
use crate::expr::{Expr, Repr};

/// The name of a built-in function in lower case, how many arguments it takes, and what it does.
///
/// With another count of arguments the value is `error`.
pub(crate) type Function = (&'static str, RangeInclusive<usize>, Body);

type Body = for<'a> fn(&Arguments<'_, 'a>) -> Outcome<'a>;

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

    pub(crate) fn values(&self) -> Result<Vec<Val<'a>>, crate::eval::Failure> {
        (0..self.len()).map(|index| self.value(index)).collect()
    }

    /// The argument where it is a string constant.
    pub(crate) fn string_constant(&self, index: usize) -> Option<&str> {
        match &self.tree.node(*self.nodes.get(index)?).kind {
            Kind::Literal(value) => value.as_str(),
            _ => None,
        }
    }

    /// The argument as an expression of its own.
    pub(crate) fn expression(&self, index: usize) -> Option<Expr> {
        let root = *self.nodes.get(index)?;
        Some(Expr(Repr::Tree { tree: Arc::clone(self.tree), root }))
    }
}

/// In the order of their names.
static FUNCTIONS: &[Function] = &[
    ("abstime", 0..=2, conversions::absolute_time),
    ("allcompare", 3..=3, lists::all_compare),
    ("anycompare", 3..=3, lists::any_compare),
    ("argstolist", 1..=2, command_line::to_list),
    ("avg", 1..=1, lists::average),
    ("bool", 1..=1, conversions::boolean),
    ("ceil", 1..=1, mathematics::ceiling),
    ("ceiling", 1..=1, mathematics::ceiling),
    ("countmatches", 2..=2, contexts::count_matches),
    ("currenttime", 0..=0, time_functions::current_time),
    ("daytime", 0..=0, time_functions::day_time),
    ("debug", 1..=1, ads::debug),
    ("envv1tov2", 1..=1, environment::v1_to_v2),
    ("eval", 1..=1, ads::eval),
    ("evalineachcontext", 2..=2, contexts::eval_in_each_context),
    ("floor", 1..=1, mathematics::floor),
    ("formattime", 0..=2, time_functions::format_time),
    ("getdayofmonth", 1..=1, time_functions::day_of_month),
    ("getdayofweek", 1..=1, time_functions::day_of_week),
    ("getdayofyear", 1..=1, time_functions::day_of_year),
    ("getdays", 1..=1, time_functions::days),
    ("gethours", 1..=1, time_functions::hours),
    ("getminutes", 1..=1, time_functions::minutes),
    ("getmonth", 1..=1, time_functions::month),
    ("getseconds", 1..=1, time_functions::seconds),
    ("getyear", 1..=1, time_functions::year),
    ("identicalmember", 2..=2, lists::identical_member),
    ("ifthenelse", 3..=3, ads::if_then_else),
    ("int", 1..=1, conversions::integer),
    ("interval", 1..=1, time_functions::interval),
    ("isabstime", 1..=1, types::is_absolute_time),
    ("isboolean", 1..=1, types::is_boolean),
    ("isclassad", 1..=1, types::is_classad),
    ("iserror", 1..=1, types::is_error),
    ("isinteger", 1..=1, types::is_integer),
    ("islist", 1..=1, types::is_list),
    ("isreal", 1..=1, types::is_real),
    ("isreltime", 1..=1, types::is_relative_time),
    ("isstring", 1..=1, types::is_string),
    ("isundefined", 1..=1, types::is_undefined),
    ("join", ANY, strings::join),
    ("listtoargs", 1..=2, command_line::from_list),
    ("max", 1..=1, lists::maximum),
    ("member", 2..=2, lists::member),
    ("mergeenvironment", ANY, environment::merge),
    ("min", 1..=1, lists::minimum),
    ("pow", 2..=2, mathematics::power),
    ("quantize", 2..=2, mathematics::quantize),
    ("random", 0..=1, mathematics::random),
    ("real", 1..=1, conversions::real),
    ("regexp", 2..=3, patterns::regexp),
    ("regexpmember", 2..=3, patterns::regexp_member),
    ("regexps", 3..=4, patterns::substitute),
    ("reltime", 1..=1, conversions::relative_time),
    ("replace", 3..=4, patterns::replace),
    ("replaceall", 3..=4, patterns::replace_all),
    ("round", 1..=1, mathematics::round),
    ("size", 1..=1, lists::size),
    ("split", 1..=2, strings::split),
    ("splitslotname", 1..=1, strings::split_slot_name),
    ("splittime", 1..=1, time_functions::split_time),
    ("splitusername", 1..=1, strings::split_user_name),
    ("strcat", ANY, strings::concatenate),
    ("strcmp", 2..=2, strings::compare),
    ("stricmp", 2..=2, strings::compare_without_case),
    ("string", 1..=1, conversions::string),
    ("stringlist_regexpmember", 2..=4, patterns::string_list_regexp_member),
    ("stringlistavg", 1..=2, string_lists::average),
    ("stringlistimember", 2..=3, string_lists::member_without_case),
    ("stringlistisubsetmatch", 2..=3, string_lists::subset_without_case),
    ("stringlistmax", 1..=2, string_lists::maximum),
    ("stringlistmember", 2..=3, string_lists::member),
    ("stringlistmin", 1..=2, string_lists::minimum),
    ("stringlistsintersect", 2..=3, string_lists::intersect),
    ("stringlistsize", 1..=2, string_lists::size),
    ("stringlistsubsetmatch", 2..=3, string_lists::subset),
    ("stringlistsum", 1..=2, string_lists::sum),
    ("substr", 2..=3, strings::substring),
    ("sum", 1..=1, lists::sum),
    ("time", 0..=0, time_functions::time),
    ("timezoneoffset", 0..=0, time_functions::time_zone_offset),
    ("tolower", 1..=1, strings::lower),
    ("toupper", 1..=1, strings::upper),
    ("unparse", 1..=1, ads::unparse),
    ("unresolved", 1..=2, unresolved::unresolved),
    ("userhome", ANY, accounts::user_home),
    ("usermap", 2..=4, accounts::user_map),
    ("version_in_range", 3..=3, versions::in_range),
    ("versioncmp", 2..=2, versions::compare),
    ("versioneq", 2..=2, versions::equal),
    ("versionge", 2..=2, versions::greater_or_equal),
    ("versiongt", 2..=2, versions::greater),
    ("versionle", 2..=2, versions::less_or_equal),
    ("versionlt", 2..=2, versions::less),
];

/// The function of a name, without regard to case.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    let lower = name.to_ascii_lowercase();
    let at = FUNCTIONS.binary_search_by(|(known, ..)| (*known).cmp(lower.as_str())).ok()?;
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
