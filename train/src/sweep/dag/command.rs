//! `holdadvise-train dag`: from a sweep file to a folder that `condor_submit_dag` takes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Here, Request, Shard, check_pool, write};
use crate::Error;
use crate::say::say;
use crate::sweep::plan::{Plan, Setting};
use crate::sweep::{file, planning, shards};

/// The program that feeds tracking.
const TRACK: &str = include_str!("../../../../dag/track.py");

/// Write a sweep as a DAG for HTCondor, as docs/sweep.md and docs/sweep-dag.md say.
#[derive(Clone, Debug, clap::Args)]
pub struct DagOptions {
    /// The sweep file, such as `dag/sweep.yaml`.
    sweep: PathBuf,
    /// The folder to make: empty, or not there yet.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Do not ask the pool whether it has GPUs: it starts machines that have some on demand.
    #[arg(long)]
    no_pool_check: bool,
}

/// Runs `dag`.
///
/// # Errors
/// All that is wrong with the sweep file, or what is in the way of the data, the pool or the folder.
pub fn run(options: &DagOptions) -> Result<(), Error> {
    let here = Here::of_this_program()?;
    let checked = file::read(&options.sweep, Timestamp::now())?;
    if !checked.notes.is_empty() {
        eprintln!("{}", file::told(&options.sweep, &checked.notes));
    }
    let planned = planning::plan(&checked.sweep, &here.program)?;
    for note in &planned.notes {
        eprintln!("{}: note: {note}", options.sweep.display());
    }
    let plan = &planned.plan;
    if !options.no_pool_check
        && let Some(note) = check_pool(&plan.resources)?
    {
        eprintln!("note: {note}");
    }
    let made = write(
        &Request {
            plan,
            sweep_file: checked.text.as_bytes(),
            shards: &of_settings(plan)?,
            parameters: &planned.parameters,
            here: &here,
            track: TRACK,
        },
        &absolute(&options.output)?,
    )?;
    say(format_args!("{made}"));
    Ok(())
}

/// The shards of each setting.
fn of_settings(plan: &Plan) -> Result<BTreeMap<usize, Vec<Shard>>, String> {
    let planned = shards::shards(&plan.data)?;
    let of = |setting: &Setting| planned.iter().map(|shard| Shard::of(shard, setting)).collect();
    Ok(plan.settings.iter().map(|setting| (setting.number, of(setting))).collect())
}

impl Shard {
    fn of(shard: &shards::Shard, setting: &Setting) -> Self {
        Self {
            number: shard.number,
            arguments: shard.arguments(setting),
            files: shard.files().cloned().collect(),
            memory: shard.memory_mb(setting),
            disk: shard.disk_mb(setting),
        }
    }
}

fn absolute(folder: &Path) -> std::io::Result<PathBuf> {
    let folder = std::path::absolute(folder)?;
    // Of `DIR/` and `DIR/.` too.
    Ok(folder.components().collect())
}
