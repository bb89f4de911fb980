//! The syntax tree: nodes in one vector, children before parents, so that no depth of nesting costs
//! stack to drop.

use std::sync::{Arc, OnceLock};

use super::operator::{BinaryOperator, UnaryOperator};
use crate::ad::ClassAd;
use crate::eval::program::Program;
use crate::functions::Function;
use crate::name::Name;
use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

#[derive(Debug)]
pub(crate) struct Tree {
    /// The text the spans count in.
    pub(crate) source: Arc<str>,
    pub(crate) nodes: Vec<TreeNode>,
    /// The steps of the outermost node, once somebody evaluated it; `None` where it takes more than
    /// steps.
    program: OnceLock<Option<Program>>,
}

#[derive(Debug)]
pub(crate) struct TreeNode {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Literal(Value),
    Attribute { scope: Option<NodeId>, name: Name, absolute: bool },
    Unary(UnaryOperator, NodeId),
    Binary(BinaryOperator, NodeId, NodeId),
    Conditional(NodeId, NodeId, NodeId),
    Parentheses(NodeId),
    Call(Box<Call>),
    List(Box<[NodeId]>),
    ClassAd(Arc<ClassAd>),
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: Box<str>,
    /// `None`: no function of that name, the value is `error`.
    pub(crate) function: Option<&'static Function>,
    pub(crate) arguments: Box<[NodeId]>,
}

impl Tree {
    pub(crate) fn new(source: Arc<str>, nodes: Vec<TreeNode>) -> Tree {
        Tree { source, nodes, program: OnceLock::new() }
    }

    /// The outermost node, which is the last.
    pub(crate) fn root(&self) -> NodeId {
        NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX).saturating_sub(1))
    }

    pub(crate) fn program(&self) -> Option<&Program> {
        self.program.get_or_init(|| Program::of(self)).as_ref()
    }

    pub(crate) fn node(&self, id: NodeId) -> &TreeNode {
        &self.nodes[id.0 as usize]
    }
}

/// Adds a node and gives its number.
pub(crate) fn push(nodes: &mut Vec<TreeNode>, kind: Kind, start: usize, end: usize) -> NodeId {
    // The parser refuses sources beyond 4 GiB, and every node takes at least one byte of it.
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let id = NodeId(number(nodes.len()));
    nodes.push(TreeNode { kind, start: number(start), end: number(end) });
    id
}

/// Where a node that is already there starts.
pub(crate) fn start(nodes: &[TreeNode], id: NodeId) -> usize {
    nodes[id.0 as usize].start as usize
}

/// What a node that is already there is.
pub(crate) fn kind(nodes: &[TreeNode], id: NodeId) -> &Kind {
    &nodes[id.0 as usize].kind
}
