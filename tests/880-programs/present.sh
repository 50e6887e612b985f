#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# present.sh BUILD SUITE/NAME ARGUMENT…: what the cache hints that a program has do for it: a run as it is, two that start late by
# chance (core.perturb), and runs without the hints of its loads, of its stores, and without any. Rows of CSV, on stdout
# (docs/ADVISE.md). The folder that WEIR_PROGRAMS names has the program built in a folder SUITE/NAME (sources.sh); skipped (77) without it.
# WEIR_ADVICE_CHIPS: other chips.
set -euo pipefail
build=$(cd "$1" && pwd) name=$2
shift 2
[ -n "${WEIR_PROGRAMS:-}" ] || { echo "WEIR_PROGRAMS does not name a folder with programs"; exit 77; }
command -v jq >/dev/null || { echo "jq is not there"; exit 77; }
work=$build/advice
mkdir -p "$work"
cd "$WEIR_PROGRAMS/$name"

# run WORDS OPTIONS…: a row of what is told by the words.
run() {
  local words=$1
  shift
  "$build/weir" run --chip "$chip" --scheme lru --json="$work/run.json" "$@" -- ./program $arguments >"$work/out" 2>"$work/err" </dev/null
  jq -r --arg row "$name,$arguments,$chip,$words" 'map(.total) | [(map(.cycles) | add), (map(.l1.loads.misses) | add),
    (map(.l1.loads.hits) | add), (map(.dram.bytes) | add), (map(.energy_pj | add) | add)] | [$row] + . | join(",")' "$work/run.json"
}

# Requests that take away the hints of the last run's accesses of these kinds.
requests() {
  jq -r ".[] | ($1) | select(.l1_hint or .l2_hint) | \"\(.source_file | split(\"/\") | last):\(.source_line)#\(.number)=none\"" \
    "$work/run.json" | sort -u
}

arguments=$*
for chip in ${WEIR_ADVICE_CHIPS:-ampere-a40 ampere-a100 hopper-h100}; do
  run "as it is"
  requests '.loads[]' >"$work/loads"
  requests '.stores[]' >"$work/stores"
  cat "$work/loads" "$work/stores" >"$work/all"
  for n in 1 2; do run "as it is; perturbed $n" --set "core.perturb=$n"; done
  for kind in loads stores all; do
    [ ! -s "$work/$kind" ] || run "no hints of $kind" --hints "$work/$kind"
  done
done
