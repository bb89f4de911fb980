//! A planned sweep as a folder that `condor_submit_dag` takes: the DAG, its submit descriptions,
//! the scripts of its nodes. docs/training/sweep-dag.md describes the folder and how it runs.
//!
//! - `command`: `dag`.
//! - `folder`: the folder, written whole or not at all.
//! - `graph`: `sweep.dag`.
//! - `pool`: whether the pool has GPUs.
//! - `quote`: names and paths in DAG files and submit descriptions.
//! - `scripts`: the scripts of the nodes (`program/`).
//! - [`steps`]: what nodes do, and what must be done before.
//! - `submit`: the submit descriptions.
//!
//! DAG and submit descriptions are filled into those of `templates`.

pub mod command;
mod folder;
mod graph;
mod pool;
mod quote;
mod scripts;
pub mod steps;
mod submit;

pub use folder::write;
pub use graph::SKIP;
pub use pool::check as check_pool;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::shards::ShardFile;
use crate::Error;
use crate::output::FileError;
use crate::training::trial::Parameters;

/// A piece of the data that one node prepares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// Arguments of `holdadvise-train` that prepare it in the folder to which its files were
    /// transferred, but for `-o`.
    pub arguments: Vec<String>,
    /// Its files.
    pub files: Vec<ShardFile>,
    /// Memory that preparing it takes, MB.
    pub memory: u64,
    /// Disk that its files and what is made of them take, MB.
    pub disk: u64,
}

impl ShardFile {
    /// HTCondor transfers it under the name it has, and its path can be listed.
    fn is_plain(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == self.name.as_str())
            && quote::transferred(&self.path).is_ok()
    }

    /// What stands for it in the list of files to transfer, seen from the folder of a setting: its
    /// path, or a link of its name.
    fn listed(&self, shard: usize) -> String {
        match self.is_plain() {
            true => self.path.display().to_string(),
            false => format!("../links/{shard:03}/{}", self.name),
        }
    }
}

/// The shards of each setting as they were planned, in the folder of a sweep.
pub const SHARDS: &str = "prepared/shards.json";

/// What runs on the access point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// `holdadvise-train`, absolute.
    pub program: PathBuf,
    /// LD_LIBRARY_PATH, where it is set.
    pub library_path: Option<String>,
    /// HOME, where it is set: tracking looks for its key there.
    pub home: Option<String>,
}

impl Here {
    /// This program, as it was started.
    ///
    /// # Errors
    /// When the system does not say where it is.
    pub fn of_this_program() -> Result<Self, Error> {
        let program =
            std::env::current_exe().map_err(FileError::of(Path::new("holdadvise-train")))?;
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Ok(Self { program, library_path: variable("LD_LIBRARY_PATH"), home: variable("HOME") })
    }
}

/// All that a folder is made of.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The sweep file, as it was read.
    pub sweep_file: &'a [u8],
    /// The shards of each setting, the same ones in each.
    pub shards: &'a BTreeMap<usize, Vec<Shard>>,
    /// Parameters of the trials.
    pub parameters: &'a [Parameters],
    /// What runs on the access point.
    pub here: &'a Here,
    /// The program that feeds tracking.
    pub track: &'a str,
}

/// Why a name or a path cannot stand in a DAG file or a submit description.
fn unusable(what: &str, text: &str, because: &str) -> Error {
    format!("{what} {text:?}: {because}; use another name").into()
}

#[cfg(test)]
mod script_tests;
#[cfg(test)]
pub(crate) mod tests;
