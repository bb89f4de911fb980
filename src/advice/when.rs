//! How likely a release succeeds that is made later: P(success at t + d).

use super::LikelyFrom;
use crate::metrics::Band;
use crate::metrics::isotonic;

/// Seconds from now at which the model is asked about a release: now to three days.
pub const DELAYS: [i64; 13] =
    [0, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 172_800, 259_200];

/// Share of the time ranges that hold the instant at which a release begins to succeed.
const RANGE: f64 = 0.8;

/// The probability that a release as it is succeeds, by the seconds until it is made. It never
/// falls: what it answers is when a cause is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Delays grow.
    points: Vec<(i64, f64)>,
}

/// When a release that is unlikely to succeed now becomes likely to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likely {
    /// How likely it is from then on.
    pub band: Band,
    /// Seconds from now.
    pub from: i64,
    /// With a chance of one in ten it is before then, seconds from now.
    pub earliest: i64,
    /// With a chance of nine in ten it is before then, seconds from now, if it is within three
    /// days.
    pub latest: i64,
}

impl Curve {
    /// From what a model answered about delays in seconds, growing. Where a later release is said
    /// to be less likely both get the mean ([`isotonic`]).
    pub fn new(answers: impl IntoIterator<Item = (i64, f64)>) -> Self {
        let (delays, said): (Vec<i64>, Vec<f64>) = answers.into_iter().unzip();
        let blocks = isotonic(said.into_iter().map(|p| (p, 1.0))).into_iter();
        let fitted = blocks.flat_map(|(p, count)| std::iter::repeat_n(p, count));
        Self { points: delays.into_iter().zip(fitted).collect() }
    }

    /// Delays and probabilities.
    pub fn points(&self) -> &[(i64, f64)] {
        &self.points
    }

    /// The curve with each probability changed, in a way that keeps their order.
    #[must_use]
    pub fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self::new(self.points.into_iter().map(|(delay, p)| (delay, change(p))))
    }

    /// The curve shifted in log-odds, so that it begins at this probability.
    #[must_use]
    pub fn shifted_to(self, now: f64) -> Self {
        let log_odds = |p: f64| {
            let p = p.clamp(1e-6, 1.0 - 1e-6);
            (p / (1.0 - p)).ln()
        };
        let Some(&(_, first)) = self.points.first() else { return self };
        let by = log_odds(now) - log_odds(first);
        self.map(|p| 1.0 / (1.0 + (-(log_odds(p) + by)).exp()))
    }

    /// The probability of a release after so many seconds, 0 to 1; between two delays linear in the
    /// logarithm of the time. `None` of an empty curve.
    pub fn at(&self, delay: i64) -> Option<f64> {
        let after = self.points.partition_point(|&(at, _)| at < delay);
        let Some(&(to, high)) = self.points.get(after) else {
            return self.points.last().map(|&(_, p)| p);
        };
        let Some(&(from, low)) = after.checked_sub(1).and_then(|at| self.points.get(at)) else {
            return Some(high);
        };
        let share = (scale(delay) - scale(from)) / (scale(to) - scale(from));
        Some(low + share * (high - low))
    }

    /// Seconds until the probability is reached, likewise. `None` where it never is.
    pub fn reaches(&self, probability: f64) -> Option<i64> {
        let at = self.points.iter().position(|&(_, p)| p >= probability)?;
        let (to, high) = self.points[at];
        let Some(&(from, low)) = at.checked_sub(1).and_then(|at| self.points.get(at)) else {
            return Some(to);
        };
        let share = (probability - low) / (high - low);
        let seconds = (scale(from) + share * (scale(to) - scale(from))).exp_m1() * 60.0;
        Some((seconds.round() as i64).clamp(from, to))
    }

    /// When a release becomes likely, or at least as likely as not, which is not now. The instant
    /// is spread as the probability grows.
    pub fn likely(&self) -> Option<Likely> {
        let (&(_, now), &(_, last)) = (self.points.first()?, self.points.last()?);
        let (least, band) = match Band::of(last) {
            Band::Likely | Band::VeryLikely => (Band::Likely.least(), Band::Likely),
            Band::Even => (Band::Even.least(), Band::Even),
            _ => return None,
        };
        if now >= least {
            return None;
        }
        let within = |share: f64| self.reaches(now + share * (last - now));
        let (earliest, latest) = (within((1.0 - RANGE) / 2.0)?, within((1.0 + RANGE) / 2.0)?);
        let from = self.reaches(least)?.clamp(earliest, latest);
        Some(Likely { band, from, earliest, latest })
    }
}

