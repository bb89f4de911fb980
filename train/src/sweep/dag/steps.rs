//! What the nodes of a sweep do, and what must be done before each: common to the DAG and to a run
//! without HTCondor.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Shard;
use crate::Error;
use crate::sweep::plan::{Plan, Resources, Rung, Trial};
use crate::training::precision::Precision;

/// The exit status with which a training node asks to be started again from its checkpoint.
pub const CHECKPOINT_EXIT_CODE: u8 = 85;

/// The files that HTCondor keeps when a training node exits with [`CHECKPOINT_EXIT_CODE`].
pub const CHECKPOINT_FILES: [&str; 2] = ["checkpoint.safetensors", "metrics.jsonl"];

/// What a node does: one submit description each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Prepares a piece of the data.
    #[default]
    Shard,
    /// Makes a dataset of the pieces, and its parts.
    Merge,
    /// Trains a trial on a rung.
    Train,
    /// Decides which trials go on.
    Select,
    /// Evaluates the best model on the test part.
    Test,
}

impl Kind {
    /// The name of its submit description.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shard => "shard",
            Self::Merge => "merge",
            Self::Train => "train",
            Self::Select => "select",
            Self::Test => "test",
        }
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// What it does.
    pub kind: Kind,
    /// Macros of its submit description that the node sets.
    pub variables: Vec<(&'static str, String)>,
    /// The folder that it runs for and that its outputs come to, within that of the sweep.
    pub folder: PathBuf,
    /// The files that are put beside it, absolute or within `folder`.
    pub inputs: Vec<String>,
    /// Arguments of `holdadvise-train`, one command after the other.
    pub commands: Vec<Vec<String>>,
    /// The file in `folder` that is there when it is done.
    pub done: String,
    /// Names of the nodes that must be done before.
    pub parents: Vec<String>,
    /// Rung and trial: it is done only if that trial goes on after that rung.
    pub goes_on: Option<(usize, usize)>,
}

/// All nodes but `finish`, in an order in which they can be done.
///
/// # Errors
/// When plan and shards do not make a DAG.
pub fn steps(plan: &Plan, shards: &BTreeMap<usize, Vec<Shard>>) -> Result<Vec<Step>, Error> {
    plan.check()?;
    let numbers = shard_numbers(plan, shards)?;
    let mut steps = Vec::new();
    for setting in &plan.settings {
        for shard in shards.get(&setting.number).into_iter().flatten() {
            steps.push(prepare(setting.number, shard));
        }
        steps.push(merge(plan, setting.number, &numbers));
    }
    for rung in &plan.rungs {
        steps.extend(plan.trials.iter().map(|trial| train(plan, trial, rung)));
        steps.push(select(plan, rung.number));
    }
    steps.push(test(plan));
    Ok(steps)
}

/// The numbers of the shards, the same for each setting.
fn shard_numbers(plan: &Plan, shards: &BTreeMap<usize, Vec<Shard>>) -> Result<Vec<usize>, String> {
    let of = |setting: usize| -> Vec<usize> {
        shards.get(&setting).into_iter().flatten().map(|shard| shard.number).collect()
    };
    let first = of(1);
    if first.is_empty() || !first.iter().copied().eq(1..=first.len()) {
        return Err(format!("shards {first:?}: expected at least one, each numbered from 1"));
    }
    match plan.settings.iter().find(|setting| of(setting.number) != first) {
        None => Ok(first),
        Some(setting) => Err(format!("setting {} has other shards than setting 1", setting.number)),
    }
}

fn prepare(setting: usize, shard: &Shard) -> Step {
    let file = shard_file(shard.number);
    let mut command = shard.arguments.clone();
    command.extend(["--replace".to_owned(), "-o".to_owned(), file.clone()]);
    Step {
        name: format!("shard-{setting:03}-{:03}", shard.number),
        kind: Kind::Shard,
        variables: vec![
            ("setting", format!("{setting:03}")),
            ("memory", shard.memory.to_string()),
            ("disk", shard.disk.to_string()),
        ],
        folder: Plan::setting_folder(setting),
        inputs: shard.files.iter().map(|file| file.listed(shard.number)).collect(),
        commands: vec![command],
        done: file,
        ..Step::default()
    }
}

pub(super) fn shard_file(number: usize) -> String {
    format!("shard-{number:03}.safetensors")
}

