#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# scripts/slurm-test.sh WEIR: follows docs/CLUSTER.md, word for word, on a Slurm of one node that it starts. While the array job runs, a
# task's simulation is killed, and a task is requeued as after a node's death. In the end the merged store has every run once, and
# each is that of a sweep on one machine, to the bit. Exits with 77 where Slurm or root is missing.
set -euo pipefail
weir=$(realpath "$1") source=$(cd "$(dirname "$0")/.." && pwd)
export PATH=$PATH:/usr/sbin:/sbin
for tool in slurmctld slurmd sbatch munged; do
  command -v $tool >/dev/null || {
    echo "skipped: $tool is not here (scripts/setup.sh slurm)"
    exit 77
  }
done
[ "$(id -u)" = 0 ] || {
  echo "skipped: slurmd needs root"
  exit 77
}
work=$(mktemp -d)
trap '"$source/scripts/slurm-cluster.sh" stop "$work/cluster"; rm -rf "$work"' EXIT
"$source/scripts/slurm-cluster.sh" start "$work/cluster"
export SLURM_CONF=$work/cluster/slurm.conf WEIR_DATA=$source
mkdir "$work/bin" "$work/home"
ln -s "$weir" "$work/bin/weir"
export PATH=$work/bin:$PATH HOME=$work/home
cd "$work/home"
cat >few.yaml <<'END'
programs: [nn, backprop]
schemes: [lru, fifo, plru, srrip, {scheme: pcbp, threshold: 4|6}]
seeds: 1..2
END

fail() {
  echo "FAILED: $*"
  tail -n 20 all.sqlite.parts/*.log 2>/dev/null || true
  exit 1
}

# run N: the N-th command of the page.
run() {
  local command
  command=$(awk '/^       weir /' "$source/docs/CLUSTER.md" | sed -n "$1s/^ *//p")
  [ -n "$command" ] || fail "docs/CLUSTER.md has no command $1"
  echo "\$ $command" >&2
  bash -c "$command"
}

await() { # SECONDS COMMAND…: until it succeeds
  local left=$(($1 * 10))
  shift
  until "$@"; do
    left=$((left - 1))
    [ $left -gt 0 ] || fail "did not happen: $*"
    sleep 0.1
  done
}

[[ $(run 1) == *'# 0 of 24 experiments, 0 of 24 runs are kept'* ]] || fail "the file asks for something else"
run 2 | tee said
array=$(sed -n 's/^array job \([0-9]*\) of 3 tasks, then job \([0-9]*\),.*/\1/p' said)
merge=$(sed -n 's/.*then job \([0-9]*\),.*/\1/p' said)
[ -n "$array" ] && [ -n "$merge" ] || fail "the jobs are not named"

some_kept() { [[ $(run 3) != *' 0 of 24 runs'* ]]; }
await 60 some_kept
# It fails. Slurm may start the tasks one after another: one has kept a run before the others are there.
killed() { pkill -KILL -f -- "--shard 2/3.*$work" || pkill -KILL -f -- "--shard 3/3.*$work"; }
await 60 killed
scontrol requeue "${array}_1" || fail "the task could not be requeued"
ended() {
  scontrol update JobId="${array}_1" StartTime=now 2>/dev/null || true # what is requeued Slurm holds back for two minutes
  [ -z "$(squeue -h -j "$merge" 2>/dev/null)" ]
}
await 60 ended
run 3 | tee status
# what the killed task had not run runs now
run 4 >table.csv 2>again
[ "$(wc -l <table.csv)" = 25 ] || fail "the table has $(wc -l <table.csv) lines, not 25"
kept=$(sed -n 's/.* experiments, \([0-9]*\) of 24 runs are kept.*/\1/p' status)
grep -q "24 runs, $kept of them kept from before" again || fail "what was kept ran again, or something was lost: $(cat again)"
[ "$kept" -ge 1 ] || fail "the tasks kept nothing"

weir sweep few.yaml --store alone.sqlite --csv >alone.csv 2>/dev/null
cmp table.csv alone.csv || fail "the table differs from that of one machine"
objects() { # every run object without what differs from run to run
  weir store export --store "$1" | python3 -c '
import json, sys
runs = [json.loads(line) for line in sys.stdin]
for run in runs: del run["host"]
print("\n".join(sorted(json.dumps(run, sort_keys=True) for run in runs)))'
}
[ "$(objects all.sqlite)" = "$(objects alone.sqlite)" ] || fail "runs differ from those of one machine"

# Submitting again runs nothing: every task finds its part in the store.
rm -r all.sqlite.parts
run 2 >said
merge=$(sed -n 's/.*then job \([0-9]*\),.*/\1/p' said)
await 60 ended
grep -hq '0 runs taken\|8 known already\|24 of 24 runs are kept' all.sqlite.parts/merge.log || fail "the second submission differs"
grep -h 'experiments done' all.sqlite.parts/task-*.log | awk '$7 != $9 { bad = 1 } END { exit bad || NR != 3 }' ||
  fail "a task ran what was kept: $(cat all.sqlite.parts/task-*.log)"
echo "passed: $kept of 24 runs came from the cluster"
