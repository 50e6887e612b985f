#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# write-queue.sh SOURCE WEIR [again]: docs/VALIDATION.md says how near each queue of writes comes to the V100's streams
# (studies/silicon/write-queue.csv, by scripts/write-queue.sh), and the chip has the one that it says; again: one of the rows comes out again.
set -eu
source=$1 weir=$2
rows=$source/studies/silicon/write-queue.csv

fail() { echo "FAILED: $1"; exit 1; }

errors() { # of each queue: of all kernels, and of those that load and store
  awk -F, 'NR > 1 { e = ($5 / $4 - 1) * 100; if (e < 0) e = -e; all[$1] += e; n[$1]++
                    if ($3 != "init" && $3 != "read") { both[$1] += e; m[$1]++ }
                    if (!seen[$1]++) name[++count] = $1 }
           END { for (i = 1; i <= count; i++) printf "%s %.1f %.1f\n", name[i], all[name[i]] / n[name[i]], both[name[i]] / m[name[i]] }' "$rows"
}

if [ "${3:-}" = again ]; then
  "$source/scripts/write-queue.sh" "$weir" 32:28:16:1000,96 | while read -r row; do
    grep -qxF "$row" "$rows" || fail "weir gives another row: $row"
  done
  exit
fi
[ "$(errors | wc -l)" = 5 ] || fail "$rows has not five queues"
errors | while read -r name all both; do
  grep -qF "<!--write-queue $name-->$all %, $both %<!--/-->" "$source/docs/VALIDATION.md" || fail "docs/VALIDATION.md does not say $all %, $both % of $name"
done
chip=$("$weir" list chips volta-v100 | sed -n 's/^ *dram\.write_[a-z]* = \([0-9]*\) .*/\1/p' | paste -sd:)
[ "$chip" = 32:28:16:1000 ] || fail "volta-v100's queue is $chip"
