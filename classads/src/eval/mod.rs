//! Evaluation: the value of an expression on an ad.
//!
//! - `budget`: steps that several evaluations share.
//! - `context`: what an evaluation may know besides the ad.
//! - `matching`: matches of two ads.
//! - `meter`: strings and lists, counted before they are made.
//! - `operators`: what operators do to values.
//! - `program`: the short way for policies.
//! - `references`: attributes that an expression needs, followed through the ad.
//! - `scalar`: values of two words.
//! - `scope`: where a name is looked up.
//! - `steps`: the value of every sub-expression.

mod budget;
mod context;
mod matching;
pub(crate) mod meter;
pub(crate) mod operators;
pub(crate) mod program;
pub(crate) mod references;
pub(crate) mod scalar;
pub(crate) mod scope;
mod steps;

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::sync::Arc;

pub use budget::Budget;
pub use context::EvalContext;
pub use steps::Step;

use crate::ad::ClassAd;
use crate::expr::operator::BinaryOperator;
use crate::expr::tree::{Call, Kind, NodeId, Tree};
use crate::expr::{Expr, NodeKind, Repr};
use crate::functions::conversions::low_bits;
use crate::functions::{Arguments, Body, Stop, plain};
use crate::name::Name;
use crate::value::Value;
use meter::Meter;
use scope::{Scope, Val};

/// HTCondor's limit of operators and attributes inside each other (`MAX_CLASSAD_RECURSION`).
const MAX_DEPTH: u32 = 400;
/// Limit of anything inside anything, function calls too, so that a small stack is enough.
const MAX_NESTING: u32 = 800;

/// The evaluation gave up: too deep, too long, too large, or a function that cannot go on. The
/// whole expression is an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure;

/// What a name stands for.
pub(crate) enum Found<'a, E = Expr> {
    /// An attribute's expression.
    Expression(E),
    /// An ad by a word such as `parent`, or a list of the elements' attributes.
    Value(Val<'a>),
}

pub(crate) type Outcome<'a> = Result<Val<'a>, Failure>;

/// The value of an attribute; `undefined` if it is not there.
pub(crate) fn attribute(ad: &ClassAd, name: &str, context: &EvalContext<'_>) -> Value {
    let name = Name::new(name);
    if let Some(value) = program::attribute(ad, &name, context) {
        return value;
    }
    let scope = Scope::top(ad, context.target);
    let evaluator = Evaluator::new(context);
    evaluator.attribute(&scope, &name, false).map_or(Value::Error, Val::into_value)
}

/// The value of an expression on an ad.
pub(crate) fn expression(ad: &ClassAd, expr: &Expr, context: &EvalContext<'_>) -> Value {
    attempt(ad, expr, context).unwrap_or(Value::Error)
}

/// The value of an expression on an ad; `None` where the evaluation gave up. Inlined, as what it
/// calls, so that the value is written where it stays.
#[inline(always)]
pub(crate) fn attempt(ad: &ClassAd, expr: &Expr, context: &EvalContext<'_>) -> Option<Value> {
    if let Some(value) = program::expression(ad, expr, context) {
        return Some(value);
    }
    let scope = Scope::top(ad, context.target);
    let evaluator = Evaluator::new(context);
    match evaluator.expression(expr, &scope) {
        Ok(value) => Some(value.into_value()),
        Err(Failure) => (!evaluator.gave_up()).then_some(Value::Error),
    }
}

/// Names that mean something where no attribute has them.
fn is_keyword(name: &Name) -> bool {
    ["MY", "self", "root", "parent", "toplevel", "CurrentTime"]
        .iter()
        .any(|keyword| name.is(keyword))
}

/// One evaluation: its limits and what is being evaluated.
pub(crate) struct Evaluator<'c> {
    pub(crate) context: &'c EvalContext<'c>,
    depth: Cell<u32>,
    nesting: Cell<u32>,
    meter: Meter,
    /// Addresses of the attributes' expressions being evaluated, to know one that needs itself.
    active: RefCell<Vec<usize>>,
    pub(crate) random: Cell<u64>,
}

