//! DAG files, and what lies beside them.

use eventlog::{JobId, ReadOptions};
use holdadvise::workflow::Dag;

use crate::{files, sections};

/// Bytes of a line about a DAG: a path (PATH_MAX), what is escaped in it, and our words.
const LONGEST_FAULT: usize = 64 << 10;

/// A DAG file, a second one that it may name as `part.dag`, a submit file `job.sub`, a rescue DAG,
/// the nodes log and the log of DAGMan. Every node is in one state, no more nodes are blocked than
/// there are, and whatever splices multiply stays within the bounds of a DAG, which are said.
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
    let Ok(dag) = Dag::read(&path, i64::MAX) else { return };
    let folder = files::folder();
    assert!(dag.job_logs().unwrap_or_default().iter().all(|log| log.starts_with(&folder)));
    if let Some((folder, file)) = dag.error_output("A", JobId::new(1, 0)) {
        assert!(folder.starts_with('/') && !file.contains('$'));
    }
    // Twenty lines, a bound, and a rescue DAG that cannot be read.
    assert!(dag.faults.len() <= 22, "{:?}", dag.faults);
    assert!(dag.faults.iter().all(|fault| fault.len() < LONGEST_FAULT), "{:?}", dag.faults);
    // The line that reaches it may be of many with many, which takes a node between.
    assert!(dag.len() <= Dag::MOST_NODES + 2 && dag.edges() <= Dag::MOST_JOINED);
    let is_full = dag.len() > Dag::MOST_NODES;
    assert!(!is_full || dag.faults[0].contains("what follows is left out"), "{:?}", dag.faults);
    if let Ok(progress) = dag.progress(&log, &ReadOptions::default(), i64::MAX) {
        let counted: usize = progress.counts.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, dag.len());
        assert!(progress.blocked <= dag.len());
    }
}
