#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# What agree.awk takes for the same output, and what not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# expect STATUS TOLERANCE OURS THEIRS
expect() {
  printf '%b' "$3" >"$work/ours"
  printf '%b' "$4" >"$work/theirs"
  status=0
  awk -v tolerance="$2" -f "$here/agree.awk" "$work/ours" "$work/theirs" >"$work/said" || status=$?
  [ "$status" = "$1" ] || { echo "'$3' and '$4' within $2: $status, not $1: $(cat "$work/said")"; failed=1; }
}
expect 0 0 'a 1 b\n' 'a 1\nb\n'
expect 0 0 'x=[1,2]\n' 'x 1 2\n'
expect 0 0 '1.50\n' '1.5e0\n'
expect 0 0.01 '100 0.001\n' '101 0.010\n' # 1 of 101 is less than a hundredth; small numbers differ by less than it
expect 1 0.01 '100\n' '102\n'
expect 1 0.01 '100\n' '-100\n'
expect 1 0.5 'passed\n' 'failed\n'
expect 1 0.5 'nan\n' '1\n'
expect 1 0.5 '1 2\n' '1\n'
expect 1 0.5 '1\n' '1 2\n'
expect 1 0.5 '1\n' ''
expect 1 0.5 '' '1\n'
expect 1 0.5 '' ''
exit $failed
