use serde::{Serialize, de::DeserializeOwned};

/// Why an environment cannot go on from a frozen state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The environment has no form in which it could be kept.
    #[error(
        "this environment cannot be frozen: write save() and restore() for it, or start at a new episode"
    )]
    Unfreezable,
    /// The state is not one of this environment.
    #[error("the saved environment state does not fit this environment: {0}")]
    Misfit(String),
}

/// Turns a state into bytes, floats to the bit. The other half of [`thaw`].
///
/// # Panics
/// When `state` holds something that has no serialised form (a map with a length unknown in advance);
/// plain structs of numbers never do.
pub fn freeze<S: Serialize>(state: &S) -> Vec<u8> {
    postcard::to_stdvec(state).expect("plain data serialises")
}

/// Turns the bytes of [`freeze`] back into a state.
pub fn thaw<S: DeserializeOwned>(bytes: &[u8]) -> Result<S, StateError> {
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        Ok((_, rest)) => Err(StateError::Misfit(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(StateError::Misfit(error.to_string())),
    }
}
