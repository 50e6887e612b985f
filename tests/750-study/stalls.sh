#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# stalls.sh SOURCE WEIR: core.guard_cycles of the chips from Volta on is what ptxas lets pass most often between an instruction that writes a
# predicate and one that it guards (tests/300-exec/machine/stalls.csv, by scripts/machine-code.py), and core.branch_cycles what it lets pass most
# often behind a branch (jumps.csv). Nothing that something waits for between the two shortens the count (waits.csv), as core.stall_counts has it.
set -eu
source=$1 weir=$2

fail() { echo "FAILED: $1"; exit 1; }

# held KEY FILE COLUMN ROWS: the chip's value is that of so many rows of the architecture.
held() {
  has=$("$weir" list chips "$chip" | sed -n "s/^ *core\\.$1 = \([0-9]*\).*/\1/p")
  rows=0
  for number in $(awk -F, -v arch="$arch" -v column="$3" '$2 == arch { print $column }' "$source/tests/300-exec/machine/$2"); do
    [ "$number" = "$has" ] || fail "$chip has core.$1 $has, and ptxas's code for $arch $number ($2)"
    rows=$((rows + 1))
  done
  [ $rows = "$4" ] || fail "$2 has not $4 rows of $arch"
}

for pair in sm_70:volta-v100 sm_75:turing-2080ti sm_80:ampere-a100 sm_86:ampere-a40 sm_86:ada-l40 sm_90:hopper-h100; do
  arch=${pair%:*} chip=${pair#*:}
  held guard_cycles stalls.csv 6 2
  "$weir" list chips "$chip" | grep -q '^ *core\.stall_counts = true' || fail "$chip has no core.stall_counts"
  [ $arch != sm_70 ] || continue # which ptxas 13 does not know
  held branch_cycles jumps.csv 5 1
  held guard_cycles waits.csv 5 2
done
