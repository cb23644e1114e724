//! The part of a Langevin step that is not Adam's: plain gradient and noise.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use super::adam::Langevin;
use super::layout::Layout;

/// w -= α g - s √(2 α) N(0, 1) for every parameter, where α is `rate` and g is `scale * gradient`. `step` is the number of
/// the step: its noise can be drawn again without knowing the steps before.
pub(super) fn kick(
    layout: &Layout,
    langevin: &Langevin,
    step: u64,
    rate: f32,
    (gradient, scale): (&[f32], f32),
    w: &mut [f32],
) {
    let mut rng = ChaCha8Rng::seed_from_u64(langevin.seed);
    rng.set_stream(step);
    let (slope, spread) = (rate * scale, langevin.noise * (2.0 * rate).sqrt());
    layout.runs(|run| {
        for (w, g) in w[run.clone()].iter_mut().zip(&gradient[run]) {
            let noise: f32 = StandardNormal.sample(&mut rng);
            *w += spread * noise - slope * g;
        }
    });
}
