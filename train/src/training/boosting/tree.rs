//! One tree: leaf by leaf, the split that gains most first.

use rayon::prelude::*;

use super::bins::{BINS, Binned};

/// Sum of first and of second derivatives of the loss by the logit, for each bin of a column.
type Histogram = [[f64; 2]; BINS];

/// What keeps a tree small and smooth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Most leaves.
    pub(super) leaves: usize,
    /// Added to the second derivatives of a leaf: L2 regularisation of its value.
    pub(super) shrinkage: f64,
    /// Least sum of second derivatives in a leaf.
    pub(super) least: f64,
}

/// A node; bins as in [`Binned`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grown {
    /// Rows whose bin of `column` is at most `bin` go to `below`, others to `above`.
    Split { column: usize, bin: u8, below: usize, above: usize },
    /// The step by which the logit moves here.
    Leaf { value: f64 },
}

/// Rows of a leaf that may be split.
struct Leaf {
    node: usize,
    rows: Vec<u32>,
    histograms: Vec<Histogram>,
    best: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    /// Position among the columns looked at.
    at: usize,
    bin: u8,
}

/// Grows a tree on `rows` of `binned`, looking at some columns; `derivatives` are first and second
/// ones of all rows. A node's children come after it.
pub(super) fn grow(
    binned: &Binned,
    columns: &[usize],
    rows: Vec<u32>,
    derivatives: &[[f32; 2]],
    limits: Limits,
) -> Vec<Grown> {
    let mut nodes = vec![Grown::Leaf { value: value(&rows, derivatives, limits) }];
    let histograms = histograms(binned, columns, &rows, derivatives);
    let best = best_split(&histograms, limits);
    let mut leaves = vec![Leaf { node: 0, rows, histograms, best }];
    while leaves.len() < limits.leaves {
        let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |best| best.gain);
        let Some(at) =
            (0..leaves.len()).max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b])))
        else {
            break;
        };
        let Some(split) = leaves[at].best else { break };
        let leaf = leaves.swap_remove(at);
        let column = columns[split.at];
        let bins = &binned.columns[column];
        let (below, above): (Vec<u32>, Vec<u32>) =
            leaf.rows.iter().partition(|&&row| bins[row as usize] <= split.bin);
        // Only the histograms of the smaller side are counted: those of the other are what is left
        // of the parent's.
        let below_is_smaller = below.len() <= above.len();
        let smaller = if below_is_smaller { &below } else { &above };
        let counted = self::histograms(binned, columns, smaller, derivatives);
        let mut left = leaf.histograms;
        for (left, counted) in left.iter_mut().zip(&counted) {
            for (left, counted) in left.iter_mut().zip(counted) {
                left[0] -= counted[0];
                left[1] -= counted[1];
            }
        }
        let (of_below, of_above) = if below_is_smaller { (counted, left) } else { (left, counted) };
        nodes[leaf.node] =
            Grown::Split { column, bin: split.bin, below: nodes.len(), above: nodes.len() + 1 };
        for (rows, histograms) in [(below, of_below), (above, of_above)] {
            let value = value(&rows, derivatives, limits);
            let best = best_split(&histograms, limits);
            leaves.push(Leaf { node: nodes.len(), rows, histograms, best });
            nodes.push(Grown::Leaf { value });
        }
    }
    nodes
}

/// The leaf that a row of `binned` reaches.
pub(super) fn reached(nodes: &[Grown], binned: &Binned, row: usize) -> f64 {
    let mut at = 0;
    loop {
        match nodes[at] {
            Grown::Leaf { value } => return value,
            Grown::Split { column, bin, below, above } => {
                at = if binned.columns[column][row] <= bin { below } else { above };
            }
        }
    }
}

/// Newton's step for rows (Friedman 2001; Chen and Guestrin 2016, equation 5).
fn value(rows: &[u32], derivatives: &[[f32; 2]], limits: Limits) -> f64 {
    let (mut first, mut second) = (0.0, 0.0);
    for &row in rows {
        let [g, h] = derivatives[row as usize];
        first += f64::from(g);
        second += f64::from(h);
    }
    -first / (second + limits.shrinkage)
}

