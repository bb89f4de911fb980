//! Each parameter by itself, at random.

use holdadvise::features::fnv1a;

use super::Values;
use crate::random::Random;
use crate::sweep::space::{Dimension, Distribution, Space};

/// The parameters of a trial, the same however many trials there are.
pub fn draw(space: &Space, seed: u64, trial: usize) -> Values {
    let one = |(name, distribution): (&String, &Distribution)| {
        let unit = stream(seed, trial, name).unit();
        (name.clone(), Dimension::new(name, distribution).value(unit))
    };
    space.iter().map(one).collect()
}

/// Random numbers for a parameter of a trial. They depend on these three alone: neither another
/// trial nor another parameter of the space changes what is drawn.
fn stream(seed: u64, trial: usize, parameter: &str) -> Random {
    let mut text = parameter.as_bytes().to_vec();
    text.extend(seed.to_le_bytes());
    text.extend((trial as u64).to_le_bytes());
    // One step mixes the hash, whose last bytes move few of its bits.
    Random::new(Random::new(fnv1a(&text)).bits())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::sweep::space::Scale;

    fn space() -> Space {
        let values = vec![json!(16), json!(32), json!(64)];
        BTreeMap::from([
            ("hidden".to_owned(), Distribution::Categorical { values, probabilities: Vec::new() }),
            ("layers".to_owned(), Distribution::IntUniform { min: 1, max: 4 }),
            (
                "learning_rate".to_owned(),
                Distribution::Real { scale: Scale::LogUniform, min: 1e-4, max: 1e-2, q: None },
            ),
        ])
    }

    #[test]
    fn a_trial_depends_on_seed_and_number_alone() {
        let space = space();
        assert_eq!(draw(&space, 1, 7), draw(&space, 1, 7));
        assert_ne!(draw(&space, 1, 7), draw(&space, 1, 8));
        assert_ne!(draw(&space, 1, 7), draw(&space, 2, 7));
        let mut less = space.clone();
        less.remove("hidden");
        assert_eq!(draw(&less, 1, 7)["learning_rate"], draw(&space, 1, 7)["learning_rate"]);
    }

    #[test]
    fn draws_are_even() {
        let space = space();
        let drawn: Vec<Values> = (1..=6000).map(|trial| draw(&space, 3, trial)).collect();
        for (name, value, share) in [
            ("hidden", json!(16), 1.0 / 3.0),
            ("layers", json!(4), 0.25),
            ("layers", json!(1), 0.25),
        ] {
            let count = drawn.iter().filter(|values| values[name] == value).count() as f64;
            assert!((count / 6000.0 - share).abs() < 0.02, "{name} {value}: {count}");
        }
        let below = drawn.iter().filter(|v| v["learning_rate"].as_f64().unwrap() < 1e-3).count();
        assert!((2880..3120).contains(&below), "{below}");
    }
}
