//! The short way: expressions of constants, attributes of the ad, operators and a few functions, which policies are made of.
//! Their values are small or borrowed from the ad, and nothing is written down on the way. Where the short way ends, in a list, a
//! nested ad, a time, another function or deep nesting, there is no answer, and the evaluator takes the long way from the start.

use std::cell::Cell;
use std::sync::Arc;

use super::EvalContext;
use super::operators;
use super::scope::Val;
use crate::ad::ClassAd;
use crate::expr::operator::{BinaryOperator, UnaryOperator};
use crate::expr::tree::{Call, Kind, NodeId, Tree};
use crate::expr::{Expr, Repr};
use crate::name::Name;
use crate::value::Value;

/// Levels of nesting, through attributes too: beyond them the long way counts as HTCondor does.
const MAX_DEPTH: u32 = 48;
/// Nodes: so few take no time.
const MAX_NODES: u32 = 2_000;

/// The value of an expression; `None` where the short way does not lead there.
pub(super) fn expression(ad: &ClassAd, expr: &Expr, context: &EvalContext<'_>) -> Option<Value> {
    if context.max_steps < MAX_NODES {
        return None;
    }
    let short = Short { ad, context, left: Cell::new(MAX_NODES) };
    short.expression(expr, 0).map(Scalar::into_value)
}

/// [`expression`] for an attribute of the ad.
pub(super) fn attribute(ad: &ClassAd, name: &Name, context: &EvalContext<'_>) -> Option<Value> {
    match ad.lookup(name.hash, &name.text)? {
        Ok(expr) => expression(ad, expr, context),
        Err(_) => None,
    }
}

#[derive(Clone, Copy)]
enum Scalar<'a> {
    Undefined,
    Error,
    Boolean(bool),
    Integer(i64),
    Real(f64),
    Text(&'a Arc<str>),
}

impl<'a> Scalar<'a> {
    fn of(value: &'a Value) -> Option<Scalar<'a>> {
        Some(match value {
            Value::Undefined => Scalar::Undefined,
            Value::Error => Scalar::Error,
            Value::Boolean(truth) => Scalar::Boolean(*truth),
            Value::Integer(integer) => Scalar::Integer(*integer),
            Value::Real(real) => Scalar::Real(*real),
            Value::String(text) => Scalar::Text(text),
            _ => return None,
        })
    }

    fn into_value(self) -> Value {
        match self {
            Scalar::Text(text) => Value::String(Arc::clone(text)),
            other => other.without_text(),
        }
    }

    /// The value for an operator that does not look into a string.
    fn without_text(self) -> Value {
        match self {
            Scalar::Undefined => Value::Undefined,
            Scalar::Error => Value::Error,
            Scalar::Boolean(truth) => Value::Boolean(truth),
            Scalar::Integer(integer) => Value::Integer(integer),
            Scalar::Real(real) => Value::Real(real),
            Scalar::Text(_) => Value::String(Arc::default()),
        }
    }

    /// What an operator gives, which is no string.
    fn from_operator(value: &Value) -> Scalar<'a> {
        match value {
            Value::Undefined => Scalar::Undefined,
            Value::Boolean(truth) => Scalar::Boolean(*truth),
            Value::Integer(integer) => Scalar::Integer(*integer),
            Value::Real(real) => Scalar::Real(*real),
            _ => Scalar::Error,
        }
    }

    fn as_condition(self) -> Option<bool> {
        match self {
            Scalar::Boolean(truth) => Some(truth),
            Scalar::Integer(integer) => Some(integer != 0),
            Scalar::Real(real) => Some(real != 0.0),
            _ => None,
        }
    }
}

struct Short<'a, 'c> {
    ad: &'a ClassAd,
    context: &'c EvalContext<'c>,
    /// Nodes that may still be visited.
    left: Cell<u32>,
}

