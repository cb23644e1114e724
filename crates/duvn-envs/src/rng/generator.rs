use super::seed_sequence::SeedSequence;
use rand_core::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// A draw below `bound`, each number alike, from words of one width: Lemire's multiplication.
macro_rules! below {
    ($name:ident, $next:ident, $word:ty, $double:ty) => {
        fn $name(&mut self, bound: $word) -> $word {
            let mut product = <$double>::from(self.$next()) * <$double>::from(bound);
            if (product as $word) < bound {
                let threshold = bound.wrapping_neg() % bound;
                while (product as $word) < threshold {
                    product = <$double>::from(self.$next()) * <$double>::from(bound);
                }
            }
            (product >> <$word>::BITS) as $word
        }
    };
}

/// The generator that Gymnasium environments draw from after `reset(seed=…)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumpyRng {
    pcg: Pcg64,
    /// The upper half of the last word that was drawn for a 32-bit number, if it is still unused.
    spare: Option<u32>,
}

impl NumpyRng {
    /// `numpy.random.Generator(numpy.random.PCG64(seed))`.
    pub fn new(seed: u64) -> Self {
        let [state_high, state_low, stream_high, stream_low] = SeedSequence::new(seed).generate_u64();
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let pcg = Pcg64::new(join(state_high, state_low), join(stream_high, stream_low));
        NumpyRng { pcg, spare: None }
    }

