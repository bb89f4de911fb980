//! The clock of the access point: how long an hour of the preset takes there.

/// Turns the time of the simulation, in seconds of the preset, into that of its files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: i64,
    unit: f64,
}

impl Clock {
    /// From `start` on every duration takes `unit` times as long as the preset says.
    pub(crate) fn new(start: i64, unit: f64) -> Self {
        Self { start, unit }
    }

    /// Unix seconds of an instant. Later instants are never earlier.
    pub(crate) fn at(self, instant: i64) -> i64 {
        if self.unit == 1.0 {
            return instant;
        }
        // Where a second becomes many, what happens falls on any of them.
        let part = if self.unit > 1.0 { part_of_second(instant) } else { 0.0 };
        self.start + (((instant - self.start) as f64 + part) * self.unit).floor() as i64
    }

    /// Seconds that so many seconds of the preset take, at least 1.
    pub(crate) fn lasting(self, seconds: i64) -> i64 {
        if self.unit == 1.0 {
            return seconds;
        }
        ((seconds as f64 * self.unit).round() as i64).max(seconds.signum())
    }
}

/// From 0 to below 1, another for each second: the finalizer of SplitMix64.
fn part_of_second(instant: i64) -> f64 {
    let mut bits = (instant as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_faster_or_slower_and_never_goes_back() {
        let start = 1_709_510_400;
        for unit in [0.01, 0.3, 1.0, 2.5, 60.0] {
            let clock = Clock::new(start, unit);
            assert_eq!(clock.at(start).min(start), start);
            let times: Vec<i64> = (start..start + 5_000).map(|now| clock.at(now)).collect();
            assert!(times.is_sorted(), "{unit}");
            let taken = (clock.at(start + 1_000_000) - start) as f64;
            assert!((taken - 1e6 * unit).abs() <= unit.max(1.0), "{unit}: {taken}");
            assert_eq!(clock.lasting(3_600), (3_600.0 * unit).round() as i64);
            assert_eq!((clock.lasting(0), clock.lasting(1).min(1)), (0, 1));
        }
        assert_eq!(Clock::new(start, 1.0).at(start + 77), start + 77);
    }

    #[test]
    fn slow_clocks_show_any_second() {
        let clock = Clock::new(0, 60.0);
        let minutes =
            (0..600).map(|now| clock.at(now) % 60).collect::<std::collections::HashSet<_>>();
        assert!(minutes.len() > 50, "{}", minutes.len());
    }
}
