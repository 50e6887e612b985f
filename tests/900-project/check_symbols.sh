#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# What only one file uses is static: no room defines a global that no other object uses.
#   check_symbols.sh SOURCE-FOLDER NM LIST BUILD-FOLDER    LIST names the rooms' objects, one a line; BUILD-FOLDER has those
#                                                          that use them besides: programs, workloads, studies, tests
. "$(dirname "$0")/files.sh"
[ -s "$3" ] || { echo "$3 names no objects"; exit 1; }
symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
{
  over "$2" -A -g <"$3"
  echo ---
  find "$4" -path "$4/recipes" -prune -o -path "$4/determinism" -prune -o -name '*.o' -print | over "$2" -A -g
} >"$symbols" 2>/dev/null || { echo "$2 cannot list the symbols"; exit 1; }
awk '
  /^---$/ { others = 1; next }
  $NF !~ /^weir_/ { next }
  $(NF - 1) == "U" { used[$NF] = 1; next }
  !others && $(NF - 1) ~ /^[A-Z]$/ { definer[$NF] = $0; defined++ }
  END {
    if (!defined) { print "no symbols were found"; exit 1 }
    for (s in definer)
      if (!(s in used) && s != "weir_last_word") { # which is looked up by its name
        sub(/\.o:[^:]*$/, "", definer[s])
        sub(/^.*\.dir\//, "", definer[s])
        print definer[s] ": " s " is used nowhere else: make it static, or drop it"
        status = 1
      }
    exit status
  }' "$symbols"
