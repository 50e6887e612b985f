#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# l2-replacement.sh SOURCE WEIR: the share of a set's lines from which the L2 of the chips from Volta on takes one is the one that is
# nearest to the V100's knees (studies/silicon/l2-replacement.csv, by scripts/l2-replacement.sh); docs/VALIDATION.md says how near each is;
# and three of the rows come out again.
set -eu
source=$1 weir=$2
rows=$source/studies/silicon/l2-replacement.csv
work=$(mktemp)
trap 'rm "$work"' EXIT

fail() { echo "FAILED: $1"; exit 1; }

errors() { # of each replacement, in its order: of all points, and of the L2's
  awk -F, 'NR > 1 { e = ($4 / $3 - 1) * 100; if (e < 0) e = -e; all[$1] += e; n[$1]++; if ($2 > 1000) { l2[$1] += e; m[$1]++ }
                    if (!seen[$1]++) name[++count] = $1 }
           END { for (i = 1; i <= count; i++) printf "%s %.1f %.1f\n", name[i], all[name[i]] / n[name[i]], l2[name[i]] / m[name[i]] }' "$rows"
}

[ "$(errors | wc -l)" = 5 ] || fail "$rows has not five replacements"
errors | while read -r name all l2; do
  grep -qF "<!--l2-replacement $name-->$all %, $l2 %<!--/-->" "$source/docs/VALIDATION.md" || fail "docs/VALIDATION.md does not say $all %, $l2 % of $name"
done
nearest=$(errors | sort -k2n | head -1 | cut -d' ' -f1)
[ "$nearest" = among_percent=13 ] || fail "$nearest is the nearest"
"$weir" list policies lru-random | grep -q 'among_percent = 13' || fail "lru-random's default is another"

"$source/scripts/l2-replacement.sh" "$weir" among_percent=13,130 replace=lru,144 among_percent=13,6348 | tail -n +2 >"$work"
[ "$(wc -l <"$work")" = 3 ] || fail "scripts/l2-replacement.sh has not made three rows"
while read -r row; do
  grep -qxF "$row" "$rows" || fail "weir gives another row: $row"
done <"$work"
