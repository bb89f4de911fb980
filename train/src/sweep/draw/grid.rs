//! Every combination of values.

use super::Values;
use crate::sweep::space::{Dimension, Space};

/// How many combinations there are; `None` where they cannot be counted. More than can be counted
/// are the most.
pub fn size(space: &Space) -> Option<u64> {
    let mut counts =
        space.iter().map(|(name, distribution)| Dimension::new(name, distribution).count());
    counts.try_fold(1_u64, |size, count| Some(size.saturating_mul(count?)))
}

/// One of the combinations, from 0; the last parameter by name changes first.
pub fn nth(space: &Space, at: u64) -> Option<Values> {
    let mut left = at;
    let mut values = Values::new();
    for (name, distribution) in space.iter().rev() {
        let dimension = Dimension::new(name, distribution);
        let count = dimension.count()?;
        values.insert(name.clone(), dimension.nth(left % count)?);
        left /= count;
    }
    (left == 0).then_some(values)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::json;

    use super::*;
    use crate::sweep::space::{Distribution, Scale};

    #[test]
    fn each_combination_comes_once() {
        let values = vec![json!(16), json!(32)];
        let mut space = BTreeMap::from([
            ("hidden".to_owned(), Distribution::Categorical { values, probabilities: Vec::new() }),
            ("layers".to_owned(), Distribution::IntUniform { min: 1, max: 3 }),
            (
                "dropout".to_owned(),
                Distribution::Real { scale: Scale::Uniform, min: 0.0, max: 0.3, q: Some(0.1) },
            ),
            ("trees".to_owned(), Distribution::Constant { value: json!(0) }),
        ]);
        assert_eq!(size(&space), Some(24));
        let all: BTreeSet<String> =
            (0..24).map(|at| format!("{:?}", nth(&space, at).unwrap())).collect();
        assert_eq!(all.len(), 24);
        let last = nth(&space, 23).unwrap();
        assert_eq!(last["dropout"], json!(0.3));
        assert_eq!(
            (&last["hidden"], &last["layers"], &last["trees"]),
            (&json!(32), &json!(3), &json!(0))
        );
        assert_eq!(nth(&space, 24), None);
        assert_eq!((size(&Space::new()), nth(&Space::new(), 0)), (Some(1), Some(Values::new())));
        let rate = Distribution::Real { scale: Scale::Uniform, min: 0.0, max: 0.3, q: None };
        space.insert("learning_rate".to_owned(), rate);
        assert_eq!((size(&space), nth(&space, 0)), (None, None));
    }
}
