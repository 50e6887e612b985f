#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# registers.sh SOURCE WEIR: the numbers that docs/VALIDATION.md has of the estimate of registers per thread are those of
# studies/registers/kernels.csv, and a changed count changes them. Of the kernels in it that this repository holds, the estimates are
# today's.
set -eu
export LC_ALL=C
source=$1 weir=$2
file=studies/registers/kernels.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $1"; exit 1; }

mkdir -p "$work/docs" "$work/studies/registers"
cp "$source/docs/VALIDATION.md" "$work/docs"
cp "$source/$file" "$work/$file"
cp "$source/studies/registers/loads.csv" "$work/studies/registers"
"$source/scripts/registers-tables.sh" "$work"
diff -u "$source/docs/VALIDATION.md" "$work/docs/VALIDATION.md" ||
  fail "the page differs from the counts: scripts/registers-tables.sh makes its numbers anew"
awk -F, -v OFS=, '/^[a-z]/ && $4 == 1 { $6 += 9 } { print }' "$source/$file" >"$work/$file"
"$source/scripts/registers-tables.sh" "$work"
cmp -s "$source/docs/VALIDATION.md" "$work/docs/VALIDATION.md" && fail "changed estimates changed no number"

awk -F, -v OFS=, '$1 == "samples" && $6 > 0 { $6 *= 2 } { print }' "$source/studies/registers/loads.csv" >"$work/studies/registers/loads.csv"
cp "$source/$file" "$work/$file"
"$source/scripts/registers-tables.sh" "$work"
cmp -s "$source/docs/VALIDATION.md" "$work/docs/VALIDATION.md" && fail "changed loads changed no number"

# Loads of the bundled kernels, as weir executes them.
for name in $(awk -F, '$1 == "bundled" { print $2 }' "$source/studies/registers/loads.csv" | uniq); do
  "$weir" check --assembled --chip hopper-h100 "$source/workloads/$name/$name.ptx" | awk -v name="$name" '
    / \.entry |^\.entry / { if (kernel) print name, kernel, global, shared; kernel = $0; sub(/.*\.entry /, "", kernel); sub(/[^A-Za-z0-9_$].*/, "", kernel); global = shared = 0 }
    { line = $0; sub(/^[ \t]*(@[^ \t]+[ \t]+)?/, "", line) }
    line ~ /^ldu?\.[^ \t]*global/ || line ~ /^ldu\./ { global++ }
    line ~ /^ld\.[^ \t]*shared/ { shared++ }
    END { print name, kernel, global, shared }'
done | sort >"$work/today"
awk -F, '$1 == "bundled" { print $2, $3, $6, $7 }' "$source/studies/registers/loads.csv" | sort >"$work/committed"
[ "$(wc -l <"$work/committed")" -ge 80 ] || fail "bundled kernels' loads are missing"
comm -23 "$work/committed" "$work/today" >"$work/differ"
[ ! -s "$work/differ" ] || fail "weir writes other loads than studies/registers/loads.csv has: $(head -n 3 "$work/differ")"

column=5
for pair in sm_35:kepler-titan-black sm_70:volta-v100 sm_75:turing-2080ti sm_80:ampere-a100 sm_86:ampere-a40 sm_90:hopper-h100; do
  arch=${pair%:*} chip=${pair#*:}
  awk -F, -v c=$column '$1 == "bundled" && $(c + 1) != "" { print $2, $3, $(c + 1) }' "$source/$file" | sort >"$work/committed"
  [ "$(wc -l <"$work/committed")" -ge 60 ] || fail "$arch: bundled kernels are missing"
  for name in $(cut -d ' ' -f 1 "$work/committed" | uniq); do
    sed "s/^\.version.*/.version 7.8/; s/^\.target [a-z_0-9]*/.target $arch/" "$source/workloads/$name/$name.ptx" >"$work/k.ptx"
    "$weir" check --registers --chip "$chip" "$work/k.ptx" | sed "s/^/$name /"
  done | sort >"$work/today"
  comm -23 "$work/committed" "$work/today" >"$work/differ"
  [ ! -s "$work/differ" ] ||
    fail "$arch: weir estimates otherwise than $file has it, which scripts/registers-public.py makes anew: $(head -n 3 "$work/differ")"
  column=$((column + 2))
done
exit 0
