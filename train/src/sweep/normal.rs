//! The standard normal distribution.

/// The value with probability `p` below it. 0 and 1, whose values are infinite, give a number far
/// outside.
pub(super) fn quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    // Each step halves the interval, until no number lies within.
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        let below = libm::erfc(-middle / std::f64::consts::SQRT_2) / 2.0;
        *(if below < p { &mut low } else { &mut high }) = middle;
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (p, x) in
            [(0.5, 0.0), (0.975, 1.959_963_985), (0.01, -2.326_347_874), (1e-6, -4.753_424_309)]
        {
            assert!((quantile(p) - x).abs() < 1e-7, "{p} {}", quantile(p));
        }
        assert!(quantile(0.0).is_finite() && quantile(1.0).is_finite());
    }
}
