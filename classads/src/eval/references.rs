//! The attributes an expression needs, followed through the ad (`_GetExternalReferences` and
//! `_GetInternalReferences` of HTCondor's src/classad/classad.cpp).

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::scope::{Scope, Val};
use super::{EvalContext, Evaluator, Failure, Found};
use crate::ad::ClassAd;
use crate::expr::{Expr, Node, NodeKind};
use crate::print::Style;

/// Names by their text in lower case.
pub(crate) type Names = BTreeMap<String, String>;

impl ClassAd {
    /// The names that the expression needs, also through attributes of this ad, and that this ad
    /// does not have: `TARGET.Memory` with its scope, others without. In the order of the alphabet.
    /// `None` if that cannot be told, because what stands before a dot is no ad, or attributes need
    /// each other.
    ///
    /// ```
    /// use classads::{ClassAd, EvalContext, Expr};
    ///
    /// let job = ClassAd::parse("[ RequestMemory = 2 * MemoryUsage ]")?;
    /// let requirements = Expr::parse("TARGET.Memory >= RequestMemory && HasSingularity")?;
    /// let names = job.external_references(&requirements, &EvalContext::default());
    /// assert_eq!(names.unwrap(), ["HasSingularity", "MemoryUsage", "TARGET.Memory"]);
    /// # Ok::<(), classads::ParseError>(())
    /// ```
    #[must_use]
    pub fn external_references(
        &self,
        expr: &Expr,
        context: &EvalContext<'_>,
    ) -> Option<Vec<String>> {
        References::external(&Evaluator::new(context)).of(self, expr)
    }

    /// The attributes of this ad that the expression needs, also through each other. In the order
    /// of the alphabet. `None` as for [`ClassAd::external_references`].
    ///
    /// ```
    /// use classads::{ClassAd, EvalContext, Expr};
    ///
    /// let job = ClassAd::parse("[ RequestMemory = 2 * MemoryUsage; MemoryUsage = 100; Rank = 0 ]")?;
    /// let requirements = Expr::parse("TARGET.Memory >= RequestMemory && HasSingularity")?;
    /// let names = job.internal_references(&requirements, &EvalContext::default());
    /// assert_eq!(names.unwrap(), ["MemoryUsage", "RequestMemory"]);
    /// # Ok::<(), classads::ParseError>(())
    /// ```
    #[must_use]
    pub fn internal_references(
        &self,
        expr: &Expr,
        context: &EvalContext<'_>,
    ) -> Option<Vec<String>> {
        References::internal(&Evaluator::new(context)).of(self, expr)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    External,
    Internal,
}

/// Collects references.
pub(crate) struct References<'e, 'c> {
    evaluator: &'e Evaluator<'c>,
    kind: Kind,
    /// Inside what stands before a dot: an ad there is not asked for all it has.
    before_dot: bool,
    names: Names,
}

impl<'e, 'c> References<'e, 'c> {
    /// Of names that the ad does not have.
    pub(crate) fn external(evaluator: &'e Evaluator<'c>) -> Self {
        Self { evaluator, kind: Kind::External, before_dot: false, names: Names::new() }
    }

    fn internal(evaluator: &'e Evaluator<'c>) -> Self {
        Self { kind: Kind::Internal, ..Self::external(evaluator) }
    }

    fn of(mut self, ad: &ClassAd, expr: &Expr) -> Option<Vec<String>> {
        // The expression lies in no ad: neither do the ads that are written in it.
        let top = Scope::top(ad, None);
        let scope = top.clone().visited_from(&Scope::Made(Some(Rc::new(top))));
        self.node(expr.root(), &scope).ok()?;
        Some(self.names.into_values().collect())
    }

    pub(crate) fn into_names(self) -> Names {
        self.names
    }

    fn add(&mut self, name: String) -> Result<(), Failure> {
        self.evaluator.make_elements(2)?;
        self.evaluator.make(2 * name.len())?;
        self.names.entry(name.to_ascii_lowercase()).or_insert(name);
        Ok(())
    }

    /// Adds what something that was found needs; an error where that cannot be told.
    pub(crate) fn collect<'a>(
        &mut self,
        found: &Found<'a>,
        scope: &Scope<'a>,
    ) -> Result<(), Failure> {
        match found {
            Found::Expression(expr) => self.node(expr.root(), scope),
            Found::Value(Val::Ad(ad)) => self.ad(ad.ad(), scope),
            Found::Value(_) => Ok(()),
        }
    }

    fn ad(&mut self, ad: &ClassAd, scope: &Scope<'_>) -> Result<(), Failure> {
        if self.before_dot {
            return Ok(());
        }
        self.evaluator.charge(u32::try_from(ad.len()).unwrap_or(u32::MAX))?;
        let inside: Vec<Expr> = ad.iter().map(|(_, expr)| expr.clone()).collect();
        // Names are looked up around the ad; ads that are written in it lie in it.
        let home = scope.nested(&Arc::new(ad.clone()));
        let scope = scope.own().clone().visited_from(&home);
        self.all(inside.iter().map(Expr::root), &scope)
    }

    fn all<'n>(
        &mut self,
        nodes: impl IntoIterator<Item = Node<'n>>,
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let evaluator = self.evaluator;
        nodes.into_iter().try_for_each(|node| evaluator.deeper(|| self.node(node, scope)))
    }

    fn node(&mut self, node: Node<'_>, scope: &Scope<'_>) -> Result<(), Failure> {
        let evaluator = self.evaluator;
        evaluator.charge(1)?;
        match node.kind() {
            NodeKind::Literal(_) => Ok(()),
            NodeKind::Attribute { scope: before, name, absolute } => {
                self.attribute(before, name, absolute, scope)
            }
            NodeKind::ClassAd(ad) => self.ad(ad, scope),
            NodeKind::List(elements) => self.all(elements, scope),
            NodeKind::Call { arguments, .. } if self.kind == Kind::External => {
                self.all(arguments, scope)
            }
            // HTCondor counts no level here.
            _ => evaluator.inside(|| {
                node.children().into_iter().try_for_each(|child| self.node(child, scope))
            }),
        }
    }

    fn attribute(
        &mut self,
        before: Option<Node<'_>>,
        name: &str,
        absolute: bool,
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let evaluator = self.evaluator;
        let from = match before {
            None if absolute => scope.root().clone(),
            None => scope.clone(),
            Some(before) => {
                if self.kind == Kind::Internal {
                    let outer = std::mem::replace(&mut self.before_dot, true);
                    let result = evaluator.deeper(|| self.node(before, scope));
                    self.before_dot = outer;
                    result?;
                }
                match evaluator.expression_deeper(&before.to_expr(), scope)? {
                    Val::Ad(inside) => inside,
                    value if value.is_undefined() => {
                        if self.kind == Kind::External {
                            self.add(format!("{}.{name}", before.to_expr().print(Style::New)))?;
                        }
                        return Ok(());
                    }
                    _ => return Err(Failure),
                }
            }
        };
        let (found, at) = evaluator.find(&from, name);
        match (found, self.kind) {
            (Some(found), kind) => {
                // `parent` and its like are no attributes.
                let is_attribute = matches!(at, Scope::Top { .. }) && at.ad().contains(name);
                if kind == Kind::Internal && is_attribute {
                    self.add(name.to_owned())?;
                }
                evaluator.deeper(|| self.collect(&found, &at))
            }
            (None, Kind::External) => self.add(name.to_owned()),
            (None, Kind::Internal) => Ok(()),
        }
    }
}
