//! DAG files, and what lies beside them.

use eventlog::ReadOptions;
use holdadvise::workflow::{Dag, Manager};

use crate::{files, sections};

/// A DAG file, a second one that it may name as `part.dag`, a submit file `job.sub`, a rescue DAG,
/// the nodes log and the log of DAGMan. Every node is in one state, and no more nodes are blocked
/// than there are.
pub fn dag(bytes: &[u8]) {
    let [first, part, submit, rescue, nodes, manager] = sections(bytes);
    // Files of the machine are not to be read.
    let names_others =
        |text: &[u8]| text.windows(2).any(|pair| pair == b"..") || text.contains(&b'/');
    if [first, part, submit].into_iter().any(names_others) {
        return;
    }
    let path = files::file("a.dag", first);
    files::file("part.dag", part);
    files::file("job.sub", submit);
    files::file("a.dag.rescue001", rescue);
    let log = files::file("a.dag.nodes.log", nodes);
    files::file("a.dag.dagman.log", manager);
    let _ = Manager::of(&path);
    let Ok(dag) = Dag::read(&path) else { return };
    let folder = files::folder();
    assert!(dag.job_logs().unwrap_or_default().iter().all(|log| log.starts_with(&folder)));
    assert!(dag.faults.len() <= 21, "{:?}", dag.faults);
    if let Ok(progress) = dag.progress(&log, &ReadOptions::default(), i64::MAX) {
        let counted: usize = progress.counts.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, dag.len());
        assert!(progress.blocked <= dag.len());
    }
}
