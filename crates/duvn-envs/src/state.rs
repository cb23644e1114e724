use serde::{Serialize, de::DeserializeOwned};

/// A frozen state that does not fit the environment it is given to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the saved environment state does not fit this environment: {0}")]
pub struct StateError(pub String);

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
        Ok((_, rest)) => Err(StateError(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(StateError(error.to_string())),
    }
}
