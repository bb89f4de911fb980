//! Why a held job's policies are what they are: each clause with its value on the ad, and when it
//! becomes true.
//!
//! Values and times are found by evaluation; the form of an expression only says where its clauses
//! are.

use classads::{
    BinaryOperator, Budget, ClassAd, EvalContext, Expr, Node, NodeKind, ReferenceScope, Value,
};

use super::clauses::{followed, operands, references, without_parentheses};
use super::forecast::{
    Forecast, Policy, Truth, forecast_of, in_queue, integer, is_true, policies_set, released,
};
use super::lint::names;
use super::prospect::{Ahead, Prospect};
use super::{Kind, Knobs, WORK};
use crate::text::{HIDDEN, is_secret_attribute};

/// Parts of one policy that are looked at; further ones are counted.
const MAX_PARTS: usize = 256;

/// Parts inside each other; what lies deeper is not taken apart.
const MAX_DEPTH: usize = 12;

/// Attributes that the ad does not have that are named.
const MAX_MISSING: usize = 32;

/// Attributes of one clause whose values are told.
const MAX_ATTRIBUTES: usize = 16;

/// What is known of a held job's policies.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What HTCondor will do by itself.
    pub forecast: Forecast,
    /// Policies of release, then of removal, then of hold; of each kind in the schedd's order.
    pub policies: Vec<ExplainedPolicy>,
    /// The access point's configuration is known.
    pub knobs_known: bool,
    /// NumHolds is above SYSTEM_MAX_RELEASES: `condor_release` is refused but to queue super users.
    pub release_refused: bool,
    /// Of the attributes that a person could correct, those that the access point keeps from edits.
    pub(super) kept: Vec<&'static str>,
}

/// The attribute of the date at which a job is removed.
pub(super) const TIMER: &str = "TimerRemove";

/// One policy taken apart.
#[derive(Clone, Debug)]
pub struct ExplainedPolicy {
    /// What it does, and what it is now. Policies of hold are evaluated as if the job were released
    /// now.
    pub policy: Policy,
    /// The whole expression, or what is wrong with a text that is none.
    pub root: Result<Part, String>,
    /// Attributes that it names, also through others, and that the ad does not have.
    pub missing: Vec<MissingAttribute>,
}

impl ExplainedPolicy {
    /// When it becomes true, whether or not the schedd evaluates it then. `None` for policies of
    /// hold, and for a text that is no expression.
    pub fn prospect(&self) -> Option<Prospect> {
        self.root.as_ref().ok()?.prospect
    }
}

/// What the parts of a [`Part`] are to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, schemars::JsonSchema)]
pub enum Form {
    /// It is not taken apart.
    Clause,
    /// All of its parts must be true.
    All,
    /// One of its parts must be true.
    Any,
    /// An attribute; its part is the expression that the ad has for it.
    Attribute,
}

/// An expression, or a part of it.
#[derive(Clone, Debug)]
pub struct Part {
    /// What its parts are to it.
    pub form: Form,
    /// Its text, as it was written.
    pub text: String,
    /// What it is now; `None` where that takes too long to evaluate.
    pub value: Option<Truth>,
    /// When it alone becomes true. `None` for policies of hold, and where its value is not known.
    pub prospect: Option<Prospect>,
    /// It keeps the policy, or the alternative it stands in, from being true now.
    pub blocks: bool,
    /// Of alternatives that are not true, the one that becomes true first, else the one with the
    /// fewest clauses that do not.
    pub is_nearest: bool,
    /// The attributes it names, of a clause.
    pub attributes: Vec<Named>,
    /// Its parts, in the order they are written.
    pub parts: Vec<Self>,
    /// Parts that are not among them.
    pub left_out: usize,
}

/// An attribute that a clause names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name, with its scope, as it is written.
    pub name: String,
    /// Its value now; `None` where that takes too long to evaluate.
    pub value: Option<Value>,
    /// The ad does not have it.
    pub is_missing: bool,
}

