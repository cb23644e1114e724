#!/usr/bin/env bash
# Every long campaign of docs/RELIABILITY.md, one after the other, at low priority; what came of each is in campaigns/NAME.log,
# with its time. A campaign that has ended well is not done again (delete its log for that); mutants go on where they were ended.
# With names, these alone: fuzz/campaigns.sh kills shards
# Takes hours: start it on a machine that nobody waits for.
set -uo pipefail
cd "$(dirname "$0")/.."
logs=fuzz/campaigns
mkdir -p "$logs"
[ -d /dev/shm ] && export TMPDIR="${TMPDIR:-/dev/shm}"

campaign() {
  case "$1" in
    mutants) cargo run --release --manifest-path mutants/Cargo.toml ;;
    kills) DUVN_KILLS="${KILLS:-1000}" cargo test --release -p duvn --test kill -- --nocapture killed_sweeps_end ;;
    presets) DUVN_KILLS="${KILLS:-1000}" cargo test --release -p duvn --test kill -- --nocapture killed_sweeps_of ;;
    shards) DUVN_SHARDS=16 DUVN_KILLS="${KILLS:-200}" cargo test --release -p duvn --test cluster -- --nocapture shards_that ;;
    flips) DUVN_FLIPS="${FLIPS:-10000}" cargo test --release -p duvn --test flip -- --nocapture ;;
    races) DUVN_RACES="${RACES:-1000}" cargo test --release -p duvn --test race -- --nocapture ;;
    sanitize) fuzz/sanitize.sh ;;
    deny) cargo deny check licenses bans sources ;;
    advisories) cargo deny check advisories ;;
    fuzz-*) fuzz/run.sh "${1#fuzz-}" ;;
    *) echo "there is no campaign '$1'"; return 2 ;;
  esac
}
export -f campaign

all=(mutants sanitize kills shards fuzz-experiment fuzz-environment fuzz-set fuzz-checkpoint fuzz-actions fuzz-merge)
[ $# -gt 0 ] && all=("$@")
failed=0
for name in "${all[@]}"; do
  log="$logs/$name.log"
  if [ -f "$log" ] && grep -q '^ended well' "$log"; then
    echo "$name: done before"
    continue
  fi
  start=$SECONDS
  nice -n 15 bash -c "campaign $name" >"$log" 2>&1
  code=$?
  [ $code -eq 0 ] && said="ended well" || said="exit code $code"
  echo "$said after $((SECONDS - start)) s" | tee -a "$log" | sed "s|^|$name: |"
  [ $code -eq 0 ] || failed=1
done
exit $failed
