#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# replay.sh WEIR [PROGRAM...]: what weir replay says beside weir run, on fermi-gtx480 at size small: the hit rate of loads in the L1 under
# lru (hits on a line on its way included), L1 misses of srrip and pcbp over lru's, and processor seconds. It is the table of
# docs/STREAMS.md.
set -eu
weir=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- spmv bfs nn kmn matrixmul srad wc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C

seconds() { # COMMAND...: its output to ./out, its processor time to standard output
  command time -f %U "$@" 2>./time >./out
  tail -n 1 ./time
}

echo "program,run_hit_rate,replay_hit_rate,run_srrip,replay_srrip,run_pcbp,replay_pcbp,run_s,replay_s"
for program; do
  "$weir" record "$program" --chip fermi-gtx480 --output r.wrec 2>/dev/null
  run_s=$(seconds "$weir" run "$program" --chip fermi-gtx480)
  replay_s=$(seconds "$weir" replay r.wrec)
  "$weir" replay r.wrec --schemes lru,srrip,pcbp --csv >replay.csv
  "$weir" compare "$program" --chip fermi-gtx480 --schemes lru,srrip,pcbp --json --no-store >run.json 2>/dev/null
  /usr/bin/python3 - "$program" "$run_s" "$replay_s" <<'END'
import csv, json, sys
run = [r["total"]["l1"]["loads"] for r in json.load(open("run.json"))]
replay = list(csv.DictReader(open("replay.csv")))
rate = [(r["hits"] + r["hits_on_miss"]) / r["accesses"] for r in run]
cells = [rate[0], float(replay[0]["l1_hit_rate"])]
for i in (1, 2):
    cells += [run[i]["misses"] / run[0]["misses"], float(replay[i]["l1_misses"])]
print(",".join([sys.argv[1]] + ["%.3f" % c for c in cells] + sys.argv[2:]))
END
done
