#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# bench/sweep.sh [WEIR [PROGRAM [RUNS [SCHEMES]]]]: what a sweep adds to its runs. It sweeps RUNS (10,000) runs of PROGRAM (nn, size small) on two
# jobs, as many seeds under each of the schemes, and compares the processor time of the whole command, preparing the programs included, with that
# of the runs themselves, which is in their run objects (host.cpu_seconds: the simulation alone), and per run with that of `weir run`, a process
# that keeps nothing (200 of them). Then it times the same command once more, which runs nothing, and --status. Prints a line as in
# bench/sweep.csv. Needs the sqlite3 shell.
set -eu
weir=$(realpath "${1:-build/release/weir}") program=${2:-nn} runs=${3:-10000} schemes=${4:-lru fifo plru srrip}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
list=$(echo "$schemes" | sed 's/ /, /g') count=$(echo "$schemes" | wc -w)
printf 'programs: %s\nschemes: [%s]\nseeds: 1..%d\n' "$program" "$list" $((runs / count)) >"$work/sweep.yaml"
seconds() { # COMMAND...: of its processor time and that of its children
  /usr/bin/env time -o "$work/time" -f '%U %S' "$@" >"$work/out" 2>"$work/err"
  awk '{print $1 + $2}' "$work/time"
}
sweep=$(seconds "$weir" sweep "$work/sweep.yaml" --jobs 2 --store "$work/store.sqlite" --csv)
own=$(sqlite3 "$work/store.sqlite" "SELECT sum(json_extract(run, '\$.host.cpu_seconds')) FROM objects")
made=$(sqlite3 "$work/store.sqlite" "SELECT count(*) FROM objects")
cat >"$work/separate" <<'END'
weir=$1 program=$2
shift 2
for scheme; do
  for seed in $(seq $((200 / $#))); do "$weir" run "$program" --scheme "$scheme" --seed "$seed" --json; done
done
END
separate=$(seconds sh "$work/separate" "$weir" "$program" $schemes)
again=$(seconds "$weir" sweep "$work/sweep.yaml" --jobs 2 --store "$work/store.sqlite" --csv)
status=$(seconds "$weir" sweep "$work/sweep.yaml" --status --store "$work/store.sqlite")
echo "program,runs,runs_seconds,sweep_seconds,added_percent,added_ms_per_run,ms_per_run,separate_ms_per_run,again_seconds,status_seconds"
echo "$program $made $own $sweep $separate $((200 / count * count)) $again $status" |
  awk '{printf "%s,%d,%.1f,%.1f,%.2f,%.2f,%.2f,%.2f,%.1f,%.1f\n", $1, $2, $3, $4, ($4 / $3 - 1) * 100, ($4 - $3) / $2 * 1000,
    $4 / $2 * 1000, $5 / $6 * 1000, $7, $8}'
