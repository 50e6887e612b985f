#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# replay.sh WEIR [PROGRAM...]: what weir replay says beside weir run, on fermi-gtx480 at size small: the hit rate of loads in the L1 under
# lru (hits on a line on its way included), L1 misses of srrip and pcbp over lru's; how many accesses of the L1 and requests of the
# L2 a replay makes, and the processor seconds of a run, of a replay and of its --curve, medians of seven in turn. It is the table
# of docs/STREAMS.md (bench/replay-pgo.csv: of build/pgo/weir).
set -eu
weir=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- spmv bfs nn kmn matrixmul srad wc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C

echo "program,run_hit_rate,replay_hit_rate,run_srrip,replay_srrip,run_pcbp,replay_pcbp,l1_accesses,l2_accesses,run_s,replay_s,curve_s"
for program; do
  "$weir" record "$program" --chip fermi-gtx480 --output r.wrec 2>/dev/null
  "$weir" replay r.wrec --schemes lru,srrip,pcbp --csv >replay.csv
  "$weir" compare "$program" --chip fermi-gtx480 --schemes lru,srrip,pcbp --json --no-store >run.json 2>/dev/null
  /usr/bin/python3 - "$program" "$weir" <<'END'
import csv, json, os, statistics, subprocess, sys

program, weir = sys.argv[1:]
run = [r["total"] for r in json.load(open("run.json"))]
replay = list(csv.DictReader(open("replay.csv")))
loads = [r["l1"]["loads"] for r in run]
rate = [(r["hits"] + r["hits_on_miss"]) / r["accesses"] for r in loads]
cells = ["%.3f" % rate[0], "%.3f" % float(replay[0]["l1_hit_rate"])]
for i in (1, 2):
    cells += ["%.3f" % (loads[i]["misses"] / loads[0]["misses"]), "%.3f" % float(replay[i]["l1_misses"])]
for level in "l1", "l2":  # stores are as many whatever the order
    loaded = float(replay[0][level + "_loads"])
    cells.append("%d" % (loaded + run[0][level]["stores"]["accesses"]))


def seconds(*words):
    child = subprocess.Popen([weir, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, words
    return used.ru_utime


commands = ["run", program, "--chip=fermi-gtx480"], ["replay", "r.wrec"], ["replay", "r.wrec", "--curve"]
taken = [[seconds(*words) for words in commands] for _ in range(7)]
print(",".join([program] + cells + ["%.3f" % statistics.median(t) for t in zip(*taken)]))
END
done
