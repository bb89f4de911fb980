//! An expression that is true for some jobs of a queue, and quick for all the others.
//!
//! The schedd evaluates the constraint of an edit for every job of the queue, once for each
//! attribute, and does nothing else meanwhile. A list of 500 ids, as `condor_qedit -jobids` makes
//! it, takes 16 s in a queue of 10,000 jobs. A tree of comparisons takes some steps for each job.

use eventlog::JobId;
use holdadvise::journal::JobRange;

/// True for these jobs alone.
pub fn among(jobs: impl IntoIterator<Item = JobId>) -> String {
    tree(&JobRange::of(jobs))
}

fn tree(ranges: &[JobRange]) -> String {
    match ranges {
        [] => "false".to_owned(),
        [one] => leaf(one),
        _ => {
            let (left, right) = ranges.split_at(ranges.len() / 2);
            let JobId { cluster, proc } = right[0].first;
            let first = ranges[0].first.cluster;
            let before = left[left.len() - 1].first.cluster;
            let is_left = if before < cluster {
                format!("ClusterId < {cluster}")
            } else if first == cluster && right.iter().all(|one| one.first.cluster == cluster) {
                // Other clusters are distinguished at the leaves.
                format!("ProcId < {proc}")
            } else {
                format!("(ClusterId < {cluster} || ClusterId == {cluster} && ProcId < {proc})")
            };
            format!("({is_left} ? {} : {})", tree(left), tree(right))
        }
    }
}

fn leaf(range: &JobRange) -> String {
    let JobId { cluster, proc } = range.first;
    match range.last == proc {
        true => format!("(ClusterId == {cluster} && ProcId == {proc})"),
        false => {
            format!("(ClusterId == {cluster} && ProcId >= {proc} && ProcId <= {})", range.last)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use classads::{ClassAd, EvalContext, Expr};
    use proptest::prelude::*;

    use super::*;

    fn is_true(expression: &Expr, job: JobId) -> bool {
        let mut ad = ClassAd::new();
        ad.insert_value("ClusterId", i64::from(job.cluster));
        ad.insert_value("ProcId", i64::from(job.proc));
        ad.evaluate_expr(expression, &EvalContext::default()).as_boolean() == Some(true)
    }

    #[test]
    fn a_cluster_is_one_comparison() {
        let all = among((0..100).map(|proc| JobId::new(7, proc)));
        assert_eq!(all, "(ClusterId == 7 && ProcId >= 0 && ProcId <= 99)");
    }

    #[test]
    fn scattered_jobs_are_a_flat_tree() {
        let text = among((0..500).map(|n| JobId::new(7 + n % 3, 2 * n)));
        let depth = text.chars().scan(0_i32, |depth, c| {
            *depth += i32::from(c == '(') - i32::from(c == ')');
            Some(*depth)
        });
        assert!(depth.max() < Some(14) && text.len() < 60_000, "{}", text.len());
    }

    proptest! {
        #[test]
        fn it_is_true_for_these_jobs_alone(
            jobs in prop::collection::btree_set((1..5_i32, 0..12_i32), 0..30)
        ) {
            let jobs: BTreeSet<JobId> =
                jobs.into_iter().map(|(cluster, proc)| JobId::new(cluster, proc)).collect();
            let expression = Expr::parse_old(&among(jobs.iter().copied())).unwrap();
            for cluster in 0..6 {
                for proc in -1..14 {
                    let job = JobId::new(cluster, proc);
                    prop_assert_eq!(is_true(&expression, job), jobs.contains(&job), "{}", job);
                }
            }
        }
    }
}
