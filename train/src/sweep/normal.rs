//! The standard normal distribution.

/// The value with probability `p` below it, `p` from 0 to 1, which are taken for the nearest
/// numbers within. Relative error below 1.2e-9 (Acklam's rational fit of the inverse).
pub(super) fn quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    /// From here inwards the central fit holds.
    const CENTRE: f64 = 0.024_25;
    let polynomial = |of: &[f64], x: f64| of.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    let p = p.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    if p < CENTRE {
        tail(p)
    } else if p > 1.0 - CENTRE {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        let r = q * q;
        polynomial(&A, r) * q / polynomial(&B, r)
    }
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
