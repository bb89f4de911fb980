//! DAG files, and what lies beside them.

use eventlog::{JobId, ReadOptions};
use holdadvise::workflow::Dag;

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
    let Ok(dag) = Dag::read(&path, i64::MAX) else { return };
    let folder = files::folder();
    assert!(dag.job_logs().unwrap_or_default().iter().all(|log| log.starts_with(&folder)));
    if let Some((folder, file)) = dag.error_output("A", JobId::new(1, 0)) {
        assert!(folder.starts_with('/') && !file.contains('$'));
    }
    assert!(dag.faults.len() <= 21, "{:?}", dag.faults);
    if let Ok(progress) = dag.progress(&log, &ReadOptions::default(), i64::MAX) {
        let counted: usize = progress.counts.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, dag.len());
        assert!(progress.blocked <= dag.len());
    }
}
