//! Which instruction set to compute with.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that overrides the choice: `portable`, `avx2` or `avx512`.
const VARIABLE: &str = "DUVN_ISA";

/// An instruction set that the network can compute with. Results are bit-equal from run to run on one
/// of them, and agree to rounding between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// What every CPU of the target has.
    Portable,
    /// AVX2 with FMA: vectors of 8.
    Avx2,
    /// AVX-512 F, VL, BW and DQ: vectors of 16.
    Avx512,
}

/// Why an instruction set cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IsaError {
    /// The CPU lacks it.
    #[error("this CPU has no {0}; use one of: {list}", list = available())]
    Unavailable(Isa),
    /// There is none of that name.
    #[error("there is no instruction set {0:?}: write portable, avx2 or avx512")]
    Unknown(String),
}

fn available() -> String {
    Isa::available().map(|isa| isa.to_string()).collect::<Vec<_>>().join(", ")
}

impl Isa {
    /// All of them, slowest first.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// Those that this CPU has, slowest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// Whether this CPU has it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                std::is_x86_feature_detected!("avx2")
                    && std::is_x86_feature_detected!("fma")
                    && std::is_x86_feature_detected!("bmi1")
                    && std::is_x86_feature_detected!("bmi2")
                    && std::is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.is_available()
                    && std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512vl")
                    && std::is_x86_feature_detected!("avx512bw")
                    && std::is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        })
    }
}

impl FromStr for Isa {
    type Err = IsaError;

    fn from_str(name: &str) -> Result<Self, IsaError> {
        Isa::ALL
            .into_iter()
            .find(|isa| isa.to_string().eq_ignore_ascii_case(name.trim()))
            .ok_or_else(|| IsaError::Unknown(name.to_owned()))
    }
}

/// 0: not chosen yet; otherwise 1 + the position in [`Isa::ALL`].
static CHOSEN: AtomicU8 = AtomicU8::new(0);

/// The instruction set that new networks use: the one of [`force_isa`], else that of the environment variable
/// `DUVN_ISA` if it names one that this CPU has, else the widest of this CPU. Chosen once.
pub fn isa() -> Isa {
    if let Some(isa) = usize::from(CHOSEN.load(Ordering::Relaxed)).checked_sub(1) {
        return Isa::ALL[isa];
    }
    let named = isa_from_environment().ok().flatten();
    let isa = named.unwrap_or_else(|| Isa::available().last().unwrap_or(Isa::Portable));
    CHOSEN.store(1 + isa as u8, Ordering::Relaxed);
    isa
}

/// Makes [`isa`] return `isa` from now on; networks that exist keep theirs.
pub fn force_isa(isa: Isa) -> Result<(), IsaError> {
    if !isa.is_available() {
        return Err(IsaError::Unavailable(isa));
    }
    CHOSEN.store(1 + isa as u8, Ordering::Relaxed);
    Ok(())
}

/// What the environment variable `DUVN_ISA` asks for. A program checks this once at its start, to report a
/// name that [`isa`] would pass over.
pub fn isa_from_environment() -> Result<Option<Isa>, IsaError> {
    let Some(name) = std::env::var_os(VARIABLE) else { return Ok(None) };
    let isa: Isa = name.to_string_lossy().parse()?;
    if isa.is_available() { Ok(Some(isa)) } else { Err(IsaError::Unavailable(isa)) }
}
