//! Arithmetic on several samples side by side: the compiler turns these loops into vector code.

/// Adding this rounds a float of small magnitude to an integer held in its low bits.
const ROUND: f32 = 12_582_912.0;

/// e^x for each lane, within 2 units in the last place. Arguments are clamped to -87..=87, where
/// float32 neither overflows nor becomes subnormal.
///
/// Range reduction to |r| <= ln(2)/2 and a polynomial of degree 6 (its Taylor terms), then the
/// exponent is added in the bits. (Cody and Waite 1980, chapter 6.)
#[inline]
fn exp<const N: usize>(x: [f32; N]) -> [f32; N] {
    x.map(|x| {
        let x = x.clamp(-87.0, 87.0);
        let shifted = x * std::f32::consts::LOG2_E + ROUND;
        let n = shifted - ROUND;
        // ln(2) in two parts: the first has few bits, so n times it is exact.
        let r = (x - n * 0.693_359_4) + n * 2.121_944_4e-4;
        let p = 1.0 / 720.0;
        let p = p * r + 1.0 / 120.0;
        let p = p * r + 1.0 / 24.0;
        let p = p * r + 1.0 / 6.0;
        let p = p * r + 0.5;
        let p = p * r + 1.0;
        let p = p * r + 1.0;
        let exponent = shifted.to_bits().wrapping_sub(ROUND.to_bits());
        f32::from_bits(p.to_bits().wrapping_add(exponent << 23))
    })
}

/// 1 / (1 + e^-x) for each lane.
#[inline]
pub(super) fn sigmoid<const N: usize>(x: [f32; N]) -> [f32; N] {
    exp(x.map(|x| -x)).map(|e| 1.0 / (1.0 + e))
}

/// Hyperbolic tangent of each lane, within 2e-7 absolute.
#[inline]
pub(super) fn tanh<const N: usize>(x: [f32; N]) -> [f32; N] {
    exp(x.map(|x| 2.0 * x)).map(|e| 1.0 - 2.0 / (e + 1.0))
}

/// Scalar product with eight partial sums.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_eight, a_rest) = a.as_chunks::<8>();
    let (b_eight, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (a, b) in a_eight.iter().zip(b_eight) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_two_units_in_the_last_place() {
        for step in -8700..=8700_i16 {
            let x = f32::from(step) / 100.0;
            let [found] = exp([x]);
            let expected = f64::from(x).exp();
            let error = (f64::from(found) - expected).abs() / expected;
            assert!(error < 2.4e-7, "exp({x}) is {found}, expected {expected}, off by {error}");
        }
    }

    #[test]
    fn sigmoid_and_tanh_follow_the_definitions_and_saturate() {
        for step in -2000..=2000_i16 {
            let x = f32::from(step) / 100.0;
            let exact = f64::from(x);
            let [s] = sigmoid([x]);
            let [t] = tanh([x]);
            assert!((f64::from(s) - 1.0 / (1.0 + (-exact).exp())).abs() < 2e-7, "sigmoid({x})");
            assert!((f64::from(t) - exact.tanh()).abs() < 2.5e-7, "tanh({x})");
        }
        assert_eq!(sigmoid([1e30, f32::INFINITY]), [1.0; 2]);
        assert_eq!(tanh([1e30, -1e30]), [1.0, -1.0]);
        assert!(sigmoid([f32::NEG_INFINITY])[0] < 1e-37);
    }

    #[test]
    fn dot_takes_every_element_once() {
        for n in 0..40_u8 {
            let a: Vec<f32> = (0..n).map(f32::from).collect();
            let b: Vec<f32> = (0..n).map(|i| f32::from(i) + 1.0).collect();
            let expected: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&a, &b), expected);
        }
    }
}
