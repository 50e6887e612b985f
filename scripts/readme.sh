#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# readme.sh [WEIR]: makes what README.md shows of weir anew: the demo's table, and docs/l1-size.svg (needs gnuplot). The
# simulator's results are the same on every machine, so a change of either is a change of the model.
set -eu
cd "$(dirname "$0")/.."
weir=${1:-build/release/weir}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# The table, in place of the one behind the line "$ make demo".
make -s -n demo WEIR="$weir" | grep ' compare ' | sh >"$work/table" 2>/dev/null
awk -v table="$work/table" '
  inside && /^```/ { inside = 0 }
  !inside { print }
  /^\$ make demo$/ { while ((getline line < table) > 0) print line; inside = 1 }
' README.md >"$work/README.md"
cat "$work/README.md" >README.md

# The misses of one scheme on L1s of 16 KiB to 1 MiB.
sizes='16 32 64 128 256 512 1024'
programs='nn kmeans bfs spmv matrixmul'
"$weir" compare $programs --csv $(for size in $sizes; do echo "--scheme lru,l1.size_kib=$size"; done) >"$work/sweep.csv"
for program in $programs; do
  grep "^$program," "$work/sweep.csv" | sed 's/"[^"]*l1.size_kib=\([0-9]*\)"/\1/' | cut -d , -f 2,6 >"$work/$program"
done
cat >"$work/plot" <<END
set terminal svg size 640,360 font 'sans-serif,13' background '#ffffff'
set output 'docs/l1-size.svg'
set datafile separator ','
set title 'L1 load misses as the L1 grows (chip gcn-apu, LRU, size small)' font ',14'
set logscale x 2
set xlabel 'L1 of each compute unit, KiB'
set ylabel 'misses, those at 16 KiB = 1'
set xrange [14:1200]
set yrange [0:1.08]
set xtics (16, 32, 64, 128, 256, 512, 1024)
set grid ytics linecolor '#dddddd'
set border 3
set tics nomirror
set key outside right center reverse Left samplen 2 spacing 1.3
set style data linespoints
plot '$work/nn' title 'nn' lw 2 pt 5 lc '#999999', '$work/kmeans' title 'kmeans' lw 2 pt 7 lc '#d55e00', \\
  '$work/bfs' title 'bfs' lw 2 pt 9 lc '#0072b2', '$work/matrixmul' title 'matrixmul' lw 2 pt 13 lc '#009e73', \\
  '$work/spmv' title 'spmv' lw 2 pt 11 lc '#cc79a7'
END
gnuplot "$work/plot"
