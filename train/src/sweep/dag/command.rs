//! `holdadvise-train dag`: from a sweep file to a folder that `condor_submit_dag` takes.

use std::path::PathBuf;

use jiff::Timestamp;

use super::{Here, Request, Shard, check_pool, write};
use crate::Error;
use crate::say::say;
use crate::sweep::plan::Setting;
use crate::sweep::{file, planning, shards};

/// The program that feeds tracking.
const TRACK: &str = include_str!("../../../../dag/track.py");

/// Write a sweep as a DAG for HTCondor, as docs/training/sweep.md and docs/training/sweep-dag.md
/// say.
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
/// All that is wrong with the sweep file, or what is in the way of the data, the pool or the
/// folder.
pub fn run(options: &DagOptions) -> Result<(), Error> {
    let here = Here::of_this_program()?;
    let checked = file::read(&options.sweep, Timestamp::now())?;
    if !checked.notes.is_empty() {
        eprintln!("{}", file::told(&options.sweep, &checked.notes, file::NOTE));
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
    let planned_shards = shards::shards(&plan.data)?;
    let of_setting = |setting: &Setting| {
        let shards = planned_shards.iter().map(|shard| Shard::of(shard, setting));
        (setting.number, shards.collect::<Vec<_>>())
    };
    // Of `DIR/` and `DIR/.` too.
    let folder: PathBuf = std::path::absolute(&options.output)?.components().collect();
    let made = write(
        &Request {
            plan,
            sweep_file: checked.text.as_bytes(),
            shards: &plan.settings.iter().map(of_setting).collect(),
            parameters: &planned.parameters,
            here: &here,
            track: TRACK,
        },
        &folder,
    )?;
    say(format_args!("{made}"));
    Ok(())
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