impl<'c> Evaluator<'c> {
    pub(crate) fn new(context: &'c EvalContext<'c>) -> Evaluator<'c> {
        Evaluator {
            context,
            depth: Cell::new(0),
            nesting: Cell::new(0),
            meter: Meter::new(context.steps(), context.max_bytes),
            active: RefCell::new(Vec::new()),
            random: Cell::new(context.random_seed.unwrap_or(0)),
        }
    }

    /// Runs `inside` one level deeper, if there is room.
    pub(crate) fn deeper<T>(
        &self,
        inside: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.within(&self.depth, MAX_DEPTH, inside)
    }

    /// Runs `inside` where HTCondor counts no level; what is inside what still has an end.
    pub(crate) fn inside<T>(
        &self,
        inside: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.within(&self.nesting, MAX_NESTING, inside)
    }

    /// Runs `inside` with one level counted more, if that is within the limit.
    fn within<T>(
        &self,
        levels: &Cell<u32>,
        limit: u32,
        inside: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let level = levels.get();
        if level >= limit {
            return Err(self.give_up());
        }
        levels.set(level + 1);
        let result = inside();
        levels.set(level);
        result
    }

    /// A value that a function looks at.
    pub(crate) fn looked_at<'a>(&self, value: Val<'a>) -> Outcome<'a> {
        if let Some(text) = value.as_str() {
            self.charge_search(text)?;
        }
        Ok(value)
    }

    pub(crate) fn expression<'a>(&self, expr: &Expr, scope: &Scope<'a>) -> Outcome<'a> {
        match &expr.0 {
            Repr::Literal(value) => {
                self.charge(1)?;
                Ok(Val::of(value, scope))
            }
            Repr::Tree { tree, root } => self.node(tree, *root, scope),
        }
    }

    /// The value of an element of a list, for functions that look at it.
    pub(crate) fn element_of<'a>(&self, element: &Expr, at: &Scope<'a>) -> Outcome<'a> {
        self.looked_at(self.expression(element, at)?)
    }

    pub(crate) fn node<'a>(&self, tree: &Arc<Tree>, id: NodeId, scope: &Scope<'a>) -> Outcome<'a> {
        self.charge(1)?;
        match &tree.node(id).kind {
            Kind::Literal(value) => return Ok(Val::of(value, scope)),
            Kind::ClassAd(ad) => return Ok(Val::Ad(scope.nested(ad))),
            _ => {}
        }
        self.inside(|| self.inner(tree, id, scope))
    }

    fn inner<'a>(&self, tree: &Arc<Tree>, id: NodeId, scope: &Scope<'a>) -> Outcome<'a> {
        match &tree.node(id).kind {
            Kind::Literal(value) => Ok(Val::of(value, scope)),
            Kind::ClassAd(ad) => Ok(Val::Ad(scope.nested(ad))),
            Kind::Attribute { scope: None, name, absolute } => {
                if *absolute {
                    self.attribute(scope.root(), name, true)
                } else {
                    self.attribute(scope, name, false)
                }
            }
            Kind::Attribute { scope: Some(before), name, .. } => {
                let object = self.deeper(|| self.node(tree, *before, scope))?;
                self.select(&object, name, scope)
            }
            Kind::Parentheses(inside) => self.deeper(|| self.node(tree, *inside, scope)),
            Kind::Unary(operator, operand) => {
                let operand = self.deeper(|| self.node(tree, *operand, scope))?;
                Ok(Val::Plain(operators::unary(*operator, &operand)))
            }
            Kind::Binary(operator, left, right) => {
                self.deeper(|| self.binary(tree, *operator, *left, *right, scope))
            }
            Kind::Conditional(condition, yes, no) => {
                self.deeper(|| self.conditional(tree, [*condition, *yes, *no], scope))
            }
            Kind::Call(call) => self.call(tree, call, scope),
            Kind::List(elements) => {
                self.make(elements.len() * size_of::<Expr>())?;
                let elements = elements
                    .iter()
                    .map(|element| Expr(Repr::Tree { tree: Arc::clone(tree), root: *element }));
                Ok(Val::List(elements.collect(), scope.clone()))
            }
        }
    }

    fn call<'a>(&self, tree: &Arc<Tree>, call: &Call, scope: &Scope<'a>) -> Outcome<'a> {
        let Some((_, counts, function)) = call.function else { return Ok(Val::ERROR) };
        if !counts.contains(&call.arguments.len()) {
            return Ok(Val::ERROR);
        }
        let arguments = Arguments { evaluator: self, tree, nodes: &call.arguments, scope };
        let answer = match function {
            Body::Any(function) => function(&arguments),
            Body::Plain(function) => plain::called(*function, &arguments),
        };
        match answer {
            Ok(value) => Ok(value),
            Err(Stop::Undefined) => Ok(Val::UNDEFINED),
            Err(Stop::Error) => Ok(Val::ERROR),
            Err(Stop::Failure) => Err(Failure),
        }
    }

    fn conditional<'a>(
        &self,
        tree: &Arc<Tree>,
        nodes: [NodeId; 3],
        scope: &Scope<'a>,
    ) -> Outcome<'a> {
        let [condition, yes, no] = nodes;
        let condition = self.node(tree, condition, scope)?;
        match condition.as_condition() {
            Some(true) => self.node(tree, yes, scope),
            Some(false) => self.node(tree, no, scope),
            None if condition.is_undefined() => Ok(Val::UNDEFINED),
            None if condition.is_error() => Ok(Val::ERROR),
            None => {
                // HTCondor evaluates both, and gives up if it cannot.
                self.node(tree, yes, scope)?;
                self.node(tree, no, scope)?;
                Ok(Val::ERROR)
            }
        }
    }

    fn binary<'a>(
        &self,
        tree: &Arc<Tree>,
        operator: BinaryOperator,
        left: NodeId,
        right: NodeId,
        scope: &Scope<'a>,
    ) -> Outcome<'a> {
        let left = self.node(tree, left, scope)?;
        match operator {
            BinaryOperator::Or if left.is_error() => return Ok(Val::ERROR),
            BinaryOperator::Or if left.as_condition() == Some(true) => return Ok(true.into()),
            BinaryOperator::And if left.is_error() => return Ok(Val::ERROR),
            BinaryOperator::And if left.as_condition() == Some(false) => return Ok(false.into()),
            BinaryOperator::Elvis if !left.is_undefined() => return Ok(left),
            _ => {}
        }
        let right = self.node(tree, right, scope)?;
        match operator {
            BinaryOperator::Elvis => Ok(right),
            BinaryOperator::Subscript => self.subscript(&left, &right),
            _ => {
                if let (Some(one), Some(other)) = (left.as_str(), right.as_str()) {
                    self.charge_bytes(one.len().min(other.len()))?;
                }
                Ok(Val::Plain(operators::binary(operator, &left, &right)))
            }
        }
    }

    fn subscript<'a>(&self, object: &Val<'a>, index: &Val<'a>) -> Outcome<'a> {
        // Strict, like arithmetic.
        if object.is_error() || index.is_error() {
            return Ok(Val::ERROR);
        }
        if object.is_undefined() || index.is_undefined() {
            return Ok(Val::UNDEFINED);
        }
        match (object, index) {
            (Val::Ad(inside), Val::Plain(Value::String(name))) => {
                let name = Name::new(name);
                if inside.ad().lookup(name.hash, &name.text).is_none() {
                    return Ok(Val::UNDEFINED);
                }
                Ok(self.attribute(inside, &name, true)?.named())
            }
            (Val::List(elements, inside), Val::Plain(Value::Integer(index))) => {
                // C's int takes the low 32 bits.
                let index = usize::try_from(low_bits(*index)).ok();
                let element = index.and_then(|index| elements.get(index));
                match element {
                    Some(element) => self.deeper(|| self.expression(element, inside.unnamed())),
                    None => Ok(Val::ERROR),
                }
            }
            _ => Ok(Val::ERROR),
        }
    }

    /// `object.name`: of an ad its attribute, of a list the list of its elements' attributes. Names
    /// in the elements are looked up where `object.name` stands, not where the list does, as in
    /// HTCondor (`AttributeReference::_Evaluate`).
    fn select<'a>(&self, object: &Val<'a>, name: &Name, here: &Scope<'a>) -> Outcome<'a> {
        match object {
            Val::Plain(Value::Undefined) => Ok(Val::UNDEFINED),
            Val::Plain(_) => Ok(Val::ERROR),
            Val::Ad(inside) => self.attribute(inside, name, true),
            Val::List(elements, inside) => {
                let mut found = Vec::with_capacity(elements.len());
                let of_elements = here.of_elements(inside);
                for element in elements.iter() {
                    let element = self.deeper(|| self.expression(element, &of_elements))?;
                    let value = self.deeper(|| self.select(&element, name, here))?;
                    found.push(self.element(value)?);
                }
                Ok(Val::List(scope::literals(found), inside.clone()))
            }
        }
    }

    /// Looks a name up from the inside out and evaluates what it finds. `scoped`: the name stands
    /// behind a dot, the other ad of a match is not asked.
    pub(crate) fn attribute<'a>(&self, from: &Scope<'a>, name: &Name, scoped: bool) -> Outcome<'a> {
        if let Some(result) = self.climb(from, name) {
            return result;
        }
        // HTCondor asks the other ad only for names that stand in one of the matched ads
        // themselves.
        if !scoped
            && self.context.old_semantics
            && let Some(other) = from.other_of_top()
            && let Some(result) = self.climb(&other, name)
        {
            return result;
        }
        Ok(Val::UNDEFINED)
    }

    fn climb<'a>(&self, from: &Scope<'a>, name: &Name) -> Option<Outcome<'a>> {
        let (found, at) = self.look_up(from, name);
        Some(match found? {
            Found::Expression(expr) => self.dereference(expr, at),
            Found::Value(value) => Ok(value),
        })
    }

    /// What a name stands for, not evaluated, and the ad it was found in; that of the last try if
    /// it is nowhere.
    fn look_up<'s, 'a>(
        &self,
        from: &'s Scope<'a>,
        name: &Name,
    ) -> (Option<Found<'a, &'s Expr>>, &'s Scope<'a>) {
        let mut scope = from.own();
        loop {
            if let Some(side) = scope.side(name) {
                return (Some(Found::Value(Val::Ad(side))), scope);
            }
            if let Some(parsed) = scope.ad().lookup(name.hash, &name.text) {
                // Text that is no expression: HTCondor would not have let it into an ad.
                let found = parsed.as_ref().map_or(Found::Value(Val::ERROR), Found::Expression);
                return (Some(found), scope);
            }
            if let Some(keyword) = self.keyword(scope, name) {
                return (keyword.map(Found::Value), scope);
            }
            match scope.parent() {
                Some(parent) => scope = parent,
                None => return (None, scope),
            }
        }
    }

    /// The same, kept beyond the ad.
    pub(crate) fn find<'a>(&self, from: &Scope<'a>, name: &str) -> (Option<Found<'a>>, Scope<'a>) {
        let (found, at) = self.look_up(from, &Name::new(name));
        let found = found.map(|found| match found {
            Found::Expression(expr) => Found::Expression(expr.clone()),
            Found::Value(value) => Found::Value(value),
        });
        (found, at.clone())
    }

    /// [`Evaluator::find`] for an expression that is an attribute reference; nothing is found for
    /// another.
    pub(crate) fn find_reference<'a>(
        &self,
        reference: &Expr,
        scope: &Scope<'a>,
    ) -> (Option<Found<'a>>, Scope<'a>) {
        let NodeKind::Attribute { scope: before, name, absolute } = reference.root().kind() else {
            return (None, scope.clone());
        };
        let Some(before) = before else {
            let (found, at) = self.find(if absolute { scope.root() } else { scope }, name);
            return match scope.other_of_top() {
                Some(other) if found.is_none() && !absolute && self.context.old_semantics => {
                    self.find(&other, name)
                }
                _ => (found, at),
            };
        };
        match self.expression_deeper(&before.to_expr(), scope) {
            Ok(Val::Ad(inside)) => self.find(&inside, name),
            Ok(list @ Val::List(..)) => {
                let found = self.select(&list, &Name::new(name), scope).ok().map(Found::Value);
                (found, scope.clone())
            }
            _ => (None, scope.clone()),
        }
    }

    /// Names with a meaning of their own: `Some(None)` is such a name with nothing behind it.
    fn keyword<'a>(&self, scope: &Scope<'a>, name: &Name) -> Option<Option<Val<'a>>> {
        if !is_keyword(name) {
            return None;
        }
        if name.is("root") || name.is("toplevel") {
            Some(Some(Val::Ad(scope.root().clone())))
        } else if name.is("self") || (self.context.old_semantics && name.is("MY")) {
            Some(Some(Val::Ad(scope.clone())))
        } else if name.is("parent") {
            Some(scope.parent().map(|parent| Val::Ad(parent.clone())))
        } else if self.context.old_semantics && name.is("CurrentTime") {
            Some(Some(self.context.now.into()))
        } else {
            None
        }
    }

    fn dereference<'a>(&self, expr: &Expr, scope: &Scope<'a>) -> Outcome<'a> {
        if let Repr::Literal(value) = &expr.0 {
            return Ok(Val::of(value, scope));
        }
        let address = std::ptr::from_ref(expr) as usize;
        if self.active.borrow().contains(&address) {
            return if self.context.circles_fail { Err(Failure) } else { Ok(Val::UNDEFINED) };
        }
        self.active.borrow_mut().push(address);
        let result = self.deeper(|| self.expression(expr, scope));
        self.active.borrow_mut().pop();
        result
    }

    /// [`Evaluator::expression`] one level deeper, for functions that evaluate what is no argument
    /// of theirs.
    pub(crate) fn expression_deeper<'a>(&self, expr: &Expr, scope: &Scope<'a>) -> Outcome<'a> {
        self.deeper(|| self.expression(expr, scope))
    }
}

