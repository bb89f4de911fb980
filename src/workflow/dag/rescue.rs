//! Which nodes the newest rescue DAG has as done.

use std::io::Read;
use std::path::{Path, PathBuf};

use eventlog::input;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Dag, LONGEST};

/// The highest number of a rescue DAG (DAGMAN_MAX_RESCUE_NUM is at most that).
const RESCUES: u32 = 999;

/// The rescue DAG that has nodes as done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Rescue {
    /// Its file, fit to be shown.
    pub file: String,
    /// Nodes of the DAG that it has as done.
    pub done: usize,
}

impl Dag {
    /// Takes over the nodes that are done from `FILE.rescueNNN` of the highest number, as DAGMan
    /// does.
    pub(super) fn take_rescue(&mut self, path: &Path) {
        let of = |number: u32| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".rescue{number:03}"));
            PathBuf::from(name)
        };
        let Some(file) = (1..=RESCUES).rev().map(of).find(|file| file.exists()) else { return };
        let mut text = Vec::new();
        let read =
            input::open_regular(&file).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
        let file = crate::queue::display_path(&file);
        if let Err(error) = read {
            self.faults
                .push(format!("{file}: {error}; nodes that it has as done count as not submitted"));
        }
        for line in String::from_utf8_lossy(&text).lines() {
            let mut words = line.split_whitespace();
            if words.next().is_some_and(|word| word.eq_ignore_ascii_case("DONE"))
                && let Some(name) = words.next()
            {
                self.set_done("", name);
            }
        }
        let done = self.nodes.iter().filter(|node| node.done).count();
        self.rescue = Some(Rescue { file: file.to_string(), done });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::dag;
    use super::*;

    #[test]
    fn the_newest_rescue_dag_has_the_nodes_that_are_done() {
        let (folder, _) = dag(&[
            ("a.dag", "JOB A a\nJOB B b\nSPLICE S part.dag\n"),
            ("part.dag", "JOB X x\n"),
            ("a.dag.rescue001", "DONE A\nDONE B\nDONE S+X\n"),
            (
                "a.dag.rescue002",
                "# Nodes that are done: 2\nDONE A\nDONE S+X\nRETRY B 2\nDONE\nDONE no\n",
            ),
        ]);
        let dag = Dag::read(&folder.path().join("a.dag"), i64::MAX).unwrap();
        let done: Vec<&str> =
            dag.nodes.iter().filter(|node| node.done).map(|node| node.name.as_str()).collect();
        assert_eq!(done, ["A", "S+X"]);
    }
}