fn merge(plan: &Plan, setting: usize, shards: &[usize]) -> Step {
    let files: Vec<String> = shards.iter().map(|&number| shard_file(number)).collect();
    let merge = format!("merge {} --replace -o dataset.safetensors", files.join(" "));
    let [validation, test, least] = cuts(plan);
    let split = format!(
        "split dataset.safetensors -o parts.safetensors --replace --complete \
         --validation-fraction {validation} --test-fraction {test} \
         --least-validation-rows {least}"
    );
    Step {
        name: merge_name(setting),
        kind: Kind::Merge,
        variables: vec![("setting", format!("{setting:03}"))],
        folder: Plan::setting_folder(setting),
        inputs: files,
        commands: vec![words(&merge), words(&split)],
        done: "parts.safetensors".to_owned(),
        parents: shards.iter().map(|number| format!("shard-{setting:03}-{number:03}")).collect(),
        ..Step::default()
    }
}

/// Shares of validation and test, and the least validation rows.
pub(super) fn cuts(plan: &Plan) -> [String; 3] {
    let data = &plan.data;
    [
        data.validation_fraction.to_string(),
        data.test_fraction.to_string(),
        data.least_validation_rows.to_string(),
    ]
}

fn merge_name(setting: usize) -> String {
    format!("merge-{setting:03}")
}

fn train_name(trial: usize, rung: usize) -> String {
    format!("trial-{trial:03}-rung-{rung}")
}

