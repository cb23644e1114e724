use serde::{Deserialize, Serialize};

/// NumPy's legacy generator `numpy.random.RandomState(seed)`, which bsuite draws from: Matsumoto and
/// Nishimura's MT19937.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Frozen")]
pub struct RandomState {
    words: Vec<u32>,
    /// How many of the words are used up.
    used: usize,
    /// The second of a pair of normal draws.
    spare: Option<f64>,
}

/// What a frozen generator says it is.
#[derive(Deserialize)]
struct Frozen {
    words: Vec<u32>,
    used: usize,
    spare: Option<f64>,
}

impl TryFrom<Frozen> for RandomState {
    type Error = &'static str;

    fn try_from(Frozen { words, used, spare }: Frozen) -> Result<Self, Self::Error> {
        if words.len() != WORDS || used > WORDS {
            return Err("not a state of MT19937");
        }
        Ok(RandomState { words, used, spare })
    }
}

const WORDS: usize = 624;
const SHIFT: usize = 397;

impl Default for RandomState {
    /// `RandomState(0)`.
    fn default() -> Self {
        RandomState::new(0)
    }
}

impl RandomState {
    /// `RandomState(seed)`; a seed of 2³² and more, which NumPy refuses, is `RandomState([low, high])`.
    pub fn new(seed: u64) -> Self {
        let mut state = RandomState { words: vec![0; WORDS], used: WORDS, spare: None };
        state.seed(seed);
        state
    }

