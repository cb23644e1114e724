#!/usr/bin/env bash
# Runs the tests of the kernels, and of all that hands memory to them, with every access to memory looked at
# (AddressSanitizer). The stable toolchain has the sanitizer; RUSTC_BOOTSTRAP lets it be asked for. With arguments, these are
# what cargo is to test: fuzz/sanitize.sh -p duvn-core --lib replay::
set -euo pipefail
cd "$(dirname "$0")/.."
host="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address ${RUSTFLAGS:-}"
# Doc tests and programs in C are built without it; a leak is no access.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"
if [ $# -gt 0 ]; then
  exec cargo test --target "$host" --target-dir target/sanitize "$@"
fi
tests=(--lib)
for file in crates/duvn/tests/net_*.rs; do
  tests+=(--test "$(basename "$file" .rs)")
done
cargo test --target "$host" --target-dir target/sanitize -p duvn-core "${tests[@]}"
