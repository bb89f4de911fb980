//! What binds a script, by its syntax tree.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scripttree::{Kind, Tree};
use serde::{Deserialize, Serialize};

use super::binding::Binding;
use super::columns::{columns, names, product};
use super::linear::Linear;
use super::words::Use;
use crate::metrics::Band;
use crate::model::ModelError;
use crate::text::shown;

/// The model shipped with this program.
const SHIPPED: &[u8] = include_bytes!("../../models/profile.json");

/// Version of the layout that this program reads and writes.
const FORMAT: u32 = 1;

/// Says what binds a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptModel {
    format: u32,
    /// What it was trained on.
    trained_on: String,
    /// Names of the columns, in their order.
    columns: Vec<String>,
    linear: Linear,
}

impl ScriptModel {
    /// A model over [`column_names`](super::column_names).
    #[must_use]
    pub fn new(linear: Linear, trained_on: String) -> Self {
        Self { format: FORMAT, trained_on, columns: names(), linear }
    }

    /// The model shipped with this program.
    ///
    /// # Errors
    /// When what is embedded is none: a defect of the build.
    pub fn shipped() -> Result<Self, ModelError> {
        let wrong = |detail: String| ModelError::Metadata(detail);
        let model: Self =
            serde_json::from_slice(SHIPPED).map_err(|error| wrong(error.to_string()))?;
        if model.format != FORMAT || model.columns != names() || !model.linear.is_for(names().len())
        {
            return Err(wrong(
                "models/profile.json: not of the columns of this program".to_owned(),
            ));
        }
        Ok(model)
    }

    /// What binds a script that is called with these arguments; none where they are not known.
    #[must_use]
    pub fn say(&self, tree: &Tree, arguments: &[String]) -> ScriptProfile {
        let arguments = arguments.iter().map(String::as_str);
        let probabilities = self.linear.probabilities(&columns(tree, arguments));
        let evidence = evidence(tree);
        let all = Binding::ALL.into_iter().zip(probabilities);
        let likely = all.map(|(binding, probability)| Likelihood { binding, probability });
        // A resource that no call uses is named by none.
        let speaks = |one: &Likelihood| evidence.iter().any(|call| call.binding == one.binding);
        let mut likely: Vec<Likelihood> = likely.filter(speaks).collect();
        likely.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        // Of what is very likely by its likelihood, 80 % was right: that is likely.
        let named = likely.first().copied().filter(|one| Band::of(one.probability) >= Band::Likely);
        ScriptProfile { named, likely, evidence }
    }
}

/// What binds a script, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ScriptProfile {
    /// The resource that is likely to bind it, if one is.
    pub named: Option<Likelihood>,
    /// Resources that calls use, the likeliest first.
    pub likely: Vec<Likelihood>,
    /// Calls that use a resource.
    pub evidence: Vec<ResourceCall>,
}

/// How likely a resource binds a script.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Likelihood {
    /// The resource.
    pub binding: Binding,
    /// 0 to 1; all four have the sum 1.
    pub probability: f64,
}

/// A call that uses a resource.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ResourceCall {
    /// The resource.
    pub binding: Binding,
    /// What is called.
    pub name: String,
    /// How often it stands in the script.
    pub calls: usize,
    /// Most loops around one of them.
    pub loops: u8,
    /// The product of the numbers that one of them is given, the largest; of calls that make
    /// something.
    pub size: Option<f64>,
}

/// Calls that are kept for a resource, at most.
const EVIDENCE: usize = 25;

/// Elements from which on what is made takes memory: 8 MB of numbers.
const LEAST_SIZE: f64 = 1e6;

/// Calls by resource: those in most loops first, then those that stand there most often.
fn evidence(tree: &Tree) -> Vec<ResourceCall> {
    let mut found: BTreeMap<(Binding, &str), ResourceCall> = BTreeMap::new();
    for (number, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.kind == Kind::Call)
    {
        let Some(of) = Use::of_call(tree, number) else { continue };
        let size = (of == Use::Makes).then(|| product(tree, number));
        let size = size.filter(|size| *size > 1.0 && size.is_finite());
        if size.is_some_and(|size| size < LEAST_SIZE) {
            continue;
        }
        let Some(binding) = of.binding() else { continue };
        let one = found.entry((binding, &node.name)).or_insert_with(|| ResourceCall {
            binding,
            name: shown(&node.name, 60),
            calls: 0,
            loops: 0,
            size: None,
        });
        one.calls += 1;
        one.loops = one.loops.max(node.loops);
        one.size = one.size.into_iter().chain(size).reduce(f64::max);
    }
    let mut all: Vec<ResourceCall> = found.into_values().collect();
    all.sort_by(|a, b| (a.binding, b.loops, b.calls).cmp(&(b.binding, a.loops, a.calls)));
    let mut counts = [0; 4];
    all.retain(|one| {
        counts[one.binding.number()] += 1;
        counts[one.binding.number()] <= EVIDENCE
    });
    all
}