fn histograms(
    binned: &Binned,
    columns: &[usize],
    rows: &[u32],
    derivatives: &[[f32; 2]],
) -> Vec<Histogram> {
    let gathered: Vec<[f32; 2]> = rows.iter().map(|&row| derivatives[row as usize]).collect();
    columns
        .par_iter()
        .map(|&column| {
            let bins = &binned.columns[column];
            let mut histogram = [[0.0; 2]; BINS];
            for (&row, [g, h]) in rows.iter().zip(&gathered) {
                let sum = &mut histogram[usize::from(bins[row as usize]) % BINS];
                sum[0] += f64::from(*g);
                sum[1] += f64::from(*h);
            }
            histogram
        })
        .collect()
}

/// The split that lowers the loss most (Chen and Guestrin 2016, equation 7).
fn best_split(histograms: &[Histogram], limits: Limits) -> Option<Split> {
    let of_columns = histograms.par_iter().enumerate().filter_map(|(at, histogram)| {
        let total = histogram.iter().fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        let score = |[first, second]: [f64; 2]| first * first / (second + limits.shrinkage);
        let mut best: Option<Split> = None;
        let mut below = [0.0; 2];
        for (bin, one) in histogram.iter().enumerate() {
            below = [below[0] + one[0], below[1] + one[1]];
            let above = [total[0] - below[0], total[1] - below[1]];
            if below[1] < limits.least || one[1] <= 0.0 {
                continue;
            }
            if above[1] < limits.least {
                break;
            }
            let gain = score(below) + score(above) - score(total);
            if gain > best.map_or(1e-6, |best| best.gain) {
                best = Some(Split { gain, at, bin: bin as u8 });
            }
        }
        best
    });
    // Of equal gains the first column's, whatever the number of threads.
    let of_columns: Vec<Split> = of_columns.collect();
    of_columns.into_iter().reduce(|a, b| if b.gain > a.gain { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::training::source_dropout::SourceDropout;

    const LIMITS: Limits = Limits { leaves: 4, shrinkage: 0.0, least: 1.0 };

    fn binned(statics: &[f32], k: usize) -> Binned {
        let rows: Vec<usize> = (0..statics.len() / k).collect();
        Binned::new(statics, k, &rows, &SourceDropout::new(&[], 0.0), &mut Random::new(1)).0
    }

    #[test]
    fn a_step_in_one_column_is_found() {
        let statics: Vec<f32> = (0..40).flat_map(|i| [(i % 3) as f32, i as f32]).collect();
        let derivatives: Vec<[f32; 2]> =
            (0..40).map(|i| [if i < 25 { 0.5 } else { -0.25 }, 0.5]).collect();
        let binned = binned(&statics, 2);
        let nodes = grow(&binned, &[0, 1], (0..40).collect(), &derivatives, LIMITS);
        assert_eq!(nodes[0], Grown::Split { column: 1, bin: 24, below: 1, above: 2 });
        assert_eq!(nodes.len(), 3, "what is pure is not split: {nodes:?}");
        assert_eq!(nodes[1..], [Grown::Leaf { value: -1.0 }, Grown::Leaf { value: 0.5 }]);
        assert_eq!((reached(&nodes, &binned, 24), reached(&nodes, &binned, 25)), (-1.0, 0.5));
        let nodes = grow(&binned, &[0], (0..40).collect(), &derivatives, LIMITS);
        assert!(!nodes.iter().any(|n| matches!(n, Grown::Split { column: 1, .. })), "{nodes:?}");
    }

    #[test]
    fn leaves_are_no_smaller_and_no_more_than_asked_for() {
        let mut random = Random::new(4);
        let statics: Vec<f32> = (0..500).map(|_| random.unit() as f32).collect();
        let derivatives: Vec<[f32; 2]> =
            (0..500).map(|_| [random.unit() as f32 - 0.5, 0.25]).collect();
        let binned = binned(&statics, 1);
        let limits = Limits { leaves: 9, shrinkage: 1.0, least: 5.0 };
        let nodes = grow(&binned, &[0], (0..500).collect(), &derivatives, limits);
        let leaves = nodes.iter().filter(|node| matches!(node, Grown::Leaf { .. })).count();
        assert!(leaves > 2 && leaves <= 9, "{leaves}");
        for node in &nodes {
            let Grown::Leaf { value } = node else { continue };
            let rows = (0..500).filter(|&row| reached(&nodes, &binned, row) == *value).count();
            assert!(rows >= 20, "{rows}");
        }
        assert_eq!(grow(&binned, &[0], Vec::new(), &derivatives, limits).len(), 1);
    }
}
