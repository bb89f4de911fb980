//! Companions: access points that train beside others, and nothing else. Small simulated ones are
//! for the holds of real ones, of which there are few (domain randomization: Tobin et al. 2017);
//! their logs are in a temporary folder that goes when the rows are made.

use std::ops::RangeInclusive;
use std::path::Path;

use holdadvise_simulate::{Extras, Preset, Settings, simulate_with};

use crate::Error;

/// The number of a companion's access point less its seed: beyond those of logs and simulations.
const NUMBERS: i32 = 2_000_000;

/// Seeds that models may be trained on (docs/training/simulator.md).
const MOST: u32 = 1_000;

/// The first companion of a sweep: no seed that the shipped model was trained on.
pub(crate) const FIRST: u32 = 701;

/// Companions of a sweep, at most.
pub(crate) const MOST_OF_SWEEP: usize = (MOST - FIRST + 1) as usize;

/// Presets that companions have in turn, and the days of each: jobs of hours, minutes, seconds.
const PRESETS: [(&str, u32); 3] = [("small", 6), ("quick", 1), ("rapid", 1)];

/// The layer on them.
const LAYER: &str = "faults-3";

/// `--vary` of each.
const VARY: f64 = 6.0;

/// `--unit` of each.
const UNIT: [f64; 2] = [0.01, 24.0];

/// Reads the seeds of companions, one each.
pub(crate) fn seeds(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let seed = |text: &str| text.parse().ok().filter(|seed| (1..=MOST).contains(seed));
    match (seed(first), seed(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(format!(
            "expected seeds from 1 to {MOST}, the smaller first, as in 701-712: greater ones are \
             for tests and kept from training"
        )),
    }
}

/// The number of its access point.
pub(crate) fn number(seed: u32) -> i32 {
    NUMBERS + seed.cast_signed()
}

/// The number of the access point of the companion in a folder, the first of which is 0.
///
/// # Errors
/// There are too many.
pub(crate) fn number_of_folder(folder: usize) -> Result<i32, Error> {
    Ok(number(MOST + 1) + i32::try_from(folder)?)
}

/// Simulates the companion of a seed in a folder.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn simulate(seed: u32, folder: &Path, later_releases: bool) -> Result<(), Error> {
    let (name, days) = PRESETS[(seed as usize - 1) % PRESETS.len()];
    let preset = Preset::load_with(name, &[LAYER.to_owned()])?;
    let seed = u64::from(seed);
    let settings =
        Settings::new(preset.vary(VARY, seed).in_drawn_unit(UNIT, seed), seed, days, folder);
    let when = later_releases.then_some(1);
    simulate_with(&settings, Extras { when, looks: false })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_one_or_a_range_that_may_train() {
        assert_eq!(seeds("7"), Ok(7..=7));
        assert_eq!(seeds("998-1000"), Ok(998..=1000));
        for wrong in ["", "0", "0-3", "9-8", "1-1001", "a", "1-", "-1", "1-2-3"] {
            assert!(seeds(wrong).unwrap_err().contains("701-712"), "{wrong}");
        }
    }

    #[test]
    fn the_same_seed_is_the_same_companion() {
        let described = |seed| {
            let folder = tempfile::tempdir().unwrap();
            simulate(seed, folder.path(), false).unwrap();
            std::fs::read_to_string(folder.path().join("simulation.json")).unwrap()
        };
        let (quick, rapid) = (described(2), described(3));
        assert!(quick.contains("\"quick\"") && rapid.contains("\"rapid\""), "{quick}{rapid}");
        assert!(quick.contains("faults-3") && quick.contains("\"vary\":6.0"), "{quick}");
        assert_eq!(quick, described(2));
    }
}