/// An attribute that an expression names and that the ad does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingAttribute {
    /// The name, with `TARGET.` where it is of the ad of a machine, without which policies are
    /// evaluated.
    pub name: String,
    /// HTCondor sets an attribute of this name in job ads, if not in this one.
    pub is_known: bool,
    /// The name that was probably meant: one of this ad or of HTCondor.
    pub nearest: Option<String>,
}

/// Takes the policies of a held job's ad apart at `now` (Unix seconds).
///
/// The ad must be the queue's, whole (`condor_q -long`): an attribute that it does not have is
/// undefined. `knobs` are the schedd's; `None` where they are not known: HTCondor's defaults, which
/// set no policy, stand for them.
pub fn explain(ad: &ClassAd, knobs: Option<&Knobs>, now: i64) -> Explanation {
    explain_in(ad, knobs, now, &Budget::new(u64::MAX))
}

/// [`explain`] in these steps.
pub(crate) fn explain_in(
    ad: &ClassAd,
    knobs: Option<&Knobs>,
    now: i64,
    steps: &Budget,
) -> Explanation {
    let defaults = Knobs::default();
    let knobs_known = knobs.is_some();
    let knobs = knobs.unwrap_or(&defaults);
    let ad = in_queue(ad);
    let ad = ad.as_ref();
    let context = EvalContext { budget: Some(steps.part(WORK)), ..knobs.context(now) };
    let forecast = forecast_of(ad, policies_set(ad, knobs), knobs, now, steps);
    let as_released = released(ad, &context);
    let mut policies: Vec<ExplainedPolicy> = policies_set(ad, knobs)
        .into_iter()
        .zip(&forecast.policies)
        .map(|(set, policy)| {
            let (on, looks_ahead) =
                if set.kind == Kind::Hold { (&as_released, false) } else { (ad, true) };
            let ahead = Ahead::new(on, &context, forecast.interval.0, steps);
            let dissection =
                Dissection { ad: on, ahead, looks_ahead, left: MAX_PARTS, open: Vec::new() };
            dissection.policy(policy.clone(), set.expr.as_ref())
        })
        .collect();
    policies.sort_by_key(|explained| match explained.policy.kind {
        Kind::Release => 0,
        Kind::Remove => 1,
        Kind::Hold => 2,
    });
    let num_holds = integer(ad, "NumHolds", &context).unwrap_or(0);
    let release_refused = knobs.max_releases().is_some_and(|limit| num_holds > limit);
    let is_kept =
        |name: &&str| knobs.kept_attributes().any(|(kept, _)| kept.eq_ignore_ascii_case(name));
    let kept = [Kind::Release.attribute(), TIMER].into_iter().filter(is_kept).collect();
    Explanation { forecast, policies, knobs_known, release_refused, kept }
}

/// Takes one policy apart.
struct Dissection<'a> {
    ad: &'a ClassAd,
    ahead: Ahead<'a>,
    looks_ahead: bool,
    /// Parts that may still be looked at.
    left: usize,
    /// Attributes that are being taken apart.
    open: Vec<String>,
}

