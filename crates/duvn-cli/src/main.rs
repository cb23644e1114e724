//! The command-line program `duvn`.

fn main() {}
