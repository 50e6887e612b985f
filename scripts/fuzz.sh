#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# scripts/fuzz.sh BUILD-FOLDER SECONDS [HARNESS]: runs every harness built there, or one (exec), for so many seconds, two at a time,
# from the committed seeds: with libFuzzer, or, of a build with tests, as CI has one under sanitizers, over mutations of the seeds (fuzz/replay.c). What it
# finds stays in BUILD-FOLDER/found; exits with 1 if any input crashed, leaked or hung.
set -eu
build=$1 seconds=$2
cd "$(dirname "$0")/.."
mkdir -p "$build/found"

# Into the log: its report, with a line "stat::number_of_executed_units: N" or "N executions".
run() { # HARNESS NAME
  case ${1##*/} in
  fuzz_*)
    mkdir -p "$build/found/$2"
    "$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$build/found/$2-" \
      -print_final_stats=1 "$build/found/$2" "fuzz/corpus/$2" ;;
  *) ASAN_OPTIONS=hard_rss_limit_mb=2048 "$1" --mutate "$seconds" "$build/found/$2-input" "fuzz/corpus/$2" ;;
  esac
}

one() { # HARNESS
  name=${1##*/*_} log=$build/found/${1##*/*_}.log
  if run "$1" "$name" >"$log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p; s/ executions$//p' "$log") executions, nothing found"
  else
    echo "$name: FAILED; the input is in $build/found, and its report:"
    tail -n 40 "$log"
    return 1
  fi
}

case ${3-} in
*/*) # of those below
  one "$3"
  exit
  ;;
esac
harnesses=$(find "$build/fuzz" -maxdepth 1 -type f \( -name "fuzz_${3:-*}" -o -name "replay_${3:-*}" \) -perm -u+x)
[ "$harnesses" ] || { echo "no harness ${3-} is built in $build"; exit 1; }
echo "$harnesses" | sort | xargs -P 2 -n 1 scripts/fuzz.sh "$build" "$seconds"
