#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# readme.sh [WEIR [COPY]]: makes what README.md and docs/TOUR.md show of weir anew: the demo's table, the loads of examples/cuda/gather.cu (needs
# clang-19) and of spmv, and docs/l1-size.svg (needs gnuplot). With COPY it makes the loads alone, in that copy of README.md
# (tests/900-project/readme_shows.sh). The simulator's results are the same on every machine, so a change of any is a change of the model.
set -eu
[ $# -le 2 ] || { sed -n '5,7s/^# //p' "$0" >&2; exit 2; }
weir=$(realpath "${1:-build/release/weir}")
readme=$(realpath "${2:-$(dirname "$0")/../README.md}")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# put LINE FILE: replaces what follows the line in README.md, to the end of its block, by the file.
put() {
  awk -v line="$1" -v file="$2" '
    inside && /^```/ { inside = 0 }
    !inside { print }
    $0 == line { while ((getline text < file) > 0) print text; inside = 1 }
  ' "$readme" >"$work/README.md"
  cat "$work/README.md" >"$readme"
}

# loads REPORT: its table of loads, with what its columns mean.
loads() { sed -n '/^line  /,/^[^ ].* die unused$/{p;/^[^ ].* die unused$/q}' "$1"; }
tests/850-cudart/build.sh "$PWD/examples/cuda/gather.cu" clang "$work/gather"
"$weir" run --chip turing-2080ti -- "$work/gather" >"$work/report"
{
  head -n 1 "$work/report"
  echo …
  loads "$work/report"
} >"$work/loads"
put '$ weir run --chip turing-2080ti -- ./gather' "$work/loads"
"$weir" run spmv --chip fermi-gtx480 >"$work/report"
loads "$work/report" | sed '/^$/,/^$/d' >"$work/loads"
put '$ weir run spmv --chip fermi-gtx480' "$work/loads"
[ $# -lt 2 ] || exit 0

make -s -n demo WEIR="$weir" | grep ' compare ' | sh >"$work/table" 2>/dev/null
put '$ make demo' "$work/table"

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
