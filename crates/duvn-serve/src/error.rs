use duvn_lab::store::StoreError;
use std::net::SocketAddr;

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// No folder was named.
    #[error("there is nothing to serve: name the folder of an experiment, such as results/chain")]
    Nothing,
    /// The records cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The port is not free, or not ours to take.
    #[error(
        "cannot listen at {at}: {error}; choose another port with --port (0 is any that is free), or \
             an address of this machine with --host"
    )]
    Listen {
        /// The address.
        at: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// There are no random numbers.
    #[error("the system gives no random numbers for a token: {0}")]
    Secret(String),
}