impl Dissection<'_> {
    fn policy(mut self, policy: Policy, expr: Option<&Expr>) -> ExplainedPolicy {
        let Some(expr) = expr else {
            let fault = match Expr::parse_old(&policy.text) {
                Err(error) => format!("{}, at character {}", error.message(), error.offset() + 1),
                Ok(_) => "it cannot be parsed in the ad's syntax".to_owned(),
            };
            return ExplainedPolicy { policy, root: Err(fault), missing: Vec::new() };
        };
        // The schedd takes the outermost value otherwise than operators take theirs: 0.5 does not
        // fire.
        let mut root = self.part(expr.root(), 0, Some(policy.now));
        root.prospect = self.prospect(expr, root.value, is_true);
        mark(&mut root);
        ExplainedPolicy { missing: missing(self.ad, expr), root: Ok(root), policy }
    }

    /// Takes a node apart. `known` is its value where that is known already.
    fn part(&mut self, node: Node<'_>, depth: usize, known: Option<Truth>) -> Part {
        self.left = self.left.saturating_sub(1);
        let node = without_parentheses(node);
        let expr = node.to_expr();
        let value = known.or_else(|| self.ahead.try_value_now(&expr).as_ref().map(operand));
        let prospect = match known {
            Some(_) => None,
            None => self.prospect(&expr, value, |value| operand(value) == Truth::True),
        };
        let mut part = Part {
            form: Form::Clause,
            text: node.source().map_or_else(|| node.to_string(), str::to_owned),
            value,
            prospect,
            blocks: false,
            is_nearest: false,
            attributes: Vec::new(),
            parts: Vec::new(),
            left_out: 0,
        };
        if let Some((form, inside)) = self.inside(node, depth) {
            part.form = form;
            let open = self.open.len();
            if let (Form::Attribute, NodeKind::Attribute { name, .. }) = (form, node.kind()) {
                self.open.push(name.to_owned());
            }
            for inner in inside {
                if self.left == 0 {
                    part.left_out += 1;
                } else {
                    part.parts.push(self.part(inner.root(), depth + 1, None));
                }
            }
            self.open.truncate(open);
        } else {
            part.attributes = self.attributes(node);
        }
        part
    }

    /// What a node falls into; `None` for a clause.
    fn inside(&self, node: Node<'_>, depth: usize) -> Option<(Form, Vec<Expr>)> {
        if depth >= MAX_DEPTH || self.left == 0 {
            return None;
        }
        match node.kind() {
            NodeKind::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or), ..) => {
                let form = if operator == BinaryOperator::And { Form::All } else { Form::Any };
                Some((form, operands(node, operator).iter().map(Node::to_expr).collect()))
            }
            NodeKind::Attribute { name, .. }
                if is_own(node) && !self.is_open(name) && !is_secret_attribute(name) =>
            {
                let expr = self.ad.get(name).filter(|expr| expr.as_literal().is_none())?;
                Some((Form::Attribute, vec![expr.clone()]))
            }
            _ => None,
        }
    }

    /// Whether an attribute is being taken apart: it needs itself.
    fn is_open(&self, name: &str) -> bool {
        self.open.iter().any(|open| open.eq_ignore_ascii_case(name))
    }

    /// Whether what an expression gives may hold a secret of the ad.
    fn is_secret(&self, expr: &Expr) -> bool {
        let followed = followed(self.ad, expr);
        let mut names = followed.iter().flat_map(references);
        names.any(|reference| {
            let value = self.ad.get(&reference.name).and_then(Expr::as_literal);
            let is_text = matches!(value, None | Some(Value::String(_)));
            is_secret_attribute(&reference.name) && is_text && has(self.ad, &reference.name)
        })
    }

    fn prospect(
        &self,
        expr: &Expr,
        now: Option<Truth>,
        is_true: impl Fn(&Value) -> bool,
    ) -> Option<Prospect> {
        let now = now.filter(|_| self.looks_ahead)?;
        Some(self.ahead.prospect(expr, now == Truth::True, is_true))
    }

    /// The attributes that a clause names, each once.
    fn attributes(&self, node: Node<'_>) -> Vec<Named> {
        let mut out: Vec<Named> = Vec::new();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            let NodeKind::Attribute { name, .. } = node.kind() else {
                pending.extend(node.children().into_iter().rev());
                continue;
            };
            if out.len() >= MAX_ATTRIBUTES {
                break;
            }
            let text = node.source().map_or_else(|| node.to_string(), str::to_owned);
            if out.iter().all(|known| !known.name.eq_ignore_ascii_case(&text)) {
                let value = match self.is_secret(&node.to_expr()) {
                    true => Some(Value::from(HIDDEN)),
                    false => self.ahead.quick_value_now(&node.to_expr()),
                };
                let is_missing = is_own(node) && !has(self.ad, name);
                out.push(Named { name: text, value, is_missing });
            }
        }
        out
    }
}