impl Likely {
    /// The instants, from now in Unix seconds.
    pub fn from_instant(self, now: i64) -> LikelyFrom {
        let Self { band, from, earliest, latest } = self;
        let at = |seconds: i64| now.saturating_add(seconds);
        LikelyFrom { band, from: at(from), earliest: at(earliest), latest: at(latest) }
    }
}

/// The logarithm of a time, to the minute.
fn scale(seconds: i64) -> f64 {
    (seconds as f64 / 60.0).ln_1p()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn curve(answers: &[(i64, f64)]) -> Curve {
        Curve::new(answers.iter().copied())
    }

    #[test]
    fn a_curve_never_falls() {
        let points = curve(&[(0, 0.2), (60, 0.1), (120, 0.6), (180, 0.3), (240, 0.9)]).points;
        let p: Vec<f64> = points.iter().map(|&(_, p)| (p * 100.0).round() / 100.0).collect();
        assert_eq!(p, [0.15, 0.15, 0.45, 0.45, 0.9]);
    }

    #[test]
    fn what_becomes_likely_is_named_with_its_range() {
        let rising = curve(&[(0, 0.1), (3_600, 0.2), (7_200, 0.8), (86_400, 0.9)]);
        let likely = rising.likely().unwrap();
        assert_eq!(likely.band, Band::Likely);
        assert!((3_600..7_200).contains(&likely.from), "{likely:?}");
        assert!(likely.earliest < likely.from && likely.from < likely.latest, "{likely:?}");
        assert_eq!(curve(&[(0, 0.7), (60, 0.9)]).likely(), None, "it is likely now");
        assert_eq!(curve(&[(0, 0.1), (60, 0.3)]).likely(), None, "it never becomes likely");
        assert_eq!(curve(&[(0, 0.1), (60, 0.5)]).likely().unwrap().band, Band::Even);
        assert_eq!(curve(&[]).likely(), None);
    }

    #[test]
    fn a_shifted_curve_begins_where_it_is_put() {
        let shifted = curve(&[(0, 0.1), (60, 0.5), (120, 1.0)]).shifted_to(0.05);
        assert!((shifted.at(0).unwrap() - 0.05).abs() < 1e-9);
        assert!((0.3..0.4).contains(&shifted.at(60).unwrap()), "{shifted:?}");
        assert!(shifted.at(120).unwrap() > 0.99);
    }

    proptest! {
        #[test]
        fn reaching_and_reading_agree(
            answers in prop::collection::vec(0.0..=1.0_f64, 13), share in 0.0..=1.0_f64
        ) {
            let curve = Curve::new(DELAYS.into_iter().zip(answers));
            let (low, high) = (curve.points[0].1, curve.points[12].1);
            prop_assert!(low <= high);
            let wanted = low + share * (high - low);
            let delay = curve.reaches(wanted).unwrap();
            // To the second.
            prop_assert!(curve.at(delay + 1).unwrap() >= wanted - 1e-9);
            prop_assert!(curve.at(delay - 1).unwrap() <= wanted + 1e-9);
            if let Some(likely) = curve.likely() {
                prop_assert!(0 <= likely.earliest && likely.earliest <= likely.from);
                prop_assert!(likely.from <= likely.latest && likely.latest <= DELAYS[12]);
            }
        }
    }
}
