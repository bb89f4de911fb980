//! The attributes an expression names.

use std::collections::HashSet;

use super::Expr;
use super::node::{Node, NodeKind};

/// Where a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceScope {
    /// No scope is written: the ad itself, then the other ad of a match.
    Unscoped,
    /// `MY.name` or `SELF.name`
    My,
    /// `TARGET.name`
    Target,
    /// `expression.name` or `.name`: in some other ad.
    Other,
}

/// An attribute an expression names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeReference {
    /// Where it is looked up.
    pub scope: ReferenceScope,
    /// The name as it is first written.
    pub name: String,
}

impl AttributeReference {
    /// Whether it is looked up in the ad itself: `name`, `MY.name`.
    #[must_use]
    pub fn is_own(&self) -> bool {
        matches!(self.scope, ReferenceScope::Unscoped | ReferenceScope::My)
    }
}

pub(crate) fn of(expr: &Expr) -> Vec<AttributeReference> {
    let mut found = Vec::new();
    let mut known = HashSet::new();
    let mut pending = vec![expr.clone()];
    while let Some(expr) = pending.pop() {
        let mut nested = Vec::new();
        // The scope keyword itself, `MY` of `MY.x`, is no reference. It comes right behind.
        let mut skipped = None;
        for node in expr.nodes() {
            match node.kind() {
                NodeKind::Attribute { scope, name, absolute } => {
                    if skipped.take().is_some_and(|span| span == node.span()) && scope.is_none() {
                        continue;
                    }
                    let scope = match scope {
                        None if absolute => ReferenceScope::Other,
                        None => ReferenceScope::Unscoped,
                        Some(before) => {
                            let kind = keyword(before);
                            if kind != ReferenceScope::Other {
                                skipped = Some(before.span());
                            }
                            kind
                        }
                    };
                    if known.insert((scope, name.to_ascii_lowercase())) {
                        found.push(AttributeReference { scope, name: name.to_owned() });
                    }
                }
                NodeKind::ClassAd(ad) => {
                    nested.extend(ad.names().filter_map(|name| ad.get(name).cloned()));
                }
                _ => {}
            }
        }
        pending.extend(nested.into_iter().rev());
    }
    found
}

fn keyword(node: Node<'_>) -> ReferenceScope {
    match node.kind() {
        NodeKind::Attribute { scope: None, name: scope, absolute: false } => {
            if scope.eq_ignore_ascii_case("MY") || scope.eq_ignore_ascii_case("SELF") {
                ReferenceScope::My
            } else if scope.eq_ignore_ascii_case("TARGET") {
                ReferenceScope::Target
            } else {
                ReferenceScope::Other
            }
        }
        _ => ReferenceScope::Other,
    }
}