impl<'a> Short<'a, '_> {
    fn expression(&self, expr: &'a Expr, depth: u32) -> Option<Scalar<'a>> {
        match &expr.0 {
            Repr::Literal(value) => Scalar::of(value),
            Repr::Tree { tree, root } => self.node(tree, *root, depth),
        }
    }

    fn node(&self, tree: &'a Tree, id: NodeId, depth: u32) -> Option<Scalar<'a>> {
        let left = self.left.get().checked_sub(1).filter(|_| depth < MAX_DEPTH)?;
        self.left.set(left);
        let depth = depth + 1;
        match &tree.node(id).kind {
            Kind::Literal(value) => Scalar::of(value),
            Kind::Attribute { scope: None, name, absolute: false } => self.attribute(name, depth),
            Kind::Attribute { scope: Some(before), name, .. } => {
                self.selection(tree, *before, name, depth)
            }
            Kind::Parentheses(inside) => self.node(tree, *inside, depth),
            Kind::Binary(operator, left, right) => {
                self.binary(tree, *operator, [*left, *right], depth)
            }
            Kind::Unary(operator, operand) => {
                Some(unary(*operator, self.node(tree, *operand, depth)?))
            }
            Kind::Conditional(condition, yes, no) => {
                let condition = self.node(tree, *condition, depth)?;
                match condition.as_condition() {
                    Some(truth) => self.node(tree, if truth { *yes } else { *no }, depth),
                    None => {
                        self.node(tree, *yes, depth)?;
                        self.node(tree, *no, depth)?;
                        Some(undefined_or_error(condition))
                    }
                }
            }
            Kind::Call(call) => self.call(tree, call, depth),
            Kind::Attribute { .. } | Kind::List(_) | Kind::ClassAd(_) => None,
        }
    }

    fn attribute(&self, name: &'a Name, depth: u32) -> Option<Scalar<'a>> {
        match self.ad.lookup(name.hash, &name.text) {
            Some(Ok(expr)) => self.expression(expr, depth),
            Some(Err(_)) => Some(Scalar::Error),
            None if self.context.target.is_some() => None,
            None if self.context.old_semantics && name.is("CurrentTime") => {
                Some(Scalar::Integer(self.context.now))
            }
            None if is_keyword(name) => None,
            None => Some(Scalar::Undefined),
        }
    }

    /// `MY.name`, and `TARGET.name` where there is no other ad.
    fn selection(
        &self,
        tree: &'a Tree,
        before: NodeId,
        name: &'a Name,
        depth: u32,
    ) -> Option<Scalar<'a>> {
        let Kind::Attribute { scope: None, name: scope, absolute: false } = &tree.node(before).kind
        else {
            return None;
        };
        if self.context.target.is_some() || self.ad.lookup(scope.hash, &scope.text).is_some() {
            return None;
        }
        if self.context.old_semantics && scope.is("MY") {
            return self.attribute(name, depth);
        }
        scope.is("TARGET").then_some(Scalar::Undefined)
    }

    fn binary(
        &self,
        tree: &'a Tree,
        operator: BinaryOperator,
        [left, right]: [NodeId; 2],
        depth: u32,
    ) -> Option<Scalar<'a>> {
        use BinaryOperator as B;
        let left = self.node(tree, left, depth)?;
        match (operator, left) {
            (B::Or | B::And, Scalar::Error) => return Some(Scalar::Error),
            (B::Or, _) if left.as_condition() == Some(true) => return Some(Scalar::Boolean(true)),
            (B::And, _) if left.as_condition() == Some(false) => {
                return Some(Scalar::Boolean(false));
            }
            (B::Elvis, _) if !matches!(left, Scalar::Undefined) => return Some(left),
            (B::Subscript, _) => return None,
            _ => {}
        }
        let right = self.node(tree, right, depth)?;
        Some(match (operator, left, right) {
            (B::Elvis, ..) => right,
            (B::And | B::Or, Scalar::Boolean(_), Scalar::Boolean(_)) => right,
            (_, Scalar::Integer(a), Scalar::Integer(b)) => integers(operator, a, b),
            (B::Identical, Scalar::Text(a), Scalar::Text(b)) => Scalar::Boolean(a == b),
            (B::NotIdentical, Scalar::Text(a), Scalar::Text(b)) => Scalar::Boolean(a != b),
            (_, Scalar::Text(a), Scalar::Text(b)) if operator.is_comparison() => {
                Scalar::from_operator(&operators::texts(operator, a, b))
            }
            _ => values(operator, left, right),
        })
    }

    fn call(&self, tree: &'a Tree, call: &Call, depth: u32) -> Option<Scalar<'a>> {
        let is = |name: &str| call.name.eq_ignore_ascii_case(name);
        match call.arguments[..] {
            [] if is("time") => Some(Scalar::Integer(self.context.now)),
            [value] if is("isUndefined") => {
                let value = self.node(tree, value, depth)?;
                Some(Scalar::Boolean(matches!(value, Scalar::Undefined)))
            }
            [condition, yes, no] if is("ifThenElse") => {
                let condition = self.node(tree, condition, depth)?;
                match condition.as_condition() {
                    Some(truth) => self.node(tree, if truth { yes } else { no }, depth),
                    None => Some(undefined_or_error(condition)),
                }
            }
            _ => None,
        }
    }
}

fn undefined_or_error(condition: Scalar<'_>) -> Scalar<'_> {
    if let Scalar::Undefined = condition { Scalar::Undefined } else { Scalar::Error }
}

/// Names that mean something where no attribute has them.
fn is_keyword(name: &Name) -> bool {
    ["MY", "self", "root", "parent", "toplevel"].iter().any(|keyword| name.is(keyword))
}

fn unary<'a>(operator: UnaryOperator, operand: Scalar<'_>) -> Scalar<'a> {
    Scalar::from_operator(&operators::unary(operator, &Val::Plain(operand.without_text())))
}

#[inline]
fn integers<'a>(operator: BinaryOperator, a: i64, b: i64) -> Scalar<'a> {
    use BinaryOperator as B;
    match operator {
        B::Equal | B::Identical => Scalar::Boolean(a == b),
        B::NotEqual | B::NotIdentical => Scalar::Boolean(a != b),
        B::Less => Scalar::Boolean(a < b),
        B::LessOrEqual => Scalar::Boolean(a <= b),
        B::Greater => Scalar::Boolean(a > b),
        B::GreaterOrEqual => Scalar::Boolean(a >= b),
        B::Add => Scalar::Integer(a.wrapping_add(b)),
        B::Subtract => Scalar::Integer(a.wrapping_sub(b)),
        B::Multiply => Scalar::Integer(a.wrapping_mul(b)),
        _ => values(operator, Scalar::Integer(a), Scalar::Integer(b)),
    }
}

/// An operator that does not look into a string.
#[inline(never)]
fn values<'a>(operator: BinaryOperator, left: Scalar<'_>, right: Scalar<'_>) -> Scalar<'a> {
    let [left, right] = [left, right].map(|value| Val::Plain(value.without_text()));
    Scalar::from_operator(&operators::binary(operator, &left, &right))
}
