//! From a syntax tree to steps, constants worked out beforehand.

use std::sync::atomic::AtomicU32;

use super::{Jump, Program, STACK, Step};
use crate::eval::scalar::{self, Scalar};
use crate::expr::operator::BinaryOperator;
use crate::expr::tree::{Call, Kind, NodeId, Tree};
use crate::functions::Body;
use crate::value::Value;

/// Levels of nesting; what is deeper is evaluated otherwise.
const MAX_DEPTH: usize = 64;

impl Program {
    /// The program of the outermost node, if the short way is all there is.
    pub(crate) fn of(tree: &Tree) -> Option<Program> {
        let mut compiler = Compiler { tree, steps: Vec::new(), height: 0, most: 0 };
        compiler.node(tree.root(), 0)?;
        let size = u32::try_from(compiler.steps.len()).ok()?;
        (compiler.most <= STACK).then(|| Program { steps: compiler.steps.into(), size })
    }
}

struct Compiler<'t> {
    tree: &'t Tree,
    steps: Vec<Step>,
    /// Values that lie on the stack at this step, besides the last, and the most that ever do.
    height: usize,
    most: usize,
}

impl Compiler<'_> {
    /// A jump whose target is not known yet.
    fn jump(&mut self, jump: Jump) -> usize {
        self.steps.push(Step::Jump(jump, 0));
        self.steps.len() - 1
    }

    /// The jump leads here.
    fn land(&mut self, jump: usize) -> Option<()> {
        let here = u32::try_from(self.steps.len()).ok()?;
        if let Some(Step::Jump(_, target) | Step::Decide(_, target)) = self.steps.get_mut(jump) {
            *target = here;
        }
        Some(())
    }

    fn node(&mut self, id: NodeId, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        match &self.tree.node(id).kind {
            Kind::Literal(value) => {
                Scalar::of(value)?;
                self.steps.push(Step::Constant(value.clone()));
            }
            Kind::Attribute { scope: None, name, absolute: false } => {
                self.steps.push(Step::Attribute(name.clone(), AtomicU32::new(0)));
            }
            Kind::Attribute { scope: Some(before), name, .. } => {
                let Kind::Attribute { scope: None, name: scope, absolute: false } =
                    &self.tree.node(*before).kind
                else {
                    return None;
                };
                if scope.is("MY") {
                    self.steps.push(Step::OwnAttribute(name.clone(), AtomicU32::new(0)));
                } else if scope.is("TARGET") {
                    self.steps.push(Step::TargetAttribute);
                } else {
                    return None;
                }
            }
            Kind::Parentheses(inside) => self.node(*inside, depth)?,
            Kind::Unary(operator, operand) => {
                let start = self.steps.len();
                self.node(*operand, depth)?;
                if let [Step::Constant(operand)] = &self.steps[start..] {
                    let value = scalar::unary(*operator, Scalar::of(operand)?)?.into_value();
                    self.fold(start, value);
                } else {
                    self.steps.push(Step::Unary(*operator));
                }
            }
            Kind::Binary(operator, left, right) => self.binary(*operator, *left, *right, depth)?,
            Kind::Conditional(condition, yes, no) => {
                self.choice(*condition, *yes, *no, depth)?;
            }
            Kind::Call(call) => self.call(call, depth)?,
            Kind::Attribute { .. } | Kind::List(_) | Kind::ClassAd(_) => return None,
        }
        Some(())
    }

    /// Puts a constant in place of the steps that make it.
    fn fold(&mut self, start: usize, value: Value) {
        self.steps.truncate(start);
        self.steps.push(Step::Constant(value));
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: NodeId,
        right: NodeId,
        depth: usize,
    ) -> Option<()> {
        let start = self.steps.len();
        self.node(left, depth)?;
        let jump = self.steps.len();
        match operator {
            BinaryOperator::Subscript => return None,
            BinaryOperator::Elvis => {
                self.steps.push(Step::Jump(Jump::UnlessUndefined, 0));
                self.node(right, depth)?;
                return self.land(jump);
            }
            BinaryOperator::And => self.steps.push(Step::Decide(false, 0)),
            BinaryOperator::Or => self.steps.push(Step::Decide(true, 0)),
            _ => self.steps.push(Step::Push),
        }
        self.height += 1;
        self.most = self.most.max(self.height);
        self.node(right, depth)?;
        self.height -= 1;
        if matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
            self.steps.push(Step::Binary(operator));
            return self.land(jump);
        }
        // A right operand of one step needs no stack.
        let step = if self.steps.len() == jump + 2 { self.steps.pop() } else { None };
        match step {
            Some(Step::Constant(right)) => {
                self.steps.truncate(jump);
                if let [Step::Constant(left)] = &self.steps[start..] {
                    let (left, right) = (Scalar::of(left)?, Scalar::of(&right)?);
                    let value = scalar::binary(operator, left, right)?.into_value();
                    self.fold(start, value);
                } else {
                    self.steps.push(Step::BinaryConstant(operator, right));
                }
            }
            Some(Step::Attribute(name, hint)) => {
                self.steps.truncate(jump);
                self.steps.push(Step::BinaryAttribute(operator, name, hint));
            }
            other => {
                self.steps.extend(other);
                self.steps.push(Step::Binary(operator));
            }
        }
        Some(())
    }

    /// `condition ? yes : no`
    fn choice(&mut self, condition: NodeId, yes: NodeId, no: NodeId, depth: usize) -> Option<()> {
        self.node(condition, depth)?;
        let to_no = self.jump(Jump::UnlessCondition);
        self.node(yes, depth)?;
        let to_end = self.jump(Jump::Always);
        self.land(to_no)?;
        self.node(no, depth)?;
        self.land(to_end)
    }

    fn call(&mut self, call: &Call, depth: usize) -> Option<()> {
        let is = |name: &str| call.name.eq_ignore_ascii_case(name);
        match call.arguments[..] {
            [] if is("time") => self.steps.push(Step::Time),
            [value] if is("isUndefined") => {
                self.node(value, depth)?;
                self.steps.push(Step::IsUndefined);
            }
            [condition, yes, no] if is("ifThenElse") => {
                self.choice(condition, yes, no, depth)?;
            }
            _ => {
                let (_, counts, Body::Plain(function)) = call.function? else { return None };
                let [arguments @ .., last] = &call.arguments[..] else { return None };
                if !counts.contains(&call.arguments.len()) {
                    return None;
                }
                for argument in arguments {
                    self.node(*argument, depth)?;
                    self.steps.push(Step::Push);
                    self.height += 1;
                }
                self.node(*last, depth)?;
                // The arguments lie beside each other when the function is called.
                self.most = self.most.max(self.height + 1);
                self.height -= arguments.len();
                self.steps.push(Step::Call(*function, arguments.len()));
            }
        }
        Some(())
    }
}
