/// NumPy's `SeedSequence`: spreads a seed of any size over a pool of four 32-bit words.
pub(super) struct SeedSequence {
    pool: [u32; 4],
}

impl SeedSequence {
    const INIT_A: u32 = 0x43b0_d7e5;
    const MULT_A: u32 = 0x931e_8875;
    const INIT_B: u32 = 0x8b51_f9dd;
    const MULT_B: u32 = 0x58f3_8ded;
    const MIX_LEFT: u32 = 0xca01_f9dd;
    const MIX_RIGHT: u32 = 0x4973_f715;

    pub(super) fn new(seed: u64) -> Self {
        let mut constant = Self::INIT_A;
        let mut hash = |value: u32| {
            let mut value = value ^ constant;
            constant = constant.wrapping_mul(Self::MULT_A);
            value = value.wrapping_mul(constant);
            value ^ (value >> 16)
        };
        let mix = |x: u32, y: u32| {
            let mixed = x.wrapping_mul(Self::MIX_LEFT).wrapping_sub(y.wrapping_mul(Self::MIX_RIGHT));
            mixed ^ (mixed >> 16)
        };
        let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(&mut hash);
        for source in 0..4 {
            for target in 0..4 {
                if source != target {
                    pool[target] = mix(pool[target], hash(pool[source]));
                }
            }
        }
        SeedSequence { pool }
    }

    /// The first `N` words of `SeedSequence.generate_state(N, numpy.uint64)`.
    pub(super) fn generate_u64<const N: usize>(&self) -> [u64; N] {
        let mut constant = Self::INIT_B;
        let mut words = self.pool.iter().cycle().map(|&word| {
            let mut value = word ^ constant;
            constant = constant.wrapping_mul(Self::MULT_B);
            value = value.wrapping_mul(constant);
            u64::from(value ^ (value >> 16))
        });
        std::array::from_fn(|_| {
            let low = words.next().unwrap_or_default();
            let high = words.next().unwrap_or_default();
            low | high << 32
        })
    }
}
