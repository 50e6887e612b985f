#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# coalesced.sh SOURCE WEIR: how many loads are one before hopper-h200's L2 is what docs/differences/h200-workloads.md compares with other choices
# (studies/silicon/workloads/coalesced.csv, by scripts/coalesced-reads.sh), and those rows come out again. Skipped (77) without jq.
set -eu
source=$1 weir=$2
rows=$source/studies/silicon/workloads/coalesced.csv

fail() { echo "FAILED: $1"; exit 1; }

command -v jq >/dev/null || exit 77
work=$(mktemp)
trap 'rm -f "$work"' EXIT
"$weir" list chips hopper-h200 >"$work"
for key in network.coalesced_reads network.coalesced_cycles core.groups; do
  value=$(sed -n "s/^ *$key = \([0-9]*\) .*/\1/p" "$work")
  chip=${chip:+$chip:}$value
done
[ "$(cut -d, -f1 "$rows" | sed 1d | uniq | sed -n 2p)" = "$chip" ] || fail "the table's second choice is not hopper-h200's, $chip"
for row in "$chip,lud" "$chip,backprop"; do
  "$source/scripts/coalesced-reads.sh" "$weir" "$row" | sed 1d >"$work"
  [ -s "$work" ] || fail "no rows of $row"
  grep "^$row," "$rows" | diff - "$work" || fail "weir gives other rows of $row"
done
exit 0