/// What `&&` and `||` take an operand for.
fn operand(value: &Value) -> Truth {
    match (value, value.as_condition()) {
        (Value::Undefined, _) => Truth::Undefined,
        (_, Some(true)) => Truth::True,
        (_, Some(false)) => Truth::False,
        (_, None) => Truth::Error,
    }
}

/// Whether an attribute is looked up in the job's ad: `name`, `MY.name`.
fn is_own(node: Node<'_>) -> bool {
    let references = node.to_expr().attribute_references();
    matches!(references.as_slice(), [reference] if reference.is_own())
}

/// Whether the ad has the attribute, or the word means something in every ad.
fn has(ad: &ClassAd, name: &str) -> bool {
    ad.contains(name) || names::is_keyword(name)
}

fn missing(ad: &ClassAd, expr: &Expr) -> Vec<MissingAttribute> {
    let mut out: Vec<MissingAttribute> = Vec::new();
    for reference in followed(ad, expr).iter().flat_map(references) {
        let name = reference.name.as_str();
        let missing = match reference.scope {
            ReferenceScope::Unscoped | ReferenceScope::My if !has(ad, name) => {
                let is_known = names::is_known(name);
                let nearest = || {
                    let own = names::nearest(name, ad.names());
                    own.or_else(|| names::nearest_attribute(name)).map(str::to_owned)
                };
                let nearest = if is_known { None } else { nearest() };
                MissingAttribute { name: name.to_owned(), is_known, nearest }
            }
            ReferenceScope::Target => {
                MissingAttribute { name: format!("TARGET.{name}"), is_known: false, nearest: None }
            }
            _ => continue,
        };
        if out.iter().all(|known| !known.name.eq_ignore_ascii_case(&missing.name)) {
            out.push(missing);
        }
        if out.len() >= MAX_MISSING {
            break;
        }
    }
    out
}

/// Marks what keeps the part from being true, and the nearest of alternatives.
fn mark(part: &mut Part) {
    if part.value == Some(Truth::True) {
        return;
    }
    part.blocks = true;
    part.parts.iter_mut().for_each(mark);
    if part.form == Form::Any && part.parts.len() > 1 && part.value != Some(Truth::Error) {
        let nearest = part.parts.iter_mut().min_by_key(|part| distance(part));
        if let Some(nearest) = nearest {
            nearest.is_nearest = true;
        }
    }
}

/// How far a part is from being true: when it becomes so, else how many clauses do not.
fn distance(part: &Part) -> (u8, i64) {
    match part.prospect {
        Some(Prospect::From(at)) => (0, at),
        _ => (1, i64::try_from(part.blockers().len()).unwrap_or(i64::MAX)),
    }
}

impl Part {
    /// The clauses that keep it from being true whatever the time, of the nearest alternative where
    /// there are several. A part whose clauses are never true at one time stands for itself.
    pub fn blockers(&self) -> Vec<&Self> {
        let becomes_true = matches!(self.prospect, Some(Prospect::From(_)));
        if self.value == Some(Truth::True) || becomes_true {
            return Vec::new();
        }
        let is_error = |part: &&Self| part.value == Some(Truth::Error);
        let inner: Vec<&Self> = match self.form {
            Form::Clause => Vec::new(),
            // One alternative that is an error makes an error of the whole.
            Form::Any if is_error(&self) => {
                self.parts.iter().filter(is_error).flat_map(Self::blockers).collect()
            }
            Form::Any => {
                let nearest = self.parts.iter().min_by_key(|part| distance(part));
                nearest.map(Self::blockers).unwrap_or_default()
            }
            Form::All | Form::Attribute => self.parts.iter().flat_map(Self::blockers).collect(),
        };
        if is_error(&self) && !inner.iter().any(is_error) {
            return vec![self];
        }
        if inner.is_empty() { vec![self] } else { inner }
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
