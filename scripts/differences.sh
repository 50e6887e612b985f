#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# differences.sh [WEIR [ROOT]]: puts the numbers of the studies' results files (studies/NAME/results/SIZE.csv) into README.md and
# the documents, wherever they stand between such marks; nothing runs. In a table's mark stand the study and the file, the
# figure, and its columns, all of them if none is named; NAME+ is a column with the paper's numbers beside it:
#
#     <!-- table zhao2016/small 7 mrpb+ bucl_dyn+ -->
#     …
#     <!-- end -->
#
# In a number's mark stand the same, the row and the column, and `published` for the paper's:
#
#     <!--=zhao2016/small;7;un-coalesced;bucl_dyn-->+26.7 %<!--/-->
set -eu
root=$(cd "${2:-$(dirname "$0")/..}" && pwd)
cd "$(dirname "$0")/.."
weir=$(realpath "${1:-build/release/weir}")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Every cell of every results file: study/file, figure, row, column, ours, the paper's, between tabs.
for file in "$root"/studies/*/results/*.csv; do
  [ -e "$file" ] || continue
  study=$(basename "$(dirname "$(dirname "$file")")")
  "$weir" study "$study" --from "$file" --cells >"$work/one"
  sed "s|^|$study/$(basename "$file" .csv)	|" "$work/one" >>"$work/cells"
done

marks=$(cat scripts/marks.awk)
for page in "$root"/README.md "$root"/docs/*.md "$root"/docs/*/*.md; do
  grep -qE '^<!-- table |<!--=' "$page" || continue
  awk -v cells="$work/cells" -v page="$page" -v number_mark='<!--=' -v table_mark='<!-- table ' -F '\t' '
    function shown(text) { return substr(text, 1, 1) == "-" ? "−" substr(text, 2) : text }
    # study/file;figure;row;column[;published]
    function number(mark,   f, n, key) {
      n = split(mark, f, ";")
      key = f[1] "\t" f[2] "\t" f[3] "\t" f[4]
      if (n < 4 || !(key in ours)) fail("there is no cell " mark)
      return shown(n > 4 ? published[key] : ours[key])
    }
    function table(mark,   w, n, i, j, k, figure, head, rule, line, names, count, beside, key) {
      n = split(mark, w, " ")
      figure = w[3] "\t" w[4]
      if (!(figure in columns)) fail("there is no figure " w[4] " in " w[3])
      if (n == 5) n = split(w[1] " " w[2] " " w[3] " " w[4] columns[figure] " -->", w, " ")
      head = "| |"
      rule = "|---|"
      for (i = 5 + (w[5] == first[figure]); i < n; i++) {
        beside = sub(/\+$/, "", w[i])
        both[i] = beside
        key = figure "\t\t" w[i]
        if (!(key in ours)) fail("there is no column " w[i] " in figure " w[4] " of " w[3])
        head = head " " ours[key] " |" (beside ? " paper |" : "")
        rule = rule "---|" (beside ? "---|" : "")
      }
      print head "\n" rule
      count = split(rows[figure], names, "\n")
      for (j = 1; j < count; j++) {
        line = "| " names[j] " |"
        for (i = 5 + (w[5] == first[figure]); i < n; i++) {
          key = figure "\t" names[j] "\t" w[i]
          line = line " " shown(ours[key]) " |" (both[i] ? " " shown(published[key]) " |" : "")
        }
        print line
      }
    }
    BEGIN {
      while ((getline < cells) > 0) {
        key = $1 "\t" $2 "\t" $3 "\t" $4
        figure = $1 "\t" $2
        ours[key] = $5
        published[key] = $6
        if ($3 == "" && !(key in seen)) {
          if (!(figure in columns)) first[figure] = $4
          columns[figure] = columns[figure] " " $4
          seen[key] = 1
        } else if ($3 != "" && !((figure, $3) in met)) {
          rows[figure] = rows[figure] $3 "\n"
          met[figure, $3] = 1
        }
      }
    }
  '"$marks" "$page" >"$work/page"
  cmp -s "$work/page" "$page" || cat "$work/page" >"$page"
done