    /// What `reset(seed=…)` does: begins again from a seed, or goes on where there is none.
    pub fn restart(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            *self = NumpyRng::new(seed);
        }
    }

    /// `Generator.bit_generator.random_raw()`.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.pcg.next_u64()
    }

    /// A 32-bit number: the lower half of a fresh word, then its upper half.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        self.spare.take().unwrap_or_else(|| {
            let word = self.next_u64();
            self.spare = Some((word >> 32) as u32);
            word as u32
        })
    }

    /// `Generator.random()`: uniform on [0, 1) with 53 bits.
    #[inline]
    pub fn random(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// `Generator.uniform(low, high)`.
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random()
    }

    /// `Generator.integers(low, high)`: uniform on `low..high`, and `low` where that is empty.
    ///
    /// Lemire's multiplication, on 32-bit numbers wherever the range allows it, as NumPy does.
    pub fn integers(&mut self, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        let most = high.wrapping_sub(low) as u64 - 1;
        let offset = match u32::try_from(most) {
            Ok(0) => 0,
            Ok(u32::MAX) => u64::from(self.next_u32()),
            Ok(most) => u64::from(self.below_u32(most + 1)),
            Err(_) => self.below_u64(most + 1),
        };
        low.wrapping_add(offset as i64)
    }

    /// `Generator.choice(items)`; `None` where there is nothing to choose from.
    pub fn choice<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.integers(0, items.len() as i64) as usize)
    }

    /// Gymnasium's `categorical_sample`, given the cumulative sums of the probabilities: the first entry
    /// above a uniform draw, and the first of all where rounding left the last sum below the draw.
    pub fn categorical(&mut self, cumulative: &[f64]) -> usize {
        let draw = self.random();
        let above = cumulative.partition_point(|&sum| sum <= draw);
        if above < cumulative.len() { above } else { 0 }
    }

    /// A draw from N(0, 1) by Box and Muller's transform of two uniform draws. (Not NumPy's
    /// `standard_normal`, which no environment here needs.)
    pub fn gaussian(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.random()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.random()).cos()
    }

    below!(below_u32, next_u32, u32, u64);
    below!(below_u64, next_u64, u64, u128);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From NumPy 2.4: two raw words; and, from a new generator of the same seed, two `random()`, one
    /// `uniform(-0.6, -0.4)` and five `integers(0, 13)`.
    type Plain = (u64, [u64; 2], [f64; 2], f64, [i64; 5], Mixed);
    /// Going on: `integers(-5, 1000)`, `random()`, `integers` of (0, 4), (0, 2**32), (0, 2**40),
    /// (0, 3_000_000_000), (7, 8) and (0, 2**63 - 1), and `choice([10, 20, 30])`.
    type Mixed = (i64, f64, i64, i64, i64, i64, i64, i64, i64);

    #[rustfmt::skip]
    const NUMPY: [Plain; 6] = [
        (0, [11749869230777074271, 4976686463289251617], [0.6369616873214543, 0.2697867137638703], -0.591805295212761, [0, 0, 2, 10, 8],
            (912, 0.6066357757671799, 3, 3133163871, 597721999265, 1679752336, 7, 7524920857253125029, 30)),
        (1, [9441442522235856127, 17532960557476522086], [0.5118216247002567, 0.9504636963259353], -0.5711680774560732, [10, 12, 3, 4, 11],
            (420, 0.8277025938204418, 1, 1757496908, 604284650148, 257217833, 7, 6949931735954725145, 10)),
        (42, [14276969152011380360, 8095878257575067585], [0.7739560485559633, 0.4388784397520523], -0.4282804160177235, [1, 9, 2, 1, 6],
            (975, 0.761139701990353, 2, 3376120483, 140862428803, 1112394072, 7, 8547898282882222422, 30)),
        (4294967301, [14281546376153053393, 8683300866460616067], [0.7742041803738812, 0.47072268318809307], -0.46082393113157705, [11, 10, 10, 6, 7],
            (514, 0.21022114520689128, 3, 304074557, 527782221894, 109664065, 7, 8074405601427756302, 30)),
        (9223372036854788153, [9116129000838757916, 10625643075464141531], [0.4941863433683745, 0.5760172653236889], -0.5914608485899203, [2, 11, 6, 5, 0],
            (693, 0.23443641074401056, 3, 3841198142, 748533064310, 111948014, 7, 1987520154572783552, 30)),
        (18446744073709551615, [12544278110101001871, 15593249672699323225], [0.6800266789616931, 0.8453117585624743], -0.598519383680148, [1, 11, 7, 1, 3],
            (315, 0.5894743473759847, 0, 784637208, 1001270654784, 1534689213, 7, 6385601296744420993, 10)),
    ];

    #[test]
    fn every_method_gives_numpys_numbers() {
        for (seed, raw, random, uniform, thirteenths, mixed) in NUMPY {
            let mut rng = NumpyRng::new(seed);
            assert_eq!([(); 2].map(|()| rng.next_u64()), raw, "seed {seed}");
            let mut rng = NumpyRng::new(seed);
            assert_eq!([(); 2].map(|()| rng.random()), random, "seed {seed}");
            assert_eq!(rng.uniform(-0.6, -0.4), uniform, "seed {seed}");
            assert_eq!([(); 5].map(|()| rng.integers(0, 13)), thirteenths, "seed {seed}");
            let drawn: Mixed = (
                rng.integers(-5, 1000),
                rng.random(),
                rng.integers(0, 4),
                rng.integers(0, 1 << 32),
                rng.integers(0, 1 << 40),
                rng.integers(0, 3_000_000_000),
                rng.integers(7, 8),
                rng.integers(0, i64::MAX),
                *rng.choice(&[10, 20, 30]).unwrap(),
            );
            assert_eq!(drawn, mixed, "seed {seed}");
        }
    }

    #[test]
    fn a_categorical_draw_beyond_the_last_sum_is_the_first_entry() {
        let mut rng = NumpyRng::new(0);
        let draw = rng.clone().random();
        assert_eq!(rng.clone().categorical(&[draw - 0.1, draw, draw + 0.1, 1.0]), 2);
        assert_eq!(rng.categorical(&[draw / 2.0, draw]), 0);
    }

    #[test]
    fn gaussian_draws_have_mean_0_and_variance_1() {
        let mut rng = NumpyRng::new(5);
        let draws: Vec<f64> = (0..100_000).map(|_| rng.gaussian()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }
}
