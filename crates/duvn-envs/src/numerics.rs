//! The corners of floating-point arithmetic in which NumPy differs from the obvious formula.

use std::hint::black_box;

/// `x ** 2` on a NumPy float64, which is libm's `pow(x, 2)`: now and then one ulp away from `x * x`.
///
/// A product is much faster, so libm is asked only where it could say something else. With s = fl(x²) and the exact error
/// x² - s, which is at most half an ulp, the power rounds to s as well wherever the two are further from the middle between
/// two numbers than libm errs: its `pow` promises 0.54 ulp, and 0.546 are allowed for here.
pub(crate) fn pow2(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    let square = x * x;
    // The halves of x have products without rounding (Veltkamp, Dekker).
    let shifted = 134_217_729.0 * x;
    let high = shifted - (shifted - x);
    let low = x - high;
    let error = ((high * high - square) + 2.0 * high * low) + low * low;
    let ulp = f64::from_bits(square.to_bits() & EXPONENT) * f64::EPSILON;
    // Below a power of two ulps are half as large.
    let power_of_two = square.to_bits() & !EXPONENT == 0;
    if error.abs() < 0.454 * ulp && !power_of_two && (1e-200..1e200).contains(&square) {
        return square;
    }
    // The exponent is hidden from the optimiser, which would write `x * x`.
    x.powf(black_box(2.0))
}

/// `x ** 2` on a NumPy float32, which is libm's `powf(x, 2)`.
pub(crate) fn pow2_f32(x: f32) -> f32 {
    x.powf(black_box(2.0))
}

/// Python's and NumPy's `x % modulus` for a positive modulus: the result is not negative.
pub(crate) fn remainder(x: f64, modulus: f64) -> f64 {
    let remainder = x % modulus;
    if remainder < 0.0 { remainder + modulus } else { remainder }
}

/// `numpy.sin` of a float32 with |x| < π/4: NumPy's own polynomial
/// x + x·x²·(s₃ + x²(s₅ + x²(s₇ + x²·s₉))), fused multiply-adds throughout, and not libm's `sinf`.
pub(crate) fn sin_f32(x: f32) -> f32 {
    const S9: f32 = f32::from_bits(0x363e_9dde);
    const S7: f32 = f32::from_bits(0xb950_35dd);
    const S5: f32 = f32::from_bits(0x3c08_88cd);
    const S3: f32 = f32::from_bits(0xbe2a_aaab);
    let square = x * x;
    let series = S9.mul_add(square, S7).mul_add(square, S5).mul_add(square, S3) * square;
    series.mul_add(x, x)
}

/// `numpy.cos` of a float32 with |x| < π/4: 1 + x²(c₂ + x²(c₄ + x²(c₆ + x²·c₈))), fused.
pub(crate) fn cos_f32(x: f32) -> f32 {
    const C8: f32 = f32::from_bits(0x37cc_730b);
    const C6: f32 = f32::from_bits(0xbab6_036e);
    const C4: f32 = f32::from_bits(0x3d2a_aa9e);
    let square = x * x;
    C8.mul_add(square, C6).mul_add(square, C4).mul_add(square, -0.5).mul_add(square, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numpys_float32_sine_and_cosine() {
        for (x, sin, cos) in [
            (0x3d2eb165, 0x3d2ea3d6, 0x3f7fc468),
            (0xbdaa6d6c, 0xbdaa3b15, 0x3f7f1d37),
            (0xbdc7678d, 0xbdc716ef, 0x3f7ec99b),
            (0xbda9b7d5, 0xbda9861f, 0x3f7f1f18),
            (0xbd579ad6, 0xbd57815a, 0x3f7fa53b),
            (0x3d76cdd6, 0x3d76a79c, 0x3f7f8911),
        ] {
            let x = f32::from_bits(x);
            assert_eq!((sin_f32(x).to_bits(), cos_f32(x).to_bits()), (sin, cos), "{x}");
        }
    }

    #[test]
    fn squares_are_those_of_libm_where_a_product_is_one_ulp_off() {
        let x = f64::from_bits(0x4005c52822c0cd04);
        assert_eq!(pow2(x).to_bits(), 0x401d9f06c7f693f2);
        assert_ne!(pow2(x), x * x);
    }

    /// Every number that libm squares, at random, at the ends of the range and beside powers of two.
    #[test]
    fn a_square_is_libms_power() {
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        let mut other_than_the_product = 0;
        for round in 0..3_000_000u64 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let exponent = if round % 8 == 0 { bits % 2046 } else { 1003 + bits % 40 };
            let x = f64::from_bits((bits >> 12) | exponent << 52 | (round & 1) << 63);
            let power = x.powf(black_box(2.0));
            assert_eq!(pow2(x).to_bits(), power.to_bits(), "{x:e}");
            other_than_the_product += usize::from(power != x * x);
        }
        // Some thousands here; a libm without errors would have none.
        assert!(other_than_the_product < 30_000, "{other_than_the_product}");
        let ends =
            [0.0, 1e-320, 1e-160, 1e-100, 1e100, 1e160, f64::MAX, f64::INFINITY, 2f64.sqrt(), 0.5f64.sqrt()];
        let near = |x: f64| [x.next_down(), x, x.next_up()];
        for x in ends.into_iter().chain((0..60).map(|n| 2f64.powi(n - 30))).flat_map(near) {
            assert_eq!(pow2(x).to_bits(), x.powf(black_box(2.0)).to_bits(), "{x:e}");
        }
        assert!(pow2(f64::NAN).is_nan());
    }

    #[test]
    fn a_remainder_is_never_negative() {
        assert_eq!(remainder(-1.0, 4.0), 3.0);
        assert_eq!(remainder(5.0, 4.0), 1.0);
        assert_eq!(remainder(-4.0, 4.0), 0.0);
    }
}
