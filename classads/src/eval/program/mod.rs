//! The short way: expressions of constants, attributes, operators and functions of plain values,
//! which policies are made of, run as steps on a small stack. Where that way ends, in a list, a
//! nested ad, a time, another function, deep nesting, or names that mean more than an attribute of
//! the ad, there is no answer, and the evaluator goes the long way from the start.
//!
//! - `compile`: from a syntax tree to steps.

mod compile;

use std::sync::atomic::{AtomicU32, Ordering};

use super::meter::Meter;
use super::scalar::{self, Scalar};
use super::{EvalContext, is_keyword};
use crate::ad::ClassAd;
use crate::expr::operator::{BinaryOperator, UnaryOperator};
use crate::expr::{Expr, Repr};
use crate::functions::Stop;
use crate::functions::plain::{self, Made, PlainBody, Texts};
use crate::name::Name;
use crate::value::Value;

/// Values on the stack at once.
const STACK: usize = 8;
/// Attributes whose expressions lie in each other: what is deeper may need itself.
const MAX_DEPTH: u32 = 24;
/// Steps for one evaluation; with fewer the long way is taken, which gives up where it has to.
const LEAST_STEPS: u32 = 500;
const MOST_STEPS: u32 = 10_000;

/// The steps of an expression.
#[derive(Debug)]
pub(crate) struct Program {
    steps: Box<[Step]>,
    /// How many they are.
    size: u32,
}

#[derive(Debug)]
enum Step {
    /// Puts the last value on the stack: another follows.
    Push,
    Constant(Value),
    /// An attribute by its name, and where an ad had it the last time.
    Attribute(Name, AtomicU32),
    /// `MY.name`
    OwnAttribute(Name, AtomicU32),
    /// `TARGET.name`
    TargetAttribute,
    Time,
    IsUndefined,
    Unary(UnaryOperator),
    /// The left operand is taken from the stack.
    Binary(BinaryOperator),
    /// The left operand is the last value, the right one a constant.
    BinaryConstant(BinaryOperator, Value),
    /// The left operand is the last value, the right one an attribute.
    BinaryAttribute(BinaryOperator, Name, AtomicU32),
    /// `&&` (false) or `||` (true): a left value that is that or an error ends it, another is put
    /// on the stack.
    Decide(bool, u32),
    Jump(Jump, u32),
    /// The arguments before the last value are so many on the stack.
    Call(PlainBody, usize),
}

/// When a jump is taken.
#[derive(Clone, Copy, Debug)]
enum Jump {
    Always,
    /// `?:`: the value decides.
    UnlessUndefined,
    /// A condition that is neither true nor false ends the short way.
    UnlessCondition,
}

/// The value of an expression; `None` where the short way does not lead there.
#[inline(always)]
pub(super) fn expression(ad: &ClassAd, expr: &Expr, context: &EvalContext<'_>) -> Option<Value> {
    let most = context.steps().min(MOST_STEPS);
    if context.target.is_some() || most < LEAST_STEPS {
        return None;
    }
    if let Repr::Literal(value) = &expr.0 {
        return Scalar::of(value).map(Scalar::into_value);
    }
    let mut texts = Texts::default();
    let made = &Made::new(&texts);
    let meter = Meter::new(most, context.max_bytes);
    let result = Run { ad, context, made, meter: &meter }.expression(expr, 0);
    if let Some(budget) = &context.budget {
        budget.take(meter.steps().into());
    }
    match result? {
        // A string that was made is not shared with anything.
        Scalar::Text(text) if texts.is_first(text) => texts.take_first().map(Value::String),
        Scalar::Pieces(pieces) => meter.list_of(pieces).ok(),
        scalar => Some(scalar.into_value()),
    }
}

/// [`expression`] for an attribute of the ad.
pub(super) fn attribute(ad: &ClassAd, name: &Name, context: &EvalContext<'_>) -> Option<Value> {
    let expr = ad.lookup(name.hash, &name.text)?.as_ref().ok()?;
    expression(ad, expr, context)
}

struct Run<'a, 'c> {
    ad: &'a ClassAd,
    context: &'c EvalContext<'c>,
    made: &'a Made<'a>,
    meter: &'c Meter,
}

