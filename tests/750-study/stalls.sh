#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# stalls.sh SOURCE WEIR: core.guard_cycles of the chips from Volta on is what ptxas lets pass most often between an instruction that writes a
# predicate and one that it guards (tests/300-exec/machine/stalls.csv, by scripts/machine-code.py), and core.branch_cycles what it lets pass most
# often behind a branch (jumps.csv).
set -eu
source=$1 weir=$2

fail() { echo "FAILED: $1"; exit 1; }

for pair in sm_70:volta-v100 sm_75:turing-2080ti sm_80:ampere-a100 sm_86:ampere-a40 sm_86:ada-l40 sm_90:hopper-h100; do
  arch=${pair%:*} chip=${pair#*:}
  has=$("$weir" list chips "$chip" | sed -n 's/^ *core\.guard_cycles = \([0-9]*\).*/\1/p')
  rows=0
  for common in $(awk -F, -v arch="$arch" '$2 == arch { print $6 }' "$source/tests/300-exec/machine/stalls.csv"); do
    [ "$common" = "$has" ] || fail "$chip has core.guard_cycles $has, and ptxas's code for $arch $common"
    rows=$((rows + 1))
  done
  [ $rows = 2 ] || fail "no rows of $arch"
  [ $arch != sm_70 ] || continue # which ptxas 13 does not know
  has=$("$weir" list chips "$chip" | sed -n 's/^ *core\.branch_cycles = \([0-9]*\).*/\1/p')
  common=$(awk -F, -v arch="$arch" '$2 == arch { print $5 }' "$source/tests/300-exec/machine/jumps.csv")
  [ "$common" = "$has" ] || fail "$chip has core.branch_cycles $has, and ptxas's code for $arch $common"
done
