//! Isotonic regression: the nearest values that never fall (pool adjacent violators; Barlow et al.
//! 1972).

/// Of values in their order, each a sum over a weight above 0: the means of neighbours that are one,
/// and how many values these are. The means grow.
pub fn isotonic(values: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, usize)> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (sum, weight) in values {
        let mut block = (sum, weight, 1);
        while let Some(last) = blocks.pop_if(|last| last.0 * block.1 >= block.0 * last.1) {
            block = (last.0 + block.0, last.1 + block.1, last.2 + block.2);
        }
        blocks.push(block);
    }
    blocks.into_iter().map(|(sum, weight, count)| (sum / weight, count)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn means_grow_and_the_sum_stays(
            values in prop::collection::vec((0.0..1.0_f64, 0.1..9.0_f64), 0..40)
        ) {
            let blocks = isotonic(values.iter().copied());
            prop_assert!(blocks.is_sorted_by(|one, next| one.0 <= next.0));
            prop_assert_eq!(blocks.iter().map(|block| block.1).sum::<usize>(), values.len());
            let weights = values.iter().map(|value| value.1);
            let fitted = blocks.iter().flat_map(|&(mean, count)| std::iter::repeat_n(mean, count));
            let sum: f64 = fitted.zip(weights).map(|(mean, weight)| mean * weight).sum();
            prop_assert!((sum - values.iter().map(|value| value.0).sum::<f64>()).abs() < 1e-9);
        }
    }
}
