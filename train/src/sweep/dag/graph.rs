//! `sweep.dag`.

use std::fmt::Write;

use askama::Template;

use super::quote;
use super::steps::{Kind, Step};
use crate::Error;
use crate::sweep::plan::Plan;

/// Exit status of `goes-on` for a trial that does not.
pub const SKIP: u8 = 3;

/// Names of nodes on one line, at most.
const NAMES: usize = 10;

/// The DAG.
#[derive(Template)]
#[template(path = "sweep/dag/templates/sweep.dag")]
struct Dag<'a> {
    plan: &'a Plan,
    /// The name of the sweep as a ClassAd string.
    name: String,
    /// Nodes that do the same.
    sections: Vec<&'a [Node<'a>]>,
    /// Names of parents and of their children.
    edges: Vec<(String, String)>,
}

/// A node with its macros as they stand behind its name in a VARS command.
struct Node<'a> {
    step: &'a Step,
    variables: String,
}

/// The DAG.
///
/// # Errors
/// For a name that cannot stand in it.
pub(super) fn graph(plan: &Plan, steps: &[Step]) -> Result<String, Error> {
    let nodes = steps.iter().map(node).collect::<Result<Vec<_>, Error>>()?;
    let of = |node: &Node<'_>| (node.step.kind, node.step.goes_on.map(|(rung, _)| rung));
    let dag = Dag {
        plan,
        name: quote::classad("name of the sweep", &plan.name)?,
        sections: nodes.chunk_by(|one, next| of(one) == of(next)).collect(),
        edges: edges(steps),
    };
    Ok(dag.render()? + "\n")
}

fn node(step: &Step) -> Result<Node<'_>, Error> {
    let mut macros = step.variables.clone();
    if step.kind == Kind::Shard {
        // As they stand in `arguments` and in `transfer_input_files`.
        let words = step.commands.iter().flatten().map(String::as_str);
        macros.push(("words", quote::words("argument", words)?));
        let files: Result<Vec<&str>, Error> =
            step.inputs.iter().map(|file| quote::transferred(file.as_ref())).collect();
        macros.push(("files", files?.join(", ")));
    }
    let mut variables = String::new();
    for (name, value) in &macros {
        write!(variables, " {name}=\"{}\"", quote::vars(value))?;
    }
    Ok(Node { step, variables })
}

/// Nodes with the same parents stand together.
fn edges(steps: &[Step]) -> Vec<(String, String)> {
    let mut groups: Vec<(&[String], Vec<&str>)> = Vec::new();
    for step in steps.iter().filter(|step| !step.parents.is_empty()) {
        match groups.iter_mut().find(|(parents, _)| *parents == step.parents) {
            Some((_, children)) => children.push(&step.name),
            None => groups.push((&step.parents, vec![&step.name])),
        }
    }
    let mut edges = Vec::new();
    for (parents, children) in groups {
        for parents in parents.chunks(NAMES) {
            edges.extend(children.chunks(NAMES).map(|of| (parents.join(" "), of.join(" "))));
        }
    }
    edges
}