    /// What bsuite's `seed=` does: begins again from a seed, or goes on where there is none.
    pub fn restart(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.seed(seed);
        }
    }

    fn seed(&mut self, seed: u64) {
        (self.used, self.spare) = (WORDS, None);
        match u32::try_from(seed) {
            Ok(seed) => self.fill(seed),
            Err(_) => self.fill_from([seed as u32, (seed >> 32) as u32]),
        }
    }

    fn fill(&mut self, mut word: u32) {
        for (number, place) in (1..).zip(&mut self.words) {
            *place = word;
            word = 1_812_433_253u32.wrapping_mul(word ^ (word >> 30)).wrapping_add(number);
        }
    }

    /// The reference implementation's `init_by_array`.
    fn fill_from(&mut self, key: [u32; 2]) {
        self.fill(19_650_218);
        let mut at = 1;
        let mut stir = |words: &mut [u32], factor: u32, add: &dyn Fn(usize) -> u32| {
            let before = words[at - 1];
            words[at] = (words[at] ^ (before ^ (before >> 30)).wrapping_mul(factor)).wrapping_add(add(at));
            at += 1;
            if at == WORDS {
                words[0] = words[WORDS - 1];
                at = 1;
            }
        };
        for round in 0..WORDS {
            let part = round % key.len();
            stir(&mut self.words, 1_664_525, &|_| key[part].wrapping_add(part as u32));
        }
        for _ in 1..WORDS {
            stir(&mut self.words, 1_566_083_941, &|at| (at as u32).wrapping_neg());
        }
        self.words[0] = 0x8000_0000;
    }

    fn refill(&mut self) {
        for at in 0..WORDS {
            let word = self.words[at] & 0x8000_0000 | self.words[(at + 1) % WORDS] & 0x7fff_ffff;
            let twist = if word & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[at] = self.words[(at + SHIFT) % WORDS] ^ (word >> 1) ^ twist;
        }
        self.used = 0;
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.used == WORDS {
            self.refill();
        }
        let mut word = self.words[self.used];
        self.used += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// `rand()`: uniform on [0, 1) with 53 bits.
    pub fn rand(&mut self) -> f64 {
        let (high, low) = (self.next_u32() >> 5, self.next_u32() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// `uniform(low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rand()
    }

    /// `randn()`: a draw from N(0, 1), by Marsaglia's polar method, two at a time.
    pub fn randn(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let [x, y] = [(); 2].map(|()| 2.0 * self.rand() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(factor * x);
                return factor * y;
            }
        }
    }

    /// `randint(n)`: uniform on `0..n`, by leaving out draws that are too large; 0 where that is empty.
    pub fn randint(&mut self, n: u32) -> u32 {
        let most = n.saturating_sub(1);
        if most == 0 {
            return 0;
        }
        let mask = u32::MAX >> most.leading_zeros();
        loop {
            let draw = self.next_u32() & mask;
            if draw <= most {
                return draw;
            }
        }
    }

    /// `binomial(1, 0.5)`.
    pub fn coin(&mut self) -> bool {
        self.rand() > 0.5
    }

    /// `permutation(n)`, which is `choice(n, size=n, replace=False)`.
    pub fn permutation(&mut self, n: u32) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..n).collect();
        for last in (1..n).rev() {
            numbers.swap(last as usize, self.randint(last + 1) as usize);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{freeze, thaw};

    /// From NumPy 2.4.6: `randint(2**32, dtype=uint32)` after 1,000 of them, `rand()`, `uniform(-0.6, -0.4)`, `randn()`
    /// thrice, six `randint(5)`, eight `binomial(1, 0.5)` as bits, `permutation(11)`, `rand()`.
    type Drawn = (u32, f64, f64, [f64; 3], [u32; 6], u32, [u32; 11], f64);

    #[rustfmt::skip]
    const NUMPY: [(u64, Drawn); 4] = [
        (0, (1333075495, 0.2777736736315105, -0.42102736156438225, [0.07341222633412296, -0.27666323932898046, 0.13952190513585455], [3, 3, 3, 1, 3, 2], 223, [4, 0, 10, 8, 3, 9, 2, 1, 6, 5, 7], 0.5305372145627818)),
        (42, (2998581749, 0.032315951109650465, -0.5440472985662108, [1.7277476274342591, -1.492601364415693, -0.6462994993007489], [2, 4, 1, 2, 4, 0], 99, [7, 1, 3, 9, 10, 6, 2, 5, 8, 4, 0], 0.03682186763599138)),
        (4294967295, (1661208369, 0.4603742169859605, -0.41908931586797993, [-0.22831418386149194, 0.06090173842944769, -1.6873316695715947], [0, 1, 2, 2, 2, 1], 195, [5, 3, 10, 1, 2, 7, 0, 8, 4, 9, 6], 0.05454091264867289)),
        (1099511627783, (3217635334, 0.4716799449533172, -0.4465509976620208, [0.022038168796581534, 0.8855999684718115, -1.6456199446973607], [3, 3, 1, 3, 3, 0], 18, [9, 1, 6, 3, 4, 2, 8, 5, 0, 7, 10], 0.9516858836822688)),
    ];

    #[test]
    fn every_method_gives_numpys_numbers() {
        for (seed, expected) in NUMPY {
            let mut state = RandomState::new(5);
            state.randn();
            state.restart(Some(seed));
            for _ in 0..1000 {
                state.next_u32();
            }
            let drawn: Drawn = (
                state.next_u32(),
                state.rand(),
                state.uniform(-0.6, -0.4),
                [(); 3].map(|()| state.randn()),
                [(); 6].map(|()| state.randint(5)),
                (0..8).fold(0, |bits, _| bits << 1 | u32::from(state.coin())),
                state.permutation(11).try_into().unwrap(),
                state.rand(),
            );
            assert_eq!(drawn, expected, "seed {seed}");
        }
    }

    #[test]
    fn a_frozen_generator_goes_on_and_a_damaged_one_is_refused() {
        let mut state = RandomState::new(1);
        state.randn();
        let mut again: RandomState = thaw(&freeze(&state)).unwrap();
        assert_eq!((again.randn(), again.next_u32()), (state.randn(), state.next_u32()));
        let short = (vec![0u32; WORDS - 1], 0usize, None::<f64>);
        assert!(thaw::<RandomState>(&freeze(&short)).is_err());
        let beyond = (vec![0u32; WORDS], WORDS + 1, None::<f64>);
        assert!(thaw::<RandomState>(&freeze(&beyond)).is_err());
    }
}
