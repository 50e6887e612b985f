#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# bench/history.sh OUT.svg [RESULTS]: draws the rates that bench/results.csv keeps, in the order in which they came: a line per program of
# weir bench that a chip times with one thread, in million instructions per second of processor time, and their geometric mean.
# Rows of one bench have one date and version. Needs gnuplot.
set -eu
out=$1
results=${2:-bench/results.csv}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# A bench has a row per program, in the file's order; a column per program here, in the order of the last bench.
python3 - "$results" >"$work/rates" <<'PYTHON'
import csv, math, sys

benches, programs = {}, []
for row in csv.DictReader(open(sys.argv[1])):
    if row["chip"] != "fermi-gtx480" or row["size"] != "paper" or row["threads"] != "1":
        continue
    key = (row["date"], row["version"])
    benches.setdefault(key, {})[row["program"]] = float(row["warp_instructions_per_cpu_second"]) / 1e6
    if row["program"] not in programs:
        programs.append(row["program"])
print("bench", *programs, '"geometric mean"')
for (date, version), rates in benches.items():
    if len(rates) == len(programs):
        mean = math.exp(sum(map(math.log, rates.values())) / len(rates))
        print(f'"{date} {version.split("+")[-1]}"', *(f"{rates[p]:.4f}" for p in programs), f"{mean:.4f}")
PYTHON

columns=$(head -1 "$work/rates" | sed 's/"[^"]*"/x/g' | wc -w)
gnuplot <<GNUPLOT
set terminal svg size 900,480 font "sans,11"
set output "$out"
set logscale y
set ylabel "million warp instructions per second of processor time"
set xtics rotate by -35
set key outside right
set grid y
plot for [i=2:$columns] "$work/rates" using i:xtic(1) with linespoints linewidth (i == $columns ? 3 : 1) title columnheader(i)
GNUPLOT
