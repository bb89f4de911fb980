//! Expressions: parsed text, its syntax tree and the names it uses.
//!
//! - `node`: a view of the tree for those who explain or check.
//! - `operator`: operators and precedence.
//! - `references`: the attributes that an expression names.
//! - `tree`: the syntax tree, all nodes in one vector.

mod node;
pub(crate) mod operator;
mod references;
pub(crate) mod tree;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub(crate) use node::Inner;
pub use node::{Node, NodeKind};
pub use operator::{BinaryOperator, UnaryOperator};
pub use references::{AttributeReference, ReferenceScope};

use crate::print::{self, Style};
use crate::syntax::error::ParseError;
use crate::syntax::{Syntax, parser};
use crate::value::Value;
use tree::{NodeId, Tree};

/// An expression of the ClassAd language.
///
/// Cloning is cheap: the tree is shared. `Display` prints it as `condor_q -long` does.
///
/// ```
/// use classads::{ClassAd, EvalContext, Expr, Value};
///
/// let policy = Expr::parse("HoldReasonCode == 13 && NumJobStarts < 5")?;
/// let mut job = ClassAd::new();
/// job.insert_value("HoldReasonCode", 13);
/// job.insert_value("NumJobStarts", 2);
/// assert_eq!(job.evaluate_expr(&policy, &EvalContext::default()), Value::Boolean(true));
/// # Ok::<(), classads::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expr(pub(crate) Repr);

#[derive(Clone, Debug)]
pub(crate) enum Repr {
    Literal(Value),
    Tree { tree: Arc<Tree>, root: NodeId },
}

impl Expr {
    /// Reads an expression in the new syntax: submit files, configuration, `condor_q -constraint`.
    pub fn parse(text: &str) -> Result<Expr, ParseError> {
        parser::expression(text, Syntax::New)
    }

    /// Reads an expression in the old syntax: the right side of a line of `condor_q -long`.
    pub fn parse_old(text: &str) -> Result<Expr, ParseError> {
        parser::expression(text, Syntax::Old)
    }

    /// An expression that is a constant.
    #[must_use]
    pub fn literal(value: impl Into<Value>) -> Expr {
        Expr(Repr::Literal(value.into()))
    }

    /// The constant, if the expression is nothing else.
    #[must_use]
    pub fn as_literal(&self) -> Option<&Value> {
        match &self.0 {
            Repr::Literal(value) => Some(value),
            Repr::Tree { tree, root } => match &tree.node(*root).kind {
                tree::Kind::Literal(value) => Some(value),
                _ => None,
            },
        }
    }

    /// The outermost node of the syntax tree.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        match &self.0 {
            Repr::Literal(value) => Node { inner: Inner::Literal(value) },
            Repr::Tree { tree, root } => Node::in_tree(tree, *root),
        }
    }

    /// Every sub-expression, parents before children, in the order they are written. Nested ads are
    /// one node.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let mut pending = vec![self.root()];
        std::iter::from_fn(move || {
            let node = pending.pop()?;
            pending.extend(node.children().into_iter().rev());
            Some(node)
        })
    }

    /// The text that was parsed; `None` for a value that was never text.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.root().source()
    }

    /// The attributes the expression names, each once, in the order they appear; nested ads and
    /// lists included.
    #[must_use]
    pub fn attribute_references(&self) -> Vec<AttributeReference> {
        references::of(self)
    }

    /// The expression printed in the given style.
    #[must_use]
    pub fn print(&self, style: Style) -> String {
        let mut text = String::new();
        print::expression(&mut text, self, style);
        text
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print(Style::Long))
    }
}

impl FromStr for Expr {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Expr, ParseError> {
        Expr::parse(text)
    }
}

impl<V: Into<Value>> From<V> for Expr {
    fn from(value: V) -> Expr {
        Expr::literal(value)
    }
}
