//! `sweep.dag`.

use std::fmt::Write;

use super::quote;
use super::steps::{Kind, Step};
use crate::Error;
use crate::sweep::plan::Plan;

/// Exit status of `goes-on` for a trial that does not.
pub const SKIP: u8 = 3;

/// Exit status of a program that does not know its arguments: another attempt would not either.
const USAGE: u8 = 2;

/// Names of nodes on one line, at most.
const NAMES: usize = 10;

/// The DAG.
///
/// # Errors
/// For a name that cannot stand in it.
pub(super) fn graph(plan: &Plan, steps: &[Step]) -> Result<String, Error> {
    let mut out = head(plan)?;
    let mut section = None;
    for step in steps {
        let here = (step.kind, step.goes_on.map(|(rung, _)| rung));
        if section != Some(here) {
            section = Some(here);
            let _ = write!(out, "\n# {}\n", title(step));
        }
        node(&mut out, plan, step)?;
    }
    out.push_str("\n# Puts results in place, whatever became of the nodes before; it fails if one of them did.\n");
    out.push_str("FINAL finish submit/finish.sub\n");
    if plan.tracking.enabled {
        out.push_str(
            "\n# Feeds Weights & Biases while the DAG runs. What becomes of it changes nothing.\n",
        );
        out.push_str("SERVICE track submit/track.sub\n");
    }
    out.push_str("\n# What must be done before what.\n");
    edges(&mut out, steps);
    Ok(out)
}

fn head(plan: &Plan) -> Result<String, Error> {
    let name = quote::classad("name of the sweep", &plan.name)?;
    let mut out = format!(
        "# Sweep {name}, made by `holdadvise-train dag`.\n\
         # {} trials on {} rungs. To run it, in this folder: condor_submit_dag sweep.dag\n\
         # The same command goes on after a failure: HTCondor finds the rescue DAG, done nodes are not done again.\n\n\
         SET_JOB_ATTR JobBatchName = {name}\n\
         NODE_STATUS_FILE logs/nodes.status 5\n",
        plan.trials.len(),
        plan.rungs.len(),
    );
    if plan.resources.retries > 0 {
        let _ = write!(
            out,
            "# HTCondor starts a failed job again {} times; a job that was removed, and a script that failed, have one more attempt.\n\
             RETRY ALL_NODES 1 UNLESS-EXIT {USAGE}\n",
            plan.resources.retries
        );
    }
    if let Some(at_once) = plan.resources.at_once {
        let _ = writeln!(out, "MAXJOBS train {at_once}");
    }
    Ok(out)
}

/// What the nodes that follow do.
fn title(step: &Step) -> String {
    match (step.kind, step.goes_on) {
        (Kind::Shard, _) => "Prepare a piece of the data: shard-SETTING-PIECE.".to_owned(),
        (Kind::Merge, _) => "Make one dataset of the pieces, and its parts.".to_owned(),
        (Kind::Train, None) => "Train on rung 1.".to_owned(),
        (Kind::Train, Some((before, _))) => format!(
            "Train on rung {}, from the checkpoint of rung {before}. Trials that lost or have stopped are skipped.",
            before + 1
        ),
        (Kind::Select, _) => "Decide which trials go on.".to_owned(),
        (Kind::Test, _) => {
            "Evaluate the best model on the holds that nothing else has seen.".to_owned()
        }
        (Kind::Finish, _) => "Put results in place.".to_owned(),
    }
}

fn node(out: &mut String, plan: &Plan, step: &Step) -> Result<(), Error> {
    let Step { name, kind, .. } = step;
    let _ = writeln!(out, "JOB {name} submit/{}.sub", kind.name());
    let mut variables: Vec<(&str, String)> = step.variables.clone();
    if *kind == Kind::Shard {
        // As they stand in `arguments` and in `transfer_input_files`.
        let words = step.commands.iter().flatten().map(String::as_str);
        variables.push(("words", quote::words("argument", words)?));
        let files: Result<Vec<&str>, Error> =
            step.inputs.iter().map(|file| quote::transferred(file.as_ref())).collect();
        variables.push(("files", files?.join(", ")));
    }
    if !variables.is_empty() {
        let _ = write!(out, "VARS {name}");
        for (macro_name, value) in &variables {
            let _ = write!(out, " {macro_name}=\"{}\"", quote::vars(value));
        }
        out.push('\n');
    }
    if let Some((rung, trial)) = step.goes_on {
        let _ = write!(
            out,
            "SCRIPT DEBUG logs/goes-on.log ALL PRE {name} program/goes-on {rung} {trial:03}\n\
             PRE_SKIP {name} {SKIP}\n"
        );
    }
    if *kind == Kind::Train && plan.resources.at_once.is_some() {
        let _ = writeln!(out, "CATEGORY {name} train");
    }
    if *kind == Kind::Test {
        let _ = writeln!(out, "SCRIPT DEBUG logs/best-data.log ALL PRE {name} program/best-data");
    }
    Ok(())
}

/// Nodes with the same parents stand together.
fn edges(out: &mut String, steps: &[Step]) {
    let mut groups: Vec<(&[String], Vec<&str>)> = Vec::new();
    for step in steps.iter().filter(|step| !step.parents.is_empty()) {
        match groups.iter_mut().find(|(parents, _)| *parents == step.parents) {
            Some((_, children)) => children.push(&step.name),
            None => groups.push((&step.parents, vec![&step.name])),
        }
    }
    for (parents, children) in groups {
        for parents in parents.chunks(NAMES) {
            for children in children.chunks(NAMES) {
                let _ = writeln!(out, "PARENT {} CHILD {}", parents.join(" "), children.join(" "));
            }
        }
    }
}
