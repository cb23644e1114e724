//! The corners of floating-point arithmetic in which NumPy differs from the obvious formula.

use std::hint::black_box;

/// `x ** 2` on a NumPy float64, which is libm's `pow(x, 2)`: now and then one ulp away from `x * x`.
///
/// The exponent is hidden from the optimiser, which would write `x * x`.
pub(crate) fn pow2(x: f64) -> f64 {
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

    #[test]
    fn a_remainder_is_never_negative() {
        assert_eq!(remainder(-1.0, 4.0), 3.0);
        assert_eq!(remainder(5.0, 4.0), 1.0);
        assert_eq!(remainder(-4.0, 4.0), 0.0);
    }
}
