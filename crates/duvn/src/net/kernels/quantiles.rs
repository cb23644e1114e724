//! Quantile regression of one prediction: all pairs of a quantile and a value. Plain loops, which the compiler turns into
//! vectors of each instruction set. All of them give the same bits: the only product that is fused with a sum is exact.

use super::Kernels;
use super::simd::Simd;

/// How many partial sums each quantile has.
const SUMS: usize = 8;

/// The quantiles `theta` at the levels `tau` against values `psi` that are equally likely.
pub(crate) struct Regression<'a> {
    pub theta: &'a [f32],
    pub tau: &'a [f32],
    pub psi: &'a [f32],
    /// Errors up to this count as squares; 0: none.
    pub kappa: f32,
    /// Gets the gradient by theta.
    pub gradient: &'a mut [f32],
    /// Gets the loss.
    pub loss: f64,
}

impl Kernels {
    /// Computes loss and gradient.
    pub(crate) fn regress(self, regression: &mut Regression<'_>) {
        // SAFETY: slices only; `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.regress)(regression) }
    }
}

/// Loss and gradient.
///
/// # Safety
/// None is needed here; where it is compiled for an instruction set, the CPU must have it.
#[inline(always)]
pub(super) unsafe fn regress<S: Simd>(regression: &mut Regression<'_>) {
    match S::LANES {
        // Two vectors: pairs are few enough that each would wait for the one before.
        16 => regress_by::<32>(regression, S::FUSED),
        _ => regress_by::<8>(regression, S::FUSED),
    }
}

/// The same, `LANES` quantiles at a time.
#[inline(always)]
fn regress_by<const LANES: usize>(regression: &mut Regression<'_>, fused: bool) {
    let kappa = regression.kappa;
    match kappa > 0.0 {
        true => all_pairs::<LANES>(regression, |u| {
            let clipped = u.clamp(-kappa, kappa);
            // Half of a number is exact, but for those whose square is 0.
            let rest = if fused { clipped.mul_add(-0.5, u) } else { u - 0.5 * clipped };
            (clipped * rest, clipped)
        }),
        false => all_pairs::<LANES>(regression, |u| (u.abs(), if u < 0.0 { -1.0 } else { 1.0 })),
    }
}

#[inline(always)]
fn all_pairs<const LANES: usize>(regression: &mut Regression<'_>, huber: impl Fn(f32) -> (f32, f32)) {
    let Regression { theta, tau, psi, gradient, loss, .. } = regression;
    let share = 1.0 / psi.len() as f32;
    *loss = 0.0;
    let blocks = theta.chunks(LANES).zip(tau.chunks(LANES));
    for ((theta, tau), gradient) in blocks.zip(gradient.chunks_mut(LANES)) {
        let (costs, slopes) = pull::<LANES>(&filled(theta), &filled(tau), psi, &huber);
        for ((cost, slope), gradient) in costs.iter().zip(slopes).zip(gradient) {
            *loss += f64::from(share * cost);
            *gradient = -share * slope;
        }
    }
}

#[inline(always)]
fn filled<const LANES: usize>(numbers: &[f32]) -> [f32; LANES] {
    let mut all = [0.0; LANES];
    all[..numbers.len()].copy_from_slice(numbers);
    all
}

/// By quantile: sums of |tau - 1{u < 0}| h(u) and of |tau - 1{u < 0}| h'(u) over the values. Every eighth value goes into the
/// same partial sum, and these are added in their order.
#[inline(always)]
fn pull<const LANES: usize>(
    theta: &[f32; LANES],
    tau: &[f32; LANES],
    psi: &[f32],
    huber: &impl Fn(f32) -> (f32, f32),
) -> ([f32; LANES], [f32; LANES]) {
    let (mut costs, mut slopes) = ([0.0f32; LANES], [0.0f32; LANES]);
    for first in 0..SUMS.min(psi.len()) {
        let (mut cost, mut slope) = ([0.0f32; LANES], [0.0f32; LANES]);
        for &psi in psi[first..].iter().step_by(SUMS) {
            for lane in 0..LANES {
                let u = psi - theta[lane];
                let weight = if u < 0.0 { 1.0 - tau[lane] } else { tau[lane] };
                let (h, h_slope) = huber(u);
                cost[lane] += weight * h;
                slope[lane] += weight * h_slope;
            }
        }
        for lane in 0..LANES {
            costs[lane] += cost[lane];
            slopes[lane] += slope[lane];
        }
    }
    (costs, slopes)
}
