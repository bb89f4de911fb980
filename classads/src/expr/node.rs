//! A view of the syntax tree for those who explain or check expressions.

use std::ops::Range;
use std::sync::Arc;

use super::operator::{BinaryOperator, UnaryOperator};
use super::tree::{Kind, NodeId, Tree};
use super::{Expr, Repr};
use crate::ad::ClassAd;
use crate::value::Value;

/// One sub-expression of an [`Expr`].
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    pub(crate) inner: Inner<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Inner<'a> {
    Literal(&'a Value),
    Tree(&'a Arc<Tree>, NodeId),
}

/// What a [`Node`] is.
#[derive(Clone, Debug)]
pub enum NodeKind<'a> {
    /// A constant.
    Literal(&'a Value),
    /// `name`, `scope.name`, or `.name` where `absolute`.
    Attribute {
        /// The expression before the dot.
        scope: Option<Node<'a>>,
        /// The attribute's name.
        name: &'a str,
        /// Looked up in the outermost ad.
        absolute: bool,
    },
    /// An operator before its operand.
    Unary(UnaryOperator, Node<'a>),
    /// An operator between operands; a subscript too.
    Binary(BinaryOperator, Node<'a>, Node<'a>),
    /// `condition ? yes : no`
    Conditional(Node<'a>, Node<'a>, Node<'a>),
    /// `(inside)`
    Parentheses(Node<'a>),
    /// `name(arguments)`
    Call {
        /// The function as it is written.
        name: &'a str,
        /// Whether this crate has the function.
        is_known: bool,
        /// The arguments.
        arguments: Vec<Node<'a>>,
    },
    /// `{ a, b }`
    List(Vec<Node<'a>>),
    /// `[ a = 1 ]`
    ClassAd(&'a ClassAd),
}

impl<'a> Node<'a> {
    pub(crate) fn in_tree(tree: &'a Arc<Tree>, id: NodeId) -> Node<'a> {
        Node { inner: Inner::Tree(tree, id) }
    }

    /// What the node is, with its children.
    #[must_use]
    pub fn kind(&self) -> NodeKind<'a> {
        let (tree, id) = match self.inner {
            Inner::Literal(value) => return NodeKind::Literal(value),
            Inner::Tree(tree, id) => (tree, id),
        };
        let child = |id: &NodeId| Node::in_tree(tree, *id);
        match &tree.node(id).kind {
            Kind::Literal(value) => NodeKind::Literal(value),
            Kind::Attribute { scope, name, absolute } => NodeKind::Attribute {
                scope: scope.as_ref().map(child),
                name: &name.text,
                absolute: *absolute,
            },
            Kind::Unary(operator, operand) => NodeKind::Unary(*operator, child(operand)),
            Kind::Binary(operator, left, right) => {
                NodeKind::Binary(*operator, child(left), child(right))
            }
            Kind::Conditional(condition, yes, no) => {
                NodeKind::Conditional(child(condition), child(yes), child(no))
            }
            Kind::Parentheses(inside) => NodeKind::Parentheses(child(inside)),
            Kind::Call(call) => NodeKind::Call {
                name: &call.name,
                is_known: call.function.is_some(),
                arguments: call.arguments.iter().map(child).collect(),
            },
            Kind::List(elements) => NodeKind::List(elements.iter().map(child).collect()),
            Kind::ClassAd(ad) => NodeKind::ClassAd(ad),
        }
    }

    /// The direct children, in the order they are written; none of a nested ad.
    #[must_use]
    pub fn children(&self) -> Vec<Node<'a>> {
        match self.kind() {
            NodeKind::Literal(_) | NodeKind::ClassAd(_) => Vec::new(),
            NodeKind::Attribute { scope, .. } => scope.into_iter().collect(),
            NodeKind::Unary(_, inside) | NodeKind::Parentheses(inside) => vec![inside],
            NodeKind::Binary(_, left, right) => vec![left, right],
            NodeKind::Conditional(condition, yes, no) => vec![condition, yes, no],
            NodeKind::Call { arguments, .. } => arguments,
            NodeKind::List(elements) => elements,
        }
    }

    /// Bytes of the parsed text the node spans; empty for a value that was never text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        match self.inner {
            Inner::Literal(_) => 0..0,
            Inner::Tree(tree, id) => {
                let node = tree.node(id);
                node.start as usize..node.end as usize
            }
        }
    }

    /// The node's own text as it was written; `None` for a value that was never text.
    #[must_use]
    pub fn source(&self) -> Option<&'a str> {
        match self.inner {
            Inner::Literal(_) => None,
            Inner::Tree(tree, _) => tree.source.get(self.span()),
        }
    }

    /// The node as an expression of its own; cheap, the tree is shared.
    #[must_use]
    pub fn to_expr(&self) -> Expr {
        Expr(match self.inner {
            Inner::Literal(value) => Repr::Literal(value.clone()),
            Inner::Tree(tree, root) => Repr::Tree { tree: Arc::clone(tree), root },
        })
    }
}

impl std::fmt::Display for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_expr().to_string())
    }
}
