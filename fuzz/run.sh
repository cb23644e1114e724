#!/usr/bin/env bash
# Runs every fuzz target, or those that are named: RUNS=1000000 fuzz/run.sh set actions
# Needs a C++ compiler; no cargo-fuzz, whose flags these are, and no nightly toolchain. Each input may take a second of processor
# time, and ten minutes by the clock, because a machine may rest. Folders of shards are made in memory where there is room for
# that. SECONDS_EACH=360 ends a target earlier; SANITIZER=address has every access to memory looked at, too.
set -euo pipefail
cd "$(dirname "$0")"
runs="${RUNS:-1000000}"
[ $# -gt 0 ] && targets=("$@") || targets=(experiment environment set checkpoint actions merge)
host="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares ${SANITIZER:+-Zsanitizer=$SANITIZER} -Ccodegen-units=1"
[ -d /dev/shm ] && export TMPDIR="${TMPDIR:-/dev/shm}"
[ -z "${SANITIZER:-}" ] || export RUSTC_BOOTSTRAP=1
for target in "${targets[@]}"; do
  cargo build --release --target "$host" --bin "$target"
  mkdir -p "corpus/$target"
  more=()
  # Longer inputs say nothing more there.
  [ "$target" != merge ] || more=(-max_len=33 -len_control=0)
  "target/$host/release/$target" -runs="$runs" -timeout=600 -rss_limit_mb=1024 -max_len=2048 -print_final_stats=1 \
    -max_total_time="${SECONDS_EACH:-0}" \
    "${more[@]}" "corpus/$target" "seeds/$target"
done
