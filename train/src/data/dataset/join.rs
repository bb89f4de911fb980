//! Rows of several datasets in one, and in another order.

use holdadvise::model::Dimensions;

use super::{Dataset, UNKNOWN};

impl Dataset {
    /// Takes memory for so many rows more, that adding them one after the other does not take twice
    /// as much.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let Dimensions { m, j, k, .. } = Dimensions::of(&self.info.schema);
        self.states.reserve_exact(rows * m * j);
        self.statics.reserve_exact(rows * k);
    }

    /// Adds the rows of another dataset of the same schema behind these. Its causes get the numbers
    /// they have here; beyond 255 of them they are unknown.
    pub(crate) fn append(&mut self, mut other: Self) {
        let causes = std::mem::take(&mut other.info.causes);
        let numbers: Vec<u8> =
            causes.iter().map(|name| self.cause(name).unwrap_or(UNKNOWN)).collect();
        for cause in &mut other.cause {
            *cause = numbers.get(usize::from(*cause)).copied().unwrap_or(UNKNOWN);
        }
        macro_rules! append {
            ($($column:ident $type:ident,)*) => { $(self.$column.append(&mut other.$column);)* };
        }
        with_columns!(append);
    }

    /// Brings the rows into another order: row `i` is then the one that was row `order[i]`, each of
    /// them once. No column is copied.
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        macro_rules! reorder {
            ($($column:ident $type:ident,)*) => { $(reorder(&mut self.$column, order);)* };
        }
        with_columns!(reorder);
    }

    /// Numbers the hidden causes in the order in which the rows name them; those that no row names
    /// go.
    pub(crate) fn renumber_causes(&mut self) {
        let names = std::mem::take(&mut self.info.causes);
        let mut numbers = [UNKNOWN; 1 << u8::BITS];
        for cause in self.cause.iter_mut().filter(|cause| **cause != UNKNOWN) {
            let number = &mut numbers[usize::from(*cause)];
            if let (UNKNOWN, Some(name)) = (*number, names.get(usize::from(*cause))) {
                *number = u8::try_from(self.info.causes.len()).unwrap_or(UNKNOWN);
                self.info.causes.push(name.clone());
            }
            *cause = *number;
        }
    }
}

/// Moves rows along the cycles of the permutation, with one row beside them.
fn reorder<T: Copy>(values: &mut [T], order: &[usize]) {
    let width = values.len().checked_div(order.len()).unwrap_or(0);
    let mut moved = vec![false; order.len()];
    let mut first = Vec::with_capacity(width);
    for start in 0..order.len() {
        if moved[start] {
            continue;
        }
        first.clear();
        first.extend_from_slice(&values[start * width..(start + 1) * width]);
        let mut to = start;
        while order[to] != start {
            let from = order[to];
            values.copy_within(from * width..(from + 1) * width, to * width);
            moved[to] = true;
            to = from;
        }
        values[to * width..(to + 1) * width].copy_from_slice(&first);
        moved[to] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn causes_are_those_of_the_rows() {
        let mut dataset = sample();
        let mut other = sample();
        other.info.causes = vec!["service-outage".to_owned(), "firewall".to_owned()];
        dataset.append(other);
        assert_eq!(dataset.info.causes, ["bug", "service-outage", "firewall"]);
        let unknown = UNKNOWN;
        assert_eq!(dataset.cause, [unknown, unknown, unknown, 1, unknown, unknown, unknown, 2]);
        dataset.reorder(&[7, 6, 5, 4, 3, 2, 1, 0]);
        dataset.renumber_causes();
        assert_eq!(dataset.info.causes, ["firewall", "service-outage"]);
        assert_eq!(dataset.cause, [0, unknown, unknown, unknown, 1, unknown, unknown, unknown]);
        assert!(dataset.check().is_ok());
    }

    proptest! {
        #[test]
        fn rows_move_as_the_order_says(
            order in Just((0..20).collect::<Vec<usize>>()).prop_shuffle(), width in 0..4_usize
        ) {
            let values: Vec<usize> = (0..order.len() * width).collect();
            let mut moved = values.clone();
            reorder(&mut moved, &order);
            for (to, from) in order.into_iter().enumerate() {
                prop_assert_eq!(&moved[to * width..(to + 1) * width], &values[from * width..(from + 1) * width]);
            }
        }
    }
}
