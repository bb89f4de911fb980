//! Nodes of a DAG that wait for each other in a circle.

use std::collections::HashMap;

use super::Dag;
use crate::text::Foreign;

/// Nodes of a circle that are named.
const NAMED: usize = 5;

/// Characters of the name of a node that are printed.
pub(super) const NAME: usize = 100;

impl Dag {
    /// Makes a fault of the first circle that is found: DAGMan submits none of its nodes, and by
    /// default notices when nothing else is left (DAGMAN_STARTUP_CYCLE_DETECT).
    pub(super) fn find_circle(&mut self) {
        let Some(mut circle) = self.circle() else { return };
        let line = |at: usize| {
            let child = circle[(at + 1) % circle.len()];
            let mut children = self.nodes[circle[at]].children.iter();
            children.find(|edge| edge.child == child).map(|edge| (edge.line, at))
        };
        // The line that closes it.
        let Some((line, at)) = (0..circle.len()).filter_map(line).max() else { return };
        let length = circle.len();
        circle.rotate_left((at + 1) % length);
        let (file, number) = self.lines[line].clone();
        let nodes: Vec<_> =
            circle.iter().map(|&at| &self.nodes[at]).filter(|node| !node.joins).collect();
        let named =
            nodes.iter().take(NAMED).map(|node| Foreign::from(node.name.as_str()).named(NAME));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match nodes.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let waits = match nodes.len() {
            1 => format!("node {named} waits for itself and never starts"),
            _ => format!("nodes {named}{more} wait for each other in a circle and never start"),
        };
        let what = "expected parents that do not wait for their children";
        let text = format!("{waits}, {what}; correct this line or another PARENT line of these");
        self.fault(&file, number, &text);
    }

    /// The nodes of a circle, each a parent of the next one, and the last of the first.
    fn circle(&self) -> Option<Vec<usize>> {
        let mut waits: Vec<usize> = self.nodes.iter().map(|node| node.parents.len()).collect();
        let mut ready: Vec<usize> = (0..waits.len()).filter(|&at| waits[at] == 0).collect();
        while let Some(at) = ready.pop() {
            for edge in &self.nodes[at].children {
                waits[edge.child] -= 1;
                if waits[edge.child] == 0 {
                    ready.push(edge.child);
                }
            }
        }
        // Each node that still waits has a parent that does.
        let mut at = waits.iter().position(|&parents| parents > 0)?;
        let (mut path, mut places) = (Vec::new(), HashMap::new());
        loop {
            if let Some(begin) = places.insert(at, path.len()) {
                path.drain(..begin);
                path.reverse();
                return Some(path);
            }
            path.push(at);
            at = *self.nodes[at].parents.iter().find(|&&parent| waits[parent] > 0)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::dag;

    #[test]
    fn a_circle_is_named_with_the_line_that_closes_it() {
        let nodes = "JOB A a\nJOB B b\nJOB C c\nJOB D d\n";
        let part = ("part.dag", "JOB X x\nJOB Y y\nPARENT X CHILD Y\n");
        let circle = |lines: &str| {
            let (_folder, dag) = dag(&[("a.dag", &format!("{nodes}{lines}")), part]);
            dag.faults
                .iter()
                .map(|fault| fault.split_once("a.dag: ").unwrap().1.to_owned())
                .collect()
        };
        for lines in [
            "",
            "PARENT A CHILD B C\nPARENT B C CHILD D\nPARENT A CHILD D\nPARENT A CHILD D\n",
            "SPLICE S part.dag\nSPLICE T part.dag\nPARENT S CHILD T\nPARENT A CHILD S\n",
        ] {
            assert_eq!(circle(lines), [""; 0], "{lines}");
        }
        let end = "expected parents that do not wait for their children; correct this line or another PARENT line \
                   of these";
        for (lines, said) in [
            ("PARENT A CHILD A\n", "line 5: node A waits for itself and never starts"),
            (
                "PARENT C CHILD A\nPARENT A CHILD B\nPARENT B CHILD C D\n",
                "line 7: nodes C, A, B wait for each other in a circle and never start",
            ),
            // Many with many go through a node between.
            (
                "PARENT A B CHILD C D\nPARENT D CHILD B\n",
                "line 6: nodes B, D wait for each other in a circle and never start",
            ),
            (
                "SPLICE S part.dag\nPARENT A CHILD S\nPARENT S CHILD A\n",
                "line 7: nodes A, S+X, S+Y wait for each other in a circle and never start",
            ),
        ] {
            let found: Vec<String> = circle(lines);
            assert_eq!(found, [format!("{said}, {end}")], "{lines}");
        }
    }

    #[test]
    fn of_a_long_circle_few_nodes_are_named() {
        let ring = |at: usize| format!("JOB N{at} a\nPARENT N{at} CHILD N{}\n", (at + 1) % 1000);
        let (_folder, dag) = dag(&[("a.dag", &(0..1000).map(ring).collect::<String>())]);
        assert_eq!(dag.faults.len(), 1);
        assert!(dag.faults[0].contains(" and 995 more wait for each other"), "{:?}", dag.faults);
        assert!(dag.faults[0].contains("line 2000: "), "{:?}", dag.faults);
    }
}
