//! The values of each column in at most 64 bins, so that a split is looked for among few values.

use rayon::prelude::*;

use crate::random::Random;
use crate::training::source_dropout::SourceDropout;

/// Most bins of a column.
pub(super) const BINS: usize = 64;

/// Rows that bins are found from.
const LOOKED_AT: usize = 50_000;

/// Rows gathered at a time.
const CHUNK: usize = 4096;

/// Rows of a dataset, each value as the number of its bin.
pub(super) struct Binned {
    /// The greatest value of each bin but the last, growing, for each column.
    pub(super) edges: Vec<Vec<f32>>,
    /// The bin of each row, for each column.
    pub(super) columns: Vec<Vec<u8>>,
}

impl Binned {
    /// Bins `rows` of `statics`, which has `k` columns; some of them once more, without the sources
    /// that chance blanks. The second result is the row of `statics` that each binned row is of.
    pub(super) fn new(
        statics: &[f32],
        k: usize,
        rows: &[usize],
        dropout: &SourceDropout,
        random: &mut Random,
    ) -> (Self, Vec<usize>) {
        let step = rows.len().div_ceil(LOOKED_AT).max(1);
        let edges: Vec<Vec<f32>> = (0..k)
            .into_par_iter()
            .map(|column| {
                edges(rows.iter().step_by(step).map(|&row| statics[row * k + column]).collect())
            })
            .collect();
        let mut columns: Vec<Vec<u8>> = vec![Vec::with_capacity(rows.len()); k];
        let mut of_rows = Vec::with_capacity(rows.len());
        let mut gathered = Vec::with_capacity(2 * CHUNK * k);
        for chunk in rows.chunks(CHUNK) {
            gathered.clear();
            for &row in chunk {
                let complete = &statics[row * k..(row + 1) * k];
                gathered.extend_from_slice(complete);
                of_rows.push(row);
                let start = gathered.len();
                gathered.extend_from_slice(complete);
                if dropout.blank(&mut gathered[start..], random) {
                    of_rows.push(row);
                } else {
                    gathered.truncate(start);
                }
            }
            columns.par_iter_mut().zip(&edges).enumerate().for_each(|(at, (column, edges))| {
                column.extend(gathered[at..].iter().step_by(k).map(|value| bin(edges, *value)));
            });
        }
        (Self { edges, columns }, of_rows)
    }
}

/// The bin of a value.
fn bin(edges: &[f32], value: f32) -> u8 {
    edges.partition_point(|edge| *edge < value) as u8
}

/// Edges that lie halfway between values seen, with about as many rows in each bin.
fn edges(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_unstable_by(f32::total_cmp);
    // Zero is nothing, or not known: that most rows have it must not cost the others their bins.
    let distinct = values.chunk_by(|a, b| a == b).count();
    let ordinary = values.iter().filter(|value| **value != 0.0).count();
    let share = if distinct <= BINS { 0 } else { ordinary / (BINS - 2) };
    let (mut edges, mut held): (Vec<f32>, usize) = (Vec::new(), 0);
    let mut before: Option<f32> = None;
    for equal in values.chunk_by(|a, b| a == b) {
        let value = equal[0];
        if let Some(before) = before
            && (held > share || before == 0.0 || value == 0.0)
            && edges.len() + 1 < BINS
        {
            let halfway = before + (value - before) / 2.0;
            edges.push(if halfway < value { halfway } else { before });
            held = 0;
        }
        held += equal.len();
        before = Some(value);
    }
    edges
}

#[cfg(test)]
mod tests {
    use holdadvise::model::StaticSource;

    use super::*;

    #[test]
    fn few_values_have_a_bin_each_and_many_share() {
        assert_eq!(edges(vec![3.0, 1.0, 1.0, 2.0]), [1.5, 2.5]);
        assert_eq!(edges(vec![5.0; 9]), [0.0; 0]);
        assert_eq!(edges(Vec::new()), [0.0; 0]);
        let many = edges((0..10_000).map(|i| if i % 2 == 0 { 0.0 } else { i as f32 }).collect());
        assert!((BINS - 4..BINS).contains(&many.len()), "{}", many.len());
        assert!(many[0] > 0.0 && many[0] < 1.0, "zero is alone");
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(many[1..].windows(2).all(|pair| (100.0..250.0).contains(&(pair[1] - pair[0]))));
    }

    #[test]
    fn neighbours_that_nothing_lies_between_are_told_apart() {
        let (low, high) = (1.0_f32, f32::from_bits(1.0_f32.to_bits() + 1));
        let edges = edges(vec![low, high]);
        assert_eq!((bin(&edges, low), bin(&edges, high)), (0, 1));
    }

    #[test]
    fn a_row_lies_in_the_bin_of_its_value() {
        let statics = [0.0, 7.0, 1.0, 8.0, 2.0, 9.0];
        let nothing = SourceDropout::new(&[], 0.0);
        let (binned, rows) = Binned::new(&statics, 2, &[2, 0], &nothing, &mut Random::new(1));
        assert_eq!((rows, &binned.columns), (vec![2, 0], &vec![vec![1, 0], vec![1, 0]]));
        assert_eq!(binned.edges, [vec![1.0], vec![8.0]]);
    }

    #[test]
    fn a_row_that_lost_a_source_comes_twice() {
        let sources = [StaticSource { name: "a".to_owned(), columns: vec![1] }];
        let dropout = SourceDropout::new(&sources, 1.0);
        let statics: Vec<f32> = (0..200).map(|at| at as f32 + 1.0).collect();
        let rows: Vec<usize> = (0..100).collect();
        let (binned, of_rows) = Binned::new(&statics, 2, &rows, &dropout, &mut Random::new(1));
        assert!((120..160).contains(&of_rows.len()), "{}", of_rows.len());
        let again = of_rows.windows(2).position(|pair| pair[0] == pair[1]).unwrap();
        assert_eq!(binned.columns[0][again], binned.columns[0][again + 1]);
        assert_eq!(binned.columns[1][again + 1], 0, "what is missing is 0");
        assert_eq!(binned.columns.iter().map(Vec::len).collect::<Vec<_>>(), [of_rows.len(); 2]);
    }
}
