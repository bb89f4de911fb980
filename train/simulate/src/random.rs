//! Chance: one generator per purpose, each seeded from the run's seed and a number of its own.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use serde::Deserialize;

/// A log-normal spread, as presets write it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Half of the draws lie below.
    pub median: f64,
    /// Standard deviation of the natural logarithm.
    pub sigma: f64,
}

/// Draws that are made at once.
const TOGETHER: usize = 32;

/// Draws that are kept, so that going back to the first needs nothing drawn anew.
const KEPT: usize = 2 * TOGETHER;

/// A source of chance. The same seed gives the same draws on every machine.
#[derive(Debug)]
pub(crate) struct Dice {
    generator: ChaCha8Rng,
    stream: u64,
    /// Draws uniform in [0, 1): those behind `next` are yet to come, up to `made`.
    draws: [f64; KEPT],
    next: usize,
    made: usize,
    /// Normal draws that begin with one of these, NaN where none was made.
    normals: [f64; KEPT],
    /// `draws` begins with the first of the stream.
    from_first: bool,
}

impl Dice {
    /// The generator of one purpose: `stream` tells purposes of one seed apart.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut dice = Self {
            generator: ChaCha8Rng::seed_from_u64(seed),
            stream,
            draws: [0.0; KEPT],
            next: 0,
            made: 0,
            normals: [f64::NAN; KEPT],
            from_first: true,
        };
        dice.turn_to(stream);
        dice
    }

    /// Goes to the first draw of another stream of the seed.
    pub(crate) fn turn_to(&mut self, stream: u64) {
        self.generator.set_stream(stream);
        self.stream = stream;
        self.forget();
        self.from_first = true;
    }

    /// Goes back to the first draw.
    pub(crate) fn go_back(&mut self) {
        if self.from_first {
            self.next = 0;
        } else {
            self.turn_to(self.stream);
        }
    }

    fn forget(&mut self) {
        self.next = 0;
        self.made = 0;
        self.normals = [f64::NAN; KEPT];
    }

    #[cold]
    fn draw(&mut self) {
        if self.made == KEPT {
            self.forget();
            self.from_first = false;
        }
        for draw in &mut self.draws[self.made..][..TOGETHER] {
            *draw = (self.generator.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
        }
        self.made += TOGETHER;
    }

    /// Uniform in [0, 1).
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        if self.next == self.made {
            self.draw();
        }
        let unit = self.draws[self.next];
        self.next += 1;
        unit
    }

    #[inline]
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform in 0 to `count` - 1; 0 for `count` 0.
    #[inline]
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// Uniform in `from` to `to`, both included.
    #[inline]
    pub(crate) fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.below(usize::try_from(to - from + 1).unwrap_or(1)) as i64
    }

    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// Standard normal (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let first = self.next;
        if let Some(&known) = self.normals.get(first)
            && !known.is_nan()
        {
            self.next += 2;
            return known;
        }
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * self.unit()).cos();
        // Not where its two draws lie on both sides of a gap.
        if self.next == first + 2 {
            self.normals[first] = normal;
        }
        normal
    }

    pub(crate) fn spread(&mut self, spread: Spread) -> f64 {
        spread.median * (spread.sigma * self.normal()).exp()
    }

    /// Whole seconds of a spread given in seconds, at least 1.
    pub(crate) fn seconds(&mut self, spread: Spread) -> i64 {
        (self.spread(spread) as i64).max(1)
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// An index, as often as its weight says; 0 where all weights are 0.
    pub(crate) fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let mut rest = self.unit() * weights.clone().sum::<f64>();
        let mut last = 0;
        for (index, weight) in weights.enumerate() {
            if weight > 0.0 {
                last = index;
                rest -= weight;
                if rest < 0.0 {
                    break;
                }
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_a_seed_differ_and_repeat() {
        let draws = |seed, stream| {
            let mut dice = Dice::new(seed, stream);
            (0..8).map(|_| dice.unit()).collect::<Vec<_>>()
        };
        assert_eq!(draws(7, 1), draws(7, 1));
        assert_ne!(draws(7, 1), draws(7, 2));
        assert_ne!(draws(7, 1), draws(8, 1));
    }

    #[test]
    fn going_back_repeats_a_stream() {
        // Each kind of draw begins at every place among those kept.
        for skipped in 0..2 * KEPT {
            let mut dice = Dice::new(7, 3);
            let draws = |dice: &mut Dice| {
                let skipped: Vec<f64> = (0..skipped).map(|_| dice.unit()).collect();
                let normals = [(); 40].map(|()| dice.normal());
                (skipped, normals, [(); 40].map(|()| dice.unit()))
            };
            let first = draws(&mut dice);
            dice.go_back();
            assert_eq!(draws(&mut dice), first);
            dice.turn_to(4);
            assert_ne!(draws(&mut dice), first);
            dice.turn_to(3);
            assert_eq!(draws(&mut dice), first);
        }
    }

    #[test]
    fn spreads_have_their_median() {
        let mut dice = Dice::new(1, 0);
        let spread = Spread { median: 600.0, sigma: 1.0 };
        let below = (0..20_000).filter(|_| dice.spread(spread) < 600.0).count();
        assert!((9_500..10_500).contains(&below), "{below}");
    }

    #[test]
    fn weights_count() {
        let mut dice = Dice::new(1, 0);
        let drawn: Vec<usize> =
            (0..4_000).map(|_| dice.weighted([0.0, 1.0, 3.0].into_iter())).collect();
        let ones = drawn.iter().filter(|&&index| index == 1).count();
        assert!(!drawn.contains(&0));
        assert!((850..1_150).contains(&ones), "{ones}");
    }
}