impl<'a> Run<'a, '_> {
    fn expression(&self, expr: &'a Expr, depth: u32) -> Option<Scalar<'a>> {
        match &expr.0 {
            Repr::Literal(value) => Scalar::of(value),
            Repr::Tree { tree, root } if *root == tree.root() && depth < MAX_DEPTH => {
                let program = tree.program()?;
                self.meter.charge(program.size).ok()?;
                self.program(program, depth + 1)
            }
            Repr::Tree { .. } => None,
        }
    }

    fn program(&self, program: &'a Program, depth: u32) -> Option<Scalar<'a>> {
        // The last value, and those below it.
        let mut top = Scalar::Undefined;
        let mut stack = [Scalar::Undefined; STACK];
        let mut height = 0;
        let mut at = 0;
        while let Some(step) = program.steps.get(at) {
            at += 1;
            match step {
                Step::Push => {
                    *stack.get_mut(height)? = top;
                    height += 1;
                }
                Step::Constant(constant) => top = Scalar::of(constant)?,
                Step::Attribute(name, hint) => top = self.attribute(name, hint, depth)?,
                Step::OwnAttribute(name, hint) => {
                    if !self.context.old_semantics || self.ad.contains("MY") {
                        return None;
                    }
                    top = self.attribute(name, hint, depth)?;
                }
                Step::TargetAttribute if self.ad.contains("TARGET") => return None,
                Step::TargetAttribute => top = Scalar::Undefined,
                Step::Time => top = Scalar::Integer(self.context.now),
                Step::IsUndefined => top = top.is_undefined().into(),
                Step::Unary(operator) => top = scalar::unary(*operator, top)?,
                Step::Binary(operator) => {
                    height -= 1;
                    top = scalar::binary(*operator, *stack.get(height)?, top)?;
                }
                Step::BinaryConstant(operator, right) => {
                    top = match (top, right) {
                        (Scalar::Integer(left), Value::Integer(right)) => {
                            scalar::integers(*operator, left, *right)
                        }
                        _ => scalar::binary(*operator, top, Scalar::of(right)?)?,
                    };
                }
                Step::BinaryAttribute(operator, name, hint) => {
                    let right = self.attribute(name, hint, depth)?;
                    top = scalar::binary(*operator, top, right)?;
                }
                Step::Decide(deciding, target) => {
                    if let Some(decided) = decision(top, *deciding) {
                        top = decided;
                        at = *target as usize;
                    } else {
                        *stack.get_mut(height)? = top;
                        height += 1;
                    }
                }
                Step::Call(function, others) => {
                    *stack.get_mut(height)? = top;
                    let values = stack.get(height.checked_sub(*others)?..=height)?;
                    top = self.call(*function, values)?;
                    height -= others;
                }
                Step::Jump(jump, target) => {
                    let is_taken = match jump {
                        Jump::Always => true,
                        Jump::UnlessUndefined => !matches!(top, Scalar::Undefined),
                        Jump::UnlessCondition => !top.as_condition()?,
                    };
                    if is_taken {
                        at = *target as usize;
                    }
                }
            }
        }
        Some(top)
    }

    #[inline(never)]
    fn call(&self, function: PlainBody, values: &[Scalar<'a>]) -> Option<Scalar<'a>> {
        let value = match plain::call(function, self.meter, self.made, values) {
            Ok(value) => value,
            Err(Stop::Undefined) => Scalar::Undefined,
            Err(Stop::Error) => Scalar::Error,
            Err(Stop::Failure) => return None,
        };
        value.is_short().then_some(value)
    }

    #[inline(always)]
    fn attribute(&self, name: &'a Name, hint: &AtomicU32, depth: u32) -> Option<Scalar<'a>> {
        // Mostly it is a constant, and where it was the last time.
        if let Some(Ok(Expr(Repr::Literal(value)))) =
            self.ad.parsed_at(hint.load(Ordering::Relaxed), name)
            && let Some(scalar) = Scalar::of(value)
        {
            return Some(scalar);
        }
        self.attribute_anywhere(name, hint, depth)
    }

    #[inline(never)]
    fn attribute_anywhere(
        &self,
        name: &'a Name,
        hint: &AtomicU32,
        depth: u32,
    ) -> Option<Scalar<'a>> {
        let found = self.ad.lookup_with_position(name);
        let found = found.map(|(at, parsed)| {
            hint.store(at, Ordering::Relaxed);
            parsed
        });
        match found {
            Some(Ok(Expr(Repr::Literal(value)))) => Scalar::of(value),
            Some(Ok(expr)) => self.expression(expr, depth),
            Some(Err(_)) => Some(Scalar::Error),
            None if self.context.old_semantics && name.is("CurrentTime") => {
                Some(Scalar::Integer(self.context.now))
            }
            None if is_keyword(name) => None,
            None => Some(Scalar::Undefined),
        }
    }
}

/// What `&&` (false) or `||` (true) comes to if the left value decides: that, or an error.
fn decision(left: Scalar<'_>, deciding: bool) -> Option<Scalar<'_>> {
    match left {
        Scalar::Error => Some(left),
        left => (left.as_condition() == Some(deciding)).then(|| deciding.into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::eval::Evaluator;
    use crate::eval::scope::{Scope, Val};

    fn job() -> ClassAd {
        ClassAd::parse(
            "[ i = 5; r = 2.5; s = \"Text\"; t = true; u = undefined; e = error; sum = i + r; late = sum > 7 ? s : u;
               cycle = cycle + 1; l = { 1 }; n = [ x = 1 ] ]",
        )
        .expect("the ad parses")
    }

    /// The value by the short way, and by the long one.
    fn both(text: &str) -> (Option<Value>, Value) {
        let (ad, context) = (job(), EvalContext::at(1_700_000_000));
        let expr = Expr::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let long = Evaluator::new(&context).expression(&expr, &Scope::top(&ad, None));
        (expression(&ad, &expr, &context), long.map_or(Value::Error, Val::into_value))
    }

    #[test]
    fn policies_take_the_short_way() {
        for text in [
            "(i < 6) && (s =?= \"text\" || s == \"TEXT\") && ((time() - 1699999000) > 60 * 10)",
            "ifThenElse(isUndefined(nosuch), late, MY.i) =!= TARGET.i",
            "t ? -sum : !t",
            "u ?: (nosuch ?: sum)",
            "CurrentTime % 7 + 2 * 3",
            "strcat(s, i, toUpper(s)) == \"text5TEXT\" && size(split(s, \"x\")) == 2",
            "regexps(\"(.)x\", s, \"\\\\1\") =?= substr(s, 1, 1)",
            "join(\"+\", split(strcat(s, \" b\")))",
            "split(join(\"+\", s, i), \"+\")",
            "u ? 1 : 2",
        ] {
            let (short, long) = both(text);
            assert_eq!(short.is_some(), !text.starts_with("u ? "), "{text}");
            assert_eq!(short.unwrap_or_else(|| long.clone()), long, "{text}");
        }
        for text in ["l[0]", "n.x", "size(l)", "cycle", "parent", "relTime(60) + 1", ".i"] {
            assert_eq!(both(text).0, None, "{text}");
        }
    }

    fn expressions() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "1",
            "0",
            "-3",
            "2.5",
            "true",
            "false",
            "undefined",
            "error",
            "\"text\"",
            "\"a, b,a\"",
            "\"\"",
            "i",
            "r",
            "s",
            "t",
            "u",
            "e",
            "sum",
            "late",
            "nosuch",
            "MY.i",
            "TARGET.i",
            "time()",
        ]);
        leaf.prop_map(str::to_owned).prop_recursive(5, 40, 3, |inner| {
            let operator = prop::sample::select(vec![
                "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "=?=", "=!=", "&&", "||", "&", "|", "^",
                "<<", ">>", ">>>", "?:",
            ]);
            let unary = prop::sample::select(vec!["-", "+", "!", "~"]);
            let function1 = prop::sample::select(vec![
                "toUpper", "toLower", "size", "string", "int", "real", "bool", "split", "join",
                "splitUserName", "isString", "stringListSize", "stringListSum",
            ]);
            let function2 = prop::sample::select(vec![
                "strcat", "substr", "split", "join", "member", "strcmp", "stricmp", "regexp",
                "stringListMember", "stringListIMember", "stringListsIntersect", "regexpMember",
                "identicalMember", "versionGT", "stringList_regexpMember",
            ]);
            let function3 = prop::sample::select(vec![
                "strcat", "substr", "join", "regexps", "replace", "replaceAll",
                "stringListSubsetMatch",
            ]);
            prop_oneof![
                4 => (inner.clone(), operator, inner.clone()).prop_map(|(a, of, b)| format!("({a}) {of} ({b})")),
                1 => (unary, inner.clone()).prop_map(|(of, a)| format!("{of}({a})")),
                1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
                1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("ifThenElse({a}, {b}, {c})")),
                1 => inner.clone().prop_map(|a| format!("isUndefined({a})")),
                1 => (function1, inner.clone()).prop_map(|(of, a)| format!("{of}({a})")),
                2 => (function2, inner.clone(), inner.clone())
                    .prop_map(|(of, a, b)| format!("{of}({a}, {b})")),
                1 => (function3, inner.clone(), inner.clone(), inner)
                    .prop_map(|(of, a, b, c)| format!("{of}({a}, {b}, {c})")),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_short_way_leads_where_the_long_one_does(text in expressions()) {
            let (short, long) = both(&text);
            if let Some(short) = short {
                prop_assert_eq!(short, long);
            }
        }
    }
}
