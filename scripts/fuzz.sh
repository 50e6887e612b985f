#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# scripts/fuzz.sh BUILD-FOLDER SECONDS: runs every harness built there for so many seconds, two at a time, from the committed
# seeds. What it finds stays in BUILD-FOLDER/found; exits with 1 if any input crashed, leaked or hung.
set -eu
build=$1 seconds=$2
cd "$(dirname "$0")/.."
mkdir -p "$build/found"

one() { # HARNESS
  name=${1##*/fuzz_}
  corpus=$build/found/$name
  mkdir -p "$corpus"
  if "$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$build/found/$name-" \
    -print_final_stats=1 "$corpus" "fuzz/corpus/$name" >"$build/found/$name.log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/found/$name.log") executions, nothing found"
  else
    echo "$name: FAILED; the input and its report:"
    tail -n 40 "$build/found/$name.log"
    return 1
  fi
}

if [ "${3-}" ]; then
  one "$3"
  exit
fi
ls "$build"/fuzz/fuzz_* >/dev/null
find "$build/fuzz" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort | xargs -P 2 -n 1 scripts/fuzz.sh "$build" "$seconds"
