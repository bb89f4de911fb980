//! The ranges of static columns cut into pieces, so that the network need not be linear in a number
//! it has only one of: piecewise linear encoding (Gorishniy, Rubachev and Babenko 2022, "On
//! Embeddings for Numerical Features").

/// Pieces a column is cut into, as often in each.
const PIECES: usize = 6;

/// Rows that are looked at.
const ROWS: usize = 50_000;

/// One piece of the range of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The column.
    pub column: usize,
    /// Where the piece begins.
    pub low: f32,
    /// How wide it is, above 0.
    pub width: f32,
}

/// The pieces of all columns of `statics`, rows of `k`. Columns with two values or fewer have none:
/// they are linear already. Zeros, which say that there is nothing or nothing is known, are no part
/// of the shares.
pub fn pieces(statics: &[f32], k: usize, rows: &[usize], skip: &[usize]) -> Vec<Piece> {
    let step = rows.len().div_ceil(ROWS).max(1);
    let mut all = Vec::new();
    for column in (0..k).filter(|column| !skip.contains(column)) {
        let mut values: Vec<f32> =
            rows.iter().step_by(step).map(|&row| statics[row * k + column]).collect();
        values.sort_unstable_by(f32::total_cmp);
        let edges = edges(&values);
        if edges.len() > 2 {
            let piece = |edge: &[f32]| Piece { column, low: edge[0], width: edge[1] - edge[0] };
            all.extend(edges.windows(2).map(piece));
        }
    }
    all
}

/// Growing edges of pieces of sorted values.
fn edges(sorted: &[f32]) -> Vec<f32> {
    let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let mut distinct: Vec<f32> = Vec::new();
    for &value in sorted {
        if distinct.last() != Some(&value) {
            distinct.push(value);
        }
        if distinct.len() > PIECES + 1 {
            break;
        }
    }
    let mut edges = if distinct.len() <= PIECES + 1 {
        distinct
    } else {
        let other: Vec<f32> = sorted.iter().copied().filter(|value| *value != 0.0).collect();
        let share = |part: usize| other[part * (other.len() - 1) / PIECES];
        let mut edges: Vec<f32> = (0..=PIECES).map(share).chain([least, most]).collect();
        if least <= 0.0 && most >= 0.0 {
            edges.push(0.0);
        }
        edges.sort_unstable_by(f32::total_cmp);
        edges
    };
    // A piece must not be so narrow that its width is lost.
    let narrow = (most - least) * 1e-4;
    edges.dedup_by(|after, before| *after - *before <= narrow);
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_few_values_are_cut_at_them_and_flags_not_at_all() {
        let statics = [0.0, 1.0, 5.0, 1.0, 2.0, 5.0, 0.0, 4.0, 5.0];
        let rows = [0, 1, 2];
        let expected =
            [Piece { column: 1, low: 1.0, width: 1.0 }, Piece { column: 1, low: 2.0, width: 2.0 }];
        assert_eq!(pieces(&statics, 3, &rows, &[]), expected);
        assert_eq!(pieces(&statics, 3, &rows, &[1]), []);
    }

    #[test]
    fn many_values_are_cut_into_equal_shares_beside_zero() {
        let statics: Vec<f32> = (0..1_000).map(|i| (i as f32 - 400.0).max(0.0)).collect();
        let rows: Vec<usize> = (0..1_000).collect();
        let found = pieces(&statics, 1, &rows, &[]);
        assert!(found.len() == PIECES || found.len() == PIECES + 1, "{found:?}");
        assert_eq!(found[0].low, 0.0);
        let wide: Vec<_> = found.iter().filter(|piece| piece.width > 50.0).collect();
        assert_eq!(wide.len(), PIECES, "{found:?}");
        assert!(wide.iter().all(|piece| (piece.width - 100.0).abs() < 2.0), "{found:?}");
        let last = found[found.len() - 1];
        assert_eq!(last.low + last.width, 599.0);
    }

    #[test]
    fn no_rows_no_pieces() {
        assert_eq!(pieces(&[], 3, &[], &[]), []);
    }
}