fn train(plan: &Plan, trial: &Trial, rung: &Rung) -> Step {
    let (number, before) = (rung.number, rung.number - 1);
    let values = [format!("{:03}", trial.number), number.to_string(), rung.epochs.to_string()];
    let mut inputs = train_inputs(plan);
    let mut variables: Vec<(&'static str, String)> =
        TRAIN_VARIABLES.into_iter().zip(values.clone()).collect();
    let (parents, goes_on) = if before == 0 {
        (vec![merge_name(trial.setting)], None)
    } else {
        let checkpoint = format!("../rung{before}/{}", CHECKPOINT_FILES[0]);
        inputs.push(checkpoint.clone());
        variables.push(("before", checkpoint));
        (vec![select_name(before)], Some((before, trial.number)))
    };
    Step {
        name: train_name(trial.number, number),
        kind: Kind::Train,
        variables,
        folder: Plan::rung_folder(trial.number, number),
        inputs,
        commands: vec![train_command(plan, &values.each_ref().map(String::as_str))],
        done: "result.json".to_owned(),
        parents,
        goes_on,
    }
}

/// The macros of a training node: its trial, its rung, and the epoch at which the rung ends.
pub(super) const TRAIN_VARIABLES: [&str; 3] = ["trial", "rung", "until"];

/// What each training reads, within its folder.
pub(super) fn train_inputs(plan: &Plan) -> Vec<String> {
    let mut inputs =
        words("../data/dataset.safetensors ../data/parts.safetensors ../parameters.json");
    inputs.extend(plan.architecture.is_some().then(|| format!("../../../{ARCHITECTURE}")));
    inputs.extend(plan.from.is_some().then(|| format!("../../../{FROM}")));
    inputs
}

/// The copies of the plan's models in the folder of the sweep.
pub(super) const ARCHITECTURE: &str = "architecture.pt";
pub(super) const CHAMPION: &str = "champion.pt";
pub(super) const FROM: &str = "from.pt";

/// The arguments of a training, with numbers or macros in the place of [`TRAIN_VARIABLES`].
pub(super) fn train_command(plan: &Plan, [trial, rung, until]: &[&str; 3]) -> Vec<String> {
    let epochs = plan.rungs.last().map_or(0, |rung| rung.epochs);
    let Resources { checkpoint: seconds, cpus, gpus, .. } = plan.resources;
    let device = if gpus > 0 { "auto" } else { "cpu" };
    let [checkpoint, metrics] = CHECKPOINT_FILES;
    let mut command = format!(
        "train dataset.safetensors --parts parts.safetensors --parameters parameters.json \
         --trial {trial} --rung {rung} --epochs {epochs} --until-epoch {until} --patience {} \
         --checkpoint {checkpoint} --checkpoint-seconds {seconds} \
         --checkpoint-exit-code {CHECKPOINT_EXIT_CODE} --metrics {metrics} --result result.json \
         --no-test --replace -o model.pt",
        plan.patience
    );
    if plan.architecture.is_some() {
        command += &format!(" --architecture {ARCHITECTURE}");
    }
    if plan.from.is_some() {
        command += &format!(" --from {FROM}");
    }
    if plan.precision != Precision::default() {
        command += &format!(" --precision {}", plan.precision.name());
    }
    command += &format!(" --threads {cpus} --device {device}");
    words(&command)
}

fn select_name(rung: usize) -> String {
    format!("select-{rung}")
}

fn select(plan: &Plan, rung: usize) -> Step {
    Step {
        name: select_name(rung),
        kind: Kind::Select,
        variables: vec![("rung", rung.to_string())],
        folder: PathBuf::from("."),
        commands: vec![select_command(&rung.to_string())],
        done: format!("rungs/rung{rung}.json"),
        parents: plan.trials.iter().map(|trial| train_name(trial.number, rung)).collect(),
        ..Step::default()
    }
}

/// The arguments of `select`, with a number or a macro for the rung.
pub(super) fn select_command(rung: &str) -> Vec<String> {
    words(&format!("sweep select . --rung {rung}"))
}

pub(super) fn test(plan: &Plan) -> Step {
    let mut command = "sweep test --plan sweep.json --model model.pt --trial trial.json \
                       --parts parts.safetensors"
        .to_owned();
    let mut inputs =
        words("../sweep.json model.pt trial.json dataset.safetensors parts.safetensors");
    if plan.champion.is_some() {
        command += &format!(" --champion {CHAMPION}");
        inputs.push(format!("../{CHAMPION}"));
    }
    command += " dataset.safetensors -o .";
    Step {
        name: "test".to_owned(),
        kind: Kind::Test,
        folder: PathBuf::from("best"),
        inputs,
        commands: vec![words(&command)],
        done: "verdict.txt".to_owned(),
        parents: plan.rungs.last().map(|rung| select_name(rung.number)).into_iter().collect(),
        ..Step::default()
    }
}

/// The arguments of `finish`, with numbers or macros for the count of failed nodes and the status
/// of the DAG.
pub fn finish_command(failed: &str, status: &str) -> Vec<String> {
    words(&format!("sweep finish . --failed {failed} --status {status}"))
}

/// The words of a command, none of which has a space.
fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::*;
    use crate::sweep::dag::tests::{plan, shards};

    /// What the options make of a command's arguments, but for the names of the command.
    fn read<A: Args>(command: &[String], names: usize) {
        let parser = A::augment_args(Command::new("holdadvise-train").no_binary_name(true));
        let read = parser.try_get_matches_from(&command[names..]);
        assert!(read.is_ok(), "{command:?}: {}", read.unwrap_err());
    }

    fn commands(kind: Kind) -> Vec<Vec<String>> {
        let plan =
            Plan { champion: Some("c.pt".into()), architecture: Some("a.pt".into()), ..plan() };
        let steps = steps(&plan, &shards(&plan)).unwrap();
        steps.into_iter().filter(|step| step.kind == kind).flat_map(|step| step.commands).collect()
    }

    #[test]
    fn the_program_knows_the_options_that_its_nodes_use() {
        use crate::sweep::steps::{finish, test};
        commands(Kind::Test).iter().for_each(|command| read::<test::TestOptions>(command, 2));
        read::<finish::FinishOptions>(&finish_command("3", "2"), 2);
        let merges = commands(Kind::Merge);
        let splits = merges.iter().filter(|command| command[0] == "split");
        splits.for_each(|command| read::<crate::split::parts::PartsOptions>(command, 1));
        #[cfg(feature = "torch")]
        for command in commands(Kind::Train) {
            read::<crate::export::train::TrainOptions>(&command, 1);
        }
    }

    #[test]
    fn each_step_comes_after_what_it_needs() {
        let plan = plan();
        let steps = steps(&plan, &shards(&plan)).unwrap();
        for (at, step) in steps.iter().enumerate() {
            for parent in &step.parents {
                let before = steps[..at].iter().any(|other| other.name == *parent);
                assert!(before, "{} needs {parent}", step.name);
            }
        }
        let names: std::collections::HashSet<&str> =
            steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names.len(), steps.len());
    }
}