impl Deref for Evaluator<'_> {
    type Target = Meter;

    fn deref(&self) -> &Meter {
        &self.meter
    }
}

impl Drop for Evaluator<'_> {
    fn drop(&mut self) {
        if let Some(budget) = &self.context.budget {
            budget.take(self.steps().into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ad() -> ClassAd {
        let text = "[a = 1; b = [c = a; d = parent.a]; l = {a, a + 1, [q = a]}; s = \"x\"; ll = {[x = 1], [x = 2]};
            cyc = cyc2 + 1; cyc2 = cyc]";
        ClassAd::parse(text).expect("the test ad parses")
    }

    fn value(text: &str) -> String {
        let expr = Expr::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        ad().evaluate_expr(&expr, &EvalContext::at(1000)).to_string()
    }

    #[test]
    fn names_are_found_from_the_inside_out() {
        for (text, expected) in [
            ("a", "1"),
            ("A", "1"),
            ("MY.a", "1"),
            ("TARGET.a", "undefined"),
            ("CurrentTime", "1000"),
            ("b.c", "1"),
            ("b.d", "1"),
            ("b.nope", "undefined"),
            ("l[1]", "2"),
            ("l[2].q", "1"),
            ("ll.x", "{ 1,2 }"),
            ("b[\"c\"]", "1"),
            (".a", "1"),
            ("root.a", "1"),
            ("a.b", "error"),
            ("cyc", "undefined"),
            ("nope", "undefined"),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn logic_has_three_values() {
        for (text, expected) in [
            ("undefined && false", "false"),
            ("undefined || true", "true"),
            ("undefined && true", "undefined"),
            ("error || true", "error"),
            ("true || error", "true"),
            ("undefined == 1", "undefined"),
            ("undefined =?= undefined", "true"),
            ("1 =?= 1.0", "false"),
            ("\"A\" == \"a\"", "true"),
            ("\"A\" =?= \"a\"", "false"),
            ("undefined ? 1 : 2", "undefined"),
            ("nope ?: 5", "5"),
            ("1 ?: 2 + 3", "4"),
            ("\"a\" && true", "error"),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn a_match_looks_in_the_other_ad_too() {
        let job = ClassAd::parse("[ Memory = 5; Fits = TARGET.Memory > MY.Memory && Cpus > 1 ]")
            .expect("an ad");
        let slot = ClassAd::parse("[ Memory = 9; Cpus = 4; Back = TARGET.Memory ]").expect("an ad");
        let context = EvalContext { target: Some(&slot), ..EvalContext::at(0) };
        assert_eq!(job.evaluate("Fits", &context), Value::Boolean(true));
        let back = Expr::parse("TARGET.Back").expect("an expression");
        assert_eq!(job.evaluate_expr(&back, &context), Value::Integer(5));
        assert_eq!(job.evaluate("Fits", &EvalContext::at(0)), Value::Undefined);
    }

    #[test]
    fn the_manuals_rule_for_job_policies_can_be_chosen() {
        let context = EvalContext { old_semantics: false, ..EvalContext::at(0) };
        let expr = Expr::parse("MY.a").expect("an expression");
        assert_eq!(ad().evaluate_expr(&expr, &context), Value::Undefined);
    }

    #[test]
    fn an_attribute_that_needs_itself_is_undefined_or_an_error() {
        let ad = ClassAd::parse("[ a = b; b = a; c = a || true; d = true || a ]").expect("an ad");
        let old = EvalContext { circles_fail: true, ..EvalContext::at(0) };
        for (name, expected) in [("a", Value::Error), ("c", Value::Error), ("d", true.into())] {
            assert_eq!(ad.evaluate(name, &old), expected, "{name} before 25.13");
        }
        let circle = Expr::parse("c").expect("an expression");
        assert_eq!(ad.try_evaluate_expr(&circle, &old), Some(Value::Error), "no limit is met");
        assert_eq!(ad.evaluate("c", &EvalContext::at(0)), Value::Boolean(true));
    }

    #[test]
    fn nesting_and_work_are_bounded() {
        for text in ["(", "!", "-", "{", "[a=", "f(", "a?", "a?:", "x[", "\"a\"&&(1||"] {
            let deep = text.repeat(100_000);
            assert!(Expr::parse(&deep).is_err(), "{text}");
        }
        let chain = "1+".repeat(100_000) + "1";
        let chain = Expr::parse(&chain).expect("a long chain parses");
        assert_eq!(ad().evaluate_expr(&chain, &EvalContext::at(0)), Value::Error);
        assert_eq!(chain.nodes().count(), 200_001);
        assert!(chain.to_string().len() > 200_000);

        let nested = format!("{}1{}", "(".repeat(160), ")".repeat(160));
        assert_eq!(value(&nested), "1");
        let mut doubling = ClassAd::new();
        for level in 0..60 {
            let next = Expr::parse(&format!("a{0} + a{0}", level + 1)).expect("an expression");
            doubling.insert(&format!("a{level}"), next);
        }
        doubling.insert_value("a60", 1);
        let context = EvalContext { max_steps: 10_000, ..EvalContext::at(0) };
        assert_eq!(doubling.evaluate("a0", &context), Value::Error);
        let doubled = Expr::parse("a0").expect("an expression");
        assert_eq!(doubling.try_evaluate_expr(&doubled, &context), None);
        let wrong = Expr::parse("1 + \"a\"").expect("an expression");
        assert_eq!(doubling.try_evaluate_expr(&wrong, &context), Some(Value::Error));
    }

    #[test]
    fn attributes_through_functions_do_not_exhaust_the_stack() {
        let mut ad = ClassAd::new();
        for level in 0..500 {
            let calls = "ifThenElse(true,".repeat(100);
            let text = format!("{calls}a{}{}", level + 1, ",0)".repeat(100));
            ad.insert(&format!("a{level}"), Expr::parse(&text).expect("an expression"));
        }
        assert_eq!(ad.evaluate("a0", &EvalContext::at(0)), Value::Error);
    }
}
