#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# mutate.sh BUILD-FOLDER SECONDS: runs each fuzz harness of a build with tests over mutations of the committed seeds (fuzz/replay.c), for so
# many seconds, two at a time: what CI does with the build under sanitizers that it has, where `make fuzz` needs libFuzzer, and a build of its
# own. An input that crashed, leaked or hung stays in BUILD-FOLDER/found; then it exits with 1.
set -eu
build=$1 seconds=$2
cd "$(dirname "$0")/.."
mkdir -p "$build/found"

one() { # HARNESS
  name=${1##*/replay_}
  found=$build/found/$name
  if ASAN_OPTIONS=hard_rss_limit_mb=2048 "$1" --mutate "$seconds" "$found" "fuzz/corpus/$name" >"$found.log" 2>&1; then
    echo "$name: $(sed -n 's/ executions$//p' "$found.log") executions, nothing found"
  else
    echo "$name: FAILED; the input is $found, and its report:"
    tail -n 40 "$found.log"
    return 1
  fi
}

if [ "${3-}" ]; then
  one "$3"
  exit
fi
ls "$build"/fuzz/replay_* >/dev/null
find "$build/fuzz" -maxdepth 1 -type f -name 'replay_*' -perm -u+x | sort | xargs -P 2 -n 1 scripts/mutate.sh "$build" "$seconds"
