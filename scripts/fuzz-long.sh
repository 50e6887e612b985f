#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# scripts/fuzz-long.sh FAST-BUILD SANITIZED-BUILD EXECUTIONS [SECONDS]: runs the harnesses of the fast build in turns of SECONDS
# (120), JOBS (2) at a time and at the lowest priority, until all together have run so many inputs; begun again, it goes on
# where it stopped. What each turn ran stands in FAST-BUILD/long/turns.csv, what all did in long/runs.csv. In the end the sanitized build runs every input
# that the fast one kept, and what adds coverage stays in FAST-BUILD/long/merged. Exits with 1 if any input crashed, leaked
# or hung; a harness whose input did takes no more turns until that file, FAST-BUILD/long/found/NAME-…, is gone.
set -eu
fast=$1 sanitized=$2 wanted=$3 seconds=${4-120}
cd "$(dirname "$0")/.."
state=$fast/long
mkdir -p "$state/found"
touch "$state/turns.csv"

run() { awk -F , '{n += $2} END {printf "%.0f\n", n}' "$state/turns.csv"; }

found() { # NAME: inputs that failed
  find "$state/found" -name "$1-*" | grep -q .
}

if [ "${5-}" ]; then # one turn of harness $5
  name=${5##*/fuzz_}
  corpus=$state/corpus/$name
  if found "$name" || [ "$(run)" -ge "$wanted" ]; then exit 0; fi
  mkdir -p "$corpus"
  nice -n 19 "$5" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -entropic=0 -artifact_prefix="$state/found/$name-" \
    -print_final_stats=1 "$corpus" "fuzz/corpus/$name" > "$state/$name.log" 2>&1 || tail -n 30 "$state/$name.log"
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$state/$name.log")
  if [ "$count" ]; then echo "$name,$count,$seconds" >> "$state/turns.csv"; fi
  exit 0
fi

harnesses=$(find "$fast/fuzz" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort)
while before=$(run) && [ "$before" -lt "$wanted" ]; do
  echo "$harnesses" | xargs -P "${JOBS-2}" -n 1 scripts/fuzz-long.sh "$fast" "$sanitized" "$wanted" "$seconds"
  if [ "$(run)" -le "$before" ]; then break; fi
done
for harness in $harnesses; do
  name=${harness##*/fuzz_}
  mkdir -p "$state/merged/$name" "$state/corpus/$name"
  if [ ! -x "$sanitized/fuzz/fuzz_$name" ] || found "$name"; then continue; fi
  nice -n 19 "$sanitized/fuzz/fuzz_$name" -merge=1 -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$state/found/$name-" \
    "$state/merged/$name" "$state/corpus/$name" "fuzz/corpus/$name" > "$state/$name.merge.log" 2>&1 ||
    tail -n 30 "$state/$name.merge.log"
done
{
  echo "# Executions of each harness by make fuzz-long, and the inputs that they kept: scripts/fuzz-long.sh makes this file."
  echo "# harness,executions,inputs"
  awk -F , '{n[$1] += $2} END {for (h in n) printf "%s,%.0f\n", h, n[h]}' "$state/turns.csv" | sort |
    while IFS=, read -r name count; do echo "$name,$count,$(find "$state/corpus/$name" -type f | wc -l)"; done
} > "$state/runs.csv"
cat "$state/runs.csv"
if find "$state/found" -type f | grep .; then exit 1; fi
