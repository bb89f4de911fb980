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

use std::sync::Arc;

use crate::eval::scope::{Scope, Val};
use crate::eval::{Evaluator, Outcome};
use crate::expr::tree::{Kind, NodeId, Tree};
use crate::expr::{Expr, Repr};

/// A built-in function.
pub(crate) type Function = for<'a> fn(&Arguments<'_, 'a>) -> Outcome<'a>;

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

/// Names in lower case, in order.
const FUNCTIONS: &[(&str, Function)] = &[
    ("abstime", conversions::absolute_time),
    ("allcompare", lists::all_compare),
    ("anycompare", lists::any_compare),
    ("argstolist", command_line::to_list),
    ("avg", lists::average),
    ("bool", conversions::boolean),
    ("ceil", mathematics::ceiling),
    ("ceiling", mathematics::ceiling),
    ("countmatches", contexts::count_matches),
    ("currenttime", time_functions::current_time),
    ("daytime", time_functions::day_time),
    ("debug", ads::debug),
    ("envv1tov2", environment::v1_to_v2),
    ("eval", ads::eval),
    ("evalineachcontext", contexts::eval_in_each_context),
    ("floor", mathematics::floor),
    ("formattime", time_functions::format_time),
    ("getdayofmonth", time_functions::day_of_month),
    ("getdayofweek", time_functions::day_of_week),
    ("getdayofyear", time_functions::day_of_year),
    ("getdays", time_functions::days),
    ("gethours", time_functions::hours),
    ("getminutes", time_functions::minutes),
    ("getmonth", time_functions::month),
    ("getseconds", time_functions::seconds),
    ("getyear", time_functions::year),
    ("identicalmember", lists::identical_member),
    ("ifthenelse", ads::if_then_else),
    ("int", conversions::integer),
    ("interval", time_functions::interval),
    ("isabstime", types::is_absolute_time),
    ("isboolean", types::is_boolean),
    ("isclassad", types::is_classad),
    ("iserror", types::is_error),
    ("isinteger", types::is_integer),
    ("islist", types::is_list),
    ("isreal", types::is_real),
    ("isreltime", types::is_relative_time),
    ("isstring", types::is_string),
    ("isundefined", types::is_undefined),
    ("join", strings::join),
    ("listtoargs", command_line::from_list),
    ("max", lists::maximum),
    ("member", lists::member),
    ("mergeenvironment", environment::merge),
    ("min", lists::minimum),
    ("pow", mathematics::power),
    ("quantize", mathematics::quantize),
    ("random", mathematics::random),
    ("real", conversions::real),
    ("regexp", patterns::regexp),
    ("regexpmember", patterns::regexp_member),
    ("regexps", patterns::substitute),
    ("reltime", conversions::relative_time),
    ("replace", patterns::replace),
    ("replaceall", patterns::replace_all),
    ("round", mathematics::round),
    ("size", lists::size),
    ("split", strings::split),
    ("splitslotname", strings::split_slot_name),
    ("splittime", time_functions::split_time),
    ("splitusername", strings::split_user_name),
    ("strcat", strings::concatenate),
    ("strcmp", strings::compare),
    ("stricmp", strings::compare_without_case),
    ("string", conversions::string),
    ("stringlist_regexpmember", patterns::string_list_regexp_member),
    ("stringlistavg", string_lists::average),
    ("stringlistimember", string_lists::member_without_case),
    ("stringlistisubsetmatch", string_lists::subset_without_case),
    ("stringlistmax", string_lists::maximum),
    ("stringlistmember", string_lists::member),
    ("stringlistmin", string_lists::minimum),
    ("stringlistsintersect", string_lists::intersect),
    ("stringlistsize", string_lists::size),
    ("stringlistsubsetmatch", string_lists::subset),
    ("stringlistsum", string_lists::sum),
    ("substr", strings::substring),
    ("sum", lists::sum),
    ("time", time_functions::time),
    ("timezoneoffset", time_functions::time_zone_offset),
    ("tolower", strings::lower),
    ("toupper", strings::upper),
    ("unparse", ads::unparse),
    ("unresolved", unresolved::unresolved),
    ("userhome", accounts::user_home),
    ("usermap", accounts::user_map),
    ("version_in_range", versions::in_range),
    ("versioncmp", versions::compare),
    ("versioneq", versions::equal),
    ("versionge", versions::greater_or_equal),
    ("versiongt", versions::greater),
    ("versionle", versions::less_or_equal),
    ("versionlt", versions::less),
];

/// The function of a name, without regard to case.
pub(crate) fn find(name: &str) -> Option<Function> {
    let lower = name.to_ascii_lowercase();
    let at = FUNCTIONS.binary_search_by(|(known, _)| (*known).cmp(lower.as_str())).ok()?;
    Some(FUNCTIONS[at].1)
}

/// The names of the built-in functions in lower case, sorted.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(FUNCTIONS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(find("ifThenElse").is_some());
        assert!(find("noSuchFunction").is_none());
    }
}
